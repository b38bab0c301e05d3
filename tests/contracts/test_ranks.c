/* SPDX-License-Identifier: MIT */
/* Elements by rank are what a sort has there: every real dtype, short rows and long ones, any ranks, of input that is
 * hard on selection; medians and quantiles of several axes, fused on both sides; what follows from the places of a
 * sort. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

/* The element of each rank against the sorted row; zeros and NaN by value. */
static void expect(fsr_node x, const int64_t *rank, int n, const char *what) {
    fsr_node out[8], sorted = fsr_cast(fsr_sort(x, AXES(-1), 1, 0), FSR_F64);
    const int64_t size = fsr_node_dim(x, -1), rows = fsr_node_size(x) / size;
    for (int i = 0; i < n; i++)
        out[i] = fsr_cast(fsr_kth(x, rank[i], AXES(-1), 1, 0), FSR_F64);
    double *want = subject_read(sorted);
    OK(fsr_compute(out, n));
    for (int i = 0; i < n; i++) {
        double *got = subject_read(out[i]);
        for (int64_t row = 0; row < rows; row++) {
            const double right = want[row * size + (rank[i] < 0 ? rank[i] + size : rank[i])];
            if (got[row] != right && !(isnan(got[row]) && isnan(right)))
                fail_msg("%s, rank %lld of %lld, row %lld: %.17g, not %.17g", what, (long long)rank[i], (long long)size,
                         (long long)row, got[row], right);
        }
        free(got);
    }
    free(want);
    subject_count("ranks", n * rows);
}

typedef enum pattern { EQUAL, SORTED, REVERSED, ORGAN_PIPE, RANDOM, FEW, PATTERNS } pattern;

static const char *const pattern_name[PATTERNS] = {"all equal",  "sorted", "reversed",
                                                   "organ pipe", "random", "few values"};

static fsr_node make(pattern p, fsr_dtype dtype, int64_t rows, int64_t n) {
    double *x = malloc((size_t)(rows * n) * sizeof *x);
    uint32_t state = 7;
    for (int64_t i = 0; i < rows * n; i++) {
        const int64_t k = i % n;
        const uint32_t random = subject_random(&state);
        x[i] = p == EQUAL        ? 3
               : p == SORTED     ? (double)k
               : p == REVERSED   ? (double)(n - k)
               : p == ORGAN_PIPE ? (double)(k < n / 2 ? k : n - k)
               : p == RANDOM     ? (double)random - 0x1p31
                                 : (double)(random % 3) - 1;
    }
    fsr_node whole = fsr_from_host(G, FSR_F64, 2, SHAPE(rows, n), x);
    free(x);
    whole = fsr_cast(whole, dtype);
    OK(fsr_compute(&whole, 1));
    return whole;
}

static void dtypes(void **state) {
    (void)state;
    for (int dtype = FSR_I8; dtype < FSR_C64; dtype++)
        expect(subject_data((fsr_dtype)dtype, 2, SHAPE(3, 701), SUBJECT_SPECIAL, 1), (int64_t[]){0, 350, 351, 700, -3},
               5, fsr_dtype_name((fsr_dtype)dtype));
}

/* Before another one in order: -0 before 0, NaN last. */
static bool comes_before(double a, double b) {
    if (isnan(a) || isnan(b))
        return !isnan(a) && isnan(b);
    return a < b || (a == b && signbit(a) && !signbit(b));
}

static bool same_value(double a, double b) {
    return isnan(a) || isnan(b) ? isnan(a) && isnan(b) : a == b && signbit(a) == signbit(b);
}

/* Every rank of every row by counting, zeros by their signs. */
static void expect_every_rank(fsr_node x) {
    const int64_t n = fsr_node_dim(x, 1), rows = fsr_node_dim(x, 0);
    fsr_node out[33];
    double *in = subject_read(fsr_cast(x, FSR_F64));
    for (int64_t k = 0; k < n; k++)
        out[k] = fsr_cast(fsr_kth(x, k, AXES(1), 1, 0), FSR_F64);
    OK(fsr_compute(out, (int)n));
    for (int64_t k = 0; k < n; k++) {
        double *got = subject_read(out[k]);
        for (int64_t row = 0; row < rows; row++) {
            int64_t less = 0, same = 0;
            for (int64_t i = 0; i < n; i++) {
                less += comes_before(in[row * n + i], got[row]);
                same += same_value(in[row * n + i], got[row]);
            }
            if (less > k || less + same <= k)
                fail_msg("%s, rank %lld of %lld, row %lld: %.17g", fsr_dtype_name(fsr_node_dtype(x)), (long long)k,
                         (long long)n, (long long)row, got[row]);
        }
        free(got);
    }
    free(in);
    subject_count("ranks", n * rows);
}

