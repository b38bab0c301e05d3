/* SPDX-License-Identifier: MIT */
/* The operator of a reduction or scan, and the loop of an iterate, in the text form. Whether the steps fit each other
 * is the verifier's to say. */
#include "primitives/parse_lex.h"
#include "primitives/primitives.h"
#include <stdlib.h>
#include <string.h>

static bool builtin(fsr_lex *l, int arity, const fsr_dtype *dtype, fsr_combine *c) {
    char word[FSR_WORD_BYTES];
    const char *start = l->at;
    if (!fsr_lex_word(l, word))
        return false;
    fsr_op op = fsr_op_find(word);
    const fsr_op_info *info = op == FSR_OP_COUNT ? NULL : fsr_op_get(op);
    bool folds = info && (info->flags & FSR_OP_ASSOCIATIVE) && info->identity != FSR_IDENTITY_NONE && arity == 1;
    if (!folds || !fsr_op_defined(op, dtype[0])) {
        l->at = start;
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "%s does not fold these", word);
    }
    fsr_combine_builtin(c, op, dtype[0]);
    return true;
}

static bool op_step(fsr_lex *l, const char *word, int number, fsr_step *step) {
    step->kind = FSR_STEP_OP;
    step->op = fsr_op_find(word);
    if (step->op == FSR_OP_COUNT)
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "%s is no op", word);
    fsr_lex_dtype(l, &step->compute);
    step->dtype = step->compute;
    if (fsr_lex_try(l, ">"))
        fsr_lex_dtype(l, &step->dtype);
    for (int i = 0; i < fsr_op_get(step->op)->arity; i++) {
        int64_t arg;
        if (i)
            fsr_lex_expect(l, ",");
        fsr_lex_expect(l, "s");
        fsr_lex_int(l, 0, number - 1, &arg);
        step->arg[i] = (int)arg;
    }
    return l->status == FSR_OK;
}

/* A program being read. */
typedef struct program {
    fsr_step *step;
    int n, capacity;
    int narguments;
} program;

/* "s4=..." after its s. */
static bool step(fsr_lex *l, program *p) {
    char word[FSR_WORD_BYTES];
    int64_t number;
    if (p->n == p->capacity)
        return fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d steps", p->capacity);
    fsr_lex_int(l, p->n, p->n, &number);
    fsr_lex_expect(l, "=");
    if (!fsr_lex_word(l, word))
        return false;
    fsr_step *s = &p->step[p->n];
    if (!strcmp(word, "arg")) {
        s->kind = FSR_STEP_ARG;
        fsr_lex_int(l, 0, p->narguments - 1, &number);
        s->index = (int)number;
        fsr_lex_dtype(l, &s->dtype);
        s->compute = s->dtype;
    } else if (!strcmp(word, "const")) {
        s->kind = FSR_STEP_CONST;
        fsr_lex_dtype(l, &s->dtype);
        s->compute = s->dtype;
        fsr_lex_value(l, s->dtype, &s->value);
    } else {
        op_step(l, word, p->n, s);
    }
    p->n++;
    return fsr_lex_expect(l, ";");
}

/* s4, one of the program's steps. */
static int step_number(fsr_lex *l, const program *p) {
    int64_t number = 0;
    fsr_lex_expect(l, "s");
    fsr_lex_int(l, 0, p->n - 1, &number);
    return (int)number;
}

/* Steps up to the word `end`. */
static void steps(fsr_lex *l, program *p, const char *end) {
    while (!l->status && !fsr_lex_try(l, end))
        if (fsr_lex_expect(l, "s"))
            step(l, p);
}

/* s4,s5} */
static bool results(fsr_lex *l, const program *p, int *result, int n) {
    for (int i = 0; i < n; i++) {
        if (i)
            fsr_lex_expect(l, ",");
        result[i] = step_number(l, p);
    }
    return fsr_lex_expect(l, "}");
}

static bool operator(fsr_lex *l, fsr_combine *c) {
    program p = {c->step, 0, FSR_MAX_STEPS, 2 * c->arity};
    c->op = FSR_OP_COUNT;
    c->commutative = fsr_lex_try(l, "commutative");
    fsr_lex_expect(l, "identity=");
    for (int i = 0; i < c->arity; i++) {
        if (i)
            fsr_lex_expect(l, ",");
        fsr_lex_value(l, c->dtype[i], &c->identity[i]);
    }
    fsr_lex_expect(l, ";");
    steps(l, &p, "result=");
    c->nsteps = p.n;
    return results(l, &p, c->result, c->arity);
}

bool fsr_lex_combine(fsr_lex *l, int arity, const fsr_dtype *dtype, fsr_combine **combine) {
    fsr_combine *c = l->status ? NULL : calloc(1, sizeof *c);
    *combine = NULL;
    if (!c)
        return fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
    c->arity = arity;
    for (int i = 0; i < arity; i++)
        c->dtype[i] = dtype[i];
    bool ok = fsr_lex_try(l, "op=") ? builtin(l, arity, dtype, c) : fsr_lex_expect(l, "{") && operator(l, c);
    if (!ok) {
        free(c);
        return false;
    }
    *combine = c;
    return true;
}

/* max=100 {...} */
bool fsr_lex_iteration(fsr_lex *l, int nstate, int nargs, const fsr_dtype *dtype, fsr_iteration **loop) {
    fsr_iteration *it = l->status ? NULL : calloc(1, sizeof *it);
    *loop = NULL;
    if (!it)
        return fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
    program p = {it->step, 0, FSR_MAX_LOOP_STEPS, nargs};
    it->nstate = nstate;
    it->narg = nargs - nstate;
    memcpy(it->dtype, dtype, sizeof *dtype * (size_t)nargs);
    fsr_lex_expect(l, "max=");
    fsr_lex_int(l, 0, INT32_MAX, &it->max_n);
    fsr_lex_expect(l, "{");
    steps(l, &p, "while=");
    it->nsteps = p.n;
    it->condition = step_number(l, &p);
    fsr_lex_expect(l, ";");
    fsr_lex_expect(l, "result=");
    if (!results(l, &p, it->result, nstate)) {
        free(it);
        return false;
    }
    *loop = it;
    return true;
}
