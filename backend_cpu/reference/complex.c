/* SPDX-License-Identifier: MIT */
/* Ball arithmetic of complex numbers: disks.
 *
 * The radius bounds the modulus of the error: of (1 + 1e-9 j)^2 nobody can ask for all digits of each part, since a
 * part may be what two products leave. An exact op on known operands has one right answer here as well: its formula is
 * fixed (see fsr_op_exact). Other ops get units in the last place of the modulus, four more than of real operands; pow
 * more in proportion to |b log a|, the exponent that is rounded before exp.
 * Unknown: what follows from an infinity or a NaN by an op that rounds (its parts are held to NumPy's by vectors in
 * tests/numpy), results within a factor of 4 of overflow, what lies across a branch cut, where the sign of a zero
 * decides (of log, sqrt and pow the negative real axis), and exp2 where the angle has turned more than 100,000
 * times. */
#include "backend_cpu/reference/ball.h"
#include "graph/ref_complex.h"

#define SLACK 1.01
#define SUBNORMALS 4.0
#define MORE_ULP 4.0
#define LN2 0.6931471805599453
#define LN10 2.302585092994046

/* ---- helpers ------------------------------------------------------------------------------------- */

static long double _Complex center_of(fsr_ball x) {
    return CMPLXL(x.center, x.imag);
}

static double size_of(fsr_ball x) {
    return (double)hypotl(x.center, x.imag);
}

fsr_ball fsr_ball_settle_complex(fsr_dtype dtype, long double re, long double im, double radius) {
    long double limit = fsr_ball_limit(dtype) / 4;
    if (!isfinite(radius) || !isfinite(re) || !isfinite(im) || hypotl(re, im) + radius >= limit)
        return fsr_ball_unknown(dtype);
    return (fsr_ball){re, radius, im};
}

/* One op on known operands; the result is known. */
static fsr_ball eval_known(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_value args[3] = {{.bits = 0}};
    double none;
    for (int i = 0; i < info->arity; i++)
        args[i] = fsr_ball_round(info->rule == FSR_RULE_SELECT && i == 0 ? FSR_BOOL : compute, &x[i], &none);
    return fsr_ball_from_value(result, fsr_op_eval(op, compute, result, args));
}

/* A part of x as a ball of its own. */
static fsr_ball part(long double value, double radius) {
    return fsr_ball_real(value, radius == 0 && value != 0 ? 0 : radius);
}

/* The radius of a number of two parts with these; hypot would lose the sign of -0, which says that zeros have no
 * sign. */
static double joined_radius(double re, double im) {
    return re == 0 && im == 0 ? (signbit(re) || signbit(im) ? -0.0 : 0) : hypot(re, im);
}

/* ---- ops that do not round ------------------------------------------------------------------------ */

static fsr_ball op_cast(fsr_dtype to, fsr_dtype from, fsr_ball x) {
    if (to == FSR_BOOL)
        return fsr_ball_real(x.center != 0 || x.imag != 0, size_of(x) > x.radius || x.radius == 0 ? 0 : 1);
    fsr_ball re = part(x.center, x.radius), im = part(x.imag, x.radius);
    re = fsr_ball_op(FSR_OP_CAST, fsr_dtype_real(from), fsr_dtype_real(to), &re, FSR_BALL_STRICT);
    if (!fsr_dtype_is_complex(to))
        return re;
    im = fsr_ball_op(FSR_OP_CAST, fsr_dtype_real(from), fsr_dtype_real(to), &im, FSR_BALL_STRICT);
    double radius = fsr_dtype_is_complex(from) ? joined_radius(re.radius, im.radius) : re.radius;
    return (fsr_ball){re.center, radius, fsr_dtype_is_complex(from) ? im.center : 0};
}

static fsr_ball op_select(fsr_dtype dtype, const fsr_ball *x) {
    fsr_ball yes = x[0].center != 0 ? x[1] : x[2], no = x[0].center != 0 ? x[2] : x[1];
    if (x[0].radius == 0)
        return yes;
    if (!fsr_ball_finite(yes) || !fsr_ball_finite(no))
        return fsr_ball_unknown(dtype);
    const double apart = (double)hypotl(yes.center - no.center, yes.imag - no.imag) + no.radius;
    fsr_ball out = fsr_ball_settle_complex(dtype, yes.center, yes.imag, fmax(apart, yes.radius));
    const bool signs = signbit(yes.center) != signbit(no.center) || signbit(yes.imag) != signbit(no.imag);
    if (out.radius == 0)
        out.radius = signs || fsr_ball_unsigned(yes) || fsr_ball_unsigned(no) ? -0.0 : 0;
    return out;
}

