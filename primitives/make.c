/* SPDX-License-Identifier: MIT */
/* Arrays out of nothing, triangles and differences: zeros, ones, full_like, eye, linspace, tril, triu, diff. All are
 * ordinary nodes: an index along an axis, compared or scaled. Sizes and diagonals are arguments of the plan, so another
 * one is no other kernel. */
#include "graph/floats.h"
#include "primitives/primitives.h"
#include <math.h>

fsr_node fsr_zeros_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape) {
    return fsr_full_at(at, g, dtype, ndim, shape, 0);
}

fsr_node fsr_ones_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape) {
    return fsr_full_at(at, g, dtype, ndim, shape, 1);
}

fsr_node fsr_full_like_at(fsr_site at, fsr_node x, double value) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, "full_like", &x, 1, &g, &poison))
        return poison;
    const fsr_rec *rec = fsr_node_rec(x);
    return fsr_full_at(at, g, fsr_node_dtype(x), rec->shape.ndim, rec->shape.dim, value);
}

/* Whether column - row is at least k, over the last two dimensions of a shape. k is an argument, made a double and
 * back: beyond +-2^52 it makes no difference. */
static fsr_node above(fsr_site at, fsr_graph *g, const fsr_shape *shape, int64_t k, bool equal) {
    const int64_t far = (int64_t)1 << 52;
    k = k > far ? far : k < -far ? -far : k;
    fsr_node row = fsr_iota(g, at, FSR_I64, shape, shape->ndim - 2);
    fsr_node column = fsr_iota(g, at, FSR_I64, shape, shape->ndim - 1);
    fsr_node limit = fsr_add_at(at, row, fsr_count(g, at, FSR_I64, (double)k));
    return equal ? fsr_equal_at(at, column, limit) : fsr_greater_equal_at(at, column, limit);
}

fsr_node fsr_eye_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t rows, int64_t cols, int64_t k) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_shape shape;
    if (!fsr_shape_take(g, at, "eye", dtype, 2, (int64_t[]){rows, cols}, &shape, &poison))
        return poison;
    return fsr_convert(at, above(at, g, &shape, k, true), dtype, false);
}

static fsr_node triangle(fsr_site at, const char *what, fsr_node x, int64_t k, bool upper) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, what, &x, 1, &g, &poison))
        return poison;
    if (fsr_node_ndim(x) < 1)
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%s has no dimensions", fsr_say(x).text);
    if (fsr_node_ndim(x) == 1)
        x = fsr_broadcast_to_at(at, x, 2, (int64_t[]){fsr_node_size(x), fsr_node_size(x)});
    if (!fsr_node_sound(x))
        return x;
    fsr_node zero = fsr_full_at(at, g, fsr_node_dtype(x), 0, NULL, 0);
    fsr_node inside = above(at, g, &fsr_node_rec(x)->shape, upper || k == INT64_MAX ? k : k + 1, false);
    return upper ? fsr_where_at(at, inside, x, zero) : fsr_where_at(at, inside, zero, x);
}

fsr_node fsr_triu_at(fsr_site at, fsr_node x, int64_t k) {
    FSR_DEFAULT_FLOATS;
    return triangle(at, "triu", x, k, true);
}

fsr_node fsr_tril_at(fsr_site at, fsr_node x, int64_t k) {
    FSR_DEFAULT_FLOATS;
    return triangle(at, "tril", x, k, false);
}

/* index * step + start in f64, as NumPy computes it: a step that rounds to 0 is applied as (index / parts) * (stop -
 * start), and with the end point the last element is `stop` itself. */
static fsr_node ramp(fsr_site at, fsr_graph *g, double start, double stop, int64_t num, bool endpoint) {
    fsr_shape shape = {1, {num}};
    double parts = (double)(endpoint ? num - 1 : num), step = (stop - start) / parts;
    fsr_node y = fsr_iota(g, at, FSR_F64, &shape, 0);
    if (parts > 0 && step != 0) {
        y = fsr_mul_at(at, y, fsr_count(g, at, FSR_F64, step));
    } else {
        if (parts > 0)
            y = fsr_div_at(at, y, fsr_count(g, at, FSR_F64, parts));
        y = fsr_mul_at(at, y, fsr_count(g, at, FSR_F64, stop - start));
    }
    y = fsr_add_at(at, y, fsr_count(g, at, FSR_F64, start));
    if (!endpoint || num < 2 || !fsr_node_sound(y))
        return y;
    return fsr_update_at(at, y, fsr_slice_at(at, y, 0, num - 1, num, 1), fsr_count(g, at, FSR_F64, stop));
}

fsr_node fsr_linspace_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, double start, double stop, int64_t num,
                         bool endpoint) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_shape shape;
    if (!fsr_shape_take(g, at, "linspace", dtype, 1, &num, &shape, &poison))
        return poison;
    fsr_node y = ramp(at, g, start, stop, num, endpoint);
    if (fsr_dtype_class(dtype) == FSR_CLASS_INT)
        y = fsr_floor_at(at, y);
    return fsr_node_sound(y) ? fsr_convert(at, y, dtype, false) : y;
}

/* Neighbours differ where they are not equal; numbers by subtraction. */
static fsr_node difference(fsr_site at, fsr_node x, int axis) {
    fsr_node right = fsr_slice_at(at, x, axis, 1, FSR_SLICE_END, 1), left = fsr_slice_at(at, x, axis, 0, -1, 1);
    return fsr_node_dtype(x) == FSR_BOOL ? fsr_not_equal_at(at, right, left) : fsr_sub_at(at, right, left);
}

fsr_node fsr_diff_at(fsr_site at, fsr_node x, int n, int axis) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, "diff", &x, 1, &g, &poison))
        return poison;
    x = fsr_strong(at, x);
    if (!fsr_node_sound(x))
        return x;
    if (n < 0)
        return fsr_poison(g, at, FSR_ERR_VALUE, "diff", "%d differences of %s", n, fsr_say(x).text);
    if (!fsr_axis_take(x, at, "diff", fsr_node_ndim(x), &axis, &poison))
        return poison;
    for (int i = 0; i < n && fsr_node_sound(x) && fsr_node_dim(x, axis) > 0; i++)
        x = difference(at, x, axis);
    return x;
}
