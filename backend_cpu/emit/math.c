/* SPDX-License-Identifier: MIT */
/* Elementary functions in generated C.
 *
 * Straight-line arithmetic on bits and floats: selects, no branches, no tables, so that a loop around a call becomes
 * vector code. A lane never looks at another, so an element has the same bits in a vector, in a loop's tail and alone.
 * Choices that vectors make stand one behind another, each a value of its own. Counter-example to one inside another:
 * the compiler makes masks of both questions and of their combinations; eight e^x of AVX2 take 42 instructions and 5.2
 * ns, not 36 and 3.9.
 *
 *   exp    x = n ln 2 + r; e^r = 1 + (r + r^2 q(r)); 2^n in two factors, so that one rounding makes a subnormal result
 *   log    x = 2^e m, m in [sqrt 1/2, sqrt 2); log m = 2 atanh(s), s = f / (2 + f), f = m - 1, by its own series
 *   sin    x = n pi/2 + r with pi/2 in parts; the series of sine and cosine on |r| <= pi/4, chosen by n's low bits
 *   tanh   t / (t + 2), t = e^2|x| - 1 from the same pieces as exp: no cancellation near 0
 *   pow    2^(y log2 x): f32 in f64, where both logarithm and product have bits to spare; f64 with both in pairs of
 *          numbers, as one error of 2^-53 in a product near 1000 would be one of 700 units in the result. Pairs live by
 *          fused multiplication: without one the C library's
 *
 * The argument reduction of sine and cosine holds up to a limit. The emitter asks before a run of columns whether an
 * argument lies beyond, and then uses the _any functions, which hand those over to the C library. Counter-example to
 * reducing every argument for the worst case: 2^127 needs 150 bits of 2/pi, and nobody's angles are that large.
 *
 * mad is a fused multiply-add where the machine has one. Elsewhere it is two operations: every product that must be
 * exact has a constant short enough for that. Coefficients: f32's q and sine are weighted minimax fits of the
 * functions over the reduced range (Lawson's iteration), f64's the Taylor series. */
#include "backend_cpu/emit/math.h"
#include <stddef.h>

/* clang-format off */
static const char bitsf_text[] =
    "static inline u32 fsr_bitsf(f32 x) {\n"
    "    union { f32 f; u32 u; } b = {.f = x};\n"
    "    return b.u;\n"
    "}\n"
    "static inline f32 fsr_floatf(u32 u) {\n"
    "    union { u32 u; f32 f; } b = {.u = u};\n"
    "    return b.f;\n"
    "}\n"
    "#if defined __FMA__ || defined __FP_FAST_FMAF\n"
    "#define fsr_madf(a, b, c) __builtin_fmaf(a, b, c)\n"
    "#else\n"
    "#define fsr_madf(a, b, c) ((a) * (b) + (c))\n"
    "#endif\n";

static const char bits_text[] =
    "static inline u64 fsr_bits(f64 x) {\n"
    "    union { f64 f; u64 u; } b = {.f = x};\n"
    "    return b.u;\n"
    "}\n"
    "static inline f64 fsr_float(u64 u) {\n"
    "    union { u64 u; f64 f; } b = {.u = u};\n"
    "    return b.f;\n"
    "}\n"
    "#if defined __FMA__ || defined __FP_FAST_FMA\n"
    "#define fsr_mad(a, b, c) __builtin_fma(a, b, c)\n"
    "#else\n"
    "#define fsr_mad(a, b, c) ((a) * (b) + (c))\n"
    "#endif\n";

/* e^x = 2^*k (1 + result), |x| not much over 100 or NaN */
static const char expcoref_text[] =
    "static inline f32 fsr_expcoref(f32 x, i32 *k) {\n"
    "    const f32 t = fsr_madf(x, 0x1.715476p+0f, 0x1.8p+23f), n = t - 0x1.8p+23f;\n"
    "    const f32 r = fsr_madf(n, -0x1.0bfbe8p-15f, fsr_madf(n, -0x1.62ep-1f, x));\n"
    "    f32 q = fsr_madf(r, 0x1.6a2314p-10f, 0x1.123a8ep-7f);\n"
    "    q = fsr_madf(q, r, 0x1.5558f6p-5f);\n"
    "    q = fsr_madf(q, r, 0x1.55549p-3f);\n"
    "    q = fsr_madf(q, r, 0x1.fffffcp-2f);\n"
    "    *k = (i32)(fsr_bitsf(t) - 0x4b400000u);\n"
    "    return fsr_madf(r * r, q, r);\n"
    "}\n";

