/* Cube root and the error function with its inverse as C text.
 *
 *   cbrt     a third of the exponent's bits, good to 5 %; two steps of Halley's method cube that, one of Newton's
 *            with the residual taken by fused multiplication ends it
 *   erf      f32: x P(x^2) up to 1, above 1 - e^Q(x), where Q fits log erfc; f64: the C library's
 *   erfinv   a polynomial in log(1 - x^2), or in its root, good to 1e-6; one step of Halley's method on erf, or on
 *            erfc where that is smaller: then 1 - |x| is exact, and so is the residual. f32 goes by way of f64 */
#include "backend_cpu/emit_math.h"
#include <stddef.h>

/* clang-format off */
static const char cbrt_text[] =
    "static inline f64 fsr_cbrt(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), y = a < 0x1p-1022 ? a * 0x1p+54 : a > 0x1p+1000 ? a * 0x1p-54 : a;\n"
    "    f64 t = fsr_float((u64)((u32)(fsr_bits(y) >> 32) / 3 + 715094163u) << 32), c = t * t * t;\n"
    "    t = t * ((c + 2.0 * y) / (2.0 * c + y));\n"
    "    c = t * t * t;\n"
    "    t = t * ((c + 2.0 * y) / (2.0 * c + y));\n"
    "    t = t - fsr_mad(t, t * t, -y) / (3.0 * (t * t));\n"
    "    t = a < 0x1p-1022 ? t * 0x1p-18 : a > 0x1p+1000 ? t * 0x1p+18 : t;\n"
    "    return (x == 0) | !(a < __builtin_inf()) ? x : __builtin_copysign(t, x);\n"
    "}\n";

static const char cbrtf_text[] =
    "static inline f32 fsr_cbrtf(f32 x) {\n"
    "    return (f32)fsr_cbrt(x);\n"
    "}\n";

static const char erff_text[] =
    "static inline f32 fsr_erff(f32 x) {\n"
    "    const f32 a = __builtin_fabsf(x), t = a > 4.0f ? 4.0f : a, z = x * x;\n"
    "    f32 p = fsr_madf(z, 0x1.4a569p-14f, -0x1.a45088p-11f);\n"
    "    p = fsr_madf(p, z, 0x1.54127p-8f);\n"
    "    p = fsr_madf(p, z, -0x1.b7fabap-6f);\n"
    "    p = fsr_madf(p, z, 0x1.ce2d1p-4f);\n"
    "    p = fsr_madf(p, z, -0x1.81273ep-2f);\n"
    "    p = fsr_madf(p, z, 0x1.20dd74p+0f);\n"
    "    f32 q = fsr_madf(t, 0x1.b7de4cp-20f, -0x1.829c0ap-15f);\n"
    "    q = fsr_madf(q, t, 0x1.390718p-11f);\n"
    "    q = fsr_madf(q, t, -0x1.380018p-8f);\n"
    "    q = fsr_madf(q, t, 0x1.b0efd8p-6f);\n"
    "    q = fsr_madf(q, t, -0x1.c2e934p-4f);\n"
    "    q = fsr_madf(q, t, -0x1.437df2p-1f);\n"
    "    q = fsr_madf(q, t, -0x1.215732p+0f);\n"
    "    q = fsr_madf(q, t, 0x1.5080ccp-12f);\n"
    "    const f32 y = 1.0f - fsr_expf(q);\n"
    "    return a <= 1.0f ? x * p : x != x ? x : __builtin_copysignf(y, x);\n"
    "}\n";

static const char erf_text[] =
    "f64 erf(f64);\n"
    "static inline f64 fsr_erf(f64 x) {\n"
    "    return erf(x);\n"
    "}\n";

static const char erfinv_text[] =
    "f64 erf(f64);\n"
    "f64 erfc(f64);\n"
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
    "    const f64 miss = a > 0.5 ? (1.0 - a) - erfc(y) : erf(y) - a;\n"
    "    const f64 d = miss * 0x1.c5bf891b4ef6bp-1 * fsr_exp(y * y), z = y - d / fsr_mad(y, d, 1.0);\n"
    "    return a < 1.0 ? (x == 0 ? x : __builtin_copysign(z, x)) : a == 1.0 ? x / 0.0 : __builtin_nan(\"\");\n"
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
    {"fsr_cbrt", NULL, cbrt_text},     {"fsr_cbrtf", NULL, cbrtf_text},     {"fsr_erff", NULL, erff_text},
    {"fsr_erf", NULL, erf_text},       {"fsr_erfinv", NULL, erfinv_text},   {"fsr_erfinvf", NULL, erfinvf_text},
    {"fsr_lgamma", NULL, lgamma_text}, {"fsr_lgammaf", NULL, lgammaf_text}, {NULL, NULL, NULL},
};
