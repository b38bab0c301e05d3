/* SPDX-License-Identifier: MIT */
/* A section of a reshape is a reshape of a section, where it cuts dimensions that the reshape leaves as they are:
 * repeat(a, 3, 0)[:, :16] of rows of 43091 shows 16 columns of a before it repeats rows. Views of what is in no order
 * of memory, a repeat, have to be stored where a reshape hides them from who reads them; all of them was stored, and
 * the unfused program, which reads a itself, was faster.
 *
 * Dimensions of both sides of a reshape fall into blocks of equal products. One dimension that is a block on both sides
 * is left as it is; of any other block the section takes all, in order.
 *
 * Counter-example to a section of any reshape: one of an array itself is an affine view of memory, which that of the
 * section, reshaped, may not be. Counter-example to sections of a reshape that somebody takes all of, an output say: it
 * is stored once and read in part, so where it has other readers all of its sections stay. */
#include "fusion/rewrites.h"
#include <stdlib.h>

typedef struct sections {
    const fsr_flow *from;
    fsr_flow made;
    fsr_link *at;
    const int *readers;
    int *mine; /* of a reshape: readers that are such sections of it */
    bool failed;
} sections;

static bool is_free(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_IS_VIEW) && n->hint != FSR_HINT_MATERIALIZE;
}

/* The block of dimensions of both sides that begins at *i and *j ends before the new ones; extents of 1 belong to the
 * block before them. *kept: it is one dimension on both sides, *a and *b. */
static void next_block(const fsr_shape *source, const fsr_shape *shape, int *i, int *j, int *a, int *b, bool *kept) {
    int64_t left = 1, right = 1;
    int large[2] = {0, 0};
    *a = *b = -1;
    while (*i < source->ndim && (left < right || left == 1 || source->dim[*i] == 1)) {
        left *= source->dim[*i];
        large[0] += source->dim[*i] > 1;
        *a = source->dim[*i] > 1 ? *i : *a;
        ++*i;
        while (*j < shape->ndim && (right < left || shape->dim[*j] == 1)) {
            right *= shape->dim[*j];
            large[1] += shape->dim[*j] > 1;
            *b = shape->dim[*j] > 1 ? *j : *b;
            ++*j;
        }
    }
    *kept = large[0] == 1 && large[1] == 1;
}

/* Of dimension j of what the section is of it takes all. */
static bool takes_all(const fsr_flow_node *n, const fsr_shape *of, int j) {
    const int from = n->view.from[j];
    return of->dim[j] == 1 ||
           (from >= 0 && n->view.start[j] == 0 && n->view.step[j] == 1 && n->shape.dim[from] == of->dim[j]);
}

/* It shows each element that it shows once, in the order of what it is a section of, and not all of them. */
static bool is_section(const fsr_flow_node *n, const fsr_shape *of) {
    int64_t shown = 1;
    int last = -1;
    for (int j = 0; j < of->ndim; ++j) {
        const int from = n->view.from[j];
        if (from < 0 || n->shape.dim[from] == 1)
            continue;
        if (from <= last || n->shape.dim[from] > of->dim[j])
            return false;
        last = from;
        shown *= n->shape.dim[from];
    }
    return shown == fsr_shape_size(&n->shape) && shown > 0 && shown < fsr_shape_size(of);
}

/* The section before the reshape, of what that is made of. False: it cuts what the reshape makes something else of. */
static bool push(const fsr_flow_node *n, const fsr_flow_node *reshape, const fsr_shape *source, fsr_flow_node *first) {
    *first = *reshape;
    first->view = (fsr_view){.kind = FSR_VIEW_AFFINE};
    first->shape = *source;
    for (int d = 0; d < source->ndim; ++d) {
        first->view.from[d] = (int8_t)d;
        first->view.step[d] = 1;
    }
    for (int i = 0, j = 0; i < source->ndim;) {
        int a, b, begin = j;
        bool kept, all = true;
        next_block(source, &reshape->shape, &i, &j, &a, &b, &kept);
        for (int d = begin; d < j; ++d)
            all = all && takes_all(n, &reshape->shape, d);
        if (!kept && !all)
            return false;
        if (!kept)
            continue;
        const int from = n->view.from[b];
        first->shape.dim[a] = from < 0 ? 1 : n->shape.dim[from];
        first->view.start[a] = n->view.start[b];
        first->view.step[a] = from < 0 ? 1 : n->view.step[b];
    }
    return true;
}

