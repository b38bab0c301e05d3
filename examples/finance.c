/* SPDX-License-Identifier: MIT */
/* Prices by simulated paths: a call, its delta and its vega along each path, and a call on the geometric mean of the
 * path. All of them have a closed form, with which they are compared. And the closed form itself for many strikes at
 * once, with its Greeks against differences of prices.
 *
 * The paths come from a sequence that fills the unit cube evenly (the fractional parts of multiples of powers of one
 * root), not from random numbers: every run gives the same bits. Nothing is read but the roots' powers: points,
 * normals, steps and payoffs are one program, and fused nothing of it reaches memory but four sums for each path. The
 * points are f64, since their multiples are large; what follows is f32.
 *
 * usage: finance [picture.svg] */
#include "examples/field.h"
#include <math.h>

enum { PATHS = 1 << 19, STEPS = 16, HALF = STEPS / 2, STRIKES = 64, OUTS = 8 };
static const double spot = 100, strike = 105, rate = 0.03, sigma = 0.25, years = 1, bump = 1e-3,
                    pi = 3.14159265358979323846;

/* ---- closed forms, in C ----------------------------------------------------------------------------- */

static double normal(double x) {
    return 0.5 * erfc(-x / sqrt(2));
}

/* A call of a lognormal value: the mean and the deviation of its logarithm. */
static double call_of(double mean, double deviation, double k) {
    const double d2 = (mean - log(k)) / deviation;
    return exp(-rate * years) * (exp(mean + deviation * deviation / 2) * normal(d2 + deviation) - k * normal(d2));
}

static double d1_of(double s, double k) {
    return (log(s / k) + (rate + sigma * sigma / 2) * years) / (sigma * sqrt(years));
}

static double black_scholes(double s, double k) {
    return call_of(log(s) + (rate - sigma * sigma / 2) * years, sigma * sqrt(years), k);
}

/* Of the geometric mean of the prices after each step. */
static double geometric(double k) {
    const double n = STEPS, dt = years / n;
    const double mean = log(spot) + (rate - sigma * sigma / 2) * dt * (n + 1) / 2;
    const double variance = sigma * sigma * dt * (n + 1) * (2 * n + 1) / (6 * n);
    return call_of(mean, sqrt(variance), k);
}

/* ---- paths ------------------------------------------------------------------------------------------ */

/* Powers of 1 / x, where x^(STEPS + 1) = x + 1. */
static void directions(double *alpha) {
    double x = 1.5;
    for (int i = 0; i < 100; i++)
        x = pow(x + 1, 1.0 / (STEPS + 1));
    for (int i = 0; i < STEPS; i++)
        alpha[i] = pow(x, -(i + 1));
}

static fsr_node number(fsr_node like, double x) {
    return fsr_float(like.graph, x);
}

/* The fractional parts of multiples of HALF numbers, f32[HALF, PATHS]: coordinates of the points. */
static fsr_node coordinates(fsr_graph *g, const double *alpha) {
    fsr_node a = fsr_from_host(g, FSR_F64, 2, (int64_t[]){HALF, 1}, alpha);
    fsr_node i = fsr_add(fsr_arange(g, FSR_F64, PATHS), fsr_float(g, 1));
    fsr_node turns = fsr_add(fsr_mul(i, a), fsr_float(g, 0.5));
    return fsr_cast(fsr_sub(turns, fsr_floor(turns)), FSR_F32);
}

/* A path goes HALF steps by the first of two normals, then HALF steps by the other, which Box and Muller make of two
 * coordinates: one is the radius, one the angle. step[i]: how much the logarithm grows in the steps of half i,
 * [HALF, PATHS]. */
static void steps(fsr_graph *g, const double *alpha, fsr_node *step) {
    const double dt = years / STEPS;
    fsr_node u = coordinates(g, alpha), v = coordinates(g, alpha + HALF);
    fsr_node radius = fsr_sqrt(fsr_mul(fsr_log(u), fsr_float(g, -2 * sigma * sigma * dt)));
    fsr_node angle = fsr_mul(v, fsr_float(g, 2 * pi)), drift = fsr_float(g, (rate - sigma * sigma / 2) * dt);
    step[0] = fsr_add(fsr_mul(radius, fsr_cos(angle)), drift);
    step[1] = fsr_add(fsr_mul(radius, fsr_sin(angle)), drift);
}

