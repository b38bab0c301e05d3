/* SPDX-License-Identifier: MIT */
/* Pictures whose steps are at other places or levels than the picture itself: Halide's local_laplacian, bilateral_grid,
 * hist, resize, linear_blur. */
#include "bench/bench.h"

/* Rows and columns by half, weights 1 3 3 1, edges kept; of the last two dimensions of three. */
static fsr_node halved(fsr_node x) {
    return fsr_expr(x.graph,
                    "e = pad(x, [0, 0, 1, 1, 1, 1], mode=edge);"
                    "r = (e[:, :-2:2] + 3 * (e[:, 1:-1:2] + e[:, 2::2]) + e[:, 3::2]) / 8;"
                    "(r[:, :, :-2:2] + 3 * (r[:, :, 1:-1:2] + r[:, :, 2::2]) + r[:, :, 3::2]) / 8",
                    (fsr_name[]){{"x", x}}, 1);
}

/* Rows and columns twice, each new place between two: a quarter of the one, three of the other. */
static fsr_node doubled(fsr_node x) {
    for (int axis = 1; axis < 3; axis++) {
        int64_t shape[] = {fsr_node_dim(x, 0), fsr_node_dim(x, 1), fsr_node_dim(x, 2)};
        shape[axis] *= 2;
        fsr_node both = fsr_expr(x.graph,
                                 axis == 1 ? "e = pad(x, [0, 0, 1, 1, 0, 0], mode=edge);"
                                             "stack(0.25 * e[:, :-2] + 0.75 * x, 0.25 * e[:, 2:] + 0.75 * x, axis=2)"
                                           : "e = pad(x, [0, 0, 0, 0, 1, 1], mode=edge); stack(0.25 * e[:, :, :-2] + "
                                             "0.75 * x, 0.25 * e[:, :, 2:] + 0.75 * x, axis=3)",
                                 (fsr_name[]){{"x", x}}, 1);
        x = fsr_reshape(both, 3, shape);
    }
    return x;
}

/* A pyramid of the picture for each of 4 grey values, near which it has more contrast; each level of the result takes,
 * at each place, from the two pyramids that its grey value lies between. */
static void local_laplacian(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    enum { LEVELS = 4 };
    fsr_name name[] = {{"p", in[0]}, {"g", in[0]}, {"a", in[0]}, {"b", in[0]}, {"o", in[0]}};
    fsr_node grey[LEVELS], near[LEVELS];
    name[1].node = grey[0] = fsr_expr(g, "(0.299 * p[0] + 0.587 * p[1] + 0.114 * p[2])[None]", name, 1);
    near[0] = fsr_expr(g, "v = f32(arange(4))[:, None, None] / 3; d = g - v; g + d * exp(-8 * d * d)", name, 2);
    for (int i = 1; i < LEVELS; i++)
        grey[i] = halved(grey[i - 1]), near[i] = halved(near[i - 1]);
    for (int i = LEVELS - 1; i >= 0; i--) {
        name[1].node = grey[i];
        name[2].node = i + 1 < LEVELS ? fsr_sub(near[i], doubled(near[i + 1])) : near[i];
        fsr_node level = fsr_expr(g,
                                  "t = clip(g * 3, 0, 3); k = min(i32(t), 2); f = t - f32(k);"
                                  "(1 - f) * take_along_axis(a, k, 0) + f * take_along_axis(a, k + 1, 0)",
                                  name, 3);
        name[4].node = i + 1 < LEVELS ? fsr_add(level, doubled(name[4].node)) : level;
    }
    name[1].node = grey[0];
    out[0] = fsr_expr(g, "p * (o / (g + 0.01))", name, 5);
}

/* The 16 weights of a cubic of Keys at the places of a picture three halves as large, by rows, then by columns. */
static fsr_node resized(fsr_node x, int axis) {
    const int64_t n = fsr_node_dim(x, axis);
    fsr_name name[] = {{"x", x}, {"i", fsr_arange(x.graph, FSR_I32, n / 2 * 3)}, {"n", fsr_int(x.graph, n)}};
    return fsr_expr(x.graph,
                    axis ? "s = (f32(i) + 0.5) / 1.5 - 0.5; b = i32(floor(s)); t = s - f32(b); u = 1 - t;"
                           "a = ((-0.5 * t + 1) * t - 0.5) * t; b1 = (1.5 * t - 2.5) * t * t + 1;"
                           "c = (1.5 * u - 2.5) * u * u + 1; d = ((-0.5 * u + 1) * u - 0.5) * u;"
                           "a * x[:, clip(b - 1, 0, n - 1)] + b1 * x[:, clip(b, 0, n - 1)] +"
                           "c * x[:, clip(b + 1, 0, n - 1)] + d * x[:, clip(b + 2, 0, n - 1)]"
                         : "s = (f32(i) + 0.5) / 1.5 - 0.5; b = i32(floor(s)); t = (s - f32(b))[:, None]; u = 1 - t;"
                           "a = ((-0.5 * t + 1) * t - 0.5) * t; b1 = (1.5 * t - 2.5) * t * t + 1;"
                           "c = (1.5 * u - 2.5) * u * u + 1; d = ((-0.5 * u + 1) * u - 0.5) * u;"
                           "a * x[clip(b - 1, 0, n - 1)] + b1 * x[clip(b, 0, n - 1)] +"
                           "c * x[clip(b + 1, 0, n - 1)] + d * x[clip(b + 2, 0, n - 1)]",
                    name, 3);
}

static void resize(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = resized(resized(in[0], 0), 1);
}

/* Sums of a picture in cells of 8 by 8 and a tenth of grey, with their numbers, made smooth along three axes; each
 * place finds its own between eight of them. */