static fsr_ball op_compare(fsr_op op, fsr_dtype compute, const fsr_ball *x) {
    fsr_ball out = eval_known(op, compute, FSR_BOOL, x);
    double reach = x[0].radius + x[1].radius;
    double apart = (double)hypotl(x[0].center - x[1].center, x[0].imag - x[1].imag);
    out.radius = reach == 0 || apart > reach ? 0 : 1;
    return out;
}

/* The op moves parts; false: it does more. */
static bool moves(fsr_op op, const fsr_ball *x, fsr_ball *out) {
    switch (op) {
    case FSR_OP_NEG: *out = (fsr_ball){-x[0].center, x[0].radius, -x[0].imag}; return true;
    case FSR_OP_CONJ: *out = (fsr_ball){x[0].center, x[0].radius, -x[0].imag}; return true;
    case FSR_OP_REAL: *out = part(x[0].center, x[0].radius); return true;
    case FSR_OP_IMAG: *out = part(x[0].imag, x[0].radius); return true;
    case FSR_OP_COMPLEX_OF:
        *out = (fsr_ball){x[0].center, joined_radius(x[0].radius, x[1].radius), x[1].center};
        return true;
    default: return false;
    }
}

/* ---- ops that round ------------------------------------------------------------------------------- */

/* The disk meets the negative real axis from both sides, or the side is not known. */
static bool crosses_cut(fsr_ball x) {
    return x.center - x.radius <= 0 && fabsl(x.imag) <= x.radius && (x.radius > 0 || signbit(x.radius));
}

static double propagate_pow(const fsr_ball *x, double value) {
    const double a = size_of(x[0]), ra = x[0].radius, b = size_of(x[1]), rb = x[1].radius;
    const bool whole = x[1].radius == 0 && x[1].imag == 0 && truncl(x[1].center) == x[1].center;
    if (ra > 0.25 * a || (crosses_cut(x[0]) && !whole))
        return INFINITY;
    double log_a = a > 0 ? (double)cabsl(clogl(center_of(x[0]))) : INFINITY;
    double by = (rb > 0 ? log_a * rb : 0) + (ra > 0 ? (b + rb) * 2 * ra / a : 0);
    return by == 0 ? 0 : by < 0.1 ? 2 * value * by : INFINITY;
}

/* The slope is 1 over the square of cosh, which over the disk is no smaller than sinh of the least real part, nor than
 * at the centre less what its own slope takes away. */
static double propagate_tanh(fsr_ball x) {
    const double re = (double)fabsl(x.center), r = x.radius;
    if (r == 0)
        return 0;
    const double far = re > r ? sinh(re - r) : 0;
    const double near = re < 300 ? (double)cabsl(ccoshl(center_of(x))) - r * cosh(re + r) : 0;
    const double least = fmax(far, near);
    return least > 0 ? r / least / least : INFINITY;
}

/* Whether the disk meets the branch cuts of an inverse function; both are outside of [-1, 1] on the real axis, acosh's
 * is all that lies left of 1, and those of asinh and atan are a quarter turn away. */
static bool crosses_inverse(fsr_op op, fsr_ball x) {
    switch (op) {
    case FSR_OP_ACOSH: return crosses_cut((fsr_ball){x.center - 1, x.radius, x.imag});
    case FSR_OP_ASINH:
    case FSR_OP_ATAN: return crosses_cut((fsr_ball){1 - fabsl(x.imag), x.radius, x.center});
    default: return crosses_cut((fsr_ball){1 - fabsl(x.center), x.radius, x.imag});
    }
}

/* The slope is 1 over (1 - z)(1 + z), or over its root; of asinh and atan at iz. */
static double propagate_inverse(fsr_op op, fsr_ball x) {
    const bool turned = op == FSR_OP_ASINH || op == FSR_OP_ATAN, root = op != FSR_OP_ATAN && op != FSR_OP_ATANH;
    const double r = x.radius, along = (double)(turned ? x.imag : x.center),
                 across = (double)(turned ? x.center : x.imag);
    const double before = hypot(1 - along, across), behind = hypot(1 + along, across);
    if (crosses_inverse(op, x) || (r > 0 && (before <= r || behind <= r)))
        return INFINITY;
    if (r == 0)
        return 0;
    const double slope = (before - r) * (behind - r);
    return r / (root ? sqrt(slope) : slope);
}

