/* SPDX-License-Identifier: MIT */
/* The CPU backend: the vtable over emitted C, the module cache, the memory pool and the threads. A launch is done when
 * it returns, so there is nothing to wait for, and a module that nobody holds can be unloaded at once; kernels are
 * cpu_modules.c's. */
#include "backend_cpu/run/cpu.h"
#include "backend_cpu/run/blas.h"
#include "backend_cpu/run/machine.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- asking ------------------------------------------------------------------------------------- */

static void cpu_device_name(fsr_backend *b, char *out, size_t size) {
    const fsr_isa *isa = fsr_c_compiler_isa(((fsr_cpu *)b)->compiler);
    fsr_machine_name(out, size);
    const size_t used = strlen(out);
    if (isa->kind != FSR_ISA_NATIVE)
        snprintf(out + used, size - used, ", at most %s", isa->name);
}

static void cpu_facts(fsr_backend *b, fsr_backend_facts *out) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    *out = (fsr_backend_facts){.threads = fsr_thread_pool_size(cpu->threads),
                               .vectors = cpu->crew.simd == FSR_SIMD_AVX512 ? 64
                                          : cpu->crew.simd == FSR_SIMD_AVX2 ? 32
                                                                            : 0};
    snprintf(out->isa, sizeof out->isa, "%s", fsr_isa_level(fsr_c_compiler_isa(cpu->compiler)));
    fsr_c_compiler_name(cpu->compiler, out->compiler, sizeof out->compiler);
}

/* Sums of rows of any lengths are loops of its own (backend_cpu/run/row_sums.h); floats are combined in an order that
 * sizes give (tasks.c). */
static bool cpu_has(void *backend, int library) {
    fsr_blas blas;
    (void)backend;
    return library == FSR_LIBRARY_SPARSE || library == FSR_LIBRARY_SEGMENTS || library == FSR_LIBRARY_SCATTER_SUM ||
           (library == FSR_LIBRARY_MATMUL && fsr_blas_find(&blas));
}

static void cpu_target(fsr_backend *b, fsr_target *out) {
    memset(out, 0, sizeof *out);
    out->has = cpu_has;
    out->backend = b;
    out->processors = fsr_thread_pool_size(((fsr_cpu *)b)->threads);
    out->max_threads = out->threads_per_processor = 1;
    out->registers_bytes = 32 * 64;
    out->shared_bytes = ((fsr_cpu *)b)->own_cache;
    out->cache_bytes = ((fsr_cpu *)b)->cache_bytes;
    out->memory_bytes = fsr_machine_memory();
    out->max_parameter_bytes = (int)sizeof(fsr_launch);
}

static void cpu_stats(fsr_backend *b, fsr_backend_stats *out) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    memset(out, 0, sizeof *out);
    out->compilations = atomic_load(&cpu->compilations);
    out->cache_hits_disk = atomic_load(&cpu->hits_disk);
    out->cache_hits_memory = atomic_load(&cpu->hits_memory);
    out->interpreted = fsr_modules_count(&cpu->modules, fsr_cpu_is_interpreted);
    out->modules = fsr_modules_count(&cpu->modules, NULL);
    out->launches = atomic_load(&cpu->launches);
    out->launches_interpreted = atomic_load(&cpu->launches_interpreted);
    fsr_pool_count(&cpu->pool, &out->used_bytes, &out->pool_bytes);
}

static fsr_status cpu_library(fsr_backend *b, const fsr_library_call *call, void *const *array, void *work,
                              fsr_stream stream, fsr_fault *fault) {
    (void)stream;
    return fsr_cpu_library(&((fsr_cpu *)b)->crew, call, array, work, fault);
}

/* ---- memory ------------------------------------------------------------------------------------- */

