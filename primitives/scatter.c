/* SPDX-License-Identifier: MIT */
/* Elements put at computed indices: x[i, j, ...] = values, as a value.
 *
 * The node writes over an array that it has for itself, an OWN: what was in x elsewhere stays. So there is a kernel
 * over x, in which what computes x fuses, and one over the values, in which what computes them and their indices fuses.
 * A plan that has no other use for x writes into the memory that x is computed into.
 *
 * Where several indices may be equal, the last of their values wins, in C order: first a pass of integers, in which
 * each place keeps the greatest position among the values that go there; then each element of the result is the value
 * at that position, or x's where none came. Both have one result whatever the order of threads. The promise FSR_UNIQUE,
 * or a value that is one for all, saves the pass. Counter-example to doing without: of two threads that store at one
 * place, which is last is timing's to say. */
#include "primitives/scatter.h"

fsr_node fsr_own(fsr_site at, fsr_node x) {
    fsr_node handle;
    if (!fsr_node_sound(x))
        return x;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {fsr_node_dtype(x)}};
    fsr_rec *rec = fsr_graph_add(x.graph, at, "own", FSR_NODE_OWN, &type, &handle);
    if (rec) {
        rec->nargs = 1;
        rec->arg[0] = (fsr_ref){x.id, x.output};
    }
    return handle;
}

static fsr_node record(fsr_site at, fsr_kind kind, fsr_combine *combine, fsr_node base, fsr_node values,
                       const fsr_indices *g) {
    fsr_node handle, all[2 + FSR_MAX_DIMS] = {base, values};
    fsr_rec *rec = NULL;
    for (int i = 0; i < g->n; i++)
        all[2 + i] = g->index[i];
    for (int i = 0; i < 2 + g->n && !rec; i++)
        if (!fsr_node_sound(all[i])) {
            fsr_combine_free(combine);
            return all[i];
        }
    const fsr_type type = {fsr_node_rec(base)->shape, 1, {fsr_node_dtype(base)}};
    if (!(rec = fsr_graph_add(base.graph, at, g->what, kind, &type, &handle))) {
        fsr_combine_free(combine);
        return handle;
    }
    rec->view = g->view;
    rec->axes = g->axes;
    rec->mode = g->mode;
    rec->combine = combine;
    for (int i = 0; i < 2 + g->n; i++)
        rec->arg[rec->nargs++] = (fsr_ref){all[i].id, all[i].output};
    return handle;
}

/* x with the values, of its dtype, at the indices, of which no two are equal or all values are. */
static fsr_node put_unique(fsr_site at, fsr_node x, fsr_node values, const fsr_indices *g) {
    return record(at, FSR_NODE_SCATTER, NULL, fsr_own(at, x), fsr_stretch(at, values, &g->shape), g);
}

fsr_node fsr_scatter_combined(fsr_site at, fsr_op op, fsr_node x, fsr_node values, const fsr_indices *g) {
    fsr_node base = fsr_own(at, x), parts = fsr_stretch(at, values, &g->shape);
    if (!fsr_node_sound(base) || !fsr_node_sound(parts))
        return fsr_node_sound(base) ? parts : base;
    fsr_combine *combine = fsr_combine_builtin(op, fsr_node_dtype(base));
    if (!combine)
        return fsr_poison(x.graph, at, FSR_ERR_MEMORY, g->what, "out of memory");
    return record(at, FSR_NODE_SCATTER_WITH, combine, base, parts, g);
}

bool fsr_scattered_take(fsr_site at, fsr_node x, fsr_node *values, const fsr_indices *g, fsr_node *out) {
    fsr_graph *graph = x.graph;
    fsr_shape fit;
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    *out = x;
    if (!fsr_shape_broadcast(&g->shape, &fsr_node_rec(*values)->shape, &fit) || !fsr_shape_equal(&fit, &g->shape)) {
        *out = fsr_poison(graph, at, FSR_ERR_SHAPE, g->what, "%s does not broadcast to %s", fsr_say(*values).text,
                          fsr_say_shape(&g->shape).text);
        return false;
    }
    if (fsr_shape_size(&g->shape) == 0)
        return false;
    for (int j = 0; j < shape->ndim; j++)
        if ((g->axes >> j & 1) && shape->dim[j] == 0) {
            *out = fsr_poison(graph, at, FSR_ERR_INDEX, g->what, "axis %d of %s has no elements", j, fsr_say(x).text);
            return false;
        }
    *values = fsr_strong(at, fsr_convert(at, *values, fsr_node_dtype(x), false));
    if (!fsr_node_sound(*values))
        *out = *values;
    return fsr_node_sound(*values) != NULL;
}

