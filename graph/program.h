/* SPDX-License-Identifier: MIT */
/* What a fold and a loop hold: a region, and what they do with it.
 *
 * An operator's state is a tuple of n components. Its body takes left (arguments 0..n-1) and right (n..2n-1) and gives
 * n results. What else a body takes, parameters above all, are its last arguments: they are the same for every element,
 * and whoever evaluates an operator on the host binds them first (fsr_region_bind). A built-in sum is the body of
 * one operation, add(left0, right0): there is no second way. */
#ifndef FUSOR_GRAPH_PROGRAM_H
#define FUSOR_GRAPH_PROGRAM_H

#include "graph/region.h"

/* An associative operator with its identity; or a sequential one, of a scan that is not exclusive: it need not be
 * associative, its left state is always what came before, the identity at first, and its right one an element. */
typedef struct fsr_combine {
    int arity; /* components of the state, 1..FSR_MAX_TUPLE */
    fsr_value identity[FSR_MAX_TUPLE];
    bool commutative, sequential;
    bool builtin; /* one operation; then `op` names it */
    bool neutral; /* the identity on the right changes no bit of what is asked of a state; no part of what it is */
    fsr_op op;
    fsr_region body; /* of left and right the new state */
} fsr_combine;

/* The operator of a built-in op (associative in the table) over dtype. NULL: out of memory. */
fsr_combine *fsr_combine_builtin(fsr_op op, fsr_dtype dtype);
/* NULL: out of memory. */
fsr_combine *fsr_combine_copy(const fsr_combine *c);
void fsr_combine_free(fsr_combine *c);
/* How many arguments of the body are the same for every element. */
static inline int fsr_combine_same(const fsr_combine *c) {
    return c->body.nargs - 2 * c->arity;
}
/* The dtype of a component of the state. */
static inline fsr_dtype fsr_combine_dtype(const fsr_combine *c, int component) {
    return c->body.arg[component];
}
/* out = left (+) right, evaluated with fsr_op_eval; out may be left or right. All other arguments are bound. */
void fsr_combine_eval(const fsr_combine *c, fsr_value *out, const fsr_value *left, const fsr_value *right);
bool fsr_combine_equal(const fsr_combine *a, const fsr_combine *b);
/* What is wrong with it, in words, and *at, the instruction of its body or -1; NULL: nothing. */
const char *fsr_combine_check(const fsr_combine *c, int *at);

/* A loop for each element. Arguments of its body are the state, what does not change, and what is the same for every
 * element besides; results, the next state and,
 * last, the condition. While that is true, and at most max_n times, the state becomes the next one. The condition comes
 * before what it alone does not need. Results of the loop: the state at the end, and how often it was replaced, an
 * i32. */
typedef struct fsr_iteration {
    int nstate, narg;
    int64_t max_n;
    fsr_region body;
} fsr_iteration;

/* NULL: out of memory. */
fsr_iteration *fsr_iteration_copy(const fsr_iteration *loop);
void fsr_iteration_free(fsr_iteration *loop);
/* How many arguments of the body are no operands of the loop: they are the same for every element. */
static inline int fsr_iteration_same(const fsr_iteration *loop) {
    return loop->body.nargs - loop->nstate - loop->narg;
}
/* The instruction that is the condition: those up to it are all that it needs. */
static inline int fsr_iteration_condition(const fsr_iteration *loop) {
    return loop->body.result[loop->nstate];
}
/* The dtype of result i of the loop. */
static inline fsr_dtype fsr_iteration_dtype(const fsr_iteration *loop, int i) {
    return i < loop->nstate ? loop->body.arg[i] : FSR_I32;
}
/* out[0..nstate] from argument[0..nstate+narg) and its tables; all other arguments are bound. */
void fsr_iteration_eval(const fsr_iteration *loop, fsr_value *out, const fsr_value *argument, const fsr_table *table);
bool fsr_iteration_equal(const fsr_iteration *a, const fsr_iteration *b);
/* As fsr_combine_check. */
const char *fsr_iteration_check(const fsr_iteration *loop, int *at);

#endif
