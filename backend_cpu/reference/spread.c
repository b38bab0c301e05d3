/* SPDX-License-Identifier: MIT */
/* How far the operands' radii move a result, and an op's own error; see ball_op.c. Rules for single ops are
 * rules.c's. */
#include "backend_cpu/reference/rules.h"
#include <math.h>

#define SUBNORMALS 4.0

/* An interval that ends at 0. */
static bool ends_at_zero(int arity, const fsr_ball *x) {
    for (int i = 0; i < arity; i++)
        if (x[i].radius > 0 && fabsl(x[i].center) == x[i].radius)
            return true;
    return false;
}

/* The operands at a corner. Bits of it: the upper end of each operand, then the zero of the other sign where that end
 * is 0. */
static void corner_of(int corner, int arity, const fsr_ball *x, long double *at) {
    for (int i = 0; i < arity; i++) {
        at[i] = x[i].center + (corner >> i & 1 ? 1 : -1) * (long double)x[i].radius;
        if (at[i] == 0 && x[i].radius > 0 && corner >> (arity + i) & 1)
            at[i] = -at[i];
    }
}

double fsr_ball_corners(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, long double *center) {
    long double at[3] = {x[0].center, x[1].center, x[2].center};
    const int corners = 1 << (ends_at_zero(arity, x) ? 2 * arity : arity);
    *center = fsr_ball_wide(op, compute, at);
    double radius = 0;
    for (int corner = 0; corner < corners; corner++) {
        corner_of(corner, arity, x, at);
        long double value = fsr_ball_wide(op, compute, at);
        if (isnan(value) && isnan(*center))
            continue;
        if (isnan(value) || isnan(*center) || ((isinf(value) || isinf(*center)) && value != *center))
            return INFINITY;
        if (value != *center)
            radius = fmax(radius, fsr_ball_upwards(fabsl(value - *center)));
    }
    return radius;
}

/* A base that may be 0 or negative is only well-behaved under a known exponent that is a positive integer. */
static bool pow_unknown(const fsr_ball *x) {
    if (x[0].center - x[0].radius > 0)
        return false;
    bool integer = x[1].radius == 0 && x[1].center > 0 && truncl(x[1].center) == x[1].center;
    return !integer;
}

/* One operand is infinite or NaN, the other inexact. */
static bool pow_unknown_limit(const fsr_ball *x) {
    if (!isfinite(x[0].center))
        return x[1].radius > 0 && (fsr_ball_may_be(x[1], 0) || x[0].center < 0);
    return x[0].radius > 0 && (pow_unknown(x) || fsr_ball_may_be(x[0], 1) || fsr_ball_may_be(x[0], -1));
}

/* fsr_ball_propagate where an operand is infinite or NaN. The corners say nothing of a point between them where the
 * result is another one: heaviside(0 +- 1, NaN) is 0 and 1 at the ends, and NaN at 0. */
static double propagate_limit(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, long double *center) {
    switch (op) {
    case FSR_OP_HEAVISIDE:
    case FSR_OP_COPYSIGN:
    case FSR_OP_FLOOR_DIVIDE: return fsr_ball_carry(op, compute, x, center);
    case FSR_OP_POW:
        if (pow_unknown_limit(x))
            return INFINITY;
        return fsr_ball_corners(op, compute, arity, x, center);
    default: return fsr_ball_corners(op, compute, arity, x, center);
    }
}

double fsr_ball_propagate(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, long double *center) {
    const long double a = x[0].center, b = x[1].center, c = x[2].center;
    const double ra = x[0].radius, rb = x[1].radius, rc = x[2].radius;
    double radius;
    for (int i = 0; i < arity; i++)
        if (!isfinite(x[i].center))
            return propagate_limit(op, compute, arity, x, center);
    switch (op) {
    case FSR_OP_ADD:
    case FSR_OP_SUB: *center = op == FSR_OP_ADD ? a + b : a - b; return ra + rb;
    case FSR_OP_SQUARE: *center = a * a; return (double)(2 * fabsl(a)) * ra + ra * ra;
    case FSR_OP_MUL:
    case FSR_OP_FMA:
        *center = fsr_ball_wide(op, compute, (long double[3]){a, b, c});
        return (double)(fabsl(a) * rb + fabsl(b) * ra) + ra * rb + (op == FSR_OP_MUL ? 0 : rc);
    case FSR_OP_DIV:
        *center = a / b;
        if (fabsl(b) <= rb)
            return rb == 0 && fabsl(a) > ra ? 0 : INFINITY;
        return (double)((ra + fabsl(*center) * rb) / (fabsl(b) - rb));
    case FSR_OP_SIN:
    case FSR_OP_COS: *center = fsr_ball_wide(op, compute, (long double[3]){a, 0, 0}); return fmin(ra, 2);
    case FSR_OP_POW:
        if (pow_unknown(x))
            return INFINITY;
        radius = fsr_ball_corners(op, compute, arity, x, center);
        return isinf(*center) && fsr_ball_may_be(x[0], 0) ? INFINITY
                                                          : radius; /* inf at the ends, but 0 to that power is 0 */
    default: return fsr_ball_carry(op, compute, x, center);
    }
}

bool fsr_ball_selects(fsr_op op) {
    switch (op) {
    case FSR_OP_NEG:
    case FSR_OP_ABS:
    case FSR_OP_MAXIMUM:
    case FSR_OP_MINIMUM:
    case FSR_OP_FLOOR:
    case FSR_OP_CEIL:
    case FSR_OP_SIGN:
    case FSR_OP_HEAVISIDE:
    case FSR_OP_FMAX:
    case FSR_OP_FMIN:
    case FSR_OP_CLAMP:
    case FSR_OP_ROUND:
    case FSR_OP_RINT:
    case FSR_OP_TRUNC:
    case FSR_OP_COPYSIGN:
    case FSR_OP_FREXP_MANTISSA: return true;
    default: break;
    }
    fsr_rule rule = fsr_op_get(op)->rule;
    return rule == FSR_RULE_COMPARE || rule == FSR_RULE_LOGIC || rule == FSR_RULE_TEST || rule == FSR_RULE_SELECT;
}

/* NumPy's floor_divide is (a - fmod(a, b)) / b rounded to an integer: each of the two roundings moves it by an ulp of
 * the quotient at most, or a half, which counts from where half an integer is an ulp. 44040212 / -7 in f32 is 2 off. */
static double quotient_off(fsr_dtype dtype, long double magnitude) {
    const double ulp = fsr_ball_ulp(dtype, magnitude);
    return ulp < 0.5 ? 0 : fmax(1, 1.5 * ulp);
}

double fsr_ball_error(fsr_op op, fsr_dtype dtype, long double magnitude, long double argument) {
    const fsr_op_info *info = fsr_op_get(op);
    double ulp = fsr_ball_ulp(dtype, magnitude);
    const fsr_dtype within = fsr_dtype_is_half(dtype) ? FSR_F32 : dtype;
    if (info->flags & FSR_OP_EXACT)
        return 0.5 * FSR_BALL_SLACK * ulp + (op == FSR_OP_FLOOR_DIVIDE ? quotient_off(within, magnitude) : 0);
    double error = FSR_BALL_SLACK * info->ulp * fsr_ball_ulp(within, magnitude) + SUBNORMALS * fsr_ball_ulp(within, 0);
    return error + fsr_ball_own(op, within, argument) + (within != dtype ? 0.5 * FSR_BALL_SLACK * ulp : 0);
}
