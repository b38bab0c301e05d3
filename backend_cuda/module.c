/* SPDX-License-Identifier: MIT */
/* Kernels in memory: compiled once, found by their source; launched by launch.c.
 *
 * A module is found by comparing the whole source and what the launch depends on, not only a hash. No lock is held
 * while a kernel is compiled (NVRTC's later phases run in parallel, so holding one would serialize different kernels);
 * threads that ask for the same one wait for it.
 *
 * Launches are asynchronous: a module that no plan holds any more may still have to run. Before it is unloaded the
 * backend's stream is waited for; what callers' streams were given lies before that stream's later work (transfer.c).
 * Counter-example to unloading at once: fsr_compute returns when its last launch is queued, and its plan may be the
 * next one that the plan cache forgets. */
#include "backend_cuda/module.h"
#ifndef FUSOR_HAVE_CUDA

fsr_status fsr_cuda_kernel_info(const fsr_module *m, int *registers, int *spill_bytes) {
    *registers = *spill_bytes = 0;
    return m ? FSR_ERR_UNSUPPORTED : FSR_ERR_NULL;
}

#else
#include "backend_cuda/code.h"
#include "backend_cuda/device.h"
#include "backend_cuda/module_loaded.h"
#include "fusion/launch_shape.h"
#include "runtime/modules.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct fsr_cuda_modules {
    fsr_modules table;
    atomic_int_fast64_t compilations, disk_hits, memory_hits;
};

fsr_status fsr_cuda_kernel_info(const fsr_module *m, int *registers, int *spill_bytes) {
    *registers = *spill_bytes = 0;
    if (!m)
        return FSR_ERR_NULL;
    *registers = m->registers;
    *spill_bytes = m->spill_bytes;
    return FSR_OK;
}

/* ---- one module ------------------------------------------------------------------------------------ */

static void module_free(fsr_module *m) {
    if (!m)
        return;
    if (m->library)
        cudaLibraryUnload(m->library);
    fsr_cuda_source_free(&m->source);
    free(m);
}

static size_t param_place(const fsr_cuda_param *p) {
    const size_t i = (size_t)p->index;
    switch (p->kind) {
    case FSR_CUDA_ARRAY: return offsetof(fsr_launch, array) + i * sizeof(void *);
    case FSR_CUDA_INT:
    case FSR_CUDA_RECIPROCAL: return offsetof(fsr_launch, integer) + i * sizeof(int64_t);
    case FSR_CUDA_SCALAR: return offsetof(fsr_launch, scalar) + i * sizeof(fsr_value);
    case FSR_CUDA_WORK: return offsetof(fsr_launch, work);
    case FSR_CUDA_ZERO: return offsetof(fsr_launch, zero);
    }
    return 0;
}

static bool read_params(fsr_module *m, const fsr_kernel *k) {
    m->nparams = fsr_cuda_params(k, m->param);
    for (int i = 0; i < m->nparams; i++) {
        m->place[i] = (uint32_t)param_place(&m->param[i]);
        if (m->param[i].kind == FSR_CUDA_INT && m->param[i].bytes == 4)
            m->narrow[m->nnarrow++] = m->param[i].index;
    }
    return m->nparams >= 0;
}

/* A module with everything but its binary. */
static fsr_status module_new(fsr_cuda *c, const fsr_kernel *k, fsr_module **out, fsr_fault *fault) {
    fsr_module *m = calloc(1, sizeof *m);
    if (!m)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "kernel %s: out of host memory", k->name);
    const fsr_status status = fsr_cuda_build_source(c->build, k, &m->source, fault);
    if (status != FSR_OK) {
        free(m);
        return status;
    }
    m->loaded.hash = XXH3_64bits(m->source.text, m->source.size);
    m->contraction = k->contraction;
    m->threads = fsr_kernel_threads(k);
    m->resident = k->schedule.resident;
    m->cooperative = fsr_kernel_is_cooperative(k);
    m->dynamic_bytes = (int)fsr_kernel_launched_bytes(k);
    memcpy(m->name, k->name, sizeof m->name);
    if (!read_params(m, k)) {
        const bool memory = m->nparams == FSR_CUDA_NO_MEMORY;
        module_free(m);
        if (memory)
            return fsr_fault_set(fault, FSR_ERR_MEMORY, "kernel %s: out of host memory", k->name);
        return fsr_fault_set(fault, FSR_ERR_INTERNAL, "kernel %s has no parameter list on CUDA", k->name);
    }
    *out = m;
    return FSR_OK;
}

