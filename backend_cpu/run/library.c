/* SPDX-License-Identifier: MIT */
/* Which function a library call is. */
#include "backend_cpu/run/library.h"

fsr_status fsr_cpu_library(fsr_thread_pool *threads, const fsr_library_call *call, void *const *array, void *work,
                           fsr_fault *fault) {
    static fsr_status (*const function_of[FSR_LIBRARY_COUNT])(fsr_thread_pool *, const fsr_library_call *,
                                                              void *const *, void *, fsr_fault *) = {
#define FSR_LIBRARY(name, word, function) [FSR_LIBRARY_##name] = fsr_cpu_##function,
#include "graph/libraries.def"
    };
    return function_of[call->library](threads, call, array, work, fault);
}
