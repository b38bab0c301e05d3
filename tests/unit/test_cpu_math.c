/* SPDX-License-Identifier: MIT */
/* The CPU backend's elementary functions against wider arithmetic: every 257th f32 (fewer of the rarer functions),
 * random f64 values, all special ones; in the fast tier an eighth of them. The largest error of each is printed, and
 * must be within the bound of the op's row in the table. An element's bits must not depend on what stands beside it.
 * All tests have one backend, which keeps what it compiled: no function is compiled twice. */
#include "graph/ops_reference.h"
#include "runtime/backend.h"
#include "tests/support/cpu_fixture.h"
#include "tests/support/kernels.h"
#include "tests/support/random.h"
#include "tests/support/subject.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCK = 1 << 16, STEP = 257, F64_VALUES = 1 << 20 };

static int setup(void **state) {
    const fsr_config config = cpu_config();
    *state = cpu_open(&config);
    return 0;
}

static int teardown(void **state) {
    fsr_backend *b = *state;
    b->ops->close(b);
    return 0;
}

/* ---- one op as a kernel ------------------------------------------------------------------------------- */

static fsr_module *compile(fsr_backend *b, fsr_op op, fsr_dtype dtype) {
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    bool two = fsr_op_get(op)->arity == 2;
    fsr_kernel *k = kernel_begin("k_function", 1, 1, 0);
    int x = kernel_load(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, dtype, false)));
    int y = two ? kernel_load(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, dtype, false))) : 0;
    int out = kernel_linear(k, kernel_array(k, dtype, true));
    kernel_store(k, FSR_ROW, 0, out, kernel_op(k, op, x, y, 0));
    k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_MAP, 16, 4096, 1);
    kernel_finished(k);
    if (b->ops->compile(b, k, &m, &fault) != FSR_OK)
        fail_msg("%s", fault.message);
    fsr_kernel_free(k);
    return m;
}

/* y may be NULL for a function of one argument. */
static void apply(fsr_backend *b, fsr_module *m, int64_t n, void *x, void *y, void *out) {
    fsr_fault fault = {0};
    fsr_launch launch = {.array = {x, y ? y : out, out}, .integer = {n, 1, 1, 1, n}};
    assert_int_equal(b->ops->launch(b, m, &launch, NULL, &fault), FSR_OK);
}

/* ---- errors ---------------------------------------------------------------------------------------------- */

/* Units in the last place of the exact result between it and `got`; 1e9 for a wrong special. digits: 24 or 53, least:
 * the exponent (of frexp) of the least normal number. */
static double ulps(long double got, long double exact, long double largest, int digits, int least) {
    int exponent;
    if (isnan(exact) || isnan(got))
        return isnan(exact) && isnan(got) ? 0 : 1e9;
    if (isinf(got) || isinf(exact)) {
        bool same_sign = !signbit(got) == !signbit(exact);
        return same_sign && (got == exact || fabsl(isinf(got) ? exact : got) >= largest) ? 0 : 1e9;
    }
    if (exact == 0)
        return got == 0 && (signbit(got) != 0) == (signbit(exact) != 0) ? 0 : 1e9;
    frexpl(exact, &exponent);
    exponent = exponent < least ? least : exponent;
    return (double)(fabsl(got - exact) / ldexpl(1, exponent - digits));
}

/* What frexp's exponent of a normal number is, from its bits. */
static int exponent_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 52 & 0x7ff) - 1022;
}

