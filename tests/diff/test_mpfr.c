/* SPDX-License-Identifier: MIT */
/* A second oracle, by other hands: GNU MPFR, which rounds correctly at any precision.
 *
 * Every operation of the table that is a function of real numbers, of f32 and f64, at every pair of edge values and at
 * random bits, in 300 bits (exact operations in 2400, which hold every sum and product of two f64 whole):
 *   - the reference's value is the true one correctly rounded, or next to it by a hair (51/100 of a unit);
 *   - its bound holds the true value;
 *   - the compiled CPU backend is within the bound of the operation's row.
 * And sums, products, means and running sums against exact ones: the reference's bounds hold them, and the CPU backend
 * is within what docs/semantics.md allows.
 *
 * Without MPFR the program says so and is skipped. */
#include "tests/support/subject.h"

#ifndef FUSOR_TEST_MPFR

#include <stdio.h>

int main(void) {
    printf("skipped: built without MPFR (libmpfr-dev)\n");
    return 77;
}

#else

#include "backend_cpu/reference/ball.h"
#include "backend_cpu/reference/fold.h"
#include "backend_cpu/reference/rules.h"
#include "graph/graph.h"
#include "primitives/primitives.h"
#include "runtime/reference.h"
#include "tests/support/edges.h"
#include <math.h>
#include <mpfr.h>
#include <stdlib.h>
#include <string.h>

enum { BITS = 300, WHOLE_BITS = 2400 };
#define HAIR 0.51
#define SUBNORMALS 4.0

/* ---- the functions ----------------------------------------------------------------------------------------------- */

static void floor_of_quotient(mpfr_t out, const mpfr_t a, const mpfr_t b) {
    mpfr_div(out, a, b, MPFR_RNDD);
    mpfr_floor(out, out);
}

/* a - floor(a / b) b, with the sign of b, as Python's. */
static void modulo(mpfr_t out, const mpfr_t a, const mpfr_t b) {
    mpfr_fmod(out, a, b, MPFR_RNDN);
    if (!mpfr_zero_p(out) && !mpfr_nan_p(out) && mpfr_signbit(out) != mpfr_signbit(b))
        mpfr_add(out, out, b, MPFR_RNDN);
}

static void sigmoid(mpfr_t out, const mpfr_t a) {
    mpfr_neg(out, a, MPFR_RNDN);
    mpfr_exp(out, out, MPFR_RNDN);
    mpfr_add_ui(out, out, 1, MPFR_RNDN);
    mpfr_ui_div(out, 1, out, MPFR_RNDN);
}

/* log(e^a + e^b), log2(2^a + 2^b): the larger, and what the other adds to it. */
static void log_add(mpfr_t out, const mpfr_t a, const mpfr_t b, bool two) {
    mpfr_srcptr high = mpfr_greater_p(a, b) ? a : b, low = mpfr_greater_p(a, b) ? b : a;
    if (mpfr_nan_p(a) || mpfr_nan_p(b) || mpfr_inf_p(high) || mpfr_inf_p(low)) {
        (mpfr_nan_p(a) || mpfr_nan_p(b)) ? mpfr_set_nan(out) : mpfr_set(out, high, MPFR_RNDN);
        return;
    }
    mpfr_sub(out, low, high, MPFR_RNDN);
    two ? mpfr_exp2(out, out, MPFR_RNDN) : mpfr_exp(out, out, MPFR_RNDN);
    two ? (mpfr_add_ui(out, out, 1, MPFR_RNDN), mpfr_log2(out, out, MPFR_RNDN)) : mpfr_log1p(out, out, MPFR_RNDN);
    mpfr_add(out, out, high, MPFR_RNDN);
}

static void degrees(mpfr_t out, const mpfr_t a, bool from) {
    mpfr_const_pi(out, MPFR_RNDN);
    if (from)
        mpfr_div_ui(out, out, 180, MPFR_RNDN);
    else
        mpfr_ui_div(out, 180, out, MPFR_RNDN);
    mpfr_mul(out, out, a, MPFR_RNDN);
}

