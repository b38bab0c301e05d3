/* SPDX-License-Identifier: MIT */
/* Work so small that the call is what costs. */
#include "bench/bench.h"

/* sqrt(exp(sin(x) * 2 + 1) * x + 3) - x: eight operations. */
static void chain_small(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node x = in[0];
    fsr_node e = fsr_exp(fsr_add(fsr_mul(fsr_sin(x), fsr_float(g, 2)), fsr_float(g, 1)));
    out[0] = fsr_sub(fsr_sqrt(fsr_add(fsr_mul(e, x), fsr_float(g, 3))), x);
}

static const bench_workload work[] = {
    {.name = "chain_small",
     .what = "8 operations over 1,024 elements, averaged over 1,000 asynchronous calls",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .n = 1024,
     .calls = true,
     .kernels = 1,
     .build = chain_small},
};

const bench_family bench_family_small = {work, sizeof work / sizeof *work};
