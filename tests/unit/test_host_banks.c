/* SPDX-License-Identifier: MIT */
/* Banks of filters over windows that slide in generated CUDA, on the host: a window that is shown again for each
 * filter, along a line and in a picture, before and behind the filters' dimension. */
#include "tests/support/host_plan.h"
#include "tests/support/one_graph.h"

static fsr_node line(int64_t n, int64_t taps) {
    return fsr_sliding_window(fsr_input(g, "x", FSR_F32, 1, SHAPE(n)), SHAPE(taps), AXES(0), 1);
}

static void filters(void **state) {
    (void)state;
    const fsr_node taps = fsr_input(g, "w", FSR_F32, 2, SHAPE(7, 16));
    host_plan_check(g, fsr_sum(fsr_mul(fsr_expand(line(1041, 16), 1), taps), AXES(2), 1, 0), FSR_SCHEDULE_MAP, 0);
    host_plan_check(g, fsr_max(fsr_sub(fsr_expand(line(333, 16), 0), fsr_expand(taps, 1)), AXES(2), 1, 0),
                    FSR_SCHEDULE_MAP, 0);
}

static void pictures(void **state) {
    (void)state;
    const fsr_node x = fsr_input(g, "x", FSR_F32, 2, SHAPE(33, 70)), w = fsr_input(g, "w", FSR_F32, 3, SHAPE(5, 3, 4));
    const fsr_node square = fsr_sliding_window(x, SHAPE(3, 4), AXES(0, 1), 2);
    host_plan_check(g, fsr_sum(fsr_mul(fsr_expand(square, 2), w), AXES(3, 4), 2, 0), FSR_SCHEDULE_MAP, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(filters, setup, teardown),
                                       cmocka_unit_test_setup_teardown(pictures, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
