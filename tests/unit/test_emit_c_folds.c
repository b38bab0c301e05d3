/* SPDX-License-Identifier: MIT */
/* Reductions and scans in C: built by hand in loop IR, compiled, run, and compared with what plain loops here give. */
#include "tests/support/cpu_fixture.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

/* ---- reductions ------------------------------------------------------------------------------------------ */

static void row_sums(cpu_fixture *t, int64_t rows, int64_t cols) {
    float *x = cpu_floats(rows * cols), *y = cpu_floats(rows);
    cpu_begin(t, "k_row_sum", FSR_SCHEDULE_ROW, 2, 1, (int64_t[]){rows, cols});
    int in = cpu_linear(t, FSR_F32, x, false), out = cpu_rows(t, FSR_F32, y, true);
    int f = kernel_builtin(t->k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, kernel_load(t->k, FSR_ELEM, 0, in));
    int half = kernel_const(t->k, FSR_F32, 0.5f);
    kernel_store(t->k, FSR_ROW, 1, out, kernel_op(t->k, FSR_OP_MUL, kernel_result(t->k, f, 0), half, 0));
    cpu_run(t);
    for (int64_t r = 0; r < rows; r++) {
        double sum = 0;
        for (int64_t c = 0; c < cols; c++)
            sum += (double)x[r * cols + c];
        assert_near((double)y[r], sum / 2, 4e-6 + (double)cols * 2e-8);
    }
    free(x);
    free(y);
}

static void row_sum_with_epilogue(void **state) {
    const int64_t cols[] = {0, 1, 15, 16, 17, 127, 128, 129, 1000, 40000};
    for (size_t i = 0; i < sizeof cols / sizeof *cols; i++)
        row_sums(*state, 3, cols[i]);
    row_sums(*state, 0, 10);
}

/* 2^25 ones: one serial f32 accumulator stops at 2^24. */
static void sum_is_no_serial_chain(void **state) {
    cpu_fixture *t = *state;
    float one = 1, y = 0;
    for (int lanes = 1; lanes <= 16; lanes *= 16) {
        cpu_begin(t, "k_ones", FSR_SCHEDULE_ROW, 1, 0, (int64_t[]){1 << 25});
        t->k->schedule.lanes = lanes;
        int in = cpu_strided(t, cpu_array(t, FSR_F32, &one, false), 0, (int64_t[]){0});
        int out = cpu_rows(t, FSR_F32, &y, true);
        int f = kernel_builtin(t->k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, kernel_load(t->k, FSR_ELEM, 0, in));
        kernel_store(t->k, FSR_ROW, 1, out, kernel_result(t->k, f, 0));
        cpu_run(t);
        assert_true(y == 0x1p25f);
    }
}

/* Reduces the first and last of three dimensions: two folded dimensions, runs shorter than a chunk. */
static void several_folded_dimensions(void **state) {
    cpu_fixture *t = *state;
    enum { A = 50, B = 3, C = 37 };
    const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL};
    float *x = cpu_floats(A * B * C), y[B], z[B];
    for (int s = 0; s < 2; s++) {
        cpu_begin(t, "k_two_axes", kinds[s], 3, 1, (int64_t[]){B, A, C});
        int bx = cpu_array(t, FSR_F32, x, false);
        int in = cpu_strided(t, bx, 0, (int64_t[]){C, B * C, 1});
        int out = cpu_rows(t, FSR_F32, y, true), most = cpu_rows(t, FSR_F32, z, true);
        int v = kernel_load(t->k, FSR_ELEM, 0, in);
        int w = kernel_op(t->k, FSR_OP_ADD, v, kernel_index(t->k, FSR_F32, 1), 0);
        int f = kernel_builtin(t->k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, w);
        int g = kernel_builtin(t->k, FSR_FOLD_REDUCE, 0, false, FSR_OP_MAXIMUM, v);
        kernel_store(t->k, FSR_ROW, 1, out, kernel_result(t->k, f, 0));
        kernel_store(t->k, FSR_ROW, 1, most, kernel_result(t->k, g, 0));
        cpu_run(t);
        for (int b = 0; b < B; b++) {
            double sum = 0;
            float max = -INFINITY;
            for (int a = 0; a < A; a++)
                for (int c = 0; c < C; c++) {
                    sum += (double)x[(a * B + b) * C + c] + a;
                    max = fmaxf(max, x[(a * B + b) * C + c]);
                }
            assert_near((double)y[b], sum, 0.05);
            assert_true(z[b] == max);
        }
    }
    free(x);
}

