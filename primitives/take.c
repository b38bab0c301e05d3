/* SPDX-License-Identifier: MIT */
/* Elements by computed indices: take, take_along_axis, x[i, j], slices at a run-time offset.
 *
 * All are one kind of node, GATHER: a map from the result's index to x's, of which some dimensions add a computed
 * value. What is computed has the result's shape, by broadcast views, so it is asked for at the result's own index. A
 * slice at a run-time offset is the dimension's own index plus an offset that is the same everywhere: it stays a run of
 * neighbours in memory. Counter-example to giving it as an array of indices, start + arange: every element would have
 * an address of its own. */
#include "primitives/indices.h"
#include "primitives/live.h"

typedef fsr_indices gather;

static fsr_node record(fsr_site at, fsr_node x, const gather *g) {
    fsr_node handle;
    const fsr_type type = {g->shape, 1, {fsr_node_dtype(x)}};
    for (int i = 0; i < g->n; i++)
        if (!fsr_node_sound(g->index[i]))
            return g->index[i];
    fsr_rec *rec = fsr_graph_add(x.graph, at, g->what, FSR_NODE_GATHER, &type, &handle);
    if (!rec)
        return handle;
    rec->view = g->view;
    rec->axes = g->axes;
    rec->mode = g->mode;
    rec->nargs = 1 + g->n;
    rec->arg[0] = (fsr_ref){x.id, x.output};
    for (int i = 0; i < g->n; i++)
        rec->arg[1 + i] = (fsr_ref){g->index[i].id, g->index[i].output};
    return handle;
}

/* The elements, or, where there are none, an array of none; an index into nothing is an error now. */
static fsr_node gathered(fsr_site at, fsr_node x, const gather *g) {
    const fsr_shape *source = &fsr_node_rec(x)->shape;
    if (fsr_shape_size(&g->shape) == 0)
        return fsr_stretch(
            at, fsr_strong(at, fsr_literal(x.graph, at, fsr_node_dtype(x), (fsr_value){.bits = 0}, false)), &g->shape);
    for (int j = 0; j < source->ndim; j++)
        if ((g->axes >> j & 1) && source->dim[j] == 0)
            return fsr_poison(x.graph, at, FSR_ERR_INDEX, g->what, "axis %d of %s has no elements", j, fsr_say(x).text);
    return record(at, x, g);
}

fsr_node fsr_indexed(fsr_site at, fsr_node x, const fsr_indices *g) {
    gather inside = *g;
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    const bool counts = g->mode == FSR_INDEX_RAISE || g->mode == FSR_INDEX_DROP;
    for (int j = 0, next = 0; j < shape->ndim && counts; j++) {
        if (!(g->axes >> j & 1))
            continue;
        const fsr_node i = g->index[next], n = fsr_int_at(at, x.graph, fsr_added_extent(&g->shape, shape, &g->view, j));
        inside.index[next++] =
            fsr_where_at(at, fsr_less_at(at, i, fsr_int_at(at, x.graph, 0)), fsr_add_at(at, i, n), i);
    }
    inside.mode = counts ? FSR_INDEX_CLIP : g->mode;
    return record(at, x, &inside);
}

bool fsr_index_take(fsr_site at, const char *what, fsr_node *index, fsr_node *poison) {
    const fsr_dtype dtype = fsr_node_dtype(*index);
    if (dtype == FSR_BOOL || fsr_dtype_is_inexact(dtype)) {
        *poison = fsr_poison(index->graph, at, FSR_ERR_DTYPE, what, "%s are no indices%s", fsr_say(*index).text,
                             dtype == FSR_BOOL ? "; fsr_filter takes a mask" : "");
        return false;
    }
    *index = *poison = fsr_integers(at, *index);
    return fsr_node_sound(*index) != NULL;
}

/* What all ask first: x becomes strong, indices i64. */
static bool indices_take(fsr_site at, const char *what, fsr_node *x, fsr_node *index, int n, fsr_node *poison) {
    fsr_node all[1 + FSR_MAX_DIMS] = {*x};
    fsr_graph *g;
    for (int i = 0; i < n; i++)
        all[1 + i] = index[i];
    if (fsr_poison_of(at, what, all, 1 + n, &g, poison))
        return false;
    for (int i = 0; i < n; i++)
        if (!fsr_index_take(at, what, &index[i], poison))
            return false;
    *x = *poison = fsr_strong(at, *x);
    return fsr_node_sound(*x) != NULL;
}

