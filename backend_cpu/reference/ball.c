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
#include "backend_cpu/reference/ball.h"
#include "backend_cpu/reference/rules.h"
#include <float.h>
#include <math.h>

#define SLACK 1.01
#define SUBNORMALS 4.0
#define RADIUS_SLACK 0x1p-49 /* the radii are doubles themselves */

/* What the float dtypes are: digits of the significand, the exponent (frexp's) of the least normal number, and what
 * rounds to infinity. */
typedef struct format {
    int digits, lowest;
    long double limit;
} format;

static format format_of(fsr_dtype dtype) {
    switch (dtype) {
    case FSR_F16: return (format){11, -13, 65520};
    case FSR_BF16: return (format){8, FLT_MIN_EXP, 0x1.ffp127L};
    case FSR_F32: return (format){FLT_MANT_DIG, FLT_MIN_EXP, 0x1.ffffffp127L};
    default: return (format){DBL_MANT_DIG, DBL_MIN_EXP, 0x1.fffffffffffff8p1023L};
    }
}

static bool is_narrow(fsr_dtype dtype) {
    return dtype == FSR_F32 || fsr_dtype_is_half(dtype);
}

double fsr_ball_unit(fsr_dtype dtype) {
    const fsr_value v = {.bits = (uint64_t)(1023 - format_of(fsr_dtype_real(dtype)).digits) << 52};
    return v.f64;
}

long double fsr_ball_limit(fsr_dtype dtype) {
    return format_of(fsr_dtype_real(dtype)).limit;
}

long double fsr_ball_integers(fsr_dtype dtype) {
    return (long double)(INT64_C(1) << format_of(fsr_dtype_real(dtype)).digits);
}

/* From the exponent's bits: this runs for every op on every element. */
double fsr_ball_ulp(fsr_dtype dtype, long double x) {
    const format f = format_of(fsr_dtype_real(dtype));
    const int digits = f.digits, lowest = f.lowest;
    fsr_value v = {.f64 = (double)x};
    int exponent = (int)(v.bits >> 52 & 2047) - 1022;
    int power = (exponent > lowest ? exponent : lowest) - digits;
    if (power < DBL_MIN_EXP)
        return ldexp(1.0, power);
    v.bits = (uint64_t)(power + 1023) << 52;
    return v.f64;
}

/* ---- making and rounding --------------------------------------------------------------------- */

fsr_ball fsr_ball_from_value(fsr_dtype dtype, fsr_value value) {
    if (fsr_dtype_is_complex(dtype)) {
        fsr_c128 z = fsr_value_to_complex(dtype, value);
        return (fsr_ball){z.re, 0, z.im};
    }
    if (dtype == FSR_I64)
        return fsr_ball_real((long double)value.i64, 0);
    if (dtype == FSR_U64)
        return fsr_ball_real((long double)value.u64, 0);
    return fsr_ball_real(fsr_value_to_double(dtype, value), 0);
}

fsr_ball fsr_ball_unknown(fsr_dtype dtype) {
    return fsr_ball_real(0, dtype == FSR_BOOL ? 1 : INFINITY);
}

fsr_value fsr_ball_value(fsr_dtype dtype, long double x) {
    if (dtype == FSR_F32)
        return fsr_value_from_float((float)x);
    if (dtype == FSR_U64)
        return fsr_value_from_unsigned(dtype, (uint64_t)x);
    return fsr_dtype_is_float(dtype) ? fsr_value_from_double(dtype, (double)x) : fsr_value_from_int(dtype, (int64_t)x);
}

static fsr_value round_complex(fsr_dtype dtype, const fsr_ball *x, double *bound) {
    fsr_value value = fsr_ball_center_value(dtype, x);
    fsr_ball rounded = fsr_ball_from_value(dtype, value);
    double moved = (double)hypotl(rounded.center - x->center, rounded.imag - x->imag);
    *bound = x->radius + (x->radius > 0 && isfinite(moved) ? moved : 0);
    return value;
}

fsr_value fsr_ball_round(fsr_dtype dtype, const fsr_ball *x, double *bound) {
    if (fsr_dtype_is_complex(dtype))
        return round_complex(dtype, x, bound);
    fsr_value value = fsr_ball_value(dtype, x->center);
    *bound = x->radius;
    if (x->radius > 0)
        *bound += (double)fabsl(fsr_ball_from_value(dtype, value).center - x->center);
    return value;
}

static void int_range(fsr_dtype dtype, long double *low, long double *high) {
    const int bits = dtype == FSR_BOOL ? 1 : 8 * (int)fsr_dtype_size(dtype);
    const bool sign = dtype != FSR_BOOL && !fsr_dtype_is_unsigned(dtype);
    const uint64_t most = UINT64_MAX >> (64 - bits + sign);
    *low = sign ? -(long double)most - 1 : 0;
    *high = (long double)most;
}

