/* SPDX-License-Identifier: MIT */
/* One array in several roles: an operand twice, an output that is an input, outputs that are equal or views of one
 * another. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { N = 1000 };
static fsr_node x;

static int setup(void **state) {
    if (subject_setup(state))
        return 1;
    double data[N];
    for (int i = 0; i < N; ++i)
        data[i] = i + 1;
    x = fsr_from_host(subject_g, FSR_F64, 1, SHAPE(N), data);
    return fsr_node_status(x) != FSR_OK;
}

static void expect(fsr_node y, double slope, double offset) {
    double *data = subject_read(y);
    assert_int_equal(fsr_node_size(y), N);
    for (int i = 0; i < N; ++i)
        if (data[i] != slope * (i + 1) + offset)
            fail_msg("element %d is %g, not %g", i, data[i], slope * (i + 1) + offset);
    free(data);
}

static void one_leaf_several_operands(void **state) {
    (void)state;
    expect(fsr_add(x, x), 2, 0);
    expect(fsr_sub(x, x), 0, 0);
    expect(fsr_fma(x, fsr_sub(x, fsr_sub(x, fsr_int(subject_g, 1))), x), 2, 0);
    expect(fsr_where(fsr_less(x, x), fsr_neg(x), x), 1, 0);
    expect(fsr_add(x, fsr_flip(x, 0)), 0, N + 1);
    fsr_node all[] = {fsr_add(x, x), fsr_mul(x, x), fsr_maximum(x, fsr_flip(x, 0)),
                      fsr_cumsum(fsr_mul(x, x), AXES(0), 1, 0), fsr_sum(x, NULL, 0, 0)};
    subject_verify(all, 5, NULL, "five uses of one leaf");
}

static void outputs_that_are_leaves(void **state) {
    (void)state;
    int64_t launches = subject_stats().launches;
    OK(fsr_compute((fsr_node[]){x, x, x}, 3));
    assert_int_equal(subject_stats().launches, launches);
    expect(x, 1, 0);
    fsr_node out[] = {x, fsr_neg(x), x};
    OK(fsr_compute(out, 3));
    expect(out[1], -1, 0);
    expect(out[2], 1, 0);
}

/* What simplification makes a leaf again: x * 1, x - 0, flip of flip, a cast to the same dtype. */
static void outputs_that_become_leaves(void **state) {
    (void)state;
    fsr_node one = fsr_float(subject_g, 1), zero = fsr_float(subject_g, 0);
    fsr_node out[] = {fsr_mul(x, one),
                      fsr_sub(x, zero),
                      fsr_flip(fsr_flip(x, 0), 0),
                      fsr_cast(x, FSR_F64),
                      fsr_div(fsr_mul(one, x), one),
                      fsr_reshape(fsr_reshape(x, 2, SHAPE(10, 100)), 1, SHAPE(-1)),
                      fsr_slice(x, 0, FSR_SLICE_END, FSR_SLICE_END, 1)};
    for (int i = 0; i < COUNT_OF(out); ++i)
        expect(out[i], 1, 0);
    fsr_node again[] = {fsr_mul(x, one), fsr_mul(x, one), fsr_sub(x, zero), fsr_neg(x)};
    OK(fsr_compute(again, 4));
    for (int i = 0; i < 3; ++i)
        expect(again[i], 1, 0);
    expect(again[3], -1, 0);
}

/* Equal programs recorded twice are one value and two arrays, or one shared one: both are right, and both live on
 * alone. */
static void duplicated_outputs(void **state) {
    (void)state;
    fsr_node out[] = {fsr_add(x, x), fsr_add(x, x), fsr_add(x, x), fsr_neg(fsr_add(x, x))};
    OK(fsr_compute((fsr_node[]){out[0], out[1], out[0], out[2], out[3], out[1]}, 6));
    expect(out[0], 2, 0);
    expect(out[1], 2, 0);
    expect(out[2], 2, 0);
    expect(out[3], -2, 0);
    subject_verify((fsr_node[]){out[0], out[1], out[0]}, 3, NULL, "an output named twice");
    expect(out[0], 2, 0);
    fsr_node sums[] = {fsr_sum(x, NULL, 0, 0), fsr_sum(x, NULL, 0, FSR_KEEPDIMS), fsr_sum(x, AXES(0), 1, 0)};
    OK(fsr_compute(sums, 3));
    for (int i = 0; i < 3; ++i)
        assert_true(subject_value(sums[i], 0) == 500500);
}

/* Equal outputs of which one is dropped: the other keeps its array. */
static void duplicates_die_alone(void **state) {
    (void)state;
    OK(fsr_scope_begin(subject_g));
    fsr_node out[] = {fsr_add(x, x), fsr_add(x, x)};
    OK(fsr_compute(out, 2));
    OK(fsr_scope_end(subject_g, &out[1], 1));
    assert_int_equal(fsr_node_status(out[0]), FSR_ERR_STALE);
    fsr_node more = fsr_from_host(subject_g, FSR_F64, 1, SHAPE(N), ((double[N]){7}));
    OK(fsr_force(more));
    expect(out[1], 2, 0);
}

