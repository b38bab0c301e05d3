/* SPDX-License-Identifier: MIT */
/* Layers of networks, of NPBench. A convolution is a sum over the places of its filter, each a product over
 * channels. */
#include "bench/bench.h"

/* Channels last: x[n, h, w, i] by w[k, k, i, o], where all of the filter lies inside. */
static fsr_node convolve(fsr_node x, fsr_node w) {
    const int channels = 3;
    const int64_t k = fsr_node_dim(w, 0), rows = fsr_node_dim(x, 1) - k + 1, cols = fsr_node_dim(x, 2) - k + 1;
    fsr_node sum = {0};
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < k; c++) {
            fsr_node at = fsr_slice(fsr_slice(x, 1, r, r + rows, 1), 2, c, c + cols, 1);
            fsr_node tap = fsr_squeeze(fsr_squeeze(fsr_slice(fsr_slice(w, 0, r, r + 1, 1), 1, c, c + 1, 1), 0), 0);
            fsr_node term = fsr_sum(fsr_mul(fsr_expand(at, 4), tap), &channels, 1, 0);
            sum = r || c ? fsr_add(sum, term) : term;
        }
    return sum;
}

static void conv2d(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_add(convolve(in[0], in[1]), in[2]);
}

static fsr_node relu(fsr_graph *g, fsr_node x) {
    return fsr_maximum(x, fsr_float(g, 0));
}

/* Each channel to mean 0 and variance 1 over the batch. */
static fsr_node batch_norm(fsr_graph *g, fsr_node x) {
    return fsr_expr(g, "(x - mean(x, [0], keepdims)) / sqrt(var(x, [0], keepdims) + 1e-5)", (fsr_name[]){{"x", x}}, 1);
}

/* A block of ResNet-50: 1 by 1, 3 by 3, 1 by 1, and the way around. */
static void resnet(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const int64_t border[4][2] = {{0, 0}, {1, 1}, {1, 1}, {0, 0}};
    fsr_node x = relu(g, batch_norm(g, convolve(in[0], in[1])));
    x = relu(g, batch_norm(g, convolve(fsr_pad(x, border, FSR_PAD_CONSTANT, 0), in[2])));
    x = batch_norm(g, convolve(x, in[3]));
    out[0] = relu(g, fsr_add(x, in[0]));
}

static const bench_workload work[] = {
    {.name = "softmax_4d",
     .what = "NPBench softmax: of the last axis of four",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = -1,
     .program = &(bench_program){.extent = {{2, 3, 20}, {16, 16, 128}, {64, 16, 448}},
                                 .in = {{"x", BENCH_UNIFORM, "abcc"}},
                                 .text = "e = exp(x - max(x, axis=-1, keepdims)); e / sum(e, -1, keepdims)"}},
    {.name = "mlp",
     .what = "NPBench: three layers and a softmax",
     .ninputs = 7,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{8, 3, 30, 20, 20}, {8, 3, 3000, 1000, 1000}, {8, 3, 30000, 2000, 2000}},
             .in = {{"x", BENCH_UNIFORM, "ab"},
                    {"u", BENCH_SIGNED, "bc"},
                    {"a", BENCH_UNIFORM_1, "c"},
                    {"v", BENCH_SIGNED, "cd"},
                    {"b", BENCH_UNIFORM_2, "d"},
                    {"w", BENCH_SIGNED, "de"},
                    {"c", BENCH_UNIFORM_3, "e"}},
             .text = "y = max(sum(x[:, :, None] * u, 1) + a, 0); z = max(sum(y[:, :, None] * v, 1) / nc + b, 0);"
                     "t = sum(z[:, :, None] * w, 1) / nd + c; e = exp(t - max(t, axis=-1, keepdims)); e / sum(e, -1, "
                     "keepdims)"}},
    {.name = "conv2d",
     .what = "NPBench conv2d_bias: 5 by 5 places, 3 channels to 16",
     .ninputs = 3,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = conv2d,
     .program =
         &(bench_program){
             .extent = {{2, 12, 5}, {8, 64, 16}, {8, 256, 16}},
             .in = {{"x", BENCH_UNIFORM, "abb3"}, {"w", BENCH_UNIFORM_1, "553c"}, {"b", BENCH_UNIFORM_2, "c"}}}},
    {.name = "resnet",
     .what = "NPBench: a residual block of three convolutions with normalized batches",
     .ninputs = 4,
     .nouts = 1,
     .out = {{BENCH_REFERENCE, 0}},
     .kernels = -1,
     .build = resnet,
     .program = &(bench_program){.extent = {{4, 6, 8, 4}, {8, 14, 32, 8}, {8, 56, 256, 64}},
                                 .in = {{"x", BENCH_UNIFORM, "abbc"},
                                        {"u", BENCH_SIGNED, "11cd"},
                                        {"v", BENCH_UNIFORM_1, "33dd"},
                                        {"w", BENCH_UNIFORM_2, "11dc"}}}},
};

const bench_family bench_programs_learning = {work, sizeof work / sizeof *work};