/* The part of its half that is left at each step, f32[HALF, 1]: 1 first, 1 / HALF at the end. The mean of the prices
 * after each step is that of a running sum, in which step k is there from k on: a sum with these weights. */
static fsr_node remaining(fsr_graph *g) {
    return fsr_expand(fsr_linspace(g, FSR_F32, 1, 1.0 / HALF, HALF, true), 1);
}

static fsr_node payoff(fsr_node s) {
    return fsr_mul(fsr_maximum(fsr_sub(s, number(s, strike)), number(s, 0)), number(s, exp(-rate * years)));
}

static fsr_node average(fsr_node x) {
    return fsr_mean(x, NULL, 0, 0);
}

/* ---- the closed form for many strikes --------------------------------------------------------------- */

static fsr_node distribution(fsr_node x) {
    return fsr_mul(fsr_erfc(fsr_mul(x, number(x, -1 / sqrt(2)))), number(x, 0.5));
}

static fsr_node price(fsr_node s, fsr_node k) {
    fsr_node d1 = fsr_div(fsr_add(fsr_log(fsr_div(s, k)), number(k, (rate + sigma * sigma / 2) * years)),
                          number(k, sigma * sqrt(years)));
    fsr_node d2 = fsr_sub(d1, number(k, sigma * sqrt(years)));
    return fsr_sub(fsr_mul(s, distribution(d1)), fsr_mul(fsr_mul(k, number(k, exp(-rate * years))), distribution(d2)));
}

static int record(fsr_graph *g, const void *data, fsr_node *out) {
    fsr_node step[2], sum[2], mean[2];
    steps(g, data, step);
    for (int i = 0; i < 2; i++) {
        sum[i] = fsr_sum(step[i], &(int){0}, 1, 0);
        mean[i] = fsr_sum(fsr_mul(step[i], remaining(g)), &(int){0}, 1, 0);
    }
    fsr_node end =
        fsr_add(sum[0], sum[1]); /* of the price over the spot the logarithm at the end, and its mean on the way */
    fsr_node middle = fsr_mul(fsr_add(fsr_add(mean[0], sum[0]), mean[1]), fsr_float(g, 0.5));
    fsr_node last = fsr_mul(fsr_exp(end), fsr_float(g, spot));
    fsr_node paid = fsr_where(fsr_greater(last, fsr_float(g, strike)), fsr_mul(last, fsr_float(g, exp(-rate * years))),
                              fsr_float(g, 0));
    fsr_node brown = fsr_div(fsr_sub(end, fsr_float(g, (rate - sigma * sigma / 2) * years)), fsr_float(g, sigma));
    out[0] = average(payoff(last));
    out[1] = average(fsr_div(paid, fsr_float(g, spot)));
    out[2] = average(fsr_mul(paid, fsr_sub(brown, fsr_float(g, sigma * years))));
    out[3] = average(payoff(fsr_mul(fsr_exp(middle), fsr_float(g, spot))));

    fsr_node k = fsr_linspace(g, FSR_F64, 60, 150, STRIKES, true), s = fsr_full(g, FSR_F64, 0, NULL, spot);
    fsr_node up = price(fsr_add(s, fsr_float(g, bump)), k), down = price(fsr_sub(s, fsr_float(g, bump)), k);
    out[4] = k;
    out[5] = price(s, k);
    out[6] = fsr_div(fsr_sub(up, down), fsr_float(g, 2 * bump));
    out[7] = fsr_div(fsr_add(fsr_sub(up, fsr_mul(out[5], fsr_float(g, 2))), down), fsr_float(g, bump * bump));
    return OUTS;
}

typedef struct result {
    float mean[4];
    double strike[STRIKES], price[STRIKES], delta[STRIKES], gamma[STRIKES];
} result;

