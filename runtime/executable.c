/* SPDX-License-Identifier: MIT */
/* Running an executable: its thunks, one after the other on the stream, each with the addresses of what it uses. Each
 * kind of thunk has its function here. */
#include "runtime/capture.h"
#include "runtime/clock.h"
#include "runtime/replays.h"
#include <string.h>

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

static void *address(const fsr_execution *x, const fsr_use *use) {
    if (use->slot.kind == FSR_SLOT_BAND)
        return NULL;
    if (use->slot.kind == FSR_SLOT_REPORT)
        return x->words + use->slot.ordinal;
    if (use->slot.kind == FSR_SLOT_LEAF)
        return x->leaf[use->slot.ordinal];
    if (use->slot.kind == FSR_SLOT_OUTPUT)
        return (char *)x->out[use->slot.ordinal] + use->at;
    return x->arena ? x->arena + x->program->temporary[use->slot.ordinal].offset + use->at : NULL;
}

void *fsr_execution_address(const fsr_execution *x, const fsr_use *use) {
    return address(x, use);
}

static fsr_status run_kernel(const fsr_execution *x, int i, fsr_fault *fault) {
    const fsr_thunk *thunk = &x->all->program.thunk[i];
    const fsr_tuned *tuned = x->tuned && x->tuned[i].kernel ? &x->tuned[i] : NULL;
    const int narrays = thunk->kernel->narrays;
    fsr_launch launch;
    if (thunk->nothing)
        return FSR_OK;
    launch.blocks = tuned ? tuned->blocks : thunk->blocks;
    memcpy(launch.integer, thunk->kernel->integer, sizeof launch.integer[0] * (size_t)thunk->kernel->nints);
    for (int a = 0; a < narrays; ++a)
        launch.array[a] = address(x, &thunk->use[a]);
    for (int s = 0; s < thunk->kernel->nscalars; ++s)
        if (thunk->scalar[s] >= 0)
            launch.scalar[s] = thunk->scalar[s] < x->program->nscalars
                                   ? x->scalar[thunk->scalar[s]]
                                   : x->literal[thunk->scalar[s] - x->program->nscalars];
    launch.work = x->arena ? x->arena + x->program->arena_bytes : NULL;
    launch.zero = thunk->nuses > narrays ? address(x, &thunk->use[narrays]) : x->zero;
    return x->ctx->backend->ops->launch(x->ctx->backend, tuned ? tuned->module : x->all->module[i], &launch, x->stream,
                                        fault);
}

static fsr_status run_copy(const fsr_execution *x, int i, fsr_fault *fault) {
    const fsr_use *use = x->all->program.thunk[i].use;
    return fsr_execution_copy(x, address(x, &use[1]), address(x, &use[0]), use[1].bytes, fault);
}

fsr_status fsr_execution_copy(const fsr_execution *x, void *to, const void *from, int64_t bytes, fsr_fault *fault) {
    if (to == from || bytes == 0)
        return FSR_OK;
    return x->ctx->backend->ops->copy(x->ctx->backend, to, from, bytes, x->stream, fault);
}

static fsr_status run_clear(const fsr_execution *x, int i, fsr_fault *fault) {
    const fsr_use *use = x->all->program.thunk[i].use;
    return x->ctx->backend->ops->clear(x->ctx->backend, address(x, use), use->bytes, x->stream, fault);
}

static fsr_status run_library(const fsr_execution *x, int i, fsr_fault *fault) {
    const fsr_thunk *thunk = &x->all->program.thunk[i];
    const fsr_library_call *call = thunk->call;
    void *array[FSR_LIBRARY_ARRAYS] = {NULL};
    int next = 0;
    if (thunk->nothing)
        return FSR_OK;
    for (int a = 0; a < call->nin + call->nout; ++a)
        if (call->array[a].used)
            array[a] = address(x, &thunk->use[next++]);
    void *work = next < thunk->nuses ? address(x, &thunk->use[next]) : NULL;
    return x->ctx->backend->ops->library(x->ctx->backend, call, array, work, x->stream, fault);
}

static fsr_status run_thunk(const fsr_execution *x, int i, fsr_fault *fault) {
    static fsr_status (*const run_kind[FSR_THUNK_COUNT])(const fsr_execution *, int,
                                                         fsr_fault *) = {[FSR_THUNK_KERNEL] = run_kernel,
                                                                         [FSR_THUNK_COPY] = run_copy,
                                                                         [FSR_THUNK_CLEAR] = run_clear,
                                                                         [FSR_THUNK_LIBRARY] = run_library,
                                                                         [FSR_THUNK_LOOP] = fsr_loop_run};
    return run_kind[x->all->program.thunk[i].kind](x, i, fault);
}

/* run_thunk and how long it takes: on a GPU, whose launches return at once, between two marks on the stream. A loop's
 * turns add up; the loop itself is no more than they are. */
