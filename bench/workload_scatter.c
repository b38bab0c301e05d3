/* SPDX-License-Identifier: MIT */
/* Elements added at computed indices, and counted by bins. */
#include "bench/bench.h"

enum { PLACES = 1 << 20 };

/* Sums of sqrt(2 v + 1) at 2^20 places, u * 2^20. */
static fsr_node added(fsr_graph *g, const fsr_node *in, int flags) {
    const int64_t places = PLACES;
    fsr_node i = fsr_cast(fsr_mul(in[1], fsr_float(g, PLACES)), FSR_I32);
    fsr_node v = fsr_sqrt(fsr_add(fsr_mul(in[0], fsr_float(g, 2)), fsr_float(g, 1)));
    return fsr_scatter_add(fsr_full(g, FSR_F32, 1, &places, 0), &i, 1, v, FSR_INDEX_CLIP, flags);
}

static void scatter_add_map(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = added(g, in, 0);
}

static void scatter_add_fast(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = added(g, in, FSR_UNORDERED);
}

/* Of equal places the last value. */
static void scatter_last(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t places = PLACES;
    fsr_node i = fsr_cast(fsr_mul(in[1], fsr_float(g, PLACES)), FSR_I32);
    out[0] = fsr_scatter(fsr_full(g, FSR_F32, 1, &places, 0), &i, 1, in[0], FSR_INDEX_CLIP, 0);
}

static void histogram_256(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_histogram(in[0], (fsr_node){0}, 256, 0, 1);
}

static void histogram_64k(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_histogram(in[0], (fsr_node){0}, 1 << 16, 0, 1);
}

static const bench_workload work[] = {
    {.name = "scatter_add_map",
     .what = "y[u * 2^20] += sqrt(2 v + 1): sums at 2^20 places, the same bits in every run",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 6,
     .kernels_cpu = 3,
     .build = scatter_add_map},
    {.name = "scatter_add_fast",
     .what = "the same, added as threads come: the last bits differ",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 2,
     .build = scatter_add_fast},
    {.name = "scatter_last",
     .what = "y[u * 2^20] = v: of equal places the last value",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 3,
     .build = scatter_last},
    {.name = "histogram_256",
     .what = "256 even bins of [0, 1]",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 3,
     .build = histogram_256},
    {.name = "histogram_64k",
     .what = "2^16 even bins of [0, 1]",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 3,
     .build = histogram_64k},
};

const bench_family bench_family_scatter = {work, sizeof work / sizeof *work};
