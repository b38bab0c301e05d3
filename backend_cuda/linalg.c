/* SPDX-License-Identifier: MIT */
/* The library call "linalg" on a GPU: cuSOLVER's functions, whose matrices stand column after column as graph/linalg.h
 * has arranged, and for many small systems cuBLAS' batched ones, which take addresses. Many eigenvalue problems are one
 * call, and so are Cholesky's and LU's factors and singular values of many small matrices; others are computed matrix
 * by matrix, side by side with nothing.
 *
 * What a call needs besides its arrays is asked of the library and taken from the pool: work on memory that was given
 * back is in order with whoever has it next. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/linalg_job.h"
#include "graph/size.h"
#include <library_types.h>
#include <limits.h>
#include <stdlib.h>

/* ---- factors ----------------------------------------------------------------------------------------------- */

static void cholesky(fsr_linalg_job *j) {
    const int64_t n = j->l.cols, each = n * n * j->element;
    char *l = fsr_job_result(j, 0, j->element);
    fsr_job_copy(j, l, j->a, j->l.count * each);
    if (fsr_job_many(j)) {
        void *list = fsr_job_addresses(j, l, each);
        if (!j->r.status)
            fsr_job_told(j,
                         j->s->potrf_batched[j->letter](j->s->handle, FSR_CUSOLVER_UPPER, (int)n, list, (int)n, j->info,
                                                        (int)j->l.count),
                         "cusolverDnpotrfBatched");
        return;
    }
    if (!j->r.status)
        fsr_job_told(j,
                     j->s->Xpotrf_bufferSize(j->s->handle, j->s->params, FSR_CUSOLVER_UPPER, n, j->type, l, n, j->type,
                                             &j->device_bytes, &j->host_bytes),
                     "cusolverDnXpotrf_bufferSize");
    fsr_job_workspace(j);
    for (int64_t i = 0; i < j->l.count && !j->r.status; i++)
        fsr_job_told(j,
                     j->s->Xpotrf(j->s->handle, j->s->params, FSR_CUSOLVER_UPPER, n, j->type, l + i * each, n, j->type,
                                  j->device, j->device_bytes, j->host, j->host_bytes, j->info + i),
                     "cusolverDnXpotrf");
}

/* q of one matrix' reflections. */
static void orthogonal(fsr_linalg_job *j, char *q, const char *tau, void *work, int elements) {
    const int m = (int)j->l.cols, k = (int)(j->l.cols < j->l.rows ? j->l.cols : j->l.rows);
    if (!j->r.status)
        fsr_job_told(j, j->s->orgqr[j->letter](j->s->handle, m, (int)j->l.more, k, q, m, tau, work, elements, j->other),
                     "cusolverDnorgqr");
}

static void qr(fsr_linalg_job *j) {
    const int64_t n = j->l.rows, m = j->l.cols, k = m < n ? m : n, each = m * n * j->element;
    int elements = 0;
    char *a = fsr_job_copies(j), *tau = fsr_job_room(j, k * j->element), *q = j->out[0];
    if (!j->r.status)
        fsr_job_told(j,
                     j->s->Xgeqrf_bufferSize(j->s->handle, j->s->params, m, n, j->type, a, m, j->type, tau, j->type,
                                             &j->device_bytes, &j->host_bytes),
                     "cusolverDnXgeqrf_bufferSize");
    if (!j->r.status && q)
        fsr_job_told(
            j, j->s->orgqr_room[j->letter](j->s->handle, (int)m, (int)j->l.more, (int)k, q, (int)m, tau, &elements),
            "cusolverDnorgqr_bufferSize");
    fsr_job_workspace(j);
    void *work = fsr_job_room(j, elements * j->element);
    for (int64_t i = 0; i < j->l.count && !j->r.status; i++) {
        char *own = a + i * each, *its = q ? q + i * j->l.slot * j->element : NULL;
        fsr_job_told(j,
                     j->s->Xgeqrf(j->s->handle, j->s->params, m, n, j->type, own, m, j->type, tau, j->type, j->device,
                                  j->device_bytes, j->host, j->host_bytes, j->info + i),
                     "cusolverDnXgeqrf");
        if (j->out[1])
            fsr_job_copy(j, j->out[1] + i * j->l.slot * j->element, own, each);
        if (its) {
            fsr_job_copy(j, its, own, m * k * j->element);
            orthogonal(j, its, tau, work, elements);
        }
    }
}