fsr_ball fsr_ball_settle(fsr_dtype dtype, long double center, double radius) {
    if (isnan(radius) || isinf(radius))
        return fsr_ball_unknown(dtype);
    if (!fsr_dtype_is_float(dtype)) {
        long double low, high;
        int_range(dtype, &low, &high);
        if (dtype != FSR_BOOL && (center - radius < low || center + radius > high))
            return fsr_ball_unknown(dtype);
        return fsr_ball_real(center, radius);
    }
    if (isnan(center) || isinf(center))
        return fsr_ball_real(center, 0);
    long double limit = fsr_ball_limit(dtype);
    if (fabsl(center) - radius >= limit)
        return fsr_ball_real(copysignl(INFINITY, center), 0);
    if (fabsl(center) + radius >= limit)
        return fsr_ball_unknown(dtype);
    return fsr_ball_real(center, radius);
}

long double fsr_ball_wide(fsr_op op, fsr_dtype compute, const long double *x) {
    if (is_narrow(compute))
        return fsr_op_ref_double(op, (double)x[0], (double)x[1], (double)x[2]);
    return fsr_op_ref_wide(op, x[0], x[1], x[2]);
}

/* A real zero, if it is known, loses its sign. */
static void lose_sign(fsr_ball *zero) {
    if (zero->radius == 0) {
        zero->center = 0;
        zero->radius = -0.0;
    }
}

/* One op on known operands; the result is known. */
static fsr_ball eval_known(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_value args[3] = {{.bits = 0}};
    for (int i = 0; i < info->arity; i++)
        args[i] = fsr_ball_value(info->rule == FSR_RULE_SELECT && i == 0 ? FSR_BOOL : compute, x[i].center);
    return fsr_ball_from_value(result, fsr_op_eval(op, compute, result, args));
}

bool fsr_ball_gives_value(fsr_op op, fsr_dtype compute, fsr_dtype result) {
    const fsr_op_info *info = fsr_op_get(op);
    return compute == result && (compute == FSR_F32 || compute == FSR_F64) && info->rule != FSR_RULE_CAST &&
           !(info->flags & FSR_OP_EXACT);
}

long double fsr_ball_center(fsr_op op, fsr_dtype compute, fsr_dtype result, const long double *x) {
    const fsr_rule rule = fsr_op_get(op)->rule;
    if (fsr_dtype_is_float(compute) && rule != FSR_RULE_CAST)
        return fsr_op_ref_wide(op, x[0], x[1], x[2]);
    if (rule == FSR_RULE_CAST && fsr_dtype_is_float(compute) && fsr_dtype_is_float(result))
        return x[0];
    return eval_known(op, compute, result,
                      (fsr_ball[3]){fsr_ball_real(x[0], 0), fsr_ball_real(x[1], 0), fsr_ball_real(x[2], 0)})
        .center;
}

/* ---- propagation ------------------------------------------------------------------------------- */

/* No less than x. Counter-example to rounding: the greater of 0 +- 1 and 0.001 is then not 1 for certain. */
static double upwards(long double x) {
    const double near = (double)x;
    return (long double)near < x ? nextafter(near, INFINITY) : near;
}

