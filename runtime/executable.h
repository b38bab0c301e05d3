/* SPDX-License-Identifier: MIT */
/* A program with its compiled kernels, and how it is run. The plan cache keeps them. */
#ifndef FUSOR_RUNTIME_EXECUTABLE_H
#define FUSOR_RUNTIME_EXECUTABLE_H

#include "runtime/reports.h"

typedef struct fsr_executable {
    fsr_program program;
    fsr_backend *backend;
    fsr_module **module;         /* a reference each, one a thunk */
    struct fsr_replays *replays; /* of runs that came again; guarded by the context's launch lock. NULL: none yet */
    double *ms; /* of the last timed run, of each thunk, negative: none yet; guarded by the context's lock. NULL: the
                            context does not profile */
    atomic_int refs;
} fsr_executable;

/* An executable with the values of one flow's literals, of which it takes some as arguments. */
typedef struct fsr_prepared {
    fsr_executable *executable; /* a reference */
    atomic_int refs;
    int norigins;        /* of a context that profiles */
    int *origin;         /* per node of the planned flow: its place in the flow of this very signature, plus 1 */
    fsr_value literal[]; /* by the literals' numbers */
} fsr_prepared;

/* What one run works on: device addresses by ordinal. */
typedef struct fsr_run {
    void *const *leaf;
    void *const *out;
    const fsr_value *scalar;
    fsr_report_run of;        /* whose run it is */
    const fsr_report *report; /* the program's nreports */
    fsr_stream stream;
    const struct fsr_tuned *tuned; /* tuned.h, one a thunk; NULL: every kernel is the executable's */
    struct fsr_replays **replays;  /* with `tuned`: of runs with these kernels */
    double *ms;                    /* receives what each thunk takes; NULL: they are not timed */
    struct fsr_run_memory *
        *held; /* not NULL: the stream is being captured, and memory of the run is kept here (capture.h) */
} fsr_run;

/* The program of a flow (taken over in any case) without compiling it, as fsr_prepare would plan it now; with an
 * explanation if that is asked for. */
fsr_status fsr_executable_plan(fsr_context *ctx, fsr_program *program, fsr_flow *flow, bool explain, fsr_fault *fault);
/* The executable of a flow (taken over in any case): found in the cache, or planned and compiled. Of threads that ask
 * for the same one at once one compiles, the others wait for it. The caller unrefs it. */
fsr_status fsr_prepare(fsr_context *ctx, fsr_flow *flow, fsr_prepared **out, fsr_fault *fault);
void fsr_prepared_unref(fsr_prepared *prepared); /* NULL is allowed */
/* Compiles the kernel of every thunk, several at a time where several are new. The first failure in order of thunks. */
fsr_status fsr_executable_compile(fsr_context *ctx, fsr_executable *executable, fsr_fault *fault);
/* Launches every thunk; asynchronous. */
fsr_status fsr_prepared_run(fsr_context *ctx, const fsr_prepared *prepared, const fsr_run *run, fsr_fault *fault);

#endif
