/* SPDX-License-Identifier: MIT */
/* Checks scalar programs: an operator's, a loop's. Steps refer to earlier ones, and every step, argument and result has
 * the dtype that its users take it for. */
#include "graph/verify.h"

/* A scalar program: an operator's or a loop's. */
typedef struct steps {
    const fsr_step *step;
    int n;
    const fsr_dtype *argument;
    int narguments;
} steps;

static const char *check_op_step(steps s, int i) {
    const fsr_step *step = &s.step[i];
    if ((unsigned)step->op >= FSR_OP_COUNT || !fsr_op_defined(step->op, step->compute))
        return "an op of the program";
    const fsr_op_info *info = fsr_op_get(step->op);
    fsr_dtype expected = fsr_op_result(step->op, step->compute);
    if (expected != FSR_DTYPE_COUNT && expected != step->dtype)
        return "dtype of the program's step";
    for (int k = 0; k < info->arity; k++) {
        if (step->arg[k] < 0 || step->arg[k] >= i)
            return "a step of the program refers to a later one";
        bool condition = info->rule == FSR_RULE_SELECT && k == 0;
        if (s.step[step->arg[k]].dtype != (condition ? FSR_BOOL : step->compute))
            return "an operand's dtype in the program";
    }
    return NULL;
}

static const char *check_step(steps s, int i) {
    const fsr_step *step = &s.step[i];
    if ((unsigned)step->dtype >= FSR_DTYPE_COUNT)
        return "dtype of the program's step";
    if (step->kind == FSR_STEP_OP)
        return check_op_step(s, i);
    bool known = step->kind == FSR_STEP_CONST || (step->index >= 0 && step->index < s.narguments);
    return known && (step->kind == FSR_STEP_CONST || step->dtype == s.argument[step->index])
               ? NULL
               : "an argument of the program";
}

static const char *check_steps(steps s) {
    for (int i = 0; i < s.n; i++) {
        const char *wrong = check_step(s, i);
        if (wrong)
            return wrong;
    }
    return NULL;
}

const char *fsr_combine_check(const fsr_applied *a) {
    const fsr_combine *c = a->n->combine;
    if (!c)
        return "no operator";
    if (c->arity != a->n->nout || c->arity != a->n->nargs || c->nsteps < 0 || c->nsteps > FSR_MAX_STEPS)
        return "arity";
    for (int i = 0; i < c->arity; i++) {
        if (c->dtype[i] != a->n->dtype[i] || c->dtype[i] != fsr_applied_dtype(a, i))
            return "dtype of a component";
        if (c->result[i] < 0 || c->result[i] >= c->nsteps || c->step[c->result[i]].dtype != c->dtype[i])
            return "result of the operator";
    }
    fsr_dtype both[2 * FSR_MAX_TUPLE];
    for (int i = 0; i < 2 * c->arity; i++)
        both[i] = c->dtype[i % c->arity];
    return check_steps((steps){c->step, c->nsteps, both, 2 * c->arity});
}

const char *fsr_iteration_check(const fsr_applied *a) {
    const fsr_iteration *l = a->n->loop;
    if (!l)
        return "no loop";
    if (l->nstate < 1 || l->narg < 0 || l->nstate + 1 != a->n->nout || l->nstate + l->narg != a->n->nargs ||
        l->nsteps < 1 || l->nsteps > FSR_MAX_LOOP_STEPS)
        return "arity";
    if (l->max_n < 0 || l->max_n > INT32_MAX)
        return "count of the loop";
    for (int i = 0; i < a->n->nargs; i++) {
        if (l->dtype[i] != fsr_applied_dtype(a, i))
            return "dtype of the loop's argument";
    }
    const char *wrong = check_steps((steps){l->step, l->nsteps, l->dtype, a->n->nargs});
    if (wrong)
        return wrong;
    if (l->condition < 0 || l->condition >= l->nsteps || l->step[l->condition].dtype != FSR_BOOL)
        return "condition of the loop";
    for (int i = 0; i < l->nstate; i++)
        if (a->n->dtype[i] != l->dtype[i] || l->result[i] < 0 || l->result[i] >= l->nsteps ||
            l->step[l->result[i]].dtype != l->dtype[i])
            return "result of the loop";
    return a->n->dtype[l->nstate] != FSR_I32 ? "dtype of the count" : NULL;
}
