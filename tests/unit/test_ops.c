/* SPDX-License-Identifier: MIT */
/* The scalar-op table against expectations written independently of it: integers in 128-bit arithmetic, floats in
 * binary128 or by hand. Every op of the table that is not in tests/numpy/ops.txt, every dtype it is defined for, all
 * pairs and triples of special values. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "graph/ops.h"
#include "graph/program.h"
#include "tests/support/philox.h"
#include "tests/support/promoted.h"

/* 113 digits: where the compiler has no such type, on 64-bit ARM, long double has them. */
#ifdef __SIZEOF_FLOAT128__
__extension__ typedef __float128 quad;
#else
typedef long double quad;
_Static_assert(LDBL_MANT_DIG == 113, "no floating-point type of 113 digits");
#endif
__extension__ typedef __int128 wide_int;
__extension__ typedef unsigned __int128 unsigned_wide_int;

static const double float_specials[] = {0.0, -0.0, 1.0,      -1.0,      0.5, -2.5,   2.5,  3.0,
                                        7.0, 1e-3, HUGE_VAL, -HUGE_VAL, NAN, 1234.5, -0.75};
static const int64_t int_specials[] = {0, 1, -1, 2, 7, -46341, 128, 255, INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN};

enum { MAX_SPECIALS = 32 };

#if defined __clang__ && __clang_major__ < 15
/* There _Float16 wants a processor that computes with it: the definition. */
static uint16_t f16_bits(float x) {
    const uint16_t sign = signbit(x) ? 0x8000 : 0;
    const double size = fabs((double)x);
    int power;
    if (isnan(x))
        return sign | 0x7e00;
    if (size >= 65520)
        return sign | 0x7c00;
    frexp(size, &power);
    power = size < 0x1p-14 ? -13 : power; /* subnormal ones have the least normal one's */
    return (uint16_t)(sign + ((power + 13) << 10) + (int)nearbyint(ldexp(size, 11 - power)));
}

static double f16_number(uint16_t bits) {
    const int power = bits >> 10 & 31, digits = bits & 1023;
    const double size = power == 31  ? (digits ? NAN : HUGE_VAL)
                        : power == 0 ? ldexp(digits, -24)
                                     : ldexp(1024 + digits, power - 25);
    return bits >> 15 ? -size : size;
}
#else
static uint16_t f16_bits(float x) {
    __extension__ _Float16 half = (_Float16)x;
    uint16_t bits;
    memcpy(&bits, &half, sizeof bits);
    return bits;
}

static double f16_number(uint16_t bits) {
    __extension__ _Float16 half;
    memcpy(&half, &bits, sizeof half);
    return (double)half;
}
#endif

/* The compiler's own f16; bf16 by what is cut off. */
static uint16_t half_bits(fsr_dtype dtype, float x) {
    fsr_value v = {.f32 = x};
    if (dtype == FSR_F16)
        return f16_bits(x);
    uint32_t cut = v.u32 & 0xffff, bits = v.u32 >> 16;
    if (x != x)
        return (uint16_t)(bits | 64);
    return (uint16_t)(bits + (cut > 0x8000 || (cut == 0x8000 && bits & 1)));
}

static double half_number(fsr_dtype dtype, uint16_t bits) {
    fsr_value v = {.u32 = (uint32_t)bits << 16};
    if (dtype == FSR_BF16)
        return (double)v.f32;
    return f16_number(bits);
}

static fsr_value from_float(fsr_dtype dtype, double x) {
    fsr_value v = {.bits = 0};
    if (fsr_dtype_is_half(dtype))
        v.u16 = half_bits(dtype, (float)x);
    else if (dtype == FSR_F32)
        v.f32 = (float)x;
    else
        v.f64 = x;
    return v;
}

static fsr_value from_wide_int(fsr_dtype dtype, wide_int x) {
    fsr_value v = {.bits = 0};
    if (dtype == FSR_BOOL)
        v.b = x != 0;
    else
        v.bits = (uint64_t)x & UINT64_MAX >> (64 - 8 * fsr_dtype_size(dtype));
    return v;
}