/* Rows that networks put in order, and the first that they do not. */
static void short_rows(void **state) {
    (void)state;
    for (int dtype = FSR_BOOL; dtype < FSR_C64; dtype++)
        for (int n = 2; n <= 33; n += n < 10 ? 1 : dtype == FSR_F32 ? 3 : 7)
            expect_every_rank(subject_data((fsr_dtype)dtype, 2, SHAPE(61, n), SUBJECT_SPECIAL, n));
}

static void patterns(void **state) {
    (void)state;
    enum { LONG_ROW = 70001 };
    for (int p = 0; p < PATTERNS; p++) {
        expect(make((pattern)p, FSR_F32, 40, 301), (int64_t[]){7, 150, 149, 300}, 4, pattern_name[p]);
        expect(make((pattern)p, FSR_F32, 4, 2100), (int64_t[]){3, 1050, 1049, 2097}, 4, pattern_name[p]);
        expect(make((pattern)p, p % 2 ? FSR_F32 : FSR_I64, 1, LONG_ROW), (int64_t[]){LONG_ROW / 2, 3, LONG_ROW - 1}, 3,
               pattern_name[p]);
    }
    for (int n = 1; n < 140; n += 23)
        expect(make(n % 2 ? RANDOM : FEW, n % 3 ? FSR_F32 : FSR_F64, 300, n), (int64_t[]){0, n / 2, n - 1}, 3,
               "short rows");
    expect(subject_data(FSR_F32, 2, SHAPE(90, 9), SUBJECT_SPECIAL, 1), (int64_t[]){4, 8}, 2, "short rows");
    expect(make(RANDOM, FSR_F16, 2, LONG_ROW), (int64_t[]){1000, 1001, 69000}, 3, "long rows");
    expect(subject_data(FSR_F64, 2, SHAPE(1, LONG_ROW), SUBJECT_SPECIAL, 1), (int64_t[]){20000, -1, -2}, 3, "special");
}

/* Ranks of one call, in any order, equal ones, neighbours, more than are picked one by one. */
static void several(void **state) {
    (void)state;
    fsr_node x = make(RANDOM, FSR_F32, 3, 501), wide = make(FEW, FSR_F64, 2, 66000);
    const double few[] = {0.5, 0.25, 0.25, 1}, many[] = {0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1};
    fsr_node q = fsr_from_host(G, FSR_F64, 1, SHAPE(4), few), more = fsr_from_host(G, FSR_F64, 1, SHAPE(11), many);
    fsr_node out[] = {fsr_quantile(x, q, FSR_QUANTILE_LOWER, AXES(1), 1, 0),
                      fsr_quantile(x, more, FSR_QUANTILE_LINEAR, AXES(1), 1, 0),
                      fsr_quantile(wide, q, FSR_QUANTILE_LINEAR, AXES(1), 1, FSR_KEEPDIMS)};
    OK(fsr_compute(out, 3));
    OK(fsr_verify(out, 3, NULL));
    assert_int_equal(fsr_node_dim(out[0], 0), 4);
    assert_int_equal(fsr_node_dim(out[2], 2), 1);
    float *got = subject_read(out[0]), *middle = subject_read(fsr_kth(x, 250, AXES(1), 1, 0));
    for (int row = 0; row < 3; row++)
        assert_true(got[row] == middle[row] && got[3 + row] == got[6 + row]);
    free(got);
    free(middle);
}

/* Another q, a parameter, neither plans nor compiles. */
static void parameter(void **state) {
    (void)state;
    fsr_node x = make(SORTED, FSR_F64, 1, 101);
    for (int i = 0; i <= 4; i++) {
        const int64_t before = subject_stats().plans_built;
        fsr_node y = fsr_percentile(x, fsr_param(G, "q", FSR_F64, 25.0 * i), FSR_QUANTILE_LINEAR, NULL, 0, 0);
        assert_true(subject_value(y, 0) == 25 * i);
        assert_int_equal(subject_stats().plans_built - before, i == 0);
    }
}

