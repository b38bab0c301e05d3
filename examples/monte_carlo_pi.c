/* SPDX-License-Identifier: MIT */
/* Pi, by random points: the share of those in the unit square that lie within a distance of 1 from its corner. The
 * numbers are drawn where they are counted, in one kernel that reads nothing; another seed runs the same kernel.
 *
 * usage: monte_carlo_pi [millions of points]. Exit status 1: a result is off by more than chance. */
#include "fusor/fusor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RUNS = 4 };

/* 4 times that share, of n points. A point's two numbers have its index, in two streams. */
static fsr_node pi_of(fsr_node seed, int64_t n) {
    fsr_graph *g = seed.graph;
    const fsr_node i = fsr_counter(g, 1, &n);
    const fsr_node x = fsr_random_uniform(seed, fsr_int(g, 0), i, FSR_F32);
    const fsr_node y = fsr_random_uniform(seed, fsr_int(g, 1), i, FSR_F32);
    const fsr_node inside = fsr_less(fsr_add(fsr_mul(x, x), fsr_mul(y, y)), fsr_float(g, 1));
    return fsr_mul(fsr_sum(inside, NULL, 0, 0), fsr_float(g, 4 / (double)n));
}

int main(int argc, char **argv) {
    const double millions = argc > 1 ? atof(argv[1]) : 4;
    const int64_t n = (int64_t)(millions * 1e6);
    const double pi = 3.14159265358979323846, deviation = sqrt(pi * (4 - pi) / (double)n);
    double result[RUNS];
    int wrong = 0;
    fsr_context *ctx;
    if (n < 1 || millions > 1e6) {
        fprintf(stderr, "usage: monte_carlo_pi [millions of points], up to a million\n");
        return 2;
    }
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 1;
    fsr_graph *g = fsr_graph_new(ctx);
    const fsr_node seed = fsr_param(g, "seed", FSR_U64, 0);
    for (int run = 0; run < RUNS; run++) {
        fsr_status status = fsr_param_set(seed, run + 1);
        if (status == FSR_OK)
            status = fsr_read(pi_of(seed, n), &result[run], sizeof result[run]);
        if (status != FSR_OK) {
            fprintf(stderr, "%s\n", fsr_error(ctx));
            fsr_close(ctx);
            return 1;
        }
        const double off = (result[run] - pi) / deviation;
        wrong += !(fabs(off) < 5); /* once in a million times */
        printf("seed %d: %.6f, %+.1f deviations of %.6f off\n", run + 1, result[run], off, deviation);
    }
    wrong += result[0] == result[1]; /* another seed, other points */
    fsr_close(ctx);
    return wrong != 0;
}
