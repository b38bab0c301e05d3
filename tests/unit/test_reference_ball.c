/* SPDX-License-Identifier: MIT */
/* Soundness of the ball arithmetic: random programs of scalar ops, run op by op as a backend would (rounded to the
 * dtype after each op, inexact ops wrong by as much as the table allows), must stay inside the balls. And the balls
 * must be small. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "backend_cpu/reference/ball.h"
#include "backend_cpu/reference/rules.h"
#include "tests/support/random.h"

enum { POOL = 24, PROGRAMS = 4000, LENGTH = 40 };

static int pick(uint64_t *state, int n) {
    return (int)(random_bits(state) >> 33) % n;
}

/* A value of the pool: what a backend has, and the ball. */
typedef struct item {
    fsr_dtype dtype;
    fsr_value value;
    fsr_ball ball;
} item;

static fsr_value random_value(fsr_dtype dtype, uint64_t *state) {
    static const double specials[] = {0, -0.0, 1, -1, 2, 0.5, HUGE_VAL, -HUGE_VAL, NAN, 1e-40, 3e38, 100, -87.5};
    if (pick(state, 8) == 0)
        return fsr_value_from_double(dtype, specials[pick(state, (int)(sizeof specials / sizeof *specials))]);
    double scale = pick(state, 3) == 0 ? 1e3 : 4;
    return fsr_value_from_double(dtype, scale * ((double)(random_bits(state) >> 11) * 0x1p-52 - 1));
}

static fsr_value neighbour(fsr_dtype dtype, fsr_value v, bool down) {
    if (dtype == FSR_F32)
        v.f32 = nextafterf(v.f32, down ? -FLT_MAX : FLT_MAX);
    else
        v.f64 = nextafter(v.f64, down ? -DBL_MAX : DBL_MAX);
    return v;
}

/* Moved by up to `ulps` units in the last place (of the smaller ones, next to a power of two). */
static fsr_value disturb(fsr_dtype dtype, fsr_value v, int ulps, uint64_t *state) {
    const double start = fsr_value_to_double(dtype, v);
    if (!isfinite(start))
        return v;
    const fsr_value inner = neighbour(dtype, v, start > 0);
    const double most = ulps * fabs(start - fsr_value_to_double(dtype, inner));
    const bool down = pick(state, 2);
    for (int steps = pick(state, ulps + 1); steps > 0; steps--) {
        fsr_value next = neighbour(dtype, v, down);
        if (fabs(fsr_value_to_double(dtype, next) - start) > most)
            break;
        v = next;
    }
    return v;
}

static bool inside(const item *x) {
    long double value = fsr_ball_from_value(x->dtype, x->value).center;
    if (isinf(x->ball.radius))
        return true;
    if (isnan(x->ball.center) || isnan(value))
        return isnan(x->ball.center) && isnan(value);
    if (value == x->ball.center)
        return true;
    return isfinite(value) && isfinite(x->ball.center) && fabsl(value - x->ball.center) <= x->ball.radius;
}

/* An operand of the wanted dtype from the pool, cast if needed. */
static item operand(const item *pool, int n, fsr_dtype want, uint64_t *state) {
    item x = pool[pick(state, n)];
    if (x.dtype != want) {
        x.ball = fsr_ball_op(FSR_OP_CAST, x.dtype, want, &x.ball, FSR_BALL_STRICT);
        x.value = fsr_op_eval(FSR_OP_CAST, x.dtype, want, &x.value);
        x.dtype = want;
    }
    return x;
}

static item apply(fsr_op op, fsr_dtype compute, const item *pool, int n, uint64_t *state) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_value args[3] = {{.bits = 0}};
    fsr_ball balls[3] = {{.center = 0}};
    for (int i = 0; i < info->arity; i++) {
        item x = operand(pool, n, info->rule == FSR_RULE_SELECT && i == 0 ? FSR_BOOL : compute, state);
        args[i] = x.value;
        balls[i] = x.ball;
    }
    item out = {.dtype = fsr_op_result(op, compute)};
    out.value = fsr_op_eval(op, compute, out.dtype, args);
    if (!(info->flags & FSR_OP_EXACT) && fsr_dtype_is_float(out.dtype))
        out.value = disturb(compute, out.value, (int)info->ulp - 1, state);
    out.ball = fsr_ball_op(op, compute, out.dtype, balls, FSR_BALL_STRICT);
    return out;
}

