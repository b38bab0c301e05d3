/* SPDX-License-Identifier: MIT */
/* Scalar pieces: index division, random words, bit patterns, roots, turns, powers, quotients, roundings. */
#include "backend_cuda/prelude.h"

/* clang-format off */
const fsr_prelude_piece fsr_prelude_scalar[] = {
    {"fsr_div", false,
     "static inline u32 fsr_div(u32 a, u32 b) { return a / b; }\n"
     "/* A 64-bit division costs several times a 32-bit one; most operands are small. */\n"
     "static inline u64 fsr_div(u64 a, u64 b)\n"
     "{\n"
     "    return (a | b) >> 32 ? a / b : (u32)a / (u32)b;\n"
     "}\n"},
    {"fsr_reciprocal", false, "struct fsr_reciprocal { u32 factor, shift; };\n"},
    {"fsr_quotient", false,
     "static inline u32 fsr_quotient(u32 a, fsr_reciprocal d) { return (u32)((u64)a * d.factor >> d.shift); }\n"},
    {"fsr_wide", true,
     "/* One instruction. Of a plain product of 64 bits NVRTC makes sums of halves, and finds no neighbours' any more. */\n"
     "static __forceinline__ u64 fsr_wide(u32 a, u32 b)\n"
     "{\n"
     "    u64 p;\n"
     "    asm(\"mul.wide.u32 %0, %1, %2;\" : \"=l\"(p) : \"r\"(a), \"r\"(b));\n"
     "    return p;\n"
     "}\n"},
    {"fsr_philox", false,
     "/* Words 2i and 2i + 1 of a stream: Philox4x32-10. Of one block's two halves the rounds are computed once: what is\n"
     "   the same in neighbours ptxas finds, in assembler too. */\n"
     "static __forceinline__ u64 fsr_philox(u64 seed, u64 stream, u64 i)\n"
     "{\n"
     "    const u64 block = i >> 1;\n"
     "    u32 x = (u32)block, y = (u32)(block >> 32), z = (u32)stream, w = (u32)(stream >> 32);\n"
     "    u32 k = (u32)seed, l = (u32)(seed >> 32);\n"
     "#pragma unroll\n"
     "    for (i32 r = 0; r < 10; r++) {\n"
     "        const u64 a = fsr_wide(0xd2511f53u, x), b = fsr_wide(0xcd9e8d57u, z);\n"
     "        x = (u32)(b >> 32) ^ y ^ k;\n"
     "        y = (u32)b;\n"
     "        z = (u32)(a >> 32) ^ w ^ l;\n"
     "        w = (u32)a;\n"
     "        k += 0x9e3779b9u;\n"
     "        l += 0xbb67ae85u;\n"
     "    }\n"
     "    return i & 1 ? z | (u64)w << 32 : x | (u64)y << 32;\n"
     "}\n"},
    {"fsr_f32_bits", true,
     "static inline f32 fsr_f32_bits(u32 bits) { return __uint_as_float(bits); }\n"},
    {"fsr_f64_bits", true,
     "static inline f64 fsr_f64_bits(u64 bits) { return __longlong_as_double((i64)bits); }\n"},
    {"fsr_bits_f32", false,
     "static inline u32 fsr_bits_f32(f32 x)\n"
     "{\n"
     "    union { f32 value; u32 bits; } w = {x};\n"
     "    return w.bits;\n"
     "}\n"},
    {"fsr_order_keyf", false,
     "/* What is in order as x is; NaN is last. */\n"
     "static inline i32 fsr_order_keyf(f32 x)\n"
     "{\n"
     "    const i32 b = (i32)fsr_bits_f32(x);\n"
     "    return x != x ? 0x7fffffff : b ^ (b >> 31 & 0x7fffffff);\n"
     "}\n"},
    {"fsr_order_key", false,
     "static inline i64 fsr_order_key(f64 x)\n"
     "{\n"
     "    union { f64 value; i64 bits; } w = {x};\n"
     "    return x != x ? 0x7fffffffffffffffll : w.bits ^ (w.bits >> 63 & 0x7fffffffffffffffll);\n"
     "}\n"},
    {"fsr_keyed", false,
     "static inline f32 fsr_keyed(i32 k)\n"
     "{\n"
     "    const f32 x = fsr_f32_bits((u32)(k ^ (k >> 31 & 0x7fffffff)));\n"
     "    return x != x ? fsr_f32_bits(0x7fc00000u) : x;\n"
     "}\n"
     "static inline f64 fsr_keyed(i64 k)\n"
     "{\n"
     "    const f64 x = fsr_f64_bits((u64)(k ^ (k >> 63 & 0x7fffffffffffffffll)));\n"
     "    return x != x ? fsr_f64_bits(0x7ff8000000000000ull) : x;\n"
     "}\n"},
    {"fsr_chop_i32", true,
     "/* Towards zero, what is outside to the nearest there is. */\n"
     "static inline i32 fsr_chop_i32(f32 x) { i32 y; asm(\"cvt.rzi.s32.f32 %0, %1;\" : \"=r\"(y) : \"f\"(x)); return y; }\n"
     "static inline i32 fsr_chop_i32(f64 x) { i32 y; asm(\"cvt.rzi.s32.f64 %0, %1;\" : \"=r\"(y) : \"d\"(x)); return y; }\n"},
    {"fsr_chop_u32", true,
     "static inline u32 fsr_chop_u32(f32 x) { u32 y; asm(\"cvt.rzi.u32.f32 %0, %1;\" : \"=r\"(y) : \"f\"(x)); return y; }\n"
     "static inline u32 fsr_chop_u32(f64 x) { u32 y; asm(\"cvt.rzi.u32.f64 %0, %1;\" : \"=r\"(y) : \"d\"(x)); return y; }\n"},
    {"fsr_chop_i64", true,
     "static inline i64 fsr_chop_i64(f32 x) { i64 y; asm(\"cvt.rzi.s64.f32 %0, %1;\" : \"=l\"(y) : \"f\"(x)); return y; }\n"
     "static inline i64 fsr_chop_i64(f64 x) { i64 y; asm(\"cvt.rzi.s64.f64 %0, %1;\" : \"=l\"(y) : \"d\"(x)); return y; }\n"},
    {"fsr_chop_u64", true,
     "static inline u64 fsr_chop_u64(f32 x) { u64 y; asm(\"cvt.rzi.u64.f32 %0, %1;\" : \"=l\"(y) : \"f\"(x)); return y; }\n"
     "static inline u64 fsr_chop_u64(f64 x) { u64 y; asm(\"cvt.rzi.u64.f64 %0, %1;\" : \"=l\"(y) : \"d\"(x)); return y; }\n"},
    {"fsr_root", true,
     "/* Two units in the last place, where sqrtf takes four times as long; of no subnormal number. */\n"
     "static __forceinline__ f32 fsr_root(f32 x)\n"
     "{\n"
     "    f32 y;\n"
     "    asm(\"sqrt.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "    return y;\n"
     "}\n"},
    {"fsr_radius", false,
     "/* a = 2^e m, h = -2 (m - 1), which is exact; -2 log m = h + h^2 p(h). bits: a's, or those of a times a power of two;\n"
     "   least: of the least m, times it. No branch: NVRTC shares what neighbours have in common only without. */\n"
     "static __forceinline__ f32 fsr_radius(u32 bits, u32 least)\n"
     "{\n"
     "    const u32 u = bits - least & 0xff800000u; /* 2^23 e */\n"
     "    const f32 h = fmaf(fsr_f32_bits(bits - u - (least - 0x3f3504f3u)), -2.0f, 2.0f);\n"
     "    f32 p = fmaf(h, 0x1.43b246p-13f, 0x1.02814ep-11f);\n"
     "    p = fmaf(p, h, 0x1.0a33eap-10f);\n"
     "    p = fmaf(p, h, 0x1.231ce6p-9f);\n"
     "    p = fmaf(p, h, 0x1.54d03ep-8f);\n"
     "    p = fmaf(p, h, 0x1.999f14p-7f);\n"
     "    p = fmaf(p, h, 0x1.0000cep-5f);\n"
     "    p = fmaf(p, h, 0x1.555554p-4f);\n"
     "    return fsr_root(fmaf((f32)(i32)u, -0x1.62e43p-23f, fmaf(h * h, fmaf(p, h, 0.25f), h)));\n"
     "}\n"},
    {"fsr_rayleighf", false,
     "/* Times 2^23 a subnormal number is none, and what overflows has no root. */\n"
     "static __forceinline__ f32 fsr_rayleighf(f32 a)\n"
     "{\n"
     "    const f32 y = fsr_radius(fsr_bits_f32(a * 0x1p+23f), 0x4ab504f3u);\n"
     "    return a > 0 ? y : fsr_f32_bits(a == 0 ? 0x7f800000u : 0x7fc00000u);\n"
     "}\n"},
    {"fsr_rayleighf_tame", false,
     "static __forceinline__ f32 fsr_rayleighf_tame(f32 a) { return fsr_radius(fsr_bits_f32(a), 0x3f3504f3u); }\n"},
    {"fsr_rayleigh", false,
     "static inline f64 fsr_rayleigh(f64 a) { return sqrt(-2.0 * log(a) + 0.0); }\n"},
    {"fsr_if_odd", true,
     "/* One predicate for all that ask of the same q, which NVRTC compares anew for each. */\n"
     "static __forceinline__ f32 fsr_if_odd(u32 q, f32 odd, f32 even)\n"
     "{\n"
     "    f32 y;\n"
     "    asm(\"{ .reg .pred p; .reg .b32 t; and.b32 t, %1, 1; setp.ne.b32 p, t, 0; selp.f32 %0, %2, %3, p; }\"\n"
     "        : \"=f\"(y) : \"r\"(q), \"f\"(odd), \"f\"(even));\n"
     "    return y;\n"
     "}\n"},
    {"fsr_half_turnf", false,
     "/* sin(pi x + turn pi/2), turn 0 or 1, x in [-1, 1]: x less quarters of a turn is exact. */\n"
     "static __forceinline__ f32 fsr_half_turnf(f32 x, u32 turn)\n"
     "{\n"
     "    const f32 t = fmaf(2.0f, x, 0x1.8p+23f);\n"
     "    const f32 r = fmaf(-0.5f, t - 0x1.8p+23f, x), z = r * r;\n"
     "    f32 s = fmaf(z, 0x1.507834p-4f, -0x1.32d2ccp-1f);\n"
     "    s = fmaf(s, z, 0x1.466bc6p+1f);\n"
     "    s = fmaf(s, z, -0x1.4abbcep+2f);\n"
     "    s = fmaf(r, 0x1.921fb6p+1f, r * (s * z));\n"
     "    f32 c = fmaf(z, -0x1.a6d1f2p-6f, 0x1.e1f506p-3f);\n"
     "    c = fmaf(c, z, -0x1.55d3c8p+0f);\n"
     "    c = fmaf(c, z, 0x1.03c1fp+2f);\n"
     "    c = fmaf(c, z, -0x1.3bd3ccp+2f);\n"
     "    c = fmaf(c, z, 1.0f);\n"
     "    const u32 q = fsr_bits_f32(t);\n"
     "    return fsr_f32_bits(fsr_bits_f32(turn ? fsr_if_odd(q, -s, c) : fsr_if_odd(q, c, s)) ^ (q & 2) << 30);\n"
     "}\n"},
    {"fsr_turnf", false,
     "/* Of any a: less the nearest even number, which is exact. */\n"
     "static __forceinline__ f32 fsr_turnf(f32 a, u32 turn)\n"
     "{\n"
     "    return fsr_half_turnf(fmaf(-2.0f, rintf(0.5f * a), a), turn);\n"
     "}\n"},
    {"fsr_sinpif", false,
     "static __forceinline__ f32 fsr_sinpif(f32 a)\n"
     "{\n"
     "    return fsr_f32_bits(fsr_bits_f32(fsr_turnf(fabsf(a), 0)) ^ (fsr_bits_f32(a) & 0x80000000u));\n"
     "}\n"},
    {"fsr_cospif", false,
     "/* Its zeros are +0: the quarter turn alone would leave -0 at every second one. Of |a|, as the sine: who has both shares the angle. */\n"
     "static __forceinline__ f32 fsr_cospif(f32 a) { return fsr_turnf(fabsf(a), 1) + 0.0f; }\n"},
    {"fsr_sinpif_tame", false,
     "static __forceinline__ f32 fsr_sinpif_tame(f32 a)\n"
     "{\n"
     "    return fsr_f32_bits(fsr_bits_f32(fsr_half_turnf(fabsf(a), 0)) ^ (fsr_bits_f32(a) & 0x80000000u));\n"
     "}\n"},
    {"fsr_cospif_tame", false,
     "static __forceinline__ f32 fsr_cospif_tame(f32 a) { return fsr_half_turnf(fabsf(a), 1) + 0.0f; }\n"},
    {"fsr_sinpi", false,
     "/* The zero at an odd number is -0. */\n"
     "static inline f64 fsr_sinpi(f64 a)\n"
     "{\n"
     "    const f64 h = fabs(a), y = sinpi(h), side = h - 2.0 * floor(0.5 * h) == 1.0 ? -0.0 : 0.0;\n"
     "    return copysign(1.0, a) * (y == 0 ? side : y);\n"
     "}\n"},
    {"fsr_cospi", false,
     "static inline f64 fsr_cospi(f64 a) { return cospi(a); }\n"},
    {"fsr_near_reciprocal", true,
     "/* Of a normal number, one unit in the last place. */\n"
     "static __forceinline__ f32 fsr_near_reciprocal(f32 x)\n"
     "{\n"
     "    f32 y;\n"
     "    asm(\"rcp.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "    return y;\n"
     "}\n"},
    {"fsr_near_exp2", true,
     "/* A normal number, two units in the last place. */\n"
     "static __forceinline__ f32 fsr_near_exp2(f32 x)\n"
     "{\n"
     "    f32 y;\n"
     "    asm(\"ex2.approx.ftz.f32 %0, %1;\" : \"=f\"(y) : \"f\"(x));\n"
     "    return y;\n"
     "}\n"},
    {"fsr_far_powf", false, "static __noinline__ f32 fsr_far_powf(f32 a, f32 b) { return powf(a, b); }\n"},
    {"fsr_powf", false,
     "/* |a| = 2^e m, h = 2 (m - 1) / (m + 1) and what it lost to rounding; log2 |a| = e + log2(e) (h + h^3/12 + h^5/80 ...) in two\n"
     "   parts, and so its product with b, whose larger part the machine makes a power. Up to 2^64 and down to 2^-64 the logarithm\n"
     "   adds a unit in the last place to the two of the power. What b alone decides is free where b is a literal. */\n"
     "static __forceinline__ f32 fsr_powf(f32 a, f32 b)\n"
     "{\n"
     "    const u32 bits = fsr_bits_f32(a) & 0x7fffffffu, u = bits - 0x3f3504f3u & 0xff800000u;\n"
     "    const f32 e = (f32)(i32)u * 0x1p-23f, m = fsr_f32_bits(bits - u), d = m - 1.0f, r = fsr_near_reciprocal(m + 1.0f);\n"
     "    const f32 h = (d + d) * r, s = h * h, left = d - h, low = r * fmaf(d, -h, left + left);\n"
     "    f32 p = fmaf(s, 0x1.5c66d8p-11f, 0x1.a5961ep-9f);\n"
     "    p = fmaf(s, p, 0x1.277768p-6f);\n"
     "    p = s * fmaf(s, p, 0x1.ec709ep-4f);\n"
     "    const f32 high = fmaf(h, 0x1.715476p+0f, e);\n"
     "    f32 l = fmaf(h, 0x1.715476p+0f, e - high);\n"
     "    l = fmaf(h, 0x1.4ae0cp-26f, fmaf(low, fmaf(p, 3.0f, 0x1.715476p+0f), l));\n"
     "    l = fmaf(h, p, l);\n"
     "    const f32 log = high + l, rest = l - (log - high), t = log * b;\n"
     "    f32 y = fsr_near_exp2(t);\n"
     "    y = fmaf(y, fmaf(rest, b, fmaf(log, b, -t)) * 0x1.62e43p-1f, y);\n"
     "    const bool integral = rintf(b) == b, odd = rintf(0.5f * b) != 0.5f * b;\n"
     "    if (bits == 0) y = 0.0f;\n"
     "    if (integral & odd) y = fsr_f32_bits(fsr_bits_f32(y) ^ fsr_bits_f32(a) & 0x80000000u);\n"
     "    if (!integral) y = a < 0.0f ? fsr_f32_bits(0x7fc00000u) : y;\n"
     "    const bool near = (bits - 0x800000u < 0x7f000000u) & (fabsf(t) <= 64.0f), none = (bits == 0) & (b > 0.0f);\n"
     "    if (!(near | none)) y = fsr_far_powf(a, b);\n"
     "    return y;\n"
     "}\n"},
    {"fsr_pow", false, "static inline f64 fsr_pow(f64 a, f64 b) { return pow(a, b); }\n"},
    {"fsr_overf", false,
     "/* A zero goes the way of subnormal numbers, a call for all of its warp: 2^-23 goes in its place, of which no quotient\n"
     "   by a number but 0 is infinite, so that the zero's product with it is what its quotient is. */\n"
     "static __forceinline__ f32 fsr_overf(f32 a, f32 b)\n"
     "{\n"
     "    const bool zero = a == 0.0f;\n"
     "    const f32 q = (zero ? 0x1p-23f : a) / b;\n"
     "    return zero ? a * q : q;\n"
     "}\n"},
    {"fsr_overf_tame", false,
     "/* By a literal, whose reciprocal is rounded when this is compiled. What the first quotient leaves is exact, as no number is\n"
     "   subnormal, and rounds the second one right. A zero keeps its sign. */\n"
     "static __forceinline__ f32 fsr_overf_tame(f32 a, f32 b)\n"
     "{\n"
     "    const f32 c = fabsf(b), x = b < 0 ? -a : a, r = 1.0f / c, q = x * r;\n"
     "    return fmaf(fmaf(q, c, -x), -r, q);\n"
     "}\n"},
    {"fsr_overf_odd", false,
     "/* By an odd whole number, below 2^22: no subnormal quotient lies in the middle of two, so what the first one leaves, which is\n"
     "   exact, rounds it right there too. Of an infinity it leaves no number, and the second quotient is the first one. */\n"
     "static __forceinline__ f32 fsr_overf_odd(f32 a, f32 b)\n"
     "{\n"
     "    const f32 c = fabsf(b), x = b < 0 ? -a : a, r = 1.0f / c, q = x * r;\n"
     "    return fmaf(fminf(fmaf(q, c, -x), 0x1.fffffep+127f), -r, q);\n"
     "}\n"},
    {"fsr_over", false, "static __forceinline__ f64 fsr_over(f64 a, f64 b) { return a / b; }\n"},
    {"fsr_sqrtf", false,
     "/* As of a quotient, a zero takes no call. */\n"
     "static __forceinline__ f32 fsr_sqrtf(f32 a)\n"
     "{\n"
     "    const bool zero = a == 0.0f;\n"
     "    const f32 y = sqrtf(zero ? 1.0f : a);\n"
     "    return zero ? a : y;\n"
     "}\n"},
    {"fsr_sqrt", false, "static __forceinline__ f64 fsr_sqrt(f64 a) { return sqrt(a); }\n"},
    {"fsr_f16_value", true,
     "static inline f32 fsr_f16_value(f16 x)\n"
     "{\n"
     "    f32 y;\n"
     "    asm(\"cvt.f32.f16 %0, %1;\" : \"=f\"(y) : \"h\"(x));\n"
     "    return y;\n"
     "}\n"},
    {"fsr_f16_round", true,
     "static inline f16 fsr_f16_round(f32 x)\n"
     "{\n"
     "    f16 y;\n"
     "    asm(\"cvt.rn.f16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x));\n"
     "    return y;\n"
     "}\n"},
    {"fsr_bf16_value", false,
     "static inline f32 fsr_bf16_value(bf16 x) { return fsr_f32_bits((u32)x << 16); }\n"},
    {"fsr_bf16_round", true,
     "static inline bf16 fsr_bf16_round(f32 x)\n"
     "{\n"
     "#if __CUDA_ARCH__ >= 900\n"
     "    bf16 y;\n"
     "    asm(\"cvt.rn.bf16.f32 %0, %1;\" : \"=h\"(y) : \"f\"(x));\n"
     "    return y;\n"
     "#else\n"
     "    const u32 b = __float_as_uint(x);\n"
     "    return (bf16)(x != x ? 0x7fff : (b + 0x7fff + (b >> 16 & 1)) >> 16);\n"
     "#endif\n"
     "}\n"},
    {"fsr_odd", false,
     "/* Rounded to odd, so that a second rounding is as good as one. */\n"
     "static inline f32 fsr_odd(f64 x)\n"
     "{\n"
     "    const f32 y = (f32)x;\n"
     "    const u32 b = fsr_bits_f32(y);\n"
     "    return (f64)y == x || x != x ? y : fsr_f32_bits((fabs((f64)y) > fabs(x) ? b - 1 : b) | 1);\n"
     "}\n"},
    {"fsr_far_i64", false,
     "/* A large integer's lower half only says whether anything is there. */\n"
     "static inline f64 fsr_far_i64(i64 x)\n"
     "{\n"
     "    if (x >= -(1ll << 42) && x <= 1ll << 42) return (f64)x;\n"
     "    return (f64)(x >> 32) * 0x1p+32 + ((u32)x ? 0x1p+31 : 0);\n"
     "}\n"},
    {"fsr_far_u64", false,
     "static inline f64 fsr_far_u64(u64 x)\n"
     "{\n"
     "    if (x <= 1ull << 42) return (f64)x;\n"
     "    return (f64)(x >> 32) * 0x1p+32 + ((u32)x ? 0x1p+31 : 0);\n"
     "}\n"},
    {0}};
/* clang-format on */
