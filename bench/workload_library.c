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

/* Systems of 32 equations, as many as the matrix has, whose diagonal makes them well conditioned; the first column of
 * each block of another matrix is the right side. */
static void solve_batched(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    enum { SIDE = 32 };
    const int64_t shape[] = {fsr_node_size(in[0]) / (SIDE * SIDE), SIDE, SIDE};
    fsr_node heavy = fsr_mul(fsr_eye(g, FSR_F32, SIDE, SIDE, 0), fsr_int(g, SIDE));
    fsr_node a = fsr_add(fsr_reshape(in[0], 3, shape), heavy);
    out[0] = fsr_solve(a, fsr_slice(fsr_reshape(in[1], 3, shape), 2, 0, 1, 1));
}

/* max(0.5 x w + b, 0) of as many columns as x has rows, at most 64: without a library all products of them are
 * stored where nothing is fused. */
static void matmul_epilogue(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    enum { MOST = 64 };
    const int64_t rows = fsr_node_dim(in[0], 0), cols = rows < MOST ? rows : MOST;
    fsr_node w = fsr_swapaxes(fsr_slice(in[1], 0, 0, cols, 1), 0, 1), b = fsr_slice(in[2], 0, 0, cols, 1);
    fsr_node z = fsr_add(fsr_mul(fsr_matmul(in[0], w), fsr_float(g, 0.5)), b);
    out[0] = fsr_maximum(z, fsr_int(g, 0));
}

static const bench_workload work[] = {
    {.name = "solve_batched",
     .what = "systems of 32 equations, each with one right side",
     .ninputs = 2,
     .in = {{BENCH_MATRIX, 0}, {BENCH_MATRIX, 1}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 3,
     .build = solve_batched},
    {.name = "matmul_epilogue",
     .what = "a product of matrices, scaled, with a bias, and no less than 0",
     .ninputs = 3,
     .in = {{BENCH_MATRIX, 0}, {BENCH_MATRIX, 1}, {BENCH_ROW, 2}},
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = 1,
     .build = matmul_epilogue},
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