/* What folds leave: a zero of unknown sign, a value that is only nearly known. The radius is a little more than the
 * centre is moved by, since moving it rounds: 1e-40 at the edge of 0x1p-60 would lie outside. */
static item random_item(fsr_dtype dtype, uint64_t *state) {
    static const double radii[] = {0.5, 1, 2, 0x1p-20, 0x1p-60};
    item x = {.dtype = dtype, .value = random_value(dtype, state)};
    x.ball = fsr_ball_from_value(dtype, x.value);
    if (!fsr_dtype_is_float(dtype) || pick(state, 6) > 0)
        return x;
    if (x.ball.center == 0) {
        x.ball = fsr_ball_unsign(x.ball);
    } else if (isfinite(x.ball.center)) {
        double radius = radii[pick(state, 5)];
        x.ball =
            fsr_ball_settle(dtype, x.ball.center + (pick(state, 3) - 1) * (long double)radius, radius * (1 + 0x1p-40));
    }
    return x;
}

static void test_random_programs(void **state) {
    (void)state;
    static const fsr_dtype dtypes[] = {FSR_F32, FSR_F32, FSR_F64, FSR_I32, FSR_I64, FSR_U8, FSR_BOOL};
    uint64_t seed = 88172645463325252u;
    int64_t finite = 0, known = 0, total = 0;
    for (int program = 0; program < PROGRAMS; program++) {
        item pool[POOL + LENGTH];
        int n = 0;
        for (; n < POOL; n++) {
            pool[n] = random_item(dtypes[pick(&seed, 7)], &seed);
        }
        for (int i = 0; i < LENGTH; i++) {
            fsr_op op = (fsr_op)pick(&seed, FSR_OP_COUNT);
            fsr_dtype compute = dtypes[pick(&seed, 7)];
            if (op == FSR_OP_CAST || !fsr_op_defined(op, compute))
                continue;
            item x = apply(op, compute, pool, n, &seed);
            if (!inside(&x))
                fail_msg("program %d: %s on %s gives %.17g, outside %.17Lg +- %g", program, fsr_op_get(op)->name,
                         fsr_dtype_name(compute), fsr_value_to_double(x.dtype, x.value), x.ball.center, x.ball.radius);
            total++;
            finite += isfinite(x.ball.radius) != 0;
            known += x.ball.radius == 0;
            pool[n++] = x;
        }
    }
    assert_true(total > 80000);
    assert_true(finite > total * 9 / 10);
    assert_true(known < total * 95 / 100);
}

static fsr_ball op1(fsr_op op, fsr_dtype dtype, long double a, double ra) {
    fsr_ball x = fsr_ball_real(a, ra);
    return fsr_ball_op(op, dtype, dtype, &x, FSR_BALL_STRICT);
}

static fsr_ball op2(fsr_op op, fsr_dtype dtype, long double a, double ra, long double b, double rb) {
    fsr_ball x[2] = {fsr_ball_real(a, ra), fsr_ball_real(b, rb)};
    bool compares = fsr_op_get(op)->rule == FSR_RULE_COMPARE;
    return fsr_ball_op(op, dtype, compares ? FSR_BOOL : dtype, x, FSR_BALL_STRICT);
}

