/* SPDX-License-Identifier: MIT */
/* Which values with a length a flow shows as prefixes of themselves, so that who computes them ends at the count:
 * those whose count is there when their kernel begins. That is one known before the program runs, or one that whoever
 * computes the value waits for in any case. Counter-example to ending everything that has a length: the sum of a mask
 * would be a pass of its own before the map that only needs the mask. */
#include "fusion/flow_ends.h"

bool fsr_rec_is_leaf(const fsr_rec *rec, uint32_t output) {
    return fsr_is(rec->kind, FSR_IS_ARRAY) || (rec->buffer[output] && !fsr_is(rec->kind, FSR_IS_ARGUMENT));
}

bool fsr_count_is_known(const fsr_graph *g, fsr_ref ref, int depth) {
    const fsr_rec *rec = fsr_graph_rec(g, ref.id);
    bool known = depth > 0 && fsr_is(rec->kind, FSR_IS_EXPRESSION) && rec->shape.ndim == 0;
    if (fsr_rec_is_leaf(rec, ref.output) || fsr_is(rec->kind, FSR_IS_LITERAL | FSR_IS_ARGUMENT))
        return rec->shape.ndim == 0;
    for (int i = 0; known && i < rec->nargs; ++i)
        known = fsr_count_is_known(g, rec->arg[i], depth - 1);
    return known;
}

bool fsr_reads_filtered(const fsr_graph *g, const fsr_rec *rec, int depth) {
    bool reads = false;
    for (int i = 0; depth > 0 && i < rec->nargs && !reads; ++i) {
        const fsr_rec *arg = fsr_graph_rec(g, rec->arg[i].id);
        if (!fsr_rec_is_leaf(arg, rec->arg[i].output))
            reads = (fsr_is(arg->kind, FSR_IS_MOVED) && arg->front) || fsr_reads_filtered(g, arg, depth - 1);
    }
    return reads;
}

bool fsr_goes_with_filter(const fsr_graph *g, fsr_ref ref, int depth) {
    const fsr_rec *rec = fsr_graph_rec(g, ref.id);
    const bool leaf = fsr_rec_is_leaf(rec, ref.output);
    const bool one = rec->shape.ndim == 0 || (!leaf && fsr_is(rec->kind, FSR_IS_VIEW) &&
                                              fsr_shape_size(&fsr_graph_rec(g, rec->arg[0].id)->shape) == 1);
    bool goes = depth > 0 && !leaf && fsr_is(rec->kind, FSR_IS_EACH) && fsr_is(rec->kind, FSR_IS_EXPRESSION);
    if (one || (!leaf && fsr_is(rec->kind, FSR_IS_MOVED)))
        return true;
    for (int i = 0; goes && i < rec->nargs; ++i)
        goes = fsr_goes_with_filter(g, rec->arg[i], depth - 1);
    return goes;
}

int fsr_flow_add_count(fsr_flow *flow, const fsr_rec *rec, fsr_link count) {
    fsr_flow_node view = {.kind = FSR_NODE_VIEW, .nout = 1, .nargs = 1, .view = {.kind = FSR_VIEW_AFFINE}};
    view.shape = rec->shape;
    view.hint = FSR_HINT_NONE;
    view.site = rec->site;
    view.dtype[0] = FSR_I64;
    view.arg[0] = count;
    return fsr_flow_add(flow, &view);
}

int fsr_flow_add_end(fsr_flow *flow, const fsr_rec *rec, fsr_link link, int count) {
    fsr_flow_node prefix = {.kind = FSR_NODE_PREFIX, .nout = 1, .nargs = 3, .front = true};
    prefix.shape = rec->shape;
    prefix.hint = FSR_HINT_NONE;
    prefix.site = rec->site;
    prefix.dtype[0] = flow->node[link.id].dtype[link.output];
    prefix.arg[0] = prefix.arg[1] = link;
    prefix.arg[2] = (fsr_link){count, 0};
    return count < 0 ? -1 : fsr_flow_add(flow, &prefix);
}
