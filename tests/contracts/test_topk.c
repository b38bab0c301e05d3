/* SPDX-License-Identifier: MIT */
/* The first k in order are what a stable sort puts first: every real dtype, both directions, few and many of short and
 * long rows, along each axis, of input that is hard on thresholds; fused on both sides. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

/* Bits of a float that are a NaN's. */
static bool is_nan(fsr_dtype dtype, const char *element) {
    const int digits = dtype == FSR_F16 ? 10 : dtype == FSR_BF16 ? 7 : dtype == FSR_F32 ? 23 : 52;
    const int size = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t top = UINT64_C(1) << (size - 1), infinity = (top - 1) >> digits << digits;
    uint64_t bits = 0;
    memcpy(&bits, element, (size_t)size / 8);
    return dtype >= FSR_F16 && (bits & (top - 1)) > infinity;
}

/* Elements and places against those of a sort, bit by bit but for NaN. */
static void expect(fsr_node x, int64_t k, int flags, const char *what) {
    fsr_node out[4] = {fsr_topk(x, k, AXES(-1), 1, flags), fsr_argtopk(x, k, AXES(-1), 1, flags),
                       fsr_sort(x, AXES(-1), 1, flags), fsr_argsort(x, AXES(-1), 1, flags)};
    const int64_t n = fsr_node_dim(x, -1);
    OK(fsr_compute(out, 4));
    for (int i = 0; i < 2; i++) {
        const fsr_dtype dtype = fsr_node_dtype(out[i]);
        const size_t bytes = fsr_dtype_size(dtype);
        assert_int_equal(dtype, fsr_node_dtype(out[2 + i]));
        assert_int_equal(fsr_node_dim(out[i], -1), k);
        char *got = subject_read(out[i]), *want = subject_read(out[2 + i]);
        for (int64_t at = 0; at < fsr_node_bytes(out[i]) / (int64_t)bytes; at++) {
            const char *a = got + (size_t)at * bytes, *b = want + (size_t)(at / k * n + at % k) * bytes;
            if (memcmp(a, b, bytes) != 0 && !(is_nan(dtype, a) && is_nan(dtype, b)))
                fail_msg("%s, k %lld, flags %d: %s %lld differs", what, (long long)k, flags, i ? "place" : "element",
                         (long long)at);
        }
        free(got);
        free(want);
    }
    subject_count("found", k);
}

static void both(fsr_node x, int64_t k, const char *what) {
    expect(x, k, 0, what);
    expect(x, k, FSR_DESCENDING, what);
}

/* ---- input --------------------------------------------------------------------------------------------------- */

typedef enum pattern { EQUAL, SORTED, REVERSED, ORGAN_PIPE, RANDOM, FEW, HIDDEN, SHOWN, NOT, PATTERNS } pattern;

static const char *const pattern_name[PATTERNS] = {"all equal",           "sorted",         "reversed",
                                                   "organ pipe",          "random",         "few values",
                                                   "hidden from samples", "all in samples", "NaN of both signs"};

/* HIDDEN, SHOWN: samples that lie evenly see nothing of what is looked for, and what lies between them descends; or
 * they see all of it. */
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
               : p == FEW        ? (double)(random % 3) - 1
               : p == HIDDEN     ? (double)(k % 64 < 40 ? n : n - k)
               : p == SHOWN      ? (double)(k % 64 < 32 ? 2 * n - k : n - k)
               : random % 4      ? (random % 2 ? -(double)NAN : (double)NAN)
                                 : (double)(random >> 16) - 32768;
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
        for (int n = 0; n < 3; n++) {
            static const int64_t length[] = {2, 33, 5000}, k[] = {1, 7, 100};
            both(subject_data((fsr_dtype)dtype, 2, SHAPE(3, length[n]), SUBJECT_SPECIAL, n), k[n],
                 fsr_dtype_name((fsr_dtype)dtype));
        }
}

static void patterns(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_I8, FSR_U16, FSR_BF16, FSR_F32, FSR_I64};
    for (int p = 0; p < PATTERNS; p++)
        for (int d = 0; d < COUNT_OF(dtype); d++)
            expect(make((pattern)p, dtype[d], 2, 2301), d % 2 ? 400 : 9, p % 2 ? FSR_DESCENDING : 0, pattern_name[p]);
}

