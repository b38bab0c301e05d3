/* SPDX-License-Identifier: MIT */
/* Which function a library call is on a GPU, and the order of streams around it. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/library.h"
#include "backend_cuda/code.h"
#include "graph/floats.h"
#include "runtime/library.h"

/* What the callee's launches left as the thread's last error is the call's. */
fsr_status fsr_cuda_caller(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                           cudaStream_t stream, fsr_fault *fault) {
    const fsr_callee *callee = &call->called->what;
    fsr_frame_room room;
    if (!callee->cuda && !callee->kernel.code)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call %s has no function for a GPU", callee->name);
    fsr_frame_fill(&room, call, array, work);
    room.frame.cuda = true;
    room.frame.stream = stream;
    if (callee->kernel.code)
        return fsr_cuda_code_run(c, &callee->kernel, &room.frame, fault);
    const fsr_floats floats = fsr_floats_enter();
    fsr_status status = callee->cuda(&room.frame);
    fsr_floats_leave(&floats);
    const cudaError_t error = cudaGetLastError();
    status = fsr_library_told(&room, call, status, fault);
    return status || error == cudaSuccess ? status : fsr_cuda_fail(c, error, fault, "library call %s", callee->name);
}

/* Plans for a GPU have none of these. */
static fsr_status none(const fsr_library_call *call, fsr_fault *fault) {
    return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call %s has no function for a GPU",
                         fsr_library_call_name(call));
}

fsr_status fsr_cuda_segments(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                             cudaStream_t stream, fsr_fault *fault) {
    (void)c, (void)array, (void)work, (void)stream;
    return none(call, fault);
}

fsr_status fsr_cuda_scatter_sum(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                                cudaStream_t stream, fsr_fault *fault) {
    (void)c, (void)array, (void)work, (void)stream;
    return none(call, fault);
}

/* Sorts and selections are launches in the step's workspace. A product recorded has a workspace of its own, a transform
 * that of its plan: both are the backend's (one with an epilogue has none, but the library's kernels are loaded by its
 * first run), so a caller's graph, which is launched in no order with the own stream, has
 * none. cuSOLVER and cuSPARSE take memory call by call, cuRAND makes its generator anew. */
fsr_recordable fsr_cuda_recordable(fsr_library library) {
    static const fsr_recordable of[FSR_LIBRARY_COUNT] = {
        [FSR_LIBRARY_SORT] = FSR_RECORDED_ANYWHERE,       [FSR_LIBRARY_LEAST] = FSR_RECORDED_ANYWHERE,
        [FSR_LIBRARY_GREATEST] = FSR_RECORDED_ANYWHERE,   [FSR_LIBRARY_RANKED] = FSR_RECORDED_ANYWHERE,
        [FSR_LIBRARY_MATMUL] = FSR_RECORDED_HERE,         [FSR_LIBRARY_FFT] = FSR_RECORDED_HERE,
        [FSR_LIBRARY_MATMUL_EPILOGUE] = FSR_RECORDED_HERE};
    return of[library];
}

/* A library's first launch of a kernel loads it, and asks for its attributes: forbidden to a thread that captures, be
 * it the caller's stream or the recorder, but no work of that stream. What a caller's function does is the caller's to
 * answer for: it has the mode that it was called in. */
fsr_status fsr_cuda_library(fsr_backend *b, const fsr_library_call *call, void *const *array, void *work,
                            fsr_stream stream, fsr_fault *fault) {
    static fsr_status (*const function_of[FSR_LIBRARY_COUNT])(fsr_cuda *, const fsr_library_call *, void *const *,
                                                              void *, cudaStream_t, fsr_fault *) = {
#define FSR_LIBRARY(name, word, function) [FSR_LIBRARY_##name] = fsr_cuda_##function,
#include "graph/libraries.def"
    };
    fsr_cuda *c = fsr_cuda_of(b);
    const char *what = fsr_library_call_name(call);
    const bool own = call->library != FSR_LIBRARY_CALLER;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    cudaStream_t use;
    fsr_status status = fsr_cuda_use(c, fault);
    if (status)
        return status;
    cudaError_t error = fsr_stream_begin(c, stream, &use);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "library call %s: ordering streams", what);
    if (own)
        fsr_cuda_loosen(&mode);
    status = function_of[call->library](c, call, array, work, use, fault);
    if (own)
        fsr_cuda_loosen(&mode);
    error = fsr_stream_end(c, use);
    if (!status && error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "library call %s: ordering streams", what);
    return status;
}
#endif
