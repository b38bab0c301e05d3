/* SPDX-License-Identifier: MIT */
/* Programs each of whose elements waits for elements that were just computed: NPBench's and PolyBench's trisolv,
 * ludcmp, seidel_2d and nussinov, NPBench's crc16. And NPBench's contour_integral, systems of equations by a library's
 * call. */
#include "bench/programs/loops.h"

static fsr_node index_of(fsr_graph *g, int64_t n) {
    return fsr_arange(g, FSR_I64, n);
}

/* ---- systems of equations --------------------------------------------------------------------------------------- */

/* The next unknown by its row, those of later turns being 0 yet. in: the row, and what is known of it beside the number
 * of the row. user: NULL where the diagonal is 1. */
static void solve_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    fsr_graph *g = state[0].graph;
    fsr_name name[] = {
        {"x", state[0]}, {"r", in[0]}, {"b", in[1]}, {"k", in[2]}, {"i", index_of(g, fsr_node_dim(state[0], 0))}};
    out[0] = fsr_expr(g, user ? "i == k ? (b - sum(r * x)) / r[k] : x" : "i == k ? b - sum(r * x) : x", name, 5);
}

static fsr_node solved(fsr_node a, fsr_node b, int flags, bool divides) {
    fsr_graph *g = a.graph;
    fsr_node row[] = {a, b, index_of(g, fsr_node_dim(b, 0))},
             zero = fsr_zeros(g, FSR_F32, 1, (int64_t[]){fsr_node_dim(b, 0)}), x;
    fsr_scan_loop(&x, &zero, 1, row, 3, 0, 0, flags, solve_turn, divides ? &zero : NULL);
    return x;
}

static void trisolv(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    out[0] = solved(bench_dominant(g, in[0]), in[1], 0, true);
}

static void ludcmp(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node lu;
    bench_lu(g, in, &lu);
    out[0] = solved(lu, solved(lu, in[1], 0, false), FSR_REVERSE, true);
}

/* ---- a sweep in place ------------------------------------------------------------------------------------------- */

/* An element of the row: a ninth of what is known of it and of its left neighbour. */
static void along_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_name name[] = {{"y", state[0]}, {"c", in[0]}};
    out[0] = out[1] = fsr_expr(in[0].graph, "(c + y) / 9", name, 2);
}

/* A row, from the new row above it. in: the row and the one below. */
static void row_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_graph *g = in[0].graph;
    fsr_name name[] = {{"p", state[0]}, {"x", in[0]}, {"n", in[1]}};
    fsr_node known[2], y[2];
    fsr_exprs(g, "p[:-2] + p[1:-1] + p[2:] + x[1:-1] + x[2:] + n[:-2] + n[1:-1] + n[2:], x[0]", name, 3, known, 2);
    fsr_scan_loop(y, &known[1], 1, known, 1, 1, 0, 0, along_turn, NULL);
    fsr_name all[] = {{"x", in[0]}, {"y", y[1]}};
    out[0] = out[1] = fsr_expr(g, "concat(x[:1], y, x[-1:])", all, 2);
}

static void sweep_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)in, (void)user;
    fsr_graph *g = state[0].graph;
    fsr_name name[] = {{"x", state[0]}};
    fsr_node part[3], rows[2];
    fsr_exprs(g, "x[0], x[1:-1], x[2:]", name, 1, part, 3);
    fsr_scan_loop(rows, part, 1, part + 1, 2, 1, 0, 0, row_turn, NULL);
    fsr_name all[] = {{"x", state[0]}, {"y", rows[1]}};
    out[0] = fsr_expr(g, "concat(x[:1], y, x[-1:])", all, 2);
}

static void seidel_2d(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_fori_loop(out, in, 1, fsr_int(g, 8), sweep_turn, NULL);
}

/* ---- bases that pair -------------------------------------------------------------------------------------------- */

/* Stretches that are one longer: row d of the state has the most pairs of each that begins at a column and is d long.
 * user: the bases. */
static void stretch_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *bases = user;
    fsr_graph *g = state[0].graph;
    const int64_t n = fsr_node_dim(state[0], 0);
    fsr_name name[] = {{"s", state[0]}, {"b", *bases}, {"k", in[0]}, {"i", index_of(g, n)}, {"n", fsr_int(g, n)}};
    out[0] = fsr_expr(g,
                      "d = k + 1; j = min(i + d, n - 1); r = i[:, None];"
                      "cut = max(r < d ? s + s[max(d - 1 - r, 0), min(r + i + 1, n - 1)] : 0, axis=0);"
                      "pair = s[max(d - 2, 0), min(i + 1, n - 1)] * i32(d > 1) + i32(d > 1 && b + b[j] == 3);"
                      "r == d ? (i + d < n ? max(cut, pair) : 0) : s",
                      name, 5);
}

