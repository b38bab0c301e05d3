/* SPDX-License-Identifier: MIT */
/* Instructions whose values nobody reads go from a kernel.
 *
 * What a kernel is for stays: stores, folds, indices that are reported, and the count that ends a map; with all that
 * they are made of. The rest moves up. A fold stays though nobody reads its result, as others may ask its kernel to
 * store it.
 *
 * Counter-example to leaving them where they are, as a compiler would remove them anyway: what is taken from an array
 * of one element along an axis is the same element whatever index is computed. Where that index is made of a fold of
 * the same kernel, the pass behind the fold would have nothing to do. */
#include "fusion/loop_ir_edit.h"
#include <string.h>

static void find_used(const fsr_kernel *k, bool *used) {
    memset(used, 0, FSR_MAX_INSTS * sizeof *used);
    if (k->live)
        used[k->live - 1] = true;
    for (int i = k->ninsts - 1; i >= 0; i--) {
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, i, argument);
        used[i] |= k->inst[i].kind == FSR_INST_STORE || k->inst[i].kind == FSR_INST_COMBINE || k->inst[i].report;
        for (int a = 0; used[i] && a < n; a++)
            used[argument[a]] = true;
    }
}

/* How many of what it names may be instructions: what lies behind a call's values are its arrays. */
static int named(const fsr_kernel *k, const fsr_inst *inst) {
    return inst->kind == FSR_INST_CALL ? k->routine[inst->index]->nparams : FSR_MAX_OPERANDS;
}

/* The new number of what an instruction names; -1: nothing. */
static int moved(const int *at, int number) {
    return number < 0 ? -1 : at[number];
}

void fsr_kernel_renumber(fsr_kernel *k, int first, const int *at) {
    for (int i = first; i < k->ninsts; i++)
        for (int a = 0; a < named(k, &k->inst[i]); a++)
            k->inst[i].arg[a] = moved(at, k->inst[i].arg[a]);
    for (int f = 0; f < k->nfolds; f++)
        for (int c = 0; c < k->fold[f].combine->arity; c++)
            k->fold[f].input[c] = moved(at, k->fold[f].input[c]);
    for (int l = 0; l < k->nloops; l++)
        for (int a = 0; a < k->loop[l].program->nstate + k->loop[l].program->narg; a++)
            k->loop[l].input[a] = moved(at, k->loop[l].input[a]);
    k->live = 1 + moved(at, k->live - 1);
}

void fsr_kernel_drop_unused(fsr_kernel *k, int *at) {
    bool used[FSR_MAX_INSTS];
    int n = 0;
    find_used(k, used);
    for (int i = 0; i < k->ninsts; i++)
        at[i] = used[i] ? n++ : -1;
    if (n == k->ninsts)
        return;
    for (int i = 0; i < k->ninsts; i++)
        if (used[i]) {
            k->inst[at[i]] = k->inst[i];
            k->stand[at[i]] = k->stand[i];
        }
    k->ninsts = n;
    fsr_kernel_renumber(k, 0, at);
}
