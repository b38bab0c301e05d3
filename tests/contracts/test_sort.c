/* SPDX-License-Identifier: MIT */
/* Sorted elements and their places, against an order by (element, place) that the C library's qsort makes: every real
 * dtype, both directions, short rows and long ones, along each axis, of input that is hard on sorters; fused on both
 * sides. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { LONG_ROW = 70001 };

/* ---- what is expected -------------------------------------------------------------------------------------- */

typedef struct item {
    long double x;
    int64_t at;
} item;

/* NaN is last in either direction. */
static int compare(const item *a, const item *b, int sign) {
    const bool nan_a = isnan(a->x), nan_b = isnan(b->x);
    if (nan_a != nan_b)
        return nan_a ? 1 : -1;
    if (!nan_a && a->x != b->x)
        return a->x < b->x ? -sign : sign;
    return (a->at > b->at) - (a->at < b->at);
}

static int ascending(const void *a, const void *b) {
    return compare(a, b, 1);
}

static int descending(const void *a, const void *b) {
    return compare(a, b, -1);
}

/* The elements as numbers that every dtype's are among. */
static void load(fsr_node x, item *out, int64_t n) {
    const fsr_dtype dtype = fsr_node_dtype(x), wide = dtype >= FSR_F16 ? FSR_F64 : dtype == FSR_U64 ? FSR_U64 : FSR_I64;
    void *data = subject_read(fsr_cast(x, wide));
    for (int64_t i = 0; i < n; i++)
        out[i].x = wide == FSR_F64   ? (long double)((double *)data)[i]
                   : wide == FSR_U64 ? (long double)((uint64_t *)data)[i]
                                     : (long double)((int64_t *)data)[i];
    free(data);
}

/* Rows of n of x along its last axis. Elements that come out have the bits of those that went in, but NaN. */
static void expect(fsr_node x, int flags, const char *what) {
    const int64_t size = fsr_node_bytes(x) / (int64_t)fsr_dtype_size(fsr_node_dtype(x));
    const int64_t n = fsr_node_dim(x, -1);
    const size_t bytes = fsr_dtype_size(fsr_node_dtype(x));
    item *want = malloc((size_t)size * sizeof *want);
    fsr_node both[2] = {fsr_sort(x, AXES(-1), 1, flags), fsr_argsort(x, AXES(-1), 1, flags)};
    OK(fsr_compute(both, 2));
    char *in = subject_read(x), *sorted = subject_read(both[0]);
    int64_t *at = subject_read(both[1]);
    load(x, want, size);
    for (int64_t row = 0; row < size; row += n) {
        for (int64_t i = 0; i < n; i++)
            want[row + i].at = i;
        qsort(want + row, (size_t)n, sizeof *want, flags ? descending : ascending);
    }
    for (int64_t i = 0; i < size; i++) {
        const int64_t from = i / n * n + want[i].at;
        if (at[i] != want[i].at)
            fail_msg("%s, flags %d: place %lld is %lld, not %lld", what, flags, (long long)i, (long long)at[i],
                     (long long)want[i].at);
        if (!isnan(want[i].x) && memcmp(sorted + (size_t)i * bytes, in + (size_t)from * bytes, bytes) != 0)
            fail_msg("%s, flags %d: element %lld has other bits", what, flags, (long long)i);
    }
    load(both[0], want, size);
    int64_t nan = 0;
    for (int64_t i = 0; i < size; i++)
        nan += isnan(want[i].x);
    load(x, want, size);
    for (int64_t i = 0; i < size; i++)
        nan -= isnan(want[i].x);
    assert_int_equal(nan, 0);
    free(in);
    free(sorted);
    free(at);
    free(want);
}

/* ---- input --------------------------------------------------------------------------------------------------- */

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

/* ---- tests --------------------------------------------------------------------------------------------------- */

static void dtypes(void **state) {
    (void)state;
    for (int dtype = 0; dtype < FSR_C64; dtype++)
        for (int n = 0; n < 9; n++) {
            static const int64_t length[] = {2, 9, 16, 32, 33, 700, 4608, 4609, 5000};
            fsr_node x = subject_data((fsr_dtype)dtype, 2, SHAPE(3, length[n]), SUBJECT_SPECIAL, n);
            expect(x, 0, fsr_dtype_name((fsr_dtype)dtype));
            expect(x, FSR_DESCENDING, fsr_dtype_name((fsr_dtype)dtype));
        }
}