static void nussinov(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t n = fsr_node_dim(in[0], 0);
    fsr_node bases = fsr_expr(g, "i32(x) % 4", (fsr_name[]){{"x", in[0]}}, 1);
    fsr_node zero = fsr_zeros(g, FSR_I32, 2, ((int64_t[]){n, n}));
    fsr_fori_loop(out, &zero, 1, fsr_int(g, n - 1), stretch_turn, &bases);
}

/* ---- a check sum ------------------------------------------------------------------------------------------------ */

static void byte_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node c = fsr_expr(in[0].graph, "c ^ i32(b)", (fsr_name[]){{"c", state[0]}, {"b", in[0]}}, 2);
    for (int bit = 0; bit < 8; bit++)
        c = fsr_expr(c.graph, "c & 1 ? c >> 1 ^ 0x8408 : c >> 1", (fsr_name[]){{"c", c}}, 1);
    out[0] = c;
}

static void crc16(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node first = fsr_full(g, FSR_I32, 0, NULL, 0xffff), c;
    fsr_scan_loop(&c, &first, 1, in, 1, 0, 0, 0, byte_turn, NULL);
    out[0] = fsr_expr(g, "c = c ^ 0xffff; c << 8 & 0xff00 | c >> 8", (fsr_name[]){{"c", c}}, 1);
}

/* ---- points on a contour ---------------------------------------------------------------------------------------- */

/* Of each point z, (H0 z + H1 + H2 / z) x = y, with so much on the diagonal that each has a solution. */
static void contour_integral(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_name name[] = {{"h", in[0]}, {"y", in[1]}, {"z", in[2]}, {"n", fsr_int(g, fsr_node_dim(in[1], 0))}};
    fsr_node z = fsr_expr(g, "z / abs(z)", name, 4);
    fsr_name more[] = {{"h", in[0]}, {"z", z}, {"n", name[3].node}};
    fsr_node t = fsr_expr(g, "w = z[:, None, None]; h[0] * w + h[1] + h[2] / w + 3 * n * f32(eye(n))", more, 3);
    fsr_name all[] = {{"x", fsr_solve(t, in[1])}, {"z", z}};
    fsr_exprs(g, "sum(x, 0), sum(x * z[:, None, None], 0)", all, 2, out, 2);
}

/* ---- the rows --------------------------------------------------------------------------------------------------- */

static const bench_workload work[] = {
    {.name = "trisolv",
     .what = "NPBench, PolyBench: a triangular system, row by row, whole",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = trisolv,
     .program = &(bench_program){.extent = {{20}, {2000}, {8000}},
                                 .in = {{"L", BENCH_UNIFORM, "aa"}, {"b", BENCH_UNIFORM_1, "a"}}}},
    {.name = "ludcmp",
     .what = "NPBench, PolyBench: a system by its factors, column by column and row by row, whole",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = ludcmp,
     .program = &(bench_program){.extent = {{20}, {500}, {2000}},
                                 .in = {{"A", BENCH_UNIFORM, "aa"}, {"b", BENCH_UNIFORM_1, "a"}}}},
    {.name = "seidel_2d",
     .what = "NPBench, PolyBench: 8 sweeps of nine points in place",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = seidel_2d,
     .program = &(bench_program){.extent = {{12, 15}, {400, 400}, {2000, 2000}}, .in = {{"A", BENCH_UNIFORM, "ab"}}}},
    {.name = "nussinov",
     .what = "NPBench, PolyBench: the most pairs of bases of each stretch",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = nussinov,
     .program = &(bench_program){.extent = {{18}, {200}, {500}}, .in = {{"x", BENCH_PIXEL, "a"}}}},
    {.name = "crc16",
     .what = "NPBench: a check sum of bytes, bit by bit",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = crc16,
     .program = &(bench_program){.extent = {{60}, {100000}, {1000000}}, .in = {{"data", BENCH_PIXEL, "a"}}}},
    {.name = "contour_integral",
     .what = "NPBench: systems of equations at 32 points on a contour, and their moments",
     .ninputs = 3,
     .nouts = 2,
     .out = {{BENCH_SCALED, 0}, {BENCH_SCALED, 1}},
     .kernels = -1,
     .build = contour_integral,
     .program = &(
         bench_program){.extent = {{5, 4, 9}, {32, 100, 150}, {32, 250, 500}},
                        .in = {{"h", BENCH_COMPLEX, "3bb"}, {"y", BENCH_COMPLEX_1, "bc"}, {"z", BENCH_COMPLEX, "a"}}}},
};

const bench_family bench_programs_orders = {work, sizeof work / sizeof *work};