static fsr_status cpu_alloc(fsr_backend *b, int64_t bytes, void **out, fsr_fault *fault) {
    *out = !fsr_size_fits(bytes) ? NULL : fsr_pool_take(&((fsr_cpu *)b)->pool, bytes);
    if (*out)
        return FSR_OK;
    if (!fsr_size_fits(bytes))
        return fsr_fault_set(fault, FSR_ERR_SIZE, "an array of %lld bytes", (long long)bytes);
    return fsr_fault_set(fault, FSR_ERR_MEMORY, "an array of %lld bytes: out of host memory", (long long)bytes);
}

static void cpu_free(fsr_backend *b, void *data, int64_t bytes) {
    fsr_pool_give(&((fsr_cpu *)b)->pool, data, bytes);
}

static fsr_status cpu_trim(fsr_backend *b, fsr_fault *fault) {
    (void)fault;
    fsr_pool_trim(&((fsr_cpu *)b)->pool);
    return FSR_OK;
}

static fsr_status cpu_copy(fsr_backend *b, void *dst, const void *src, int64_t bytes, fsr_stream stream,
                           fsr_fault *fault) {
    (void)b;
    (void)stream;
    (void)fault;
    if (bytes > 0)
        memcpy(dst, src, (size_t)bytes);
    return FSR_OK;
}

static fsr_status cpu_clear(fsr_backend *b, void *dst, int64_t bytes, fsr_stream stream, fsr_fault *fault) {
    (void)b;
    (void)stream;
    (void)fault;
    if (bytes > 0)
        memset(dst, 0, (size_t)bytes);
    return FSR_OK;
}

/* ---- time --------------------------------------------------------------------------------------- */

static fsr_status cpu_wait(fsr_backend *b, fsr_stream stream, fsr_fault *fault) {
    (void)b;
    (void)stream;
    (void)fault;
    return FSR_OK;
}

static fsr_status cpu_mark(fsr_backend *b, int which, fsr_stream stream, fsr_fault *fault) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    struct timespec now;
    (void)stream;
    if (which < 0 || which >= FSR_MARKS || clock_gettime(CLOCK_MONOTONIC, &now) != 0)
        return fsr_fault_set(fault, FSR_ERR_VALUE, "mark %d: there are marks 0 to %d", which, FSR_MARKS - 1);
    pthread_mutex_lock(&cpu->lock);
    cpu->mark[which] = now;
    pthread_mutex_unlock(&cpu->lock);
    return FSR_OK;
}

static fsr_status cpu_elapsed(fsr_backend *b, int first, double *ms, fsr_fault *fault) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    (void)fault;
    pthread_mutex_lock(&cpu->lock);
    const struct timespec *from = &cpu->mark[first], *to = from + 1;
    *ms = (double)(to->tv_sec - from->tv_sec) * 1e3 + (double)(to->tv_nsec - from->tv_nsec) * 1e-6;
    pthread_mutex_unlock(&cpu->lock);
    return FSR_OK;
}

static fsr_status cpu_transfer(fsr_backend *b, fsr_lane lane, void *dst, const void *src, int64_t bytes,
                               int64_t *ticket, fsr_fault *fault) {
    (void)fault;
    *ticket = fsr_cpu_lanes_put(&((fsr_cpu *)b)->lanes, lane, dst, src, bytes);
    return FSR_OK;
}

/* Tickets are done. */
static fsr_status cpu_after(fsr_backend *b, int64_t ticket, fsr_fault *fault) {
    return fsr_cpu_lanes_check(&((fsr_cpu *)b)->lanes, ticket, fault);
}

static fsr_status cpu_times(fsr_backend *b, int64_t ticket, double *begin, double *end, fsr_fault *fault) {
    return fsr_cpu_lanes_times(&((fsr_cpu *)b)->lanes, ticket, begin, end, fault);
}

/* ---- opening and closing ------------------------------------------------------------------------ */

static void cpu_close(fsr_backend *b) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    if (!cpu)
        return;
    fsr_modules_clear(&cpu->modules);
    fsr_thread_pool_free(cpu->threads);
    fsr_c_compiler_free(cpu->compiler);
    fsr_pool_free(&cpu->pool);
    pthread_mutex_destroy(&cpu->lanes.lock);
    pthread_mutex_destroy(&cpu->lock);
    free(cpu->dump_dir);
    free(cpu->load_dir);
    free(cpu);
}

