/* SPDX-License-Identifier: MIT */
/* A libcublas.so.13 for tests over a driver that is none (tests/trust/fake_cuda.h): products by their definition on the host's
 * memory, column after column as cuBLAS has them. The environment's FAKE_CUBLAS_FAIL names a function that fails, FAKE_CUBLAS_HANDLES
 * counts the handles that there are. */
#include <complex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5 };

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetMathMode(void *handle, int mode);
int cublasGemmStridedBatchedEx_64(void *handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *alpha,
                                  const void *a, int a_type, int64_t lda, long long a_step, const void *b, int b_type,
                                  int64_t ldb, long long b_step, const void *beta, void *c, int c_type, int64_t ldc,
                                  long long c_step, int64_t batches, int compute, int algorithm);

static int fails(const char *name, int status) {
    const char *which = getenv("FAKE_CUBLAS_FAIL");
    return which && !strcmp(which, name) ? status : 0;
}

static void count(int by) {
    const char *now = getenv("FAKE_CUBLAS_HANDLES");
    char next[16];
    snprintf(next, sizeof next, "%d", (now ? atoi(now) : 0) + by);
    setenv("FAKE_CUBLAS_HANDLES", next, 1);
}

int cublasCreate_v2(void **handle) {
    static char one;
    const int status = fails("Create", 1);
    if (status)
        return status;
    *handle = &one;
    count(1);
    return 0;
}

int cublasDestroy_v2(void *handle) {
    (void)handle;
    count(-1);
    return 0;
}

int cublasSetStream_v2(void *handle, void *stream) {
    (void)handle, (void)stream;
    return fails("SetStream", 7);
}

int cublasSetMathMode(void *handle, int mode) {
    (void)handle, (void)mode;
    return fails("SetMathMode", 3);
}

static double complex get(const void *x, int type, int64_t i) {
    switch (type) {
    case R_32F: return (double)((const float *)x)[i];
    case R_64F: return ((const double *)x)[i];
    case R_16F: return (double)((const _Float16 *)x)[i];
    case C_32F: return (double complex)((const float complex *)x)[i];
    default: return ((const double complex *)x)[i];
    }
}

static void put(void *x, int type, int64_t i, double complex value) {
    switch (type) {
    case R_32F: ((float *)x)[i] = (float)creal(value); break;
    case R_64F: ((double *)x)[i] = creal(value); break;
    case C_32F: ((float complex *)x)[i] = (float complex)value; break;
    default: ((double complex *)x)[i] = value;
    }
}

int cublasGemmStridedBatchedEx_64(void *handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *alpha,
                                  const void *a, int a_type, int64_t lda, long long a_step, const void *b, int b_type,
                                  int64_t ldb, long long b_step, const void *beta, void *c, int c_type, int64_t ldc,
                                  long long c_step, int64_t batches, int compute, int algorithm) {
    (void)handle, (void)alpha, (void)beta, (void)compute, (void)algorithm;
    if (fails("Gemm", 13))
        return 13;
    for (int64_t s = 0; s < batches; s++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t i = 0; i < m; i++) {
                double complex sum = 0;
                for (int64_t p = 0; p < k; p++)
                    sum += get(a, a_type, s * a_step + (ta ? p + i * lda : i + p * lda)) *
                           get(b, b_type, s * b_step + (tb ? j + p * ldb : p + j * ldb));
                put(c, c_type, s * c_step + i + j * ldc, sum);
            }
    return 0;
}
