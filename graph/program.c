/* SPDX-License-Identifier: MIT */
/* Operators of reductions and scans, and loops: the built-in operators, evaluation, equality, the rules. */
#include "graph/program.h"
#include <stdlib.h>
#include <string.h>

/* ---- operators ---------------------------------------------------------------------------------------------- */

fsr_combine *fsr_combine_builtin(fsr_op op, fsr_dtype dtype) {
    fsr_combine *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->arity = 1;
    c->identity[0] = fsr_op_identity(op, dtype);
    c->commutative = (fsr_op_get(op)->flags & FSR_OP_COMMUTATIVE) != 0;
    c->builtin = true;
    c->op = op;
    c->body = (fsr_region){.nargs = 2, .arg = {dtype, dtype}, .nresults = 1};
    for (int i = 0; i < 2; i++)
        fsr_region_add(&c->body, &(fsr_inst){.kind = FSR_INST_PARAM, .dtype = dtype, .compute = dtype, .index = i});
    c->body.result[0] = fsr_region_add(
        &c->body, &(fsr_inst){.kind = FSR_INST_OP, .dtype = dtype, .compute = dtype, .op = op, .arg = {0, 1}});
    if (c->body.ninsts == 3)
        return c;
    fsr_combine_free(c);
    return NULL;
}

fsr_combine *fsr_combine_copy(const fsr_combine *c) {
    fsr_combine *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *c;
    if (fsr_region_copy(&copy->body, &c->body))
        return copy;
    free(copy);
    return NULL;
}

void fsr_combine_free(fsr_combine *c) {
    if (c)
        fsr_region_clear(&c->body);
    free(c);
}

void fsr_combine_eval(const fsr_combine *c, fsr_value *out, const fsr_value *left, const fsr_value *right) {
    fsr_value value[FSR_MAX_BODY_INSTS], argument[2 * FSR_MAX_TUPLE];
    fsr_values_copy(argument, left, c->arity);
    fsr_values_copy(argument + c->arity, right, c->arity);
    if (c->builtin) {
        out[0] = fsr_op_eval(c->op, c->body.arg[0], c->body.arg[0], argument);
        return;
    }
    fsr_region_eval(&c->body, 0, c->body.ninsts, argument, NULL, value);
    for (int i = 0; i < c->arity; i++)
        fsr_values_copy(&out[i], &value[c->body.result[i]], 1);
}

bool fsr_combine_equal(const fsr_combine *a, const fsr_combine *b) {
    if (a->arity != b->arity || a->commutative != b->commutative || a->sequential != b->sequential ||
        a->builtin != b->builtin)
        return false;
    for (int i = 0; i < a->arity; i++)
        if (!fsr_value_equal(a->identity[i], b->identity[i]))
            return false;
    return fsr_region_equal(&a->body, &b->body);
}

/* Result i, if it is there, has the dtype of argument i. */
static bool gives(const fsr_region *r, int i) {
    return r->inst[r->result[i]].dtype == r->arg[i];
}

const char *fsr_combine_check(const fsr_combine *c, int *at) {
    *at = -1;
    if (c->arity < 1 || c->arity > FSR_MAX_TUPLE || c->body.nargs < 2 * c->arity || c->body.nresults != c->arity)
        return "a wrong size";
    if (c->sequential && (c->commutative || c->builtin))
        return "a sequence that is an operation, or commutes";
    const char *wrong = fsr_region_check(&c->body, FSR_IN_OPERATOR, at);
    for (int i = 0; i < c->arity && !wrong; i++)
        if (c->body.arg[i] != c->body.arg[c->arity + i] || !gives(&c->body, i))
            wrong = "a result of another dtype than the state's";
    return wrong;
}

/* ---- loops ---------------------------------------------------------------------------------------------------- */

fsr_iteration *fsr_iteration_copy(const fsr_iteration *loop) {
    fsr_iteration *copy = malloc(sizeof *copy);
    if (!copy)
        return NULL;
    *copy = *loop;
    if (fsr_region_copy(&copy->body, &loop->body))
        return copy;
    free(copy);
    return NULL;
}

void fsr_iteration_free(fsr_iteration *loop) {
    if (loop)
        fsr_region_clear(&loop->body);
    free(loop);
}

void fsr_iteration_eval(const fsr_iteration *loop, fsr_value *out, const fsr_value *argument, const fsr_table *table) {
    const fsr_region *r = &loop->body;
    const int condition = fsr_iteration_condition(loop);
    fsr_value x[FSR_MAX_REGION_ARGS], value[FSR_MAX_BODY_INSTS];
    int64_t n = 0;
    memcpy(x, argument, sizeof *x * (size_t)r->nargs);
    for (; n < loop->max_n; n++) {
        fsr_region_eval(r, 0, condition + 1, x, table, value);
        if (!value[condition].b)
            break;
        fsr_region_eval(r, condition + 1, r->ninsts, x, table, value);
        for (int i = 0; i < loop->nstate; i++)
            x[i] = value[r->result[i]];
    }
    memcpy(out, x, sizeof *x * (size_t)loop->nstate);
    out[loop->nstate] = fsr_value_from_int(FSR_I32, n);
}

bool fsr_iteration_equal(const fsr_iteration *a, const fsr_iteration *b) {
    return a->nstate == b->nstate && a->narg == b->narg && a->max_n == b->max_n && fsr_region_equal(&a->body, &b->body);
}

const char *fsr_iteration_check(const fsr_iteration *loop, int *at) {
    *at = -1;
    if (loop->nstate < 1 || loop->nstate > FSR_MAX_STATE || loop->narg < 0 ||
        loop->body.nargs < loop->nstate + loop->narg || loop->body.nresults != loop->nstate + 1)
        return "a wrong size";
    if (loop->max_n < 0 || loop->max_n > INT32_MAX)
        return "a wrong count";
    const char *wrong = fsr_region_check(&loop->body, FSR_IN_BODY, at);
    for (int i = 0; i < loop->nstate && !wrong; i++)
        if (!gives(&loop->body, i))
            wrong = "a result of another dtype than the state's";
    if (!wrong && loop->body.inst[fsr_iteration_condition(loop)].dtype != FSR_BOOL)
        wrong = "a condition that is not bool";
    return wrong;
}
