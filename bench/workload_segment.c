/* SPDX-License-Identifier: MIT */
/* Sums of segments and products of sparse matrices, of even lengths and of skewed ones. */
#include "bench/bench.h"

enum { LENGTH = 16 };

static fsr_node place(fsr_graph *g, int64_t n) {
    return fsr_arange(g, FSR_I64, n + 1);
}

/* Segments of 16 elements. */
static fsr_node even(fsr_graph *g, int64_t n) {
    return fsr_mul(place(g, n / LENGTH), fsr_int(g, LENGTH));
}

/* One of half of all elements, and the others of 3. */
static fsr_node skewed(fsr_graph *g, int64_t n) {
    fsr_node i = place(g, 1 + (n / 2) / 3), first = fsr_equal(i, fsr_int(g, 0));
    return fsr_where(first, i, fsr_add(fsr_mul(fsr_sub(i, fsr_int(g, 1)), fsr_int(g, 3)), fsr_int(g, n / 2)));
}

/* n / 16 rows, the first i of which have the share (i / rows)^(1/8): of 2^20 rows the first has a sixth of all
 * elements, the second a sixtieth, half of them fewer than 2. Roots are rounded alike everywhere. */
static fsr_node power(fsr_graph *g, int64_t n) {
    const double rows = (double)(n / LENGTH);
    fsr_node share = fsr_div(fsr_cast(place(g, n / LENGTH), FSR_F64), fsr_float(g, rows));
    share = fsr_sqrt(fsr_sqrt(fsr_sqrt(share)));
    return fsr_cast(fsr_floor(fsr_mul(share, fsr_float(g, (double)n))), FSR_I64);
}

static void segmented_sum(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = fsr_segment_sum(in[0], even(g, fsr_node_size(in[0])));
}

static void segmented_skewed(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = fsr_segment_sum(in[0], skewed(g, fsr_node_size(in[0])));
}

/* As many columns as rows, anywhere. */
static fsr_node product(fsr_graph *g, const fsr_node *in, fsr_node offsets) {
    const int64_t n = fsr_node_size(in[0]), rows = n / LENGTH;
    fsr_node column = fsr_cast(fsr_mul(in[1], fsr_float(g, (double)rows)), FSR_I32);
    const fsr_csr a = {offsets, column, in[0], rows, rows};
    return fsr_csr_dot(&a, fsr_slice(in[2], 0, 0, rows, 1));
}

static void spmv(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = product(g, in, even(g, fsr_node_size(in[0])));
}

static void spmv_power(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = product(g, in, power(g, fsr_node_size(in[0])));
}

static const bench_workload work[] = {
    {.name = "segmented_sum",
     .what = "sums of segments of 16 elements",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 5,
     .kernels_cpu = 1,
     .build = segmented_sum},
    {.name = "segmented_skewed",
     .what = "of one segment of n / 2 elements, and of others of 3",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 5,
     .kernels_cpu = 1,
     .build = segmented_skewed},
    {.name = "spmv",
     .what = "a sparse matrix of n / 16 rows and columns times a vector: 16 values a row, columns u * n / 16",
     .ninputs = 3,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}, {BENCH_VECTOR, 2}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 5,
     .kernels_cpu = 3,
     .build = spmv},
    {.name = "spmv_power",
     .what = "the same of rows of power-law lengths: the first i have (16 i / n)^(1/8) of all values",
     .ninputs = 3,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}, {BENCH_VECTOR, 2}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 6,
     .kernels_cpu = 3,
     .build = spmv_power},
};

const bench_family bench_family_segment = {work, sizeof work / sizeof *work};
