/* SPDX-License-Identifier: MIT */
/* Reductions along one axis of a matrix with BENCH_COLS columns, and what is broadcast back: one kernel. */
#include "bench/bench.h"

static const int axis0 = 0, axis1 = 1;

static void row_l2(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_sqrt(fsr_sum(fsr_mul(in[0], in[0]), &axis1, 1, 0));
}

static void softmax(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    fsr_node e = fsr_exp(fsr_sub(in[0], fsr_max(in[0], &axis1, 1, FSR_KEEPDIMS)));
    out[0] = fsr_div(e, fsr_sum(e, &axis1, 1, FSR_KEEPDIMS));
}

/* The same over 128 long rows. */
static void softmax_long(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node rows = fsr_reshape(in[0], 2, ((int64_t[]){128, -1}));
    softmax(g, &rows, out);
}

/* Rows to mean 0 and variance 1, then a gain and a bias for each column. */
static void layernorm(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node centred = fsr_sub(in[0], fsr_mean(in[0], &axis1, 1, FSR_KEEPDIMS));
    fsr_node variance = fsr_var(in[0], &axis1, 1, FSR_KEEPDIMS, 0);
    fsr_node unit = fsr_div(centred, fsr_sqrt(fsr_add(variance, fsr_float(g, 1e-5))));
    out[0] = fsr_add(fsr_mul(unit, in[1]), in[2]);
}

static void col_sum(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_sum(in[0], &axis0, 1, 0);
}

static void std_rows(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_std(in[0], &axis1, 1, 0, 0);
}

static void log_sum_exp(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_logsumexp(in[0], &axis1, 1, 0);
}

static const bench_workload work[] = {
    {.name = "row_l2",
     .what = "sqrt(sum(x^2)) of each row of 4096",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = row_l2},
    {.name = "softmax",
     .what = "softmax of each row of 4096",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = softmax},
    {.name = "softmax_long",
     .what = "softmax of each of 128 rows",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = softmax_long},
    {.name = "layernorm",
     .what = "each row of 4096 to mean 0, variance 1; gain and bias for each column",
     .ninputs = 3,
     .in = {{BENCH_MATRIX, 0}, {BENCH_ROW, 1}, {BENCH_ROW, 2}},
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = 1,
     .build = layernorm},
    {.name = "col_sum",
     .what = "sum of each of 4096 columns",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = col_sum},
    {.name = "std_rows",
     .what = "standard deviation of each row of 4096",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = 1,
     .build = std_rows},
    {.name = "log_sum_exp",
     .what = "log(sum(e^x)) of each row of 4096",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = log_sum_exp},
};

const bench_family bench_family_rows = {work, sizeof work / sizeof *work};