/* (e^r - 1 - r) / r^2 */
static const char expseries_text[] =
    "static inline f64 fsr_expseries(f64 r) {\n"
    "    f64 q = fsr_mad(r, 1 / 6227020800.0, 1 / 479001600.0);\n"
    "    q = fsr_mad(q, r, 1 / 39916800.0);\n"
    "    q = fsr_mad(q, r, 1 / 3628800.0);\n"
    "    q = fsr_mad(q, r, 1 / 362880.0);\n"
    "    q = fsr_mad(q, r, 1 / 40320.0);\n"
    "    q = fsr_mad(q, r, 1 / 5040.0);\n"
    "    q = fsr_mad(q, r, 1 / 720.0);\n"
    "    q = fsr_mad(q, r, 1 / 120.0);\n"
    "    q = fsr_mad(q, r, 1 / 24.0);\n"
    "    q = fsr_mad(q, r, 1 / 6.0);\n"
    "    q = fsr_mad(q, r, 0.5);\n"
    "    return q;\n"
    "}\n";

static const char expcore_text[] =
    "static inline f64 fsr_expcore(f64 x, u64 *k) {\n"
    "    const f64 t = fsr_mad(x, 0x1.71547652b82fep+0, 0x1.8p+52), n = t - 0x1.8p+52;\n"
    "    const f64 r = fsr_mad(n, -0x1.a39ef35793c76p-33, fsr_mad(n, -0x1.62e42feep-1, x));\n"
    "    *k = fsr_bits(t) - 0x4338000000000000u;\n"
    "    return fsr_mad(r * r, fsr_expseries(r), r);\n"
    "}\n";

/* Below -104, and in f64 below -746, e^x is 0, and a product that underflows takes a processor ten times as long as
 * one that does not: e^0 is computed in its place. Counter-example to the product: a softmax whose mask is -1e9. */
static const char expf_text[] =
    "static inline f32 fsr_expf(f32 x) {\n"
    "    i32 k;\n"
    "    const f32 z = x > 89.0f ? 89.0f : x, s = fsr_expcoref(x < -104.0f ? 0.0f : z, &k);\n"
    "    const i32 h = k >> 1;\n"
    "    const f32 y = (1.0f + s) * fsr_floatf((u32)(h + 127) << 23) * fsr_floatf((u32)(k - h + 127) << 23);\n"
    "    return x < -104.0f ? 0.0f : y;\n"
    "}\n";

static const char exp_text[] =
    "static inline f64 fsr_exp(f64 x) {\n"
    "    u64 k;\n"
    "    const f64 z = x > 710.0 ? 710.0 : x, s = fsr_expcore(x < -746.0 ? 0.0 : z, &k);\n"
    "    const u64 h = (k + 2048) >> 1;\n"
    "    const f64 y = (1.0 + s) * fsr_float((h - 1) << 52) * fsr_float((k - h + 2047) << 52);\n"
    "    return x < -746.0 ? 0.0 : y;\n"
    "}\n";

static const char logf_text[] =
    "static inline f32 fsr_logf(f32 x) {\n"
    "    const f32 y = x < 0x1p-126f ? x * 0x1p+23f : x;\n"
    "    const i32 u = (i32)(fsr_bitsf(y) - 0x3f3504f3u);\n"
    "    const f32 e = (f32)((u >> 23) - (x < 0x1p-126f ? 23 : 0));\n"
    "    const f32 f = fsr_floatf((u32)(u & 0x7fffff) + 0x3f3504f3u) - 1.0f;\n"
    "    const f32 s = f / (2.0f + f), w = s * s, h = 0.5f * f * f;\n"
    "    f32 p = fsr_madf(w, 2 / 9.0f, 2 / 7.0f);\n"
    "    p = fsr_madf(p, w, 2 / 5.0f);\n"
    "    p = fsr_madf(p, w, 2 / 3.0f);\n"
    "    const f32 l = e * 0x1.62ep-1f - ((h - fsr_madf(s, fsr_madf(p, w, h), e * 0x1.0bfbe8p-15f)) - f);\n"
    "    const f32 a = x < __builtin_inff() ? l : x, b = x > 0 ? a : __builtin_nanf(\"\");\n"
    "    return x == 0 ? -__builtin_inff() : b;\n"
    "}\n";

