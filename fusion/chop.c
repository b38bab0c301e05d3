/* SPDX-License-Identifier: MIT */
/* Bounds the program of one root before anything is assigned.
 *
 * In topological order, each map gets the most instructions and arrays that its evaluation may need: one plus the
 * sum over its arguments, less those that another one needs. That overcounts values shared further down, so where the
 * number passes the limit an exact count, a walk that stops at the limit, decides. If that passes the limit too, the
 * heaviest argument is materialized and the count starts again from it. Folds and materialized values end the walk:
 * they are loads; what a fold takes in is counted from the fold. The words that computed indices report to are arrays
 * of the kernel as well, one for each axis, and may fill it beside what is read. Counter-example to leaving them out:
 * sums of gathers along five axes, of which lowering refused one after the other, each a kernel earlier than need be.
 * A kernel has so many folds at most, and a program that goes on with more is cut between them. Counter-example to
 * leaving that out: of the sum of 25 sums, a convolution of 5 by 5, sixteen were one kernel and nine arrays, each of a
 * kernel of its own.
 * The walk is an explicit stack; a chain of a million maps costs one bounded walk for each limit's worth of nodes. */
#include "fusion/partition_parts.h"
#include <stdlib.h>

enum {
    LIMIT_INSTS = 400,
    LIMIT_ARRAYS = 36,                   /* that are read */
    LIMIT_BUFFERS = FSR_MAX_BUFFERS - 1, /* those and the reports', beside one result */
    MUCH = 1 << 20,
    WALK = 1024,
    FUNCTION = 8
};

typedef struct weight {
    int insts, arrays, reports, folds;
} weight;

static bool ends(const fsr_partition *p, int id) {
    return p->held[id] || fsr_is(p->flow->node[id].kind, FSR_IS_FOLD);
}

/* A fold's result that whoever goes on with it may compute. */
static bool is_folded(const fsr_partition *p, int id) {
    return !p->held[id] && fsr_is(p->flow->node[id].kind, FSR_IS_FOLD);
}

static weight of_leaf(const fsr_partition *p, int id) {
    return (weight){1, ends(p, id) || fsr_is(p->flow->node[id].kind, FSR_IS_ARRAY), 0, is_folded(p, id)};
}

/* A loop's program is compiled once, whatever it is part of. An elementary function is a program of its own. */
static int own_insts(const fsr_flow_node *n) {
    bool function = fsr_has(n->kind, FSR_FIELD_op) && fsr_op_get(n->op)->cost > FUNCTION;
    return fsr_kinds[n->kind].insts + function + (n->loop ? n->nout + n->loop->body.ninsts / 4 : 0);
}

static int own_reports(const fsr_flow_node *n) {
    return n->report ? __builtin_popcount(n->axes) : 0;
}

static int at_most_much(int n) {
    return n > MUCH ? MUCH : n;
}

/* What the i-th argument needs, another one that is evaluated beside it needs, too. */
static bool is_covered(const fsr_partition *p, const fsr_flow_node *n, int i) {
    for (int k = 0; k < n->nargs; ++k) {
        const fsr_flow_node *other = &p->flow->node[n->arg[k].id];
        if (k < i && n->arg[k].id == n->arg[i].id)
            return true;
        for (int j = 0; j < other->nargs && !ends(p, n->arg[k].id); ++j)
            if (other->arg[j].id == n->arg[i].id)
                return true;
    }
    return false;
}

static weight most_of(const fsr_partition *p, const weight *known, int id) {
    const fsr_flow_node *n = &p->flow->node[id];
    if (n->nargs == 0)
        return of_leaf(p, id);
    weight sum = {own_insts(n), 0, own_reports(n), 0};
    for (int i = 0; i < n->nargs; ++i) {
        if (is_covered(p, n, i))
            continue;
        weight w = ends(p, n->arg[i].id) ? of_leaf(p, n->arg[i].id) : known[n->arg[i].id];
        sum.insts += w.insts;
        sum.arrays += w.arrays;
        sum.reports += w.reports;
        sum.folds += w.folds;
    }
    return (weight){at_most_much(sum.insts), at_most_much(sum.arrays), at_most_much(sum.reports),
                    at_most_much(sum.folds)};
}

static bool over(weight w) {
    return w.insts > LIMIT_INSTS || w.arrays > LIMIT_ARRAYS || w.arrays + w.reports > LIMIT_BUFFERS ||
           w.folds > FSR_MAX_COMBINES;
}

/* Distinct nodes below id, counted until a limit is passed. stamp marks nodes of this walk by its number. */
static weight count(const fsr_partition *p, int *stamp, int walk, int id) {
    int stack[WALK], depth = 0;
    weight sum = {0, 0, 0, 0};
    stack[depth++] = id;
    stamp[id] = walk;
    while (depth && !over(sum)) {
        int at = stack[--depth];
        const fsr_flow_node *n = &p->flow->node[at];
        bool leaf = at != id && ends(p, at);
        sum.insts += leaf ? 1 : own_insts(n);
        sum.arrays += leaf || fsr_is(n->kind, FSR_IS_ARRAY);
        sum.reports += leaf ? 0 : own_reports(n);
        sum.folds += leaf && is_folded(p, at);
        for (int i = 0; !leaf && i < n->nargs; ++i) {
            int arg = n->arg[i].id;
            if (stamp[arg] == walk)
                continue;
            stamp[arg] = walk;
            if (depth == WALK)
                return (weight){MUCH, MUCH, MUCH, MUCH};
            stack[depth++] = arg;
        }
    }
    return sum;
}

static int price(weight w) {
    return w.insts + 8 * (w.arrays + w.reports);
}

static int heaviest(const fsr_partition *p, const weight *known, int id) {
    const fsr_flow_node *n = &p->flow->node[id];
    int best = -1;
    for (int i = 0; i < n->nargs; ++i) {
        int arg = n->arg[i].id;
        while (fsr_is(p->flow->node[arg].kind, FSR_IS_VIEW) && !ends(p, arg))
            arg = p->flow->node[arg].arg[0].id;
        if (!fsr_is(p->flow->node[arg].kind, FSR_COMPUTES) || ends(p, arg))
            continue;
        if (best < 0 || price(known[arg]) > price(known[best]))
            best = arg;
    }
    return best;
}

fsr_status fsr_partition_chop(fsr_partition *p) {
    weight *known = malloc(sizeof *known * (size_t)(p->flow->n + 1));
    int *stamp = calloc((size_t)p->flow->n + 1, sizeof *stamp);
    int walks = 0;
    for (int i = 0; known && stamp && i < p->flow->n; ++i) {
        known[i] = most_of(p, known, i);
        while (over(known[i])) {
            known[i] = count(p, stamp, ++walks, i);
            if (!over(known[i]))
                break;
            int cut = heaviest(p, known, i);
            if (cut < 0)
                break;
            p->held[cut] = known[i].folds > FSR_MAX_COMBINES ? FSR_HELD_FOLDED : FSR_HELD_LONG;
            known[i] = most_of(p, known, i);
        }
    }
    fsr_status status = known && stamp ? FSR_OK : FSR_ERR_MEMORY;
    free(known);
    free(stamp);
    return status;
}
