/* SPDX-License-Identifier: MIT */
/* Folds and loops of the loop IR's text: a head, and the scalar program in lines of its own.
 *
 *     fold f0 p0 scan (f64 from 1, f64 from 0)        loop l0 of 2, at most 100 times
 *       t0 = f64 left0                                  t0 = f32 state1
 *       ...                                             ...
 *       gives t4, t6                                    while t6 gives t9, t14
 *
 * What a loop takes besides its state is known only where an instruction runs it: fsr_read_inst fills it in. Whether
 * the steps fit each other is the verifier's to say. */
#include "fusion/loop_ir_parse_parts.h"
#include <stdlib.h>
#include <string.h>

/* A program being read: an ARG is state0.. or rest0.., the latter behind the state's. */
typedef struct program {
    fsr_step *step;
    int n, capacity, nstate, nrest;
    const char *state, *rest;
} program;

/* The number in "left3", if the word begins with `name` and a number below `limit` follows; else -1. */
static int suffix(const char *word, const char *name, int limit) {
    size_t size = strlen(name);
    if (strncmp(word, name, size) != 0 || !word[size] || strspn(word + size, "0123456789") != strlen(word + size) ||
        strlen(word + size) > 4)
        return -1;
    int number = atoi(word + size);
    return number < limit ? number : -1;
}

static bool argument(fsr_lex *l, const program *p, fsr_step *step) {
    const char *start = l->at;
    char word[FSR_WORD_BYTES];
    fsr_lex_word(l, word);
    int state = suffix(word, p->state, p->nstate), rest = suffix(word, p->rest, p->nrest);
    if (state < 0 && rest < 0) {
        if (!l->status)
            l->at = start;
        return false;
    }
    step->kind = FSR_STEP_ARG;
    step->index = state >= 0 ? state : p->nstate + rest;
    return true;
}

/* "t4 = f64 mul(t0, t2)" behind the t. */
static void read_step(fsr_lex *l, program *p) {
    int64_t number;
    if (p->n == p->capacity) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d steps", p->capacity);
        return;
    }
    fsr_step *step = &p->step[p->n];
    fsr_lex_int(l, p->n, p->n, &number);
    fsr_lex_expect(l, "=");
    fsr_lex_dtype(l, &step->dtype);
    step->compute = step->dtype;
    if (fsr_sees_value(l)) {
        step->kind = FSR_STEP_CONST;
        fsr_lex_value(l, step->dtype, &step->value);
    } else if (!argument(l, p, step)) {
        step->kind = FSR_STEP_OP;
        fsr_read_op(l, "t", p->n, step->dtype, &step->op, &step->compute, step->arg);
    }
    fsr_lex_end(l);
    p->n++;
}

/* The lines up to the one that begins with `word`, which is taken. */
static void read_steps(fsr_lex *l, program *p, const char *word) {
    while (!l->status) {
        if (!fsr_lex_line(l))
            fsr_lex_fail(l, FSR_ERR_FORMAT, "the program does not end");
        else if (fsr_lex_try(l, word))
            return;
        else if (fsr_lex_expect(l, "t"))
            read_step(l, p);
    }
}

static void read_results(fsr_lex *l, const program *p, int *result) {
    for (int i = 0; i < p->nstate; i++) {
        if (i)
            fsr_lex_expect(l, ",");
        result[i] = fsr_read_mark(l, "t", p->n);
    }
}

/* (f64 from 1, f64 from 0) */
static void read_state(fsr_lex *l, fsr_combine *c) {
    fsr_lex_expect(l, "(");
    do {
        if (c->arity == FSR_MAX_TUPLE) {
            fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d components", FSR_MAX_TUPLE);
            return;
        }
        fsr_lex_dtype(l, &c->dtype[c->arity]);
        fsr_lex_expect(l, "from");
        fsr_lex_value(l, c->dtype[c->arity], &c->identity[c->arity]);
        c->arity++;
    } while (fsr_lex_try(l, ","));
    fsr_lex_expect(l, ")");
}

