/* SPDX-License-Identifier: MIT */
/* Division with a floor, parts of floats and their neighbours, integer powers, as C text.
 *
 * floor_divide and mod go through fmod, which is exact: of usual quotients by one fused multiplication, of others the C
 * library's. ldexp of f32 is one product in f64, where nothing overflows or
 * is lost, rounded once. That of f64 is three, of which the last alone may round: before a product that leaves the
 * range there are steps up that overflow only where the result does, and steps down that leave 53 bits, or nothing that
 * the result would have. Counter-example to two products by half of the power: both round where the result is
 * subnormal. */
#include "backend_cpu/emit/math.h"
#include <stddef.h>

/* clang-format off */
/* What a division towards zero leaves of quotients below `most`: p - t q, which is a number of the dtype, by fused
 * multiplication; where p / q was rounded up to t it is below 0. */
#define REMAINDER(T, F, most, exact)                                                                                  \
    T " fmod" F "(" T ", " T ");\n"                                                                                   \
    "static inline i32 fsr_fmod" F "_far(" T " a, " T " b) {\n"                                                       \
    "    const " T " p = __builtin_fabs" F "(a), q = __builtin_fabs" F "(b);\n"                                       \
    "    return !(p < q * " most F ") | !(q < __builtin_inf" F "());\n"                                               \
    "}\n"                                                                                                             \
    "static inline " T " fsr_fmod" F "(" T " a, " T " b) {\n"                                                         \
    "    const " T " p = __builtin_fabs" F "(a), q = __builtin_fabs" F "(b), t = __builtin_trunc" F "(p / q);\n"      \
    exact                                                                                                             \
    "    return __builtin_copysign" F "(r < 0 ? r + q : r, a);\n"                                                     \
    "}\n"                                                                                                             \
    "static __attribute__((noinline)) " T " fsr_fmod" F "_any(" T " a, " T " b) {\n"                                  \
    "    return fsr_fmod" F "_far(a, b) ? fmod" F "(a, b) : fsr_fmod" F "(a, b);\n"                                   \
    "}\n"
static const char fmodf_text[] = REMAINDER("f32", "f", "0x1p+22",
    "#if defined __FMA__ || defined __FP_FAST_FMAF\n"
    "    const f32 r = __builtin_fmaf(-t, q, p);\n"
    "#else\n"
    "    const f32 r = (f32)((f64)p - (f64)t * q);\n"
    "#endif\n");
/* Without fused multiplication every quotient is far. */
static const char fmod_text[] =
    "#if defined __FMA__ || defined __FP_FAST_FMA\n"
    "#define FSR_MOST_QUOTIENT 0x1p+51\n"
    "#else\n"
    "#define FSR_MOST_QUOTIENT 0.0\n"
    "#endif\n"
    REMAINDER("f64", "", "FSR_MOST_QUOTIENT", "    const f64 r = fsr_mad(-t, q, p);\n");

#define MODULO(T, F)                                                                                         \
    "static inline " T " fsr_mod" F "(" T " a, " T " b) {\n"                                                 \
    "    const " T " r = fsr_fmod" F "(a, b), y = (b < 0) != (r < 0) ? r + b : r;\n"                         \
    "    return r == 0 ? __builtin_copysign" F "((" T ")0, b) : y;\n"                                        \
    "}\n"                                                                                                    \
    "static __attribute__((noinline)) " T " fsr_mod" F "_any(" T " a, " T " b) {\n"                          \
    "    if (!fsr_fmod" F "_far(a, b))\n"                                                                    \
    "        return fsr_mod" F "(a, b);\n"                                                                   \
    "    const " T " r = fmod" F "(a, b);\n"                                                                 \
    "    if (r == 0)\n"                                                                                      \
    "        return __builtin_copysign" F "((" T ")0, b);\n"                                                 \
    "    return (b < 0) != (r < 0) && b != 0 && r == r ? r + b : r;\n"                                       \
    "}\n"
static const char modf_text[] = MODULO("f32", "f");
static const char mod_text[] = MODULO("f64", "");

#define FLOORED(T, F, NAME, FMOD)                                                                            \
    " " T " fsr_floor_divide" F NAME "(" T " a, " T " b) {\n"                                                \
    "    const " T " r = " FMOD F "(a, b), t = (a - r) / b, q = (r != 0) & ((b < 0) != (r < 0)) ? t - 1 : t;\n" \
    "    const " T " w = __builtin_floor" F "(q), n = q - w > (" T ")0.5 ? w + 1 : w;\n"                     \
    "    return b == 0 ? a / b : q == 0 ? __builtin_copysign" F "((" T ")0, a / b) : n;\n"                   \
    "}\n"
static const char floor_dividef_text[] = "static inline" FLOORED("f32", "f", "", "fsr_fmod")
    "static __attribute__((noinline))" FLOORED("f32", "f", "_any", "fmod");
static const char floor_divide_text[] = "static inline" FLOORED("f64", "", "", "fsr_fmod")
    "static __attribute__((noinline))" FLOORED("f64", "", "_any", "fmod");

