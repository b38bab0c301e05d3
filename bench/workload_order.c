/* SPDX-License-Identifier: MIT */
/* Order: sorted elements, and places by what is computed in the kernel that writes what is sorted. */
#include "bench/bench.h"

static void sort(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_sort(in[0], NULL, 0, 0);
}

static void sort_rows(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_sort(in[0], (int[]){1}, 1, 0);
}

/* Whose two values are nearest to each other comes first. */
static void argsort_abs_diff(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_argsort(fsr_abs(fsr_sub(in[0], in[1])), NULL, 0, 0);
}

/* The greatest of them, and where they are. */
static void first(const fsr_node *in, int64_t k, const int *axes, fsr_node *out) {
    out[0] = fsr_topk(in[0], k, axes, 1, FSR_DESCENDING);
    out[1] = fsr_argtopk(in[0], k, axes, 1, FSR_DESCENDING);
}

static void topk_10(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    first(in, 10, NULL, out);
}

static void topk_1000(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    first(in, 1000, NULL, out);
}

static void topk_rows(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    first(in, 10, (int[]){1}, out);
}

static void median_rows(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_median(in[0], (int[]){1}, 1, 0);
}

static void unique_counts(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node kinds[4];
    fsr_unique(kinds, fsr_cast(fsr_mul(in[0], fsr_float(g, 1e4)), FSR_I32), true);
    out[0] = fsr_filled(kinds[0], fsr_int(g, 0));
    out[1] = fsr_filled(kinds[3], fsr_int(g, 0));
}

static void median(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_median(in[0], NULL, 0, 0);
}

/* The greatest variance that 16 entries of the projection of one of so many random directions have, one a row: V is
 * eight rows. */
static void sparse_pca(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    enum { RANK = 8, ENTRIES = 16 };
    const int64_t rows = fsr_node_dim(in[0], 0), shape[] = {rows, rows < RANK ? rows : RANK};
    const fsr_node i = fsr_counter(g, 2, shape), v = fsr_slice(in[0], 0, 0, RANK, 1);
    const fsr_node drawn = fsr_random_normal(fsr_int(g, 7), fsr_int(g, 0), i, FSR_F32);
    const fsr_node length = fsr_sqrt(fsr_sum(fsr_mul(drawn, drawn), (int[]){1}, 1, FSR_KEEPDIMS));
    const fsr_node c = fsr_div(drawn, length);
    const fsr_node x = fsr_sum(fsr_mul(fsr_expand(c, 2), fsr_expand(v, 0)), (int[]){1}, 1, 0);
    const fsr_node first = fsr_topk(fsr_mul(x, x), ENTRIES, (int[]){1}, 1, FSR_DESCENDING);
    out[0] = fsr_max(fsr_sum(first, (int[]){1}, 1, 0), NULL, 0, 0);
}

static const bench_workload work[] = {
    {.name = "sparse_pca",
     .what = "sparse PCA by random directions: drawn, of length 1, projected, the greatest entries, the best of all",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = -1,
     .build = sparse_pca},
    {.name = "median_rows",
     .what = "the median of each row",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 2,
     .build = median_rows},
    {.name = "unique_counts",
     .what = "the different ones of n integers, some 10^4 of them, and how many there are of each",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 2,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = -1,
     .build = unique_counts},
    {.name = "median",
     .what = "the median of n elements",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 2,
     .build = median},
    {.name = "topk_10",
     .what = "the 10 greatest of n elements in order, and their places",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 2,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 0,
     .build = topk_10},
    {.name = "topk_1000",
     .what = "the 1000 greatest of n elements in order, and their places",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 2,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 0,
     .build = topk_1000},
    {.name = "topk_rows",
     .what = "the 10 greatest of each row in order, and their places",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 2,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 0,
     .build = topk_rows},
    {.name = "sort",
     .what = "n elements in ascending order",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 0,
     .build = sort},
    {.name = "sort_rows",
     .what = "each row in ascending order",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 0,
     .build = sort_rows},
    {.name = "argsort_abs_diff",
     .what = "places in the order of |x - y|, which the kernel before the sort computes",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = argsort_abs_diff},
};

const bench_family bench_family_order = {work, sizeof work / sizeof *work};
