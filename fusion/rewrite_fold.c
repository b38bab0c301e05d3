/* SPDX-License-Identifier: MIT */
/* Exact ops on literals become literals. An op that is only accurate to some ULP is left to the backend: folding it
 * here would give other bits than the unfused program's. Work is bounded: 0-d nodes only, one evaluation each. */
#include "fusion/rewrites.h"

/* The literal that a link shows at every index: a CONST, or a broadcast of one. */
static const fsr_flow_node *literal(const fsr_flow *flow, fsr_link link) {
    const fsr_flow_node *n = &flow->node[link.id];
    return fsr_is(n->kind, FSR_IS_LITERAL) ? n : NULL;
}

static fsr_dtype compute_dtype(const fsr_flow *flow, const fsr_flow_node *n) {
    fsr_link last = n->arg[n->nargs - 1];
    return flow->node[last.id].dtype[last.output];
}

bool fsr_rewrite_fold(fsr_flow *flow, fsr_status *status) {
    bool progress = false;
    (void)status;
    for (int i = 0; i < flow->n; ++i) {
        fsr_flow_node *n = &flow->node[i];
        if (!fsr_has(n->kind, FSR_FIELD_op) || n->shape.ndim != 0 || !fsr_op_exact(n->op, compute_dtype(flow, n)))
            continue;
        fsr_value value[3];
        int known = 0;
        for (; known < n->nargs && literal(flow, n->arg[known]); ++known)
            value[known] = literal(flow, n->arg[known])->value;
        if (known < n->nargs)
            continue;
        n->value = n->op == FSR_OP_CAST ? fsr_value_cast(n->dtype[0], compute_dtype(flow, n), value[0])
                                        : fsr_op_eval(n->op, compute_dtype(flow, n), n->dtype[0], value);
        n->kind = FSR_NODE_CONST;
        n->nargs = 0;
        progress = true;
    }
    return progress;
}
