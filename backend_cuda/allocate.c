/* SPDX-License-Identifier: MIT */
/* Where memory comes from: the pool's blocks, and pinned memory, from CUDA or from the caller's allocators. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/device.h"

/* From the caller's allocator; an address that is not aligned is none. */
static void *take_block(const fsr_allocator *from, size_t bytes) {
    void *data = from->take(from->user, bytes, FSR_CUDA_ALIGNMENT);
    if (data && (uintptr_t)data % FSR_CUDA_ALIGNMENT) {
        from->give(from->user, data, bytes);
        return NULL;
    }
    return data;
}

static cudaError_t take_memory(const fsr_cuda *c, int64_t bytes, void **out) {
    if (!c->device_memory.take)
        return cudaMalloc(out, (size_t)bytes);
    *out = take_block(&c->device_memory, (size_t)bytes);
    return *out ? cudaSuccess : cudaErrorMemoryAllocation;
}

static int memory_get(void *user, int64_t bytes, void **out, fsr_fault *fault) {
    fsr_cuda *c = user;
    if (fsr_cuda_use(c, fault) != FSR_OK)
        return FSR_POOL_FAILED;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    fsr_cuda_loosen(&mode);
    const cudaError_t error = take_memory(c, bytes, out);
    fsr_cuda_loosen(&mode);
    if (error == cudaSuccess)
        return FSR_POOL_GOT;
    if (error == cudaErrorMemoryAllocation) {
        cudaGetLastError();
        return FSR_POOL_NO_ROOM;
    }
    fsr_cuda_fail(c, error, fault, "allocating %lld bytes on the device", (long long)bytes);
    return FSR_POOL_FAILED;
}

static void memory_give(void *user, void *data, int64_t bytes) {
    const fsr_allocator *to = &((fsr_cuda *)user)->device_memory;
    enum cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    fsr_cuda_loosen(&mode);
    if (to->take)
        to->give(to->user, data, (size_t)bytes);
    else
        cudaFree(data);
    fsr_cuda_loosen(&mode);
}

static fsr_status memory_settle(void *user, fsr_fault *fault) {
    return fsr_cuda_wait(user, NULL, fault);
}

/* Pinned; or what the caller's allocator has. */
fsr_status fsr_cuda_host_alloc(fsr_backend *b, int64_t bytes, void **out, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    const size_t room = bytes > 0 ? (size_t)bytes : 1;
    const fsr_status status = fsr_cuda_use(c, fault);
    if (status)
        return status;
    if (c->host_memory.take) {
        pthread_mutex_lock(&c->host_lock);
        *out = take_block(&c->host_memory, room);
        pthread_mutex_unlock(&c->host_lock);
    } else {
        const cudaError_t error = cudaHostAlloc(out, room, cudaHostAllocPortable);
        if (error != cudaSuccess)
            *out = NULL;
        if (error == cudaErrorMemoryAllocation)
            cudaGetLastError();
        else if (error != cudaSuccess)
            return fsr_cuda_fail(c, error, fault, "allocating %lld bytes of pinned memory", (long long)bytes);
    }
    return *out ? FSR_OK
                : fsr_fault_set(fault, FSR_ERR_MEMORY, "%lld bytes of pinned memory: there is no room",
                                (long long)bytes);
}

void fsr_cuda_host_free(fsr_backend *b, void *data, int64_t bytes) {
    fsr_cuda *c = fsr_cuda_of(b);
    if (!c->host_memory.take) {
        cudaFreeHost(data);
        return;
    }
    pthread_mutex_lock(&c->host_lock);
    c->host_memory.give(c->host_memory.user, data, bytes > 0 ? (size_t)bytes : 1);
    pthread_mutex_unlock(&c->host_lock);
}

static void memory_room(void *user, int64_t *available, int64_t *total) {
    (void)user;
    size_t room = 0, all = 0;
    if (cudaMemGetInfo(&room, &all) != cudaSuccess)
        cudaGetLastError();
    *available = (int64_t)room;
    *total = (int64_t)all;
}

fsr_status fsr_cuda_alloc(fsr_backend *b, int64_t bytes, void **out, fsr_fault *fault) {
    return fsr_device_pool_alloc(fsr_cuda_of(b)->pool, bytes, out, fault);
}

void fsr_cuda_free(fsr_backend *b, void *data, int64_t bytes) {
    (void)bytes;
    fsr_device_pool_free(fsr_cuda_of(b)->pool, data);
}

fsr_status fsr_cuda_trim(fsr_backend *b, fsr_fault *fault) {
    return fsr_device_pool_trim(fsr_cuda_of(b)->pool, fault);
}

fsr_status fsr_cuda_make_pool(fsr_cuda *c, fsr_fault *fault) {
    const fsr_device_pool_source source = {
        .user = c, .get = memory_get, .give = memory_give, .settle = memory_settle, .room = memory_room};
    c->pool = fsr_device_pool_new(&source);
    return c->pool ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "CUDA backend: out of host memory");
}
#endif
