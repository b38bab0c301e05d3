/* SPDX-License-Identifier: MIT */
/* The CPU backend: the vtable over emitted C, the module cache, the memory pool and the threads. A launch is done when
 * it returns, so there is nothing to wait for, and a module that nobody holds can be unloaded at once.
 *
 * A module is looked up by its source. No lock is held while a compiler runs: threads that meet the same new kernel
 * wait for the one that compiles it, others go on.
 *
 * A kernel that could not be compiled, because no compiler works just now, is interpreted; and compiled at one of its
 * next launches, as soon as patience.h lets it be tried and a compiler works. What failed is never remembered, only
 * when: one pause for all kernels, so that a machine without a compiler pays for one attempt a minute, not for one a
 * kernel. Interpreted and compiled results may differ in their last bits: the interpreter folds in order, and calls the
 * C library's elementary functions. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/run/blas.h"
#include "backend_cpu/run/compile.h"
#include "backend_cpu/run/files.h"
#include "backend_cpu/run/lanes.h"
#include "backend_cpu/run/library.h"
#include "backend_cpu/run/machine.h"
#include "backend_cpu/run/memory_pool.h"
#include "backend_cpu/run/routines.h"
#include "backend_cpu/run/tasks.h"
#include "runtime/backend.h"
#include "runtime/modules.h"
#include "runtime/patience.h"
#include "runtime/write_file.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <xxhash.h>

struct fsr_module {
    fsr_loaded loaded; /* first: see runtime/modules.h */
    char *source;
    bool contraction;
    void *handle;
    fsr_kernel *interpreted; /* a copy, where no compiler worked at first; else NULL */
    atomic_bool busy;        /* somebody compiles it after all */
    fsr_cpu_shape shape;
    _Atomic(fsr_c_run) run; /* NULL: interpreted until it is compiled */
};

typedef struct fsr_cpu {
    fsr_backend base;
    fsr_c_compiler *compiler;
    char *dump_dir, *load_dir; /* NULL: none */
    int log_level;
    bool fallback;
    atomic_bool warned;             /* that kernels are interpreted */
    fsr_patience patience;          /* with the compiler */
    int64_t own_cache, cache_bytes; /* of a core, and the last one */
    fsr_pool pool;
    fsr_thread_pool *threads;
    fsr_crew crew; /* of library calls */
    fsr_modules modules;
    pthread_mutex_t lock; /* of what follows */
    struct timespec mark[FSR_MARKS];
    fsr_cpu_lanes lanes;
    atomic_llong compilations, hits_disk, hits_memory, launches, launches_interpreted;
} fsr_cpu;

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

/* Sums of rows of any lengths are loops of its own (backend_cpu/run/row_sums.h). */
static bool cpu_has(void *backend, int library) {
    fsr_blas blas;
    (void)backend;
    return library == FSR_LIBRARY_SPARSE || library == FSR_LIBRARY_SEGMENTS ||
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

static bool is_interpreted(const fsr_loaded *m) {
    return !atomic_load(&((const fsr_module *)m)->run);
}

static void cpu_stats(fsr_backend *b, fsr_backend_stats *out) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    memset(out, 0, sizeof *out);
    out->compilations = atomic_load(&cpu->compilations);
    out->cache_hits_disk = atomic_load(&cpu->hits_disk);
    out->cache_hits_memory = atomic_load(&cpu->hits_memory);
    out->interpreted = fsr_modules_count(&cpu->modules, is_interpreted);
    out->modules = fsr_modules_count(&cpu->modules, NULL);
    out->launches = atomic_load(&cpu->launches);
    out->launches_interpreted = atomic_load(&cpu->launches_interpreted);
    fsr_pool_count(&cpu->pool, &out->used_bytes, &out->pool_bytes);
}

/* ---- kernels ------------------------------------------------------------------------------------ */

static fsr_status cpu_emit(fsr_backend *b, const fsr_kernel *k, char **source, fsr_fault *fault) {
    (void)b;
    return fsr_cpu_source(k, source, fault);
}

