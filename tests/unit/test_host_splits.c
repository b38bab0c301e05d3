/* SPDX-License-Identifier: MIT */
/* Generated CUDA on the host: rows split over blocks and teams of blocks, and columns. */
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/sweep.h"
#include "tests/support/subject.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_split(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    for (int splits = 1; splits < 6; splits += 2) {
        host_sweep(&n, kernel_row_sums(FSR_F32), host_schedule(FSR_SCHEDULE_SPLIT, 64, 64, 4, 4), splits, 0);
        host_sweep(&n, kernel_row_sums(FSR_I64), host_wide(host_schedule(FSR_SCHEDULE_SPLIT, 32, 32, 1, 2)), splits, 0);
        host_sweep(&n, kernel_argmax(FSR_I32), host_schedule(FSR_SCHEDULE_SPLIT, 128, 128, 1, 1), splits, 0);
        host_sweep(&n, kernel_fold_recurrence(), host_schedule(FSR_SCHEDULE_SPLIT, 64, 64, 2, 4), splits, 1e-9);
    }
    host_sweep(&n, kernel_row_sums(FSR_F32), host_schedule(FSR_SCHEDULE_SPLIT, 32, 32, 1, 1), 100, 0);
    host_finish(&n);
}

static void test_team(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    for (int teams = 1; teams < 5; teams++) {
        host_sweep(&n, kernel_softmax(true), host_persistent(host_schedule(FSR_SCHEDULE_TEAM, 64, teams, 4, 4)), 1,
                   1e-6);
        host_sweep(&n, kernel_softmax(true), host_persistent(host_schedule(FSR_SCHEDULE_TEAM, 128, teams, 1, 2)), 1,
                   1e-6);
        host_sweep(&n, kernel_softmax(false), host_schedule(FSR_SCHEDULE_TEAM, 32, teams, 1, 2), 1 + teams, 1e-6);
        host_sweep(&n, kernel_softmax(false), host_wide(host_schedule(FSR_SCHEDULE_TEAM, 64, teams, 2, 4)), 7, 1e-6);
        fsr_schedule few = host_schedule(FSR_SCHEDULE_TEAM, 64, teams, 2, 4);
        few.members = teams;
        host_sweep(&n, kernel_softmax(false), few, 7, 1e-6);
        host_sweep(&n, kernel_row_sums(FSR_I64), host_schedule(FSR_SCHEDULE_TEAM, 64, teams, 1, 4), 3, 0);
        host_sweep(&n, kernel_argmax(FSR_F32), host_schedule(FSR_SCHEDULE_TEAM, 32, teams, 4, 4), 5, 0);
    }
    host_finish(&n);
}

/* Loops of elements and of rows in every frame; idle threads run none, or this would not end. */
static void test_loops(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    host_sweep(&n, kernel_loop_map(FSR_F32), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 1), 1, 0);
    host_sweep(&n, kernel_loop_map(FSR_F16), host_schedule(FSR_SCHEDULE_MAP, 32, 1, 4, 8), 1, 0);
    host_sweep(&n, kernel_loop_map(FSR_U8), host_wide(host_schedule(FSR_SCHEDULE_MAP, 32, 1, 1, 2)), 1, 0);
    for (int group = 1; group <= 64; group *= 8)
        host_sweep(&n, kernel_loop_sums(FSR_F32), host_schedule(FSR_SCHEDULE_ROW, 64, group, 1, 2), 1, 0);
    host_sweep(&n, kernel_loop_sums(FSR_F64), host_persistent(host_schedule(FSR_SCHEDULE_ROW, 64, 64, 2, 8)), 1, 0);
    host_sweep(&n, kernel_loop_sums(FSR_I32), host_schedule(FSR_SCHEDULE_SPLIT, 32, 32, 4, 4), 3, 0);
    host_sweep(&n, kernel_loop_sums(FSR_I64), host_schedule(FSR_SCHEDULE_TEAM, 32, 2, 1, 2), 3, 0);
    host_sweep(&n, kernel_loop_sums(FSR_F32), host_schedule(FSR_SCHEDULE_COL, 64, 8, 1, 1), 1, 0);
    host_finish(&n);
}

