/* SPDX-License-Identifier: MIT */
/* The table of scalar operations, in C. graph/scalar_ops.def is its only source. */
#ifndef FUSOR_GRAPH_OPS_H
#define FUSOR_GRAPH_OPS_H

#include "fusor/dtype.h"
#include <stdbool.h>

typedef enum fsr_op {
#define FSR_SCALAR_OP(id, ...) FSR_OP_##id,
#include "graph/scalar_ops.def"
#undef FSR_SCALAR_OP
    FSR_OP_COUNT
} fsr_op;

/* How dtypes follow from the operands'. compute: the dtype all operands are cast to first. */
typedef enum fsr_rule {
    FSR_RULE_SAME,     /* compute = promotion of all; result = compute */
    FSR_RULE_FLOAT,    /* compute = promotion of the floats that the operands become: f16 for bool and integers of 8
                          bits, f32 for 16 bits, f64 for wider ones; result = compute */
    FSR_RULE_DIVIDE,   /* as FLOAT, but every integer and bool gives f64 */
    FSR_RULE_COMPARE,  /* compute = promotion; result bool */
    FSR_RULE_LOGIC,    /* compute = bool (x != 0); result bool */
    FSR_RULE_TEST,     /* compute = the operand's own; result bool */
    FSR_RULE_SELECT,   /* operand a bool; compute = promotion of b and c; result = compute */
    FSR_RULE_REAL,     /* compute = promotion; result = compute's real counterpart */
    FSR_RULE_COMPLEX,  /* compute = promotion with c64, operands must be real; result = compute */
    FSR_RULE_NUMBER,   /* as SAME, but bool gives i8 */
    FSR_RULE_ROUND,    /* as SAME, but bool gives f16 */
    FSR_RULE_POWER,    /* as NUMBER; an integer to a negative literal is an error */
    FSR_RULE_COUNT,    /* compute = the operand's own; result u8 */
    FSR_RULE_SCALE,    /* compute = a's as FLOAT; b must be an integer or bool; result = compute */
    FSR_RULE_NEXT,     /* as FLOAT; the op has to know the dtype, since f16 and bf16 are computed in f32 */
    FSR_RULE_PHASE,    /* compute as FLOAT, but bool gives f64; result = compute's real counterpart */
    FSR_RULE_EXPONENT, /* compute as FLOAT; result i32 */
    FSR_RULE_KEY,      /* compute = f32, or f64 if the operand is, which must be a float; result i32 or i64 */
    FSR_RULE_KEYED,    /* compute = i32, or i64 if the operand needs it, which must be an integer; result f32 or f64 */
    FSR_RULE_WORDS,    /* compute = u64, operands must be integers or bool and wrap; result u64 */
    FSR_RULE_CAST      /* compute = the operand's own; result as asked */
} fsr_rule;

/* NumPy's result_type of n dtypes: the least that each promotes to, whatever their order. FSR_DTYPE_COUNT: n is 0, or
 * one of them is no dtype. */
fsr_dtype fsr_dtype_promote_all(const fsr_dtype *dtype, int n);

/* COMPLEX_ROUNDS: of complex operands the op is not exact although it is of others. LIMITED: the C function of floats
 * is good up to a limit, beyond which another one has to be called (backend_cpu/emit/math.h). COMPLEX_LIMITED: so
 * is that of complex numbers, which knows its limits itself (backend_cpu/emit/complex.h). SERIAL: no processor has
 * vector code for it, of integers. BLOCKS: what it computes of neighbouring values of its last operand is mostly the
 * same work. ATOMIC: COMMUTATIVE and ASSOCIATIVE, and a store may combine by it (fusion/loop_ir.h). TURN,
 * POSITIVE: of f32 the generated CUDA has a shorter function for a in [-1, 1], or from 2^-126 on; the same bits.
 * BY_LITERAL: likewise for a literal b that is no power of two, and a known to be none but usual numbers. OF_ANGLE: of
 * f32 it has a function of a and a's angle, which operations of one a share. KEEPS: of numbers that a shorter dtype has
 * the result is one that it has. */
