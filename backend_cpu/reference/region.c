/* SPDX-License-Identifier: MIT */
/* Regions in ball arithmetic. */
#include "backend_cpu/reference/ball.h"

/* An element of a table; where an index is not known for sure it may be any, of which nothing is known. */
static fsr_ball take(const fsr_inst *inst, const fsr_ball_tables *tables, const fsr_ball *value) {
    int64_t index[FSR_MAX_DIMS];
    for (int k = 0; k < inst->component; k++) {
        if (value[inst->arg[k]].radius != 0)
            return fsr_ball_unknown(inst->dtype);
        index[k] = fsr_ball_center_value(FSR_I64, &value[inst->arg[k]]).i64;
    }
    return tables->take(tables->user, inst, index);
}

void fsr_ball_region(const fsr_region *r, int from, int to, const fsr_ball *argument, fsr_ball_mode mode,
                     const fsr_ball_tables *tables, fsr_ball *value) {
    for (int i = from; i < to; i++) {
        const fsr_inst *inst = &r->inst[i];
        fsr_ball x[3];
        if (inst->kind == FSR_INST_PARAM) {
            fsr_balls_copy(&value[i], &argument[inst->index], 1);
        } else if (inst->kind == FSR_INST_CONST) {
            value[i] = fsr_ball_from_value(inst->dtype, inst->value);
        } else if (inst->kind == FSR_INST_LOAD) {
            value[i] = take(inst, tables, value);
        } else {
            for (int k = 0; k < fsr_op_get(inst->op)->arity; k++)
                fsr_balls_copy(&x[k], &value[inst->arg[k]], 1);
            value[i] = fsr_ball_op(inst->op, inst->compute, inst->dtype, x, mode);
        }
    }
}