static void test_radii(void **state) {
    (void)state;
    assert_true(op2(FSR_OP_ADD, FSR_F32, 1, 0, 0x1p-30, 0).radius == 0);
    assert_true(op2(FSR_OP_ADD, FSR_F32, 1, 0, 0x1p-30, 0).center == 1);
    fsr_ball sum = op2(FSR_OP_ADD, FSR_F32, 1, 1e-3, 2, 2e-3);
    assert_true(sum.radius >= 3e-3 && sum.radius < 3.001e-3);
    fsr_ball product = op2(FSR_OP_MUL, FSR_F64, 3, 0.5, -2, 0.25);
    assert_true(product.center == -6 && product.radius >= 1.875 && product.radius < 1.8751);
    fsr_ball ratio = op2(FSR_OP_DIV, FSR_F64, 6, 1, 2, 1);
    assert_true(ratio.center == 3 && ratio.radius >= 4 && ratio.radius < 4.1);
    assert_true(isinf(op2(FSR_OP_DIV, FSR_F64, 1, 0, 0.5, 0.5).radius));
    fsr_ball pole = op2(FSR_OP_DIV, FSR_F64, -1, 0.5, 0, 0);
    assert_true(pole.center == -INFINITY && pole.radius == 0);
    assert_true(op1(FSR_OP_SIN, FSR_F64, 1e6, 5).radius < 2.001);
    assert_true(op1(FSR_OP_SIN, FSR_F32, 1e-30L, 0).radius < 1e-36);
    assert_true(isinf(op1(FSR_OP_LOG, FSR_F64, 0.5, 1).radius));
    assert_true(isnan(op1(FSR_OP_LOG, FSR_F64, -2, 1).center));
    fsr_ball e = op1(FSR_OP_EXP, FSR_F32, 1, 0);
    assert_true(e.radius > 0 && e.radius <= 2.1 * 0x1p-22);
    assert_true(op1(FSR_OP_EXP, FSR_F32, 100, 0).center == INFINITY);
    assert_true(isinf(op1(FSR_OP_EXP, FSR_F32, 88.7228393554687500L, 1e-3).radius));
    assert_true(op1(FSR_OP_EXP, FSR_F32, -104, 0).radius > 0);
    assert_true(op1(FSR_OP_FLOOR, FSR_F32, 2.5, 0.25).radius == 0);
    assert_true(op1(FSR_OP_FLOOR, FSR_F32, 2.5, 0.75).radius == 1);
    assert_true(op1(FSR_OP_ABS, FSR_F32, 0.5, 1).radius >= 0.5);
    fsr_ball largest = op2(FSR_OP_MAXIMUM, FSR_F32, 5, 1, 1, 0.5);
    assert_true(largest.center == 5 && largest.radius == 1);
    assert_true(isinf(op2(FSR_OP_POW, FSR_F64, 0.5, 1, 0.5, 0).radius));
    fsr_ball square = op2(FSR_OP_POW, FSR_F64, 0.5, 1.5, 2, 0);
    assert_true(square.radius >= 3.75 && square.radius < 3.76);
}

static void test_unknowns(void **state) {
    (void)state;
    assert_true(op2(FSR_OP_LESS, FSR_F32, 1, 0.5, 2, 0.5).radius == 1);
    assert_true(op2(FSR_OP_LESS, FSR_F32, 1, 0.4, 2, 0.5).radius == 0);
    assert_true(op2(FSR_OP_EQUAL, FSR_F32, 1, 1, 1.5, 0).radius == 1);
    assert_true(op2(FSR_OP_EQUAL, FSR_F32, 1, 0, 1, 0).radius == 0);
    assert_true(op2(FSR_OP_LESS, FSR_F32, NAN, 0, 0, INFINITY).radius == 0);
    fsr_ball bools[3] = {fsr_ball_real(0, 1), fsr_ball_real(0, 0), fsr_ball_real(0, 0)};
    assert_true(fsr_ball_op(FSR_OP_LOGICAL_AND, FSR_BOOL, FSR_BOOL, bools, FSR_BALL_STRICT).radius == 0);
    assert_true(fsr_ball_op(FSR_OP_LOGICAL_OR, FSR_BOOL, FSR_BOOL, bools, FSR_BALL_STRICT).radius == 1);
    fsr_ball choice[3] = {fsr_ball_real(0, 1), fsr_ball_real(3, 0.5), fsr_ball_real(1, 0.25)};
    fsr_ball either = fsr_ball_op(FSR_OP_WHERE, FSR_F32, FSR_F32, choice, FSR_BALL_STRICT);
    assert_true(fabsl(either.center - 3.5L) <= either.radius && fabsl(either.center - 0.75L) <= either.radius);
    choice[0].radius = 0;
    either = fsr_ball_op(FSR_OP_WHERE, FSR_F32, FSR_F32, choice, FSR_BALL_STRICT);
    assert_true(either.center == 1 && either.radius == 0.25);
    fsr_ball near = fsr_ball_real(2.999L, 0.01);
    fsr_ball whole = fsr_ball_op(FSR_OP_CAST, FSR_F32, FSR_I32, &near, FSR_BALL_STRICT);
    assert_true(whole.center == 2 && whole.radius == 1);
    near.radius = 1e-4;
    assert_true(fsr_ball_op(FSR_OP_CAST, FSR_F32, FSR_I32, &near, FSR_BALL_STRICT).radius == 0);
    fsr_ball flag = fsr_ball_real(0, 1);
    fsr_ball byte = fsr_ball_op(FSR_OP_CAST, FSR_BOOL, FSR_U8, &flag, FSR_BALL_STRICT);
    assert_true(byte.center == 0 && byte.radius == 1);
    fsr_ball edge[2] = {fsr_ball_real(INT32_MAX, 1), fsr_ball_real(0, 0)};
    assert_true(isinf(fsr_ball_op(FSR_OP_ADD, FSR_I32, FSR_I32, edge, FSR_BALL_STRICT).radius));
}

