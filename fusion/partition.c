/* SPDX-License-Identifier: MIT */
/* The partition as a whole: which values memory must hold, the order in which roots are assigned, and what is done when
 * all are; see partition.h. */
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include <stdlib.h>
#include <string.h>

void fsr_partition_clear(fsr_partition *p) {
    for (int i = 0; i < p->ngroups; ++i)
        fsr_group_clear(&p->group[i]);
    free(p->group);
    free(p->group_of);
    free(p->stored);
    free(p->used);
    free(p->outputs);
    free(p->held);
    free(p->asked);
    free(p->note);
    free(p->saving);
    free(p->refused);
    free(p->seen);
    free(p->queue);
    free(p->reader);
    free(p->reader_of_leaf);
    free(p->reader_of_value);
    free(p->mark);
    memset(p, 0, sizeof *p);
}

bool fsr_partition_may_fuse(const fsr_partition *p) {
    return p->fuse && p->fuel != 0;
}

void fsr_partition_fused(fsr_partition *p, const char *how, int a, int b) {
    ++p->fusions;
    p->fuel -= p->fuel > 0;
    p->last = (fsr_fusion){how, {a, b}};
}

bool fsr_unfused_holds(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_COMPUTES) && !(fsr_has(n->kind, FSR_FIELD_op) && n->op == FSR_OP_CAST) &&
           n->hint != FSR_HINT_INLINE;
}

/* Unfused, and past the fuel, every map is a kernel of its own. */
static void unfuse(fsr_partition *p) {
    for (int i = 0; i < p->flow->n; ++i) {
        if (!fsr_unfused_holds(&p->flow->node[i]))
            continue;
        if (fsr_partition_may_fuse(p))
            fsr_partition_fused(p, "%s (%%%d) is evaluated where it is read", i, i);
        else
            p->held[i] = FSR_HELD;
    }
}

/* An output that is a fold's result, and of which group. */
typedef struct result {
    int group, output;
} result;

static int by_group(const void *a, const void *b) {
    const result *x = a, *y = b;
    return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                : (x->output > y->output) - (x->output < y->output);
}

/* What one group has of them, in the order of the outputs, is stored by one lowering; where that is refused, each by
 * its own. */
static void store_together(fsr_partition *p, const result *list, int n) {
    fsr_link link[FSR_MAX_STORES];
    int count = 0;
    for (int i = 0; i < n && count < FSR_MAX_STORES; ++i) {
        const fsr_link at = p->flow->out[list[i].output];
        bool there = *fsr_partition_stored(p, at) >= 0;
        for (int k = 0; k < count && !there; ++k)
            there = fsr_link_equal(link[k], at);
        if (!there)
            link[count++] = at;
    }
    if (count > 1)
        (void)fsr_group_add_stores(p, list[0].group, link, count);
}

static bool is_result(const fsr_partition *p, fsr_link link) {
    const int g = p->group_of[link.id];
    return g >= 0 && p->group[g].kernel && fsr_is(p->flow->node[link.id].kind, FSR_IS_FOLD);
}

/* Outputs from the i-th on, as far as they are results of folds. Counter-example to one after the other: of four sums
 * of an array the kernel was lowered once more for each that is stored. *end: the first output behind them. False:
 * out of memory. */
static bool store_results(fsr_partition *p, int i, int *end) {
    const fsr_flow *flow = p->flow;
    for (*end = i; *end < flow->nout && is_result(p, flow->out[*end]);)
        ++*end;
    const int n = *end - i;
    result *list = n > 1 ? malloc(sizeof *list * (size_t)n) : NULL;
    for (int k = 0; k < n && list; ++k)
        list[k] = (result){p->group_of[flow->out[i + k].id], i + k};
    if (list)
        qsort(list, (size_t)n, sizeof *list, by_group);
    for (int k = 0, same; k < n && list; k = same) {
        for (same = k + 1; same < n && list[same].group == list[k].group;)
            ++same;
        store_together(p, list + k, same - k);
    }
    free(list);
    return list || n <= 1;
}

static fsr_status assign_all(fsr_partition *p, char *why, size_t size) {
    const fsr_flow *flow = p->flow;
    for (int i = 0; i < flow->n; ++i) {
        const fsr_flow_node *n = &flow->node[i];
        bool fold = fsr_is(n->kind, FSR_IS_FOLD);
        fsr_link link = fold ? (fsr_link){i, 0} : fsr_partition_first_used(p, i);
        if (!fold && (!p->held[i] || *fsr_partition_stored(p, link) >= 0))
            continue;
        fsr_status status = fsr_is(n->kind, FSR_IS_LIBRARY)
                                ? fsr_partition_call(p, i, why, size)
                                : fsr_partition_assign(p, (fsr_root){fold, link}, why, size);
        if (status)
            return status;
    }
    for (int i = 0, together = 0; i < flow->nout; ++i) {
        fsr_link link = flow->out[i];
        if (i >= together && !store_results(p, i, &together))
            return FSR_ERR_MEMORY;
        if (*fsr_partition_stored(p, link) >= 0)
            continue;
        const char *reason = p->group_of[link.id] >= 0 ? fsr_group_add_store(p, p->group_of[link.id], link) : "";
        fsr_status status = reason ? fsr_partition_assign(p, (fsr_root){.link = link}, why, size) : FSR_OK;
        if (status)
            return status;
    }
    return FSR_OK;
}

