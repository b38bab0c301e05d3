/* SPDX-License-Identifier: MIT */
/* Elementwise work on other dtypes than f32, and from one to another: one kernel. f16 and bf16 are rounded after every
 * operation, fused or not, so that both have the same bits. */
#include "bench/bench.h"

/* Sine and cosine of the same angles, in double precision. */
static void sine_cosine(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_sin(in[0]);
    out[1] = fsr_cos(in[0]);
}

/* Samples nearer to zero than a threshold become zero. */
static void zero_suppress(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = fsr_where(fsr_greater_equal(fsr_abs(in[0]), fsr_int(g, 100)), in[0], fsr_int(g, 0));
}

/* Products of complex numbers. One operation: what it shows is the rate at which pairs are read and written. */
static void complex_mul(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_mul(in[0], in[1]);
}

/* Pixels to f32, normalized by mean and deviation, brightened by a power, stored in half the size. */
static void mixed_chain(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const double mean = 0.45, deviation = 0.225;
    fsr_node light = fsr_div(fsr_cast(in[0], FSR_F32), fsr_float(g, 255));
    fsr_node z = fsr_div(fsr_sub(fsr_sqrt(light), fsr_float(g, mean)), fsr_float(g, deviation));
    out[0] = fsr_cast(z, FSR_F16);
}

static const bench_workload work[] = {
    {.name = "sincos",
     .what = "sine and cosine, f64",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, BENCH_ANGLE}},
     .nouts = 2,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 1,
     .build = sine_cosine},
    {.name = "zero_suppress",
     .what = "samples below a threshold to zero, i16",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, BENCH_SAMPLE}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = zero_suppress},
    {.name = "complex_mul",
     .what = "products of two arrays, c64",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, BENCH_COMPLEX}, {BENCH_VECTOR, BENCH_COMPLEX_1}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = complex_mul},
    {.name = "mixed_chain",
     .what = "pixels u8 to f32, root, normalized, stored as f16",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, BENCH_PIXEL}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = mixed_chain},
};

const bench_family bench_family_dtypes = {work, sizeof work / sizeof *work};
