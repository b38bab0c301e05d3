/* SPDX-License-Identifier: MIT */
/* Elementwise work as it comes up in measuring, finance and learning: one kernel. */
#include "bench/bench.h"

/* amplitude * exp((time - t) / tau) after its time, 0 before. */
static fsr_node decay(fsr_graph *g, fsr_node t, fsr_node time, double tau, double amplitude) {
    fsr_node since = fsr_sub(t, time);
    fsr_node tail = fsr_exp(fsr_mul(fsr_maximum(since, fsr_float(g, 0)), fsr_float(g, -1 / tau)));
    return fsr_where(fsr_less(since, fsr_float(g, 0)), fsr_float(g, 0), fsr_mul(tail, fsr_float(g, amplitude)));
}

static fsr_node bell(fsr_graph *g, fsr_node t, fsr_node time, double width, double amplitude) {
    fsr_node z = fsr_mul(fsr_sub(t, time), fsr_float(g, 1 / width));
    return fsr_mul(fsr_exp(fsr_mul(fsr_mul(z, z), fsr_float(g, -0.5))), fsr_float(g, amplitude));
}

/* A detector's signal, a record of samples a row: two decays and a bell, which come later in each row, and a steady
 * oscillation. Nothing is read: times follow from the indices. */
static void make_pulses(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    int64_t rows = fsr_node_dim(in[0], 0), cols = fsr_node_dim(in[0], 1);
    fsr_node t = fsr_arange(g, FSR_F32, cols);
    fsr_node r = fsr_mul(fsr_expand(fsr_arange(g, FSR_F32, rows), 1), fsr_float(g, 0.125));
    fsr_node hum = fsr_mul(fsr_sin(fsr_mul(t, fsr_float(g, 0.01))), fsr_float(g, 0.05));
    fsr_node first = decay(g, t, fsr_add(r, fsr_float(g, 100)), 40, 1.5);
    fsr_node second = decay(g, t, fsr_add(fsr_mul(r, fsr_float(g, 0.5)), fsr_float(g, 900)), 130, 0.7);
    fsr_node third = bell(g, t, fsr_add(r, fsr_float(g, 2000)), 25, 1.1);
    out[0] = fsr_add(fsr_add(first, second), fsr_add(third, hum));
}

/* log(1 + exp(x)), the soft form of max(x, 0). */
static void log1pexp(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    (void)g;
    out[0] = fsr_log1p(fsr_exp(in[0]));
}

/* The normal distribution. */
static fsr_node normal_cdf(fsr_graph *g, fsr_node d) {
    return fsr_mul(fsr_erfc(fsr_mul(d, fsr_float(g, -0.7071067811865476))), fsr_float(g, 0.5));
}

/* European options: what a call and a put are worth, of spot 5..30, strike 1..100, 0.25..10 years. */
static void black_scholes(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const double rate = 0.02, volatility = 0.3;
    fsr_node spot = fsr_add(fsr_mul(in[0], fsr_float(g, 25)), fsr_float(g, 5));
    fsr_node strike = fsr_add(fsr_mul(in[1], fsr_float(g, 99)), fsr_float(g, 1));
    fsr_node years = fsr_add(fsr_mul(in[2], fsr_float(g, 9.75)), fsr_float(g, 0.25));
    fsr_node spread = fsr_mul(fsr_sqrt(years), fsr_float(g, volatility));
    fsr_node drift = fsr_mul(years, fsr_float(g, rate + 0.5 * volatility * volatility));
    fsr_node d1 = fsr_div(fsr_add(fsr_log(fsr_div(spot, strike)), drift), spread), d2 = fsr_sub(d1, spread);
    fsr_node due = fsr_mul(strike, fsr_exp(fsr_mul(years, fsr_float(g, -rate))));
    fsr_node p1 = normal_cdf(g, d1), p2 = normal_cdf(g, d2), one = fsr_float(g, 1);
    out[0] = fsr_sub(fsr_mul(spot, p1), fsr_mul(due, p2));
    out[1] = fsr_sub(fsr_mul(due, fsr_sub(one, p2)), fsr_mul(spot, fsr_sub(one, p1)));
}

/* What follows a layer's product: gain and bias of each column, the larger of that and 0, a scale. */
static void dnn_layer(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    fsr_node active = fsr_maximum(fsr_add(fsr_mul(in[0], in[1]), in[2]), fsr_float(g, 0));
    out[0] = fsr_mul(active, fsr_float(g, 0.125));
}

/* z * z + c, while |z| is at most 2. */
static void mandelbrot_holds(fsr_node *out, const fsr_node *z, const fsr_node *c, void *user) {
    (void)c, (void)user;
    out[0] = fsr_less_equal(fsr_add(fsr_mul(z[0], z[0]), fsr_mul(z[1], z[1])), fsr_float(z[0].graph, 4));
}

static void mandelbrot_turn(fsr_node *out, const fsr_node *z, const fsr_node *c, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_sub(fsr_mul(z[0], z[0]), fsr_mul(z[1], z[1])), c[0]);
    out[1] = fsr_add(fsr_mul(fsr_mul(z[0], z[1]), fsr_float(z[0].graph, 2)), c[1]);
}

/* How many turns each point of the plane from -2 - 1.25i to 0.5 + 1.25i takes to leave, at most 100. Nothing is
 * read. */
static void mandelbrot(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const fsr_loop loop = {mandelbrot_turn, mandelbrot_holds, NULL, 2, 2};
    int64_t rows = fsr_node_dim(in[0], 0), cols = fsr_node_dim(in[0], 1);
    fsr_node x = fsr_mul(fsr_arange(g, FSR_F32, cols), fsr_float(g, 2.5 / (double)cols));
    fsr_node y = fsr_mul(fsr_arange(g, FSR_F32, rows), fsr_float(g, 2.5 / (double)rows));
    fsr_node zero = fsr_zeros(g, FSR_F32, 0, NULL), result[3];
    fsr_node c[] = {fsr_sub(x, fsr_float(g, 2)), fsr_expand(fsr_sub(y, fsr_float(g, 1.25)), 1)};
    fsr_iterate(result, &loop, (fsr_node[]){zero, zero}, c, 100);
    out[0] = result[2];
}

static const bench_workload work[] = {
    {.name = "make_pulses",
     .what = "three pulses and an oscillation in each row of 4096, from indices",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .shape_only = true,
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = make_pulses},
    {.name = "mandelbrot",
     .what = "turns of z * z + c, at most 100, in each row of 4096, from indices",
     .ninputs = 1,
     .in = {{BENCH_MATRIX, 0}},
     .shape_only = true,
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = mandelbrot},
    {.name = "log1pexp",
     .what = "log(1 + e^x)",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = log1pexp},
    {.name = "black_scholes",
     .what = "values of call and put, three inputs",
     .ninputs = 3,
     .in = {{BENCH_VECTOR, 0}, {BENCH_VECTOR, 1}, {BENCH_VECTOR, 2}},
     .nouts = 2,
     .out = {{BENCH_SAME, 0}, {BENCH_SAME, 0}},
     .kernels = 1,
     .build = black_scholes},
    {.name = "dnn_layer",
     .what = "max(x * gain + bias, 0) * scale, gain and bias of each of 4096 columns",
     .ninputs = 3,
     .in = {{BENCH_MATRIX, 0}, {BENCH_ROW, 1}, {BENCH_ROW, 2}},
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = dnn_layer},
};

const bench_family bench_family_science = {work, sizeof work / sizeof *work};
