/* SPDX-License-Identifier: MIT */
/* Ball arithmetic of the scalar ops: how far a correct backend may be from the wide result.
 *
 * An op's value is the REF column's, evaluated wide on the centres. Its radius is what the operands' radii can do to
 * it, plus the op's own rounding. The default for the first part is to evaluate the op at the corners of the operands'
 * intervals: right for every op that is monotone in each operand (exp, sqrt, floor, min, max, casts ...). The others
 * have a rule here or in rules.c: sums and products (formulas, cheaper than corners), division (unknown when
 * the divisor may be 0), sin and cos (slope at most 1), pow (unknown when the base may be negative, or may be 1 under
 * an infinite or NaN exponent: 1 to any power is 1, its neighbours give 0, infinity or NaN), equality (not monotone).
 * A zero that a fold leaves may have either sign. An op on it is evaluated for both: 1 / 0 is unknown, 2 + 0 is not.
 * Constants: 1% is added to each rounding term, for the wide arithmetic's own error (at most 2^-9 of it); inexact ops
 * get four of the smallest subnormals; sin and cos of more than 1 get 2^-20 units more, where a zero lies between two
 * arguments. */
#include "backend_cpu/reference/rules.h"
#include <math.h>

/* A real zero, if it is known, loses its sign. */
static void lose_sign(fsr_ball *zero) {
    if (zero->radius == 0) {
        zero->center = 0;
        zero->radius = -0.0;
    }
}

/* Bool operands: all combinations of the unknown ones. */
static fsr_ball op_bools(fsr_op op, fsr_dtype result, int arity, const fsr_ball *x) {
    fsr_ball out = fsr_ball_known(op, FSR_BOOL, result, x);
    for (int choice = 1; choice < 1 << arity; choice++) {
        fsr_ball y[3] = {x[0], x[1], x[2]};
        bool possible = true;
        for (int i = 0; i < arity; i++)
            if (choice >> i & 1) {
                possible = possible && x[i].radius != 0;
                y[i].center = x[i].center == 0;
            }
        if (possible && fsr_ball_known(op, FSR_BOOL, result, y).center != out.center)
            out.radius = 1;
    }
    return out;
}

static bool certain_nan(fsr_ball x) {
    return isnan(x.center) && x.radius == 0;
}

/* Comparisons: known if the operands are, if one is NaN, or if the intervals do not touch. */
static fsr_ball op_compare(fsr_op op, const fsr_ball *x) {
    bool nan = certain_nan(x[0]) || certain_nan(x[1]);
    long double value = fsr_op_ref_wide(op, x[0].center, x[1].center, 0);
    double reach = x[0].radius + x[1].radius;
    if (nan || reach == 0 || fabsl(x[0].center - x[1].center) > reach)
        return fsr_ball_real(value, 0);
    return fsr_ball_real(value, 1);
}

/* Known if the answer is the same over the interval, where an end at 0 is a zero of either sign; a NaN has either
 * sign. */
static fsr_ball op_test(fsr_op op, fsr_dtype compute, const fsr_ball *x) {
    const long double center = x[0].center, low = center - x[0].radius, high = center + x[0].radius;
    const bool zero = x[0].radius > 0 && (low == 0 || high == 0);
    const long double at[] = {center, low, high, isnan(center) ? -center : low == 0 ? -low : -high};
    fsr_ball out = fsr_ball_real(0, isinf(x[0].radius) ? 1 : 0);
    for (int i = 0; i < (isnan(center) || zero ? 4 : 3) && out.radius == 0; i++) {
        fsr_ball there = fsr_ball_real(at[i], 0);
        long double answer = fsr_ball_known(op, compute, FSR_BOOL, &there).center;
        out = i && answer != out.center ? fsr_ball_real(out.center, 1) : fsr_ball_real(answer, 0);
    }
    return out;
}

static fsr_ball op_select(fsr_dtype dtype, const fsr_ball *x) {
    fsr_ball yes = x[0].center != 0 ? x[1] : x[2], no = x[0].center != 0 ? x[2] : x[1];
    if (x[0].radius == 0)
        return yes;
    if (yes.radius == 0 && no.radius == 0 && (yes.center == no.center || (isnan(yes.center) && isnan(no.center))))
        return signbit(yes.center) == signbit(no.center) ? yes : fsr_ball_unsign(yes);
    if (!isfinite(yes.center) || !isfinite(no.center))
        return fsr_ball_unknown(dtype);
    double radius = ((double)fabsl(yes.center - no.center) + no.radius) * (1 + FSR_RADIUS_SLACK);
    return fsr_ball_settle(dtype, yes.center, fmax(radius, yes.radius));
}

