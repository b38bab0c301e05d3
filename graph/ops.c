/* SPDX-License-Identifier: MIT */
/* The scalar-op table and the evaluator generated from its REF column.
 *
 * The table is included seven times: for the infos, then once for each arithmetic that evaluates REF: float, double and
 * long double for floats, int64_t and uint64_t for integers with and without sign, int for bools. An exact op is
 * evaluated in the dtype itself, where IEEE arithmetic gives the correctly rounded result; an inexact one in the next
 * wider type, rounded once.
 * Counter-example to evaluating everything wide: fmaf(a, b, c) computed by the double fma and then rounded to float is
 * rounded twice, and differs from the correctly rounded one when the double result lies halfway between two floats.
 * f16 and bf16 are evaluated as f32; the caller rounds the result once more, as every backend does. */
#include "graph/ops.h"
#include "graph/ops_reference.h"
#include <float.h>
#include <limits.h>
#include <math.h>
#include <string.h>

enum {
    COMMUTATIVE = FSR_OP_COMMUTATIVE,
    ASSOCIATIVE = FSR_OP_ASSOCIATIVE,
    EXACT = FSR_OP_EXACT,
    COMPLEX_ROUNDS = FSR_OP_COMPLEX_ROUNDS,
    LIMITED = FSR_OP_LIMITED,
    COMPLEX_LIMITED = FSR_OP_COMPLEX_LIMITED,
    KEEPS = FSR_OP_KEEPS,
    SERIAL = FSR_OP_SERIAL,
    BLOCKS = FSR_OP_BLOCKS,
    ATOMIC = FSR_OP_ATOMIC,
    TURN = FSR_OP_TURN,
    POSITIVE = FSR_OP_POSITIVE,
    BY_LITERAL = FSR_OP_BY_LITERAL,
    OF_ANGLE = FSR_OP_OF_ANGLE
};

#define CUDA(...) \
    { __VA_ARGS__ }
#define C(...) \
    { __VA_ARGS__ }
const fsr_op_info fsr_op_table[FSR_OP_COUNT] = {
#define FSR_SCALAR_OP(id, name_, arity_, rule_, flags_, identity_, cost_, ulp_, cuda_, c_, ref_, doc_) \
    [FSR_OP_##id] = {.name = #name_,                                                                   \
                     .arity = arity_,                                                                  \
                     .rule = FSR_RULE_##rule_,                                                         \
                     .flags = flags_,                                                                  \
                     .identity = FSR_IDENTITY_##identity_,                                             \
                     .cost = cost_,                                                                    \
                     .ulp = ulp_,                                                                      \
                     .cuda = cuda_,                                                                    \
                     .c = c_,                                                                          \
                     .doc = doc_},
#include "graph/scalar_ops.def"
#undef FSR_SCALAR_OP
};
#undef CUDA
#undef C

fsr_op fsr_op_find(const char *name) {
    for (int op = 0; op < FSR_OP_COUNT; op++)
        if (strcmp(fsr_op_table[op].name, name) == 0)
            return (fsr_op)op;
    return FSR_OP_COUNT;
}

int fsr_dtype_digits(fsr_dtype dtype) {
    switch (dtype) {
    case FSR_F16: return 11;
    case FSR_BF16: return 8;
    case FSR_F32:
    case FSR_C64: return FLT_MANT_DIG;
    case FSR_F64:
    case FSR_C128: return DBL_MANT_DIG;
    default: return 0;
    }
}

fsr_class fsr_dtype_class(fsr_dtype dtype) {
    if (fsr_dtype_is_complex(dtype))
        return FSR_CLASS_COMPLEX;
    if (dtype == FSR_BOOL)
        return FSR_CLASS_BOOL;
    return fsr_dtype_is_float(dtype) ? FSR_CLASS_FLOAT : FSR_CLASS_INT;
}

bool fsr_op_defined(fsr_op op, fsr_dtype compute) {
    if ((unsigned)op >= FSR_OP_COUNT || (unsigned)compute >= FSR_DTYPE_COUNT)
        return false;
    switch (fsr_op_table[op].rule) {
    case FSR_RULE_WORDS: return compute == FSR_U64;
    case FSR_RULE_KEY: return compute == FSR_F32 || compute == FSR_F64;
    case FSR_RULE_KEYED: return compute == FSR_I32 || compute == FSR_I64;
    default: break;
    }
    return fsr_op_table[op].c[fsr_dtype_class(compute)] != NULL;
}

