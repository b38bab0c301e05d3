/* SPDX-License-Identifier: MIT */
/* Generated CUDA on the host: rows in a block, folded and scanned. */
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/sweep.h"
#include "tests/support/subject.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_rows(void **state) {
    (void)state;
    static const int group[] = {1, 2, 8, 32, 64, 128};
    host_counts n = {.launches = 0};
    for (int g = 0; g < 6; g++) {
        host_sweep(&n, kernel_row_sums(FSR_F32), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 4), 1, 0);
        host_sweep(&n, kernel_row_sums(FSR_I64), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 6), 1, 0);
        host_sweep(&n, kernel_argmax(FSR_F32), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 4, 4), 1, 0);
        host_sweep(&n, kernel_fold_recurrence(), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 3), 1, 1e-9);
    }
    host_sweep(&n, kernel_row_sums(FSR_U8), host_wide(host_schedule(FSR_SCHEDULE_ROW, 64, 32, 16, 32)), 1, 0);
    host_sweep(&n, kernel_row_sums(FSR_BOOL), host_persistent(host_schedule(FSR_SCHEDULE_ROW, 64, 64, 8, 8)), 1, 0);
    host_finish(&n);
}

/* x / sum + place, where even the place in the row, cheap to write again, is kept. */
static fsr_kernel *kernel_kept_index(void) {
    fsr_kernel *k = kernel_begin("k_kept_index", 2, 1, 2);
    int in = kernel_linear(k, kernel_array(k, FSR_F64, false)), out = kernel_linear(k, kernel_array(k, FSR_F64, true));
    int x = kernel_load(k, FSR_ELEM, 0, in), place = kernel_index(k, FSR_F64, 1);
    int sum = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, x), 0);
    int share = kernel_op(k, FSR_OP_DIV, x, sum, 0);
    kernel_store(k, FSR_ELEM, 1, out, kernel_op(k, FSR_OP_ADD, share, place, 0));
    k->stand[place].keep = true;
    return k;
}

static void test_rows_passes(void **state) {
    (void)state;
    static const int group[] = {1, 4, 32, 128};
    host_counts n = {.launches = 0};
    for (int g = 0; g < 4; g++) {
        host_sweep(&n, kernel_softmax(true), host_persistent(host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 4)), 1,
                   1e-6);
        host_sweep(&n, kernel_softmax(true), host_persistent(host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 4, 8)), 1,
                   1e-6);
        host_sweep(&n, kernel_softmax(false), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 4), 1, 1e-6);
        host_sweep(&n, kernel_kept_index(), host_persistent(host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 4)), 1,
                   1e-12);
        host_sweep(&n, kernel_late_scan(true), host_persistent(host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 4)), 1,
                   1e-12);
        host_sweep(&n, kernel_late_scan(false), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 2), 1, 1e-12);
    }
    host_finish(&n);
}

static void test_rows_scans(void **state) {
    (void)state;
    static const int group[] = {1, 8, 32, 64, 128};
    host_counts n = {.launches = 0};
    for (int g = 0; g < 5; g++) {
        host_sweep(&n, kernel_scan(FSR_I32, g % 2), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 4), 1, 0);
        host_sweep(&n, kernel_scan(FSR_F64, (g + 1) % 2),
                   host_persistent(host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 4)), 1, 0);
        host_sweep(&n, kernel_recurrence(), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 2), 1, 1e-9);
        host_sweep(&n, kernel_scan_of_scan(FSR_I64), host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 2), 1, 0);
        host_sweep(&n, kernel_scan_of_scan(FSR_I32), host_wide(host_schedule(FSR_SCHEDULE_ROW, 128, group[g], 4, 8)), 1,
                   0);
    }
    host_finish(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_passes),
        cmocka_unit_test(test_rows_scans),
    };
    if (!subject_take_part())
        return 1;
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    return host_report(cmocka_run_group_tests(tests, NULL, NULL));
}
