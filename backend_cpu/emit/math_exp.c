/* SPDX-License-Identifier: MIT */
/* Exponentials, logarithms and hyperbolic functions as C text, built on the pieces of math.c: fsr_expcore gives
 * e^x = 2^k (1 + s), so that e^x - 1 = 2^k s + (2^k - 1) has no cancellation.
 *
 *   exp2     2^x = 2^n e^((x - n) ln 2), the difference is exact
 *   log2     x = 2^e m as log; e + log m / ln 2: no cancellation, as m stays within half a power of two
 *   log1p    log(u) of u = 1 + x, plus (x - (u - 1)) / u, which is what the sum lost
 *   logaddexp   the larger, plus log1p(e^-|a - b|), which is in [0, ln 2]
 *   sinh     t = e^|x| - 1, (t + t / (t + 1)) / 2, on a quarter of t, so that nothing overflows before sinh does
 *   asinh    log1p(a + a^2 / (1 + sqrt(1 + a^2))), acosh log1p(t + sqrt(2t + t^2)) with t = x - 1,
 *   atanh    log1p(2a / (1 - a)) / 2; large arguments are log a + ln 2, log a = log1p(a - 1)
 *
 * Of the hyperbolic ones and log10, f32 goes by way of f64. */
#include "backend_cpu/emit/math.h"
#include <stddef.h>

/* clang-format off */
static const char exp2f_text[] =
    "static inline f32 fsr_exp2f(f32 x) {\n"
    "    const f32 z = x > 129.0f ? 129.0f : x, y = x < -151.0f ? 0.0f : z;\n"
    "    const f32 t = y + 0x1.8p+23f, r = (y - (t - 0x1.8p+23f)) * 0x1.62e43p-1f;\n"
    "    i32 k;\n"
    "    const f32 s = fsr_expcoref(r, &k);\n"
    "    k += (i32)(fsr_bitsf(t) - 0x4b400000u);\n"
    "    const i32 h = k >> 1;\n"
    "    const f32 p = (1.0f + s) * fsr_floatf((u32)(h + 127) << 23) * fsr_floatf((u32)(k - h + 127) << 23);\n"
    "    return x < -151.0f ? 0.0f : p;\n"
    "}\n";

static const char exp2_text[] =
    "static inline f64 fsr_exp2(f64 x) {\n"
    "    const f64 z = x > 1025.0 ? 1025.0 : x, y = x < -1076.0 ? 0.0 : z;\n"
    "    const f64 t = y + 0x1.8p+52, r = (y - (t - 0x1.8p+52)) * 0x1.62e42fefa39efp-1;\n"
    "    u64 k;\n"
    "    const f64 s = fsr_expcore(r, &k);\n"
    "    k += fsr_bits(t) - 0x4338000000000000u;\n"
    "    const u64 h = (k + 2048) >> 1;\n"
    "    const f64 p = (1.0 + s) * fsr_float((h - 1) << 52) * fsr_float((k - h + 2047) << 52);\n"
    "    return x < -1076.0 ? 0.0 : p;\n"
    "}\n";

static const char expm1f_text[] =
    "static inline f32 fsr_expm1f(f32 x) {\n"
    "    i32 k;\n"
    "    const f32 z = x > 89.0f ? 89.0f : x, s = fsr_expcoref(x < -20.0f ? -20.0f : z, &k);\n"
    "    const f32 h = fsr_floatf((u32)(k + 126) << 23);\n"
    "    return x == 0 ? x : 2.0f * fsr_madf(h, s, h - 0.5f);\n"
    "}\n";

static const char expm1_text[] =
    "static inline f64 fsr_expm1(f64 x) {\n"
    "    u64 k;\n"
    "    const f64 z = x > 710.0 ? 710.0 : x, s = fsr_expcore(x < -40.0 ? -40.0 : z, &k);\n"
    "    const f64 h = fsr_float((k + 1022) << 52);\n"
    "    return x == 0 ? x : 2.0 * fsr_mad(h, s, h - 0.5);\n"
    "}\n";

