/* SPDX-License-Identifier: MIT */
/* A bias, and with contraction a scale, behind a product of matrices are one call with it, where the sum is stored in
 * any case; elsewhere they are what they were, the product's call and a kernel. */
#include "graph/matmul.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"
#include <string.h>

enum { ROWS = 11000, MIDDLE = 200, COLS = 100 };
static const plan_knobs plain = {0}, contracts = {.contraction = true};

static bool has_both(void *backend, int library) {
    (void)backend;
    return library == FSR_LIBRARY_MATMUL || library == FSR_LIBRARY_MATMUL_EPILOGUE;
}

static bool has_products(void *backend, int library) {
    (void)backend;
    return library == FSR_LIBRARY_MATMUL;
}

static fsr_program plan(bool epilogues, const fsr_node *x, int n, plan_knobs knobs) {
    fsr_target target = target_gpu;
    target.has = epilogues ? has_both : has_products;
    return plan_make(&target, x, n, knobs);
}

/* One call and no kernel where the machine has it, a product and a kernel where it has not. */
static fsr_epilogue expect_joined(fsr_node x, plan_knobs knobs) {
    fsr_program p = plan(false, &x, 1, knobs);
    assert_int_equal(p.info.kernels, 1);
    assert_int_equal(p.info.calls, 1);
    assert_int_equal(fsr_program_call(&p, 0)->call->library, FSR_LIBRARY_MATMUL);
    fsr_program_clear(&p);
    p = plan(true, &x, 1, knobs);
    assert_int_equal(p.info.kernels, 0);
    assert_int_equal(p.info.calls, 1);
    assert_int_equal(p.info.temporaries, 0);
    assert_int_equal(fsr_program_call(&p, 0)->call->library, FSR_LIBRARY_MATMUL_EPILOGUE);
    assert_non_null(strstr(p.explanation, "library call: matmul_epilogue"));
    const fsr_epilogue out = *fsr_epilogue_of(fsr_program_call(&p, 0)->call->called);
    fsr_program_clear(&p);
    return out;
}

static void expect_apart(const fsr_node *x, int n, int kernels, plan_knobs knobs) {
    fsr_program p = plan(true, x, n, knobs);
    for (int i = 0; i < p.info.calls; i++)
        assert_int_equal(fsr_program_call(&p, i)->call->library, FSR_LIBRARY_MATMUL);
    assert_int_equal(p.info.kernels, kernels);
    fsr_program_clear(&p);
}

static fsr_node product(void) {
    return fsr_matmul(plan_matrix(g, ROWS, MIDDLE), plan_matrix(g, MIDDLE, COLS));
}

static void a_bias_joins(void **state) {
    (void)state;
    int64_t many[] = {10, ROWS / 10, MIDDLE};
    fsr_node bias = plan_vector(g, COLS), long_one = plan_vector(g, COLS + 9), rows = plan_matrix(g, 4, COLS);
    fsr_epilogue e = expect_joined(fsr_add(product(), bias), plain);
    assert_true(fsr_epilogue_scale(&e) == 1 && e.bias_offset == 0 && e.product.m == ROWS && e.product.n == COLS);
    expect_joined(fsr_add(bias, product()), plain);
    e = expect_joined(fsr_add(product(), fsr_slice(long_one, 0, 7, 7 + COLS, 1)), plain);
    assert_int_equal(e.bias_offset, 7);
    e = expect_joined(fsr_add(product(), fsr_slice(rows, 0, 2, 3, 1)), plain);
    assert_int_equal(e.bias_offset, 2 * COLS);
    fsr_node batches = fsr_matmul(fsr_input(g, "x", FSR_F32, 3, many), plan_matrix(g, MIDDLE, COLS));
    expect_joined(fsr_add(batches, bias), plain);
    expect_joined(fsr_reshape(fsr_add(product(), bias), 1, (int64_t[]){ROWS * COLS}), plain);
}

/* With contraction: no text says that a library rounds before it adds. */
static void a_scale_joins(void **state) {
    (void)state;
    fsr_node bias = plan_vector(g, COLS), x = fsr_mul(product(), fsr_float(g, 0.3)), sum = fsr_add(x, bias);
    expect_apart(&sum, 1, 1, plain);
    fsr_epilogue e = expect_joined(fsr_add(x, bias), contracts);
    assert_true(fsr_epilogue_scale(&e) == 0.3F);
    e = expect_joined(fsr_mul(fsr_float(g, -2), product()), contracts);
    assert_true(fsr_epilogue_scale(&e) == -2);
    fsr_node others[] = {fsr_mul(product(), fsr_float(g, 0)), fsr_mul(product(), fsr_param(g, "s", FSR_F32, 3.0)),
                         fsr_mul(product(), fsr_float(g, 1 / 0.0)), fsr_mul(product(), bias)};
    for (int i = 0; i < (int)(sizeof others / sizeof others[0]); i++)
        expect_apart(&others[i], 1, 1, contracts);
}

