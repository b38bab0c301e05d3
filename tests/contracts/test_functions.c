/* SPDX-License-Identifier: MIT */
/* Functions that backends compute in ways of their own, on many more numbers than the tests of operations have.
 *
 * Powers of f32 against C's of f64: pairs drawn so that both small and very large results come of bases near 1 and far
 * away, each exact rule (zeros, infinities, NaN, negative bases), exponents as arrays and as literals. Quotients by
 * literals bit for bit. Sine and cosine of the same values, which share an angle, against those computed alone. */
#include "tests/support/powers.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 1 << 20 };

/* ---- powers ----------------------------------------------------------------------------------------------- */

static void test_powers(void **state) {
    (void)state;
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
    assert_true(a && b);
    powers_draw(a, b, N);
    fsr_node x = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(N), a),
             y = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(N), b);
    float *got = subject_read(fsr_pow(x, y));
    powers_check(a, b, got, N, "arrays");
    subject_count("powers", N);
    free(got);
    free(a);
    free(b);
}

static void test_powers_by_literals(void **state) {
    (void)state;
    static const float literal[] = {2.4f, 0.41666666f, 0.45f, 3, -3, -0.5f, 0.5f, 7.25f, 101, -0.001f, 1e9f};
    float *a = malloc(N * sizeof *a), *b = malloc(N * sizeof *b);
    assert_true(a && b);
    powers_draw(a, b, N);
    fsr_node x = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(N), a);
    for (int l = 0; l < COUNT_OF(literal); l++) {
        for (int i = 0; i < N; i++)
            b[i] = literal[l];
        float *got = subject_read(fsr_pow(x, fsr_float(subject_g, (double)literal[l])));
        powers_check(a, b, got, N, "by a literal");
        subject_count("powers", N);
        free(got);
    }
    free(a);
    free(b);
}

/* ---- quotients -------------------------------------------------------------------------------------------- */

static void check_quotients(fsr_node x, double (*of)(int), double literal) {
    float *got = subject_read(fsr_div(x, fsr_cast(fsr_float(subject_g, literal), FSR_F32)));
    for (int i = 0; i < N; i++) {
        const float want = (float)of(i) / (float)literal;
        if (memcmp(&want, &got[i], sizeof want) != 0)
            fail_msg("%a / %a is %a, not %a", of(i), literal, (double)got[i], (double)want);
    }
    subject_count("quotients", N);
    free(got);
}

static double middle(int i) {
    return (double)((float)i + 0.5f);
}

static double hash(int i) {
    return (double)(float)(int32_t)((uint32_t)i * 2654435761u);
}

/* A number of any bits; the first ones are subnormal, and the last an infinity. */
static double any(int i) {
    const uint32_t bits = i == N - 1 ? 0xff800000 : i < N / 4 ? (uint32_t)i * 37 : (uint32_t)i * 2654435761u;
    float number;
    memcpy(&number, &bits, sizeof number);
    return (double)(number == number ? number : 0);
}

/* Of positions, of integers of either sign and 0, and of what nobody knows: what a backend knows of these it may make
 * use of. */
static void test_quotients(void **state) {
    (void)state;
    static const double literal[] = {1.5, 3, -7, 255, 0.1, 0x1.fffffep0, 12.92, 1e-5, 16777215, 4, 1e30};
    int32_t *whole = malloc(N * sizeof *whole);
    float *number = malloc(N * sizeof *number);
    assert_true(whole && number);
    for (int i = 0; i < N; i++) {
        whole[i] = (int32_t)((uint32_t)i * 2654435761u);
        number[i] = (float)any(i);
    }
    fsr_node unknown = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(N), number);
    fsr_node place = fsr_add(fsr_cast(fsr_arange(subject_g, FSR_I32, N), FSR_F32), fsr_float(subject_g, 0.5));
    fsr_node x = fsr_cast(fsr_from_host(subject_g, FSR_I32, 1, SHAPE(N), whole), FSR_F32);
    for (int l = 0; l < COUNT_OF(literal); l++) {
        check_quotients(place, middle, literal[l]);
        check_quotients(x, hash, literal[l]);
        check_quotients(unknown, any, literal[l]);
    }
    free(number);
    free(whole);
}

/* ---- sine and cosine -------------------------------------------------------------------------------------- */

static void test_sine_and_cosine(void **state) {
    (void)state;
    float *a = malloc(N * sizeof *a), *together[2];
    uint32_t random = 1;
    assert_non_null(a);
    for (int i = 0; i < N; i++)
        a[i] = i < POWERS_EXACT ? powers_exact[i] : powers_of_bits(subject_random(&random) >> (i % 3 == 0));
    fsr_node x = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(N), a);
    fsr_node both[] = {fsr_sin(x), fsr_cos(x)};
    OK(fsr_compute(both, 2));
    for (int i = 0; i < 2; i++)
        together[i] = subject_read(both[i]);
    float *sine = subject_read(fsr_sin(x)), *cosine = subject_read(fsr_cos(x));
    assert_memory_equal(together[0], sine, N * sizeof *sine);
    assert_memory_equal(together[1], cosine, N * sizeof *cosine);
    for (int i = 0; i < N; i++)
        if (isfinite(a[i]) && fabs((double)sine[i] - sin(a[i])) > 2 * powers_unit(sin(a[i])))
            fail_msg("the sine of %a is %a", (double)a[i], (double)sine[i]);
    subject_count("angles", N);
    free(a);
    free(sine);
    free(cosine);
    free(together[0]);
    free(together[1]);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(test_powers),
    SUBJECT_TEST(test_powers_by_literals),
    SUBJECT_TEST(test_quotients),
    SUBJECT_TEST(test_sine_and_cosine),
};

SUBJECT_MAIN(tests)
