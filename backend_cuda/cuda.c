/* SPDX-License-Identifier: MIT */
/* The CUDA backend: opening, closing, and the table of its functions.
 *
 * Opening does everything that would otherwise make a first call slow: the driver, the device's context, NVRTC.
 * NVRTC's first compilation of a process (up to 100 ms from a cold disk) runs on a thread beside the context's start
 * and is waited for: a thread left alone would still be inside NVRTC when the process exits.
 *
 * Any failure to open is FSR_ERR_NO_BACKEND with a reason (but for host memory), so that a caller who takes what
 * there is can go on with the CPU.
 *
 * Every entry point makes the backend's device current in its thread first, and leaves it so. */
#include "runtime/backend.h"
#ifndef FUSOR_HAVE_CUDA

fsr_status fsr_backend_cuda_open(const fsr_config *config, fsr_backend **out, fsr_fault *fault) {
    (void)config;
    *out = NULL;
    return fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "the CUDA backend was built without a CUDA toolkit");
}

#else
#include "backend_cuda/code.h"
#include "backend_cuda/device.h"
#include "backend_cuda/library.h"
#include "runtime/thread.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors -------------------------------------------------------------------------------------- */

fsr_status fsr_cuda_use(fsr_cuda *c, fsr_fault *fault) {
    CUcontext current = NULL;
    if (c->driver.current && c->driver.current(&current) == CUDA_SUCCESS && current == c->context && current)
        return FSR_OK;
    const cudaError_t error = cudaSetDevice(c->device);
    return error == cudaSuccess ? FSR_OK : fsr_cuda_fail(c, error, fault, "choosing device %d", c->device);
}

/* True if the device's context is beyond repair: such an error comes back on every later call. */
static bool context_lost(fsr_cuda *c) {
    if (!c->stream)
        return false;
    const cudaError_t error = cudaStreamQuery(c->stream);
    cudaGetLastError();
    return error != cudaSuccess && error != cudaErrorNotReady;
}

fsr_status fsr_cuda_fail(fsr_cuda *c, cudaError_t error, fsr_fault *fault, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fsr_fault_set_list(fault, FSR_ERR_DEVICE, format, args);
    va_end(args);
    cudaGetLastError();
    const char *lost =
        context_lost(c) ? "; the device's context is lost, nothing more can run on it in this process" : "";
    return fsr_fault_set(fault, error == cudaErrorMemoryAllocation ? FSR_ERR_DEVICE_MEMORY : FSR_ERR_DEVICE,
                         "%s: %s: %s%s", fault->message ? fault->message : "", cudaGetErrorName(error),
                         cudaGetErrorString(error), lost);
}

/* ---- answers ------------------------------------------------------------------------------------- */

static void cuda_device_name(fsr_backend *b, char *out, size_t size) {
    struct cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, fsr_cuda_of(b)->device) == cudaSuccess) {
        snprintf(out, size, "%s", properties.name);
        return;
    }
    cudaGetLastError();
    snprintf(out, size, "CUDA device %d", fsr_cuda_of(b)->device);
}

/* The kernel module's version, as Linux tells it; empty where it does not. */
static void read_driver(char *out, size_t size) {
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    out[0] = 0;
    if (!file)
        return;
    if (!fgets(out, (int)size, file))
        out[0] = 0;
    fclose(file);
    out[strcspn(out, "\n")] = 0;
}

static void cuda_facts(fsr_backend *b, fsr_backend_facts *out) {
    const fsr_cuda *c = fsr_cuda_of(b);
    const int version = fsr_nvrtc_version(c->nvrtc);
    *out = (fsr_backend_facts){.threads = 0};
    snprintf(out->isa, sizeof out->isa, "sm_%d", c->arch);
    snprintf(out->compiler, sizeof out->compiler, "NVRTC %d.%d", version / 1000, version % 1000 / 10);
    read_driver(out->driver, sizeof out->driver);
}

static bool cuda_has(void *backend, int library) {
    fsr_cuda *c = fsr_cuda_of(backend);
    return (library == FSR_LIBRARY_MATMUL && fsr_cublas_has(&c->cublas)) ||
           (library == FSR_LIBRARY_MATMUL_EPILOGUE && fsr_cublaslt_has(&c->cublaslt));
}

static void cuda_target(fsr_backend *b, fsr_target *out) {
    *out = fsr_cuda_of(b)->target;
    out->has = cuda_has;
    out->backend = b;
}

static void cuda_stats(fsr_backend *b, fsr_backend_stats *out) {
    fsr_cuda *c = fsr_cuda_of(b);
    *out = (fsr_backend_stats){0};
    fsr_cuda_modules_stats(c, out);
    out->launches = atomic_load_explicit(&c->launches, memory_order_relaxed);
    out->graphs_made = atomic_load_explicit(&c->graphs_made, memory_order_relaxed);
    out->graph_launches = atomic_load_explicit(&c->graph_launches, memory_order_relaxed);
    fsr_device_pool_stats(c->pool, &out->used_bytes, &out->pool_bytes);
}

