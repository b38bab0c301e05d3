/* SPDX-License-Identifier: MIT */
/* Cube root and the error function with its inverse as C text.
 *
 *   cbrt     a third of the exponent's bits, good to 5 %; two steps of Halley's method cube that, one of Newton's
 *            with the residual taken by fused multiplication ends it
 *   erfc     e^-x^2 P(t) / (1 + 2x), t = (x - k) / (x + k), for x >= 0, where P changes little; the square in two
 *            parts. Counter-example to one part: at x = 25 its rounding is 300 units of the result. Up to 1/2 it is
 *            1 - erf x, which at 0 is 1
 *   erf      x P(x^2) up to 1, above 1 - erfc x (f32: 1 - e^Q(x), where Q fits log erfc)
 *   erfinv   a polynomial in log(1 - x^2), or in its root, good to 1e-6; one step of Halley's method on erf, or on
 *            erfc where that is smaller: then 1 - |x| is exact, and so is the residual. f32 goes by way of f64 */
#include "backend_cpu/emit/math.h"
#include <stddef.h>

/* clang-format off */
static const char cbrt_text[] =
    "static inline f64 fsr_cbrt(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), b = a > 0x1p+1000 ? a * 0x1p-54 : a, y = a < 0x1p-1022 ? a * 0x1p+54 : b;\n"
    "    f64 t = fsr_float((u64)((u32)(fsr_bits(y) >> 32) / 3 + 715094163u) << 32), c = t * t * t;\n"
    "    t = t * ((c + 2.0 * y) / (2.0 * c + y));\n"
    "    c = t * t * t;\n"
    "    t = t * ((c + 2.0 * y) / (2.0 * c + y));\n"
    "    t = t - fsr_mad(t, t * t, -y) / (3.0 * (t * t));\n"
    "    c = a > 0x1p+1000 ? t * 0x1p+18 : t;\n"
    "    t = a < 0x1p-1022 ? t * 0x1p-18 : c;\n"
    "    return (x == 0) | !(a < __builtin_inf()) ? x : __builtin_copysign(t, x);\n"
    "}\n";

static const char cbrtf_text[] =
    "static inline f32 fsr_cbrtf(f32 x) {\n"
    "    return (f32)fsr_cbrt(x);\n"
    "}\n";

static const char erfnearf_text[] =
    "static inline f32 fsr_erfnearf(f32 x) {\n"
    "    const f32 z = x * x;\n"
    "    f32 p = fsr_madf(z, 0x1.4a569p-14f, -0x1.a45088p-11f);\n"
    "    p = fsr_madf(p, z, 0x1.54127p-8f);\n"
    "    p = fsr_madf(p, z, -0x1.b7fabap-6f);\n"
    "    p = fsr_madf(p, z, 0x1.ce2d1p-4f);\n"
    "    p = fsr_madf(p, z, -0x1.81273ep-2f);\n"
    "    p = fsr_madf(p, z, 0x1.20dd74p+0f);\n"
    "    return x * p;\n"
    "}\n";

static const char erff_text[] =
    "static inline f32 fsr_erff(f32 x) {\n"
    "    const f32 a = __builtin_fabsf(x), t = a > 4.0f ? 4.0f : a, n = fsr_erfnearf(x);\n"
    "    f32 q = fsr_madf(t, 0x1.b7de4cp-20f, -0x1.829c0ap-15f);\n"
    "    q = fsr_madf(q, t, 0x1.390718p-11f);\n"
    "    q = fsr_madf(q, t, -0x1.380018p-8f);\n"
    "    q = fsr_madf(q, t, 0x1.b0efd8p-6f);\n"
    "    q = fsr_madf(q, t, -0x1.c2e934p-4f);\n"
    "    q = fsr_madf(q, t, -0x1.437df2p-1f);\n"
    "    q = fsr_madf(q, t, -0x1.215732p+0f);\n"
    "    q = fsr_madf(q, t, 0x1.5080ccp-12f);\n"
    "    const f32 y = 1.0f - fsr_expf(q);\n"
    "    const f32 z = x != x ? x : __builtin_copysignf(y, x);\n"
    "    return a <= 1.0f ? n : z;\n"
    "}\n";

/* erf of x up to 1 */
static const char erfnear_text[] =
    "static inline f64 fsr_erfnear(f64 x) {\n"
    "    const f64 z = x * x;\n"
    "    f64 p = fsr_mad(z, -0x1.ac9585a44fe29p-31, 0x1.d76af6ca49787p-27);\n"
    "    p = fsr_mad(p, z, -0x1.5c131500d3f88p-23);\n"
    "    p = fsr_mad(p, z, 0x1.b981d78881a5dp-20);\n"
    "    p = fsr_mad(p, z, -0x1.f4ca838adb73bp-17);\n"
    "    p = fsr_mad(p, z, 0x1.f9a2be4f731a1p-14);\n"
    "    p = fsr_mad(p, z, -0x1.c02db0665e53dp-11);\n"
    "    p = fsr_mad(p, z, 0x1.565bccfa44156p-8);\n"
    "    p = fsr_mad(p, z, -0x1.b82ce31203772p-6);\n"
    "    p = fsr_mad(p, z, 0x1.ce2f21a040f66p-4);\n"
    "    p = fsr_mad(p, z, -0x1.812746b0379c1p-2);\n"
    "    p = fsr_mad(p, z, 0x1.20dd750429b6dp+0);\n"
    "    return x * p;\n"
    "}\n";