static fsr_ball raise(double base, double radius, double exponent, double exponent_radius) {
    return op2(FSR_OP_POW, FSR_F64, base, radius, exponent, exponent_radius);
}

/* 1 to any power is 1, also to NaN and infinity; anything to 0 is 1, also NaN. */
static void test_pow_near_one(void **state) {
    (void)state;
    const double inexact[] = {1, 1.5, 0.75, -1, -1.25};
    for (int i = 0; i < 5; i++) {
        assert_true(isinf(raise(inexact[i], 0.5, NAN, 0).radius));
        assert_true(isinf(raise(inexact[i], 0.5, INFINITY, 0).radius));
        assert_true(isinf(raise(inexact[i], 0.5, -INFINITY, 0).radius));
    }
    assert_true(isinf(raise(NAN, 0, 0.25, 0.5).radius));
    assert_true(isinf(raise(INFINITY, 0, 0.25, 0.5).radius));
    assert_true(isinf(raise(-INFINITY, 0, 2.5, 1).radius));
    assert_true(isnan(raise(3, 0.5, NAN, 0).center) && raise(3, 0.5, NAN, 0).radius == 0);
    assert_true(raise(3, 0.5, INFINITY, 0).center == INFINITY && raise(0.25, 0.125, INFINITY, 0).center == 0);
    assert_true(raise(1, 0, NAN, 0).center == 1);
    assert_true(isinf(raise(-3.75, 1000, 0x1p31, 0).radius)); /* inf, but 0 at 0 */
}

/* What an inexact operand gives at 0 and nowhere else, beside an infinite one or NaN. */
static void test_zero_between(void **state) {
    (void)state;
    static const long double limits[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3; i++) {
        assert_true(isinf(op2(FSR_OP_HEAVISIDE, FSR_F32, 0, 0.5, limits[i], 0).radius));
        assert_true(isinf(op2(FSR_OP_HEAVISIDE, FSR_F64, 0.25, 0.5, limits[i], 0).radius));
        fsr_ball apart = op2(FSR_OP_HEAVISIDE, FSR_F32, -1, 0.5, limits[i], 0);
        assert_true(apart.center == 0 && apart.radius == 0);
    }
    fsr_ball nan = op2(FSR_OP_HEAVISIDE, FSR_F32, NAN, 0, 1, 0.5);
    assert_true(isnan(nan.center) && nan.radius == 0);
    assert_true(isinf(op2(FSR_OP_COPYSIGN, FSR_F32, INFINITY, 0, 1, 1).radius)); /* 0 has either sign */
    fsr_ball minus = op2(FSR_OP_COPYSIGN, FSR_F32, INFINITY, 0, -2, 1);
    assert_true(minus.center == -INFINITY && minus.radius == 0);
    assert_true(isinf(op2(FSR_OP_FLOOR_DIVIDE, FSR_F32, INFINITY, 0, 0.25, 0.5).radius)); /* NaN, but inf at 0 */
    fsr_ball quotient = op2(FSR_OP_FLOOR_DIVIDE, FSR_F32, INFINITY, 0, 2, 0.5);
    assert_true(isnan(quotient.center) && quotient.radius == 0);
}

/* NaN at both ends and in the middle of an interval, but not within [-1, 1] or [0, 1]. */
static void test_domain_between(void **state) {
    (void)state;
    static const fsr_op inverse[] = {FSR_OP_ASIN, FSR_OP_ACOS, FSR_OP_ATANH, FSR_OP_ERFINV, FSR_OP_RAYLEIGH};
    for (size_t i = 0; i < sizeof inverse / sizeof *inverse; i++) {
        assert_true(isinf(op1(inverse[i], FSR_F64, 3, 5).radius));
        assert_true(isinf(op1(inverse[i], FSR_F32, -3, 5).radius));
        fsr_ball outside = op1(inverse[i], FSR_F64, 3, 1);
        assert_true(isnan(outside.center) && outside.radius == 0);
        fsr_ball inside = op1(inverse[i], FSR_F64, 0.5, 0.25);
        assert_true(isfinite(inside.center) && isfinite(inside.radius));
    }
}