/* Three passes; with the exponentials kept, and evaluated again. */
static void softmax(void **state) {
    cpu_fixture *t = *state;
    enum { R = 4, C = 300 };
    float *x = cpu_floats(R * C), *y = cpu_floats(R * C);
    for (int keep = 0; keep < 2; keep++) {
        cpu_begin(t, "k_softmax", FSR_SCHEDULE_ROW, 2, 1, (int64_t[]){R, C});
        t->k->npasses = 3;
        int in = cpu_linear(t, FSR_F32, x, false), out = cpu_linear(t, FSR_F32, y, true);
        int v = kernel_load(t->k, FSR_ELEM, 0, in);
        int m = kernel_result(t->k, kernel_builtin(t->k, FSR_FOLD_REDUCE, 0, false, FSR_OP_MAXIMUM, v), 0);
        int e = kernel_op(t->k, FSR_OP_EXP, kernel_op(t->k, FSR_OP_SUB, v, m, 0), 0, 0);
        t->k->stand[v].keep = t->k->stand[e].keep = keep;
        int s = kernel_result(t->k, kernel_builtin(t->k, FSR_FOLD_REDUCE, 1, false, FSR_OP_ADD, e), 0);
        kernel_store(t->k, FSR_ELEM, 2, out, kernel_op(t->k, FSR_OP_DIV, e, s, 0));
        cpu_run(t);
        for (int r = 0; r < R; r++) {
            double max = -INFINITY, sum = 0;
            for (int c = 0; c < C; c++)
                max = fmax(max, (double)x[r * C + c]);
            for (int c = 0; c < C; c++)
                sum += exp((double)x[r * C + c] - max);
            for (int c = 0; c < C; c++)
                assert_near((double)y[r * C + c], exp((double)x[r * C + c] - max) / sum, 1e-8);
        }
    }
    free(x);
    free(y);
}

/* Standardize the columns of a matrix along its rows: two passes with rows in groups, an epilogue, row values as
 * arrays. */
static void column_sum(void **state) {
    cpu_fixture *t = *state;
    const int64_t sizes[][2] = {{1, 1}, {0, 5}, {5, 0}, {300, 70}, {129, 32}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        int64_t n = sizes[i][0], m = sizes[i][1];
        float *x = cpu_floats(n * m), *y = cpu_floats(n * m), *s = cpu_floats(m);
        cpu_begin(t, "k_col", FSR_SCHEDULE_COL, 2, 1, (int64_t[]){m, n});
        t->k->npasses = 2;
        int in = cpu_strided(t, cpu_array(t, FSR_F32, x, false), 0, (int64_t[]){1, m});
        int out = cpu_strided(t, cpu_array(t, FSR_F32, y, true), 0, (int64_t[]){1, m});
        int sum = cpu_rows(t, FSR_F32, s, true);
        int v = kernel_load(t->k, FSR_ELEM, 0, in);
        int f = kernel_result(t->k, kernel_builtin(t->k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, v), 0);
        kernel_store(t->k, FSR_ROW, 1, sum, f);
        kernel_store(t->k, FSR_ELEM, 1, out, kernel_op(t->k, FSR_OP_SUB, v, f, 0));
        cpu_run(t);
        for (int64_t c = 0; c < m; c++) {
            double expected = 0;
            for (int64_t r = 0; r < n; r++)
                expected += (double)x[r * m + c];
            assert_near((double)s[c], expected, 2e-5);
            for (int64_t r = 0; r < n; r++)
                assert_true(y[r * m + c] == x[r * m + c] - s[c]);
        }
        free(x);
        free(y);
        free(s);
    }
}

static void argmax_of_tuples(void **state) {
    cpu_fixture *t = *state;
    enum { R = 3, C = 1000 };
    const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL};
    float *x = cpu_floats(R * C);
    for (int i = 0; i < R * C; i++)
        x[i] = floorf(x[i] * 50); /* many equals */
    for (int s = 0; s < 2; s++) {
        int64_t y[R];
        cpu_begin(t, "k_argmax", kinds[s], 2, 1, (int64_t[]){R, C});
        int in = cpu_linear(t, FSR_F32, x, false), out = cpu_rows(t, FSR_I64, y, true);
        int input[2] = {kernel_load(t->k, FSR_ELEM, 0, in), kernel_index(t->k, FSR_I64, 1)};
        kernel_store(
            t->k, FSR_ROW, 1, out,
            kernel_result(t->k, kernel_fold(t->k, FSR_FOLD_REDUCE, 0, false, combine_argmax(FSR_F32), input), 1));
        cpu_run(t);
        for (int r = 0; r < R; r++) {
            int64_t best = 0;
            for (int i = 1; i < C; i++)
                if (x[r * C + i] > x[r * C + best])
                    best = i;
            assert_int_equal(y[r], best);
        }
    }
    free(x);
}