/* erfc of a >= 0; a^2 as the sum of two numbers, exactly */
static const char erfcsize_text[] =
    "static inline f64 fsr_erfcsize(f64 a) {\n"
    "    const f64 b = a > 28.0 ? 28.0 : a, t = (b - 4.0) / (b + 4.0);\n"
    "    const f64 high = fsr_float(fsr_bits(b) & 0xfffffffff8000000u), low = b - high, z = b * b;\n"
    "    const f64 rest = ((high * high - z) + 2.0 * high * low) + low * low;\n"
    "    f64 p = fsr_mad(t, -0x1.3203d7029540dp-27, -0x1.44ea3e753d03fp-27);\n"
    "    p = fsr_mad(p, t, 0x1.b547fff5a3ee4p-24);\n"
    "    p = fsr_mad(p, t, 0x1.f95d9c1b8f9dfp-25);\n"
    "    p = fsr_mad(p, t, -0x1.b792609d7a011p-21);\n"
    "    p = fsr_mad(p, t, 0x1.4cccc375dcb21p-22);\n"
    "    p = fsr_mad(p, t, 0x1.7efa8caa8bd96p-18);\n"
    "    p = fsr_mad(p, t, -0x1.78e2e25fb32a5p-17);\n"
    "    p = fsr_mad(p, t, -0x1.99573aaf8d6cap-16);\n"
    "    p = fsr_mad(p, t, 0x1.3be28aa5264ap-13);\n"
    "    p = fsr_mad(p, t, -0x1.a1df1fd37a91ap-13);\n"
    "    p = fsr_mad(p, t, -0x1.8d4abee6e794dp-11);\n"
    "    p = fsr_mad(p, t, 0x1.49c672613491bp-8);\n"
    "    p = fsr_mad(p, t, -0x1.096238568eadp-6);\n"
    "    p = fsr_mad(p, t, 0x1.3079edf74dfa8p-5);\n"
    "    p = fsr_mad(p, t, -0x1.0fb06dff5be88p-4);\n"
    "    p = fsr_mad(p, t, 0x1.7fee004e0b17cp-4);\n"
    "    p = fsr_mad(p, t, -0x1.9ddb23c3dbf7ep-4);\n"
    "    p = fsr_mad(p, t, 0x1.16ecefcfa568fp-4);\n"
    "    p = fsr_mad(p, t, 0x1.f7f5df66fb86cp-7);\n"
    "    p = fsr_mad(p, t, -0x1.1df1ad154a29p-3);\n"
    "    p = fsr_mad(p, t, 0x1.3ba5916e9fd7fp+0);\n"
    "    const f64 r = p / fsr_mad(2.0, b, 1.0);\n"
    "    return fsr_mad(-rest, r, r) * fsr_exp(-z);\n"
    "}\n";

static const char erfc_text[] =
    "static inline f64 fsr_erfc(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), y = fsr_erfcsize(a), n = 1.0 - fsr_erfnear(x);\n"
    "    const f64 z = x < 0 ? 2.0 - y : y;\n"
    "    return a <= 0.5 ? n : z;\n"
    "}\n";

static const char erfcf_text[] =
    "static inline f32 fsr_erfcf(f32 x) {\n"
    "    const f32 a = __builtin_fabsf(x), n = fsr_erfnearf(x), b = a > 11.0f ? 11.0f : a, t = (b - 2.0f) / (b + 2.0f);\n"
    "    const f64 z = (f64)b * b;\n"
    "    const f32 high = (f32)z, rest = (f32)(z - high);\n"
    "    f32 p = fsr_madf(t, -0x1.bbe2b4p-12f, -0x1.4aecb4p-10f);\n"
    "    p = fsr_madf(p, t, 0x1.5c3426p-10f);\n"
    "    p = fsr_madf(p, t, 0x1.1bdfaap-7f);\n"
    "    p = fsr_madf(p, t, -0x1.082858p-7f);\n"
    "    p = fsr_madf(p, t, -0x1.bc1f28p-5f);\n"
    "    p = fsr_madf(p, t, 0x1.4ffc1ap-3f);\n"
    "    p = fsr_madf(p, t, -0x1.5407c2p-3f);\n"
    "    p = fsr_madf(p, t, -0x1.7bf60ep-4f);\n"
    "    p = fsr_madf(p, t, 0x1.46e80ep+0f);\n"
    "    const f32 r = p / (1.0f + 2.0f * b), y = (r - r * rest) * fsr_expf(-high);\n"
    "    const f32 c = x < 0 ? 2.0f - y : y;\n"
    "    return a <= 0.5f ? 1.0f - n : c;\n"
    "}\n";

