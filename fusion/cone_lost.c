/* SPDX-License-Identifier: MIT */
/* Where a kernel would lose more by evaluating a node than its operations cost: what a gather asks for, and loops in
 * which it leaves no vector code.
 *
 * Counter-example to counting operations: a gather in a sum over 24 columns, beside a logarithm that is then evaluated
 * for one element at a time. */
#include "fusion/cone.h"

bool fsr_cone_gathers(const fsr_cone *c, const fsr_cone_node *at) {
    bool computed = false;
    for (int i = at->asked; i >= 0; i = c->asked[i].next)
        computed = computed || c->asked[i].computed > 0;
    return computed && at->fanned;
}

/* A section of every n-th element along the innermost dimension, each with a value of its own. */
static bool alternates(const fsr_flow *flow, const fsr_flow_node *n) {
    const int last = n->shape.ndim - 1;
    int value = n->arg[1].id;
    while (fsr_is(flow->node[value].kind, FSR_IS_VIEW))
        value = flow->node[value].arg[0].id;
    return last >= 0 && fsr_has(n->kind, FSR_FIELD_view) && n->view.from[last] >= 0 && n->view.step[last] > 1 &&
           fsr_shape_size(&flow->node[value].shape) > 1;
}

bool fsr_cone_serial(const fsr_cone *c, const fsr_cone_node *at) {
    enum { SHORT = 16 };
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    const fsr_domain *d = &c->domain;
    const bool paste = fsr_is(n->kind, FSR_OVERWRITES);
    const double few = c->prices->brief, cols = d->ndim ? (double)d->extent[d->ndim - 1] : 1;
    const double rows = d->nparallel ? (double)d->extent[d->nparallel - 1] : cols;
    if (few == 0 || !(paste || fsr_price_scatters(c->p->flow, n)))
        return false;
    if (!c->fold)
        return !paste && d->ndim > 1 && cols < few;
    if (paste)
        return !c->scan && (cols < few || alternates(c->p->flow, n));
    return d->ndim > d->nparallel && (cols < few ? cols > SHORT || rows < few : rows < few);
}
