/* SPDX-License-Identifier: MIT */
/* Inverse functions of complex numbers for generated C, powers of 2, log1p and expm1. In f64,
 * as those of complex.c; zeros, infinities and NaNs are those of C's Annex G, the sign of a zero tells the side of a
 * cut.
 *
 *   asin, acos   Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using exception
 *                handling" (ACM Transactions on Mathematical Software 23, 1997): of x + iy in the first quadrant, with
 *                r = |z + 1|, s = |z - 1| and a = (r + s) / 2, the real part is an angle whose sine is x / a and the
 *                imaginary one has the hyperbolic cosine a. Near the ends sqrt(a^2 - x^2) and a - 1 are sums without
 *                cancellation. One function gives both angles and the height; asinh and acosh are quarter turns.
 *   atanh        Kahan, "Branch cuts for complex elementary functions" (1987): log(1 + 4x / ((1 - x)^2 + y^2)) / 4, and
 *                half the angle of (1 - x)(1 + x) - y^2 + 2iy; atan is a quarter turn
 *   log1p        up to 1/2 from |1 + z|^2 - 1, beyond log(1 + z)
 *   expm1        e^x cos y - 1 = expm1(x) cos y - 2 sin^2(y / 2)
 *   exp2         the angle y ln 2 in two parts: of y = 1000 one part is wrong by 700 units of its last place
 * Counter-example to log(z + sqrt(z^2 + 1)) for asinh: of -1e9 it is the logarithm of 0. */
#include "backend_cpu/emit/complex.h"
#include <stddef.h>

/* clang-format off */
static const char arc_text[] =
    "f64 hypot(f64, f64);\n"
    "f64 atan2(f64, f64);\n"
    "f64 asin(f64);\n"
    "f64 acos(f64);\n"
    "f64 log(f64);\n"
    "f64 log1p(f64);\n"
    "typedef struct { f64 sine, cosine, height; } fsr_arcs;\n"
    "static __attribute__((noinline)) fsr_arcs fsr_arcs_of(f64 x, f64 y) {\n"
    "    if (x > 0x1p+50 || y > 0x1p+50)\n"
    "        return (fsr_arcs){atan2(x, y), atan2(y, x), log(hypot(x * 0.25, y * 0.25)) + 0x1.0a2b23f3bab73p+1};\n"
    "    const f64 r = hypot(x + 1, y), s = hypot(x - 1, y), a = 0.5 * (r + s), b = x / a;\n"
    "    const f64 from = r + (x + 1), sum = a + x;\n"
    "    const f64 root = x <= 1 ? __builtin_sqrt(0.5 * sum * (y * y / from + (s + (1 - x))))\n"
    "                            : y * __builtin_sqrt(0.5 * (sum / from + sum / (s + (x - 1))));\n"
    "    const f64 sine = b <= 0.6417 ? asin(b) : atan2(x, root), cosine = b <= 0.6417 ? acos(b) : atan2(root, x);\n"
    "    if (a > 1.5)\n"
    "        return (fsr_arcs){sine, cosine, log(a + __builtin_sqrt(a * a - 1))};\n"
    "    if (x >= 1) {\n"
    "        const f64 less = y * y / from + (s + (x - 1));\n"
    "        return (fsr_arcs){sine, cosine, log1p(0.5 * less + __builtin_sqrt(less) * __builtin_sqrt(0.5 * (a + 1)))};\n"
    "    }\n"
    "    const f64 by = 0.5 * y * (1 / from + 1 / (s + (1 - x)));\n"
    "    return (fsr_arcs){sine, cosine, log1p(y * by + __builtin_sqrt(y) * __builtin_sqrt(by * (a + 1)))};\n"
    "}\n"
    "/* A part is NaN and none infinite: the result knows nothing but what a real part of 0 says. */\n"
    "static inline int fsr_no_arcs(c128 a) {\n"
    "    const f64 inf = __builtin_inf();\n"
    "    return (a.re != a.re || a.im != a.im) && __builtin_fabs(a.re) != inf && __builtin_fabs(a.im) != inf;\n"
    "}\n";