/* 2 to a power that is normal. */
static double power_of_two(int exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* As ulps, of f32. Where nothing is special doubles hold all that is asked for, in a fifth of the time. */
static double ulps_f32(float got, double exact) {
    const double magnitude = fabs(exact);
    if (!(magnitude >= 0x1p-200 && magnitude < 0x1p+300) || !(fabsf(got) <= 0x1.fffffep+127f))
        return ulps((long double)got, (long double)exact, 0x1.fffffep+127L, 24, -125);
    const int exponent = exponent_of(exact);
    return fabs((double)got - exact) * power_of_two(24 - (exponent < -125 ? -125 : exponent));
}

static double ulps_f64(double got, long double exact) {
    return ulps((long double)got, exact, 0x1.fffffffffffffp+1023L, 53, -1021);
}

typedef struct worst {
    double ulp, x, y, got;
} worst;

static void note(worst *w, double ulp, double x, double y, double got) {
    if (ulp > w->ulp)
        *w = (worst){ulp, x, y, got};
}

static void report(const worst *w, fsr_op op, const char *dtype) {
    const fsr_op_info *info = fsr_op_get(op);
    print_message("%s of %s: at most %.3f ulp, at %a, %a\n", info->name, dtype, w->ulp, w->x, w->y);
    if (w->ulp > info->ulp)
        fail_msg("%s of %s: %g ulp at %a, %a: got %a; the bound is %g", info->name, dtype, w->ulp, w->x, w->y, w->got,
                 (double)info->ulp);
}

/* ---- arguments --------------------------------------------------------------------------------------------- */

static const double special[] = {
    0.0,
    -0.0,
    1.0,
    -1.0,
    2.0,
    -2.0,
    0.5,
    -0.5,
    3.0,
    -3.0,
    2.5,
    INFINITY,
    -INFINITY,
    NAN,
    1e-45,
    -1e-45,
    1e-38,
    0x1p-126,
    0x1p-149,
    0x1p-150,
    0x1.8p-150,
    0x1p-1022,
    0x1p-1074,
    -0x1p-1074,
    3.4e38,
    -3.4e38,
    1.79e308,
    -1.79e308,
    16777217,
    -16777215,
    8388609,
    -8388609,
    88.72,
    88.73,
    -87.4,
    -103.9,
    -104.1,
    709.78,
    709.79,
    -708.4,
    -745.1,
    -745.2,
    262144.0,
    262145.0,
    524288.0,
    524289.0,
    0x1p+100,
    0x1p+127,
    0x1p+1000,
    1e22,
    0.99999994,
    1.0000001,
    0x1.fffffffffffffp-1,
    9.0,
    10.5,
    -20.5,
    0x1.921fb6p+0,
    0x1.921fb54442d18p+1,
    1e-9,
    1e-300,
    0.34657359,
    0.3465736,
};
enum { SPECIALS = sizeof special / sizeof *special };

/* In (-a, a). */
static double between(uint64_t *state, double a) {
    return (double)(int64_t)random_bits(state) * 0x1p-63 * a;
}

/* Any bits, small, middling, near multiples of pi/2. */
static double random_f64(uint64_t *state, int64_t i) {
    uint64_t bits = random_bits(state);
    double any;
    memcpy(&any, &bits, sizeof any);
    switch (i % 6) {
    case 0: return any;
    case 1: return between(state, 4);
    case 2: return between(state, 750);
    case 3: return between(state, 600000);
    case 4: return (double)(bits % 340000) * 0x1.921fb54442d18p+0;
    default: return 1 + between(state, 0.5);
    }
}

/* ---- functions of one argument ------------------------------------------------------------------------------- */

typedef struct one {
    fsr_op op;
    double (*f32)(double);
    long double (*f64)(long double);
    int share; /* 1 in so many of the values */
} one;

static double rsqrt(double x) {
    return 1 / sqrt(x);
}
static long double rsqrtl(long double x) {
    return 1 / sqrtl(x);
}
static double rayleigh(double x) {
    return sqrt(-2 * log(x) + 0);
}
static long double rayleighl(long double x) {
    return sqrtl(-2 * logl(x) + 0);
}
static double sigmoid(double x) {
    return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x));
}
static long double sigmoidl(long double x) {
    return x < 0 ? expl(x) / (1 + expl(x)) : 1 / (1 + expl(-x));
}
static double deg2rad(double x) {
    return x * (M_PI / 180);
}
static long double deg2radl(long double x) {
    return x * (3.14159265358979323846264338327950288L / 180);
}
static double rad2deg(double x) {
    return x * (180 / M_PI);
}
static long double rad2degl(long double x) {
    return x * (180 / 3.14159265358979323846264338327950288L);
}

