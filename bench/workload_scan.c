/* SPDX-License-Identifier: MIT */
/* Running sums, with maps before and after, and a filter with its count: one kernel, one pass. */
#include "bench/bench.h"

static void cumsum(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_cumsum(in[0], (int[]){0}, 1, 0);
}

static void map_scan_map(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = fsr_sqrt(fsr_add(fsr_cumsum(fsr_mul(in[0], in[1]), (int[]){0}, 1, 0), fsr_float(g, 1)));
}

static void row_cumsum(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_cumsum(in[0], (int[]){1}, 1, 0);
}

static void step(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

/* y[i] = a[i] * y[i - 1] + b[i], by the operator (a, b) * (c, d) = (a * c, b * c + d). */
static void user_scan(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const fsr_operator recurrence = {.body = step, .arity = 2, .identity = {1, 0}};
    fsr_node both[2];
    (void)g;
    fsr_scan_with(both, in, &recurrence, (int[]){0}, 1, 0);
    out[0] = both[1];
}

static void filter(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node mask = fsr_greater(in[0], fsr_float(g, 0.5));
    out[0] = fsr_filter(in[0], mask, fsr_float(g, 0));
    out[1] = fsr_count_nonzero(mask, NULL, 0, 0);
}

static void filter_half(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = fsr_compress(fsr_greater(in[0], fsr_float(g, 0.5)), in[0]);
    out[1] = fsr_live_count(out[0]);
}

static const bench_workload work[] = {
    {.name = "cumsum",
     .what = "running sum",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = cumsum},
    {.name = "map_scan_map",
     .what = "sqrt(running sum of x * y, plus 1)",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = map_scan_map},
    {.name = "row_cumsum",
     .what = "running sum along each row of 4096",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = row_cumsum},
    {.name = "user_scan",
     .what = "a linear recurrence, y[i] = a[i] * y[i - 1] + b[i]",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = user_scan},
    {.name = "filter",
     .what = "x[x > 0.5] and how many they are",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 2,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 1,
     .build = filter},
    {.name = "filter_half",
     .what = "the same, and nothing is written behind them",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 2,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 1,
     .build = filter_half},
};

const bench_family bench_family_scan = {work, sizeof work / sizeof *work};