static long double truncate_to(fsr_dtype to, long double x) {
    long double low, high;
    fsr_ball_range(to, &low, &high);
    return x <= low ? low : x >= high ? high : truncl(x);
}

void fsr_ball_ends(fsr_dtype dtype, fsr_ball x, long double *low, long double *high) {
    long double least, greatest;
    *low = x.center - x.radius;
    *high = x.center + x.radius;
    if (fsr_dtype_is_inexact(dtype))
        return;
    fsr_ball_range(dtype, &least, &greatest);
    *low = *low < least ? least : *low;
    *high = *high > greatest ? greatest : *high;
}

static fsr_ball cast_to_int(fsr_dtype to, fsr_dtype from, fsr_ball x) {
    long double low, high, least, greatest;
    fsr_ball_ends(from, x, &low, &high);
    if (fsr_dtype_is_float(from)) {
        long double center = truncate_to(to, x.center);
        long double below = center - truncate_to(to, low), above = truncate_to(to, high) - center;
        return fsr_ball_real(center, fsr_ball_upwards(below > above ? below : above));
    }
    fsr_ball_range(to, &least, &greatest);
    return low < least || high > greatest ? fsr_ball_unknown(to) : x;
}

static fsr_ball op_cast(fsr_dtype to, fsr_dtype from, fsr_ball x) {
    if (x.radius == 0)
        return fsr_ball_known(FSR_OP_CAST, from, to, &x);
    if (to == FSR_BOOL)
        return fabsl(x.center) > x.radius ? fsr_ball_real(1, 0) : fsr_ball_real(x.center != 0, 1);
    if (isinf(x.radius))
        return fsr_ball_unknown(to);
    if (!fsr_dtype_is_float(to))
        return cast_to_int(to, from, x);
    long double magnitude = fabsl(x.center) + x.radius;
    bool rounds = fsr_dtype_is_float(from) ? !fsr_ball_holds(to, from) : magnitude > fsr_ball_integers(to);
    return fsr_ball_settle(to, x.center, x.radius + (rounds ? 0.5 * FSR_BALL_SLACK * fsr_ball_ulp(to, magnitude) : 0));
}

static bool small_integer(fsr_dtype dtype, long double x) {
    return fabsl(x) <= fsr_ball_integers(dtype) && (long double)(int64_t)x == x;
}

/* A product that may be kept unrounded. */
static bool is_unrounded(fsr_op op, fsr_ball_mode mode) {
    return mode == FSR_BALL_CONTRACTED && (op == FSR_OP_MUL || op == FSR_OP_SQUARE);
}

/* The result on known operands is known as well. */
static bool stays_known(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, fsr_ball_mode mode) {
    if (!fsr_dtype_is_float(compute) || fsr_ball_selects(op))
        return true;
    if (!(fsr_op_get(op)->flags & FSR_OP_EXACT))
        return false;
    if (mode != FSR_BALL_FOLD && !is_unrounded(op, mode))
        return true;
    for (int i = 0; i < arity; i++)
        if (!small_integer(compute, x[i].center))
            return false;
    return small_integer(compute, fsr_op_ref_wide(op, x[0].center, x[1].center, x[2].center));
}

/* Ops that give either of two zeros: a known result 0 has then no sign. */
static bool either_zero(fsr_op op, fsr_dtype dtype, int arity, const fsr_ball *x) {
    if (!fsr_dtype_is_float(dtype) || (op != FSR_OP_FMAX && op != FSR_OP_FMIN && op != FSR_OP_CLAMP))
        return false;
    bool plus = false, minus = false;
    for (int i = 0; i < arity; i++) {
        plus = plus || (x[i].center == 0 && !signbit(x[i].center));
        minus = minus || (x[i].center == 0 && signbit(x[i].center));
    }
    return plus && minus;
}

/* An operand's radius; INFINITY: nothing is known of the result. */
static double largest_radius(fsr_op op, fsr_dtype dtype, int arity, const fsr_ball *x) {
    double largest = 0;
    for (int i = 0; i < arity; i++)
        largest = x[i].radius > largest ? x[i].radius : largest;
    const bool hopeless =
        (largest > 0 && fsr_ball_needs_known(op, dtype)) || (op == FSR_OP_COPYSIGN && isnan(x[1].center));
    return hopeless ? INFINITY : largest;
}

