/* SPDX-License-Identifier: MIT */
/* Windows that slide along axes, NumPy's sliding_window_view: element i, j of a window is the source's at i + j.
 *
 * A view's dimensions of the source each run along one of the result's; here one runs along two. So it is a gather: the
 * window's own dimension is an index that is added to the other one, and always inside. Nothing is copied.
 * Counter-example to stacking slices: a window of a hundred elements would be a hundred guards in each kernel that
 * reads it. */
#include "primitives/indices.h"

static const char what[] = "sliding_window";

/* Axis i of the list, which no other is; extents of windows and of what is left. False: *poison. */
static bool axis_take(fsr_site at, fsr_node x, int64_t window, int *axis, uint32_t *seen, fsr_node *poison) {
    if (!fsr_axis_take(x, at, what, fsr_node_ndim(x), axis, poison))
        return false;
    if (*seen >> *axis & 1)
        *poison = fsr_poison(x.graph, at, FSR_ERR_AXIS, what, "axis %d of %s is named twice", *axis, fsr_say(x).text);
    else if (window < 1 || window > fsr_node_dim(x, *axis))
        *poison = fsr_poison(x.graph, at, FSR_ERR_VALUE, what, "a window of %lld along axis %d of %s",
                             (long long)window, *axis, fsr_say(x).text);
    else
        return *seen |= 1u << *axis, true;
    return false;
}

/* The shape, the map and the indices of checked windows. */
static bool windows_make(fsr_site at, fsr_node x, const int64_t *window, const int *axis, int n, fsr_indices *g) {
    const fsr_shape from = fsr_node_rec(x)->shape;
    int along[FSR_MAX_DIMS];
    *g = (fsr_indices){.what = what, .mode = FSR_INDEX_CLIP, .shape = from, .view = {.kind = FSR_VIEW_AFFINE}};
    for (int j = 0; j < from.ndim; j++)
        along[j] = -1;
    for (int i = 0; i < n; i++) {
        g->shape.dim[axis[i]] -= window[i] - 1;
        g->shape.dim[g->shape.ndim++] = window[i];
        along[axis[i]] = from.ndim + i;
    }
    for (int j = 0; j < from.ndim; j++) {
        g->view.from[j] = (int8_t)(g->shape.dim[j] == 1 ? -1 : j);
        g->view.step[j] = g->shape.dim[j] == 1 ? 0 : 1;
        if (along[j] < 0)
            continue;
        g->axes |= 1u << j;
        g->index[g->n] = fsr_iota(x.graph, at, FSR_I64, &g->shape, along[j]);
        if (!fsr_node_sound(g->index[g->n++]))
            return false;
    }
    return true;
}

fsr_node fsr_sliding_window_at(fsr_site at, fsr_node x, const int64_t *window, const int *axes, int naxes) {
    fsr_graph *g;
    fsr_node poison;
    fsr_indices indices;
    uint32_t seen = 0;
    int axis[FSR_MAX_DIMS];
    if (fsr_poison_of(at, what, &x, 1, &g, &poison))
        return poison;
    x = fsr_strong(at, x);
    if (!fsr_node_sound(x))
        return x;
    const int ndim = fsr_node_ndim(x), n = axes ? naxes : ndim;
    if (n < 0 || n > ndim || ndim + n > FSR_MAX_DIMS)
        return fsr_poison(g, at, FSR_ERR_SHAPE, what, "%d windows of %s: the result has at most %d dimensions", n,
                          fsr_say(x).text, FSR_MAX_DIMS);
    if (n && !window)
        return fsr_poison(g, at, FSR_ERR_NULL, what, "the windows are null");
    for (int i = 0; i < n; i++) {
        axis[i] = axes ? axes[i] : i;
        if (!axis_take(at, x, window[i], &axis[i], &seen, &poison))
            return poison;
    }
    if (n == 0)
        return x;
    if (!windows_make(at, x, window, axis, n, &indices))
        return indices.index[indices.n - 1];
    const fsr_value zero = {.bits = 0};
    return fsr_shape_size(&indices.shape)
               ? fsr_indexed(at, x, &indices)
               : fsr_stretch(at, fsr_literal(g, at, fsr_node_dtype(x), zero, false), &indices.shape);
}