/* The next product takes the sum, which is stored for it. */
static void between_products(void **state) {
    (void)state;
    fsr_node sum = fsr_add(product(), plan_vector(g, COLS)),
             x = fsr_add(fsr_matmul(sum, plan_matrix(g, COLS, COLS)), plan_vector(g, COLS));
    fsr_program p = plan(true, &x, 1, plain);
    assert_int_equal(p.info.kernels, 0);
    assert_int_equal(p.info.calls, 2);
    for (int i = 0; i < 2; i++)
        assert_int_equal(fsr_program_call(&p, i)->call->library, FSR_LIBRARY_MATMUL_EPILOGUE);
    fsr_program_clear(&p);
}

/* Where a kernel follows anyway, somebody else reads the product, or a bias is none that the library takes. */
static void others_stay(void **state) {
    (void)state;
    int64_t two[] = {2, ROWS, MIDDLE}, wide[] = {ROWS, MIDDLE};
    fsr_node bias = plan_vector(g, COLS), p = product(), sum = fsr_add(p, bias);
    fsr_node alone[] = {fsr_maximum(fsr_add(product(), bias), fsr_int(g, 0)),
                        fsr_add(product(), fsr_exp(bias)),
                        fsr_add(product(), plan_matrix(g, ROWS, 1)),
                        fsr_add(product(), plan_matrix(g, ROWS, COLS)),
                        fsr_add(product(), fsr_flip(bias, 0)),
                        fsr_add(product(), fsr_slice(plan_vector(g, 2 * COLS), 0, 0, 2 * COLS, 2)),
                        fsr_add(product(), fsr_float(g, 3)),
                        fsr_sub(product(), bias),
                        fsr_add(fsr_transpose(product(), NULL), plan_vector(g, ROWS)),
                        fsr_add(fsr_matmul(fsr_input(g, "x", FSR_F64, 2, wide), plan_matrix(g, MIDDLE, COLS)), bias)};
    enum { ALONE = sizeof alone / sizeof alone[0] };
    for (int i = 0; i < ALONE; i++)
        expect_apart(&alone[i], 1, 1 + (i == ALONE - 1), plain);
    expect_apart((fsr_node[]){p, sum}, 2, 1, plain);
    expect_apart((fsr_node[]){sum, fsr_exp(p)}, 2, 1, plain);
    fsr_node batches = fsr_add(
        fsr_matmul(fsr_input(g, "x", FSR_F32, 3, two), fsr_input(g, "w", FSR_F32, 3, (int64_t[]){2, MIDDLE, COLS})),
        bias);
    expect_apart(&batches, 1, 1, plain);
    fsr_node few = fsr_add(fsr_matmul(plan_matrix(g, 300, 40), plan_matrix(g, 40, COLS)), bias),
             deep = fsr_add(fsr_matmul(plan_matrix(g, ROWS, 1500), plan_matrix(g, 1500, COLS)), bias);
    expect_apart(&few, 1, 1, plain);
    expect_apart(&deep, 1, 1, plain);
    expect_joined(fsr_add(fsr_matmul(plan_matrix(g, ROWS, 400), plan_matrix(g, 400, COLS)), bias), plain);
}

/* What a program says of the nodes, and knobs, count. */
static void as_the_program_says(void **state) {
    (void)state;
    fsr_node bias = plan_vector(g, COLS), sum = fsr_add(product(), bias);
    expect_apart(&sum, 1, 1, (plan_knobs){.unfused = true});
    expect_apart(&sum, 1, 1, (plan_knobs){.fueled = true, .fuel = 0});
    sum = fsr_add(fsr_hint_set(product(), FSR_HINT_MATERIALIZE), bias);
    expect_apart(&sum, 1, 2, plain);
    fsr_node p = product();
    sum = fsr_add(p, bias);
    assert_int_equal(fsr_hint_pair(p, sum, FSR_PAIR_APART), FSR_OK);
    expect_apart(&sum, 1, 1, plain);
    p = fsr_matmul(plan_matrix(g, 300, 40), plan_matrix(g, 40, COLS));
    sum = fsr_add(p, bias);
    assert_int_equal(fsr_hint_pair(p, sum, FSR_PAIR_FUSE), FSR_OK);
    expect_joined(sum, plain);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(a_bias_joins), TEST(a_scale_joins), TEST(between_products),
                                       TEST(others_stay), TEST(as_the_program_says)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
