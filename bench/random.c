/* SPDX-License-Identifier: MIT */
/* The timing fuzzer: random programs, fused and unfused in turn.
 *
 * A program is lost where the median of unfused / fused is below 1 / 1.1 in three measurements, one after the other;
 * the first that is not ends them. Its outputs are compared, too. A line tells a loss, and its seed: --random 1 --seed
 * S measures it again. Counter-example to one measurement: on a machine that does something else besides, every
 * twentieth plan that is the same in both loses by a tenth. */
#include "bench/random.h"
#include <math.h>
#include <stdlib.h>

enum { REPEATS = 3 };
static const double lost = 1.1;

typedef struct tally {
    int lost, failed;
    double logs; /* of the ratios */
    int ratios;
} tally;

static bool prepare(fsr_context *ctx, bench_run *run, const bench_case *c, bench_row *row) {
    fsr_status status = FSR_OK;
    if (!bench_run_record(run, ctx, c, row) || !bench_run_compile(run, row))
        return false;
    status = fsr_plan_query(run->plan, &run->info);
    return !status || bench_fail_context(row, "query", run->ctx, status);
}

/* The ratios of up to three measurements; the last one is the first that is no loss. */
static int measure(bench_session *s, bench_run *fused, bench_run *unfused, double *ratio, bench_row *row) {
    int n = 0;
    do {
        row->failed = false;
        if (!bench_measure_pairs(s, fused, unfused, row) && isnan(row->ratio))
            return 0;
        ratio[n++] = row->ratio;
    } while (n < REPEATS && ratio[n - 1] < 1 / lost);
    row->failed = false;
    return n;
}

static void tell(FILE *to, const bench_run *fused, const bench_run *unfused, const double *ratio, const bench_row *row,
                 const bench_program *program) {
    fprintf(to, "LOSS %s: %.3f %.3f %.3f, %.3f ms in %d kernels, unfused %.3f ms in %d; x, y f32[%lld,%lld]: %s\n",
            row->work->name, ratio[0], ratio[1], ratio[2], row->fused_ms, fused->info.kernels, row->unfused_ms,
            unfused->info.kernels, (long long)program->extent[BENCH_SUITE][0],
            (long long)program->extent[BENCH_SUITE][1], program->text);
    fflush(to);
}

static void time_case(bench_session *s, const bench_case *c, bench_row *row, FILE *to, tally *sum) {
    bench_run fused = {0}, unfused = {0};
    double ratio[REPEATS];
    int n = 0;
    if (prepare(s->fused, &fused, c, row) && prepare(s->unfused, &unfused, c, row) && bench_run_launch(&fused, row) &&
        bench_run_wait(&fused, row) && bench_run_launch(&unfused, row) && bench_run_wait(&unfused, row) &&
        (!s->options->verify_n || bench_check_outputs(c, &fused, &unfused, row)))
        n = measure(s, &fused, &unfused, ratio, row);
    if (n == REPEATS && ratio[n - 1] < 1 / lost) {
        ++sum->lost;
        tell(to, &fused, &unfused, ratio, row, c->work->program);
    }
    if (n > 0) {
        sum->logs += log(ratio[n - 1]);
        ++sum->ratios;
    }
    bench_run_close(&fused);
    bench_run_close(&unfused);
}

static bool time_seed(bench_session *s, uint64_t seed, FILE *to, tally *sum) {
    char name[32];
    bench_program program = {.in = {{"x", BENCH_UNIFORM, "ab"}, {"y", BENCH_UNIFORM_1, "ab"}}};
    bench_workload work = {.name = name,
                           .what = "drawn at random",
                           .ninputs = 2,
                           .nouts = 2,
                           .out = {{BENCH_SCALED, 0, 1}, {BENCH_SCALED, 1, 1}},
                           .kernels = -1,
                           .program = &program};
    bench_row row = {.work = &work, .ratio = NAN};
    bench_case c;
    char *text = bench_random_text(seed, program.extent[BENCH_SUITE]);
    if (!text)
        return false;
    snprintf(name, sizeof name, "%llu", (unsigned long long)seed);
    program.text = text;
    bench_progress(s, name, "random");
    if (bench_case_open(s, &c, &work, 0, &row)) {
        time_case(s, &c, &row, to, sum);
        bench_case_close(s, &c);
    }
    if (row.failed) {
        ++sum->failed;
        fprintf(to, "FAIL %s: %s: %s\n", name, row.error, text);
    }
    free(text);
    return true;
}

bool bench_random_run(bench_session *s, FILE *to) {
    const bench_options *o = s->options;
    tally sum = {0};
    fprintf(to, "random programs on %s, seeds %lld to %lld\n", s->device, (long long)o->seed,
            (long long)(o->seed + o->random - 1));
    for (int i = 0; i < o->random; i++)
        if (!time_seed(s, (uint64_t)o->seed + (uint64_t)i, to, &sum))
            return false;
    bench_progress(s, NULL, NULL);
    fprintf(to, "%d programs: %d lost, %d failed, unfused / fused %.2f in the geometric mean\n", o->random, sum.lost,
            sum.failed, sum.ratios ? exp(sum.logs / sum.ratios) : NAN);
    return !sum.lost && !sum.failed;
}
