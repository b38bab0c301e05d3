/* SPDX-License-Identifier: MIT */
/* cuSOLVER, and of cuBLAS what solves many small systems at once, loaded when a plan first asks for linear algebra. */
#ifndef FUSOR_BACKEND_CUDA_CUSOLVER_H
#define FUSOR_BACKEND_CUDA_CUSOLVER_H

#include "backend_cuda/cublas.h"
#include "fusor/dtype.h"

/* Numbers of cuSOLVER. */
enum { FSR_CUSOLVER_UPPER = 1, FSR_CUSOLVER_VALUES = 0, FSR_CUSOLVER_VECTORS = 1, FSR_CUSOLVER_LETTERS = 4 };

/* FSR_CUSOLVER_LIST(X): name without "cusolverDn", parameters. All return a status. type: a cudaDataType. */
#define FSR_CUSOLVER_LIST(X)                                                                                           \
    X(Create, (void **handle))                                                                                         \
    X(Destroy, (void *handle))                                                                                         \
    X(CreateParams, (void **params))                                                                                   \
    X(DestroyParams, (void *params))                                                                                   \
    X(SetStream, (void *handle, cudaStream_t stream))                                                                  \
    X(Xgetrf_bufferSize, (void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda,      \
                          int compute, size_t *device, size_t *host))                                                  \
    X(Xgetrf, (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int64_t *pivot,       \
               int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))              \
    X(Xgetrs, (void *handle, void *params, int form, int64_t n, int64_t sides, int a_type, const void *a, int64_t lda, \
               const int64_t *pivot, int b_type, void *b, int64_t ldb, int *info))                                     \
    X(Xpotrf_bufferSize, (void *handle, void *params, int triangle, int64_t n, int type, const void *a, int64_t lda,   \
                          int compute, size_t *device, size_t *host))                                                  \
    X(Xpotrf, (void *handle, void *params, int triangle, int64_t n, int type, void *a, int64_t lda, int compute,       \
               void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))                           \
    X(Xgeqrf_bufferSize, (void *handle, void *params, int64_t m, int64_t n, int type, const void *a, int64_t lda,      \
                          int tau_type, const void *tau, int compute, size_t *device, size_t *host))                   \
    X(Xgeqrf, (void *handle, void *params, int64_t m, int64_t n, int type, void *a, int64_t lda, int tau_type,         \
               void *tau, int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))   \
    X(Xsyevd_bufferSize, (void *handle, void *params, int job, int triangle, int64_t n, int type, const void *a,       \
                          int64_t lda, int w_type, const void *w, int compute, size_t *device, size_t *host))          \
    X(Xsyevd,                                                                                                          \
      (void *handle, void *params, int job, int triangle, int64_t n, int type, void *a, int64_t lda, int w_type,       \
       void *w, int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))             \
    X(Xgesvd_bufferSize,                                                                                               \
      (void *handle, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type,              \
       const void *a, int64_t lda, int s_type, const void *s, int u_type, const void *u, int64_t ldu, int vt_type,     \
       const void *vt, int64_t ldvt, int compute, size_t *device, size_t *host))                                       \
    X(Xgesvd,                                                                                                          \
      (void *handle, void *params, signed char job_u, signed char job_vt, int64_t m, int64_t n, int type, void *a,     \
       int64_t lda, int s_type, void *s, int u_type, void *u, int64_t ldu, int vt_type, void *vt, int64_t ldvt,        \
       int compute, void *device, size_t device_bytes, void *host, size_t host_bytes, int *info))

/* What newer ones have: many matrices at once. NULL: this one has not. */
#define FSR_CUSOLVER_NEW_LIST(X)                                                                                       \
    X(XsyevBatched_bufferSize,                                                                                         \
      (void *handle, void *params, int job, int triangle, int64_t n, int type, const void *a, int64_t lda, int w_type, \
       const void *w, int compute, size_t *device, size_t *host, int64_t count))                                       \
    X(XsyevBatched, (void *handle, void *params, int job, int triangle, int64_t n, int type, void *a, int64_t lda,     \
                     int w_type, void *w, int compute, void *device, size_t device_bytes, void *host,                  \
                     size_t host_bytes, int *info, int64_t count))

/* Singular values of many small matrices, whose sides are at most so long: a function for each letter, and its
 * parameters. NULL: there is none. */
