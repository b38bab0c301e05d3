/* SPDX-License-Identifier: MIT */
/* What nodes cost before they are lowered: by themselves, and with what they take.
 *
 * Counter-example to a node's own operations: a difference of neighbours is cheap, and what it takes the difference of is a
 * function that is evaluated again wherever the difference is. */
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include <stdlib.h>

bool fsr_price_gathers(const fsr_flow_node *n) {
    return fsr_has(n->kind, FSR_FIELD_bound) && !fsr_is(n->kind, FSR_OVERWRITES);
}

/* A region without steps is a run of each dimension: loops have a version for its inside, and one for what is around it. */
static bool has_steps(const fsr_flow_node *n) {
    bool any = fsr_has(n->kind, FSR_FIELD_view) ? false : true;
    for (int j = 0; j < n->shape.ndim && !any; ++j)
        any = n->view.from[j] >= 0 && n->view.step[j] != 1;
    return any;
}

/* A region of some of so few columns that loops over them have no versions, and choices in them no vector code. One column
 * is one of a stack's places, and kernels are divided there (divide.c). */
static bool is_brief(const fsr_prices *prices, const fsr_flow *flow, const fsr_flow_node *n) {
    const int last = n->shape.ndim - 1;
    const int from = last >= 0 && fsr_has(n->kind, FSR_FIELD_view) ? n->view.from[last] : -1;
    const int64_t of = from < 0 ? 1 : flow->node[n->arg[1].id].shape.dim[from];
    return last >= 0 && of > 1 && of < n->shape.dim[last] && (double)n->shape.dim[last] < prices->brief;
}

double fsr_price_own(const fsr_prices *prices, const fsr_flow *flow, const fsr_flow_node *n) {
    if (fsr_has(n->kind, FSR_FIELD_op))
        return fsr_op_get(n->op)->cost > 0 ? fsr_op_get(n->op)->cost : 1;
    if (fsr_is(n->kind, FSR_OVERWRITES))
        return is_brief(prices, flow, n) ? prices->paste * prices->lanes : has_steps(n) ? prices->paste : 0;
    if (fsr_price_gathers(n))
        return prices->gather;
    return fsr_has(n->kind, FSR_FIELD_routine) ? prices->call : 1;
}

bool fsr_price_walks(const fsr_flow_node *n) {
    return (fsr_is(n->kind, FSR_IS_EACH) && fsr_is(n->kind, FSR_IS_EXPRESSION)) || fsr_is(n->kind, FSR_OVERWRITES) ||
           fsr_price_gathers(n);
}

bool fsr_price_goes_on(const fsr_partition *p, int id) {
    const fsr_flow_node *n = &p->flow->node[id];
    return fsr_price_walks(n) && !p->held[id];
}

/* What an argument shows; *strides: every other element of it, say, of which another view may show the others. */
static int shown(const fsr_partition *p, int id, bool *strides) {
    *strides = false;
    while (fsr_is(p->flow->node[id].kind, FSR_IS_VIEW) && !p->held[id]) {
        const fsr_view *view = &p->flow->node[id].view;
        id = p->flow->node[id].arg[0].id;
        for (int j = 0; j < p->flow->node[id].shape.ndim && view->kind == FSR_VIEW_AFFINE; ++j)
            *strides = *strides || (view->from[j] >= 0 && view->step[j] != 1 && view->step[j] != -1);
    }
    return id;
}

/* Of neighbours of one element, one is new from element to element. */
static bool is_neighbour(const fsr_partition *p, const fsr_flow_node *n, int first, int k) {
    bool strides, other;
    const int id = shown(p, n->arg[k].id, &strides);
    for (int j = first; j < k && !strides; ++j)
        if (shown(p, n->arg[j].id, &other) == id)
            return true;
    return false;
}

double *fsr_price_stages(const fsr_partition *p, const fsr_prices *prices) {
    double *stage = malloc(sizeof *stage * (size_t)(p->flow->n + 1));
    for (int i = 0; stage && i < p->flow->n; ++i) {
        const fsr_flow_node *n = &p->flow->node[i];
        const int first = fsr_is(n->kind, FSR_OVERWRITES);
        bool strides;
        stage[i] = fsr_price_goes_on(p, i) ? fsr_price_own(prices, p->flow, n) : 0;
        for (int k = first; fsr_price_goes_on(p, i) && k < n->nargs; ++k)
            stage[i] += is_neighbour(p, n, first, k) ? 0 : stage[shown(p, n->arg[k].id, &strides)];
        stage[i] = stage[i] < 1e4 ? stage[i] : 1e4;
    }
    return stage;
}
