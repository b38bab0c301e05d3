/* SPDX-License-Identifier: MIT */
/* Functions of NumPy that CUDA has not, or not so: remainders, sums of logarithms, neighbours, powers and divisors of
 * integers. */
#include "backend_cuda/prelude.h"

/* clang-format off */

/* Functions that read alike for f32 and f64. NumPy's floor_divide corrects the quotient of what fmod leaves. */
#define FLOATS(T, F, HALF, ONE)                                                                                        \
    {"fsr_mod" F, false,                                                                                               \
     "static inline " T " fsr_mod" F "(" T " a, " T " b)\n"                                                            \
     "{\n"                                                                                                             \
     "    const " T " r = fmod" F "(a, b);\n"                                                                          \
     "    if (r == 0) return copysign" F "(r, b);\n"                                                                   \
     "    return r < 0 && b > 0 || r > 0 && b < 0 ? r + b : r;\n"                                                      \
     "}\n"},                                                                                                           \
    {"fsr_floor_divide" F, false,                                                                                      \
     "static inline " T " fsr_floor_divide" F "(" T " a, " T " b)\n"                                                   \
     "{\n"                                                                                                             \
     "    if (b == 0) return a / b;\n"                                                                                 \
     "    const " T " r = fmod" F "(a, b);\n"                                                                          \
     "    " T " q = (a - r) / b;\n"                                                                                    \
     "    if (r < 0 && b > 0 || r > 0 && b < 0) q -= " ONE ";\n"                                                       \
     "    if (q == 0) return copysign" F "(q, a / b);\n"                                                               \
     "    const " T " whole = floor" F "(q);\n"                                                                        \
     "    return q - whole > " HALF " ? whole + " ONE " : whole;\n"                                                    \
     "}\n"},                                                                                                           \
    {"fsr_mantissa" F, false,                                                                                          \
     "static inline " T " fsr_mantissa" F "(" T " x)\n"                                                                \
     "{\n"                                                                                                             \
     "    i32 exponent;\n"                                                                                             \
     "    return frexp" F "(x, &exponent);\n"                                                                          \
     "}\n"},                                                                                                           \
    {"fsr_exponent" F, false,                                                                                          \
     "static inline i32 fsr_exponent" F "(" T " x)\n"                                                                  \
     "{\n"                                                                                                             \
     "    i32 exponent = 0;\n"                                                                                         \
     "    if (x - x == 0) frexp" F "(x, &exponent);\n"                                                                 \
     "    return exponent;\n"                                                                                          \
     "}\n"},                                                                                                           \
    {"fsr_sigmoid" F, false,                                                                                           \
     "static inline " T " fsr_sigmoid" F "(" T " x)\n"                                                                 \
     "{\n"                                                                                                             \
     "    const " T " small = exp" F "(-fabs" F "(x));\n"                                                              \
     "    return (x < 0 ? small : " ONE ") / (" ONE " + small);\n"                                                     \
     "}\n"},                                                                                                           \
    {"fsr_logaddexp" F, false,                                                                                         \
     "static inline " T " fsr_logaddexp" F "(" T " a, " T " b)\n"                                                      \
     "{\n"                                                                                                             \
     "    if (a == b) return a + (" T ")0x1.62e42fefa39efp-1;\n"                                                       \
     "    const " T " d = a - b;\n"                                                                                    \
     "    return d != d ? d : (d > 0 ? a : b) + log1p" F "(exp" F "(-fabs" F "(d)));\n"                                \
     "}\n"},                                                                                                           \
    {"fsr_logaddexp2" F, false,                                                                                        \
     "static inline " T " fsr_logaddexp2" F "(" T " a, " T " b)\n"                                                     \
     "{\n"                                                                                                             \
     "    if (a == b) return a + " ONE ";\n"                                                                           \
     "    const " T " d = a - b;\n"                                                                                    \
     "    return d != d ? d : (d > 0 ? a : b) + (" T ")0x1.71547652b82fep+0 * log1p" F "(exp2" F "(-fabs" F "(d)));\n" \
     "}\n"},

const fsr_prelude_piece fsr_prelude_numpy[] = {
    FLOATS("f32", "f", "0x1p-1f", "1.0f")
    FLOATS("f64", "", "0x1p-1", "1.0")
    {"fsr_step", false,
     "/* The bits of the next number after one of magnitude m and sign s; those of f16 in 16 bits. */\n"
     "static inline u16 fsr_step(u16 bits, bool grows, bool minus)\n"
     "{\n"
     "    if (!(bits & 0x7fff)) return minus ? 0x8001 : 1;\n"
     "    return grows != (bits >> 15) ? bits + 1 : bits - 1;\n"
     "}\n"},
    {"fsr_nextf", false,
     "static inline f32 fsr_nextf(f32 a, f32 b, i32 digits)\n"
     "{\n"
     "    if (digits == 24 || a == b || a != a || b != b) return nextafterf(a, b);\n"
     "    if (digits == 11) return fsr_f16_value(fsr_step(fsr_f16_round(a), b > a, b < 0));\n"
     "    return fsr_bf16_value(fsr_step(fsr_bf16_round(a), b > a, b < 0));\n"
     "}\n"},
    {"fsr_next", false,
     "static inline f64 fsr_next(f64 a, f64 b, i32) { return nextafter(a, b); }\n"},
    {"fsr_ipow", false,
     "static inline u64 fsr_ipow(u64 base, u64 exponent)\n"
     "{\n"
     "    u64 power = 1;\n"
     "    while (exponent) {\n"
     "        if (exponent & 1) power *= base;\n"
     "        base *= base;\n"
     "        exponent >>= 1;\n"
     "    }\n"
     "    return power;\n"
     "}\n"},
    {"fsr_gcd", false,
     "/* In 32 bits once both fit: there a division is a fraction of one in 64. */\n"
     "static inline u64 fsr_gcd(u64 a, u64 b)\n"
     "{\n"
     "    for (u64 rest; b && (a | b) >> 32; b = rest) {\n"
     "        rest = a % b;\n"
     "        a = b;\n"
     "    }\n"
     "    if (!b) return a;\n"
     "    u32 x = (u32)a, y = (u32)b;\n"
     "    for (u32 rest; y; y = rest) {\n"
     "        rest = x % y;\n"
     "        x = y;\n"
     "    }\n"
     "    return x;\n"
     "}\n"},
    {"fsr_lcm", false,
     "static inline u64 fsr_lcm(u64 a, u64 b)\n"
     "{\n"
     "    const u64 divisor = fsr_gcd(a, b);\n"
     "    return divisor ? a / divisor * b : 0;\n"
     "}\n"},
    {0}};
/* clang-format on */
