/* SPDX-License-Identifier: MIT */
/* What linear algebra becomes: one call, with the work before it in one kernel and all that is made of its results in
 * another. A right side that is a vector lies in memory as a matrix of one column does and is taken as it is. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"
#include "tests/support/targets.h"

/* Kernels and calls of the plan for what is in x, on either machine. */
static void expect(const fsr_node *x, int n, int kernels, int calls) {
    for (int gpu = 0; gpu < 2; gpu++) {
        fsr_program p = plan_of(gpu ? &target_gpu : &target_cpu, x, n);
        assert_int_equal(p.info.kernels, kernels);
        assert_int_equal(p.info.calls, calls);
        fsr_program_clear(&p);
    }
}

static void one(fsr_node x, int kernels, int calls) {
    expect(&x, 1, kernels, calls);
}

static void equations(void **state) {
    (void)state;
    fsr_node a = plan_matrix(g, 40, 40), b = plan_matrix(g, 40, 40), v = plan_vector(g, 40);
    one(fsr_solve(a, v), 1, 1);
    one(fsr_exp(fsr_solve(a, v)), 1, 1);
    one(fsr_sum(fsr_solve(a, v), NULL, 0, 0), 1, 1);
    one(fsr_exp(fsr_solve(fsr_add(a, b), v)), 2, 1);
    one(fsr_det(fsr_add(a, b)), 2, 1);
    /* Right sides of many dimensions, one matrix: it is factored once. */
    one(fsr_solve(a, fsr_input(g, "sides", FSR_F32, 3, (int64_t[]){10, 40, 3})), 2, 1);
}

/* The results of a factorization are one call, whichever are asked for, and equal calls are one. */
static void factors(void **state) {
    (void)state;
    fsr_node a = plan_matrix(g, 30, 40), u, s, vt, q, r;
    fsr_svd(a, &u, &s, &vt);
    expect((fsr_node[]){u, s, vt}, 3, 3, 1);
    expect((fsr_node[]){fsr_matmul(fsr_mul(u, s), vt), fsr_sum(s, NULL, 0, 0)}, 2, 2, 1);
    one(s, 1, 1);
    fsr_qr(a, false, &q, &r);
    expect((fsr_node[]){q, r}, 2, 3, 1);
    fsr_node square = plan_matrix(g, 40, 40);
    expect((fsr_node[]){fsr_cholesky(square), fsr_neg(fsr_cholesky(square))}, 2, 1, 1);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(equations), TEST(factors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
