/* SPDX-License-Identifier: MIT */
/* Random words and half turns as C text.
 *
 * philox     ten rounds on four words of 32 bits; the products of 32 bits each are what vectors have an instruction for
 * sinpi      |x| less the nearest even number is exact, so is what is left of that by quarters; then the series of sine
 * and
 *            cosine of pi r on |r| <= 1/4. Counter-example to sin(pi * x): pi * 1e6 is rounded to 1e-10, and so wrong
 *            by that */
#include "backend_cpu/emit/math.h"
#include <stddef.h>

/* clang-format off */
static const char philox_text[] =
    "#define FSR_PHILOX_ROUND(x, y, z, w, k, l) { \\\n"
    "    const u64 a = (u64)0xd2511f53u * x, b = (u64)0xcd9e8d57u * z; \\\n"
    "    x = (u32)(b >> 32) ^ y ^ k; \\\n"
    "    y = (u32)b; \\\n"
    "    z = (u32)(a >> 32) ^ w ^ l; \\\n"
    "    w = (u32)a; \\\n"
    "    k += 0x9e3779b9u; \\\n"
    "    l += 0xbb67ae85u; }\n"
    "#define FSR_PHILOX_ROUNDS(...) \\\n"
    "    FSR_PHILOX_ROUND(__VA_ARGS__) FSR_PHILOX_ROUND(__VA_ARGS__) FSR_PHILOX_ROUND(__VA_ARGS__) \\\n"
    "    FSR_PHILOX_ROUND(__VA_ARGS__) FSR_PHILOX_ROUND(__VA_ARGS__) FSR_PHILOX_ROUND(__VA_ARGS__) \\\n"
    "    FSR_PHILOX_ROUND(__VA_ARGS__) FSR_PHILOX_ROUND(__VA_ARGS__) FSR_PHILOX_ROUND(__VA_ARGS__) \\\n"
    "    FSR_PHILOX_ROUND(__VA_ARGS__)\n"
    "static inline u64 fsr_philox(u64 seed, u64 stream, u64 i) {\n"
    "    u32 x = (u32)(i >> 1), y = (u32)(i >> 33), z = (u32)stream, w = (u32)(stream >> 32);\n"
    "    u32 k = (u32)seed, l = (u32)(seed >> 32);\n"
    "    FSR_PHILOX_ROUNDS(x, y, z, w, k, l)\n"
    "    const u32 low = i & 1 ? z : x, high = i & 1 ? w : y;\n"
    "    return low | (u64)high << 32;\n"
    "}\n";

/* y[l] = fsr_philox(seed, stream, at[l]). Of neighbours, at[l] = (start + l) >> halved as an element's number or half
 * of it, the blocks are computed once each, side by side, and handed out. Counter-example to looking at the first and
 * the last alone: in between anything may lie. */