static wide_int to_wide_int(fsr_dtype dtype, fsr_value v) {
    const size_t bits = 8 * fsr_dtype_size(dtype);
    const bool negative = !fsr_dtype_is_unsigned(dtype) && dtype != FSR_BOOL && v.bits >> (bits - 1);
    return (wide_int)v.bits - (negative ? (wide_int)1 << bits : 0);
}

static double to_float(fsr_dtype dtype, fsr_value v) {
    if (fsr_dtype_is_half(dtype))
        return half_number(dtype, v.u16);
    return dtype == FSR_F32 ? (double)v.f32 : v.f64;
}

static int specials(fsr_dtype dtype, fsr_value *out) {
    int n = 0;
    if (fsr_dtype_is_float(dtype)) {
        for (size_t i = 0; i < sizeof float_specials / sizeof *float_specials; i++)
            out[n++] = from_float(dtype, float_specials[i]);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? (double)FLT_MAX : DBL_MAX);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? (double)-FLT_MAX : -DBL_MAX);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? (double)FLT_MIN : DBL_MIN);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? 0x1p-149 : 0x1p-1074);
        out[n++] = from_float(dtype, dtype == FSR_F32 ? -0x1.8p-140 : -0x1.8p-1060);
        if (dtype == FSR_F16)
            out[n++] = from_float(dtype, 65504), out[n++] = from_float(dtype, 0x1p-24);
        if (dtype == FSR_BF16)
            out[n++] = from_float(dtype, 0x1.fep127), out[n++] = from_float(dtype, -0x1p-133);
        return n;
    }
    for (size_t i = 0; i < sizeof int_specials / sizeof *int_specials; i++)
        out[n++] = from_wide_int(dtype, int_specials[i]);
    return n;
}

/* Rounded once from binary128, whose 113 bits make double rounding harmless for + - * / of doubles. */
static fsr_value round_quad(fsr_dtype dtype, quad x) {
    fsr_value v = {.bits = 0};
    if (fsr_dtype_is_half(dtype))
        v.u16 = half_bits(dtype, (float)x);
    else if (dtype == FSR_F32)
        v.f32 = (float)x;
    else
        v.f64 = (double)x;
    return v;
}

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

static bool same(fsr_dtype dtype, fsr_value a, fsr_value b) {
    if (fsr_dtype_is_float(dtype) && isnan(to_float(dtype, a)) && isnan(to_float(dtype, b)))
        return true;
    return a.bits == b.bits;
}

