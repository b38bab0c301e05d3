/* SPDX-License-Identifier: MIT */
/* The library call "linalg" on a GPU: cuSOLVER's functions, whose matrices stand column after column as graph/linalg.h
 * has arranged, and for many small systems cuBLAS' batched ones, which take addresses. Many eigenvalue problems are one
 * call, and so are Cholesky's and LU's factors and singular values of many small matrices; others are computed matrix by
 * matrix, side by side with nothing.
 *
 * What a call needs besides its arrays is asked of the library and taken from the pool: work on memory that was given
 * back is in order with whoever has it next. */
#ifdef FUSOR_HAVE_CUDA
#include "graph/linalg.h"
#include "backend_cuda/library.h"
#include "backend_cuda/rooms.h"
#include "graph/size.h"
#include <library_types.h>
#include <limits.h>
#include <stdlib.h>

enum { SMALL = 256 /* sides of matrices that are solved many at a time */ };

typedef struct job {
    fsr_rooms r;
    fsr_cusolver *s;
    fsr_linalg l;
    int type, parts_type, letter; /* cudaDataType of elements and of their parts */
    int64_t element, part;
    const char *a, *b;
    char *out[FSR_LINALG_RESULTS]; /* NULL: nobody reads it */
    int *info;                     /* of each matrix */
    int *other;                    /* of calls that cannot fail */
    void *host;                    /* workspace of the host */
    size_t device_bytes, host_bytes;
    void *device;
} job;

/* ---- memory, copies and statuses: nothing is done once one has failed -------------------------------------------- */

static void cuda(job *j, cudaError_t error, const char *what) {
    fsr_rooms_cuda(&j->r, error, what);
}

static void *room(job *j, int64_t bytes) {
    return fsr_rooms_take(&j->r, bytes);
}

static void told(job *j, int status, const char *what) {
    if (status && !j->r.status)
        j->r.status = fsr_cusolver_fail(status, what, j->r.fault);
}

static void blas_told(job *j, int status, const char *what) {
    if (status && !j->r.status)
        j->r.status = fsr_cublas_fail(status, "linalg", what, j->r.fault);
}

static void copy(job *j, void *to, const void *from, int64_t bytes) {
    if (!j->r.status)
        cuda(j, cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, j->r.stream), "a copy");
}

/* So many pieces, at steps of `to_step` and `from_step` bytes. */
static void copy_pieces(job *j, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t bytes,
                        int64_t count) {
    if (to_step == bytes && from_step == bytes) {
        copy(j, to, from, bytes * count);
    } else if (to_step < INT_MAX && from_step < INT_MAX) {
        if (!j->r.status)
            cuda(j,
                 cudaMemcpy2DAsync(to, (size_t)to_step, from, (size_t)from_step, (size_t)bytes, (size_t)count,
                                   cudaMemcpyDeviceToDevice, j->r.stream),
                 "a copy");
    } else {
        for (int64_t i = 0; i < count; i++)
            copy(j, (char *)to + i * to_step, (const char *)from + i * from_step, bytes);
    }
}

/* What cuSOLVER asked for. Of the host it is needed until the stream is done. */
static void workspace(job *j) {
    j->device = room(j, (int64_t)j->device_bytes);
    if (j->r.status || !j->host_bytes)
        return;
    j->host = malloc(j->host_bytes);
    if (!j->host)
        j->r.status = fsr_fault_set(j->r.fault, FSR_ERR_MEMORY, "library call linalg: out of memory");
}

/* Device addresses of `count` matrices from `first` on. */
static void *addresses(job *j, char *first, int64_t step) {
    void *made = room(j, j->l.count * (int64_t)sizeof(void *));
    void **list = malloc((size_t)j->l.count * sizeof *list);
    if (!list && !j->r.status)
        j->r.status = fsr_fault_set(j->r.fault, FSR_ERR_MEMORY, "library call linalg: out of memory");
    for (int64_t i = 0; list && i < j->l.count; i++)
        list[i] = first + i * step;
    if (!j->r.status)
        cuda(j, cudaMemcpyAsync(made, list, (size_t)j->l.count * sizeof *list, cudaMemcpyHostToDevice, j->r.stream),
             "a copy of addresses");
    free(list);
    return made;
}

