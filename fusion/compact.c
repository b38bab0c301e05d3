/* SPDX-License-Identifier: MIT */
/* Filters once the schedule is known; see Filters in loop_ir.h.
 *
 * Lowering gives a filter's store both: the place that it computes for each element, and the mask and its count. Where
 * every thread is at some element, the place is what it needs. Who goes along the columns in order needs the count
 * once, where it begins: the selected elements follow one another up from there, the others down from a place of their
 * own. So what computed the places goes. All stores of a kernel go one way.
 *
 * Counter-example to compacting every filter: one whose count another kernel has stored, as where fusion is off. The
 * mask's elements may then be looked at in any order, and nobody counts.
 *
 * That a value counts a mask is the claim of whoever lowered it. It is checked by what the operations give, of
 * whatever name they are. */
#include "fusion/loop_ir.h"
#include <string.h>

/* One where the mask holds, and else zero. */
static bool is_one_of(const fsr_kernel *k, int number, int mask) {
    const fsr_inst *inst = &k->inst[number];
    bool good = inst->kind == FSR_INST_OP && inst->compute == FSR_BOOL && inst->arg[0] == mask;
    for (int holds = 0; good && holds < 2; holds++) {
        const fsr_value truth = fsr_value_from_int(FSR_BOOL, holds);
        good = fsr_op_get(inst->op)->arity == 1 && fsr_value_equal(fsr_op_eval(inst->op, FSR_BOOL, inst->dtype, &truth),
                                                                   fsr_value_from_int(inst->dtype, holds));
    }
    return good;
}

/* One and one are two: of the operations that associate a sum alone. */
static bool counts(const fsr_combine *c) {
    const fsr_dtype dtype = fsr_combine_dtype(c, 0);
    const fsr_value one = fsr_value_from_int(dtype, 1);
    fsr_value both[FSR_MAX_TUPLE];
    if (!c->builtin || (dtype != FSR_I32 && dtype != FSR_I64))
        return false;
    fsr_combine_eval(c, both, &one, &one);
    return fsr_value_equal(both[0], fsr_value_from_int(dtype, 2));
}

bool fsr_counts_mask(const fsr_kernel *k, int before, int mask) {
    const fsr_inst *result = &k->inst[before];
    if (!fsr_picks_fold(k, result) || k->inst[mask].dtype != FSR_BOOL)
        return false;
    const fsr_fold *fold = &k->fold[result->index];
    return fold->kind == FSR_FOLD_SCAN && fold->exclusive && counts(fold->combine) &&
           is_one_of(k, fold->input[0], mask);
}

bool fsr_kernel_compacts(const fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].filter == FSR_FILTER_COMPACTED)
            return true;
    return false;
}

/* ---- stores ------------------------------------------------------------------------------------------------- */

/* Where the element's row begins: the place is the address's only symbol, and nothing else moves along the columns. */
static bool is_row_and_place(const fsr_kernel *k, const fsr_inst *store) {
    const fsr_index_form *form = fsr_access_form(k, store->index);
    bool good = form->nterms == 1 && !form->term[0].slot && !form->divisor;
    for (int d = k->nparallel; d < k->ndim; d++)
        good = good && form->stride[d] == FSR_STRIDE_ZERO;
    return good;
}

static bool may_compact(const fsr_kernel *k) {
    bool good = true;
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].filter)
            good = good && is_row_and_place(k, &k->inst[i]);
    return good;
}

/* Stores of one filter share their address, to which nobody else has the symbol. */
static void drop_places(fsr_kernel *k) {
    fsr_index_form old[FSR_MAX_FORMS];
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].filter)
            k->form[k->access[k->inst[i].index].form].nterms = 0;
    memcpy(old, k->form, sizeof *old * (size_t)k->nforms);
    k->nforms = 0;
    for (int a = 0; a < k->naccesses; a++)
        k->access[a].form = fsr_kernel_form(k, &old[k->access[a].form]);
    for (int c = 0; c < k->nconditions; c++)
        k->condition[c].form = fsr_kernel_form(k, &old[k->condition[c].form]);
}

/* What nobody reads any more goes; a form that only that had loses its symbols. */
static void remove_unused(fsr_kernel *k) {
    int at[FSR_MAX_INSTS];
    fsr_kernel_drop_unused(k, at);
    for (int f = 0; f < k->nforms; f++) {
        fsr_index_form *form = &k->form[f];
        for (int t = 0; t < form->nterms; t++) {
            form->term[t].value = at[form->term[t].value];
            if (form->term[t].value < 0)
                form->nterms = 0;
        }
    }
}

void fsr_kernel_settle_filters(fsr_kernel *k, bool compacts) {
    bool any = false, all = compacts && may_compact(k);
    for (int i = 0; i < k->ninsts; i++)
        any |= k->inst[i].filter == FSR_FILTER_ADDRESSED;
    if (!any)
        return;
    if (all)
        drop_places(k);
    for (int i = 0; i < k->ninsts; i++) {
        fsr_inst *inst = &k->inst[i];
        if (inst->filter && all)
            inst->filter = FSR_FILTER_COMPACTED;
        else if (inst->filter)
            inst->arg[1] = inst->arg[2] = -1, inst->filter = FSR_FILTER_NONE, inst->front = false;
    }
    if (all)
        remove_unused(k);
}
