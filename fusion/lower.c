/* SPDX-License-Identifier: MIT */
/* Lowering: a group of roots to one kernel of the loop IR, by demand.
 *
 * eval(link, index) gives the instruction whose value is that node's element at that index: views compose into the
 * index, maps recurse, leaves and stored values of other groups become loads, folds of this group become their results
 * if the index is exactly the fold's place in the domain. Equal (link, index) pairs are evaluated once (lower_memo.c).
 * Folds are asked for first, then stores; the kernel is finished when its dimensions are merged (lower_finish.c).
 *
 * Recursion goes a few levels deep. What is wanted below them is evaluated from the top, and then what wanted it again:
 * by then its arguments are in the memo, and everything else that lowering does is done once however often it is asked
 * for, in the same order. Counter-example to going on: a chain of two hundred operations would take half a megabyte of
 * the caller's stack.
 *
 * A trial is refused by the first reason that somebody finds: -1, or false, goes up from there, and nothing is undone,
 * as the kernel is then dropped.
 *
 * Counter-example to one value per node: y + y.T needs y at (i, j) and at (j, i): two instructions, one node. */
#include "fusion/lower.h"
#include "fusion/nest.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { DEEP = 8 };

const char fsr_reason_memory[] = "out of memory";

int fsr_lower_refuse(fsr_lowering *l, const char *reason) {
    if (!l->reason && !l->waits)
        l->reason = reason;
    return -1;
}

int fsr_lower_blame(fsr_lowering *l, const char *reason, fsr_link blame) {
    if (!l->reason && !l->waits)
        l->blame = blame;
    return fsr_lower_refuse(l, reason);
}

int fsr_lower_blame_flat(fsr_lowering *l, const char *reason, fsr_link blame, const fsr_index *index) {
    fsr_group *group = l->group;
    if (!l->reason && !l->waits &&
        !fsr_index_division(index, &l->flow->node[blame.id].shape, &group->domain, &group->divided, &group->division))
        group->division = 0;
    return fsr_lower_blame(l, reason, blame);
}

int fsr_lower_made(fsr_lowering *l, int value) {
    return value < 0 ? fsr_lower_refuse(l, "the kernel would have too many instructions") : value;
}

int fsr_lower_add_at(fsr_lowering *l, const fsr_inst *inst, fsr_stand least) {
    return fsr_lower_made(l, fsr_kernel_add(l->k, inst, least));
}

int fsr_lower_add(fsr_lowering *l, const fsr_inst *inst) {
    return fsr_lower_add_at(l, inst, (fsr_stand){.level = FSR_ROW});
}

int fsr_lower_once(fsr_lowering *l, const fsr_inst *inst, fsr_level least) {
    return fsr_lower_made(l, fsr_kernel_add_once(l->k, inst, least));
}

/* A loop that is a kernel of its own, of this very group; one that was stored because another kernel asked for it may
 * still be read here. */
static bool loop_apart(const fsr_lowering *l, fsr_link link) {
    bool own = false;
    for (int i = 0; i < l->group->nstores; ++i)
        own = own || l->group->store[i].id == link.id;
    return own && l->p->held[link.id] >= FSR_HELD_LONG && link.id != l->storing.id;
}

/* The index is where the group's domain has a node's own elements. */
static bool at_own_place(const fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_shape *shape = &l->flow->node[link.id].shape;
    fsr_index own;
    return (fsr_index_elem(&own, shape, &l->group->domain) && fsr_index_equal(&own, index)) ||
           (fsr_index_row(&own, shape, &l->group->domain) && fsr_index_equal(&own, index));
}

/* A value that memory must hold, of this very group: who else needs it belongs to another kernel, which loads it; but
 * if that is a matter of cost, or of the length of programs, the rest of this one may go on with it where it is. The
 * group's stores are asked, not p->stored: a store that a trial adds is not there yet. */
static bool apart(const fsr_lowering *l, fsr_link link, const fsr_index *index) {
    if (fsr_is(l->flow->node[link.id].kind, FSR_RUNS_ONCE))
        return loop_apart(l, link);
    fsr_held held = l->p->held[link.id];
    if (held == FSR_NOT_HELD || fsr_link_equal(link, l->storing))
        return false;
    if (fsr_lower_fold_slot(l->group, link.id) < 0 && !fsr_group_stores(l->group, link))
        return false;
    return held == FSR_HELD_ONCE || held == FSR_HELD || !at_own_place(l, link, index);
}

