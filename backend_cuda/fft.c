/* SPDX-License-Identifier: MIT */
/* The library call "fft" on a GPU: cuFFT's. Its transform to real numbers overwrites what it reads, so it reads a copy:
 * others may read the array, and it may be the caller's. Where the plan says that nobody does, the workspace is the
 * array. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/library.h"
#include "backend_cuda/rooms.h"
#include "graph/fourier.h"
#include "graph/shape.h"

fsr_status fsr_cuda_fft(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work, cudaStream_t stream,
                        fsr_fault *fault) {
    static const int type_of[FSR_FOURIER_KINDS][2] = {{FSR_CUFFT_C2C, FSR_CUFFT_Z2Z},
                                                      {FSR_CUFFT_C2C, FSR_CUFFT_Z2Z},
                                                      {FSR_CUFFT_R2C, FSR_CUFFT_D2Z},
                                                      {FSR_CUFFT_C2R, FSR_CUFFT_Z2D}};
    static const char *const function[FSR_FOURIER_KINDS][2] = {{"cufftExecC2C", "cufftExecZ2Z"},
                                                               {"cufftExecC2C", "cufftExecZ2Z"},
                                                               {"cufftExecR2C", "cufftExecD2Z"},
                                                               {"cufftExecC2R", "cufftExecZ2D"}};
    const fsr_library_array *in = &call->array[0];
    const fsr_fourier_kind kind = fsr_fourier_kind_of(call->called);
    const bool wide = in->dtype == FSR_F64 || in->dtype == FSR_C128;
    const int64_t rows = fsr_shape_size(&in->shape) / in->shape.dim[in->shape.ndim - 1];
    const int direction = kind == FSR_FOURIER_FORWARD ? FSR_CUFFT_FORWARD : FSR_CUFFT_INVERSE;
    fsr_cufft *f = &c->cufft;
    const bool recorded = c->recorder && stream == c->recorder;
    int plan = 0, status;
    const int64_t n = fsr_fourier_length(call->called);
    fsr_status got = fsr_cufft_use(f, type_of[kind][wide], n, rows, stream, recorded, &plan, fault);
    if (!recorded && fsr_rooms_trim(c, got, fault))
        got = fsr_cufft_use(f, type_of[kind][wide], n, rows, stream, recorded, &plan, fault);
    if (got)
        return got;
    if (recorded)
        fsr_cufft_note(f, &c->recorded_plans);
    if (kind == FSR_FOURIER_TO_REAL && work != array[0]) {
        const size_t bytes = (size_t)fsr_shape_bytes(&in->shape, in->dtype);
        const cudaError_t error = cudaMemcpyAsync(work, array[0], bytes, cudaMemcpyDeviceToDevice, stream);
        if (error != cudaSuccess)
            return fsr_cuda_fail(c, error, fault, "a copy for a transform to real numbers");
    }
    if (kind == FSR_FOURIER_OF_REAL)
        status = (wide ? f->ExecD2Z : f->ExecR2C)(plan, array[0], array[1]);
    else if (kind == FSR_FOURIER_TO_REAL)
        status = (wide ? f->ExecZ2D : f->ExecC2R)(plan, work, array[1]);
    else
        status = (wide ? f->ExecZ2Z : f->ExecC2C)(plan, array[0], array[1], direction);
    return status ? fsr_cufft_fail(status, function[kind][wide], fault) : FSR_OK;
}
#endif
