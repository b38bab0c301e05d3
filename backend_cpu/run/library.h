/* SPDX-License-Identifier: MIT */
/* Library calls on a CPU: one function each, by graph/libraries.def. */
#ifndef FUSOR_BACKEND_CPU_LIBRARY_H
#define FUSOR_BACKEND_CPU_LIBRARY_H

#include "backend_cpu/run/thread_pool.h"
#include "backend_cpu/run/vectors.h"
#include "fusion/library.h"
#include "runtime/library.h"

/* Who computes a call. */
typedef struct fsr_crew {
    fsr_thread_pool *threads; /* NULL: the calling thread works alone */
    fsr_simd simd;
} fsr_crew;

/* Computes a call and returns when it is done. array: of each argument and result, NULL for one that is not used; work:
 * of call->work_bytes, or of what the call needs on a CPU. */
fsr_status fsr_cpu_library(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                           fsr_fault *fault);

#define FSR_LIBRARY(name, word, function)                                                                             \
    fsr_status fsr_cpu_##function(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work, \
                                  fsr_fault *fault);
#include "graph/libraries.def"

#endif
