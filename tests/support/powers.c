/* SPDX-License-Identifier: MIT */
/* See powers.h. A quarter of all pairs of bits has no usual power; so three quarters are drawn closer to 1. */
#include "tests/support/powers.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

float powers_of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

double powers_unit(double x) {
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, exponent < -125 ? -149 : exponent - 24);
}

static bool is_power(float got, float a, float b) {
    const double want = pow(a, b);
    if (isnan(want))
        return isnan(got);
    if (want == 0 || isinf(want))
        return (double)got == want && !signbit(got) == !signbit(want);
    if (isinf(got) || got == 0) /* rounded there */
        return !signbit(got) == !signbit(want) && (got == 0 ? fabs(want) <= 0x1p-147 : fabs(want) >= 0x1.fffff8p127);
    return fabs((double)got - want) <= 4 * powers_unit(want);
}

void powers_check(const float *a, const float *b, const float *got, int n, const char *how) {
    for (int i = 0; i < n; i++)
        if (!is_power(got[i], a[i], b[i]))
            fail_msg("%s: %a to the power %a is %a, not %a", how, (double)a[i], (double)b[i], (double)got[i],
                     pow(a[i], b[i]));
}

const float powers_exact[POWERS_EXACT] = {0,
                                          -0.0f,
                                          1,
                                          -1,
                                          INFINITY,
                                          -INFINITY,
                                          NAN,
                                          0.5f,
                                          -0.5f,
                                          2,
                                          -2,
                                          3,
                                          -3,
                                          2.5f,
                                          -2.5f,
                                          0x1p-149f,
                                          -0x1p-140f,
                                          0x1p-126f,
                                          FLT_MAX,
                                          -FLT_MAX,
                                          0x1p24f,
                                          0x1.000002p24f,
                                          -0x1.000002p23f,
                                          100,
                                          0.001f,
                                          0x1.fffffep-1f,
                                          0x1.000002p0f};

static uint32_t random_word(uint32_t *state) {
    uint32_t x = *state += 0x9e3779b9u;
    x = (x ^ x >> 16) * 0x85ebca6bu;
    x = (x ^ x >> 13) * 0xc2b2ae35u;
    return x ^ x >> 16;
}

void powers_draw(float *a, float *b, int n) {
    uint32_t state = 4711;
    const int pairs = POWERS_EXACT * POWERS_EXACT;
    for (int i = 0; i < n; i++) {
        const uint32_t x = random_word(&state), y = random_word(&state), z = random_word(&state);
        const float turn = ldexpf((float)(int32_t)y, -31);
        if (i < pairs) {
            a[i] = powers_exact[i / POWERS_EXACT];
            b[i] = powers_exact[i % POWERS_EXACT];
        } else if (i % 4 == 0) {
            a[i] = powers_of_bits(x);
            b[i] = powers_of_bits(y);
        } else if (i % 4 == 1) {
            a[i] = powers_of_bits(0x3f000000u + x % 0x01000000u);
            b[i] = ldexpf(turn, (int)(z % 12));
        } else if (i % 4 == 2) {
            a[i] = powers_of_bits(0x3f7f0000u + x % 0x20000u);
            b[i] = ldexpf(turn, (int)(z % 24));
        } else {
            a[i] = powers_of_bits(x % 0x7f800000u);
            b[i] = ldexpf(turn, (int)(z % 4));
        }
    }
}
