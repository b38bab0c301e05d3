/* Running sums, with maps before and after: one kernel, one pass. */
#include "bench/bench.h"

static void cumsum(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_cumsum(in[0], 0, 0);
}

static void map_scan_map(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = fsr_sqrt(fsr_add(fsr_cumsum(fsr_mul(in[0], in[1]), 0, 0), fsr_float(g, 1)));
}

static void row_cumsum(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_cumsum(in[0], 1, 0);
}

static const bench_workload work[] = {
    {.name = "cumsum",
     .what = "running sum",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .n_cpu = BENCH_N_CPU,
     .n_cuda = BENCH_N_CUDA,
     .kernels = 1,
     .build = cumsum},
    {.name = "map_scan_map",
     .what = "sqrt(running sum of x * y, plus 1)",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .n_cpu = BENCH_N_CPU,
     .n_cuda = BENCH_N_CUDA,
     .kernels = 1,
     .build = map_scan_map},
    {.name = "row_cumsum",
     .what = "running sum along each row of 4096",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .n_cpu = BENCH_N_CPU,
     .n_cuda = BENCH_N_CUDA,
     .kernels = 1,
     .build = row_cumsum},
};

const bench_family bench_family_scan = {work, sizeof work / sizeof *work};
