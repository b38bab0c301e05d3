/* SPDX-License-Identifier: MIT */
/* Elementwise kernels in C: built by hand in loop IR, compiled, run, and compared with what plain loops here give. */
#include "tests/support/cpu_fixture.h"
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void map_with_two_outputs(void **state) {
    cpu_fixture *t = *state;
    enum { N = 1001 };
    float *x = cpu_floats(N), y[N], z[N];
    cpu_begin(t, "k_map", FSR_SCHEDULE_MAP, 1, 1, (int64_t[]){N});
    int in = cpu_linear(t, FSR_F32, x, false);
    int a = cpu_linear(t, FSR_F32, y, true), b = cpu_linear(t, FSR_F32, z, true);
    t->launch.scalar[0].f32 = 0.3f;
    int v = kernel_load(t->k, FSR_ROW, 0, in);
    int p = kernel_param(t->k, kernel_scalar(t->k, FSR_F32));
    int w = kernel_op(t->k, FSR_OP_MUL, v, p, 0);
    int e = kernel_op(t->k, FSR_OP_EXP, w, 0, 0);
    int i = kernel_index(t->k, FSR_F32, 0);
    kernel_store(t->k, FSR_ROW, 0, a, e);
    kernel_store(t->k, FSR_ROW, 0, b, kernel_op(t->k, FSR_OP_ADD, w, i, 0));
    cpu_run(t);
    for (int j = 0; j < N; j++) {
        assert_near((double)y[j], exp((double)(x[j] * 0.3f)), 3e-7 * (double)y[j]);
        assert_true(z[j] == x[j] * 0.3f + (float)j);
    }
    free(x);
}

static void map_of_no_dimensions_and_no_rows(void **state) {
    cpu_fixture *t = *state;
    float x[1] = {2}, y[1] = {0}, z[1] = {7};
    for (int rows = 0; rows < 2; rows++) {
        cpu_begin(t, "k_scalar", FSR_SCHEDULE_MAP, rows ? 0 : 1, rows ? 0 : 1, (int64_t[]){0});
        int in = cpu_linear(t, FSR_F32, x, false), out = cpu_linear(t, FSR_F32, rows ? y : z, true);
        kernel_store(t->k, FSR_ROW, 0, out, kernel_op(t->k, FSR_OP_SQRT, kernel_load(t->k, FSR_ROW, 0, in), 0, 0));
        cpu_run(t);
    }
    assert_true(y[0] == sqrtf(2) && z[0] == 7);
}

static void strided_and_broadcast_loads(void **state) {
    cpu_fixture *t = *state;
    enum { A = 5, B = 7, C = 33 };
    float *x = cpu_floats(A * B * C), *row = cpu_floats(C), *y = cpu_floats(A * B * C);
    cpu_begin(t, "k_strided", FSR_SCHEDULE_MAP, 3, 3, (int64_t[]){A, B, C});
    int bx = cpu_array(t, FSR_F32, x, false), br = cpu_array(t, FSR_F32, row, false);
    int turned = cpu_strided(t, bx, 0, (int64_t[]){1, A, A * B});
    int flipped = cpu_strided(t, br, C - 1, (int64_t[]){0, 0, -1});
    int one = cpu_strided(t, br, 3, (int64_t[]){0, 0, 0});
    int out = cpu_strided(t, cpu_array(t, FSR_F32, y, true), 0, (int64_t[]){B * C, C, 1});
    t->k->access[out].linear = true;
    int s =
        kernel_op(t->k, FSR_OP_ADD, kernel_load(t->k, FSR_ROW, 0, turned), kernel_load(t->k, FSR_ROW, 0, flipped), 0);
    s = kernel_op(t->k, FSR_OP_MUL, s, kernel_load(t->k, FSR_ROW, 0, one), 0);
    s = kernel_op(t->k, FSR_OP_ADD, s, kernel_index(t->k, FSR_F32, 1), 0);
    kernel_store(t->k, FSR_ROW, 0, out, s);
    cpu_run(t);
    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++)
            for (int l = 0; l < C; l++)
                assert_true(y[(i * B + j) * C + l] == (x[i + j * A + l * A * B] + row[C - 1 - l]) * row[3] + (float)j);
    free(x);
    free(row);
    free(y);
}

