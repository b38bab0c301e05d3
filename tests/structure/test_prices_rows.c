/* SPDX-License-Identifier: MIT */
/* Prices on a CPU that were far from times: what is taken along the order of memory and across it, rows that edges of
 * guards tear, choices in rows of a few elements, and lines that threads share. */
#include "tests/structure/plans.h"
#include "tests/support/one_graph.h"

static int kernels_of(const fsr_target *target, fsr_node out) {
    fsr_program p = plan_of(target, &out, 1);
    const int kernels = p.info.kernels;
    fsr_program_clear(&p);
    return kernels;
}

/* A function is not computed for an element and again for the transposed one, nor are several arrays loaded so; what
 * costs less than a store is. */
static void functions_across_memory_are_stored(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 512, 512);
    fsr_node y = plan_matrix(g, 1180, 1180), z = plan_matrix(g, 1180, 1180), u = plan_matrix(g, 1180, 1180);
    fsr_node dear = fsr_exp(x), cheap = fsr_abs(x), many = fsr_where(fsr_greater(y, fsr_float(g, 0.5)), z, u);
    dear = fsr_add(dear, fsr_transpose(dear, NULL));
    cheap = fsr_add(cheap, fsr_transpose(cheap, NULL));
    assert_int_equal(kernels_of(&target_cpu, dear), 2);
    assert_int_equal(kernels_of(&target_gpu, dear), 1);
    assert_int_equal(kernels_of(&target_cpu, cheap), 1);
    assert_int_equal(kernels_of(&target_cpu, fsr_add(many, fsr_transpose(many, NULL))), 2);
}

/* Means of rows of 192 behind a pad took 0.088 ms in one kernel, and 0.066 behind a store; longer rows in arrays that
 * no cache holds stay. */
static void torn_rows_are_apart(void **state) {
    (void)state;
    static const int64_t border[2][2] = {{0, 0}, {1, 1}};
    for (int i = 0; i < 2; i++) {
        const int64_t cols = i ? 480 : 192;
        fsr_node x = plan_matrix(g, i ? 14200 : 1420, cols), wide = fsr_pad(x, border, FSR_PAD_EDGE, 0);
        fsr_node y = fsr_mean(fsr_maximum(x, fsr_slice(wide, 1, 0, cols, 1)), AXES(1), 1, 0);
        assert_int_equal(kernels_of(&target_cpu, y), i ? 1 : 2);
    }
}

/* What is one by one already takes no longer for a row's few elements: a pad of rows of 3 had ten times the price of
 * what it takes, 0.7 ns an element. */
static void pads_of_short_rows(void **state) {
    (void)state;
    const int64_t width[][2] = {{1, 1}, {1, 1}};
    fsr_node y = fsr_pad(plan_matrix(g, 418327, 3), width, FSR_PAD_CONSTANT, 0);
    fsr_program p = plan_of(&target_cpu, &y, 1);
    const double ns = p.price / (418329 * 5);
    fsr_program_clear(&p);
    assert_true(ns > 0.2 && ns < 2.5);
}

/* Columns less their means: threads that divide the rows share two lines of each column, 0.040 ms of two in one kernel
 * where one thread took 0.029; of whole lines nothing, 0.018. */
static void columns_of_whole_lines_stay(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        fsr_node x = plan_matrix(g, 300, i ? 400 : 397);
        assert_int_equal(kernels_of(&target_cpu, fsr_mul(fsr_sub(x, fsr_mean(x, AXES(0), 1, 1)), x)), i ? 1 : 2);
    }
}

/* Few columns less their means: a row of the kernel is a column, and stores between those of others, 0.12 ms of one
 * thread and 0.09 of two, where means and a map take 0.055 and 0.052. Columns that fill lines stay. */
static void few_columns_are_apart(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        fsr_node x = plan_matrix(g, i ? 600 : 18470, i ? 64 : 6);
        assert_int_equal(kernels_of(&target_cpu, fsr_sub(x, fsr_mean(x, AXES(0), 1, 1))), i ? 1 : 2);
    }
}

/* Rows of 4 of which the ends are an edge's: 0.17 ms of two threads, and 0.30 in three parts. What is tiled
 * in long runs is stored by one loop, one line behind the other: 0.26 ms, and 0.45 with two stores in it. */
static void lines_are_written_once(void **state) {
    (void)state;
    const int64_t width[][2] = {{1, 1}, {1, 1}};
    fsr_node x = plan_matrix(g, 1500, 333), y = fsr_pad(plan_matrix(g, 300000, 2), width, FSR_PAD_CONSTANT, 0);
    fsr_node tiled = fsr_add(fsr_tile(x, 2, (int64_t[]){1, 2}), fsr_float(g, 1));
    assert_int_equal(kernels_of(&target_cpu, y), 1);
    fsr_program p = plan_of(&target_cpu, &tiled, 1);
    const fsr_kernel *k = fsr_program_kernel(&p, 0)->kernel;
    int stores = 0;
    for (int i = 0; i < k->ninsts; i++)
        stores += k->inst[i].kind == FSR_INST_STORE;
    const int kernels = p.info.kernels;
    fsr_program_clear(&p);
    assert_int_equal(kernels, 1);
    assert_int_equal(stores, 1);
}

/* A softmax of a matrix that a near cache holds and its transpose: squares turn that first, 0.10 ms of one thread,
 * where rows that go across it take 0.17. */
static void squares_of_near_arrays_are_cheap(void **state) {
    (void)state;
    fsr_node x = plan_matrix(g, 256, 256), sum = fsr_add(x, fsr_transpose(x, (int[]){1, 0}));
    fsr_node part = fsr_exp(fsr_sub(sum, fsr_max(sum, AXES(1), 1, 1)));
    assert_int_equal(kernels_of(&target_cpu, fsr_div(part, fsr_sum(part, AXES(1), 1, 1))), 2);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(functions_across_memory_are_stored), T(torn_rows_are_apart),   T(pads_of_short_rows),
        T(columns_of_whole_lines_stay),        T(few_columns_are_apart), T(lines_are_written_once),
        T(squares_of_near_arrays_are_cheap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
