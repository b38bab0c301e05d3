/* SPDX-License-Identifier: MIT */
/* Bounds of values. A constant is known, an integer that becomes a float lies between its dtype's limits, and what is
 * monotone in each operand has its extremes where operands have theirs, rounding included: it is evaluated at these
 * corners as a backend evaluates it. So the turn that a random word is made to lies in [-1, 1], and its positive number
 * above 0. Nothing is known of loads, and of parameters: they may be NaN.
 *
 * Counter-example to asking the kernel when it runs: the question costs as many instructions as the answer spares. */
#include "fusion/interval.h"
#include <math.h>

enum { DEEPEST = 8, MOST_ODD = 1 << 22 };

static const fsr_interval unknown = {1, 0};

static bool is_known(fsr_interval b) {
    return b.low <= b.high;
}

/* Every value of an integer dtype. */
static fsr_interval of_dtype(fsr_dtype dtype) {
    const int bits = 8 * (int)fsr_dtype_size(dtype);
    if (dtype == FSR_BOOL)
        return (fsr_interval){0, 1};
    if (fsr_dtype_class(dtype) != FSR_CLASS_INT)
        return unknown;
    if (fsr_dtype_is_unsigned(dtype))
        return (fsr_interval){0, ldexp(1, bits)};
    return (fsr_interval){-ldexp(1, bits - 1), ldexp(1, bits - 1)};
}

static fsr_interval interval(const fsr_kernel *k, int v, int deep);

/* Monotone in each operand, of floats. */
static bool has_corners(const fsr_inst *inst) {
    switch (inst->op) {
    case FSR_OP_ADD:
    case FSR_OP_SUB:
    case FSR_OP_MUL:
    case FSR_OP_FMA:
    case FSR_OP_NEG:
    case FSR_OP_MINIMUM:
    case FSR_OP_MAXIMUM: return inst->compute == FSR_F32 || inst->compute == FSR_F64;
    default: return false;
    }
}

static fsr_interval of_corners(const fsr_kernel *k, const fsr_inst *inst, int deep) {
    const int arity = fsr_op_get(inst->op)->arity;
    fsr_interval arg[3], out = {INFINITY, -INFINITY};
    for (int a = 0; a < arity; a++)
        if (!is_known(arg[a] = interval(k, inst->arg[a], deep + 1)))
            return unknown;
    for (int corner = 0; corner < 1 << arity; corner++) {
        fsr_value at[3];
        for (int a = 0; a < arity; a++)
            at[a] = fsr_value_from_double(inst->compute, corner >> a & 1 ? arg[a].high : arg[a].low);
        const double x = fsr_value_to_double(inst->dtype, fsr_op_eval(inst->op, inst->compute, inst->dtype, at));
        if (!isfinite(x))
            return unknown;
        out.low = fmin(out.low, x);
        out.high = fmax(out.high, x);
    }
    return out;
}

/* An integer as a float; the same float as a wider one. */
static fsr_interval of_cast(const fsr_kernel *k, const fsr_inst *inst, int deep) {
    const bool narrow = inst->dtype == FSR_F32;
    fsr_interval from = interval(k, inst->arg[0], deep + 1);
    if (!narrow && inst->dtype != FSR_F64)
        return of_dtype(inst->dtype);
    if (!is_known(from))
        from = of_dtype(inst->compute);
    if (is_known(from) && narrow)
        from = (fsr_interval){(float)from.low, (float)from.high};
    return isfinite(from.low) && isfinite(from.high) ? from : unknown;
}

static fsr_interval interval(const fsr_kernel *k, int v, int deep) {
    const fsr_inst *inst = &k->inst[v];
    if (deep > DEEPEST)
        return unknown;
    if (inst->kind == FSR_INST_CONST && !fsr_dtype_is_complex(inst->dtype)) {
        const double x = fsr_value_to_double(inst->dtype, inst->value);
        return isfinite(x) ? (fsr_interval){x, x} : unknown;
    }
    if (inst->kind == FSR_INST_INDEX && is_known(of_dtype(inst->dtype)))
        return (fsr_interval){0, of_dtype(inst->dtype).high};
    if (inst->kind != FSR_INST_OP)
        return of_dtype(inst->dtype);
    if (inst->op == FSR_OP_CAST)
        return of_cast(k, inst, deep);
    return has_corners(inst) ? of_corners(k, inst, deep) : of_dtype(inst->dtype);
}

/* Of value v among a kernel's instructions. */
static fsr_interval interval_of(const fsr_kernel *k, int v) {
    return interval(k, v, 0);
}

/* A literal in [2^-24, 2^24] divides an integer, or what is neither near zero nor very large. Division by a power of
 * two is a product as it is. */
static bool divides(const fsr_kernel *k, const fsr_inst *quotient) {
    const fsr_inst *a = &k->inst[quotient->arg[0]], *b = &k->inst[quotient->arg[1]];
    const fsr_interval of = interval_of(k, quotient->arg[0]);
    const double x = b->kind == FSR_INST_CONST ? fabs(fsr_value_to_double(b->dtype, b->value)) : 0;
    const bool whole = a->kind == FSR_INST_OP && a->op == FSR_OP_CAST && is_known(of_dtype(a->compute));
    int exponent;
    if (x < 0x1p-24 || x > 0x1p24 || frexp(x, &exponent) == 0.5 || !is_known(of))
        return false;
    return (whole || of.low >= 0x1p-90 || of.high <= -0x1p-90) && of.low >= -0x1p90 && of.high <= 0x1p90;
}

