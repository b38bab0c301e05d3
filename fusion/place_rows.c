/* SPDX-License-Identifier: MIT */
/* Gathers of a map's short rows, for which the rows before ask (schedule.fetched, with `width`): what their places are
 * made of, and of which arrays that can be said.
 *
 * A place is made of what the row loads in order and of operations of that, so that it can be computed for a row some
 * turns later. Places that hang on guards or on other gathers are left alone, and so are loops in runs of versions.
 *
 * Short rows of which each element takes one of its own are taken together where they may be (schedule_walks.c), and
 * ask for nothing: what is left are whole rows from computed places, rows too few or too long for that, and those whose
 * indices, or guarded places, stand in one loop.
 *
 * Counter-example to leaving it to the processor: a loop over rows of eight waits for eight gathers with little else to
 * do, and with stores and loads of other arrays beside them it does not look as far as the next row: 2,012,720 elements
 * from anywhere in 8 MB, multiplied and added to others, took 28 ms of one thread of a Xeon, 15 without these, and 11
 * so. */
#include "fusion/nest.h"
#include "fusion/walk.h"

/* Marks what value `number` is made of, itself too; false: it cannot be computed for another row. */
static bool mark_place(const fsr_kernel *k, int number, bool *marked) {
    const fsr_inst *inst = &k->inst[number];
    int argument[FSR_MAX_ARGUMENTS];
    if (k->stand[number].level == FSR_ONCE || inst->kind == FSR_INST_CONST || inst->kind == FSR_INST_PARAM)
        return true;
    if (marked[number])
        return true;
    if (inst->kind == FSR_INST_LOAD) {
        const fsr_access *access = &k->access[inst->index];
        if (fsr_access_form(k, inst->index)->nterms || fsr_inst_guard(inst) >= 0 || k->array[access->buffer].written)
            return false;
    } else if (inst->kind != FSR_INST_OP && inst->kind != FSR_INST_INSIDE) {
        return false;
    }
    marked[number] = true;
    const int n = fsr_inst_arguments(k, number, argument);
    for (int a = 0; a < n; ++a)
        if (!mark_place(k, argument[a], marked))
            return false;
    return true;
}

bool fsr_row_place(const fsr_kernel *k, int number, bool *marked) {
    const fsr_inst *inst = &k->inst[number];
    const fsr_index_form *form = inst->kind == FSR_INST_LOAD ? fsr_access_form(k, inst->index) : NULL;
    bool moves = false;
    if (!form || form->divisor || fsr_inst_guard(inst) >= 0 || k->array[k->access[inst->index].buffer].written)
        return false;
    for (int t = 0; t < form->nterms; ++t) {
        moves = moves || k->stand[form->term[t].value].level != FSR_ONCE;
        if (!mark_place(k, form->term[t].value, marked))
            return false;
    }
    return moves;
}

bool fsr_load_is_placed_first(const fsr_kernel *k, int load) {
    const fsr_inst *inst = &k->inst[load];
    bool marked[FSR_MAX_INSTS] = {false}, first = true;
    if (fsr_inst_guard(inst) >= 0)
        return false;
    if (!fsr_access_form(k, inst->index)->nterms)
        return true;
    first = fsr_row_place(k, load, marked);
    for (int i = 0; i < load; ++i)
        first = first && !(marked[i] && k->inst[i].kind == FSR_INST_OP && fsr_inst_cost(k, i) >= FSR_FUNCTION);
    return first;
}

uint64_t fsr_kernel_may_fetch_rows(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    uint64_t arrays = 0;
    if (s->kind != FSR_SCHEDULE_MAP || !s->width ||
        (s->together ? s->walk[0].phased : s->walk[0].form != FSR_WALK_PLAIN) || k->npasses || s->nversions ||
        k->live || fsr_kernel_is_nest(k) || k->ndim < 2 || k->nparallel != k->ndim)
        return 0;
    for (int i = 0; i < k->ninsts; ++i) {
        bool marked[FSR_MAX_INSTS] = {false};
        if (fsr_row_place(k, i, marked))
            arrays |= UINT64_C(1) << k->access[k->inst[i].index].buffer;
    }
    return arrays;
}
