/* SPDX-License-Identifier: MIT */
/* Vector norms over any axes, as NumPy's linalg.vector_norm: one fold of |x|, between maps.
 *
 * No scaling: NumPy squares in the operand's dtype too, so what overflows here overflows there; but f16 and bf16 are
 * computed in f32. */
#include "graph/floats.h"
#include "primitives/live.h"
#include <math.h>

/* The norm of any order that is not 0 or infinite. */
static fsr_node power_norm(fsr_site at, fsr_node size, uint32_t mask, double ord) {
    fsr_graph *g = size.graph;
    if (ord == 1)
        return fsr_fold_op(at, FSR_OP_ADD, size, mask);
    if (ord == 2)
        return fsr_sqrt_at(at, fsr_fold_op(at, FSR_OP_ADD, fsr_mul_at(at, size, size), mask));
    fsr_node sum = fsr_fold_op(at, FSR_OP_ADD, fsr_pow_at(at, size, fsr_float_at(at, g, ord)), mask);
    return fsr_pow_at(at, sum, fsr_float_at(at, g, 1 / ord));
}

fsr_node fsr_norm_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double ord) {
    FSR_DEFAULT_FLOATS;
    static const char what[] = "norm";
    fsr_node poison, out;
    uint32_t mask;
    if (!fsr_reduction_take(x, at, what, axes, naxes, flags, &mask, &poison))
        return poison;
    if (isnan(ord))
        return fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "the order is NaN (of %s)", fsr_say(x).text);
    if (isinf(ord) && !fsr_element_take(x, at, what, mask, &poison))
        return poison;
    const fsr_dtype dtype = fsr_mean_dtype(fsr_node_dtype(x));
    fsr_node size = fsr_abs_at(at, fsr_convert(at, x, fsr_state_dtype(dtype), false));
    if (!fsr_node_sound(size))
        return size;
    if (isinf(ord)) {
        out = fsr_told_empty(at, fsr_fold_op(at, ord > 0 ? FSR_OP_MAXIMUM : FSR_OP_MINIMUM, size, mask), size);
    } else if (ord == 0) {
        fsr_node there = fsr_convert(at, fsr_convert(at, size, FSR_BOOL, false), fsr_node_dtype(size), false);
        out = fsr_fold_op(at, FSR_OP_ADD, there, mask);
    } else {
        out = power_norm(at, size, mask, ord);
    }
    out = fsr_convert(at, out, fsr_dtype_real(dtype), false);
    return flags & FSR_KEEPDIMS ? out : fsr_drop_axes(at, out, mask);
}
