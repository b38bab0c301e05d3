/* SPDX-License-Identifier: MIT */
/* Sums of floats at computed indices, which a CPU adds up in f64 in pieces that sizes give: against plain loops, the
 * same bits with any number of threads, what each mode does, elements that nothing goes to, the reference. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { MANY = (1 << 18) + 41, PLACES = 1009 };

/* Where value i goes among n places: about, in order, all to one, and most of them to one. */
static int64_t place(int way, int64_t i, int64_t n) {
    return way == 0 ? i * 7919 % n : way == 1 ? i * n / MANY : way == 2 ? n / 2 : (i % 5 ? 3 % n : i % n);
}

static float value(int64_t i) {
    return (float)(sin((double)i) * exp2((double)(i % 41 - 20)));
}

static fsr_node values(fsr_graph *g) {
    float *y = malloc(MANY * sizeof *y);
    for (int64_t i = 0; i < MANY; i++)
        y[i] = value(i);
    fsr_node out = fsr_from_host(g, FSR_F32, 1, SHAPE(MANY), y);
    free(y);
    return out;
}

static fsr_node places(fsr_graph *g, int way, int64_t n) {
    int64_t *at = malloc(MANY * sizeof *at);
    for (int64_t i = 0; i < MANY; i++)
        at[i] = place(way, i, n) - (i % 3 == 0 ? n : 0);
    fsr_node out = fsr_from_host(g, FSR_I64, 1, SHAPE(MANY), at);
    free(at);
    return out;
}

static fsr_node added(fsr_node x, fsr_node at, fsr_node y) {
    return fsr_scatter_add(x, &at, 1, y, FSR_INDEX_RAISE, 0);
}

/* Each sum in long double, within its rounding to f32 and a part in 2^34 of its magnitudes. */
static void against_loops(void **state) {
    (void)state;
    static long double sum[PLACES], size[PLACES];
    static const int64_t counts[] = {1, 61, PLACES};
    for (int way = 0; way < 4; way++)
        for (int c = 0; c < COUNT_OF(counts); c++) {
            const int64_t n = counts[c];
            for (int64_t s = 0; s < n; s++)
                sum[s] = size[s] = 1;
            for (int64_t i = 0; i < MANY; i++) {
                sum[place(way, i, n)] += value(i);
                size[place(way, i, n)] += fabsl((long double)value(i));
            }
            float *got = subject_read(added(fsr_full(G, FSR_F32, 1, &n, 1), places(G, way, n), values(G)));
            for (int64_t s = 0; s < n; s++)
                if (fabsl((long double)got[s] - sum[s]) > fabsl(sum[s]) * 0x1p-24L + size[s] * 0x1p-34L)
                    fail_msg("indices %d, %d places: %.9g at %d, not %.9Lg", way, (int)n, (double)got[s], (int)s,
                             sum[s]);
            free(got);
        }
}

/* As many pieces as there may be, a few, and one; sums in f32, whose last bits hang on every rounding. */
static void *read_with(int threads, int way) {
    static const int64_t counts[] = {7, PLACES, 8191, 200003};
    fsr_config config = subject_config();
    config.threads = threads;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    float *got = malloc((2 * 7 + PLACES + 8191 + 200003) * sizeof *got), *to = got;
    for (int c = 0; c < COUNT_OF(counts); c++) {
        const int64_t n = counts[c];
        OK(fsr_read(added(fsr_full(g, FSR_F32, 1, &n, -0.0), places(g, way, n), values(g)), to,
                    (size_t)n * sizeof *to));
        to += n;
    }
    const int64_t n = 7;
    fsr_node i = places(g, way, n), y = values(g);
    OK(fsr_read(fsr_scatter_add(fsr_full(g, FSR_F32, 1, &n, 1), &i, 1, y, FSR_INDEX_RAISE, FSR_UNORDERED), to,
                7 * sizeof *to));
    fsr_close(ctx);
    return got;
}

static void threads_change_no_bit(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        void *first = read_with(1, way);
        for (int threads = 2; threads < 6; threads += 3) {
            void *again = read_with(threads, way);
            if (memcmp(first, again, (2 * 7 + PLACES + 8191 + 200003) * sizeof(float)) != 0)
                fail_msg("indices %d: other bits with %d threads than with 1", way, threads);
            free(again);
        }
        free(first);
    }
}

