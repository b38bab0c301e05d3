/* SPDX-License-Identifier: MIT */
/* Sums at computed places: NPBench's azimint_hist, Parboil's tpacf. And NPBench's lenet and durbin. */
#include "bench/bench.h"

/* A convolution by 5 by 5 without a border, its negative values cut off, and the greatest of each 2 by 2. */
static fsr_node layer(fsr_graph *g, fsr_node x, fsr_node w, fsr_node b) {
    const int64_t n = fsr_node_dim(x, 0), size = fsr_node_dim(x, 1) - 4, channels = fsr_node_dim(w, 3);
    fsr_node sum = b;
    for (int64_t k = 0; k < 25; k++) {
        fsr_node at = fsr_slice(fsr_slice(x, 1, k / 5, k / 5 + size, 1), 2, k % 5, k % 5 + size, 1);
        fsr_node tap = fsr_slice(fsr_slice(w, 0, k / 5, k / 5 + 1, 1), 1, k % 5, k % 5 + 1, 1);
        fsr_name name[] = {{"x", at}, {"w", tap}, {"s", sum}};
        sum = fsr_expr(g, "s + sum(x[..., None] * w[0, 0], 3)", name, 3);
    }
    fsr_node pooled = fsr_reshape(sum, 6, ((int64_t[]){n, size / 2, 2, size / 2, 2, channels}));
    return fsr_expr(g, "max(max(x, axis=(2, 4)), 0)", (fsr_name[]){{"x", pooled}}, 1);
}

static void lenet(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node x = layer(g, layer(g, in[0], in[1], in[2]), in[3], in[4]);
    fsr_name name[] = {
        {"x", fsr_reshape(x, 2, ((int64_t[]){fsr_node_dim(x, 0), 256}))}, {"u", in[5]}, {"v", in[6]}, {"w", in[7]}};
    out[0] = fsr_expr(g,
                      "y = max(sum(x[:, :, None] * u, 1) / 256, 0); z = max(sum(y[:, :, None] * v, 1) / 120, 0);"
                      "sum(z[:, :, None] * w, 1) / 84",
                      name, 4);
}

/* Turn k of Durbin's recursion for a system of Toeplitz: state y, alpha, beta; y is 0 from k + 1 on. */
static void durbin_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *r = user;
    fsr_graph *g = state[0].graph;
    fsr_name name[] = {{"y", state[0]}, {"a", state[1]}, {"b", state[2]},
                       {"r", *r},       {"k", in[0]},    {"i", fsr_arange(g, FSR_I64, fsr_node_dim(state[0], 0))}};
    fsr_exprs(g,
              "b = (1 - a * a) * b; j = max(k - i, 0); a = -(r[k + 1] + sum(i <= k ? r[j] * y : 0)) / b;"
              "(i <= k ? y + a * y[j] : (i == k + 1 ? a : 0)), a, b",
              name, 6, out, 3);
}

static void durbin(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t n = fsr_node_dim(in[0], 0);
    fsr_name name[] = {{"r", in[0]}, {"n", fsr_int(g, n)}, {"i", fsr_arange(g, FSR_I64, n)}};
    fsr_node r = fsr_expr(g, "r / n", name, 2), state[3], result[3];
    name[0].node = r;
    fsr_exprs(g, "(i == 0 ? -r[0] : 0 * r), -r[0], 1 + 0 * r[0]", name, 3, state, 3);
    fsr_fori_loop(result, state, 3, fsr_int(g, n - 1), durbin_turn, &r);
    out[0] = result[0];
}

static const bench_workload work[] = {
    {.name = "azimint_hist",
     .what = "NPBench: means of data by 1000 bins of their radius",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = -1,
     .program = &(bench_program){.extent = {{3000}, {1000000}, {10000000}},
                                 .in = {{"data", BENCH_UNIFORM, "a"}, {"radius", BENCH_UNIFORM_1, "a"}},
                                 .text = "i = min(i32(radius / max(radius) * 1000), 999); z = f32(zeros(1000));"
                                         "scatter_add(z, i, data) / max(scatter_add(z, i, 1), 1)"}},
    {.name = "tpacf",
     .what = "Parboil: how many pairs of points on a sphere are apart by each of 20 angles",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program = &(bench_program){.extent = {{60, 70}, {2048, 2048}, {16384, 16384}},
                                 .in = {{"x", BENCH_SIGNED, "a3"}, {"y", BENCH_UNIFORM_1, "b3"}},
                                 .text = "x = x / sqrt(sum(x * x, 1, keepdims)); y = y / sqrt(sum(y * y, 1, keepdims));"
                                         "d = sum(x[:, None, :] * y, 2); e = f32(arange(1, 20)) / 10 - 1;"
                                         "scatter_add(f32(zeros(20)), ravel(searchsorted(e, d)), 1)"}},
    {.name = "lenet",
     .what = "NPBench: two convolutions with the greatest of each 2 by 2, and three layers",
     .ninputs = 8,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = lenet,
     .program = &(bench_program){.extent = {{3, 28, 16, 256, 120, 84, 10},
                                            {64, 28, 16, 256, 120, 84, 10},
                                            {1024, 28, 16, 256, 120, 84, 10}},
                                 .in = {{"x", BENCH_UNIFORM, "abb1"},
                                        {"u", BENCH_SIGNED, "5516"},
                                        {"a", BENCH_UNIFORM_1, "6"},
                                        {"v", BENCH_SIGNED, "556c"},
                                        {"b", BENCH_UNIFORM_2, "c"},
                                        {"p", BENCH_SIGNED, "de"},
                                        {"q", BENCH_SIGNED, "ef"},
                                        {"r", BENCH_SIGNED, "fg"}}}},
    {.name = "durbin",
     .what = "NPBench, PolyBench: a system of Toeplitz by Durbin's recursion, whole",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = durbin,
     .program = &(bench_program){.extent = {{20}, {1000}, {8000}}, .in = {{"r", BENCH_UNIFORM, "a"}}}},
};

const bench_family bench_programs_counts = {work, sizeof work / sizeof *work};
