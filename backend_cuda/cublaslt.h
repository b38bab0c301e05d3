/* SPDX-License-Identifier: MIT */
/* cuBLASLt, loaded when a plan first has a product with a scale or a bias behind it. Its functions are declared here,
 * as cuBLAS' are; what it returns are cuBLAS' numbers. */
#ifndef FUSOR_BACKEND_CUDA_CUBLASLT_H
#define FUSOR_BACKEND_CUDA_CUBLASLT_H

#include "runtime/fault.h"
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of cuBLASLt. */
enum {
    FSR_CUBLASLT_TRANSA = 3, /* of a product: is matrix a transposed, int */
    FSR_CUBLASLT_TRANSB = 4,
    FSR_CUBLASLT_EPILOGUE = 7,          /* uint32_t */
    FSR_CUBLASLT_BIAS_POINTER = 8,      /* of a row of D's dtype, aligned to 16 bytes */
    FSR_CUBLASLT_WITH_BIAS = 4,         /* an epilogue */
    FSR_CUBLASLT_REDUCTION_SCHEMES = 3, /* of a preference: which ones an algorithm may have, uint32_t */
    FSR_CUBLASLT_ALIGNMENT_A = 5,       /* bytes, at most 256, uint32_t; of B, C and D the next ones */
    FSR_CUBLASLT_MOST_ALIGNED = 256,
    FSR_CUBLASLT_BIAS_ALIGNED = 16
};

/* An algorithm, and what is said of it. */
typedef struct fsr_cublaslt_choice {
    uint64_t algorithm[8];
    size_t workspace;
    int status;
    float waves;
    int reserved[4];
} fsr_cublaslt_choice;

/* What was chosen for products of these sizes, forms, dtypes and alignments: asking takes tens of microseconds. */
enum { FSR_CUBLASLT_KEY = 7, FSR_CUBLASLT_KEPT = 16 };
typedef struct fsr_cublaslt_known {
    int64_t key[FSR_CUBLASLT_KEY]; /* k first: 0, there is none */
    uint64_t algorithm[8];
} fsr_cublaslt_known;

/* FSR_CUBLASLT_LIST(X): name without "cublasLt", parameters. All return a status. */
#define FSR_CUBLASLT_LIST(X)                                                                                         \
    X(Create, (void **handle))                                                                                       \
    X(Destroy, (void *handle))                                                                                       \
    X(MatmulDescCreate, (void **product, int compute, int scale_type))                                               \
    X(MatmulDescDestroy, (void *product))                                                                            \
    X(MatmulDescSetAttribute, (void *product, int which, const void *value, size_t bytes))                           \
    X(MatrixLayoutCreate, (void **matrix, int type, uint64_t rows, uint64_t cols, int64_t lead))                     \
    X(MatrixLayoutDestroy, (void *matrix))                                                                           \
    X(MatmulPreferenceCreate, (void **preference))                                                                   \
    X(MatmulPreferenceDestroy, (void *preference))                                                                   \
    X(MatmulPreferenceSetAttribute, (void *preference, int which, const void *value, size_t bytes))                  \
    X(MatmulAlgoGetHeuristic, (void *handle, void *product, void *a, void *b, void *c, void *d, void *preference,    \
                               int wanted, fsr_cublaslt_choice *choice, int *found))                                 \
    X(Matmul, (void *handle, void *product, const void *alpha, const void *a, void *a_is, const void *b, void *b_is, \
               const void *beta, const void *c, void *c_is, void *d, void *d_is, const uint64_t *algorithm,          \
               void *workspace, size_t bytes, cudaStream_t stream))

typedef struct fsr_cublaslt {
    pthread_mutex_t lock; /* of looking for it */
    bool tried;
    void *library; /* NULL: there is none */
    void *handle;
    fsr_cublaslt_known known[FSR_CUBLASLT_KEPT]; /* the oldest goes */
    int next;
#define FSR_CUBLASLT_FIELD(name, parameters) int(*name) parameters;
    FSR_CUBLASLT_LIST(FSR_CUBLASLT_FIELD)
#undef FSR_CUBLASLT_FIELD
} fsr_cublaslt;

void fsr_cublaslt_open(fsr_cublaslt *t);
/* Gives the handle back. The device is current. */
void fsr_cublaslt_close(fsr_cublaslt *t);
/* Looks for the library, once. */
bool fsr_cublaslt_has(fsr_cublaslt *t);
/* Loads it and makes the handle, once it works. The caller is alone. */
fsr_status fsr_cublaslt_use(fsr_cublaslt *t, fsr_fault *fault);
/* What a status says. */
fsr_status fsr_cublaslt_fail(int status, const char *what, fsr_fault *fault);

#endif