static const char philox_row_text[] =
    "static __attribute__((noinline)) void fsr_philox_blocks(u64 *restrict pair, i64 n, u64 seed, u64 stream, u64 block) {\n"
    "    u32 *const word = (u32 *)pair;\n"
    "    const u32 low = (u32)block, high = (u32)(block >> 32);\n"
    "#pragma GCC ivdep\n"
    "    for (i64 j = 0; j < n; ++j) {\n"
    "        u32 x = low + (u32)j, y = high + (x < low), z = (u32)stream, w = (u32)(stream >> 32);\n"
    "        u32 k = (u32)seed, l = (u32)(seed >> 32);\n"
    "        FSR_PHILOX_ROUNDS(x, y, z, w, k, l)\n"
    "        word[4 * j] = x;\n"
    "        word[4 * j + 1] = y;\n"
    "        word[4 * j + 2] = z;\n"
    "        word[4 * j + 3] = w;\n"
    "    }\n"
    "}\n"
    "static __attribute__((noinline)) void fsr_philox_row(u64 *restrict y, i64 n, u64 seed, u64 stream, const u64 *restrict at) {\n"
    "    for (; n > 0; y += 256, at += 256, n -= 256) {\n"
    "        const i64 m = n < 256 ? n : 256;\n"
    "        const u64 halved = at[m - 1] - at[0] < (u64)m - 1, start = halved ? 2 * at[0] + (m > 1 && at[1] != at[0]) : at[0];\n"
    "        u64 apart = at[m - 1] < at[0], pair[2 * 130] __attribute__((aligned(64)));\n"
    "        for (i64 l = 0; l < m; ++l)\n"
    "            apart |= at[l] ^ (start + (u64)l) >> halved;\n"
    "        if (apart) {\n"
    "            for (i64 l = 0; l < m; ++l)\n"
    "                y[l] = fsr_philox(seed, stream, at[l]);\n"
    "            continue;\n"
    "        }\n"
    "        fsr_philox_blocks(pair, (i64)((at[m - 1] >> 1) - (at[0] >> 1)) + 1, seed, stream, at[0] >> 1);\n"
    "        const u64 *from = pair + (at[0] & 1);\n"
    "        if (!halved) {\n"
    "            for (i64 l = 0; l < m; ++l)\n"
    "                y[l] = from[l];\n"
    "            continue;\n"
    "        }\n"
    "        const i64 odd = (i64)(start & 1), twice = (m - odd) / 2;\n"
    "        y[0] = *from;\n"
    "        from += odd;\n"
    "        for (i64 l = 0; l < twice; ++l)\n"
    "            y[odd + 2 * l] = y[odd + 2 * l + 1] = from[l];\n"
    "        y[m - 1] = from[(m - 1 - odd) / 2];\n"
    "    }\n"
    "}\n";

/* sin(pi |x| + turn pi/2) */
static const char turnf_text[] =
    "static inline f32 fsr_turnf(f32 x, u32 turn) {\n"
    "    const f32 h = 0.5f * __builtin_fabsf(x), m = h < 0x1p+23f ? (h + 0x1p+23f) - 0x1p+23f : h;\n"
    "    const f32 n = 2.0f * (h - m), a = h < 0.25f ? __builtin_fabsf(x) : n;\n"
    "    const f32 t = fsr_madf(a, 2.0f, 0x1.8p+23f), r = a - 0.5f * (t - 0x1.8p+23f), z = r * r;\n"
    "    f32 s = fsr_madf(z, 0x1.507834p-4f, -0x1.32d2ccp-1f);\n"
    "    s = fsr_madf(s, z, 0x1.466bc6p+1f);\n"
    "    s = fsr_madf(s, z, -0x1.4abbcep+2f);\n"
    "    s = fsr_madf(r, 0x1.921fb6p+1f, r * fsr_madf(s, z, -0x1.777a5cp-24f));\n"
    "    f32 c = fsr_madf(z, -0x1.a6d1f2p-6f, 0x1.e1f506p-3f);\n"
    "    c = fsr_madf(c, z, -0x1.55d3c8p+0f);\n"
    "    c = fsr_madf(c, z, 0x1.03c1fp+2f);\n"
    "    c = fsr_madf(c, z, -0x1.3bd3ccp+2f);\n"
    "    c = fsr_madf(c, z, 1.0f);\n"
    "    const u32 q = fsr_bitsf(t) + turn;\n"
    "    return fsr_floatf(fsr_bitsf(q & 1 ? c : s) ^ (q & 2) << 30);\n"
    "}\n";

