/* SPDX-License-Identifier: MIT */
/* Conversions of single values.
 *
 * Every conversion of the library has one meaning, fsr_cast's:
 *   float -> integer  truncates towards zero, saturates outside the range, NaN gives 0;
 *   integer -> integer  wraps (NumPy's astype);
 *   integer -> float  rounds to nearest even, once;
 *   anything -> bool  x != 0 (NaN is not 0: true);
 *   a bool whose byte is neither 0 nor 1 reads as 1.
 *   complex -> real  takes the real part (NumPy's astype, without its warning); to bool: a part that is not 0;
 *   real -> complex  has the imaginary part 0.
 * Values made here have zero bytes above the element's size, so that they compare and hash by `bits`.
 * Counter-example to one conversion through double: i64 9007199254740993 as f32 is rounded twice, as i64 it is lost. */
#include "graph/ops.h"
#include <math.h>
#include <string.h>

/* What f16 and bf16 are: digits of the significand, and the power of two of the least subnormal. */
typedef struct half {
    int digits, least;
} half;

static half half_of(fsr_dtype dtype) {
    return dtype == FSR_F16 ? (half){11, -24} : (half){8, -133};
}

/* The upper bits of a NaN's fraction, and the NaN that has them. */
static unsigned nan_fraction(double nan, int bits) {
    const fsr_value v = {.f64 = nan};
    return (unsigned)(v.bits << 12 >> (64 - bits));
}

static double nan_of(unsigned fraction, int bits) {
    const fsr_value v = {.bits = UINT64_C(0x7ff) << 52 | (uint64_t)fraction << (52 - bits)};
    return v.f64;
}

/* Rounded once, to nearest even. A normal number's bits and a subnormal's are one formula: units above the least
 * power count the exponent, and a carry out of the significand goes where it belongs. */
static uint16_t half_from(fsr_dtype dtype, long double value) {
    const half h = half_of(dtype);
    const unsigned infinite = 0x7fffu >> (h.digits - 1) << (h.digits - 1);
    const unsigned sign = signbit(value) ? 0x8000u : 0;
    int exponent;
    if (value != value)
        return (uint16_t)(sign | infinite | 1u << (h.digits - 2) | nan_fraction((double)value, h.digits - 1));
    if (isinf(value))
        return (uint16_t)(sign | infinite);
    frexpl(value, &exponent);
    int power = value != 0 && exponent - h.digits > h.least ? exponent - h.digits : h.least;
    if (power - h.least > 1 << (16 - h.digits))
        return (uint16_t)(sign | infinite);
    long double units = rintl(ldexpl(fabsl(value), -power));
    unsigned bits = ((unsigned)(power - h.least) << (h.digits - 1)) + (unsigned)units;
    return (uint16_t)(sign | (bits < infinite ? bits : infinite));
}

static double half_to(fsr_dtype dtype, uint16_t bits) {
    const half h = half_of(dtype);
    const unsigned size = bits & 0x7fffu, infinite = 0x7fffu >> (h.digits - 1) << (h.digits - 1);
    const unsigned exponent = size >> (h.digits - 1), fraction = size & ((1u << (h.digits - 1)) - 1);
    double value = size > infinite ? nan_of(fraction, h.digits - 1) : INFINITY;
    if (size < infinite)
        value =
            exponent ? ldexp(fraction + (1u << (h.digits - 1)), (int)exponent - 1 + h.least) : ldexp(fraction, h.least);
    return bits & 0x8000u ? -value : value;
}

/* Truncation with saturation to [low, high]. (double)INT64_MAX is 2^63, hence >=. */
static int64_t saturate(double value, int64_t low, int64_t high) {
    if (value != value)
        return 0;
    if (value <= (double)low)
        return low;
    if (value >= (double)high)
        return high;
    return (int64_t)value;
}

/* As saturate, to [0, high]. */
static uint64_t saturate_unsigned(double value, uint64_t high) {
    if (!(value > 0))
        return 0;
    return value >= (double)high ? high : (uint64_t)value;
}

fsr_value fsr_value_from_int(fsr_dtype dtype, int64_t value) {
    fsr_value out = {.bits = 0};
    switch (dtype) {
    case FSR_BOOL: out.bits = value != 0; break;
    case FSR_I8: out.bits = (uint8_t)value; break;
    case FSR_U8: out.bits = (uint8_t)value; break;
    case FSR_I16: out.bits = (uint16_t)value; break;
    case FSR_U16: out.bits = (uint16_t)value; break;
    case FSR_I32: out.bits = (uint32_t)value; break;
    case FSR_U32: out.bits = (uint32_t)value; break;
    case FSR_I64: out.bits = (uint64_t)value; break;
    case FSR_U64: out.bits = (uint64_t)value; break;
    case FSR_F16:
    case FSR_BF16: out.bits = half_from(dtype, (long double)value); break;
    case FSR_F32: out = fsr_value_from_float((float)value); break;
    case FSR_F64: out.f64 = (double)value; break;
    case FSR_C64: out.c64.re = (float)value; break;
    case FSR_C128: out.c128.re = (double)value; break;
    case FSR_DTYPE_COUNT: break;
    }
    return out;
}

