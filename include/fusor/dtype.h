/* SPDX-License-Identifier: MIT */
/* Element types. One table gives the enum, sizes, names and C types; kind is NumPy's one-letter kind (bf16, which
 * NumPy does not have, counts as a float). The C type is what an element is stored as: f16 and bf16, which C11 does
 * not have, as their bits. bool is one byte, 0 or 1: any other byte that a caller hands over reads as 1. */
#ifndef FUSOR_DTYPE_H
#define FUSOR_DTYPE_H

#include "fusor/api.h"
#include <stddef.h>
#include <stdint.h>

/*    id         name    C type    bytes kind */
#define FSR_DTYPE_LIST(X)                 \
    X(FSR_BOOL, "bool", uint8_t, 1, 'b')  \
    X(FSR_I8, "i8", int8_t, 1, 'i')       \
    X(FSR_U8, "u8", uint8_t, 1, 'u')      \
    X(FSR_I16, "i16", int16_t, 2, 'i')    \
    X(FSR_U16, "u16", uint16_t, 2, 'u')   \
    X(FSR_I32, "i32", int32_t, 4, 'i')    \
    X(FSR_U32, "u32", uint32_t, 4, 'u')   \
    X(FSR_I64, "i64", int64_t, 8, 'i')    \
    X(FSR_U64, "u64", uint64_t, 8, 'u')   \
    X(FSR_F16, "f16", uint16_t, 2, 'f')   \
    X(FSR_BF16, "bf16", uint16_t, 2, 'f') \
    X(FSR_F32, "f32", float, 4, 'f')      \
    X(FSR_F64, "f64", double, 8, 'f')     \
    X(FSR_C64, "c64", fsr_c64, 8, 'c')    \
    X(FSR_C128, "c128", fsr_c128, 16, 'c')

/* The element types; each row of FSR_DTYPE_LIST is one. */
typedef enum fsr_dtype {
#define FSR_DTYPE_ENUM(id, name, ctype, bytes, kind) id,
    FSR_DTYPE_LIST(FSR_DTYPE_ENUM)
#undef FSR_DTYPE_ENUM
        FSR_DTYPE_COUNT
} fsr_dtype;

/* A complex number, as it lies in memory. */
typedef struct fsr_c64 {
    float re, im;
} fsr_c64;
/* The same of doubles. */
typedef struct fsr_c128 {
    double re, im;
} fsr_c128;

/* One element of any dtype. The bytes behind the element's own are zero in values that Fusor hands out; so
 * {.bits = 0} is a zero of every dtype, and bits with high tell equal values from others. */
typedef union fsr_value {
    uint8_t b; /* FSR_BOOL */
    int8_t i8;
    uint8_t u8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    uint16_t f16;  /* the bits: 5 of the exponent, 10 of the fraction */
    uint16_t bf16; /* the upper half of an f32's bits */
    float f32;
    double f64;
    fsr_c64 c64;
    fsr_c128 c128;
    __extension__ struct { uint64_t bits, high; };
} fsr_value;

FSR_API_BEGIN

/* Bytes of one element; 0 for a number that is no dtype. */
size_t fsr_dtype_size(fsr_dtype dtype);
/* "f32"; "?" for a number that is no dtype. */
const char *fsr_dtype_name(fsr_dtype dtype);
/* The dtype of a complex dtype's parts (c64: f32, c128: f64); any other dtype is its own. */
fsr_dtype fsr_dtype_real(fsr_dtype dtype);
/* NumPy 2's promotion of two dtypes: i32 with f32 is f64, u8 with i8 is i16, u64 with i64 is f64. */
fsr_dtype fsr_dtype_promote(fsr_dtype a, fsr_dtype b);

FSR_API_END
#endif