static fsr_ball op_numeric(fsr_op op, fsr_dtype dtype, int arity, const fsr_ball *x, fsr_ball_mode mode) {
    const double largest = largest_radius(op, dtype, arity, x);
    fsr_ball out;
    if (isinf(largest)) {
        out = fsr_ball_unknown(dtype);
    } else if (largest == 0 && (fsr_ball_needs_known(op, dtype) || stays_known(op, dtype, arity, x, mode))) {
        out = fsr_ball_known(op, dtype, dtype, x);
        if (out.center == 0 && either_zero(op, dtype, arity, x))
            lose_sign(&out);
    } else {
        long double center = NAN;
        double radius = 0;
        if (largest == 0)
            center = fsr_ball_wide(op, dtype, (long double[3]){x[0].center, x[1].center, x[2].center});
        else
            radius = fsr_ball_propagate(op, dtype, arity, x, &center);
        if (isfinite(center) && !isinf(radius) && fsr_dtype_is_float(dtype) && !fsr_ball_selects(op))
            radius += radius * FSR_RADIUS_SLACK + fsr_ball_error(op, dtype, fabsl(center) + radius, x[0].center);
        out = fsr_ball_settle(dtype, center, radius);
        if (is_unrounded(op, mode) && isinf(out.center) && isfinite(center))
            out = fsr_ball_unknown(dtype);
    }
    return out;
}

static fsr_ball op_signed(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *y, fsr_ball_mode mode) {
    const fsr_op_info *info = fsr_op_get(op);
    if (info->rule == FSR_RULE_CAST)
        return op_cast(result, compute, y[0]);
    if (compute == FSR_BOOL)
        return op_bools(op, result, info->arity, y);
    if (info->rule == FSR_RULE_COMPARE)
        return op_compare(op, y);
    if (info->rule == FSR_RULE_TEST)
        return op_test(op, compute, y);
    if (info->rule == FSR_RULE_SELECT)
        return op_select(result, y);
    if (info->rule == FSR_RULE_COUNT || info->rule == FSR_RULE_KEY || info->rule == FSR_RULE_KEYED)
        return y[0].radius == 0 ? fsr_ball_known(op, compute, result, y) : fsr_ball_unknown(result);
    if (info->rule == FSR_RULE_WORDS)
        return y[0].radius == 0 && y[1].radius == 0 && y[2].radius == 0 ? fsr_ball_known(op, compute, result, y)
                                                                        : fsr_ball_unknown(result);
    if (info->rule == FSR_RULE_EXPONENT)
        return fsr_ball_exponent(y[0]);
    return op_numeric(op, compute, info->arity, y, mode);
}

/* What both may be. */
static fsr_ball join(fsr_dtype dtype, fsr_ball a, fsr_ball b) {
    bool equal = a.center == b.center || (isnan(a.center) && isnan(b.center));
    if (!equal || a.radius != b.radius)
        return fsr_ball_unknown(dtype);
    bool unsign = fsr_ball_unsigned(b) || (a.center == 0 && signbit(a.center) != signbit(b.center));
    return unsign ? fsr_ball_unsign(a) : a;
}

/* The op for each sign of the zeros of either sign, the operands from `at` on. */
static fsr_ball op_signs(fsr_op op, fsr_dtype compute, fsr_dtype result, fsr_ball *y, int at, fsr_ball_mode mode) {
    while (at < 3 && !fsr_ball_unsigned(y[at]))
        at++;
    if (at == 3)
        return op_signed(op, compute, result, y, mode);
    fsr_ball out[2];
    for (int minus = 0; minus < 2; minus++) {
        y[at] = fsr_ball_real(minus ? -0.0L : 0.0L, 0);
        out[minus] = op_signs(op, compute, result, y, at + 1, mode);
        y[at].radius = -0.0;
    }
    return join(result, out[0], out[1]);
}

fsr_ball fsr_ball_op(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x, fsr_ball_mode mode) {
    const int arity = fsr_op_get(op)->arity;
    if (fsr_dtype_is_complex(compute) || fsr_dtype_is_complex(result))
        return fsr_ball_complex(op, compute, result, x, mode);
    fsr_ball y[3];
    bool exact = true;
    fsr_balls_copy(y, x, arity);
    for (int i = 0; i < arity; i++)
        exact = exact && x[i].radius == 0;
    for (int i = arity; i < 3; i++)
        y[i].center = y[i].imag = y[i].radius = 0;
    fsr_ball out = op_signs(op, compute, result, y, 0, mode);
    if (!exact && fsr_dtype_is_float(result) && out.center == 0)
        lose_sign(&out);
    return out;
}