static const char signbitf_text[] =
    "static inline u8 fsr_signbitf(f32 x) {\n"
    "    return fsr_bitsf(x) >> 31;\n"
    "}\n";

static const char signbit_text[] =
    "static inline u8 fsr_signbit(f64 x) {\n"
    "    return fsr_bits(x) >> 63;\n"
    "}\n";

static const char order_keyf_text[] =
    "static inline i32 fsr_order_keyf(f32 x) {\n"
    "    const i32 b = (i32)fsr_bitsf(x), k = b ^ (b >> 31 & 0x7fffffff);\n"
    "    return x == x ? k : 0x7fffffff;\n"
    "}\n";

static const char order_key_text[] =
    "static inline i64 fsr_order_key(f64 x) {\n"
    "    const i64 b = (i64)fsr_bits(x), k = b ^ (b >> 63 & 0x7fffffffffffffff);\n"
    "    return x == x ? k : 0x7fffffffffffffff;\n"
    "}\n";

/* Of i32 and of i64. */
static const char keyed_text[] =
    "static inline f32 fsr_keyedf(i32 k) {\n"
    "    const u32 b = (u32)(k ^ (k >> 31 & 0x7fffffff));\n"
    "    return fsr_floatf((b & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : b);\n"
    "}\n"
    "static inline f64 fsr_keyedl(i64 k) {\n"
    "    const u64 b = (u64)(k ^ (k >> 63 & 0x7fffffffffffffff));\n"
    "    return fsr_float((b & 0x7fffffffffffffff) > 0x7ff0000000000000 ? 0x7ff8000000000000 : b);\n"
    "}\n"
    "#define fsr_keyed(k) _Generic((k), i32: fsr_keyedf, default: fsr_keyedl)(k)\n";

/* n: digits of the significand, 24, or 11 of f16 and 8 of bf16, whose numbers are f32 here. */
static const char nextf_text[] =
    "static inline f32 fsr_nextf(f32 a, f32 b, i32 n) {\n"
    "    const u32 step = 1u << (24 - n), m = fsr_bitsf(a) & 0x7fffffffu, s = fsr_bitsf(a) ^ m, half = n == 11;\n"
    "    const u32 away = (a < b) == (s == 0), up = m + step, down = m - step;\n"
    "    const u32 far = half & (up > 0x477fe000u) ? 0x7f800000u : up, near = half & (m == 0x7f800000u) ? 0x477fe000u : down;\n"
    "    const u32 small = fsr_bitsf(fsr_floatf(m) + (away ? 0x1p-24f : -0x1p-24f));\n"
    "    const u32 least = (half ? 0x33800000u : step) | (fsr_bitsf(b) & 0x80000000u);\n"
    "    const u32 tiny = half & ((m < 0x38800000u) | ((m == 0x38800000u) & !away));\n"
    "    const f32 r = fsr_floatf(m == 0 ? least : (tiny ? small : away ? far : near) | s);\n"
    "    return (a != a) | (b != b) ? a + b : a == b ? b : r;\n"
    "}\n";

static const char next_text[] =
    "static inline f64 fsr_next(f64 a, f64 b, i32 n) {\n"
    "    const u64 m = fsr_bits(a) & 0x7fffffffffffffffu, s = fsr_bits(a) ^ m;\n"
    "    const u64 r = (a < b) == (s == 0) ? m + 1 : m - 1;\n"
    "    const f64 y = fsr_float(m == 0 ? 1 | (fsr_bits(b) & 0x8000000000000000u) : r | s);\n"
    "    return (a != a) | (b != b) ? a + b : a == b ? b : y;\n"
    "}\n";

static const char ldexpf_text[] =
    "static inline f32 fsr_ldexpf(f32 x, f32 n) {\n"
    "    const i32 k = n > 300.0f ? 300 : n < -300.0f ? -300 : (i32)n;\n"
    "    return (f32)((f64)x * fsr_float((u64)(k + 1023) << 52));\n"
    "}\n";

static const char ldexp_text[] =
    "static inline f64 fsr_ldexp(f64 x, f64 n) {\n"
    "    i32 k = n > 3000.0 ? 3000 : n < -3000.0 ? -3000 : (i32)n;\n"
    "    for (i32 i = 0; i < 2; i++) {\n"
    "        const i32 part = k > 1023 ? 1023 : k < -1022 ? -969 : 0;\n"
    "        x *= fsr_float((u64)(part + 1023) << 52);\n"
    "        k -= part;\n"
    "    }\n"
    "    return x * fsr_float((u64)((k < -1022 ? -1022 : k) + 1023) << 52);\n"
    "}\n";

static const char mantissaf_text[] =
    "static inline f32 fsr_mantissaf(f32 x) {\n"
    "    const f32 a = __builtin_fabsf(x), y = a < 0x1p-126f ? x * 0x1p+23f : x;\n"
    "    const f32 m = fsr_floatf((fsr_bitsf(y) & 0x807fffffu) | 0x3f000000u);\n"
    "    return (x == 0) | !(a < __builtin_inff()) ? x : m;\n"
    "}\n";

