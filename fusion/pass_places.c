/* SPDX-License-Identifier: MIT */
/* Places that a call gives as u32, or u64, and that one cast alone reads to store them as i64, are i64 as they come:
 * the cast is no kernel then. Counter-example with a second reader: a gather by the same places would read twice as
 * many bytes. */
#include "fusion/passes.h"
#include <stdlib.h>

/* Places that node n casts to i64; NULL: it does something else. */
static fsr_flow_node *places_of(const fsr_flow *flow, const fsr_flow_node *n) {
    if (!fsr_has(n->kind, FSR_FIELD_op) || n->op != FSR_OP_CAST || n->dtype[0] != FSR_I64 ||
        n->hint == FSR_HINT_MATERIALIZE)
        return NULL;
    fsr_flow_node *call = &flow->node[n->arg[0].id];
    const bool has = fsr_has(call->kind, FSR_FIELD_library) && fsr_library_has_places(call->library);
    return has && n->arg[0].output == 1 && call->dtype[1] != FSR_I64 ? call : NULL;
}

/* Nodes that outputs need and that read a result. */
static int readers(const fsr_flow *flow, const bool *live, fsr_link of) {
    int n = 0;
    for (int i = 0; i < flow->n; ++i)
        for (int k = 0; live[i] && k < flow->node[i].nargs; ++k)
            n += flow->node[i].arg[k].id == of.id && flow->node[i].arg[k].output == of.output;
    return n;
}

bool fsr_pass_places(fsr_flow *flow, fsr_status *status) {
    bool progress = false, *live = calloc((size_t)flow->n + 1, sizeof *live);
    fsr_link *to = fsr_flow_redirects(flow, status);
    if (!live)
        *status = FSR_ERR_MEMORY;
    if (live && to)
        fsr_flow_mark(flow, live);
    for (int i = 0; live && to && i < flow->nout; ++i) {
        const fsr_flow_node *n = &flow->node[flow->out[i].id];
        fsr_flow_node *call = places_of(flow, n);
        if (!call || fsr_flow_gives(flow, n->arg[0]) || readers(flow, live, n->arg[0]) != 1 ||
            readers(flow, live, flow->out[i]) > 0)
            continue;
        call->dtype[1] = FSR_I64;
        to[flow->out[i].id * FSR_MAX_OUTPUTS] = n->arg[0];
        progress = true;
    }
    for (int i = 0; progress && i < flow->n; ++i)
        fsr_flow_redirect(flow, i, to);
    if (progress)
        fsr_flow_redirect_outs(flow, to);
    free(live);
    free(to);
    return progress;
}
