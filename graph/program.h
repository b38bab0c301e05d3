/* SPDX-License-Identifier: MIT */
/* Scalar programs: the body of a reduction's or scan's operator, or of a loop, in SSA.
 *
 * An operator's state is a tuple of n components. The program takes left (arguments 0..n-1) and right (n..2n-1) and
 * gives n results. Its instructions only refer to earlier ones. A built-in sum is the one-instruction
 * program add(left0, right0): there is no second way. */
#ifndef FUSOR_GRAPH_PROGRAM_H
#define FUSOR_GRAPH_PROGRAM_H

#include "fusor/build.h"
#include "graph/ops.h"

typedef enum fsr_step_kind { FSR_STEP_ARG, FSR_STEP_CONST, FSR_STEP_OP } fsr_step_kind;

typedef struct fsr_step {
    fsr_step_kind kind;
    fsr_dtype dtype;   /* of the result */
    fsr_dtype compute; /* OP: dtype of the operands (of b and c for WHERE; of the source for CAST) */
    fsr_op op;         /* OP */
    int arg[3];        /* OP: earlier steps */
    int index;         /* ARG */
    fsr_value value;   /* CONST */
} fsr_step;

#define FSR_MAX_STEPS 64

/* Evaluates steps [from, n) with fsr_op_eval: value[i] is step i's. argument: what an ARG's index names. */
void fsr_steps_eval(const fsr_step *step, int from, int n, const fsr_value *argument, fsr_value *value);
/* What the two compute is the same; fields that a kind does not use are not compared, literals by their bits. */
bool fsr_steps_equal(const fsr_step *a, const fsr_step *b, int n);

/* An associative operator with its identity. */
typedef struct fsr_combine {
    int arity; /* components of the state, 1..FSR_MAX_TUPLE */
    fsr_dtype dtype[FSR_MAX_TUPLE];
    fsr_value identity[FSR_MAX_TUPLE];
    bool commutative;
    bool builtin; /* one step of one op; then `op` names it */
    fsr_op op;
    int nsteps;
    fsr_step step[FSR_MAX_STEPS];
    int result[FSR_MAX_TUPLE]; /* steps that are the results */
} fsr_combine;

/* The operator of a built-in op (associative in the table) over dtype. */
void fsr_combine_builtin(fsr_combine *out, fsr_op op, fsr_dtype dtype);
/* out = left (+) right, evaluated with fsr_op_eval; out may be left or right. */
void fsr_combine_eval(const fsr_combine *c, fsr_value *out, const fsr_value *left, const fsr_value *right);
bool fsr_combine_equal(const fsr_combine *a, const fsr_combine *b);

/* Arguments and results of a node. */
#define FSR_MAX_ARGS 17
#define FSR_MAX_OUTPUTS 8

#define FSR_MAX_LOOP_STEPS 256

/* A loop for each element. Its arguments, ARG 0..nstate+narg-1, are the state and what does not change. While step
 * `condition` is true, and at most max_n times, the state becomes the steps `result`. Steps 0..condition are all that
 * the condition needs. Results of the node: the state at the end, and how often it was replaced, an i32. */
typedef struct fsr_iteration {
    int nstate, narg;
    fsr_dtype dtype[FSR_MAX_ARGS]; /* of state and arguments */
    int64_t max_n;
    int nsteps;
    fsr_step step[FSR_MAX_LOOP_STEPS];
    int condition;
    int result[FSR_MAX_OUTPUTS - 1];
} fsr_iteration;

/* out[0..nstate] from argument[0..nstate+narg). */
void fsr_iteration_eval(const fsr_iteration *loop, fsr_value *out, const fsr_value *argument);
bool fsr_iteration_equal(const fsr_iteration *a, const fsr_iteration *b);

#endif
