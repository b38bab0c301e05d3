/* SPDX-License-Identifier: MIT */
/* The scalar-op table against expectations written independently of it: integers in 128-bit arithmetic, floats in
 * binary128 or by hand. Every op of the table that is not in tests/numpy/ops.txt, every dtype it is defined for, all
 * pairs and triples of special values. */
#include "tests/support/op_values.h"
#include "tests/support/philox.h"
#include <stdio.h>

static bool is(const char *name, const char *want) {
    return strcmp(name, want) == 0;
}

/* Expectations of the exact ops that give a float; false: not one of them. */
static bool expect_float(const char *name, fsr_dtype dtype, double a, double b, double c, fsr_value *out) {
    quad qa = (quad)a, qb = (quad)b;
    if (is(name, "add"))
        *out = round_quad(dtype, qa + qb);
    else if (is(name, "sub"))
        *out = round_quad(dtype, qa - qb);
    else if (is(name, "mul"))
        *out = round_quad(dtype, qa * qb);
    else if (is(name, "div"))
        *out = round_quad(dtype, qa / qb);
    else if (is(name, "neg"))
        *out = from_float(dtype, copysign(a, signbit(a) ? 1.0 : -1.0));
    else if (is(name, "abs"))
        *out = from_float(dtype, copysign(a, 1.0));
    else if (is(name, "conj") || is(name, "real"))
        *out = from_float(dtype, a);
    else if (is(name, "imag"))
        *out = from_float(dtype, 0);
    else if (is(name, "maximum"))
        *out = from_float(dtype, isnan(a) || isnan(b) ? NAN : fmax(a, b));
    else if (is(name, "minimum"))
        *out = from_float(dtype, isnan(a) || isnan(b) ? NAN : fmin(a, b));
    else if (is(name, "floor"))
        *out = from_float(dtype, floor(a));
    else if (is(name, "ceil"))
        *out = from_float(dtype, -floor(-a));
    else if (is(name, "where"))
        *out = from_float(dtype, a == 0 ? c : b);
    else if (is(name, "sqrt"))
        *out = from_float(dtype, dtype != FSR_F64 ? (double)(float)sqrt(a) : sqrt(a));
    else if (is(name, "fma"))
        *out = from_float(dtype, dtype != FSR_F64 ? (double)fmaf((float)a, (float)b, (float)c) : fma(a, b, c));
    else
        return false;
    return true;
}

/* The key of a float: how many floats are between it and 0, from -1 down for those with a sign. */
static bool expect_key(const char *name, fsr_dtype dtype, double a, fsr_value *out) {
    const int width = dtype == FSR_F64 ? 64 : 32;
    const fsr_value least = from_float(dtype, dtype == FSR_F64 ? 0x1p-1074 : 0x1p-149);
    fsr_value x = from_float(dtype, fabs(a));
    wide_int steps = 0;
    if (!is(name, "order_key"))
        return false;
    assert_int_equal(least.bits & 0xffff, 1); /* neighbours differ by one */
    steps = width == 64 ? (wide_int)x.i64 : (wide_int)x.i32;
    if (isnan(a))
        steps = ((wide_int)1 << (width - 1)) - 1;
    else if (signbit(a))
        steps = -1 - steps;
    *out = from_wide_int(width == 64 ? FSR_I64 : FSR_I32, steps);
    return true;
}

/* The float of a key, found among its neighbours: what has the key. */
static bool expect_keyed(const char *name, fsr_dtype dtype, wide_int key, fsr_value *out) {
    const fsr_dtype real = dtype == FSR_I64 ? FSR_F64 : FSR_F32;
    if (!is(name, "order_value"))
        return false;
    const wide_int magnitude = key < 0 ? -1 - key : key;
    fsr_value x = {.bits = 0};
    if (real == FSR_F64)
        x.i64 = (int64_t)magnitude;
    else
        x.i32 = (int32_t)magnitude;
    const double value = to_float(real, x);
    *out = from_float(real, isnan(value) ? (double)NAN : copysign(value, key < 0 ? -1 : 1));
    return true;
}

/* -1: not a comparison. The relation is built from < alone. */
static int expect_compare(const char *name, bool below, bool above, bool unordered) {
    bool equal = !below && !above && !unordered;
    if (is(name, "less"))
        return below;
    if (is(name, "less_equal"))
        return below || equal;
    if (is(name, "greater"))
        return above;
    if (is(name, "greater_equal"))
        return above || equal;
    if (is(name, "equal"))
        return equal;
    if (is(name, "not_equal"))
        return !equal;
    return -1;
}

