/* SPDX-License-Identifier: MIT */
/* Rodinia: stencils that keep their edges, clusters, paths by rows, gas on meshes without order, particles in boxes. */
#include "bench/bench.h"

/* Each place of a row costs what it holds and the least of the three places before it. */
static void path_row(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_expr(in[0].graph, "min(p, concat(p[:1], p[:-1]), concat(p[1:], p[-1:])) + i32(w)",
                      (fsr_name[]){{"p", state[0]}, {"w", in[0]}}, 2);
}

static void pathfinder(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node first = fsr_zeros(g, FSR_I32, 1, (int64_t[]){fsr_node_dim(in[0], 1)});
    fsr_scan_loop(out, &first, 1, in, 1, 0, 0, 0, path_row, NULL);
}

/* The neighbour (dz, dy, dx) of each box, of the last dimensions of a padded array. */
static fsr_node box_beside(fsr_node padded, const int *by) {
    const int lead = fsr_node_ndim(padded) - 4;
    for (int d = 0; d < 3; d++)
        padded = fsr_slice(padded, lead + d, 1 + by[d], fsr_node_dim(padded, lead + d) - 1 + by[d], 1);
    return padded;
}

/* Potential and force on each particle of each box by those of the 27 boxes around it and itself; outside there is no
 * charge. r: v, x, y, z of the particles. */
static void lavamd(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const int64_t border[5][2] = {{0, 0}, {1, 1}, {1, 1}, {1, 1}, {0, 0}};
    fsr_node r = fsr_pad(in[0], border, FSR_PAD_CONSTANT, 0), q = fsr_pad(in[1], border + 1, FSR_PAD_CONSTANT, 0);
    for (int k = 0; k < 27; k++) {
        const int by[] = {k / 9 - 1, k / 3 % 3 - 1, k % 3 - 1};
        fsr_name name[] = {{"a", fsr_expand(in[0], 5)},
                           {"b", fsr_expand(box_beside(r, by), 4)},
                           {"q", fsr_expand(box_beside(q, by), 3)}};
        fsr_node part[4];
        fsr_exprs(g,
                  "s = a[0] + b[0] - (a[1] * b[1] + a[2] * b[2] + a[3] * b[3]); p = q * exp(-0.5 * s); f = 2 * p;"
                  "sum(p, -1), sum(f * (a[1] - b[1]), -1), sum(f * (a[2] - b[2]), -1), sum(f * (a[3] - b[3]), -1)",
                  name, 3, part, 4);
        for (int i = 0; i < 4; i++)
            out[i] = k ? fsr_add(out[i], part[i]) : part[i];
    }
}

/* What goes through face k of each cell: d, m, e density, momentum and energy; p, c pressure and speed of sound and
 * gas, f what energy flows; those of the neighbour are found by its number. */
#define FACE(K)                                                                                            \
    "j = clip(at + i[" K "] - 512, 0, na - 1); s = w[" K "]; l = -0.1 * sqrt(sum(s * s, 0)) * (c + c[j]);" \
    "n = m[:, j]; rd = rd + l * (D - D[j]) + 0.5 * sum(s * (m + n), 0);"                                   \
    "re = re + l * (E - E[j]) + 0.5 * sum(s * (f + f[:, j]), 0);"                                          \
    "rm = rm + l * (m - n) + 0.5 * (sum(s * v, 0) * m + s * p + sum(s * v[:, j], 0) * n + s * p[j]);"

