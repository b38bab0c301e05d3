/* SPDX-License-Identifier: MIT */
/* Drops nodes that no output needs and closes the gaps. Leaves keep their ordinals: the caller's bindings stay valid.
 * Arguments are earlier nodes, so one backward sweep marks and one forward sweep moves. */
#include "fusion/rewrites.h"
#include <stdlib.h>

void fsr_flow_mark(const fsr_flow *flow, bool *live) {
    for (int i = 0; i < flow->nout; ++i)
        live[flow->out[i].id] = true;
    for (int i = flow->n - 1; i >= 0; --i)
        for (int k = 0; live[i] && k < flow->node[i].nargs; ++k)
            live[flow->node[i].arg[k].id] = true;
}

int *fsr_flow_readers(const fsr_flow *flow, fsr_status *status) {
    int *n = calloc((size_t)flow->n + 1, sizeof *n);
    if (!n)
        *status = FSR_ERR_MEMORY;
    for (int i = 0; n && i < flow->n; ++i)
        for (int k = 0; k < flow->node[i].nargs; ++k)
            ++n[flow->node[i].arg[k].id];
    for (int i = 0; n && i < flow->nout; ++i)
        ++n[flow->out[i].id];
    return n;
}

bool fsr_rewrite_dce(fsr_flow *flow, fsr_status *status) {
    fsr_link *to = fsr_flow_redirects(flow, status);
    bool *live = calloc((size_t)flow->n + 1, sizeof *live);
    int kept = 0;
    bool progress = false;
    if (to && live) {
        fsr_flow_mark(flow, live);
        for (int i = 0; i < flow->n; ++i) {
            if (live[i])
                fsr_flow_redirect(flow, i, to);
            fsr_flow_replace(to, i, (fsr_link){live[i] ? kept : -1, 0});
            if (live[i])
                flow->node[kept++] = flow->node[i];
        }
        fsr_flow_redirect_outs(flow, to);
        progress = kept != flow->n;
        flow->n = kept;
    } else {
        *status = FSR_ERR_MEMORY;
    }
    free(to);
    free(live);
    return progress;
}
