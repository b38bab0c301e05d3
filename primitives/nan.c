/* SPDX-License-Identifier: MIT */
/* Sums, products and extremes of what is not NaN.
 *
 * A NaN becomes the operator's identity, but for the extremes: there the operator itself prefers what is a number, and
 * its identity is NaN, so that NaN comes out where nothing else went in. Counter-example to replacing NaN by +inf and
 * taking the minimum: the answer for nothing but NaN would be +inf. Integers have no NaN and take the plain fold. */
#include "primitives/live.h"
#include <math.h>

static fsr_node replaced(fsr_site at, fsr_node x, double by) {
    if (!fsr_node_sound(x) || !fsr_dtype_has_nan(fsr_node_dtype(x)))
        return x;
    return fsr_where_at(at, fsr_isnan_at(at, x), fsr_float_at(at, x.graph, by), x);
}

static fsr_node without(fsr_site at, const char *what, fsr_op op, double by, fsr_node x, const int *axes, int naxes,
                        int flags) {
    fsr_node poison;
    uint32_t mask;
    if (!fsr_reduction_take(x, at, what, axes, naxes, flags, &mask, &poison))
        return poison;
    fsr_node whole = fsr_convert(at, x, fsr_sum_dtype(fsr_node_dtype(x)), false);
    fsr_node out = fsr_fold_op(at, op, replaced(at, whole, by), mask);
    return flags & FSR_KEEPDIMS ? out : fsr_drop_axes(at, out, mask);
}

fsr_node fsr_nansum_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return without(at, "nansum", FSR_OP_ADD, 0, x, axes, naxes, flags);
}

fsr_node fsr_nanprod_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return without(at, "nanprod", FSR_OP_MUL, 1, x, axes, naxes, flags);
}

typedef struct call {
    fsr_site at;
    bool largest;
} call;

/* The better of two; the other one if one is NaN. */
static void better(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const call *c = user;
    fsr_node wins = c->largest ? fsr_greater_at(c->at, left[0], right[0]) : fsr_less_at(c->at, left[0], right[0]);
    fsr_node take = fsr_logical_or_at(c->at, wins, fsr_isnan_at(c->at, right[0]));
    out[0] = fsr_where_at(c->at, take, left[0], right[0]);
}

static fsr_node extreme(fsr_site at, const char *what, bool largest, fsr_node x, const int *axes, int naxes,
                        int flags) {
    fsr_node poison, out = {0};
    uint32_t mask;
    if (!fsr_reduction_take(x, at, what, axes, naxes, flags, &mask, &poison) || !fsr_order_take(x, at, what, &poison) ||
        !fsr_element_take(x, at, what, mask, &poison))
        return poison;
    x = fsr_strong(at, x);
    if (!fsr_node_sound(x))
        return x;
    fsr_dtype dtype = fsr_node_dtype(x);
    call c = {at, largest};
    fsr_operator op = {better, &c, 1, {NAN}, true, {NULL}};
    if (!mask || !fsr_dtype_has_nan(dtype)) {
        out = fsr_fold_op(at, largest ? FSR_OP_MAXIMUM : FSR_OP_MINIMUM, x, mask);
    } else {
        fsr_combine *combine = fsr_operator_record(x.graph, at, what, &op, &dtype, NULL, &poison);
        if (!combine)
            return poison;
        combine->neutral = true;
        fsr_fold_nodes(at, &out, &x, combine, mask);
    }
    if (mask)
        out = fsr_told_empty(at, out, x);
    return flags & FSR_KEEPDIMS ? out : fsr_drop_axes(at, out, mask);
}

fsr_node fsr_nanmin_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return extreme(at, "nanmin", false, x, axes, naxes, flags);
}

fsr_node fsr_nanmax_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return extreme(at, "nanmax", true, x, axes, naxes, flags);
}
