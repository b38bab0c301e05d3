/* SPDX-License-Identifier: MIT */
/* Sums and running sums of ill-conditioned values against exact ones.
 *
 * The exact sum is a compensated one of long doubles (Neumaier): its error, 2^-64 of the sum and n 2^-128 of the
 * magnitudes, is nothing beside the bound under test. That bound is stated in docs/semantics.md: d u sum|x|, with
 * d = min(n - 1, 512 + log2 n + n / 2^20) for a reduction and min(n - 1, 4096 + log2 n + n / 512) for a running sum.
 * The independent half of tests/unit/test_reference.c: nothing here asks the reference.
 * The naive way, one running sum in f32, is off by percents at 2^22 equal values: that is asserted too.
 * Each case prints its worst error beside its bound. FUSOR_LONG_TESTS=1: 2^27 values in place of 2^22. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum pattern { SORTED, CANCELLING, GROWING, EQUAL, PATTERNS } pattern;
static const char *const pattern_name[] = {"sorted", "cancelling pairs", "growing", "all 0.1"};

typedef struct values {
    fsr_dtype dtype;
    int64_t n;
    void *data;
} values;

static int64_t length(void) {
    const char *all = getenv("FUSOR_LONG_TESTS");
    return INT64_C(1) << (all && strcmp(all, "0") ? 27 : 22);
}

static double unit(fsr_dtype dtype) {
    return dtype == FSR_F32 ? 0x1p-24 : 0x1p-53;
}

static double get(const void *data, fsr_dtype dtype, int64_t i) {
    return dtype == FSR_F32 ? (double)((const float *)data)[i] : ((const double *)data)[i];
}

/* SORTED: from 0 to 1, rising. CANCELLING: a large one, a small one, the large one negated, 0. GROWING: 2^-30 to 2^30
 * (f64:
 * 2^-300 to 2^300). */
static double value(pattern which, fsr_dtype dtype, int64_t i, int64_t n, uint32_t *state) {
    static double large;
    const double random = (double)subject_random(state) / 4294967296.0;
    const double range = dtype == FSR_F32 ? 30 : 300;
    switch (which) {
    case SORTED: return ((double)i + random) / (double)n;
    case CANCELLING:
        if (i % 4 == 0)
            large = (1 + random) * (dtype == FSR_F32 ? 1e6 : 1e14);
        return i % 4 == 0 ? large : i % 4 == 1 ? random : i % 4 == 2 ? -large : 0;
    case GROWING: return (0.5 + random) * exp2(range * (2.0 * (double)i / (double)n - 1));
    default: return 0.1;
    }
}

static values make(pattern which, fsr_dtype dtype, int64_t n) {
    values v = {dtype, n, malloc((size_t)n * fsr_dtype_size(dtype))};
    uint32_t state = 12345;
    assert_non_null(v.data);
    for (int64_t i = 0; i < n; i++) {
        double x = value(which, dtype, i, n, &state);
        if (dtype == FSR_F32)
            ((float *)v.data)[i] = (float)x;
        else
            ((double *)v.data)[i] = x;
    }
    return v;
}

typedef struct exact {
    long double sum, lost, magnitude;
} exact;

static void exact_add(exact *e, double x) {
    long double sum = e->sum + x;
    e->lost += fabsl(e->sum) >= fabsl((long double)x) ? (e->sum - sum) + x : (x - sum) + e->sum;
    e->sum = sum;
    e->magnitude += fabsl((long double)x);
}

/* Roundings that an element may pass through. */
static double depth(int64_t n, bool scan) {
    double most =
        scan ? 4096 + ceil(log2((double)n)) + (double)(n / 512) : 512 + ceil(log2((double)n)) + (double)(n / 1048576);
    return fmin((double)(n - 1), most);
}

typedef struct worst {
    double share, error, bound; /* share: error / bound */
    int64_t at;
} worst;

static void look(worst *w, const exact *e, double got, double bound, int64_t at) {
    double error = (double)fabsl(got - (e->sum + e->lost));
    double share = error == 0 ? 0 : error / bound;
    if (w->bound == 0 || !(share <= w->share))
        *w = (worst){share, error, bound, at};
}

static void judge(const char *what, pattern which, fsr_dtype dtype, const worst *w) {
    print_message("%-12s %-16s %s  error %.3g  bound %.3g  (%.2g of it)\n", what, pattern_name[which],
                  fsr_dtype_name(dtype), w->error, w->bound, w->share);
    if (!(w->share <= 1))
        fail_msg("%s of %s %s: element %lld is off by %g, the bound is %g", what, pattern_name[which],
                 fsr_dtype_name(dtype), (long long)w->at, w->error, w->bound);
    subject_count("sums", 1);
}