/* All matrices, to be overwritten. */
static char *copies(job *j) {
    const int64_t bytes = j->l.count * j->l.rows * j->l.cols * j->element;
    char *made = room(j, bytes);
    copy(j, made, j->a, bytes);
    return made;
}

/* Result i, or room in its place. */
static char *result(job *j, int i, int64_t element) {
    return j->out[i] ? j->out[i] : room(j, j->l.count * j->l.slot * element);
}

static bool many(const job *j) {
    return j->l.count > 1 && j->l.count < INT_MAX && j->l.cols <= SMALL;
}

/* ---- equations --------------------------------------------------------------------------------------------- */

static void lu_batched(job *j, char *a, int *pivot) {
    const int n = (int)j->l.cols, count = (int)j->l.count;
    void *list = addresses(j, a, j->l.cols * j->l.cols * j->element);
    if (!j->r.status)
        blas_told(j, j->s->getrf_batched[j->letter](j->r.c->cublas.handle, n, list, n, pivot, j->info, count),
                  "cublasgetrfBatched");
    if (j->l.kind != FSR_LINALG_SOLVE)
        return;
    char *x = result(j, 0, j->element);
    void *sides = addresses(j, x, j->l.slot * j->element);
    int own = 0;
    copy(j, x, j->b, j->l.count * j->l.slot * j->element);
    if (!j->r.status)
        blas_told(j,
                  j->s->getrs_batched[j->letter](j->r.c->cublas.handle, FSR_CUBLAS_FLIPPED, n, (int)j->l.more, list, n,
                                                 pivot, sides, n, &own, count),
                  "cublasgetrsBatched");
}

static void lu_single(job *j, char *a, int64_t *pivot) {
    const int64_t n = j->l.cols;
    if (!j->r.status)
        told(j,
             j->s->Xgetrf_bufferSize(j->s->handle, j->s->params, n, n, j->type, a, n, j->type, &j->device_bytes,
                                     &j->host_bytes),
             "cusolverDnXgetrf_bufferSize");
    workspace(j);
    char *x = j->l.kind == FSR_LINALG_SOLVE ? result(j, 0, j->element) : NULL;
    if (x)
        copy(j, x, j->b, j->l.count * j->l.slot * j->element);
    for (int64_t i = 0; i < j->l.count && !j->r.status; i++) {
        char *own = a + i * n * n * j->element;
        told(j,
             j->s->Xgetrf(j->s->handle, j->s->params, n, n, j->type, own, n, pivot + i * n, j->type, j->device,
                          j->device_bytes, j->host, j->host_bytes, j->info + i),
             "cusolverDnXgetrf");
        if (x && !j->r.status)
            told(j,
                 j->s->Xgetrs(j->s->handle, j->s->params, FSR_CUBLAS_FLIPPED, n, j->l.more, j->type, own, n,
                              pivot + i * n, j->type, x + i * j->l.slot * j->element, n, j->other),
                 "cusolverDnXgetrs");
    }
}

/* solve, and lu */
static void eliminate(job *j) {
    const int64_t n = j->l.cols;
    const bool batched =
        many(j) && j->l.more < INT_MAX && j->s->getrf_batched[j->letter] && j->s->getrs_batched[j->letter];
    char *a = copies(j), *pivot = room(j, j->l.count * n * 8);
    if (batched && !j->r.status)
        j->r.status = fsr_cublas_use(&j->r.c->cublas, "linalg", j->r.stream, j->r.fault);
    if (batched)
        lu_batched(j, a, (int *)(void *)pivot);
    else
        lu_single(j, a, (int64_t *)(void *)pivot);
    if (j->l.kind == FSR_LINALG_SOLVE)
        return;
    if (j->out[0])
        copy(j, j->out[0], a, j->l.count * n * n * j->element);
    if (j->out[1] && batched)
        copy_pieces(j, j->out[1], j->l.slot * 4, pivot, n * 4, n * 4, j->l.count);
    for (int64_t i = 0; j->out[1] && !batched && i < j->l.count; i++) /* low halves */
        copy_pieces(j, j->out[1] + i * j->l.slot * 4, 4, pivot + i * n * 8, 8, 4, n);
}

/* ---- factors ----------------------------------------------------------------------------------------------- */

