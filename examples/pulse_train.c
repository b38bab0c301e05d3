/* SPDX-License-Identifier: MIT */
/* A pulse train with zero suppression: of a digitized signal only the samples above a threshold are kept, and how long
 * it is above and below. From that pulses are counted and measured, without the whole signal; and it is put together
 * again.
 *
 * How many samples are kept, and how many pulses there are, the device knows; nothing waits for it before the results
 * are read.
 *
 * usage: pulse_train [thousands of samples]. Exit status 1: something is not what a plain loop gives. */
#include "fusor/fusor.h"
#include <stdio.h>
#include <stdlib.h>

enum { THRESHOLD = 40, MOST_PULSES = 1 << 20 };

/* Noise of a few counts, and pulses that rise at once and fall off, every 100 samples or so. */
static void make_signal(int16_t *x, int64_t n) {
    uint32_t random = 12345;
    int32_t level = 0;
    for (int64_t i = 0; i < n; i++) {
        random = random * 1664525 + 1013904223;
        if (random >> 25 == 0)
            level = 200 + (int32_t)(random >> 8 & 1023);
        level -= level / 4;
        x[i] = (int16_t)(level + (int32_t)(random >> 16 & 15));
    }
}

/* What is suppressed of a signal and what is made of it. */
typedef struct suppressed {
    fsr_node kept;    /* samples above the threshold */
    fsr_node lengths; /* of the stretches above and below it, by turns */
    fsr_node charge;  /* of each pulse the sum of its samples; of MOST_PULSES */
    fsr_node pulses;  /* how many */
    fsr_node back;    /* the signal, 0 where it was suppressed */
} suppressed;

static suppressed suppress(fsr_node x) {
    fsr_graph *g = x.graph;
    const int64_t n = fsr_node_dim(x, 0), room = MOST_PULSES;
    const fsr_node above = fsr_greater(x, fsr_int(g, THRESHOLD));
    /* a pulse begins where the signal rises above; each sample belongs to the last one that has begun */
    const fsr_node before =
        fsr_concat((fsr_node[]){fsr_full(g, FSR_BOOL, 1, (int64_t[]){1}, 0), fsr_slice(above, 0, 0, n - 1, 1)}, 2, 0);
    const fsr_node begins = fsr_logical_and(above, fsr_logical_not(before));
    const fsr_node number = fsr_sub(fsr_cumsum(begins, (int[]){0}, 1, 0), fsr_int(g, 1));
    const fsr_node of = fsr_compress(above, number);
    suppressed s;
    fsr_node runs[2];
    s.kept = fsr_compress(above, x);
    fsr_run_lengths(runs, above);
    s.lengths = runs[1];
    s.charge = fsr_scatter_add(fsr_zeros(g, FSR_I64, 1, &room), &of, 1, s.kept, FSR_INDEX_RAISE, 0);
    s.pulses = fsr_count_nonzero(begins, NULL, 0, 0);
    /* and back: where it is high follows from the stretches alone, what it is there from what was kept */
    const fsr_node high = fsr_filled(fsr_repeat_counts(runs[0], runs[1], n), fsr_bool(g, false));
    const fsr_node place = fsr_sub(fsr_cumsum(high, (int[]){0}, 1, 0), fsr_int(g, 1));
    const fsr_node taken = fsr_take(fsr_filled(s.kept, fsr_int(g, 0)), place, 0, FSR_INDEX_CLIP);
    s.back = fsr_where(high, taken, fsr_full(g, FSR_I16, 0, NULL, 0));
    return s;
}

/* How many of the results are not the loop's. */
static int64_t compare(const int16_t *x, int64_t n, const int16_t *kept, int64_t nkept, const int64_t *lengths,
                       int64_t nlengths, const int64_t *charge, int64_t pulses, const int16_t *back) {
    int64_t wrong = 0, k = 0, run = -1, pulse = -1, left = 0, sum = 0;
    for (int64_t i = 0; i < n; i++) {
        const int above = x[i] > THRESHOLD, was = i > 0 && x[i - 1] > THRESHOLD;
        if (i == 0 || above != was) {
            wrong += left != 0;
            left = ++run < nlengths ? lengths[run] : 0;
        }
        left--;
        wrong += back[i] != (above ? x[i] : 0);
        if (above)
            wrong += k >= nkept || kept[k] != x[i], k++;
        if (above && !was)
            sum = 0, pulse++;
        sum += above ? x[i] : 0;
        if (above && (i + 1 == n || x[i + 1] <= THRESHOLD))
            wrong += pulse >= pulses || charge[pulse] != sum;
    }
    return wrong + (k != nkept) + (run + 1 != nlengths) + (pulse + 1 != pulses) + (left != 0);
}

static int run(fsr_context *ctx, const int16_t *x, int64_t n) {
    fsr_graph *g = fsr_graph_new(ctx);
    const suppressed s = suppress(fsr_from_host(g, FSR_I16, 1, &n, x));
    int16_t *kept = malloc((size_t)n * 2 + 1), *back = malloc((size_t)n * 2 + 1);
    int64_t *lengths = malloc((size_t)n * 8 + 1), *charge = malloc((size_t)MOST_PULSES * 8);
    int64_t nkept = 0, nlengths = 0, pulses = 0;
    int status = !kept || !back || !lengths || !charge;
    status = status || fsr_compute((fsr_node[]){s.kept, s.lengths, s.charge, s.pulses, s.back}, 5);
    status = status || fsr_read_live(s.kept, kept, (size_t)n * 2, &nkept);
    status = status || fsr_read_live(s.lengths, lengths, (size_t)n * 8, &nlengths);
    status = status || fsr_read(s.charge, charge, (size_t)MOST_PULSES * 8) || fsr_read(s.back, back, (size_t)n * 2);
    status = status || fsr_read(s.pulses, &pulses, sizeof pulses);
    if (!status) {
        const int64_t wrong = compare(x, n, kept, nkept, lengths, nlengths, charge, pulses, back);
        printf("%lld samples: %lld kept in %lld pulses, %.1f times fewer bytes; %lld results differ from the loop's\n",
               (long long)n, (long long)nkept, (long long)pulses, 2 * (double)n / (double)(2 * nkept + 8 * nlengths),
               (long long)wrong);
        status = wrong != 0;
    }
    free(kept);
    free(back);
    free(lengths);
    free(charge);
    return status;
}

int main(int argc, char **argv) {
    const int64_t n = 1000 * (argc > 1 ? atoll(argv[1]) : 1000);
    fsr_context *ctx;
    if (n < 1 || n > 100000000) {
        fprintf(stderr, "usage: pulse_train [thousands of samples], up to a hundred thousand\n");
        return 2;
    }
    if (fsr_open(NULL, &ctx) != FSR_OK)
        return 1;
    int16_t *x = malloc((size_t)n * sizeof *x);
    if (x)
        make_signal(x, n);
    const int status = x ? run(ctx, x, n) : 1;
    if (status)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    free(x);
    fsr_close(ctx);
    return status;
}
