/* SPDX-License-Identifier: MIT */
/* Times of runs, of first calls and of a copy. On a GPU a run is timed between two marks on its stream, so the host's
 * part is not in it; on the CPU by the clock around launch and wait. A median is reported: a mean would carry one page
 * fault or one clock change of the machine into the row. */
#define _XOPEN_SOURCE 700
#include "bench/bench.h"
#include "runtime/context.h"
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM_GPU = 3, WARM_CPU = 1, FEWEST_REPS = 3 };
static const double enough_seconds = 3; /* on the CPU, where --reps was not given */

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Of pairs on a CPU's one thread: the time that it had a processor, which no other program delays. */
static double run_now(const bench_session *s) {
    struct timespec t;
    if (s->gpu || !s->options->pairs || s->fused->config.threads != 1 ||
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) != 0)
        return bench_now();
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(double *x, int n) {
    qsort(x, (size_t)n, sizeof *x, compare_doubles);
    return n % 2 ? x[n / 2] : 0.5 * (x[n / 2 - 1] + x[n / 2]);
}

/* One timed run. */
static bool time_once(const bench_session *s, bench_run *run, double *ms, double *launch_us, bench_row *row) {
    const fsr_backend_ops *ops = run->backend->ops;
    const bool gpu = s->gpu;
    fsr_fault fault = {0};
    if (gpu && ops->mark(run->backend, 0, NULL, &fault))
        return bench_fail_fault(row, "mark", &fault);
    double start = run_now(s);
    if (!bench_run_launch(run, row))
        return false;
    *launch_us = (run_now(s) - start) * 1e6;
    if (gpu && ops->mark(run->backend, 1, NULL, &fault))
        return bench_fail_fault(row, "mark", &fault);
    if (!bench_run_wait(run, row))
        return false;
    *ms = (run_now(s) - start) * 1e3;
    return !gpu || !ops->elapsed(run->backend, 0, ms, &fault) || bench_fail_fault(row, "elapsed", &fault);
}

/* One average over many calls and a single wait. */
static bool time_calls(const bench_session *s, bench_run *run, double *ms, double *launch_us, bench_row *row) {
    double start = run_now(s);
    for (int i = 0; i < BENCH_CALLS; i++)
        if (!bench_run_launch(run, row))
            return false;
    if (!bench_run_wait(run, row))
        return false;
    *ms = (run_now(s) - start) * 1e3 / BENCH_CALLS;
    *launch_us = *ms * 1e3;
    return true;
}

bool bench_time_rep(bench_session *s, bench_run *run, double *ms, double *launch_us, bench_row *row) {
    return row->work->calls ? time_calls(s, run, ms, launch_us, row) : time_once(s, run, ms, launch_us, row);
}

bool bench_measure_run(bench_session *s, bench_run *run, double *ms, double *launch_us, bench_row *row) {
    int reps = s->options->reps ? s->options->reps : BENCH_REPS, done = 0;
    bool patient = s->gpu || s->options->reps;
    double *times = calloc((size_t)reps * 2, sizeof *times);
    if (!times)
        return bench_fail(row, "out of host memory for %d times", reps);
    bool ok = true;
    for (int i = 0; ok && i < (s->gpu ? WARM_GPU : WARM_CPU); i++)
        ok = bench_time_rep(s, run, times, times + reps, row);
    double start = bench_now();
    for (; ok && done < reps; done++) {
        if (!patient && done >= FEWEST_REPS && bench_now() - start > enough_seconds)
            break;
        ok = bench_time_rep(s, run, times + done, times + reps + done, row);
    }
    if (ok) {
        *ms = bench_median(times, done);
        *launch_us = bench_median(times + reps, done);
    }
    free(times);
    return ok;
}

/* ---- first calls ------------------------------------------------------------------------------- */

/* From the recorded graph to the first result, in a fresh context with this disk cache. Opening the context,
 * recording, and the arrays are not counted; *compile_ms is the part before the run: planning, and compiling or loading
 * the kernels. Inputs are those of the session, which every context on the device can read. */
static bool time_first(bench_session *s, const bench_case *c, const char *cache, double *ms, double *compile_ms,
                       bench_row *row) {
    fsr_config config = s->config;
    fsr_context *ctx = NULL;
    bench_run run = {0};
    char why[512] = "";
    config.fusion = 1;
    config.cache_dir = cache;
    if (fsr_open_why(&config, &ctx, why, sizeof why))
        return bench_fail(row, "first call: open: %s", why);
    bool ok = bench_run_record(&run, ctx, c, row);
    double start = bench_now();
    ok = ok && bench_run_compile(&run, row);
    *compile_ms = ok ? (bench_now() - start) * 1e3 : NAN;
    ok = ok && bench_run_launch(&run, row) && bench_run_wait(&run, row);
    *ms = ok ? (bench_now() - start) * 1e3 : NAN;
    bench_run_close(&run);
    fsr_close(ctx);
    return ok;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *where) {
    (void)info, (void)kind, (void)where;
    return remove(path);
}

