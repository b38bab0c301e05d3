/* SPDX-License-Identifier: MIT */
/* What a filter's store says of its kernel, and whether it is true.
 *
 * That a value counts a mask is the claim of whoever lowered it. It is checked by what the operations give, of
 * whatever name they are.
 *
 * Counter-example to a store of any mask and count: one that another kernel has counted, as where fusion is off. The
 * mask's elements may then be looked at in any order, and nobody counts. */
#include "fusion/filter.h"

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

bool fsr_kernel_filters(const fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].filter)
            return true;
    return false;
}