static void outputs_that_are_views_of_leaves(void **state) {
    (void)state;
    fsr_node grid = fsr_reshape(x, 2, SHAPE(20, 50));
    fsr_node out[] = {grid, fsr_transpose(grid, NULL), fsr_flip(x, 0), fsr_slice(x, 0, 10, 20, 3),
                      fsr_broadcast_to(fsr_slice(x, 0, 0, 1, 1), 1, SHAPE(5))};
    subject_verify(out, 5, NULL, "views of a leaf");
    assert_true(subject_value(out[1], 1) == 51);
    assert_true(subject_value(out[2], 0) == N);
    assert_true(subject_value(out[3], 3) == 20);
    assert_true(subject_value(out[4], 4) == 1);
    expect(x, 1, 0);
}

/* y and its view together, and what reads both. */
static void a_value_and_its_views(void **state) {
    (void)state;
    fsr_node y = fsr_mul(x, x), back = fsr_flip(y, 0), out[] = {y, back, fsr_add(y, back), fsr_flip(back, 0)};
    subject_verify(out, 4, NULL, "a value and its views");
}

/* A step in place would spoil what is still needed: x must be as it was. */
static void inputs_are_never_written(void **state) {
    (void)state;
    fsr_node y = fsr_add(fsr_sub(x, fsr_mean(x, NULL, 0, 0)), fsr_flip(x, 0));
    OK(fsr_force(y));
    OK(fsr_force(fsr_exp(fsr_neg(fsr_cumsum(x, AXES(0), 1, 0)))));
    expect(x, 1, 0);
    double a[N], out[N];
    for (int i = 0; i < N; ++i)
        a[i] = i + 1;
    fsr_node in = fsr_input(subject_g, "a", FSR_F64, 1, SHAPE(N)),
             flipped = fsr_flip(fsr_sub(in, fsr_sum(in, NULL, 0, 0)), 0);
    fsr_plan *plan;
    OK(fsr_compile(&flipped, 1, &plan));
    OK(fsr_plan_run(plan, &(fsr_arg){"a", a, sizeof a, FSR_HOST}, 1, &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1,
                    NULL));
    fsr_plan_free(plan);
    for (int i = 0; i < N; ++i) {
        assert_true(a[i] == i + 1);
        assert_true(out[i] == N - i - 500500);
    }
}

/* One caller's array under two names is allowed: inputs may overlap each other. */
static void inputs_may_overlap(void **state) {
    (void)state;
    double a[N + 1], out[N];
    for (int i = 0; i <= N; ++i)
        a[i] = i * i;
    fsr_node left = fsr_input(subject_g, "left", FSR_F64, 1, SHAPE(N)),
             right = fsr_input(subject_g, "right", FSR_F64, 1, SHAPE(N)), d = fsr_sub(right, left);
    fsr_plan *plan;
    OK(fsr_compile(&d, 1, &plan));
    fsr_arg in[] = {{"left", a, N * sizeof *a, FSR_HOST}, {"right", a + 1, N * sizeof *a, FSR_HOST}};
    OK(fsr_plan_run(plan, in, 2, &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1, NULL));
    fsr_plan_free(plan);
    for (int i = 0; i < N; ++i)
        assert_true(out[i] == 2 * i + 1);
}

/* Outputs of one plan that are literals, parameters, counting. */
static void outputs_without_arrays(void **state) {
    (void)state;
    fsr_node p = fsr_param(subject_g, "p", FSR_F32, 2.5), out[] = {fsr_float(subject_g, 3),
                                                                   p,
                                                                   fsr_arange(subject_g, FSR_I32, 7),
                                                                   fsr_bool(subject_g, true),
                                                                   fsr_full(subject_g, FSR_U8, 2, SHAPE(3, 2), 9),
                                                                   fsr_int(subject_g, -4)};
    OK(fsr_compute(out, COUNT_OF(out)));
    static const double last[] = {3, 2.5, 6, 1, 9, -4};
    for (int i = 0; i < COUNT_OF(out); ++i)
        assert_true(subject_value(out[i], fsr_node_size(out[i]) - 1) == last[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, subject_teardown)
static const struct CMUnitTest tests[] = {
    TEST(one_leaf_several_operands), TEST(outputs_that_are_leaves),  TEST(outputs_that_become_leaves),
    TEST(duplicated_outputs),        TEST(duplicates_die_alone),     TEST(outputs_that_are_views_of_leaves),
    TEST(a_value_and_its_views),     TEST(inputs_are_never_written), TEST(inputs_may_overlap),
    TEST(outputs_without_arrays),
};
SUBJECT_MAIN(tests)
