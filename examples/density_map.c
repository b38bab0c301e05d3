/* SPDX-License-Identifier: MIT */
/* A density map: points of two clouds are drawn where they are counted, in bins of a map; what is printed is the
 * logarithm of the counts. No array of points is ever there, but for the check, which asks for them and counts them in
 * a plain loop.
 *
 * usage: density_map [thousands of points]. Exit status 1: a bin is not what the loop counts. */
#include "fusor/fusor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BINS = 64, LINES = 24 };
static const double low = -4, high = 4;

typedef struct points {
    fsr_node x, y;
} points;

/* Every fourth point belongs to a small round cloud, the others to a long one. */
static points draw(fsr_graph *g, int64_t n) {
    const fsr_node seed = fsr_int(g, 20260729), i = fsr_counter(g, 1, &n);
    const fsr_node a = fsr_random_normal(seed, fsr_int(g, 0), i, FSR_F32);
    const fsr_node b = fsr_random_normal(seed, fsr_int(g, 1), i, FSR_F32);
    const fsr_node small = fsr_equal(fsr_mod(i, fsr_int(g, 4)), fsr_int(g, 0));
    const fsr_node along = fsr_add(fsr_mul(a, fsr_float(g, 0.8)), fsr_mul(b, fsr_float(g, 0.6)));
    return (points){fsr_where(small, fsr_add(fsr_mul(a, fsr_float(g, 0.25)), fsr_float(g, -2)), a),
                    fsr_where(small, fsr_add(fsr_mul(b, fsr_float(g, 0.25)), fsr_float(g, 2)), along)};
}

/* The bin of v, -1 outside; edges are multiples of 1/8, so nothing is rounded. */
static int bin_of(float v) {
    const double at = ((double)v - low) * (BINS / (high - low));
    if (!(at >= 0 && at <= BINS))
        return -1;
    return at == BINS ? BINS - 1 : (int)at;
}

/* Bins that differ from what a loop over the points counts; -1: the points could not be read. */
static int64_t differences(points p, const int64_t *count, int64_t n) {
    float *x = malloc((size_t)n * sizeof *x), *y = malloc((size_t)n * sizeof *y);
    int64_t *want = calloc(BINS * BINS, sizeof *want), wrong = -1;
    if (x && y && want && fsr_compute((fsr_node[]){p.x, p.y}, 2) == FSR_OK &&
        fsr_read(p.x, x, (size_t)n * sizeof *x) == FSR_OK && fsr_read(p.y, y, (size_t)n * sizeof *y) == FSR_OK) {
        for (int64_t i = 0; i < n; i++)
            if (bin_of(x[i]) >= 0 && bin_of(y[i]) >= 0)
                want[bin_of(x[i]) * BINS + bin_of(y[i])]++;
        wrong = 0;
        for (int b = 0; b < BINS * BINS; b++)
            wrong += want[b] != count[b];
    }
    free(x);
    free(y);
    free(want);
    return wrong;
}

/* y upwards, a character for each two bins of it and one of x. */
static void print_map(const float *shade) {
    static const char tone[] = " .:-=+*#%@";
    for (int line = LINES - 1; line >= 0; line--) {
        char text[BINS + 1] = {0};
        for (int x = 0; x < BINS; x++) {
            const float s = shade[x * BINS + line * BINS / LINES];
            text[x] = tone[(int)(s * (sizeof tone - 2) + 0.5f)];
        }
        puts(text);
    }
}

static int run(fsr_context *ctx, int64_t n) {
    static int64_t count[BINS * BINS];
    static float shade[BINS * BINS];
    fsr_graph *g = fsr_graph_new(ctx);
    const points p = draw(g, n);
    const fsr_node counts =
        fsr_histogram2d(p.x, p.y, (fsr_node){0}, (int64_t[]){BINS, BINS}, (double[]){low, high, low, high});
    const fsr_node logs = fsr_log1p(fsr_cast(counts, FSR_F32));
    const fsr_node most = fsr_maximum(fsr_max(logs, NULL, 0, 0), fsr_float(g, 1));
    const fsr_node shades = fsr_div(logs, most);
    if (fsr_compute((fsr_node[]){counts, shades}, 2) != FSR_OK || fsr_read(counts, count, sizeof count) != FSR_OK ||
        fsr_read(shades, shade, sizeof shade) != FSR_OK)
        return 1;
    print_map(shade);
    int64_t inside = 0;
    for (int b = 0; b < BINS * BINS; b++)
        inside += count[b];
    const int64_t wrong = differences(draw(g, n), count, n);
    if (wrong < 0)
        return 1;
    printf("%lld of %lld points are on the map; %lld bins differ from the loop's\n", (long long)inside, (long long)n,
           (long long)wrong);
    return wrong != 0 || inside == 0;
}

int main(int argc, char **argv) {
    const int64_t n = 1000 * (argc > 1 ? atoll(argv[1]) : 1000);
    fsr_context *ctx;
    if (n < 1 || n > 1000000000) {
        fprintf(stderr, "usage: density_map [thousands of points], up to a million\n");
        return 2;
    }
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 1;
    const int status = run(ctx, n);
    if (status && *fsr_error(ctx))
        fprintf(stderr, "%s\n", fsr_error(ctx));
    fsr_close(ctx);
    return status;
}