/* Few of a long row by thresholds, many by counts. */
static void long_rows(void **state) {
    (void)state;
    enum { N = 70001 };
    for (int p = 0; p < PATTERNS; p++) {
        const fsr_node x = make((pattern)p, p % 2 ? FSR_F32 : FSR_F64, 1, N);
        expect(x, 10, p % 3 ? 0 : FSR_DESCENDING, pattern_name[p]);
        expect(x, 1000, p % 3 ? FSR_DESCENDING : 0, pattern_name[p]);
        expect(x, N / 2, 0, pattern_name[p]);
    }
    both(subject_data(FSR_F32, 2, SHAPE(2, N), SUBJECT_SPECIAL, 1), 100, "special values");
    both(subject_data(FSR_F16, 1, SHAPE(N), SUBJECT_SPECIAL, 1), N - 5, "special values");
    both(make(RANDOM, FSR_I64, 2, N), N - 1, "all but one");
}

/* Longer than what a GPU lists without a threshold. */
static void sampled(void **state) {
    (void)state;
    enum { N = 270001 };
    for (int p = 0; p < PATTERNS; p++)
        expect(make((pattern)p, FSR_F32, 1, N), p % 2 ? 10 : 1000, p % 3 ? 0 : FSR_DESCENDING, pattern_name[p]);
    expect(make(SHOWN, FSR_F32, 1, N), 1000, FSR_DESCENDING, pattern_name[SHOWN]);
    expect(make(HIDDEN, FSR_I64, 1, N), 1000, 0, pattern_name[HIDDEN]);
}

/* Rows of every length around those that a GPU's blocks hold. */
static void lengths(void **state) {
    (void)state;
    static const int64_t length[] = {65, 255, 1023, 1025, 4095, 4096, 4097, 9000};
    for (int n = 0; n < COUNT_OF(length); n++)
        for (int k = 1; k < 2000; k = 4 * k + 1)
            if (k < length[n])
                expect(make(n % 2 ? RANDOM : FEW, n % 3 ? FSR_F32 : FSR_F64, 3, length[n]), k,
                       k % 8 == 5 ? FSR_DESCENDING : 0, "length");
    expect(make(RANDOM, FSR_F32, 300, 513), 5, 0, "many rows");
}

/* Zeros of both signs are one value, subnormals are none; NaN of either sign and any payload is last. */
static void special(void **state) {
    (void)state;
    const uint32_t bits[] = {0xffc00001, 0x80000000, 0x00000001, 0x00000000, 0x7f800000, 0x80000001,
                             0x7f800001, 0x80000000, 0xff800000, 0x00000000, 0x7fc00000, 0x80000000,
                             0xff800001, 0x3f800000, 0xbf800000, 0x00000000};
    fsr_node x = fsr_from_host(G, FSR_F32, 2, SHAPE(1, 16), bits);
    for (int k = 1; k < 16; k++)
        both(x, k, "bits");
    fsr_node nan = fsr_full(G, FSR_F32, 2, SHAPE(1, 70000), NAN);
    both(nan, 30, "nothing but NaN");
    const fsr_node one = fsr_update(nan, fsr_slice(nan, 1, 69999, 70000, 1), fsr_float(G, 2));
    both(one, 30, "one number among NaN");
}

/* Along an axis: as moved to the end and back; flat: as raveled; none, all. */
static void axes(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 3, SHAPE(5, 7, 6), SUBJECT_SMALL, 1);
    for (int axis = -3; axis < 3; axis++)
        for (int k = 0; k < 6; k++) {
            fsr_node moved = fsr_swapaxes(x, axis, -1);
            fsr_node got = k % 2 ? fsr_argtopk(x, k, AXES(axis), 1, 0) : fsr_topk(x, k, AXES(axis), 1, 0);
            fsr_node want = k % 2 ? fsr_argtopk(moved, k, AXES(-1), 1, 0) : fsr_topk(moved, k, AXES(-1), 1, 0);
            OK(fsr_verify(&got, 1, NULL));
            void *a = subject_read(got), *b = subject_read(fsr_swapaxes(want, axis, -1));
            assert_memory_equal(a, b, (size_t)fsr_node_bytes(got));
            free(a);
            free(b);
        }
    fsr_node flat = fsr_topk(x, 9, NULL, 0, FSR_DESCENDING),
             same = fsr_topk(fsr_ravel(x), 9, AXES(0), 1, FSR_DESCENDING);
    assert_int_equal(fsr_node_ndim(flat), 1);
    assert_int_equal(fsr_node_dim(flat, 0), 9);
    float *a = subject_read(flat), *b = subject_read(same);
    assert_memory_equal(a, b, 9 * sizeof *a);
    free(a);
    free(b);
    both(x, 6, "all");
    assert_int_equal(fsr_node_dim(fsr_topk(x, 0, AXES(1), 1, 0), 1), 0);
    assert_int_equal(fsr_node_status(fsr_topk(x, 7, AXES(2), 1, 0)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_argtopk(x, -1, AXES(2), 1, 0)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_topk(x, 1, AXES(3), 1, 0)), FSR_ERR_AXIS);
    assert_int_equal(fsr_node_status(fsr_topk(x, 1, AXES(0), 1, FSR_KEEPDIMS)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_topk(fsr_cast(x, FSR_C64), 1, AXES(0), 1, 0)), FSR_ERR_DTYPE);
}