/* The remainder of two is exact. */
static void half_turns(mpfr_t out, const mpfr_t a, bool sine) {
    mpfr_t two, angle;
    mpfr_init2(two, 64);
    mpfr_init2(angle, 4 * WHOLE_BITS);
    mpfr_set_ui(two, 2, MPFR_RNDN);
    mpfr_fmod(out, a, two, MPFR_RNDN);
    mpfr_const_pi(angle, MPFR_RNDN);
    mpfr_mul(angle, angle, out, MPFR_RNDN);
    mpfr_mul_ui(two, out, 2, MPFR_RNDN);
    if (mpfr_integer_p(two) && (mpfr_get_si(two, MPFR_RNDN) % 2 != 0) != sine)
        mpfr_set_ui(out, 0, MPFR_RNDN);
    else if (sine)
        mpfr_sin(out, angle, MPFR_RNDN);
    else
        mpfr_cos(out, angle, MPFR_RNDN);
    mpfr_clear(two);
    mpfr_clear(angle);
}

static void log_gamma(mpfr_t out, const mpfr_t a) {
    int sign;
    mpfr_lgamma(out, &sign, a, MPFR_RNDN);
}

/* out = op(x[0], x[1], x[2]); false: the operation has no definition here. */
static bool arithmetic(fsr_op op, mpfr_t out, mpfr_t *x) {
    switch (op) {
    case FSR_OP_ADD: mpfr_add(out, x[0], x[1], MPFR_RNDN); return true;
    case FSR_OP_SUB: mpfr_sub(out, x[0], x[1], MPFR_RNDN); return true;
    case FSR_OP_MUL: mpfr_mul(out, x[0], x[1], MPFR_RNDN); return true;
    case FSR_OP_DIV: mpfr_div(out, x[0], x[1], MPFR_RNDN); return true;
    case FSR_OP_FMA:
        mpfr_mul(out, x[0], x[1], MPFR_RNDN);
        mpfr_add(out, out, x[2], MPFR_RNDN);
        return true;
    case FSR_OP_SQUARE: mpfr_sqr(out, x[0], MPFR_RNDN); return true;
    case FSR_OP_RECIPROCAL: mpfr_ui_div(out, 1, x[0], MPFR_RNDN); return true;
    case FSR_OP_SQRT: mpfr_sqrt(out, x[0], MPFR_RNDN); return true;
    case FSR_OP_FMOD: mpfr_fmod(out, x[0], x[1], MPFR_RNDN); return true;
    case FSR_OP_MOD: modulo(out, x[0], x[1]); return !mpfr_inf_p(x[1]);
    case FSR_OP_FLOOR_DIVIDE: /* NumPy's steps, which round, give the floor of quotients that they can tell apart */
        floor_of_quotient(out, x[0], x[1]);
        return mpfr_number_p(x[0]) && mpfr_number_p(x[1]) && mpfr_number_p(out) &&
               (mpfr_zero_p(out) || mpfr_get_exp(out) < 22);
    case FSR_OP_NEG: mpfr_neg(out, x[0], MPFR_RNDN); return true;
    case FSR_OP_ABS: mpfr_abs(out, x[0], MPFR_RNDN); return true;
    case FSR_OP_FLOOR: mpfr_floor(out, x[0]); return true;
    case FSR_OP_CEIL: mpfr_ceil(out, x[0]); return true;
    case FSR_OP_TRUNC: mpfr_trunc(out, x[0]); return true;
    case FSR_OP_RINT:
    case FSR_OP_ROUND: mpfr_roundeven(out, x[0]); return true;
    case FSR_OP_COPYSIGN: mpfr_copysign(out, x[0], x[1], MPFR_RNDN); return !mpfr_nan_p(x[1]);
    default: return false;
    }
}

