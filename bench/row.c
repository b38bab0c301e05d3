/* SPDX-License-Identifier: MIT */
/* One workload from its input to its row. */
#include "bench/bench.h"
#include "graph/message.h"
#include <math.h>
#include <stdarg.h>

bool bench_fail(bench_row *row, const char *format, ...) {
    va_list args;
    if (row->failed)
        return false;
    row->failed = true;
    row->verified = false;
    char raw[sizeof row->error];
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    fsr_message_copy(row->error, sizeof row->error, raw);
    return false;
}

bool bench_fail_fault(bench_row *row, const char *what, fsr_fault *fault) {
    bench_fail(row, "%s: %s", what, fault->message ? fault->message : fsr_status_sentence(fault->status));
    fsr_fault_clear(fault);
    return false;
}

bool bench_fail_context(bench_row *row, const char *what, fsr_context *ctx, fsr_status status) {
    const char *why = fsr_error(ctx);
    if (why && *why)
        return bench_fail(row, "%s", why);
    return bench_fail(row, "%s: %s", what, fsr_status_sentence(status));
}

static void row_start(const bench_session *s, const bench_workload *work, bench_row *row) {
    *row = (bench_row){.work = work,
                       .backend = fsr_backend_name(s->fused),
                       .dtype = FSR_DTYPE_COUNT,
                       .n = -1,
                       .bytes_min = -1,
                       .bytes_moved_unfused = -1,
                       .fused_kernels = -1,
                       .expected_kernels = !s->gpu && work->kernels_cpu ? work->kernels_cpu : work->kernels,
                       .unfused_kernels = -1,
                       .fused_ms = NAN,
                       .unfused_ms = NAN,
                       .first_call_ms = NAN,
                       .cached_first_call_ms = NAN,
                       .load_ms = NAN,
                       .launch_us = NAN,
                       .fused_least_ms = NAN,
                       .unfused_least_ms = NAN,
                       .operations = NAN,
                       .copy_gbs = NAN,
                       .ratio = NAN,
                       .ratio_low = NAN,
                       .ratio_high = NAN,
                       .max_error = NAN,
                       .error_bound = NAN};
}

static bool plan_numbers(bench_run *run, bench_row *row) {
    fsr_status status = fsr_plan_query(run->plan, &run->info);
    return !status || bench_fail_context(row, "query", run->ctx, status);
}

static bool prepare_fused(bench_session *s, bench_run *run, const bench_case *c, bench_row *row) {
    bench_progress(s, row->work->name, "fused");
    if (!bench_run_record(run, s->fused, c, row) || !bench_run_compile(run, row) || !plan_numbers(run, row))
        return false;
    row->fused_kernels = run->info.kernels;
    row->operations = bench_operations(run->node, run->nout);
    row->bytes_min = run->info.bytes_min;
    return true;
}

static bool prepare_unfused(bench_session *s, bench_run *run, const bench_case *c, bench_row *row) {
    bench_progress(s, row->work->name, "unfused");
    if (!bench_run_record(run, s->unfused, c, row) || !bench_run_compile(run, row) || !plan_numbers(run, row))
        return false;
    row->unfused_kernels = run->info.kernels;
    row->bytes_moved_unfused = run->info.bytes_moved;
    return true;
}

/* One after the other, so that the other's arrays do not lie in the caches meanwhile; or both, in turn. */
static bool measure_both(bench_session *s, bench_run *fused, bench_run *unfused, const bench_case *c, bench_row *row) {
    double launch_us;
    if (s->options->pairs)
        return prepare_fused(s, fused, c, row) && prepare_unfused(s, unfused, c, row) &&
               bench_measure_pairs(s, fused, unfused, row);
    return prepare_fused(s, fused, c, row) && bench_measure_run(s, fused, &row->fused_ms, &row->launch_us, row) &&
           prepare_unfused(s, unfused, c, row) && bench_measure_run(s, unfused, &row->unfused_ms, &launch_us, row);
}

static bool check(bench_session *s, bench_run *fused, bench_run *unfused, const bench_case *c, bench_row *row) {
    if (!s->options->verify_n)
        return true;
    bench_progress(s, row->work->name, "comparing with unfused");
    if (!bench_check_outputs(c, fused, unfused, row))
        return false;
    bench_progress(s, row->work->name, "comparing with the reference");
    row->verified = bench_check_reference(s, c, row);
    return row->verified;
}

static bool measure_runs(bench_session *s, const bench_case *c, bench_row *row) {
    bench_run fused = {0}, unfused = {0};
    bool ok = measure_both(s, &fused, &unfused, c, row) && check(s, &fused, &unfused, c, row);
    bench_run_close(&fused);
    bench_run_close(&unfused);
    return ok;
}

/* A row that failed a comparison still shows its times. */
void bench_row_measure(bench_session *s, const bench_workload *work, bench_row *row) {
    bench_case c;
    int64_t n = bench_size(work, s->gpu, s->options->n);
    row_start(s, work, row);
    bench_progress(s, work->name, "input");
    if (!bench_case_open(s, &c, work, n, row))
        return;
    row->n = c.n;
    row->dtype = c.in[0].dtype;
    const bool written = !s->options->npy || bench_write_arrays(s, &c, s->options->npy, row);
    if (written && (!s->options->npy || s->options->pairs))
        measure_runs(s, &c, row);
    if (!isnan(row->fused_ms)) {
        bench_progress(s, work->name, "first call");
        if (!s->options->pairs)
            bench_measure_first(s, &c, row);
        bench_progress(s, work->name, "copy");
        bench_measure_copy(s, row->bytes_min, &row->copy_gbs, row);
    }
    bench_case_close(s, &c);
}