/* Modulo 2^128. */
static wide_int times(wide_int a, wide_int b) {
    return (wide_int)((unsigned_wide_int)a * (unsigned_wide_int)b);
}

static bool expect_int(const char *name, wide_int a, wide_int b, wide_int c, wide_int *out) {
    if (is(name, "add"))
        *out = a + b;
    else if (is(name, "sub"))
        *out = a - b;
    else if (is(name, "mul"))
        *out = times(a, b);
    else if (is(name, "neg"))
        *out = -a;
    else if (is(name, "conj") || is(name, "real"))
        *out = a;
    else if (is(name, "imag"))
        *out = 0;
    else if (is(name, "abs"))
        *out = a < 0 ? -a : a;
    else if (is(name, "maximum"))
        *out = a < b ? b : a;
    else if (is(name, "minimum"))
        *out = b < a ? b : a;
    else if (is(name, "floor") || is(name, "ceil"))
        *out = a;
    else if (is(name, "fma"))
        *out = (wide_int)(uint64_t)times(a, b) + c;
    else if (is(name, "philox"))
        *out = (wide_int)philox_pair((uint64_t)a, (uint64_t)b, (uint64_t)c);
    else if (is(name, "isnan"))
        *out = 0;
    else if (is(name, "where"))
        *out = a ? b : c;
    else
        return false;
    return true;
}

static bool expect_bool(const char *name, bool a, bool b, bool c, bool *out) {
    int bits = a + 2 * b;
    if (is(name, "add") || is(name, "maximum") || is(name, "logical_or"))
        *out = bits != 0;
    else if (is(name, "mul") || is(name, "minimum") || is(name, "logical_and"))
        *out = bits == 3;
    else if (is(name, "abs") || is(name, "floor") || is(name, "ceil") || is(name, "real"))
        *out = a;
    else if (is(name, "imag"))
        *out = false;
    else if (is(name, "logical_not"))
        *out = bits % 2 == 0;
    else if (is(name, "isnan"))
        *out = false;
    else if (is(name, "where"))
        *out = (a && b) || (!a && c);
    else
        return false;
    return true;
}

/* False: this file has no expectation for the op on that dtype. */
static bool expectation(const char *name, fsr_dtype compute, const fsr_value *x, bool select, fsr_value *want) {
    if (fsr_dtype_is_float(compute)) {
        double a = select ? x[0].b : to_float(compute, x[0]), b = to_float(compute, x[1]), c = to_float(compute, x[2]);
        int relation = expect_compare(name, a < b, b < a, isnan(a) || isnan(b));
        if (is(name, "isnan"))
            relation = isnan(a) != 0;
        if (relation >= 0)
            *want = from_wide_int(FSR_BOOL, relation);
        return relation >= 0 || expect_key(name, compute, a, want) || expect_float(name, compute, a, b, c, want);
    }
    wide_int a = select ? x[0].b : to_wide_int(compute, x[0]), b = to_wide_int(compute, x[1]),
             c = to_wide_int(compute, x[2]);
    int relation = expect_compare(name, a < b, b < a, false);
    if (relation >= 0) {
        *want = from_wide_int(FSR_BOOL, relation);
        return true;
    }
    wide_int wide;
    bool bit;
    if (expect_keyed(name, compute, a, want))
        return true;
    bool known = compute == FSR_BOOL ? expect_bool(name, a, b, c, &bit) : expect_int(name, a, b, c, &wide);
    if (known)
        *want = compute == FSR_BOOL ? from_wide_int(FSR_BOOL, bit)
                                    : from_wide_int(is(name, "isnan") ? FSR_BOOL : compute, wide);
    return known;
}

/* tests/unit/test_ops_numpy.c compares the op with NumPy. */
static bool numpy_has(const char *op) {
    FILE *from = fopen("tests/numpy/ops.txt", "r");
    char line[256], name[64];
    bool found = false;
    while (from && !found && fgets(line, sizeof line, from))
        found = sscanf(line, "op %63s", name) == 1 && is(name, op);
    if (from)
        fclose(from);
    return found;
}

