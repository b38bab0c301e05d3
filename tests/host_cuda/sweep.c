/* SPDX-License-Identifier: MIT */
#include "tests/host_cuda/sweep.h"
#include "backend_cuda/emit_cuda.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/subject.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* ---- one launch -------------------------------------------------------------------------------------- */

#ifdef __SANITIZE_ADDRESS__
enum { ORDERS = 1 }; /* in which a launch runs; the sanitizer is slow */
#else
enum { ORDERS = 3 };
#endif

static void explain(host_counts *n, const fsr_kernel *k, const fsr_launch *launch, const char *why) {
    if (n->failures++ > 3)
        return;
    fprintf(stderr, "FAILED rows %lld cols %lld splits %lld stretch %lld: %s\n",
            (long long)launch->integer[FSR_INT_ROWS], (long long)launch->integer[FSR_INT_COLS],
            (long long)launch->integer[FSR_INT_SPLITS], (long long)launch->integer[FSR_INT_STRETCH], why);
    fsr_kernel_print(k, stderr);
}

static bool is_zero(const unsigned char *at, int64_t n) {
    for (int64_t i = 0; i < n; i++)
        if (at[i])
            return false;
    return true;
}

/* One run on the machine into `data`; on a failure says why. */
static bool run_once(const fsr_kernel *k, const char *source, fsr_launch *launch, kernel_data *data, uint64_t seed,
                     char *why, size_t size) {
    int64_t work = fsr_kernel_work_bytes(k, launch->integer), zero = fsr_kernel_zero_bytes(k, launch->integer);
    fsr_fault fault = {FSR_OK, NULL};
    bool good = true;
    int where;
    kernel_data_new(data, k, launch, 1);
    launch->work = malloc((size_t)work + 1);
    launch->zero = calloc(1, (size_t)zero + 1);
    memset(launch->work, 0xCB, (size_t)work);
    launch->blocks = fsr_kernel_blocks(k, launch->integer);
    if (launch->blocks > 0 && host_cuda_run(k, source, launch, seed, &fault) != FSR_OK) {
        snprintf(why, size, "%s", fault.message);
        good = false;
    } else if (!kernel_data_guards(data, k, &where)) {
        snprintf(why, size, "the guards of array %d are broken", where);
        good = false;
    } else if (!fsr_kernel_leaves_flags(k) && !is_zero(launch->zero, zero)) {
        snprintf(why, size, "the zeroed memory is not zero after the launch");
        good = false;
    }
    fsr_fault_clear(&fault);
    free(launch->work);
    free(launch->zero);
    return good;
}

static bool check_launch(host_counts *n, const fsr_kernel *k, const char *source, fsr_launch *launch,
                         double tolerance) {
    kernel_data expected, got[ORDERS];
    char why[2048] = "";
    kernel_data_new(&expected, k, launch, 1);
    assert_int_equal(fsr_kernel_interpret(k, launch), FSR_OK);
    bool good = true;
    int made = 0;
    while (made < (n->once ? 1 : ORDERS) && good) {
        kernel_data *mine = &got[made++];
        good = run_once(k, source, launch, mine, (uint64_t)(n->launches++) * 7 + 1, why, sizeof why) &&
               kernel_data_equal(&expected, mine, k, tolerance, why, sizeof why) &&
               kernel_data_equal(&got[0], mine, k, 0, why, sizeof why);
    }
    if (!good)
        explain(n, k, launch, why);
    while (made > 0)
        kernel_data_free(&got[--made]);
    kernel_data_free(&expected);
    return good;
}

/* ---- sweeps ------------------------------------------------------------------------------------------ */

static bool fits(const fsr_kernel *k, int64_t rows, int64_t columns) {
    const fsr_schedule *s = &k->schedule;
    bool along_rows = s->kind == FSR_SCHEDULE_COL || (s->kind == FSR_SCHEDULE_MAP && k->ndim == 1);
    int64_t inner = along_rows ? rows : columns;
    bool any_tail = s->kind == FSR_SCHEDULE_MAP && k->ndim == 1;
    if (s->tall)
        return true;
    if (s->persistent && s->kind == FSR_SCHEDULE_ROW && columns > (int64_t)s->abreast * s->items)
        return false;
    return any_tail || inner % s->vector == 0;
}

