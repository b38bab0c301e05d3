/* SPDX-License-Identifier: MIT */
/* Pictures: Halide's apps, and Parboil's sum of absolute differences. Pictures are planes of f32 or u16; where an app
 * clamps its reads at the border the plane is padded by its edge. */
#include "bench/bench.h"

/* A window of a padded picture, moved by dy, dx, of the size of the picture without its border. */
static fsr_node moved(fsr_node padded, int64_t border, int64_t dy, int64_t dx) {
    const int64_t rows = fsr_node_dim(padded, 0) - 2 * border, cols = fsr_node_dim(padded, 1) - 2 * border;
    fsr_node y = fsr_slice(padded, 0, border + dy, border + dy + rows, 1);
    return fsr_slice(y, 1, border + dx, border + dx + cols, 1);
}

static fsr_node pad_edge(fsr_node x, int64_t border) {
    return fsr_pad(x, ((int64_t[2][2]){{border, border}, {border, border}}), FSR_PAD_EDGE, 0);
}

/* Halide's max_filter with a square window: a running maximum of 2, 4, 8 neighbours by doubling, then 2 more. */
static fsr_node max_run(fsr_node x, int axis, int64_t width) {
    int64_t have = 1;
    while (have < width) {
        const int64_t step = have * 2 <= width ? have : width - have, n = fsr_node_dim(x, axis) - step;
        x = fsr_maximum(fsr_slice(x, axis, 0, n, 1), fsr_slice(x, axis, step, n + step, 1));
        have += step;
    }
    return x;
}

static void max_filter(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = max_run(max_run(in[0], 0, 15), 1, 15);
}

/* A mean of 3 by 3 patches around, by how alike they are to the element's own; displacements of up to 2. */
static void nl_means(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    enum { FAR = 2, BORDER = FAR + 1 };
    fsr_node wide = pad_edge(in[0], BORDER), sum = {0}, weight = {0};
    for (int dy = -FAR; dy <= FAR; dy++)
        for (int dx = -FAR; dx <= FAR; dx++) {
            fsr_node d = fsr_sub(moved(wide, FAR, dy, dx), moved(wide, FAR, 0, 0));
            fsr_node s =
                fsr_expr(g, "q = d * d; r = q[:-2] + q[1:-1] + q[2:]; exp(-2 * (r[:, :-2] + r[:, 1:-1] + r[:, 2:]))",
                         (fsr_name[]){{"d", d}}, 1);
            fsr_node term = fsr_mul(s, moved(wide, BORDER, dy, dx));
            sum = sum.graph ? fsr_add(sum, term) : term;
            weight = weight.graph ? fsr_add(weight, s) : s;
        }
    out[0] = fsr_div(sum, weight);
}

/* Halide's stencil_chain: means of 3 by 3 with weights, one after the other, the border kept by its edge. */
static void stencil_chain(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node x = in[0];
    for (int turn = 0; turn < 4; turn++)
        x = fsr_expr(g, "r = p[:-2] + 2 * p[1:-1] + p[2:]; (r[:, :-2] + 2 * r[:, 1:-1] + r[:, 2:]) / 16",
                     (fsr_name[]){{"p", pad_edge(x, 1)}}, 1);
    out[0] = x;
}

/* Halide's interpolate: colours where alpha is 0 come from coarser levels. Down by means of four, up by repetition. */
static void interpolate(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    enum { LEVELS = 4 };
    fsr_node level[LEVELS];
    level[0] = fsr_expr(g, "x * x[3:]", (fsr_name[]){{"x", in[0]}}, 1);
    for (int i = 1; i < LEVELS; i++)
        level[i] = fsr_expr(g, "r = x[:, ::2] + x[:, 1::2]; 0.25 * (r[:, :, ::2] + r[:, :, 1::2])",
                            (fsr_name[]){{"x", level[i - 1]}}, 1);
    for (int i = LEVELS - 2; i >= 0; i--)
        level[i] = fsr_expr(g, "x + (1 - x[3:]) * repeat(repeat(y, 2, 1), 2, 2)",
                            (fsr_name[]){{"x", level[i]}, {"y", level[i + 1]}}, 2);
    out[0] = fsr_expr(g, "x[:3] / x[3:]", (fsr_name[]){{"x", level[0]}}, 1);
}

