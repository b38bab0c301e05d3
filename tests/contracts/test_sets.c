/* SPDX-License-Identifier: MIT */
/* What is in order of values with a length, and of segments; the different elements of what a mask selects, the most
 * frequent ones of rows; arrays of lengths side by side, and counted. Each against a plain loop. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { N = 700 };

/* x[mask] of numbers of which many are equal, the greatest and the least among them, and NaN of a float. */
typedef struct data {
    int64_t count;
    double kept[N]; /* what is selected */
    fsr_node live;
} data;

static double number(fsr_dtype dtype, int64_t i) {
    const uint32_t r = (uint32_t)i * 2654435761u >> 8;
    if (dtype == FSR_F32)
        return r % 11 == 0 ? NAN : r % 13 == 0 ? INFINITY : (double)(r % 9) - 4;
    return r % 7 == 0 ? INT32_MAX : r % 11 == 0 ? INT32_MIN : (double)(r % 9) - 4;
}

static data make(fsr_dtype dtype, bool any) {
    data d = {0};
    double x[N];
    uint8_t mask[N];
    for (int64_t i = 0; i < N; i++) {
        x[i] = number(dtype, i);
        mask[i] = any && i % 5 < 3;
        if (mask[i])
            d.kept[d.count++] = x[i];
    }
    fsr_node values = fsr_cast(fsr_from_host(G, FSR_F64, 1, SHAPE(N), x), dtype);
    d.live = fsr_compress(fsr_from_host(G, FSR_BOOL, 1, SHAPE(N), mask), values);
    return d;
}

/* a is before b, NaN behind every number. */
static bool before(double a, double b, bool descending) {
    if (isnan(a) || isnan(b))
        return !isnan(a);
    return descending ? a > b : a < b;
}

/* Where the n elements from `low` on are in order, stable. */
static void ordered(const double *x, int64_t low, int64_t n, bool descending, int64_t *place) {
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i;
        for (; at > 0 && before(x[low + i], x[place[low + at - 1]], descending); at--)
            place[low + at] = place[low + at - 1];
        place[low + at] = low + i;
    }
}

static void expect(fsr_node x, const double *want, int64_t count, const char *what) {
    double got[2 * N];
    int64_t there = -1;
    if (fsr_node_status(x))
        fail_msg("%s: %s", what, fsr_node_error(x));
    x = fsr_cast(x, FSR_F64);
    OK(fsr_read_live(x, got, sizeof got, &there));
    if (there != count)
        fail_msg("%s: %lld elements, not %lld", what, (long long)there, (long long)count);
    for (int64_t i = 0; i < count; i++)
        if (got[i] != want[i] && !(isnan(got[i]) && isnan(want[i])))
            fail_msg("%s, element %lld of %lld: %g, not %g", what, (long long)i, (long long)count, got[i], want[i]);
    if (fsr_verify(&x, 1, NULL))
        fail_msg("%s: %s", what, fsr_error(subject_ctx));
}

static void check_order(const data *d, int flags) {
    double value[N], at[N], rank[N];
    int64_t place[N];
    ordered(d->kept, 0, d->count, flags, place);
    for (int64_t i = 0; i < d->count; i++) {
        value[i] = d->kept[place[i]];
        at[i] = (double)place[i];
        rank[place[i]] = (double)i;
    }
    const int64_t k = d->count < 10 ? d->count : 10;
    fsr_node places = fsr_argsort(d->live, AXES(0), 1, flags);
    expect(fsr_sort(d->live, AXES(0), 1, flags), value, d->count, "sort");
    expect(places, at, d->count, "argsort");
    expect(fsr_topk(d->live, 10, AXES(0), 1, flags), value, k, "topk");
    expect(fsr_argtopk(d->live, 10, AXES(0), 1, flags), at, k, "argtopk");
    expect(fsr_rank(d->live, AXES(0), 1, flags), rank, d->count, "rank");
    expect(fsr_sort_by_key(d->live, d->live, AXES(0), 1, flags), value, d->count, "sort_by_key");
    expect(fsr_take(d->live, places, 0, FSR_INDEX_RAISE), value, d->count, "taken in order");
}