/* The node is such a section; its views: the section of what the reshape's source shows, and the reshape. */
static bool pushes(const fsr_flow *flow, const fsr_flow_node *n, fsr_flow_node *first, fsr_flow_node *then) {
    if (!is_free(n) || n->view.kind != FSR_VIEW_AFFINE)
        return false;
    const fsr_flow_node *reshape = &flow->node[n->arg[0].id];
    if (!is_free(reshape) || reshape->view.kind != FSR_VIEW_RESHAPE)
        return false;
    const fsr_flow_node *view = &flow->node[reshape->arg[0].id];
    if (!is_free(view) || view->view.kind != FSR_VIEW_AFFINE || fsr_flow_in_order(flow, view) ||
        !is_section(n, &reshape->shape) || !push(n, reshape, &view->shape, first))
        return false;
    *then = *n;
    then->view = reshape->view;
    return fsr_flow_compose(first, view, &flow->node[view->arg[0].id].shape);
}

static fsr_link add(sections *s, const fsr_flow_node *n) {
    const int id = s->failed ? -1 : fsr_flow_add(&s->made, n);
    s->failed = id < 0;
    return (fsr_link){s->failed ? 0 : id, 0};
}

static void redirect(const sections *s, fsr_flow_node *n) {
    for (int k = 0; k < n->nargs; ++k)
        n->arg[k] = s->at[n->arg[k].id * FSR_MAX_OUTPUTS + n->arg[k].output];
}

static void copy_all(sections *s) {
    for (int i = 0; i < s->from->n && !s->failed; ++i) {
        const fsr_flow_node *was = &s->from->node[i];
        fsr_flow_node n = *was, first, then;
        const int reshape = was->nargs ? was->arg[0].id : 0;
        if (s->mine[reshape] && s->mine[reshape] == s->readers[reshape] && pushes(s->from, was, &first, &then)) {
            redirect(s, &first);
            then.arg[0] = add(s, &first);
            n = then;
        } else {
            redirect(s, &n);
        }
        fsr_flow_replace(s->at, i, add(s, &n));
    }
}

/* Whether some reshape is read by such sections alone. */
static bool count(sections *s) {
    fsr_flow_node first, then;
    bool any = false;
    for (int i = 0; i < s->from->n; ++i)
        if (pushes(s->from, &s->from->node[i], &first, &then))
            ++s->mine[s->from->node[i].arg[0].id];
    for (int i = 0; i < s->from->n; ++i)
        any = any || (s->mine[i] && s->mine[i] == s->readers[i]);
    return any;
}

static bool may(const fsr_flow *flow) {
    fsr_flow_node first, then;
    bool any = false;
    for (int i = 0; i < flow->n && !any; ++i)
        any = pushes(flow, &flow->node[i], &first, &then);
    return any;
}

bool fsr_rewrite_sections(fsr_flow *flow, fsr_status *status) {
    if (!may(flow))
        return false;
    int *readers = fsr_flow_readers(flow, status);
    sections s = {.from = flow, .readers = readers, .mine = calloc((size_t)flow->n + 1, sizeof *s.mine)};
    bool any = readers && s.mine && count(&s);
    if (any) {
        s.at = fsr_flow_redirects(flow, status);
        if (s.at)
            copy_all(&s);
        any = s.at && !s.failed;
    }
    if (any)
        fsr_flow_become(flow, &s.made, s.at);
    else
        free(s.made.node);
    if (s.failed || !s.mine)
        *status = FSR_ERR_MEMORY;
    free(s.at);
    free(s.mine);
    free(readers);
    return any;
}
