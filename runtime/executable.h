/* A program with its compiled kernels, and how it is run. The plan cache keeps them by the flow's signature. */
#ifndef FUSOR_RUNTIME_EXECUTABLE_H
#define FUSOR_RUNTIME_EXECUTABLE_H

#include "runtime/context.h"

typedef struct fsr_executable {
    fsr_program program;
    fsr_module **module; /* one a step; owned by the backend */
    atomic_int refs;
} fsr_executable;

/* What one run works on: device addresses by ordinal. */
typedef struct fsr_run {
    void *const *leaf;
    void *const *out;
    const fsr_value *scalar;
    fsr_stream stream;
} fsr_run;

/* The program of a flow (taken over in any case) without compiling it. */
fsr_status fsr_executable_plan(fsr_context *ctx, fsr_program *program, fsr_flow *flow, fsr_fault *fault);
/* The executable of a flow (taken over in any case): found in the cache, or planned and compiled. The caller unrefs
 * it. */
fsr_status fsr_executable_get(fsr_context *ctx, fsr_flow *flow, fsr_executable **out, fsr_fault *fault);
/* Compiles the kernel of every step, several at a time where several are new. The first failure in order of steps. */
fsr_status fsr_executable_compile(fsr_context *ctx, fsr_executable *executable, fsr_fault *fault);
void fsr_executable_unref(fsr_executable *executable);
/* Launches every step; asynchronous. */
fsr_status fsr_executable_run(fsr_context *ctx, fsr_executable *executable, const fsr_run *run, fsr_fault *fault);

fsr_status fsr_plan_cache_open(fsr_plan_cache **out);
void fsr_plan_cache_close(fsr_plan_cache *cache);

#endif
