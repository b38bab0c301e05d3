/* SPDX-License-Identifier: MIT */
/* NPBench's flows: a turn of time holds the right-hand side of the pressure's equation, four sweeps for the pressure
 * (the suite has 50 a turn) and the velocities. And implicit steps: systems of three diagonals along an axis.
 *
 * Such a system is solved by elimination, p[i] = c / (b + a p[i - 1]) and two recurrences of first order. p is the
 * image of a vector under a product of matrices [[0, c], [a, b]], which is a scan; its entries are scaled as they are
 * multiplied, since products of a thousand of them are past any float. */
#include "bench/bench.h"

enum { SWEEPS = 4 };

#define RIGHT_SIDE(E, W, N, S)                                                                   \
    "(((" E "u - " W "u) + (" N "v - " S "v)) / (2 * h) / dt - ((" E "u - " W "u) / (2 * h))**2" \
    " - 2 * ((" N "u - " S "u) / (2 * h) * (" E "v - " W "v) / (2 * h)) - ((" N "v - " S "v) / (2 * h))**2)"

/* Inside of a cavity whose lid moves: state u, v, p. */
static void cavity_flow(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const double h = 2.0 / (double)(fsr_node_dim(in[0], 0) - 1);
    fsr_name name[] = {
        {"u", in[0]}, {"v", in[1]}, {"p", in[2]}, {"h", fsr_float(g, h)}, {"dt", fsr_float(g, 0.1 * h * h)},
        {"b", in[0]}};
    name[5].node = fsr_expr(
        g,
        "eu = u[1:-1, 2:]; wu = u[1:-1, :-2]; nu = u[2:, 1:-1]; su = u[:-2, 1:-1];"
        "ev = v[1:-1, 2:]; wv = v[1:-1, :-2]; nv = v[2:, 1:-1]; sv = v[:-2, 1:-1];" RIGHT_SIDE("e", "w", "n", "s"),
        name, 5);
    for (int i = 0; i < SWEEPS; i++)
        name[2].node =
            fsr_expr(g,
                     "q = update(p, p[1:-1, 1:-1], (p[1:-1, 2:] + p[1:-1, :-2] + p[2:, 1:-1] + p[:-2, 1:-1]) / 4"
                     "    - h * h / 4 * b); q = update(q, q[:, -1], q[:, -2]); q = update(q, q[0, :], q[1, :]);"
                     "q = update(q, q[:, 0], q[:, 1]); update(q, q[-1, :], 0)",
                     name, 6);
    fsr_exprs(g,
              "m = u[1:-1, 1:-1]; n = v[1:-1, 1:-1]; k = dt / h;"
              "a = m - m * k * (m - u[1:-1, :-2]) - n * k * (m - u[:-2, 1:-1]) - k / 2 * (p[1:-1, 2:] - p[1:-1, :-2])"
              "    + 0.1 * k / h * (u[1:-1, 2:] + u[1:-1, :-2] + u[2:, 1:-1] + u[:-2, 1:-1] - 4 * m);"
              "c = n - m * k * (n - v[1:-1, :-2]) - n * k * (n - v[:-2, 1:-1]) - k / 2 * (p[2:, 1:-1] - p[:-2, 1:-1])"
              "    + 0.1 * k / h * (v[1:-1, 2:] + v[1:-1, :-2] + v[2:, 1:-1] + v[:-2, 1:-1] - 4 * n);"
              "x = pad(a, 1); x = update(x, x[-1, :], 1); x, pad(c, 1), p",
              name, 5, out, 3);
}

