/* SPDX-License-Identifier: MIT */
#include "tests/trust/fake_cuda.h"

fake_cuda fake;

void fake_cuda_reset(void) {
    fake = (fake_cuda){
        .devices = 1, .capacity = (int64_t)1 << 30, .used = fake.used, .blocks = fake.blocks, .objects = fake.objects};
}

#ifdef FUSOR_HAVE_CUDA
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/written.h"
#include "tests/trust/fake_parts.h"
#include "tests/trust/faults.h"
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void __real_free(void *data);
int __real_posix_memalign(void **out, size_t alignment, size_t size);

typedef enum fake_kind { OF_DEVICE, MANAGED, PINNED } fake_kind;

typedef struct fake_block {
    struct fake_block *next;
    void *data;
    int64_t bytes;
    fake_kind kind;
    int device;
    uint64_t id;
} fake_block;

enum { FAKE_DEVICES = 4, FAKE_SHARED = 227 << 10 /* a block's; 48 KiB of it unasked */ };

typedef struct fake_library {
    char *source;
    char name[80];
    int dynamic; /* bytes of shared memory that a launch may ask for; 0: what is unasked */
} fake_library;

static fake_block *blocks;
static uint64_t blocks_made;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local cudaError_t last;
static _Thread_local int device;
static _Thread_local bool current; /* the thread has chosen a device */

cudaError_t fake_tell(cudaError_t error) {
    if (error != cudaSuccess)
        last = error;
    return error;
}

/* The error that a call gives instead of being done; cudaSuccess: it goes on. */
cudaError_t fake_trouble(const char *name) {
    fault_way way;
    int error;
    if (fake.lost)
        return fake_tell((cudaError_t)fake.lost);
    return fault_due(FAULT_CUDA, name, &way, &error) ? fake_tell((cudaError_t)error) : cudaSuccess;
}

/* What destroys does its work and then tells of trouble. */
cudaError_t fake_ended(const char *name, void *object) {
    if (object) {
        pthread_mutex_lock(&lock);
        fake.objects--;
        pthread_mutex_unlock(&lock);
    }
    __real_free(object);
    return fake_trouble(name);
}

void *fake_object(size_t bytes) {
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
    return fake_tell((cudaError_t)fake.driver);
}

cudaError_t cudaGetDevice(int *out) {
    BEGIN;
    *out = device;
    return cudaSuccess;
}

