/* SPDX-License-Identifier: MIT */
/* The REF column's helpers, plain and slow.
 *
 * floor_divide and mod follow Python: the remainder is fmod's, exact, and takes the divisor's sign; the quotient is
 * what is left, rounded to the integer it must be. Counter-example to floor(a / b): 1 // 0.1 is 9, but 1 / 0.1 rounds
 * to 10.
 *
 * next, of f16 and bf16: one unit of their last place, which frexp finds.
 *
 * power: an infinite base goes by way of its reciprocal, a zero. Counter-example to the C library's pow alone: glibc's
 * powl(-INFINITY, -0x1p63) is infinity, and of -2^63 alone.
 *
 * lgamma is the C library's, but not the one that leaves the sign in a variable that all threads share.
 *
 * philox: the round as its authors write it, on the counter as an array; the keys of the rounds are k + r * Weyl's.
 *
 * erfinv: Newton's iteration on the smaller of erf and erfc, from a first value by Giles' or Winitzki's form. */
#include "graph/ops_reference.h"
#include <float.h>
#include <math.h>
#include <stdbool.h>

#define FLOATS(T, F)                                                                              \
    T fsr_ref_mod##F(T a, T b) {                                                                  \
        T r = fmod##F(a, b);                                                                      \
        if (b == 0 || r != r)                                                                     \
            return r;                                                                             \
        if (r == 0)                                                                               \
            return copysign##F(0, b);                                                             \
        return (r < 0) != (b < 0) ? r + b : r;                                                    \
    }                                                                                             \
    T fsr_ref_floor_divide##F(T a, T b) {                                                         \
        if (b == 0)                                                                               \
            return a / b;                                                                         \
        T r = fmod##F(a, b), q = (a - r) / b;                                                     \
        if (r != 0 && (r < 0) != (b < 0))                                                         \
            q -= 1;                                                                               \
        if (q == 0)                                                                               \
            return copysign##F(0, a / b);                                                         \
        T whole = floor##F(q);                                                                    \
        return q - whole > (T)0.5 ? whole + 1 : whole;                                            \
    }                                                                                             \
    T fsr_ref_round##F(T a) {                                                                     \
        T whole = trunc##F(a), rest = fabs##F(a - whole);                                         \
        bool up = rest > (T)0.5 || (rest == (T)0.5 && fmod##F(whole, 2) != 0);                    \
        return a - a != 0 ? a : copysign##F(up ? fabs##F(whole) + 1 : fabs##F(whole), a);         \
    }                                                                                             \
    T fsr_ref_exponent##F(T a) {                                                                  \
        int exponent = 0;                                                                         \
        if (a - a == 0)                                                                           \
            frexp##F(a, &exponent);                                                               \
        return (T)exponent;                                                                       \
    }                                                                                             \
    T fsr_ref_next##F(T a, T b, T digits) {                                                       \
        const bool half = digits == 11, away = a == 0 || (b > a) == (a > 0);                      \
        const T most = half ? (T)65504 : (T)0x1.fep127;                                           \
        const int lowest = half ? -13 : FLT_MIN_EXP;                                              \
        int exponent;                                                                             \
        if ((!half && digits != 8) || a == b || a != a || b != b)                                 \
            return nextafter##F(a, b);                                                            \
        if (isinf(a))                                                                             \
            return copysign##F(most, a);                                                          \
        if (frexp##F(fabs##F(a), &exponent) == (T)0.5 && !away)                                   \
            exponent--;                                                                           \
        if (a == 0 || exponent < lowest)                                                          \
            exponent = lowest;                                                                    \
        T step = ldexp##F(1, exponent - (int)digits), there = fabs##F(a) + (away ? step : -step); \
        return copysign##F(there > most ? (T)INFINITY : there, a != 0 ? a : b);                   \
    }                                                                                             \
    T fsr_ref_power##F(T a, T b) {                                                                \
        return isinf(a) ? pow##F(1 / a, -b) : pow##F(a, b);                                       \
    }                                                                                             \
    T fsr_ref_logaddexp##F(T a, T b) {                                                            \
        const T high = a > b ? a : b, low = a > b ? b : a;                                        \
        if (a != a || b != b)                                                                     \
            return a + b;                                                                         \
        return high == low ? high + log##F(2) : high + log1p##F(exp##F(low - high));              \
    }                                                                                             \
    T fsr_ref_logaddexp2##F(T a, T b) {                                                           \
        const T high = a > b ? a : b, low = a > b ? b : a;                                        \
        if (a != a || b != b)                                                                     \
            return a + b;                                                                         \
        return high == low ? high + 1 : high + log1p##F(exp2##F(low - high)) / log##F(2);         \
    }                                                                                             \
    T fsr_ref_lgamma##F(T a) {                                                                    \
        int sign;                                                                                 \
        return lgamma##F##_r(a, &sign);                                                           \
    }                                                                                             \
    T fsr_ref_erfinv##F(T a) {                                                                    \
        return (T)inverse((long double)a);                                                        \
    }                                                                                             \
    /* sin(pi a + turn pi/2) of a >= 0; all but the last line is exact. */                        \
    static T half_turns##F(T a, int turn) {                                                       \
        const T rest = fmod##F(a, 2), quarters = floor##F(2 * rest + (T)0.5);                     \
        const T angle = (rest - quarters / 2) * acos##F(-1);                                      \
        const int side = isfinite(a) ? ((int)quarters + turn) % 4 : 0;                            \
        const T y = side % 2 ? cos##F(angle) : sin##F(angle);                                     \
        return side < 2 ? y : -y;                                                                 \
    }                                                                                             \
    T fsr_ref_sinpi##F(T a) {                                                                     \
        return signbit(a) ? -half_turns##F(-a, 0) : half_turns##F(a, 0);                          \
    }                                                                                             \
    T fsr_ref_cospi##F(T a) {                                                                     \
        return half_turns##F(fabs##F(a), 1) + 0;                                                  \
    }