/* A leaf is taken as it is; elements and places are one step. */
static void steps(void **state) {
    (void)state;
    enum { N = 3000 };
    fsr_node a = subject_data(FSR_F32, 1, SHAPE(N), SUBJECT_SMALL, 0),
             b = subject_data(FSR_F32, 1, SHAPE(N), SUBJECT_SMALL, 1);
    int64_t before = subject_stats().launches;
    fsr_node leaf[] = {fsr_topk(a, 5, AXES(0), 1, FSR_DESCENDING), fsr_topk(a, 5, AXES(0), 1, 0)};
    OK(fsr_compute(leaf, 2));
    assert_int_equal(subject_stats().launches - before, 0);
    fsr_node apart = fsr_abs(fsr_sub(a, b)), order = fsr_argtopk(apart, 20, AXES(0), 1, 0);
    fsr_node out[] = {fsr_take(a, order, 0, FSR_INDEX_RAISE), fsr_take(b, order, 0, FSR_INDEX_RAISE),
                      fsr_mul(fsr_topk(apart, 20, AXES(0), 1, 0), fsr_float(G, 2))};
    before = subject_stats().launches;
    OK(fsr_compute(out, 3));
    assert_int_equal(subject_stats().launches - before, 3);
    OK(fsr_verify(out, 3, NULL));
}

static void row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_topk(in[0], 4, AXES(0), 1, 0);
    out[1] = fsr_argtopk(fsr_exp(in[0]), 4, AXES(0), 1, FSR_DESCENDING);
}

static void rows(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(30, 41), SUBJECT_SMALL, 1), out[2];
    fsr_vectorize(out, 2, &x, 1, "(n)->(4),(4)", row, NULL);
    fsr_node want[] = {fsr_topk(x, 4, AXES(1), 1, 0), fsr_argtopk(fsr_exp(x), 4, AXES(1), 1, FSR_DESCENDING)};
    for (int i = 0; i < 2; i++) {
        void *a = subject_read(out[i]), *b = subject_read(want[i]);
        assert_memory_equal(a, b, (size_t)fsr_node_bytes(out[i]));
        free(a);
        free(b);
    }
}

/* What is computed with a bound: places that other roundings could exchange are not known. */
static void verified(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(20, 50), SUBJECT_SMALL, 1);
    fsr_node y = fsr_cumsum(fsr_sin(x), AXES(1), 1, 0), i = fsr_cast(fsr_mul(x, fsr_float(G, 9)), FSR_I16);
    fsr_node out[] = {fsr_topk(y, 9, AXES(1), 1, 0), fsr_topk(y, 9, AXES(0), 1, FSR_DESCENDING),
                      fsr_argtopk(y, 3, AXES(0), 1, FSR_DESCENDING), fsr_argtopk(i, 11, AXES(1), 1, FSR_DESCENDING),
                      fsr_sum(fsr_topk(i, 11, AXES(1), 1, FSR_DESCENDING), AXES(1), 1, 0)};
    OK(fsr_compute(out, COUNT_OF(out)));
    OK(fsr_verify(out, COUNT_OF(out), NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(dtypes),  SUBJECT_TEST(patterns), SUBJECT_TEST(long_rows),
                                       SUBJECT_TEST(sampled), SUBJECT_TEST(lengths),  SUBJECT_TEST(special),
                                       SUBJECT_TEST(axes),    SUBJECT_TEST(steps),    SUBJECT_TEST(rows),
                                       SUBJECT_TEST(verified)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
