/* SPDX-License-Identifier: MIT */
/* Library calls between kernels. */
#include "bench/bench.h"

/* A low-pass filter along each row: the spectrum times a complex transfer function, and back. */
static void fft_filter(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t n = fsr_node_dim(in[0], 1);
    fsr_node f = fsr_arange(g, FSR_F32, n / 2 + 1);
    fsr_node transfer = fsr_div(fsr_int(g, 1), fsr_add(fsr_int(g, 1), fsr_mul(f, fsr_complex(g, 0, 0.01))));
    out[0] = fsr_irfft(fsr_mul(fsr_rfft(in[0], 1), transfer), n, 1);
}

static const bench_workload work[] = {
    {.name = "fft_filter",
     .what = "a low-pass filter along each row by Fourier transforms and a complex product",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 2,
     .build = fft_filter},
};

const bench_family bench_family_library = {work, sizeof work / sizeof *work};
