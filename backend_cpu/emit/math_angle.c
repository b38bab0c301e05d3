/* SPDX-License-Identifier: MIT */
/* Tangent, inverse trigonometric functions and the hypotenuse as C text.
 *
 *   tan      the quotient of sine and cosine of one reduced angle
 *   atan     of r in [0, 1]: above tan(pi/8) as pi/4 + atan((r - 1) / (r + 1)); then r + r z P(z), z = r^2
 *   atan2    atan of the smaller over the larger coordinate, mirrored at the diagonal and at the axes
 *   asin     t + t z P(z), z = t^2, up to 1/2; above pi/2 - 2 asin(sqrt((1 - x) / 2))
 *   hypot    squares of the coordinates, both times one power of two where squares would leave the range
 *
 * The polynomials are Chebyshev fits over the reduced range. f32 goes by way of f64, but for the tangent. */
#include "backend_cpu/emit/math.h"
#include <stddef.h>

/* clang-format off */
static const char tanf_text[] =
    "f32 tanf(f32);\n"
    "static inline f32 fsr_tanf(f32 x) {\n"
    "    const f32 y = fsr_trigf(x, 0) / fsr_trigf(x, 1);\n"
    "    return x == 0 ? x : y;\n"
    "}\n"
    "static __attribute__((noinline)) f32 fsr_tanf_any(f32 x) {\n"
    "    return __builtin_fabsf(x) <= 0x1p+18f ? fsr_tanf(x) : tanf(x);\n"
    "}\n";

static const char tan_text[] =
    "f64 tan(f64);\n"
    "static inline f64 fsr_tan(f64 x) {\n"
    "    const f64 y = fsr_trig(x, 0) / fsr_trig(x, 1);\n"
    "    return x == 0 ? x : y;\n"
    "}\n"
    "static __attribute__((noinline)) f64 fsr_tan_any(f64 x) {\n"
    "    return __builtin_fabs(x) <= 0x1p+19 ? fsr_tan(x) : tan(x);\n"
    "}\n";

/* atan of r in [0, 1] */
static const char arc_text[] =
    "static inline f64 fsr_arc(f64 r) {\n"
    "    const f64 t = r > 0x1.a827999fcef32p-2 ? (r - 1.0) / (r + 1.0) : r, z = t * t;\n"
    "    f64 p = fsr_mad(z, -0x1.c807c7fd8901cp-7, 0x1.f5ea203927f08p-6);\n"
    "    p = fsr_mad(p, z, -0x1.503b1df32251dp-5);\n"
    "    p = fsr_mad(p, z, 0x1.829c9a46152b5p-5);\n"
    "    p = fsr_mad(p, z, -0x1.aebd143c55a36p-5);\n"
    "    p = fsr_mad(p, z, 0x1.e1d8e89291b2fp-5);\n"
    "    p = fsr_mad(p, z, -0x1.1110ceddb22d6p-4);\n"
    "    p = fsr_mad(p, z, 0x1.3b13aea970e58p-4);\n"
    "    p = fsr_mad(p, z, -0x1.745d173561aep-4);\n"
    "    p = fsr_mad(p, z, 0x1.c71c71c6ddb13p-4);\n"
    "    p = fsr_mad(p, z, -0x1.24924924920acp-3);\n"
    "    p = fsr_mad(p, z, 0x1.9999999999997p-3);\n"
    "    p = fsr_mad(p, z, -0x1.5555555555555p-2);\n"
    "    const f64 low = r > 0x1.a827999fcef32p-2 ? 0x1.1a62633145c07p-55 : 0.0;\n"
    "    return (r > 0x1.a827999fcef32p-2 ? 0x1.921fb54442d18p-1 : 0.0) + (t + fsr_mad(t * z, p, low));\n"
    "}\n";

static const char atan_text[] =
    "static inline f64 fsr_atan(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), q = fsr_arc(a > 1.0 ? 1.0 / a : a);\n"
    "    const f64 y = a > 1.0 ? 0x1.921fb54442d18p+0 - (q - 0x1.1a62633145c07p-54) : q;\n"
    "    return x != x ? x : __builtin_copysign(y, x);\n"
    "}\n";

static const char atan2_text[] =
    "static inline f64 fsr_atan2(f64 y, f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), b = __builtin_fabs(y), low = a < b ? a : b, high = a < b ? b : a;\n"
    "    const f64 t = low == high ? 1.0 : low / high;\n"
    "    f64 q = fsr_arc(high == 0 ? 0.0 : t);\n"
    "    q = a < b ? 0x1.921fb54442d18p+0 - (q - 0x1.1a62633145c07p-54) : q;\n"
    "    q = fsr_bits(x) >> 63 ? 0x1.921fb54442d18p+1 - (q - 0x1.1a62633145c07p-53) : q;\n"
    "    return (x != x) | (y != y) ? x + y : __builtin_copysign(q, y);\n"
    "}\n";

