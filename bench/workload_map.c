/* SPDX-License-Identifier: MIT */
/* Elementwise work: one kernel, each input read once, the output written once. */
#include "bench/bench.h"

/* (e^v - e^-v) / (e^v + e^-v) of v = grey / 255 * weight: tanh in its exp form, a hidden layer's activation. */
static void hidden_layer(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node v = fsr_mul(fsr_div(in[0], fsr_float(g, 255)), in[1]);
    fsr_node p = fsr_exp(v), m = fsr_exp(fsr_neg(v));
    out[0] = fsr_div(fsr_sub(p, m), fsr_add(p, m));
}

/* The normal density with mean 0.1 and deviation 1.3. */
static void gaussian_pdf(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const double mean = 0.1, deviation = 1.3, sqrt_2pi = 2.5066282746310002;
    fsr_node z = fsr_div(fsr_sub(in[0], fsr_float(g, mean)), fsr_float(g, deviation));
    fsr_node e = fsr_exp(fsr_mul(fsr_float(g, -0.5), fsr_mul(z, z)));
    out[0] = fsr_div(e, fsr_float(g, deviation * sqrt_2pi));
}

/* (x * y + z) * (x - z) + y / 2: arithmetic alone, as fast as memory. */
static void arith_chain(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node x = in[0], y = in[1], z = in[2];
    fsr_node product = fsr_mul(fsr_add(fsr_mul(x, y), z), fsr_sub(x, z));
    out[0] = fsr_add(product, fsr_mul(y, fsr_float(g, 0.5)));
}

/* Distance of the points (r1, t1) and (r2, t2) in polar coordinates. */
static void polar_distance(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    fsr_node dx = fsr_sub(fsr_mul(in[0], fsr_cos(in[1])), fsr_mul(in[2], fsr_cos(in[3])));
    fsr_node dy = fsr_sub(fsr_mul(in[0], fsr_sin(in[1])), fsr_mul(in[2], fsr_sin(in[3])));
    out[0] = fsr_sqrt(fsr_add(fsr_mul(dx, dx), fsr_mul(dy, dy)));
}

/* sqrt(2 x[i] + 1): what reads the elements costs nothing beside reading them. */
static fsr_node of_taken(fsr_graph *g, fsr_node x, fsr_node i) {
    fsr_node taken = fsr_take(x, i, 0, FSR_INDEX_CLIP);
    return fsr_sqrt(fsr_add(fsr_mul(taken, fsr_float(g, 2)), fsr_float(g, 1)));
}

/* Indices all over the array: u * n, where u is uniform on [0, 1). */
static void gather_map(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node i = fsr_cast(fsr_mul(in[1], fsr_float(g, (double)fsr_node_size(in[0]))), FSR_I32);
    out[0] = of_taken(g, in[0], i);
}

/* Indices that never go back, three quarters of them different: 3 k / 4. */
static void gather_sorted(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node k = fsr_arange(g, FSR_I64, fsr_node_size(in[0]));
    out[0] = of_taken(g, in[0], fsr_right_shift(fsr_mul(k, fsr_int(g, 3)), fsr_int(g, 2)));
}

static const bench_workload work[] = {
    {.name = "hidden_layer",
     .what = "(e^v - e^-v) / (e^v + e^-v), v = grey / 255 * weight",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, BENCH_GREY}, {BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = hidden_layer},
    {.name = "hidden_f16",
     .what = "hidden_layer in f16, rounded after every operation",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, BENCH_GREY_F16}, {BENCH_VECTOR, BENCH_WEIGHT_F16}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = hidden_layer},
    {.name = "hidden_bf16",
     .what = "hidden_layer in bf16, rounded after every operation",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, BENCH_GREY_BF16}, {BENCH_VECTOR, BENCH_WEIGHT_BF16}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = hidden_layer},
    {.name = "gaussian_pdf",
     .what = "normal density, mean 0.1, deviation 1.3",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = gaussian_pdf},
    {.name = "arith_chain",
     .what = "(x * y + z) * (x - z) + y / 2",
     .ninputs = 3,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}, {BENCH_VECTOR, 2}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = arith_chain},
    {.name = "polar_distance",
     .what = "distance of two points in polar coordinates, four inputs",
     .ninputs = 4,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}, {BENCH_VECTOR, 2}, {BENCH_VECTOR, 3}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = polar_distance},
    {.name = "gather_map",
     .what = "sqrt(2 x[i] + 1), i = u * n: indices all over the array, computed in the same kernel",
     .ninputs = 2,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = gather_map},
    {.name = "gather_sorted",
     .what = "the same, i = 3 k / 4 for element k: indices that never go back",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = gather_sorted},
};

const bench_family bench_family_map = {work, sizeof work / sizeof *work};
