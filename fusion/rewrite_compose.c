/* SPDX-License-Identifier: MIT */
/* Views of views become one view; identity views vanish; an output that is a view in its source's own order is the
 * source.
 *
 * Two affine maps compose: source index = start1 + step1 * (start2 + step2 * out). Two reshapes are the last one.
 * Counter-example to composing an affine view over a reshape: the rows of a[::2].reshape(-1) have no affine form; such
 * pairs stay, and lowering splits the flat index where it can. */
#include "fusion/rewrites.h"
#include <stdlib.h>

static bool identity(const fsr_flow_node *n, const fsr_shape *source) {
    if (!fsr_shape_equal(&n->shape, source))
        return false;
    for (int j = 0; j < source->ndim && n->view.kind == FSR_VIEW_AFFINE; ++j)
        if (source->dim[j] != 1 && (n->view.from[j] != j || n->view.start[j] != 0 || n->view.step[j] != 1))
            return false;
    return true;
}

bool fsr_flow_compose(fsr_flow_node *outer, const fsr_flow_node *inner, const fsr_shape *source) {
    fsr_view view = {.kind = inner->view.kind};
    if (outer->view.kind != inner->view.kind)
        return false;
    for (int j = 0; j < source->ndim && view.kind == FSR_VIEW_AFFINE; ++j) {
        int middle = inner->view.from[j];
        view.start[j] = inner->view.start[j];
        view.from[j] = -1;
        if (middle < 0)
            continue;
        view.start[j] += inner->view.step[j] * outer->view.start[middle];
        view.from[j] = outer->view.from[middle];
        view.step[j] = inner->view.step[j] * outer->view.step[middle];
    }
    outer->view = view;
    outer->arg[0] = inner->arg[0];
    return true;
}

bool fsr_flow_in_order(const fsr_flow *flow, const fsr_flow_node *n) {
    if (!fsr_is(n->kind, FSR_IS_VIEW) || n->hint == FSR_HINT_MATERIALIZE)
        return false;
    const fsr_shape *source = &flow->node[n->arg[0].id].shape;
    int next = 0;
    for (int j = 0; j < source->ndim && n->view.kind == FSR_VIEW_AFFINE; ++j) {
        if (source->dim[j] == 1)
            continue;
        if (n->view.from[j] < next || n->view.start[j] != 0 || n->view.step[j] != 1)
            return false;
        if (n->shape.dim[n->view.from[j]] != source->dim[j])
            return false; /* a part of it, although a broadcast may make up for the size */
        next = n->view.from[j] + 1;
    }
    return fsr_shape_size(&n->shape) == fsr_shape_size(source);
}

bool fsr_flow_bare_outs(fsr_flow *flow) {
    bool progress = false;
    for (int i = 0; i < flow->nout; ++i) {
        const fsr_flow_node *n = &flow->node[flow->out[i].id];
        while (fsr_flow_in_order(flow, n)) {
            flow->out[i] = n->arg[0];
            n = &flow->node[n->arg[0].id];
            progress = true;
        }
    }
    return progress;
}

bool fsr_rewrite_compose(fsr_flow *flow, fsr_status *status) {
    bool progress = false;
    fsr_link *to = fsr_flow_redirects(flow, status);
    for (int i = 0; to && i < flow->n; ++i) {
        fsr_flow_redirect(flow, i, to);
        fsr_flow_node *n = &flow->node[i];
        if (!fsr_is(n->kind, FSR_IS_VIEW) || n->hint == FSR_HINT_MATERIALIZE)
            continue;
        const fsr_flow_node *inner = &flow->node[n->arg[0].id];
        if (fsr_is(inner->kind, FSR_IS_VIEW) && inner->hint != FSR_HINT_MATERIALIZE)
            progress |= fsr_flow_compose(n, inner, &flow->node[inner->arg[0].id].shape);
        if (identity(n, &flow->node[n->arg[0].id].shape)) {
            fsr_flow_replace(to, i, n->arg[0]);
            progress = true;
        }
    }
    if (to) {
        fsr_flow_redirect_outs(flow, to);
        progress |= fsr_flow_bare_outs(flow);
    }
    free(to);
    return progress;
}
