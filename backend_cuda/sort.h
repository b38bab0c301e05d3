/* SPDX-License-Identifier: MIT */
/* What backend_cuda/sort.cu offers: C, for both compilers. */
#ifndef FUSOR_BACKEND_CUDA_SORT_H
#define FUSOR_BACKEND_CUDA_SORT_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fsr_cub_key {
    FSR_CUB_U8,
    FSR_CUB_I8,
    FSR_CUB_U16,
    FSR_CUB_I16,
    FSR_CUB_U32,
    FSR_CUB_I32,
    FSR_CUB_U64,
    FSR_CUB_I64,
    FSR_CUB_F16,
    FSR_CUB_BF16,
    FSR_CUB_F32,
    FSR_CUB_F64,
    FSR_CUB_KEYS
} fsr_cub_key;

/* Elements of a row that a block sorts: FSR_SORT_ROW of fusion/library.h. */
enum { FSR_CUB_ROW = 4608 };

typedef struct fsr_cub_sort {
    fsr_cub_key key;
    const void *in;
    void *keys;     /* elements in order, NULL: not asked for */
    void *places;   /* where each was in its row, NULL: not asked for */
    int wide;       /* places are i64, else u32 */
    uint64_t n;     /* elements in all, of rows of `cols` */
    uint64_t cols;  /* n below 2^32 where rows are longer than FSR_CUB_ROW and several, or places are asked for */
    uint64_t first; /* so many ranks of each row are results; of all of them cols */
    int greatest;   /* descending; NaN is last in either order, and comes out as the usual one */
    void *work;
    size_t work_bytes;
    cudaStream_t stream;
} fsr_cub_sort;

/* Sorts each row, stably; asynchronous. cudaErrorMemoryAllocation: the workspace is too small. */
cudaError_t fsr_cub_run(const fsr_cub_sort *s);

#ifdef __cplusplus
}
#else
#include "fusor/dtype.h"
extern const fsr_cub_key fsr_cub_key_of[FSR_DTYPE_COUNT];
#endif

#endif
