/* SPDX-License-Identifier: MIT */
/* log(sum(exp(x))) without overflow.
 *
 * Up to SHORT elements, the last axis among them, two passes as in a softmax: the maximum m, then the sum of exp(x -
 * m); such a row stays on chip, so memory is read once. Longer rows, and columns, take one pass with states (m, s)
 * that stand for s * exp(m): the smaller state is scaled to the larger one's m. Counter-example to one pass without m:
 * exp(90) is infinite in f32.
 *
 * Where m is infinite x - m would be NaN. Two passes take 0 in its place: exp(-inf) sums to 0, its log is -inf;
 * exp(inf) stays inf. States whose m are not a positive distance apart (equal, both infinite, NaN) add as they are; a
 * NaN stays in m and so in the result.
 * Half precision is computed in f32. */
#include "primitives/primitives.h"
#include <math.h>

enum { SHORT = 8192 };

/* (m, s): log(s) + m is the result. */
static void join(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_site at = *(const fsr_site *)user;
    fsr_node leads = fsr_greater_at(at, left[0], right[0]), zero = fsr_float_at(at, left[0].graph, 0);
    fsr_node distance = fsr_abs_at(at, fsr_sub_at(at, left[0], right[0]));
    fsr_node apart = fsr_greater_at(at, distance, zero);
    fsr_node exponent = fsr_where_at(at, apart, fsr_neg_at(at, distance), zero);
    fsr_node most = fsr_where_at(at, leads, left[1], right[1]), least = fsr_where_at(at, leads, right[1], left[1]);
    out[0] = fsr_maximum_at(at, left[0], right[0]);
    out[1] = fsr_add_at(at, most, fsr_mul_at(at, least, fsr_exp_at(at, exponent)));
}

static fsr_node two_passes(fsr_site at, fsr_node x, uint32_t mask) {
    fsr_node m = fsr_fold_op(at, FSR_OP_MAXIMUM, x, mask), zero = fsr_float_at(at, x.graph, 0);
    fsr_node finite = fsr_equal_at(at, fsr_sub_at(at, m, m), zero), shift = fsr_where_at(at, finite, m, zero);
    fsr_node sum = fsr_fold_op(at, FSR_OP_ADD, fsr_exp_at(at, fsr_sub_at(at, x, shift)), mask);
    return fsr_add_at(at, fsr_log_at(at, sum), shift);
}

static fsr_node one_pass(fsr_site at, const char *what, fsr_node x, uint32_t mask) {
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_dtype dtype = rec->dtype[x.output];
    fsr_node poison, out[FSR_MAX_TUPLE] = {{0}}, in[2] = {x};
    fsr_operator op = {join, &at, 2, {-INFINITY, 0}, true, {NULL}};
    fsr_combine *combine = fsr_operator_record(x.graph, at, what, &op, (fsr_dtype[]){dtype, dtype}, NULL, &poison);
    if (!combine)
        return poison;
    combine->neutral = true;
    fsr_value one = fsr_value_from_int(dtype, 1);
    in[1] = fsr_stretch(at, fsr_literal(x.graph, at, dtype, one, false), &rec->shape);
    fsr_fold_nodes(at, out, in, combine, mask);
    return fsr_add_at(at, fsr_log_at(at, out[1]), out[0]);
}

fsr_node fsr_logsumexp_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    static const char what[] = "logsumexp";
    fsr_node poison;
    uint32_t mask;
    if (!fsr_reduction_take(x, at, what, axes, naxes, flags, &mask, &poison) || !fsr_order_take(x, at, what, &poison))
        return poison;
    fsr_dtype dtype = fsr_mean_dtype(fsr_node_dtype(x));
    x = fsr_convert(at, x, fsr_state_dtype(dtype), false);
    if (!mask || !fsr_node_sound(x))
        return fsr_convert(at, x, dtype, false);
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    bool brief = fsr_folded(shape, mask) <= SHORT && mask >> (shape->ndim - 1) & 1;
    fsr_node out = fsr_convert(at, brief ? two_passes(at, x, mask) : one_pass(at, what, x, mask), dtype, false);
    return flags & FSR_KEEPDIMS ? out : fsr_drop_axes(at, out, mask);
}
