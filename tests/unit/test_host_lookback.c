/* SPDX-License-Identifier: MIT */
/* Generated CUDA on the host: scans along tiles that look back. */
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/sweep.h"
#include "tests/support/subject.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

static void test_lookback(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    for (int threads = 32; threads <= 128; threads *= 2) {
        host_sweep(&n, kernel_scan(FSR_I32, false), host_schedule(FSR_SCHEDULE_LOOKBACK, threads, 1, 1, 1), 1, 0);
        host_sweep(&n, kernel_scan(FSR_F64, true), host_schedule(FSR_SCHEDULE_LOOKBACK, threads, 1, 2, 4), 1, 0);
        host_sweep(&n, kernel_narrow(kernel_scan(FSR_F32, true)),
                   host_schedule(FSR_SCHEDULE_LOOKBACK, threads, 1, 4, 8), 1, 0);
        host_sweep(&n, kernel_narrow(kernel_scan_of_scan(FSR_F32)),
                   host_schedule(FSR_SCHEDULE_LOOKBACK, threads, 1, 1, 2), 1, 1e-6);
        host_sweep(&n, kernel_recurrence(), host_schedule(FSR_SCHEDULE_LOOKBACK, threads, 1, 2, 2), 1, 1e-9);
        host_sweep(&n, kernel_scan_of_scan(FSR_I64), host_schedule(FSR_SCHEDULE_LOOKBACK, threads, 1, 1, 2), 1, 0);
        host_sweep(&n, kernel_scan_of_scan(FSR_I32), host_wide(host_schedule(FSR_SCHEDULE_LOOKBACK, threads, 1, 4, 8)),
                   1, 0);
    }
    host_finish(&n);
}

static void parked_sweep(host_counts *n, fsr_kernel *k, int threads, bool wide, double bound) {
    const fsr_schedule s = host_schedule(FSR_SCHEDULE_LOOKBACK, threads, 1, 4, 28);
    fsr_kernel *finished = fsr_kernel_copy(k);
    assert_non_null(finished);
    finished->schedule = s;
    assert_int_equal(kernel_finished(finished)->schedule.parked, 7);
    fsr_kernel_free(finished);
    host_sweep(n, k, wide ? host_wide(s) : s, 1, bound);
}

/* Elements that wait in shared memory: of one and of several warps, items and states of four bytes. */
static void test_parked(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    for (int threads = 32; threads <= 64; threads *= 2) {
        parked_sweep(&n, kernel_narrow(kernel_scan(FSR_F32, true)), threads, false, 0);
        parked_sweep(&n, kernel_narrow(kernel_scan(FSR_F32, false)), threads, true, 0);
        parked_sweep(&n, kernel_scan(FSR_I32, false), threads, false, 0);
        parked_sweep(&n, kernel_scan(FSR_U32, true), threads, true, 0);
    }
    host_finish(&n);
}

/* Rows side by side, of which threads have 2 or 3 columns each: as many as there are, more, and some left over. */
static void test_beside(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    for (int rows = 2; rows <= 32; rows *= 4) {
        host_sweep(&n, kernel_scan(FSR_I32, false), host_schedule(FSR_SCHEDULE_LOOKBACK, 64, rows, 1, 2), 1, 0);
        host_sweep(&n, kernel_narrow(kernel_scan(FSR_F32, true)), host_schedule(FSR_SCHEDULE_LOOKBACK, 32, rows, 1, 3),
                   1, 0);
        host_sweep(&n, kernel_scan(FSR_C128, false), host_schedule(FSR_SCHEDULE_LOOKBACK, 64, rows, 1, 2), 1, 1e-12);
        host_sweep(&n, kernel_recurrence(), host_schedule(FSR_SCHEDULE_LOOKBACK, 32, rows, 1, 3), 1, 1e-9);
        host_sweep(&n, kernel_scan_of_scan(FSR_I64), host_wide(host_schedule(FSR_SCHEDULE_LOOKBACK, 64, rows, 1, 2)), 1,
                   0);
    }
    host_finish(&n);
}

/* Tiles of 32 columns: 1024 and more make the third level of the hierarchy, 32768 the fourth. */
static void test_lookback_levels(void **state) {
    (void)state;
    static const int64_t size[][2] = {{1, 32 * 31}, {1, 32 * 32},   {1, 32 * 33 + 5},
                                      {3, 32 * 65}, {1, 32 * 1023}, {2, 32 * 1025 + 1}};
    fsr_schedule s = host_schedule(FSR_SCHEDULE_LOOKBACK, 32, 1, 1, 1);
    host_counts n = {.launches = 0};
    host_sweep_sizes(&n, kernel_scan(FSR_I32, false), s, 1, 0, size, 6);
    host_sweep_sizes(&n, kernel_recurrence(), s, 1, 1e-9, size, 6);
    host_sweep_sizes(&n, kernel_scan_of_scan(FSR_I64), s, 1, 0, size, 6);
    s.abreast = 2;
    s.items = 2;
    host_sweep_sizes(&n, kernel_recurrence(), s, 1, 1e-9, size, 6);
#ifndef __SANITIZE_ADDRESS__
    n.once = true;
    host_sweep_sizes(&n, kernel_scan(FSR_I64, true), s, 1, 0, (const int64_t[][2]){{1, 32 * 32769 + 1}}, 1);
#endif
    host_finish(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lookback),
        cmocka_unit_test(test_parked),
        cmocka_unit_test(test_beside),
        cmocka_unit_test(test_lookback_levels),
    };
    if (!subject_take_part())
        return 1;
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    return host_report(cmocka_run_group_tests(tests, NULL, NULL));
}