/* max(+0, -0) may be either zero. */
static bool same_number(fsr_dtype dtype, fsr_value a, fsr_value b) {
    if (fsr_dtype_is_float(dtype) && to_float(dtype, a) == to_float(dtype, b))
        return true;
    return same(dtype, a, b);
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
        return relation >= 0 || expect_float(name, compute, a, b, c, want);
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

static fsr_value cast(fsr_dtype to, fsr_dtype from, fsr_value v) {
    fsr_value out = fsr_op_eval(FSR_OP_CAST, from, to, &v);
    assert_true(out.bits == fsr_value_cast(to, from, v).bits);
    return out;
}

static void test_casts_from_float(void **state) {
    (void)state;
    static const struct {
        double x;
        int b, u8;
        int64_t i32, i64;
    } row[] = {
        {0.0, 0, 0, 0, 0},
        {-0.0, 0, 0, 0, 0},
        {0.4, 1, 0, 0, 0},
        {-0.9, 1, 0, 0, 0},
        {-1.5, 1, 0, -1, -1},
        {254.99, 1, 254, 254, 254},
        {255.5, 1, 255, 255, 255},
        {300, 1, 255, 300, 300},
        {2147483648.0, 1, 255, INT32_MAX, 2147483648},
        {-2147483904.0, 1, 0, INT32_MIN, -2147483904},
        {9223372036854775808.0, 1, 255, INT32_MAX, INT64_MAX},
        {-9223372036854775808.0, 1, 0, INT32_MIN, INT64_MIN},
        {-1e30, 1, 0, INT32_MIN, INT64_MIN},
        {HUGE_VAL, 1, 255, INT32_MAX, INT64_MAX},
        {-HUGE_VAL, 1, 0, INT32_MIN, INT64_MIN},
        {NAN, 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof row / sizeof *row; i++)
        for (int from = FSR_F32; from <= FSR_F64; from++) {
            fsr_value x = from_float((fsr_dtype)from, row[i].x);
            assert_int_equal(cast(FSR_BOOL, (fsr_dtype)from, x).bits, row[i].b);
            assert_int_equal(cast(FSR_U8, (fsr_dtype)from, x).bits, row[i].u8);
            assert_int_equal(cast(FSR_I32, (fsr_dtype)from, x).i32, row[i].i32);
            assert_int_equal(cast(FSR_I64, (fsr_dtype)from, x).i64, row[i].i64);
        }
    fsr_value tie = {.f64 = 1.0 + 0x1p-24};
    assert_true(cast(FSR_F32, FSR_F64, tie).f32 == 1.0f);
    tie.f64 = 1e300;
    assert_true(isinf(cast(FSR_F32, FSR_F64, tie).f32));
    assert_true(cast(FSR_F64, FSR_F32, from_float(FSR_F32, 0x1p-149)).f64 == 0x1p-149);
}

static void test_casts_from_int(void **state) {
    (void)state;
    for (int from = FSR_BOOL; from <= FSR_U64; from++)
        for (int to = FSR_BOOL; to <= FSR_U64; to++) {
            fsr_value x[MAX_SPECIALS];
            int n = specials((fsr_dtype)from, x);
            for (int i = 0; i < n; i++) {
                fsr_value want = from_wide_int((fsr_dtype)to, to_wide_int((fsr_dtype)from, x[i]));
                assert_int_equal(cast((fsr_dtype)to, (fsr_dtype)from, x[i]).bits, want.bits);
            }
        }
    fsr_value big = {.i64 = (INT64_C(1) << 54) + (INT64_C(1) << 30) +
                            1}; /* through double it would be a tie, rounded down */
    assert_true(cast(FSR_F32, FSR_I64, big).f32 == 0x1.000002p54f);
    big.i64 = INT64_MAX;
    assert_true(cast(FSR_F64, FSR_I64, big).f64 == 0x1p63);
    big.i64 = INT64_MIN;
    assert_true(cast(FSR_F32, FSR_I64, big).f32 == -0x1p63f);
    fsr_value odd = {.b = 7};
    assert_true(cast(FSR_I64, FSR_BOOL, odd).i64 == 1);
    assert_true(cast(FSR_F32, FSR_BOOL, odd).f32 == 1.0f);
    fsr_value dirty = {.bits = UINT64_MAX};
    assert_int_equal(cast(FSR_U8, FSR_U8, dirty).bits, 255);
    assert_int_equal(cast(FSR_I32, FSR_I32, dirty).bits, UINT32_MAX);
}

/* Every number of f16 and bf16 there and back, and every f32 around the places where they round. */
static void test_halves(void **state) {
    (void)state;
    for (int dtype = FSR_F16; dtype <= FSR_BF16; dtype++)
        for (unsigned bits = 0; bits <= UINT16_MAX; bits++) {
            fsr_value x = {.u16 = (uint16_t)bits};
            double number = half_number((fsr_dtype)dtype, x.u16), got = fsr_value_to_double((fsr_dtype)dtype, x);
            if (isnan(number) ? !isnan(got) : got != number || signbit(got) != signbit(number))
                fail_msg("%s %04x is %a, not %a", fsr_dtype_name((fsr_dtype)dtype), bits, got, number);
            if (!isnan(number))
                assert_int_equal(fsr_value_from_double((fsr_dtype)dtype, number).bits, bits);
            fsr_value f = fsr_value_cast(FSR_F32, (fsr_dtype)dtype, x);
            for (int tie = -1; tie <= 1; tie++) {
                fsr_value near = {.u32 = f.u32 + (dtype == FSR_F16 ? 0x1000u : 0x8000u) + (uint32_t)tie};
                if (!isnan(near.f32))
                    assert_int_equal(fsr_value_cast((fsr_dtype)dtype, FSR_F32, near).bits,
                                     half_bits((fsr_dtype)dtype, near.f32));
            }
        }
}

/* What would be a tie after a first rounding is none: f64 and 64-bit integers are rounded once. */
static void test_halves_round_once(void **state) {
    (void)state;
    fsr_value tie = {.f64 = 1 + 0x1p-11 + 0x1p-40}, wide = {.i64 = (INT64_C(1) << 62) + (INT64_C(1) << 54) + 1};
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 0x3c01);
    tie.f64 = 1 + 0x1p-8 + 0x1p-40;
    assert_int_equal(cast(FSR_BF16, FSR_F64, tie).bits, 0x3f81);
    assert_int_equal(cast(FSR_BF16, FSR_I64, wide).bits, 0x5e81);
    wide.i64 -= 1;
    assert_int_equal(cast(FSR_BF16, FSR_I64, wide).bits, 0x5e80);
    tie.f64 = 65519.99;
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 0x7bff);
    tie.f64 = 65520;
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 0x7c00);
    tie.f64 = 0x1p-25;
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 0);
    tie.f64 = 0x1.0000001p-25;
    assert_int_equal(cast(FSR_F16, FSR_F64, tie).bits, 1);
    wide.i64 = -65504;
    assert_int_equal(cast(FSR_F16, FSR_I64, wide).bits, 0xfbff);
}