static void patterns(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_I8, FSR_U16, FSR_F16, FSR_F32, FSR_I64};
    for (int p = 0; p < PATTERNS; p++)
        for (int d = 0; d < COUNT_OF(dtype); d++)
            expect(make((pattern)p, dtype[d], 2, 301), p % 2 ? FSR_DESCENDING : 0, pattern_name[p]);
}

static void long_rows(void **state) {
    (void)state;
    for (int p = 0; p < PATTERNS; p++)
        expect(make((pattern)p, p % 2 ? FSR_F32 : FSR_F64, 1, LONG_ROW), p % 3 ? 0 : FSR_DESCENDING, pattern_name[p]);
    expect(subject_data(FSR_F32, 2, SHAPE(2, LONG_ROW), SUBJECT_SPECIAL, 1), 0, "special values");
}

/* Many short rows, which are sorted side by side, and some that are left over; rows with negative zeros among them. */
static void short_rows(void **state) {
    (void)state;
    static const int64_t length[] = {2, 3, 16, 17, 100, 128, 129};
    for (int n = 0; n < COUNT_OF(length); n++)
        for (int p = RANDOM; p < PATTERNS; p++)
            for (int d = 0; d < 4; d++) {
                static const fsr_dtype dtype[] = {FSR_U8, FSR_F16, FSR_I32, FSR_F64};
                expect(make((pattern)p, dtype[d], 37, length[n]), (n + p) % 2 ? FSR_DESCENDING : 0, pattern_name[p]);
            }
    expect(subject_data(FSR_F32, 2, SHAPE(200, 33), SUBJECT_SPECIAL, 0), 0, "special values");
    expect(subject_data(FSR_I64, 2, SHAPE(70, 33), SUBJECT_SPECIAL, 0), FSR_DESCENDING, "special values");
}

/* Zeros of both signs are one value, subnormals are none; NaN of either sign and any payload is last. */
static void special(void **state) {
    (void)state;
    const uint32_t bits[] = {0xffc00001, 0x80000000, 0x00000001, 0x00000000, 0x7f800000, 0x80000001,
                             0x7f800001, 0x80000000, 0xff800000, 0x00000000, 0x7fc00000, 0x80000000,
                             0xff800001, 0x3f800000, 0xbf800000, 0x00000000};
    fsr_node x = fsr_from_host(G, FSR_F32, 2, SHAPE(1, 16), bits);
    expect(x, 0, "bits");
    expect(x, FSR_DESCENDING, "bits");
    const uint32_t zeros[] = {0x00000000, 0x80000000, 0x00000000, 0x80000000};
    uint32_t *got = subject_read(fsr_sort(fsr_from_host(G, FSR_F32, 1, SHAPE(4), zeros), AXES(0), 1, 0));
    assert_memory_equal(got, zeros, sizeof zeros);
    free(got);
}

/* Elements without places: NaN of either sign, of any number, is last and has one set of bits. */
static void alone(void **state) {
    (void)state;
    enum { N = 3001 };
    static const uint32_t nan[] = {0xffc00001, 0x7f800001, 0xff800001, 0x7fc00000};
    static uint32_t bits[N];
    for (int every = 0; every < 4; every++)
        for (int kind = 0; kind < 3; kind++) { /* with a sign, without one, both */
            int64_t numbers = 0;
            for (uint32_t i = 0; i < N; i++) {
                float x = (float)(int32_t)(i * 2654435761u);
                memcpy(&bits[i], &x, sizeof x);
                if (every && i % (uint32_t)every == 0)
                    bits[i] = kind == 2 ? nan[i % 4] : nan[kind + i % 2 * 2] & (kind ? 0x7fffffffu : ~0u);
                memcpy(&x, &bits[i], sizeof x);
                numbers += !isnan(x);
            }
            const fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(N), bits);
            float *got = subject_read(fsr_sort(x, NULL, 0, 0));
            double *wide = subject_read(fsr_sort(fsr_cast(x, FSR_F64), NULL, 0, 0));
            for (int64_t i = 0; i < N; i++) {
                assert_int_equal(isnan(got[i]), i >= numbers);
                assert_int_equal(isnan(wide[i]), i >= numbers);
                assert_true(i >= numbers || (double)got[i] == wide[i]);
                assert_true(i == 0 || i >= numbers || got[i - 1] <= got[i]);
                assert_true(i <= numbers || memcmp(&got[i], &got[i - 1], sizeof *got) == 0);
            }
            free(got);
            free(wide);
        }
}