static const char log_text[] =
    "static inline f64 fsr_log(f64 x) {\n"
    "    const f64 y = x < 0x1p-1022 ? x * 0x1p+54 : x;\n"
    "    const u64 u = fsr_bits(y) + (0x4000000000000000u - 0x3fe6a09e667f3bcdu);\n"
    "    const f64 e = fsr_float(0x4330000000000000u | u >> 52) - (x < 0x1p-1022 ? 0x1p+52 + 1078 : 0x1p+52 + 1024);\n"
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
    "    const f64 l =\n"
    "        e * 0x1.62e42feep-1 - ((h - fsr_mad(s, fsr_mad(p, w, h), e * 0x1.a39ef35793c76p-33)) - f);\n"
    "    const f64 a = x < __builtin_inf() ? l : x, b = x > 0 ? a : __builtin_nan(\"\");\n"
    "    return x == 0 ? -__builtin_inf() : b;\n"
    "}\n";

/* sin(x + turn pi/2) */
static const char trigf_text[] =
    "static inline f32 fsr_trigf(f32 x, u32 turn) {\n"
    "    const f32 t = fsr_madf(x, 0x1.45f306p-1f, 0x1.8p+23f), n = t - 0x1.8p+23f;\n"
    "    const f32 r = (f32)fsr_mad((f64)n, -0x1.0b4611a626331p-34, fsr_mad((f64)n, -0x1.921fb544p+0, (f64)x));\n"
    "    const f32 z = r * r;\n"
    "    f32 s = fsr_madf(z, -0x1.98fffap-13f, 0x1.11067ap-7f);\n"
    "    s = fsr_madf(s, z, -0x1.555544p-3f);\n"
    "    s = fsr_madf(r * z, s, r);\n"
    "    f32 c = fsr_madf(z, 0x1.99bbb2p-16f, -0x1.6c0b98p-10f);\n"
    "    c = fsr_madf(c, z, 0x1.55554ap-5f);\n"
    "    c = fsr_madf(z * z, c, fsr_madf(z, -0.5f, 1.0f));\n"
    "    const u32 q = fsr_bitsf(t) + turn;\n"
    "    return fsr_floatf(fsr_bitsf(q & 1 ? c : s) ^ (q & 2) << 30);\n"
    "}\n";

static const char trig_text[] =
    "static inline f64 fsr_trig(f64 x, u64 turn) {\n"
    "    const f64 t = fsr_mad(x, 0x1.45f306dc9c883p-1, 0x1.8p+52), n = t - 0x1.8p+52;\n"
    "    const f64 a = fsr_mad(n, -0x1.921fb544p+0, x), b = n * 0x1.0b4611a6p-34, g = a - b;\n"
    "    const f64 d = ((a - g) - b) - n * 0x1.3198a2e037073p-69, r = g + d, l = (g - r) + d, z = r * r;\n"
    "    f64 s = fsr_mad(z, 1 / 355687428096000.0, -1 / 1307674368000.0);\n"
    "    s = fsr_mad(s, z, 1 / 6227020800.0);\n"
    "    s = fsr_mad(s, z, -1 / 39916800.0);\n"
    "    s = fsr_mad(s, z, 1 / 362880.0);\n"
    "    s = fsr_mad(s, z, -1 / 5040.0);\n"
    "    s = fsr_mad(s, z, 1 / 120.0);\n"
    "    s = fsr_mad(s, z, -1 / 6.0);\n"
    "    s = r + fsr_mad(r * z, s, l);\n"
    "    f64 c = fsr_mad(z, -1 / 6402373705728000.0, 1 / 20922789888000.0);\n"
    "    c = fsr_mad(c, z, -1 / 87178291200.0);\n"
    "    c = fsr_mad(c, z, 1 / 479001600.0);\n"
    "    c = fsr_mad(c, z, -1 / 3628800.0);\n"
    "    c = fsr_mad(c, z, 1 / 40320.0);\n"
    "    c = fsr_mad(c, z, -1 / 720.0);\n"
    "    c = fsr_mad(c, z, 1 / 24.0);\n"
    "    const f64 h = 0.5 * z, w = 1.0 - h;\n"
    "    c = w + (((1.0 - w) - h) + fsr_mad(z * z, c, -(r * l)));\n"
    "    const u64 q = fsr_bits(t) + turn;\n"
    "    return fsr_float(fsr_bits(q & 1 ? c : s) ^ (q & 2) << 62);\n"
    "}\n";

