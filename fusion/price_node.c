/* SPDX-License-Identifier: MIT */
/* What nodes cost before they are lowered: by themselves, and with what they take.
 *
 * Counter-example to a node's own operations: a difference of neighbours is cheap, and what it takes the difference of
 * is a function that is evaluated again wherever the difference is. */
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include <math.h>
#include <stdlib.h>

bool fsr_price_gathers(const fsr_flow_node *n) {
    return fsr_has(n->kind, FSR_FIELD_mode) && !fsr_is(n->kind, FSR_OVERWRITES);
}

bool fsr_price_scatters(const fsr_flow *flow, const fsr_flow_node *n) {
    bool many = false;
    for (int k = 1; k < n->nargs && fsr_price_gathers(n); ++k) {
        int id = n->arg[k].id;
        while (fsr_is(flow->node[id].kind, FSR_IS_VIEW))
            id = flow->node[id].arg[0].id;
        many = many || fsr_shape_size(&flow->node[id].shape) > 1;
    }
    return many;
}

/* A section without steps is a run of each dimension: loops have a version for its inside, and one for what is around
 * it. */
static bool has_steps(const fsr_flow_node *n) {
    bool any = fsr_has(n->kind, FSR_FIELD_view) ? false : true;
    for (int j = 0; j < n->shape.ndim && !any; ++j)
        any = n->view.from[j] >= 0 && n->view.step[j] != 1;
    return any;
}

/* A section of some of so few columns that loops over them have no versions, and choices in them no vector code. One
 * column is one of a stack's places, and kernels are divided there (divide.c). */
static bool is_brief(const fsr_prices *prices, const fsr_flow *flow, const fsr_flow_node *n) {
    const int last = n->shape.ndim - 1;
    const int from = last >= 0 && fsr_has(n->kind, FSR_FIELD_view) ? n->view.from[last] : -1;
    const int64_t of = from < 0 ? 1 : flow->node[n->arg[1].id].shape.dim[from];
    return last >= 0 && of > 1 && of < n->shape.dim[last] && (double)n->shape.dim[last] < prices->brief;
}

double fsr_price_divides(const fsr_prices *prices, fsr_op op) {
    return fsr_op_get(op)->rule == FSR_RULE_DIVIDE ? prices->divide : 0;
}

double fsr_price_converts(const fsr_prices *prices, fsr_dtype from, fsr_dtype to) {
    return fsr_dtype_is_float(from) && fsr_dtype_class(to) == FSR_CLASS_INT ? prices->whole : 0;
}

double fsr_price_own(const fsr_prices *prices, const fsr_flow *flow, const fsr_flow_node *n) {
    if (fsr_has(n->kind, FSR_FIELD_op) && n->op == FSR_OP_CAST)
        return fmax(fsr_op_get(n->op)->cost, 1) +
               fsr_price_converts(prices, flow->node[n->arg[0].id].dtype[n->arg[0].output], n->dtype[0]);
    if (fsr_has(n->kind, FSR_FIELD_op))
        return fmax(fsr_op_get(n->op)->cost, 1) + fsr_price_divides(prices, n->op);
    if (fsr_is(n->kind, FSR_OVERWRITES))
        return is_brief(prices, flow, n) ? prices->paste * prices->lanes : has_steps(n) ? prices->paste : 0;
    if (fsr_price_gathers(n))
        return prices->place;
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

bool fsr_price_shares_folds(const fsr_prices *prices, const fsr_domain *domain, int d) {
    return d < domain->nparallel && domain->nparallel < domain->ndim && domain->extent[d] > 1 &&
           (double)domain->extent[d] <= prices->folded;
}
