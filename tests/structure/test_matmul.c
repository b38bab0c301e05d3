/* SPDX-License-Identifier: MIT */
/* What a product of matrices becomes: one call to which views are strides, with the work around it in one kernel before
 * and one behind; loops where there is no library or the product is small. */
#include "graph/matmul.h"
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"

static bool has(void *backend, int library) {
    (void)backend;
    return library == FSR_LIBRARY_MATMUL;
}

static const fsr_target *with_library(const fsr_target *of, fsr_target *out) {
    *out = *of;
    out->has = has;
    return out;
}

/* Kernels and calls of the plan for x; the last call's words in *m. */
static void expect(bool gpu, fsr_node x, int kernels, int calls, fsr_matmul *m) {
    fsr_target target;
    fsr_program p = plan_of(with_library(gpu ? &target_gpu : &target_cpu, &target), &x, 1);
    assert_int_equal(p.info.kernels, kernels);
    assert_int_equal(p.info.calls, calls);
    if (calls && m)
        *m = *fsr_matmul_of(fsr_program_call(&p, calls - 1)->call->called);
    fsr_program_clear(&p);
}

static void views_are_strides(void **state) {
    (void)state;
    fsr_node a = plan_matrix(g, 300, 200), b = plan_matrix(g, 200, 100), c = plan_matrix(g, 100, 200);
    fsr_matmul m;
    for (int gpu = 0; gpu < 2; gpu++) {
        expect(gpu, fsr_matmul(a, b), 0, 1, &m);
        assert_true(m.m == 300 && m.n == 100 && m.k == 200 && !m.a_flipped && !m.b_flipped && m.c_lead == 100);
        expect(gpu, fsr_matmul(a, fsr_transpose(c, NULL)), 0, 1, &m);
        assert_true(m.b_flipped && m.b_lead == 200);
        expect(gpu, fsr_matmul(fsr_transpose(b, NULL), fsr_transpose(a, NULL)), 0, 1, &m);
        assert_true(m.a_flipped && m.b_flipped && m.a_lead == 100 && m.b_lead == 200);
        expect(gpu, fsr_transpose(fsr_matmul(a, b), NULL), 1, 1, NULL);
        expect(gpu, fsr_matmul(fsr_slice(a, 0, 10, 200, 1), fsr_slice(b, 1, 5, 95, 1)), 0, 1, &m);
        assert_true(m.a_offset == 2000 && m.a_lead == 200 && m.b_offset == 5 && m.b_lead == 100 && m.n == 90);
        expect(gpu, fsr_matmul(fsr_slice(a, 0, 0, 300, 3), b), 0, 1, &m);
        assert_true(m.m == 100 && m.a_lead == 600);
        expect(gpu, fsr_matmul(fsr_flip(a, 1), b), 1, 1, NULL);
        expect(gpu, fsr_einsum("ij,jk->ki", (fsr_node[]){a, b}, 2), 0, 1, &m);
        assert_true(m.m == 100 && m.n == 300 && m.a_flipped && m.b_flipped);
    }
}

static void batches(void **state) {
    (void)state;
    int64_t whole[] = {6, 5, 40, 30}, one[] = {5, 30, 20};
    fsr_node a = fsr_input(g, "a", FSR_F32, 4, whole), b = fsr_input(g, "b", FSR_F32, 3, one),
             w = plan_matrix(g, 30, 20);
    fsr_matmul m;
    expect(false, fsr_matmul(a, w), 0, 1, &m);
    assert_true(m.m == 6 * 5 * 40 && m.batches[4] == 1);
    expect(false, fsr_matmul(a, b), 0, 1, &m);
    assert_true(m.m == 40 && m.batches[3] == 5 && m.b_step[3] == 600 && m.a_step[3] == 1200 && m.c_step[3] == 800);
    assert_true(m.batches[4] == 6 && m.b_step[4] == 0 && m.a_step[4] == 6000 && m.c_step[4] == 4000);
    expect(false, fsr_tensordot(a, b, (int[]){3, 1}, (int[]){1, 0}, 2), 1, 1, &m);
    assert_true(m.m == 240 && m.k == 150 && m.n == 20);
}

static void work_around_it_fuses(void **state) {
    (void)state;
    fsr_node a = plan_matrix(g, 300, 200), b = plan_matrix(g, 200, 100), bias = plan_vector(g, 100);
    fsr_node out = fsr_maximum(fsr_add(fsr_mul(fsr_matmul(a, b), fsr_float(g, 2)), bias), fsr_int(g, 0));
    for (int gpu = 0; gpu < 2; gpu++) {
        expect(gpu, out, 1, 1, NULL);
        expect(gpu, fsr_matmul(fsr_exp(fsr_neg(a)), b), 1, 1, NULL);
        expect(gpu, fsr_sum(fsr_exp(fsr_matmul(a, b)), (int[]){1}, 1, 0), 1, 1, NULL);
        expect(gpu, fsr_matmul(fsr_tanh(fsr_matmul(a, b)), fsr_transpose(b, NULL)), 1, 2, NULL);
    }
}

/* On a GPU the library takes them, and its result is rounded where it is used; a CPU's takes f32. */
static void halves(void **state) {
    (void)state;
    int64_t shape[] = {64, 64};
    fsr_node a = fsr_input(g, "a", FSR_F16, 2, shape), b = fsr_input(g, "b", FSR_F16, 2, shape);
    expect(true, fsr_matmul(a, b), 1, 1, NULL);
    expect(true, fsr_matmul(a, fsr_transpose(b, NULL)), 1, 1, NULL);
    expect(true, fsr_matmul(a, fsr_cast(b, FSR_F32)), 0, 1, NULL);
    expect(false, fsr_matmul(a, fsr_transpose(a, NULL)), 3, 1, NULL);
}

static void loops_where_that_is_better(void **state) {
    (void)state;
    fsr_node a = plan_matrix(g, 300, 200), b = plan_matrix(g, 200, 100), x = plan_matrix(g, 300, 8),
             y = plan_matrix(g, 8, 100);
    fsr_node v = plan_vector(g, 200), product = fsr_exp(fsr_matmul(a, b));
    expect(false, fsr_exp(fsr_matmul(x, y)), 1, 0, NULL);
    expect(false, fsr_exp(fsr_matmul(a, v)), 1, 0, NULL);
    /* Each element is made an integer once: the conversions are stored. */
    expect(false, fsr_matmul(fsr_cast(a, FSR_I32), fsr_cast(b, FSR_I32)), 3, 0, NULL);
    fsr_program p = plan_of(&target_cpu, &product, 1);
    assert_int_equal(p.info.kernels, 1);
    assert_int_equal(p.info.temporaries, 0);
    fsr_program_clear(&p);
    /* A plain sum of products is nobody's product of matrices: its association is its own. */
    fsr_node sum = fsr_sum(fsr_mul(fsr_expand(a, 1), fsr_transpose(b, NULL)), (int[]){2}, 1, 0);
    expect(false, sum, 1, 0, NULL);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(views_are_strides), TEST(batches), TEST(work_around_it_fuses), TEST(halves),
                                       TEST(loops_where_that_is_better)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