enum {
    FSR_OP_COMMUTATIVE = 1,
    FSR_OP_ASSOCIATIVE = 2,
    FSR_OP_EXACT = 4,
    FSR_OP_COMPLEX_ROUNDS = 8,
    FSR_OP_LIMITED = 16,
    FSR_OP_SERIAL = 32,
    FSR_OP_BLOCKS = 64,
    FSR_OP_ATOMIC = 128,
    FSR_OP_TURN = 256,
    FSR_OP_POSITIVE = 512,
    FSR_OP_BY_LITERAL = 1024,
    FSR_OP_OF_ANGLE = 2048,
    FSR_OP_COMPLEX_LIMITED = 4096,
    FSR_OP_KEEPS = 8192
};

typedef enum fsr_identity {
    FSR_IDENTITY_NONE,
    FSR_IDENTITY_ZERO,
    FSR_IDENTITY_ONE,
    FSR_IDENTITY_LOWEST,     /* -inf, or the least integer */
    FSR_IDENTITY_HIGHEST,    /* +inf, or the greatest integer */
    FSR_IDENTITY_ONES,       /* every bit is 1 */
    FSR_IDENTITY_NAN_LOWEST, /* NaN, or the least integer */
    FSR_IDENTITY_NAN_HIGHEST /* NaN, or the greatest integer */
} fsr_identity;

/* Operand classes: the index of a text column. */
typedef enum fsr_class { FSR_CLASS_FLOAT, FSR_CLASS_INT, FSR_CLASS_BOOL, FSR_CLASS_COMPLEX, FSR_CLASS_COUNT } fsr_class;

typedef struct fsr_op_info {
    const char *name;
    int arity;
    fsr_rule rule;
    unsigned flags;
    fsr_identity identity;
    int cost;
    double ulp;
    const char *cuda[FSR_CLASS_COUNT]; /* NULL: the op is not defined for that class */
    const char *c[FSR_CLASS_COUNT];
    const char *doc;
} fsr_op_info;

extern const fsr_op_info fsr_op_table[FSR_OP_COUNT];
/* op must be < FSR_OP_COUNT. The reference asks this, and what follows, for each element: hence inline. */
static inline const fsr_op_info *fsr_op_get(fsr_op op) {
    return &fsr_op_table[op];
}
/* FSR_OP_COUNT if there is none of that name. */
fsr_op fsr_op_find(const char *name);

fsr_class fsr_dtype_class(fsr_dtype dtype);
/* f16 and bf16: computed in f32, rounded after each operation. */
static inline bool fsr_dtype_is_half(fsr_dtype dtype) {
    return dtype == FSR_F16 || dtype == FSR_BF16;
}
static inline bool fsr_dtype_is_float(fsr_dtype dtype) {
    return dtype == FSR_F32 || dtype == FSR_F64 || fsr_dtype_is_half(dtype);
}
/* Digits of the significand of a float or of a complex number's parts, the first included; 0 for others. */
int fsr_dtype_digits(fsr_dtype dtype);
/* u8 to u64; not bool. */
static inline bool fsr_dtype_is_unsigned(fsr_dtype dtype) {
    return dtype == FSR_U8 || dtype == FSR_U16 || dtype == FSR_U32 || dtype == FSR_U64;
}
static inline bool fsr_dtype_is_complex(fsr_dtype dtype) {
    return dtype == FSR_C64 || dtype == FSR_C128;
}
/* Floating or complex: arithmetic rounds. */
static inline bool fsr_dtype_is_inexact(fsr_dtype dtype) {
    return fsr_dtype_is_float(dtype) || fsr_dtype_is_complex(dtype);
}
/* The class whose text an op uses for its operands of dtype `compute`. For SELECT it is b's and c's class. */
bool fsr_op_defined(fsr_op op, fsr_dtype compute);
/* The result's dtype for operands of dtype `compute`; FSR_DTYPE_COUNT for CAST, which has any. */
fsr_dtype fsr_op_result(fsr_op op, fsr_dtype compute);
/* The op gives the same bits everywhere: a float the correctly rounded one, a complex number that of one fixed formula
 * (division: Smith's; product: the plain one). */
