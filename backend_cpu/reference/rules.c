/* SPDX-License-Identifier: MIT */
/* How far the operands' radii carry, for ops that are not monotone in each operand.
 *
 *   tan               the corners, unless a pole lies between them
 *   asin, acos, atanh, erfinv   the corners, unless only some of the interval is within [-1, 1]
 *   cosh, lgamma, tgamma   the corners, and the one minimum where it lies between; gamma functions only right of 0
 *   hypot, atan2      their slopes: 1, and 1 over the distance from the origin; not across the cut of atan2
 *   floor_divide      the corners, unless the divisor may be 0
 *   mod, fmod         a - q b with the quotient q that all corners agree on, else unknown
 *   reciprocal, heaviside   the corners, unless the operand may be 0
 *   frexp, copysign, ldexp   the corners, unless exponent, sign or power is not certain
 * Ops on bits, nextafter, and the integer forms of division and power say nothing about operands that are not known.
 * Counter-examples to the corners everywhere: mod(6 +- 1, 3) is 2 and 1 at the corners and 0 in between; acos(3 +- 5)
 * is NaN at the corners and the centre. */
#include "backend_cpu/reference/rules.h"
#include <math.h>

#define PI 3.14159265358979323846264338327950288L
#define GAMMA_AT 1.46163214496836234126L /* where the gamma function is least */
#define GAMMA_LEAST 0.88560319441088870028L

bool fsr_ball_needs_known(fsr_op op, fsr_dtype compute) {
    const bool is_float = fsr_dtype_is_float(compute);
    switch (op) {
    case FSR_OP_NEXTAFTER: return true;
    case FSR_OP_POW:
    case FSR_OP_FLOOR_DIVIDE:
    case FSR_OP_MOD:
    case FSR_OP_FMOD:
    case FSR_OP_RECIPROCAL: return !is_float;
    default: return !is_float && !fsr_op_get(op)->c[FSR_CLASS_FLOAT];
    }
}

/* f at the corners of the first two operands' intervals is the same number, *at. */
static bool agree(long double (*f)(long double, long double), const fsr_ball *x, long double *at) {
    *at = f(x[0].center, x[1].center);
    for (int corner = 0; corner < 4; corner++) {
        long double a = x[0].center + (corner & 1 ? 1 : -1) * (long double)x[0].radius;
        long double b = x[1].center + (corner & 2 ? 1 : -1) * (long double)x[1].radius;
        if (f(a, b) != *at)
            return false;
    }
    return true;
}

static long double quotient_down(long double a, long double b) {
    return floorl(a / b);
}

static long double quotient_inwards(long double a, long double b) {
    return truncl(a / b);
}

static long double branch_of_tan(long double a, long double unused) {
    (void)unused;
    return floorl(a / PI + 0.5L);
}

/* Left of, in, or right of [-1, 1]. */
static long double side_of_unit(long double a, long double unused) {
    (void)unused;
    return a < -1 ? -1 : a > 1;
}

/* Left of, in, or right of [0, 1]: rayleigh is NaN on both sides. */
static long double side_of_positive(long double a, long double unused) {
    (void)unused;
    return a < 0 ? -1 : a > 1;
}

/* Exponent and sign. */
static long double octave(long double a, long double unused) {
    int exponent;
    (void)unused;
    frexpl(a, &exponent);
    return a == 0 ? 0 : copysignl(exponent + 100000.0L, a);
}

/* What one least value between the corners adds. */
static double with_least(fsr_ball x, long double at, long double least, long double center, double radius) {
    return fsr_ball_may_be(x, at) ? fmax(radius, (double)fabsl(center - least)) : radius;
}

static double carry_remainder(fsr_op op, fsr_dtype compute, const fsr_ball *x, long double *center) {
    long double q;
    if (fsr_ball_may_be(x[1], 0) || !agree(op == FSR_OP_MOD ? quotient_down : quotient_inwards, x, &q))
        return INFINITY;
    *center = fsr_ball_wide(op, compute, (long double[3]){x[0].center, x[1].center, 0});
    return x[0].radius + (double)fabsl(q) * x[1].radius;
}

static double carry_atan2(fsr_dtype compute, const fsr_ball *x, long double *center) {
    double distance = (double)hypotl(x[0].center, x[1].center) - hypot(x[0].radius, x[1].radius);
    *center = fsr_ball_wide(FSR_OP_ATAN2, compute, (long double[3]){x[0].center, x[1].center, 0});
    bool cut = x[0].radius > 0 && fsr_ball_may_be(x[0], 0) && x[1].center - x[1].radius <= 0;
    return cut || distance <= 0 ? INFINITY : (x[0].radius + x[1].radius) / distance;
}