/* The distance of two values, rounded to a double, may be too short to reach from one to the other. */
static void test_select_reaches(void **state) {
    (void)state;
    for (int i = 0; i < 1000; i++) {
        const long double far = sinhl(40 + i * 0x1p-7L), near = 40 + i * 0x1p-3L;
        const fsr_ball x[3] = {fsr_ball_real(1, 1), fsr_ball_real(far, 0), fsr_ball_real(near, 0)};
        double bound;
        fsr_ball either = fsr_ball_op(FSR_OP_WHERE, FSR_F32, FSR_F32, x, FSR_BALL_STRICT);
        fsr_value value = fsr_ball_round(FSR_F32, &either, &bound);
        assert_true((double)fabsl(value.f32 - near) <= bound);
    }
}

/* A zero of unknown sign is as good as any zero, but as a divisor. */
static void test_unsigned_zero(void **state) {
    (void)state;
    const fsr_ball zero = fsr_ball_unsign(fsr_ball_real(0, 0));
    assert_true(fsr_ball_unsigned(zero) && zero.radius == 0);
    assert_false(fsr_ball_unsigned(fsr_ball_unsign(fsr_ball_real(1, 0))));
    fsr_ball x[2] = {fsr_ball_real(2, 0), zero};
    assert_true(isinf(fsr_ball_op(FSR_OP_DIV, FSR_F32, FSR_F32, x, FSR_BALL_STRICT).radius));
    fsr_ball sum = fsr_ball_op(FSR_OP_ADD, FSR_F32, FSR_F32, x, FSR_BALL_STRICT);
    assert_true(sum.center == 2 && sum.radius == 0);
    assert_true(
        fsr_ball_op(FSR_OP_EQUAL, FSR_F32, FSR_BOOL, (fsr_ball[]){fsr_ball_real(0, 0), zero}, FSR_BALL_STRICT).radius ==
        0);
    assert_true(fsr_ball_unsigned(fsr_ball_op(FSR_OP_MUL, FSR_F32, FSR_F32, x, FSR_BALL_STRICT)));
    x[0].center = 0;
    fsr_ball plus = fsr_ball_op(FSR_OP_ADD, FSR_F32, FSR_F32, x, FSR_BALL_STRICT);
    assert_true(plus.center == 0 && plus.radius == 0 && !fsr_ball_unsigned(plus)); /* +0 with any zero is +0 */
    x[0].center = -0.0L;
    assert_true(fsr_ball_unsigned(fsr_ball_op(FSR_OP_ADD, FSR_F32, FSR_F32, x, FSR_BALL_STRICT)));
    x[0] = zero;
    assert_true(isnan(fsr_ball_op(FSR_OP_DIV, FSR_F32, FSR_F32, x, FSR_BALL_STRICT).center));
    fsr_ball choice[3] = {fsr_ball_real(0, 1), fsr_ball_real(0, 0), fsr_ball_real(-0.0L, 0)};
    assert_true(fsr_ball_unsigned(fsr_ball_op(FSR_OP_WHERE, FSR_F32, FSR_F32, choice, FSR_BALL_STRICT)));
}

/* maximum and minimum give the second of two zeros; fmax, fmin and clamp either, but a sign that all of them have. */
static void test_zeros_of_both_signs(void **state) {
    (void)state;
    static const fsr_op second[] = {FSR_OP_MAXIMUM, FSR_OP_MINIMUM},
                        either[] = {FSR_OP_FMAX, FSR_OP_FMIN, FSR_OP_CLAMP};
    for (int sign = 0; sign < 2; sign++) {
        const fsr_ball x[3] = {fsr_ball_real(sign ? 0.0L : -0.0L, 0), fsr_ball_real(sign ? -0.0L : 0.0L, 0),
                               fsr_ball_real(1, 0)};
        const fsr_ball same[3] = {x[0], x[0], fsr_ball_real(sign ? 0.0L : 1, 0)};
        for (size_t i = 0; i < sizeof second / sizeof *second; i++) {
            fsr_ball y = fsr_ball_op(second[i], FSR_F32, FSR_F32, x, FSR_BALL_STRICT);
            assert_true(y.center == 0 && !fsr_ball_unsigned(y) && !signbit(y.center) == !sign);
        }
        for (size_t i = 0; i < sizeof either / sizeof *either; i++) {
            assert_true(fsr_ball_unsigned(fsr_ball_op(either[i], FSR_F32, FSR_F32, x, FSR_BALL_STRICT)));
            assert_false(fsr_ball_unsigned(fsr_ball_op(either[i], FSR_F32, FSR_F32, same, FSR_BALL_STRICT)));
        }
    }
}