static const char erf_text[] =
    "static inline f64 fsr_erf(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), y = 1.0 - fsr_erfcsize(a), n = fsr_erfnear(x);\n"
    "    const f64 z = x != x ? x : __builtin_copysign(y, x);\n"
    "    return a <= 1.0 ? n : z;\n"
    "}\n";

static const char erfinv_text[] =
    "static inline f64 fsr_erfinv(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), w = -fsr_log((1.0 - a) * (1.0 + a)), s = __builtin_sqrt(w);\n"
    "    f64 p = fsr_mad(w, 0x1.0f810cd459d8fp-33, -0x1.96fd94ffd9daap-29);\n"
    "    p = fsr_mad(p, w, 0x1.641ad7aa462e6p-26);\n"
    "    p = fsr_mad(p, w, 0x1.15b9f39b582afp-24);\n"
    "    p = fsr_mad(p, w, -0x1.976067aa59a22p-20);\n"
    "    p = fsr_mad(p, w, 0x1.bf17e87f90989p-19);\n"
    "    p = fsr_mad(p, w, 0x1.75df8937c643ap-15);\n"
    "    p = fsr_mad(p, w, -0x1.087cfe6048d6dp-13);\n"
    "    p = fsr_mad(p, w, -0x1.3233ffd4a5df5p-9);\n"
    "    p = fsr_mad(p, w, 0x1.7a754eed81674p-7);\n"
    "    p = fsr_mad(p, w, 0x1.db29f71873b1fp-3);\n"
    "    p = fsr_mad(p, w, 0x1.c5bf891fdde9fp-1);\n"
    "    f64 q = fsr_mad(s, 0x1.375a0b5e7cd8cp-21, -0x1.caf387df506cap-16);\n"
    "    q = fsr_mad(q, s, 0x1.2eaa555ec68f2p-11);\n"
    "    q = fsr_mad(q, s, -0x1.d633e3f2ad55fp-8);\n"
    "    q = fsr_mad(q, s, 0x1.dc20c53f11e87p-5);\n"
    "    q = fsr_mad(q, s, -0x1.47ff3b74fee8ap-2);\n"
    "    q = fsr_mad(q, s, 0x1.36a5f6d93f91bp+0);\n"
    "    q = fsr_mad(q, s, -0x1.8d5bd1e4cb178p+1);\n"
    "    q = fsr_mad(q, s, 0x1.43de572ce2f59p+2);\n"
    "    q = fsr_mad(q, s, -0x1.203776472a95ep+2);\n"
    "    q = fsr_mad(q, s, 0x1.0972c4d1517e4p+1);\n"
    "    q = fsr_mad(q, s, 0x1.6aab6fb26278ep-1);\n"
    "    const f64 y = a * (w < 5.0 ? p : q);\n"
    "    const f64 miss = a > 0.5 ? (1.0 - a) - fsr_erfc(y) : fsr_erf(y) - a;\n"
    "    const f64 d = miss * 0x1.c5bf891b4ef6bp-1 * fsr_exp(y * y), z = y - d / fsr_mad(y, d, 1.0);\n"
    "    const f64 near = x == 0 ? x : __builtin_copysign(z, x), far = a == 1.0 ? x / 0.0 : __builtin_nan(\"\");\n"
    "    return a < 1.0 ? near : far;\n"
    "}\n";

static const char erfinvf_text[] =
    "static inline f32 fsr_erfinvf(f32 x) {\n"
    "    const f32 y = (f32)fsr_erfinv(x);\n"
    "    return x == 0 ? x : y;\n"
    "}\n";
/* lgamma leaves the sign in a variable that all threads share. */
static const char lgamma_text[] =
    "f64 lgamma_r(f64, i32 *);\n"
    "static inline f64 fsr_lgamma(f64 x) {\n"
    "    i32 sign;\n"
    "    return lgamma_r(x, &sign);\n"
    "}\n";

static const char lgammaf_text[] =
    "f32 lgammaf_r(f32, i32 *);\n"
    "static inline f32 fsr_lgammaf(f32 x) {\n"
    "    i32 sign;\n"
    "    return lgammaf_r(x, &sign);\n"
    "}\n";
/* clang-format on */

const fsr_c_math fsr_c_math_special[] = {
    {"fsr_cbrt", NULL, cbrt_text},         {"fsr_cbrtf", NULL, cbrtf_text},
    {"fsr_erfnearf", NULL, erfnearf_text}, {"fsr_erff", NULL, erff_text},
    {"fsr_erfnear", NULL, erfnear_text},   {"fsr_erfcsize", NULL, erfcsize_text},
    {"fsr_erfc", NULL, erfc_text},         {"fsr_erfcf", NULL, erfcf_text},
    {"fsr_erf", NULL, erf_text},           {"fsr_erfinv", NULL, erfinv_text},
    {"fsr_erfinvf", NULL, erfinvf_text},   {"fsr_lgamma", NULL, lgamma_text},
    {"fsr_lgammaf", NULL, lgammaf_text},   {NULL, NULL, NULL},
};