/* Parboil's sad: of blocks of 4 by 4 against a frame, at displacements of up to 2: the least sum. */
static void sad(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node least = {0};
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            fsr_name name[] = {{"x", fsr_cast(in[0], FSR_I32)}, {"y", fsr_cast(moved(in[1], 2, dy, dx), FSR_I32)}};
            fsr_node d = fsr_expr(g, "abs(x - y)", name, 2);
            d = fsr_reshape(d, 4, ((int64_t[]){fsr_node_dim(d, 0) / 4, 4, fsr_node_dim(d, 1) / 4, 4}));
            fsr_node sum = fsr_sum_as(d, FSR_I32, ((int[]){1, 3}), 2, 0);
            least = least.graph ? fsr_minimum(least, sum) : sum;
        }
    out[0] = least;
}

static const bench_workload work[] = {
    {.name = "blur",
     .what = "Halide: means of 3 by 3 of 16-bit pixels",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .program =
         &(bench_program){.extent = {{30, 40}, {2002, 3002}, {6002, 8002}},
                          .in = {{"p", BENCH_PIXEL_U16, "ab"}},
                          .text = "x = (p[:, :-2] + p[:, 1:-1] + p[:, 2:]) // 3; (x[:-2] + x[1:-1] + x[2:]) // 3"}},
    {.name = "unsharp",
     .what = "Halide: a picture's grey level made sharper by what a Gaussian of 7 by 7 leaves",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{30, 40}, {1536, 2560}, {4096, 6144}},
             .in = {{"p", BENCH_UNIFORM, "3ab"}},
             .text = "g = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]; e = pad(g, 3, mode=edge);"
                     "x = 0.27 * e[3:-3] + 0.214 * (e[2:-4] + e[4:-2]) + 0.106 * (e[1:-5] + e[5:-1]) + 0.045 * (e[:-6] "
                     "+ e[6:]);"
                     "y = 0.27 * x[:, 3:-3] + 0.214 * (x[:, 2:-4] + x[:, 4:-2]) + 0.106 * (x[:, 1:-5] + x[:, 5:-1]) +"
                     "    0.045 * (x[:, :-6] + x[:, 6:]); p * ((2 * g - y) / (g + 0.01))"}},
    {.name = "harris",
     .what = "Halide: corners, from sums of products of slopes over 3 by 3",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{30, 40}, {1536, 2560}, {4096, 6144}},
             .in = {{"p", BENCH_UNIFORM, "3ab"}},
             .text =
                 "g = 0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2]; v = g[:-2] + 2 * g[1:-1] + g[2:]; w = g[2:] - g[:-2];"
                 "dx = (v[:, 2:] - v[:, :-2]) / 12; dy = (w[:, :-2] + 2 * w[:, 1:-1] + w[:, 2:]) / 12;"
                 "a = dx * dx; b = dy * dy; c = dx * dy;"
                 "a = a[:-2] + a[1:-1] + a[2:]; b = b[:-2] + b[1:-1] + b[2:]; c = c[:-2] + c[1:-1] + c[2:];"
                 "a = a[:, :-2] + a[:, 1:-1] + a[:, 2:]; b = b[:, :-2] + b[:, 1:-1] + b[:, 2:];"
                 "c = c[:, :-2] + c[:, 1:-1] + c[:, 2:]; t = a + b; a * b - c * c - 0.04 * t * t"}},
    {.name = "camera_pipe",
     .what = "Halide, a part: hot pixels, colours of a Bayer mosaic by neighbours, a colour matrix, a curve",
     .ninputs = 2,
     .nouts = 1,
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{36, 48}, {1968, 2592}, {3936, 5184}},
             .in = {{"raw", BENCH_UNIFORM, "ab"}, {"m", BENCH_UNIFORM_1, "34"}},
             .text = "p = raw[2:-2, 2:-2]; hot = max(raw[:-4, 2:-2], raw[4:, 2:-2], raw[2:-2, :-4], raw[2:-2, 4:]);"
                     "low = min(raw[:-4, 2:-2], raw[4:, 2:-2], raw[2:-2, :-4], raw[2:-2, 4:]); d = clip(p, low, hot);"
                     "a = d[::2, ::2]; r = d[::2, 1::2]; b = d[1::2, ::2]; c = d[1::2, 1::2];"
                     "red = stack(stack(0.5 * (r + roll(r, 1, 1)), r, axis=2),"
                     "    stack(0.25 * (r + roll(r, 1, 1) + roll(r, -1, 0) + roll(roll(r, 1, 1), -1, 0)),"
                     "    0.5 * (r + roll(r, -1, 0)), axis=2), axis=1);"
                     "green = stack(stack(a, 0.25 * (a + roll(a, -1, 1) + c + roll(c, 1, 0)), axis=2),"
                     "    stack(0.25 * (c + roll(c, 1, 1) + a + roll(a, -1, 0)), c, axis=2), axis=1);"
                     "blue = stack(stack(0.5 * (b + roll(b, 1, 0)),"
                     "    0.25 * (b + roll(b, -1, 1) + roll(b, 1, 0) + roll(roll(b, 1, 0), -1, 1)), axis=2),"
                     "    stack(b, 0.5 * (b + roll(b, -1, 1)), axis=2), axis=1);"
                     "s = stack(m[0, 0] * red + m[0, 1] * green + m[0, 2] * blue + m[0, 3],"
                     "    m[1, 0] * red + m[1, 1] * green + m[1, 2] * blue + m[1, 3],"
                     "    m[2, 0] * red + m[2, 1] * green + m[2, 2] * blue + m[2, 3]);"
                     "255 * clip(s / 4, 0, 1)**0.45"}},
    {.name = "max_filter",
     .what = "Halide: the greatest of 15 by 15 by doubled windows",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = max_filter,
     .program = &(bench_program){.extent = {{40, 50}, {1550, 2574}, {4110, 6158}}, .in = {{"p", BENCH_UNIFORM, "ab"}}}},
    {.name = "nl_means",
     .what = "Halide: means over patches that are alike, 25 displacements, patches of 3 by 3",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = nl_means,
     .program = &(bench_program){.extent = {{20, 24}, {614, 1024}, {2456, 4096}}, .in = {{"p", BENCH_UNIFORM, "ab"}}}},
    {.name = "stencil_chain",
     .what = "Halide: four weighted means of 3 by 3, one after the other",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = stencil_chain,
     .program = &(bench_program){.extent = {{30, 40}, {1536, 2560}, {4096, 6144}}, .in = {{"p", BENCH_UNIFORM, "ab"}}}},
    {.name = "interpolate",
     .what = "Halide: holes filled from coarser levels of a pyramid, 4 levels",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = interpolate,
     .program =
         &(bench_program){.extent = {{32, 40}, {1536, 2560}, {4096, 6144}}, .in = {{"p", BENCH_UNIFORM, "4ab"}}}},
    {.name = "daubechies",
     .what = "Halide wavelet: sums and differences with four weights along rows",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .program = &(bench_program){.extent = {{30, 40}, {1536, 2560}, {4096, 6144}},
                                 .in = {{"p", BENCH_UNIFORM, "ab"}},
                                 .text = "e = pad(p, [0, 0, 0, 2], mode=edge); a = e[:, :-2:2]; b = e[:, 1:-2:2]; c = "
                                         "e[:, 2::2]; d = e[:, 3::2];"
                                         "stack(0.4829629 * a + 0.8365163 * b + 0.22414387 * c - 0.12940952 * d,"
                                         "    0.12940952 * a + 0.22414387 * b - 0.8365163 * c + 0.4829629 * d)"}},
    {.name = "separable_conv",
     .what = "Halide depthwise_separable_conv: 3 by 3 of each channel, then a matrix of channels, not below 0",
     .ninputs = 4,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program = &(bench_program){.extent = {{8, 10, 6, 8}, {114, 114, 32, 16}, {226, 226, 64, 64}},
                                 .in = {{"x", BENCH_SIGNED, "abc"},
                                        {"w", BENCH_UNIFORM, "33c"},
                                        {"m", BENCH_UNIFORM_1, "cd"},
                                        {"b", BENCH_UNIFORM_2, "d"}},
                                 .text = "y = x[:-2, :-2] * w[0, 0] + x[:-2, 1:-1] * w[0, 1] + x[:-2, 2:] * w[0, 2] + "
                                         "x[1:-1, :-2] * w[1, 0] +"
                                         "    x[1:-1, 1:-1] * w[1, 1] + x[1:-1, 2:] * w[1, 2] + x[2:, :-2] * w[2, 0] + "
                                         "x[2:, 1:-1] * w[2, 1] +"
                                         "    x[2:, 2:] * w[2, 2]; max(sum(y[:, :, :, None] * m, 2) + b, 0)"}},
    {.name = "sad",
     .what = "Parboil: the least sum of absolute differences of blocks of 4 by 4, 25 displacements",
     .ninputs = 2,
     .nouts = 1,
     .kernels = -1,
     .build = sad,
     .program = &(bench_program){.extent = {{24, 32, 28, 36}, {288, 352, 292, 356}, {1080, 1920, 1084, 1924}},
                                 .in = {{"x", BENCH_PIXEL, "ab"}, {"y", BENCH_PIXEL, "cd"}}}},
};

const bench_family bench_programs_image = {work, sizeof work / sizeof *work};
