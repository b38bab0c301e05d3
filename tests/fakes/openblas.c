/* SPDX-License-Identifier: MIT */
/* A libopenblas.so.0 for tests where there is none: products by their definition, in double, with CBLAS' arguments.
 * Each is counted in the environment's FAKE_BLAS_CALLS, which tests read. */
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>

enum { FLIPPED = 112 };

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
                 int ldb, float beta, float *c, int ldc);
void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc);
void cblas_cgemm(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda,
                 const void *b, int ldb, const void *beta, void *c, int ldc);
void cblas_zgemm(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda,
                 const void *b, int ldb, const void *beta, void *c, int ldc);
int openblas_get_num_threads(void);
void openblas_set_num_threads(int n);

static void count(void) {
    const char *now = getenv("FAKE_BLAS_CALLS");
    char next[16];
    snprintf(next, sizeof next, "%d", (now ? atoi(now) : 0) + 1);
    setenv("FAKE_BLAS_CALLS", next, 1);
}

#define PRODUCT(type, wide)                                                                             \
    count();                                                                                            \
    for (int i = 0; i < m; i++)                                                                         \
        for (int j = 0; j < n; j++) {                                                                   \
            wide sum = 0;                                                                               \
            for (int p = 0; p < k; p++)                                                                 \
                sum += (wide)((const type *)a)[ta == FLIPPED ? i + (long)p * lda : p + (long)i * lda] * \
                       (wide)((const type *)b)[tb == FLIPPED ? p + (long)j * ldb : j + (long)p * ldb];  \
            ((type *)c)[j + (long)i * ldc] = (type)sum;                                                 \
        }

void cblas_sgemm(int order, int ta, int tb, int m, int n, int k, float alpha, const float *a, int lda, const float *b,
                 int ldb, float beta, float *c, int ldc) {
    (void)order, (void)alpha, (void)beta;
    PRODUCT(float, double)
}

void cblas_dgemm(int order, int ta, int tb, int m, int n, int k, double alpha, const double *a, int lda,
                 const double *b, int ldb, double beta, double *c, int ldc) {
    (void)order, (void)alpha, (void)beta;
    PRODUCT(double, double)
}

void cblas_cgemm(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda,
                 const void *b, int ldb, const void *beta, void *c, int ldc) {
    (void)order, (void)alpha, (void)beta;
    PRODUCT(float complex, double complex)
}

void cblas_zgemm(int order, int ta, int tb, int m, int n, int k, const void *alpha, const void *a, int lda,
                 const void *b, int ldb, const void *beta, void *c, int ldc) {
    (void)order, (void)alpha, (void)beta;
    PRODUCT(double complex, double complex)
}

static int threads = 64;

int openblas_get_num_threads(void) {
    return threads;
}

void openblas_set_num_threads(int n) {
    threads = n;
}
