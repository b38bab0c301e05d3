/* SPDX-License-Identifier: MIT */
/* 64-bit whole numbers to floats without the instruction that only AVX-512 has: one conversion kept the loop around it
 * from being vector code, 4.5 times the time of 150 operations.
 *
 * The halves of the number are put into the mantissas of 2^52 and of 2^84 (with 2^63 for the sign), whose units of the
 * last place are 1 and 2^32. Taking the powers away again is exact, and the sum of both rounds once. That is the f64.
 * An f32 of it would be rounded twice: 2^54 + 2^30 + 1 would become the tie 2^54 + 2^30, then 2^54. So a number of more
 * than 53 bits first loses its last 11, and the lowest that is left becomes 1 if one of them was not 0 (rounding to
 * odd): the second rounding then sees on which side of a tie it was. */
#include "backend_cpu/emit/parts.h"

bool fsr_c_whole_is(fsr_dtype from, fsr_dtype dest) {
    return (from == FSR_I64 || from == FSR_U64) && (dest == FSR_F32 || dest == FSR_F64);
}

void fsr_c_whole_cast(fsr_text *to, fsr_dtype from, fsr_dtype dest) {
    const bool sign = from == FSR_I64, single = dest == FSR_F32;
    const char *range = sign ? "(a < 0x20000000000000) & (a > -0x20000000000000)" : "a >> 53 == 0";
    fsr_text_add(to, "#if defined __x86_64__ && !defined __AVX512DQ__\n");
    if (single)
        fsr_text_add(to,
                     "    const u64 odd = ((u64)a & ~(u64)0x7ff) | ((((u64)a & 0x7ff) + 0x7ff) & 0x800);\n"
                     "    const u64 b = %s ? (u64)a : odd;\n",
                     range);
    else
        fsr_text_add(to, "    const u64 b = (u64)a;\n");
    fsr_text_add(to,
                 "    const union { u64 u; f64 f; } low = {(b & 0xffffffff) | 0x4330000000000000},\n"
                 "        high = {(b >> 32) ^ %s};\n"
                 "    return %s(high.f - %s + low.f);\n"
                 "#else\n"
                 "    return (%s)a;\n"
                 "#endif\n",
                 sign ? "0x4530000080000000" : "0x4530000000000000", single ? "(f32)" : "",
                 sign ? "0x1.00000801p84" : "0x1.00000001p84", fsr_c_type(dest));
}