static bool elementary(fsr_op op, mpfr_t out, mpfr_t *x) {
    mpfr_srcptr a = x[0], b = x[1];
    switch (op) {
    case FSR_OP_POW: mpfr_pow(out, a, b, MPFR_RNDN); return true;
    case FSR_OP_EXP: mpfr_exp(out, a, MPFR_RNDN); return true;
    case FSR_OP_EXP2: mpfr_exp2(out, a, MPFR_RNDN); return true;
    case FSR_OP_EXPM1: mpfr_expm1(out, a, MPFR_RNDN); return true;
    case FSR_OP_LOG: mpfr_log(out, a, MPFR_RNDN); return true;
    case FSR_OP_LOG2: mpfr_log2(out, a, MPFR_RNDN); return true;
    case FSR_OP_LOG10: mpfr_log10(out, a, MPFR_RNDN); return true;
    case FSR_OP_LOG1P: mpfr_log1p(out, a, MPFR_RNDN); return true;
    case FSR_OP_LOGADDEXP: log_add(out, a, b, false); return true;
    case FSR_OP_LOGADDEXP2: log_add(out, a, b, true); return true;
    case FSR_OP_RSQRT: mpfr_rec_sqrt(out, a, MPFR_RNDN); return !mpfr_zero_p(a);
    case FSR_OP_CBRT: mpfr_cbrt(out, a, MPFR_RNDN); return true;
    case FSR_OP_HYPOT: mpfr_hypot(out, a, b, MPFR_RNDN); return true;
    case FSR_OP_SIN: mpfr_sin(out, a, MPFR_RNDN); return true;
    case FSR_OP_COS: mpfr_cos(out, a, MPFR_RNDN); return true;
    case FSR_OP_TAN: mpfr_tan(out, a, MPFR_RNDN); return true;
    case FSR_OP_ASIN: mpfr_asin(out, a, MPFR_RNDN); return true;
    case FSR_OP_ACOS: mpfr_acos(out, a, MPFR_RNDN); return true;
    case FSR_OP_ATAN: mpfr_atan(out, a, MPFR_RNDN); return true;
    case FSR_OP_ATAN2: mpfr_atan2(out, a, b, MPFR_RNDN); return true;
    case FSR_OP_DEG2RAD: degrees(out, a, true); return true;
    case FSR_OP_RAD2DEG: degrees(out, a, false); return true;
    case FSR_OP_RAYLEIGH:
        mpfr_log(out, a, MPFR_RNDN);
        mpfr_mul_si(out, out, -2, MPFR_RNDN);
        mpfr_sqrt(out, out, MPFR_RNDN);
        return true;
    case FSR_OP_SINPI: half_turns(out, a, true); return true;
    case FSR_OP_COSPI: half_turns(out, a, false); return true;
    case FSR_OP_SINH: mpfr_sinh(out, a, MPFR_RNDN); return true;
    case FSR_OP_COSH: mpfr_cosh(out, a, MPFR_RNDN); return true;
    case FSR_OP_TANH: mpfr_tanh(out, a, MPFR_RNDN); return true;
    case FSR_OP_ASINH: mpfr_asinh(out, a, MPFR_RNDN); return true;
    case FSR_OP_ACOSH: mpfr_acosh(out, a, MPFR_RNDN); return true;
    case FSR_OP_ATANH: mpfr_atanh(out, a, MPFR_RNDN); return true;
    case FSR_OP_SIGMOID: sigmoid(out, a); return true;
    case FSR_OP_ERF: mpfr_erf(out, a, MPFR_RNDN); return true;
    case FSR_OP_ERFC: mpfr_erfc(out, a, MPFR_RNDN); return true;
    case FSR_OP_LGAMMA: log_gamma(out, a); return true;
    case FSR_OP_TGAMMA: mpfr_gamma(out, a, MPFR_RNDN); return true;
    default: return false;
    }
}

/* What the table has and neither of the two above: not a function of real numbers, or not with a value of its own.
 * erfinv is checked by the error function of it. */
