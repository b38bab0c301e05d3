/* SPDX-License-Identifier: MIT */
/* The library call "sort" on a GPU: CUB's, where the library was built with nvcc. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/library.h"
#include "graph/shape.h"

#ifdef FUSOR_HAVE_CUB
#include "backend_cuda/sort.h"
#include "fusion/library.h"

_Static_assert((int)FSR_SORT_ROW == (int)FSR_CUB_ROW, "rows that need no workspace");

const fsr_cub_key fsr_cub_key_of[FSR_DTYPE_COUNT] = {
    [FSR_BOOL] = FSR_CUB_U8, [FSR_U8] = FSR_CUB_U8,   [FSR_I8] = FSR_CUB_I8,     [FSR_U16] = FSR_CUB_U16,
    [FSR_I16] = FSR_CUB_I16, [FSR_U32] = FSR_CUB_U32, [FSR_I32] = FSR_CUB_I32,   [FSR_U64] = FSR_CUB_U64,
    [FSR_I64] = FSR_CUB_I64, [FSR_F16] = FSR_CUB_F16, [FSR_BF16] = FSR_CUB_BF16, [FSR_F32] = FSR_CUB_F32,
    [FSR_F64] = FSR_CUB_F64};

fsr_status fsr_cuda_sort(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work, cudaStream_t stream,
                         fsr_fault *fault) {
    const fsr_shape *shape = &call->array[0].shape;
    const fsr_cub_sort s = {.key = fsr_cub_key_of[call->array[0].dtype],
                            .in = array[0],
                            .keys = array[1],
                            .places = array[2],
                            .wide = call->array[2].dtype == FSR_I64,
                            .n = (uint64_t)fsr_shape_size(shape),
                            .cols = (uint64_t)shape->dim[shape->ndim - 1],
                            .first = (uint64_t)shape->dim[shape->ndim - 1],
                            .work = work,
                            .work_bytes = (size_t)call->work_bytes,
                            .stream = stream};
    const bool by_places =
        s.cols > FSR_SORT_ROW && (s.places || s.n != s.cols || fsr_dtype_size(call->array[0].dtype) < 4);
    if (s.n > UINT32_MAX && by_places)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "sort: places of %llu elements on a GPU; there are at most %u",
                             (unsigned long long)s.n, UINT32_MAX);
    const cudaError_t error = fsr_cub_run(&s);
    return error == cudaSuccess ? FSR_OK
                                : fsr_cuda_fail(c, error, fault, "sorting %llu elements in %llu bytes of workspace",
                                                (unsigned long long)s.n, (unsigned long long)s.work_bytes);
}

#else

fsr_status fsr_cuda_sort(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work, cudaStream_t stream,
                         fsr_fault *fault) {
    (void)c, (void)call, (void)array, (void)work, (void)stream;
    return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED,
                         "sort on a GPU is CUB's, and this library was built without nvcc; the CPU backend sorts");
}
#endif
#endif
