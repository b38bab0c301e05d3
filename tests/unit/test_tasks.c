/* SPDX-License-Identifier: MIT */
/* How a launch is divided among threads. In bands: each index is in one piece, pieces are whole bands while there are
 * two for each worker, and halves or quarters of them where there are fewer. Rows whose filters store before the parts
 * on their left are done: each part is done once, and its place is known before it goes there. Rows side by side are
 * shared evenly, in blocks of a few lines of memory at least. */
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

enum { PART = 512, PARTS = 40, PACKED = 128 };

typedef struct log {
    atomic_int done[PARTS], carried, moved, wrong, whole, finished;
    bool apart;
} log;

/* A part stores as many elements as its number; its fold and carry are words 0 and 1 of its state. */
static void pack(void *const *arrays, const int64_t *integers, const fsr_value *scalars, void *work,
                 const int64_t *task) {
    log *l = arrays[0];
    const int64_t part = task[FSR_TASK_INDEX];
    int64_t *state = (int64_t *)(intptr_t)task[FSR_TASK_STATES] + 2 * part;
    int64_t *memory = (int64_t *)(intptr_t)task[FSR_TASK_PACKED];
    (void)integers;
    (void)scalars;
    (void)work;
    switch (task[FSR_TASK_MODE]) {
    case FSR_MODE_FOLD: memory[0] = memory[PACKED / 8 - 1] = part; /* fall through */
    case FSR_MODE_PART:
        l->wrong += l->apart != (task[FSR_TASK_MODE] == FSR_MODE_FOLD) || (!l->apart && part && state[1] != part);
        l->done[part]++;
        state[0] = part;
        break;
    case FSR_MODE_CARRY:
        l->wrong += l->carried != part || state[0] != part;
        l->carried++;
        state[3] = part + 1;
        break;
    case FSR_MODE_PACKED:
        l->wrong += l->carried <= part || memory[0] != part || memory[PACKED / 8 - 1] != part;
        l->moved++;
        break;
    case FSR_MODE_FINISH: l->finished++; break;
    default: l->whole++;
    }
}

static void check_packed(int workers, bool counts) {
    static log l;
    const fsr_cpu_shape shape = {.ndim = 1,
                                 .columns = true,
                                 .scans = true,
                                 .packed = PACKED,
                                 .counts = counts,
                                 .part = PART,
                                 .words = 2,
                                 .work = 1000,
                                 .combined = -1,
                                 .abreast = 1};
    fsr_launch launch = {.array = {&l}, .integer = {1, PART * PARTS, 1, 1, PART * PARTS}};
    fsr_fault fault = {FSR_OK, NULL};
    fsr_thread_pool *threads = fsr_thread_pool_new(workers);
    fsr_pool pool;
    const bool alone = workers == 1, whole = alone && counts;
    l = (log){.apart = !alone};
    assert_non_null(threads);
    assert_int_equal(fsr_pool_init(&pool, NULL), 0);
    assert_int_equal(fsr_tasks_run(threads, &pool, &shape, pack, &launch, 1 << 20, &fault), FSR_OK);
    assert_int_equal(l.wrong, 0);
    assert_int_equal(l.whole, whole);
    assert_int_equal(l.finished, !whole);
    assert_int_equal(l.carried, whole ? 0 : PARTS);
    assert_int_equal(l.moved, alone ? 0 : PARTS);
    for (int i = 0; i < PARTS; i++)
        assert_int_equal(l.done[i], !whole);
    fsr_thread_pool_free(threads);
    fsr_pool_free(&pool);
}

static void parts_are_packed_apart(void **state) {
    (void)state;
    for (int workers = 1; workers < 9; workers++) {
        check_packed(workers, false);
        check_packed(workers, true);
    }
}