/* What is last in the order is among the elements, so behind the length nothing else may come before it. */
static void lives(void **state) {
    (void)state;
    const fsr_dtype dtypes[] = {FSR_I32, FSR_F32};
    for (int t = 0; t < 2; t++) {
        data some = make(dtypes[t], true), none = make(dtypes[t], false);
        check_order(&some, 0);
        check_order(&some, FSR_DESCENDING);
        check_order(&none, 0);
    }
    data d = make(FSR_I32, true);
    fsr_node low = fsr_mod(d.live, fsr_int(G, 3)), both[] = {d.live, low};
    double at[N], key[N] = {0};
    int64_t place[N];
    for (int64_t i = 0; i < d.count; i++)
        key[i] = (fmod(d.kept[i], 3) < 0 ? fmod(d.kept[i], 3) + 3 : fmod(d.kept[i], 3)) * 0x1p33 + d.kept[i];
    ordered(key, 0, d.count, false, place);
    for (int64_t i = 0; i < d.count; i++)
        at[i] = (double)place[i];
    expect(fsr_lexsort(both, 2, AXES(0), 1), at, d.count, "lexsort");
    assert_int_equal(fsr_node_status(fsr_sort_by_key(fsr_arange(G, FSR_I64, N), d.live, AXES(0), 1, 0)), FSR_ERR_SHAPE);
}

/* What the same function says of an array of what is there, in every bit. */
static void expect_alike(fsr_node live, fsr_node plain, const char *what) {
    if (fsr_node_status(live))
        fail_msg("%s: %s", what, fsr_node_error(live));
    assert_int_equal(fsr_node_dtype(live), fsr_node_dtype(plain));
    assert_int_equal(fsr_node_bytes(live), fsr_node_bytes(plain));
    char *got = subject_read(live), *want = subject_read(plain);
    if (memcmp(got, want, (size_t)fsr_node_bytes(plain)) != 0)
        fail_msg("%s differs", what);
    if (fsr_verify(&live, 1, NULL))
        fail_msg("%s: %s", what, fsr_error(subject_ctx));
    free(got);
    free(want);
}

static void check_middle(fsr_node live, fsr_node plain) {
    const fsr_node q = fsr_from_host(G, FSR_F64, 1, SHAPE(3), (double[]){0, 0.4, 1}), percent = fsr_float(G, 37.5);
    const fsr_quantile_method method[] = {FSR_QUANTILE_HAZEN, FSR_QUANTILE_HIGHER};
    const int64_t last = fsr_node_dim(plain, 0) - 1, rank[] = {0, 7, last, -1, -8, -last - 1};
    fsr_node mode[2], other[2];
    expect_alike(fsr_median(live, NULL, 0, 0), fsr_median(plain, NULL, 0, 0), "median");
    expect_alike(fsr_nanmedian(live, AXES(0), 1, FSR_KEEPDIMS), fsr_nanmedian(plain, AXES(0), 1, FSR_KEEPDIMS),
                 "nanmedian");
    for (int i = 0; i < COUNT_OF(method); i++) {
        expect_alike(fsr_quantile(live, q, method[i], NULL, 0, 0), fsr_quantile(plain, q, method[i], NULL, 0, 0),
                     "quantile");
        expect_alike(fsr_nanpercentile(live, percent, method[i], NULL, 0, 0),
                     fsr_nanpercentile(plain, percent, method[i], NULL, 0, 0), "nanpercentile");
    }
    for (int i = 0; i < COUNT_OF(rank); i++) {
        expect_alike(fsr_kth(live, rank[i], NULL, 0, 0), fsr_kth(plain, rank[i], NULL, 0, 0), "kth");
        expect_alike(fsr_kth(live, rank[i], AXES(0), 1, FSR_KEEPDIMS),
                     fsr_kth(plain, rank[i], AXES(0), 1, FSR_KEEPDIMS), "kth, of one dimension");
    }
    fsr_mode(mode, live, NULL, 0, 0);
    fsr_mode(other, plain, NULL, 0, 0);
    expect_alike(mode[0], other[0], "mode");
    expect_alike(mode[1], other[1], "how often the mode");
}

/* A rank that nothing has there is an index outside, in words. */
static void check_rank(fsr_node live, int64_t rank, int64_t count) {
    char got[8], words[64];
    snprintf(words, sizeof words, "index %lld is out of bounds for", (long long)rank);
    const fsr_node out = fsr_kth(live, rank, NULL, 0, 0);
    assert_int_equal(fsr_read(out, got, fsr_node_bytes(out)), FSR_ERR_INDEX);
    if (!strstr(fsr_error(subject_ctx), words))
        fail_msg("rank %lld of %lld: %s", (long long)rank, (long long)count, fsr_error(subject_ctx));
}

