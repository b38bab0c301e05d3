/* SPDX-License-Identifier: MIT */
/* Sums of rows and of columns of one matrix, which a CPU's kernel does together: any dtype, more rows than one piece
 * has, one row's result within the other's, transposed, of leading dimensions, what is no number, negative zeros. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>

#define G subject_g

static fsr_node down(fsr_node x) {
    return fsr_sum(x, AXES(0), 1, 0);
}
static fsr_node along(fsr_node x) {
    return fsr_sum(x, AXES(1), 1, 0);
}

/* The least sizes that count, of one piece of rows, of several, of many. */
static void sizes(void **state) {
    (void)state;
    static const int64_t size[][2] = {{64, 4093}, {700, 401}, {1100, 256}, {2049, 131}, {3001, 300}};
    for (int s = 0; s < COUNT_OF(size); s++) {
        const int64_t r = size[s][0], c = size[s][1];
        const fsr_node a = subject_data(FSR_F32, 2, SHAPE(r, c), SUBJECT_SMALL, 0);
        const fsr_node x = subject_data(FSR_F32, 1, SHAPE(c), SUBJECT_SMALL, 1);
        const fsr_node y = subject_data(FSR_F32, 1, SHAPE(r), SUBJECT_SMALL, 2);
        const fsr_node rows = along(fsr_mul(a, x)), both[] = {rows, down(fsr_mul(a, fsr_expand(y, 1)))};
        const fsr_node turned[] = {along(fsr_mul(fsr_transpose(a, (int[]){1, 0}), y)), rows};
        subject_verify(both, 2, NULL, "both, %d", s);
        subject_verify(turned, 2, NULL, "turned, %d", s);
    }
}

/* A^T (A x) of more than caches hold, of whole numbers, which add up exactly in any order. */
static void chained(void **state) {
    (void)state;
    enum { R = 4099, C = 2051 };
    float *a = malloc(sizeof *a * R * C), *got = malloc(sizeof *got * C);
    double *want = calloc(C, sizeof *want);
    for (int64_t i = 0; i < (int64_t)R * C; i++)
        a[i] = (float)(i * 7919 % 5 - 2);
    for (int64_t r = 0; r < R; r++) {
        double row = 0;
        for (int c = 0; c < C; c++)
            row += a[r * C + c] * (c % 3);
        for (int c = 0; c < C; c++)
            want[c] += a[r * C + c] * trunc(row / 64);
    }
    const fsr_node m = fsr_from_host(G, FSR_F32, 2, SHAPE(R, C), a);
    const fsr_node x = fsr_cast(fsr_mod(fsr_arange(G, FSR_I32, C), fsr_int(G, 3)), FSR_F32);
    const fsr_node rows = fsr_trunc(fsr_div(along(fsr_mul(m, x)), fsr_int(G, 64)));
    const fsr_node out = down(fsr_mul(m, fsr_expand(rows, 1)));
    assert_int_equal(fsr_compute(&out, 1), FSR_OK);
    assert_int_equal(fsr_read(out, got, sizeof *got * C), FSR_OK);
    for (int c = 0; c < C; c++)
        assert_true(got[c] == want[c]);
    free(a);
    free(got);
    free(want);
}

static void dtypes(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_F64, FSR_I32, FSR_I64, FSR_U32, FSR_F16};
    for (int d = 0; d < COUNT_OF(dtype); d++) {
        const fsr_node a = subject_data(dtype[d], 2, SHAPE(1031, 513), SUBJECT_SMALL, 0);
        const fsr_node sums[] = {along(a), down(a)}, ends[] = {fsr_max(a, AXES(0), 1, 0), along(a)};
        subject_verify(sums, 2, NULL, "sums, %d", d);
        subject_verify(ends, 2, NULL, "greatest, %d", d);
    }
}

static void leading(void **state) {
    (void)state;
    const fsr_node a = subject_data(FSR_F32, 3, SHAPE(30, 41, 300), SUBJECT_SMALL, 0);
    const fsr_node x = subject_data(FSR_F32, 1, SHAPE(41), SUBJECT_SMALL, 1);
    const fsr_node out[] = {fsr_sum(fsr_mul(a, fsr_expand(x, 1)), AXES(0, 1), 2, 0), fsr_max(a, AXES(2), 1, 0)};
    subject_verify(out, 2, NULL, "leading dimensions");
}

/* A column of negative zeros adds up to zero, one with NaN to NaN, one with both infinities too. */
static void odd_values(void **state) {
    (void)state;
    enum { R = 600, C = 500 };
    float *x = malloc(sizeof *x * R * C);
    for (int i = 0; i < R * C; i++)
        x[i] = i % C == 3 ? -0.0f : (float)(i * 7919 % 101 - 50);
    x[5] = NAN;
    x[6] = INFINITY;
    x[C * 9 + 6] = -INFINITY;
    x[7] = INFINITY;
    const fsr_node a = fsr_from_host(G, FSR_F32, 2, SHAPE(R, C), x), out[] = {down(a), along(a)};
    subject_verify(out, 2, NULL, "odd values");
    float sum[C];
    assert_int_equal(fsr_compute(out, 2), FSR_OK);
    assert_int_equal(fsr_read(out[0], sum, sizeof sum), FSR_OK);
    assert_true(sum[3] == 0 && !signbit(sum[3]) && isnan(sum[5]) && isnan(sum[6]) && isinf(sum[7]));
    free(x);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(sizes), SUBJECT_TEST(chained), SUBJECT_TEST(dtypes),
                                          SUBJECT_TEST(leading), SUBJECT_TEST(odd_values)};
SUBJECT_MAIN(tests)