fsr_value fsr_value_from_unsigned(fsr_dtype dtype, uint64_t value) {
    fsr_value out = {.bits = 0};
    if (!fsr_dtype_is_inexact(dtype))
        return fsr_value_from_int(dtype, (int64_t)value);
    if (fsr_dtype_is_half(dtype))
        out.f16 = half_from(dtype, (long double)value);
    else if (dtype == FSR_C64)
        out.c64.re = (float)value;
    else if (dtype == FSR_C128)
        out.c128.re = (double)value;
    else if (dtype == FSR_F32)
        out.f32 = (float)value;
    else
        out.f64 = (double)value;
    return out;
}

fsr_value fsr_value_load(fsr_dtype dtype, const void *array, int64_t at) {
    fsr_value value = {.bits = 0};
    size_t size = fsr_dtype_size(dtype);
    memcpy(&value, (const char *)array + (size_t)at * size, size);
    return value;
}

fsr_value fsr_value_from_double(fsr_dtype dtype, double value) {
    fsr_value out = {.bits = 0};
    switch (dtype) {
    case FSR_BOOL: out.bits = value != 0; break;
    case FSR_I8: out.bits = (uint8_t)saturate(value, INT8_MIN, INT8_MAX); break;
    case FSR_U8: out.bits = saturate_unsigned(value, UINT8_MAX); break;
    case FSR_I16: out.bits = (uint16_t)saturate(value, INT16_MIN, INT16_MAX); break;
    case FSR_U16: out.bits = saturate_unsigned(value, UINT16_MAX); break;
    case FSR_I32: out.bits = (uint32_t)saturate(value, INT32_MIN, INT32_MAX); break;
    case FSR_U32: out.bits = saturate_unsigned(value, UINT32_MAX); break;
    case FSR_I64: out.bits = (uint64_t)saturate(value, INT64_MIN, INT64_MAX); break;
    case FSR_U64: out.bits = saturate_unsigned(value, UINT64_MAX); break;
    case FSR_F16:
    case FSR_BF16: out.bits = half_from(dtype, value); break;
    case FSR_F32: out = fsr_value_from_float((float)value); break;
    case FSR_F64: out.f64 = value; break;
    case FSR_C64: out.c64.re = (float)value; break;
    case FSR_C128: out.c128.re = value; break;
    case FSR_DTYPE_COUNT: break;
    }
    return out;
}

double fsr_value_to_double(fsr_dtype dtype, fsr_value value) {
    switch (dtype) {
    case FSR_BOOL: return value.b != 0;
    case FSR_I8: return value.i8;
    case FSR_U8: return value.u8;
    case FSR_I16: return value.i16;
    case FSR_U16: return value.u16;
    case FSR_I32: return value.i32;
    case FSR_U32: return value.u32;
    case FSR_I64: return (double)value.i64;
    case FSR_U64: return (double)value.u64;
    case FSR_F16:
    case FSR_BF16: return half_to(dtype, value.f16);
    case FSR_F32: return value.f32;
    case FSR_F64: return value.f64;
    case FSR_C64: return value.c64.re;
    case FSR_C128: return value.c128.re;
    case FSR_DTYPE_COUNT: break;
    }
    return NAN;
}

fsr_value fsr_value_from_complex(fsr_dtype dtype, fsr_c128 value) {
    fsr_value out = {.bits = 0};
    if (dtype == FSR_C128)
        out.c128 = value;
    else if (dtype == FSR_C64)
        out.c64 = (fsr_c64){(float)value.re, (float)value.im};
    else if (dtype == FSR_BOOL)
        out.b = value.re != 0 || value.im != 0;
    else
        out = fsr_value_from_double(dtype, value.re);
    return out;
}

fsr_c128 fsr_value_to_complex(fsr_dtype dtype, fsr_value value) {
    if (dtype == FSR_C128)
        return value.c128;
    if (dtype == FSR_C64)
        return (fsr_c128){value.c64.re, value.c64.im};
    return (fsr_c128){fsr_value_to_double(dtype, value), 0};
}

void fsr_value_parts(fsr_dtype dtype, fsr_value value, fsr_value *re, fsr_value *im) {
    const bool single = dtype == FSR_C64;
    *re = (fsr_value){.bits = single ? value.bits & UINT32_MAX : value.bits};
    *im = (fsr_value){.bits = single ? value.bits >> 32 : value.high};
}

fsr_value fsr_value_of_parts(fsr_dtype dtype, fsr_value re, fsr_value im) {
    fsr_value out = {.bits = re.bits, .high = im.bits};
    if (dtype == FSR_C64)
        out = (fsr_value){.bits = re.bits | im.bits << 32};
    return out;
}

fsr_value fsr_value_cast(fsr_dtype to, fsr_dtype from, fsr_value value) {
    switch (from) {
    case FSR_C64:
    case FSR_C128: return fsr_value_from_complex(to, fsr_value_to_complex(from, value));
    case FSR_BOOL: return fsr_value_from_int(to, value.b != 0);
    case FSR_I8: return fsr_value_from_int(to, value.i8);
    case FSR_U8: return fsr_value_from_int(to, value.u8);
    case FSR_I16: return fsr_value_from_int(to, value.i16);
    case FSR_U16: return fsr_value_from_int(to, value.u16);
    case FSR_I32: return fsr_value_from_int(to, value.i32);
    case FSR_U32: return fsr_value_from_int(to, value.u32);
    case FSR_I64: return fsr_value_from_int(to, value.i64);
    case FSR_U64: return fsr_value_from_unsigned(to, value.u64);
    default: return fsr_value_from_double(to, fsr_value_to_double(from, value));
    }
}
