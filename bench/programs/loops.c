/* SPDX-License-Identifier: MIT */
/* Programs that are loops over arrays from beginning to end, one plan each: factorizations column by column, shortest
 * paths vertex by vertex, iterations until they converge, time steps, recurrences by rows. */
#include "bench/programs/loops.h"

#define UNUSED (void)in, (void)user

static fsr_node index_of(fsr_graph *g, int64_t n) {
    return fsr_arange(g, FSR_I64, n);
}

/* Column and row k, [n, 1] and [1, n]. */
static fsr_node column(fsr_node x, fsr_node k) {
    return fsr_dynamic_slice(x, (fsr_node[]){fsr_int(x.graph, 0), k}, (int64_t[]){fsr_node_dim(x, 0), 1});
}
static fsr_node row(fsr_node x, fsr_node k) {
    return fsr_dynamic_slice(x, (fsr_node[]){k, fsr_int(x.graph, 0)}, (int64_t[]){1, fsr_node_dim(x, 1)});
}

fsr_node bench_dominant(fsr_graph *g, fsr_node a) {
    return fsr_expr(g, "a + n * f32(eye(n))", (fsr_name[]){{"a", a}, {"n", fsr_int(g, fsr_node_dim(a, 0))}}, 2);
}

/* ---- factorizations --------------------------------------------------------------------------------------------- */

/* Below and right of the pivot the outer product of its column, divided, and its row is taken away. */
static void lu_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node a = state[0], i = index_of(a.graph, fsr_node_dim(a, 0));
    fsr_node c = column(a, in[0]), r = row(a, in[0]);
    fsr_name name[] = {{"a", a}, {"c", c}, {"r", r}, {"p", row(c, in[0])}, {"i", i}, {"k", in[0]}};
    out[0] = fsr_expr(a.graph, "(i > k)[:, None] ? (i > k ? a - c / p * r : (i == k ? c / p : a)) : a", name, 6);
}
void bench_lu(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node a = bench_dominant(g, in[0]);
    fsr_fori_loop(out, &a, 1, fsr_int(g, fsr_node_dim(a, 0)), lu_turn, NULL);
}

static void cholesky_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node a = state[0], i = index_of(a.graph, fsr_node_dim(a, 0));
    fsr_node c = column(a, in[0]), r = row(a, in[0]);
    fsr_name name[] = {{"a", a}, {"c", c}, {"r", r}, {"p", row(c, in[0])}, {"i", i}, {"k", in[0]}};
    out[0] = fsr_expr(a.graph, "(i >= k)[:, None] ? (i > k ? a - c * r / p : (i == k ? c / sqrt(p) : a)) : a", name, 6);
}
static void cholesky(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node a = bench_dominant(g, fsr_expr(g, "(a + a.T) / 2", (fsr_name[]){{"a", in[0]}}, 1)), l;
    fsr_fori_loop(&l, &a, 1, fsr_int(g, fsr_node_dim(a, 0)), cholesky_turn, NULL);
    out[0] = fsr_tril(l, 0);
}

/* The modified method: a column gets length 1, and what the later ones have of it is taken from them. Rows of R are
 * stacked. */
static void gram_schmidt_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_node a = state[0], k = in[0], c = column(a, k), i = index_of(a.graph, fsr_node_dim(a, 1));
    fsr_name name[] = {{"a", a}, {"c", c}, {"i", i}, {"k", k}};
    fsr_node length = fsr_expr(a.graph, "sqrt(sum(c * c))", name, 4);
    fsr_name more[] = {{"a", a}, {"c", c}, {"i", i}, {"k", k}, {"n", length}};
    fsr_node r = fsr_expr(a.graph, "i > k ? sum(c / n * a, 0) : (i == k ? n : f32(0))", more, 5);
    fsr_name all[] = {{"a", a}, {"c", c}, {"i", i}, {"k", k}, {"n", length}, {"r", r}};
    out[0] = fsr_expr(a.graph, "i > k ? a - c / n * r : (i == k ? c / n : a)", all, 6);
    out[1] = r;
}
static void gram_schmidt(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node each = index_of(g, fsr_node_dim(in[0], 1));
    fsr_scan_loop(out, in, 1, &each, 1, 1, 0, 0, gram_schmidt_turn, NULL);
}