/* Without places rows go another way: the same bits as with them, zeros of both signs in their order. */
static void same_without_places(void **state) {
    (void)state;
    static const int64_t length[] = {1, 2, 31, 129, 513, 4097, LONG_ROW, 3 * LONG_ROW};
    for (int n = 0; n < COUNT_OF(length); n++)
        for (int p = 0; p < PATTERNS + 2; p++) {
            const fsr_dtype dtype = (n + p) % 2 ? FSR_F32 : FSR_F64;
            const fsr_node x = p < PATTERNS ? make((pattern)p, dtype, 1, length[n])
                                            : subject_data(dtype, 2, SHAPE(1, length[n]), SUBJECT_SPECIAL, p);
            const fsr_node zeros = fsr_mul(x, fsr_float(G, -0.0)), in = p == FEW ? zeros : x;
            fsr_node alone_ = fsr_sort(in, AXES(1), 1, 0),
                     both[2] = {fsr_sort(in, AXES(1), 1, 0), fsr_argsort(in, AXES(1), 1, 0)};
            OK(fsr_compute(&alone_, 1));
            OK(fsr_compute(both, 2));
            char *a = subject_read(alone_), *b = subject_read(both[0]);
            assert_memory_equal(a, b, (size_t)fsr_node_bytes(alone_));
            free(a);
            free(b);
        }
}

/* Along an axis: as moved to the end and back; flat: as raveled. */
static void axes(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 3, SHAPE(5, 7, 6), SUBJECT_SMALL, 1);
    for (int axis = -3; axis < 3; axis++)
        for (int k = 0; k < 2; k++) {
            fsr_node moved = fsr_swapaxes(x, axis, -1);
            fsr_node got = k ? fsr_argsort(x, AXES(axis), 1, 0) : fsr_sort(x, AXES(axis), 1, 0);
            fsr_node want = k ? fsr_argsort(moved, AXES(-1), 1, 0) : fsr_sort(moved, AXES(-1), 1, 0);
            OK(fsr_verify(&got, 1, NULL));
            void *a = subject_read(got), *b = subject_read(fsr_swapaxes(want, axis, -1));
            assert_memory_equal(a, b, (size_t)fsr_node_bytes(got));
            free(a);
            free(b);
        }
    fsr_node flat = fsr_sort(x, NULL, 0, FSR_DESCENDING), same = fsr_sort(fsr_ravel(x), AXES(0), 1, FSR_DESCENDING);
    assert_int_equal(fsr_node_ndim(flat), 1);
    float *a = subject_read(flat), *b = subject_read(same);
    assert_memory_equal(a, b, 210 * sizeof *a);
    free(a);
    free(b);
}

/* No element, one element, no dimension. */
static void nothing(void **state) {
    (void)state;
    fsr_node none = fsr_full(G, FSR_F32, 2, SHAPE(3, 0), 1),
             one = subject_data(FSR_F32, 2, SHAPE(4, 1), SUBJECT_SMALL, 0);
    OK(fsr_compute((fsr_node[]){fsr_sort(none, AXES(1), 1, 0), fsr_sort(none, AXES(0), 1, 0)}, 2));
    OK(fsr_compute((fsr_node[]){fsr_argsort(none, AXES(1), 1, 0), fsr_argsort(none, NULL, 0, 0)}, 2));
    expect(one, 0, "one element");
    fsr_node scalar = fsr_sort(fsr_float(G, 3), NULL, 0, 0);
    assert_int_equal(fsr_node_ndim(scalar), 1);
    assert_true(subject_value(scalar, 0) == 3);
    assert_int_equal(fsr_node_status(fsr_sort(fsr_float(G, 3), AXES(-1), 1, 0)), FSR_ERR_AXIS);
    assert_int_equal(fsr_node_status(fsr_sort(one, AXES(2), 1, 0)), FSR_ERR_AXIS);
    assert_int_equal(fsr_node_status(fsr_argsort(one, AXES(0, 1), 2, 0)), FSR_ERR_AXIS);
    assert_int_equal(fsr_node_status(fsr_sort(one, AXES(0), 1, 1)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_sort(fsr_cast(one, FSR_C64), AXES(0), 1, 0)), FSR_ERR_DTYPE);
}

