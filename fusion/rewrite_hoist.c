/* SPDX-License-Identifier: MIT */
/* Maps and reductions are hoisted above a node that only moves elements: f(move(x)) becomes move(f(x)), and
 * sum(move(x)) becomes sum(x), where move is a COMPACT of some mask. Of those that the mask selects alone, a PREFIX as
 * long as the mask's own count, the others become what lies behind them: prefix(y, move(x), count) is move(mask ? x :
 * y), if y is the same everywhere. What such a mask selected goes back where it came from: mask ? move(x)[before] : y
 * is mask ? x : y. And what a second mask selects of that is what both select: one filter.
 *
 * Such a node only says where elements end in memory, so what is done to each of them alone may be done before: then it
 * belongs to the kernel that moves them, and only results are stored. A map may be hoisted if each operand is moved
 * alike (all arguments but the first are the same) or is the same everywhere (a broadcast scalar). Reshapes between the
 * move and the map come after it then. A reduction along the dimension in which elements have moved may move if its
 * operator commutes: a float sum is then associated as a sum of x is. Nothing else changes a bit.
 * Counter-example to hoisting every map: move(x) + y adds the y of another element; and to every reduction: down the
 * columns of filtered rows, whose elements stand in other columns than before.
 *
 * After cse, so that two filters of one mask have one count. New nodes must come before their users, so the nodes are
 * copied in order into a list of their own. */
#include "fusion/rewrites.h"
#include <stdlib.h>

/* The same value at every index: a view of one element. */
static bool is_uniform(const fsr_flow *flow, fsr_link link) {
    const fsr_flow_node *n = &flow->node[link.id];
    if (!fsr_is(n->kind, FSR_IS_VIEW) || n->view.kind != FSR_VIEW_AFFINE)
        return false;
    for (int j = 0; j < flow->node[n->arg[0].id].shape.ndim; ++j)
        if (n->view.from[j] >= 0)
            return false;
    return true;
}

/* What moves the elements, in its order, for a map perhaps through reshapes; NULL: there is none. */
static const fsr_flow_node *move_of(const fsr_flow *flow, fsr_link link, bool reshaped) {
    const fsr_flow_node *n = &flow->node[link.id];
    while (reshaped && fsr_is(n->kind, FSR_IS_VIEW) && n->view.kind == FSR_VIEW_RESHAPE &&
           n->hint != FSR_HINT_MATERIALIZE)
        n = &flow->node[n->arg[0].id];
    return fsr_is(n->kind, FSR_IS_MOVED) && n->hint != FSR_HINT_MATERIALIZE ? n : NULL;
}

/* Both move elements alike. */
static bool alike(const fsr_flow_node *a, const fsr_flow_node *b) {
    bool same = a->kind == b->kind && a->nargs == b->nargs && a->front == b->front;
    for (int i = 1; same && i < a->nargs; ++i)
        same = fsr_link_equal(a->arg[i], b->arg[i]);
    return same;
}

/* The move of every operand but uniform ones; NULL: they have none in common. */
static const fsr_flow_node *common_move(const fsr_flow *flow, const fsr_flow_node *n) {
    const fsr_flow_node *common = NULL;
    const bool fold = fsr_is(n->kind, FSR_IS_FOLD);
    for (int i = 0; i < (fold ? n->nout : n->nargs); ++i) {
        if (is_uniform(flow, n->arg[i]))
            continue;
        const fsr_flow_node *move = move_of(flow, n->arg[i], !fold);
        if (!move || (common && !alike(common, move)))
            return NULL;
        common = move;
    }
    return common;
}

/* Elements have moved along the last dimension only. */
static bool may_move(const fsr_flow *flow, const fsr_flow_node *n) {
    if (fsr_is(n->kind, FSR_IS_FOLD))
        return !fsr_is(n->kind, FSR_IS_RUNNING) && n->combine->commutative &&
               (n->axes >> (flow->node[n->arg[0].id].shape.ndim - 1) & 1);
    return fsr_is(n->kind, FSR_IS_EACH) && fsr_is(n->kind, FSR_IS_EXPRESSION);
}

