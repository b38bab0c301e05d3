/* SPDX-License-Identifier: MIT */
/* Checks what a fold and a loop hold against their node: the region by itself (graph/region.c), then its arguments and
 * results by the dtypes of the node's. */
#include "graph/verify.h"

const char *fsr_fold_check(const fsr_applied *a) {
    const fsr_combine *c = a->n->combine;
    int at;
    if (!c)
        return "no operator";
    if (c->arity != a->n->nout || c->arity + fsr_combine_same(c) != a->n->nargs)
        return "arity";
    if (c->sequential && (!fsr_is(a->n->kind, FSR_IS_RUNNING) || a->n->exclusive))
        return "a sequence that is no inclusive scan";
    const char *wrong = fsr_combine_check(c, &at);
    for (int i = c->arity; i < a->n->nargs && !wrong; i++)
        if (!fsr_is(a->arg[i]->kind, FSR_IS_ARGUMENT) || fsr_applied_dtype(a, i) != c->body.arg[c->arity + i])
            wrong = "what an operator takes besides is no parameter of that dtype";
    for (int i = 0; i < c->arity && !wrong; i++)
        if (fsr_combine_dtype(c, i) != a->n->dtype[i] || fsr_combine_dtype(c, i) != fsr_applied_dtype(a, i))
            wrong = "dtype of a component";
    return wrong;
}

const char *fsr_loop_check(const fsr_applied *a) {
    const fsr_iteration *l = a->n->loop;
    int at;
    if (!l)
        return "no loop";
    const int each = l->nstate + l->narg;
    if (l->nstate + 1 != a->n->nout || each + l->body.ntables != a->n->nargs || fsr_iteration_same(l))
        return "arity";
    const char *wrong = fsr_iteration_check(l, &at);
    for (int i = 0; i < each && !wrong; i++)
        if (l->body.arg[i] != fsr_applied_dtype(a, i))
            wrong = "dtype of the loop's argument";
    for (int i = 0; i < l->body.ntables && !wrong; i++)
        if (l->body.table[i].dtype != fsr_applied_dtype(a, each + i) ||
            l->body.table[i].ndim != a->arg[each + i]->shape.ndim || fsr_shape_size(&a->arg[each + i]->shape) == 0)
            wrong = "the loop's table";
    for (int i = 0; i < a->n->nout && !wrong; i++)
        if (a->n->dtype[i] != fsr_iteration_dtype(l, i))
            wrong = "dtype of a result";
    return wrong;
}