#define ONE(id, name, share) \
    { FSR_OP_##id, name, name##l, share }
/* clang-format off */
static const one functions[] = {
    ONE(EXP, exp, 1),
    ONE(LOG, log, 1),
    ONE(SIN, sin, 1),
    ONE(COS, cos, 1),
    ONE(TANH, tanh, 1),
    ONE(EXP2, exp2, 16),
    ONE(EXPM1, expm1, 16),
    ONE(LOG2, log2, 16),
    ONE(LOG10, log10, 16),
    ONE(LOG1P, log1p, 16),
    ONE(RSQRT, rsqrt, 16),
    ONE(CBRT, cbrt, 16),
    ONE(TAN, tan, 16),
    ONE(ASIN, asin, 16),
    ONE(ACOS, acos, 16),
    ONE(ATAN, atan, 16),
    ONE(RAYLEIGH, rayleigh, 16),
    ONE(SINPI, fsr_ref_sinpi, 16),
    ONE(COSPI, fsr_ref_cospi, 16),
    ONE(DEG2RAD, deg2rad, 64),
    ONE(RAD2DEG, rad2deg, 64),
    ONE(SINH, sinh, 16),
    ONE(COSH, cosh, 16),
    ONE(ASINH, asinh, 16),
    ONE(ACOSH, acosh, 16),
    ONE(ATANH, atanh, 16),
    ONE(SIGMOID, sigmoid, 16),
    ONE(ERF, erf, 16),
    ONE(ERFC, erfc, 32),
    ONE(ERFINV, fsr_ref_erfinv, 64),
    ONE(LGAMMA, lgamma, 32),
    ONE(TGAMMA, tgamma, 32),
};
/* clang-format on */
enum { FUNCTIONS = sizeof functions / sizeof *functions };

/* Near the zeros of lgamma below 0 units in the last place say nothing. */
static bool meaningless(fsr_op op, double x) {
    return op == FSR_OP_LGAMMA && x < 0;
}

/* Of what many values only repeat, the fast tier has every eighth. */
static int fewer(void) {
    return subject_case(0, true) ? 1 : 8;
}

static void check_f32(fsr_backend *b, const one *f, float *x, float *y) {
    fsr_module *m = compile(b, f->op, FSR_F32);
    const uint64_t step = (uint64_t)STEP * (uint64_t)(f->share * fewer());
    worst w = {0};
    for (int i = 0; i < SPECIALS; i++)
        x[i] = (float)special[i];
    int64_t n = SPECIALS;
    for (uint64_t bits = 0; bits <= UINT32_MAX || n > 0;) {
        for (; n < BLOCK && bits <= UINT32_MAX; bits += step) {
            uint32_t low = (uint32_t)bits;
            memcpy(&x[n++], &low, sizeof *x);
        }
        apply(b, m, n, x, NULL, y);
        for (int64_t i = 0; i < n; i++)
            note(&w, meaningless(f->op, (double)x[i]) ? 0 : ulps_f32(y[i], f->f32((double)x[i])), (double)x[i], 0,
                 (double)y[i]);
        n = 0;
    }
    report(&w, f->op, "f32");
}

static void every_257th_f32(void **state) {
    float *x = malloc(BLOCK * sizeof *x), *y = malloc(BLOCK * sizeof *y);
    for (int i = 0; i < FUNCTIONS; i++)
        check_f32(*state, &functions[i], x, y);
    free(x);
    free(y);
}

static void random_f64_values(void **state) {
    double *x = malloc(F64_VALUES * sizeof *x), *y = malloc(F64_VALUES * sizeof *y);
    uint64_t seed = 88172645463325252u;
    for (int64_t i = 0; i < F64_VALUES; i++)
        x[i] = i < SPECIALS ? special[i] : random_f64(&seed, i);
    for (int j = 0; j < FUNCTIONS; j++) {
        const one *f = &functions[j];
        worst w = {0};
        int64_t n = F64_VALUES / (f->share * fewer());
        apply(*state, compile(*state, f->op, FSR_F64), n, x, NULL, y);
        for (int64_t i = 0; i < n; i++)
            note(&w, meaningless(f->op, x[i]) ? 0 : ulps_f64(y[i], f->f64((long double)x[i])), x[i], 0, y[i]);
        report(&w, f->op, "f64");
    }
    free(x);
    free(y);
}

/* ---- pow -------------------------------------------------------------------------------------------------------- */

/* A base and an exponent: every pair of specials, any bits, results over the whole range, bases near 1. */
static void random_pair(uint64_t *state, int64_t i, double top, double *x, double *y) {
    if (i < SPECIALS * SPECIALS) {
        *x = special[i % SPECIALS];
        *y = special[i / SPECIALS];
        return;
    }
    *x = fabs(random_f64(state, 0));
    *x = i % 2 ? between(state, 3) : *x;
    *y = between(state, top / (fabs(log2(fabs(*x))) + 1e-3));
    if (i % 5 == 0)
        *y = floor(*y);
    if (i % 7 == 0)
        *x = 1 + between(state, 0.4);
}

static void powers(void **state) {
    fsr_module *single = compile(*state, FSR_OP_POW, FSR_F32), *wide = compile(*state, FSR_OP_POW, FSR_F64);
    float *x = malloc(3 * F64_VALUES * sizeof *x), *y = x + F64_VALUES, *z = y + F64_VALUES;
    double *u = malloc(3 * F64_VALUES * sizeof *u), *v = u + F64_VALUES, *r = v + F64_VALUES;
    const int64_t n = F64_VALUES / fewer();
    uint64_t seed = 1234567;
    worst w = {0}, ww = {0};
    for (int64_t i = 0; i < n; i++) {
        random_pair(&seed, i, 150, &u[i], &v[i]);
        x[i] = (float)u[i];
        y[i] = (float)v[i];
        random_pair(&seed, i, 1080, &u[i], &v[i]);
    }
    apply(*state, single, n, x, y, z);
    apply(*state, wide, n, u, v, r);
    for (int64_t i = 0; i < n; i++) {
        note(&w, ulps_f32(z[i], pow((double)x[i], (double)y[i])), (double)x[i], (double)y[i], (double)z[i]);
        note(&ww, ulps_f64(r[i], powl((long double)u[i], (long double)v[i])), u[i], v[i], r[i]);
    }
    report(&w, FSR_OP_POW, "f32");
    report(&ww, FSR_OP_POW, "f64");
    free(x);
    free(u);
}

/* Of whole numbers, as long as the result is one that f64 has. */
static void whole_powers_are_exact(void **state) {
    enum { N = 4096 };
    double x[N], y[N], z[N], want[N];
    int n = 0;
    for (int base = -20; base <= 20; base++) {
        double product = 1;
        for (int to = 0; to <= 52 && fabs(product) < 0x1p+53; product *= base, to++) {
            x[n] = base;
            y[n] = to;
            want[n++] = product;
        }
    }
    apply(*state, compile(*state, FSR_OP_POW, FSR_F64), n, x, y, z);
    for (int i = 0; i < n; i++)
        if (z[i] != want[i])
            fail_msg("%g to the power %g: %.17g", x[i], y[i], z[i]);
    assert_true(n > 500);
}

/* ---- other functions of two arguments -------------------------------------------------------------------------- */

typedef struct two {
    fsr_op op;
    double (*f32)(double, double);
    long double (*f64)(long double, long double);
} two;

static const two pairs[] = {{FSR_OP_HYPOT, hypot, hypotl},
                            {FSR_OP_ATAN2, atan2, atan2l},
                            {FSR_OP_LOGADDEXP, fsr_ref_logaddexp, fsr_ref_logaddexpl},
                            {FSR_OP_LOGADDEXP2, fsr_ref_logaddexp2, fsr_ref_logaddexp2l}};

/* Of sums of exponentials results below 1 have the error of 1: the larger operand and the logarithm may cancel. */
static double cancelled(fsr_op op, double ulp, double got, double exact) {
    bool sums = op == FSR_OP_LOGADDEXP || op == FSR_OP_LOGADDEXP2;
    return sums && ulp < 1e9 && fabs(exact) < 1 && isfinite(got) ? ulp * fabs(exact) : ulp;
}

static void functions_of_two(void **state) {
    enum { N = F64_VALUES / 4 };
    float *x = malloc(3 * N * sizeof *x), *y = x + N, *z = y + N;
    double *u = malloc(3 * N * sizeof *u), *v = u + N, *r = v + N;
    const int64_t n = N / fewer();
    for (size_t j = 0; j < sizeof pairs / sizeof *pairs; j++) {
        uint64_t seed = 7654321;
        worst w = {0}, ww = {0};
        for (int64_t i = 0; i < n; i++) {
            random_pair(&seed, i, 30, &u[i], &v[i]);
            x[i] = (float)u[i];
            y[i] = (float)v[i];
        }
        apply(*state, compile(*state, pairs[j].op, FSR_F32), n, x, y, z);
        apply(*state, compile(*state, pairs[j].op, FSR_F64), n, u, v, r);
        for (int64_t i = 0; i < n; i++) {
            const double narrow = pairs[j].f32((double)x[i], (double)y[i]);
            long double exact = pairs[j].f64((long double)u[i], (long double)v[i]);
            note(&w, cancelled(pairs[j].op, ulps_f32(z[i], narrow), (double)z[i], narrow), (double)x[i], (double)y[i],
                 (double)z[i]);
            note(&ww, cancelled(pairs[j].op, ulps_f64(r[i], exact), r[i], (double)exact), u[i], v[i], r[i]);
        }
        report(&w, pairs[j].op, "f32");
        report(&ww, pairs[j].op, "f64");
    }
    free(x);
    free(u);
}

/* ---- neighbours ------------------------------------------------------------------------------------- */

/* The same values in long runs, alone, and among arguments beyond every limit. */
static void neighbours_do_not_matter(void **state) {
    enum { N = 3000 };
    float x[N], y[N], alone[N], mixed_in[2 * N], mixed[2 * N];
    for (int j = 0; j < FUNCTIONS; j++) {
        fsr_module *m = compile(*state, functions[j].op, FSR_F32);
        uint64_t seed = 42;
        for (int i = 0; i < N; i++) {
            x[i] = i < SPECIALS ? (float)special[i] : (float)random_f64(&seed, 1 + i % 5);
            mixed_in[2 * i] = x[i];
            mixed_in[2 * i + 1] = i % 3 ? 1e30f : NAN;
        }
        apply(*state, m, N, x, NULL, y);
        apply(*state, m, 2 * N, mixed_in, NULL, mixed);
        for (int i = 0; i < N; i++) {
            apply(*state, m, 1, x + i, NULL, alone + i);
            bool nan = isnan(y[i]) && isnan(alone[i]) && isnan(mixed[2 * i]);
            if (!nan && (memcmp(&y[i], &alone[i], sizeof *y) != 0 || memcmp(&y[i], &mixed[2 * i], sizeof *y) != 0))
                fail_msg("%s of %a: %a, alone %a, mixed %a", fsr_op_get(functions[j].op)->name, (double)x[i],
                         (double)y[i], (double)alone[i], (double)mixed[2 * i]);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_257th_f32),  cmocka_unit_test(random_f64_values),
        cmocka_unit_test(powers),           cmocka_unit_test(whole_powers_are_exact),
        cmocka_unit_test(functions_of_two), cmocka_unit_test(neighbours_do_not_matter),
    };
    return subject_take_part() ? cmocka_run_group_tests(tests, setup, teardown) : 1;
}