fsr_dtype fsr_op_result(fsr_op op, fsr_dtype compute) {
    switch (fsr_op_table[op].rule) {
    case FSR_RULE_COMPARE:
    case FSR_RULE_LOGIC:
    case FSR_RULE_TEST: return FSR_BOOL;
    case FSR_RULE_PHASE:
    case FSR_RULE_REAL: return fsr_dtype_real(compute);
    case FSR_RULE_COUNT: return FSR_U8;
    case FSR_RULE_EXPONENT: return FSR_I32;
    case FSR_RULE_KEY: return compute == FSR_F64 ? FSR_I64 : FSR_I32;
    case FSR_RULE_KEYED: return compute == FSR_I64 ? FSR_F64 : FSR_F32;
    case FSR_RULE_CAST: return FSR_DTYPE_COUNT;
    default: return compute;
    }
}

bool fsr_op_is_atomic(fsr_op op, fsr_dtype dtype) {
    const size_t size = fsr_dtype_size(dtype);
    return (unsigned)op < FSR_OP_COUNT && (fsr_op_table[op].flags & FSR_OP_ATOMIC) && fsr_op_defined(op, dtype) &&
           (size == 4 || size == 8) && !fsr_dtype_is_complex(dtype);
}

const char *fsr_op_into(fsr_op op) {
    return fsr_op_table[op].name;
}

bool fsr_op_rounds_half(fsr_op op, fsr_dtype result) {
    const fsr_op_info *info = &fsr_op_table[op];
    return fsr_dtype_is_half(result) && info->rule != FSR_RULE_CAST && info->rule != FSR_RULE_SELECT &&
           !(info->flags & FSR_OP_KEEPS);
}

bool fsr_op_exact(fsr_op op, fsr_dtype compute) {
    bool rounds = (fsr_op_table[op].flags & FSR_OP_COMPLEX_ROUNDS) && fsr_dtype_is_complex(compute);
    return (fsr_op_table[op].flags & FSR_OP_EXACT) && !rounds;
}

static fsr_value extreme(fsr_dtype dtype, bool highest) {
    if (fsr_dtype_is_float(dtype))
        return fsr_value_from_double(dtype, highest ? INFINITY : -INFINITY);
    switch (dtype) {
    case FSR_BOOL: return fsr_value_from_int(dtype, highest);
    case FSR_I8: return fsr_value_from_int(dtype, highest ? INT8_MAX : INT8_MIN);
    case FSR_I16: return fsr_value_from_int(dtype, highest ? INT16_MAX : INT16_MIN);
    case FSR_I32: return fsr_value_from_int(dtype, highest ? INT32_MAX : INT32_MIN);
    case FSR_I64: return fsr_value_from_int(dtype, highest ? INT64_MAX : INT64_MIN);
    default: return fsr_value_from_int(dtype, highest ? -1 : 0);
    }
}

fsr_value fsr_op_identity(fsr_op op, fsr_dtype dtype) {
    const bool is_float = fsr_dtype_is_float(dtype);
    switch (fsr_op_table[op].identity) {
    case FSR_IDENTITY_LOWEST: return extreme(dtype, false);
    case FSR_IDENTITY_HIGHEST: return extreme(dtype, true);
    case FSR_IDENTITY_NAN_LOWEST: return is_float ? fsr_value_from_double(dtype, NAN) : extreme(dtype, false);
    case FSR_IDENTITY_NAN_HIGHEST: return is_float ? fsr_value_from_double(dtype, NAN) : extreme(dtype, true);
    case FSR_IDENTITY_ONES: return fsr_value_from_int(dtype, -1);
    default: return fsr_value_from_int(dtype, fsr_op_table[op].identity == FSR_IDENTITY_ONE);
    }
}

bool fsr_op_combine_rounds(fsr_op op, fsr_dtype dtype) {
    const fsr_identity identity = fsr_op_table[op].identity;
    return fsr_dtype_is_float(dtype) && (identity == FSR_IDENTITY_ZERO || identity == FSR_IDENTITY_ONE);
}

fsr_value fsr_op_neutral(fsr_op op, fsr_dtype dtype) {
    const bool sum = fsr_op_combine_rounds(op, dtype) && fsr_op_table[op].identity == FSR_IDENTITY_ZERO;
    return sum ? fsr_value_from_double(dtype, -0.0) : fsr_op_identity(op, dtype);
}

/* One evaluator: T name(op, a, b, c). CLASS picks the column of REF, W_ the suffix of the math functions. An op that is
 * not defined for the class gives 0. */
#define REF_NONE 0
#define FSR_SCALAR_OP(id, name, arity, rule, flags, identity, cost, ulp, cuda, c_, ref, doc) \
    case FSR_OP_##id:                                                                        \
        return ref;

