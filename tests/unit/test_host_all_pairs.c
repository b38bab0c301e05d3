/* SPDX-License-Identifier: MIT */
/* Sums over all pairs of points in generated CUDA, on the host: one thread sums all coordinates, at sizes around those
 * of vectors, and of rows that a block, or several, share. */
#include "tests/support/host_plan.h"
#include "tests/support/one_graph.h"

/* Of each of n points the sum over m others of |difference| times a function of the distance: [n, size], or [size, n]
 * if `first`. */
static fsr_node pulls(int64_t n, int64_t m, int64_t size, bool first) {
    const fsr_node a =
        first ? fsr_input(g, "a", FSR_F32, 2, SHAPE(size, n)) : fsr_input(g, "a", FSR_F32, 2, SHAPE(n, size));
    const fsr_node b =
        first ? fsr_input(g, "b", FSR_F32, 2, SHAPE(size, m)) : fsr_input(g, "b", FSR_F32, 2, SHAPE(m, size));
    const fsr_node d =
        first ? fsr_sub(fsr_expand(b, 1), fsr_expand(a, 2)) : fsr_sub(fsr_expand(b, 0), fsr_expand(a, 1));
    const fsr_node far = fsr_add(fsr_sum(fsr_mul(d, d), AXES(first ? 0 : 2), 1, 0), fsr_float(g, 0.5));
    const fsr_node weight = fsr_exp(fsr_sin(fsr_tanh(fsr_log(far))));
    return fsr_sum(fsr_mul(fsr_abs(d), fsr_expand(weight, first ? 0 : 2)), AXES(first ? 2 : 1), 1, 0);
}

static void coordinates(void **state) {
    (void)state;
    host_plan_check(g, pulls(389, 1024, 2, true), FSR_SCHEDULE_ROW, 0);
    host_plan_check(g, pulls(389, 1025, 3, false), FSR_SCHEDULE_ROW, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(coordinates, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
