/* SPDX-License-Identifier: MIT */
/* Equations and LU factors on a GPU: many small systems by cuBLAS at once, others one by one by cuSOLVER. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/linalg_job.h"
#include <limits.h>

static void lu_batched(fsr_linalg_job *j, char *a, int *pivot) {
    const int n = (int)j->l.cols, count = (int)j->l.count;
    void *list = fsr_job_addresses(j, a, j->l.cols * j->l.cols * j->element);
    if (!j->r.status)
        fsr_job_blas(j, j->s->getrf_batched[j->letter](j->r.c->cublas.handle, n, list, n, pivot, j->info, count),
                     "cublasgetrfBatched");
    if (j->l.kind != FSR_LINALG_SOLVE)
        return;
    char *x = fsr_job_result(j, 0, j->element);
    void *sides = fsr_job_addresses(j, x, j->l.slot * j->element);
    int own = 0;
    fsr_job_copy(j, x, j->b, j->l.count * j->l.slot * j->element);
    if (!j->r.status)
        fsr_job_blas(j,
                     j->s->getrs_batched[j->letter](j->r.c->cublas.handle, FSR_CUBLAS_FLIPPED, n, (int)j->l.more, list,
                                                    n, pivot, sides, n, &own, count),
                     "cublasgetrsBatched");
}

static void lu_single(fsr_linalg_job *j, char *a, int64_t *pivot) {
    const int64_t n = j->l.cols;
    if (!j->r.status)
        fsr_job_told(j,
                     j->s->Xgetrf_bufferSize(j->s->handle, j->s->params, n, n, j->type, a, n, j->type, &j->device_bytes,
                                             &j->host_bytes),
                     "cusolverDnXgetrf_bufferSize");
    fsr_job_workspace(j);
    char *x = j->l.kind == FSR_LINALG_SOLVE ? fsr_job_result(j, 0, j->element) : NULL;
    if (x)
        fsr_job_copy(j, x, j->b, j->l.count * j->l.slot * j->element);
    for (int64_t i = 0; i < j->l.count && !j->r.status; i++) {
        char *own = a + i * n * n * j->element;
        fsr_job_told(j,
                     j->s->Xgetrf(j->s->handle, j->s->params, n, n, j->type, own, n, pivot + i * n, j->type, j->device,
                                  j->device_bytes, j->host, j->host_bytes, j->info + i),
                     "cusolverDnXgetrf");
        if (x && !j->r.status)
            fsr_job_told(j,
                         j->s->Xgetrs(j->s->handle, j->s->params, FSR_CUBLAS_FLIPPED, n, j->l.more, j->type, own, n,
                                      pivot + i * n, j->type, x + i * j->l.slot * j->element, n, j->other),
                         "cusolverDnXgetrs");
    }
}

void fsr_linalg_eliminate(fsr_linalg_job *j) {
    const int64_t n = j->l.cols;
    const bool batched =
        fsr_job_many(j) && j->l.more < INT_MAX && j->s->getrf_batched[j->letter] && j->s->getrs_batched[j->letter];
    char *a = fsr_job_copies(j), *pivot = fsr_job_room(j, j->l.count * n * 8);
    if (batched && !j->r.status)
        j->r.status = fsr_cublas_use(&j->r.c->cublas, "linalg", j->r.stream, j->r.fault);
    if (batched)
        lu_batched(j, a, (int *)(void *)pivot);
    else
        lu_single(j, a, (int64_t *)(void *)pivot);
    if (j->l.kind == FSR_LINALG_SOLVE)
        return;
    if (j->out[0])
        fsr_job_copy(j, j->out[0], a, j->l.count * n * n * j->element);
    if (j->out[1] && batched)
        fsr_job_pieces(j, j->out[1], j->l.slot * 4, pivot, n * 4, n * 4, j->l.count);
    for (int64_t i = 0; j->out[1] && !batched && i < j->l.count; i++) /* low halves */
        fsr_job_pieces(j, j->out[1] + i * j->l.slot * 4, 4, pivot + i * n * 8, 8, 4, n);
}
#endif