static bool reads(const fsr_group *group, fsr_link link) {
    for (int i = 0; i < group->kernel->narrays; ++i)
        if (!group->operand[i].leaf && fsr_link_equal(group->operand[i].link, link))
            return true;
    return false;
}

bool fsr_lower_reads_stored(const fsr_lowering *l, fsr_link link) {
    int from = *fsr_partition_stored(l->p, link);
    return from >= 0 && from != l->g && !fsr_partition_reaches(l->p, from, l->g) &&
           (!l->before || reads(l->before, link));
}

/* Follows views down to what they show; views of views are a loop here, not a recursion. */
static bool skip_views(fsr_lowering *l, fsr_link *link, fsr_index *index) {
    while (fsr_is(l->flow->node[link->id].kind, FSR_IS_VIEW) && !apart(l, *link, index) &&
           !fsr_lower_reads_stored(l, *link)) {
        const fsr_flow_node *n = &l->flow->node[link->id];
        fsr_index inner;
        if (!fsr_index_view(&inner, index, &n->view, &n->shape, &l->flow->node[n->arg[0].id].shape, &l->group->domain))
            return fsr_lower_blame_flat(l, "a reshape of a view has no affine index", *link, index), false;
        *index = inner;
        *link = n->arg[0];
    }
    return true;
}

static int fsr_lower_never(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    (void)link, (void)index;
    return fsr_lower_refuse(l, "a node of this kind cannot be evaluated");
}

static int fsr_lower_placed(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    (void)index;
    return fsr_lower_blame(l, "its elements take their places in memory", link);
}