static const char asin_text[] =
    "static inline c128 fsr_c128_asin(c128 a) {\n"
    "    if (fsr_no_arcs(a))\n"
    "        return (c128){a.re == 0 ? a.re : a.re + a.im, a.re + a.im};\n"
    "    const fsr_arcs z = fsr_arcs_of(__builtin_fabs(a.re), __builtin_fabs(a.im));\n"
    "    return (c128){fsr_side(z.sine, a.re), fsr_side(z.height, a.im)};\n"
    "}\n";

static const char acos_text[] =
    "static inline c128 fsr_c128_acos(c128 a) {\n"
    "    if (fsr_no_arcs(a))\n"
    "        return (c128){a.re == 0 ? 0x1.921fb54442d18p+0 : a.re + a.im, a.re + a.im};\n"
    "    const fsr_arcs z = fsr_arcs_of(__builtin_fabs(a.re), __builtin_fabs(a.im));\n"
    "    return (c128){a.re < 0 ? 0x1.921fb54442d18p+1 - z.cosine : z.cosine, -fsr_side(z.height, a.im)};\n"
    "}\n";

static const char acosh_text[] =
    "static inline c128 fsr_c128_acosh(c128 a) {\n"
    "    const c128 z = fsr_c128_acos(a);\n"
    "    return (c128){__builtin_fabs(z.im), a.im == a.im ? __builtin_copysign(z.re, a.im) : a.im};\n"
    "}\n";

/* A function of c64 by way of that of c128. */
#define NARROW(name)                                        \
    "static inline c64 fsr_c64_" name "(c64 a) {\n"               \
    "    const c128 z = fsr_c128_" name "((c128){a.re, a.im});\n" \
    "    return (c64){(f32)z.re, (f32)z.im};\n"                   \
    "}\n"

/* i f(-iz) for odd f: the parts change places before the function and behind it. */
#define SWAPPED(name, of)                                                   \
    "static inline c128 fsr_c128_" name "(c128 a) {\n"                      \
    "    const c128 z = fsr_c128_" of "((c128){a.im, a.re});\n"             \
    "    return (c128){z.im, z.re};\n"                                      \
    "}\n"

/* Beside the pole log1p's argument would be y^2 underflown. */
static const char atanh_text[] =
    "f64 hypot(f64, f64);\n"
    "f64 atan2(f64, f64);\n"
    "f64 log(f64);\n"
    "f64 log1p(f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_atanh(c128 a) {\n"
    "    const f64 x = __builtin_fabs(a.re), y = __builtin_fabs(a.im), inf = __builtin_inf();\n"
    "    if (x == inf || y == inf)\n"
    "        return (c128){fsr_side(0, a.re), y == y ? __builtin_copysign(0x1.921fb54442d18p+0, a.im) : a.im};\n"
    "    if (x != x || y != y)\n"
    "        return (c128){x == 0 ? a.re : x + y, x + y};\n"
    "    if (x > 0x1p+500 || y > 0x1p+500) {\n"
    "        const f64 size = hypot(x, y), re = size < inf ? x / size / size : 0;\n"
    "        return (c128){__builtin_copysign(re, a.re), __builtin_copysign(0x1.921fb54442d18p+0, a.im)};\n"
    "    }\n"
    "    if (x == 1 && y < 0x1p-200)\n"
    "        return (c128){__builtin_copysign(0.5 * (0x1.62e42fefa39efp-1 - log(y)), a.re),\n"
    "                      __builtin_copysign(y == 0 ? 0 : 0x1.921fb54442d18p-1, a.im)};\n"
    "    const f64 re = 0.25 * log1p(4 * x / ((1 - x) * (1 - x) + y * y));\n"
    "    return (c128){__builtin_copysign(re, a.re), 0.5 * atan2(2 * a.im, (1 - x) * (1 + x) - y * y)};\n"
    "}\n";