/* ---- paths, equations, waves ------------------------------------------------------------------------------- */

static void path_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_minimum(state[0], fsr_add(column(state[0], in[0]), row(state[0], in[0])));
}
static void shortest_paths(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_fori_loop(out, in, 1, fsr_int(g, fsr_node_dim(in[0], 0)), path_turn, NULL);
}

/* user: the matrix without its diagonal, that, and the right side. */
static void jacobi_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    const fsr_node *system = user;
    (void)in;
    fsr_name name[] = {{"r", system[0]}, {"d", system[1]}, {"b", system[2]}, {"x", state[0]}};
    out[0] = fsr_expr(state[0].graph, "(b - sum(r * x, 1)) / d", name, 4);
    out[1] = fsr_max(fsr_abs(fsr_sub(out[0], state[0])), NULL, 0, 0);
}
static void still_changes(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    UNUSED;
    out[0] = fsr_greater(state[1], fsr_float(state[1].graph, 1e-6));
}
static void jacobi_solve(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_name name[] = {{"a", in[0]}, {"n", fsr_int(g, fsr_node_dim(in[0], 0))}};
    fsr_node system[] = {fsr_expr(g, "a * f32(1 - eye(n))", name, 2),
                         fsr_expr(g, "sum(a * f32(eye(n)), 1) + n", name, 2), in[1]};
    fsr_node first[] = {fsr_zeros(g, FSR_F32, 1, (int64_t[]){fsr_node_dim(in[1], 0)}),
                        fsr_full(g, FSR_F32, 0, NULL, 1)},
             result[2];
    fsr_while_loop(result, first, 2, 1000, still_changes, jacobi_turn, system);
    out[0] = result[0];
}

/* 100 time steps of a membrane that is held at its edges. */
static void wave_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    UNUSED;
    fsr_name name[] = {{"u", state[0]}, {"v", state[1]}};
    out[0] = fsr_expr(
        state[0].graph,
        "pad(2 * u[1:-1, 1:-1] - v[1:-1, 1:-1] + 0.25 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]"
        " - 4 * u[1:-1, 1:-1]), 1)",
        name, 2);
    out[1] = state[0];
}
static void wave_2d(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_fori_loop(out, (fsr_node[]){in[0], in[0]}, 2, fsr_int(g, 100), wave_turn, NULL);
}

/* Thomas's algorithm along the first axis, a system for each column: elimination, then substitution from the end. */
static void eliminate(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_name name[] = {{"a", in[0]}, {"b", in[1]}, {"c", in[2]}, {"d", in[3]}, {"p", state[0]}, {"q", state[1]}};
    fsr_exprs(state[0].graph, "s = b - a * p; c / s, (d - a * q) / s", name, 6, out, 2);
    out[2] = out[0];
    out[3] = out[1];
}
static void substitute(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    out[0] = out[1] = fsr_sub(in[1], fsr_mul(in[0], state[0]));
}
static void tridiagonal(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node zero = fsr_zeros(g, FSR_F32, 1, (int64_t[]){fsr_node_dim(in[0], 1)}), down[4], up[2];
    fsr_node rows[] = {in[0], fsr_add(in[1], fsr_float(g, 3)), in[2], in[3]};
    fsr_scan_loop(down, (fsr_node[]){zero, zero}, 2, rows, 4, 2, 0, 0, eliminate, NULL);
    fsr_scan_loop(up, &zero, 1, down + 2, 2, 1, 0, FSR_REVERSE, substitute, NULL);
    out[0] = up[1];
}

/* 20 time steps of implicit diffusion: half a step along columns, half a step along rows, 0 around. The systems of a
 * half step are scans inside of the loop over time. */