/* log x = e ln 2 + result, for positive x */
static const char logcore_text[] =
    "static inline f64 fsr_logcore(f64 x, f64 *e) {\n"
    "    const f64 y = x < 0x1p-1022 ? x * 0x1p+54 : x;\n"
    "    const u64 u = fsr_bits(y) + (0x4000000000000000u - 0x3fe6a09e667f3bcdu);\n"
    "    *e = fsr_float(0x4330000000000000u | u >> 52) - (x < 0x1p-1022 ? 0x1p+52 + 1078 : 0x1p+52 + 1024);\n"
    "    const f64 f = fsr_float((u & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu) - 1.0;\n"
    "    const f64 s = f / (2.0 + f), w = s * s, h = 0.5 * f * f;\n"
    "    f64 p = fsr_mad(w, 2 / 19.0, 2 / 17.0);\n"
    "    p = fsr_mad(p, w, 2 / 15.0);\n"
    "    p = fsr_mad(p, w, 2 / 13.0);\n"
    "    p = fsr_mad(p, w, 2 / 11.0);\n"
    "    p = fsr_mad(p, w, 2 / 9.0);\n"
    "    p = fsr_mad(p, w, 2 / 7.0);\n"
    "    p = fsr_mad(p, w, 2 / 5.0);\n"
    "    p = fsr_mad(p, w, 2 / 3.0);\n"
    "    return f - (h - s * fsr_mad(p, w, h));\n"
    "}\n";

/* What a logarithm is of zero, negative numbers, infinity and NaN. */
static const char logedge_text[] =
    "static inline f64 fsr_logedge(f64 x, f64 l) {\n"
    "    const f64 a = x < __builtin_inf() ? l : x, b = x > 0 ? a : __builtin_nan(\"\");\n"
    "    return x == 0 ? -__builtin_inf() : b;\n"
    "}\n";

static const char log2f_text[] =
    "static inline f32 fsr_log2f(f32 x) {\n"
    "    const f32 y = x < 0x1p-126f ? x * 0x1p+23f : x;\n"
    "    const i32 u = (i32)(fsr_bitsf(y) - 0x3f3504f3u);\n"
    "    const f32 e = (f32)((u >> 23) - (x < 0x1p-126f ? 23 : 0));\n"
    "    const f32 f = fsr_floatf((u32)(u & 0x7fffff) + 0x3f3504f3u) - 1.0f;\n"
    "    const f32 s = f / (2.0f + f), w = s * s, h = 0.5f * f * f;\n"
    "    f32 p = fsr_madf(w, 2 / 9.0f, 2 / 7.0f);\n"
    "    p = fsr_madf(p, w, 2 / 5.0f);\n"
    "    p = fsr_madf(p, w, 2 / 3.0f);\n"
    "    const f32 m = f - (h - s * fsr_madf(p, w, h)), l = fsr_madf(m, 0x1.715476p+0f, e);\n"
    "    const f32 a = x < __builtin_inff() ? l : x, b = x > 0 ? a : __builtin_nanf(\"\");\n"
    "    return x == 0 ? -__builtin_inff() : b;\n"
    "}\n";

static const char log2_text[] =
    "static inline f64 fsr_log2(f64 x) {\n"
    "    f64 e;\n"
    "    const f64 m = fsr_logcore(x, &e);\n"
    "    return fsr_logedge(x, fsr_mad(m, 0x1.71547652b82fep+0, fsr_mad(m, 0x1.777d0ffda0d24p-56, e)));\n"
    "}\n";

static const char log10_text[] =
    "static inline f64 fsr_log10(f64 x) {\n"
    "    f64 e;\n"
    "    const f64 m = fsr_logcore(x, &e);\n"
    "    const f64 low = fsr_mad(e, 0x1.ef3fde623e256p-35, m * 0x1.bcb7b1526e50ep-2);\n"
    "    return fsr_logedge(x, fsr_mad(e, 0x1.34413509p-2, low));\n"
    "}\n";

static const char log10f_text[] =
    "static inline f32 fsr_log10f(f32 x) {\n"
    "    return (f32)fsr_log10(x);\n"
    "}\n";

static const char log1p_text[] =
    "static inline f64 fsr_log1p(f64 x) {\n"
    "    const f64 u = 1.0 + x, high = x > 1.0 ? x : 1.0, low = x > 1.0 ? 1.0 : x;\n"
    "    f64 e;\n"
    "    const f64 m = fsr_logcore(u, &e), c = (low - (u - high)) / u;\n"
    "    const f64 l = fsr_mad(e, 0x1.62e42feep-1, m + fsr_mad(e, 0x1.a39ef35793c76p-33, c));\n"
    "    return __builtin_copysign(fsr_logedge(u, l), x);\n"
    "}\n";

