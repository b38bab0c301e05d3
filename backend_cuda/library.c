/* SPDX-License-Identifier: MIT */
/* Which function a library call is on a GPU, and the order of streams around it. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/library.h"

fsr_status fsr_cuda_library(fsr_backend *b, const fsr_library_call *call, void *const *array, void *work,
                            fsr_stream stream, fsr_fault *fault) {
    static fsr_status (*const function_of[FSR_LIBRARY_COUNT])(fsr_cuda *, const fsr_library_call *, void *const *,
                                                              void *, cudaStream_t, fsr_fault *) = {
#define FSR_LIBRARY(name, word, function) [FSR_LIBRARY_##name] = fsr_cuda_##function,
#include "graph/libraries.def"
    };
    fsr_cuda *c = fsr_cuda_of(b);
    const char *what = fsr_library_word(call->library);
    cudaStream_t use;
    fsr_status status = fsr_cuda_use(c, fault);
    if (status)
        return status;
    cudaError_t error = fsr_stream_begin(c, stream, &use);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "library call %s: ordering streams", what);
    status = function_of[call->library](c, call, array, work, use, fault);
    error = fsr_stream_end(c, use);
    if (!status && error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "library call %s: ordering streams", what);
    return status;
}
#endif