/* Rows of 1000 columns, in `pieces` blocks of so many, the last of what is left. */
static void check_abreast(int workers, int64_t rows, int pieces, int block) {
    static record r;
    const fsr_cpu_shape shape = {.ndim = 2, .nparallel = 1, .work = 10, .combined = -1, .abreast = 256};
    fsr_launch launch = {.array = {&r}, .integer = {rows, 1000, 1, 1, rows, 1000}};
    fsr_fault fault = {FSR_OK, NULL};
    fsr_thread_pool *threads = fsr_thread_pool_new(workers);
    fsr_pool pool;
    r = (record){.unit = block};
    assert_non_null(threads);
    assert_int_equal(fsr_pool_init(&pool, NULL), 0);
    assert_int_equal(fsr_tasks_run(threads, &pool, &shape, note, &launch, 1 << 20, &fault), FSR_OK);
    assert_int_equal(r.pieces, pieces);
    assert_int_equal(r.odd, 0);
    for (int i = 0; i < rows; i++)
        assert_int_equal(r.times[i], 1);
    fsr_thread_pool_free(threads);
    fsr_pool_free(&pool);
}

/* Two planes of few rows side by side go in parts of their columns, all rows of a plane together. */
static void rows_abreast_go_in_parts(void **state) {
    static record r;
    const fsr_cpu_shape shape = {.ndim = 3,
                                 .nparallel = 2,
                                 .columns = true,
                                 .part = PART,
                                 .words = 1,
                                 .work = 100,
                                 .combined = -1,
                                 .abreast = 256};
    fsr_launch launch = {.array = {&r}, .integer = {2 * 9, PART * PARTS, 1, 1, 2, 9, PART * PARTS}};
    fsr_fault fault = {FSR_OK, NULL};
    fsr_thread_pool *threads = fsr_thread_pool_new(4);
    fsr_pool pool;
    (void)state;
    r = (record){.unit = 1};
    assert_non_null(threads);
    assert_int_equal(fsr_pool_init(&pool, NULL), 0);
    assert_int_equal(fsr_tasks_run(threads, &pool, &shape, note, &launch, 1 << 20, &fault), FSR_OK);
    assert_int_equal(r.pieces, 2 * PARTS + 1); /* and the end, */
    assert_int_equal(r.times[0], PARTS + 1);   /* of both planes */
    assert_int_equal(r.times[1], PARTS + 1);
    fsr_thread_pool_free(threads);
    fsr_pool_free(&pool);
}

/* 600 rows side by side of so many columns, of two threads: pieces, all of which are called whole or none is. */
static int pieces_of_columns(int64_t cols) {
    static record r;
    const fsr_cpu_shape shape = {.ndim = 2,
                                 .nparallel = 1,
                                 .columns = true,
                                 .part = PART,
                                 .words = 1,
                                 .work = 100,
                                 .combined = -1,
                                 .abreast = 1024};
    fsr_launch launch = {.array = {&r}, .integer = {600, cols, 1, 1, 600, cols}};
    fsr_fault fault = {FSR_OK, NULL};
    fsr_thread_pool *threads = fsr_thread_pool_new(2);
    fsr_pool pool;
    r = (record){.unit = 1};
    assert_non_null(threads);
    assert_int_equal(fsr_pool_init(&pool, NULL), 0);
    assert_int_equal(fsr_tasks_run(threads, &pool, &shape, note, &launch, 1 << 20, &fault), FSR_OK);
    fsr_thread_pool_free(threads);
    fsr_pool_free(&pool);
    assert_int_equal(r.times[0], r.times[599]);
    return r.times[0] == 1 ? r.pieces : -r.pieces;
}

/* Parts of columns are for threads of which none waits long for another one; else blocks of rows are. */
static void parts_are_even(void **state) {
    (void)state;
    assert_int_equal(pieces_of_columns(PART + 21), 4);
    assert_int_equal(pieces_of_columns(2 * PART), -3); /* two parts, and the end */
    assert_int_equal(pieces_of_columns(2 * PART + 1), 4);
    assert_int_equal(pieces_of_columns(PARTS * PART + 1), -PARTS - 2);
}

static void rows_abreast_are_shared(void **state) {
    (void)state;
    check_abreast(2, 1500, 6, 256);
    check_abreast(2, 800, 4, 208);
    check_abreast(2, 197, 2, 112);
    check_abreast(2, 128, 2, 64);
    check_abreast(2, 40, 2, 32);
    check_abreast(16, 197, 7, 32);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_are_packed_apart),
                                       cmocka_unit_test(rows_abreast_go_in_parts),
                                       cmocka_unit_test(parts_are_even),
                                       cmocka_unit_test(rows_abreast_are_shared),
                                       cmocka_unit_test(bands_are_whole_for_few_workers),
                                       cmocka_unit_test(bands_are_cut_for_many_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