static double propagate_log1p(fsr_ball x) {
    const fsr_ball y = {x.center + 1, x.radius, x.imag};
    return size_of(y) <= y.radius || crosses_cut(y) ? INFINITY : y.radius / (size_of(y) - y.radius);
}

/* What the operands' radii do to a result of modulus value. */
static double propagate(fsr_op op, const fsr_ball *x, double value) {
    const double a = size_of(x[0]), ra = x[0].radius, b = size_of(x[1]), rb = x[1].radius;
    switch (op) {
    case FSR_OP_ADD:
    case FSR_OP_SUB: return ra + rb;
    case FSR_OP_MUL: return a * rb + b * ra + ra * rb;
    case FSR_OP_DIV: return b <= rb ? INFINITY : (ra + value * rb) / (b - rb);
    case FSR_OP_SQUARE: return 2 * a * ra + ra * ra;
    case FSR_OP_RECIPROCAL: return a <= ra ? INFINITY : ra / a / (a - ra);
    case FSR_OP_SIGN: return ra == 0 ? 0 : a <= ra ? INFINITY : 2 * ra / (a - ra);
    case FSR_OP_ANGLE: return a <= ra && ra > 0 ? INFINITY : crosses_cut(x[0]) ? INFINITY : ra == 0 ? 0 : 2 * ra / a;
    case FSR_OP_TANH: return propagate_tanh(x[0]);
    case FSR_OP_TAN: return propagate_tanh((fsr_ball){-x[0].imag, ra, x[0].center});
    case FSR_OP_ABS: return ra;
    case FSR_OP_EXP: return value * expm1(ra);
    case FSR_OP_EXP2: return value * expm1(ra * LN2);
    case FSR_OP_EXPM1: return (value + 1) * expm1(ra);
    case FSR_OP_LOG: return a <= ra || crosses_cut(x[0]) ? INFINITY : ra / (a - ra);
    case FSR_OP_LOG2: return a <= ra || crosses_cut(x[0]) ? INFINITY : ra / (a - ra) / LN2;
    case FSR_OP_LOG10: return a <= ra || crosses_cut(x[0]) ? INFINITY : ra / (a - ra) / LN10;
    case FSR_OP_LOG1P: return propagate_log1p(x[0]);
    case FSR_OP_ASIN:
    case FSR_OP_ACOS:
    case FSR_OP_ATAN:
    case FSR_OP_ASINH:
    case FSR_OP_ACOSH:
    case FSR_OP_ATANH: return propagate_inverse(op, x[0]);
    case FSR_OP_SQRT: return (a <= ra && ra > 0) || crosses_cut(x[0]) ? INFINITY : ra > 0 ? ra / sqrt(a - ra) : 0;
    case FSR_OP_SIN:
    case FSR_OP_COS: return ra * cosh((double)fabsl(x[0].imag) + ra);
    case FSR_OP_SINH:
    case FSR_OP_COSH: return ra * cosh((double)fabsl(x[0].center) + ra);
    case FSR_OP_POW: return propagate_pow(x, value);
    default: return ra + rb == 0 ? 0 : INFINITY;
    }
}

/* The op's own error in half units in the last place of the result's modulus. */
static double own_units(fsr_op op, const fsr_ball *x) {
    const double b = size_of(x[1]);
    switch (op) {
    case FSR_OP_ADD:
    case FSR_OP_SUB: return 1.5;
    case FSR_OP_SQUARE:
    case FSR_OP_MUL: return 3;
    case FSR_OP_RECIPROCAL:
    case FSR_OP_DIV: return 12;
    case FSR_OP_POW: return 2 * (MORE_ULP + 4 + 8 * b * (1 + (double)cabsl(clogl(center_of(x[0])))));
    default: return 2 * (fsr_op_get(op)->ulp + MORE_ULP);
    }
}