/* ---- prefixes of what is moved -------------------------------------------------------------------------------- */

/* An integer that holds every count. */
static bool is_wide(fsr_dtype dtype, int64_t n) {
    return dtype == FSR_I64 || (dtype == FSR_I32 && n <= INT32_MAX);
}

/* What lies below views and casts to integers that hold every count up to n. */
static fsr_link below(const fsr_flow *flow, fsr_link link, int64_t n) {
    for (;;) {
        const fsr_flow_node *at = &flow->node[link.id];
        const bool casts = fsr_has(at->kind, FSR_FIELD_op) && at->op == FSR_OP_CAST && is_wide(at->dtype[0], n);
        if (!casts && !fsr_is(at->kind, FSR_IS_VIEW))
            return link;
        link = at->arg[0];
    }
}

/* The sum of all of the mask, a vector. */
static bool counts(const fsr_flow *flow, fsr_link count, fsr_link mask) {
    const fsr_shape *shape = &flow->node[mask.id].shape;
    const int64_t n = shape->dim[0];
    const fsr_flow_node *sum = &flow->node[below(flow, count, n).id];
    if (shape->ndim != 1 || !fsr_is(sum->kind, FSR_IS_FOLD) || fsr_is(sum->kind, FSR_IS_RUNNING))
        return false;
    const fsr_flow_node *one = &flow->node[sum->arg[0].id];
    return sum->combine->builtin && sum->combine->op == FSR_OP_ADD && is_wide(sum->dtype[0], n) &&
           fsr_has(one->kind, FSR_FIELD_op) && one->op == FSR_OP_CAST && fsr_link_equal(one->arg[0], mask);
}

/* The move that n shows as many elements of as its mask selects; NULL: it is something else. */
static const fsr_flow_node *prefixed(const fsr_flow *flow, const fsr_flow_node *n) {
    if (!fsr_is(n->kind, FSR_IS_PREFIX) || n->hint == FSR_HINT_MATERIALIZE || !is_uniform(flow, n->arg[0]))
        return NULL;
    const fsr_flow_node *move = move_of(flow, n->arg[1], false);
    return move && counts(flow, n->arg[2], move->arg[1]) ? move : NULL;
}

/* Appends the choice of what is not moved yet, and its move. Returns what stands for it, -1: out of memory. */
static int choose_before(fsr_flow *flow, const fsr_flow_node *n, fsr_flow_node move) {
    fsr_flow_node choice = {.kind = FSR_NODE_MAP, .nout = 1, .shape = n->shape, .op = FSR_OP_WHERE, .nargs = 3};
    choice.site = n->site;
    choice.dtype[0] = n->dtype[0];
    choice.arg[0] = move.arg[1];
    choice.arg[1] = move.arg[0];
    choice.arg[2] = n->arg[0];
    move.hint = n->hint;
    move.origin = 0;
    move.front = false;
    move.arg[0] = (fsr_link){fsr_flow_add(flow, &choice), 0};
    return move.arg[0].id < 0 ? -1 : fsr_flow_add(flow, &move);
}

/* ---- what goes back ---------------------------------------------------------------------------------------------- */

/* What operand 1 of a choice by a mask takes out of what that mask selected, each element at the place where it went:
 * it is the element itself. NULL: it is something else. */
static const fsr_flow_node *gone_back(const fsr_flow *flow, const fsr_flow_node *n) {
    if (!fsr_has(n->kind, FSR_FIELD_op) || n->op != FSR_OP_WHERE)
        return NULL;
    const fsr_flow_node *taken = &flow->node[n->arg[1].id], *move = &flow->node[taken->nargs ? taken->arg[0].id : 0];
    if (!fsr_is(taken->kind, FSR_TAKES) || taken->shape.ndim != 1 || taken->axes != 1 || taken->view.start[0] != 0 ||
        taken->view.from[0] >= 0 || taken->hint == FSR_HINT_MATERIALIZE || !fsr_is(move->kind, FSR_IS_MOVED) ||
        !fsr_shape_equal(&move->shape, &taken->shape))
        return NULL;
    return fsr_link_equal(n->arg[0], move->arg[1]) && fsr_link_equal(below(flow, taken->arg[1], move->shape.dim[0]),
                                                                     below(flow, move->arg[2], move->shape.dim[0]))
               ? move
               : NULL;
}