bool fsr_op_exact(fsr_op op, fsr_dtype compute);
/* A store may combine by the op what is there with a value of this dtype: words of 4 and 8 bytes. */
bool fsr_op_is_atomic(fsr_op op, fsr_dtype dtype);
/* What generated CUDA calls a store's combining by the op, behind fsr_into_. */
const char *fsr_op_into(fsr_op op);
/* A result of the dtype is computed in f32 and is to be rounded to f16 or bf16. Casts round by themselves. */
bool fsr_op_rounds_half(fsr_op op, fsr_dtype result);
/* Identity of op as a reduction over dtype. The op's identity must not be NONE. */
fsr_value fsr_op_identity(fsr_op op, fsr_dtype dtype);
/* The order in which elements of the dtype are combined changes bits: of sums and products of floats. */
bool fsr_op_combine_rounds(fsr_op op, fsr_dtype dtype);
/* What leaves every element as it is: the identity, but of sums of floats -0.0, since 0.0 + -0.0 is 0.0. */
fsr_value fsr_op_neutral(fsr_op op, fsr_dtype dtype);

/* The same bits. */
static inline bool fsr_value_equal(fsr_value a, fsr_value b) {
    return a.bits == b.bits && a.high == b.high;
}
/* Copies n values by halves, as functions leave them in memory: a processor that loads 16 bytes at once, as it would
 * for a plain assignment, waits until both halves have been written. */
static inline void fsr_values_copy(fsr_value *to, const fsr_value *from, int n) {
    const volatile fsr_value *half = from;
    for (int i = 0; i < n; i++) {
        to[i].bits = half[i].bits;
        to[i].high = half[i].high;
    }
}
/* The element `at` of an array. */
fsr_value fsr_value_load(fsr_dtype dtype, const void *array, int64_t at);
/* value converted to dtype as fsr_cast does (truncate, saturate, NaN to 0 for integers; != 0 for bool). */
fsr_value fsr_value_from_double(fsr_dtype dtype, double value);
fsr_value fsr_value_from_int(fsr_dtype dtype, int64_t value);
fsr_value fsr_value_from_unsigned(fsr_dtype dtype, uint64_t value);
/* An f32. It is made of the number's bits: who stores a member of a union and then loads the whole waits for the
 * store. */
static inline fsr_value fsr_value_from_float(float value) {
    union {
        float number;
        uint32_t bits;
    } u = {.number = value};
    return (fsr_value){.bits = u.bits};
}
double fsr_value_to_double(fsr_dtype dtype, fsr_value value); /* the real part of a complex one */
fsr_value fsr_value_from_complex(fsr_dtype dtype, fsr_c128 value);
fsr_c128 fsr_value_to_complex(fsr_dtype dtype, fsr_value value);
/* The parts of a complex value, bit by bit (a NaN keeps its payload), as values of the parts' dtype; and back. */
void fsr_value_parts(fsr_dtype dtype, fsr_value value, fsr_value *re, fsr_value *im);
fsr_value fsr_value_of_parts(fsr_dtype dtype, fsr_value re, fsr_value im);
fsr_value fsr_value_cast(fsr_dtype to, fsr_dtype from, fsr_value value);

/* Evaluates one op on one element from the table's REF column: operands of dtype `compute` (for WHERE, a is
 * a bool), the result of dtype `result`, computed in wide arithmetic and rounded once. Used by constant folding (exact
 * ops), the loop-IR interpreter and the reference backend. */
fsr_value fsr_op_eval(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_value *args);
/* The same for complex operands (graph/ops_complex.c). */
fsr_value fsr_op_eval_complex(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_value *args);
/* The table's REF column of float operands, and of complex ones, in that arithmetic; 0 where the op has none. */
double fsr_op_ref_double(fsr_op op, double a, double b, double c);
long double fsr_op_ref_wide(fsr_op op, long double a, long double b, long double c);
long double _Complex fsr_op_ref_complex(fsr_op op, long double _Complex a, long double _Complex b,
                                        long double _Complex c);

#endif
