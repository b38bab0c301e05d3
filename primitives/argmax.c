/* The position of the largest element: a fold of (value, index) pairs.
 *
 * Of two pairs the larger value wins; of equal ones the smaller index; NaN is larger than everything and equal to
 * itself. So
 * the operator is associative and commutative in every bit, and the first NaN, else the first maximum, comes out of any
 * tree. Counter-example to "keep left unless right > left": right in a left-to-right fold only.
 * The identity (lowest, greatest index) loses against every element, also against -inf at index 0. */
#include "primitives/primitives.h"

static fsr_node either(fsr_site at, fsr_node a, fsr_node b) {
    return fsr_logical_or_at(at, a, b);
}

static fsr_node both(fsr_site at, fsr_node a, fsr_node b) {
    return fsr_logical_and_at(at, a, b);
}

static void larger(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_site at = *(const fsr_site *)user;
    fsr_node wins = fsr_greater_at(at, right[0], left[0]);
    fsr_node ties = fsr_equal_at(at, right[0], left[0]);
    if (fsr_dtype_is_float(fsr_node_dtype(left[0]))) {
        fsr_node left_nan = fsr_isnan_at(at, left[0]), right_nan = fsr_isnan_at(at, right[0]);
        wins = either(at, wins, both(at, right_nan, fsr_logical_not_at(at, left_nan)));
        ties = either(at, ties, both(at, right_nan, left_nan));
    }
    fsr_node take = either(at, wins, both(at, ties, fsr_less_at(at, right[1], left[1])));
    out[0] = fsr_where_at(at, take, right[0], left[0]);
    out[1] = fsr_where_at(at, take, right[1], left[1]);
}

/* Checks x and the axis; a flat argmax becomes one of a vector. */
static bool argmax_take(fsr_site at, fsr_node *x, const int *axis, int flags, int *along, fsr_node *poison) {
    fsr_graph *g;
    if (fsr_poison_of(at, "argmax", x, 1, &g, poison))
        return false;
    if (!fsr_flags_take(*x, at, "argmax", flags, FSR_KEEPDIMS, poison))
        return false;
    *along = axis ? *axis : 0;
    if (axis && !fsr_axis_take(*x, at, "argmax", fsr_node_rec(*x)->shape.ndim, along, poison))
        return false;
    const fsr_shape *shape = &fsr_node_rec(*x)->shape;
    if (axis ? shape->dim[*along] == 0 : fsr_shape_size(shape) == 0) {
        *poison =
            fsr_poison(g, at, FSR_ERR_EMPTY, "argmax", "%s has no element along the reduced axes", fsr_say(*x).text);
        return false;
    }
    *x = fsr_strong(at, *x);
    if (!axis)
        *x = fsr_flatten(at, *x);
    *poison = *x;
    return fsr_node_sound(*x) != NULL;
}

fsr_node fsr_argmax_at(fsr_site at, fsr_node x, const int *axis, int flags) {
    fsr_node poison, in[2], out[FSR_MAX_TUPLE] = {{0}};
    int along, ndim = fsr_node_ndim(x);
    if (!argmax_take(at, &x, axis, flags, &along, &poison))
        return poison;
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_dtype dtype = rec->dtype[x.output];
    fsr_operator op = {larger, &at, 2, {0, (double)INT64_MAX}, true};
    op.identity[0] = fsr_value_to_double(dtype, fsr_op_identity(FSR_OP_MAXIMUM, dtype));
    fsr_combine *combine = fsr_operator_record(x.graph, at, "argmax", &op, (fsr_dtype[]){dtype, FSR_I64}, &poison);
    if (!combine)
        return poison;
    in[0] = x;
    in[1] = fsr_iota(x.graph, at, FSR_I64, &rec->shape, along);
    fsr_fold_nodes(at, out, in, combine, 1u << along);
    if (!(flags & FSR_KEEPDIMS))
        return fsr_drop_axes(at, out[1], 1u << along);
    int64_t ones[FSR_MAX_DIMS] = {1, 1, 1, 1, 1, 1, 1, 1};
    return axis ? out[1] : fsr_reshape_at(at, out[1], ndim, ones);
}
