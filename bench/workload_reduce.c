/* SPDX-License-Identifier: MIT */
/* Maps into reductions over everything: one kernel, each input read once. */
#include "bench/bench.h"

static void sum_sq_diff(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    fsr_node d = fsr_sub(in[0], in[1]);
    out[0] = fsr_sum(fsr_mul(d, d), NULL, 0, 0);
}

static void four_stats(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_sum(in[0], NULL, 0, 0);
    out[1] = fsr_sum(fsr_mul(in[0], in[0]), NULL, 0, 0);
    out[2] = fsr_min(in[0], NULL, 0, 0);
    out[3] = fsr_max(in[0], NULL, 0, 0);
}

static void argmax(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_argmax(in[0], NULL, 0, 0);
}

static const bench_workload work[] = {
    {.name = "sum_sq_diff",
     .what = "sum((x - y)^2)",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = sum_sq_diff},
    {.name = "four_stats",
     .what = "sum, sum of squares, min and max of one input",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 4,
     .out = {{BENCH_CLOSE, 0}, {BENCH_CLOSE, 0}, {BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 1,
     .build = four_stats},
    {.name = "argmax",
     .what = "index of the largest element",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = argmax},
};

const bench_family bench_family_reduce = {work, sizeof work / sizeof *work};
