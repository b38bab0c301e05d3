/* SPDX-License-Identifier: MIT */
/* Operators of reductions and scans, and loops: the built-in operators, evaluation, equality.
 *
 * Equality is of what the program computes step by step, not of bytes: a step's unused fields (the arguments of a
 * constant) do not matter. Constants are compared by their bits. Counter-example to comparing them with ==: +0.0 and
 * -0.0 are equal but 1/x is not, and a NaN would never equal itself, so the plan cache would never hit. */
#include "graph/program.h"
#include <string.h>

void fsr_combine_builtin(fsr_combine *out, fsr_op op, fsr_dtype dtype) {
    memset(out, 0, sizeof *out);
    out->arity = 1;
    out->dtype[0] = dtype;
    out->identity[0] = fsr_op_identity(op, dtype);
    out->commutative = (fsr_op_get(op)->flags & FSR_OP_COMMUTATIVE) != 0;
    out->builtin = true;
    out->op = op;
    out->nsteps = 3;
    out->step[0] = (fsr_step){.kind = FSR_STEP_ARG, .dtype = dtype, .index = 0};
    out->step[1] = (fsr_step){.kind = FSR_STEP_ARG, .dtype = dtype, .index = 1};
    out->step[2] = (fsr_step){.kind = FSR_STEP_OP, .dtype = dtype, .compute = dtype, .op = op, .arg = {0, 1}};
    out->result[0] = 2;
}

void fsr_steps_eval(const fsr_step *step, int from, int n, const fsr_value *argument, fsr_value *value) {
    for (int i = from; i < n; i++) {
        const fsr_step *s = &step[i];
        if (s->kind == FSR_STEP_ARG) {
            value[i] = argument[s->index];
        } else if (s->kind == FSR_STEP_CONST) {
            value[i] = s->value;
        } else {
            fsr_value args[3] = {{.bits = 0}};
            for (int k = 0; k < fsr_op_get(s->op)->arity; k++)
                args[k] = value[s->arg[k]];
            value[i] = fsr_op_eval(s->op, s->compute, s->dtype, args);
        }
    }
}

void fsr_combine_eval(const fsr_combine *c, fsr_value *out, const fsr_value *left, const fsr_value *right) {
    fsr_value value[FSR_MAX_STEPS], argument[2 * FSR_MAX_TUPLE];
    memcpy(argument, left, sizeof *left * (size_t)c->arity);
    memcpy(argument + c->arity, right, sizeof *right * (size_t)c->arity);
    fsr_steps_eval(c->step, 0, c->nsteps, argument, value);
    for (int i = 0; i < c->arity; i++)
        out[i] = value[c->result[i]];
}

static bool step_equal(const fsr_step *a, const fsr_step *b) {
    if (a->kind != b->kind || a->dtype != b->dtype)
        return false;
    switch (a->kind) {
    case FSR_STEP_ARG: return a->index == b->index;
    case FSR_STEP_CONST: return fsr_value_equal(a->value, b->value);
    case FSR_STEP_OP: break;
    }
    if (a->op != b->op || a->compute != b->compute)
        return false;
    for (int k = 0; k < fsr_op_get(a->op)->arity; k++)
        if (a->arg[k] != b->arg[k])
            return false;
    return true;
}

bool fsr_steps_equal(const fsr_step *a, const fsr_step *b, int n) {
    for (int i = 0; i < n; i++)
        if (!step_equal(&a[i], &b[i]))
            return false;
    return true;
}

bool fsr_combine_equal(const fsr_combine *a, const fsr_combine *b) {
    if (a->arity != b->arity || a->nsteps != b->nsteps || a->commutative != b->commutative || a->builtin != b->builtin)
        return false;
    for (int i = 0; i < a->arity; i++)
        if (a->dtype[i] != b->dtype[i] || !fsr_value_equal(a->identity[i], b->identity[i]) ||
            a->result[i] != b->result[i])
            return false;
    return fsr_steps_equal(a->step, b->step, a->nsteps);
}

void fsr_iteration_eval(const fsr_iteration *loop, fsr_value *out, const fsr_value *argument) {
    fsr_value x[FSR_MAX_ARGS], value[FSR_MAX_LOOP_STEPS];
    int64_t n = 0;
    memcpy(x, argument, sizeof *x * (size_t)(loop->nstate + loop->narg));
    for (; n < loop->max_n; n++) {
        fsr_steps_eval(loop->step, 0, loop->condition + 1, x, value);
        if (!value[loop->condition].b)
            break;
        fsr_steps_eval(loop->step, loop->condition + 1, loop->nsteps, x, value);
        for (int i = 0; i < loop->nstate; i++)
            x[i] = value[loop->result[i]];
    }
    memcpy(out, x, sizeof *x * (size_t)loop->nstate);
    out[loop->nstate] = fsr_value_from_int(FSR_I32, n);
}

bool fsr_iteration_equal(const fsr_iteration *a, const fsr_iteration *b) {
    if (a->nstate != b->nstate || a->narg != b->narg || a->max_n != b->max_n || a->nsteps != b->nsteps ||
        a->condition != b->condition)
        return false;
    for (int i = 0; i < a->nstate + a->narg; i++)
        if (a->dtype[i] != b->dtype[i])
            return false;
    for (int i = 0; i < a->nstate; i++)
        if (a->result[i] != b->result[i])
            return false;
    return fsr_steps_equal(a->step, b->step, a->nsteps);
}