static bool is_left_out(fsr_op op) {
    static const fsr_op out[] = {
        FSR_OP_MAXIMUM,   FSR_OP_MINIMUM, FSR_OP_FMAX,           FSR_OP_FMIN,       FSR_OP_CLAMP,     FSR_OP_WHERE,
        FSR_OP_CONJ,      FSR_OP_REAL,    FSR_OP_IMAG,           FSR_OP_SIGN,       FSR_OP_HEAVISIDE, FSR_OP_ANGLE,
        FSR_OP_NEXTAFTER, FSR_OP_LDEXP,   FSR_OP_FREXP_MANTISSA, FSR_OP_COMPLEX_OF, FSR_OP_ERFINV};
    const fsr_rule rule = fsr_op_get(op)->rule;
    for (int i = 0; i < COUNT_OF(out); i++)
        if (out[i] == op)
            return true;
    return rule == FSR_RULE_COMPARE || rule == FSR_RULE_LOGIC || rule == FSR_RULE_TEST || rule == FSR_RULE_CAST ||
           rule == FSR_RULE_EXPONENT || rule == FSR_RULE_KEY;
}

/* ---- one value against the truth --------------------------------------------------------------------------------- */

/* |x - truth|; INFINITY where only one of them is finite, or NaN. */
static double error_of(long double x, const mpfr_t truth) {
    if (isnan(x) || mpfr_nan_p(truth))
        return isnan(x) && mpfr_nan_p(truth) ? 0 : INFINITY;
    if (isinf(x) || mpfr_inf_p(truth))
        return isinf(x) && mpfr_inf_p(truth) && signbit(x) == mpfr_signbit(truth) ? 0 : INFINITY;
    mpfr_t difference;
    mpfr_init2(difference, 2 * WHOLE_BITS);
    mpfr_set_ld(difference, x, MPFR_RNDN);
    mpfr_sub(difference, difference, truth, MPFR_RNDN);
    double error = fabs(mpfr_get_d(difference, MPFR_RNDA));
    mpfr_clear(difference);
    return error;
}

/* The truth as the dtype has it. */
static double rounded(fsr_dtype dtype, const mpfr_t truth) {
    return dtype == FSR_F32 ? mpfr_get_flt(truth, MPFR_RNDN) : mpfr_get_d(truth, MPFR_RNDN);
}

/* A value that may be `units` of the last place and `more` off. Where the truth overflows, or nearly, both sides of
 * that are right. */
static bool is_near(fsr_dtype dtype, double x, const mpfr_t truth, double units, double more) {
    const double want = rounded(dtype, truth);
    if ((isnan(want) && isnan(x)) || want == x)
        return true;
    if (units == 0 || isnan(want) || isnan(x))
        return false;
    const double largest = dtype == FSR_F32 ? 0x1.fffffep127 : 0x1.fffffffffffffp1023;
    const double allowed = units * fsr_ball_ulp(dtype, isinf(want) ? largest : want) + more;
    if (isinf(x))
        return !isinf(want) && signbit(x) == signbit(want) && largest - fabs(want) <= allowed;
    return error_of(isinf(want) ? copysign(x, want) : x, truth) <= allowed;
}

static void wrong(const char *who, fsr_op op, fsr_dtype dtype, const double *arg, double got, const mpfr_t truth) {
    char *digits = NULL;
    mpfr_asprintf(&digits, "%.30Rg", truth);
    fail_msg("%s: %s of %s (%.17g, %.17g, %.17g) is %.17g; MPFR says %s", who, fsr_op_get(op)->name,
             fsr_dtype_name(dtype), arg[0], arg[1], arg[2], got, digits);
}