static bool mode_take(fsr_site at, const gather *g, fsr_node x, fsr_index_mode most, fsr_node *poison) {
    if ((unsigned)g->mode <= (unsigned)most)
        return true;
    *poison = fsr_poison(x.graph, at, FSR_ERR_VALUE, g->what, "there is no mode %d", (int)g->mode);
    return false;
}

/* index with `after` axes behind its own, as large as the result. */
static fsr_node spread(fsr_site at, fsr_node index, int after, const fsr_shape *shape) {
    for (int i = 0; i < after && fsr_node_sound(index); i++)
        index = fsr_expand_at(at, index, fsr_node_ndim(index));
    return fsr_node_sound(index) ? fsr_stretch(at, index, shape) : index;
}

/* Dimension j of x runs along dimension `from` of the result. */
static void follow(gather *g, int j, int from) {
    g->view.from[j] = (int8_t)from;
    g->view.step[j] = from < 0 ? 0 : 1;
}

static bool too_deep(fsr_site at, fsr_node x, const char *what, int ndim, fsr_node *poison) {
    if (ndim <= FSR_MAX_DIMS)
        return false;
    *poison = fsr_poison(x.graph, at, FSR_ERR_SHAPE, what, "the result would have %d dimensions, at most %d", ndim,
                         FSR_MAX_DIMS);
    return true;
}

fsr_node fsr_take_at(fsr_site at, fsr_node x, fsr_node indices, int axis, fsr_index_mode mode) {
    fsr_node poison;
    gather g = {.what = "take", .mode = mode, .view = {.kind = FSR_VIEW_AFFINE}};
    if (fsr_node_is_live(x) || fsr_node_is_live(indices))
        return fsr_live_take(at, g.what, x, indices, axis, mode);
    if (!indices_take(at, g.what, &x, &indices, 1, &poison) || !mode_take(at, &g, x, FSR_INDEX_WRAP, &poison) ||
        !fsr_axis_take(x, at, g.what, fsr_node_ndim(x), &axis, &poison))
        return poison;
    const fsr_shape from = fsr_node_rec(x)->shape, own = fsr_node_rec(indices)->shape;
    if (too_deep(at, x, g.what, from.ndim - 1 + own.ndim, &poison))
        return poison;
    for (int j = 0; j < axis; j++)
        g.shape.dim[g.shape.ndim++] = from.dim[j];
    for (int j = 0; j < own.ndim; j++)
        g.shape.dim[g.shape.ndim++] = own.dim[j];
    for (int j = axis + 1; j < from.ndim; j++)
        g.shape.dim[g.shape.ndim++] = from.dim[j];
    for (int j = 0; j < from.ndim; j++)
        follow(&g, j, j == axis || from.dim[j] == 1 ? -1 : j < axis ? j : j - 1 + own.ndim);
    g.axes = 1u << axis;
    g.n = 1;
    g.index[0] = spread(at, indices, from.ndim - 1 - axis, &g.shape);
    return gathered(at, x, &g);
}

bool fsr_indices_along(fsr_site at, fsr_node *x, fsr_node indices, int axis, fsr_index_mode most, gather *g,
                       fsr_node *poison) {
    g->view.kind = FSR_VIEW_AFFINE;
    if (!indices_take(at, g->what, x, &indices, 1, poison) || !mode_take(at, g, *x, most, poison) ||
        !fsr_axis_take(*x, at, g->what, fsr_node_ndim(*x), &axis, poison))
        return false;
    fsr_shape from = fsr_node_rec(*x)->shape, own = fsr_node_rec(indices)->shape, wide = from;
    bool fits = from.ndim == own.ndim;
    wide.dim[axis] = fits ? own.dim[axis] : 1;
    if (!fits || !fsr_shape_broadcast(&wide, &own, &g->shape) || g->shape.dim[axis] != own.dim[axis]) {
        *poison = fsr_poison(x->graph, at, FSR_ERR_SHAPE, g->what, "%s does not fit %s apart from axis %d",
                             fsr_say(indices).text, fsr_say(*x).text, axis);
        return false;
    }
    for (int j = 0; j < from.ndim; j++)
        follow(g, j, j == axis || from.dim[j] == 1 ? -1 : j);
    g->axes = 1u << axis;
    g->n = 1;
    g->index[0] = spread(at, indices, 0, &g->shape);
    return true;
}

