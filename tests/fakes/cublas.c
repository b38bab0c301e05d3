/* SPDX-License-Identifier: MIT */
/* A libcublas.so.13 for tests over a driver that is none (tests/trust/fake_cuda.h): products by their definition on the
 * host's memory, column after column as cuBLAS has them, and systems of f64 by elimination, of others not at all. The
 * environment's FAKE_CUBLAS_FAIL names a function that fails, FAKE_CUBLAS_HANDLES counts the handles that there are. A
 * product on a stream that is captured is kept for its graph (FAKE_RECORD is the address of who keeps it), if it has a
 * workspace. */
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R_32F = 0, R_64F = 1, R_16F = 2, C_32F = 4, C_64F = 5 };

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetStream_v2(void *handle, void *stream);
int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes);
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
    const int status = fails("Create_v2", 1);
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

static void *on, *room; /* the stream, and the workspace that was set since */

int cublasSetStream_v2(void *handle, void *stream) {
    (void)handle;
    on = stream;
    room = NULL;
    return fails("SetStream_v2", 7);
}

int cublasSetWorkspace_v2(void *handle, void *workspace, size_t bytes) {
    (void)handle;
    room = bytes ? workspace : NULL;
    return fails("SetWorkspace_v2", 7);
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

static double complex adjoint(int is, double complex x) {
    return is ? conj(x) : x;
}

static void put(void *x, int type, int64_t i, double complex value) {
    switch (type) {
    case R_32F: ((float *)x)[i] = (float)creal(value); break;
    case R_64F: ((double *)x)[i] = creal(value); break;
    case C_32F: ((float complex *)x)[i] = (float complex)value; break;
    default: ((double complex *)x)[i] = value;
    }
}

typedef struct product {
    int ta, tb, a_type, b_type, c_type;
    int64_t m, n, k, lda, ldb, ldc, batches;
    long long a_step, b_step, c_step;
    const void *a, *b;
    void *c;
} product;

static void multiply(const void *arguments) {
    const product *x = arguments;
    for (int64_t s = 0; s < x->batches; s++)
        for (int64_t j = 0; j < x->n; j++)
            for (int64_t i = 0; i < x->m; i++) {
                double complex sum = 0;
                for (int64_t p = 0; p < x->k; p++)
                    sum += adjoint(x->ta == 2,
                                   get(x->a, x->a_type, s * x->a_step + (x->ta ? p + i * x->lda : i + p * x->lda))) *
                           get(x->b, x->b_type, s * x->b_step + (x->tb ? j + p * x->ldb : p + j * x->ldb));
                put(x->c, x->c_type, s * x->c_step + i + j * x->ldc, sum);
            }
}

typedef bool record_call(void *stream, void (*call)(const void *arguments), const void *arguments, size_t bytes);

int cublasGemmStridedBatchedEx_64(void *handle, int ta, int tb, int64_t m, int64_t n, int64_t k, const void *alpha,
                                  const void *a, int a_type, int64_t lda, long long a_step, const void *b, int b_type,
                                  int64_t ldb, long long b_step, const void *beta, void *c, int c_type, int64_t ldc,
                                  long long c_step, int64_t batches, int compute, int algorithm) {
    const product x = {ta,  tb,  a_type,  b_type, c_type, m,      n, k, lda,
                       ldb, ldc, batches, a_step, b_step, c_step, a, b, c};
    const char *keeper = getenv("FAKE_RECORD");
    (void)handle, (void)alpha, (void)beta, (void)compute, (void)algorithm;
    if (fails("GemmStridedBatchedEx_64", 13))
        return 13;
    if (!keeper || !((record_call *)strtoull(keeper, NULL, 0))(on, multiply, &x, sizeof x))
        multiply(&x);
    else if (!room)
        return 14;
    return 0;
}

int cublasDgetrfBatched(void *handle, int n, double **a, int lda, int *pivot, int *info, int count);
int cublasDgetrsBatched(void *handle, int form, int n, int sides, double **a, int lda, const int *pivot, double **b,
                        int ldb, int *info, int count);

static void swap(double *x, double *y) {
    const double t = *x;
    *x = *y;
    *y = t;
}

int cublasDgetrfBatched(void *handle, int n, double **a, int lda, int *pivot, int *info, int batch) {
    (void)handle;
    for (int k = 0; k < batch; k++, pivot += n) {
        double *x = a[k];
        info[k] = 0;
        for (int c = 0; c < n; c++) {
            int best = c;
            for (int i = c; i < n; i++)
                best = (x[i + c * lda] < 0 ? -x[i + c * lda] : x[i + c * lda]) >
                               (x[best + c * lda] < 0 ? -x[best + c * lda] : x[best + c * lda])
                           ? i
                           : best;
            for (int j = 0; best != c && j < n; j++)
                swap(&x[best + j * lda], &x[c + j * lda]);
            pivot[c] = best + 1;
            if (x[c + c * lda] == 0) {
                info[k] = info[k] ? info[k] : c + 1;
                continue;
            }
            for (int i = c + 1; i < n; i++) {
                x[i + c * lda] /= x[c + c * lda];
                for (int j = c + 1; j < n; j++)
                    x[i + j * lda] -= x[i + c * lda] * x[c + j * lda];
            }
        }
    }
    return fails("DgetrfBatched", 13);
}

/* Of the transpose. */
int cublasDgetrsBatched(void *handle, int form, int n, int sides, double **a, int lda, const int *pivot, double **b,
                        int ldb, int *info, int batch) {
    (void)handle;
    *info = 0;
    for (int k = 0; k < batch; k++, pivot += n)
        for (int s = 0; s < sides; s++) {
            const double *m = a[k];
            double *x = b[k] + (size_t)s * (size_t)ldb;
            for (int i = 0; i < n; i++) {
                for (int j = 0; j < i; j++)
                    x[i] -= m[j + i * lda] * x[j];
                x[i] /= m[i + i * lda];
            }
            for (int i = n - 1; i >= 0; i--)
                for (int j = i + 1; j < n; j++)
                    x[i] -= m[j + i * lda] * x[j];
            for (int i = n - 1; i >= 0; i--)
                swap(&x[i], &x[pivot[i] - 1]);
        }
    return form == 1 ? fails("DgetrsBatched", 13) : 7;
}

/* Systems of other numbers are not solved, and said to be. */
#define UNSOLVED(letter)                                                                                            \
    int cublas##letter##getrfBatched(void *handle, int n, void **a, int lda, int *pivot, int *info, int batch);     \
    int cublas##letter##getrfBatched(void *handle, int n, void **a, int lda, int *pivot, int *info, int batch) {    \
        (void)handle, (void)a, (void)lda;                                                                           \
        for (int i = 0; i < batch * n; i++)                                                                         \
            pivot[i] = i % n + 1;                                                                                   \
        memset(info, 0, sizeof *info *(size_t)batch);                                                               \
        return fails(#letter "getrfBatched", 13);                                                                   \
    }                                                                                                               \
    int cublas##letter##getrsBatched(void *handle, int form, int n, int sides, void **a, int lda, const int *pivot, \
                                     void **b, int ldb, int *info, int batch);                                      \
    int cublas##letter##getrsBatched(void *handle, int form, int n, int sides, void **a, int lda, const int *pivot, \
                                     void **b, int ldb, int *info, int batch) {                                     \
        (void)handle, (void)n, (void)sides, (void)a, (void)lda, (void)pivot, (void)b, (void)ldb, (void)batch;       \
        *info = 0;                                                                                                  \
        return form == 1 ? fails(#letter "getrsBatched", 13) : 7;                                                   \
    }
UNSOLVED(S)
UNSOLVED(C)
UNSOLVED(Z)
