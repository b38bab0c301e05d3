/* SPDX-License-Identifier: MIT */
/* Scatters with equal indices: how many kernels, and that what computes the array, the indices and the values, and what
 * is done with the result, is in them. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

enum { N = 5000, M = 300 };

static void check(fsr_node out, int kernels, int64_t bytes) {
    const fsr_target *targets[] = {&target_gpu, &target_cpu};
    assert_int_equal(fsr_node_status(out), FSR_OK);
    for (int t = 0; t < 2; t++) {
        fsr_program p = plan_of(targets[t], &out, 1);
        if (p.info.kernels != kernels || p.info.bytes_moved != bytes)
            fail_msg("%d kernels, %lld bytes, not %d and %lld\n%s", (int)p.info.kernels, (long long)p.info.bytes_moved,
                     kernels, (long long)bytes, p.explanation);
        fsr_program_clear(&p);
    }
}

static void equal_indices(void **state) {
    (void)state;
    const int64_t n = N, m = M;
    fsr_node i = fsr_add(fsr_input(g, "i", FSR_I64, 1, &n), fsr_int(g, 1));
    fsr_node x = fsr_neg(fsr_input(g, "x", FSR_I32, 1, &m)), y = fsr_neg(fsr_input(g, "y", FSR_I32, 1, &n));
    fsr_node f = fsr_neg(fsr_input(g, "f", FSR_F32, 1, &n)), zeros = fsr_full(g, FSR_F32, 1, &m, 0);
    const int64_t own = M * (4 + 4), into = N * (8 + 4) + M * 4, fill = M * 4;
    /* the array; and what is added, with its indices */
    check(fsr_scatter_add(x, &i, 1, y, FSR_BOUND_RAISE, 0), 2, own + into);
    /* and the result read */
    check(fsr_neg(fsr_scatter_max(x, &i, 1, y, FSR_BOUND_RAISE, 0)), 3, own + into + M * (4 + 4));
    /* no positions, then the greatest; then values, computed as they are taken, or x */
    check(fsr_scatter(x, &i, 1, y, FSR_BOUND_RAISE, 0), 3, fill + N * 8 + M * 4 + N * 4 + M * (4 + 4 + 4));
    check(fsr_scatter(x, &i, 1, y, FSR_BOUND_RAISE, FSR_UNIQUE), 2, own + into);
    check(fsr_scatter(x, &i, 1, fsr_int(g, 7), FSR_BOUND_RAISE, 0), 2, own + N * 8 + M * 4);
    /* no exponents, then the greatest; units; zeros, then the sums; the result */
    check(fsr_scatter_add(zeros, &i, 1, f, FSR_BOUND_RAISE, 0), 6,
          fill + into + M * (4 + 8) + M * 8 + N * (8 + 4) + M * (8 + 8) + M * (4 + 8 + 4));
    check(fsr_scatter_add(zeros, &i, 1, f, FSR_BOUND_RAISE, FSR_UNORDERED), 2, fill + into);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(equal_indices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