static fsr_status cuda_emit(fsr_backend *b, const fsr_kernel *k, char **source, fsr_fault *fault) {
    (void)b;
    return fsr_cuda_build_emit(k, source, fault);
}

/* ---- close --------------------------------------------------------------------------------------- */

static void cuda_close(fsr_backend *b) {
    fsr_cuda *c = fsr_cuda_of(b);
    fsr_fault ignored = {0};
    if (c->stream)
        fsr_cuda_wait(b, NULL, &ignored);
    fsr_fault_clear(&ignored);
    if (c->cublas.room)
        fsr_device_pool_free(c->pool, c->cublas.room);
    fsr_cublas_close(&c->cublas);
    fsr_cublaslt_close(&c->cublaslt);
    fsr_cufft_close(&c->cufft);
    fsr_cuda_codes_close(c);
    fsr_cusolver_close(&c->cusolver);
    fsr_curand_close(&c->curand);
    fsr_cusparse_close(&c->cusparse);
    fsr_cuda_modules_close(c);
    fsr_lanes_close(c);
    fsr_device_pool_close(c->pool);
    fsr_transfer_close(c);
    fsr_cuda_build_close(c->build);
    fsr_nvrtc_close(c->nvrtc);
    pthread_mutex_destroy(&c->order.lock);
    pthread_mutex_destroy(&c->ring.lock);
    pthread_mutex_destroy(&c->host_lock);
    free(c);
}

static void cuda_leave(fsr_backend *b) {
    fsr_cuda_build_leave(fsr_cuda_of(b)->build);
}

static const fsr_backend_ops cuda_ops = {
    .name = "cuda",
    .close = cuda_close,
    .leave = cuda_leave,
    .device_name = cuda_device_name,
    .facts = cuda_facts,
    .target = cuda_target,
    .stats = cuda_stats,
    .emit = cuda_emit,
    .compile = fsr_cuda_compile,
    .release = fsr_cuda_release,
    .crowded = fsr_cuda_crowded,
    .known = fsr_cuda_known,
    .interpreted = fsr_cuda_interpreted,
    .launch = fsr_cuda_launch,
    .library = fsr_cuda_library,
    .alloc = fsr_cuda_alloc,
    .free = fsr_cuda_free,
    .trim = fsr_cuda_trim,
    .copy_in = fsr_cuda_copy_in,
    .copy_out = fsr_cuda_copy_out,
    .copy = fsr_cuda_copy,
    .clear = fsr_cuda_clear,
    .wait = fsr_cuda_wait,
    .locate = fsr_cuda_locate,
    .identify = fsr_cuda_identify,
    .mark = fsr_cuda_mark,
    .elapsed = fsr_cuda_elapsed,
    .host_alloc = fsr_cuda_host_alloc,
    .host_free = fsr_cuda_host_free,
    .transfer = fsr_cuda_transfer,
    .after = fsr_cuda_after,
    .settle = fsr_cuda_settle,
    .times = fsr_cuda_times,
    .copy_peer = fsr_cuda_copy_peer,
    .captured = fsr_cuda_captured,
    .replay_begin = fsr_cuda_replay_begin,
    .replay_end = fsr_cuda_replay_end,
    .replay = fsr_cuda_replay,
    .replay_drop = fsr_cuda_replay_drop,
    .replay_stands = fsr_cuda_replay_stands,
    .recordable = fsr_cuda_recordable,
};

/* ---- open ---------------------------------------------------------------------------------------- */

static fsr_status find_device(fsr_cuda *c, int device, fsr_fault *fault) {
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    cudaGetLastError();
    if (error == cudaErrorInsufficientDriver)
        return fsr_fault_set(fault, FSR_ERR_NO_BACKEND,
                             "no CUDA driver, or one too old for CUDA %d.%d, with which this library was built",
                             CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
        return fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "there is a CUDA driver, but no CUDA device");
    if (error != cudaSuccess)
        return fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "the CUDA driver does not start: %s: %s",
                             cudaGetErrorName(error), cudaGetErrorString(error));
    if (device < 0 || device >= count)
        return fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "CUDA device %d was asked for; there are %d, numbered from 0",
                             device, count);
    c->device = device;
    return FSR_OK;
}

/* An attribute of the device; the first error is kept in *error. */
static int attribute(const fsr_cuda *c, enum cudaDeviceAttr which, cudaError_t *error) {
    int value = 0;
    const cudaError_t now = cudaDeviceGetAttribute(&value, which, c->device);
    if (*error == cudaSuccess)
        *error = now;
    return value;
}

enum { BULK_COPIES = 9 }; /* the compute capability from which on a GPU makes them */