static void in_place(void **state) {
    cpu_fixture *t = *state;
    enum { N = 100 };
    float *x = cpu_floats(N), y[N];
    memcpy(y, x, sizeof y);
    cpu_begin(t, "k_in_place", FSR_SCHEDULE_MAP, 1, 1, (int64_t[]){N});
    int in = cpu_linear(t, FSR_F32, y, false), out = cpu_linear(t, FSR_I32, y, true);
    t->k->array[0].aliased = t->k->array[1].aliased = true;
    int v = kernel_load(t->k, FSR_ROW, 0, in);
    v = kernel_op(t->k, FSR_OP_MUL, v, kernel_const(t->k, FSR_F32, 100), 0);
    kernel_store(t->k, FSR_ROW, 0, out, kernel_cast(t->k, v, FSR_I32));
    cpu_run(t);
    for (int j = 0; j < N; j++) {
        int32_t got;
        memcpy(&got, &y[j], sizeof got);
        assert_int_equal(got, (int32_t)(x[j] * 100));
    }
    free(x);
}

static void conversions_saturate(void **state) {
    cpu_fixture *t = *state;
    const double x[] = {NAN,  INFINITY,     -INFINITY,     1e300,  -1e300,  255.9, 256,
                        -0.9, 2147483647.5, -2147483648.9, 0x1p63, -0x1p63, 3};
    enum { N = sizeof x / sizeof *x };
    const uint8_t u8[N] = {0, 255, 0, 255, 0, 255, 255, 0, 255, 0, 255, 0, 3};
    const int32_t i32[N] = {0, INT_MAX, INT_MIN, INT_MAX, INT_MIN, 255, 256, 0, INT_MAX, INT_MIN, INT_MAX, INT_MIN, 3};
    const int64_t i64[N] = {0, INT64_MAX,  INT64_MIN,   INT64_MAX, INT64_MIN, 255, 256,
                            0, 2147483647, -2147483648, INT64_MAX, INT64_MIN, 3};
    uint8_t gu8[N], gb[N];
    int32_t gi32[N];
    int64_t gi64[N];
    void *const got[] = {gu8, gi32, gi64, gb};
    const fsr_dtype dtype[] = {FSR_U8, FSR_I32, FSR_I64, FSR_BOOL};
    cpu_begin(t, "k_cast", FSR_SCHEDULE_MAP, 1, 1, (int64_t[]){N});
    int v = kernel_load(t->k, FSR_ROW, 0, cpu_linear(t, FSR_F64, x, false));
    for (int i = 0; i < 4; i++)
        kernel_store(t->k, FSR_ROW, 0, cpu_linear(t, dtype[i], got[i], true), kernel_cast(t->k, v, dtype[i]));
    cpu_run(t);
    assert_memory_equal(gu8, u8, sizeof u8);
    assert_memory_equal(gi32, i32, sizeof i32);
    assert_memory_equal(gi64, i64, sizeof i64);
    for (int i = 0; i < N; i++)
        assert_int_equal(gb[i], 1);
}

static void literals_are_exact(void **state) {
    cpu_fixture *t = *state;
    const double x[] = {0.1, -0.0, 0.0, 1e-320, -1.7976931348623157e308, INFINITY, -INFINITY, 3, -123456, 1.0 / 3};
    enum { N = sizeof x / sizeof *x };
    const int64_t n[] = {INT64_MIN, INT64_MAX, -1};
    double y[N];
    float z[N];
    int64_t m[3];
    cpu_begin(t, "k_literals", FSR_SCHEDULE_MAP, 0, 0, NULL);
    int by = cpu_array(t, FSR_F64, y, true), bz = cpu_array(t, FSR_F32, z, true), bm = cpu_array(t, FSR_I64, m, true);
    for (int i = 0; i < N; i++) {
        kernel_store(t->k, FSR_ROW, 0, cpu_strided(t, by, i, NULL), kernel_const(t->k, FSR_F64, x[i]));
        kernel_store(t->k, FSR_ROW, 0, cpu_strided(t, bz, i, NULL), kernel_const(t->k, FSR_F32, (float)x[i]));
    }
    for (int i = 0; i < 3; i++) {
        int v = kernel_const(t->k, FSR_I64, 0);
        t->k->inst[v].value.i64 = n[i];
        kernel_store(t->k, FSR_ROW, 0, cpu_strided(t, bm, i, NULL), v);
    }
    cpu_run(t);
    assert_memory_equal(y, x, sizeof x);
    assert_memory_equal(m, n, sizeof n);
    for (int i = 0; i < N; i++)
        assert_memory_equal(&z[i], &(float){(float)x[i]}, sizeof(float));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CPU_TEST(map_with_two_outputs),        CPU_TEST(map_of_no_dimensions_and_no_rows),
        CPU_TEST(strided_and_broadcast_loads), CPU_TEST(in_place),
        CPU_TEST(conversions_saturate),        CPU_TEST(literals_are_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
