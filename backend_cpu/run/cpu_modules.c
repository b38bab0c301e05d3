/* SPDX-License-Identifier: MIT */
/* Kernels of the CPU backend: compiled, looked up, interpreted and launched.
 *
 * A module is looked up by its source. No lock is held while a compiler runs: threads that meet the same new kernel
 * wait for the one that compiles it, others go on.
 *
 * A kernel that could not be compiled, because no compiler works just now, is interpreted; and compiled at one of its
 * next launches, as soon as patience.h lets it be tried and a compiler works. What failed is never remembered, only
 * when: one pause for all kernels, so that a machine without a compiler pays for one attempt a minute, not for one a
 * kernel. Interpreted and compiled results may differ in their last bits: the interpreter folds in order, and calls the
 * C library's elementary functions. */
#include "backend_cpu/run/cpu.h"
#include "backend_cpu/run/files.h"
#include "backend_cpu/run/routines.h"
#include "runtime/write_file.h"
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

bool fsr_cpu_is_interpreted(const fsr_loaded *m) {
    return !atomic_load(&((const fsr_module *)m)->run);
}

fsr_status fsr_cpu_emit(fsr_backend *b, const fsr_kernel *k, char **source, fsr_fault *fault) {
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

void fsr_cpu_drop_module(void *user, fsr_loaded *m) {
    (void)user;
    module_free((fsr_module *)m);
}

bool fsr_cpu_same_module(const fsr_loaded *x, const fsr_loaded *y) {
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

fsr_status fsr_cpu_compile(fsr_backend *b, const fsr_kernel *k, fsr_module **out, fsr_fault *fault) {
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

void fsr_cpu_release(fsr_backend *b, fsr_module *m) {
    fsr_modules_release(&((fsr_cpu *)b)->modules, &m->loaded);
}

bool fsr_cpu_crowded(fsr_backend *b) {
    return fsr_modules_crowded(&((fsr_cpu *)b)->modules);
}

fsr_known fsr_cpu_known(fsr_backend *b, const fsr_kernel *k) {
    fsr_cpu *cpu = (fsr_cpu *)b;
    fsr_fault unused = {0};
    fsr_module *m = NULL;
    fsr_loaded *found = module_new(cpu, k, &m, &unused) == FSR_OK ? fsr_modules_find(&cpu->modules, &m->loaded) : NULL;
    const fsr_known known = !found                          ? FSR_KNOWN_NOT
                            : fsr_cpu_is_interpreted(found) ? FSR_KNOWN_INTERPRETED
                                                            : FSR_KNOWN_COMPILED;
    if (found)
        fsr_modules_release(&cpu->modules, found);
    module_free(m);
    fsr_fault_clear(&unused);
    return known;
}

bool fsr_cpu_interpreted(const fsr_module *m) {
    return !atomic_load(&m->run);
}

static fsr_status interpret(const fsr_kernel *k, const fsr_launch *launch, fsr_fault *fault) {
    fsr_status status = fsr_kernel_interpret(k, launch);
    return status ? fsr_fault_set(fault, status, "interpreting %s: %s", k->name, fsr_status_sentence(status)) : FSR_OK;
}

fsr_status fsr_cpu_launch(fsr_backend *b, fsr_module *m, const fsr_launch *launch, fsr_stream stream,
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
