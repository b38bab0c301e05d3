#include "tests/trust/fake_cuda.h"

fake_cuda fake;

void fake_cuda_reset(void) {
    fake = (fake_cuda){
        .devices = 1, .capacity = (int64_t)1 << 30, .used = fake.used, .blocks = fake.blocks, .objects = fake.objects};
}

#ifdef FUSOR_HAVE_CUDA
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/faults.h"
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void __real_free(void *data);
int __real_posix_memalign(void **out, size_t alignment, size_t size);

typedef struct fake_block {
    struct fake_block *next;
    void *data;
    int64_t bytes;
} fake_block;

typedef struct fake_library {
    char *source;
    char name[80];
} fake_library;

static fake_block *blocks;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local cudaError_t last;
static _Thread_local int device;

static cudaError_t tell(cudaError_t error) {
    if (error != cudaSuccess)
        last = error;
    return error;
}

/* The error that a call gives instead of being done; cudaSuccess: it goes on. */
static cudaError_t trouble(const char *name) {
    fault_way way;
    int error;
    if (fake.lost)
        return tell((cudaError_t)fake.lost);
    return fault_due(FAULT_CUDA, name, &way, &error) ? tell((cudaError_t)error) : cudaSuccess;
}

#define BEGIN                                           \
    do {                                                \
        const cudaError_t trouble_ = trouble(__func__); \
        if (trouble_ != cudaSuccess)                    \
            return trouble_;                            \
    } while (0)

/* What destroys does its work and then tells of trouble. */
static cudaError_t ended(const char *name, void *object) {
    if (object) {
        pthread_mutex_lock(&lock);
        fake.objects--;
        pthread_mutex_unlock(&lock);
    }
    __real_free(object);
    return trouble(name);
}

static void *object_new(size_t bytes) {
    pthread_mutex_lock(&lock);
    fake.objects++;
    pthread_mutex_unlock(&lock);
    return __real_calloc(1, bytes);
}

/* ---- errors, devices ------------------------------------------------------------------------------------------- */

cudaError_t cudaGetLastError(void) {
    const cudaError_t error = last;
    last = cudaSuccess;
    return error;
}

const char *cudaGetErrorName(cudaError_t error) {
    switch (error) {
    case cudaSuccess: return "cudaSuccess";
    case cudaErrorInvalidValue: return "cudaErrorInvalidValue";
    case cudaErrorMemoryAllocation: return "cudaErrorMemoryAllocation";
    case cudaErrorInsufficientDriver: return "cudaErrorInsufficientDriver";
    case cudaErrorNoDevice: return "cudaErrorNoDevice";
    case cudaErrorIllegalAddress: return "cudaErrorIllegalAddress";
    case cudaErrorInvalidKernelImage: return "cudaErrorInvalidKernelImage";
    default: return "cudaErrorFake";
    }
}

const char *cudaGetErrorString(cudaError_t error) {
    return error == cudaSuccess ? "no error" : "made to fail";
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = fake.devices;
    BEGIN;
    return tell((cudaError_t)fake.driver);
}

cudaError_t cudaGetDevice(int *out) {
    BEGIN;
    *out = device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int which) {
    BEGIN;
    device = which;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetAttribute(int *value, enum cudaDeviceAttr attribute, int which) {
    (void)which;
    BEGIN;
    switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor: *value = 9; break;
    case cudaDevAttrComputeCapabilityMinor: *value = 0; break;
    case cudaDevAttrMultiProcessorCount: *value = 4; break;
    case cudaDevAttrMaxThreadsPerBlock: *value = 1024; break;
    case cudaDevAttrMaxThreadsPerMultiProcessor: *value = 2048; break;
    case cudaDevAttrMaxRegistersPerMultiprocessor: *value = 65536; break;
    case cudaDevAttrMaxSharedMemoryPerBlock: *value = 49152; break;
    case cudaDevAttrL2CacheSize: *value = 4 << 20; break;
    case cudaDevAttrCooperativeLaunch: *value = 1; break;
    default: return tell(cudaErrorInvalidValue);
    }
    return cudaSuccess;
}

cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *properties, int which) {
    (void)which;
    BEGIN;
    memset(properties, 0, sizeof *properties);
    strcpy(properties->name, "a GPU that is none");
    return cudaSuccess;
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
    BEGIN;
    *available = (size_t)(fake.capacity - fake.used);
    *total = (size_t)fake.capacity;
    return cudaSuccess;
}

/* ---- memory ----------------------------------------------------------------------------------------- */

