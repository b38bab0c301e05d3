/* SPDX-License-Identifier: MIT */
/* Sine, cosine and tangent of any angle: what of it is left beside whole quarters of a turn, and what that has. */
#include "backend_cuda/prelude.h"

/* clang-format off */
const fsr_prelude_piece fsr_prelude_angle[] = {
    {"fsr_angle", false,
     "/* x = quadrant * pi/2 + r with |r| <= pi/4 and a bit. */\n"
     "struct fsr_angle { f32 r; u32 quadrant; };\n"},
    {"fsr_two_over_pi", false,
     "/* 2/pi in words, after a zero one. */\n"
     "static const u32 fsr_two_over_pi[] = {0, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu};\n"},
    {"fsr_far_angle", false,
     "/* Large angles: the mantissa times those 96 bits of 2/pi that decide x modulo 2 pi and what is left. Infinities and NaNs give NaN. */\n"
     "static inline fsr_angle fsr_far_angle(f32 x)\n"
     "{\n"
     "    const u32 bits = fsr_bits_f32(x), exponent = bits >> 23 & 255;\n"
     "    if (exponent == 255) return {x - x, 0};\n"
     "    const u32 start = exponent - 120, at = start >> 5, shift = start & 31;\n"
     "    const u64 m = (bits & 0x7fffffu) | 0x800000u;\n"
     "    u32 w[4];\n"
     "    for (int i = 0; i < 4; i++) w[i] = fsr_two_over_pi[at + i];\n"
     "    for (int i = 0; i < 3; i++) w[i] = shift ? w[i] << shift | w[i + 1] >> (32 - shift) : w[i];\n"
     "    const u64 low = m * w[2], mid = m * w[1] + (low >> 32), high = (m * w[0] << 32) + mid;\n"
     "    const i64 part = (i64)(high << 2 | (u32)low >> 30);\n"
     "    const u32 quadrant = (u32)(high >> 62) + (part < 0);\n"
     "    const f32 r = (f32)((f64)part * 0x1.921fb54442d18p-64);\n"
     "    return bits >> 31 ? fsr_angle{-r, 0u - quadrant} : fsr_angle{r, quadrant};\n"
     "}\n"},
    {"fsr_near_angle", false,
     "/* Up to 1e5, x - k * pi/2 with pi/2 in three parts: the first difference is exact, the others lose half a bit each. */\n"
     "static inline fsr_angle fsr_near_angle(f32 x)\n"
     "{\n"
     "    const f32 shifted = fmaf(x, 0x1.45f306p-1f, 0x1.8p+23f), k = shifted - 0x1.8p+23f;\n"
     "    f32 r = fmaf(k, -0x1.921fb6p+0f, x);\n"
     "    r = fmaf(k, 0x1.777a5cp-25f, r);\n"
     "    return {fmaf(k, 0x1.ee59dap-50f, r), fsr_bits_f32(shifted)};\n"
     "}\n"},
    {"fsr_sine", false,
     "static inline f32 fsr_sine(f32 r)\n"
     "{\n"
     "    const f32 t = r * r;\n"
     "    f32 p = fmaf(t, -1.95166554e-4f, 8.33217354e-3f);\n"
     "    p = fmaf(t, p, -1.66666549e-1f);\n"
     "    return fmaf(r * t, p, r);\n"
     "}\n"},
    {"fsr_cosine", false,
     "static inline f32 fsr_cosine(f32 r)\n"
     "{\n"
     "    const f32 t = r * r;\n"
     "    f32 p = fmaf(t, 2.44377304e-5f, -1.38873615e-3f);\n"
     "    p = fmaf(t, p, 4.16666467e-2f);\n"
     "    p = fmaf(t, p, -0.5f);\n"
     "    return fmaf(t, p, 1.0f);\n"
     "}\n"},
    {"fsr_turn", false,
     "/* The sine of an angle, quarter turns taken into account. */\n"
     "static inline f32 fsr_turn(fsr_angle a, u32 quarter)\n"
     "{\n"
     "    const u32 quadrant = a.quadrant + quarter;\n"
     "    const f32 s = fsr_sine(a.r), c = fsr_cosine(a.r), y = a.quadrant & 1 ? (quarter ? s : c) : (quarter ? c : s);\n"
     "    return quadrant & 2 ? -y : y;\n"
     "}\n"},
    {"fsr_far_turn", false,
     "static __noinline__ f32 fsr_far_turn(f32 x, u32 quarter) { return fsr_turn(fsr_far_angle(x), quarter); }\n"},
    {"fsr_far_anglef", false, "static __noinline__ fsr_angle fsr_far_anglef(f32 x) { return fsr_far_angle(x); }\n"},
    {"fsr_anglef", false,
     "/* What the sine and the cosine of x have in common; each of the two then has no branch. */\n"
     "static inline fsr_angle fsr_anglef(f32 x)\n"
     "{\n"
     "    fsr_angle a = fsr_near_angle(x);\n"
     "    if (!(fabsf(x) <= 1e5f)) a = fsr_far_anglef(x);\n"
     "    return a;\n"
     "}\n"},
    {"fsr_sinf_of", false,
     "static inline f32 fsr_sinf_of(f32 x, fsr_angle a)\n"
     "{\n"
     "    const f32 y = fsr_turn(a, 0);\n"
     "    return x == 0.0f ? x : y;\n"
     "}\n"},
    {"fsr_cosf_of", false, "static inline f32 fsr_cosf_of(f32, fsr_angle a) { return fsr_turn(a, 1); }\n"},
    {"fsr_sinf", false,
     "static inline f32 fsr_sinf(f32 x)\n"
     "{\n"
     "    f32 y = fsr_turn(fsr_near_angle(x), 0);\n"
     "    if (!(fabsf(x) <= 1e5f)) y = fsr_far_turn(x, 0);\n"
     "    return x == 0.0f ? x : y;\n"
     "}\n"},
    {"fsr_cosf", false,
     "static inline f32 fsr_cosf(f32 x)\n"
     "{\n"
     "    f32 y = fsr_turn(fsr_near_angle(x), 1);\n"
     "    if (!(fabsf(x) <= 1e5f)) y = fsr_far_turn(x, 1);\n"
     "    return y;\n"
     "}\n"},
    {"fsr_tanf", false,
     "static inline f32 fsr_tanf(f32 x)\n"
     "{\n"
     "    return x == 0.0f ? x : fsr_sinf(x) / fsr_cosf(x);\n"
     "}\n"},
    {"fsr_wide_angle", false,
     "/* As fsr_angle, with what r lost to rounding. */\n"
     "struct fsr_wide_angle { f64 r, low; u32 quadrant; };\n"},
    {"fsr_near_wide_angle", false,
     "/* Up to 1e5: k * pi/2 in three parts of 53 bits; the first product and difference are exact in one fma, the error\n"
     "   of the second is found by another. */\n"
     "static inline fsr_wide_angle fsr_near_wide_angle(f64 x)\n"
     "{\n"
     "    const f64 k = rint(x * 0x1.45f306dc9c883p-1), head = fma(k, -0x1.921fb54442d18p+0, x);\n"
     "    const f64 r = fma(k, -0x1.1a62633145c07p-54, head), lost = fma(k, -0x1.1a62633145c07p-54, head - r);\n"
     "    return {r, fma(k, 0x1.f1976b7ed8fbcp-110, lost), (u32)(i32)k};\n"
     "}\n"},
    {"fsr_wide_sine", false,
     "static inline f64 fsr_wide_sine(f64 r, f64 low)\n"
     "{\n"
     "    const f64 t = r * r;\n"
     "    f64 p = fma(t, 2.811457254345521e-15, -7.647163731819816e-13);\n"
     "    p = fma(t, p, 1.605904383682161e-10);\n"
     "    p = fma(t, p, -2.505210838544172e-8);\n"
     "    p = fma(t, p, 2.755731922398589e-6);\n"
     "    p = fma(t, p, -1.984126984126984e-4);\n"
     "    p = fma(t, p, 8.333333333333333e-3);\n"
     "    p = fma(t, p, -0.16666666666666666);\n"
     "    return r + fma(r * t, p, fma(-0.5 * t, low, low));\n"
     "}\n"},
    {"fsr_wide_cosine", false,
     "static inline f64 fsr_wide_cosine(f64 r, f64 low)\n"
     "{\n"
     "    const f64 t = r * r;\n"
     "    f64 p = fma(t, 4.779477332387385e-14, -1.147074559772973e-11);\n"
     "    p = fma(t, p, 2.087675698786810e-9);\n"
     "    p = fma(t, p, -2.755731922398589e-7);\n"
     "    p = fma(t, p, 2.480158730158730e-5);\n"
     "    p = fma(t, p, -1.388888888888889e-3);\n"
     "    p = fma(t, p, 4.1666666666666664e-2);\n"
     "    const f64 half = 0.5 * t, one = 1.0 - half;\n"
     "    return one + (((1.0 - one) - half) + fma(t * t, p, -r * low));\n"
     "}\n"},
    {"fsr_wide_turn", false,
     "static inline f64 fsr_wide_turn(fsr_wide_angle a, u32 quarter)\n"
     "{\n"
     "    const u32 quadrant = a.quadrant + quarter;\n"
     "    const f64 s = fsr_wide_sine(a.r, a.low), c = fsr_wide_cosine(a.r, a.low), y = quadrant & 1 ? c : s;\n"
     "    return quadrant & 2 ? -y : y;\n"
     "}\n"},
    {"fsr_far_sine", false,
     "static __noinline__ f64 fsr_far_sine(f64 x) { return sin(x); }\n"},
    {"fsr_far_cosine", false,
     "static __noinline__ f64 fsr_far_cosine(f64 x) { return cos(x); }\n"},
    {"fsr_sin", false,
     "/* Sine and cosine of one x share the angle and both series. */\n"
     "static inline f64 fsr_sin(f64 x)\n"
     "{\n"
     "    f64 y = fsr_wide_turn(fsr_near_wide_angle(x), 0);\n"
     "    if (!(fabs(x) <= 1e5)) y = fsr_far_sine(x);\n"
     "    return x == 0.0 ? x : y;\n"
     "}\n"},
    {"fsr_cos", false,
     "static inline f64 fsr_cos(f64 x)\n"
     "{\n"
     "    f64 y = fsr_wide_turn(fsr_near_wide_angle(x), 1);\n"
     "    if (!(fabs(x) <= 1e5)) y = fsr_far_cosine(x);\n"
     "    return y;\n"
     "}\n"},
    {"fsr_tan", false,
     "static inline f64 fsr_tan(f64 x)\n"
     "{\n"
     "    return x == 0.0 ? x : fsr_sin(x) / fsr_cos(x);\n"
     "}\n"},
    {0}};
/* clang-format on */
