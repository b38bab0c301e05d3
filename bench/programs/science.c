/* SPDX-License-Identifier: MIT */
/* Physics, signals and plain array code, of NPBench and Parboil. */
#include "bench/bench.h"

/* NPBench's sets: z is looked at before each turn, and what has left stays. state: re, im. */
static void julia_holds(fsr_node *out, const fsr_node *z, const fsr_node *c, void *user) {
    (void)c, (void)user;
    out[0] = fsr_less(fsr_add(fsr_mul(z[0], z[0]), fsr_mul(z[1], z[1])), fsr_float(z[0].graph, 4));
}

static void julia_turn(fsr_node *out, const fsr_node *z, const fsr_node *c, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_sub(fsr_mul(z[0], z[0]), fsr_mul(z[1], z[1])), c[0]);
    out[1] = fsr_add(fsr_mul(fsr_mul(z[0], z[1]), fsr_float(z[0].graph, 2)), c[1]);
}

static void mandelbrot2(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const fsr_loop loop = {julia_turn, julia_holds, NULL, 2, 2};
    const int64_t n = fsr_node_dim(in[0], 0);
    fsr_node t = fsr_mul(fsr_arange(g, FSR_F32, n), fsr_float(g, 2.5 / (double)n)), result[3];
    fsr_node zero = fsr_zeros(g, FSR_F32, 0, NULL);
    fsr_node c[] = {fsr_sub(t, fsr_float(g, 2)), fsr_expand(fsr_sub(t, fsr_float(g, 1.25)), 1)};
    fsr_iterate(result, &loop, (fsr_node[]){zero, zero}, c, 60);
    out[0] = result[2];
}

/* The array way: every point takes part in every turn, 12 of them, and is kept by a mask once it has left. */
static void mandelbrot1(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t n = fsr_node_dim(in[0], 0), shape[] = {n, n};
    fsr_node t = fsr_mul(fsr_arange(g, FSR_F32, n), fsr_float(g, 2.5 / (double)n));
    fsr_node zero = fsr_zeros(g, FSR_F32, 2, shape);
    fsr_name name[] = {{"x", fsr_sub(t, fsr_float(g, 2))},
                       {"y", fsr_expand(fsr_sub(t, fsr_float(g, 1.25)), 1)},
                       {"p", zero},
                       {"q", zero},
                       {"n", fsr_zeros(g, FSR_I32, 2, shape)}};
    for (int turn = 0; turn < 12; turn++) {
        fsr_node next[3];
        fsr_exprs(
            g,
            "in = p * p + q * q < 4; where(in, p * p - q * q + x, p), where(in, p * q * 2 + y, q), where(in, n + 1, n)",
            name, 5, next, 3);
        for (int i = 0; i < 3; i++)
            name[2 + i].node = next[i];
    }
    out[0] = name[4].node;
}

/* A radix-2 transform of Stockham's kind, which sorts as it goes: stage by stage halves are added and subtracted, and
 * the second ones turned. In two parts, as arrays of [blocks, 2, rest]. */
static void stockham_fft(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t n = fsr_node_dim(in[0], 0);
    fsr_node x = in[0];
    for (int64_t left = n, stride = 1; left > 1; left /= 2, stride *= 2) {
        const int64_t half = left / 2;
        fsr_node angle =
            fsr_mul(fsr_arange(g, FSR_F32, half), fsr_float(g, -2 * 3.14159265358979323846 / (double)left));
        fsr_name name[] = {{"x", fsr_reshape(x, 3, ((int64_t[]){2, half, stride}))},
                           {"w", fsr_expand(fsr_expr(g, "cos(a) + sin(a) * 1j", (fsr_name[]){{"a", angle}}, 1), 1)}};
        x = fsr_expr(g, "stack(x[0] + x[1], (x[0] - x[1]) * w, axis=1)", name, 2);
    }
    out[0] = fsr_reshape(x, 1, &n);
}