static const char sinf_text[] =
    "f32 sinf(f32);\n"
    "static inline f32 fsr_sinf(f32 x) {\n"
    "    const f32 y = fsr_trigf(x, 0);\n"
    "    return x == 0 ? x : y;\n"
    "}\n"
    "static __attribute__((noinline)) f32 fsr_sinf_any(f32 x) {\n"
    "    return __builtin_fabsf(x) <= 0x1p+18f ? fsr_sinf(x) : sinf(x);\n"
    "}\n";

static const char cosf_text[] =
    "f32 cosf(f32);\n"
    "static inline f32 fsr_cosf(f32 x) {\n"
    "    return fsr_trigf(x, 1);\n"
    "}\n"
    "static __attribute__((noinline)) f32 fsr_cosf_any(f32 x) {\n"
    "    return __builtin_fabsf(x) <= 0x1p+18f ? fsr_cosf(x) : cosf(x);\n"
    "}\n";

static const char sin_text[] =
    "f64 sin(f64);\n"
    "static inline f64 fsr_sin(f64 x) {\n"
    "    const f64 y = fsr_trig(x, 0);\n"
    "    return x == 0 ? x : y;\n"
    "}\n"
    "static __attribute__((noinline)) f64 fsr_sin_any(f64 x) {\n"
    "    return __builtin_fabs(x) <= 0x1p+19 ? fsr_sin(x) : sin(x);\n"
    "}\n";

static const char cos_text[] =
    "f64 cos(f64);\n"
    "static inline f64 fsr_cos(f64 x) {\n"
    "    return fsr_trig(x, 1);\n"
    "}\n"
    "static __attribute__((noinline)) f64 fsr_cos_any(f64 x) {\n"
    "    return __builtin_fabs(x) <= 0x1p+19 ? fsr_cos(x) : cos(x);\n"
    "}\n";

static const char tanhf_text[] =
    "static inline f32 fsr_tanhf(f32 x) {\n"
    "    const f32 a = __builtin_fabsf(x);\n"
    "    i32 k;\n"
    "    const f32 s = fsr_expcoref(2.0f * (a > 10.0f ? 10.0f : a), &k);\n"
    "    const f32 p = fsr_floatf((u32)(k + 127) << 23), t = fsr_madf(p, s, p - 1.0f);\n"
    "    return __builtin_copysignf(t / (t + 2.0f), x);\n"
    "}\n";

static const char tanh_text[] =
    "static inline f64 fsr_tanh(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x);\n"
    "    u64 k;\n"
    "    const f64 s = fsr_expcore(2.0 * (a > 20.0 ? 20.0 : a), &k);\n"
    "    const f64 p = fsr_float((k + 1023) << 52), t = fsr_mad(p, s, p - 1.0);\n"
    "    return __builtin_copysign(t / (t + 2.0), x);\n"
    "}\n";

