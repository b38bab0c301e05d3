/* SPDX-License-Identifier: MIT */
/* Kernels of a plan with other schedules than the rules'. The executable is shared by whoever computes the same, and
 * stays as it is; a plan has these beside it. */
#ifndef FUSOR_RUNTIME_TUNED_H
#define FUSOR_RUNTIME_TUNED_H

#include "runtime/executable.h"

/* Of one thunk; kernel NULL: the executable's own. */
typedef struct fsr_tuned {
    fsr_kernel *kernel; /* owned */
    fsr_module *module; /* a reference */
    int64_t blocks;
} fsr_tuned;

/* Makes *out thunk i's kernel with these fields changed, compiled. On an error *out is not touched. */
fsr_status fsr_tuned_make(const fsr_executable *e, int i, const char *fields, fsr_tuned *out, fsr_fault *fault);
void fsr_tuned_clear(const fsr_executable *e, fsr_tuned *t);
/* All of a plan's, one a thunk; NULL is allowed. */
void fsr_tuned_free(const fsr_executable *e, fsr_tuned *t);

#endif