static void read_builtin(fsr_lex *l, fsr_combine *c) {
    char word[FSR_WORD_BYTES];
    const char *start = l->at;
    fsr_lex_word(l, word);
    fsr_op op = fsr_op_find(word);
    const bool folds = !l->status && op != FSR_OP_COUNT && c->arity == 1 &&
                       (fsr_op_get(op)->flags & FSR_OP_ASSOCIATIVE) && fsr_op_get(op)->identity != FSR_IDENTITY_NONE;
    if (folds && fsr_op_defined(op, c->dtype[0]))
        fsr_combine_builtin(c, op, c->dtype[0]);
    if (l->status || c->builtin)
        return;
    l->at = start;
    fsr_lex_fail(l, FSR_ERR_FORMAT, "%s does not fold these", word);
}

static void read_operator(fsr_lex *l, fsr_combine *c) {
    program p = {c->step, 0, FSR_MAX_STEPS, c->arity, c->arity, "left", "right"};
    c->op = FSR_OP_COUNT;
    fsr_lex_end(l);
    read_steps(l, &p, "gives");
    read_results(l, &p, c->result);
    c->nsteps = p.n;
}

void fsr_read_fold(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *k = r->k;
    if (k->nfolds == FSR_MAX_COMBINES) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d folds", FSR_MAX_COMBINES);
        return;
    }
    fsr_combine *c = calloc(1, sizeof *c);
    fsr_fold *fold = &k->fold[k->nfolds];
    if (!c) {
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
        return;
    }
    fold->combine = c;
    if (fsr_read_mark(l, "f", k->nfolds + 1) != k->nfolds)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "folds count up from f0");
    fold->pass = fsr_read_mark(l, "p", k->npasses);
    fold->exclusive = fsr_lex_try(l, "exclusive");
    fold->kind = fsr_lex_try(l, "scan") ? FSR_FOLD_SCAN : FSR_FOLD_REDUCE;
    if (fold->kind == FSR_FOLD_REDUCE)
        fsr_lex_expect(l, "reduce");
    fold->narrow = fsr_lex_try(l, "of");
    if (fold->narrow)
        fsr_lex_expect(l, "f32");
    read_state(l, c);
    c->commutative = fsr_lex_try(l, "commutative");
    if (!l->status && fsr_lex_sees(l, '\n'))
        read_operator(l, c);
    else if (!l->status)
        read_builtin(l, c);
    k->nfolds++;
}

void fsr_read_loop(fsr_kernel_reader *r) {
    fsr_lex *l = &r->lex;
    fsr_kernel *k = r->k;
    int64_t nstate;
    if (k->nloops == FSR_MAX_LOOPS) {
        fsr_lex_fail(l, FSR_ERR_FORMAT, "more than %d loops", FSR_MAX_LOOPS);
        return;
    }
    fsr_iteration *it = calloc(1, sizeof *it);
    if (!it) {
        fsr_lex_fail(l, FSR_ERR_MEMORY, "out of memory");
        return;
    }
    k->loop[k->nloops].program = it;
    if (fsr_read_mark(l, "l", k->nloops + 1) != k->nloops)
        fsr_lex_fail(l, FSR_ERR_FORMAT, "loops count up from l0");
    fsr_lex_expect(l, "of");
    fsr_lex_int(l, 1, FSR_MAX_OUTPUTS - 1, &nstate);
    fsr_lex_expect(l, ",");
    fsr_lex_expect(l, "at");
    fsr_lex_expect(l, "most");
    fsr_lex_int(l, 0, INT32_MAX, &it->max_n);
    fsr_lex_expect(l, "times");
    fsr_lex_end(l);
    it->nstate = (int)nstate;
    program p = {it->step, 0, FSR_MAX_LOOP_STEPS, it->nstate, FSR_MAX_ARGS - it->nstate, "state", "arg"};
    read_steps(l, &p, "while");
    it->nsteps = p.n;
    it->condition = fsr_read_mark(l, "t", p.n);
    fsr_lex_expect(l, "gives");
    read_results(l, &p, it->result);
    k->nloops++;
}