/* Medians, quantiles and modes of what is there: neither its capacity nor what stands behind it counts. Of an odd and
 * an even number of elements, with NaN and without; of none that is told. */
static void middles(void **state) {
    (void)state;
    const fsr_dtype dtypes[] = {FSR_I32, FSR_F32};
    for (int t = 0; t < 2; t++) {
        const data d = make(dtypes[t], true);
        for (int64_t less = 0; less < 2; less++) {
            const int64_t count = d.count - less;
            const fsr_node some = fsr_slice(d.live, 0, 0, count, 1), sound = fsr_compress(fsr_isfinite(some), some);
            double finite[N];
            int64_t n = 0;
            for (int64_t i = 0; i < count; i++)
                if (isfinite(d.kept[i]))
                    finite[n++] = d.kept[i];
            if (less == t)
                check_middle(some, fsr_cast(fsr_from_host(G, FSR_F64, 1, &count, d.kept), dtypes[t]));
            else
                check_middle(sound, fsr_cast(fsr_from_host(G, FSR_F64, 1, &n, finite), dtypes[t]));
        }
        char got[8];
        const fsr_node none = make(dtypes[t], false).live;
        fsr_node out[4] = {fsr_median(none, NULL, 0, 0), fsr_nanquantile(none, fsr_float(G, 0.5), 0, NULL, 0, 0)};
        fsr_mode(out + 2, none, NULL, 0, 0);
        for (int i = 0; i < 4; i++)
            assert_int_equal(fsr_read(out[i], got, fsr_node_bytes(out[i])), FSR_ERR_EMPTY);
        check_rank(none, 0, 0);
        check_rank(none, -1, 0);
    }
    const data d = make(FSR_F32, true);
    check_rank(d.live, d.count, d.count);
    check_rank(d.live, -d.count - 1, d.count);
    assert_int_equal(fsr_node_status(fsr_kth(d.live, N, AXES(0), 1, 0)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_median(d.live, AXES(0), 0, 0)), FSR_ERR_UNSUPPORTED);
    assert_int_equal(fsr_node_status(fsr_kth(d.live, 0, AXES(0), 0, 0)), FSR_ERR_UNSUPPORTED);
}

/* The different elements of what is selected, and how they belong to it. */
static void kinds(void **state) {
    (void)state;
    for (int t = 0; t < 2; t++) {
        data d = make(t ? FSR_F32 : FSR_I32, true);
        double value[N], first[N], inverse[N], count[N];
        int64_t place[N], n = 0;
        ordered(d.kept, 0, d.count, false, place);
        for (int64_t i = 0; i < d.count; i++) {
            const double v = d.kept[place[i]];
            if (i == 0 || (v != value[n - 1] && !(isnan(v) && isnan(value[n - 1])))) {
                value[n] = v;
                first[n] = (double)place[i];
                count[n++] = 0;
            }
            inverse[place[i]] = (double)(n - 1);
            count[n - 1]++;
        }
        fsr_node out[4];
        fsr_unique(out, d.live, true);
        expect(out[0], value, n, "unique");
        expect(out[1], first, n, "first");
        expect(out[2], inverse, d.count, "inverse");
        expect(out[3], count, n, "counts");
        expect(fsr_take(out[0], out[2], 0, FSR_INDEX_RAISE), d.kept, d.count, "values at the inverse");
        double in[N];
        for (int64_t i = 0; i < d.count; i++)
            in[i] = !isnan(d.kept[i]);
        expect(fsr_isin(d.live, out[0]), in, d.count, "isin");
    }
    fsr_node out[4], grid = fsr_mod(fsr_reshape(fsr_arange(G, FSR_I64, 12), 2, SHAPE(3, 4)), fsr_int(G, 5));
    fsr_unique(out, grid, true);
    assert_int_equal(fsr_node_ndim(out[2]), 2);
    assert_true(subject_value(out[2], 7) == 2 && subject_value(fsr_live_count(out[0]), 0) == 5);
    fsr_unique(out, fsr_cast(grid, FSR_C64), true);
    for (int i = 0; i < 4; i++)
        assert_int_equal(fsr_node_status(out[i]), FSR_ERR_DTYPE);
}

