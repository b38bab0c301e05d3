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
 * That a value counts a mask is the claim of whoever lowered it; it is checked, not looked for. */
#include "fusion/loop_ir.h"
#include <string.h>

bool fsr_counts_mask(const fsr_kernel *k, int before, int mask) {
    const fsr_inst *result = &k->inst[before];
    if (!fsr_picks_fold(k, result) || k->inst[mask].dtype != FSR_BOOL)
        return false;
    const fsr_fold *fold = &k->fold[result->index];
    const fsr_combine *c = fold->combine;
    const fsr_inst *one = &k->inst[fold->input[0]];
    return fold->kind == FSR_FOLD_SCAN && fold->exclusive && c->builtin && c->op == FSR_OP_ADD &&
           (fsr_combine_dtype(c, 0) == FSR_I32 || fsr_combine_dtype(c, 0) == FSR_I64) && one->kind == FSR_INST_OP &&
           one->op == FSR_OP_CAST && one->arg[0] == mask;
}

bool fsr_kernel_compacts(const fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].filter == FSR_FILTER_COMPACTED)
            return true;
    return false;
}

/* ---- what nobody reads any more --------------------------------------------------------------------------- */

static void find_used(const fsr_kernel *k, bool *used) {
    memset(used, 0, FSR_MAX_INSTS * sizeof *used);
    for (int i = k->ninsts - 1; i >= 0; i--) {
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, i, argument);
        used[i] |= k->inst[i].kind == FSR_INST_STORE || k->inst[i].kind == FSR_INST_COMBINE || k->inst[i].report;
        for (int a = 0; used[i] && a < n; a++)
            used[argument[a]] = true;
    }
}

/* The rest moves up; numbers follow. */
static void remove_unused(fsr_kernel *k) {
    bool used[FSR_MAX_INSTS];
    int at[FSR_MAX_INSTS] = {0}, n = 0;
    find_used(k, used);
    for (int i = 0; i < k->ninsts; i++) {
        if (!used[i])
            continue;
        at[i] = n;
        k->inst[n] = k->inst[i];
        for (int a = 0; a < FSR_MAX_OPERANDS; a++)
            k->inst[n].arg[a] = k->inst[i].arg[a] < 0 ? -1 : at[k->inst[i].arg[a]];
        n++;
    }
    k->ninsts = n;
    for (int f = 0; f < k->nforms; f++)
        for (int t = 0; t < k->form[f].nterms; t++)
            k->form[f].term[t].value = at[k->form[f].term[t].value];
    for (int f = 0; f < k->nfolds; f++)
        for (int c = 0; c < k->fold[f].combine->arity; c++)
            k->fold[f].input[c] = at[k->fold[f].input[c]];
    for (int l = 0; l < k->nloops; l++)
        for (int a = 0; a < k->loop[l].program->nstate + k->loop[l].program->narg; a++)
            k->loop[l].input[a] = at[k->loop[l].input[a]];
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