static const char turn_text[] =
    "static inline f64 fsr_turn(f64 x, u64 turn) {\n"
    "    const f64 h = 0.5 * __builtin_fabs(x), m = h < 0x1p+52 ? (h + 0x1p+52) - 0x1p+52 : h;\n"
    "    const f64 n = 2.0 * (h - m), a = h < 0.25 ? __builtin_fabs(x) : n;\n"
    "    const f64 t = fsr_mad(a, 2.0, 0x1.8p+52), r = a - 0.5 * (t - 0x1.8p+52), z = r * r;\n"
    "    f64 s = fsr_mad(z, -0x1.8a404211f9547p-26, 0x1.aaec32af93359p-21);\n"
    "    s = fsr_mad(s, z, -0x1.6fadb9f155744p-16);\n"
    "    s = fsr_mad(s, z, 0x1.e8f434d018d63p-12);\n"
    "    s = fsr_mad(s, z, -0x1.e3074fde8871fp-8);\n"
    "    s = fsr_mad(s, z, 0x1.50783487ee782p-4);\n"
    "    s = fsr_mad(s, z, -0x1.32d2cce62bd86p-1);\n"
    "    s = fsr_mad(s, z, 0x1.466bc6775aae2p+1);\n"
    "    s = fsr_mad(s, z, -0x1.4abbce625be53p+2);\n"
    "    s = fsr_mad(r, 0x1.921fb54442d18p+1, r * fsr_mad(s, z, 0x1.1a62633145c07p-53));\n"
    "    f64 c = fsr_mad(z, -0x1.2a0c591af8314p-23, 0x1.20c62c2f2d7f5p-18);\n"
    "    c = fsr_mad(c, z, -0x1.b6e24f44b128fp-14);\n"
    "    c = fsr_mad(c, z, 0x1.f9d38a3763cc3p-10);\n"
    "    c = fsr_mad(c, z, -0x1.a6d1f2a204a8cp-6);\n"
    "    c = fsr_mad(c, z, 0x1.e1f506891babbp-3);\n"
    "    c = fsr_mad(c, z, -0x1.55d3c7e3cbffap+0);\n"
    "    c = fsr_mad(c, z, 0x1.03c1f081b5ac4p+2);\n"
    "    c = fsr_mad(c, z, -0x1.3bd3cc9be45dep+2);\n"
    "    c = fsr_mad(c, z, 1.0);\n"
    "    const u64 q = fsr_bits(t) + turn;\n"
    "    return fsr_float(fsr_bits(q & 1 ? c : s) ^ (q & 2) << 62);\n"
    "}\n";

static const char sinpif_text[] =
    "static inline f32 fsr_sinpif(f32 x) {\n"
    "    return fsr_floatf(fsr_bitsf(fsr_turnf(x, 0)) ^ (fsr_bitsf(x) & 0x80000000u));\n"
    "}\n";

static const char sinpi_text[] =
    "static inline f64 fsr_sinpi(f64 x) {\n"
    "    return fsr_float(fsr_bits(fsr_turn(x, 0)) ^ (fsr_bits(x) & 0x8000000000000000u));\n"
    "}\n";

static const char cospif_text[] =
    "static inline f32 fsr_cospif(f32 x) {\n"
    "    return fsr_turnf(x, 1) + 0.0f;\n"
    "}\n";

static const char cospi_text[] =
    "static inline f64 fsr_cospi(f64 x) {\n"
    "    return fsr_turn(x, 1) + 0.0;\n"
    "}\n";

static const char rayleighf_text[] =
    "static inline f32 fsr_rayleighf(f32 x) {\n"
    "    return __builtin_sqrtf(-2.0f * fsr_logf(x) + 0.0f);\n"
    "}\n";

static const char rayleigh_text[] =
    "static inline f64 fsr_rayleigh(f64 x) {\n"
    "    return __builtin_sqrt(-2.0 * fsr_log(x) + 0.0);\n"
    "}\n";
/* clang-format on */

const fsr_c_math fsr_c_math_random[] = {
    {"fsr_philox", NULL, philox_text},
    {"fsr_philox_row", NULL, philox_row_text},
    {"fsr_turnf", NULL, turnf_text},
    {"fsr_turn", NULL, turn_text},
    {"fsr_sinpif", NULL, sinpif_text},
    {"fsr_sinpi", NULL, sinpi_text},
    {"fsr_cospif", NULL, cospif_text},
    {"fsr_cospi", NULL, cospi_text},
    {"fsr_rayleighf", NULL, rayleighf_text},
    {"fsr_rayleigh", NULL, rayleigh_text},
    {NULL, NULL, NULL},
};