/* Elementary functions of the reference are evaluated wide and rounded once. */
static void check_reference(fsr_op op, fsr_dtype dtype, const fsr_value *in, const double *arg, const mpfr_t truth) {
    const bool exact = fsr_op_get(op)->flags & FSR_OP_EXACT;
    const double value = fsr_value_to_double(dtype, fsr_op_eval(op, dtype, dtype, in));
    const double own = fsr_ball_own(op, dtype, arg[0]);
    if (!is_near(dtype, value, truth, exact ? 0 : HAIR, own))
        wrong("the reference's value", op, dtype, arg, value, truth);
    fsr_ball x[3], ball;
    for (int i = 0; i < 3; i++)
        x[i] = fsr_ball_from_value(dtype, in[i]);
    ball = fsr_ball_op(op, dtype, dtype, x, FSR_BALL_STRICT);
    if (isinf(ball.radius))
        return;
    const bool known = ball.radius == 0 || !isfinite(ball.center);
    if (known ? !is_near(dtype, (double)ball.center, truth, 0, 0) : !(error_of(ball.center, truth) <= ball.radius))
        wrong("the reference's bound", op, dtype, arg, (double)ball.center, truth);
}

/* ---- every operation at the edges -------------------------------------------------------------------------------- */

typedef struct operands {
    fsr_dtype dtype;
    int64_t n;
    void *data[3];
    fsr_node leaf[3];
} operands;

static operands operands_of(fsr_dtype dtype) {
    operands o = {.dtype = dtype, .n = edges_count(dtype)};
    for (int i = 0; i < 3; i++) {
        o.data[i] = malloc((size_t)o.n * fsr_dtype_size(dtype));
        assert_non_null(o.data[i]);
        edges_fill(o.data[i], dtype, i);
        o.leaf[i] = fsr_from_host(subject_g, dtype, 1, &o.n, o.data[i]);
    }
    return o;
}

/* Unary operations see each value once: the edges go around faster than their pairs. */
static int64_t elements_of(const operands *o, fsr_op op) {
    return fsr_op_get(op)->arity > 1 ? o->n : 200;
}

static bool truth_of(fsr_op op, const double *arg, mpfr_t out) {
    const bool exact = fsr_op_get(op)->flags & FSR_OP_EXACT;
    mpfr_t x[3];
    mpfr_set_prec(out, exact ? WHOLE_BITS : BITS);
    for (int i = 0; i < 3; i++) {
        mpfr_init2(x[i], 64);
        mpfr_set_d(x[i], arg[i], MPFR_RNDN);
    }
    bool defined = arithmetic(op, out, x) || elementary(op, out, x);
    for (int i = 0; i < 3; i++)
        mpfr_clear(x[i]);
    return defined;
}

/* Returns how many elements were compared. */
static int64_t check_op(fsr_op op, const operands *o, const void *got) {
    const double units = fsr_op_get(op)->ulp;
    int64_t compared = 0;
    mpfr_t truth;
    mpfr_init2(truth, BITS);
    for (int64_t k = 0; k < o->n; k++) {
        /* the first values of each row of pairs, all pairs of binary operations, and the last, random ones */
        if (fsr_op_get(op)->arity == 1 && k >= elements_of(o, op) && k < o->n - 4096)
            continue;
        fsr_value in[3];
        double arg[3];
        for (int i = 0; i < 3; i++) {
            in[i] = fsr_value_load(o->dtype, o->data[i], k);
            arg[i] = i < fsr_op_get(op)->arity ? fsr_value_to_double(o->dtype, in[i]) : 0;
        }
        if (!truth_of(op, arg, truth))
            continue;
        check_reference(op, o->dtype, in, arg, truth);
        const double found = fsr_value_to_double(o->dtype, fsr_value_load(o->dtype, got, k));
        const double more = units > 0 ? SUBNORMALS * fsr_ball_ulp(o->dtype, 0) + fsr_ball_own(op, o->dtype, arg[0]) : 0;
        if (!is_near(o->dtype, found, truth, units, more))
            wrong("the CPU backend", op, o->dtype, arg, found, truth);
        compared++;
    }
    mpfr_clear(truth);
    return compared;
}

