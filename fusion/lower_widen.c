/* SPDX-License-Identifier: MIT */
/* Lowering: a value that was evaluated under one guard is wanted under another.
 *
 * Its loads then take place wherever both guards have in common what they ask, and the element is one of the array:
 * that is more than where either holds, and no address leaves its array. Where a version of the loops knows both
 * guards, so does it know this one. Choices ask for their own sections only (lower_paste.c), and hold there as well.
 *
 * Not where a computed index is reported: outside of the guard it was not asked for. Nor where a value changes along
 * the columns by its guard alone: what wants it now may be a row's. Counter-example to the union of both
 * guards: it is no box, and would be asked twice for each load. */
#include "fusion/lower.h"

static bool names(const fsr_guard *guard, int condition) {
    for (int i = 0; i < guard->n; ++i)
        if (guard->condition[i] == condition)
            return true;
    return false;
}

static fsr_guard guard_at(const fsr_lowering *l, int guard) {
    return guard ? l->k->guard[guard - 1] : (fsr_guard){0};
}

bool fsr_lower_serves(const fsr_lowering *l, int guard) {
    const fsr_guard given = guard_at(l, guard), wanted = guard_at(l, l->guard);
    for (int i = 0; i < given.n; ++i)
        if (!names(&wanted, given.condition[i]))
            return false;
    return true;
}

/* The conditions that both ask. */
static fsr_guard common_of(const fsr_lowering *l, int guard) {
    const fsr_guard given = guard_at(l, guard), wanted = guard_at(l, l->guard);
    fsr_guard common = {0};
    for (int i = 0; i < given.n; ++i)
        if (names(&wanted, given.condition[i]))
            common.condition[common.n++] = given.condition[i];
    return common;
}

/* Adds the conditions under which an index is one of an array of that shape. False: they are too many. */
static bool add_inside(fsr_lowering *l, fsr_guard *guard, const fsr_index *index, const fsr_shape *shape) {
    if (l->k->nconditions + index->n > FSR_MAX_CONDITIONS || guard->n + index->n > FSR_MAX_GUARD ||
        l->k->nguards + 2 > FSR_MAX_GUARDS)
        return false;
    for (int j = 0; j < index->n; ++j) {
        fsr_box box;
        const int64_t extent = index->flat ? fsr_shape_size(shape) : shape->dim[j];
        const fsr_truth truth = fsr_box_make(&box, &index->row[j], extent, &l->group->domain);
        if (truth == FSR_NEVER || index->row[j].nterms || index->row[j].over)
            return false;
        if (truth == FSR_SOMETIMES && !fsr_lower_condition(l, guard, &box))
            return false;
    }
    return true;
}

/* The guard of a load (1 + number) that was evaluated under `from` and shall take place where `common` holds too; -1:
 * there is none. It asks nothing new but for its element: others may share the load, which an earlier widening let
 * ask less. */
static int widened(fsr_lowering *l, int load, const fsr_guard *from, const fsr_guard *common) {
    const fsr_guard old = guard_at(l, l->k->inst[load].guard);
    const fsr_level level = fsr_lower_level(l, &l->address[l->k->inst[load].index]);
    fsr_guard guard = {0};
    fsr_link link;
    fsr_index index;
    for (int i = 0; i < old.n; ++i)
        if (names(common, old.condition[i]) || !names(from, old.condition[i]))
            guard.condition[guard.n++] = old.condition[i];
    if (!fsr_memo_place(l->memo, load, &link, &index) || !add_inside(l, &guard, &index, &l->flow->node[link.id].shape))
        return -1;
    const int to = guard.n ? fsr_lower_guard(l, &guard) : 0;
    const bool by_column = to > 0 && fsr_lower_guard_level(l, to - 1) == FSR_ELEM;
    return (guard.n && !to) || (by_column && level == FSR_ROW) || level != l->k->stand[load].level ? -1 : to;
}

/* Marks what the value is made of. False: an index is reported there, or brought inside for each column by its guard
 * alone. */
static bool mark(const fsr_kernel *k, int inst, bool *made) {
    for (int i = 0; i < k->ninsts; ++i)
        made[i] = i == inst;
    for (int i = inst; i >= 0; --i) {
        int argument[FSR_MAX_ARGUMENTS], n = made[i] ? fsr_inst_arguments(k, i, argument) : 0;
        for (int a = 0; a < n; ++a)
            made[argument[a]] = true;
        if (made[i] && k->inst[i].kind == FSR_INST_INSIDE && k->inst[i].guard &&
            (k->inst[i].report || k->stand[i].level == FSR_ELEM))
            return false;
    }
    return true;
}

bool fsr_lower_widen(fsr_lowering *l, int inst, int *guard) {
    const fsr_guard from = guard_at(l, *guard), common = common_of(l, *guard);
    int to[FSR_MAX_INSTS], place;
    bool made[FSR_MAX_INSTS];
    if (!mark(l->k, inst, made))
        return false;
    for (int i = 0; i <= inst; ++i) {
        const fsr_inst *at = &l->k->inst[i];
        to[i] = -1;
        if (made[i] && at->kind == FSR_INST_LOAD && at->guard && (to[i] = widened(l, i, &from, &common)) < 0)
            return false;
    }
    if ((place = common.n ? fsr_lower_guard(l, &common) : 0) == 0 && common.n)
        return false;
    for (int i = 0; i <= inst; ++i)
        if (to[i] >= 0)
            l->k->inst[i].guard = to[i];
    *guard = place;
    return true;
}