/* Along a channel whose ends meet: state u, v, p. */
static void channel_flow(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const double h = 2.0 / (double)(fsr_node_dim(in[0], 0) - 1);
    fsr_name name[] = {
        {"u", in[0]}, {"v", in[1]}, {"p", in[2]}, {"h", fsr_float(g, h)}, {"dt", fsr_float(g, 0.1 * h * h)},
        {"b", in[0]}};
    name[5].node = fsr_expr(
        g,
        "eu = roll(u, -1, 1)[1:-1]; wu = roll(u, 1, 1)[1:-1]; nu = u[2:]; su = u[:-2];"
        "ev = roll(v, -1, 1)[1:-1]; wv = roll(v, 1, 1)[1:-1]; nv = v[2:]; sv = v[:-2];" RIGHT_SIDE("e", "w", "n", "s"),
        name, 5);
    for (int i = 0; i < SWEEPS; i++)
        name[2].node = fsr_expr(g,
                                "q = (roll(p, -1, 1)[1:-1] + roll(p, 1, 1)[1:-1] + p[2:] + p[:-2]) / 4 - h * h / 4 * b;"
                                "concat(q[:1], q, q[-1:])",
                                name, 6);
    fsr_exprs(g,
              "m = u[1:-1]; n = v[1:-1]; k = dt / h; wu = roll(u, 1, 1)[1:-1]; eu = roll(u, -1, 1)[1:-1];"
              "wv = roll(v, 1, 1)[1:-1]; ev = roll(v, -1, 1)[1:-1];"
              "a = m - m * k * (m - wu) - n * k * (m - u[:-2]) - k / 2 * (roll(p, -1, 1)[1:-1] - roll(p, 1, 1)[1:-1])"
              "    + 0.1 * k / h * (eu + wu + u[2:] + u[:-2] - 4 * m) + dt;"
              "c = n - m * k * (n - wv) - n * k * (n - v[:-2]) - k / 2 * (p[2:] - p[:-2])"
              "    + 0.1 * k / h * (ev + wv + v[2:] + v[:-2] - 4 * n);"
              "pad(a, [1, 1, 0, 0]), pad(c, [1, 1, 0, 0]), p",
              name, 5, out, 3);
}

/* The product of two matrices of 2 by 2, the earlier one on the right, scaled. */
static void matrices(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    fsr_node a = fsr_add(fsr_mul(r[0], l[0]), fsr_mul(r[1], l[2])),
             b = fsr_add(fsr_mul(r[0], l[1]), fsr_mul(r[1], l[3]));
    fsr_node c = fsr_add(fsr_mul(r[2], l[0]), fsr_mul(r[3], l[2])),
             d = fsr_add(fsr_mul(r[2], l[1]), fsr_mul(r[3], l[3]));
    fsr_node most = fsr_maximum(fsr_maximum(fsr_abs(a), fsr_abs(b)), fsr_maximum(fsr_abs(c), fsr_abs(d)));
    out[0] = fsr_div(a, most), out[1] = fsr_div(b, most), out[2] = fsr_div(c, most), out[3] = fsr_div(d, most);
}

static void linear(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_mul(l[0], r[0]);
    out[1] = fsr_add(fsr_mul(l[1], r[0]), r[1]);
}

/* p[i] = -c / (a p[i - 1] + b), p before the first being 0. */
static fsr_node pivots(fsr_node a, fsr_node b, fsr_node c, int axis) {
    static const fsr_operator op = {.body = matrices, .arity = 4, .identity = {1, 0, 0, 1}};
    fsr_node in[] = {fsr_zeros_like(b), fsr_neg(c), a, b}, m[4];
    fsr_scan_with(m, in, &op, &axis, 1, 0);
    return fsr_div(m[1], m[3]);
}

/* x of a[i] x[i - 1] + b[i] x[i] + c[i] x[i + 1] = d[i], nothing beyond the ends. */
static fsr_node solve(fsr_graph *g, fsr_node a, fsr_node b, fsr_node c, fsr_node d, int axis) {
    static const fsr_operator op = {.body = linear, .arity = 2, .identity = {1, 0}};
    fsr_node p = pivots(a, b, c, axis), forth[2], back[2];
    int64_t before[3][2] = {{0, 0}};
    before[axis][0] = 1;
    fsr_node last = fsr_slice(fsr_pad(p, before, FSR_PAD_CONSTANT, 0), axis, 0, fsr_node_dim(p, axis), 1);
    fsr_name name[] = {{"a", a}, {"b", b}, {"d", d}, {"last", last}, {"p", p}};
    fsr_exprs(g, "s = a * last + b; -a / s + zeros_like(d), d / s", name, 5, forth, 2);
    fsr_scan_with(forth, (fsr_node[]){forth[0], forth[1]}, &op, &axis, 1, 0);
    back[0] = fsr_expr(g, "p + zeros_like(d)", name, 5);
    fsr_scan_with(back, (fsr_node[]){back[0], forth[1]}, &op, &axis, 1, FSR_REVERSE);
    return back[1];
}

