/* SPDX-License-Identifier: MIT */
/* Compiling the kernels of a plan, side by side.
 *
 * A compiler is a process of its own (or, on a GPU, a library that mostly runs in parallel), so kernels that are not
 * yet in memory are taken from a counter by several threads, this one among them. With one new kernel or none no
 * thread is started: a plan whose kernels are known must not pay for threads. A thread that cannot be started is done
 * without.
 *
 * A device without memory for a kernel is given back what cached plans hold, and asked once more (what nobody holds the
 * backend gives back itself). */
#include "runtime/executable.h"
#include "runtime/plan_cache.h"
#include "runtime/thread.h"
#include <unistd.h>

enum { MOST_THREADS = 8 };

typedef struct job {
    fsr_context *ctx;
    fsr_executable *executable;
    atomic_int next;
    pthread_mutex_t lock; /* of what follows */
    fsr_status status;
    int failed; /* thunk of `fault`, nthunks if none failed */
    fsr_fault *fault;
} job;

static void note_failure(job *j, int thunk, fsr_status status, fsr_fault *fault) {
    pthread_mutex_lock(&j->lock);
    if (thunk < j->failed) {
        fsr_fault_clear(j->fault);
        *j->fault = *fault;
        j->status = status;
        j->failed = thunk;
    } else {
        fsr_fault_clear(fault);
    }
    pthread_mutex_unlock(&j->lock);
}

static void *work(void *arg) {
    job *j = arg;
    fsr_backend *b = j->ctx->backend;
    const fsr_program *program = &j->executable->program;
    for (int i; (i = atomic_fetch_add(&j->next, 1)) < program->nthunks;) {
        fsr_fault fault = {FSR_OK, NULL};
        if (program->thunk[i].kind != FSR_THUNK_KERNEL || j->executable->module[i])
            continue;
        fsr_status status = b->ops->compile(b, program->thunk[i].kernel, &j->executable->module[i], &fault);
        if (status) {
            note_failure(j, i, status, &fault);
            break;
        }
    }
    return NULL;
}

/* Threads beside this one that have something to compile. */
static int useful_threads(fsr_context *ctx, const fsr_program *program) {
    int fresh = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    int most = processors < MOST_THREADS ? (int)processors : MOST_THREADS;
    for (int i = 0; i < program->nthunks && program->info.kernels > 1 && fresh < most; ++i)
        fresh += program->thunk[i].kind == FSR_THUNK_KERNEL &&
                 !ctx->backend->ops->known(ctx->backend, program->thunk[i].kernel);
    return fresh > 1 ? fresh - 1 : 0;
}

static fsr_status compile_all(fsr_context *ctx, fsr_executable *executable, fsr_fault *fault) {
    pthread_t thread[MOST_THREADS];
    int want = useful_threads(ctx, &executable->program), n = 0;
    job j = {.ctx = ctx, .executable = executable, .failed = executable->program.nthunks, .fault = fault};
    pthread_mutex_init(&j.lock, NULL);
    while (n < want && fsr_thread_start(&thread[n], work, &j) == 0)
        n++;
    work(&j);
    while (n > 0)
        pthread_join(thread[--n], NULL);
    pthread_mutex_destroy(&j.lock);
    return j.status;
}

fsr_status fsr_executable_compile(fsr_context *ctx, fsr_executable *executable, fsr_fault *fault) {
    fsr_status status = compile_all(ctx, executable, fault);
    if (status != FSR_ERR_DEVICE_MEMORY || !fsr_plan_cache_forget(ctx->plans))
        return status;
    fsr_fault_clear(fault);
    return compile_all(ctx, executable, fault);
}