static void module_free(fsr_module *m) {
    if (!m)
        return;
    if (m->handle)
        dlclose(m->handle);
    fsr_kernel_free(m->interpreted);
    free(m->source);
    free(m);
}

static void drop_module(void *user, fsr_loaded *m) {
    (void)user;
    module_free((fsr_module *)m);
}

static bool same_module(const fsr_loaded *x, const fsr_loaded *y) {
    const fsr_module *a = (const fsr_module *)x, *b = (const fsr_module *)y;
    return a->contraction == b->contraction && strcmp(a->source, b->source) == 0;
}

/* Replaces the source by the hand-edited one, if there is one. */
static fsr_status load_source(const fsr_cpu *cpu, const char *name, char **source, fsr_fault *fault) {
    size_t size;
    if (!cpu->load_dir)
        return FSR_OK;
    char *path = fsr_path_join(cpu->load_dir, name, ".c");
    char *edited = path ? fsr_file_read(path, &size) : NULL;
    int error = errno;
    if (edited) {
        free(*source);
        *source = edited;
    } else if (!path || error != ENOENT) {
        if (!path)
            error = ENOMEM;
        fsr_fault_set(fault, error == ENOMEM ? FSR_ERR_MEMORY : FSR_ERR_FILE, "reading %s: %s", path ? path : name,
                      error == ENOMEM ? "out of memory" : strerror(error));
        free(path);
        return fault->status;
    }
    free(path);
    return FSR_OK;
}

static fsr_status dump_source(const fsr_cpu *cpu, const char *name, const char *source, char **path, fsr_fault *fault) {
    if (!cpu->dump_dir)
        return FSR_OK;
    *path = fsr_path_join(cpu->dump_dir, name, ".c");
    if (!*path)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "dumping %s: out of memory", name);
    const int error = fsr_write_file_in(cpu->dump_dir, strrchr(*path, '/') + 1, source, strlen(source));
    return error ? fsr_fault_set(fault, FSR_ERR_FILE, "writing %s: %s", *path, strerror(error)) : FSR_OK;
}

static void count_compilation(fsr_cpu *cpu, const char *name, bool from_disk) {
    atomic_fetch_add(from_disk ? &cpu->hits_disk : &cpu->compilations, 1);
    if (cpu->log_level >= FSR_LOG_INFO)
        fprintf(stderr, "fusor: cpu: %s %s\n", from_disk ? "loaded" : "compiled", name);
}

/* Once for as long as it goes on. */
static void warn_interpreted(fsr_cpu *cpu, const char *why) {
    if (!atomic_exchange(&cpu->warned, true) && cpu->log_level >= FSR_LOG_WARNING)
        fprintf(stderr, "fusor: no C compiler works, kernels are interpreted, which is slow: %s\n", why);
}

static void note_compiler_works(fsr_cpu *cpu) {
    fsr_patience_passed(&cpu->patience);
    if (atomic_exchange(&cpu->warned, false) && cpu->log_level >= FSR_LOG_WARNING)
        fprintf(stderr, "fusor: a C compiler works again, kernels are compiled\n");
}

static fsr_status try_compile(fsr_cpu *cpu, const fsr_kernel *k, fsr_module *m, const char *dump, fsr_fault *fault) {
    bool from_disk = false;
    void *function = NULL;
    fsr_c_run run;
    fsr_status status = fsr_c_compile(cpu->compiler, k->name, m->source, k->contraction, dump, &m->handle, &function,
                                      &from_disk, fault);
    if (status)
        return status;
    memcpy(&run, &function, sizeof run);
    atomic_store(&m->run, run);
    count_compilation(cpu, k->name, from_disk);
    return FSR_OK;
}

/* A failure while the compiler works is tried once more: the fault may have passed in between. */
static fsr_status compile_module(fsr_cpu *cpu, const fsr_kernel *k, fsr_module *m, const char *dump, bool *works,
                                 fsr_fault *fault) {
    fsr_status status = try_compile(cpu, k, m, dump, fault);
    *works = status == FSR_OK || (status != FSR_ERR_MEMORY && fsr_c_compiler_works(cpu->compiler));
    if (*works)
        note_compiler_works(cpu);
    if (status == FSR_OK || !*works)
        return status;
    fsr_fault_clear(fault);
    return try_compile(cpu, k, m, dump, fault);
}

