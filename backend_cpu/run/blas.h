/* SPDX-License-Identifier: MIT */
/* The system's BLAS, loaded when a product of matrices is first asked for. */
#ifndef FUSOR_BACKEND_CPU_BLAS_H
#define FUSOR_BACKEND_CPU_BLAS_H

#include "fusor/dtype.h"
#include <stdbool.h>

/* Numbers of CBLAS. */
enum { FSR_BLAS_ROW_MAJOR = 101, FSR_BLAS_PLAIN = 111, FSR_BLAS_FLIPPED = 112 };

typedef void fsr_blas_real32(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda,
                             const float *b, int ldb, float beta, float *c, int ldc);
typedef void fsr_blas_real64(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                             const double *b, int ldb, double beta, double *c, int ldc);
typedef void fsr_blas_complex(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda,
                              const void *b, int ldb, const void *beta, void *c, int ldc);

typedef struct fsr_blas {
    void *library; /* NULL: there is none */
    fsr_blas_real32 *sgemm;
    fsr_blas_real64 *dgemm;
    fsr_blas_complex *cgemm, *zgemm;
    int (*threads)(void);
    void (*set_threads)(int n);
} fsr_blas;

/* Finds it: a microsecond where it is loaded already. It stays loaded until the process ends: its threads may be at
 * work. False: there is none with all of these functions, or no room for it. */
bool fsr_blas_find(fsr_blas *out);

#endif