double fsr_ball_carry(fsr_op op, fsr_dtype compute, const fsr_ball *x, long double *center) {
    const int arity = fsr_op_get(op)->arity;
    long double same;
    double radius;
    switch (op) {
    case FSR_OP_TAN: return agree(branch_of_tan, x, &same) ? fsr_ball_corners(op, compute, arity, x, center) : INFINITY;
    case FSR_OP_ASIN:
    case FSR_OP_ACOS:
    case FSR_OP_ATANH:
    case FSR_OP_ERFINV:
        return agree(side_of_unit, x, &same) ? fsr_ball_corners(op, compute, arity, x, center) : INFINITY;
    case FSR_OP_RAYLEIGH:
        return agree(side_of_positive, x, &same) ? fsr_ball_corners(op, compute, arity, x, center) : INFINITY;
    case FSR_OP_COSH:
        radius = fsr_ball_corners(op, compute, arity, x, center);
        return with_least(x[0], 0, 1, *center, radius);
    case FSR_OP_LGAMMA:
    case FSR_OP_TGAMMA:
        if (x[0].center <= x[0].radius)
            return INFINITY;
        radius = fsr_ball_corners(op, compute, arity, x, center);
        return with_least(x[0], GAMMA_AT, op == FSR_OP_TGAMMA ? GAMMA_LEAST : logl(GAMMA_LEAST), *center, radius);
    case FSR_OP_HYPOT:
        *center = fsr_ball_wide(op, compute, (long double[3]){x[0].center, x[1].center, 0});
        return x[0].radius + x[1].radius;
    case FSR_OP_ATAN2: return carry_atan2(compute, x, center);
    case FSR_OP_FLOOR_DIVIDE:
        return fsr_ball_may_be(x[1], 0) ? INFINITY : fsr_ball_corners(op, compute, arity, x, center);
    case FSR_OP_HEAVISIDE:
    case FSR_OP_RECIPROCAL:
        if (fsr_ball_may_be(x[0], 0) && (op == FSR_OP_RECIPROCAL || x[0].radius > 0))
            return INFINITY;
        return fsr_ball_corners(op, compute, arity, x, center);
    case FSR_OP_MOD:
    case FSR_OP_FMOD: return carry_remainder(op, compute, x, center);
    case FSR_OP_FREXP_MANTISSA:
        return agree(octave, x, &same) ? fsr_ball_corners(op, compute, arity, x, center) : INFINITY;
    case FSR_OP_COPYSIGN:
        if (x[1].radius > 0 && fsr_ball_may_be(x[1], 0))
            return INFINITY;
        return fsr_ball_corners(op, compute, arity, x, center);
    case FSR_OP_SINPI:
    case FSR_OP_COSPI:
        *center = fsr_ball_wide(op, compute, (long double[3]){x[0].center, 0, 0});
        return fmin(x[0].radius * (double)PI, 2);
    case FSR_OP_LDEXP: return x[1].radius > 0 ? INFINITY : fsr_ball_corners(op, compute, arity, x, center);
    default: return fsr_ball_corners(op, compute, arity, x, center);
    }
}

fsr_ball fsr_ball_exponent(fsr_ball x) {
    long double low = octave(x.center - x.radius, 0), high = octave(x.center + x.radius, 0);
    if (isinf(x.radius) || (x.radius > 0 && (low != high || fsr_ball_may_be(x, 0))))
        return fsr_ball_unknown(FSR_I32);
    int exponent = 0;
    if (isfinite(x.center))
        frexpl(x.center, &exponent);
    return fsr_ball_real(exponent, 0);
}

double fsr_ball_own(fsr_op op, fsr_dtype dtype, long double argument) {
    long double size = fabsl(argument);
    bool turns = op == FSR_OP_SIN || op == FSR_OP_COS || op == FSR_OP_TAN;
    if (turns && size > 1)
        return 0x1p-20 * fsr_ball_unit(dtype);
    if (op == FSR_OP_LOGADDEXP || op == FSR_OP_LOGADDEXP2)
        return 2 * fsr_op_get(op)->ulp * fsr_ball_unit(dtype);
    if (op == FSR_OP_LGAMMA && argument < 0)
        return 4 * fsr_ball_unit(dtype) * (double)(4 + size * log1pl(size));
    return 0;
}