static const char mantissa_text[] =
    "static inline f64 fsr_mantissa(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x), y = a < 0x1p-1022 ? x * 0x1p+52 : x;\n"
    "    const f64 m = fsr_float((fsr_bits(y) & 0x800fffffffffffffu) | 0x3fe0000000000000u);\n"
    "    return (x == 0) | !(a < __builtin_inf()) ? x : m;\n"
    "}\n";

static const char exponentf_text[] =
    "static inline i32 fsr_exponentf(f32 x) {\n"
    "    const f32 a = __builtin_fabsf(x);\n"
    "    const i32 e = (i32)(fsr_bitsf(a < 0x1p-126f ? a * 0x1p+23f : a) >> 23) - (a < 0x1p-126f ? 149 : 126);\n"
    "    return (x == 0) | !(a < __builtin_inff()) ? 0 : e;\n"
    "}\n";

static const char exponent_text[] =
    "static inline i32 fsr_exponent(f64 x) {\n"
    "    const f64 a = __builtin_fabs(x);\n"
    "    const i32 e = (i32)(fsr_bits(a < 0x1p-1022 ? a * 0x1p+52 : a) >> 52) - (a < 0x1p-1022 ? 1074 : 1022);\n"
    "    return (x == 0) | !(a < __builtin_inf()) ? 0 : e;\n"
    "}\n";

static const char maximumf_text[] =
    "static inline f32 fsr_maximumf(f32 a, f32 b) {\n"
    "    const f32 x = a > b ? a : b;\n"
    "    return a != a ? a : x;\n"
    "}\n";

static const char maximum_text[] =
    "static inline f64 fsr_maximum(f64 a, f64 b) {\n"
    "    const f64 x = a > b ? a : b;\n"
    "    return a != a ? a : x;\n"
    "}\n";

static const char minimumf_text[] =
    "static inline f32 fsr_minimumf(f32 a, f32 b) {\n"
    "    const f32 x = a < b ? a : b;\n"
    "    return a != a ? a : x;\n"
    "}\n";

static const char minimum_text[] =
    "static inline f64 fsr_minimum(f64 a, f64 b) {\n"
    "    const f64 x = a < b ? a : b;\n"
    "    return a != a ? a : x;\n"
    "}\n";

static const char ipow_text[] =
    "static inline u64 fsr_ipow(u64 x, u64 n) {\n"
    "    u64 y = 1;\n"
    "    for (; n; n >>= 1, x *= x)\n"
    "        y *= n & 1 ? x : 1;\n"
    "    return y;\n"
    "}\n";

static const char gcd_text[] =
    "static inline u64 fsr_gcd(u64 a, u64 b) {\n"
    "    while (b) {\n"
    "        const u64 rest = a % b;\n"
    "        a = b;\n"
    "        b = rest;\n"
    "    }\n"
    "    return a;\n"
    "}\n";

static const char lcm_text[] =
    "static inline u64 fsr_lcm(u64 a, u64 b) {\n"
    "    return (a == 0) | (b == 0) ? 0 : a / fsr_gcd(a, b) * b;\n"
    "}\n";
/* clang-format on */

const fsr_c_math fsr_c_math_parts[] = {
    {"fsr_fmodf", "fsr_fmodf_far", fmodf_text},
    {"fsr_fmod", "fsr_fmod_far", fmod_text},
    {"fsr_modf", "fsr_fmodf_far", modf_text},
    {"fsr_mod", "fsr_fmod_far", mod_text},
    {"fsr_floor_dividef", "fsr_fmodf_far", floor_dividef_text},
    {"fsr_floor_divide", "fsr_fmod_far", floor_divide_text},
    {"fsr_signbitf", NULL, signbitf_text},
    {"fsr_signbit", NULL, signbit_text},
    {"fsr_order_keyf", NULL, order_keyf_text},
    {"fsr_order_key", NULL, order_key_text},
    {"fsr_keyed", NULL, keyed_text},
    {"fsr_nextf", NULL, nextf_text},
    {"fsr_next", NULL, next_text},
    {"fsr_ldexpf", NULL, ldexpf_text},
    {"fsr_ldexp", NULL, ldexp_text},
    {"fsr_mantissaf", NULL, mantissaf_text},
    {"fsr_mantissa", NULL, mantissa_text},
    {"fsr_exponentf", NULL, exponentf_text},
    {"fsr_exponent", NULL, exponent_text},
    {"fsr_maximumf", NULL, maximumf_text},
    {"fsr_maximum", NULL, maximum_text},
    {"fsr_minimumf", NULL, minimumf_text},
    {"fsr_minimum", NULL, minimum_text},
    {"fsr_ipow", NULL, ipow_text},
    {"fsr_gcd", NULL, gcd_text},
    {"fsr_lcm", NULL, lcm_text},
    {NULL, NULL, NULL},
};