static const bench_workload work[] = {
    {.name = "srad",
     .what = "Rodinia: a picture without speckle, by diffusion that its own mean and variance steer, one turn",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program =
         &(bench_program){.extent = {{24, 30}, {2048, 2048}, {8192, 8192}},
                          .in = {{"p", BENCH_UNIFORM, "ab"}},
                          .text =
                              "j = exp(p); z = var(j) / mean(j)**2; t = pad(j, 1, mode=edge);"
                              "n = t[:-2, 1:-1] - j; s = t[2:, 1:-1] - j; w = t[1:-1, :-2] - j; e = t[1:-1, 2:] - j;"
                              "g = (n * n + s * s + w * w + e * e) / (j * j); l = (n + s + w + e) / j;"
                              "q = (0.5 * g - 0.0625 * l * l) / (1 + 0.25 * l)**2;"
                              "c = clip(1 / (1 + (q - z) / (z * (1 + z))), 0, 1);"
                              "d = c * n + concat(c[1:], c[-1:]) * s + c * w + concat(c[:, 1:], c[:, -1:], axis=1) * e;"
                              "log(j + 0.125 * d)"}},
    {.name = "hotspot_3d",
     .what = "Rodinia: the temperature of a chip of 8 layers, edges kept, two turns",
     .ninputs = 2,
     .nouts = 1,
     .kernels = -1,
     .program = &(bench_program){.extent = {{4, 12, 14}, {8, 512, 512}, {8, 4096, 4096}},
                                 .in = {{"t", BENCH_UNIFORM, "abc"}, {"p", BENCH_UNIFORM_1, "abc"}},
                                 .turns = 2,
                                 .text = "x = pad(t, 1, mode=edge);"
                                         "0.34 * t + 0.12 * (x[1:-1, :-2, 1:-1] + x[1:-1, 2:, 1:-1]) + 0.08 * (x[1:-1, "
                                         "1:-1, :-2] + x[1:-1, 1:-1, 2:]) + 0.12 * (x[:-2, 1:-1, 1:-1] + x[2:, 1:-1, "
                                         "1:-1]) + 0.015 * p + 0.02 * 80"}},
    {.name = "kmeans",
     .what = "Rodinia: each point goes to the nearest of 5 centres, which become the means of their points; one turn",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .program = &(bench_program){.extent = {{300, 34}, {494020, 34}, {4000000, 34}},
                                 .in = {{"x", BENCH_UNIFORM, "ab"}, {"c", BENCH_UNIFORM_1, "5b"}},
                                 .text = "m = argmin(sum((x[:, None, :] - c)**2, 2), 1);"
                                         "s = scatter_add(zeros_like(c), m, x); n = scatter_add(c[:, 0] * 0, m, 1);"
                                         "s / max(n, 1)[:, None]"}},
    {.name = "pathfinder",
     .what = "Rodinia: the cheapest way through 100 rows, row by row, whole",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = pathfinder,
     .program =
         &(bench_program){.extent = {{12, 50}, {100, 100000}, {100, 4000000}}, .in = {{"w", BENCH_PIXEL, "ab"}}}},
    {.name = "euler_3d",
     .what = "Rodinia cfd: fluxes through the faces of a mesh whose neighbours are numbers",
     .ninputs = 5,
     .nouts = 3,
     .out = {{BENCH_SCALED, 0}, {BENCH_SCALED, 1}, {BENCH_SCALED, 2}},
     .kernels = -1,
     .program =
         &(bench_program){
             .extent = {{400}, {193536}, {4000000}},
             .in = {{"d", BENCH_UNIFORM, "a"},
                    {"m", BENCH_UNIFORM_1, "3a"},
                    {"e", BENCH_UNIFORM_2, "a"},
                    {"i", BENCH_WHOLE_I64, "4a"},
                    {"w", BENCH_SIGNED, "43a"}},
             .text = "D = d + 1; E = e + 3; v = m / D; q = sum(v * v, 0); p = 0.4 * (E - 0.5 * D * q);"
                     "c = sqrt(1.4 * p / D) + sqrt(q); f = v * (E + p); rd = 0 * d; re = 0 * d; rm = 0 * m;"
                     "at = cumsum(i[0] * 0 + 1, 0) - 1;" FACE("0") FACE("1") FACE("2") FACE("3") "rd, re, rm"}},
    {.name = "lavamd",
     .what = "Rodinia: forces between the particles of boxes and of the 26 boxes around each",
     .ninputs = 2,
     .nouts = 4,
     .out = {{BENCH_SCALED, 0}, {BENCH_SCALED, 1}, {BENCH_SCALED, 2}, {BENCH_SCALED, 3}},
     .kernels = -1,
     .build = lavamd,
     .program = &(bench_program){.extent = {{2, 6}, {5, 100}, {10, 100}},
                                 .in = {{"r", BENCH_UNIFORM, "4aaab"}, {"q", BENCH_UNIFORM_1, "aaab"}}}},
};

const bench_family bench_programs_rodinia = {work, sizeof work / sizeof *work};