/* y = erfc(x) for y in (0, 1): from x = sqrt(-log(y)), which is too large, log erfc is concave, so that the steps of
 * Newton's method on it come down to x from one side. */
static long double inverse_of_erfc(long double y) {
    const long double root = 0.886226925452758013649083741670572591L; /* sqrt(pi) / 2 */
    long double x = sqrtl(-logl(y)), log_y = logl(y);
    for (int i = 0; i < 60; i++) {
        long double there = erfcl(x), step = (logl(there) - log_y) * there * root * expl(x * x);
        x += step;
        if (fabsl(step) <= 0x1p-63L * fabsl(x))
            break;
    }
    return x;
}

static long double inverse(long double a) {
    const long double root = 0.886226925452758013649083741670572591L;
    long double magnitude = fabsl(a), x;
    if (!(magnitude < 1))
        return magnitude == 1 ? a / 0.0L : a == 0 ? a : NAN;
    if (magnitude > 0.5L)
        return copysignl(inverse_of_erfc(1 - magnitude), a);
    x = a * root;
    for (int i = 0; i < 30 && a != 0; i++) {
        long double step = (erfl(x) - a) * root * expl(x * x);
        x -= step;
        if (fabsl(step) <= 0x1p-64L * fabsl(x))
            break;
    }
    return x;
}

/* clang-format off */
FLOATS(float, f)
FLOATS(double, )
FLOATS(long double, l)
/* clang-format on */

uint64_t fsr_ref_ipow(uint64_t base, uint64_t exponent) {
    uint64_t product = 1;
    for (int bit = 63; bit >= 0; bit--)
        product = product * product * (exponent >> bit & 1 ? base : 1);
    return product;
}

/* By halves and differences, no division. */
uint64_t fsr_ref_gcd(uint64_t a, uint64_t b) {
    int twos = 0;
    if (a == 0 || b == 0)
        return a | b;
    for (; !((a | b) & 1); twos++)
        a >>= 1, b >>= 1;
    while (a != 0) {
        while (!(a & 1))
            a >>= 1;
        while (!(b & 1))
            b >>= 1;
        const uint64_t apart = a > b ? a - b : b - a;
        b = a > b ? b : a;
        a = apart;
    }
    return b << twos;
}

uint64_t fsr_ref_lcm(uint64_t a, uint64_t b) {
    const uint64_t divisor = fsr_ref_gcd(a, b);
    return divisor == 0 ? 0 : a / divisor * b;
}

int fsr_ref_popcount(uint64_t x) {
    int count = 0;
    for (int bit = 0; bit < 64; bit++)
        count += (int)(x >> bit & 1);
    return count;
}

int fsr_ref_clz(uint64_t x, int width) {
    int zeros = 0;
    while (zeros < width && !(x >> (width - 1 - zeros) & 1))
        zeros++;
    return zeros;
}

/* The bits of infinity are the greatest that are no NaN. */
static int64_t infinity_bits(int width) {
    return width == 32 ? 0x7f800000 : INT64_C(0x7ff0000000000000);
}

/* Sign and magnitude, of which the negative ones are counted down from -1. */
int64_t fsr_ref_order_key(uint64_t bits, int width) {
    const uint64_t sign = UINT64_C(1) << (width - 1);
    const int64_t magnitude = (int64_t)(bits & (sign - 1));
    if (magnitude > infinity_bits(width))
        return (int64_t)(sign - 1);
    return bits & sign ? -1 - magnitude : magnitude;
}

int64_t fsr_ref_order_value(int64_t key, int width) {
    const int64_t magnitude = key < 0 ? -1 - key : key, most = infinity_bits(width);
    if (magnitude > most)
        return most | most >> 1;
    return key < 0 ? (int64_t)((uint64_t)magnitude | UINT64_C(1) << (width - 1)) : magnitude;
}

uint64_t fsr_ref_philox(uint64_t seed, uint64_t stream, uint64_t i) {
    const uint64_t block = i / 2, words = UINT64_C(0xffffffff);
    uint64_t c[4] = {block & words, block >> 32, stream & words, stream >> 32};
    for (uint64_t round = 0; round < 10; round++) {
        const uint64_t k0 = (seed + round * UINT64_C(0x9e3779b9)) & words;
        const uint64_t k1 = ((seed >> 32) + round * UINT64_C(0xbb67ae85)) & words;
        const uint64_t p0 = UINT64_C(0xd2511f53) * c[0], p1 = UINT64_C(0xcd9e8d57) * c[2];
        const uint64_t next[4] = {p1 >> 32 ^ c[1] ^ k0, p1 & words, p0 >> 32 ^ c[3] ^ k1, p0 & words};
        for (int w = 0; w < 4; w++)
            c[w] = next[w];
    }
    return i % 2 ? c[2] | c[3] << 32 : c[0] | c[1] << 32;
}