/* ---- what is selected twice ------------------------------------------------------------------------------------- */

/* Both are moved by one mask; the first one may end there. */
static bool moved_together(const fsr_flow_node *a, const fsr_flow_node *b) {
    return fsr_is(a->kind, FSR_IS_MOVED) && fsr_is(b->kind, FSR_IS_MOVED) && !b->front &&
           fsr_link_equal(a->arg[1], b->arg[1]) && fsr_link_equal(a->arg[2], b->arg[2]) &&
           a->hint != FSR_HINT_MATERIALIZE && b->hint != FSR_HINT_MATERIALIZE;
}

/* A choice by the mask that is false where it does not hold. */
static bool is_within(const fsr_flow *flow, const fsr_flow_node *choice, fsr_link mask) {
    if (!fsr_has(choice->kind, FSR_FIELD_op) || choice->op != FSR_OP_WHERE || !fsr_link_equal(choice->arg[0], mask) ||
        !is_uniform(flow, choice->arg[2]))
        return false;
    const fsr_flow_node *other = &flow->node[flow->node[choice->arg[2].id].arg[0].id];
    return fsr_is(other->kind, FSR_IS_LITERAL) && other->value.bits == 0;
}

/* A mask selects of what another one has selected, in the same order: n becomes what both select at once. False: it is
 * something else. *id -1: out of memory. */
static bool select_once(fsr_flow *flow, fsr_flow_node n, int *id) {
    if (!fsr_is(n.kind, FSR_IS_MOVED) || !n.front || n.shape.ndim != 1)
        return false;
    const fsr_flow_node *first = &flow->node[n.arg[0].id], *mask = &flow->node[n.arg[1].id];
    fsr_flow_node before = flow->node[n.arg[2].id];
    const fsr_flow_node *one = before.nargs ? &flow->node[before.arg[0].id] : mask;
    if (!fsr_is(before.kind, FSR_IS_RUNNING) || !first->nargs || !moved_together(first, mask) ||
        !moved_together(first, one) || !first->front || !is_within(flow, &flow->node[mask->arg[0].id], first->arg[1]) ||
        !fsr_link_equal(below(flow, one->arg[0], n.shape.dim[0]), mask->arg[0]))
        return false;
    n.arg[0] = first->arg[0];
    n.arg[1] = mask->arg[0];
    before.arg[0] = one->arg[0];
    before.origin = 0;
    n.arg[2] = (fsr_link){fsr_flow_add(flow, &before), 0};
    *id = n.arg[2].id < 0 ? -1 : fsr_flow_add(flow, &n);
    return true;
}

/* ---- what is done before ---------------------------------------------------------------------------------------- */

/* Appends a view of what `like` shows; its number, -1: out of memory. */
static int add_view(fsr_flow *flow, const fsr_flow_node *like, fsr_link source, const fsr_shape *shape) {
    fsr_flow_node view = {.kind = FSR_NODE_VIEW, .nout = 1, .shape = *shape, .nargs = 1};
    view.dtype[0] = like->dtype[0];
    view.view = fsr_is(like->kind, FSR_IS_VIEW) ? like->view : (fsr_view){.kind = FSR_VIEW_RESHAPE};
    view.arg[0] = source;
    return fsr_flow_add(flow, &view);
}