/* Many small ones, by Jacobi's rotations. */
static bool rotates(const fsr_linalg_job *j) {
    const fsr_cusolver *s = j->s;
    return fsr_job_many(j) && j->l.cols <= FSR_CUSOLVER_JACOBI && s->gesvdj[j->letter] && s->gesvdj_room[j->letter] &&
           s->CreateGesvdjInfo && s->DestroyGesvdjInfo && fsr_cublas_has(&j->r.c->cublas);
}

/* u is the adjoint of the other vectors v, as the library leaves them: exactly, by a product with ones. */
static void adjoint(fsr_linalg_job *j, char *u, const char *v) {
    enum { M = FSR_CUSOLVER_JACOBI };
    const int64_t m = j->l.rows;
    const bool wide = j->part == 8;
    double one[M * M * 2] = {0}, zero[2] = {0};
    char *ones = fsr_job_room(j, m * m * j->element);
    for (int64_t i = 0; i < m; i++) {
        char *at = (char *)one + i * (m + 1) * j->element;
        if (wide)
            *(double *)(void *)at = 1;
        else
            *(float *)(void *)at = 1;
    }
    if (!j->r.status)
        fsr_job_cuda(j, cudaMemcpyAsync(ones, one, (size_t)(m * m * j->element), cudaMemcpyHostToDevice, j->r.stream),
                     "a copy of ones");
    if (!j->r.status)
        j->r.status = fsr_cublas_use(&j->r.c->cublas, "linalg", j->r.stream, j->r.fault);
    if (!j->r.status)
        fsr_job_blas(j,
                     j->r.c->cublas.GemmStridedBatchedEx_64(
                         j->r.c->cublas.handle, FSR_CUBLAS_ADJOINT, FSR_CUBLAS_PLAIN, m, m, m, one, v, j->type, m,
                         m * m, ones, j->type, m, 0, zero, u, j->type, m, j->l.slot, j->l.count,
                         wide ? FSR_CUBLAS_COMPUTE_64F : FSR_CUBLAS_COMPUTE_32F, FSR_CUBLAS_DEFAULT),
                     "cublasGemmStridedBatchedEx");
}

/* What the library takes for columns are rows, so its u is v', whose first rows are asked for. */
static void svd_many(fsr_linalg_job *j) {
    const int m = (int)j->l.rows, n = (int)j->l.cols, count = (int)j->l.count;
    const bool values = j->l.kind == FSR_LINALG_SVDVALS;
    const int want = values ? FSR_CUSOLVER_VALUES : FSR_CUSOLVER_VECTORS;
    fsr_cusolver *lib = j->s;
    void *params = NULL;
    int elements = 0;
    char *a = fsr_job_copies(j), *s = fsr_job_room(j, j->l.count * m * j->part),
         *u = fsr_job_room(j, j->l.count * n * n * j->element);
    char *v = fsr_job_room(j, j->l.count * m * m * j->element);
    if (!j->r.status)
        fsr_job_told(j, lib->CreateGesvdjInfo(&params), "cusolverDnCreateGesvdjInfo");
    if (!j->r.status)
        fsr_job_told(
            j, lib->gesvdj_room[j->letter](lib->handle, want, n, m, a, n, s, u, n, v, m, &elements, params, count),
            "cusolverDngesvdjBatched_bufferSize");
    void *work = fsr_job_room(j, elements * j->element);
    if (!j->r.status)
        fsr_job_told(j,
                     lib->gesvdj[j->letter](lib->handle, want, n, m, a, n, s, u, n, v, m, work, elements, j->info,
                                            params, count),
                     "cusolverDngesvdjBatched");
    if (params)
        lib->DestroyGesvdjInfo(params);
    char *values_to = j->out[values ? 0 : 1], *vt = values ? NULL : j->out[2];
    if (values_to)
        fsr_job_pieces(j, values_to, j->l.slot * j->part, s, m * j->part, m * j->part, count);
    if (vt)
        fsr_job_pieces(j, vt, j->l.slot * j->element, u, n * n * j->element, m * n * j->element, count);
    if (!values && j->out[0])
        adjoint(j, j->out[0], v);
}

