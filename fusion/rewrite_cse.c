/* SPDX-License-Identifier: MIT */
/* Common subexpressions: nodes with equal operation, attributes, hint and (already merged) arguments become one, but
 * for those that are distinct by nature.
 * A hash table of node numbers, compared by what each node computes; the order of nodes is kept. */
#include "fusion/rewrites.h"
#include <stdlib.h>

static uint64_t hash(const fsr_flow *flow, const fsr_flow_node *n) {
    uint64_t h = fsr_mix(fsr_content_hash(&n->content, fsr_flow_rank(flow, n)), (uint64_t)n->ordinal);
    for (int i = 0; i < n->nargs; ++i)
        h = fsr_mix(fsr_mix(h, (uint64_t)n->arg[i].id), (uint64_t)n->arg[i].output);
    return h;
}

static bool equal(const fsr_flow *flow, const fsr_flow_node *a, const fsr_flow_node *b) {
    if (a->nargs != b->nargs || a->ordinal != b->ordinal)
        return false;
    for (int i = 0; i < a->nargs; ++i)
        if (!fsr_link_equal(a->arg[i], b->arg[i]))
            return false;
    return fsr_content_equal(&a->content, &b->content, fsr_flow_rank(flow, a));
}

bool fsr_rewrite_cse(fsr_flow *flow, fsr_status *status) {
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
        size_t at = hash(flow, &flow->node[i]) & (buckets - 1);
        if (fsr_is(flow->node[i].kind, FSR_IS_DISTINCT))
            continue;
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
