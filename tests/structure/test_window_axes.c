/* SPDX-License-Identifier: MIT */
/* Folds of windows along several axes are folds of lines, and of windows of lines: a sum of a + b elements for each
 * result, not a * b. What belongs to one window is folded whole. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

static fsr_node windows(fsr_node x, int64_t high, int64_t wide) {
    return fsr_sliding_window(x, SHAPE(high, wide), AXES(0, 1), 2);
}

/* Operations of all kernels, those of columns as often as there are columns. */
static double work(const fsr_program *p) {
    double sum = 0;
    for (int i = 0; i < plan_nests(p); i++) {
        const fsr_kernel *k = plan_nest(p, i);
        const double rows = (double)k->integer[FSR_INT_ROWS], cols = (double)k->integer[FSR_INT_COLS];
        for (int v = 0; v < k->ninsts; v++)
            if (k->inst[v].kind == FSR_INST_OP || k->inst[v].kind == FSR_INST_COMBINE)
                sum += rows * (k->npasses && k->stand[v].level == FSR_ELEM ? cols : 1);
    }
    return sum;
}

/* At most so many operations for each of 1000 by 1200 results. */
static void check(const fsr_target *target, const char *name, fsr_node out, double low, double high) {
    fsr_program p = plan_of(target, &out, 1);
    const double each = work(&p) / (1000.0 * 1200);
    if (each < low || each > high)
        fail_msg("%s: %g operations an element, not %g to %g\n%s", name, each, low, high, p.explanation);
    fsr_program_clear(&p);
}

static void divided(void **state) {
    (void)state;
    static const fsr_target *const targets[] = {&target_gpu, &target_cpu};
    for (int t = 0; t < 2; t++) {
        const fsr_node x = plan_matrix(g, 1008, 1208), y = plan_matrix(g, 1008, 1208), z = plan_matrix(g, 1010, 1206);
        const fsr_node both = fsr_mul(windows(x, 9, 9), fsr_sqrt(windows(y, 9, 9)));
        check(targets[t], "sums of 9 by 9", fsr_sum(windows(x, 9, 9), AXES(2, 3), 2, 0), 16, 20);
        check(targets[t], "of maps of two arrays", fsr_sum(both, AXES(2, 3), 2, 0), 16, 48);
        check(targets[t], "greatest of 11 by 7", fsr_max(windows(z, 11, 7), AXES(2, 3), 2, 0), 16, 20);
    }
}

static void whole(void **state) {
    (void)state;
    const fsr_node x = windows(plan_matrix(g, 1008, 1208), 9, 9), w = plan_matrix(g, 9, 9);
    const fsr_node mean = fsr_mean(x, AXES(2, 3), 2, FSR_KEEPDIMS);
    check(&target_gpu, "weights", fsr_sum(fsr_mul(x, w), AXES(2, 3), 2, 0), 160, 170);
    check(&target_gpu, "distances", fsr_sum(fsr_abs(fsr_sub(x, mean)), AXES(2, 3), 2, 0), 240, 360);
    const fsr_node near = windows(plan_matrix(g, 1004, 1204), 5, 5),
                   nearest = windows(plan_matrix(g, 1002, 1202), 3, 3);
    check(&target_gpu, "of 5 by 5", fsr_sum(near, AXES(2, 3), 2, 0), 24, 25);
    check(&target_cpu, "of 5 by 5 on a CPU", fsr_sum(near, AXES(2, 3), 2, 0), 8, 9);
    check(&target_cpu, "of 3 by 3", fsr_sum(nearest, AXES(2, 3), 2, 0), 8, 8);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(divided), T(whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
