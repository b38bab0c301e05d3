/* SPDX-License-Identifier: MIT */
/* One element of an array, inside of a loop's body: the array's definition with an index put in.
 *
 * A body takes elements of arrays in memory, and what is computed would be stored for it first. Where an array is a few
 * operations of others the element is that of theirs instead: a map is recorded again of its arguments' elements, a
 * view changes the index, what is taken at computed indices is taken at those indices' elements. So a sum of products
 * over segments reads the factors and stores no product. Counter-example to doing so always: of an exponential that a
 * pass before computes as well, twice the work is more than a store.
 *
 * Indices that are to be reported are not looked at here: a body cannot report. Such an array is taken from as it is,
 * and computing it reports. */
#include "primitives/element.h"
#include <string.h>

enum { MOST_COST = 24, MOST_SOURCES = 6 };

/* The index along an axis, and no more. */
static bool is_place(const fsr_rec *rec) {
    return fsr_kinds[rec->kind].nargs == 0 && fsr_has(rec->kind, FSR_FIELD_axis);
}

/* What is computed already keeps its values, whatever parameters have become since. The capacity of what has a length
 * is taken from as it is: an index of it would be one below its count. */
static bool is_table(fsr_node x, const fsr_rec *rec) {
    if (is_place(rec))
        return false;
    if (rec->hint == FSR_HINT_MATERIALIZE || rec->shape.ndim == 0 || rec->buffer[x.output])
        return true;
    if (fsr_is(rec->kind, FSR_IS_VIEW))
        return rec->view.kind != FSR_VIEW_AFFINE ||
               fsr_node_is_live(fsr_graph_handle(x.graph, rec->arg[0].id, rec->arg[0].output));
    if (fsr_is(rec->kind, FSR_TAKES))
        return rec->mode != FSR_INDEX_CLIP;
    return !fsr_is(rec->kind, FSR_IS_EACH) || !fsr_is(rec->kind, FSR_IS_INSTRUCTION);
}

bool fsr_element_fits(fsr_node x, fsr_element_use *use) {
    const fsr_rec *rec = fsr_node_rec(x);
    for (int j = 0; j < rec->shape.ndim; j++)
        use->far = use->far || rec->shape.dim[j] > INT32_MAX;
    if (is_table(x, rec))
        return rec->weak || fsr_is(rec->kind, FSR_IS_LITERAL) || ++use->sources <= MOST_SOURCES;
    if (is_place(rec))
        return true;
    use->takes = use->takes || fsr_is(rec->kind, FSR_TAKES);
    use->cost += fsr_is(rec->kind, FSR_IS_INSTRUCTION) ? fsr_op_get(rec->op)->cost : 1;
    bool fits = use->cost <= MOST_COST;
    for (int i = 0; i < rec->nargs && fits; i++)
        fits = fsr_element_fits(fsr_graph_handle(x.graph, rec->arg[i].id, rec->arg[i].output), use);
    return fits;
}

static fsr_node element(fsr_site at, fsr_node x, const fsr_node *index);

static fsr_node argument(fsr_node x, int i) {
    const fsr_ref ref = fsr_node_rec(x)->arg[i];
    return fsr_graph_handle(x.graph, ref.id, ref.output);
}

/* The same operation of 0-d arguments. */
static fsr_node again(fsr_site at, fsr_node x, const fsr_node *index) {
    const fsr_rec *rec = fsr_node_rec(x);
    fsr_node arg[FSR_MAX_ARGS], handle;
    const int n = rec->nargs;
    for (int i = 0; i < n; i++) {
        arg[i] = element(at, argument(x, i), index);
        if (!fsr_node_sound(arg[i]))
            return arg[i];
    }
    rec = fsr_node_rec(x);
    const fsr_type type = {{0}, 1, {rec->dtype[0]}};
    const fsr_op op = rec->op;
    fsr_rec *made = fsr_graph_add(x.graph, at, fsr_op_get(op)->name, rec->kind, &type, &handle);
    if (!made)
        return handle;
    made->op = op;
    made->nargs = n;
    for (int i = 0; i < n; i++)
        made->arg[i] = (fsr_ref){arg[i].id, arg[i].output};
    return handle;
}