static void every_operation(void **state) {
    const fsr_dtype dtype = *(const fsr_dtype *)*state;
    subject_setup(NULL);
    operands o = operands_of(dtype);
    fsr_node out[FSR_OP_COUNT];
    fsr_op op[FSR_OP_COUNT];
    int n = 0;
    for (int k = 0; k < FSR_OP_COUNT; k++)
        if (!is_left_out((fsr_op)k) && fsr_op_defined((fsr_op)k, dtype)) {
            op[n] = (fsr_op)k;
            out[n++] = fsr_map(FSR_HERE, (fsr_op)k, o.leaf, fsr_op_get((fsr_op)k)->arity);
        }
    OK(fsr_compute(out, n));
    for (int k = 0; k < n; k++) {
        void *got = subject_read(out[k]);
        int64_t compared = check_op(op[k], &o, got);
        if (compared == 0)
            fail_msg("%s was not compared", fsr_op_get(op[k])->name);
        subject_count("values compared with MPFR", compared);
        free(got);
    }
    for (int i = 0; i < 3; i++)
        free(o.data[i]);
    assert_int_equal(subject_teardown(NULL), 0);
}

/* erf of erfinv(x) is x, to what a unit of erfinv does to erf: the derivative, 2 / sqrt(pi) e^(-y^2). */
static void inverse_error_function(void **state) {
    (void)state;
    uint32_t random = 5;
    mpfr_t y, slope;
    mpfr_inits2(BITS, y, slope, (mpfr_ptr)0);
    for (int k = 0; k < 4000; k++) {
        const double x = k < 50 ? 1 - ldexp(1, -1 - k) : k < 1000 ? ldexp(1, -k) : subject_random(&random) * 0x1p-32;
        const fsr_value in = {.f64 = x};
        const double value = fsr_op_eval(FSR_OP_ERFINV, FSR_F64, FSR_F64, &in).f64;
        mpfr_set_d(slope, value, MPFR_RNDN);
        mpfr_sqr(slope, slope, MPFR_RNDN);
        mpfr_neg(slope, slope, MPFR_RNDN);
        mpfr_exp(slope, slope, MPFR_RNDN);
        mpfr_set_d(y, value, MPFR_RNDN);
        mpfr_erf(y, y, MPFR_RNDN);
        const double allowed = 1.13 * mpfr_get_d(slope, MPFR_RNDN) * HAIR * fsr_ball_ulp(FSR_F64, value) + 0x1p-1074;
        if (x < 1 && !(error_of(x, y) <= allowed))
            wrong("erf of the reference's value", FSR_OP_ERFINV, FSR_F64, (double[]){x, 0, 0}, value, y);
    }
    mpfr_clears(y, slope, (mpfr_ptr)0);
    subject_count("values compared with MPFR", 4000);
}

/* The checks themselves: a unit more than the row allows is told, on both sides of the truth, and so are a wrong
 * infinity and a NaN. */
static void what_is_wrong_is_told(void **state) {
    (void)state;
    static const fsr_op some[] = {FSR_OP_EXP, FSR_OP_TGAMMA, FSR_OP_POW, FSR_OP_DIV};
    mpfr_t truth;
    mpfr_init2(truth, BITS);
    for (int i = 0; i < COUNT_OF(some); i++) {
        assert_true(truth_of(some[i], (double[]){2.375, 1.625, 0}, truth));
        const double right = rounded(FSR_F64, truth), units = fsr_op_get(some[i])->ulp;
        const double unit = fsr_ball_ulp(FSR_F64, right);
        assert_true(is_near(FSR_F64, right, truth, units, 0));
        assert_false(is_near(FSR_F64, right + (units + 1) * unit, truth, units, 0));
        assert_false(is_near(FSR_F64, right - (units + 1) * unit, truth, units, 0));
        assert_false(is_near(FSR_F64, INFINITY, truth, units, 0) || is_near(FSR_F64, NAN, truth, units, 0));
        assert_true(error_of(right + unit, truth) > 0.5 * unit && error_of(right + unit, truth) < 1.5 * unit);
    }
    assert_true(truth_of(FSR_OP_EXP, (double[]){1000, 0, 0}, truth));
    assert_true(is_near(FSR_F64, INFINITY, truth, 2, 0) && !is_near(FSR_F64, 1e308, truth, 2, 0));
    assert_true(isinf(error_of(1, truth)) || error_of(1, truth) > 1e300);
    mpfr_clear(truth);
}

