/* SPDX-License-Identifier: MIT */
/* Library calls on a CPU: one function each, by graph/libraries.def. */
#ifndef FUSOR_BACKEND_CPU_LIBRARY_H
#define FUSOR_BACKEND_CPU_LIBRARY_H

#include "backend_cpu/run/thread_pool.h"
#include "fusion/library.h"
#include "runtime/library.h"

/* Computes a call and returns when it is done. array: of each argument and result, NULL for one that is not used; work:
 * of call->work_bytes, or of what the call needs on a CPU. Without a pool the calling thread works alone. */
fsr_status fsr_cpu_library(fsr_thread_pool *threads, const fsr_library_call *call, void *const *array, void *work,
                           fsr_fault *fault);

#define FSR_LIBRARY(name, word, function)                                                                     \
    fsr_status fsr_cpu_##function(fsr_thread_pool *threads, const fsr_library_call *call, void *const *array, \
                                  void *work, fsr_fault *fault);
#include "graph/libraries.def"

#endif
