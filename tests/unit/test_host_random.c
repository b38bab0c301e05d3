/* SPDX-License-Identifier: MIT */
/* Generated CUDA that draws random numbers, on the host: every schedule, lengths that vectors divide and others,
 * several dimensions, loops for each element. */
#include "tests/support/host_plan.h"
#include "tests/support/one_graph.h"

static fsr_node seed(void) {
    return fsr_param(g, "seed", FSR_U64, 42);
}
static fsr_node uniform(int64_t rows, int64_t cols) {
    return fsr_random_uniform(seed(), fsr_int(g, 3), fsr_counter(g, 2, SHAPE(rows, cols)), FSR_F32);
}

static void check(fsr_node x, fsr_schedule_kind kind, int vector) {
    host_plan_check(g, fsr_cast(x, FSR_F32), kind, vector);
}

static void maps(void **state) {
    (void)state;
    const fsr_node i = fsr_arange(g, FSR_I64, 1000), j = fsr_arange(g, FSR_I64, 1001);
    check(fsr_random_bits(seed(), fsr_int(g, 0), i, FSR_U32), FSR_SCHEDULE_MAP, 4);
    check(fsr_random_bits(seed(), fsr_int(g, 0), j, FSR_U32), FSR_SCHEDULE_MAP, 4);
    check(fsr_random_bits(seed(), fsr_int(g, 0), j, FSR_U64), FSR_SCHEDULE_MAP, 4);
    check(uniform(7, 60), FSR_SCHEDULE_MAP, 0);
    check(fsr_transpose(uniform(7, 61), NULL), FSR_SCHEDULE_MAP, 0);
}

static void folds(void **state) {
    (void)state;
    check(fsr_max(uniform(9, 64), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 4);
    check(fsr_max(uniform(9, 61), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 1);
    check(fsr_max(uniform(1, 42000), AXES(1), 1, 0), FSR_SCHEDULE_SPLIT, 4);
    check(fsr_cummax(uniform(1, 42000), AXES(1), 1, 0), FSR_SCHEDULE_LOOKBACK, 0);
}

static void rejected(void **state) {
    (void)state;
    const fsr_node i = fsr_arange(g, FSR_I64, 300);
    check(fsr_random_integers(seed(), fsr_int(g, 1), i, FSR_I32, -5, 3000000), FSR_SCHEDULE_MAP, 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(maps), TEST(folds), TEST(rejected)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