static void check_exact(fsr_op op, fsr_dtype compute) {
    const fsr_op_info *info = fsr_op_get(op);
    bool select = info->rule == FSR_RULE_SELECT;
    fsr_value first[MAX_SPECIALS], x[MAX_SPECIALS];
    int n = specials(compute, x), nfirst = specials(select ? FSR_BOOL : compute, first);
    fsr_dtype result = fsr_op_result(op, compute);
    for (int i = 0; i < nfirst; i++)
        for (int j = 0; j < (info->arity > 1 ? n : 1); j++)
            for (int k = 0; k < (info->arity > 2 ? n : 1); k++) {
                fsr_value args[3] = {first[i], x[j], x[k]}, want = {.bits = 0};
                if (!expectation(info->name, compute, args, select, &want)) {
                    if (!numpy_has(info->name))
                        fail_msg("no expectation for %s on %s: write one", info->name, fsr_dtype_name(compute));
                    return;
                }
                fsr_value got = fsr_op_eval(op, compute, result, args);
                bool zeros = is(info->name, "maximum") || is(info->name, "minimum");
                if (zeros ? !same_number(result, got, want) : !same(result, got, want))
                    fail_msg("%s on %s, values %d %d %d: got %llx, want %llx", info->name, fsr_dtype_name(compute), i,
                             j, k, (unsigned long long)got.bits, (unsigned long long)want.bits);
            }
}

static void test_exact_ops(void **state) {
    (void)state;
    for (int op = 0; op < FSR_OP_COUNT; op++) {
        const fsr_op_info *info = fsr_op_get((fsr_op)op);
        if (info->rule == FSR_RULE_CAST || !(info->flags & FSR_OP_EXACT))
            continue;
        for (int dtype = 0; dtype < FSR_C64; dtype++)
            if (fsr_op_defined((fsr_op)op, (fsr_dtype)dtype))
                check_exact((fsr_op)op, (fsr_dtype)dtype);
    }
}

/* Correct rounding of sqrt by exact squares of the neighbouring midpoints; fma where a double fma rounds twice. */
static void test_correct_rounding(void **state) {
    (void)state;
    double x = 2.0;
    for (int i = 0; i < 2000; i++, x = x * 1.37 + 0.001) {
        if (x > 1e200)
            x *= 1e-300;
        fsr_value v = {.f64 = x};
        double r = fsr_op_eval(FSR_OP_SQRT, FSR_F64, FSR_F64, &v).f64;
        quad low = ((quad)r + (quad)nextafter(r, 0)) / 2, high = ((quad)r + (quad)nextafter(r, HUGE_VAL)) / 2;
        assert_true(low * low <= (quad)x && (quad)x <= high * high);
        v = from_float(FSR_F32, x);
        if (!isfinite(v.f32) || v.f32 == 0)
            continue;
        float s = fsr_op_eval(FSR_OP_SQRT, FSR_F32, FSR_F32, &v).f32;
        quad slow = ((quad)s + (quad)nextafterf(s, 0)) / 2, shigh = ((quad)s + (quad)nextafterf(s, INFINITY)) / 2;
        assert_true(slow * slow <= (quad)v.f32 && (quad)v.f32 <= shigh * shigh);
    }
    fsr_value args[3] = {{.bits = 0}, {.bits = 0}, {.bits = 0}};
    args[0].f32 = 0x1.001p0f, args[1].f32 = 0x1.0010p0f,
    args[2].f32 = 0x1p-80f; /* a*b = 1 + 2^-11 + 2^-24: a tie, broken upwards by c */
    assert_true(fsr_op_eval(FSR_OP_FMA, FSR_F32, FSR_F32, args).f32 == 0x1.002002p0f);
    args[2].f32 = -0x1p-80f;
    assert_true(fsr_op_eval(FSR_OP_FMA, FSR_F32, FSR_F32, args).f32 == 0x1.002p0f);
}

typedef struct known {
    const char *op;
    double a, b, want;
} known;

