/* SPDX-License-Identifier: MIT */
/* What the driver knows of an address.
 *
 * One call of the driver asks for everything at once, some hundred nanoseconds. The runtime's own call does not tell
 * where an allocation ends. The plural call, unlike the singular one, does not fail for memory that the driver does not
 * know: its answers are then zeros. The range of an address is its allocation; of virtual memory that was mapped piece
 * by piece, the whole reservation, so that an array may span several pieces. Memory of another device counts as out of
 * reach also where the two are peers: whether access was enabled is not asked. */
#ifdef FUSOR_HAVE_CUDA
#include "backend_cuda/device.h"

/* The driver counts its allocations from 1. */
#define OWN_BLOCK (UINT64_C(1) << 63)

typedef struct answers {
    unsigned type, managed; /* CUmemorytype, 0: not known */
    int ordinal;
    CUdeviceptr device, start;
    void *host;
    size_t size;
} answers;

static cudaError_t ask(const fsr_cuda *c, const void *data, answers *a) {
    CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,    CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                   CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                   CU_POINTER_ATTRIBUTE_HOST_POINTER,   CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    void *to[] = {&a->type, &a->managed, &a->ordinal, &a->device, &a->host, &a->start, &a->size};
    *a = (answers){.type = 0};
    /* The runtime's errors have the driver's numbers. */
    return (cudaError_t)c->driver.pointer(sizeof which / sizeof which[0], which, to, (CUdeviceptr)(uintptr_t)data);
}

static void judge(const fsr_cuda *c, const void *data, const answers *a, fsr_address *out) {
    const uint64_t at = (uintptr_t)data, end = (uint64_t)a->start + a->size;
    const bool known = a->type != 0, ours = a->type == CU_MEMORYTYPE_HOST || a->managed || a->ordinal == c->device;
    out->host = !known || a->managed || a->host == data;
    out->device = known && ours && (uint64_t)a->device == at;
    out->owner = known && a->type != CU_MEMORYTYPE_HOST ? a->ordinal : -1;
    out->room = known && a->size && at >= (uint64_t)a->start && at < end && end - at < (uint64_t)INT64_MAX
                    ? (int64_t)(end - at)
                    : INT64_MAX;
}

static uint64_t identify_again(fsr_cuda *c, const void *data, uint64_t given, fsr_seen *seen) {
    const uint64_t own = fsr_device_pool_serial(c->pool, data);
    seen->given = given;
    if (own)
        return own | OWN_BLOCK;
    CUpointer_attribute which = CU_POINTER_ATTRIBUTE_BUFFER_ID;
    unsigned long long id = 0;
    void *to = &id;
    return c->driver.pointer(1, &which, &to, (CUdeviceptr)(uintptr_t)data) == CUDA_SUCCESS ? id : 0;
}

/* Of blocks of the own pool the pool knows which they are, and does not even look where none was given back since. Not
 * every kind of other memory has an id, and a thread without a context may be told nothing. */
uint64_t fsr_cuda_identify(fsr_backend *b, const void *data, fsr_seen *seen) {
    fsr_cuda *c = fsr_cuda_of(b);
    const uint64_t given = fsr_device_pool_given(c->pool);
    return seen->id & OWN_BLOCK && seen->given == given ? seen->id : identify_again(c, data, given, seen);
}

/* A thread that has called nothing of CUDA yet has no current context. The driver says so, or that no kernel of its
 * reaches the address: then the thread gets the device's, and asks again. */
fsr_status fsr_cuda_locate(fsr_backend *b, const void *data, fsr_address *out, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    answers a;
    cudaError_t error = ask(c, data, &a);
    if (error == (cudaError_t)CUDA_ERROR_INVALID_CONTEXT || (error == cudaSuccess && !a.device)) {
        error = cudaSetDevice(c->device);
        if (error == cudaSuccess)
            error = ask(c, data, &a);
    }
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "asking whose memory an address is");
    judge(c, data, &a, out);
    return FSR_OK;
}
#endif