static void test_promotion(void **state) {
    (void)state;
    int pairs = 0;
    for (int a = 0; a < FSR_DTYPE_COUNT; a++)
        for (int b = 0; b < FSR_DTYPE_COUNT; b++) {
            fsr_dtype want = promoted_by_numpy((fsr_dtype)a, (fsr_dtype)b);
            pairs += want != FSR_DTYPE_COUNT;
            if (want != FSR_DTYPE_COUNT)
                assert_string_equal(fsr_dtype_name(fsr_dtype_promote((fsr_dtype)a, (fsr_dtype)b)),
                                    fsr_dtype_name(want));
        }
    assert_true(pairs >= 12 * 12);
    for (int d = FSR_BOOL; d <= FSR_F64; d++) {
        static const fsr_dtype with_bf16[] = {
            [FSR_BOOL] = FSR_BF16, [FSR_I8] = FSR_BF16, [FSR_U8] = FSR_BF16, [FSR_I16] = FSR_F32, [FSR_U16] = FSR_F32,
            [FSR_I32] = FSR_F64,   [FSR_U32] = FSR_F64, [FSR_I64] = FSR_F64, [FSR_U64] = FSR_F64, [FSR_F16] = FSR_F32,
            [FSR_BF16] = FSR_BF16, [FSR_F32] = FSR_F32, [FSR_F64] = FSR_F64};
        assert_int_equal(fsr_dtype_promote((fsr_dtype)d, FSR_BF16), with_bf16[d]);
        assert_int_equal(fsr_dtype_promote(FSR_BF16, (fsr_dtype)d), with_bf16[d]);
    }
    assert_int_equal(fsr_dtype_promote(FSR_F32, FSR_DTYPE_COUNT), FSR_DTYPE_COUNT);
    assert_string_equal(fsr_dtype_name((fsr_dtype)99), "?");
    assert_int_equal(fsr_dtype_size((fsr_dtype)99), 0);
    assert_int_equal(fsr_dtype_size(FSR_BOOL), 1);
    assert_int_equal(fsr_dtype_size(FSR_I32), 4);
    assert_int_equal(fsr_dtype_size(FSR_F64), 8);
}

static void check_identity(fsr_op op, fsr_dtype dtype) {
    fsr_combine *c = fsr_combine_builtin(op, dtype);
    assert_non_null(c);
    fsr_value x[MAX_SPECIALS];
    int n = specials(dtype, x);
    for (int i = 0; i < n; i++) {
        fsr_value left, right;
        fsr_combine_eval(c, &left, c->identity, &x[i]);
        fsr_combine_eval(c, &right, &x[i], c->identity);
        if (!same_number(dtype, left, x[i]) || !same_number(dtype, right, x[i]))
            fail_msg("%s on %s: the identity changes value %d", fsr_op_get(op)->name, fsr_dtype_name(dtype), i);
    }
    fsr_combine_free(c);
}

