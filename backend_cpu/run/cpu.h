/* SPDX-License-Identifier: MIT */
/* The CPU backend's state, shared by cpu.c and cpu_modules.c. */
#ifndef FUSOR_BACKEND_CPU_RUN_CPU_H
#define FUSOR_BACKEND_CPU_RUN_CPU_H

#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/run/compile.h"
#include "backend_cpu/run/lanes.h"
#include "backend_cpu/run/library.h"
#include "backend_cpu/run/memory_pool.h"
#include "backend_cpu/run/tasks.h"
#include "runtime/backend.h"
#include "runtime/modules.h"
#include "runtime/patience.h"
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

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

/* ---- compiled kernels: cpu_modules.c ---- */

fsr_status fsr_cpu_emit(fsr_backend *b, const fsr_kernel *k, char **source, fsr_fault *fault);
fsr_status fsr_cpu_compile(fsr_backend *b, const fsr_kernel *k, fsr_module **out, fsr_fault *fault);
void fsr_cpu_release(fsr_backend *b, fsr_module *m);
bool fsr_cpu_crowded(fsr_backend *b);
fsr_known fsr_cpu_known(fsr_backend *b, const fsr_kernel *k);
/* It has no function yet. */
bool fsr_cpu_interpreted(const fsr_module *m);
fsr_status fsr_cpu_launch(fsr_backend *b, fsr_module *m, const fsr_launch *launch, fsr_stream stream, fsr_fault *fault);
bool fsr_cpu_same_module(const fsr_loaded *x, const fsr_loaded *y);
void fsr_cpu_drop_module(void *user, fsr_loaded *m);
/* The same of one in the cache. */
bool fsr_cpu_is_interpreted(const fsr_loaded *m);

#endif
