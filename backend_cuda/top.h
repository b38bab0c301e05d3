/* SPDX-License-Identifier: MIT */
/* What backend_cuda/top.cu offers: C, for both compilers. */
#ifndef FUSOR_BACKEND_CUDA_TOP_H
#define FUSOR_BACKEND_CUDA_TOP_H

#include "backend_cuda/sort.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fsr_cuda_top_search {
    fsr_cub_key key;
    int greatest;   /* first the greatest elements */
    const void *in; /* rows of n < 2^32 elements */
    uint64_t rows, n;
    uint32_t k;
    void *values; /* NULL: not asked for */
    void *places; /* where each was in its row, NULL: not asked for */
    int wide;     /* places are i64, else u32 */
    void *work;   /* of fsr_cuda_top_work bytes */
    cudaStream_t stream;
} fsr_cuda_top_search;

typedef struct fsr_cuda_ranks {
    fsr_cub_key key;
    const void *in; /* rows of n < 2^32 elements */
    uint64_t rows, n;
    const int64_t *rank; /* m for each row */
    uint32_t m;
    void *out;  /* as many elements */
    void *work; /* of fsr_cuda_top_work bytes */
    cudaStream_t stream;
} fsr_cuda_ranks;

/* Bytes of workspace, whatever the rows are. */
size_t fsr_cuda_top_work(void);
/* The first k elements of each row in order, equal ones by their places, NaN last; asynchronous. k is at most n and
 * 2048, FSR_TOP_SEARCHED. */
cudaError_t fsr_cuda_top_run(const fsr_cuda_top_search *s);
/* Elements of each row by their ranks, brought inside, -0 before 0, NaN last; asynchronous. */
cudaError_t fsr_cuda_ranks_run(const fsr_cuda_ranks *s);

#ifdef __cplusplus
}
#endif

#endif
