/* SPDX-License-Identifier: MIT */
/* The loop IR by itself: which instructions a loop holds, and the print of kernels built by hand. */
#include "tests/support/kernel_checks.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void assert_loop(const fsr_kernel *k, int pass, int n, const int *expected) {
    int order[FSR_MAX_INSTS];
    assert_int_equal(fsr_kernel_pass_body(k, pass, order), n);
    for (int i = 0; i < n; i++)
        assert_int_equal(order[i], expected[i]);
}
#define ASSERT_LOOP(k, pass, ...) \
    assert_loop(k, pass, (int)(sizeof((int[]){__VA_ARGS__}) / sizeof(int)), (int[]){__VA_ARGS__})

/* ---- which instructions a loop holds ---------------------------------------------------------------- */

/* v0 load, v1 max <-, v2 max, v3 sub, v4 exp, v5 sum <-, v6 sum, v7 div, v8 store. */
static void test_arguments(void **state) {
    (void)state;
    static const int expected[9][3] = {{0}, {1, 0}, {0}, {2, 0, 2}, {1, 3}, {1, 4}, {0}, {2, 4, 6}, {1, 7}};
    fsr_kernel *k = kernel_softmax(false);
    for (int i = 0; i < 9; i++) {
        int argument[FSR_MAX_ARGUMENTS], reads = 0;
        assert_int_equal(fsr_inst_arguments(k, i, argument), expected[i][0]);
        for (int a = 0; a < expected[i][0]; a++)
            assert_int_equal(argument[a], expected[i][1 + a]);
        for (int v = 0; v < 9; v++)
            reads += fsr_inst_reads(k, i, v);
        assert_int_equal(reads, expected[i][0]);
    }
    fsr_kernel_free(k);
}

static void test_loop_recomputes(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(false);
    ASSERT_LOOP(k, 0, 0, 1);
    ASSERT_LOOP(k, 1, 0, 3, 4, 5);
    ASSERT_LOOP(k, 2, 0, 3, 4, 7, 8);
    assert_false(fsr_kernel_reads_kept(k, 1, 4));
    int rows[FSR_MAX_INSTS];
    assert_int_equal(fsr_kernel_rows(k, 0, rows), 0);
    assert_int_equal(fsr_kernel_rows(k, 1, rows), 1);
    assert_int_equal(rows[0], 2);
    assert_int_equal(fsr_kernel_rows(k, 2, rows), 1);
    assert_int_equal(rows[0], 6);
    assert_int_equal(fsr_kernel_rows(k, 3, rows), 0);
    fsr_kernel_free(k);
}

static void test_loop_keeps(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(true);
    ASSERT_LOOP(k, 0, 0, 1);
    ASSERT_LOOP(k, 1, 3, 4, 5);
    ASSERT_LOOP(k, 2, 7, 8);
    assert_true(fsr_kernel_reads_kept(k, 0, 0));
    assert_true(fsr_kernel_reads_kept(k, 1, 4));
    assert_false(fsr_kernel_reads_kept(k, 1, 3));
    assert_false(fsr_kernel_reads_kept(k, 0, 4));
    k->stand[4].keep = false;
    ASSERT_LOOP(k, 2, 3, 4, 7, 8);
    fsr_kernel_free(k);
}

/* The running sum of pass 0 that only pass 1 reads is performed in pass 1, unless kept. */
static void test_loop_scan(void **state) {
    (void)state;
    fsr_kernel *k = kernel_late_scan(false);
    assert_valid(k);
    ASSERT_LOOP(k, 0, 0, 3);
    ASSERT_LOOP(k, 1, 0, 1, 2, 5, 6);
    fsr_kernel_free(k);
    k = kernel_late_scan(true);
    ASSERT_LOOP(k, 0, 0, 1, 2, 3);
    ASSERT_LOOP(k, 1, 5, 6);
    assert_true(fsr_kernel_reads_kept(k, 0, 2));
    fsr_kernel_free(k);
}

