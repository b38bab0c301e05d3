/* SPDX-License-Identifier: MIT */
/* What the results of several folds become before another kernel reads it.
 *
 * A sum of sums, say the taps of a convolution each a sum over channels, costs nothing beside the folds: their kernel
 * has all of them at hand, once for each of its rows. Whoever folds it again, or reads it at other places, is another
 * kernel whatever happens, so the last value that is made of the folds at their own places is stored, instead of each
 * result. Counter-example to evaluating it where it is read: the greatest of each 2 by 2 of a convolution of 5 by 5
 * read 25 arrays, each of them a kernel's.
 *
 * A running fold does not count, since its kernel may fold its results; nor a broadcast of the value, which the folds'
 * own kernel may be reading in its next pass over the columns. */
#include "fusion/partition_parts.h"
#include <stdlib.h>

enum { NONE = -1, SEVERAL = -2 };

/* The view shows all of its argument in the order in which it lies. */
static bool keeps_order(const fsr_flow *flow, const fsr_flow_node *n) {
    const fsr_shape *from = &flow->node[n->arg[0].id].shape;
    int before = -1;
    if (fsr_shape_size(from) != fsr_shape_size(&n->shape))
        return false;
    for (int j = 0; n->view.kind == FSR_VIEW_AFFINE && j < from->ndim; ++j) {
        const int d = n->view.from[j];
        if (from->dim[j] == 1)
            continue;
        if (d <= before || n->view.step[j] != 1 || n->view.start[j] || n->shape.dim[d] != from->dim[j])
            return false;
        before = d;
    }
    return true;
}

static bool is_map(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_COMPUTES) && fsr_is(n->kind, FSR_IS_EACH) && fsr_has(n->kind, FSR_FIELD_op);
}

/* Whether a kernel that cannot be that of the folds reads argument k of the node. */
static bool reads_elsewhere(const fsr_flow *flow, const bool *elsewhere, int user, int k) {
    const fsr_flow_node *n = &flow->node[user];
    if (!fsr_is(n->kind, FSR_IS_VIEW))
        return !is_map(n);
    if (keeps_order(flow, n))
        return elsewhere[user];
    return fsr_shape_size(&n->shape) <= fsr_shape_size(&flow->node[n->arg[k].id].shape);
}

/* Of each node, whether somebody reads it elsewhere. NULL: out of memory. */
static bool *read_elsewhere(const fsr_flow *flow) {
    bool *elsewhere = calloc((size_t)flow->n + 1, sizeof *elsewhere);
    for (int i = flow->n - 1; elsewhere && i >= 0; --i)
        for (int k = 0; k < flow->node[i].nargs; ++k)
            if (reads_elsewhere(flow, elsewhere, i, k))
                elsewhere[flow->node[i].arg[k].id] = true;
    return elsewhere;
}

/* The fold whose results the node is made of at their own places; NONE, or SEVERAL. */
static int made_of(const fsr_partition *p, const int *fold, int i) {
    const fsr_flow_node *n = &p->flow->node[i];
    if (fsr_is(n->kind, FSR_IS_FOLD))
        return fsr_is(n->kind, FSR_IS_RUNNING) ? NONE : i;
    if (fsr_is(n->kind, FSR_IS_VIEW))
        return keeps_order(p->flow, n) && !p->held[n->arg[0].id] ? fold[n->arg[0].id] : NONE;
    int of = NONE;
    for (int k = 0; k < n->nargs && is_map(n); ++k) {
        const int arg = n->arg[k].id, other = p->held[arg] ? NONE : fold[arg];
        of = of == NONE || other == of ? other : other == NONE ? of : SEVERAL;
    }
    return of;
}

bool fsr_partition_hold_ends(fsr_partition *p) {
    const fsr_flow *flow = p->flow;
    bool *elsewhere = read_elsewhere(flow);
    int *fold = malloc(sizeof *fold * ((size_t)flow->n + 1));
    const bool room = elsewhere && fold;
    for (int i = 0; room && i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        fold[i] = made_of(p, fold, i);
        if (fold[i] == SEVERAL && is_map(n) && elsewhere[i] && !p->held[i] && n->hint != FSR_HINT_INLINE)
            p->held[i] = FSR_HELD_CHEAPER;
    }
    free(elsewhere);
    free(fold);
    return room;
}