cudaError_t cudaSetDevice(int which) {
    BEGIN;
    device = which;
    current = true;
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
    case cudaDevAttrMaxSharedMemoryPerBlockOptin: *value = FAKE_SHARED; break;
    case cudaDevAttrMaxSharedMemoryPerMultiprocessor: *value = FAKE_SHARED + 1024; break;
    case cudaDevAttrReservedSharedMemoryPerBlock: *value = 1024; break;
    case cudaDevAttrL2CacheSize: *value = 4 << 20; break;
    case cudaDevAttrCooperativeLaunch: *value = 1; break;
    default: return fake_tell(cudaErrorInvalidValue);
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

static void count(const fake_block *block, int sign) {
    if (block->kind == PINNED) {
        fake.objects += sign;
        return;
    }
    fake.blocks += sign;
    fake.used += sign * block->bytes;
}

static cudaError_t take(void **out, size_t bytes, fake_kind kind) {
    fake_block *block = NULL;
    pthread_mutex_lock(&lock);
    bool room = kind == PINNED || fake.used + (int64_t)bytes <= fake.capacity;
    if (room && (block = __real_malloc(sizeof *block)) != NULL) {
        if (__real_posix_memalign(out, 256, bytes ? bytes : 1) != 0)
            abort();
        *block = (fake_block){blocks, *out, (int64_t)bytes, kind, device, ++blocks_made};
        blocks = block;
        count(block, 1);
        if (kind != PINNED)
            written_new(*out, bytes);
    }
    pthread_mutex_unlock(&lock);
    return block ? cudaSuccess : fake_tell(cudaErrorMemoryAllocation);
}

static void give(void *data, bool pinned) {
    pthread_mutex_lock(&lock);
    fake_block **at = &blocks;
    while (data && *at && (*at)->data != data)
        at = &(*at)->next;
    if (data && (!*at || ((*at)->kind == PINNED) != pinned))
        abort(); /* not ours, or freed twice */
    if (data) {
        fake_block *block = *at;
        *at = block->next;
        count(block, -1);
        written_gone(block->data, (size_t)block->bytes);
        __real_free(block->data);
        __real_free(block);
    }
    pthread_mutex_unlock(&lock);
}

cudaError_t cudaMalloc(void **out, size_t bytes) {
    BEGIN;
    if (fake_forbidden())
        return fake_tell(cudaErrorStreamCaptureUnsupported);
    return take(out, bytes, OF_DEVICE);
}

cudaError_t cudaMallocManaged(void **out, size_t bytes, unsigned flags) {
    (void)flags;
    BEGIN;
    return take(out, bytes, MANAGED);
}

cudaError_t cudaFree(void *data) {
    give(data, false);
    return fake_trouble("cudaFree");
}

cudaError_t cudaHostAlloc(void **out, size_t bytes, unsigned flags) {
    (void)flags;
    BEGIN;
    return take(out, bytes, PINNED);
}

cudaError_t cudaFreeHost(void *data) {
    give(data, true);
    return fake_trouble("cudaFreeHost");
}

/* Blocks are whole: an address between two of them belongs to none. */
static fake_block find(uint64_t address) {
    fake_block found = {.bytes = 0};
    pthread_mutex_lock(&lock);
    for (const fake_block *b = blocks; b; b = b->next)
        if (address >= (uintptr_t)b->data && address < (uintptr_t)b->data + (uint64_t)b->bytes)
            found = *b;
    pthread_mutex_unlock(&lock);
    return found;
}

static void answer(CUpointer_attribute which, const fake_block *b, CUdeviceptr address, void *out) {
    const bool known = b->data != NULL;
    switch (which) {
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
        *(unsigned *)out = !known ? 0 : b->kind == PINNED ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
        break;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED: *(unsigned *)out = known && b->kind == MANAGED; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL: *(int *)out = known ? b->device : -2; break;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER: *(CUdeviceptr *)out = known ? address : 0; break;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        *(void **)out = known && b->kind != OF_DEVICE ? (void *)(uintptr_t)address : NULL;
        break;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR: *(CUdeviceptr *)out = (uintptr_t)b->data; break;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE: *(size_t *)out = (size_t)b->bytes; break;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID: *(unsigned long long *)out = b->id; break;
    default: abort();
    }
}

/* As the driver's: a thread without a context is told so, or that nothing reaches the address; unknown memory is no
 * error. */
static CUresult ask(unsigned n, CUpointer_attribute *which, void **out, CUdeviceptr address) {
    const cudaError_t error = fake_trouble("cuPointerGetAttributes");
    if (error != cudaSuccess)
        return (CUresult)error;
    if (!current && fake.tells_threads)
        return CUDA_ERROR_INVALID_CONTEXT;
    const fake_block found = find(address);
    fake.questions += n;
    for (unsigned i = 0; i < n; i++) {
        answer(which[i], &found, address, out[i]);
        if (!current && which[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER) /* no context reaches it */
            *(CUdeviceptr *)out[i] = 0;
    }
    return CUDA_SUCCESS;
}

void fake_copy(void *dst, const void *src, size_t bytes) {
    memcpy(dst, src, bytes);
    written_copy(dst, src, bytes);
}

void fake_fill(void *dst, int value, size_t bytes) {
    memset(dst, value, bytes);
    written_all(dst, bytes);
}

cudaError_t cudaMemcpyAsync(void *dst, const void *src, size_t bytes, enum cudaMemcpyKind kind, cudaStream_t stream) {
    BEGIN;
    fake.copies += kind == cudaMemcpyDeviceToDevice;
    if (fake.at_copy)
        fake.at_copy();
    if (!fake_record(stream, (fake_node){.dst = dst, .src = src, .bytes = bytes}))
        fake_copy(dst, src, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                              enum cudaMemcpyKind kind, cudaStream_t stream) {
    (void)kind, (void)stream;
    BEGIN;
    for (size_t i = 0; i < height; i++)
        fake_copy((char *)dst + i * dpitch, (const char *)src + i * spitch, width);
    return cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *dst, int value, size_t bytes, cudaStream_t stream) {
    BEGIN;
    if (!fake_record(stream, (fake_node){.dst = dst, .value = value, .bytes = bytes}))
        fake_fill(dst, value, bytes);
    return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t bytes, cudaStream_t stream) {
    (void)stream;
    BEGIN;
    if (find((uintptr_t)dst).device != to || find((uintptr_t)src).device != from)
        return fake_tell(cudaErrorInvalidValue);
    fake.peer_copies++;
    fake_copy(dst, src, bytes);
    return cudaSuccess;
}

cudaError_t cudaDeviceCanAccessPeer(int *can, int here, int there) {
    BEGIN;
    *can = here != there;
    return cudaSuccess;
}

cudaError_t cudaDeviceEnablePeerAccess(int there, unsigned flags) {
    (void)there, (void)flags;
    BEGIN;
    return cudaSuccess;
}

/* ---- kernels ---------------------------------------------------------------------------------------- */

cudaError_t cudaLibraryLoadData(cudaLibrary_t *out, const void *code, enum cudaJitOption *jit, void **jit_values,
                                unsigned njit, enum cudaLibraryOption *options, void **option_values,
                                unsigned noptions) {
    (void)jit, (void)jit_values, (void)njit, (void)options, (void)option_values, (void)noptions;
    BEGIN;
    if (fake.loads_without_memory > 0) {
        fake.loads_without_memory--;
        return fake_tell(cudaErrorMemoryAllocation);
    }
    if (memcmp(code, "FAKECUBIN", 10) != 0)
        return fake_tell(cudaErrorInvalidKernelImage);
    const char *source = (const char *)code + 10;
    fake_library *library = fake_object(sizeof *library);
    library->source = __real_malloc(strlen(source) + 1);
    strcpy(library->source, source);
    *out = (cudaLibrary_t)library;
    return cudaSuccess;
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
    fake.unloaded++;
    fake.unloaded_running += fake.running > 0;
    __real_free(((fake_library *)library)->source);
    return fake_ended("cudaLibraryUnload", library);
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
    attributes->sharedSizeBytes = (size_t)fake.static_shared;
    return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *kernel, size_t i, size_t *offset, size_t *size) {
    (void)kernel;
    BEGIN;
    if (i >= sizeof fake.param_bytes / sizeof *fake.param_bytes || !fake.param_bytes[i])
        return fake_tell(cudaErrorInvalidValue);
    *offset = 0;
    *size = (size_t)fake.param_bytes[i];
    return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *kernel, enum cudaFuncAttribute attribute, int value) {
    BEGIN;
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || value > FAKE_SHARED - fake.static_shared)
            return fake_tell(cudaErrorInvalidValue);
        ((fake_library *)kernel)->dynamic = value;
    } else if (attribute == cudaFuncAttributePreferredSharedMemoryCarveout) {
        if (value < 0 || value > 100)
            return fake_tell(cudaErrorInvalidValue);
        fake.carved = value;
    }
    return cudaSuccess;
}

/* Runs a kernel now. */
void fake_run(const void *kernel, int grid, int threads, void **args) {
    const fake_library *library = kernel;
    fake.launches++;
    fake.running++;
    if (fake.at_launch) {
        fake.lost = fake.at_launch; /* asynchronous: the launch itself is fine */
        return;
    }
    if (fake.no_kernels)
        return;
    fsr_fault fault = {0};
    const unsigned kinds = faults_pause();
    const fsr_status status = host_cuda_run_text(library->name, library->source, args, grid, threads, 1, &fault);
    if (status != FSR_OK) {
        fprintf(stderr, "%s: %s\n", library->name, fault.message ? fault.message : "");
        abort();
    }
    faults_resume(kinds);
}

/* Parameters of a kernel, with commas between them; whether number i is an address. */
static int parameters(const fake_library *library, bool *address) {
    const char *at = strstr(library->source, library->name);
    int n = 0;
    while (at && at[strlen(library->name)] != '(')
        at = strstr(at + 1, library->name);
    if (!at)
        abort();
    for (at += strlen(library->name) + 1; *at != ')' && n < FAKE_PARAMETERS; n++) {
        const size_t length = strcspn(at, ",)");
        address[n] = memchr(at, '*', length) != NULL;
        at += length + (at[length] == ',');
    }
    return n;
}

static cudaError_t put_kernel(cudaStream_t stream, fake_node node, int64_t shared, void **args) {
    bool address[FAKE_PARAMETERS];
    const int allowed = ((const fake_library *)node.kernel)->dynamic;
    if (shared > (allowed ? allowed : (48 << 10) - fake.static_shared))
        return fake_tell(cudaErrorInvalidValue);
    if (fake_is_captured(stream)) {
        const int n = parameters(node.kernel, address);
        for (int i = 0; i < n; i++)
            memcpy(node.parameter[i], args[i], address[i] ? sizeof(void *) : sizeof node.parameter[i]);
    }
    if (!fake_record(stream, node))
        fake_run(node.kernel, node.blocks, node.threads, args);
    return cudaSuccess;
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *kernel, void **args) {
    BEGIN;
    const fake_node node = {.kernel = kernel, .blocks = (int)config->gridDim.x, .threads = (int)config->blockDim.x};
    return put_kernel(config->stream, node, (int64_t)config->dynamicSmemBytes, args);
}

static CUresult launch_kernel(const CUlaunchConfig *config, CUfunction kernel, void **args, void **extra) {
    const fake_node node = {.kernel = kernel, .blocks = (int)config->gridDimX, .threads = (int)config->blockDimX};
    const cudaError_t error = fake_trouble("cuLaunchKernelEx");
    if (error != cudaSuccess)
        return (CUresult)error;
    return extra ? CUDA_ERROR_INVALID_VALUE
                 : (CUresult)put_kernel(config->hStream, node, (int64_t)config->sharedMemBytes, args);
}

/* ---- functions of the driver's ---------------------------------------------------------------------------------- */

/* A device's own context: no memory of anything, only an address. */
static CUresult current_context(CUcontext *out) {
    static char own[FAKE_DEVICES];
    const cudaError_t error = fake_trouble("cuCtxGetCurrent");
    if (error != cudaSuccess)
        return (CUresult)error;
    *out = current ? (CUcontext)&own[device] : NULL;
    return CUDA_SUCCESS;
}

cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **out, unsigned version, unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *found) {
    (void)version, (void)flags;
    BEGIN;
    void *function = NULL;
    if (!fake.old_driver && strcmp(name, "cuPointerGetAttributes") == 0)
        function = (void *)ask;
    else if (!fake.old_driver && strcmp(name, "cuCtxGetCurrent") == 0)
        function = (void *)current_context;
    else if (!fake.old_driver && strcmp(name, "cuLaunchKernelEx") == 0)
        function = (void *)launch_kernel;
    *found = function ? cudaDriverEntryPointSuccess : cudaDriverEntryPointSymbolNotFound;
    *out = function;
    return cudaSuccess;
}
#endif