static void cpu_leave(fsr_backend *b) {
    fsr_c_compiler_leave(((fsr_cpu *)b)->compiler);
}

static const fsr_backend_ops fsr_cpu_ops = {
    .name = "cpu",
    .close = cpu_close,
    .leave = cpu_leave,
    .device_name = cpu_device_name,
    .facts = cpu_facts,
    .target = cpu_target,
    .stats = cpu_stats,
    .emit = fsr_cpu_emit,
    .compile = fsr_cpu_compile,
    .release = fsr_cpu_release,
    .crowded = fsr_cpu_crowded,
    .known = fsr_cpu_known,
    .interpreted = fsr_cpu_interpreted,
    .launch = fsr_cpu_launch,
    .library = cpu_library,
    .alloc = cpu_alloc,
    .free = cpu_free,
    .trim = cpu_trim,
    .copy_in = cpu_copy,
    .copy_out = cpu_copy,
    .copy = cpu_copy,
    .clear = cpu_clear,
    .wait = cpu_wait,
    .mark = cpu_mark,
    .elapsed = cpu_elapsed,
    .host_alloc = cpu_alloc,
    .host_free = cpu_free,
    .transfer = cpu_transfer,
    .after = cpu_after,
    .settle = cpu_after,
    .times = cpu_times,
};

static fsr_status configure(fsr_cpu *cpu, const fsr_config *config, fsr_fault *fault) {
    char *warning = NULL;
    cpu->log_level = config->log_level;
    cpu->fallback = config->fallback != 0;
    fsr_machine_caches(&cpu->own_cache, &cpu->cache_bytes);
    if (!fsr_copy_setting(config->dump_dir, &cpu->dump_dir) || !fsr_copy_setting(config->load_dir, &cpu->load_dir))
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CPU backend: out of memory");
    cpu->threads = fsr_thread_pool_new(config->threads > 0 ? config->threads : fsr_machine_processors());
    if (!cpu->threads)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CPU backend: out of memory");
    fsr_status status = fsr_c_compiler_new(config, &cpu->compiler, &warning, fault);
    if (warning && cpu->log_level >= FSR_LOG_WARNING)
        fprintf(stderr, "fusor: %s\n", warning);
    free(warning);
    if (status == FSR_OK)
        cpu->crew = (fsr_crew){cpu->threads, fsr_simd_of(fsr_c_compiler_isa(cpu->compiler)->kind)};
    if (status == FSR_OK && (int)fsr_c_compiler_isa(cpu->compiler)->kind != config->isa &&
        cpu->log_level >= FSR_LOG_WARNING)
        fprintf(stderr,
                "fusor: this machine has less than the knob isa allows: kernels are compiled for what it has\n");
    return status;
}

fsr_status fsr_backend_cpu_open(const fsr_config *config, fsr_backend **out, fsr_fault *fault) {
    fsr_cpu *cpu = calloc(1, sizeof *cpu);
    *out = NULL;
    if (!cpu)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CPU backend: out of memory");
    cpu->base.ops = &fsr_cpu_ops;
    if (fsr_pool_init(&cpu->pool, config->host_memory) != 0) {
        free(cpu);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CPU backend: out of memory");
    }
    if (pthread_mutex_init(&cpu->lock, NULL) != 0) {
        fsr_pool_free(&cpu->pool);
        free(cpu);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "CPU backend: out of memory");
    }
    pthread_mutex_init(&cpu->lanes.lock, NULL);
    cpu->modules = (fsr_modules){.same = fsr_cpu_same_module, .drop = fsr_cpu_drop_module, .limit = config->modules};
    fsr_modules_init(&cpu->modules);
    fsr_status status = configure(cpu, config, fault);
    if (status != FSR_OK)
        cpu_close(&cpu->base);
    else
        *out = &cpu->base;
    return status;
}