/* Before programs are cut, so that what is computed in several of their parts is counted as often, and then those
 * parts. */
static bool price(fsr_partition *p, bool chopped) {
    return !fsr_partition_may_fuse(p) || fsr_partition_price(p, chopped);
}

static void find_used(fsr_partition *p) {
    const fsr_flow *flow = p->flow;
    for (int i = 0; i < flow->n; ++i)
        for (int k = 0; k < flow->node[i].nargs; ++k)
            p->used[flow->node[i].arg[k].id * FSR_MAX_OUTPUTS + flow->node[i].arg[k].output] = true;
    for (int i = 0; i < flow->nout; ++i) {
        p->used[flow->out[i].id * FSR_MAX_OUTPUTS + flow->out[i].output] = true;
        p->outputs[flow->out[i].id] |= (uint8_t)(1 << flow->out[i].output);
    }
}

/* Room for what is known of each node and value: nothing yet. */
static bool take_room(fsr_partition *p) {
    const fsr_flow *flow = p->flow;
    size_t n = (size_t)flow->n + 1;
    p->group_of = malloc(sizeof *p->group_of * n);
    p->stored = malloc(sizeof *p->stored * n * FSR_MAX_OUTPUTS);
    p->used = calloc(n * FSR_MAX_OUTPUTS, sizeof *p->used);
    p->outputs = calloc(n, sizeof *p->outputs);
    p->held = calloc(n, sizeof *p->held);
    p->mark = calloc(n, sizeof *p->mark);
    p->asked = fsr_flow_asked(flow);
    p->reader_of_value = malloc(sizeof *p->reader_of_value * n * FSR_MAX_OUTPUTS);
    p->reader_of_leaf = malloc(sizeof *p->reader_of_leaf * ((size_t)flow->nleaves + 1));
    p->refused = flow->npairs ? calloc((size_t)flow->npairs, sizeof *p->refused) : NULL;
    if (!((p->refused || !flow->npairs) && p->group_of && p->stored && p->used && p->outputs && p->held && p->mark &&
          p->reader_of_value && p->reader_of_leaf))
        return false;
    memset(p->group_of, 0xff, sizeof *p->group_of * n);
    memset(p->stored, 0xff, sizeof *p->stored * n * FSR_MAX_OUTPUTS);
    memset(p->reader_of_value, 0xff, sizeof *p->reader_of_value * n * FSR_MAX_OUTPUTS);
    memset(p->reader_of_leaf, 0xff, sizeof *p->reader_of_leaf * ((size_t)flow->nleaves + 1));
    return true;
}

fsr_status fsr_partition_make(fsr_partition *p, const fsr_flow *flow, const fsr_target *target, const fsr_cuts *cuts,
                              bool fuse, int fuel, char *why, size_t size) {
    bool no_memory = false;
    *p = (fsr_partition){.flow = flow,
                         .target = target,
                         .cuts = cuts,
                         .fuse = fuse,
                         .fuel = fuse ? fuel : 0,
                         .merging = -1,
                         .into = -1,
                         .bare_reader = -1,
                         .footprint = fsr_price_footprint(flow),
                         .no_memory = &no_memory};
    fsr_status status = take_room(p) ? FSR_OK : FSR_ERR_MEMORY;
    if (!status) {
        for (int i = 0; i < flow->n; ++i)
            if ((flow->node[i].hint == FSR_HINT_MATERIALIZE && !fsr_is(flow->node[i].kind, FSR_IS_ARRAY)) ||
                fsr_is(flow->node[i].kind, FSR_IS_STORED))
                p->held[i] = FSR_HELD;
        find_used(p);
        unfuse(p);
        fsr_partition_take(p);
        status = fsr_cuts_hold(cuts, flow, p->held) && price(p, false) ? fsr_partition_chop(p) : FSR_ERR_MEMORY;
    }
    if (!status && (!price(p, true) || (fsr_partition_may_fuse(p) && !fsr_partition_hold_ends(p))))
        status = FSR_ERR_MEMORY;
    if (!status)
        status = assign_all(p, why, size);
    if (!status) {
        fsr_partition_merge(p);
        fsr_partition_unstore(p);
        fsr_in_place(p);
        fsr_in_place_fill(p);
        if (!target->gpu)
            fsr_partition_coarsen(p);
        fsr_partition_divide(p);
        if (target->gpu)
            fsr_partition_coarsen(p);
    }
    if (no_memory) {
        snprintf(why, size, "out of memory");
        status = FSR_ERR_MEMORY;
    }
    p->no_memory = NULL;
    if (status)
        fsr_partition_clear(p);
    return status;
}
