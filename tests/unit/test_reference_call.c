/* SPDX-License-Identifier: MIT */
/* The reference's intervals of a caller's function: what a correct backend may answer lies inside, and they are small.
 * The functions stand for compiled C text. */
#include "backend_cpu/reference/call.h"
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static fsr_routine *routine(fsr_dtype result, const char *parameters, double ulp, fsr_routine_host host) {
    const fsr_native f = {.name = "f", .result = result, .parameters = parameters, .c = "?", .ulp = ulp};
    char why[160];
    fsr_routine *out;
    if (fsr_routine_make(&f, &out, why, sizeof why))
        fail_msg("%s", why);
    atomic_store(&out->host, host);
    return out;
}

static void difference(void *out, const void *const *in) {
    *(float *)out = *(const float *)in[0] - *(const float *)in[1];
}

static void root(void *out, const void *const *in) {
    *(double *)out = sqrt(*(const double *)in[0]);
}

static void is_positive(void *out, const void *const *in) {
    *(bool *)out = *(const float *)in[0] > 0;
}

static void third(void *out, const void *const *in) {
    *(int32_t *)out = *(const int32_t *)in[0] / 3;
}

static void turned(void *out, const void *const *in) {
    const fsr_c64 *x = in[0];
    *(fsr_c64 *)out = (fsr_c64){-x->im, x->re};
}

static bool holds(fsr_ball b, double value) {
    return fabs(value - (double)b.center) <= b.radius;
}

/* The stated bound around what the C text gives, no more. */
static void known_operands(void **state) {
    (void)state;
    fsr_routine *f = routine(FSR_F32, "f32 x, f32 y", 3, difference);
    fsr_ball y = fsr_ball_call(f, (fsr_ball[]){fsr_ball_real(5, 0), fsr_ball_real(3.5, 0)});
    assert_true(y.center == 1.5 && y.radius > 2.9 * FLT_EPSILON && y.radius < 4 * FLT_EPSILON);
    fsr_ball inf = fsr_ball_call(f, (fsr_ball[]){fsr_ball_real(INFINITY, 0), fsr_ball_real(3, 0)});
    assert_true(inf.center == INFINITY && inf.radius == 0);
    fsr_ball nan = fsr_ball_call(f, (fsr_ball[]){fsr_ball_real(NAN, 0), fsr_ball_real(3, 0)});
    assert_true(isnan(nan.center) && nan.radius == 0);
    fsr_routine_unref(f);
    f = routine(FSR_F32, "f32 x, f32 y", 0.5, difference);
    y = fsr_ball_call(f, (fsr_ball[]){fsr_ball_real(5, 0), fsr_ball_real(3.5, 0)});
    assert_false(holds(y, nextafterf(1.5f, 2)));
    fsr_routine_unref(f);
}

/* Both operands' intervals, at the corners that are farthest apart. */
static void intervals(void **state) {
    (void)state;
    fsr_routine *f = routine(FSR_F32, "f32 x, f32 y", 1, difference);
    fsr_ball y = fsr_ball_call(f, (fsr_ball[]){fsr_ball_real(5, 0.25), fsr_ball_real(3, 0.5)});
    assert_true(holds(y, 5.25 - 2.5) && holds(y, 4.75 - 3.5) && y.radius < 0.7501);
    y = fsr_ball_call(f, (fsr_ball[]){fsr_ball_real(5, INFINITY), fsr_ball_real(3, 0)});
    assert_true(isinf(y.radius));
    fsr_routine_unref(f);
    f = routine(FSR_F64, "f64 x", 1, root);
    assert_true(fsr_ball_call(f, &(fsr_ball){.center = 4, .radius = 1}).radius < 0.28);
    assert_true(isinf(fsr_ball_call(f, &(fsr_ball){.center = 0.5, .radius = 1}).radius));
    fsr_routine_unref(f);
}

static void other_classes(void **state) {
    (void)state;
    fsr_routine *f = routine(FSR_BOOL, "f32 x", 0, is_positive);
    fsr_ball b = fsr_ball_call(f, &(fsr_ball){.center = 2, .radius = 1});
    assert_true(b.center == 1 && b.radius == 0);
    b = fsr_ball_call(f, &(fsr_ball){.center = 0.5, .radius = 1});
    assert_true(holds(b, 0) && holds(b, 1));
    fsr_routine_unref(f);
    f = routine(FSR_I32, "i32 n", 0, third);
    b = fsr_ball_call(f, &(fsr_ball){.center = 10});
    assert_true(b.center == 3 && b.radius == 0);
    b = fsr_ball_call(f, &(fsr_ball){.center = 10, .radius = 2});
    assert_true(holds(b, 2) && holds(b, 4) && !holds(b, 5));
    fsr_routine_unref(f);
    f = routine(FSR_C64, "c64 z", 1, turned);
    b = fsr_ball_call(f, &(fsr_ball){.center = 3, .imag = 4});
    assert_true(b.center == -4 && b.imag == 3 && b.radius > 0 && b.radius < 1e-6);
    assert_true(isinf(fsr_ball_call(f, &(fsr_ball){.center = 3, .radius = 1, .imag = 4}).radius));
    fsr_routine_unref(f);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_operands), cmocka_unit_test(intervals),
                                       cmocka_unit_test(other_classes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