/* Values as NumPy and C's annex F have them. */
static const known inexact[] = {
    {"exp", 0.0, 0, 1.0},
    {"exp", -0.0, 0, 1.0},
    {"exp", HUGE_VAL, 0, HUGE_VAL},
    {"exp", -HUGE_VAL, 0, 0.0},
    {"exp", NAN, 0, NAN},
    {"exp", 1.0, 0, 2.718281828459045235},
    {"exp", -1e4, 0, 0.0},
    {"exp", 1e4, 0, HUGE_VAL},
    {"log", 1.0, 0, 0.0},
    {"log", 0.0, 0, -HUGE_VAL},
    {"log", -0.0, 0, -HUGE_VAL},
    {"log", -1.0, 0, NAN},
    {"log", HUGE_VAL, 0, HUGE_VAL},
    {"log", -HUGE_VAL, 0, NAN},
    {"log", NAN, 0, NAN},
    {"log", 10.0, 0, 2.302585092994045684},
    {"log", 0x1p-149, 0, -103.27892990343184},
    {"sin", 0.0, 0, 0.0},
    {"sin", -0.0, 0, -0.0},
    {"sin", HUGE_VAL, 0, NAN},
    {"sin", NAN, 0, NAN},
    {"sin", 1.0, 0, 0.8414709848078965067},
    {"sin", 1048576.0, 0, 0.3304931400217346716},
    {"cos", 0.0, 0, 1.0},
    {"cos", -HUGE_VAL, 0, NAN},
    {"cos", NAN, 0, NAN},
    {"cos", 1.0, 0, 0.5403023058681397174},
    {"tanh", 0.0, 0, 0.0},
    {"tanh", -0.0, 0, -0.0},
    {"tanh", HUGE_VAL, 0, 1.0},
    {"tanh", -HUGE_VAL, 0, -1.0},
    {"tanh", NAN, 0, NAN},
    {"tanh", 1.0, 0, 0.7615941559557648881},
    {"pow", 2.0, 0.5, 1.4142135623730950488},
    {"pow", 0.0, 0.0, 1.0},
    {"pow", NAN, 0.0, 1.0},
    {"pow", 1.0, NAN, 1.0},
    {"pow", NAN, 2.0, NAN},
    {"pow", -8.0, 3.0, -512.0},
    {"pow", -8.0, 0.5, NAN},
    {"pow", 0.0, -1.0, HUGE_VAL},
    {"pow", -0.0, -1.0, -HUGE_VAL},
    {"pow", -0.0, 3.0, -0.0},
    {"pow", -1.0, HUGE_VAL, 1.0},
    {"pow", 0.5, HUGE_VAL, 0.0},
    {"pow", -HUGE_VAL, 3.0, -HUGE_VAL},
    {"rayleigh", 1.0, 0, 0.0},
    {"rayleigh", 0.5, 0, 1.1774100225154746910},
    {"rayleigh", 0.0, 0, HUGE_VAL},
    {"rayleigh", 1.5, 0, NAN},
    {"rayleigh", -1.0, 0, NAN},
    {"sinpi", 0.5, 0, 1.0},
    {"sinpi", -1.5, 0, 1.0},
    {"sinpi", 1e20, 0, 0.0},
    {"sinpi", 0.25, 0, 0.70710678118654752},
    {"sinpi", -0.0, 0, -0.0},
    {"sinpi", -3.0, 0, 0.0},
    {"sinpi", HUGE_VAL, 0, NAN},
    {"cospi", 0.0, 0, 1.0},
    {"cospi", 0.5, 0, 0.0},
    {"cospi", 1.5, 0, 0.0},
    {"cospi", 1e20, 0, 1.0},
    {"cospi", -0.25, 0, 0.70710678118654752},
    {"cospi", -HUGE_VAL, 0, NAN},
};

static void check_known(const known *k, fsr_dtype dtype) {
    fsr_op op = fsr_op_find(k->op);
    assert_true(op < FSR_OP_COUNT);
    fsr_value args[3] = {from_float(dtype, k->a), from_float(dtype, k->b), {.bits = 0}};
    double got = to_float(dtype, fsr_op_eval(op, dtype, dtype, args));
    double want = dtype == FSR_F32 ? (double)(float)k->want : k->want;
    bool ok;
    if (isnan(want))
        ok = isnan(got);
    else if (want == 0 || isinf(want))
        ok = got == want && signbit(got) == signbit(want);
    else
        ok = fabs(got - want) <= 2 * (dtype == FSR_F32 ? (double)FLT_EPSILON : DBL_EPSILON) * fabs(want);
    if (!ok)
        fail_msg("%s(%g, %g) on %s: got %.17g, want %.17g", k->op, k->a, k->b, fsr_dtype_name(dtype), got, want);
}

static void test_inexact_ops(void **state) {
    (void)state;
    const int n = (int)(sizeof inexact / sizeof *inexact);
    for (int i = 0; i < n; i++) {
        check_known(&inexact[i], FSR_F32);
        check_known(&inexact[i], FSR_F64);
    }
    for (int op = 0; op < FSR_OP_COUNT; op++) {
        if (fsr_op_get((fsr_op)op)->flags & FSR_OP_EXACT)
            continue;
        int cases = 0;
        for (int i = 0; i < n; i++)
            cases += is(inexact[i].op, fsr_op_get((fsr_op)op)->name);
        if (cases < 4 && !numpy_has(fsr_op_get((fsr_op)op)->name))
            fail_msg("%s has no special values here: write some", fsr_op_get((fsr_op)op)->name);
        assert_true(fsr_op_get((fsr_op)op)->ulp > 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_exact_ops),
        cmocka_unit_test(test_correct_rounding),
        cmocka_unit_test(test_inexact_ops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
