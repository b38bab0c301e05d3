/* SPDX-License-Identifier: MIT */
/* The library call "curand" on a CPU: the library's own generators for the host, which run in the calling thread.
 * Nothing is kept: a generator for the host is made in microseconds. */
#include "runtime/curand.h"
#include "backend_cpu/run/library.h"
#include "graph/shape.h"

fsr_status fsr_cpu_curand(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                          fsr_fault *fault) {
    const fsr_library_array *out = &call->array[0];
    (void)crew, (void)work;
    return fsr_curand_on_host(call->called, out->dtype, fsr_shape_size(&out->shape), array[0], fault);
}