/* ---- scans ------------------------------------------------------------------------------------------------ */

/* Inclusive and exclusive at once, and the total; the scan's element feeds a map. Integers, so that every association
 * agrees. */
static void running_sums(void **state) {
    cpu_fixture *t = *state;
    enum { R = 3 };
    const int64_t sizes[] = {0, 1, 127, 128, 129, 1000};
    const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL};
    for (int i = 0; i < 12; i++) {
        int64_t n = sizes[i % 6];
        int64_t *x = malloc((size_t)(R * n) * 8 + 1), *y = malloc((size_t)(R * n) * 8 + 1),
                *z = malloc((size_t)(R * n) * 8 + 1), s[R];
        for (int64_t j = 0; j < R * n; j++)
            x[j] = j * j % 1001 - 500;
        cpu_begin(t, "k_cumsum", kinds[i / 6], 2, 1, (int64_t[]){R, n});
        int in = cpu_linear(t, FSR_I64, x, false);
        int out = cpu_linear(t, FSR_I64, y, true), before = cpu_linear(t, FSR_I64, z, true);
        int total = cpu_rows(t, FSR_I64, s, true);
        int v = kernel_load(t->k, FSR_ELEM, 0, in);
        int a = kernel_result(t->k, kernel_builtin(t->k, FSR_FOLD_SCAN, 0, false, FSR_OP_ADD, v), 0);
        int b = kernel_result(t->k, kernel_builtin(t->k, FSR_FOLD_SCAN, 0, true, FSR_OP_ADD, v), 0);
        kernel_store(t->k, FSR_ELEM, 0, out, kernel_op(t->k, FSR_OP_MUL, a, kernel_const(t->k, FSR_I64, 3), 0));
        kernel_store(t->k, FSR_ELEM, 0, before, b);
        kernel_store(t->k, FSR_ROW, 1, total,
                     kernel_result(t->k, kernel_builtin(t->k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, v), 0));
        cpu_run(t);
        for (int64_t r = 0; r < R; r++) {
            int64_t sum = 0;
            for (int64_t c = r * n; c < (r + 1) * n; c++) {
                assert_int_equal(z[c], sum);
                sum += x[c];
                assert_int_equal(y[c], 3 * sum);
            }
            assert_int_equal(s[r], sum);
        }
        free(x);
        free(y);
        free(z);
    }
}

/* h = a * h + b as a scan of (a, b) tuples: (a, b) * (c, d) = (a c, b c + d). Not commutative. */
static void linear_recurrence(void **state) {
    cpu_fixture *t = *state;
    const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW, FSR_SCHEDULE_COL};
    enum { R = 2, C = 700 };
    float *a = cpu_floats(R * C), *b = cpu_floats(R * C), *y = cpu_floats(R * C), last[R];
    for (int s = 0; s < 2; s++) {
        cpu_begin(t, "k_recurrence", kinds[s], 2, 1, (int64_t[]){R, C});
        int la = cpu_linear(t, FSR_F32, a, false), lb = cpu_linear(t, FSR_F32, b, false);
        int out = cpu_linear(t, FSR_F32, y, true), end = cpu_rows(t, FSR_F32, last, true);
        int input[2] = {kernel_load(t->k, FSR_ELEM, 0, la), kernel_load(t->k, FSR_ELEM, 0, lb)};
        kernel_store(
            t->k, FSR_ELEM, 0, out,
            kernel_result(t->k, kernel_fold(t->k, FSR_FOLD_SCAN, 0, false, combine_recurrence(FSR_F32), input), 1));
        kernel_store(
            t->k, FSR_ROW, 1, end,
            kernel_result(t->k, kernel_fold(t->k, FSR_FOLD_REDUCE, 0, false, combine_recurrence(FSR_F32), input), 1));
        cpu_run(t);
        for (int r = 0; r < R; r++) {
            double h = 0;
            for (int i = r * C; i < (r + 1) * C; i++) {
                h = h * (double)a[i] + (double)b[i];
                assert_near((double)y[i], h, 1e-5);
            }
            assert_near((double)last[r], h, 1e-5);
        }
    }
    free(a);
    free(b);
    free(y);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CPU_TEST(row_sum_with_epilogue),
        CPU_TEST(sum_is_no_serial_chain),
        CPU_TEST(several_folded_dimensions),
        CPU_TEST(softmax),
        CPU_TEST(column_sum),
        CPU_TEST(argmax_of_tuples),
        CPU_TEST(running_sums),
        CPU_TEST(linear_recurrence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