/* What the flags of the table promise, over all pairs and triples. */
static void check_flags(fsr_op op, fsr_dtype dtype) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_dtype result = fsr_op_result(op, dtype);
    fsr_value x[MAX_SPECIALS];
    int n = specials(dtype, x);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            fsr_value forth[3] = {x[i], x[j], {.bits = 0}}, back[3] = {x[j], x[i], {.bits = 0}};
            fsr_value ij = fsr_op_eval(op, dtype, result, forth);
            if (info->flags & FSR_OP_COMMUTATIVE)
                assert_true(same_number(result, ij, fsr_op_eval(op, dtype, result, back)));
            if (!(info->flags & FSR_OP_ASSOCIATIVE) || fsr_dtype_is_float(dtype))
                continue;
            for (int k = 0; k < n; k++) {
                fsr_value jk_args[3] = {x[j], x[k], {.bits = 0}};
                fsr_value jk = fsr_op_eval(op, dtype, dtype, jk_args);
                fsr_value left[3] = {ij, x[k], {.bits = 0}}, right[3] = {x[i], jk, {.bits = 0}};
                fsr_value l = fsr_op_eval(op, dtype, dtype, left), r = fsr_op_eval(op, dtype, dtype, right);
                assert_true(l.bits == r.bits);
            }
        }
}

static void test_flags_and_identities(void **state) {
    (void)state;
    int identities = 0;
    for (int op = 0; op < FSR_OP_COUNT; op++)
        for (int dtype = 0; dtype < FSR_C64; dtype++) {
            const fsr_op_info *info = fsr_op_get((fsr_op)op);
            if (!fsr_op_defined((fsr_op)op, (fsr_dtype)dtype) || info->arity != 2)
                continue;
            check_flags((fsr_op)op, (fsr_dtype)dtype);
            if (info->identity == FSR_IDENTITY_NONE)
                continue;
            check_identity((fsr_op)op, (fsr_dtype)dtype);
            identities++;
        }
    assert_true(identities >= 26);
    assert_int_equal(fsr_op_identity(FSR_OP_MAXIMUM, FSR_I32).i32, INT32_MIN);
    assert_int_equal(fsr_op_identity(FSR_OP_MINIMUM, FSR_BOOL).bits, 1);
    assert_true(fsr_op_identity(FSR_OP_MAXIMUM, FSR_F32).f32 == -INFINITY);
}

static void test_table(void **state) {
    (void)state;
    for (int op = 0; op < FSR_OP_COUNT; op++) {
        const fsr_op_info *info = fsr_op_get((fsr_op)op);
        assert_int_equal(fsr_op_find(info->name), op);
        assert_in_range(info->arity, 1, 3);
        for (int class = 0; class < FSR_CLASS_COUNT; class ++)
            assert_int_equal(info->c[class] == NULL, info->cuda[class] == NULL);
        if (info->flags & FSR_OP_ASSOCIATIVE)
            assert_true(info->identity != FSR_IDENTITY_NONE && info->arity == 2);
    }
    assert_int_equal(fsr_op_find("sqr"), FSR_OP_COUNT);
    assert_true(fsr_op_defined(FSR_OP_DIV, FSR_F32));
    assert_false(fsr_op_defined(FSR_OP_DIV, FSR_I32));
    assert_false(fsr_op_defined(FSR_OP_SUB, FSR_BOOL));
    assert_false(fsr_op_defined(FSR_OP_COUNT, FSR_F32));
}

/* Compares two operators, and frees the second. */
static void expect_equal(const fsr_combine *c, fsr_combine *d, bool equal) {
    assert_non_null(d);
    assert_true(fsr_combine_equal(c, d) == equal);
    fsr_combine_free(d);
}

/* out may be left or right; equality ignores what an instruction does not use and sees what it does. */
static void test_combine(void **state) {
    (void)state;
    fsr_combine *c = fsr_combine_builtin(FSR_OP_ADD, FSR_I32), *d = fsr_combine_copy(c);
    fsr_value a = {.i32 = INT32_MAX}, b = {.i32 = 1};
    fsr_combine_eval(c, &a, &a, &b);
    assert_int_equal(a.i32, INT32_MIN);
    d->body.inst[0].arg[1] = 5;
    d->body.inst[0].node = 7;
    expect_equal(c, d, true);
    expect_equal(c, fsr_combine_builtin(FSR_OP_MUL, FSR_I32), false);
    expect_equal(c, fsr_combine_builtin(FSR_OP_ADD, FSR_I64), false);
    d = fsr_combine_copy(c);
    d->body.inst[2].arg[1] = 0;
    expect_equal(c, d, false);
    fsr_combine_free(c);
}