/* start + step * i */
static fsr_node along(fsr_site at, fsr_node i, int64_t start, int64_t step) {
    if (step != 1)
        i = fsr_mul_at(at, i, fsr_int_at(at, i.graph, step));
    return start ? fsr_add_at(at, i, fsr_int_at(at, i.graph, start)) : i;
}

/* Where a view's or a taken element's source has it, but for what computed indices add. */
static void moved(fsr_site at, const fsr_view *view, int ndim, const fsr_node *index, fsr_node *out) {
    for (int j = 0; j < ndim; j++)
        out[j] = view->from[j] < 0
                     ? fsr_convert(at, fsr_int_at(at, index[0].graph, view->start[j]), fsr_node_dtype(index[0]), false)
                     : along(at, index[view->from[j]], view->start[j], view->step[j]);
}

/* A computed index, of 32 bits where it was before it was made wider for the whole array, and the ends are. */
static fsr_node as_short(fsr_node i, int64_t last) {
    const fsr_rec *rec = fsr_node_sound(i);
    if (!rec || !fsr_has(rec->kind, FSR_FIELD_op) || rec->op != FSR_OP_CAST || rec->dtype[0] != FSR_I64 ||
        last > INT32_MAX)
        return i;
    const fsr_node from = argument(i, 0);
    const fsr_dtype dtype = fsr_node_dtype(from);
    return dtype == FSR_I32 ? from : i;
}

/* At its indices' elements, clipped. */
static fsr_node taken(fsr_site at, fsr_node x, const fsr_node *index) {
    fsr_node inner[FSR_MAX_DIMS], source = argument(x, 0);
    const fsr_rec *rec = fsr_node_rec(x);
    const fsr_view view = rec->view;
    const fsr_shape whole = rec->shape, from = fsr_node_rec(source)->shape;
    const uint32_t axes = rec->axes;
    moved(at, &view, from.ndim, index, inner);
    for (int j = 0, next = 1; j < from.ndim; j++) {
        if (!(axes >> j & 1))
            continue;
        const int64_t last = fsr_added_extent(&whole, &from, &view, j) - 1;
        fsr_node i = as_short(element(at, argument(x, next++), index), last);
        i = fsr_maximum_at(at, fsr_minimum_at(at, i, fsr_int_at(at, x.graph, last)), fsr_int_at(at, x.graph, 0));
        inner[j] = fsr_add_at(at, inner[j], i);
    }
    return element(at, source, inner);
}

static fsr_node element(fsr_site at, fsr_node x, const fsr_node *index) {
    const fsr_rec *rec = fsr_node_sound(x);
    if (!rec || rec->shape.ndim == 0)
        return x;
    if (is_table(x, rec))
        return fsr_index_at(at, x, index, rec->shape.ndim, FSR_INDEX_CLIP);
    if (is_place(rec))
        return fsr_convert(at, index[rec->axis], rec->dtype[0], false);
    if (fsr_is(rec->kind, FSR_TAKES))
        return taken(at, x, index);
    if (!fsr_is(rec->kind, FSR_IS_VIEW))
        return again(at, x, index);
    fsr_node inner[FSR_MAX_DIMS], source = argument(x, 0);
    const fsr_view view = rec->view;
    moved(at, &view, fsr_node_ndim(source), index, inner);
    return element(at, source, inner);
}

fsr_node fsr_element(fsr_site at, fsr_node x, const fsr_node *index, bool fits) {
    return fits ? element(at, x, index) : fsr_index_at(at, x, index, fsr_node_ndim(x), FSR_INDEX_CLIP);
}