bool fsr_value_is_tame(const fsr_kernel *k, int v) {
    const fsr_inst *inst = &k->inst[v];
    const unsigned asks = inst->kind == FSR_INST_OP
                              ? fsr_op_get(inst->op)->flags & (FSR_OP_TURN | FSR_OP_POSITIVE | FSR_OP_BY_LITERAL)
                              : 0;
    if (!asks || inst->compute != FSR_F32)
        return false;
    if (asks & FSR_OP_BY_LITERAL)
        return divides(k, inst);
    const fsr_interval a = interval_of(k, inst->arg[0]);
    return is_known(a) && (asks & FSR_OP_TURN ? a.low >= -1 && a.high <= 1 : a.low >= 0x1p-126);
}

bool fsr_value_is_by_odd(const fsr_kernel *k, int v) {
    const fsr_inst *inst = &k->inst[v];
    const bool quotient =
        inst->kind == FSR_INST_OP && inst->compute == FSR_F32 && fsr_op_get(inst->op)->flags & FSR_OP_BY_LITERAL;
    const fsr_inst *by = quotient ? &k->inst[inst->arg[1]] : NULL;
    const double x = by && by->kind == FSR_INST_CONST ? fabs(fsr_value_to_double(by->dtype, by->value)) : 0;
    return x > 1 && x < MOST_ODD && fmod(x, 2) == 1;
}

bool fsr_value_was_near(const fsr_kernel *k, int v) {
    const fsr_inst *inst = &k->inst[v];
    if (inst->kind != FSR_INST_OP || inst->op != FSR_OP_CAST || inst->dtype != FSR_I64 ||
        fsr_dtype_class(inst->compute) != FSR_CLASS_INT)
        return false;
    const fsr_interval from = of_dtype(inst->compute);
    return from.low >= -0x1p31 && from.high <= 0x1p31;
}

/* What value v is at most, unless it is NaN; with sign -1 what its negative is at most. */
static double most_but_nan(const fsr_kernel *k, int v, int sign, int deep) {
    const fsr_inst *inst = &k->inst[v];
    const fsr_interval known = interval(k, v, deep);
    if (is_known(known))
        return sign > 0 ? known.high : -known.low;
    if (inst->kind != FSR_INST_OP || deep > DEEPEST || (inst->op != FSR_OP_MINIMUM && inst->op != FSR_OP_MAXIMUM))
        return INFINITY;
    const double a = most_but_nan(k, inst->arg[0], sign, deep + 1), b = most_but_nan(k, inst->arg[1], sign, deep + 1);
    return (inst->op == FSR_OP_MINIMUM) == (sign > 0) ? fmin(a, b) : fmax(a, b);
}

bool fsr_value_fits(const fsr_kernel *k, int v) {
    const fsr_inst *inst = &k->inst[v];
    if (inst->kind != FSR_INST_OP || inst->op != FSR_OP_CAST ||
        (inst->compute != FSR_F32 && inst->compute != FSR_F64) || fsr_dtype_class(inst->dtype) != FSR_CLASS_INT ||
        fsr_dtype_size(inst->dtype) > 4 || inst->dtype == FSR_U32)
        return false;
    const fsr_interval to = of_dtype(inst->dtype);
    return most_but_nan(k, inst->arg[0], 1, 0) < to.high && -most_but_nan(k, inst->arg[0], -1, 0) > to.low - 1;
}

bool fsr_value_is_limited(const fsr_kernel *k, int v) {
    const fsr_inst *inst = &k->inst[v];
    if (inst->kind != FSR_INST_OP || (inst->op != FSR_OP_MINIMUM && inst->op != FSR_OP_MAXIMUM) ||
        (inst->compute != FSR_F32 && inst->compute != FSR_F64))
        return false;
    const fsr_inst *a = &k->inst[inst->arg[0]], *b = &k->inst[inst->arg[1]];
    const double literal = b->kind == FSR_INST_CONST ? fsr_value_to_double(b->dtype, b->value) : 0;
    return a->kind != FSR_INST_CONST && (literal < 0 || literal > 0);
}

bool fsr_value_shares_angle(const fsr_kernel *k, int v) {
    const fsr_inst *inst = &k->inst[v];
    if (inst->kind != FSR_INST_OP || !(fsr_op_get(inst->op)->flags & FSR_OP_OF_ANGLE) || inst->compute != FSR_F32)
        return false;
    for (int i = 0; i < k->ninsts; i++) {
        const fsr_inst *other = &k->inst[i];
        if (i != v && other->kind == FSR_INST_OP && (fsr_op_get(other->op)->flags & FSR_OP_OF_ANGLE) &&
            other->compute == FSR_F32 && other->arg[0] == inst->arg[0])
            return true;
    }
    return false;
}