static void diffuse(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    (void)user;
    fsr_name name[] = {{"p", state[0]}, {"q", state[1]}, {"d", in[0]}};
    fsr_exprs(in[0].graph, "s = 2 + 0.5 * p; -0.5 / s, (d + 0.5 * q) / s", name, 3, out, 2);
    out[2] = out[0];
    out[3] = out[1];
}
static void adi_turn(fsr_node *out, const fsr_node *state, const fsr_node *in, void *user) {
    UNUSED;
    fsr_node x = state[0], zero = fsr_zeros(x.graph, FSR_F32, 1, (int64_t[]){fsr_node_dim(x, 0) - 2}), down[4], up[2];
    for (int axis = 0; axis < 2; axis++) {
        fsr_node d = fsr_expr(
            x.graph, axis ? "0.5 * x[:-2, 1:-1] + 0.5 * x[2:, 1:-1]" : "0.5 * x[1:-1, :-2] + 0.5 * x[1:-1, 2:]",
            (fsr_name[]){{"x", x}}, 1);
        fsr_scan_loop(down, (fsr_node[]){zero, zero}, 2, &d, 1, 2, axis, 0, diffuse, NULL);
        fsr_scan_loop(up, &zero, 1, down + 2, 2, 1, axis, FSR_REVERSE, substitute, NULL);
        x = fsr_expr(x.graph, "pad(x, 1)", (fsr_name[]){{"x", up[1]}}, 1);
    }
    out[0] = x;
}
static void adi_steps(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_fori_loop(out, in, 1, fsr_int(g, 20), adi_turn, NULL);
}

/* ---- the rows ---------------------------------------------------------------------------------------------- */

#define SQUARE .in = {{"A", BENCH_UNIFORM, "aa"}}

static const bench_workload work[] = {
    {.name = "lu",
     .what = "NPBench, PolyBench: A = L U, column by column, whole",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = bench_lu,
     .program = &(bench_program){.extent = {{20}, {500}, {2000}}, SQUARE}},
    {.name = "cholesky",
     .what = "NPBench, PolyBench: A = L L^T, column by column, whole",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = cholesky,
     .program = &(bench_program){.extent = {{20}, {500}, {2000}}, SQUARE}},
    {.name = "gramschmidt",
     .what = "NPBench, PolyBench: A = Q R by the modified method, whole",
     .ninputs = 1,
     .nouts = 2,
     .out = {{BENCH_SCALED, 0}, {BENCH_SCALED, 1}},
     .kernels = -1,
     .build = gram_schmidt,
     .program = &(bench_program){.extent = {{24, 12}, {500, 300}, {2000, 1200}}, .in = {{"A", BENCH_SIGNED, "ab"}}}},
    {.name = "shortest_paths",
     .what = "NPBench, PolyBench: Floyd and Warshall's shortest paths, through every vertex",
     .ninputs = 1,
     .nouts = 1,
     .kernels = -1,
     .build = shortest_paths,
     .program = &(bench_program){.extent = {{24}, {850}, {2800}}, SQUARE}},
    {.name = "jacobi_solve",
     .what = "a system of equations by Jacobi's iteration, until it converges",
     .ninputs = 2,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = jacobi_solve,
     .program = &(bench_program){.extent = {{30}, {2000}, {8000}},
                                 .in = {{"A", BENCH_UNIFORM, "aa"}, {"b", BENCH_UNIFORM_1, "a"}}}},
    {.name = "wave_2d",
     .what = "100 time steps of a membrane",
     .ninputs = 1,
     .nouts = 2,
     .kernels = -1,
     .build = wave_2d,
     .program = &(bench_program){.extent = {{20, 24}, {1000, 1000}, {4000, 4000}}, .in = {{"u", BENCH_SIGNED, "ab"}}}},
    {.name = "adi_steps",
     .what = "NPBench, PolyBench: 20 time steps of implicit diffusion, along columns and along rows",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = adi_steps,
     .program = &(bench_program){.extent = {{14}, {1000}, {4000}}, .in = {{"u", BENCH_UNIFORM, "aa"}}}},
    {.name = "tridiagonal",
     .what = "systems of three diagonals by Thomas's algorithm, one for each column",
     .ninputs = 4,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = tridiagonal,
     .program = &(bench_program){.extent = {{20, 12}, {500, 4000}, {1000, 60000}},
                                 .in = {{"a", BENCH_UNIFORM, "ab"},
                                        {"b", BENCH_UNIFORM_1, "ab"},
                                        {"c", BENCH_UNIFORM_2, "ab"},
                                        {"d", BENCH_UNIFORM_3, "ab"}}}},
};

const bench_family bench_programs_loops = {work, sizeof work / sizeof *work};