/* u64 among signed integers and the other way, which promote to f64: exact, whichever has a greater range. */
static void among(void **state) {
    (void)state;
    const int64_t whole[] = {(INT64_C(1) << 53) + 1, -1, INT64_MIN, INT64_MAX, 7};
    const uint64_t natural[] = {UINT64_C(1) << 53, UINT64_MAX, UINT64_C(1) << 63, 7};
    const int8_t small[] = {-1, 7, 0};
    const fsr_node i = fsr_from_host(G, FSR_I64, 1, SHAPE(5), whole),
                   u = fsr_from_host(G, FSR_U64, 1, SHAPE(4), natural);
    const fsr_node s = fsr_from_host(G, FSR_I8, 1, SHAPE(3), small);
    expect(fsr_isin(i, u), (double[]){0, 0, 0, 0, 1}, 5, "i64 among u64");
    expect(fsr_isin(u, i), (double[]){0, 0, 0, 1}, 4, "u64 among i64");
    expect(fsr_isin(u, s), (double[]){0, 0, 0, 1}, 4, "u64 among i8");
    expect(fsr_isin(s, u), (double[]){0, 1, 0}, 3, "i8 among u64");
}

/* Of no rows too one dimension is what is put in order where no axis is named. */
static void nothing(void **state) {
    (void)state;
    const fsr_node none = fsr_zeros(G, FSR_F32, 2, SHAPE(0, 3));
    assert_int_equal(fsr_node_ndim(fsr_sort_by_key(none, none, NULL, 0, 0)), 1);
    assert_int_equal(fsr_node_ndim(fsr_sort_by_key(none, none, AXES(1), 1, 0)), 2);
    assert_int_equal(fsr_node_dim(fsr_sort_by_key(none, none, AXES(1), 1, 0), 1), 3);
}

/* The least of the most frequent elements, along any axes. */
static void modes(void **state) {
    (void)state;
    const float x[4][6] = {{3, 1, 3, 1, 2, 5}, {NAN, 0, NAN, 7, NAN, 7}, {9, 8, 7, 6, 5, 4}, {-0.f, 0, 1, 1, 0, 1}};
    const double by_row[] = {1, NAN, 4, 0}, times[] = {2, 3, 1, 3};
    fsr_node out[2], a = fsr_from_host(G, FSR_F32, 2, SHAPE(4, 6), x);
    fsr_mode(out, a, AXES(1), 1, 0);
    expect(out[0], by_row, 4, "mode");
    expect(out[1], times, 4, "how often");
    fsr_mode(out, fsr_transpose(a, NULL), AXES(0), 1, FSR_KEEPDIMS);
    assert_true(fsr_node_ndim(out[0]) == 2 && fsr_node_dim(out[0], 0) == 1 && subject_value(out[1], 1) == 3);
    fsr_mode(out, a, NULL, 0, 0);
    assert_true(subject_value(out[0], 0) == 1 && subject_value(out[1], 0) == 5);
}

/* Segments of all lengths, empty ones and elements before and behind them. */
static void segments(void **state) {
    (void)state;
    int64_t offsets[] = {3, 3, 4, 6, 200, 200, 233, 500, 691}, place[N];
    for (int t = 0; t < 2; t++)
        for (int descending = 0; descending < 2; descending++) {
            double x[N], value[N], at[N], middle[8];
            for (int64_t i = 0; i < N; i++) {
                x[i] = number(t ? FSR_F32 : FSR_I32, i);
                x[i] = i < 100 && isnan(x[i]) ? 1 : x[i];
                place[i] = i;
            }
            for (int s = 0; s < 8; s++)
                ordered(x, offsets[s], offsets[s + 1] - offsets[s], descending, place);
            for (int64_t i = 0; i < N; i++) {
                value[i] = x[place[i]];
                at[i] = (double)place[i];
            }
            fsr_node a = fsr_cast(fsr_from_host(G, FSR_F64, 1, SHAPE(N), x), t ? FSR_F32 : FSR_I32);
            fsr_node o = fsr_from_host(G, FSR_I64, 1, SHAPE(9), offsets);
            expect(fsr_segment_sort(a, o, descending ? FSR_DESCENDING : 0), value, N, "segment_sort");
            expect(fsr_segment_argsort(a, o, descending ? FSR_DESCENDING : 0), at, N, "segment_argsort");
            for (int s = 0; s < 8; s++) {
                const int64_t n = offsets[s + 1] - offsets[s], low = offsets[s];
                middle[s] = n == 0 || (!descending && isnan(value[low + n - 1]))
                                ? NAN
                                : (value[low + (n - 1) / 2] + value[low + n / 2]) / 2;
            }
            if (!descending)
                expect(fsr_segment_median(a, o), middle, 8, "segment_median");
        }
    fsr_node grid =
        fsr_mod(fsr_mul(fsr_reshape(fsr_arange(G, FSR_I64, 12), 2, SHAPE(6, 2)), fsr_int(G, 7)), fsr_int(G, 12));
    fsr_node o = fsr_from_host(G, FSR_I32, 1, SHAPE(3), ((int32_t[]){0, 4, 6}));
    double *got = subject_read(fsr_segment_median(grid, o));
    for (int i = 0; i < 4; i++) {
        double column[6];
        for (int k = 0; k < 6; k++)
            column[k] = (double)((2 * k + i % 2) * 7 % 12);
        const int low = i < 2 ? 0 : 4, n = i < 2 ? 4 : 2;
        int64_t p[6];
        ordered(column, low, n, false, p);
        assert_true(got[i] == (column[p[low + (n - 1) / 2]] + column[p[low + n / 2]]) / 2);
    }
    free(got);
}

