/* SPDX-License-Identifier: MIT */
/* unstack: reductions along a dimension of stacked pieces become operations between these, by text; and where they
 * stay. */
#include "primitives/primitives.h"
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

enum { N = 100 };

static const int first = 0;

static fsr_node stack_of(int n, int axis, fsr_dtype dtype) {
    fsr_node piece[40];
    for (int i = 0; i < n; i++)
        piece[i] = fsr_neg(INPUT(g, dtype, N));
    return fsr_stack(piece, n, axis);
}

static void what_it_makes(void **state) {
    (void)state;
    fsr_node out = fsr_max(stack_of(3, 0, FSR_F32), &first, 1, 0);
    flow_check(&out, 1, "unstack", true,
               "%0 = const f32[] 0\n"
               "%1 = view f32[3,100] %0 affine []\n"
               "%2 = input f32[100] \"leaf0\"\n"
               "%3 = neg f32[100] %2\n"
               "%4 = view f32[1,100] %3 affine [d1]\n"
               "%5 = paste f32[3,100] %1, %4 affine [d0, d1]\n"
               "%6 = input f32[100] \"leaf1\"\n"
               "%7 = neg f32[100] %6\n"
               "%8 = view f32[1,100] %7 affine [d1]\n"
               "%9 = paste f32[3,100] %5, %8 affine [1+d0, d1]\n"
               "%10 = input f32[100] \"leaf2\"\n"
               "%11 = neg f32[100] %10\n"
               "%12 = view f32[1,100] %11 affine [d1]\n"
               "%13 = paste f32[3,100] %9, %12 affine [2+d0, d1]\n"
               "%14 = maximum f32[1,100] %4, %8\n"
               "%15 = maximum f32[1,100] %14, %12\n"
               "%16 = view f32[100] %15 affine [0, d0]\n"
               "return %16\n");
}

/* Reductions that the rewrite leaves. */
static int folds(fsr_node out) {
    return flow_left(out, "unstack", FSR_NODE_REDUCE, 0);
}

static void where_it_stays_away(void **state) {
    (void)state;
    const int second = 1, both[] = {0, 1};
    const fsr_node three = stack_of(3, 0, FSR_F32), last = stack_of(4, 1, FSR_I32);
    assert_int_equal(folds(fsr_sum(three, &first, 1, FSR_KEEPDIMS)), 0);
    assert_int_equal(folds(fsr_min(last, &second, 1, 0)), 0);
    assert_int_equal(folds(fsr_sub(fsr_max(three, &first, 1, 0), fsr_min(three, &first, 1, 0))), 0);
    assert_int_equal(folds(fsr_sum(three, &second, 1, 0)), 1);
    assert_int_equal(folds(fsr_sum(three, both, 2, 0)), 1);
    assert_int_equal(folds(fsr_max(stack_of(32, 0, FSR_F32), &first, 1, 0)), 0);
    assert_int_equal(folds(fsr_max(stack_of(33, 0, FSR_F32), &first, 1, 0)), 1);
    assert_int_equal(folds(fsr_sum(stack_of(3, 0, FSR_F16), &first, 1, 0)), 1);
    assert_int_equal(folds(fsr_sum(fsr_sub(three, fsr_max(three, &first, 1, FSR_KEEPDIMS)), &first, 1, 0)), 2);
    assert_int_equal(folds(fsr_max(fsr_concat((fsr_node[]){three, three}, 2, 0), &first, 1, 0)), 1);
}

/* Who shows one piece does not keep the stack; who shows two does. */
static void pieces_that_are_shown(void **state) {
    (void)state;
    const fsr_node nine = stack_of(9, 0, FSR_F32), sum = fsr_sum(nine, &first, 1, 0);
    const fsr_node one = fsr_slice(nine, 0, 4, 5, 1), two = fsr_slice(nine, 0, 4, 6, 1);
    const fsr_node out = fsr_mul(sum, fsr_squeeze(one, 0));
    assert_int_equal(folds(out), 0);
    assert_int_equal(folds(fsr_mul(sum, two)), 1);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(what_it_makes), T(where_it_stays_away), T(pieces_that_are_shown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
