/* SPDX-License-Identifier: MIT */
/* What scans the elements that a filter selects ends at their count, which the filter's kernel has: two kernels, of
 * which the second one moves no byte behind the last element. What else is asked for whole is scanned whole. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

enum { N = 1 << 22 };

/* Kernels of the plan that end at a count. */
static int ending(const fsr_target *target, const fsr_node *outs, int n) {
    fsr_program p = plan_of(target, outs, n);
    int live = 0;
    for (int i = 0; i < p.info.kernels; i++)
        live += fsr_program_kernel(&p, i)->kernel->live > 0;
    if (p.info.kernels != 2)
        fail_msg("%d kernels, not 2\n%s", p.info.kernels, p.explanation);
    fsr_program_clear(&p);
    return live;
}

static void end_at_the_count(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    fsr_node x = plan_vector(g, N), kept = fsr_compress(fsr_greater(x, fsr_float(g, 0.5)), x);
    fsr_node count = fsr_live_count(kept), scan = fsr_cumsum(kept, AXES(0), 1, 0);
    fsr_node roots = fsr_sqrt(fsr_cumsum(fsr_mul(kept, kept), AXES(0), 1, 0));
    fsr_node whole = fsr_cumsum(fsr_filled(kept, fsr_float(g, 0)), AXES(0), 1, 0);
    for (int t = 0; t < 2; t++) {
        assert_int_equal(ending(targets[t], (fsr_node[]){scan, count}, 2), 1);
        assert_int_equal(ending(targets[t], (fsr_node[]){roots, count}, 2), 1);
        assert_int_equal(ending(targets[t], &roots, 1), 1);
        assert_int_equal(ending(targets[t], (fsr_node[]){scan, roots}, 2), 1);
        assert_int_equal(ending(targets[t], &whole, 1), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(end_at_the_count, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