#define REF(f, ...) f
#define W_(fn) fn##f
static float eval_float(fsr_op op, float a, float b, float c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
#undef W_
#define W_(fn) fn
double fsr_op_ref_double(fsr_op op, double a, double b, double c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
#undef W_
#define W_(fn) fn##l
long double fsr_op_ref_wide(fsr_op op, long double a, long double b, long double c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
#undef W_
#undef REF

#define REF(f, i, ...) i
static int64_t eval_int(fsr_op op, int64_t a, int64_t b, int64_t c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
/* The same text without sign: a < 0 is false, and what it guards is never evaluated. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wsign-conversion"
static uint64_t eval_unsigned(fsr_op op, uint64_t a, uint64_t b, uint64_t c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
#pragma GCC diagnostic pop
#undef REF

#define REF(f, i, b, ...) b
static int eval_bool(fsr_op op, int a, int b, int c) {
    switch (op) {
#include "graph/scalar_ops.def"
    default: return 0;
    }
}
#undef REF
#undef REF_NONE
#undef FSR_SCALAR_OP

/* The value of a float op, of dtype `compute` (f32 for f16 and bf16) in a double, where a float fits. */
static double eval_floating(const fsr_op_info *info, fsr_op op, fsr_dtype compute, const double *x) {
    bool exact = (info->flags & FSR_OP_EXACT) != 0;
    if (compute == FSR_F32 || fsr_dtype_is_half(compute))
        return exact ? eval_float(op, (float)x[0], (float)x[1], (float)x[2])
                     : (double)(float)fsr_op_ref_double(op, x[0], x[1], x[2]);
    return exact ? fsr_op_ref_double(op, x[0], x[1], x[2]) : (double)fsr_op_ref_wide(op, x[0], x[1], x[2]);
}

/* The operand of a COUNT or a KEY: n[0] its bits, n[1] their number. */
static void plain_bits(fsr_dtype compute, fsr_value value, int64_t *n) {
    memset(n, 0, 2 * sizeof *n);
    memcpy(n, &value, fsr_dtype_size(compute));
    n[0] = compute == FSR_BOOL ? n[0] != 0 : n[0];
    n[1] = 8 * (int64_t)fsr_dtype_size(compute);
}

/* The float that has these bits. */
static fsr_value keyed_bits(fsr_dtype result, int64_t bits) {
    fsr_value value = {.bits = 0};
    memcpy(&value, &bits, fsr_dtype_size(result));
    return value;
}

fsr_value fsr_op_eval(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_value *args) {
    const fsr_op_info *info = &fsr_op_table[op];
    if (info->rule == FSR_RULE_CAST)
        return fsr_value_cast(result, compute, args[0]);
    if (fsr_dtype_is_complex(compute))
        return fsr_op_eval_complex(op, compute, result, args);
    fsr_class class = fsr_dtype_class(compute);
    double x[3] = {0, 0, 0};
    int64_t n[3] = {0, 0, 0};
    for (int i = 0; i < info->arity; i++) {
        fsr_dtype from = info->rule == FSR_RULE_SELECT && i == 0 ? FSR_BOOL : compute;
        if (class == FSR_CLASS_FLOAT)
            x[i] = fsr_value_to_double(from, args[i]);
        else
            n[i] = fsr_value_cast(FSR_I64, from, args[i]).i64;
    }
    if (info->rule == FSR_RULE_COUNT || info->rule == FSR_RULE_KEY)
        plain_bits(compute, args[0], n);
    if (info->rule == FSR_RULE_KEY)
        return fsr_value_from_int(result, eval_int(op, n[0], n[1], 0));
    if (info->rule == FSR_RULE_KEYED)
        return keyed_bits(result, eval_int(op, n[0], 8 * (int64_t)fsr_dtype_size(compute), 0));
    if (info->rule == FSR_RULE_NEXT)
        x[2] = fsr_dtype_digits(compute);
    if (class == FSR_CLASS_FLOAT)
        return fsr_value_from_double(result, eval_floating(info, op, compute, x));
    if (fsr_dtype_is_unsigned(compute))
        return fsr_value_from_unsigned(result, eval_unsigned(op, (uint64_t)n[0], (uint64_t)n[1], (uint64_t)n[2]));
    if (class == FSR_CLASS_INT)
        return fsr_value_from_int(result, eval_int(op, n[0], n[1], n[2]));
    return fsr_value_from_int(result, eval_bool(op, (int)n[0], (int)n[1], (int)n[2]));
}