/* Half a step along columns, half a step along rows; 0 around. */
static void adi(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node x = in[0];
    const int64_t n = fsr_node_dim(x, 0) - 2;
    for (int axis = 0; axis < 2; axis++) {
        const int64_t shape[] = {axis ? 1 : n, axis ? n : 1};
        fsr_node a = fsr_full(g, FSR_F32, 2, shape, -0.5), b = fsr_full(g, FSR_F32, 2, shape, 2);
        fsr_node d =
            fsr_expr(g, axis ? "0.5 * x[:-2, 1:-1] + 0.5 * x[2:, 1:-1]" : "0.5 * x[1:-1, :-2] + 0.5 * x[1:-1, 2:]",
                     (fsr_name[]){{"x", x}}, 1);
        x = fsr_expr(g, "pad(x, 1)", (fsr_name[]){{"x", solve(g, a, b, a, d, axis)}}, 1);
    }
    out[0] = x;
}

/* Vertical advection: a system of its own for each column of the atmosphere, the vertical axis first. */
static void vadv(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_name name[] = {{"w", in[0]}, {"u", in[1]}, {"t", in[2]}};
    fsr_node a = fsr_expr(g, "-0.25 * (w[:-1, :-1] + w[:-1, 1:])", name, 3);
    fsr_node c = fsr_expr(g, "0.25 * (w[1:, :-1] + w[1:, 1:])", name, 3);
    fsr_name more[] = {{"a", a}, {"c", c}, {"u", in[1]}, {"t", in[2]}};
    fsr_node b = fsr_expr(g, "3 - a - c", more, 4);
    fsr_node d = fsr_expr(
        g, "3 * u + t - a * (pad(u, [1, 0, 0, 0, 0, 0])[:-1] - u) - c * (pad(u, [0, 1, 0, 0, 0, 0])[1:] - u)", more, 4);
    out[0] = fsr_mul(fsr_sub(solve(g, a, b, c, d, 0), in[1]), fsr_float(g, 3));
}

static const bench_workload work[] = {
    {.name = "cavity_flow",
     .what = "NPBench: a turn of a flow in a cavity, 4 sweeps for the pressure",
     .ninputs = 3,
     .nouts = 3,
     .kernels = -1,
     .build = cavity_flow,
     .program =
         &(bench_program){
             .extent = {{31}, {501}, {2001}},
             .in = {{"u", BENCH_UNIFORM, "aa"}, {"v", BENCH_UNIFORM_1, "aa"}, {"p", BENCH_UNIFORM_2, "aa"}}}},
    {.name = "channel_flow",
     .what = "NPBench: a turn of a flow along a channel, 4 sweeps for the pressure",
     .ninputs = 3,
     .nouts = 3,
     .kernels = -1,
     .build = channel_flow,
     .program =
         &(bench_program){
             .extent = {{31}, {501}, {2001}},
             .in = {{"u", BENCH_UNIFORM, "aa"}, {"v", BENCH_UNIFORM_1, "aa"}, {"p", BENCH_UNIFORM_2, "aa"}}}},
    {.name = "adi",
     .what = "NPBench, PolyBench: a turn of implicit diffusion, along columns and along rows",
     .ninputs = 1,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = adi,
     .program = &(bench_program){.extent = {{30}, {1000}, {4000}}, .in = {{"u", BENCH_UNIFORM, "aa"}}}},
    {.name = "vadv",
     .what = "NPBench: vertical advection of an atmosphere's model, a system of three diagonals for each column",
     .ninputs = 3,
     .nouts = 1,
     .out = {{BENCH_SCALED, 0}},
     .kernels = -1,
     .build = vadv,
     .program =
         &(bench_program){
             .extent = {{12, 9, 8, 13, 10}, {80, 128, 128, 81, 129}, {160, 256, 256, 161, 257}},
             .in = {{"w", BENCH_UNIFORM, "dec"}, {"u", BENCH_UNIFORM_1, "abc"}, {"t", BENCH_UNIFORM_2, "abc"}}}},
};

const bench_family bench_programs_flow = {work, sizeof work / sizeof *work};