enum { FSR_CUSOLVER_JACOBI = 32 };
typedef int fsr_cusolver_gesvdj_room(void *handle, int job, int m, int n, const void *a, int lda, const void *s,
                                     const void *u, int ldu, const void *v, int ldv, int *elements, void *params,
                                     int count);
typedef int fsr_cusolver_gesvdj(void *handle, int job, int m, int n, void *a, int lda, void *s, void *u, int ldu,
                                void *v, int ldv, void *work, int elements, int *info, void *params, int count);

/* What each of S, D, C and Z has a function of. */
typedef int fsr_cusolver_orgqr_room(void *handle, int m, int n, int k, const void *a, int lda, const void *tau,
                                    int *elements);
typedef int fsr_cusolver_orgqr(void *handle, int m, int n, int k, void *a, int lda, const void *tau, void *work,
                               int elements, int *info);
typedef int fsr_cusolver_potrf_batched(void *handle, int triangle, int n, void *a, int lda, int *info, int count);
typedef int fsr_cublas_getrf_batched(void *handle, int n, void *a, int lda, int *pivot, int *info, int count);
typedef int fsr_cublas_getrs_batched(void *handle, int form, int n, int sides, const void *a, int lda, const int *pivot,
                                     void *b, int ldb, int *info, int count);

/* These, each with a letter, S, D, C or Z, between library and name: FSR_CUSOLVER_LETTER_LIST(X), X(field, library,
 * name of S and D, of C and Z). Those of the second list may be missing. */
#define FSR_CUSOLVER_LETTER_LIST(X)                                     \
    X(orgqr_room, "cusolverDn", "orgqr_bufferSize", "ungqr_bufferSize") \
    X(orgqr, "cusolverDn", "orgqr", "ungqr")                            \
    X(potrf_batched, "cusolverDn", "potrfBatched", "potrfBatched")
#define FSR_CUSOLVER_LETTER_NEW_LIST(X)                                                  \
    X(gesvdj_room, "cusolverDn", "gesvdjBatched_bufferSize", "gesvdjBatched_bufferSize") \
    X(gesvdj, "cusolverDn", "gesvdjBatched", "gesvdjBatched")                            \
    X(getrf_batched, "cublas", "getrfBatched", "getrfBatched")                           \
    X(getrs_batched, "cublas", "getrsBatched", "getrsBatched")

/* S, D, C, Z. */
#define FSR_CUSOLVER_LETTERS_ARE "SDCZ"

typedef struct fsr_cusolver {
    bool tried;
    void *library; /* NULL: there is none */
    void *handle, *params;
#define FSR_CUSOLVER_FIELD(name, parameters) int(*name) parameters;
    FSR_CUSOLVER_LIST(FSR_CUSOLVER_FIELD)
    FSR_CUSOLVER_NEW_LIST(FSR_CUSOLVER_FIELD)
#undef FSR_CUSOLVER_FIELD
    int (*CreateGesvdjInfo)(void **params);
    int (*DestroyGesvdjInfo)(void *params);
    fsr_cusolver_gesvdj_room *gesvdj_room[FSR_CUSOLVER_LETTERS];
    fsr_cusolver_gesvdj *gesvdj[FSR_CUSOLVER_LETTERS];
    fsr_cusolver_orgqr_room *orgqr_room[FSR_CUSOLVER_LETTERS];
    fsr_cusolver_orgqr *orgqr[FSR_CUSOLVER_LETTERS];
    fsr_cusolver_potrf_batched *potrf_batched[FSR_CUSOLVER_LETTERS];
    fsr_cublas_getrf_batched *getrf_batched[FSR_CUSOLVER_LETTERS]; /* NULL: cuBLAS is not there */
    fsr_cublas_getrs_batched *getrs_batched[FSR_CUSOLVER_LETTERS];
} fsr_cusolver;

/* S, D, C, Z as 0 to 3. */
static inline int fsr_cusolver_letter(fsr_dtype dtype) {
    return dtype == FSR_F32 ? 0 : dtype == FSR_F64 ? 1 : dtype == FSR_C64 ? 2 : 3;
}
/* Gives the handle back. The device is current. */
void fsr_cusolver_close(fsr_cusolver *s);
/* Loads it, makes the handle, once it works, and puts it on the stream. The caller is alone. */
fsr_status fsr_cusolver_use(fsr_cusolver *s, fsr_cublas *blas, cudaStream_t stream, fsr_fault *fault);
/* What a status says. */
fsr_status fsr_cusolver_fail(int status, const char *what, fsr_fault *fault);

#endif
