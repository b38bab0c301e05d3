/* SPDX-License-Identifier: MIT */
/* Of which values only the first elements are asked for, as many as a count says that is there when their kernel
 * begins.
 *
 * Who takes a prefix asks for what it counts; who computes element by element, and who scans forward, asks its operands
 * for what it is asked for itself; all others, and whoever asks for a result, ask for everything. So a value that a
 * kernel leaves for others may end where all of these do. Such a count is known before the program runs, or the flow
 * says that it is there (a `front` prefix) and has it before the value. Counter-example to any count that the program
 * computes: the kernel would have to wait for the one that counts. */
#include "fusion/partition_parts.h"
#include <stdlib.h>

enum { NOBODY = -2, EVERYTHING = -1 };

/* An array in memory of one element, an argument, a literal; or what is computed of such. */
static bool is_known(const fsr_flow *flow, fsr_link link, int depth) {
    const fsr_flow_node *n = &flow->node[link.id];
    if (fsr_is(n->kind, FSR_IS_ARRAY | FSR_IS_ARGUMENT | FSR_IS_LITERAL))
        return fsr_shape_size(&n->shape) == 1;
    bool known = depth > 0 && fsr_is(n->kind, FSR_IS_EXPRESSION);
    for (int i = 0; known && i < n->nargs; ++i)
        known = is_known(flow, n->arg[i], depth - 1);
    return known;
}

/* What node i asks argument a for. */
static fsr_link asks(const fsr_flow *flow, const fsr_link *asked, int i, int a) {
    const fsr_flow_node *n = &flow->node[i], *of = &flow->node[n->arg[a].id];
    const fsr_link everything = {EVERYTHING, 0};
    if (n->shape.ndim != 1 || of->shape.ndim != 1 || of->shape.dim[0] != n->shape.dim[0])
        return everything;
    if (fsr_is(n->kind, FSR_IS_PREFIX) && (a == 1 || (a == 0 && n->front)))
        return n->front || is_known(flow, n->arg[2], 8) ? n->arg[2] : everything;
    const bool each =
        fsr_is(n->kind, FSR_IS_EACH) && !fsr_is(n->kind, FSR_IS_PREFIX) && a < fsr_own_arguments(&n->content);
    const bool scans = fsr_is(n->kind, FSR_IS_RUNNING) && !n->reverse && a < n->combine->arity;
    return (each || scans) && n->nout == 1 ? asked[i] : everything;
}

/* NULL where no prefix is, or no memory: then everything is asked for. */
fsr_link *fsr_flow_asked(const fsr_flow *flow) {
    bool any = false;
    for (int i = 0; i < flow->n; ++i)
        any = any || fsr_is(flow->node[i].kind, FSR_IS_PREFIX);
    fsr_link *asked = any ? malloc(sizeof *asked * (size_t)flow->n) : NULL;
    for (int i = 0; asked && i < flow->n; ++i)
        asked[i] = (fsr_link){NOBODY, 0};
    for (int i = 0; asked && i < flow->nout; ++i)
        asked[flow->out[i].id] = (fsr_link){EVERYTHING, 0};
    for (int i = asked ? flow->n - 1 : -1; i >= 0; --i) {
        if (asked[i].id >= i && !is_known(flow, asked[i], 8))
            asked[i] = (fsr_link){EVERYTHING, 0};
        for (int a = 0; a < flow->node[i].nargs; ++a) {
            fsr_link *const to = &asked[flow->node[i].arg[a].id], more = asks(flow, asked, i, a);
            if (to->id == NOBODY)
                *to = more;
            else if (!fsr_link_equal(*to, more))
                *to = (fsr_link){EVERYTHING, 0};
        }
    }
    return asked;
}
