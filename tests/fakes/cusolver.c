/* SPDX-License-Identifier: MIT */
/* A libcusolver.so.12 for tests over a driver that is none: f64 and c128 matrices, by the loops of the CPU backend on
 * the host's memory; of f32 and c64 it computes nothing, and says that it is done. The environment's FAKE_CUSOLVER_FAIL
 * names a function that fails ("CreateParams once": the first time), FAKE_CUSOLVER_HANDLES counts the handles that
 * there are. */
#include "backend_cpu/run/linalg.h"
#include <complex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 };

#define FUNCTION(name, parameters) int cusolverDn##name parameters
#define XDEVICE void *device, size_t device_bytes, void *host, size_t host_bytes, int *info

static int fails(const char *name, int status) {
    const char *which = getenv("FAKE_CUSOLVER_FAIL");
    return which && !strcmp(which, name) ? status : 0;
}

static void count(int by) {
    const char *now = getenv("FAKE_CUSOLVER_HANDLES");
    char next[16];
    snprintf(next, sizeof next, "%d", (now ? atoi(now) : 0) + by);
    setenv("FAKE_CUSOLVER_HANDLES", next, 1);
}

/* One problem; 1: it was not solved. */
static int run(fsr_linalg_kind kind, int type, int64_t rows, int64_t cols, int64_t more, const void *a, const void *b,
               void *out0, void *out1, void *out2) {
    const fsr_shape shape = {2, {rows, cols}};
    fsr_linalg l;
    if (type != R_64F && type != C_64F)
        return 0;
    fsr_linalg_make(&l, kind, &shape, more);
    fsr_linalg_one one = {.l = &l, .a = a, .b = b, .out = {out0, out1, out2}};
    one.room = calloc((size_t)(8 * rows * cols + 200 * (rows + cols) + 64), 16);
    const bool solved = (type == C_64F ? fsr_linalg_plain_c128 : fsr_linalg_plain_f64)(&one);
    free(one.room);
    return !solved;
}

static size_t size_of(int type) {
    return type == C_64F ? 16 : type == R_32F ? 4 : 8;
}

/* A copy, that a problem reads while its result is written. */
static void *copy_of(const void *x, int type, int64_t n) {
    void *to = malloc((size_t)n * size_of(type) + 1);
    memcpy(to, x, (size_t)n * size_of(type));
    return to;
}

FUNCTION(Create, (void **handle));
FUNCTION(Create, (void **handle)) {
    static char one;
    if (fails("Create", 1))
        return 1;
    *handle = &one;
    count(1);
    return 0;
}

FUNCTION(Destroy, (void *handle));
FUNCTION(Destroy, (void *handle)) {
    (void)handle;
    count(-1);
    return 0;
}

FUNCTION(CreateParams, (void **params));
FUNCTION(CreateParams, (void **params)) {
    *params = NULL;
    if (fails("CreateParams once", 2)) {
        setenv("FAKE_CUSOLVER_FAIL", "", 1);
        return 2;
    }
    return fails("CreateParams", 2);
}

FUNCTION(DestroyParams, (void *params));
FUNCTION(DestroyParams, (void *params)) {
    (void)params;
    return 0;
}

FUNCTION(SetStream, (void *handle, void *stream));
FUNCTION(SetStream, (void *handle, void *stream)) {
    (void)handle, (void)stream;
    return fails("SetStream", 3);
}

