/* SPDX-License-Identifier: MIT */
/* Memory of library calls: blocks of the pool, in the order of the call's stream. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/rooms.h"

void fsr_rooms_cuda(fsr_rooms *r, cudaError_t error, const char *what) {
    if (error != cudaSuccess && !r->status)
        r->status = fsr_cuda_fail(r->c, error, r->fault, "library call %s: %s", r->call, what);
}

void *fsr_rooms_take(fsr_rooms *r, int64_t bytes) {
    void *data = NULL;
    cudaStream_t same;
    if (!r->status)
        r->status = fsr_device_pool_alloc(r->c->pool, bytes > 0 ? bytes : 1, &data, r->fault);
    if (r->status)
        return NULL;
    r->block[r->n++] = data;
    fsr_rooms_cuda(r, fsr_stream_begin(r->c, r->stream, &same), "ordering streams");
    return data;
}

void fsr_rooms_leave(fsr_rooms *r) {
    fsr_rooms_cuda(r, fsr_stream_end(r->c, r->stream), "ordering streams");
    while (r->n)
        fsr_device_pool_free(r->c->pool, r->block[--r->n]);
}

bool fsr_rooms_trim(fsr_cuda *c, fsr_status status, fsr_fault *fault) {
    fsr_fault ignored = {0};
    if (status != FSR_ERR_DEVICE_MEMORY)
        return false;
    const fsr_status trimmed = fsr_device_pool_trim(c->pool, &ignored);
    fsr_fault_clear(&ignored);
    if (!trimmed)
        fsr_fault_clear(fault);
    return !trimmed;
}
#endif