static fsr_status timed_thunk(const fsr_execution *x, int i, fsr_fault *fault) {
    fsr_context *ctx = x->ctx;
    const fsr_backend_ops *ops = ctx->backend->ops;
    const double start = fsr_clock_ms();
    double ms = 0;
    if (x->all->program.thunk[i].nothing)
        return FSR_OK;
    if (x->all->program.thunk[i].loop)
        return run_thunk(x, i, fault);
    fsr_status status = ctx->target.gpu ? ops->mark(ctx->backend, 2, x->stream, fault) : FSR_OK;
    if (!status)
        status = run_thunk(x, i, fault);
    if (!status && ctx->target.gpu)
        status = ops->mark(ctx->backend, 3, x->stream, fault);
    if (!status && ctx->target.gpu)
        status = ops->elapsed(ctx->backend, 2, &ms, fault);
    else
        ms = fsr_clock_ms() - start;
    x->ms[i] = x->ms[i] < 0 ? ms : x->ms[i] + ms;
    return status;
}

fsr_status fsr_execution_thunks(const fsr_execution *x, int first, int n, fsr_fault *fault) {
    fsr_status status = FSR_OK;
    for (int i = first; i < first + n && !status; ++i) {
        status = (x->ms ? timed_thunk : run_thunk)(x, i, fault);
        i += fsr_loop_thunks(&x->all->program.thunk[i]);
    }
    return status;
}

/* What the thunks took, for whoever explains the plan. */
static void keep_times(fsr_context *ctx, const fsr_executable *e, const double *ms) {
    pthread_mutex_lock(&ctx->lock);
    memcpy(e->ms, ms, sizeof *ms * (size_t)e->program.nthunks);
    pthread_mutex_unlock(&ctx->lock);
}

/* Memory of a run: its arena, and tickets. Of a captured one both are its own and stay. */
static fsr_status take_memory(fsr_context *ctx, const fsr_program *p, const fsr_run *run, int64_t bytes, void **arena,
                              void **zero, fsr_fault *fault) {
    fsr_status status = FSR_OK;
    if (run->held && p->zero_bytes)
        status = fsr_capture_hold(ctx, run->held, p->zero_bytes, true, zero, fault);
    if (run->held && !status && bytes)
        status = fsr_capture_hold(ctx, run->held, bytes, false, arena, fault);
    if (run->held)
        return status;
    status = reserve_zero(ctx, p->zero_bytes, fault);
    *zero = ctx->zero;
    return status || !bytes ? status : ctx->backend->ops->alloc(ctx->backend, bytes, arena, fault);
}

/* A run without memory of its own. */
static fsr_execution execution_of(fsr_context *ctx, const fsr_prepared *p, const fsr_run *run) {
    return (fsr_execution){.ctx = ctx,
                           .all = p->executable,
                           .program = &p->executable->program,
                           .leaf = run->leaf,
                           .out = run->out,
                           .scalar = run->scalar,
                           .literal = p->literal,
                           .stream = run->stream,
                           .tuned = run->tuned,
                           .ms = run->ms};
}

/* Threads take turns where a GPU's runs share tickets, recordings and marks. */
static fsr_status run_shared(fsr_context *ctx, const fsr_prepared *p, const fsr_run *run, fsr_fault *fault) {
    fsr_executable *e = p->executable;
    const fsr_backend_ops *ops = ctx->backend->ops;
    int64_t bytes = fsr_size_add(e->program.arena_bytes, e->program.work_bytes);
    void *arena = NULL, *words = NULL, *zero = NULL;
    fsr_report_batch *batch = NULL;
    if (ctx->target.gpu)
        pthread_mutex_lock(&ctx->launch);
    fsr_status status = take_memory(ctx, &e->program, run, bytes, &arena, &zero, fault);
    if (!status && e->program.nreports)
        status = fsr_reports_begin(ctx, run->of, run->report, e->program.nreports, &batch, &words, fault);
    for (int i = 0; run->ms && i < e->program.nthunks; ++i)
        run->ms[i] = -1;
    fsr_execution x = execution_of(ctx, p, run);
    x.arena = arena;
    x.words = words;
    x.zero = zero;
    if (!status && run->held)
        status = fsr_execution_thunks(&x, 0, e->program.nthunks, fault);
    else if (!status)
        status = fsr_replays_run(&x, run->tuned ? run->replays : &e->replays, fault);
    if (batch)
        fsr_reports_end(ctx, batch);
    if (!status && run->ms && e->ms)
        keep_times(ctx, e, run->ms);
    if (arena && !run->held)
        ops->free(ctx->backend, arena, bytes);
    if (ctx->target.gpu)
        pthread_mutex_unlock(&ctx->launch);
    return status;
}

/* One kernel on the context's own stream, of no memory but the caller's: nothing of it is shared with other runs, so it
 * takes no lock, and one launch is not recorded. */
static bool is_alone(const fsr_program *p, const fsr_run *run) {
    return p->nthunks == 1 && p->thunk[0].kind == FSR_THUNK_KERNEL && !p->arena_bytes && !p->work_bytes &&
           !p->zero_bytes && !p->nreports && !run->stream && !run->ms && !run->held;
}

fsr_status fsr_prepared_run(fsr_context *ctx, const fsr_prepared *p, const fsr_run *run, fsr_fault *fault) {
    if (!is_alone(&p->executable->program, run))
        return run_shared(ctx, p, run, fault);
    const fsr_execution x = execution_of(ctx, p, run);
    return run_kernel(&x, 0, fault);
}
