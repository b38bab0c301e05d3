/* SPDX-License-Identifier: MIT */
/* Fused and unfused in turn. What else runs on a machine slows both of a pair alike, so that the ratio of a pair varies
 * less than either time: of two runs of 15 each, one after the other, a neighbour that starts in between makes a loss.
 *
 * A sample is the mean of as many calls as last 2 ms together, and every other pair begins with the unfused run. The
 * median of n ratios lies with 95% between the k-th least and the k-th greatest of them where a coin thrown n times
 * shows at most k - 1 heads with at most 2.5%: order statistics, which ask nothing of how times are distributed. */
#include "bench/bench.h"
#include "runtime/plan_parts.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CALLS = 1000 };
static const double sample_ms = 2, lost = 0.97;

/* How many ordered ratios lie outside of the interval on each side: 5 of 21. */
static int outside(int n) {
    double tail = 0, p = pow(0.5, n);
    for (int k = 0; k < n; k++) {
        tail += p;
        if (tail > 0.025)
            return k ? k - 1 : 0;
        p *= (double)(n - k) / (k + 1);
    }
    return 0;
}

/* The source of a thunk's kernel, malloc'ed; NULL: it has none or cannot be printed. */
static char *source_of(const bench_run *run, int thunk) {
    const fsr_kernel *kernel = run->plan->prepared->executable->program.thunk[thunk].kernel;
    char *source = NULL;
    fsr_fault fault = {0};
    if (kernel && run->backend->ops->emit(run->backend, kernel, &source, &fault))
        source = NULL;
    fsr_fault_clear(&fault);
    return source;
}

/* Whether both plans are the same thunks and the same kernels: there was nothing to fuse. */
static bool same_plan(const bench_run *a, const bench_run *b) {
    const int n = a->plan->prepared->executable->program.nthunks;
    bool same = n == b->plan->prepared->executable->program.nthunks;
    for (int i = 0; same && i < n; i++) {
        char *x = source_of(a, i), *y = source_of(b, i);
        same = x && y ? !strcmp(x, y) : x == y;
        free(x);
        free(y);
    }
    return same;
}

static bool sample(bench_session *s, bench_run *run, int calls, double *ms, double *launch_us, bench_row *row) {
    double sum = 0, one, launch;
    for (int i = 0; i < calls; i++) {
        if (!bench_time_rep(s, run, &one, &launch, row))
            return false;
        sum += one;
        if (!i || launch < *launch_us)
            *launch_us = launch;
    }
    *ms = sum / calls;
    return true;
}

/* Calls of one sample, after two runs: what is done at a first run alone is not measured. */
static bool warm(bench_session *s, bench_run *run, int *calls, bench_row *row) {
    double ms, launch_us;
    if (!sample(s, run, 1, &ms, &launch_us, row) || !sample(s, run, 1, &ms, &launch_us, row))
        return false;
    const double wanted = ceil(sample_ms / fmax(ms, 1e-6));
    *calls = row->work->calls ? 1 : (int)fmin(fmax(wanted, 1), MOST_CALLS);
    return true;
}

static void judge(const bench_run *fused, const bench_run *unfused, double *ratio, int n, bench_row *row) {
    const int k = outside(n);
    row->ratio = bench_median(ratio, n); /* in order since */
    row->ratio_low = ratio[k];
    row->ratio_high = ratio[n - 1 - k];
    if (row->ratio_high < lost && !same_plan(fused, unfused))
        bench_fail(row, "fused is slower than unfused: the ratio of their times is at most %.3f with 95%%",
                   row->ratio_high);
}

static double least_of(const double *ms, int n) {
    double least = ms[0];
    for (int i = 1; i < n; ++i)
        least = fmin(least, ms[i]);
    return least;
}

bool bench_measure_pairs(bench_session *s, bench_run *fused, bench_run *unfused, bench_row *row) {
    const int n = s->options->pairs;
    bench_run *const run[2] = {fused, unfused};
    double *ms[2] = {NULL, calloc((size_t)n * 3, sizeof(double))}, launch_us;
    int calls[2];
    if (!ms[1])
        return bench_fail(row, "out of host memory for %d pairs", n);
    ms[0] = ms[1] + n;
    double *ratio = ms[0] + n;
    bool ok = warm(s, fused, &calls[0], row) && warm(s, unfused, &calls[1], row);
    for (int i = 0; ok && i < n; i++) {
        const int first = i % 2;
        bench_progress(s, row->work->name, "pairs");
        ok = sample(s, run[first], calls[first], &ms[first][i], first ? &launch_us : &row->launch_us, row) &&
             sample(s, run[!first], calls[!first], &ms[!first][i], first ? &row->launch_us : &launch_us, row);
        ratio[i] = ms[1][i] / ms[0][i];
    }
    if (ok) {
        row->fused_least_ms = least_of(ms[0], n);
        row->unfused_least_ms = least_of(ms[1], n);
        row->fused_ms = bench_median(ms[0], n);
        row->unfused_ms = bench_median(ms[1], n);
        judge(fused, unfused, ratio, n, row);
    }
    free(ms[1]);
    return ok;
}