/* A complex number that is made of zeros without a sign has none either, nor has what is chosen of 0 and -0: the angle
 * of -0 - 0 j is -pi. */
static void test_complex_zeros_without_a_sign(void **state) {
    (void)state;
    const fsr_ball zero = {0, -0.0, 0}, one = fsr_ball_real(1, 0);
    const fsr_ball made[][2] = {{zero, zero}, {zero, one}, {one, zero}};
    for (int i = 0; i < 3; i++) {
        const fsr_ball z = fsr_ball_op(FSR_OP_COMPLEX_OF, FSR_F64, FSR_C128, made[i], FSR_BALL_STRICT);
        assert_true(fsr_ball_unsigned(z));
        if (i == 0)
            assert_true(isinf(fsr_ball_op(FSR_OP_ANGLE, FSR_C128, FSR_F64, &z, FSR_BALL_STRICT).radius));
    }
    const fsr_ball choice[3] = {fsr_ball_real(0, 1), {0, 0, 1}, {-0.0L, 0, 1}},
                   same[3] = {choice[0], choice[1], choice[1]};
    assert_true(fsr_ball_unsigned(fsr_ball_op(FSR_OP_WHERE, FSR_C128, FSR_C128, choice, FSR_BALL_STRICT)));
    assert_false(fsr_ball_unsigned(fsr_ball_op(FSR_OP_WHERE, FSR_C128, FSR_C128, same, FSR_BALL_STRICT)));
}

/* Where an operand's interval ends at 0 either zero may be there, and what every operation gives for it lies in the
 * ball: the angle of 0 is 0 and that of -0 is pi, and signbit is one or the other. */
static void test_interval_that_ends_at_zero(void **state) {
    (void)state;
    static const long double side[] = {1, -1};
    for (int op = 0; op < FSR_OP_COUNT; op++)
        for (int at = 0; at < 4; at++) {
            const fsr_op_info *info = fsr_op_get((fsr_op)op);
            const fsr_rule rule = info->rule;
            if (!fsr_op_defined((fsr_op)op, FSR_F64) || rule == FSR_RULE_CAST || rule == FSR_RULE_SELECT ||
                rule == FSR_RULE_WORDS)
                continue;
            const fsr_dtype result = fsr_op_result((fsr_op)op, FSR_F64);
            if (fsr_dtype_is_complex(result))
                continue;
            fsr_ball x[3] = {fsr_ball_real(side[at & 1], 1), fsr_ball_real(0.5, 0), fsr_ball_real(0.25, 0)};
            const fsr_ball out = fsr_ball_op((fsr_op)op, FSR_F64, result, x, FSR_BALL_STRICT);
            x[0] = fsr_ball_real(at & 2 ? -0.0L : 0.0L, 0);
            const fsr_ball there = fsr_ball_op((fsr_op)op, FSR_F64, result, x, FSR_BALL_STRICT);
            if (isinf(out.radius) || isinf(there.radius))
                continue;
            const bool both = isnan(there.center) && isnan(out.center);
            if (!both && !(fabsl(there.center - out.center) <= out.radius + there.radius))
                fail_msg("%s of %g +- 1 leaves out that of %g", info->name, (double)side[at & 1], at & 2 ? -0.0 : 0.0);
        }
}

/* A product that a backend may contract, and a step of a fold, are not known to the last bit; nor is it known whether a
 * product that is not rounded is an infinity, unless a factor is one. */