/* Intermediate results of the formula may overflow or vanish although the result does neither. */
static bool is_extreme(fsr_op op, fsr_dtype compute, const fsr_ball *x) {
    const double far = compute == FSR_C64 ? 0x1p+60 : 0x1p+500, b = size_of(x[1]);
    if (op == FSR_OP_DIV)
        return b > far || b < 1 / far || size_of(x[0]) > far;
    if (op == FSR_OP_RECIPROCAL)
        return size_of(x[0]) > far || size_of(x[0]) < 1 / far;
    if (op == FSR_OP_SQUARE)
        return size_of(x[0]) > sqrt((double)fsr_ball_limit(compute)) / 2;
    if (op == FSR_OP_MUL)
        return (double)fmaxl(size_of(x[0]), b) > (double)fsr_ball_limit(compute) / 4;
    if (op == FSR_OP_EXP2)
        return fabsl(x[0].imag) > 0x1p+20;
    if (op == FSR_OP_POW)
        return size_of(x[0]) > 0 && b * fabs(log(size_of(x[0]))) > (compute == FSR_C64 ? 80 : 350);
    return false;
}

static bool small_integer(fsr_dtype dtype, fsr_ball x) {
    const long double most = fsr_ball_integers(dtype) / 4;
    return fabsl(x.center) <= most && fabsl(x.imag) <= most && truncl(x.center) == x.center && truncl(x.imag) == x.imag;
}

/* Its formula has products and sums, which contraction may join. */
static bool multiplies(fsr_op op) {
    return op == FSR_OP_MUL || op == FSR_OP_SQUARE || op == FSR_OP_DIV || op == FSR_OP_RECIPROCAL;
}

/* The result on known operands is known as well. */
static bool stays_known(fsr_op op, fsr_dtype compute, const fsr_ball *x, fsr_ball_mode mode) {
    if (!fsr_op_exact(op, compute))
        return false;
    if (mode != FSR_BALL_FOLD && !(mode == FSR_BALL_CONTRACTED && multiplies(op)))
        return true;
    long double _Complex z = fsr_op_ref_complex(op, center_of(x[0]), center_of(x[1]), center_of(x[2]));
    return op != FSR_OP_DIV && op != FSR_OP_RECIPROCAL && small_integer(compute, x[0]) &&
           small_integer(compute, x[1]) && small_integer(compute, (fsr_ball){creall(z), 0, cimagl(z)});
}

static fsr_ball op_numeric(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x, fsr_ball_mode mode) {
    bool known = x[0].radius == 0 && x[1].radius == 0 && x[2].radius == 0;
    if (known && stays_known(op, compute, x, mode)) {
        fsr_ball out = eval_known(op, compute, result, x);
        out.radius = signbit(x[0].radius) || signbit(x[1].radius) ? -0.0 : 0;
        return fsr_ball_finite(out) || !signbit(out.radius) ? out : fsr_ball_unknown(result);
    }
    if (!fsr_ball_finite(x[0]) || !fsr_ball_finite(x[1]) || is_extreme(op, compute, x))
        return fsr_ball_unknown(result);
    long double _Complex z = fsr_op_ref_complex(op, center_of(x[0]), center_of(x[1]), center_of(x[2]));
    double value = (double)cabsl(z), radius = propagate(op, x, value);
    if (!isfinite(value) || !isfinite(radius))
        return fsr_ball_unknown(result);
    double unit = fsr_ball_unit(fsr_dtype_real(result));
    radius += SLACK * own_units(op, x) * unit * (value + radius) + SUBNORMALS * fsr_ball_ulp(result, 0);
    if (!fsr_dtype_is_complex(result))
        return fsr_ball_settle(result, creall(z), radius);
    return fsr_ball_settle_complex(result, creall(z), cimagl(z), radius);
}

fsr_ball fsr_ball_complex(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x, fsr_ball_mode mode) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_ball y[3] = {{.center = 0}}, out;
    if (info->rule == FSR_RULE_SELECT)
        return op_select(result, x);
    for (int i = 0; i < info->arity; i++) {
        y[i] = x[i];
        if (isinf(x[i].radius) || (x[i].radius != 0 && !fsr_ball_finite(x[i])))
            return fsr_ball_unknown(result);
    }
    if (info->rule == FSR_RULE_CAST)
        return op_cast(result, compute, y[0]);
    if (info->rule == FSR_RULE_COMPARE)
        return op_compare(op, compute, y);
    if (info->rule == FSR_RULE_TEST)
        return eval_known(op, compute, FSR_BOOL, y);
    return moves(op, y, &out) ? out : op_numeric(op, compute, result, y, mode);
}
