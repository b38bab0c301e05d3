/* SPDX-License-Identifier: MIT */
/* Running an executable: its steps, one after the other on the stream, each with the addresses of what it uses. Each kind of
 * step has its function here. */
#include "runtime/executable.h"
#include <string.h>
#include <time.h>

/* The zeroed tickets, shared by all programs: kernels leave them zero. */
static fsr_status reserve_zero(fsr_context *ctx, int64_t bytes, fsr_fault *fault) {
    if (bytes <= ctx->zero_bytes)
        return FSR_OK;
    const fsr_backend_ops *ops = ctx->backend->ops;
    bytes = fsr_round_up(bytes, 65536);
    void *zero = NULL;
    fsr_status status = ops->alloc(ctx->backend, bytes, &zero, fault);
    if (!status && (status = ops->clear(ctx->backend, zero, bytes, NULL, fault)) != FSR_OK)
        ops->free(ctx->backend, zero, bytes);
    if (status)
        return status;
    if (ctx->zero)
        ops->free(ctx->backend, ctx->zero, ctx->zero_bytes);
    ctx->zero = zero;
    ctx->zero_bytes = bytes;
    return FSR_OK;
}

/* One run of an executable. */
typedef struct execution {
    fsr_context *ctx;
    const fsr_prepared *p;
    const fsr_run *run;
    char *arena;     /* NULL: of no bytes */
    uint64_t *words; /* of reports */
} execution;

static void *address(const execution *x, const fsr_use *use) {
    if (use->slot.kind == FSR_SLOT_REPORT)
        return x->words + use->slot.ordinal;
    if (use->slot.kind == FSR_SLOT_LEAF)
        return x->run->leaf[use->slot.ordinal];
    if (use->slot.kind == FSR_SLOT_OUTPUT)
        return x->run->out[use->slot.ordinal];
    return x->arena ? x->arena + x->p->executable->program.temporary[use->slot.ordinal].offset : NULL;
}

static fsr_status run_kernel(const execution *x, int i, fsr_fault *fault) {
    const fsr_program *program = &x->p->executable->program;
    const fsr_program_step *step = &program->step[i];
    const int narrays = step->kernel->narrays;
    fsr_launch launch;
    if (step->nothing)
        return FSR_OK;
    launch.blocks = step->launch.blocks;
    memcpy(launch.integer, step->launch.integer, sizeof launch.integer[0] * (size_t)step->kernel->nints);
    for (int a = 0; a < narrays; ++a)
        launch.array[a] = address(x, &step->use[a]);
    for (int s = 0; s < step->kernel->nscalars; ++s)
        launch.scalar[s] = step->scalar[s] < program->nscalars ? x->run->scalar[step->scalar[s]]
                                                               : x->p->literal[step->scalar[s] - program->nscalars];
    launch.work = x->arena ? x->arena + program->arena_bytes : NULL;
    launch.zero = step->nuses > narrays ? address(x, &step->use[narrays]) : x->ctx->zero;
    return x->ctx->backend->ops->launch(x->ctx->backend, x->p->executable->module[i], &launch, x->run->stream, fault);
}

static fsr_status run_copy(const execution *x, int i, fsr_fault *fault) {
    const fsr_use *use = x->p->executable->program.step[i].use;
    void *to = address(x, &use[1]), *from = address(x, &use[0]);
    if (to == from || use[1].bytes == 0)
        return FSR_OK;
    return x->ctx->backend->ops->copy(x->ctx->backend, to, from, use[1].bytes, x->run->stream, fault);
}

static fsr_status run_clear(const execution *x, int i, fsr_fault *fault) {
    const fsr_use *use = x->p->executable->program.step[i].use;
    return x->ctx->backend->ops->clear(x->ctx->backend, address(x, use), use->bytes, x->run->stream, fault);
}

static fsr_status run_library(const execution *x, int i, fsr_fault *fault) {
    const fsr_program_step *step = &x->p->executable->program.step[i];
    const fsr_library_call *call = step->call;
    void *array[FSR_LIBRARY_ARRAYS] = {NULL};
    int next = 0;
    if (step->nothing)
        return FSR_OK;
    for (int a = 0; a < call->nin + call->nout; ++a)
        if (call->array[a].used)
            array[a] = address(x, &step->use[next++]);
    void *work = next < step->nuses ? address(x, &step->use[next]) : NULL;
    return x->ctx->backend->ops->library(x->ctx->backend, call, array, work, x->run->stream, fault);
}

static fsr_status run_step(const execution *x, int i, fsr_fault *fault) {
    static fsr_status (*const run_task[FSR_TASK_COUNT])(const execution *, int,
                                                        fsr_fault *) = {[FSR_TASK_KERNEL] = run_kernel,
                                                                        [FSR_TASK_COPY] = run_copy,
                                                                        [FSR_TASK_CLEAR] = run_clear,
                                                                        [FSR_TASK_LIBRARY] = run_library};
    return run_task[x->p->executable->program.step[i].task](x, i, fault);
}

static double clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* run_step and how long it takes: on a GPU, whose launches return at once, between two marks on the stream. */
static fsr_status timed_step(const execution *x, int i, fsr_fault *fault) {
    fsr_context *ctx = x->ctx;
    const fsr_run *run = x->run;
    const fsr_backend_ops *ops = ctx->backend->ops;
    double *ms = &run->ms[i];
    const double start = clock_ms();
    *ms = -1;
    if (x->p->executable->program.step[i].nothing)
        return FSR_OK;
    fsr_status status = ctx->target.gpu ? ops->mark(ctx->backend, 2, run->stream, fault) : FSR_OK;
    if (!status)
        status = run_step(x, i, fault);
    if (!status && ctx->target.gpu)
        status = ops->mark(ctx->backend, 3, run->stream, fault);
    if (!status && ctx->target.gpu)
        return ops->elapsed(ctx->backend, 2, ms, fault);
    *ms = clock_ms() - start;
    return status;
}

/* What the steps took, for whoever explains the plan. */
static void keep_times(fsr_context *ctx, const fsr_executable *e, const double *ms) {
    pthread_mutex_lock(&ctx->lock);
    memcpy(e->ms, ms, sizeof *ms * (size_t)e->program.nsteps);
    pthread_mutex_unlock(&ctx->lock);
}

fsr_status fsr_prepared_run(fsr_context *ctx, const fsr_prepared *p, const fsr_run *run, fsr_fault *fault) {
    const fsr_executable *e = p->executable;
    const fsr_backend_ops *ops = ctx->backend->ops;
    int64_t bytes = fsr_size_add(e->program.arena_bytes, e->program.work_bytes);
    void *arena = NULL, *words = NULL;
    fsr_report_batch *batch = NULL;
    if (ctx->target.gpu)
        pthread_mutex_lock(&ctx->launch);
    fsr_status status = reserve_zero(ctx, e->program.zero_bytes, fault);
    if (!status && bytes)
        status = ops->alloc(ctx->backend, bytes, &arena, fault);
    if (!status && e->program.nreports)
        status = fsr_reports_begin(ctx, run->of, run->report, e->program.nreports, &batch, &words, fault);
    const execution x = {ctx, p, run, arena, words};
    for (int i = 0; i < e->program.nsteps && !status; ++i)
        status = (run->ms ? timed_step : run_step)(&x, i, fault);
    if (batch)
        fsr_reports_end(ctx, batch);
    if (!status && run->ms)
        keep_times(ctx, e, run->ms);
    if (arena)
        ops->free(ctx->backend, arena, bytes);
    if (ctx->target.gpu)
        pthread_mutex_unlock(&ctx->launch);
    return status;
}