/* Where even a source of one line cannot be compiled, a kernel is interpreted, unless it has C text of the caller's,
 * which no interpreter reads. An error of a compiler that works stays one: it is a mistake in what was generated,
 * which must not hide. */
static fsr_status compile_or_interpret(fsr_cpu *cpu, const fsr_kernel *k, fsr_module *m, const char *dump,
                                       fsr_fault *fault) {
    const bool may_interpret = cpu->fallback && !k->nroutines;
    const int64_t start = fsr_now_ms();
    bool works = false;
    if (!may_interpret || fsr_patience_due(&cpu->patience)) {
        fsr_status status = compile_module(cpu, k, m, dump, &works, fault);
        if (status && k->nroutines)
            return fsr_routines_blame(cpu->compiler, k, fault);
        if (!status || works || !may_interpret || status == FSR_ERR_MEMORY)
            return status;
        fsr_patience_failed(&cpu->patience, start);
        warn_interpreted(cpu, fault->message ? fault->message : fsr_status_sentence(fault->status));
        fsr_fault_clear(fault);
    }
    if (!m->interpreted)
        m->interpreted = fsr_kernel_copy(k);
    return m->interpreted ? FSR_OK : fsr_fault_set(fault, FSR_ERR_MEMORY, "interpreting %s: out of memory", k->name);
}

static fsr_status build_module(fsr_cpu *cpu, const fsr_kernel *k, fsr_module *m, fsr_fault *fault) {
    char *dump = NULL;
    fsr_status status = dump_source(cpu, k->name, m->source, &dump, fault);
    if (status == FSR_OK)
        status = compile_or_interpret(cpu, k, m, dump, fault);
    free(dump);
    return status;
}

/* A module with everything but its function. */
static fsr_status module_new(const fsr_cpu *cpu, const fsr_kernel *k, fsr_module **out, fsr_fault *fault) {
    fsr_module *m = calloc(1, sizeof *m);
    if (!m)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "compiling %s: out of memory", k->name);
    m->contraction = k->contraction;
    fsr_status status = fsr_cpu_source(k, &m->source, fault);
    if (status == FSR_OK)
        status = load_source(cpu, k->name, &m->source, fault);
    if (status == FSR_OK && !fsr_cpu_shape_of(k, &m->shape))
        status = fsr_fault_set(fault, FSR_ERR_MEMORY, "compiling %s: out of memory", k->name);
    if (status != FSR_OK) {
        module_free(m);
        return status;
    }
    m->loaded.hash = XXH3_64bits(m->source, strlen(m->source));
    *out = m;
    return FSR_OK;
}

/* A module that is interpreted, at a launch. One thread compiles it, others go on interpreting; so does that one where
 * memory is out. */
static fsr_status compile_after_all(fsr_cpu *cpu, fsr_module *m, fsr_fault *fault) {
    if (atomic_exchange(&m->busy, true))
        return FSR_OK;
    fsr_status status = atomic_load(&m->run) ? FSR_OK : compile_or_interpret(cpu, m->interpreted, m, NULL, fault);
    atomic_store(&m->busy, false);
    if (status == FSR_ERR_MEMORY) {
        fsr_fault_clear(fault);
        status = FSR_OK;
    }
    return status;
}

static fsr_status cpu_compile(fsr_backend *b, const fsr_kernel *k, fsr_module **out, fsr_fault *fault) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    fsr_module *m;
    *out = NULL;
    fsr_status status = module_new(cpu, k, &m, fault);
    if (status != FSR_OK)
        return status;
    *out = (fsr_module *)fsr_modules_take(&cpu->modules, &m->loaded);
    if (*out) {
        atomic_fetch_add(&cpu->hits_memory, 1);
        module_free(m);
        return FSR_OK;
    }
    status = build_module(cpu, k, m, fault);
    fsr_modules_settle(&cpu->modules, &m->loaded, status == FSR_OK);
    if (status == FSR_OK)
        *out = m;
    else
        module_free(m);
    return status;
}