/* Parameters are limited to 4096 bytes everywhere; newer devices take more, which no kernel here needs. */
static fsr_status read_target(fsr_cuda *c, fsr_fault *fault) {
    cudaError_t error = cudaSuccess;
    fsr_target *t = &c->target;
    t->gpu = true;
    t->tiles = true;
    t->processors = attribute(c, cudaDevAttrMultiProcessorCount, &error);
    t->max_threads = attribute(c, cudaDevAttrMaxThreadsPerBlock, &error);
    t->threads_per_processor = attribute(c, cudaDevAttrMaxThreadsPerMultiProcessor, &error);
    t->registers_bytes = (int64_t)attribute(c, cudaDevAttrMaxRegistersPerMultiprocessor, &error) * 4;
    t->shared_bytes = attribute(c, cudaDevAttrMaxSharedMemoryPerBlock, &error);
    t->cache_bytes = attribute(c, cudaDevAttrL2CacheSize, &error);
    t->cooperative = attribute(c, cudaDevAttrCooperativeLaunch, &error) != 0;
    t->bulk_copies = attribute(c, cudaDevAttrComputeCapabilityMajor, &error) >= BULK_COPIES;
    t->launched_bytes = attribute(c, cudaDevAttrMaxSharedMemoryPerBlockOptin, &error);
    t->max_parameter_bytes = 4096;
    size_t available = 0, total = 0;
    if (error == cudaSuccess)
        error = cudaMemGetInfo(&available, &total);
    t->memory_bytes = (int64_t)total;
    return error == cudaSuccess ? FSR_OK : fsr_cuda_fail(c, error, fault, "asking device %d what it has", c->device);
}

static fsr_status choose_arch(fsr_cuda *c, fsr_fault *fault) {
    cudaError_t error = cudaSuccess;
    const int major = attribute(c, cudaDevAttrComputeCapabilityMajor, &error);
    const int minor = attribute(c, cudaDevAttrComputeCapabilityMinor, &error);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "asking device %d for its compute capability", c->device);
    c->arch = fsr_nvrtc_arch(c->nvrtc, major * 10 + minor);
    if (c->arch)
        return FSR_OK;
    return fsr_fault_set(fault, FSR_ERR_NO_BACKEND, "%s cannot compile for device %d (compute capability %d.%d)",
                         fsr_nvrtc_identity(c->nvrtc), c->device, major, minor);
}

static void *warm_compiler(void *user) {
    fsr_cuda *c = user;
    fsr_nvrtc_warm(c->nvrtc, c->arch);
    return NULL;
}

static fsr_status start_context(fsr_cuda *c, fsr_fault *fault) {
    cudaError_t error = cudaSetDevice(c->device);
    if (error == cudaSuccess)
        error = cudaFree(NULL);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "starting device %d", c->device);
    const fsr_status status = fsr_transfer_open(c, fault);
    return status == FSR_OK ? read_target(c, fault) : status;
}

static fsr_status start_both(fsr_cuda *c, fsr_fault *fault) {
    pthread_t thread;
    const bool warming = fsr_thread_start(&thread, warm_compiler, c) == 0;
    const fsr_status status = start_context(c, fault);
    if (warming)
        pthread_join(thread, NULL);
    return status;
}

static fsr_status start(fsr_cuda *c, const fsr_config *config, fsr_fault *fault) {
    fsr_status status = find_device(c, config->device, fault);
    if (status == FSR_OK)
        status = fsr_nvrtc_open(&c->nvrtc, fault);
    if (status == FSR_OK)
        status = choose_arch(c, fault);
    if (status == FSR_OK)
        status = start_both(c, fault);
    if (status == FSR_OK)
        status = fsr_driver_open(c, fault);
    if (status == FSR_OK)
        status = fsr_cuda_make_pool(c, fault);
    if (status == FSR_OK)
        status = fsr_cuda_build_open(config, c->nvrtc, c->arch, &c->build, fault);
    if (status == FSR_OK)
        status = fsr_cuda_modules_open(c, config->modules, fault);
    if (status == FSR_OK)
        status = fsr_cuda_codes_open(c, config->modules, fault);
    return status;
}

fsr_status fsr_backend_cuda_open(const fsr_config *config, fsr_backend **out, fsr_fault *fault) {
    *out = NULL;
    fsr_cuda *c = calloc(1, sizeof *c);
    if (!c)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CUDA backend: out of host memory");
    c->base.ops = &cuda_ops;
    c->log_level = config->log_level;
    pthread_mutex_init(&c->order.lock, NULL);
    pthread_mutex_init(&c->ring.lock, NULL);
    fsr_lanes_open(c);
    pthread_mutex_init(&c->host_lock, NULL);
    if (config->host_memory)
        c->host_memory = *config->host_memory;
    if (config->device_memory)
        c->device_memory = *config->device_memory;
    fsr_cublas_open(&c->cublas);
    fsr_cublaslt_open(&c->cublaslt);
    fsr_cusparse_open(&c->cusparse);
    const fsr_status status = start(c, config, fault);
    if (status == FSR_OK) {
        *out = &c->base;
        return FSR_OK;
    }
    cuda_close(&c->base);
    if (status != FSR_ERR_MEMORY)
        fault->status = FSR_ERR_NO_BACKEND;
    return fault->status;
}
#endif
