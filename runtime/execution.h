/* SPDX-License-Identifier: MIT */
/* A program while it runs: the whole one, or the body of a loop of it in one turn. */
#ifndef FUSOR_RUNTIME_EXECUTION_H
#define FUSOR_RUNTIME_EXECUTION_H

#include "fusion/loop_plan.h"
#include "runtime/tuned.h"

typedef struct fsr_execution {
    fsr_context *ctx;
    const fsr_executable *all;  /* has every thunk, and its module */
    const fsr_program *program; /* whose slots and scalars the thunks name */
    void *const *leaf;
    void *const *out;
    const fsr_value *scalar;
    const fsr_value *literal; /* NULL: all are text */
    char *arena;              /* NULL: of no bytes */
    uint64_t *words;          /* of reports */
    void *zero;               /* tickets that kernels leave zero */
    fsr_stream stream;
    const fsr_tuned *tuned; /* by thunk: kernels that a plan has other schedules of; NULL: none */
    double *ms;             /* by thunk, negative: none yet; NULL: they are not timed */
} fsr_execution;

/* Runs thunks [first, first + n), bodies of loops with their loops. */
fsr_status fsr_execution_thunks(const fsr_execution *x, int first, int n, fsr_fault *fault);
void *fsr_execution_address(const fsr_execution *x, const fsr_use *use);
/* Nothing where both are one, or there are no bytes. */
fsr_status fsr_execution_copy(const fsr_execution *x, void *to, const void *from, int64_t bytes, fsr_fault *fault);
/* Runs thunk i, a loop, all its turns. */
fsr_status fsr_loop_run(const fsr_execution *x, int i, fsr_fault *fault);

#endif
