/* SPDX-License-Identifier: MIT */
/* Counts by bins against plain loops: bincount, histograms of even bins and between edges, in one and two dimensions,
 * with and without weights; values at the edges, outside and not numbers; and put, which numbers elements flat. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { N = 4000, BINS = 37 };

static const fsr_node none;

static fsr_node numbers(fsr_dtype dtype, int64_t n, const double *x) {
    return fsr_cast(fsr_from_host(G, FSR_F64, 1, &n, x), dtype);
}

static void compare(fsr_node out, const double *want, int64_t m, const char *what) {
    double *got = malloc((size_t)m * sizeof *got);
    OK(fsr_node_status(out));
    OK(fsr_read(fsr_cast(out, FSR_F64), got, (size_t)m * sizeof *got));
    for (int64_t j = 0; j < m; j++)
        if (fabs(got[j] - want[j]) > 1e-12 * fabs(want[j]))
            fail_msg("%s: bin %lld is %.17g, not %.17g", what, (long long)j, got[j], want[j]);
    free(got);
}

/* The bin between edges, of which the last one is closed; -1: none. */
static int bin_of(double x, const double *edge, int bins) {
    for (int i = 0; i < bins; i++)
        if (x >= edge[i] && (x < edge[i + 1] || (i == bins - 1 && x == edge[bins])))
            return i;
    return -1;
}

static void bincount(void **state) {
    (void)state;
    double x[N], w[N], count[BINS] = {0}, sum[BINS] = {0};
    for (int i = 0; i < N; i++) {
        x[i] = (double)(i * 7919 % BINS);
        w[i] = sin(i) * (i % 5);
        count[(int)x[i]]++;
        sum[(int)x[i]] += w[i];
    }
    fsr_node i = numbers(FSR_I16, N, x), weights = numbers(FSR_F64, N, w);
    fsr_node out = fsr_bincount(i, none, BINS, FSR_INDEX_RAISE);
    assert_int_equal(fsr_node_dtype(out), FSR_I64);
    compare(out, count, BINS, "bincount");
    compare(fsr_bincount(i, weights, BINS, FSR_INDEX_RAISE), sum, BINS, "with weights");
    compare(fsr_bincount(numbers(FSR_I32, 4, (double[]){-1, 0, 1, 9}), none, 2, FSR_INDEX_DROP), (double[]){1, 1}, 2,
            "some");
    compare(fsr_bincount(fsr_slice(i, 0, 3, 3, 1), none, 2, FSR_INDEX_RAISE), (double[]){0, 0}, 2, "nothing");
    int64_t back[2];
    fsr_node wrong =
        fsr_bincount_at(fsr_here("here.c", 12), numbers(FSR_I32, 2, (double[]){-1, 1}), none, 2, FSR_INDEX_RAISE);
    subject_error(subject_ctx, fsr_read(wrong, back, sizeof back), FSR_ERR_INDEX,
                  "index -3 is out of bounds for axis 0 with size 2|here.c:12");
    assert_int_equal(fsr_node_status(fsr_bincount(weights, none, 3, FSR_INDEX_RAISE)), FSR_ERR_DTYPE);
    assert_int_equal(fsr_node_status(fsr_bincount(i, fsr_slice(weights, 0, 0, 9, 1), 3, FSR_INDEX_RAISE)),
                     FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_bincount(i, none, 0, FSR_INDEX_RAISE)), FSR_ERR_VALUE);
}

/* Every edge of [low, high], its neighbours on both sides, and what is outside. */
static void even_bins(fsr_dtype dtype, int bins, double low, double high) {
    double *edge = malloc(sizeof *edge * (size_t)(bins + 1)), *x = malloc(sizeof *x * (size_t)(3 * bins + 8));
    double *want = calloc((size_t)bins, sizeof *want);
    int n = 0;
    for (int i = 0; i <= bins; i++) {
        edge[i] = i == bins ? high : (double)i * ((high - low) / bins) + low;
        edge[i] = dtype == FSR_F32 ? (double)(float)edge[i] : edge[i];
        for (int side = -1; side <= 1; side++)
            x[n++] = dtype == FSR_F32 ? (double)nextafterf((float)edge[i], side * INFINITY)
                                      : nextafter(edge[i], side * INFINITY);
        x[n - 2] = edge[i];
    }
    x[n++] = NAN, x[n++] = INFINITY, x[n++] = -INFINITY, x[n++] = 1e30;
    for (int i = 0; i < n; i++) {
        const int at = x[i] >= low && x[i] <= high ? bin_of(x[i], edge, bins) : -1;
        if (at >= 0)
            want[at]++;
    }
    compare(fsr_histogram(numbers(dtype, n, x), none, bins, low, high), want, bins, "even bins");
    free(edge);
    free(x);
    free(want);
}