/* ---- folds ------------------------------------------------------------------------------------------------- */

static fsr_status fetch(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes) {
    (void)user;
    memcpy(dst, leaf->buffer[output]->data, (size_t)bytes);
    return FSR_OK;
}

/* Element k of the reference's array, and of the CPU's. */
static void check_fold(const char *what, const fsr_ref_array *want, int64_t k, double got, const mpfr_t truth,
                       double allowed) {
    const fsr_ball center = fsr_ball_from_value(want->dtype, want->center[k]);
    const double value = fsr_value_to_double(want->dtype, want->value[k]);
    const double half = HAIR * fsr_ball_ulp(want->dtype, value);
    if (!(error_of(center.center, truth) <= want->bound[k]))
        fail_msg("%s of %s, element %lld: the reference has %.17Lg +- %g, which is %g off", what,
                 fsr_dtype_name(want->dtype), (long long)k, center.center, want->bound[k],
                 error_of(center.center, truth));
    if (!(error_of(value, truth) <= half + 0x1p-60 * allowed))
        fail_msg("%s of %s, element %lld: the reference's value %.17g is %g off, at most %g", what,
                 fsr_dtype_name(want->dtype), (long long)k, value, error_of(value, truth), half);
    if (!(error_of(got, truth) <= allowed))
        fail_msg("%s of %s, element %lld: the CPU has %.17g, %g off, at most %g", what, fsr_dtype_name(want->dtype),
                 (long long)k, got, error_of(got, truth), allowed);
}

enum { SUM, RUNNING, PRODUCT, MEAN, FOLDS };
static const char *const fold_name[] = {"sum", "cumsum", "prod", "mean"};