/* Several axes are one; kept ones stay where they are. */
static void axes(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 3, SHAPE(5, 7, 6), SUBJECT_SMALL, 1);
    fsr_node flat = fsr_reshape(fsr_transpose(x, (int[]){1, 0, 2}), 2, SHAPE(7, 30));
    fsr_node pairs[][2] = {
        {fsr_median(x, AXES(0, 2), 2, 0), fsr_median(flat, AXES(1), 1, 0)},
        {fsr_median(x, NULL, 0, 0), fsr_median(fsr_ravel(x), AXES(0), 1, 0)},
        {fsr_median(x, AXES(0), 1, 0), fsr_median(fsr_swapaxes(x, 0, 2), AXES(2), 1, 0)},
        {fsr_ravel(fsr_nanmedian(x, AXES(-1), 1, FSR_KEEPDIMS)), fsr_ravel(fsr_median(x, AXES(2), 1, 0))}};
    for (int i = 0; i < COUNT_OF(pairs); i++) {
        const bool turned = i == 2;
        float *a = subject_read(pairs[i][0]),
              *b = subject_read(turned ? fsr_transpose(pairs[i][1], NULL) : pairs[i][1]);
        OK(fsr_verify(pairs[i], 2, NULL));
        assert_memory_equal(a, b, (size_t)fsr_node_bytes(pairs[i][0]));
        free(a);
        free(b);
    }
    assert_int_equal(fsr_node_ndim(fsr_median(x, AXES(1), 1, FSR_KEEPDIMS)), 3);
    assert_int_equal(fsr_node_status(fsr_kth(x, 7, AXES(1), 1, 0)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_kth(x, -8, AXES(1), 1, 0)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_median(fsr_full(G, FSR_F32, 2, SHAPE(3, 0), 1), AXES(1), 1, 0)),
                     FSR_ERR_EMPTY);
    assert_int_equal(fsr_node_status(fsr_median(fsr_cast(x, FSR_C64), AXES(1), 1, 0)), FSR_ERR_DTYPE);
    assert_int_equal(fsr_node_status(fsr_quantile(x, fsr_float(G, 0.5), (fsr_quantile_method)13, NULL, 0, 0)),
                     FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_quantile(x, flat, FSR_QUANTILE_LINEAR, NULL, 0, 0)), FSR_ERR_SHAPE);
    fsr_node deep = fsr_reshape(x, 8, SHAPE(1, 5, 1, 7, 1, 6, 1, 1)), same = fsr_nanmedian(deep, AXES(0), 0, 0);
    assert_int_equal(fsr_node_ndim(same), 8);
    float *a = subject_read(same), *b = subject_read(x);
    assert_memory_equal(a, b, (size_t)fsr_node_bytes(x));
    free(a);
    free(b);
    assert_int_equal(fsr_node_status(fsr_quantile(deep, fsr_zeros(G, FSR_F32, 1, SHAPE(2)), FSR_QUANTILE_LINEAR,
                                                  AXES(1, 3, 5), 3, FSR_KEEPDIMS)),
                     FSR_ERR_SHAPE);
}

/* What computes the elements is one kernel before the call, and it does not matter what computes their ranks. */
static void fused(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(30, 200), SUBJECT_SMALL, 1);
    fsr_node y = fsr_abs(fsr_sub(x, fsr_median(x, AXES(1), 1, FSR_KEEPDIMS)));
    fsr_node out[] = {fsr_median(y, AXES(1), 1, 0), fsr_mul(fsr_kth(y, 3, AXES(1), 1, 0), fsr_float(G, 2)),
                      fsr_nanquantile(fsr_log(x), fsr_float(G, 0.3), FSR_QUANTILE_LINEAR, AXES(1), 1, 0)};
    OK(fsr_compute(out, 3));
    OK(fsr_verify(out, 3, NULL));
}

/* ---- what follows from places ---------------------------------------------------------------------------------- */

/* Of eight dimensions one is folded, and the quantiles are in its place, in front. */
static void eight(void **state) {
    (void)state;
    const double half[] = {0, 0.5};
    fsr_node x = fsr_reshape(fsr_arange(G, FSR_F64, 24), 8, SHAPE(2, 1, 1, 1, 2, 1, 2, 3)), out[2];
    out[0] = fsr_quantile(x, fsr_from_host(G, FSR_F64, 1, SHAPE(2), half), FSR_QUANTILE_LINEAR, AXES(7), 1, 0);
    out[1] =
        fsr_quantile(x, fsr_from_host(G, FSR_F64, 1, SHAPE(2), half), FSR_QUANTILE_LINEAR, AXES(7), 1, FSR_KEEPDIMS);
    assert_int_equal(fsr_node_ndim(out[0]), 8);
    for (int i = 0; i < 16; i++)
        assert_true(subject_value(out[0], i) == 3 * (i % 8) + (i >= 8));
    assert_int_equal(fsr_node_status(out[1]), FSR_ERR_SHAPE);
}

