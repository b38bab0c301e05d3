/* SPDX-License-Identifier: MIT */
/* Which function a library call is, and the calls of the program's own. */
#include "backend_cpu/run/library.h"
#include "graph/code.h"
#include "graph/floats.h"

static void in_parallel(const fsr_call_frame *frame, fsr_share_fn body, void *arg) {
    fsr_thread_pool_run(frame->pool, body, arg);
}

fsr_status fsr_cpu_caller(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                          fsr_fault *fault) {
    const fsr_callee *c = &call->called->what;
    fsr_frame_room room;
    if (!c->cpu)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call %s has no function for a CPU", c->name);
    fsr_frame_fill(&room, call, array, work);
    if (crew->threads) {
        room.frame.parallel = in_parallel;
        room.frame.pool = crew->threads;
        room.frame.threads = fsr_thread_pool_size(crew->threads);
    }
    const fsr_floats floats = fsr_floats_enter();
    fsr_code_begin(&c->kernel, &room.frame);
    const fsr_status status = c->cpu(&room.frame);
    fsr_floats_leave(&floats);
    return fsr_library_told(&room, call, status, fault);
}

/* Plans have another node in its place (fusion/resolve.c). */
fsr_status fsr_cpu_scatter_sum(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                               fsr_fault *fault) {
    (void)crew, (void)array, (void)work;
    return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call %s has no function for a CPU",
                         fsr_library_call_name(call));
}

fsr_status fsr_cpu_library(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                           fsr_fault *fault) {
    static fsr_status (*const function_of[FSR_LIBRARY_COUNT])(const fsr_crew *, const fsr_library_call *, void *const *,
                                                              void *, fsr_fault *) = {
#define FSR_LIBRARY(name, word, function) [FSR_LIBRARY_##name] = fsr_cpu_##function,
#include "graph/libraries.def"
    };
    return function_of[call->library](crew, call, array, work, fault);
}