/* The operands before they are moved, uniform ones in the moved ones' shape. False: out of memory. */
static bool operands_before(fsr_flow *flow, const fsr_shape *shape, fsr_flow_node *before) {
    for (int i = 0; i < before->nargs; ++i) {
        const fsr_flow_node *move = move_of(flow, before->arg[i], true), own = flow->node[before->arg[i].id];
        if (move)
            before->arg[i] = move->arg[0];
        else if (!fsr_shape_equal(&own.shape, shape))
            before->arg[i] = (fsr_link){add_view(flow, &own, own.arg[0], shape), 0};
        if (before->arg[i].id < 0)
            return false;
    }
    return true;
}

/* Appends the reduction of what is not moved yet. Returns what stands for it, -1: out of memory. */
static int reduce_before(fsr_flow *flow, const fsr_flow_node *n) {
    fsr_flow_node before = *n;
    for (int i = 0; i < n->nargs; ++i)
        if (fsr_is(flow->node[n->arg[i].id].kind, FSR_IS_MOVED))
            before.arg[i] = flow->node[n->arg[i].id].arg[0];
    return fsr_flow_add(flow, &before);
}

/* Appends the map of what is not moved yet, its move, and the reshape that its operands had, if any. Returns what
 * stands for it, -1: out of memory. */
static int map_before(fsr_flow *flow, const fsr_flow_node *n, fsr_flow_node move) {
    fsr_flow_node before = *n;
    before.hint = FSR_HINT_NONE;
    before.shape = move.shape;
    move.hint = n->hint;
    move.origin = 0;
    move.dtype[0] = n->dtype[0];
    if (!operands_before(flow, &before.shape, &before) || (move.arg[0].id = fsr_flow_add(flow, &before)) < 0)
        return -1;
    move.arg[0].output = 0;
    int moved_id = fsr_flow_add(flow, &move);
    if (moved_id < 0 || fsr_shape_equal(&move.shape, &n->shape))
        return moved_id;
    return add_view(flow, &move, (fsr_link){moved_id, 0}, &n->shape);
}

static bool has_moves(const fsr_flow *flow) {
    for (int i = 0; i < flow->n; ++i)
        if (fsr_is(flow->node[i].kind, FSR_IS_MOVED))
            return true;
    return false;
}

/* Copies every node into `to`, moved where it may be. -1: out of memory, else how many moved. */
static int copy(const fsr_flow *from, fsr_flow *to, fsr_link *at) {
    int moved = 0;
    for (int i = 0; i < from->n; ++i) {
        fsr_flow_node n = from->node[i];
        for (int k = 0; k < n.nargs; ++k)
            n.arg[k] = at[n.arg[k].id * FSR_MAX_OUTPUTS + n.arg[k].output];
        const fsr_flow_node *back = gone_back(to, &n);
        if (back)
            n.arg[1] = back->arg[0];
        const fsr_flow_node *whole = prefixed(to, &n), *move = may_move(to, &n) ? common_move(to, &n) : whole;
        int id = -1;
        const bool twice = select_once(to, n, &id);
        if (!twice)
            id = !move                         ? fsr_flow_add(to, &n)
                 : whole                       ? choose_before(to, &n, *whole)
                 : fsr_is(n.kind, FSR_IS_FOLD) ? reduce_before(to, &n)
                                               : map_before(to, &n, *move);
        if (id < 0)
            return -1;
        moved += move != NULL || back != NULL || twice;
        fsr_flow_replace(at, i, (fsr_link){id, 0});
    }
    return moved;
}

bool fsr_rewrite_hoist(fsr_flow *flow, fsr_status *status) {
    fsr_flow moved = {0};
    fsr_link *to = has_moves(flow) ? fsr_flow_redirects(flow, status) : NULL;
    int progress = to ? copy(flow, &moved, to) : 0;
    if (progress < 0)
        *status = FSR_ERR_MEMORY;
    if (progress > 0) {
        free(flow->node);
        flow->node = moved.node;
        flow->n = moved.n;
        flow->capacity = moved.capacity;
        fsr_flow_redirect_outs(flow, to);
        fsr_flow_bare_outs(flow);
    } else {
        free(moved.node);
    }
    free(to);
    return progress > 0;
}