static void test_modes(void **state) {
    (void)state;
    fsr_ball x[2] = {fsr_ball_real(1.1f, 0), fsr_ball_real(1.3f, 0)};
    assert_true(fsr_ball_op(FSR_OP_MUL, FSR_F32, FSR_F32, x, FSR_BALL_STRICT).radius == 0);
    assert_true(fsr_ball_op(FSR_OP_MUL, FSR_F32, FSR_F32, x, FSR_BALL_CONTRACTED).radius > 0);
    assert_true(fsr_ball_op(FSR_OP_ADD, FSR_F32, FSR_F32, x, FSR_BALL_CONTRACTED).radius == 0);
    assert_true(fsr_ball_op(FSR_OP_ADD, FSR_F32, FSR_F32, x, FSR_BALL_FOLD).radius > 0);
    x[0].center = 3, x[1].center = 4;
    assert_true(fsr_ball_op(FSR_OP_MUL, FSR_F32, FSR_F32, x, FSR_BALL_CONTRACTED).radius == 0);
    assert_true(fsr_ball_op(FSR_OP_ADD, FSR_F32, FSR_F32, x, FSR_BALL_FOLD).radius == 0);
    assert_true(fsr_ball_op(FSR_OP_DIV, FSR_F32, FSR_F32, x, FSR_BALL_FOLD).radius > 0);
    x[0].center = x[1].center = 0x1p100L;
    assert_true(isinf(fsr_ball_op(FSR_OP_MUL, FSR_F32, FSR_F32, x, FSR_BALL_STRICT).center));
    assert_true(isinf(fsr_ball_op(FSR_OP_MUL, FSR_F32, FSR_F32, x, FSR_BALL_CONTRACTED).radius));
    assert_true(isinf(fsr_ball_op(FSR_OP_SQUARE, FSR_F32, FSR_F32, x, FSR_BALL_CONTRACTED).radius));
    x[0].center = -INFINITY;
    const fsr_ball given = fsr_ball_op(FSR_OP_MUL, FSR_F32, FSR_F32, x, FSR_BALL_CONTRACTED);
    assert_true(given.center == -INFINITY && given.radius == 0);
}

/* Of an infinite base, in wide arithmetic: 0 or infinity, with the sign of odd powers. glibc's powl(-inf, -0x1p63) is
 * infinity. */
static void test_powers_of_infinity(void **state) {
    (void)state;
    static const double power[] = {1, 2, 3, 0.5, 0x1p31, 0x1p52 + 1, 0x1p53 - 1, 0x1p53, 0x1p62, 0x1p63, 0x1p64, 1e300};
    for (size_t i = 0; i < sizeof power / sizeof *power; i++) {
        const bool odd = fmod(power[i], 2) == 1;
        for (int minus = 0; minus < 2; minus++) {
            const long double base = minus ? -INFINITY : INFINITY, sign = minus && odd ? -1 : 1;
            const long double up = fsr_ball_wide(FSR_OP_POW, FSR_F64, (long double[3]){base, power[i], 0});
            const long double down = fsr_ball_wide(FSR_OP_POW, FSR_F64, (long double[3]){base, -power[i], 0});
            assert_true(up == sign * INFINITY);
            assert_true(down == 0 && (signbit(down) != 0) == (sign < 0));
        }
    }
    assert_true(fsr_ball_wide(FSR_OP_POW, FSR_F64, (long double[3]){-INFINITY, 0, 0}) == 1);
    assert_true(isnan(fsr_ball_wide(FSR_OP_POW, FSR_F64, (long double[3]){-INFINITY, NAN, 0})));
}

static void test_ulp(void **state) {
    (void)state;
    assert_true(fsr_ball_ulp(FSR_F32, 1) == (double)FLT_EPSILON);
    assert_true(fsr_ball_ulp(FSR_F32, 1.999L) == (double)FLT_EPSILON);
    assert_true(fsr_ball_ulp(FSR_F32, 0) == 0x1p-149);
    assert_true(fsr_ball_ulp(FSR_F32, 0x1p-126L) == 0x1p-149);
    assert_true(fsr_ball_ulp(FSR_F64, 0) == 0x1p-1074);
    assert_true(fsr_ball_ulp(FSR_F64, -2) == 2 * DBL_EPSILON);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ulp),
        cmocka_unit_test(test_powers_of_infinity),
        cmocka_unit_test(test_radii),
        cmocka_unit_test(test_unknowns),
        cmocka_unit_test(test_modes),
        cmocka_unit_test(test_random_programs),
        cmocka_unit_test(test_pow_near_one),
        cmocka_unit_test(test_zero_between),
        cmocka_unit_test(test_domain_between),
        cmocka_unit_test(test_select_reaches),
        cmocka_unit_test(test_unsigned_zero),
        cmocka_unit_test(test_zeros_of_both_signs),
        cmocka_unit_test(test_interval_that_ends_at_zero),
        cmocka_unit_test(test_complex_zeros_without_a_sign),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
