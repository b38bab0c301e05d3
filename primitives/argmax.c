/* SPDX-License-Identifier: MIT */
/* The position of the largest or smallest element: a fold of (value, index) pairs.
 *
 * Of two pairs the better value wins; of equal ones the smaller index; NaN is better than everything and equal to
 * itself. So the operator is associative and commutative in every bit, and the first NaN, else the first extreme, comes
 * out of any tree. Counter-example to "keep left unless right > left": right in a left-to-right fold only.
 * The identity (the worst value, the greatest index) loses against every element, also against -inf at index 0.
 * Where NaN is skipped it takes the identity's place: if nothing else is there, the greatest index is left, and that
 * becomes -1. */
#include "primitives/live.h"

static fsr_node either(fsr_site at, fsr_node a, fsr_node b) {
    return fsr_logical_or_at(at, a, b);
}

static fsr_node both(fsr_site at, fsr_node a, fsr_node b) {
    return fsr_logical_and_at(at, a, b);
}

/* Which position is looked for. */
typedef struct search {
    const char *name;
    fsr_op extreme; /* MAXIMUM or MINIMUM: what the value is the result of */
    bool skips_nan;
} search;

static void better(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    const fsr_best *c = user;
    fsr_site at = c->at;
    bool largest = c->extreme == FSR_OP_MAXIMUM;
    fsr_node wins = largest ? fsr_greater_at(at, right[0], left[0]) : fsr_less_at(at, right[0], left[0]);
    fsr_node ties = fsr_equal_at(at, right[0], left[0]);
    if (fsr_dtype_has_nan(fsr_node_dtype(left[0])) && !c->skips_nan) {
        fsr_node left_nan = fsr_isnan_at(at, left[0]), right_nan = fsr_isnan_at(at, right[0]);
        wins = either(at, wins, both(at, right_nan, fsr_logical_not_at(at, left_nan)));
        ties = either(at, ties, both(at, right_nan, left_nan));
    }
    fsr_node take = either(at, wins, both(at, ties, fsr_less_at(at, right[1], left[1])));
    out[0] = fsr_where_at(at, take, right[0], left[0]);
    out[1] = fsr_where_at(at, take, right[1], left[1]);
}

fsr_operator fsr_best_operator(fsr_best *best, fsr_dtype dtype) {
    fsr_operator op = {better, best, 2, {0, (double)INT64_MAX}, true, {NULL}};
    op.identity[0] = fsr_value_to_double(dtype, fsr_op_identity(best->extreme, dtype));
    return op;
}

/* Checks x and the axis; a flat search becomes one of a vector. */
static bool search_take(fsr_site at, const char *what, fsr_node *x, const int *axis, int naxes, int flags, int *along,
                        fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of_any(at, what, x, 1, &g, poison))
        return false;
    if (!fsr_flags_take(*x, at, what, flags, FSR_KEEPDIMS, poison))
        return false;
    if (!fsr_order_take(*x, at, what, poison))
        return false;
    if (axis && naxes != 1) {
        *poison = fsr_poison(g, at, FSR_ERR_AXIS, what, "along one axis, not %d", naxes);
        return false;
    }
    *along = axis ? *axis : 0;
    if (axis && !fsr_axis_take(*x, at, what, fsr_node_rec(*x)->shape.ndim, along, poison))
        return false;
    const fsr_shape *shape = &fsr_node_rec(*x)->shape;
    if (axis ? shape->dim[*along] == 0 : fsr_shape_size(shape) == 0) {
        *poison = fsr_poison(g, at, FSR_ERR_EMPTY, what, "%s has no element along the reduced axes", fsr_say(*x).text);
        return false;
    }
    *x = fsr_strong(at, *x);
    if (!axis)
        *x = fsr_flatten(at, *x);
    *poison = *x;
    return fsr_node_sound(*x) != NULL;
}

/* Makes NaN lose against everything, as the identity does. */
static void hide_nan(fsr_site at, fsr_node *in, double identity) {
    fsr_node nan = fsr_isnan_at(at, in[0]);
    fsr_graph *g = in[0].graph;
    in[0] = fsr_where_at(at, nan, fsr_float_at(at, g, identity), in[0]);
    in[1] = fsr_where_at(at, nan, fsr_int_at(at, g, INT64_MAX), in[1]);
}

static fsr_node position(fsr_site at, const search *s, fsr_node x, const int *axis, int naxes, int flags) {
    fsr_node poison, in[2], out[FSR_MAX_TUPLE] = {{0}};
    int along, ndim = fsr_node_ndim(x);
    if (!search_take(at, s->name, &x, axis, naxes, flags, &along, &poison))
        return poison;
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_dtype dtype = rec->dtype[x.output];
    bool hides = s->skips_nan && fsr_dtype_has_nan(dtype);
    fsr_best best = {at, s->extreme, s->skips_nan};
    const fsr_operator op = fsr_best_operator(&best, dtype);
    fsr_combine *combine = fsr_operator_record(x.graph, at, s->name, &op, (fsr_dtype[]){dtype, FSR_I64}, NULL, &poison);
    if (!combine)
        return poison;
    combine->neutral = true;
    in[0] = x;
    in[1] = fsr_iota(x.graph, at, FSR_I64, &rec->shape, along);
    if (hides)
        hide_nan(at, in, op.identity[0]);
    fsr_fold_nodes(at, out, in, combine, 1u << along);
    fsr_node found = fsr_told_empty(at, out[1], x);
    if (hides) {
        fsr_node none = fsr_equal_at(at, found, fsr_int_at(at, x.graph, INT64_MAX));
        found = fsr_where_at(at, none, fsr_int_at(at, x.graph, -1), found);
    }
    if (!(flags & FSR_KEEPDIMS))
        return fsr_drop_axes(at, found, 1u << along);
    int64_t ones[FSR_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    return axis ? found : fsr_reshape_at(at, found, ndim, ones);
}

fsr_node fsr_argmax_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return position(at, &(search){"argmax", FSR_OP_MAXIMUM, false}, x, axes, naxes, flags);
}

fsr_node fsr_argmin_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return position(at, &(search){"argmin", FSR_OP_MINIMUM, false}, x, axes, naxes, flags);
}

fsr_node fsr_nanargmax_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return position(at, &(search){"nanargmax", FSR_OP_MAXIMUM, true}, x, axes, naxes, flags);
}

fsr_node fsr_nanargmin_at(fsr_site at, fsr_node x, const int *axes, int naxes, int flags) {
    return position(at, &(search){"nanargmin", FSR_OP_MINIMUM, true}, x, axes, naxes, flags);
}
