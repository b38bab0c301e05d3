/* SPDX-License-Identifier: MIT */
/* Library calls on a GPU: one function each, by graph/libraries.def. */
#ifndef FUSOR_BACKEND_CUDA_LIBRARY_H
#define FUSOR_BACKEND_CUDA_LIBRARY_H

#include "backend_cuda/device.h"

/* Puts a call on a stream, one of the backend's or a caller's; see runtime/backend.h. */
fsr_status fsr_cuda_library(fsr_backend *b, const fsr_library_call *call, void *const *array, void *work,
                            fsr_stream stream, fsr_fault *fault);

/* See runtime/backend.h. */
fsr_recordable fsr_cuda_recordable(fsr_library library);
/* Memory that recorded products use as long as the backend is there. To be called before recording begins, as nothing
 * may be allocated then; does nothing where no product was computed yet. */
fsr_status fsr_cuda_matmul_room(fsr_cuda *c, fsr_fault *fault);

/* The same on a stream that is in order, with the device current. */
#define FSR_LIBRARY(name, word, function)                                                                     \
    fsr_status fsr_cuda_##function(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work, \
                                   cudaStream_t stream, fsr_fault *fault);
#include "graph/libraries.def"

#endif