static const char powf_text[] =
    "static inline f32 fsr_powf(f32 x, f32 y) {\n"
    "    const f64 a = __builtin_fabs((f64)x);\n"
    "    const u64 u = fsr_bits(a) + (0x4000000000000000u - 0x3fe6a09e667f3bcdu);\n"
    "    const f64 e = fsr_float(0x4330000000000000u | u >> 52) - (0x1p+52 + 1024);\n"
    "    const f64 m = fsr_float((u & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);\n"
    "    const f64 s = (m - 1.0) / (m + 1.0), w = s * s;\n"
    "    f64 p = fsr_mad(w, 1 / 13.0, 1 / 11.0);\n"
    "    p = fsr_mad(p, w, 1 / 9.0);\n"
    "    p = fsr_mad(p, w, 1 / 7.0);\n"
    "    p = fsr_mad(p, w, 1 / 5.0);\n"
    "    p = fsr_mad(p, w, 1 / 3.0);\n"
    "    p = fsr_mad(p, w, 1.0);\n"
    "    f64 l = fsr_mad(p * s, 0x1.71547652b82fep+1, e);\n"
    "    l = a < __builtin_inf() ? l : a;\n"
    "    l = (f64)y * (a == 0 ? -__builtin_inf() : l);\n"
    "    l = l > 160.0 ? 160.0 : l;\n"
    "    l = l < -160.0 ? -160.0 : l;\n"
    "    const f64 t = l + 0x1.8p+52, r = (l - (t - 0x1.8p+52)) * 0x1.62e42fefa39efp-1;\n"
    "    f64 q = fsr_mad(r, 1 / 40320.0, 1 / 5040.0);\n"
    "    q = fsr_mad(q, r, 1 / 720.0);\n"
    "    q = fsr_mad(q, r, 1 / 120.0);\n"
    "    q = fsr_mad(q, r, 1 / 24.0);\n"
    "    q = fsr_mad(q, r, 1 / 6.0);\n"
    "    q = fsr_mad(q, r, 0.5);\n"
    "    q = fsr_mad(q, r, 1.0);\n"
    "    q = fsr_mad(q, r, 1.0);\n"
    "    f32 z = (f32)(q * fsr_float((fsr_bits(t) - 0x4338000000000000u + 1023) << 52));\n"
    "    const f32 h = 0.5f * y;\n"
    "    const i32 whole = __builtin_floorf(y) == y, odd = whole & (__builtin_floorf(h) != h);\n"
    "    z = a == 1 ? 1.0f : z;\n"
    "    z = fsr_floatf(fsr_bitsf(z) ^ (odd ? fsr_bitsf(x) & 0x80000000u : 0u));\n"
    "    z = (x < 0) & (a < __builtin_inf()) & !whole ? __builtin_nanf(\"\") : z;\n"
    "    z = y != y ? y : z;\n"
    "    return (y == 0) | (x == 1) ? 1.0f : z;\n"
    "}\n";

/* log2 of a > 0 as the sum of result and low */
static const char logpair_text[] =
    "static inline f64 fsr_logpair(f64 a, f64 *low) {\n"
    "    const f64 b = a < 0x1p-1022 ? a * 0x1p+54 : a;\n"
    "    const u64 u = fsr_bits(b) + (0x4000000000000000u - 0x3fe6a09e667f3bcdu);\n"
    "    const f64 e = fsr_float(0x4330000000000000u | u >> 52) - (a < 0x1p-1022 ? 0x1p+52 + 1078 : 0x1p+52 + 1024);\n"
    "    const f64 m = fsr_float((u & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);\n"
    "    const f64 d = m + 1.0, dl = m - (d - 1.0), s = (m - 1.0) / d;\n"
    "    const f64 sl = (fsr_mad(-s, d, m - 1.0) - s * dl) / d;\n"
    "    const f64 w = s * s, wl = fsr_mad(s, s, -w) + 2.0 * s * sl;\n"
    "    f64 p = fsr_mad(w, 1 / 23.0, 1 / 21.0);\n"
    "    p = fsr_mad(p, w, 1 / 19.0);\n"
    "    p = fsr_mad(p, w, 1 / 17.0);\n"
    "    p = fsr_mad(p, w, 1 / 15.0);\n"
    "    p = fsr_mad(p, w, 1 / 13.0);\n"
    "    p = fsr_mad(p, w, 1 / 11.0);\n"
    "    p = fsr_mad(p, w, 1 / 9.0);\n"
    "    p = fsr_mad(p, w, 1 / 7.0);\n"
    "    p = fsr_mad(p, w, 1 / 5.0) * w;\n"
    "    const f64 t = 1 / 3.0 + p, tl = (1 / 3.0 - t) + p + 0x1.5555555555555p-56;\n"
    "    const f64 r = w * t, rl = fsr_mad(w, t, -r) + fsr_mad(w, tl, wl * t);\n"
    "    const f64 v = s * r, vl = fsr_mad(s, r, -v) + fsr_mad(s, rl, sl * r);\n"
    "    const f64 h = s + v, hl = (s - h) + v + (sl + vl);\n"
    "    const f64 g = h * 0x1.71547652b82fep+1;\n"
    "    const f64 gl = fsr_mad(h, 0x1.71547652b82fep+1, -g) + fsr_mad(h, 0x1.777d0ffda0d24p-55, hl * 0x1.71547652b82fep+1);\n"
    "    const f64 l = e + g;\n"
    "    *low = (e - l) + g + gl;\n"
    "    return l;\n"
    "}\n";