/* Sums over `length` elements that lie `stride` apart; result r begins at r if columns, else at r * length. */
static void check_sums(const char *what, pattern which, const values *v, fsr_node sums, int64_t length_of,
                       bool columns) {
    const int64_t rows = v->n / length_of, stride = columns ? rows : 1;
    const double relative = expm1(depth(length_of, false) * unit(v->dtype));
    worst w = {0};
    void *got = subject_read(sums);
    for (int64_t r = 0; r < rows; r++) {
        exact e = {0};
        for (int64_t i = 0; i < length_of; i++)
            exact_add(&e, get(v->data, v->dtype, (columns ? r : r * length_of) + i * stride));
        look(&w, &e, get(got, v->dtype, r), relative * (double)e.magnitude, r);
    }
    free(got);
    judge(what, which, v->dtype, &w);
}

static void check_scan(const char *what, pattern which, const values *v, fsr_node scan, int64_t row) {
    worst w = {0};
    void *got = subject_read(scan);
    for (int64_t r = 0; r < v->n / row; r++) {
        exact e = {0};
        for (int64_t i = 0; i < row; i++) {
            exact_add(&e, get(v->data, v->dtype, r * row + i));
            double relative = expm1(fmin((double)i, depth(row, true)) * unit(v->dtype));
            look(&w, &e, get(got, v->dtype, r * row + i), relative * (double)e.magnitude, r * row + i);
        }
    }
    free(got);
    judge(what, which, v->dtype, &w);
}

static void check(pattern which, fsr_dtype dtype) {
    values v = make(which, dtype, length());
    const int64_t row = 2048;
    fsr_node x = fsr_from_host(subject_g, dtype, 1, SHAPE(v.n), v.data);
    fsr_node wide = fsr_reshape(x, 2, SHAPE(v.n / row, row)), tall = fsr_reshape(x, 2, SHAPE(row, v.n / row));
    check_sums("sum", which, &v, fsr_sum(x, NULL, -1, 0), v.n, false);
    check_sums("rows", which, &v, fsr_sum(wide, AXES(1), 1, 0), row, false);
    check_sums("columns", which, &v, fsr_sum(tall, AXES(0), 1, 0), row, true);
    check_sums("long columns", which, &v, fsr_sum(fsr_reshape(x, 2, SHAPE(v.n / 4, 4)), AXES(0), 1, 0), v.n / 4, true);
    fsr_node beside[] = {fsr_sum(x, NULL, -1, 0), fsr_cumsum(x, AXES(0), 1, 0)};
    OK(fsr_compute(beside, 2));
    check_sums("sum by scan", which, &v, beside[0], v.n, false);
    check_scan("scan", which, &v, fsr_cumsum(x, AXES(0), 1, 0), v.n);
    check_scan("row scan", which, &v, fsr_cumsum(wide, AXES(1), 1, 0), row);
    free(v.data);
}

static void test_sorted(void **state) {
    (void)state;
    check(SORTED, FSR_F32);
    check(SORTED, FSR_F64);
}

static void test_cancelling(void **state) {
    (void)state;
    check(CANCELLING, FSR_F32);
    check(CANCELLING, FSR_F64);
}

static void test_growing(void **state) {
    (void)state;
    check(GROWING, FSR_F32);
    check(GROWING, FSR_F64);
}

static void test_equal(void **state) {
    (void)state;
    check(EQUAL, FSR_F32);
    check(EQUAL, FSR_F64);
}

/* What the bound rules out. */
static void test_serial_sum_is_worse(void **state) {
    (void)state;
    values v = make(EQUAL, FSR_F32, INT64_C(1) << 22);
    const float *x = v.data;
    float serial = 0;
    exact e = {0};
    for (int64_t i = 0; i < v.n; i++) {
        serial += x[i];
        exact_add(&e, x[i]);
    }
    fsr_node sum = fsr_sum(fsr_from_host(subject_g, FSR_F32, 1, SHAPE(v.n), x), NULL, -1, 0);
    double own = fabs(subject_value(sum, 0) - (double)e.sum), naive = fabs((double)serial - (double)e.sum);
    const double bound = expm1(depth(v.n, false) * unit(FSR_F32)) * (double)e.magnitude;
    print_message("2^22 times 0.1: off by %g, one running sum by %g, the bound is %g\n", own, naive, bound);
    assert_true(own <= bound && naive > bound);
    free(v.data);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(test_sorted), SUBJECT_TEST(test_cancelling),          SUBJECT_TEST(test_growing),
    SUBJECT_TEST(test_equal),  SUBJECT_TEST(test_serial_sum_is_worse),
};

SUBJECT_MAIN(tests)