static void svd(fsr_linalg_job *j) {
    const int64_t m = j->l.rows, n = j->l.cols;
    const bool values = j->l.kind == FSR_LINALG_SVDVALS;
    const signed char want = values ? 'N' : 'S';
    if (rotates(j)) {
        svd_many(j);
        return;
    }
    char *a = fsr_job_copies(j), *s = fsr_job_result(j, values ? 0 : 1, j->part);
    char *u = values ? NULL : fsr_job_result(j, 0, j->element), *vt = values ? NULL : fsr_job_result(j, 2, j->element);
    if (!j->r.status)
        fsr_job_told(j,
                     j->s->Xgesvd_bufferSize(j->s->handle, j->s->params, want, want, n, m, j->type, a, n, j->parts_type,
                                             s, j->type, vt, n, j->type, u, m, j->type, &j->device_bytes,
                                             &j->host_bytes),
                     "cusolverDnXgesvd_bufferSize");
    fsr_job_workspace(j);
    for (int64_t i = 0; i < j->l.count && !j->r.status; i++) {
        const int64_t at = i * j->l.slot * j->element;
        fsr_job_told(j,
                     j->s->Xgesvd(j->s->handle, j->s->params, want, want, n, m, j->type, a + i * m * n * j->element, n,
                                  j->parts_type, s + i * j->l.slot * j->part, j->type, values ? NULL : vt + at, n,
                                  j->type, values ? NULL : u + at, m, j->type, j->device, j->device_bytes, j->host,
                                  j->host_bytes, j->info + i),
                     "cusolverDnXgesvd");
    }
}

/* Vectors take the matrix' place. */
static void eigh(fsr_linalg_job *j) {
    const int64_t n = j->l.cols, each = n * n * j->element;
    const bool values = j->l.kind == FSR_LINALG_EIGVALSH;
    const int want = values ? FSR_CUSOLVER_VALUES : FSR_CUSOLVER_VECTORS;
    char *a = fsr_job_copies(j), *w = fsr_job_room(j, j->l.count * n * j->part);
    const bool batched = j->l.count > 1 && j->s->XsyevBatched && j->s->XsyevBatched_bufferSize;
    if (!j->r.status)
        fsr_job_told(j,
                     batched
                         ? j->s->XsyevBatched_bufferSize(j->s->handle, j->s->params, want, FSR_CUSOLVER_UPPER, n,
                                                         j->type, a, n, j->parts_type, w, j->type, &j->device_bytes,
                                                         &j->host_bytes, j->l.count)
                         : j->s->Xsyevd_bufferSize(j->s->handle, j->s->params, want, FSR_CUSOLVER_UPPER, n, j->type, a,
                                                   n, j->parts_type, w, j->type, &j->device_bytes, &j->host_bytes),
                     batched ? "cusolverDnXsyevBatched_bufferSize" : "cusolverDnXsyevd_bufferSize");
    fsr_job_workspace(j);
    if (batched && !j->r.status)
        fsr_job_told(j,
                     j->s->XsyevBatched(j->s->handle, j->s->params, want, FSR_CUSOLVER_UPPER, n, j->type, a, n,
                                        j->parts_type, w, j->type, j->device, j->device_bytes, j->host, j->host_bytes,
                                        j->info, j->l.count),
                     "cusolverDnXsyevBatched");
    for (int64_t i = 0; !batched && i < j->l.count && !j->r.status; i++)
        fsr_job_told(j,
                     j->s->Xsyevd(j->s->handle, j->s->params, want, FSR_CUSOLVER_UPPER, n, j->type, a + i * each, n,
                                  j->parts_type, w + i * n * j->part, j->type, j->device, j->device_bytes, j->host,
                                  j->host_bytes, j->info + i),
                     "cusolverDnXsyevd");
    if (j->out[0])
        fsr_job_pieces(j, j->out[0], j->l.slot * j->part, w, n * j->part, n * j->part, j->l.count);
    if (!values && j->out[1])
        fsr_job_copy(j, j->out[1], a, j->l.count * each);
}