static const char log1p_text[] =
    "f64 atan2(f64, f64);\n"
    "f64 log1p(f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_log1p_any(c128 a) {\n"
    "    if (!fsr_c128_log1p_far(a))\n"
    "        return fsr_c128_log1p(a);\n"
    "    if (__builtin_fabs(a.re) < 0.5 && __builtin_fabs(a.im) < 0.5)\n"
    "        return (c128){0.5 * log1p(a.re * (2 + a.re) + a.im * a.im), atan2(a.im, 1 + a.re)};\n"
    "    return fsr_c128_log_any((c128){1 + a.re, a.im});\n"
    "}\n";

static const char expm1_text[] =
    "f64 expm1(f64);\n"
    "f64 exp(f64);\n"
    "f64 sin(f64);\n"
    "f64 cos(f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_expm1_any(c128 a) {\n"
    "    if (!fsr_c128_expm1_far(a))\n"
    "        return fsr_c128_expm1(a);\n"
    "    if (a.im == 0)\n"
    "        return (c128){expm1(a.re), a.im};\n"
    "    if (a.re - a.re != 0 || a.im - a.im != 0 || a.re > 709) {\n"
    "        const c128 z = fsr_c128_exp_any(a);\n"
    "        return (c128){z.re - 1, z.im};\n"
    "    }\n"
    "    const f64 half = sin(0.5 * a.im);\n"
    "    return (c128){expm1(a.re) * cos(a.im) - 2 * half * half, exp(a.re) * sin(a.im)};\n"
    "}\n";

static const char exp2_text[] =
    "f64 exp2(f64);\n"
    "f64 sin(f64);\n"
    "f64 cos(f64);\n"
    "f64 fma(f64, f64, f64);\n"
    "static __attribute__((noinline)) c128 fsr_c128_exp2_any(c128 a) {\n"
    "    if (!fsr_c128_exp2_far(a))\n"
    "        return fsr_c128_exp2(a);\n"
    "    const f64 ln2 = 0x1.62e42fefa39efp-1, angle = a.im * ln2;\n"
    "    if (a.im == 0)\n"
    "        return (c128){exp2(a.re), a.im};\n"
    "    if (a.re - a.re != 0 || a.im - a.im != 0)\n"
    "        return fsr_c128_exp_any((c128){a.re, angle});\n"
    "    const f64 rest = fma(a.im, ln2, -angle) + a.im * 0x1.abc9e3b39803fp-56, s = sin(angle), c = cos(angle);\n"
    "    f64 re = c - s * rest, im = s + c * rest, left = a.re;\n"
    "    for (; left > 1000; left -= 1000) {\n"
    "        if (left > 4000)\n"
    "            left = 4000;\n"
    "        re *= 0x1p+1000;\n"
    "        im *= 0x1p+1000;\n"
    "    }\n"
    "    return (c128){re * exp2(left), im * exp2(left)};\n"
    "}\n";

const fsr_c_complex fsr_c_complex_inverse[] = {
    {"fsr_arcs_of", NULL, NULL, arc_text},
    {"fsr_c128_asin", NULL, NULL, asin_text},
    {"fsr_c128_acos", NULL, NULL, acos_text},
    {"fsr_c128_acosh", NULL, NULL, acosh_text},
    {"fsr_c128_asinh", NULL, NULL, SWAPPED("asinh", "asin")},
    {"fsr_c128_atanh", NULL, NULL, atanh_text},
    {"fsr_c128_atan", NULL, NULL, SWAPPED("atan", "atanh")},
    {"fsr_c128_log1p", "fsr_c128_log1p_far", fsr_c_near_log1p, log1p_text},
    {"fsr_c128_expm1", "fsr_c128_expm1_far", fsr_c_near_expm1, expm1_text},
    {"fsr_c128_exp2", "fsr_c128_exp2_far", fsr_c_near_exp2, exp2_text},
    {"fsr_c64_asin", NULL, NULL, NARROW("asin")},
    {"fsr_c64_acos", NULL, NULL, NARROW("acos")},
    {"fsr_c64_acosh", NULL, NULL, NARROW("acosh")},
    {"fsr_c64_asinh", NULL, NULL, NARROW("asinh")},
    {"fsr_c64_atanh", NULL, NULL, NARROW("atanh")},
    {"fsr_c64_atan", NULL, NULL, NARROW("atan")},
    {NULL, NULL, NULL, NULL},
};
/* clang-format on */
