/* SPDX-License-Identifier: MIT */
/* NVIDIA's libraries, loaded when a plan first wants one. Their functions are declared here, by hand: no header of
 * theirs is needed to build, and what they are is settled by the versions that are loaded. */
#ifndef FUSOR_BACKEND_CUDA_CUBLAS_H
#define FUSOR_BACKEND_CUDA_CUBLAS_H

#include "runtime/fault.h"
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Numbers of cuBLAS. */
enum {
    FSR_CUBLAS_PLAIN = 0,
    FSR_CUBLAS_FLIPPED = 1,
    FSR_CUBLAS_ADJOINT = 2,
    FSR_CUBLAS_COMPUTE_32F = 68,
    FSR_CUBLAS_COMPUTE_64F = 70,
    FSR_CUBLAS_DEFAULT = -1,
    FSR_CUBLAS_NO_REDUCED_SUMS = 16 /* sums of f16 are f32 to their end; no TF32 either, which is another mode */
};

/* FSR_CUBLAS_LIST(X): name without "cublas", parameters. All return a status, 0 is none's fault. */
#define FSR_CUBLAS_LIST(X)                                                                                          \
    X(Create_v2, (void **handle))                                                                                   \
    X(Destroy_v2, (void *handle))                                                                                   \
    X(SetStream_v2, (void *handle, cudaStream_t stream))                                                            \
    X(SetWorkspace_v2, (void *handle, void *workspace, size_t bytes))                                               \
    X(SetMathMode, (void *handle, int mode))                                                                        \
    X(GemmStridedBatchedEx_64,                                                                                      \
      (void *handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *alpha, const void *a, int a_type, \
       int64_t lda, long long a_step, const void *b, int b_type, int64_t ldb, long long b_step, const void *beta,   \
       void *c, int c_type, int64_t ldc, long long c_step, int64_t batches, int compute, int algorithm))

typedef struct fsr_cublas {
    pthread_mutex_t lock;
    bool tried;
    void *library;   /* NULL: there is none */
    void *handle;    /* made when first used */
    bool multiplied; /* the handle has computed a product */
    void *room;      /* workspace of recorded products, of the device's pool; NULL: none was recorded yet */
    int64_t room_bytes;
#define FSR_CUBLAS_FIELD(name, parameters) int(*name) parameters;
    FSR_CUBLAS_LIST(FSR_CUBLAS_FIELD)
#undef FSR_CUBLAS_FIELD
} fsr_cublas;

void fsr_cublas_open(fsr_cublas *b);
/* Gives the handle back. The device is current. */
void fsr_cublas_close(fsr_cublas *b);
/* Looks for the library, once. */
bool fsr_cublas_has(fsr_cublas *b);
/* Makes the handle, once it works, and puts it on the stream, for a library call of this name. The caller is alone. */
fsr_status fsr_cublas_use(fsr_cublas *b, const char *call, cudaStream_t stream, fsr_fault *fault);
/* What a status says. */
fsr_status fsr_cublas_fail(int status, const char *call, const char *what, fsr_fault *fault);

#endif
