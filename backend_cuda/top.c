/* SPDX-License-Identifier: MIT */
/* The library calls "least", "greatest" and "ranked" on a GPU: kernels of our own for few, CUB's sort for many, where
 * the library was built with nvcc. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/library.h"
#include "graph/shape.h"

#ifdef FUSOR_HAVE_CUB
#include "backend_cuda/top.h"

static cudaError_t search(const fsr_library_call *call, void *const *array, void *work, uint64_t rows, uint64_t n,
                          uint64_t k, cudaStream_t stream) {
    const fsr_cuda_top_search s = {.key = fsr_cub_key_of[call->array[0].dtype],
                                   .greatest = call->library == FSR_LIBRARY_GREATEST,
                                   .in = array[0],
                                   .rows = rows,
                                   .n = n,
                                   .k = (uint32_t)k,
                                   .values = array[1],
                                   .places = array[2],
                                   .wide = call->array[2].dtype == FSR_I64,
                                   .work = work,
                                   .stream = stream};
    return fsr_cuda_top_work() > (size_t)call->work_bytes ? cudaErrorMemoryAllocation : fsr_cuda_top_run(&s);
}

static cudaError_t sort(const fsr_library_call *call, void *const *array, void *work, uint64_t rows, uint64_t n,
                        uint64_t k, cudaStream_t stream) {
    const fsr_cub_sort s = {.key = fsr_cub_key_of[call->array[0].dtype],
                            .in = array[0],
                            .keys = array[1],
                            .places = array[2],
                            .wide = call->array[2].dtype == FSR_I64,
                            .n = rows * n,
                            .cols = n,
                            .first = k,
                            .greatest = call->library == FSR_LIBRARY_GREATEST,
                            .work = work,
                            .work_bytes = (size_t)call->work_bytes,
                            .stream = stream};
    return fsr_cub_run(&s);
}

fsr_status fsr_cuda_top(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work, cudaStream_t stream,
                        fsr_fault *fault) {
    const fsr_shape *shape = &call->array[0].shape;
    const int last = shape->ndim - 1;
    const uint64_t n = (uint64_t)shape->dim[last], rows = (uint64_t)fsr_shape_size(shape) / n;
    const uint64_t k = (uint64_t)call->array[1].shape.dim[last];
    const bool few = k <= FSR_TOP_SEARCHED;
    if ((few ? n : rows * n) > UINT32_MAX)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "the first of %llu elements on a GPU; there are at most %u",
                             (unsigned long long)(few ? n : rows * n), UINT32_MAX);
    const cudaError_t error = (few ? search : sort)(call, array, work, rows, n, k, stream);
    return error == cudaSuccess ? FSR_OK
                                : fsr_cuda_fail(c, error, fault, "the first %llu of %llu rows of %llu elements",
                                                (unsigned long long)k, (unsigned long long)rows, (unsigned long long)n);
}

fsr_status fsr_cuda_ranked(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                           cudaStream_t stream, fsr_fault *fault) {
    const fsr_shape *shape = &call->array[0].shape;
    const int last = shape->ndim - 1;
    const fsr_cuda_ranks s = {.key = fsr_cub_key_of[call->array[0].dtype],
                              .in = array[0],
                              .rows = (uint64_t)(fsr_shape_size(shape) / shape->dim[last]),
                              .n = (uint64_t)shape->dim[last],
                              .rank = array[1],
                              .m = (uint32_t)call->array[1].shape.dim[last],
                              .out = array[2],
                              .work = work,
                              .stream = stream};
    if (call->array[1].shape.dim[last] > UINT32_MAX)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "%lld ranks of a row on a GPU; there are at most %u",
                             (long long)call->array[1].shape.dim[last], UINT32_MAX);
    if (s.n > UINT32_MAX)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "ranks of %llu elements on a GPU; there are at most %u",
                             (unsigned long long)s.n, UINT32_MAX);
    const cudaError_t error =
        fsr_cuda_top_work() > (size_t)call->work_bytes ? cudaErrorMemoryAllocation : fsr_cuda_ranks_run(&s);
    return error == cudaSuccess ? FSR_OK
                                : fsr_cuda_fail(c, error, fault, "ranks of %llu rows of %llu elements",
                                                (unsigned long long)s.rows, (unsigned long long)s.n);
}

#else

fsr_status fsr_cuda_ranked(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                           cudaStream_t stream, fsr_fault *fault) {
    (void)c, (void)call, (void)array, (void)work, (void)stream;
    return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED,
                         "ranks on a GPU: this library was built without nvcc; the CPU backend finds them");
}

fsr_status fsr_cuda_top(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work, cudaStream_t stream,
                        fsr_fault *fault) {
    (void)c, (void)call, (void)array, (void)work, (void)stream;
    return fsr_fault_set(
        fault, FSR_ERR_UNSUPPORTED,
        "the first elements on a GPU: this library was built without nvcc; the CPU backend finds them");
}
#endif
#endif