static void cholesky(job *j) {
    const int64_t n = j->l.cols, each = n * n * j->element;
    char *l = result(j, 0, j->element);
    copy(j, l, j->a, j->l.count * each);
    if (many(j)) {
        void *list = addresses(j, l, each);
        if (!j->r.status)
            told(j,
                 j->s->potrf_batched[j->letter](j->s->handle, FSR_CUSOLVER_UPPER, (int)n, list, (int)n, j->info,
                                                (int)j->l.count),
                 "cusolverDnpotrfBatched");
        return;
    }
    if (!j->r.status)
        told(j,
             j->s->Xpotrf_bufferSize(j->s->handle, j->s->params, FSR_CUSOLVER_UPPER, n, j->type, l, n, j->type,
                                     &j->device_bytes, &j->host_bytes),
             "cusolverDnXpotrf_bufferSize");
    workspace(j);
    for (int64_t i = 0; i < j->l.count && !j->r.status; i++)
        told(j,
             j->s->Xpotrf(j->s->handle, j->s->params, FSR_CUSOLVER_UPPER, n, j->type, l + i * each, n, j->type,
                          j->device, j->device_bytes, j->host, j->host_bytes, j->info + i),
             "cusolverDnXpotrf");
}

/* q of one matrix' reflections. */
static void orthogonal(job *j, char *q, const char *tau, void *work, int elements) {
    const int m = (int)j->l.cols, k = (int)(j->l.cols < j->l.rows ? j->l.cols : j->l.rows);
    if (!j->r.status)
        told(j, j->s->orgqr[j->letter](j->s->handle, m, (int)j->l.more, k, q, m, tau, work, elements, j->other),
             "cusolverDnorgqr");
}

static void qr(job *j) {
    const int64_t n = j->l.rows, m = j->l.cols, k = m < n ? m : n, each = m * n * j->element;
    int elements = 0;
    char *a = copies(j), *tau = room(j, k * j->element), *q = j->out[0];
    if (!j->r.status)
        told(j,
             j->s->Xgeqrf_bufferSize(j->s->handle, j->s->params, m, n, j->type, a, m, j->type, tau, j->type,
                                     &j->device_bytes, &j->host_bytes),
             "cusolverDnXgeqrf_bufferSize");
    if (!j->r.status && q)
        told(j, j->s->orgqr_room[j->letter](j->s->handle, (int)m, (int)j->l.more, (int)k, q, (int)m, tau, &elements),
             "cusolverDnorgqr_bufferSize");
    workspace(j);
    void *work = room(j, elements * j->element);
    for (int64_t i = 0; i < j->l.count && !j->r.status; i++) {
        char *own = a + i * each, *its = q ? q + i * j->l.slot * j->element : NULL;
        told(j,
             j->s->Xgeqrf(j->s->handle, j->s->params, m, n, j->type, own, m, j->type, tau, j->type, j->device,
                          j->device_bytes, j->host, j->host_bytes, j->info + i),
             "cusolverDnXgeqrf");
        if (j->out[1])
            copy(j, j->out[1] + i * j->l.slot * j->element, own, each);
        if (its) {
            copy(j, its, own, m * k * j->element);
            orthogonal(j, its, tau, work, elements);
        }
    }
}

/* Many small ones, by Jacobi's rotations. */
static bool rotates(const job *j) {
    const fsr_cusolver *s = j->s;
    return many(j) && j->l.cols <= FSR_CUSOLVER_JACOBI && s->gesvdj[j->letter] && s->gesvdj_room[j->letter] &&
           s->CreateGesvdjInfo && s->DestroyGesvdjInfo && fsr_cublas_has(&j->r.c->cublas);
}

/* u is the adjoint of the other vectors v, as the library leaves them: exactly, by a product with ones. */
static void adjoint(job *j, char *u, const char *v) {
    enum { M = FSR_CUSOLVER_JACOBI };
    const int64_t m = j->l.rows;
    const bool wide = j->part == 8;
    double one[M * M * 2] = {0}, zero[2] = {0};
    char *ones = room(j, m * m * j->element);
    for (int64_t i = 0; i < m; i++) {
        char *at = (char *)one + i * (m + 1) * j->element;
        if (wide)
            *(double *)(void *)at = 1;
        else
            *(float *)(void *)at = 1;
    }
    if (!j->r.status)
        cuda(j, cudaMemcpyAsync(ones, one, (size_t)(m * m * j->element), cudaMemcpyHostToDevice, j->r.stream),
             "a copy of ones");
    if (!j->r.status)
        j->r.status = fsr_cublas_use(&j->r.c->cublas, "linalg", j->r.stream, j->r.fault);
    if (!j->r.status)
        blas_told(j,
                  j->r.c->cublas.GemmStridedBatchedEx_64(
                      j->r.c->cublas.handle, FSR_CUBLAS_ADJOINT, FSR_CUBLAS_PLAIN, m, m, m, one, v, j->type, m, m * m,
                      ones, j->type, m, 0, zero, u, j->type, m, j->l.slot, j->l.count,
                      wide ? FSR_CUBLAS_COMPUTE_64F : FSR_CUBLAS_COMPUTE_32F, FSR_CUBLAS_DEFAULT),
                  "cublasGemmStridedBatchedEx");
}

