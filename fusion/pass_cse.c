/* SPDX-License-Identifier: MIT */
/* Common subexpressions: nodes with equal operation, attributes, hint and (already merged) arguments become one.
 * A hash table of node numbers, compared field by field; the order of nodes is kept. */
#include "fusion/passes.h"
#include <stdlib.h>
#include <string.h>

static uint64_t mix(uint64_t h, uint64_t v) {
    h = (h ^ v) * 0x9e3779b97f4a7c15u;
    return h ^ (h >> 29);
}

static uint64_t hash(const fsr_flow_node *n) {
    uint64_t h = mix((uint64_t)n->kind, (uint64_t)n->dtype[0]);
    h = mix(h, (uint64_t)n->op);
    h = mix(mix(h, n->value.bits), n->value.high);
    h = mix(h, (uint64_t)n->ordinal);
    for (int i = 0; i < n->nargs; ++i)
        h = mix(mix(h, (uint64_t)n->arg[i].id), (uint64_t)n->arg[i].output);
    for (int i = 0; i < n->shape.ndim; ++i)
        h = mix(h, (uint64_t)n->shape.dim[i]);
    return h;
}

static bool view_equal(const fsr_view *a, const fsr_view *b, int ndim) {
    if (a->kind != b->kind)
        return false;
    for (int i = 0; i < ndim && a->kind == FSR_VIEW_AFFINE; ++i)
        if (a->from[i] != b->from[i] || a->start[i] != b->start[i] || (a->from[i] >= 0 && a->step[i] != b->step[i]))
            return false;
    return true;
}

static bool equal(const fsr_flow *flow, const fsr_flow_node *a, const fsr_flow_node *b) {
    if (a->kind != b->kind || a->nout != b->nout || a->nargs != b->nargs || a->op != b->op || a->hint != b->hint ||
        a->ordinal != b->ordinal || a->axes != b->axes || a->axis != b->axis || a->exclusive != b->exclusive ||
        a->reverse != b->reverse)
        return false;
    if (memcmp(a->dtype, b->dtype, sizeof a->dtype[0] * (size_t)a->nout) || !fsr_shape_equal(&a->shape, &b->shape))
        return false;
    for (int i = 0; i < a->nargs; ++i)
        if (!fsr_link_equal(a->arg[i], b->arg[i]))
            return false;
    if (a->kind == FSR_NODE_CONST && !fsr_value_equal(a->value, b->value))
        return false;
    if ((a->kind == FSR_NODE_VIEW || a->kind == FSR_NODE_PASTE) &&
        !view_equal(&a->view, &b->view, flow->node[a->arg[0].id].shape.ndim))
        return false;
    if (!a->routine != !b->routine || (a->routine && !fsr_routine_equal(a->routine, b->routine)))
        return false;
    if (!a->loop != !b->loop || (a->loop && !fsr_iteration_equal(a->loop, b->loop)))
        return false;
    return !a->combine == !b->combine && (!a->combine || fsr_combine_equal(a->combine, b->combine));
}

bool fsr_pass_cse(fsr_flow *flow, fsr_status *status) {
    size_t buckets = 16;
    while (buckets < (size_t)flow->n * 2)
        buckets *= 2;
    fsr_link *to = fsr_flow_redirects(flow, status);
    int *table = calloc(buckets, sizeof *table);
    bool progress = false;
    if (to && !table)
        *status = FSR_ERR_MEMORY;
    for (int i = 0; to && table && i < flow->n; ++i) {
        fsr_flow_redirect(flow, i, to);
        size_t at = hash(&flow->node[i]) & (buckets - 1);
        while (table[at] && !equal(flow, &flow->node[table[at] - 1], &flow->node[i]))
            at = (at + 1) & (buckets - 1);
        if (table[at]) {
            fsr_flow_replace(to, i, (fsr_link){table[at] - 1, 0});
            progress = true;
        } else {
            table[at] = i + 1;
        }
    }
    if (to && table)
        fsr_flow_redirect_outs(flow, to);
    free(to);
    free(table);
    return progress;
}
