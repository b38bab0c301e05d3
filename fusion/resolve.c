/* SPDX-License-Identifier: MIT */
/* A recorded call may have beside its arguments what it computes, said with other nodes, so that recording asks nothing
 * of a machine. Which of the two a plan has is decided here, first of all: rewrites see the one that stays.
 * Counter-example to a call that computes it on every machine: what is before and behind a product would fuse with it
 * nowhere. */
#include "fusion/resolve.h"
#include "fusion/rewrites.h"
#include "graph/sparse.h"
#include <stdlib.h>

static bool has_both(const fsr_flow_node *n) {
    const int plain = fsr_has(n->kind, FSR_FIELD_library) ? fsr_library_plain(n->library) : -1;
    return plain >= 0 && n->nargs > plain;
}

fsr_status fsr_flow_resolve(fsr_flow *flow, const fsr_target *target) {
    fsr_status status = FSR_OK;
    int first = 0;
    while (first < flow->n && !has_both(&flow->node[first]))
        ++first;
    if (first == flow->n)
        return FSR_OK;
    fsr_link *to = fsr_flow_redirects(flow, &status);
    for (int i = first; to && i < flow->n; ++i) {
        fsr_flow_node *n = &flow->node[i];
        fsr_flow_redirect(flow, i, to);
        if (!has_both(n))
            continue;
        const int plain = fsr_library_plain(n->library);
        const bool has = target->has && target->has(target->backend, n->library);
        const int stays = has ? fsr_library_instead(n->library) : plain;
        if (stays < 0)
            n->nargs = plain;
        else
            fsr_flow_replace(to, i, n->arg[stays]);
    }
    if (to)
        fsr_flow_redirect_outs(flow, to);
    free(to);
    if (!status)
        fsr_rewrite_dce(flow, &status);
    return status;
}
