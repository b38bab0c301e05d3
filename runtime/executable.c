/* SPDX-License-Identifier: MIT */
/* Running an executable: addresses into the launches, one after the other on the stream. */
#include "runtime/executable.h"
#include "runtime/reports.h"
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

/* An arena of no bytes is NULL. */
static void *address(const fsr_program *program, fsr_slot slot, const fsr_run *run, char *arena, uint64_t *words) {
    if (slot.home == FSR_HOME_REPORT)
        return words + slot.ordinal;
    if (slot.home == FSR_HOME_LEAF)
        return run->leaf[slot.ordinal];
    if (slot.home == FSR_HOME_OUTPUT)
        return run->out[slot.ordinal];
    return arena ? arena + program->temporary[slot.ordinal].offset : NULL;
}

static fsr_status run_step(fsr_context *ctx, const fsr_prepared *p, int i, const fsr_run *run, char *arena, void *words,
                           fsr_fault *fault) {
    const fsr_executable *e = p->executable;
    const fsr_program_step *step = &e->program.step[i];
    const fsr_backend_ops *ops = ctx->backend->ops;
    fsr_launch launch;
    if (step->nothing)
        return FSR_OK;
    launch.blocks = step->launch.blocks;
    memcpy(launch.integer, step->launch.integer, sizeof launch.integer[0] * (size_t)step->kernel->nints);
    for (int a = 0; a < step->kernel->narrays; ++a)
        launch.array[a] = address(&e->program, step->array[a], run, arena, words);
    for (int s = 0; s < step->kernel->nscalars; ++s)
        launch.scalar[s] = step->scalar[s] < e->program.nscalars ? run->scalar[step->scalar[s]]
                                                                 : p->literal[step->scalar[s] - e->program.nscalars];
    launch.work = arena ? arena + e->program.arena_bytes : NULL;
    launch.zero = ctx->zero;
    if (!step->clear)
        return ops->launch(ctx->backend, e->module[i], &launch, run->stream, fault);
    void *flags = NULL;
    fsr_status status = ops->alloc(ctx->backend, step->zero_bytes, &flags, fault);
    if (status)
        return status;
    launch.zero = flags;
    status = ops->clear(ctx->backend, flags, step->zero_bytes, run->stream, fault);
    if (!status)
        status = ops->launch(ctx->backend, e->module[i], &launch, run->stream, fault);
    ops->free(ctx->backend, flags, step->zero_bytes);
    return status;
}

static double clock_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* run_step and how long it takes: on a GPU, whose launches return at once, between two marks on the stream. */
static fsr_status timed_step(fsr_context *ctx, const fsr_prepared *p, int i, const fsr_run *run, char *arena,
                             void *words, fsr_fault *fault) {
    const fsr_backend_ops *ops = ctx->backend->ops;
    double *ms = &run->ms[i];
    const double start = clock_ms();
    *ms = -1;
    if (p->executable->program.step[i].nothing)
        return FSR_OK;
    fsr_status status = ctx->target.gpu ? ops->mark(ctx->backend, 2, run->stream, fault) : FSR_OK;
    if (!status)
        status = run_step(ctx, p, i, run, arena, words, fault);
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
    if (!status)
        status = fsr_reports_begin(ctx, run->report, e->program.nreports, &batch, &words, fault);
    for (int i = 0; i < e->program.nsteps && !status; ++i)
        status = (run->ms ? timed_step : run_step)(ctx, p, i, run, arena, words, fault);
    fsr_reports_end(ctx, batch);
    if (!status && run->ms)
        keep_times(ctx, e, run->ms);
    if (arena)
        ops->free(ctx->backend, arena, bytes);
    if (ctx->target.gpu)
        pthread_mutex_unlock(&ctx->launch);
    return status;
}
