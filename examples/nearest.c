/* SPDX-License-Identifier: MIT */
/* The k nearest of some points in the plane to each of some others, and a median filter of a noisy picture: selection
 * along an axis of what a kernel computes.
 *
 * usage: nearest. Exit status 1: a plain loop finds other ones. */
#include "fusor/fusor.h"
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 2000, ASKED = 50, K = 5, SIDE = 64 };

static float at_random(unsigned *state) {
    *state = *state * 1664525u + 1013904223u;
    return (float)(*state >> 8) / 16777216.0f;
}

static float apart(const float *p, const float *q) {
    const float x = p[0] - q[0], y = p[1] - q[1];
    return x * x + y * y;
}

/* Indices of the K nearest points, the nearest first: distances are computed by one kernel, of all pairs. */
static fsr_status nearest(fsr_graph *g, const float *points, const float *asked, int64_t *out) {
    const fsr_node p = fsr_from_host(g, FSR_F32, 2, (int64_t[]){POINTS, 2}, points);
    const fsr_node q = fsr_from_host(g, FSR_F32, 2, (int64_t[]){ASKED, 2}, asked);
    const fsr_node d = fsr_sub(fsr_expand(q, 1), fsr_expand(p, 0));
    const fsr_node distance = fsr_sum(fsr_mul(d, d), (int[]){2}, 1, 0);
    return fsr_read(fsr_argtopk(distance, K, (int[]){1}, 1, 0), out, sizeof *out * ASKED * K);
}

/* Each pixel becomes the median of the nine around it. */
static fsr_status median_filter(fsr_graph *g, const float *picture, float *out) {
    const fsr_node x = fsr_from_host(g, FSR_F32, 2, (int64_t[]){SIDE, SIDE}, picture);
    const fsr_node wide = fsr_pad(x, (int64_t[][2]){{1, 1}, {1, 1}}, FSR_PAD_EDGE, 0);
    fsr_node around[9];
    for (int i = 0; i < 9; i++)
        around[i] = fsr_slice(fsr_slice(wide, 0, i / 3, i / 3 + SIDE, 1), 1, i % 3, i % 3 + SIDE, 1);
    return fsr_read(fsr_median(fsr_stack(around, 9, 2), (int[]){2}, 1, 0), out, sizeof *out * SIDE * SIDE);
}

static int wrong_neighbours(const float *points, const float *asked, const int64_t *found) {
    int wrong = 0;
    for (int a = 0; a < ASKED; a++)
        for (int k = 0; k < K; k++) {
            const float own = apart(&points[2 * found[a * K + k]], &asked[2 * a]);
            int nearer = 0;
            for (int i = 0; i < POINTS; i++)
                nearer += apart(&points[2 * i], &asked[2 * a]) < own;
            wrong += nearer != k;
        }
    return wrong;
}

int main(void) {
    static float points[2 * POINTS], asked[2 * ASKED], picture[SIDE * SIDE], smooth[SIDE * SIDE];
    static int64_t found[ASKED * K];
    unsigned state = 3;
    int spots = 0, left = 0;
    fsr_context *ctx;
    for (int i = 0; i < 2 * POINTS; i++)
        points[i] = at_random(&state);
    for (int i = 0; i < 2 * ASKED; i++)
        asked[i] = at_random(&state);
    for (int i = 0; i < SIDE * SIDE; i++) /* two halves, with white spots */
        picture[i] = i % 37 == 0 ? 9 : i % SIDE < SIDE / 2 ? 1 : 2;
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 1;
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_status status = nearest(g, points, asked, found);
    if (!status)
        status = median_filter(g, picture, smooth);
    if (status)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    fsr_close(ctx);
    for (int i = 0; i < SIDE * SIDE; i++) {
        spots += picture[i] == 9;
        left += smooth[i] != (i % SIDE < SIDE / 2 ? 1 : 2);
    }
    const int wrong = status ? 0 : wrong_neighbours(points, asked, found);
    printf("%d of %d neighbours are not those of a plain loop; of %d white spots %d are left\n", wrong, ASKED * K,
           spots, left);
    return status || wrong || left;
}