fsr_node fsr_take_along_axis_at(fsr_site at, fsr_node x, fsr_node indices, int axis, fsr_index_mode mode) {
    fsr_node poison;
    gather g = {.what = "take_along_axis", .mode = mode};
    return fsr_indices_along(at, &x, indices, axis, FSR_INDEX_WRAP, &g, &poison) ? gathered(at, x, &g) : poison;
}

/* The shape that n arrays broadcast to. */
static bool common_shape(fsr_site at, fsr_node x, const char *what, const fsr_node *index, int n, fsr_shape *out,
                         fsr_node *poison) {
    *out = (fsr_shape){0};
    for (int i = 0; i < n; i++)
        if (!fsr_shape_broadcast(out, &fsr_node_rec(index[i])->shape, out)) {
            *poison = fsr_poison(x.graph, at, FSR_ERR_SHAPE, what, "indices %d, %s, do not broadcast with %s before", i,
                                 fsr_say(index[i]).text, fsr_say_shape(out).text);
            return false;
        }
    return true;
}

bool fsr_indices_first(fsr_site at, fsr_node *x, const fsr_node *arrays, int n, fsr_index_mode most, gather *g,
                       fsr_node *poison) {
    fsr_shape common;
    g->view.kind = FSR_VIEW_AFFINE;
    g->n = n;
    if (n < 1 || n > FSR_MAX_DIMS || !arrays) {
        fsr_graph *graph;
        if (!fsr_poison_of(at, g->what, x, 1, &graph, poison))
            *poison = fsr_poison(graph, at, arrays ? FSR_ERR_VALUE : FSR_ERR_NULL, g->what, "%d arrays of indices", n);
        return false;
    }
    for (int i = 0; i < n; i++)
        g->index[i] = arrays[i];
    if (!indices_take(at, g->what, x, g->index, n, poison) || !mode_take(at, g, *x, most, poison))
        return false;
    const fsr_shape from = fsr_node_rec(*x)->shape;
    if (n > from.ndim) {
        *poison = fsr_poison(x->graph, at, FSR_ERR_SHAPE, g->what, "%d arrays of indices into %s", n, fsr_say(*x).text);
        return false;
    }
    if (!common_shape(at, *x, g->what, g->index, n, &common, poison) ||
        too_deep(at, *x, g->what, common.ndim + from.ndim - n, poison))
        return false;
    g->shape = common;
    for (int j = n; j < from.ndim; j++)
        g->shape.dim[g->shape.ndim++] = from.dim[j];
    for (int j = 0; j < from.ndim; j++)
        follow(g, j, j < n || from.dim[j] == 1 ? -1 : common.ndim + j - n);
    g->axes = (1u << n) - 1;
    for (int i = 0; i < n; i++)
        g->index[i] = spread(at, g->index[i], from.ndim - n, &g->shape);
    return true;
}

fsr_node fsr_index_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_index_mode mode) {
    fsr_node poison;
    gather g = {.what = "index", .mode = mode};
    if (arrays && n > 0 && n <= FSR_MAX_DIMS && (fsr_node_is_live(x) || fsr_any_live(arrays, n)))
        return fsr_live_index(at, x, arrays, n, mode);
    return fsr_indices_first(at, &x, arrays, n, FSR_INDEX_WRAP, &g, &poison) ? gathered(at, x, &g) : poison;
}

