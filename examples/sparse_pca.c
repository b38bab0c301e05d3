/* SPDX-License-Identifier: MIT */
/* Sparse principal components by random directions: of a covariance V V^T, p x p of rank d, the unit vector with at
 * most k entries that are not 0 and the greatest variance is sought among projections of random directions. Each
 * direction c, of length 1, gives x = V c; what counts of x are its k greatest squares, and the best direction is the
 * one whose sum of these is the greatest. The drawing, the lengths, the products, the selection and the search for the
 * best are one computation; nothing but the answer is read.
 *
 * usage: sparse_pca [directions]. Exit status 1: a plain loop over the same directions finds something else. */
#include "fusor/fusor.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { P = 400, D = 8, K = 12 };

/* V: noise, and a component on K entries that the search should find. */
static void make(float *v) {
    unsigned state = 1;
    for (int i = 0; i < P * D; i++) {
        state = state * 1664525u + 1013904223u;
        v[i] = ((float)(state >> 8) / 16777216.0f - 0.5f) * 0.2f;
    }
    for (int i = 0; i < K; i++)
        v[(31 * i + 5) % P * D] += 1.0f + 0.05f * (float)i;
}

typedef struct answer {
    float variance, direction[D];
    int64_t entry[K];
} answer;

static fsr_status search(fsr_graph *g, const float *v, int64_t directions, answer *out, float *all) {
    const fsr_node V = fsr_from_host(g, FSR_F32, 2, (int64_t[]){P, D}, v), seed = fsr_int(g, 2026);
    const fsr_node i = fsr_counter(g, 2, (int64_t[]){directions, D});
    const fsr_node drawn = fsr_random_normal(seed, fsr_int(g, 0), i, FSR_F32);
    const fsr_node length = fsr_sqrt(fsr_sum(fsr_mul(drawn, drawn), (int[]){1}, 1, FSR_KEEPDIMS));
    const fsr_node c = fsr_div(drawn, length);
    const fsr_node x = fsr_sum(fsr_mul(fsr_expand(c, 1), fsr_expand(V, 0)), (int[]){2}, 1, 0);
    const fsr_node square = fsr_mul(x, x);
    const fsr_node sum = fsr_sum(fsr_topk(square, K, (int[]){1}, 1, FSR_DESCENDING), (int[]){1}, 1, 0);
    const fsr_node best = fsr_argmax(sum, NULL, 0, 0), own = fsr_take(square, best, 0, FSR_INDEX_CLIP);
    const fsr_node entry = fsr_argtopk(own, K, (int[]){0}, 1, FSR_DESCENDING);
    fsr_node outs[] = {fsr_max(sum, NULL, 0, 0), fsr_take(c, best, 0, FSR_INDEX_CLIP), entry, c};
    fsr_status status = fsr_compute(outs, 4);
    if (!status)
        status = fsr_read(outs[0], &out->variance, sizeof out->variance);
    if (!status)
        status = fsr_read(outs[1], out->direction, sizeof out->direction);
    if (!status)
        status = fsr_read(outs[2], out->entry, sizeof out->entry);
    return status ? status : fsr_read(outs[3], all, (size_t)directions * D * sizeof *all);
}

static int descending(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The best of the same directions, in double precision. */
static double plain(const float *v, const float *all, int64_t directions) {
    double best = 0, square[P];
    for (int64_t r = 0; r < directions; r++) {
        double sum = 0;
        for (int i = 0; i < P; i++) {
            double x = 0;
            for (int j = 0; j < D; j++)
                x += (double)all[r * D + j] * v[i * D + j];
            square[i] = x * x;
        }
        qsort(square, P, sizeof *square, descending);
        for (int i = 0; i < K; i++)
            sum += square[i];
        best = sum > best ? sum : best;
    }
    return best;
}

int main(int argc, char **argv) {
    const int64_t directions = argc > 1 ? atoll(argv[1]) : 4096;
    float *v = malloc(sizeof *v * P * D), *all = directions > 0 ? malloc(sizeof *all * (size_t)directions * D) : NULL;
    fsr_context *ctx;
    answer a;
    int found = 0;
    if (!v || !all || fsr_open(NULL, &ctx) != FSR_OK) {
        free(v);
        free(all);
        return 1;
    }
    make(v);
    const fsr_status status = search(fsr_graph_new(ctx), v, directions, &a, all);
    if (status == FSR_OK) {
        const double want = plain(v, all, directions);
        printf("variance %.6f of at most %d entries, by a plain loop %.6f; entries", a.variance, K, want);
        for (int i = 0; i < K; i++) {
            printf(" %lld", (long long)a.entry[i]);
            found += (a.entry[i] + P - 5) % P % 31 == 0 || a.entry[i] % 31 == 5;
        }
        printf("\n%d of %d entries are those of the component\n", found, K);
        found = fabs(a.variance - want) <= 1e-5 * want;
    } else {
        fprintf(stderr, "%s\n", fsr_error(ctx));
    }
    fsr_close(ctx);
    free(v);
    free(all);
    return !found;
}