/* Parts with lengths and without side by side; counted by bins; sums of segments of what is there. */
static void together(void **state) {
    (void)state;
    data d = make(FSR_I32, true);
    double whole[2 * N], bins[9] = {0};
    int64_t n = 0;
    const double array[] = {7, 8, 9};
    fsr_node middle = fsr_cast(fsr_from_host(G, FSR_F64, 1, SHAPE(3), array), FSR_I32);
    fsr_node parts[] = {d.live, middle, d.live};
    for (int p = 0; p < 3; p++)
        for (int64_t i = 0; i < (p == 1 ? 3 : d.count); i++)
            whole[n++] = p == 1 ? array[i] : d.kept[i];
    fsr_node joined = fsr_concat(parts, 3, 0);
    expect(joined, whole, n, "concat");
    expect(fsr_sum(fsr_cast(joined, FSR_I64), NULL, 0, 0),
           (double[]){2 * subject_value(fsr_sum(d.live, NULL, 0, 0), 0) + 24}, 1, "sum of it");
    for (int64_t i = 0; i < d.count; i++)
        bins[((int64_t)d.kept[i] % 9 + 9) % 9]++;
    fsr_node bin = fsr_mod(d.live, fsr_int(G, 9));
    expect(fsr_bincount(bin, (fsr_node){0}, 9, FSR_INDEX_RAISE), bins, 9, "bincount");
    double sums[3] = {0}, running[N];
    const int64_t offsets[] = {2, 50, 300, 10000};
    for (int64_t i = 0; i < d.count; i++) {
        running[i] = (i == 2 || i == 50 || i == 300 || i == 0 ? 0 : running[i - 1]) + d.kept[i];
        for (int s = 0; s < 3; s++)
            sums[s] += i >= offsets[s] && i < offsets[s + 1] ? d.kept[i] : 0;
    }
    fsr_node o = fsr_from_host(G, FSR_I64, 1, SHAPE(4), offsets);
    expect(fsr_segment_sum(d.live, o), sums, 3, "segment_sum");
    expect(fsr_segment_cumsum(d.live, o, 0), running, d.count, "segment_cumsum");
}

/* As many elements of a value with a length as of an array, with the same bits. */
static void expect_as(fsr_node live, fsr_node plain, const char *what) {
    char got[8 * N];
    int64_t count = -1;
    if (fsr_node_status(live) || fsr_node_status(plain))
        fail_msg("%s: %s", what, fsr_node_error(fsr_node_status(live) ? live : plain));
    if (fsr_read_live(live, got, sizeof got, &count))
        fail_msg("%s: %s", what, fsr_error(subject_ctx));
    char *want = subject_read(plain);
    assert_int_equal(fsr_node_dtype(live), fsr_node_dtype(plain));
    if (count != fsr_node_dim(plain, 0) || memcmp(got, want, (size_t)fsr_node_bytes(plain)) != 0)
        fail_msg("%s: %lld differ from %lld", what, (long long)count, (long long)fsr_node_dim(plain, 0));
    if (fsr_verify(&live, 1, NULL))
        fail_msg("%s: %s", what, fsr_error(subject_ctx));
    free(want);
}

static void more(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_maximum(left[0], right[0]);
}

