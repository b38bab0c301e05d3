/* SPDX-License-Identifier: MIT */
/* Instructions are appended to a kernel, in lowering and where a schedule makes more of them.
 *
 * A value stands where its arguments do, or further in. Where one of the arguments is -1, or there is no room, so is
 * the result: what is made of others asks once, at its end. What is computed already is found. */
#include "fusion/loop_ir_edit.h"
#include <string.h>

fsr_inst fsr_inst_blank(fsr_inst_kind kind, fsr_dtype dtype, int node) {
    fsr_inst inst = {.kind = kind, .dtype = dtype, .node = node};
    for (int i = 0; i < FSR_MAX_OPERANDS; ++i)
        inst.arg[i] = -1;
    return inst;
}

int fsr_kernel_add(fsr_kernel *k, const fsr_inst *inst, fsr_stand least) {
    if (k->ninsts == FSR_MAX_INSTS)
        return -1;
    fsr_stand *stand = &k->stand[k->ninsts];
    int argument[FSR_MAX_ARGUMENTS], n;
    k->inst[k->ninsts] = *inst;
    *stand = least;
    n = fsr_inst_arguments(k, k->ninsts, argument);
    for (int i = 0; i < n; ++i)
        fsr_stand_behind(stand, &k->stand[argument[i]]);
    return k->ninsts++;
}

static bool same_inst(const fsr_inst *a, const fsr_inst *b) {
    bool same = a->kind == b->kind && a->dtype == b->dtype && a->compute == b->compute && a->op == b->op &&
                a->index == b->index && a->guard == b->guard && a->mode == b->mode && a->report == b->report;
    return same && !memcmp(a->arg, b->arg, sizeof a->arg);
}

int fsr_kernel_add_once(fsr_kernel *k, const fsr_inst *inst, fsr_level least) {
    for (int i = 0; i < k->ninsts; ++i)
        if (same_inst(&k->inst[i], inst))
            return i;
    return fsr_kernel_add(k, inst, (fsr_stand){.level = least});
}

int fsr_kernel_constant(fsr_kernel *k, fsr_dtype dtype, fsr_value value, int node) {
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *at = &k->inst[i];
        if (at->kind == FSR_INST_CONST && at->node == node && at->dtype == dtype && fsr_value_equal(at->value, value))
            return i;
    }
    fsr_inst inst = fsr_inst_blank(FSR_INST_CONST, dtype, node);
    inst.value = value;
    return fsr_kernel_add(k, &inst, (fsr_stand){.level = FSR_ROW});
}

int fsr_kernel_op(fsr_kernel *k, fsr_op op, int a, int b, int c) {
    const int arity = fsr_op_get(op)->arity, last = arity == 3 ? c : b;
    if (a < 0 || b < 0 || last < 0)
        return -1;
    fsr_inst inst = fsr_inst_blank(FSR_INST_OP, k->inst[last].dtype, -1);
    inst.compute = inst.dtype;
    inst.op = op;
    inst.arg[0] = a;
    inst.arg[1] = b;
    inst.arg[2] = c;
    return fsr_kernel_add_once(k, &inst, FSR_ROW);
}

int fsr_kernel_cast(fsr_kernel *k, int value, fsr_dtype to) {
    if (value < 0 || k->inst[value].dtype == to)
        return value;
    fsr_inst inst = fsr_inst_blank(FSR_INST_OP, to, -1);
    inst.compute = k->inst[value].dtype;
    inst.op = FSR_OP_CAST;
    inst.arg[0] = value;
    return fsr_kernel_add_once(k, &inst, FSR_ROW);
}