static void bilateral_grid(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t rows = fsr_node_dim(in[0], 0), cols = fsr_node_dim(in[0], 1);
    const int64_t shape[] = {rows / 8 + 1, cols / 8 + 1, 11, 2};
    fsr_name name[] = {{"p", in[0]},
                       {"y", fsr_expand(fsr_arange(g, FSR_I32, rows), 1)},
                       {"x", fsr_arange(g, FSR_I32, cols)},
                       {"w", fsr_int(g, shape[1])},
                       {"s", fsr_zeros(g, FSR_F32, 1, (int64_t[]){shape[0] * shape[1] * 11})},
                       {"g", in[0]}};
    fsr_node made[2];
    fsr_exprs(g,
              "c = ravel(((y + 4) // 8 * w + (x + 4) // 8) * 11 + i32(p * 10 + 0.5)); scatter_add(s, c, ravel(p)),"
              "scatter_add(s, c, 1)",
              name, 5, made, 2);
    fsr_node grid = fsr_reshape(fsr_stack(made, 2, 1), 4, shape);
    name[5].node = fsr_expr(g,
                            "e = pad(g, [0, 0, 0, 0, 2, 2, 0, 0]);"
                            "z = e[:, :, :-4] + 4 * e[:, :, 1:-3] + 6 * g + 4 * e[:, :, 3:-1] + e[:, :, 4:];"
                            "e = pad(z, [0, 0, 2, 2, 0, 0, 0, 0]);"
                            "x = e[:, :-4] + 4 * e[:, 1:-3] + 6 * z + 4 * e[:, 3:-1] + e[:, 4:];"
                            "e = pad(x, [2, 2, 0, 0, 0, 0, 0, 0]); e[:-4] + 4 * e[1:-3] + 6 * x + 4 * e[3:-1] + e[4:]",
                            (fsr_name[]){{"g", grid}}, 1);
    out[0] = fsr_expr(g,
                      "t = p * 10; z = min(i32(t), 9); c = t - f32(z); i = y // 8; a = f32(y % 8) / 8; j = x // 8;"
                      "b = f32(x % 8) / 8; h = g[..., 0]; k = g[..., 1];"
                      "m = (1 - a) * ((1 - b) * ((1 - c) * h[i, j, z] + c * h[i, j, z + 1]) + b * ((1 - c) *"
                      "    h[i, j + 1, z] + c * h[i, j + 1, z + 1])) + a * ((1 - b) * ((1 - c) * h[i + 1, j, z] + c *"
                      "    h[i + 1, j, z + 1]) + b * ((1 - c) * h[i + 1, j + 1, z] + c * h[i + 1, j + 1, z + 1]));"
                      "n = (1 - a) * ((1 - b) * ((1 - c) * k[i, j, z] + c * k[i, j, z + 1]) + b * ((1 - c) *"
                      "    k[i, j + 1, z] + c * k[i, j + 1, z + 1])) + a * ((1 - b) * ((1 - c) * k[i + 1, j, z] + c *"
                      "    k[i + 1, j, z + 1]) + b * ((1 - c) * k[i + 1, j + 1, z] + c * k[i + 1, j + 1, z + 1]));"
                      "m / n",
                      name, 6);
}

#define PICTURE .extent = {{32, 40}, {1536, 2560}, {4096, 6144}}

static const bench_workload work[] = {
    {.name = "local_laplacian",
     .what = "Halide: contrast around each of 4 grey values, by pyramids of 4 levels that each place chooses from",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = local_laplacian,
     .program = &(bench_program){PICTURE, .in = {{"p", BENCH_UNIFORM, "3ab"}}}},
    {.name = "bilateral_grid",
     .what = "Halide: sums in cells of place and grey value, made smooth, and found again between eight of them",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = bilateral_grid,
     .program = &(bench_program){PICTURE, .in = {{"p", BENCH_UNIFORM, "ab"}}}},
    {.name = "resize",
     .what = "Halide: a picture half as large again, by cubics of 4 places along rows and columns",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = resize,
     .program = &(bench_program){PICTURE, .in = {{"p", BENCH_UNIFORM, "ab"}}}},
    {.name = "hist",
     .what = "Halide: grey values evened out by their histogram, colours kept",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program = &(
         bench_program){PICTURE, .in = {{"p", BENCH_PIXEL, "3ab"}},
                        .text = "r = i32(p[0]); g = i32(p[1]); b = i32(p[2]);"
                                "y = (77 * r + 150 * g + 29 * b) >> 8; u = 0.713 * f32(r - y); v = 0.564 * f32(b - y);"
                                "h = cumsum(scatter_add(i32(zeros(256)), ravel(y), 1), dtype=i32);"
                                "e = f32(h[y]) * (255 / f32(na * nb));"
                                "clip(stack(e + 1.4 * u, e - 0.711 * u - 0.343 * v, e + 1.765 * v), 0, 255)"}},
    {.name = "linear_blur",
     .what = "Halide: a blur of 3 by 3 of what light there is, and back to the screen's curve",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program = &(bench_program){PICTURE, .in = {{"p", BENCH_UNIFORM, "3ab"}},
                                 .text = "l = where(p <= 0.04045, p / 12.92, ((p + 0.055) / 1.055)**2.4);"
                                         "r = (l[:, :-2] + l[:, 1:-1] + l[:, 2:]) / 3;"
                                         "s = (r[:, :, :-2] + r[:, :, 1:-1] + r[:, :, 2:]) / 3;"
                                         "where(s <= 0.0031308, s * 12.92, 1.055 * s**(1 / 2.4) - 0.055)"}},
};

const bench_family bench_programs_levels = {work, sizeof work / sizeof *work};