static const char log1pf_text[] =
    "static inline f32 fsr_log1pf(f32 x) {\n"
    "    const f32 u = 1.0f + x, high = x > 1.0f ? x : 1.0f, low = x > 1.0f ? 1.0f : x;\n"
    "    const i32 i = (i32)(fsr_bitsf(u) - 0x3f3504f3u);\n"
    "    const f32 e = (f32)(i >> 23), c = (low - (u - high)) / u;\n"
    "    const f32 f = fsr_floatf((u32)(i & 0x7fffff) + 0x3f3504f3u) - 1.0f;\n"
    "    const f32 s = f / (2.0f + f), w = s * s, h = 0.5f * f * f;\n"
    "    f32 p = fsr_madf(w, 2 / 9.0f, 2 / 7.0f);\n"
    "    p = fsr_madf(p, w, 2 / 5.0f);\n"
    "    p = fsr_madf(p, w, 2 / 3.0f);\n"
    "    const f32 l = e * 0x1.62ep-1f - ((h - fsr_madf(s, fsr_madf(p, w, h), fsr_madf(e, 0x1.0bfbe8p-15f, c))) - f);\n"
    "    const f32 a = u < __builtin_inff() ? l : u, b = u > 0 ? a : __builtin_nanf(\"\"), y = u == 0 ? -__builtin_inff() : b;\n"
    "    return x == 0 ? x : y;\n"
    "}\n";

/* Where a == b, which two equal infinities are, the difference is not asked for. */
static const char logaddexp_text[] =
    "static inline f64 fsr_logaddexp(f64 a, f64 b) {\n"
    "    const f64 m = a > b ? a : b, l = fsr_log1p(fsr_exp(-__builtin_fabs(a - b)));\n"
    "    const f64 y = a == b ? a + 0x1.62e42fefa39efp-1 : m + l;\n"
    "    return (a != a) | (b != b) ? a + b : y;\n"
    "}\n";

static const char logaddexpf_text[] =
    "static inline f32 fsr_logaddexpf(f32 a, f32 b) {\n"
    "    const f32 m = a > b ? a : b, l = (f32)fsr_log1p(fsr_expf(-__builtin_fabsf(a - b)));\n"
    "    const f32 y = a == b ? a + 0x1.62e43p-1f : m + l;\n"
    "    return (a != a) | (b != b) ? a + b : y;\n"
    "}\n";

static const char logaddexp2_text[] =
    "static inline f64 fsr_logaddexp2(f64 a, f64 b) {\n"
    "    const f64 m = a > b ? a : b, l = fsr_log1p(fsr_exp2(-__builtin_fabs(a - b))) * 0x1.71547652b82fep+0;\n"
    "    const f64 y = a == b ? a + 1.0 : m + l;\n"
    "    return (a != a) | (b != b) ? a + b : y;\n"
    "}\n";

static const char logaddexp2f_text[] =
    "static inline f32 fsr_logaddexp2f(f32 a, f32 b) {\n"
    "    const f64 l = fsr_log1p(fsr_exp2f(-__builtin_fabsf(a - b))) * 0x1.71547652b82fep+0;\n"
    "    const f32 m = a > b ? a : b, y = a == b ? a + 1.0f : m + (f32)l;\n"
    "    return (a != a) | (b != b) ? a + b : y;\n"
    "}\n";

/* (e^|x| - 1) / 4, up to where sinh and cosh overflow */
static const char growth_text[] =
    "static inline f64 fsr_growth(f64 x, f64 *p) {\n"
    "    const f64 a = __builtin_fabs(x);\n"
    "    u64 k;\n"
    "    const f64 s = fsr_expcore(a > 710.6 ? 710.6 : a, &k);\n"
    "    *p = fsr_float((k + 1021) << 52);\n"
    "    return fsr_mad(*p, s, *p - 0.25);\n"
    "}\n";

static const char sinh_text[] =
    "static inline f64 fsr_sinh(f64 x) {\n"
    "    f64 p;\n"
    "    const f64 t = fsr_growth(x, &p), y = 2.0 * t + t / (2.0 * t + 0.5);\n"
    "    return x == 0 ? x : __builtin_copysign(y, x);\n"
    "}\n";

static const char sinhf_text[] =
    "static inline f32 fsr_sinhf(f32 x) {\n"
    "    const f32 y = (f32)fsr_sinh(x);\n"
    "    return x == 0 ? x : y;\n"
    "}\n";

static const char cosh_text[] =
    "static inline f64 fsr_cosh(f64 x) {\n"
    "    f64 p;\n"
    "    const f64 e = fsr_growth(x, &p) + 0.25;\n"
    "    return 2.0 * e + 0.125 / e;\n"
    "}\n";