/* Blocks along the columns: as many as asked for, or as the schedule's tile says. */
static void set_splits(const fsr_kernel *k, fsr_launch *launch, int64_t columns, int splits) {
    const fsr_schedule *s = &k->schedule;
    int64_t stretch = columns;
    if (s->kind == FSR_SCHEDULE_LOOKBACK || (s->kind == FSR_SCHEDULE_TEAM && s->persistent))
        stretch = (int64_t)(s->kind == FSR_SCHEDULE_TEAM ? s->threads : s->threads / s->abreast) * s->items;
    else if (s->kind != FSR_SCHEDULE_MAP && s->kind != FSR_SCHEDULE_ROW)
        stretch = ((columns + splits - 1) / splits + s->vector - 1) / s->vector * s->vector;
    else
        return;
    stretch = stretch > 0 ? stretch : s->vector;
    launch->integer[FSR_INT_STRETCH] = stretch;
    launch->integer[FSR_INT_SPLITS] = columns > 0 ? (columns + stretch - 1) / stretch : 1;
}

void host_sweep_sizes(host_counts *n, fsr_kernel *k, fsr_schedule schedule, int splits, double tolerance,
                      const int64_t (*size)[2], int sizes) {
    char why[256];
    fsr_text text = {0};
    const int which = n->sweeps++;
    if (!subject_case(0, (which + which / 3) % 3 != 0)) {
        fsr_kernel_free(k);
        return;
    }
    k->schedule = schedule;
    kernel_finished(kernel_staged(k));
    if (fsr_kernel_verify(k, why, sizeof why) != FSR_OK)
        fail_msg("%s: %s", k->name, why);
    if (fsr_emit_cuda_for_host(k, &text) != FSR_OK)
        fail_msg("%s is not emitted", k->name);
    for (int i = 0; i < sizes; i++) {
        fsr_launch launch = {.blocks = 0};
        if (!fits(k, size[i][0], size[i][1]))
            continue;
        kernel_sizes(k, &launch, size[i][0], size[i][1]);
        set_splits(k, &launch, launch.integer[FSR_INT_COLS], splits);
        if (k->nscalars)
            launch.scalar[0] = fsr_value_from_double(k->scalar[0], 3);
        if (!check_launch(n, k, text.data, &launch, tolerance))
            break;
    }
    fsr_text_free(&text);
    fsr_kernel_free(k);
}

void host_sweep(host_counts *n, fsr_kernel *k, fsr_schedule s, int splits, double tolerance) {
    int64_t v = s.vector, group = s.kind == FSR_SCHEDULE_ROW ? s.abreast : s.threads, tile = group * s.items;
    const int64_t map[][2] = {{0, 32},  {4, 0},        {1, v},    {32, 1},       {31, 33},     {4, 32},
                              {257, 4}, {tile - 1, 4}, {tile, 4}, {tile + 1, 4}, {3 * tile, 2}};
    const int64_t row[][2] = {{0, 32},  {4, 0},   {1, v},        {5, 1},        {3, 31},   {2, 32},       {9, 33},
                              {3, 256}, {2, 257}, {1, 2 * tile}, {1, tile - v}, {2, tile}, {3, tile + v}, {64, 16}};
    const int64_t col[][2] = {{0, 32},
                              {4, 0},
                              {v, 1},
                              {32, 5},
                              {33, 31},
                              {31, 33},
                              {64, 32},
                              {8, 257},
                              {16, 1000},
                              {1, 70},
                              {257, 3},
                              {tile - v, 17},
                              {tile, 9},
                              {tile + v, 2},
                              {s.abreast * v, 40},
                              {s.abreast * v + v, 41}};
    if (s.kind == FSR_SCHEDULE_MAP)
        host_sweep_sizes(n, k, s, splits, tolerance, map, sizeof map / sizeof *map);
    else if (s.kind == FSR_SCHEDULE_COL)
        host_sweep_sizes(n, k, s, splits, tolerance, col, sizeof col / sizeof *col);
    else
        host_sweep_sizes(n, k, s, splits, tolerance, row, sizeof row / sizeof *row);
}

/* A test's first sweep is the fast tier's: the long one alone may have none. */
void host_finish(const host_counts *n) {
    assert_true(n->sweeps > 0 && (n->launches > 0 || !subject_case(0, false)));
    if (n->failures)
        fail_msg("%d failures in %d launches", n->failures, n->launches);
}

fsr_schedule host_schedule(fsr_schedule_kind kind, int threads, int abreast, int vector, int items) {
    return (fsr_schedule){.target = FSR_TARGET_GPU,
                          .kind = kind,
                          .threads = threads,
                          .abreast = abreast,
                          .vector = vector,
                          .items = items};
}

fsr_schedule host_persistent(fsr_schedule s) {
    s.persistent = true;
    return s;
}

fsr_schedule host_wide(fsr_schedule s) {
    s.wide = true;
    return s;
}

int host_report(int failed) {
    int sources;
    int64_t launches;
    host_cuda_counts(&sources, &launches);
    printf("kernels on the host: %d sources, %lld launches\n", sources, (long long)launches);
    return failed;
}