static void even(void **state) {
    (void)state;
    even_bins(FSR_F32, 10, 0, 1);
    even_bins(FSR_F64, 10, 0, 1);
    even_bins(FSR_F64, 97, -3.1, 0.7);
    even_bins(FSR_F32, 1, 2, 3);
    even_bins(FSR_F32, 256, 0, 1); /* nothing rounds */
    even_bins(FSR_F32, 64, -1, 1);
    even_bins(FSR_F32, 96, 32, 128);
    even_bins(FSR_F64, 1 << 10, -4, 4);
    even_bins(FSR_F32, 16, -64, 64);
    even_bins(FSR_F32, 999, -3.3, 1e3); /* quotients in f32 */
    even_bins(FSR_F32, 7, -0.1, 1e-30);
    even_bins(FSR_F32, 1000, 1000, 1000.5); /* in f64: of 1000.5 it is an eighth of a bin from one f32 to the next */
    even_bins(FSR_F32, 3, -1e38, 3e38);     /* what neither may be said of */
    even_bins(FSR_F64, 3, -1e-310, 2e-310);
    even_bins(FSR_F64, 64, 3e9, 3e9 + 64); /* numbers of bins that no i32 holds */
    even_bins(FSR_F64, 4096, 1700000000000, 1700000004096);
    even_bins(FSR_F64, 8, -0x1p40, -0x1p40 + 8);
    fsr_node x = fsr_arange(G, FSR_I32, 100);
    compare(fsr_histogram(x, none, 3, 10, 40), (double[]){10, 10, 11}, 3, "integers");
    compare(fsr_histogram(x, none, 2, 7, 7), (double[]){0, 1}, 2, "one number");
    fsr_node pairs = fsr_histogram(x, fsr_cast(x, FSR_F32), 2, 0, 99);
    assert_int_equal(fsr_node_dtype(pairs), FSR_F32);
    compare(pairs, (double[]){1225, 3725}, 2, "weights");
    assert_int_equal(fsr_node_status(fsr_histogram(x, none, 3, 4, 3)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_histogram(x, none, 3, 4, NAN)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_histogram(x, none, 0, 3, 4)), FSR_ERR_VALUE);
}

static void edges(void **state) {
    (void)state;
    for (int m = 2; m <= 9; m += 7) {
        double edge[9], x[N], want[8] = {0};
        for (int i = 0; i < m; i++)
            edge[i] = i * i - 3;
        for (int i = 0; i < N; i++) {
            x[i] = i == 7 ? NAN : i % 3 ? i % 70 - 5 : sin(i) * 40;
            if (bin_of(x[i], edge, m - 1) >= 0)
                want[bin_of(x[i], edge, m - 1)]++;
        }
        compare(fsr_histogram_edges(numbers(FSR_F64, N, x), none, numbers(FSR_F64, m, edge)), want, m - 1, "edges");
    }
    /* Two scatters need the places: the sums' exponents, and the sums. */
    fsr_node x = fsr_arange(G, FSR_F32, 12), weights = fsr_repeat(fsr_arange(G, FSR_F32, 3), 4, NULL);
    compare(fsr_histogram_edges(x, weights, fsr_mul(fsr_arange(G, FSR_F32, 4), fsr_int(G, 3))), (double[]){0, 2, 6}, 3,
            "weights between edges");
    assert_int_equal(fsr_node_status(fsr_histogram_edges(fsr_arange(G, FSR_I32, 3), none, fsr_int(G, 3))),
                     FSR_ERR_SHAPE);
}

static void two_dimensions(void **state) {
    (void)state;
    double x[N], y[N], want[4 * 6] = {0};
    for (int i = 0; i < N; i++) {
        x[i] = (i * 37 % 101) / 25.0;
        y[i] = (i * 53 % 89) / 15.0 - 1;
        const int a = (int)floor(x[i]), b = (int)floor(y[i]);
        if (x[i] <= 4 && y[i] >= 0 && y[i] <= 6)
            want[(a > 3 ? 3 : a) * 6 + (b > 5 ? 5 : b)]++;
    }
    fsr_node out = fsr_histogram2d(numbers(FSR_F64, N, x), numbers(FSR_F64, N, y), none, SHAPE(4, 6),
                                   ((const double[]){0, 4, 0, 6}));
    compare(fsr_reshape(out, 1, SHAPE(24)), want, 24, "pairs");
    assert_int_equal(fsr_node_status(fsr_histogram2d(out, none, none, SHAPE(4, 6), ((const double[]){0, 4, 0, 6}))),
                     FSR_ERR_NULL);
}

static void put(void **state) {
    (void)state;
    fsr_node x = fsr_reshape(fsr_arange(G, FSR_I32, 6), 2, SHAPE(2, 3)), two = fsr_arange(G, FSR_I32, 2);
    fsr_node i = fsr_reshape(fsr_from_host(G, FSR_I64, 1, SHAPE(4), (int64_t[]){0, -1, 2, 0}), 2, SHAPE(2, 2));
    fsr_node out = fsr_put(x, i, fsr_add(two, fsr_int(G, 50)), FSR_INDEX_RAISE, 0);
    compare(fsr_reshape(out, 1, SHAPE(6)), (double[]){51, 1, 50, 3, 4, 51}, 6, "values again");
    out = fsr_put(x, i, fsr_arange(G, FSR_F32, 9), FSR_INDEX_WRAP, 0);
    compare(fsr_reshape(out, 1, SHAPE(6)), (double[]){3, 1, 2, 3, 4, 1}, 6, "more values");
    out = fsr_put(x, i, fsr_slice(two, 0, 0, 0, 1), FSR_INDEX_CLIP, 0);
    compare(fsr_reshape(out, 1, SHAPE(6)), (double[]){0, 1, 2, 3, 4, 5}, 6, "no values");
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(bincount), SUBJECT_TEST(even), SUBJECT_TEST(edges),
                                          SUBJECT_TEST(two_dimensions), SUBJECT_TEST(put)};
SUBJECT_MAIN(tests)