static const char coshf_text[] =
    "static inline f32 fsr_coshf(f32 x) {\n"
    "    return (f32)fsr_cosh(x);\n"
    "}\n";

static const char asinh_text[] =
    "static inline f64 fsr_asinh(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), b = a > 0x1p+28 ? 0x1p+28 : a, q = b * b;\n"
    "    const f64 y = fsr_log1p(a > 0x1p+28 ? a - 1.0 : b + q / (1.0 + __builtin_sqrt(1.0 + q)));\n"
    "    const f64 z = a > 0x1p+28 ? y + 0x1.62e42fefa39efp-1 : y;\n"
    "    return x == 0 ? x : __builtin_copysign(z, x);\n"
    "}\n";

static const char acosh_text[] =
    "static inline f64 fsr_acosh(f64 x) {\n"
    "    const f64 t = x > 0x1p+28 ? x : x - 1.0, b = x > 0x1p+28 ? 1.0 : t;\n"
    "    const f64 y = fsr_log1p(x > 0x1p+28 ? x - 1.0 : b + __builtin_sqrt(fsr_mad(b, b, 2.0 * b)));\n"
    "    const f64 z = x > 0x1p+28 ? y + 0x1.62e42fefa39efp-1 : y;\n"
    "    return x < 1.0 ? __builtin_nan(\"\") : z;\n"
    "}\n";

static const char atanh_text[] =
    "static inline f64 fsr_atanh(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), y = 0.5 * fsr_log1p(2.0 * a / (1.0 - a));\n"
    "    return (x == 0) | (a < 0x1p-60) ? x : __builtin_copysign(y, x);\n"
    "}\n";

#define SINGLE(name)                                 \
    "static inline f32 fsr_" name "f(f32 x) {\n"     \
    "    const f32 y = (f32)fsr_" name "((f64)x);\n" \
    "    return x == 0 ? x : y;\n"                   \
    "}\n"
static const char asinhf_text[] = SINGLE("asinh");
static const char atanhf_text[] = SINGLE("atanh");

static const char acoshf_text[] =
    "static inline f32 fsr_acoshf(f32 x) {\n"
    "    return (f32)fsr_acosh(x);\n"
    "}\n";

static const char sigmoidf_text[] =
    "static inline f32 fsr_sigmoidf(f32 x) {\n"
    "    const f32 e = fsr_expf(-__builtin_fabsf(x)), d = 1.0f + e;\n"
    "    return (x < 0 ? e : 1.0f) / d;\n"
    "}\n";

static const char sigmoid_text[] =
    "static inline f64 fsr_sigmoid(f64 x) {\n"
    "    const f64 e = fsr_exp(-__builtin_fabs(x)), d = 1.0 + e;\n"
    "    return (x < 0 ? e : 1.0) / d;\n"
    "}\n";
/* clang-format on */

const fsr_c_math fsr_c_math_exp[] = {
    {"fsr_exp2f", NULL, exp2f_text},           {"fsr_exp2", NULL, exp2_text},
    {"fsr_expm1f", NULL, expm1f_text},         {"fsr_expm1", NULL, expm1_text},
    {"fsr_logcore", NULL, logcore_text},       {"fsr_logedge", NULL, logedge_text},
    {"fsr_log2f", NULL, log2f_text},           {"fsr_log2", NULL, log2_text},
    {"fsr_log10", NULL, log10_text},           {"fsr_log10f", NULL, log10f_text},
    {"fsr_log1p", NULL, log1p_text},           {"fsr_log1pf", NULL, log1pf_text},
    {"fsr_logaddexp", NULL, logaddexp_text},   {"fsr_logaddexpf", NULL, logaddexpf_text},
    {"fsr_logaddexp2", NULL, logaddexp2_text}, {"fsr_logaddexp2f", NULL, logaddexp2f_text},
    {"fsr_growth", NULL, growth_text},         {"fsr_sinh", NULL, sinh_text},
    {"fsr_sinhf", NULL, sinhf_text},           {"fsr_cosh", NULL, cosh_text},
    {"fsr_coshf", NULL, coshf_text},           {"fsr_asinh", NULL, asinh_text},
    {"fsr_asinhf", NULL, asinhf_text},         {"fsr_acosh", NULL, acosh_text},
    {"fsr_acoshf", NULL, acoshf_text},         {"fsr_atanh", NULL, atanh_text},
    {"fsr_atanhf", NULL, atanhf_text},         {"fsr_sigmoidf", NULL, sigmoidf_text},
    {"fsr_sigmoid", NULL, sigmoid_text},       {NULL, NULL, NULL},
};
