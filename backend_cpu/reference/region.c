/* SPDX-License-Identifier: MIT */
/* Regions in ball arithmetic. */
#include "backend_cpu/reference/ball.h"

void fsr_ball_region(const fsr_region *r, int from, int to, const fsr_ball *argument, fsr_ball_mode mode,
                     fsr_ball *value) {
    for (int i = from; i < to; i++) {
        const fsr_inst *inst = &r->inst[i];
        fsr_ball x[3];
        if (inst->kind == FSR_INST_PARAM) {
            fsr_balls_copy(&value[i], &argument[inst->index], 1);
        } else if (inst->kind == FSR_INST_CONST) {
            value[i] = fsr_ball_from_value(inst->dtype, inst->value);
        } else {
            for (int k = 0; k < fsr_op_get(inst->op)->arity; k++)
                fsr_balls_copy(&x[k], &value[inst->arg[k]], 1);
            value[i] = fsr_ball_op(inst->op, inst->compute, inst->dtype, x, mode);
        }
    }
}