/* What the library takes for columns are rows, so its u is v', whose first rows are asked for. */
static void svd_many(job *j) {
    const int m = (int)j->l.rows, n = (int)j->l.cols, count = (int)j->l.count;
    const bool values = j->l.kind == FSR_LINALG_SVDVALS;
    const int want = values ? FSR_CUSOLVER_VALUES : FSR_CUSOLVER_VECTORS;
    fsr_cusolver *lib = j->s;
    void *params = NULL;
    int elements = 0;
    char *a = copies(j), *s = room(j, j->l.count * m * j->part), *u = room(j, j->l.count * n * n * j->element);
    char *v = room(j, j->l.count * m * m * j->element);
    if (!j->r.status)
        told(j, lib->CreateGesvdjInfo(&params), "cusolverDnCreateGesvdjInfo");
    if (!j->r.status)
        told(j, lib->gesvdj_room[j->letter](lib->handle, want, n, m, a, n, s, u, n, v, m, &elements, params, count),
             "cusolverDngesvdjBatched_bufferSize");
    void *work = room(j, elements * j->element);
    if (!j->r.status)
        told(j,
             lib->gesvdj[j->letter](lib->handle, want, n, m, a, n, s, u, n, v, m, work, elements, j->info, params,
                                    count),
             "cusolverDngesvdjBatched");
    if (params)
        lib->DestroyGesvdjInfo(params);
    char *values_to = j->out[values ? 0 : 1], *vt = values ? NULL : j->out[2];
    if (values_to)
        copy_pieces(j, values_to, j->l.slot * j->part, s, m * j->part, m * j->part, count);
    if (vt)
        copy_pieces(j, vt, j->l.slot * j->element, u, n * n * j->element, m * n * j->element, count);
    if (!values && j->out[0])
        adjoint(j, j->out[0], v);
}

static void svd(job *j) {
    const int64_t m = j->l.rows, n = j->l.cols;
    const bool values = j->l.kind == FSR_LINALG_SVDVALS;
    const signed char want = values ? 'N' : 'S';
    if (rotates(j)) {
        svd_many(j);
        return;
    }
    char *a = copies(j), *s = result(j, values ? 0 : 1, j->part);
    char *u = values ? NULL : result(j, 0, j->element), *vt = values ? NULL : result(j, 2, j->element);
    if (!j->r.status)
        told(j,
             j->s->Xgesvd_bufferSize(j->s->handle, j->s->params, want, want, n, m, j->type, a, n, j->parts_type, s,
                                     j->type, vt, n, j->type, u, m, j->type, &j->device_bytes, &j->host_bytes),
             "cusolverDnXgesvd_bufferSize");
    workspace(j);
    for (int64_t i = 0; i < j->l.count && !j->r.status; i++) {
        const int64_t at = i * j->l.slot * j->element;
        told(j,
             j->s->Xgesvd(j->s->handle, j->s->params, want, want, n, m, j->type, a + i * m * n * j->element, n,
                          j->parts_type, s + i * j->l.slot * j->part, j->type, values ? NULL : vt + at, n, j->type,
                          values ? NULL : u + at, m, j->type, j->device, j->device_bytes, j->host, j->host_bytes,
                          j->info + i),
             "cusolverDnXgesvd");
    }
}