/* A kept value that its own pass does not need is evaluated there all the same, since a later pass reads it. */
static void test_loop_kept_for_later(void **state) {
    (void)state;
    fsr_kernel *k = kernel_begin("k_later", 2, 1, 2);
    int in = kernel_linear(k, kernel_array(k, FSR_F32, false)), out = kernel_linear(k, kernel_array(k, FSR_F32, true));
    int x = kernel_load(k, FSR_ELEM, 0, in);
    int e = kernel_op(k, FSR_OP_EXP, x, 0, 0);
    int sum = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, x), 0);
    kernel_store(k, FSR_ELEM, 1, out, kernel_op(k, FSR_OP_MUL, e, sum, 0));
    ASSERT_LOOP(k, 0, 0, 2);
    k->stand[e].keep = k->schedule.persistent = true;
    ASSERT_LOOP(k, 0, 0, 1, 2);
    ASSERT_LOOP(k, 1, 4, 5);
    fsr_kernel_free(k);
}

/* ---- the print --------------------------------------------------------------------------------------- */

static void test_print(void **state) {
    (void)state;
    fsr_kernel *k = kernel_softmax(true);
    assert_print(k, "kernel k_softmax_keep: by hand\n"
                    "  domain [d0, fold d1] passes 3 ints 6\n"
                    "  array b0 f32\n"
                    "  array b1 f32 written\n"
                    "  schedule gpu row threads 128 abreast 32 vector 1 items 4 accumulators 4 resident 0 persistent\n"
                    "  fold f0 p0 reduce (f32 from -inf) commutative maximum\n"
                    "  fold f1 p1 reduce (f32 from 0) commutative add\n"
                    "  p0 elem v0 = f32 load b0[d0*i5 + d1] linear keep\n"
                    "  p0 elem f0 <- v0\n"
                    "  p1 row  v2 = f32 f0.0\n"
                    "  p1 elem v3 = f32 sub(v0, v2)\n"
                    "  p1 elem v4 = f32 exp(v3) keep\n"
                    "  p1 elem f1 <- v4\n"
                    "  p2 row  v6 = f32 f1.0\n"
                    "  p2 elem v7 = f32 div.f32(v4, v6)\n"
                    "  p2 elem store b1[d0*i5 + d1] linear = v7\n");
    fsr_kernel_free(k);
}

static void test_print_tuple(void **state) {
    (void)state;
    fsr_kernel *k = kernel_recurrence();
    assert_print(k, "kernel k_recurrence: by hand\n"
                    "  domain [d0, fold d1] passes 1 ints 6\n"
                    "  array b0 f64\n"
                    "  array b1 f64\n"
                    "  array b2 f64 written\n"
                    "  array b3 f64 written\n"
                    "  schedule gpu row threads 128 abreast 32 vector 1 items 4 accumulators 4 resident 0\n"
                    "  fold f0 p0 scan (f64 from 1, f64 from 0)\n"
                    "    t0 = f64 left0\n"
                    "    t1 = f64 left1\n"
                    "    t2 = f64 right0\n"
                    "    t3 = f64 right1\n"
                    "    t4 = f64 mul(t0, t2)\n"
                    "    t5 = f64 mul(t1, t2)\n"
                    "    t6 = f64 add(t5, t3)\n"
                    "    gives t4, t6\n"
                    "  p0 elem v0 = f64 load b0[d0*i5 + d1] linear\n"
                    "  p0 elem v1 = f64 load b1[d0*i5 + d1] linear\n"
                    "  p0 elem f0 <- v0, v1\n"
                    "  p0 elem v3 = f64 f0.0\n"
                    "  p0 elem store b2[d0*i5 + d1] linear = v3\n"
                    "  p0 elem v5 = f64 f0.1\n"
                    "  p0 elem store b3[d0*i5 + d1] linear = v5\n");
    fsr_kernel_free(k);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arguments),           cmocka_unit_test(test_loop_recomputes),
        cmocka_unit_test(test_loop_keeps),          cmocka_unit_test(test_loop_scan),
        cmocka_unit_test(test_loop_kept_for_later), cmocka_unit_test(test_print),
        cmocka_unit_test(test_print_tuple),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
