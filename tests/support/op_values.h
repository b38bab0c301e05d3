/* SPDX-License-Identifier: MIT */
/* Special values of every dtype, and numbers to and from them, written apart from graph/value.c. */
#ifndef FUSOR_TESTS_SUPPORT_OP_VALUES_H
#define FUSOR_TESTS_SUPPORT_OP_VALUES_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "graph/ops.h"

/* 113 digits: where the compiler has no such type, on 64-bit ARM, long double has them. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad;
_Static_assert(LDBL_MANT_DIG == 113, "no floating-point type of 113 digits");
#endif
__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 unsigned_wide_int;

static const double float_specials[] = {0.0, -0.0, 1.0,      -1.0,      0.5, -2.5,   2.5,  3.0,
                                        7.0, 1e-3, HUGE_VAL, -HUGE_VAL, NAN, 1234.5, -0.75};
static const int64_t int_specials[] = {0, 1, -1, 2, 7, -46341, 128, 255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

enum { MAX_SPECIALS = 32 };

#if defined __clang__ && __clang_major__ < 15
/* There _Float16 wants a processor that computes with it: the definition. */
static inline uint16_t f16_bits(float x) {
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double size = fabs((double)x);
    int power;
    if (isnan(x))
        return sign | 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    frexp(size, &power);
    power = size < 0x1p-14 ? -13 : power; /* subnormal ones have the least normal one's */
    return (uint16_t)(sign + ((power + 13) << 10) + (int)nearbyint(ldexp(size, 11 - power)));
}

static inline double f16_number(uint16_t bits) {
    const int power = bits >> 10 & 31, digits = bits & 1023;
    const double size = power == 31  ? (digits ? NAN : HUGE_VAL)
                        : power == 0 ? ldexp(digits, -24)
                                     : ldexp(1024 + digits, power - 25);
    return bits >> 15 ? -size : size;
}
#else
static inline uint16_t f16_bits(float x) {
    __extension__ _Float16 half = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static inline double f16_number(uint16_t bits) {
    __extension__ _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return (double)half;
}
#endif

/* The compiler's own f16; bf16 by what is cut off. */
static inline uint16_t half_bits(fsr_dtype dtype, float x) {
    fsr_value v = {.f32 = x};
    if (dtype == FSR_F16)
        return f16_bits(x);
    uint32_t cut = v.u32 & 0xffff, bits = v.u32 >> 16;
    if (x != x)
        return (uint16_t)(bits | 64);
    return (uint16_t)(bits + (cut > 0x8000 || (cut == 0x8000 && bits & 1)));
}

static inline double half_number(fsr_dtype dtype, uint16_t bits) {
    fsr_value v = {.u32 = (uint32_t)bits << 16};
    if (dtype == FSR_BF16)
        return (double)v.f32;
    return f16_number(bits);
}

static inline fsr_value from_float(fsr_dtype dtype, double x) {
    fsr_value v = {.bits = 0};
    if (fsr_dtype_is_half(dtype))
        v.u16 = half_bits(dtype, (float)x);
    else if (dtype == FSR_F32)
        v.f32 = (float)x;
    else
        v.f64 = x;
    return v;
}

static inline fsr_value from_wide_int(fsr_dtype dtype, wide_int x) {
    fsr_value v = {.bits = 0};
    if (dtype == FSR_BOOL)
        v.b = x != 0;
    else
        v.bits = (uint64_t)x & UINT64_MAX >> (64 - 8 * fsr_dtype_size(dtype));
    return v;
}

static inline wide_int to_wide_int(fsr_dtype dtype, fsr_value v) {
    const size_t bits = 8 * fsr_dtype_size(dtype);
    const bool negative = !fsr_dtype_is_unsigned(dtype) && dtype != FSR_BOOL && v.bits >> (bits - 1);
    return (wide_int)v.bits - (negative ? (wide_int)1 << bits : 0);
}

static inline double to_float(fsr_dtype dtype, fsr_value v) {
    if (fsr_dtype_is_half(dtype))
        return half_number(dtype, v.u16);
    return dtype == FSR_F32 ? (double)v.f32 : v.f64;
}

static inline int specials(fsr_dtype dtype, fsr_value *out) {
    int n = 0;
    if (fsr_dtype_is_float(dtype)) {
        for (size_t i = 0; i < sizeof float_specials / sizeof *float_specials; i++)
            out[n++] = from_float(dtype, float_specials[i]);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? (double)FLT_MAX : DBL_MAX);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? (double)-FLT_MAX : -DBL_MAX);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? (double)FLT_MIN : DBL_MIN);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? 0x1p-149 : 0x1p-1074);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? -0x1.8p-140 : -0x1.8p-1060);
        if (dtype == FSR_F16)
            out[n++] = from_float(dtype, 65504), out[n++] = from_float(dtype, 0x1p-24);
        if (dtype == FSR_BF16)
            out[n++] = from_float(dtype, 0x1.fep127), out[n++] = from_float(dtype, -0x1p-133);
        return n;
    }
    for (size_t i = 0; i < sizeof int_specials / sizeof *int_specials; i++)
        out[n++] = from_wide_int(dtype, int_specials[i]);
    return n;
}

/* Rounded once from binary128, whose 113 bits make double rounding harmless for + - * / of doubles. */
static inline fsr_value round_quad(fsr_dtype dtype, quad x) {
    fsr_value v = {.bits = 0};
    if (fsr_dtype_is_half(dtype))
        v.u16 = half_bits(dtype, (float)x);
    else if (dtype == FSR_F32)
        v.f32 = (float)x;
    else
        v.f64 = (double)x;
    return v;
}

static inline bool same(fsr_dtype dtype, fsr_value a, fsr_value b) {
    if (fsr_dtype_is_float(dtype) && isnan(to_float(dtype, a)) && isnan(to_float(dtype, b)))
        return true;
    return a.bits == b.bits;
}

/* max(+0, -0) may be either zero. */
static inline bool same_number(fsr_dtype dtype, fsr_value a, fsr_value b) {
    if (fsr_dtype_is_float(dtype) && to_float(dtype, a) == to_float(dtype, b))
        return true;
    return same(dtype, a, b);
}

#endif
