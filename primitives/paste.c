/* SPDX-License-Identifier: MIT */
/* Assignment to a section as a value: x with part of it replaced.
 *
 * The section is named by a view of x, a chain of affine views recorded before: they compose to one map from the
 * section's index to x's. Broadcast views are refused, as NumPy refuses to write to them: an element shown twice would
 * have two values. Counter-example to a description of slices of its own: it could not say x.T[1:], and every view
 * would have to be said twice. */
#include "primitives/primitives.h"

fsr_node fsr_paste(fsr_site at, fsr_node x, const fsr_view *section, fsr_node y) {
    fsr_node handle;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {fsr_node_dtype(x)}};
    fsr_rec *rec = fsr_graph_add(x.graph, at, "update", FSR_NODE_PASTE, &type, &handle);
    if (!rec)
        return handle;
    rec->view = *section;
    rec->nargs = 2;
    rec->arg[0] = (fsr_ref){x.id, x.output};
    rec->arg[1] = (fsr_ref){y.id, y.output};
    return handle;
}

static void identity(fsr_view *view, int ndim) {
    *view = (fsr_view){.kind = FSR_VIEW_AFFINE};
    for (int j = 0; j < ndim; j++) {
        view->from[j] = (int8_t)j;
        view->step[j] = 1;
    }
}

/* view after inner: source index = start1 + step1 * (start2 + step2 * out). */
static void compose(fsr_view *outer, const fsr_view *inner, int ndim) {
    fsr_view view = {.kind = FSR_VIEW_AFFINE};
    for (int j = 0; j < ndim; j++) {
        int middle = inner->from[j];
        view.start[j] = inner->start[j];
        view.from[j] = -1;
        if (middle < 0)
            continue;
        view.start[j] += inner->step[j] * outer->start[middle];
        view.from[j] = outer->from[middle];
        view.step[j] = inner->step[j] * outer->step[middle];
    }
    *outer = view;
}

/* The map of a chain of affine views from x to view; false: view is no such chain. */
static bool section_of(fsr_node x, fsr_node view, fsr_view *section) {
    const fsr_rec *rec = fsr_node_rec(view);
    identity(section, rec->shape.ndim);
    while (view.id != x.id) {
        if (!fsr_is(rec->kind, FSR_IS_VIEW) || rec->nargs != 1 || rec->view.kind != FSR_VIEW_AFFINE)
            return false;
        view = fsr_graph_handle(x.graph, rec->arg[0].id, rec->arg[0].output);
        const fsr_rec *source = fsr_node_rec(view);
        compose(section, &rec->view, source->shape.ndim);
        rec = source;
    }
    return view.output == x.output;
}

/* What is wrong with the section, if a dimension of it that is longer than 1 does not move along one dimension of x;
 * else NULL. A diagonal is no box: which elements it has no guard could say. */
static const char *no_box(const fsr_view *section, int ndim, const fsr_shape *shape) {
    int taken[FSR_MAX_DIMS] = {0};
    for (int j = 0; j < ndim; j++)
        if (section->from[j] >= 0)
            taken[section->from[j]]++;
    for (int d = 0; d < shape->ndim; d++)
        if (shape->dim[d] > 1 && taken[d] != 1)
            return taken[d] ? "is a diagonal of" : "shows an element more than once of";
    return NULL;
}

/* y as NumPy assigns it: converted, without leading axes of extent 1 that the section does not have, broadcast. */
static bool fit(fsr_site at, fsr_node x, const fsr_shape *shape, fsr_node *y) {
    fsr_shape both;
    fsr_node given = *y;
    *y = fsr_convert(at, *y, fsr_node_dtype(x), false);
    *y = fsr_strong(at, *y);
    while (fsr_node_sound(*y) && fsr_node_ndim(*y) > shape->ndim && fsr_node_dim(*y, 0) == 1)
        *y = fsr_drop_axes(at, *y, 1);
    const fsr_rec *rec = fsr_node_sound(*y);
    if (!rec)
        return false;
    if (fsr_shape_broadcast(&rec->shape, shape, &both) && fsr_shape_equal(&both, shape)) {
        *y = fsr_stretch(at, *y, shape);
        return fsr_node_sound(*y) != NULL;
    }
    *y = fsr_poison(x.graph, at, FSR_ERR_SHAPE, "update", "%s does not broadcast to the section %s",
                    fsr_say(given).text, fsr_say_shape(shape).text);
    return false;
}

fsr_node fsr_update_at(fsr_site at, fsr_node x, fsr_node view, fsr_node y) {
    fsr_node poison, all[] = {x, view, y};
    fsr_graph *g;
    fsr_view section;
    if (fsr_poison_of(at, "update", all, 3, &g, &poison))
        return poison;
    if (!section_of(x, view, &section))
        return fsr_poison(g, at, FSR_ERR_VALUE, "update",
                          "the section %s is not %s or a slice, transpose, flip, expand or squeeze of it",
                          fsr_say(view).text, fsr_say(x).text);
    fsr_shape shape = fsr_node_rec(view)->shape;
    const char *wrong = no_box(&section, fsr_node_ndim(x), &shape);
    if (wrong)
        return fsr_poison(g, at, FSR_ERR_VALUE, "update", "the section %s %s %s", fsr_say(view).text, wrong,
                          fsr_say(x).text);
    if (!fit(at, x, &shape, &y))
        return y;
    x = fsr_strong(at, x);
    if (!fsr_node_sound(x) || fsr_shape_size(&shape) == 0)
        return x;
    return fsr_paste(at, x, &section, y);
}
