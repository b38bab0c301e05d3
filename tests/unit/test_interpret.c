/* SPDX-License-Identifier: MIT */
/* The interpreter of the loop IR: kernels built by hand against values computed here. */
#include "tests/support/kernel_checks.h"
#include <math.h>
#include <string.h>

static const int64_t sizes[][2] = {{0, 3}, {3, 0}, {1, 1}, {1, 2}, {2, 3}, {5, 31}, {3, 32}, {2, 257}};
enum { SIZES = sizeof sizes / sizeof *sizes };

typedef struct fixture {
    fsr_kernel *k;
    fsr_launch launch;
    kernel_data data;
    int64_t rows, columns;
} fixture;

static void run(fixture *f, fsr_kernel *k, int64_t rows, int64_t columns) {
    memset(f, 0, sizeof *f);
    f->k = k;
    f->rows = rows;
    f->columns = columns;
    assert_valid(k);
    kernel_sizes(k, &f->launch, rows, columns);
    kernel_data_new(&f->data, k, &f->launch, (uint64_t)(rows * 1000 + columns));
    f->launch.scalar[0] = fsr_value_from_double(FSR_F32, 2.5);
    assert_int_equal(fsr_kernel_interpret(k, &f->launch), FSR_OK);
    int where;
    assert_true(kernel_data_guards(&f->data, k, &where));
}

static void done(fixture *f) {
    kernel_data_free(&f->data);
    fsr_kernel_free(f->k);
}

static double number(const fixture *f, int b, int64_t i) {
    fsr_dtype dtype = f->k->array[b].dtype;
    return fsr_value_to_double(dtype, fsr_value_load(dtype, f->launch.array[b], i));
}

static void test_map(void **state) {
    (void)state;
    for (int64_t n = 0; n < 40; n += 13) {
        fixture f;
        run(&f, kernel_map(FSR_F32), n, 1);
        for (int64_t i = 0; i < n; i++) {
            float product = (float)number(&f, 0, i) * (float)number(&f, 1, i);
            assert_true(number(&f, 2, i) == (double)(product + 2.5f));
            assert_true((number(&f, 3, i) != 0) == (number(&f, 0, i) < number(&f, 1, i)));
        }
        done(&f);
    }
}