static bool same_params(const fsr_module *a, const fsr_module *b) {
    if (a->nparams != b->nparams)
        return false;
    for (int i = 0; i < a->nparams; i++)
        if (a->place[i] != b->place[i] || a->param[i].kind != b->param[i].kind ||
            a->param[i].bytes != b->param[i].bytes)
            return false;
    return true;
}

static bool same_module(const fsr_loaded *x, const fsr_loaded *y) {
    const fsr_module *a = (const fsr_module *)x, *b = (const fsr_module *)y;
    return a->contraction == b->contraction && a->threads == b->threads && a->source.size == b->source.size &&
           memcmp(a->source.text, b->source.text, a->source.size) == 0 && strcmp(a->name, b->name) == 0 &&
           same_params(a, b);
}

/* ---- loading --------------------------------------------------------------------------------------- */

/* So much of a multiprocessor's near memory is asked for as shared memory that the blocks which the schedule counts as
 * resident have theirs: how much the driver would choose it does not say. */
static cudaError_t carve_shared(const fsr_cuda *c, const fsr_module *m, const struct cudaFuncAttributes *attributes) {
    int most = 0, reserved = 0;
    const int64_t bytes = (int64_t)attributes->sharedSizeBytes + m->dynamic_bytes;
    if (!m->resident || !bytes)
        return cudaSuccess;
    cudaError_t error = cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerMultiprocessor, c->device);
    if (error == cudaSuccess)
        error = cudaDeviceGetAttribute(&reserved, cudaDevAttrReservedSharedMemoryPerBlock, c->device);
    if (error != cudaSuccess || most <= 0)
        return error;
    const int64_t wanted = m->resident * (bytes + reserved);
    const int percent = wanted < most ? (int)((100 * wanted + most - 1) / most) : 100;
    return cudaFuncSetAttribute((const void *)m->kernel, cudaFuncAttributePreferredSharedMemoryCarveout, percent);
}

static cudaError_t try_load(const fsr_cuda *c, fsr_module *m, const fsr_cuda_binary *binary,
                            struct cudaFuncAttributes *attributes) {
    cudaError_t error = cudaLibraryLoadData(&m->library, binary->data, NULL, NULL, 0, NULL, NULL, 0);
    if (error != cudaSuccess)
        m->library = NULL;
    if (error == cudaSuccess)
        error = cudaLibraryGetKernel(&m->kernel, m->library, m->name);
    if (error == cudaSuccess)
        error = cudaFuncGetAttributes(attributes, (const void *)m->kernel);
    if (error == cudaSuccess)
        error = carve_shared(c, m, attributes);
    if (error == cudaSuccess && m->dynamic_bytes)
        error = cudaFuncSetAttribute((const void *)m->kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     m->dynamic_bytes);
    if (error != cudaSuccess && m->library) {
        cudaLibraryUnload(m->library);
        m->library = NULL;
    }
    return error;
}

/* Gives the device back what nobody needs at present: modules that no plan holds, the pool's free blocks. False: a lost
 * device. */
static bool make_room(fsr_cuda *c) {
    fsr_fault ignored = {0};
    cudaGetLastError();
    fsr_modules_trim(&c->modules->table);
    fsr_cuda_codes_trim(c);
    const fsr_status status = fsr_device_pool_trim(c->pool, &ignored);
    fsr_fault_clear(&ignored);
    return status == FSR_OK;
}

static fsr_status load(fsr_cuda *c, fsr_module *m, const fsr_cuda_binary *binary, fsr_fault *fault) {
    struct cudaFuncAttributes attributes;
    cudaError_t error = try_load(c, m, binary, &attributes);
    if (error == cudaErrorMemoryAllocation && make_room(c))
        error = try_load(c, m, binary, &attributes);
    if (error != cudaSuccess)
        return fsr_cuda_fail(c, error, fault, "loading kernel %s", m->name);
    m->registers = attributes.numRegs;
    m->spill_bytes = (int)attributes.localSizeBytes;
    m->max_threads = attributes.maxThreadsPerBlock;
    return FSR_OK;
}

static void count_build(fsr_cuda *c, const fsr_module *m, const fsr_cuda_binary *binary) {
    atomic_fetch_add(binary->from_disk ? &c->modules->disk_hits : &c->modules->compilations, 1);
    if (c->log_level < FSR_LOG_INFO)
        return;
    if (binary->from_disk)
        fprintf(stderr, "fusor: kernel %s: from the disk cache", m->name);
    else
        fprintf(stderr, "fusor: kernel %s: compiled in %.0f ms", m->name, binary->ms);
    fprintf(stderr, ", %d registers, %d bytes of local memory\n", m->registers, m->spill_bytes);
}