/* 2^(z + zl), zl below 2^-40 */
static const char exp2pair_text[] =
    "static inline f64 fsr_exp2pair(f64 z, f64 zl) {\n"
    "    const f64 u = z > 1100.0 ? 1100.0 : z, y = u < -1100.0 ? -1100.0 : u, t = y + 0x1.8p+52, f = y - (t - 0x1.8p+52);\n"
    "    const f64 r = f * 0x1.62e42fefa39efp-1;\n"
    "    const f64 rl = fsr_mad(f, 0x1.62e42fefa39efp-1, -r) + fsr_mad(f, 0x1.abc9e3b39803fp-56, zl * 0x1.62e42fefa39efp-1);\n"
    "    const f64 s = 1.0 + r, q = r * r * fsr_expseries(r), sl = ((1.0 - s) + r) + fsr_mad(rl, s + q, q);\n"
    "    const u64 k = fsr_bits(t) - 0x4338000000000000u, h = (k + 2048) >> 1;\n"
    "    return (s + sl) * fsr_float((h - 1) << 52) * fsr_float((k - h + 2047) << 52);\n"
    "}\n";

static const char pow_text[] =
    "#if defined __FMA__ || defined __FP_FAST_FMA\n"
    "static inline f64 fsr_pow(f64 x, f64 y) {\n"
    "    const f64 a = __builtin_fabs(x), inf = __builtin_inf();\n"
    "    f64 ll;\n"
    "    const f64 l = fsr_logpair(a, &ll), b = a < inf ? l : a, g = a == 0 ? -inf : b, p = g * y;\n"
    "    const f64 pl = fsr_mad(g, y, -p) + ll * y;\n"
    "    f64 z = fsr_exp2pair(p, __builtin_fabs(p) < 1100.0 ? pl : 0.0);\n"
    "    const f64 half = 0.5 * y;\n"
    "    const u64 whole = __builtin_floor(y) == y, odd = whole & (__builtin_floor(half) != half);\n"
    "    z = a == 1 ? 1.0 : z;\n"
    "    z = fsr_float(fsr_bits(z) ^ (fsr_bits(x) & odd << 63));\n"
    "    z = (x < 0) & (a < inf) & !whole ? __builtin_nan(\"\") : z;\n"
    "    z = y != y ? y : z;\n"
    "    return (y == 0) | (x == 1) ? 1.0 : z;\n"
    "}\n"
    "#else\n"
    "f64 pow(f64, f64);\n"
    "static inline f64 fsr_pow(f64 x, f64 y) {\n"
    "    return pow(x, y);\n"
    "}\n"
    "#endif\n";
/* clang-format on */

const fsr_c_math fsr_c_math_elementary[] = {
    {"fsr_bitsf fsr_floatf fsr_madf", NULL, bitsf_text},
    {"fsr_bits fsr_float fsr_mad", NULL, bits_text},
    {"fsr_expcoref", NULL, expcoref_text},
    {"fsr_expseries", NULL, expseries_text},
    {"fsr_expcore", NULL, expcore_text},
    {"fsr_trigf", NULL, trigf_text},
    {"fsr_trig", NULL, trig_text},
    {"fsr_expf", NULL, expf_text},
    {"fsr_exp", NULL, exp_text},
    {"fsr_logf", NULL, logf_text},
    {"fsr_log", NULL, log_text},
    {"fsr_sinf", "0x1p+18f", sinf_text},
    {"fsr_cosf", "0x1p+18f", cosf_text},
    {"fsr_sin", "0x1p+19", sin_text},
    {"fsr_cos", "0x1p+19", cos_text},
    {"fsr_tanhf", NULL, tanhf_text},
    {"fsr_tanh", NULL, tanh_text},
    {"fsr_powf", NULL, powf_text},
    {"fsr_logpair", NULL, logpair_text},
    {"fsr_exp2pair", NULL, exp2pair_text},
    {"fsr_pow", NULL, pow_text},
    {NULL, NULL, NULL},
};