static void test_softmax(void **state) {
    (void)state;
    for (int s = 0; s < 2 * SIZES; s++) {
        fixture f;
        run(&f, kernel_softmax(s % 2), sizes[s / 2][0], sizes[s / 2][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double sum = 0;
            for (int64_t c = 0; c < f.columns; c++)
                sum += exp(number(&f, 0, r * f.columns + c));
            for (int64_t c = 0; c < f.columns; c++) {
                double expected = exp(number(&f, 0, r * f.columns + c)) / sum;
                assert_true(fabs(number(&f, 1, r * f.columns + c) - expected) < 1e-6);
            }
        }
        done(&f);
    }
}

static void test_reductions(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        fixture f;
        run(&f, kernel_row_sums(FSR_F64), sizes[s][0], sizes[s][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double sum = 0, top = -HUGE_VAL;
            for (int64_t c = 0; c < f.columns; c++) {
                sum += number(&f, 0, r * f.columns + c);
                top = fmax(top, number(&f, 0, r * f.columns + c));
            }
            assert_true(number(&f, 1, r) == sum);
            assert_true(number(&f, 2, r) == top);
        }
        done(&f);
    }
}

static void test_columns(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        fixture f;
        run(&f, kernel_column_sums(FSR_I64), sizes[s][0], sizes[s][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double sum = 0;
            for (int64_t c = 0; c < f.columns; c++)
                sum += number(&f, 0, c * f.rows + r);
            assert_true(number(&f, 1, r) == sum);
        }
        done(&f);
    }
}

static void test_scans(void **state) {
    (void)state;
    for (int s = 0; s < 2 * SIZES; s++) {
        fixture f;
        bool exclusive = s % 2;
        run(&f, kernel_scan(FSR_I32, exclusive), sizes[s / 2][0], sizes[s / 2][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double sum = 0;
            for (int64_t i = r * f.columns; i < (r + 1) * f.columns; i++) {
                double before = sum;
                sum += number(&f, 0, i);
                assert_true(number(&f, 1, i) == (exclusive ? before : sum));
            }
        }
        done(&f);
    }
}

static void test_recurrence(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        fixture f;
        run(&f, kernel_recurrence(), sizes[s][0], sizes[s][1]);
        for (int64_t r = 0; r < f.rows; r++) {
            double a = 1, b = 0;
            for (int64_t i = r * f.columns; i < (r + 1) * f.columns; i++) {
                a *= number(&f, 0, i);
                b = b * number(&f, 0, i) + number(&f, 1, i);
                assert_true(number(&f, 2, i) == a);
                assert_true(number(&f, 3, i) == b);
            }
        }
        done(&f);
    }
}

static void test_argmax(void **state) {
    (void)state;
    for (int s = 0; s < SIZES; s++) {
        fixture f;
        run(&f, kernel_argmax(FSR_U8), sizes[s][0], sizes[s][1]);
        for (int64_t r = 0; r < f.rows && f.columns > 0; r++) {
            int64_t best = 0;
            for (int64_t c = 1; c < f.columns; c++)
                if (number(&f, 0, r * f.columns + c) > number(&f, 0, r * f.columns + best))
                    best = c;
            assert_true(number(&f, 1, r) == (double)best);
        }
        done(&f);
    }
}

static void test_late_scan(void **state) {
    (void)state;
    for (int keep = 0; keep < 2; keep++) {
        fixture f;
        run(&f, kernel_late_scan(keep), 3, 37);
        for (int64_t r = 0; r < 3; r++) {
            double sum = 0, total = 0;
            for (int64_t c = 0; c < 37; c++)
                total += number(&f, 0, r * 37 + c);
            for (int64_t c = 0; c < 37; c++) {
                sum += number(&f, 0, r * 37 + c);
                assert_true(number(&f, 1, r * 37 + c) == sum / total);
            }
        }
        done(&f);
    }
}

/* In place: pass 1 overwrites what it was computed from; only the kept x may be read after that. */
static void test_in_place(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(true);
    k->array[0].aliased = k->array[1].aliased = true;
    fsr_launch launch = {.array = {NULL}};
    kernel_sizes(k, &launch, 1, 4);
    float x[4] = {0, 1, 2, 3};
    launch.array[0] = launch.array[1] = x;
    assert_valid(k);
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
    assert_true(fabsf(x[0] + x[1] + x[2] + x[3] - 1) < 1e-6f);
    assert_true(fabsf(x[3] / x[2] - 2.7182817f) < 1e-5f);
    fsr_kernel_free(k);
}

/* A serial sum in f32 would stop at 2^24. */
static void test_tree(void **state) {
    (void)state;
    enum { N = (1 << 24) + (1 << 20) };
    fsr_kernel *k = kernel_begin("k_count", 2, 1, 1);
    int out = kernel_rows_access(k, kernel_array(k, FSR_F32, true));
    int one = kernel_const(k, FSR_F32, 1);
    int sum = kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, one);
    kernel_store(k, FSR_ROW, 1, out, kernel_result(k, sum, 0));
    fixture f;
    run(&f, kernel_finished(k), 1, N);
    assert_true(number(&f, 0, 0) == N);
    done(&f);
}

static void test_refuses_to_run(void **state) {
    (void)state;
    fsr_launch launch = {.array = {NULL}};
    assert_int_equal(fsr_kernel_interpret(NULL, &launch), FSR_ERR_NULL);
    fsr_kernel *k = kernel_column_sums(FSR_I32);
    kernel_sizes(k, &launch, 3, 4);
    launch.integer[FSR_INT_ROWS] = 2;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_ERR_INTERNAL);
    kernel_sizes(k, &launch, 3, 4);
    int32_t in[12] = {0}, out[3];
    launch.array[0] = in;
    launch.array[1] = out;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_OK);
    k->access[0].linear = true;
    assert_int_equal(fsr_kernel_interpret(k, &launch), FSR_ERR_INTERNAL);
    fsr_kernel_free(k);
    fsr_kernel_free(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),     cmocka_unit_test(test_softmax),        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_scans),          cmocka_unit_test(test_recurrence),
        cmocka_unit_test(test_argmax),  cmocka_unit_test(test_late_scan),      cmocka_unit_test(test_in_place),
        cmocka_unit_test(test_tree),    cmocka_unit_test(test_refuses_to_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