static void check_folds(fsr_dtype dtype, const double *x, int64_t n) {
    subject_setup(NULL);
    const int64_t shape[] = {n};
    fsr_node in = fsr_cast(fsr_from_host(subject_g, FSR_F64, 1, shape, x), dtype);
    OK(fsr_compute(&in, 1));
    fsr_node out[FOLDS] = {fsr_sum(in, NULL, 0, 0), fsr_cumsum(in, AXES(0), 1, 0),
                           fsr_prod(fsr_add(fsr_mul(fsr_sign(in), fsr_float(subject_g, 0.5)), in), NULL, 0, 0),
                           fsr_mean(in, NULL, 0, 0)};
    fsr_ref refs[FOLDS];
    fsr_ref_array want[FOLDS];
    fsr_fault fault = {FSR_OK, NULL};
    for (int i = 0; i < FOLDS; i++)
        refs[i] = (fsr_ref){out[i].id, out[i].output};
    assert_int_equal(fsr_reference_run(subject_g, refs, FOLDS, fetch, NULL, want, &fault), FSR_OK);
    OK(fsr_compute(out, FOLDS));
    const double unit = fsr_ball_unit(dtype);
    double magnitude = 0;
    void *values = subject_read(in), *got[FOLDS];
    for (int i = 0; i < FOLDS; i++)
        got[i] = subject_read(out[i]);
    mpfr_t sum, product, term;
    mpfr_inits2(WHOLE_BITS, sum, term, (mpfr_ptr)0);
    mpfr_init2(product, BITS);
    mpfr_set_zero(sum, 1);
    mpfr_set_ui(product, 1, MPFR_RNDN);
    for (int64_t k = 0; k < n; k++) {
        const double v = fsr_value_to_double(dtype, fsr_value_load(dtype, values, k));
        mpfr_set_d(term, v, MPFR_RNDN);
        mpfr_add(sum, sum, term, MPFR_RNDN);
        magnitude += fabs(v);
        const double depth = expm1(fsr_ref_scan_depth(k + 1) * unit);
        check_fold(fold_name[RUNNING], &want[RUNNING], k,
                   fsr_value_to_double(dtype, fsr_value_load(dtype, got[RUNNING], k)), sum, 1.01 * depth * magnitude);
        const double half = v > 0 ? 0.5 : v < 0 ? -0.5 : 0;
        mpfr_set_d(term, dtype == FSR_F32 ? (double)((float)half + (float)v) : half + v, MPFR_RNDN);
        mpfr_mul(product, product, term, MPFR_RNDN);
    }
    const double sums = 1.01 * expm1(fsr_ref_depth(n, true) * unit) * magnitude;
    check_fold(fold_name[SUM], &want[SUM], 0, fsr_value_to_double(dtype, fsr_value_load(dtype, got[SUM], 0)), sum,
               sums);
    const double size = fabs(mpfr_get_d(product, MPFR_RNDN));
    if (size > 1e-30 && size < 1e30)
        check_fold(fold_name[PRODUCT], &want[PRODUCT], 0,
                   fsr_value_to_double(dtype, fsr_value_load(dtype, got[PRODUCT], 0)), product,
                   1.01 * expm1((double)n * unit) * size);
    mpfr_div_ui(sum, sum, (unsigned long)n, MPFR_RNDN);
    const double mean = fsr_value_to_double(dtype, fsr_value_load(dtype, got[MEAN], 0));
    if (!(error_of(mean, sum) <= (sums / (double)n + fsr_ball_ulp(dtype, mean))))
        fail_msg("mean of %lld %s: %.17g", (long long)n, fsr_dtype_name(dtype), mean);
    subject_count("values compared with MPFR", n + 3);
    mpfr_clears(sum, product, term, (mpfr_ptr)0);
    for (int i = 0; i < FOLDS; i++) {
        free(got[i]);
        fsr_ref_array_free(&want[i]);
    }
    free(values);
    assert_int_equal(subject_teardown(NULL), 0);
}

/* Numbers of one size; of sizes far apart, which cancel; and a large one between small ones. */
static void folds(void **state) {
    const fsr_dtype dtype = *(const fsr_dtype *)*state;
    static const int64_t lengths[] = {1, 2, 33, 4097, 20000};
    for (int s = 0; s < COUNT_OF(lengths); s++)
        for (int kind = 0; kind < 3; kind++) {
            const int64_t n = lengths[s];
            double *x = malloc((size_t)n * sizeof *x);
            uint32_t random = 17;
            assert_non_null(x);
            for (int64_t i = 0; i < n; i++) {
                const double even = subject_random(&random) * 0x1p-31 - 1;
                x[i] = kind == 0 ? even : kind == 1 ? ldexp(even, (int)(subject_random(&random) % 40)) : even * 1e-5;
                if (kind == 1 && i > n / 2)
                    x[i] = -x[n - 1 - i];
                if (kind == 2 && i == n / 2)
                    x[i] = 1e6;
            }
            check_folds(dtype, x, n);
            free(x);
        }
}

static const fsr_dtype single = FSR_F32, twice = FSR_F64;
#define OF(test, dtype) \
    { #test " of " #dtype, test, NULL, NULL, (void *)&dtype }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_wrong_is_told),  OF(every_operation, single), OF(every_operation, twice),
        cmocka_unit_test(inverse_error_function), OF(folds, single),           OF(folds, twice),
    };
    int status = subject_begin(SUBJECT_BACKEND, COUNT_OF(tests));
    if (status)
        return status;
    return subject_end(cmocka_run_group_tests(tests, NULL, NULL));
}

#endif