cudaError_t cudaMalloc(void **out, size_t bytes) {
    BEGIN;
    fake_block *block = NULL;
    pthread_mutex_lock(&lock);
    if (fake.used + (int64_t)bytes <= fake.capacity && (block = __real_malloc(sizeof *block)) != NULL) {
        if (__real_posix_memalign(out, 256, bytes) != 0)
            abort();
        *block = (fake_block){blocks, *out, (int64_t)bytes};
        blocks = block;
        fake.blocks++;
        fake.used += block->bytes;
    }
    pthread_mutex_unlock(&lock);
    return block ? cudaSuccess : tell(cudaErrorMemoryAllocation);
}

cudaError_t cudaFree(void *data) {
    pthread_mutex_lock(&lock);
    fake_block **at = &blocks;
    while (data && *at && (*at)->data != data)
        at = &(*at)->next;
    if (data && !*at)
        abort(); /* not ours, or freed twice */
    if (data) {
        fake_block *block = *at;
        *at = block->next;
        fake.blocks--;
        fake.used -= block->bytes;
        __real_free(block->data);
        __real_free(block);
    }
    pthread_mutex_unlock(&lock);
    return trouble("cudaFree");
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    (void)flags;
    BEGIN;
    *out = object_new(bytes);
    return cudaSuccess;
}

cudaError_t cudaFreeHost(void *data) {
    return ended("cudaFreeHost", data);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)kind, (void)stream;
    BEGIN;
    memcpy(dst, src, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream) {
    (void)stream;
    BEGIN;
    memset(dst, value, bytes);
    return cudaSuccess;
}

/* ---- streams, events -------------------------------------------------------------------------------- */

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
    (void)flags;
    BEGIN;
    *out = object_new(8);
    return cudaSuccess;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    return ended("cudaStreamDestroy", stream);
}

/* Tells whether the context is lost; an injected fault would look like a loss and is not made here. */
cudaError_t cudaStreamQuery(cudaStream_t stream) {
    (void)stream;
    return tell((cudaError_t)fake.lost);
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    (void)stream;
    BEGIN;
    return cudaSuccess;
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
    (void)stream, (void)event, (void)flags;
    BEGIN;
    return cudaSuccess;
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
    (void)flags;
    BEGIN;
    *out = object_new(8);
    return cudaSuccess;
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
    return ended("cudaEventDestroy", event);
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    (void)event, (void)stream;
    BEGIN;
    return cudaSuccess;
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    (void)event;
    BEGIN;
    return cudaSuccess;
}

cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to) {
    (void)from, (void)to;
    BEGIN;
    *ms = 1;
    return cudaSuccess;
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *jit, void **jit_values,
                                unsigned njit, enum cudaLibraryOption *options, void **option_values,
                                unsigned noptions) {
    (void)jit, (void)jit_values, (void)njit, (void)options, (void)option_values, (void)noptions;
    BEGIN;
    if (memcmp(code, "FAKECUBIN", 10) != 0)
        return tell(cudaErrorInvalidKernelImage);
    const char *source = (const char *)code + 10;
    fake_library *library = object_new(sizeof *library);
    library->source = __real_malloc(strlen(source) + 1);
    strcpy(library->source, source);
    *out = (cudaLibrary_t)library;
    return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    __real_free(((fake_library *)library)->source);
    return ended("cudaLibraryUnload", library);
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t *out, cudaLibrary_t library, const char *name) {
    BEGIN;
    snprintf(((fake_library *)library)->name, sizeof((fake_library *)library)->name, "%s", name);
    *out = (cudaKernel_t)library;
    return cudaSuccess;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, const void *kernel) {
    (void)kernel;
    BEGIN;
    memset(attributes, 0, sizeof *attributes);
    attributes->numRegs = 32;
    attributes->maxThreadsPerBlock = 1024;
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **args) {
    BEGIN;
    const fake_library *library = kernel;
    fake.launches++;
    if (fake.at_launch) {
        fake.lost = fake.at_launch; /* asynchronous: the launch itself is fine */
        return cudaSuccess;
    }
    if (fake.no_kernels)
        return cudaSuccess;
    fsr_fault fault = {0};
    const unsigned kinds = faults_pause();
    const fsr_status status = host_cuda_run_text(library->name, library->source, args, (int)config->gridDim.x,
                                                 (int)config->blockDim.x, 1, &fault);
    if (status != FSR_OK) {
        fprintf(stderr, "%s: %s\n", library->name, fault.message ? fault.message : "");
        abort();
    }
    faults_resume(kinds);
    return cudaSuccess;
}
#endif