#define BUFFER(name, parameters)                  \
    FUNCTION(X##name##_bufferSize, parameters);   \
    FUNCTION(X##name##_bufferSize, parameters) {  \
        (void)handle, (void)params;               \
        *device = 100;                            \
        *host = 10;                               \
        return fails("X" #name "_bufferSize", 7); \
    }
#define IGNORE (void)handle, (void)params, (void)compute, (void)device, (void)device_bytes, (void)host, (void)host_bytes

#pragma GCC diagnostic ignored "-Wunused-parameter"
BUFFER(getrf, (void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda, int compute,
               size_t *device, size_t *host))
BUFFER(potrf, (void *handle, void *params, int triangle, int64_t n, int type, const void *a, int64_t lda, int compute,
               size_t *device, size_t *host))
BUFFER(geqrf, (void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda, int tau_type,
               const void *tau, int compute, size_t *device, size_t *host))
BUFFER(syevd, (void *handle, void *params, int job, int triangle, int64_t n, int type, const void *a, int64_t lda,
               int w_type, const void *w, int compute, size_t *device, size_t *host))
BUFFER(syevBatched, (void *handle, void *params, int job, int triangle, int64_t n, int type, const void *a, int64_t lda,
                     int w_type, const void *w, int compute, size_t *device, size_t *host, int64_t batch))
BUFFER(gesvd, (void *handle, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type,
               const void *a, int64_t lda, int s_type, const void *s, int u_type, const void *u, int64_t ldu,
               int vt_type, const void *vt, int64_t ldvt, int compute, size_t *device, size_t *host))

FUNCTION(Xgetrf, (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivot,
                  int compute, XDEVICE));
FUNCTION(Xgetrf, (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivot,
                  int compute, XDEVICE)) {
    IGNORE;
    if (fails("Xgetrf", 6))
        return 6;
    void *in = copy_of(a, type, n * n);
    int32_t *place = malloc((size_t)n * sizeof *place);
    run(FSR_LINALG_LU, type, n, n, 0, in, NULL, a, place, NULL);
    *info = 0;
    for (int64_t i = 0; i < n; i++) {
        const double complex u = type == C_64F ? ((double complex *)a)[i * n + i] : ((double *)a)[i * n + i];
        pivot[i] = place[i];
        *info = u == 0 && !*info ? (int)i + 1 : *info;
    }
    free(in);
    free(place);
    return 0;
}

/* Of the transpose: a row of b is a right side of u' l' p. */
FUNCTION(Xgetrs, (void *handle, void *params, int form, int64_t n, int64_t sides, int type, const void *a, int64_t lda,
                  const int64_t *pivot, int b_type, void *b, int64_t ldb, int *info));
FUNCTION(Xgetrs, (void *handle, void *params, int form, int64_t n, int64_t sides, int type, const void *a, int64_t lda,
                  const int64_t *pivot, int b_type, void *b, int64_t ldb, int *info)) {
    *info = 0;
    if (fails("Xgetrs", 6) || form != 1)
        return 6;
    for (int64_t s = 0; s < sides; s++) {
        double complex *x = malloc((size_t)n * sizeof *x);
#define AT(i) (type == C_64F ? ((const double complex *)a)[i] : ((const double *)a)[i])
        for (int64_t i = 0; i < n; i++)
            x[i] = type == C_64F ? ((double complex *)b)[s * n + i] : ((double *)b)[s * n + i];
        for (int64_t i = 0; i < n; i++) {
            for (int64_t j = 0; j < i; j++)
                x[i] -= AT(i * n + j) * x[j];
            x[i] /= AT(i * n + i);
        }
        for (int64_t i = n - 1; i >= 0; i--)
            for (int64_t j = i + 1; j < n; j++)
                x[i] -= AT(i * n + j) * x[j];
        for (int64_t i = n - 1; i >= 0; i--) {
            const double complex t = x[i];
            x[i] = x[pivot[i] - 1];
            x[pivot[i] - 1] = t;
        }
        for (int64_t i = 0; i < n; i++)
            if (type == C_64F)
                ((double complex *)b)[s * n + i] = x[i];
            else
                ((double *)b)[s * n + i] = creal(x[i]);
        free(x);
    }
    return 0;
}

static int potrf(int type, int64_t n, void *a) {
    void *in = copy_of(a, type, n * n);
    const int info = run(FSR_LINALG_CHOLESKY, type, n, n, 0, in, NULL, a, NULL, NULL);
    free(in);
    return info;
}

FUNCTION(Xpotrf,
         (void *handle, void *params, int triangle, int64_t n, int type, void *a, int64_t lda, int compute, XDEVICE));
FUNCTION(Xpotrf,
         (void *handle, void *params, int triangle, int64_t n, int type, void *a, int64_t lda, int compute, XDEVICE)) {
    IGNORE;
    *info = potrf(type, n, a);
    return triangle == 1 ? fails("Xpotrf", 6) : 3;
}

/* tau is 2 / v'v: of real matrices. */
FUNCTION(Xgeqrf, (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int tau_type,
                  void *tau, int compute, XDEVICE));
FUNCTION(Xgeqrf, (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int tau_type,
                  void *tau, int compute, XDEVICE)) {
    IGNORE;
    const int64_t k = m < n ? m : n;
    void *in = copy_of(a, type, m * n);
    *info = run(FSR_LINALG_QR, type, n, m, k, in, NULL, NULL, a, NULL);
    for (int64_t j = 0; type == R_64F && j < k; j++) {
        const double *column = (const double *)a + j * m;
        double below = 0;
        for (int64_t i = j + 1; i < m; i++)
            below += column[i] * column[i];
        ((double *)tau)[j] = below == 0 ? 0 : 2 / (1 + below);
    }
    free(in);
    return fails("Xgeqrf", 6);
}

FUNCTION(Xsyevd, (void *handle, void *params, int job, int triangle, int64_t n, int type, void *a, int64_t lda,
                  int w_type, void *w, int compute, XDEVICE));
FUNCTION(Xsyevd, (void *handle, void *params, int job, int triangle, int64_t n, int type, void *a, int64_t lda,
                  int w_type, void *w, int compute, XDEVICE)) {
    IGNORE;
    void *in = copy_of(a, type, n * n);
    *info = run(job ? FSR_LINALG_EIGH : FSR_LINALG_EIGVALSH, type, n, n, 0, in, NULL, w, a, NULL);
    free(in);
    return triangle == 1 ? fails("Xsyevd", 6) : 3;
}

FUNCTION(XsyevBatched, (void *handle, void *params, int job, int triangle, int64_t n, int type, void *a, int64_t lda,
                        int w_type, void *w, int compute, XDEVICE, int64_t batch));
FUNCTION(XsyevBatched, (void *handle, void *params, int job, int triangle, int64_t n, int type, void *a, int64_t lda,
                        int w_type, void *w, int compute, XDEVICE, int64_t batch)) {
    IGNORE;
    for (int64_t i = 0; i < batch; i++) {
        char *each = (char *)a + (size_t)(i * n * n) * size_of(type);
        void *in = copy_of(each, type, n * n);
        info[i] =
            run(job ? FSR_LINALG_EIGH : FSR_LINALG_EIGVALSH, type, n, n, 0, in, NULL, (double *)w + i * n, each, NULL);
        free(in);
    }
    return triangle == 1 ? fails("XsyevBatched", 6) : 3;
}

FUNCTION(Xgesvd, (void *handle, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type,
                  void *a, int64_t lda, int s_type, void *s, int u_type, void *u, int64_t ldu, int vt_type, void *vt,
                  int64_t ldvt, int compute, XDEVICE));
FUNCTION(Xgesvd, (void *handle, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type,
                  void *a, int64_t lda, int s_type, void *s, int u_type, void *u, int64_t ldu, int vt_type, void *vt,
                  int64_t ldvt, int compute, XDEVICE)) {
    IGNORE;
    if (m < n || job_u != job_vt)
        return 3;
    *info = job_u == 'N' ? run(FSR_LINALG_SVDVALS, type, n, m, 0, a, NULL, s, NULL, NULL)
                         : run(FSR_LINALG_SVD, type, n, m, 0, a, NULL, vt, s, u);
    return fails("Xgesvd", 6);
}

/* For each letter. */
#define TYPED(letter, org, type)                                                                                   \
    FUNCTION(letter##org##_bufferSize,                                                                             \
             (void *handle, int m, int n, int k, const void *a, int lda, const void *tau, int *elements));         \
    FUNCTION(letter##org##_bufferSize,                                                                             \
             (void *handle, int m, int n, int k, const void *a, int lda, const void *tau, int *elements)) {        \
        *elements = 7;                                                                                             \
        return fails(#letter #org "_bufferSize", 6);                                                               \
    }                                                                                                              \
    FUNCTION(letter##org, (void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work,       \
                           int elements, int *info));                                                              \
    FUNCTION(letter##org, (void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work,       \
                           int elements, int *info)) {                                                             \
        if (type == R_64F)                                                                                         \
            orgqr(m, n, k, a, tau);                                                                                \
        *info = 0;                                                                                                 \
        return fails(#letter #org, 6);                                                                             \
    }                                                                                                              \
    FUNCTION(letter##potrfBatched, (void *handle, int triangle, int n, void **a, int lda, int *info, int batch));  \
    FUNCTION(letter##potrfBatched, (void *handle, int triangle, int n, void **a, int lda, int *info, int batch)) { \
        for (int i = 0; i < batch; i++)                                                                            \
            info[i] = potrf(type, n, a[i]);                                                                        \
        return fails(#letter "potrfBatched", 6);                                                                   \
    }

static void orgqr(int m, int n, int k, double *a, const double *tau) {
    double *v = malloc(sizeof *v * (size_t)m * (size_t)k);
    memcpy(v, a, sizeof *v * (size_t)m * (size_t)k);
    for (int c = 0; c < n; c++) {
        double *column = a + (size_t)c * (size_t)m;
        for (int i = 0; i < m; i++)
            column[i] = i == c;
        for (int j = k - 1; j >= 0; j--) {
            const double *own = v + (size_t)j * (size_t)m;
            double sum = column[j];
            for (int i = j + 1; i < m; i++)
                sum += own[i] * column[i];
            column[j] -= tau[j] * sum;
            for (int i = j + 1; i < m; i++)
                column[i] -= tau[j] * sum * own[i];
        }
    }
    free(v);
}

FUNCTION(CreateGesvdjInfo, (void **params));
FUNCTION(CreateGesvdjInfo, (void **params)) {
    *params = NULL;
    if (fails("CreateGesvdjInfo", 2))
        return 2;
    *params = malloc(1);
    count(1);
    return 0;
}

FUNCTION(DestroyGesvdjInfo, (void *params));
FUNCTION(DestroyGesvdjInfo, (void *params)) {
    free(params);
    count(-1);
    return 0;
}

/* The first n of u's m columns are vectors, of which v has the others' conjugates, transposed. */
#define JACOBI(letter, type)                                                                                           \
    FUNCTION(letter##gesvdjBatched_bufferSize,                                                                         \
             (void *handle, int job, int m, int n, const void *a, int lda, const void *s, const void *u, int ldu,      \
              const void *v, int ldv, int *elements, void *params, int batch));                                        \
    FUNCTION(letter##gesvdjBatched_bufferSize,                                                                         \
             (void *handle, int job, int m, int n, const void *a, int lda, const void *s, const void *u, int ldu,      \
              const void *v, int ldv, int *elements, void *params, int batch)) {                                       \
        *elements = 5;                                                                                                 \
        return fails(#letter "gesvdjBatched_bufferSize", 7);                                                           \
    }                                                                                                                  \
    FUNCTION(letter##gesvdjBatched, (void *handle, int job, int m, int n, void *a, int lda, void *s, void *u, int ldu, \
                                     void *v, int ldv, void *work, int elements, int *info, void *params, int batch)); \
    FUNCTION(letter##gesvdjBatched,                                                                                    \
             (void *handle, int job, int m, int n, void *a, int lda, void *s, void *u, int ldu, void *v, int ldv,      \
              void *work, int elements, int *info, void *params, int batch)) {                                         \
        for (int i = 0; i < batch; i++)                                                                                \
            info[i] = jacobi(job, type, m, n, (char *)a + (size_t)i * (size_t)(m * n) * size_of(type),                 \
                             (double *)s + i * n, (char *)u + (size_t)i * (size_t)(m * m) * size_of(type),             \
                             (char *)v + (size_t)i * (size_t)(n * n) * size_of(type));                                 \
        return fails(#letter "gesvdjBatched", 6);                                                                      \
    }

static int jacobi(int job, int type, int m, int n, const void *a, double *s, char *u, char *v) {
    char *left = calloc((size_t)(n * n), size_of(type));
    memset(u, 0, (size_t)(m * m) * size_of(type));
    job = type == R_64F || type == C_64F ? job : 0;
    const int info = job ? run(FSR_LINALG_SVD, type, n, m, 0, a, NULL, left, s, u)
                         : run(FSR_LINALG_SVDVALS, type, n, m, 0, a, NULL, s, NULL, NULL);
    for (int i = 0; i < n && job; i++)
        for (int k = 0; k < n; k++)
            if (type == C_64F)
                ((double complex *)(void *)v)[i + k * n] = conj(((double complex *)(void *)left)[i * n + k]);
            else
                ((double *)(void *)v)[i + k * n] = ((double *)(void *)left)[i * n + k];
    free(left);
    return info;
}

JACOBI(S, R_32F)
JACOBI(D, R_64F)
JACOBI(C, C_32F)
JACOBI(Z, C_64F)

TYPED(S, orgqr, R_32F)
TYPED(D, orgqr, R_64F)
TYPED(C, ungqr, C_32F)
TYPED(Z, ungqr, C_64F)
