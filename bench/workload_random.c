/* SPDX-License-Identifier: MIT */
/* Random numbers, drawn in registers where they are used: nothing is read. */
#include "bench/bench.h"
#include <math.h>

#define SEED 20260729

static fsr_node stream(fsr_graph *g, int number) {
    return fsr_int(g, number);
}

/* 4 times the share of n points of the unit square that lie within a distance of 1 from its corner. */
static void monte_carlo_pi(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t n = fsr_node_size(in[0]);
    const fsr_node seed = fsr_int(g, SEED), i = fsr_counter(g, 1, &n);
    const fsr_node x = fsr_random_uniform(seed, stream(g, 0), i, FSR_F32);
    const fsr_node y = fsr_random_uniform(seed, stream(g, 1), i, FSR_F32);
    const fsr_node inside = fsr_less(fsr_add(fsr_mul(x, x), fsr_mul(y, y)), fsr_float(g, 1));
    out[0] = fsr_mul(fsr_sum(inside, NULL, 0, 0), fsr_float(g, 4 / (double)n));
}

static void uniform_fill(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t n = fsr_node_size(in[0]);
    out[0] = fsr_random_uniform(fsr_int(g, SEED), stream(g, 0), fsr_counter(g, 1, &n), FSR_F32);
}

static void normal_fill(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    const int64_t n = fsr_node_size(in[0]);
    out[0] = fsr_random_normal(fsr_int(g, SEED), stream(g, 0), fsr_counter(g, 1, &n), FSR_F32);
}

enum { STEPS = 64, AT_ONCE = 4 }; /* of a path; of a turn, whose draws share a block */

/* state: the logarithm of the price, the sum of prices, steps done. arg: the path's first number. */
static void path_turn(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    fsr_graph *g = state[0].graph;
    const double rate = 0.03, volatility = 0.2, dt = 1.0 / STEPS;
    const fsr_node first = fsr_add(arg[0], state[2]);
    (void)user;
    out[0] = state[0];
    out[1] = state[1];
    out[2] = fsr_add(state[2], fsr_int(g, AT_ONCE));
    for (int s = 0; s < AT_ONCE; s++) {
        const fsr_node z =
            fsr_random_normal(fsr_int(g, SEED), stream(g, 0), fsr_bitwise_or(first, fsr_int(g, s)), FSR_F32);
        const fsr_node step =
            fsr_fma(z, fsr_float(g, volatility * sqrt(dt)), fsr_float(g, (rate - volatility * volatility / 2) * dt));
        out[0] = fsr_add(out[0], step);
        out[1] = fsr_add(out[1], fsr_exp(out[0]));
    }
}

/* The value of an Asian call, strike 1 beside a price of 1, over n / 64 paths of 64 steps. */
static void option_paths(fsr_graph *g, const fsr_node *in, fsr_node *out) {
    static const fsr_loop loop = {path_turn, NULL, NULL, 3, 1};
    const int64_t paths = (fsr_node_size(in[0]) + STEPS - 1) / STEPS;
    const fsr_node zero = fsr_zeros(g, FSR_F32, 0, NULL), none = fsr_zeros(g, FSR_I64, 0, NULL);
    fsr_node result[4];
    fsr_iterate(result, &loop, (fsr_node[]){zero, zero, none},
                (fsr_node[]){fsr_mul(fsr_arange(g, FSR_I64, paths), fsr_int(g, STEPS))}, STEPS / AT_ONCE);
    const fsr_node mean = fsr_mul(result[1], fsr_float(g, 1.0 / STEPS));
    out[0] = fsr_mean(fsr_maximum(fsr_sub(mean, fsr_float(g, 1)), fsr_float(g, 0)), NULL, 0, 0);
}

static const bench_workload work[] = {
    {.name = "monte_carlo_pi",
     .what = "pi of n random points in the unit square, drawn where they are counted",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .shape_only = true,
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = monte_carlo_pi},
    {.name = "uniform_fill",
     .what = "n uniform f32",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .shape_only = true,
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = uniform_fill},
    {.name = "normal_fill",
     .what = "n normal f32",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .shape_only = true,
     .nouts = 1,
     .out = {{BENCH_SAME, 0}},
     .kernels = 1,
     .build = normal_fill},
    {.name = "option_paths",
     .what = "an Asian call: mean over n / 64 paths of 64 random steps in registers",
     .ninputs = 1,
     .in = {{BENCH_VECTOR, 0}},
     .shape_only = true,
     .nouts = 1,
     .out = {{BENCH_CLOSE, 0}},
     .kernels = 1,
     .build = option_paths},
};

const bench_family bench_family_random = {work, sizeof work / sizeof *work};