/* ---- the call ---------------------------------------------------------------------------------------------- */

/* Work that reads the host's memory is waited for. */
static void finish(fsr_linalg_job *j) {
    if (j->host) {
        const cudaError_t error = cudaStreamSynchronize(j->r.stream);
        fsr_job_cuda(j, error, "waiting for its workspace");
        free(j->host);
    }
    fsr_rooms_leave(&j->r);
}

/* The handle needs memory of the device's own. */
static fsr_status prepare(fsr_linalg_job *j) {
    fsr_cuda *c = j->r.c;
    const fsr_status status = fsr_cusolver_use(j->s, &c->cublas, j->r.stream, j->r.fault);
    return fsr_rooms_trim(c, status, j->r.fault) ? fsr_cusolver_use(j->s, &c->cublas, j->r.stream, j->r.fault) : status;
}

fsr_status fsr_cuda_linalg(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                           cudaStream_t stream, fsr_fault *fault) {
    static void (*const run[FSR_LINALG_KINDS])(fsr_linalg_job *) = {[FSR_LINALG_SOLVE] = fsr_linalg_eliminate,
                                                                    [FSR_LINALG_LU] = fsr_linalg_eliminate,
                                                                    [FSR_LINALG_CHOLESKY] = cholesky,
                                                                    [FSR_LINALG_QR] = qr,
                                                                    [FSR_LINALG_SVD] = svd,
                                                                    [FSR_LINALG_SVDVALS] = svd,
                                                                    [FSR_LINALG_EIGH] = eigh,
                                                                    [FSR_LINALG_EIGVALSH] = eigh};
    static const int types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    const fsr_dtype dtype = call->array[0].dtype;
    fsr_linalg_job j = {.r = {.c = c, .stream = stream, .call = "linalg", .fault = fault},
                        .s = &c->cusolver,
                        .letter = fsr_cusolver_letter(dtype),
                        .element = (int64_t)fsr_dtype_size(dtype),
                        .part = (int64_t)fsr_dtype_size(fsr_dtype_real(dtype)),
                        .a = array[0],
                        .b = call->nin > 1 ? array[1] : NULL};
    (void)work;
    fsr_linalg_of(&j.l, call->called, &call->array[0].shape, &call->array[1].shape);
    j.type = types[j.letter];
    j.parts_type = types[j.letter % 2];
    for (int i = 0; i < j.l.nresults; i++)
        j.out[i] = array[call->nin + i];
    if (j.l.rows > INT_MAX || j.l.cols > INT_MAX)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "library call linalg: a side of more than 2^31 - 1");
    j.r.status = prepare(&j);
    j.info = fsr_job_room(&j, (j.l.count + 1) * (int64_t)sizeof(int));
    j.other = j.info ? j.info + j.l.count : NULL;
    if (!j.r.status)
        run[j.l.kind](&j);
    int *status = array[call->nin + j.l.nresults];
    if (j.l.kind == FSR_LINALG_LU && !j.r.status) /* a zero on the diagonal is no failure */
        fsr_job_cuda(&j, cudaMemsetAsync(j.info, 0, (size_t)j.l.count * sizeof(int), stream),
                     "clearing what LU cannot tell");
    if (status)
        fsr_job_pieces(&j, status, j.l.slot * 4, j.info, 4, 4, j.l.count);
    finish(&j);
    return j.r.status;
}
#endif