/* Of each element of x the greatest position of a value that goes there; -1: none does. */
static fsr_node last_position(fsr_site at, fsr_node x, const fsr_indices *g) {
    const int64_t count = fsr_shape_size(&g->shape);
    const fsr_dtype dtype = count <= INT32_MAX ? FSR_I32 : FSR_I64;
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    fsr_node none = fsr_full_at(at, x.graph, dtype, shape->ndim, shape->dim, -1);
    fsr_node position = fsr_reshape_at(at, fsr_arange_at(at, x.graph, dtype, count), g->shape.ndim, g->shape.dim);
    if (!fsr_node_sound(position))
        return position;
    return fsr_scatter_combined(at, FSR_OP_MAXIMUM, none, position, g);
}

/* The last one wins. */
static fsr_node put_last(fsr_site at, fsr_node x, fsr_node values, const fsr_indices *g) {
    if (fsr_node_size(values) == 1 || fsr_shape_size(&g->shape) == 1)
        return put_unique(at, x, values, g);
    fsr_node position = last_position(at, x, g);
    fsr_node flat = fsr_flatten(at, fsr_stretch(at, values, &g->shape));
    if (!fsr_node_sound(position) || !fsr_node_sound(flat))
        return fsr_node_sound(position) ? flat : position;
    fsr_node taken = fsr_take_at(at, flat, position, 0, FSR_INDEX_CLIP);
    return fsr_where_at(at, fsr_greater_equal_at(at, position, fsr_int_at(at, x.graph, 0)), taken, x);
}

static fsr_node put(fsr_site at, fsr_node x, fsr_node values, const fsr_indices *g, int flags) {
    fsr_node out;
    if (!fsr_scattered_take(at, x, &values, g, &out))
        return out;
    return flags & FSR_UNIQUE ? put_unique(at, x, values, g) : put_last(at, x, values, g);
}

bool fsr_scatter_take(fsr_site at, const char *what, fsr_node x, fsr_node values, const fsr_node *arrays, int n,
                      int flags, int allowed, fsr_node *poison) {
    fsr_node all[2 + FSR_MAX_DIMS] = {x, values};
    fsr_graph *graph;
    int count = 2;
    for (int i = 0; arrays && i < n && n <= FSR_MAX_DIMS; i++)
        all[count++] = arrays[i];
    if (fsr_poison_of(at, what, all, count, &graph, poison))
        return false;
    if (!(flags & ~allowed))
        return true;
    *poison = fsr_poison(graph, at, FSR_ERR_VALUE, what, "there are no flags %d", flags);
    return false;
}

bool fsr_scatter_lengths(fsr_site at, const char *what, fsr_node x, const fsr_node **arrays, fsr_node *own, int n,
                         fsr_node *values, fsr_index_mode *mode, fsr_node *poison) {
    if (!*arrays || n < 1 || n > FSR_MAX_DIMS || (!fsr_any_live(*arrays, n) && !fsr_node_is_live(*values)))
        return true;
    for (int i = 0; i < n; i++)
        own[i] = (*arrays)[i];
    *arrays = own;
    return fsr_live_scatter(at, what, x, own, n, values, mode, poison);
}

fsr_node fsr_scatter_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_index_mode mode,
                        int flags) {
    fsr_node poison;
    fsr_node own[FSR_MAX_DIMS];
    if (!fsr_scatter_lengths(at, "scatter", x, &arrays, own, n, &values, &mode, &poison))
        return poison;
    fsr_indices g = {.what = "scatter", .mode = mode};
    if (!fsr_scatter_take(at, g.what, x, values, arrays, n, flags, FSR_UNIQUE, &poison) ||
        !fsr_indices_first(at, &x, arrays, n, FSR_INDEX_DROP, &g, &poison))
        return poison;
    return put(at, x, values, &g, flags);
}

fsr_node fsr_put_along_axis_at(fsr_site at, fsr_node x, fsr_node indices, fsr_node values, int axis,
                               fsr_index_mode mode, int flags) {
    fsr_node poison;
    fsr_indices g = {.what = "put_along_axis", .mode = mode};
    if (!fsr_scatter_take(at, g.what, x, values, &indices, 1, flags, FSR_UNIQUE, &poison) ||
        !fsr_indices_along(at, &x, indices, axis, FSR_INDEX_DROP, &g, &poison))
        return poison;
    for (int j = 0; j < g.shape.ndim; j++)
        if (!(g.axes >> j & 1) && g.shape.dim[j] != fsr_node_dim(x, j))
            return fsr_poison(x.graph, at, FSR_ERR_SHAPE, g.what, "%s has no element of its own for each of %s",
                              fsr_say(x).text, fsr_say_shape(&g.shape).text);
    return put(at, x, values, &g, flags);
}
