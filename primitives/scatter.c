/* SPDX-License-Identifier: MIT */
/* Elements put at computed indices: x[i, j, ...] = values, as a value.
 *
 * The node writes over an array that it has for itself, an OWN: what was in x elsewhere stays. So there is a kernel over x,
 * in which what computes x fuses, and one over the values, in which what computes them and their indices fuses. A plan
 * that has no other use for x writes into the memory that x is computed into.
 *
 * No two indices may be equal: that is the caller's promise, FSR_UNIQUE. Counter-example to doing without: of two threads
 * that store at one place, which is last is timing's to say. */
#include "primitives/indices.h"

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

static fsr_node record(fsr_site at, fsr_node base, fsr_node values, const fsr_indices *g) {
    fsr_node handle, all[2 + FSR_MAX_DIMS] = {base, values};
    for (int i = 0; i < g->n; i++)
        all[2 + i] = g->index[i];
    for (int i = 0; i < 2 + g->n; i++)
        if (!fsr_node_sound(all[i]))
            return all[i];
    const fsr_type type = {fsr_node_rec(base)->shape, 1, {fsr_node_dtype(base)}};
    fsr_rec *rec = fsr_graph_add(base.graph, at, g->what, FSR_NODE_SCATTER, &type, &handle);
    if (!rec)
        return handle;
    rec->view = g->view;
    rec->axes = g->axes;
    rec->bound = g->bound;
    for (int i = 0; i < 2 + g->n; i++)
        rec->arg[rec->nargs++] = (fsr_ref){all[i].id, all[i].output};
    return handle;
}

/* The values, of x's dtype, as large as what the indices name. */
static fsr_node scattered(fsr_site at, fsr_node x, fsr_node values, const fsr_indices *g) {
    fsr_graph *graph = x.graph;
    fsr_shape fit;
    const fsr_shape *shape = &fsr_node_rec(x)->shape;
    if (!fsr_shape_broadcast(&g->shape, &fsr_node_rec(values)->shape, &fit) || !fsr_shape_equal(&fit, &g->shape))
        return fsr_poison(graph, at, FSR_ERR_SHAPE, g->what, "%s does not broadcast to %s", fsr_say(values).text,
                          fsr_say_shape(&g->shape).text);
    if (fsr_shape_size(&g->shape) == 0)
        return x;
    for (int j = 0; j < shape->ndim; j++)
        if ((g->axes >> j & 1) && shape->dim[j] == 0)
            return fsr_poison(graph, at, FSR_ERR_INDEX, g->what, "axis %d of %s has no elements", j, fsr_say(x).text);
    values = fsr_strong(at, fsr_convert(at, values, fsr_node_dtype(x), false));
    return record(at, fsr_own(at, x), fsr_stretch(at, values, &g->shape), g);
}

/* What is asked first: every operand is looked at, so that the first one that has a graph gives it to the mistake. */
static bool operands_take(fsr_site at, const char *what, fsr_node x, fsr_node values, const fsr_node *arrays, int n,
                          int flags, fsr_node *poison) {
    fsr_node all[2 + FSR_MAX_DIMS] = {x, values};
    fsr_graph *graph;
    int count = 2;
    for (int i = 0; arrays && i < n && n <= FSR_MAX_DIMS; i++)
        all[count++] = arrays[i];
    if (fsr_poison_of(at, what, all, count, &graph, poison))
        return false;
    if (flags == FSR_UNIQUE)
        return true;
    *poison = flags == 0 ? fsr_poison(graph, at, FSR_ERR_UNSUPPORTED, what,
                                      "indices that may be equal are not there yet: FSR_UNIQUE promises that none are")
                         : fsr_poison(graph, at, FSR_ERR_VALUE, what, "there are no flags %d", flags);
    return false;
}

fsr_node fsr_scatter_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_bound bound,
                        int flags) {
    fsr_node poison;
    fsr_indices g = {.what = "scatter", .bound = bound};
    if (!operands_take(at, g.what, x, values, arrays, n, flags, &poison) ||
        !fsr_indices_first(at, &x, arrays, n, FSR_BOUND_DROP, &g, &poison))
        return poison;
    return scattered(at, x, values, &g);
}

fsr_node fsr_put_along_axis_at(fsr_site at, fsr_node x, fsr_node indices, fsr_node values, int axis, fsr_bound bound,
                               int flags) {
    fsr_node poison;
    fsr_indices g = {.what = "put_along_axis", .bound = bound};
    if (!operands_take(at, g.what, x, values, &indices, 1, flags, &poison) ||
        !fsr_indices_along(at, &x, indices, axis, FSR_BOUND_DROP, &g, &poison))
        return poison;
    for (int j = 0; j < g.shape.ndim; j++)
        if (!(g.axes >> j & 1) && g.shape.dim[j] != fsr_node_dim(x, j))
            return fsr_poison(x.graph, at, FSR_ERR_SHAPE, g.what, "%s has no element of its own for each of %s",
                              fsr_say(x).text, fsr_say_shape(&g.shape).text);
    return scattered(at, x, values, &g);
}
