/* SPDX-License-Identifier: MIT */
/* What the functions of linear algebra do with memory and statuses; see linalg_job.h. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/linalg_job.h"
#include <limits.h>
#include <stdlib.h>

enum { SMALL = 256 /* sides of matrices that are solved many at a time */ };

void fsr_job_cuda(fsr_linalg_job *j, cudaError_t error, const char *what) {
    fsr_rooms_cuda(&j->r, error, what);
}

void *fsr_job_room(fsr_linalg_job *j, int64_t bytes) {
    return fsr_rooms_take(&j->r, bytes);
}

void fsr_job_told(fsr_linalg_job *j, int status, const char *what) {
    if (status && !j->r.status)
        j->r.status = fsr_cusolver_fail(status, what, j->r.fault);
}

void fsr_job_blas(fsr_linalg_job *j, int status, const char *what) {
    if (status && !j->r.status)
        j->r.status = fsr_cublas_fail(status, "linalg", what, j->r.fault);
}

void fsr_job_copy(fsr_linalg_job *j, void *to, const void *from, int64_t bytes) {
    if (!j->r.status)
        fsr_job_cuda(j, cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDeviceToDevice, j->r.stream), "a copy");
}

void fsr_job_pieces(fsr_linalg_job *j, void *to, int64_t to_step, const void *from, int64_t from_step, int64_t bytes,
                    int64_t count) {
    if (to_step == bytes && from_step == bytes) {
        fsr_job_copy(j, to, from, bytes * count);
    } else if (to_step < INT_MAX && from_step < INT_MAX) {
        if (!j->r.status)
            fsr_job_cuda(j,
                         cudaMemcpy2DAsync(to, (size_t)to_step, from, (size_t)from_step, (size_t)bytes, (size_t)count,
                                           cudaMemcpyDeviceToDevice, j->r.stream),
                         "a copy");
    } else {
        for (int64_t i = 0; i < count; i++)
            fsr_job_copy(j, (char *)to + i * to_step, (const char *)from + i * from_step, bytes);
    }
}

void fsr_job_workspace(fsr_linalg_job *j) {
    j->device = fsr_job_room(j, (int64_t)j->device_bytes);
    if (j->r.status || !j->host_bytes)
        return;
    j->host = malloc(j->host_bytes);
    if (!j->host)
        j->r.status = fsr_fault_set(j->r.fault, FSR_ERR_MEMORY, "library call linalg: out of memory");
}

void *fsr_job_addresses(fsr_linalg_job *j, char *first, int64_t step) {
    void *made = fsr_job_room(j, j->l.count * (int64_t)sizeof(void *));
    void **list = malloc((size_t)j->l.count * sizeof *list);
    if (!list && !j->r.status)
        j->r.status = fsr_fault_set(j->r.fault, FSR_ERR_MEMORY, "library call linalg: out of memory");
    for (int64_t i = 0; list && i < j->l.count; i++)
        list[i] = first + i * step;
    if (!j->r.status)
        fsr_job_cuda(
            j, cudaMemcpyAsync(made, list, (size_t)j->l.count * sizeof *list, cudaMemcpyHostToDevice, j->r.stream),
            "a copy of addresses");
    free(list);
    return made;
}

char *fsr_job_copies(fsr_linalg_job *j) {
    const int64_t bytes = j->l.count * j->l.rows * j->l.cols * j->element;
    char *made = fsr_job_room(j, bytes);
    fsr_job_copy(j, made, j->a, bytes);
    return made;
}

char *fsr_job_result(fsr_linalg_job *j, int i, int64_t element) {
    return j->out[i] ? j->out[i] : fsr_job_room(j, j->l.count * j->l.slot * element);
}

bool fsr_job_many(const fsr_linalg_job *j) {
    return j->l.count > 1 && j->l.count < INT_MAX && j->l.cols <= SMALL;
}
#endif
