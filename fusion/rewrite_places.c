/* SPDX-License-Identifier: MIT */
/* Places that a call gives as u32, or u64, and that one cast alone reads to store them as i64, are i64 as they come:
 * the cast is no kernel then. Counter-example with a second reader: a gather by the same places would read twice as
 * many bytes. */
#include "fusion/rewrites.h"
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

/* Of a result: nodes that outputs need and that read it, and outputs that are it. */
typedef struct readers {
    int nodes, outputs;
} readers;

/* Of all results: counted once, not for each output. NULL: out of memory. */
static readers *count(const fsr_flow *flow, const bool *live) {
    readers *of = calloc((size_t)flow->n * FSR_MAX_OUTPUTS + 1, sizeof *of);
    for (int i = 0; of && i < flow->n; ++i)
        for (int k = 0; live[i] && k < flow->node[i].nargs; ++k)
            ++of[flow->node[i].arg[k].id * FSR_MAX_OUTPUTS + flow->node[i].arg[k].output].nodes;
    for (int i = 0; of && i < flow->nout; ++i)
        ++of[flow->out[i].id * FSR_MAX_OUTPUTS + flow->out[i].output].outputs;
    return of;
}

static bool any_places(const fsr_flow *flow) {
    for (int i = 0; i < flow->nout; ++i)
        if (places_of(flow, &flow->node[flow->out[i].id]))
            return true;
    return false;
}

bool fsr_rewrite_places(fsr_flow *flow, fsr_status *status) {
    if (!any_places(flow))
        return false;
    bool progress = false, *live = calloc((size_t)flow->n + 1, sizeof *live);
    fsr_link *to = fsr_flow_redirects(flow, status);
    if (live && to)
        fsr_flow_mark(flow, live);
    readers *of = live && to ? count(flow, live) : NULL;
    if (!of)
        *status = FSR_ERR_MEMORY;
    for (int i = 0; of && i < flow->nout; ++i) {
        const int out = flow->out[i].id * FSR_MAX_OUTPUTS;
        const fsr_flow_node *n = &flow->node[flow->out[i].id];
        fsr_flow_node *call = places_of(flow, n);
        const readers *taken = call ? &of[n->arg[0].id * FSR_MAX_OUTPUTS + n->arg[0].output] : NULL;
        if (!call || taken->outputs > 0 || taken->nodes != 1 || of[out].nodes > 0)
            continue;
        call->dtype[1] = FSR_I64;
        to[out] = n->arg[0];
        progress = true;
    }
    for (int i = 0; progress && i < flow->n; ++i)
        fsr_flow_redirect(flow, i, to);
    if (progress)
        fsr_flow_redirect_outs(flow, to);
    free(of);
    free(live);
    free(to);
    return progress;
}