/* Builds and loads; with `fresh` not from disk. *from_disk says where the binary came from. */
static fsr_status build_once(fsr_cuda *c, const fsr_kernel *k, fsr_module *m, bool fresh, bool *from_disk,
                             fsr_fault *fault) {
    fsr_cuda_binary binary;
    fsr_status status = fsr_cuda_build_run(c->build, k, &m->source, fresh, &binary, fault);
    *from_disk = binary.from_disk;
    if (status == FSR_OK)
        status = load(c, m, &binary, fault);
    if (status == FSR_OK)
        count_build(c, m, &binary);
    free(binary.data);
    return status;
}

/* A binary from disk that the driver does not take is compiled anew: the cache must never make a kernel fail. */
static fsr_status build(fsr_cuda *c, const fsr_kernel *k, fsr_module *m, fsr_fault *fault) {
    bool from_disk = false;
    fsr_status status = build_once(c, k, m, false, &from_disk, fault);
    if (status != FSR_OK && from_disk) {
        fsr_fault_clear(fault);
        status = build_once(c, k, m, true, &from_disk, fault);
    }
    if (status == FSR_OK && m->max_threads < m->threads)
        status = fsr_fault_set(
            fault, FSR_ERR_DEVICE,
            "kernel %s: a block has %d threads, but with %d registers a thread the device takes at most %d", m->name,
            m->threads, m->registers, m->max_threads);
    return status;
}

/* ---- the table ------------------------------------------------------------------------------------- */

/* A context that is lost has nothing left to run. */
static void drop_module(void *user, fsr_loaded *m) {
    fsr_fault ignored = {0};
    fsr_cuda_wait(user, NULL, &ignored);
    fsr_fault_clear(&ignored);
    module_free((fsr_module *)m);
}

fsr_status fsr_cuda_modules_open(fsr_cuda *c, int limit, fsr_fault *fault) {
    c->modules = calloc(1, sizeof *c->modules);
    if (!c->modules)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CUDA backend: out of host memory");
    c->modules->table = (fsr_modules){.same = same_module, .drop = drop_module, .user = c, .limit = limit};
    fsr_modules_init(&c->modules->table);
    return FSR_OK;
}

void fsr_cuda_modules_close(fsr_cuda *c) {
    if (!c->modules)
        return;
    fsr_modules_clear(&c->modules->table);
    free(c->modules);
    c->modules = NULL;
}

void fsr_cuda_modules_stats(fsr_cuda *c, fsr_backend_stats *stats) {
    stats->compilations = atomic_load(&c->modules->compilations);
    stats->cache_hits_disk = atomic_load(&c->modules->disk_hits);
    stats->cache_hits_memory = atomic_load(&c->modules->memory_hits);
    stats->modules = fsr_modules_count(&c->modules->table, NULL);
}

fsr_known fsr_cuda_known(fsr_backend *b, const fsr_kernel *k) {
    fsr_cuda *c = fsr_cuda_of(b);
    fsr_fault unused = {0};
    fsr_module *m = NULL;
    fsr_loaded *known =
        module_new(c, k, &m, &unused) == FSR_OK ? fsr_modules_find(&c->modules->table, &m->loaded) : NULL;
    if (known)
        fsr_modules_release(&c->modules->table, known);
    module_free(m);
    fsr_fault_clear(&unused);
    return known ? FSR_KNOWN_COMPILED : FSR_KNOWN_NOT;
}

bool fsr_cuda_interpreted(const fsr_module *m) {
    (void)m;
    return false;
}

fsr_status fsr_cuda_compile(fsr_backend *b, const fsr_kernel *k, fsr_module **out, fsr_fault *fault) {
    fsr_cuda *c = fsr_cuda_of(b);
    *out = NULL;
    fsr_module *m = NULL;
    fsr_status status = fsr_cuda_use(c, fault);
    if (status == FSR_OK)
        status = module_new(c, k, &m, fault);
    if (status != FSR_OK)
        return status;
    *out = (fsr_module *)fsr_modules_take(&c->modules->table, &m->loaded);
    if (*out) {
        atomic_fetch_add(&c->modules->memory_hits, 1);
        module_free(m);
        return FSR_OK;
    }
    status = build(c, k, m, fault);
    fsr_modules_settle(&c->modules->table, &m->loaded, status == FSR_OK);
    if (status == FSR_OK)
        *out = m;
    else
        module_free(m);
    return status;
}

void fsr_cuda_release(fsr_backend *b, fsr_module *m) {
    fsr_modules_release(&fsr_cuda_of(b)->modules->table, &m->loaded);
}

bool fsr_cuda_crowded(fsr_backend *b) {
    return fsr_modules_crowded(&fsr_cuda_of(b)->modules->table);
}
#endif
