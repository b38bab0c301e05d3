/* SPDX-License-Identifier: MIT */
/* In which passes a kernel computes what: each value in the first one that reads it, and the loops of its elements
 * (ITERATE) in one each.
 *
 * A store may wait: it goes to the last pass in which its loops are needed. Counter-example to storing as soon as the
 * value is there: y is folded in pass 1, beside the maximum of something else found in pass 0; storing y in pass 0 as
 * well would run its loop twice. */
#include "fusion/loop_ir_edit.h"

_Static_assert(FSR_MAX_LOOPS <= 8, "a bit each");

/* Bit l of uses[i]: instruction i needs loop l, by values of each element. */
static void find_uses(const fsr_kernel *k, uint8_t *uses) {
    for (int i = 0; i < k->ninsts; i++) {
        const fsr_inst *inst = &k->inst[i];
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, i, argument);
        uses[i] = inst->kind == FSR_INST_ITERATE ? (uint8_t)(1u << inst->index) : 0;
        for (int a = 0; a < n; a++)
            uses[i] |= k->stand[argument[a]].level == FSR_ELEM ? uses[argument[a]] : 0;
        if (fsr_picks_fold(k, inst) && k->stand[i].level == FSR_ELEM)
            uses[i] = uses[inst->arg[0]];
    }
}

/* The instruction makes its pass run loop l. A scan does not before somebody reads it, but somebody will. */
static bool runs(const fsr_kernel *k, int number, uint8_t uses, int l) {
    const fsr_inst_kind kind = k->inst[number].kind;
    const bool root = kind == FSR_INST_STORE || kind == FSR_INST_COMBINE;
    return root && k->stand[number].level == FSR_ELEM && (uses >> l & 1);
}

int fsr_kernel_loop_passes(const fsr_kernel *k, int loop) {
    uint8_t uses[FSR_MAX_INSTS];
    int passes = 0;
    find_uses(k, uses);
    for (int p = 0; p < k->npasses; p++) {
        bool any = false;
        for (int i = 0; i < k->ninsts; i++)
            any = any || (k->stand[i].pass == p && runs(k, i, uses[i], loop));
        passes += any;
    }
    return passes;
}

void fsr_kernel_join_stores(fsr_kernel *k) {
    uint8_t uses[FSR_MAX_INSTS];
    if (!k->nloops)
        return;
    find_uses(k, uses);
    for (int round = 0; round < k->nloops; round++)
        for (int l = 0; l < k->nloops; l++) {
            int last = 0;
            for (int i = 0; i < k->ninsts; i++)
                if (runs(k, i, uses[i], l) && k->stand[i].pass > last)
                    last = k->stand[i].pass;
            for (int i = 0; i < k->ninsts; i++)
                if (k->inst[i].kind == FSR_INST_STORE && runs(k, i, uses[i], l))
                    k->stand[i].pass = last;
        }
}

/* A value of an element that may be computed in any pass from those of its arguments on; of a row, an operation: what
 * it loads may come while the elements are folded. */
static bool may_wait(const fsr_kernel *k, int i) {
    const fsr_inst_kind kind = k->inst[i].kind;
    if (k->stand[i].level == FSR_ROW)
        return kind == FSR_INST_OP;
    return k->stand[i].level == FSR_ELEM && kind != FSR_INST_STORE && kind != FSR_INST_COMBINE &&
           kind != FSR_INST_PICK && kind != FSR_INST_ITERATE;
}

/* The first pass that reads the value; -1: none. No pass is before the value's own. */
static int first_reader(const fsr_kernel *k, int value) {
    int first = -1;
    for (int j = value + 1; j < k->ninsts && first != k->stand[value].pass; ++j) {
        const int pass = k->stand[j].pass;
        if ((first < 0 || pass < first) && fsr_inst_reads(k, j, value))
            first = pass;
    }
    return first;
}

void fsr_kernel_sink(fsr_kernel *k) {
    for (int i = 0; k->npasses && i < k->ninsts; ++i) {
        int argument[FSR_MAX_ARGUMENTS], n = may_wait(k, i) ? fsr_inst_arguments(k, i, argument) : 0;
        k->stand[i].pass = may_wait(k, i) ? 0 : k->stand[i].pass;
        for (int a = 0; a < n; ++a)
            fsr_stand_behind(&k->stand[i], &k->stand[argument[a]]);
    }
    for (int i = k->ninsts - 1; k->npasses && i >= 0; --i) {
        const int first = may_wait(k, i) ? first_reader(k, i) : -1;
        if (first > k->stand[i].pass)
            k->stand[i].pass = first;
    }
}