double fsr_ball_corners(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, long double *center) {
    long double at[3] = {x[0].center, x[1].center, x[2].center};
    *center = fsr_ball_wide(op, compute, at);
    double radius = 0;
    for (int corner = 0; corner < 1 << arity; corner++) {
        for (int i = 0; i < arity; i++)
            at[i] = x[i].center + (corner >> i & 1 ? 1 : -1) * (long double)x[i].radius;
        long double value = fsr_ball_wide(op, compute, at);
        if (isnan(value) && isnan(*center))
            continue;
        if (isnan(value) || isnan(*center) || ((isinf(value) || isinf(*center)) && value != *center))
            return INFINITY;
        if (value != *center)
            radius = fmax(radius, upwards(fabsl(value - *center)));
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

/* propagate where an operand is infinite or NaN. The corners say nothing of a point between them where the result is
 * another one: heaviside(0 +- 1, NaN) is 0 and 1 at the ends, and NaN at 0. */
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

/* The part of the radius that comes from the operands' radii, not all of which are 0. All of these are finite. */
static double propagate(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, long double *center) {
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

/* The op's own error (for f16 and bf16 that of f32 and the rounding of it) for a result of this magnitude. */
static double own_error(fsr_op op, fsr_dtype dtype, long double magnitude, long double argument) {
    const fsr_op_info *info = fsr_op_get(op);
    double ulp = fsr_ball_ulp(dtype, magnitude);
    const fsr_dtype within = fsr_dtype_is_half(dtype) ? FSR_F32 : dtype;
    if (info->flags & FSR_OP_EXACT)
        return 0.5 * SLACK * ulp + (op == FSR_OP_FLOOR_DIVIDE ? quotient_off(within, magnitude) : 0);
    double error = SLACK * info->ulp * fsr_ball_ulp(within, magnitude) + SUBNORMALS * fsr_ball_ulp(within, 0);
    return error + fsr_ball_own(op, within, argument) + (within != dtype ? 0.5 * SLACK * ulp : 0);
}

/* ---- the kinds of ops ---------------------------------------------------------------------------- */

/* Bool operands: all combinations of the unknown ones. */
static fsr_ball op_bools(fsr_op op, fsr_dtype result, int arity, const fsr_ball *x) {
    fsr_ball out = eval_known(op, FSR_BOOL, result, x);
    for (int choice = 1; choice < 1 << arity; choice++) {
        fsr_ball y[3] = {x[0], x[1], x[2]};
        bool possible = true;
        for (int i = 0; i < arity; i++)
            if (choice >> i & 1) {
                possible = possible && x[i].radius != 0;
                y[i].center = x[i].center == 0;
            }
        if (possible && eval_known(op, FSR_BOOL, result, y).center != out.center)
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

/* Known if the answer is the same over the interval; a NaN has either sign. */
static fsr_ball op_test(fsr_op op, fsr_dtype compute, const fsr_ball *x) {
    const long double at[] = {x[0].center, x[0].center - x[0].radius, x[0].center + x[0].radius, -x[0].center};
    fsr_ball out = fsr_ball_real(0, isinf(x[0].radius) ? 1 : 0);
    for (int i = 0; i < (isnan(x[0].center) ? 4 : 3) && out.radius == 0; i++) {
        fsr_ball there = fsr_ball_real(at[i], 0);
        long double answer = eval_known(op, compute, FSR_BOOL, &there).center;
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
    double radius = ((double)fabsl(yes.center - no.center) + no.radius) * (1 + RADIUS_SLACK);
    return fsr_ball_settle(dtype, yes.center, fmax(radius, yes.radius));
}

static long double truncate_to(fsr_dtype to, long double x) {
    long double low, high;
    int_range(to, &low, &high);
    return x <= low ? low : x >= high ? high : truncl(x);
}

void fsr_ball_ends(fsr_dtype dtype, fsr_ball x, long double *low, long double *high) {
    long double least, greatest;
    *low = x.center - x.radius;
    *high = x.center + x.radius;
    if (fsr_dtype_is_inexact(dtype))
        return;
    int_range(dtype, &least, &greatest);
    *low = *low < least ? least : *low;
    *high = *high > greatest ? greatest : *high;
}

static fsr_ball cast_to_int(fsr_dtype to, fsr_dtype from, fsr_ball x) {
    long double low, high, least, greatest;
    fsr_ball_ends(from, x, &low, &high);
    if (fsr_dtype_is_float(from)) {
        long double center = truncate_to(to, x.center);
        long double below = center - truncate_to(to, low), above = truncate_to(to, high) - center;
        return fsr_ball_real(center, upwards(below > above ? below : above));
    }
    int_range(to, &least, &greatest);
    return low < least || high > greatest ? fsr_ball_unknown(to) : x;
}

/* Every number of `from` is one of `to`. */
static bool holds(fsr_dtype to, fsr_dtype from) {
    const format f = format_of(from), t = format_of(to);
    return t.digits >= f.digits && t.lowest <= f.lowest;
}

static fsr_ball op_cast(fsr_dtype to, fsr_dtype from, fsr_ball x) {
    if (x.radius == 0)
        return eval_known(FSR_OP_CAST, from, to, &x);
    if (to == FSR_BOOL)
        return fabsl(x.center) > x.radius ? fsr_ball_real(1, 0) : fsr_ball_real(x.center != 0, 1);
    if (isinf(x.radius))
        return fsr_ball_unknown(to);
    if (!fsr_dtype_is_float(to))
        return cast_to_int(to, from, x);
    long double magnitude = fabsl(x.center) + x.radius;
    bool rounds = fsr_dtype_is_float(from) ? !holds(to, from) : magnitude > fsr_ball_integers(to);
    return fsr_ball_settle(to, x.center, x.radius + (rounds ? 0.5 * SLACK * fsr_ball_ulp(to, magnitude) : 0));
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
        out = eval_known(op, dtype, dtype, x);
        if (out.center == 0 && either_zero(op, dtype, arity, x))
            lose_sign(&out);
    } else {
        long double center;
        double radius = 0;
        if (largest == 0)
            center = fsr_ball_wide(op, dtype, (long double[3]){x[0].center, x[1].center, x[2].center});
        else
            radius = propagate(op, dtype, arity, x, &center);
        if (isfinite(center) && !isinf(radius) && fsr_dtype_is_float(dtype) && !fsr_ball_selects(op))
            radius += radius * RADIUS_SLACK + own_error(op, dtype, fabsl(center) + radius, x[0].center);
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
    if (info->rule == FSR_RULE_COUNT)
        return y[0].radius == 0 ? eval_known(op, compute, result, y) : fsr_ball_unknown(result);
    if (info->rule == FSR_RULE_WORDS)
        return y[0].radius == 0 && y[1].radius == 0 && y[2].radius == 0 ? eval_known(op, compute, result, y)
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