/* Recurrences of first order along an axis: (a, b) then (c, d) is (a c, b c + d). */
static void linear(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

/* y[i] = r y[i - 1] + x[i], twice: what deriche's filter of second order with a double root is made of. */
static fsr_node smooth(fsr_node x, double r, int axis, int flags) {
    static const fsr_operator op = {.body = linear, .arity = 2, .identity = {1, 0}};
    fsr_node pair[] = {fsr_full_like(x, r), x}, result[2];
    for (int turn = 0; turn < 2; turn++) {
        fsr_scan_with(result, pair, &op, &axis, 1, flags);
        pair[1] = result[1];
    }
    return pair[1];
}

/* Both directions of one axis: taps a[0], a[1] forwards, a[2], a[3] of the ones behind backwards. */
static fsr_node deriche_axis(fsr_graph *g, fsr_node x, const double *a, double r, int axis) {
    const int64_t n = fsr_node_dim(x, axis);
    int64_t before[2][2] = {{0, 0}, {0, 0}}, after[2][2] = {{0, 0}, {0, 0}};
    before[axis][0] = 1, after[axis][1] = 2;
    fsr_node past = fsr_slice(fsr_pad(x, before, FSR_PAD_CONSTANT, 0), axis, 0, n, 1);
    fsr_node later = fsr_pad(x, after, FSR_PAD_CONSTANT, 0);
    fsr_node next = fsr_slice(later, axis, 1, n + 1, 1), second = fsr_slice(later, axis, 2, n + 2, 1);
    fsr_node forth = fsr_add(fsr_mul(x, fsr_float(g, a[0])), fsr_mul(past, fsr_float(g, a[1])));
    fsr_node back = fsr_add(fsr_mul(next, fsr_float(g, a[2])), fsr_mul(second, fsr_float(g, a[3])));
    return fsr_add(smooth(forth, r, axis, 0), smooth(back, r, axis, FSR_REVERSE));
}

static void deriche(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const double r = 0.77880078307140488; /* exp(-alpha) of alpha 0.25 */
    static const double a[] = {0.041275537, -0.024109332, 0.040182219, -0.025034812};
    out[0] = deriche_axis(g, deriche_axis(g, in[0], a, r, 1), a, r, 0);
}

static const bench_workload work[] = {
    {.name = "go_fast",
     .what = "NPBench: a matrix plus the sum of tanh of its diagonal",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program = &(bench_program){.extent = {{50}, {2000}, {12500}},
                                 .in = {{"a", BENCH_UNIFORM, "aa"}},
                                 .text = "a + sum(tanh(diagonal(a)))"}},
    {.name = "compute",
     .what = "NPBench: clipped and scaled integers",
     .ninputs = 2,
     .nouts = 1,
     .kernels = -1,
     .program = &(bench_program){.extent = {{20, 24}, {2000, 2000}, {8000, 8000}},
                                 .in = {{"x", BENCH_WHOLE_I64, "ab"}, {"y", BENCH_WHOLE_I64, "ab"}},
                                 .text = "clip(x, 2, 10) * 4 + y * 3 + 9"}},
    {.name = "arc_distance",
     .what = "NPBench: distances on a sphere",
     .ninputs = 4,
     .nouts = 1,
     .kernels = -1,
     .program = &(bench_program){.extent = {{1000}, {1000000}, {10000000}},
                                 .in = {{"t", BENCH_UNIFORM, "a"},
                                        {"p", BENCH_UNIFORM_1, "a"},
                                        {"u", BENCH_UNIFORM_2, "a"},
                                        {"q", BENCH_UNIFORM_3, "a"}},
                                 .text = "m = sin((u - t) / 2)**2 + cos(t) * cos(u) * sin((q - p) / 2)**2; 2 * "
                                         "arctan2(sqrt(m), sqrt(1 - m))"}},
    {.name = "azimint_naive",
     .what = "NPBench: means of data whose radius lies in each of 100 rings",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = -1,
     .program =
         &(bench_program){.extent = {{500}, {40000}, {1000000}},
                          .in = {{"data", BENCH_UNIFORM, "a"}, {"radius", BENCH_UNIFORM_1, "a"}},
                          .text = "r = f32(arange(100))[:, None] * (max(radius) / 100); s = r + max(radius) / 100;"
                                  "in = (radius >= r) & (radius < s); sum(where(in, data, 0), 1) / "
                                  "max(f32(count_nonzero(in, 1)), 1)"}},
    {.name = "nbody",
     .what = "NPBench: gravity between all pairs of points, one turn",
     .ninputs = 3,
     .nouts = 2,
     .out = {{BENCH_SCALED, 0}, {BENCH_SCALED, 1}},
     .kernels = -1,
     .program =
         &(bench_program){.extent = {{25}, {100}, {4000}},
                          .in = {{"x", BENCH_UNIFORM, "a3"}, {"v", BENCH_UNIFORM_1, "a3"}, {"m", BENCH_UNIFORM_2, "a"}},
                          .text = "d = x[None, :, :] - x[:, None, :]; r = sum(d * d, 2) + 0.01; f = m * r**-1.5;"
                                  "a = sum(d * f[:, :, None], 1); w = v + 0.005 * a; x + 0.01 * w, w + 0.005 * a"}},
    {.name = "mandelbrot1",
     .what = "NPBench: z * z + c on all points, 12 turns under a mask",
     .ninputs = 1,
     .shape_only = true,
     .nouts = 1,
     .kernels = -1,
     .build = mandelbrot1,
     .program = &(bench_program){.extent = {{40}, {1000}, {4000}}, .in = {{"n", BENCH_UNIFORM, "a"}}}},
    {.name = "mandelbrot2",
     .what = "NPBench: z * z + c on the points that have not left, at most 60 turns",
     .ninputs = 1,
     .shape_only = true,
     .nouts = 1,
     .kernels = -1,
     .build = mandelbrot2,
     .program = &(bench_program){.extent = {{40}, {1000}, {4000}}, .in = {{"n", BENCH_UNIFORM, "a"}}}},
    {.name = "stockham_fft",
     .what = "NPBench: a Fourier transform, every stage an array of two halves",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = stockham_fft,
     .program = &(bench_program){.extent = {{256}, {32768}, {1 << 20}}, .in = {{"x", BENCH_COMPLEX, "a"}}}},
    {.name = "deriche",
     .what = "NPBench, PolyBench: an edge filter of second order along rows and columns, both ways",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = deriche,
     .program = &(bench_program){.extent = {{24, 30}, {1080, 1920}, {4320, 7680}}, .in = {{"x", BENCH_UNIFORM, "ab"}}}},
    {.name = "mri_q",
     .what = "Parboil: cosines and sines of all points against all samples, summed",
     .ninputs = 3,
     .nouts = 2,
     .out = {{BENCH_SCALED, 0}, {BENCH_SCALED, 1}},
     .kernels = -1,
     .program =
         &(bench_program){.extent = {{64, 40}, {4096, 3072}, {262144, 2048}},
                          .in = {{"x", BENCH_SIGNED, "a3"}, {"k", BENCH_UNIFORM, "b3"}, {"phi", BENCH_UNIFORM_1, "b"}},
                          .text = "t = 2 * pi * (x[:, 0][:, None] * k[:, 0] + x[:, 1][:, None] * k[:, 1] + x[:, 2][:, "
                                  "None] * k[:, 2]);"
                                  "sum(phi * cos(t), 1), sum(phi * sin(t), 1)"}},
    {.name = "cutcp",
     .what = "Parboil: potentials of all atoms within a distance at the points of a grid",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = -1,
     .program =
         &(bench_program){.extent = {{64, 30}, {8192, 1024}, {262144, 4096}},
                          .in = {{"at", BENCH_UNIFORM, "a3"}, {"atom", BENCH_UNIFORM_1, "b4"}},
                          .text =
                              "x = at[:, 0][:, None] - atom[:, 0]; y = at[:, 1][:, None] - atom[:, 1];"
                              "z = at[:, 2][:, None] - atom[:, 2]; r = x * x + y * y + z * z + 1e-6; s = 1 - r / 0.04;"
                              "sum(where(r < 0.04, atom[:, 3] / sqrt(r) * s * s, 0), 1)"}},
};

const bench_family bench_programs_science = {work, sizeof work / sizeof *work};