fsr_node fsr_dynamic_slice_at(fsr_site at, fsr_node x, const fsr_node *starts, const int64_t *sizes) {
    fsr_node poison, all[FSR_MAX_DIMS];
    gather g = {.what = "dynamic_slice", .mode = FSR_INDEX_CLIP, .view = {.kind = FSR_VIEW_AFFINE}};
    fsr_graph *graph;
    if (fsr_poison_of(at, g.what, &x, 1, &graph, &poison))
        return poison;
    const int ndim = fsr_node_ndim(x);
    if (ndim && (!starts || !sizes))
        return fsr_poison(graph, at, FSR_ERR_NULL, g.what, "the starts or sizes are null");
    for (int j = 0; j < ndim; j++)
        all[j] = starts[j];
    if (!indices_take(at, g.what, &x, all, ndim, &poison))
        return poison;
    const fsr_shape from = fsr_node_rec(x)->shape;
    g.shape.ndim = ndim;
    for (int j = 0; j < ndim; j++) {
        if (sizes[j] < 0 || sizes[j] > from.dim[j])
            return fsr_poison(graph, at, FSR_ERR_VALUE, g.what, "size %lld along axis %d of %s", (long long)sizes[j], j,
                              fsr_say(x).text);
        if (fsr_node_ndim(all[j]) != 0)
            return fsr_poison(graph, at, FSR_ERR_SHAPE, g.what, "start %d, %s, is not 0-d", j, fsr_say(all[j]).text);
        g.shape.dim[j] = sizes[j];
        follow(&g, j, sizes[j] == 1 ? -1 : j);
    }
    for (int j = 0; j < ndim; j++)
        if (sizes[j] < from.dim[j]) {
            g.axes |= 1u << j;
            g.index[g.n++] = spread(at, all[j], 0, &g.shape);
        }
    return g.n ? gathered(at, x, &g) : x;
}

fsr_node fsr_dynamic_update_at(fsr_site at, fsr_node x, fsr_node y, const fsr_node *starts) {
    static const char what[] = "dynamic_update";
    fsr_node poison, handle, both[] = {x, y}, corner[FSR_MAX_DIMS];
    fsr_graph *graph;
    int n = 0;
    if (fsr_poison_of(at, what, both, 2, &graph, &poison))
        return poison;
    const fsr_shape shape = fsr_node_rec(x)->shape, part = fsr_node_rec(y)->shape;
    bool fits = shape.ndim == part.ndim;
    for (int j = 0; fits && j < shape.ndim; j++)
        fits = part.dim[j] <= shape.dim[j];
    if (!fits)
        return fsr_poison(graph, at, FSR_ERR_SHAPE, what, "%s does not fit into %s", fsr_say(y).text, fsr_say(x).text);
    if (shape.ndim && !starts)
        return fsr_poison(graph, at, FSR_ERR_NULL, what, "the starts are null");
    for (int j = 0; j < shape.ndim; j++)
        corner[j] = starts[j];
    if (!indices_take(at, what, &x, corner, shape.ndim, &poison))
        return poison;
    y = fsr_strong(at, fsr_convert(at, y, fsr_node_dtype(x), false));
    if (!fsr_node_sound(y) || fsr_shape_equal(&shape, &part))
        return y;
    if (fsr_shape_size(&part) == 0)
        return x;
    const fsr_type type = {shape, 1, {fsr_node_dtype(x)}};
    uint32_t axes = 0;
    for (int j = 0; j < shape.ndim; j++) {
        if (fsr_node_ndim(corner[j]) != 0)
            return fsr_poison(graph, at, FSR_ERR_SHAPE, what, "start %d, %s, is not 0-d", j, fsr_say(corner[j]).text);
        if (part.dim[j] == shape.dim[j])
            continue;
        axes |= 1u << j;
        corner[n] = spread(at, corner[j], 0, &shape);
        if (!fsr_node_sound(corner[n++]))
            return corner[n - 1];
    }
    fsr_rec *rec = fsr_graph_add(graph, at, what, FSR_NODE_INSET, &type, &handle);
    if (!rec)
        return handle;
    rec->axes = axes;
    rec->mode = FSR_INDEX_CLIP;
    rec->nargs = 2 + n;
    rec->arg[0] = (fsr_ref){x.id, x.output};
    rec->arg[1] = (fsr_ref){y.id, y.output};
    for (int i = 0; i < n; i++)
        rec->arg[2 + i] = (fsr_ref){corner[i].id, corner[i].output};
    return handle;
}
