/* SPDX-License-Identifier: MIT */
/* Arrays out of nothing, triangles and differences: zeros, ones, full_like, eye, tri, diag, tril, triu, diff. All are
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
    if (fsr_poison_of_any(at, "full_like", &x, 1, &g, &poison))
        return poison;
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_node full = fsr_full_at(at, g, fsr_node_dtype(x), rec->shape.ndim, rec->shape.dim, value);
    return fsr_node_is_live(x) && fsr_node_sound(full) ? fsr_live_at(at, full, x) : full;
}

/* Whether column - row is at least k, over the last two dimensions of a shape. k is an argument, made a double and
 * back: beyond +-2^52 it makes no difference. The difference is compared, not row + k, as it lies within 32 bits. */
static fsr_node above(fsr_site at, fsr_graph *g, const fsr_shape *shape, int64_t k, bool equal) {
    const int64_t far = (int64_t)1 << 52;
    k = k > far ? far : k < -far ? -far : k;
    fsr_node row = fsr_iota(g, at, FSR_I64, shape, shape->ndim - 2);
    fsr_node column = fsr_iota(g, at, FSR_I64, shape, shape->ndim - 1);
    fsr_node away = fsr_sub_at(at, column, row), limit = fsr_count(g, at, FSR_I64, (double)k);
    return equal ? fsr_equal_at(at, away, limit) : fsr_greater_equal_at(at, away, limit);
}

fsr_node fsr_eye_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t rows, int64_t cols, int64_t k) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_shape shape;
    if (!fsr_shape_take(g, at, "eye", dtype, 2, (int64_t[]){rows, cols}, &shape, &poison))
        return poison;
    return fsr_convert(at, above(at, g, &shape, k, true), dtype, false);
}

fsr_node fsr_tri_at(fsr_site at, fsr_graph *g, fsr_dtype dtype, int64_t rows, int64_t cols, int64_t k) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_shape shape;
    if (!fsr_shape_take(g, at, "tri", dtype, 2, (int64_t[]){rows, cols}, &shape, &poison))
        return poison;
    fsr_node below = fsr_logical_not_at(at, above(at, g, &shape, k == INT64_MAX ? k : k + 1, false));
    return fsr_node_sound(below) ? fsr_convert(at, below, dtype, false) : below;
}

/* The vector as a column beside itself, moved down for a negative k, where it meets the diagonal. */
static fsr_node matrix_of(fsr_site at, fsr_node x, int64_t k) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    const int64_t away = k == INT64_MIN ? INT64_MAX : k < 0 ? -k : k, n = fsr_node_size(x);
    const int64_t side = fsr_size_add(n, away), dims[] = {side, side};
    fsr_shape shape;
    fsr_node poison;
    if (!fsr_shape_take(x.graph, at, "diag", dtype, 2, dims, &shape, &poison))
        return poison;
    x = fsr_pad_at(at, x, (const int64_t[][2]){{k < 0 ? away : 0, k < 0 ? 0 : away}}, FSR_PAD_CONSTANT, 0);
    fsr_node column = fsr_broadcast_to_at(at, fsr_expand_at(at, x, 1), 2, dims);
    fsr_node zero = fsr_full_at(at, x.graph, dtype, 0, NULL, 0);
    return fsr_where_at(at, above(at, x.graph, &shape, k, true), column, zero);
}

fsr_node fsr_diag_at(fsr_site at, fsr_node x, int64_t k) {
    FSR_DEFAULT_FLOATS;
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of(at, "diag", &x, 1, &g, &poison))
        return poison;
    if (fsr_node_ndim(x) == 2)
        return fsr_diagonal_at(at, x, k, 0, 1);
    if (fsr_node_ndim(x) == 1)
        return matrix_of(at, x, k);
    return fsr_poison(g, at, FSR_ERR_SHAPE, "diag", "%s is not of one or two dimensions", fsr_say(x).text);
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

/* Neighbours differ where they are not equal; numbers by subtraction. */
static fsr_node difference(fsr_site at, fsr_node x, int axis) {
    fsr_node right = fsr_slice_at(at, x, axis, 1, FSR_SLICE_END, 1), left = fsr_slice_at(at, x, axis, 0, -1, 1);
    return fsr_node_dtype(x) == FSR_BOOL ? fsr_not_equal_at(at, right, left) : fsr_sub_at(at, right, left);
}

fsr_node fsr_diff_at(fsr_site at, fsr_node x, int n, int axis) {
    fsr_node poison;
    fsr_graph *g;
    if (fsr_poison_of_any(at, "diff", &x, 1, &g, &poison))
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
