/* SPDX-License-Identifier: MIT */
/* Filters on a CPU: a placed store whose places count a mask becomes a store that compacts.
 *
 * A filter is recorded as an exclusive running count of its mask and a place of every element (primitives/filter.c):
 * the count before it where it is selected, else from the end. A GPU's threads each compute the place of an element. A
 * CPU goes along the columns in order, so it needs a count once, where it begins: the selected elements follow one
 * another up from there, the others down from a place of their own. The store then reads what it stores, the mask and
 * the count, and what computed the places goes.
 *
 * Counter-example to compacting every placed store: places that were computed otherwise, as a filter's of rows, are any
 * permutation.
 *
 * The places are recognized by their arithmetic, exactly as filters write it. A filter whose arithmetic a pass has
 * changed (of one element, say) stays what it is, which is right, and slower. */
#include "fusion/loop_ir.h"
#include <string.h>

static bool is_op(const fsr_inst *inst, fsr_op op) {
    return inst->kind == FSR_INST_OP && inst->op == op;
}

bool fsr_counts_mask(const fsr_kernel *k, int before, int mask) {
    const fsr_inst *result = &k->inst[before];
    if (result->kind != FSR_INST_RESULT || k->inst[mask].dtype != FSR_BOOL)
        return false;
    const fsr_fold *fold = &k->fold[result->index];
    const fsr_combine *c = fold->combine;
    if (fold->kind != FSR_FOLD_SCAN || !fold->exclusive || !c->builtin || c->op != FSR_OP_ADD ||
        (fsr_combine_dtype(c, 0) != FSR_I32 && fsr_combine_dtype(c, 0) != FSR_I64))
        return false;
    const fsr_inst *one = &k->inst[fold->input[0]];
    return is_op(one, FSR_OP_CAST) && one->arg[0] == mask;
}

/* before - i - 1: a negative place counts from the end. */
static bool is_from_end(const fsr_kernel *k, int value, int before) {
    const fsr_inst *less_one = &k->inst[value];
    if (!is_op(less_one, FSR_OP_SUB))
        return false;
    const fsr_inst *less = &k->inst[less_one->arg[0]], *one = &k->inst[less_one->arg[1]];
    if (!is_op(less, FSR_OP_SUB) || less->arg[0] != before || k->inst[less->arg[1]].kind != FSR_INST_INDEX)
        return false;
    return one->kind == FSR_INST_CONST && fsr_value_equal(one->value, fsr_value_from_int(one->dtype, 1));
}

static bool compact(fsr_kernel *k, fsr_inst *store) {
    const fsr_inst *where = &k->inst[store->arg[1]];
    if (!is_op(where, FSR_OP_WHERE) || !fsr_counts_mask(k, where->arg[1], where->arg[0]) ||
        !is_from_end(k, where->arg[2], where->arg[1]))
        return false;
    store->placed = false;
    store->compacted = true;
    store->arg[1] = where->arg[0];
    store->arg[2] = where->arg[1];
    return true;
}

/* ---- what nobody reads any more --------------------------------------------------------------------------- */

static void find_used(const fsr_kernel *k, bool *used) {
    memset(used, 0, FSR_MAX_INSTS * sizeof *used);
    for (int i = k->ninsts - 1; i >= 0; i--) {
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, i, argument);
        used[i] |= k->inst[i].kind == FSR_INST_STORE || k->inst[i].kind == FSR_INST_COMBINE;
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

void fsr_kernel_compact(fsr_kernel *k) {
    bool any = false;
    if (k->ndim != 1 || k->nparallel != 0 || k->npasses != 1)
        return;
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].placed)
            any |= compact(k, &k->inst[i]);
    if (any)
        remove_unused(k);
}