/* A load of a body: a table that there is, as many indices as it has dimensions, i64, clipped or wrapped. */
static void test_load_rules(void **state) {
    (void)state;
    fsr_region r = {.nargs = 1, .arg = {FSR_I64}, .ntables = 1, .table = {{FSR_F32, 2}}, .nresults = 1, .result = {1}};
    const fsr_inst index = {.kind = FSR_INST_PARAM, .dtype = FSR_I64, .compute = FSR_I64};
    const fsr_inst load = {.kind = FSR_INST_LOAD, .dtype = FSR_F32, .component = 2, .bound = FSR_BOUND_WRAP};
    int at;
    fsr_region_add(&r, &index);
    fsr_region_add(&r, &load);
    assert_null(fsr_region_check(&r, FSR_IN_BODY, &at));
    assert_string_equal(fsr_region_check(&r, FSR_IN_OPERATOR, &at), "a wrong size");
    const float table[] = {1, 2, 3, 4, 5, 6};
    const fsr_table there = {table, {2, 3}, {3, 1}};
    fsr_value value[2];
    fsr_region_eval(&r, 0, 2, &(fsr_value){.i64 = -1}, &there, value);
    assert_true(value[1].f32 == 6);
    r.inst[1].bound = FSR_BOUND_CLIP;
    fsr_region_eval(&r, 0, 2, &(fsr_value){.i64 = 7}, &there, value);
    assert_true(value[1].f32 == 6);
    r.inst[1].bound = FSR_BOUND_RAISE;
    assert_string_equal(fsr_region_check(&r, FSR_IN_BODY, &at), "indices that are neither clipped nor wrapped");
    r.inst[1] = load;
    r.inst[1].component = 1;
    assert_string_equal(fsr_region_check(&r, FSR_IN_BODY, &at), "another number of indices than its table's");
    r.inst[1] = load;
    r.inst[1].arg[1] = 1;
    assert_string_equal(fsr_region_check(&r, FSR_IN_BODY, &at), "an index that is no earlier i64");
    r.inst[1] = load;
    r.inst[1].index = 1;
    assert_string_equal(fsr_region_check(&r, FSR_IN_BODY, &at), "no table of the region");
    fsr_region_clear(&r);
}

/* Nothing but constants, arguments and operations stands in an operator: it is run on padding. */
static void test_region_rules(void **state) {
    (void)state;
    fsr_combine *c = fsr_combine_builtin(FSR_OP_ADD, FSR_I32);
    int at;
    assert_null(fsr_combine_check(c, &at));
    for (int kind = 0; kind < FSR_INST_KINDS; kind++) {
        bool computes = kind == FSR_INST_CONST || kind == FSR_INST_PARAM || kind == FSR_INST_OP;
        c->body.inst[2].kind = (fsr_inst_kind)kind;
        c->body.inst[2].op = FSR_OP_ADD;
        assert_true(computes == fsr_inst_may_stand((fsr_inst_kind)kind, FSR_IN_OPERATOR));
        assert_true((computes || kind == FSR_INST_LOAD) == fsr_inst_may_stand((fsr_inst_kind)kind, FSR_IN_BODY));
        assert_true(fsr_inst_may_stand((fsr_inst_kind)kind, FSR_IN_NEST));
        const char *wrong = fsr_combine_check(c, &at);
        assert_true(computes == !wrong);
        assert_true(computes || at == 2);
    }
    c->body.inst[2].kind = FSR_INST_OP;
    c->body.result[0] = 3;
    assert_string_equal(fsr_combine_check(c, &at), "a result that there is not");
    c->body.result[0] = 2;
    c->body.inst[1].index = 2;
    assert_string_equal(fsr_combine_check(c, &at), "no argument of the region");
    fsr_combine_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_exact_ops),
        cmocka_unit_test(test_correct_rounding),
        cmocka_unit_test(test_inexact_ops),
        cmocka_unit_test(test_casts_from_float),
        cmocka_unit_test(test_casts_from_int),
        cmocka_unit_test(test_halves),
        cmocka_unit_test(test_halves_round_once),
        cmocka_unit_test(test_promotion),
        cmocka_unit_test(test_flags_and_identities),
        cmocka_unit_test(test_combine),
        cmocka_unit_test(test_load_rules),
        cmocka_unit_test(test_region_rules),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
