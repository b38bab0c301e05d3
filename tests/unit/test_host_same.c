/* SPDX-License-Identifier: MIT */
/* Generated CUDA on the host: operators and loops whose bodies take scalar arguments of the kernel, in every frame. */
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/sweep.h"
#include "tests/support/subject.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_reductions(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    for (int ordered = 0; ordered < 2; ordered++) {
        for (int group = 1; group <= 128; group *= 8)
            host_sweep(&n, kernel_bent(FSR_I64, false, !ordered), host_schedule(FSR_SCHEDULE_ROW, 128, group, 2, 4), 1,
                       0);
        host_sweep(&n, kernel_bent(FSR_I32, false, !ordered), host_schedule(FSR_SCHEDULE_SPLIT, 64, 64, 4, 4), 3, 0);
        host_sweep(&n, kernel_bent(FSR_I64, false, !ordered), host_schedule(FSR_SCHEDULE_COL, 64, 8, 1, 1), 1, 0);
        host_sweep(&n, kernel_bent(FSR_I64, false, !ordered), host_schedule(FSR_SCHEDULE_COL, 64, 16, 1, 2), 3, 0);
    }
    host_sweep(&n, kernel_bent(FSR_I64, false, true), host_schedule(FSR_SCHEDULE_TEAM, 64, 2, 2, 4), 7, 0);
    host_finish(&n);
}

static void test_scans(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    for (int group = 1; group <= 64; group *= 8)
        host_sweep(&n, kernel_bent(FSR_I64, true, group > 1), host_schedule(FSR_SCHEDULE_ROW, 64, group, 1, 2), 1, 0);
    host_sweep(&n, kernel_bent(FSR_I64, true, true), host_schedule(FSR_SCHEDULE_LOOKBACK, 64, 1, 2, 2), 1, 0);
    host_sweep(&n, kernel_bent(FSR_I32, true, true), host_schedule(FSR_SCHEDULE_COL, 64, 64, 1, 1), 1, 0);
    host_finish(&n);
}

static void test_loops(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    host_sweep(&n, kernel_loop_same(FSR_F32), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 1), 1, 0);
    host_sweep(&n, kernel_loop_same(FSR_F16), host_schedule(FSR_SCHEDULE_MAP, 32, 1, 4, 8), 1, 0);
    host_finish(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reductions),
        cmocka_unit_test(test_scans),
        cmocka_unit_test(test_loops),
    };
    return host_report(cmocka_run_group_tests(tests, NULL, NULL));
}