/* asin of the root of z in [0, 1/4], which is t */
static const char arcsine_text[] =
    "static inline f64 fsr_arcsine(f64 t, f64 z) {\n"
    "    f64 p = fsr_mad(z, 0x1.d72b2bc8155f8p-6, -0x1.e6aaa8a0a04ccp-7);\n"
    "    p = fsr_mad(p, z, 0x1.1d189408314eep-6);\n"
    "    p = fsr_mad(p, z, 0x1.65a9c4dfcf8b2p-8);\n"
    "    p = fsr_mad(p, z, 0x1.52420b04b37bep-7);\n"
    "    p = fsr_mad(p, z, 0x1.782651caa6547p-7);\n"
    "    p = fsr_mad(p, z, 0x1.c9cf07674736ap-7);\n"
    "    p = fsr_mad(p, z, 0x1.1c4d35cf95421p-6);\n"
    "    p = fsr_mad(p, z, 0x1.6e8bb1c8209a2p-6);\n"
    "    p = fsr_mad(p, z, 0x1.f1c71c1db0623p-6);\n"
    "    p = fsr_mad(p, z, 0x1.6db6db6e31f13p-5);\n"
    "    p = fsr_mad(p, z, 0x1.3333333332ecap-4);\n"
    "    p = fsr_mad(p, z, 0x1.5555555555556p-3);\n"
    "    return fsr_mad(t * z, p, t);\n"
    "}\n";

static const char asin_text[] =
    "static inline f64 fsr_asin(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), z = a > 0.5 ? 0.5 - 0.5 * a : a * a;\n"
    "    const f64 q = fsr_arcsine(a > 0.5 ? __builtin_sqrt(z) : a, z);\n"
    "    const f64 y = a > 0.5 ? 0x1.921fb54442d18p+0 - (2.0 * q - 0x1.1a62633145c07p-54) : q;\n"
    "    return __builtin_copysign(y, x);\n"
    "}\n";

static const char acos_text[] =
    "static inline f64 fsr_acos(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), z = a > 0.5 ? 0.5 - 0.5 * a : a * a;\n"
    "    const f64 q = fsr_arcsine(a > 0.5 ? __builtin_sqrt(z) : x, z);\n"
    "    const f64 y = x < 0 ? 0x1.921fb54442d18p+1 - (2.0 * q - 0x1.1a62633145c07p-53) : 2.0 * q;\n"
    "    return a > 0.5 ? y : 0x1.921fb54442d18p+0 - (q - 0x1.1a62633145c07p-54);\n"
    "}\n";

#define SINGLE(name)                                 \
    "static inline f32 fsr_" name "f(f32 x) {\n"     \
    "    const f32 y = (f32)fsr_" name "((f64)x);\n" \
    "    return x == 0 ? x : y;\n"                   \
    "}\n"
static const char atanf_text[] = SINGLE("atan");
static const char asinf_text[] = SINGLE("asin");

static const char acosf_text[] =
    "static inline f32 fsr_acosf(f32 x) {\n"
    "    return (f32)fsr_acos(x);\n"
    "}\n";

static const char atan2f_text[] =
    "static inline f32 fsr_atan2f(f32 y, f32 x) {\n"
    "    return (f32)fsr_atan2(y, x);\n"
    "}\n";

static const char hypotf_text[] =
    "static inline f32 fsr_hypotf(f32 x, f32 y) {\n"
    "    const f32 a = __builtin_fabsf(x), b = __builtin_fabsf(y), inf = __builtin_inff();\n"
    "    return (a == inf) | (b == inf) ? inf : (f32)__builtin_sqrt((f64)a * a + (f64)b * b);\n"
    "}\n";

static const char hypot_text[] =
    "static inline f64 fsr_hypot(f64 x, f64 y) {\n"
    "    const f64 a = __builtin_fabs(x), b = __builtin_fabs(y), inf = __builtin_inf();\n"
    "    const f64 high = a > b ? a : b, low = a > b ? b : a;\n"
    "    const f64 down = high > 0x1p+500 ? 0x1p-600 : 1.0, s = high < 0x1p-400 ? 0x1p+600 : down;\n"
    "    const f64 up = high > 0x1p+500 ? 0x1p+600 : 1.0, back = high < 0x1p-400 ? 0x1p-600 : up;\n"
    "    const f64 u = high * s, v = low * s;\n"
    "    return (a == inf) | (b == inf) ? inf : __builtin_sqrt(fsr_mad(u, u, v * v)) * back;\n"
    "}\n";
/* clang-format on */

const fsr_c_math fsr_c_math_angle[] = {
    {"fsr_tanf", "0x1p+18f", tanf_text}, {"fsr_tan", "0x1p+19", tan_text},    {"fsr_arc", NULL, arc_text},
    {"fsr_atan", NULL, atan_text},       {"fsr_atanf", NULL, atanf_text},     {"fsr_atan2", NULL, atan2_text},
    {"fsr_atan2f", NULL, atan2f_text},   {"fsr_arcsine", NULL, arcsine_text}, {"fsr_asin", NULL, asin_text},
    {"fsr_asinf", NULL, asinf_text},     {"fsr_acos", NULL, acos_text},       {"fsr_acosf", NULL, acosf_text},
    {"fsr_hypotf", NULL, hypotf_text},   {"fsr_hypot", NULL, hypot_text},     {NULL, NULL, NULL},
};