static void by_keys(void **state) {
    (void)state;
    enum { N = 500 };
    fsr_node a = fsr_cast(make(FEW, FSR_F64, 1, N), FSR_I32), keys = fsr_ravel(a), i = fsr_arange(G, FSR_I64, N);
    fsr_node low = fsr_mod(i, fsr_int(G, 7)), out[3], both[] = {low, keys};
    out[0] = fsr_sort(keys, AXES(0), 1, 0);
    out[1] = fsr_sort_by_key(i, keys, AXES(0), 1, 0);
    out[2] = fsr_sort_by_key(fsr_cast(low, FSR_F32), keys, AXES(0), 1, 0);
    fsr_node order = fsr_lexsort(both, 2, AXES(0), 1), rank = fsr_rank(keys, AXES(0), 1, 0);
    fsr_node back = fsr_take(rank, fsr_argsort(keys, AXES(0), 1, 0), 0, FSR_INDEX_RAISE);
    fsr_node all[] = {out[0], out[1], out[2], order, back};
    OK(fsr_compute(all, 5));
    OK(fsr_verify(all, 5, NULL));
    int32_t *key = subject_read(out[0]), *was = subject_read(keys);
    int64_t *at = subject_read(out[1]), *lex = subject_read(order), *same = subject_read(back);
    float *carried = subject_read(out[2]);
    for (int k = 0; k < N; k++) {
        assert_true(was[at[k]] == key[k] && carried[k] == (float)(at[k] % 7) && same[k] == k);
        assert_true(k == 0 || key[k - 1] < key[k] || (key[k - 1] == key[k] && at[k - 1] < at[k]));
        const int64_t x = lex[k ? k - 1 : 0], y = lex[k];
        assert_true(k == 0 || was[x] < was[y] || (was[x] == was[y] && (x % 7 < y % 7 || (x % 7 == y % 7 && x < y))));
    }
    void *held[] = {key, was, at, lex, same, carried};
    for (int k = 0; k < COUNT_OF(held); k++)
        free(held[k]);
    assert_int_equal(fsr_node_status(fsr_sort_by_key(a, keys, AXES(0), 1, 0)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_lexsort(both, 0, AXES(0), 1)), FSR_ERR_NULL);
}

/* A permutation has each index once; the same seed gives the same one, another stream another; each place is as
 * likely. */
static void permutations(void **state) {
    (void)state;
    enum { N = 1000, DRAWS = 60 };
    fsr_node seed = fsr_int(G, 5), x = fsr_random_permutation(seed, fsr_int(G, 0), N);
    int64_t *p = subject_read(x), *again = subject_read(fsr_random_permutation(seed, fsr_int(G, 0), N));
    int64_t *other = subject_read(fsr_random_permutation(seed, fsr_int(G, 1), N));
    char seen[N] = {0};
    assert_memory_equal(p, again, N * sizeof *p);
    assert_true(memcmp(p, other, N * sizeof *p) != 0);
    for (int i = 0; i < N; i++)
        assert_true(p[i] >= 0 && p[i] < N && !seen[p[i]]++);
    free(p);
    free(again);
    free(other);
    double places = 0;
    for (int d = 0; d < DRAWS; d++)
        places += subject_value(fsr_random_permutation(seed, fsr_int(G, 100 + d), N), 0) / (N * (double)DRAWS);
    assert_true(fabs(places - 0.5) < 4 * 0.29 / sqrt((double)DRAWS));
    fsr_node grid = fsr_reshape(fsr_arange(G, FSR_I64, 12), 2, SHAPE(3, 4));
    int64_t *shuffled = subject_read(fsr_random_shuffle(seed, fsr_int(G, 3), grid, -1));
    for (int i = 0; i < 4; i++)
        assert_true(shuffled[i] + 4 == shuffled[4 + i] && shuffled[i] + 8 == shuffled[8 + i]);
    free(shuffled);
    assert_int_equal(fsr_node_size(fsr_random_permutation(seed, seed, 0)), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(dtypes),      SUBJECT_TEST(short_rows), SUBJECT_TEST(patterns),
                                       SUBJECT_TEST(several),     SUBJECT_TEST(parameter),  SUBJECT_TEST(axes),
                                       SUBJECT_TEST(fused),       SUBJECT_TEST(eight),      SUBJECT_TEST(by_keys),
                                       SUBJECT_TEST(permutations)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