static int compute(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    static int (*const value_of[FSR_KIND_COUNT])(fsr_lowering *, fsr_link, const fsr_index *) = {
#define FSR_KIND(name, word, nargs, fields, traits, insts, shape, check, again, lower, run) \
    [FSR_NODE_##name] = fsr_lower_##lower,
#include "graph/node_kinds.def"
    };
    return value_of[l->flow->node[link.id].kind](l, link, index);
}

static int remember(fsr_lowering *l, fsr_link link, const fsr_index *index, int inst) {
    const char *full = inst >= 0 ? fsr_memo_add(l->memo, link, index, l->guard, inst) : NULL;
    return full ? fsr_lower_refuse(l, full) : inst;
}

/* compute, one level deeper; too deep: -1, and what has to be there first is noted. */
static int deeper(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    if (l->depth == DEEP) {
        l->waits = true;
        l->first.link = link;
        l->first.guard = l->guard;
        fsr_index_copy(&l->first.index, index);
        return -1;
    }
    ++l->depth;
    int value = compute(l, link, index);
    --l->depth;
    return value;
}

static const char *reason_apart(const fsr_lowering *l, fsr_link link) {
    switch (l->p->held[link.id]) {
    case FSR_HELD_CHEAPER: return "storing the value costs less than computing it wherever it is read";
    case FSR_HELD_TAKEN: return "the value is stored for a library call";
    case FSR_HELD_ONCE:
    case FSR_HELD_LONG: return "the kernel would have too long a program or too many arrays";
    default:
        return l->flow->node[link.id].hint == FSR_HINT_MATERIALIZE ? "a hint asks to store the value"
                                                                   : "more memory would be needed at once than unfused";
    }
}

/* What is no view that shows something else. */
static int eval_node(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const fsr_flow_node *n = &l->flow->node[link.id];
    if (apart(l, link, index) && fsr_is(n->kind, FSR_IS_STORED))
        return fsr_lower_refuse(l, "its elements take their places in memory, where only another kernel finds them");
    if (apart(l, link, index))
        return fsr_lower_refuse(l, reason_apart(l, link));
    int value = fsr_memo_find(l, link, index);
    if (value >= 0)
        return value;
    bool computed = !fsr_is(n->kind, FSR_IS_ARRAY | FSR_IS_LITERAL | FSR_IS_ARGUMENT | FSR_IS_FOLD | FSR_RUNS_ONCE);
    int from = *fsr_partition_stored(l->p, link);
    if (computed && fsr_lower_reads_stored(l, link))
        return remember(l, link, index, fsr_lower_stored(l, link, index, from));
    if (computed && from >= 0 && from != l->g && l->p->held[link.id] >= FSR_HELD_LONG)
        return fsr_lower_refuse(l, "the kernels would need each other's results");
    return remember(l, link, index, deeper(l, link, index));
}

/* The value is the same along the dimensions along which the guard changes, and there everywhere. Counter-example to
 * asking the guard for it: of a column that is divided by its pivot from a row on, the pivot was loaded, and its root
 * taken, for each element. */
static bool is_spared(const fsr_lowering *l, const fsr_index *index) {
    bool moves = !l->guard || l->guard != l->elective;
    for (int j = 0; j < index->n && !moves; ++j)
        for (int d = 0; d < l->group->domain.ndim; ++d)
            moves = moves || (l->along >> d & 1 && index->row[j].coef[d] != 0);
    return !moves;
}

static int eval_shown(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    const int guard = l->guard;
    l->guard = is_spared(l, index) ? 0 : guard;
    const int value = eval_node(l, link, index);
    l->guard = guard;
    return value;
}

static int eval(fsr_lowering *l, fsr_link link, const fsr_index *asked) {
    fsr_index index;
    if (!fsr_is(l->flow->node[link.id].kind, FSR_IS_VIEW))
        return eval_shown(l, link, asked);
    fsr_index_copy(&index, asked);
    return skip_views(l, &link, &index) ? eval_shown(l, link, &index) : -1;
}

static int eval_want(fsr_lowering *l, const fsr_want *want) {
    l->waits = false;
    l->guard = want->guard;
    return eval(l, want->link, &want->index);
}

/* A value that waits for another one, which may wait in turn. No part of the recursion, whose stack it would
 * enlarge. */
__attribute__((noinline)) static int eval_waiting(fsr_lowering *l, fsr_link link, const fsr_index *asked) {
    int n = 1, capacity = 16, value = -1, guard = l->guard;
    fsr_want *waiting = malloc(sizeof *waiting * (size_t)capacity);
    if (waiting)
        waiting[0] = (fsr_want){link, *asked, guard};
    while (waiting && n > 0) {
        value = eval_want(l, &waiting[n - 1]);
        n = value < 0 && !l->waits ? 0 : n - !l->waits;
        if (!l->waits)
            continue;
        fsr_want *grown = n == capacity ? realloc(waiting, 2 * sizeof *waiting * (size_t)capacity) : waiting;
        capacity *= n == capacity ? 2 : 1;
        if (!grown)
            break;
        waiting = grown;
        waiting[n++] = l->first;
    }
    bool short_of_memory = !waiting || l->waits;
    l->waits = false;
    l->guard = guard;
    free(waiting);
    return short_of_memory ? fsr_lower_refuse(l, fsr_reason_memory) : value;
}

int fsr_lower_eval(fsr_lowering *l, fsr_link link, const fsr_index *asked) {
    int value = eval(l, link, asked);
    return l->waits && l->depth == 0 ? eval_waiting(l, link, asked) : value;
}

int fsr_lower_eval_under(fsr_lowering *l, fsr_link link, const fsr_index *index, int guard) {
    int outer = l->guard;
    l->guard = guard;
    int value = fsr_lower_eval(l, link, index);
    l->guard = outer;
    return value;
}

/* A node's own work, not what brings its operands there. */
static bool is_work(const fsr_inst *at) {
    return at->kind == FSR_INST_OP || at->kind == FSR_INST_CALL || at->kind == FSR_INST_COMBINE ||
           at->kind == FSR_INST_ITERATE || at->kind == FSR_INST_INSIDE || at->filter;
}

/* Puts the nodes of which a kernel has instructions behind the n that are there. Returns how many there are then. A
 * node above all of these is none of them: instructions come mostly in the order of their nodes. */
static int list_nodes(const fsr_kernel *k, bool copies, int *node, int n) {
    int most = -1;
    for (int j = 0; j < n; ++j)
        most = node[j] > most ? node[j] : most;
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *at = &k->inst[i];
        bool known = n == FSR_MAX_INSTS || at->node < 0 || !(copies ? at->kind == FSR_INST_STORE : is_work(at));
        for (int j = 0; j < n && !known && at->node <= most; ++j)
            known = node[j] == at->node;
        if (known)
            continue;
        node[n++] = at->node;
        most = at->node > most ? at->node : most;
    }
    return n;
}

