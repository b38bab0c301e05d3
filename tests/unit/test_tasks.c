/* SPDX-License-Identifier: MIT */
/* How a launch in bands is divided among threads: each index is in one piece, pieces are whole bands while there are two
 * for each worker, and halves or quarters of them where there are fewer. */
#include "backend_cpu/run/tasks.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

enum { ROWS = 1600, COLS = 2048, BAND = 100, ARGUMENT = 6 };

typedef struct record {
    atomic_int times[ROWS];
    atomic_int pieces, odd; /* those that do not begin where a piece of `unit` does */
    int unit;
} record;

static void note(void *const *arrays, const int64_t *integers, const fsr_value *scalars, void *work,
                 const int64_t *task) {
    record *r = arrays[0];
    (void)integers;
    (void)scalars;
    (void)work;
    r->pieces++;
    r->odd += task[FSR_TASK_LOW] % r->unit != 0;
    for (int64_t i = task[FSR_TASK_LOW]; i < task[FSR_TASK_HIGH]; i++)
        r->times[i]++;
}

static void check(int workers, int unit) {
    static record r;
    const fsr_cpu_shape shape = {.ndim = 2,
                                 .nparallel = 2,
                                 .work = 100,
                                 .combined = -1,
                                 .abreast = 1,
                                 .band = ARGUMENT,
                                 .band_bytes = ARGUMENT + 1};
    fsr_launch launch = {.array = {&r}, .integer = {ROWS * COLS, 1, 1, 1, ROWS, COLS, BAND, 64}};
    fsr_fault fault = {FSR_OK, NULL};
    fsr_thread_pool *threads = fsr_thread_pool_new(workers);
    fsr_pool pool;
    r = (record){.unit = unit};
    assert_non_null(threads);
    assert_int_equal(fsr_pool_init(&pool, NULL), 0);
    assert_int_equal(fsr_tasks_run(threads, &pool, &shape, note, &launch, 1 << 20, &fault), FSR_OK);
    assert_int_equal(r.pieces, ROWS / unit);
    assert_int_equal(r.odd, 0);
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(r.times[i], 1);
    fsr_thread_pool_free(threads);
    fsr_pool_free(&pool);
}

static void bands_are_whole_for_few_workers(void **state) {
    (void)state;
    check(2, BAND);
    check(8, BAND);
}

static void bands_are_cut_for_many_workers(void **state) {
    (void)state;
    check(12, BAND / 2);
    check(24, BAND / 4);
    check(64, BAND / 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(bands_are_whole_for_few_workers),
                                       cmocka_unit_test(bands_are_cut_for_many_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