static void test_columns(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    for (int splits = 1; splits < 8; splits += 3) {
        host_sweep(&n, kernel_column_sums(FSR_F32), host_schedule(FSR_SCHEDULE_COL, 128, 32, 1, 1), splits, 0);
        host_sweep(&n, kernel_column_sums(FSR_F32), host_schedule(FSR_SCHEDULE_COL, 128, 8, 4, 4), splits, 0);
        host_sweep(&n, kernel_column_sums(FSR_I64), host_schedule(FSR_SCHEDULE_COL, 64, 64, 2, 2), splits, 0);
        host_sweep(&n, kernel_column_sums(FSR_I32), host_wide(host_schedule(FSR_SCHEDULE_COL, 64, 1, 1, 1)), splits, 0);
    }
    host_sweep(&n, kernel_column_softmax(), host_schedule(FSR_SCHEDULE_COL, 64, 64, 1, 1), 1, 1e-6);
    host_sweep(&n, kernel_column_softmax(), host_schedule(FSR_SCHEDULE_COL, 64, 16, 1, 1), 1, 1e-6);
    host_sweep(&n, kernel_column_softmax(), host_schedule(FSR_SCHEDULE_COL, 64, 16, 4, 4), 1, 1e-6);
    host_sweep(&n, kernel_column_scan(FSR_I32, false), host_schedule(FSR_SCHEDULE_COL, 64, 64, 1, 1), 1, 0);
    host_sweep(&n, kernel_column_scan(FSR_F32, true), host_schedule(FSR_SCHEDULE_COL, 32, 32, 4, 4), 1, 0);
    host_sweep(&n, kernel_narrow(kernel_column_scan(FSR_F32, true)), host_schedule(FSR_SCHEDULE_COL, 32, 32, 4, 4), 1,
               0);
    host_sweep(&n, kernel_narrow(kernel_column_scan(FSR_F32, false)), host_schedule(FSR_SCHEDULE_COL, 32, 32, 1, 1), 1,
               0);
    host_finish(&n);
}

/* Of operators that take literals, counts, the folds of threads that have all of their columns stand apart. */
static void test_counts(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    fsr_kernel *k = kernel_variance(FSR_F32);
    k->schedule = host_schedule(FSR_SCHEDULE_SPLIT, 64, 64, 4, 8);
    assert_true(kernel_finished(k)->schedule.counts);
    fsr_kernel_free(k);
    k = kernel_counted_scan(FSR_F64);
    k->schedule = host_schedule(FSR_SCHEDULE_ROW, 64, 64, 2, 4);
    assert_true(kernel_finished(k)->schedule.counts);
    fsr_kernel_free(k);
    for (int group = 1; group <= 64; group *= 8)
        host_sweep(&n, kernel_counted_scan(FSR_F64), host_schedule(FSR_SCHEDULE_ROW, 64, group, 2, 4), 1, 1e-9);
    for (int group = 1; group <= 64; group *= 8)
        host_sweep(&n, kernel_variance(FSR_F32), host_schedule(FSR_SCHEDULE_ROW, 64, group, 2, 4), 1, 1e-5);
    host_sweep(&n, kernel_variance(FSR_F64), host_persistent(host_schedule(FSR_SCHEDULE_ROW, 64, 64, 2, 8)), 1, 1e-12);
    for (int splits = 1; splits < 6; splits += 2) {
        host_sweep(&n, kernel_variance(FSR_F32), host_schedule(FSR_SCHEDULE_SPLIT, 64, 64, 4, 8), splits, 1e-5);
        host_sweep(&n, kernel_variance(FSR_F64), host_schedule(FSR_SCHEDULE_TEAM, 32, 2, 1, 4), splits, 1e-12);
    }
    host_sweep(&n, kernel_variance(FSR_F32), host_persistent(host_schedule(FSR_SCHEDULE_TEAM, 32, 3, 4, 8)), 1, 1e-5);
    host_finish(&n);
}

/* Vectors of columns of two dimensions, each in one line of the last one. */
static void test_channels(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    static const int64_t size[][2] = {{0, 8}, {1, 4}, {3, 12}, {2, 40}, {5, 64}};
    for (int vector = 1; vector <= 4; vector *= 2) {
        host_sweep(&n, kernel_channels(false), host_schedule(FSR_SCHEDULE_ROW, 64, 64, vector, 4), 1, 0);
        host_sweep_sizes(&n, kernel_channels(true), host_persistent(host_schedule(FSR_SCHEDULE_TEAM, 64, 2, vector, 8)),
                         1, 0, size, 5);
        host_sweep(&n, kernel_channels(false), host_schedule(FSR_SCHEDULE_TEAM, 64, 2, vector, 4), 3, 0);
    }
    host_finish(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),   cmocka_unit_test(test_team),   cmocka_unit_test(test_loops),
        cmocka_unit_test(test_columns), cmocka_unit_test(test_counts), cmocka_unit_test(test_channels),
    };
    if (!subject_take_part())
        return 1;
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    return host_report(cmocka_run_group_tests(tests, NULL, NULL));
}
