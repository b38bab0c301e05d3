/* SPDX-License-Identifier: MIT */
/* Programs that were written when the others had been tuned for weeks: Halide's compositing and iir_blur, SHOC's S3D
 * with six reactions, Rodinia's nw. */
#include "bench/bench.h"

/* ---- a filter of first order, down and up, then to the right and to the left ---------------------------- */

static void filter_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_name name[] = {{"y", state[0]}, {"x", in[0]}};
    out[0] = out[1] = fsr_expr(in[0].graph, "0.7 * y + 0.3 * x", name, 2);
}

static fsr_node filtered(fsr_node x, int axis, int flags) {
    fsr_node zero = fsr_zeros(x.graph, FSR_F32, 1, (int64_t[]){fsr_node_dim(x, 1 - axis)}), y[2];
    fsr_scan_loop(y, &zero, 1, &x, 1, 1, axis, flags, filter_turn, NULL);
    return y[1];
}

static void iir_blur(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    fsr_node x = filtered(filtered(in[0], 0, 0), 0, FSR_REVERSE);
    out[0] = filtered(filtered(x, 1, 0), 1, FSR_REVERSE);
}

/* ---- two sequences side by side -------------------------------------------------------------------------- */

/* Scores of one more element of the first sequence: what comes from above or from the corner, then the greatest of that
 * and of what comes from the left, a running maximum. user: the second sequence, the table of scores. */
static void score_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *other = user;
    fsr_graph *g = in[0].graph;
    fsr_name name[] = {{"h", state[0]}, {"x", in[0]},    {"k", in[1]},
                       {"y", other[0]}, {"t", other[1]}, {"j", fsr_arange(g, FSR_I32, fsr_node_dim(state[0], 0))}};
    out[0] = out[1] =
        fsr_expr(g,
                 "s = i32(t[i32(x) % 20, i32(y) % 20]) % 16 - 4; m = max(h[1:] - 10, h[:-1] + s);"
                 "first = i32(reshape(-10 * (k + 1), [1])); cummax(concat(first, m) + 10 * j, 0) - 10 * j",
                 name, 6);
}

static void nw(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node j = fsr_arange(g, FSR_I32, fsr_node_dim(in[1], 0) + 1), rows[2], other[] = {in[1], in[2]};
    fsr_node first = fsr_expr(g, "i32(-10 * j)", (fsr_name[]){{"j", j}}, 1);
    fsr_scan_loop(rows, &first, 1, in, 1, 1, 0, 0, score_turn, other);
    out[0] = rows[1];
}

static const bench_workload work[] = {
    {.name = "compositing",
     .what = "Halide: a layer over another, then two blends, in RGBA of bytes",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .program = &(bench_program){.extent = {{20, 24}, {1024, 1024}, {8192, 8192}},
                                 .in = {{"x", BENCH_PIXEL, "3ab4"}},
                                 .text = "b = u16(x[0]); f = u16(x[1]); a = 255 - f[:, :, 3:4]; m = u16(x[2]);"
                                         "r = (min(f + (b * a + 127) // 255, 255) * m + 127) // 255;"
                                         "u8(255 - ((255 - r) * (255 - b) + 127) // 255)"}},
    {.name = "iir_blur",
     .what = "Halide: a filter of first order both ways along both axes",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = iir_blur,
     .program = &(bench_program){.extent = {{20, 24}, {1024, 1024}, {4096, 4096}}, .in = {{"x", BENCH_UNIFORM, "ab"}}}},
    {.name = "s3d",
     .what = "SHOC: what six reactions make of eight species",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{100}, {131072}, {8388608}},
             .in = {{"t", BENCH_UNIFORM, "a"}, {"y", BENCH_UNIFORM_1, "8a"}},
             .text = "t = 800 + 1500 * t; l = log(t); i = 1000 / t; c = y * 0.01;"
                     "p = exp(12 - 8 * i + 0.1 * l) * c[0] * c[1] - exp(3 - 2 * i) * c[2] * c[3];"
                     "q = exp(10 - 3.1 * i + 0.2 * l) * c[4] * c[3] - exp(4 - 5 * i) * c[2] * c[5];"
                     "r = exp(11 - 1.7 * i) * c[4] * c[5] - exp(6 - 9 * i + 0.3 * l) * c[2] * c[6];"
                     "s = exp(13 - 0.5 * l) * c[2] * c[1] - exp(2 - 7 * i) * c[7];"
                     "u = exp(9 - 0.2 * i) * c[7] * c[2] - exp(5 - 4 * i) * c[5] * c[5];"
                     "v = exp(8 - 0.9 * i) * c[7] * c[5] - exp(1 - 6 * i) * c[6] * c[1];"
                     "stack(-p, v - p - s, p + q + r - s - u, p - q, -q - r, q - r + 2 * u - v, r + v, s - u - v)"}},
    {.name = "nw",
     .what = "Rodinia: two sequences side by side, by Needleman and Wunsch, row by row, whole",
     .ninputs = 3,
     .nouts = 1,
     .kernels = -1,
     .build = nw,
     .program =
         &(bench_program){.extent = {{20, 24, 20}, {2048, 2048, 20}, {8192, 8192, 20}},
                          .in = {{"x", BENCH_PIXEL, "a"}, {"y", BENCH_PIXEL_U16, "b"}, {"t", BENCH_WHOLE_I64, "cc"}}}},
};

const bench_family bench_programs_late = {work, sizeof work / sizeof *work};