static void cpu_release(fsr_backend *b, fsr_module *m) {
    fsr_modules_release(&((fsr_cpu *)b)->modules, &m->loaded);
}

static bool cpu_crowded(fsr_backend *b) {
    return fsr_modules_crowded(&((fsr_cpu *)b)->modules);
}

static fsr_known cpu_known(fsr_backend *b, const fsr_kernel *k) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    fsr_fault unused = {0};
    fsr_module *m = NULL;
    fsr_loaded *found = module_new(cpu, k, &m, &unused) == FSR_OK ? fsr_modules_find(&cpu->modules, &m->loaded) : NULL;
    const fsr_known known = !found ? FSR_KNOWN_NOT : is_interpreted(found) ? FSR_KNOWN_INTERPRETED : FSR_KNOWN_COMPILED;
    if (found)
        fsr_modules_release(&cpu->modules, found);
    module_free(m);
    fsr_fault_clear(&unused);
    return known;
}

static bool cpu_interpreted(const fsr_module *m) {
    return !atomic_load(&m->run);
}

static fsr_status cpu_library(fsr_backend *b, const fsr_library_call *call, void *const *array, void *work,
                              fsr_stream stream, fsr_fault *fault) {
    (void)stream;
    return fsr_cpu_library(&((fsr_cpu *)b)->crew, call, array, work, fault);
}

static fsr_status interpret(const fsr_kernel *k, const fsr_launch *launch, fsr_fault *fault) {
    fsr_status status = fsr_kernel_interpret(k, launch);
    return status ? fsr_fault_set(fault, status, "interpreting %s: %s", k->name, fsr_status_sentence(status)) : FSR_OK;
}

static fsr_status cpu_launch(fsr_backend *b, fsr_module *m, const fsr_launch *launch, fsr_stream stream,
                             fsr_fault *fault) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    (void)stream;
    fsr_c_run run = atomic_load_explicit(&m->run, memory_order_acquire);
    fsr_status status = run ? FSR_OK : compile_after_all(cpu, m, fault);
    if (!run)
        run = atomic_load(&m->run);
    if (status == FSR_OK)
        status = run ? fsr_tasks_run(cpu->threads, &cpu->pool, &m->shape, run, launch, cpu->cache_bytes, fault)
                     : interpret(m->interpreted, launch, fault);
    if (status == FSR_OK) {
        atomic_fetch_add(&cpu->launches, 1);
        atomic_fetch_add(&cpu->launches_interpreted, !run);
    }
    return status;
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
    .emit = cpu_emit,
    .compile = cpu_compile,
    .release = cpu_release,
    .crowded = cpu_crowded,
    .known = cpu_known,
    .interpreted = cpu_interpreted,
    .launch = cpu_launch,
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

/* False: out of memory. NULL and "" give NULL. */
static bool copy_string(const char *from, char **to) {
    if (from && from[0])
        *to = strdup(from);
    return !from || !from[0] || *to;
}

static fsr_status configure(fsr_cpu *cpu, const fsr_config *config, fsr_fault *fault) {
    char *warning = NULL;
    cpu->log_level = config->log_level;
    cpu->fallback = config->fallback != 0;
    fsr_machine_caches(&cpu->own_cache, &cpu->cache_bytes);
    if (!copy_string(config->dump_dir, &cpu->dump_dir) || !copy_string(config->load_dir, &cpu->load_dir))
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
    cpu->modules = (fsr_modules){.same = same_module, .drop = drop_module, .limit = config->modules};
    fsr_modules_init(&cpu->modules);
    fsr_status status = configure(cpu, config, fault);
    if (status != FSR_OK)
        cpu_close(&cpu->base);
    else
        *out = &cpu->base;
    return status;
}