int fsr_kernel_nodes(const fsr_kernel *k, int *node) {
    int n = 0;
    for (int i = 0; k->nests && i < k->nests->n; ++i)
        n = list_nodes(k->nests->nest[i].kernel, false, node, n);
    n = list_nodes(k, false, node, n);
    return n ? n : list_nodes(k, true, node, 0);
}

/* The names of the nodes that the kernel fuses, one behind the other: their bytes, which are written where to is not
 * NULL. */
static size_t put_names(const fsr_lowering *l, char *to) {
    size_t used = 0;
    const char *last = NULL;
    for (int i = 0; i < l->k->ninsts; ++i) {
        const fsr_inst *at = &l->k->inst[i];
        const char *name = at->node >= 0 && is_work(at) ? fsr_flow_name(l->flow, at->node) : NULL;
        if (!name || name == last)
            continue;
        const size_t n = strlen(name), comma = used ? 2 : 0;
        if (to) {
            memcpy(to + used, ", ", comma);
            memcpy(to + used + comma, name, n);
        }
        used += comma + n;
        last = name;
    }
    return used;
}

/* Which nodes the kernel fuses, in words. */
static bool describe(fsr_lowering *l) {
    const size_t n = put_names(l, NULL);
    char *text = n ? malloc(n + 1) : NULL;
    if (n && !text)
        return false;
    put_names(l, text);
    const bool good = text ? fsr_kernel_end(l->k, text, n) : fsr_kernel_end(l->k, "copy", 4);
    free(text);
    return good;
}

/* The places of a point's short dimensions, one further: false behind the last one, at the first again. */
static bool next_place(fsr_group *group) {
    for (int d = group->domain.ndim - 1; d >= 0; --d) {
        if (group->coarse[d] <= 1)
            continue;
        if (++group->domain.start[d] < group->coarse[d])
            return true;
        group->domain.start[d] = 0;
    }
    return false;
}

/* The stores, at each place that a point of the domain does. */
static bool lower_stores(fsr_lowering *l) {
    do {
        for (int i = 0; i < l->group->nstores; ++i)
            if (!fsr_lower_store(l, i))
                return false;
    } while (next_place(l->group));
    return true;
}

/* So are the folds. */
static bool lower_folds(fsr_lowering *l) {
    do {
        for (int i = 0; i < l->group->nfolds; ++i)
            if (!fsr_lower_combine(l, i))
                return false;
        l->k->nfolds += l->group->nfolds;
    } while (next_place(l->group));
    return true;
}

static bool lower_all(fsr_lowering *l) {
    if (!lower_folds(l) || !lower_stores(l))
        return false;
    return fsr_lower_end(l) && fsr_lower_finish(l) && fsr_lower_loops_once(l);
}

const char *fsr_lower(const fsr_partition *p, int g, const fsr_group *before, fsr_group *group, fsr_link *blame) {
    fsr_lowering *l = malloc(sizeof *l);
    *blame = (fsr_link){-1, 0};
    group->ndeps = group->nneeds = group->nloops = 0;
    group->division = 0;
    if (!l)
        return fsr_reason_memory;
    memset(l, 0, offsetof(fsr_lowering, address));
    l->p = p;
    l->flow = p->flow;
    l->g = g;
    l->before = before;
    l->group = group;
    l->blame = l->storing = *blame;
    l->k = fsr_kernel_new();
    l->memo = fsr_memo_new();
    bool ok = l->k && l->memo && lower_all(l) && describe(l);
    const char *reason = ok ? NULL : l->reason ? l->reason : fsr_reason_memory;
    *blame = l->blame;
    if (!ok)
        fsr_kernel_free(l->k);
    group->kernel = ok ? l->k : group->kernel;
    fsr_memo_free(l->memo);
    free(l);
    return reason;
}