/* The kernel before the call writes what it sorts, whatever is computed of it besides; what follows is a kernel. */
static void fused(void **state) {
    (void)state;
    enum { N = 3000 };
    fsr_node a = subject_data(FSR_F32, 1, SHAPE(N), SUBJECT_SMALL, 0),
             b = subject_data(FSR_F32, 1, SHAPE(N), SUBJECT_SMALL, 1);
    fsr_node apart = fsr_abs(fsr_sub(a, b)), order = fsr_argsort(apart, AXES(0), 1, 0);
    fsr_node out[] = {fsr_take(a, order, 0, FSR_INDEX_RAISE), fsr_take(b, order, 0, FSR_INDEX_RAISE),
                      fsr_mul(fsr_sort(apart, AXES(0), 1, 0), fsr_float(G, 2))};
    int64_t before = subject_stats().launches;
    OK(fsr_compute(out, 3));
    assert_int_equal(subject_stats().launches - before, 3);
    OK(fsr_verify(out, 3, NULL));
    float *x = subject_read(out[0]), *y = subject_read(out[1]), *twice = subject_read(out[2]);
    for (int i = 0; i < N; i++) {
        assert_true(2 * fabsf(x[i] - y[i]) == twice[i]);
        assert_true(i == 0 || twice[i - 1] <= twice[i]);
    }
    free(x);
    free(y);
    free(twice);
    before = subject_stats().launches;
    fsr_node sorted = fsr_sort(fsr_cast(a, FSR_I32), AXES(0), 1, 0);
    OK(fsr_compute(&sorted, 1));
    assert_int_equal(subject_stats().launches - before, 1);
}

static void row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_sort(in[0], AXES(0), 1, 0);
    out[1] = fsr_argsort(fsr_exp(in[0]), AXES(0), 1, FSR_DESCENDING);
}

static void rows(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(30, 41), SUBJECT_SMALL, 1), out[2];
    fsr_vectorize(out, 2, &x, 1, "(n)->(n),(n)", row, NULL);
    fsr_node want[] = {fsr_sort(x, AXES(1), 1, 0), fsr_argsort(fsr_exp(x), AXES(1), 1, FSR_DESCENDING)};
    for (int i = 0; i < 2; i++) {
        void *a = subject_read(out[i]), *b = subject_read(want[i]);
        assert_memory_equal(a, b, (size_t)fsr_node_bytes(out[i]));
        free(a);
        free(b);
    }
}

/* Sorting what was sorted, reductions of it, filters before, an update into it: steps wait for one another. */
static void between(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(20, 50), SUBJECT_SMALL, 1);
    fsr_node a = fsr_sort(x, AXES(1), 1, 0), b = fsr_sort(fsr_neg(a), AXES(0), 1, 0);
    fsr_node sums = fsr_sort(fsr_sum(b, AXES(1), 1, 0), AXES(0), 1, FSR_DESCENDING);
    fsr_node some = fsr_sort(fsr_filter(x, fsr_less(x, fsr_float(G, 0)), fsr_float(G, 9)), AXES(0), 1, 0);
    fsr_node low = fsr_sub(a, fsr_min(fsr_sort(fsr_sort(a, AXES(0), 1, 0), AXES(0), 1, 0), AXES(0), 1, FSR_KEEPDIMS));
    fsr_node out[] = {b, sums, some, low, fsr_cumsum(fsr_sort(some, AXES(0), 1, 0), AXES(0), 1, 0)};
    OK(fsr_compute(out, COUNT_OF(out)));
    OK(fsr_verify(out, COUNT_OF(out), NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SUBJECT_TEST(dtypes),     SUBJECT_TEST(patterns), SUBJECT_TEST(long_rows), SUBJECT_TEST(special),
        SUBJECT_TEST(short_rows), SUBJECT_TEST(axes),     SUBJECT_TEST(nothing),   SUBJECT_TEST(fused),
        SUBJECT_TEST(rows),       SUBJECT_TEST(between),  SUBJECT_TEST(alone),     SUBJECT_TEST(same_without_places)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