bool bench_measure_first(bench_session *s, const bench_case *c, bench_row *row) {
    char cache[] = "/tmp/fusor-bench-XXXXXX";
    if (!mkdtemp(cache))
        return bench_fail(row, "first call: a directory like %s cannot be made", cache);
    double compile_ms;
    bool ok = time_first(s, c, cache, &row->first_call_ms, &compile_ms, row) &&
              time_first(s, c, cache, &row->cached_first_call_ms, &row->load_ms, row);
    nftw(cache, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    return ok;
}

/* ---- the copy ceiling ---------------------------------------------------------------------------- */

typedef struct copy_job {
    fsr_backend *backend;
    char *to, *from;
    int64_t bytes;
} copy_job;

static void copy_part(void *arg, int64_t begin, int64_t end) {
    const copy_job *job = arg;
    memcpy(job->to + begin, job->from + begin, (size_t)(end - begin));
}

static bool copy_gpu(const copy_job *job, double *ms, bench_row *row) {
    const fsr_backend_ops *ops = job->backend->ops;
    fsr_fault fault = {0};
    bool failed = ops->mark(job->backend, 0, NULL, &fault) ||
                  ops->copy(job->backend, job->to, job->from, job->bytes, NULL, &fault) ||
                  ops->mark(job->backend, 1, NULL, &fault) || ops->wait(job->backend, NULL, &fault) ||
                  ops->elapsed(job->backend, 0, ms, &fault);
    return !failed || bench_fail_fault(row, "copy", &fault);
}

/* The backend's copy on a GPU; memcpy on the CPU, on every core or on one. */
static bool copy_once(bench_session *s, copy_job *job, bool cores, double *ms, bench_row *row) {
    if (s->gpu)
        return copy_gpu(job, ms, row);
    double start = bench_now();
    if (cores)
        bench_parallel(job->bytes, copy_part, job);
    else
        copy_part(job, 0, job->bytes);
    *ms = (bench_now() - start) * 1e3;
    return true;
}

static bool copy_median(bench_session *s, copy_job *job, bool cores, double *ms, bench_row *row) {
    double times[BENCH_REPS];
    bool ok = true;
    for (int i = -WARM_GPU; ok && i < BENCH_REPS; i++)
        ok = copy_once(s, job, cores, &times[i < 0 ? 0 : i], row);
    *ms = ok ? bench_median(times, BENCH_REPS) : NAN;
    return ok;
}

/* The faster of one core and all of them on the CPU: starting threads costs more than a short copy. */
static bool copy_best(bench_session *s, copy_job *job, double *ms, bench_row *row) {
    double one;
    if (!copy_median(s, job, true, ms, row))
        return false;
    if (s->gpu)
        return true;
    if (!copy_median(s, job, false, &one, row))
        return false;
    *ms = fmin(*ms, one);
    return true;
}

static bool copy_alloc(copy_job *job, bench_row *row) {
    fsr_backend *b = job->backend;
    fsr_fault fault = {0};
    void *to = NULL, *from = NULL;
    bool failed = b->ops->alloc(b, job->bytes, &to, &fault) || b->ops->alloc(b, job->bytes, &from, &fault);
    job->to = to, job->from = from;
    failed = failed || b->ops->clear(b, to, job->bytes, NULL, &fault) ||
             b->ops->clear(b, from, job->bytes, NULL, &fault) || b->ops->wait(b, NULL, &fault);
    return !failed || bench_fail_fault(row, "copy", &fault);
}

bool bench_measure_copy(bench_session *s, int64_t moved, double *gbs, bench_row *row) {
    copy_job job = {.backend = s->backend, .bytes = moved < 2 ? 1 : moved / 2};
    double ms;
    if (job.bytes != s->copy_bytes) {
        bool ok = copy_alloc(&job, row) && copy_best(s, &job, &ms, row);
        if (job.to)
            s->backend->ops->free(s->backend, job.to, job.bytes);
        if (job.from)
            s->backend->ops->free(s->backend, job.from, job.bytes);
        if (!ok)
            return false;
        s->copy_bytes = job.bytes;
        s->copy_gbs = 2 * (double)job.bytes / (ms * 1e6);
        if (job.bytes > s->copy_most)
            s->copy_most = job.bytes, s->copy_most_gbs = s->copy_gbs;
    }
    *gbs = s->copy_gbs;
    return true;
}