/* Of segments between offsets with a length there is one less than of these; and none of no offset. */
static void check_counted(fsr_node x, fsr_node live, fsr_node plain) {
    const fsr_operator op = {.body = more, .arity = 1, .identity = {-1e30}};
    fsr_node made[2];
    expect_as(fsr_segment_sum(x, live), fsr_segment_sum(x, plain), "sums");
    expect_as(fsr_segment_max(x, live), fsr_segment_max(x, plain), "greatest");
    expect_as(fsr_segment_argmin(x, live), fsr_segment_argmin(x, plain), "places");
    expect_as(fsr_segment_first(x, live), fsr_segment_first(x, plain), "first ones");
    expect_as(fsr_segment_last(x, live), fsr_segment_last(x, plain), "last ones");
    expect_as(fsr_segment_median(x, live), fsr_segment_median(x, plain), "medians");
    fsr_segment_reduce_with(&made[0], &x, &op, live);
    fsr_segment_reduce_with(&made[1], &x, &op, plain);
    expect_as(made[0], made[1], "by an operator");
    expect_alike(fsr_segment_sort(x, live, 0), fsr_segment_sort(x, plain, 0), "in order");
    expect_alike(fsr_segment_argsort(x, live, FSR_DESCENDING), fsr_segment_argsort(x, plain, FSR_DESCENDING), "order");
}

static void counted_segments(void **state) {
    (void)state;
    double number_of[N];
    const int64_t every[] = {1, 3, 90, 699, 5000};
    for (int64_t i = 0; i < N; i++)
        number_of[i] = isnan(number(FSR_F32, i)) ? 1 : number(FSR_F32, i);
    const fsr_node x = fsr_cast(fsr_from_host(G, FSR_F64, 1, SHAPE(N), number_of), FSR_F32);
    for (int e = 0; e < COUNT_OF(every); e++) {
        int64_t at[N], n = 0;
        uint8_t mask[N] = {0};
        for (int64_t i = 7; i < N; i += every[e]) {
            mask[i] = 1;
            at[n++] = i;
        }
        const fsr_node live = fsr_flatnonzero(fsr_from_host(G, FSR_BOOL, 1, SHAPE(N), mask));
        const fsr_node plain = fsr_from_host(G, FSR_I64, 1, &n, at), lengths = fsr_diff(live, 1, 0);
        check_counted(x, live, plain);
        expect_alike(fsr_segment_cumsum(x, live, FSR_REVERSE), fsr_segment_cumsum(x, plain, FSR_REVERSE),
                     "running sums");
        expect_as(fsr_add(fsr_segment_sum(fsr_ones(G, FSR_I64, 1, SHAPE(N)), live), lengths),
                  fsr_mul(fsr_diff(plain, 1, 0), fsr_int(G, 2)), "lengths");
    }
}

/* No offset; offsets and elements that both have a length; segments of rows. */
static void other_counted_segments(void **state) {
    (void)state;
    char got[8 * N];
    int64_t count = -1;
    const data d = make(FSR_F32, true);
    const fsr_node i = fsr_arange(G, FSR_I64, N), none = fsr_flatnonzero(fsr_zeros(G, FSR_BOOL, 1, SHAPE(N)));
    OK(fsr_read_live(fsr_segment_sum(i, none), got, sizeof got, &count));
    assert_int_equal(count, 0);
    float *last = (float *)(void *)got;
    OK(fsr_read_live(fsr_segment_last(d.live, fsr_compress(fsr_greater(i, fsr_int(G, 90)), i)), got, sizeof got,
                     &count));
    assert_int_equal(count, N - 92);
    for (int64_t k = 0; k < count; k++)
        if (last[k] != (k + 91 < d.count ? (float)d.kept[k + 91] : 0) && !isnan(last[k]))
            fail_msg("element %lld of both lengths", (long long)k);
    const fsr_node rows = fsr_reshape(i, 2, SHAPE(N / 7, 7)), some = fsr_slice(none, 0, 0, N / 7, 1);
    assert_int_equal(fsr_node_status(fsr_segment_sum(rows, some)), FSR_ERR_UNSUPPORTED);
    expect_alike(fsr_segment_sort(rows, some, 0), rows, "rows in no segment");
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(lives),
                                       SUBJECT_TEST(middles),
                                       SUBJECT_TEST(kinds),
                                       SUBJECT_TEST(among),
                                       SUBJECT_TEST(nothing),
                                       SUBJECT_TEST(modes),
                                       SUBJECT_TEST(segments),
                                       SUBJECT_TEST(together),
                                       SUBJECT_TEST(counted_segments),
                                       SUBJECT_TEST(other_counted_segments)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
