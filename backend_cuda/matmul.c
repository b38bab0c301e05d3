/* SPDX-License-Identifier: MIT */
/* The library call "matmul" on a GPU: cuBLAS', whose matrices stand column after column: a row-major product c = a b is
 * its transpose, c' = b' a', of the same memory. Every f32 is computed as one: no TF32. */
#ifdef FUSOR_HAVE_CUDA
#include "graph/matmul.h"
#include "backend_cuda/library.h"
#include <library_types.h>

static int type_of(fsr_dtype dtype) {
    static const int of[FSR_DTYPE_COUNT] = {[FSR_F16] = CUDA_R_16F, [FSR_BF16] = CUDA_R_16BF, [FSR_F32] = CUDA_R_32F,
                                            [FSR_F64] = CUDA_R_64F, [FSR_C64] = CUDA_C_32F,   [FSR_C128] = CUDA_C_64F};
    return of[dtype];
}

/* As much as cuBLAS has by itself, so that it takes the same kernels. */
fsr_status fsr_cuda_matmul_room(fsr_cuda *c, fsr_fault *fault) {
    fsr_cublas *b = &c->cublas;
    if (!b->multiplied || b->room)
        return FSR_OK;
    b->room_bytes = (int64_t)(c->arch >= 120 ? 12 : c->arch >= 90 ? 32 : 4) << 20;
    return fsr_device_pool_alloc(c->pool, b->room_bytes, &b->room, fault);
}

/* cuBLAS, on the stream; on one that is recorded with the workspace for that, which the next one's stream takes away
 * again. Counter-example to its own: it would be allocated inside the graph. */
static fsr_status use(fsr_cuda *c, cudaStream_t stream, fsr_fault *fault) {
    fsr_cublas *b = &c->cublas;
    const fsr_status status = fsr_cublas_use(b, "matmul", stream, fault);
    if (status || !c->recorder || stream != c->recorder)
        return status;
    if (!b->room)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call matmul: there is no workspace for recording");
    const int gave = b->SetWorkspace_v2(b->handle, b->room, (size_t)b->room_bytes);
    return gave ? fsr_cublas_fail(gave, "matmul", "cublasSetWorkspace", fault) : FSR_OK;
}

fsr_status fsr_cuda_matmul(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                           cudaStream_t stream, fsr_fault *fault) {
    const fsr_matmul *m = fsr_matmul_of(call->called);
    const int last = FSR_MATMUL_BATCHES - 1;
    const fsr_dtype from = call->array[0].dtype, to = call->array[2].dtype;
    const bool wide = to == FSR_F64 || to == FSR_C128;
    const float one32[2] = {1, 0}, zero32[2] = {0, 0};
    const double one64[2] = {1, 0}, zero64[2] = {0, 0};
    const int64_t in = (int64_t)fsr_dtype_size(from), out = (int64_t)fsr_dtype_size(to);
    (void)work;
    fsr_status status = use(c, stream, fault);
    for (int64_t i = 0; i < fsr_matmul_sets(m) && !status; i++) {
        int64_t at[3];
        fsr_matmul_set(m, i, at);
        const int gave = c->cublas.GemmStridedBatchedEx_64(
            c->cublas.handle, m->b_flipped ? FSR_CUBLAS_FLIPPED : FSR_CUBLAS_PLAIN,
            m->a_flipped ? FSR_CUBLAS_FLIPPED : FSR_CUBLAS_PLAIN, m->n, m->m, m->k,
            wide ? (const void *)one64 : (const void *)one32, (const char *)array[1] + at[1] * in, type_of(from),
            m->b_lead, m->b_step[last], (const char *)array[0] + at[0] * in, type_of(from), m->a_lead, m->a_step[last],
            wide ? (const void *)zero64 : (const void *)zero32, (char *)array[2] + at[2] * out, type_of(to), m->c_lead,
            m->c_step[last], m->batches[last], wide ? FSR_CUBLAS_COMPUTE_64F : FSR_CUBLAS_COMPUTE_32F,
            FSR_CUBLAS_DEFAULT);
        if (gave)
            status = fsr_cublas_fail(gave, "matmul", "cublasGemmStridedBatchedEx", fault);
    }
    c->cublas.multiplied = c->cublas.multiplied || !status;
    return status;
}
#endif