/* Vectors take the matrix' place. */
static void eigh(job *j) {
    const int64_t n = j->l.cols, each = n * n * j->element;
    const bool values = j->l.kind == FSR_LINALG_EIGVALSH;
    const int want = values ? FSR_CUSOLVER_VALUES : FSR_CUSOLVER_VECTORS;
    char *a = copies(j), *w = room(j, j->l.count * n * j->part);
    const bool batched = j->l.count > 1 && j->s->XsyevBatched && j->s->XsyevBatched_bufferSize;
    if (!j->r.status)
        told(j,
             batched ? j->s->XsyevBatched_bufferSize(j->s->handle, j->s->params, want, FSR_CUSOLVER_UPPER, n, j->type,
                                                     a, n, j->parts_type, w, j->type, &j->device_bytes, &j->host_bytes,
                                                     j->l.count)
                     : j->s->Xsyevd_bufferSize(j->s->handle, j->s->params, want, FSR_CUSOLVER_UPPER, n, j->type, a, n,
                                               j->parts_type, w, j->type, &j->device_bytes, &j->host_bytes),
             batched ? "cusolverDnXsyevBatched_bufferSize" : "cusolverDnXsyevd_bufferSize");
    workspace(j);
    if (batched && !j->r.status)
        told(j,
             j->s->XsyevBatched(j->s->handle, j->s->params, want, FSR_CUSOLVER_UPPER, n, j->type, a, n, j->parts_type,
                                w, j->type, j->device, j->device_bytes, j->host, j->host_bytes, j->info, j->l.count),
             "cusolverDnXsyevBatched");
    for (int64_t i = 0; !batched && i < j->l.count && !j->r.status; i++)
        told(j,
             j->s->Xsyevd(j->s->handle, j->s->params, want, FSR_CUSOLVER_UPPER, n, j->type, a + i * each, n,
                          j->parts_type, w + i * n * j->part, j->type, j->device, j->device_bytes, j->host,
                          j->host_bytes, j->info + i),
             "cusolverDnXsyevd");
    if (j->out[0])
        copy_pieces(j, j->out[0], j->l.slot * j->part, w, n * j->part, n * j->part, j->l.count);
    if (!values && j->out[1])
        copy(j, j->out[1], a, j->l.count * each);
}

/* ---- the call ---------------------------------------------------------------------------------------------- */

/* Work that reads the host's memory is waited for. */
static void finish(job *j) {
    if (j->host) {
        const cudaError_t error = cudaStreamSynchronize(j->r.stream);
        cuda(j, error, "waiting for its workspace");
        free(j->host);
    }
    fsr_rooms_leave(&j->r);
}

/* The handle needs memory of the device's own. */
static fsr_status prepare(job *j) {
    fsr_cuda *c = j->r.c;
    const fsr_status status = fsr_cusolver_use(j->s, &c->cublas, j->r.stream, j->r.fault);
    return fsr_rooms_trim(c, status, j->r.fault) ? fsr_cusolver_use(j->s, &c->cublas, j->r.stream, j->r.fault) : status;
}

fsr_status fsr_cuda_linalg(fsr_cuda *c, const fsr_library_call *call, void *const *array, void *work,
                           cudaStream_t stream, fsr_fault *fault) {
    static void (*const run[FSR_LINALG_KINDS])(job *) = {
        [FSR_LINALG_SOLVE] = eliminate, [FSR_LINALG_LU] = eliminate, [FSR_LINALG_CHOLESKY] = cholesky,
        [FSR_LINALG_QR] = qr,           [FSR_LINALG_SVD] = svd,      [FSR_LINALG_SVDVALS] = svd,
        [FSR_LINALG_EIGH] = eigh,       [FSR_LINALG_EIGVALSH] = eigh};
    static const int types[] = {CUDA_R_32F, CUDA_R_64F, CUDA_C_32F, CUDA_C_64F};
    const fsr_dtype dtype = call->array[0].dtype;
    job j = {.r = {.c = c, .stream = stream, .call = "linalg", .fault = fault},
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
    j.info = room(&j, (j.l.count + 1) * (int64_t)sizeof(int));
    j.other = j.info ? j.info + j.l.count : NULL;
    if (!j.r.status)
        run[j.l.kind](&j);
    int *status = array[call->nin + j.l.nresults];
    if (j.l.kind == FSR_LINALG_LU && !j.r.status) /* a zero on the diagonal is no failure */
        cuda(&j, cudaMemsetAsync(j.info, 0, (size_t)j.l.count * sizeof(int), stream), "clearing what LU cannot tell");
    if (status)
        copy_pieces(&j, status, j.l.slot * 4, j.info, 4, 4, j.l.count);
    finish(&j);
    return j.r.status;
}
#endif