static int check(const result *r) {
    const double d1 = d1_of(spot, strike), density = exp(-d1 * d1 / 2) / sqrt(2 * pi);
    double worst[3] = {0, 0, 0};
    for (int i = 0; i < STRIKES; i++) {
        const double d = d1_of(spot, r->strike[i]), phi = exp(-d * d / 2) / sqrt(2 * pi);
        worst[0] = fmax(worst[0], fabs(r->price[i] - black_scholes(spot, r->strike[i])));
        worst[1] = fmax(worst[1], fabs(r->delta[i] - normal(d)));
        worst[2] = fmax(worst[2], fabs(r->gamma[i] - phi / (spot * sigma * sqrt(years))));
    }
    return field_check("call, by paths", r->mean[0], black_scholes(spot, strike), 5e-3) +
           field_check("delta, by paths", r->mean[1], normal(d1), 5e-4) +
           field_check("vega, by paths", r->mean[2], spot * density * sqrt(years), 5e-2) +
           field_check("call on the geometric mean", r->mean[3], geometric(strike), 5e-3) +
           field_check("worst price of 64 strikes", worst[0], 0, 1e-11) +
           field_check("worst delta, by differences", worst[1], 0, 1e-8) +
           field_check("worst gamma, by differences", worst[2], 0, 1e-6);
}

static void curve(FILE *to, const char *kind, const double *k, const double *y, double scale) {
    fprintf(to, "<path class=\"%s\" d=\"M", kind);
    for (int i = 0; i < STRIKES; i++)
        fprintf(to, "%.1f %.1f ", 40 + (k[i] - 60) / 90 * 620, 190 - y[i] * scale);
    fprintf(to, "\"/>\n");
}

static int draw(const char *path, const result *r) {
    FILE *to = field_svg(path, 720, 220);
    for (int i = 0; to && i <= 4; i++)
        fprintf(to,
                "<path class=\"a\" d=\"M40 %dH660\"/><text x=\"34\" y=\"%d\" text-anchor=\"end\">%d</text><text "
                "x=\"668\" y=\"%d\">%.2f</text>\n",
                190 - i * 42, 194 - i * 42, i * 10, 194 - i * 42, i * 0.25);
    for (int k = 60; to && k <= 150; k += 15)
        fprintf(to, "<text x=\"%.1f\" y=\"210\" text-anchor=\"middle\">%d</text>\n", 40 + (k - 60) / 90.0 * 620, k);
    if (to) {
        curve(to, "b", r->strike, r->price, 4.2);
        curve(to, "o", r->strike, r->delta, 168);
        fprintf(to, "<text x=\"52\" y=\"120\" style=\"fill:#0072b2\">price of the call</text><text x=\"330\" y=\"60\" "
                    "style=\"fill:#d55e00\">its delta</text><text x=\"660\" y=\"14\" text-anchor=\"end\">over the "
                    "strike; the spot is 100</text>\n");
    }
    return field_svg_end("finance", path, to);
}

int main(int argc, char **argv) {
    double alpha[STEPS];
    result r[2];
    directions(alpha);
    for (int i = 0; i < 2; i++) {
        result *to = &r[i];
        const fsr_arg out[OUTS] = {{NULL, &to->mean[0], 4, FSR_HOST},
                                   {NULL, &to->mean[1], 4, FSR_HOST},
                                   {NULL, &to->mean[2], 4, FSR_HOST},
                                   {NULL, &to->mean[3], 4, FSR_HOST},
                                   {NULL, to->strike, sizeof to->strike, FSR_HOST},
                                   {NULL, to->price, sizeof to->price, FSR_HOST},
                                   {NULL, to->delta, sizeof to->delta, FSR_HOST},
                                   {NULL, to->gamma, sizeof to->gamma, FSR_HOST}};
        if (field_run("finance", i == 0, record, alpha, out))
            return 1;
    }
    if (check(&r[0]) + check(&r[1]) > 0)
        return 1;
    return argc > 1 ? draw(argv[1], r) : 0;
}