/* Bits of what nothing goes to, zeros and NaN with any bits among them, in every piece. */
static void untouched_elements(void **state) {
    (void)state;
    static const uint32_t x[] = {0x80000000, 0, 0x7fa00001, 0xffc12345, 0x7f800000, 0x80000001, 0x3f800000};
    fsr_node array = fsr_from_host(G, FSR_F32, 1, SHAPE(7), x);
    fsr_node six = fsr_cast(fsr_full(G, FSR_I32, 1, SHAPE(MANY), 6), FSR_I64);
    uint32_t *got = subject_read(added(array, six, fsr_cast(fsr_int(G, 1), FSR_F32)));
    assert_memory_equal(got, x, 6 * sizeof *got);
    float last;
    memcpy(&last, &got[6], sizeof last);
    assert_true(last == (float)(MANY + 1));
    free(got);
}

/* What is outside, of many; in units of 30000 values. */
static void outside(void **state) {
    (void)state;
    static const float want[][3] = {
        [FSR_INDEX_CLIP] = {3, 0, 2}, [FSR_INDEX_WRAP] = {1, 1, 3}, [FSR_INDEX_DROP] = {1, 0, 2}};
    static const int64_t at[] = {-4, -1, 0, 2, 4};
    int64_t *all = malloc(150000 * sizeof *all);
    for (int i = 0; i < 150000; i++)
        all[i] = at[i % 5];
    fsr_node i = fsr_from_host(G, FSR_I64, 1, SHAPE(150000), all), one = fsr_cast(fsr_int(G, 1), FSR_F32);
    fsr_node zeros = fsr_zeros(G, FSR_F32, 1, SHAPE(3));
    for (int b = FSR_INDEX_CLIP; b <= FSR_INDEX_DROP; b++) {
        float *got = subject_read(fsr_scatter_add(zeros, &i, 1, one, (fsr_index_mode)b, 0));
        for (int s = 0; s < 3; s++)
            if (got[s] != want[b][s] * 30000)
                fail_msg("mode %d: %g at %d", b, (double)got[s], s);
        free(got);
    }
    float back[3];
    subject_error(subject_ctx, fsr_read(added(zeros, i, one), back, sizeof back), FSR_ERR_INDEX,
                  "is out of bounds for axis 0 with size 3");
    free(all);
}

/* What computes the values, their places and the array; rows of an array, halves, complex numbers; what reads the
 * result. */
static void against_the_reference(void **state) {
    (void)state;
    fsr_node i = fsr_arange(G, FSR_I64, MANY), x = fsr_sin(fsr_cast(i, FSR_F32));
    fsr_node at = fsr_mod(fsr_mul(i, i), fsr_int(G, 77)), zeros = fsr_zeros(G, FSR_F32, 1, SHAPE(77));
    fsr_node rows = fsr_reshape(fsr_slice(x, 0, 0, 1 << 18, 1), 2, SHAPE(1 << 16, 4));
    fsr_node row = fsr_slice(at, 0, 0, 1 << 16, 1),
             whole = fsr_exp(fsr_reshape(fsr_slice(x, 0, 0, 77 * 4, 1), 2, SHAPE(77, 4)));
    fsr_node half = fsr_cast(zeros, FSR_F16), complex = fsr_complex_of(zeros, zeros);
    fsr_node out[] = {fsr_sqrt(fsr_abs(added(fsr_neg(zeros), at, fsr_exp(x)))), added(whole, row, rows),
                      added(half, at, fsr_cast(fsr_mul(x, x), FSR_F16)),
                      added(complex, at, fsr_complex_of(x, fsr_neg(x)))};
    OK(fsr_verify(out, COUNT_OF(out), NULL));
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(against_loops), SUBJECT_TEST(threads_change_no_bit),
                                          SUBJECT_TEST(untouched_elements), SUBJECT_TEST(outside),
                                          SUBJECT_TEST(against_the_reference)};
SUBJECT_MAIN(tests)
