/* Generated CUDA on the host: every schedule at small awkward sizes, under several orders of blocks and threads,
 * against
 * the interpreter of the loop IR; arrays stand between guards, and every order must give the same bits. First the
 * machine
 * that runs them must see the mistakes it is there for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend_cuda/emit_cuda.h"
#include "runtime/text.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/support/kernels.h"

/* ---- the machine ------------------------------------------------------------------------------------- */

static fsr_status run_text(const char *name, const char *body, int *data, int blocks, int threads, uint64_t seed,
                           fsr_fault *fault) {
    char source[1024];
    void *args[] = {&data};
    snprintf(source, sizeof source, "extern \"C\" __global__ void __launch_bounds__(%d) %s(int *x) { %s }", threads,
             name, body);
    return host_cuda_run_text(name, source, args, blocks, threads, seed, fault);
}

static void test_machine_runs(void **state) {
    (void)state;
    static const char body[] = "int v = threadIdx.x + blockIdx.x, lane = threadIdx.x % 32;"
                               "for (int d = 16; d; d /= 2) v += fsr_shuffle_word(v, lane ^ d);"
                               "__shared__ int s[3];"
                               "if (lane == 0) s[threadIdx.x / 32] = v;"
                               "fsr_barrier();"
                               "for (int i = 0; threadIdx.x == 95 && i < s[0] + s[1] + s[2]; i++) (*x)++;";
    for (uint64_t seed = 0; seed < 20; seed++) {
        int sum = 0;
        fsr_fault fault = {FSR_OK, NULL};
        assert_int_equal(run_text("k_sum", body, &sum, 7, 96, seed, &fault), FSR_OK);
        assert_int_equal(sum, 7 * 95 * 48 + 96 * 21);
    }
}

/* Counts the seeds under which a kernel is caught: it fails, or leaves another x[0] than it should. */
static int caught(const char *name, const char *body, int blocks, int threads, int expected, const char *why) {
    int n = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        int x[64] = {0};
        fsr_fault fault = {FSR_OK, NULL};
        fsr_status status = run_text(name, body, x, blocks, threads, seed, &fault);
        if (status != FSR_OK)
            assert_int_equal(status, FSR_ERR_MISMATCH);
        if (status != FSR_OK && why && !strstr(fault.message, why))
            fail_msg("'%s' lacks '%s'", fault.message, why);
        n += status != FSR_OK || x[0] != expected;
        fsr_fault_clear(&fault);
    }
    return n;
}

static void test_machine_catches(void **state) {
    (void)state;
    assert_true(caught("k_race", "__shared__ int s; if (threadIdx.x == 0) s = 5; if (threadIdx.x == 40) x[0] = s;", 1,
                       64, 5, NULL) > 0);
    assert_true(caught("k_order",
                       "if (threadIdx.x == 0) { int b = blockIdx.x;"
                       "while (b && !fsr_peek_flag((unsigned *)x + b)) fsr_pause();"
                       "fsr_post_flag((unsigned *)x + b + 1); x[0] = 1; }",
                       40, 32, 1, "nothing happens any more") > 0);
    assert_int_equal(caught("k_ticket",
                            "if (threadIdx.x == 0) { int b = fsr_add_ticket((unsigned *)x);"
                            "while (b && !fsr_peek_flag((unsigned *)x + b)) fsr_pause();"
                            "fsr_post_flag((unsigned *)x + b + 1); }",
                            40, 32, 40, NULL),
                     0);
    assert_true(
        caught("k_lost", "if (threadIdx.x == 0) { int old = *x; fsr_fence(); *x = old + 1; }", 40, 32, 40, NULL) > 0);
    assert_int_equal(caught("k_divergent", "if (threadIdx.x < 16)\nfsr_barrier(); else\nfsr_barrier();", 1, 32, 0,
                            "at a barrier in line"),
                     12);
    assert_int_equal(
        caught("k_gone", "if (threadIdx.x < 16) fsr_barrier();", 1, 32, 0, "16 of 32 threads have returned"), 12);
    assert_int_equal(caught("k_lanes", "if (threadIdx.x < 16) fsr_shuffle_word(1, 0);", 1, 32, 0, "in a shuffle"), 12);
}

static void test_machine_compiles(void **state) {
    (void)state;
    fsr_fault fault = {FSR_OK, NULL};
    assert_int_equal(run_text("k_wrong", "nonsense;", NULL, 1, 32, 0, &fault), FSR_ERR_COMPILE);
    assert_non_null(strstr(fault.message, "nonsense"));
    fsr_fault_clear(&fault);
}

/* ---- one launch -------------------------------------------------------------------------------------- */

#ifdef __SANITIZE_ADDRESS__
enum { ORDERS = 1 }; /* in which a launch runs; the sanitizer is slow */
#else
enum { ORDERS = 3 };
#endif

typedef struct counts {
    int launches, failures;
    bool once; /* one order will do */
} counts;

static void explain(counts *n, const fsr_kernel *k, const fsr_launch *launch, const char *why) {
    if (n->failures++ > 3)
        return;
    fprintf(stderr, "FAILED rows %lld cols %lld splits %lld chunk %lld: %s\n", (long long)launch->integer[FSR_INT_ROWS],
            (long long)launch->integer[FSR_INT_COLS], (long long)launch->integer[FSR_INT_SPLITS],
            (long long)launch->integer[FSR_INT_CHUNK], why);
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

static bool check_launch(counts *n, const fsr_kernel *k, const char *source, fsr_launch *launch, double tolerance) {
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
    if (s->persistent && s->kind == FSR_SCHEDULE_ROW && columns > (int64_t)s->group * s->items)
        return false;
    return any_tail || inner % s->vector == 0;
}

/* Blocks along the columns: as many as asked for, or as the schedule's tile says. */
static void set_splits(const fsr_kernel *k, fsr_launch *launch, int64_t columns, int splits) {
    const fsr_schedule *s = &k->schedule;
    int64_t chunk = columns;
    if (s->kind == FSR_SCHEDULE_LOOKBACK || (s->kind == FSR_SCHEDULE_TEAM && s->persistent))
        chunk = (int64_t)s->threads * s->items;
    else if (s->kind != FSR_SCHEDULE_MAP && s->kind != FSR_SCHEDULE_ROW)
        chunk = ((columns + splits - 1) / splits + s->vector - 1) / s->vector * s->vector;
    else
        return;
    chunk = chunk > 0 ? chunk : s->vector;
    launch->integer[FSR_INT_CHUNK] = chunk;
    launch->integer[FSR_INT_SPLITS] = columns > 0 ? (columns + chunk - 1) / chunk : 1;
}

/* All sizes of one kernel under one schedule, up to the first failure; takes the kernel. */
static void sweep_sizes(counts *n, fsr_kernel *k, fsr_schedule schedule, int splits, double tolerance,
                        const int64_t (*size)[2], int sizes) {
    char why[256];
    fsr_text text = {0};
    k->schedule = schedule;
    if (fsr_kernel_verify(k, why, sizeof why) != FSR_OK)
        fail_msg("%s: %s", k->name, why);
    if (fsr_emit_cuda_for_host(k, &text) != FSR_OK)
        fail_msg("%s is not emitted", k->name);
    for (int i = 0; i < sizes; i++) {
        fsr_launch launch = {.blocks = 0};
        if (!fits(k, size[i][0], size[i][1]))
            continue;
        kernel_sizes(k, &launch, size[i][0], size[i][1]);
        set_splits(k, &launch, size[i][1], splits);
        if (k->nscalars)
            launch.scalar[0] = fsr_value_from_double(k->scalar[0], 3);
        if (!check_launch(n, k, text.data, &launch, tolerance))
            break;
    }
    fsr_text_free(&text);
    fsr_kernel_free(k);
}

/* The usual sizes: around a warp, and around what a block or group takes at once (tile). */
static void sweep(counts *n, fsr_kernel *k, fsr_schedule s, int splits, double tolerance) {
    int64_t v = s.vector, group = s.kind == FSR_SCHEDULE_ROW ? s.group : s.threads, tile = group * s.items;
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
                              {s.group * v, 40},
                              {s.group * v + v, 41}};
    if (s.kind == FSR_SCHEDULE_MAP)
        sweep_sizes(n, k, s, splits, tolerance, map, sizeof map / sizeof *map);
    else if (s.kind == FSR_SCHEDULE_COL)
        sweep_sizes(n, k, s, splits, tolerance, col, sizeof col / sizeof *col);
    else
        sweep_sizes(n, k, s, splits, tolerance, row, sizeof row / sizeof *row);
}

static void finish(const counts *n) {
    assert_true(n->launches > 0);
    if (n->failures)
        fail_msg("%d failures in %d launches", n->failures, n->launches);
}

static fsr_schedule schedule(fsr_schedule_kind kind, int threads, int group, int vector, int items) {
    return (fsr_schedule){.kind = kind, .threads = threads, .group = group, .vector = vector, .items = items};
}

static fsr_schedule persistent(fsr_schedule s) {
    s.persistent = true;
    return s;
}

static fsr_schedule wide(fsr_schedule s) {
    s.wide = true;
    return s;
}

static void test_map(void **state) {
    (void)state;
    counts n = {.launches = 0};
    sweep(&n, kernel_map(FSR_F32), schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 4), 1, 0);
    sweep(&n, kernel_map(FSR_F32), schedule(FSR_SCHEDULE_MAP, 64, 1, 4, 8), 1, 0);
    sweep(&n, kernel_map(FSR_F32), wide(schedule(FSR_SCHEDULE_MAP, 32, 1, 4, 4)), 1, 0);
    sweep(&n, kernel_map(FSR_I64), schedule(FSR_SCHEDULE_MAP, 64, 1, 2, 2), 1, 0);
    sweep(&n, kernel_map(FSR_U8), schedule(FSR_SCHEDULE_MAP, 32, 1, 16, 16), 1, 0);
    sweep(&n, kernel_map(FSR_BOOL), schedule(FSR_SCHEDULE_MAP, 32, 1, 8, 8), 1, 0);
    sweep(&n, kernel_planes(FSR_F64), schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 2), 1, 0);
    sweep(&n, kernel_planes(FSR_I32), schedule(FSR_SCHEDULE_MAP, 64, 1, 4, 8), 1, 0);
    sweep(&n, kernel_planes(FSR_F32), wide(schedule(FSR_SCHEDULE_MAP, 32, 1, 2, 2)), 1, 0);
    finish(&n);
}

/* Every second op of complex numbers, and conversions from and to them. */
static fsr_kernel *kernel_complex(fsr_dtype dtype, int first) {
    fsr_kernel *k = kernel_begin("k_complex", 1, 1, 0);
    int x = kernel_load(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, dtype, false)));
    int y = kernel_load(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, dtype, false)));
    int q = kernel_op(k, FSR_OP_EQUAL, x, y, 0), z;
    for (int op = 0, nth = 0; op < FSR_OP_COUNT; op++) {
        if (!fsr_op_defined((fsr_op)op, dtype) || op == FSR_OP_CAST || nth++ % 2 != first)
            continue;
        bool select = fsr_op_get((fsr_op)op)->rule == FSR_RULE_SELECT;
        z = kernel_op(k, (fsr_op)op, select ? q : x, y, select ? x : y);
        kernel_store(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, k->inst[z].dtype, true)), z);
    }
    static const fsr_dtype to[] = {FSR_BOOL, FSR_I32, FSR_F64, FSR_C64, FSR_C128};
    for (int i = 0; i < 5; i++) {
        z = kernel_cast(k, kernel_cast(k, x, to[i]), dtype);
        kernel_store(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, dtype, true)), z);
    }
    return k;
}

static void test_complex(void **state) {
    (void)state;
    counts n = {.launches = 0};
    for (int first = 0; first < 2; first++) {
        sweep(&n, kernel_complex(FSR_C64, first), schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 1), 1, 1e-5);
        sweep(&n, kernel_complex(FSR_C128, first), schedule(FSR_SCHEDULE_MAP, 32, 1, 1, 2), 1, 1e-13);
        sweep(&n, kernel_complex(FSR_C64, first), schedule(FSR_SCHEDULE_MAP, 64, 1, 2, 2), 1, 1e-5);
    }
    sweep(&n, kernel_scan(FSR_C64, true), schedule(FSR_SCHEDULE_ROW, 128, 32, 2, 4), 1, 1e-4);
    sweep(&n, kernel_scan(FSR_C64, false), schedule(FSR_SCHEDULE_LOOKBACK, 64, 64, 2, 4), 1, 1e-4);
    sweep(&n, kernel_scan(FSR_C128, true), schedule(FSR_SCHEDULE_LOOKBACK, 64, 64, 1, 2), 1, 1e-12);
    sweep(&n, kernel_column_sums(FSR_C64), schedule(FSR_SCHEDULE_COL, 128, 8, 2, 2), 3, 1e-4);
    sweep(&n, kernel_column_sums(FSR_C128), schedule(FSR_SCHEDULE_COL, 64, 16, 1, 1), 1, 1e-12);
    finish(&n);
}

static void test_rows(void **state) {
    (void)state;
    static const int group[] = {1, 2, 8, 32, 64, 128};
    counts n = {.launches = 0};
    for (int g = 0; g < 6; g++) {
        sweep(&n, kernel_row_sums(FSR_F32), schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 4), 1, 0);
        sweep(&n, kernel_row_sums(FSR_I64), schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 6), 1, 0);
        sweep(&n, kernel_argmax(FSR_F32), schedule(FSR_SCHEDULE_ROW, 128, group[g], 4, 4), 1, 0);
        sweep(&n, kernel_fold_recurrence(), schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 3), 1, 1e-9);
    }
    sweep(&n, kernel_row_sums(FSR_U8), wide(schedule(FSR_SCHEDULE_ROW, 64, 32, 16, 32)), 1, 0);
    sweep(&n, kernel_row_sums(FSR_BOOL), persistent(schedule(FSR_SCHEDULE_ROW, 64, 64, 8, 8)), 1, 0);
    finish(&n);
}

/* x / sum + place, where even the place in the row, cheap to write again, is kept. */
static fsr_kernel *kernel_kept_index(void) {
    fsr_kernel *k = kernel_begin("k_kept_index", 2, 1, 2);
    int in = kernel_linear(k, kernel_array(k, FSR_F64, false)), out = kernel_linear(k, kernel_array(k, FSR_F64, true));
    int x = kernel_load(k, FSR_ELEM, 0, in), place = kernel_index(k, FSR_F64, 1);
    int sum = kernel_result(k, kernel_builtin(k, FSR_FOLD_REDUCE, 0, false, FSR_OP_ADD, x), 0);
    int share = kernel_op(k, FSR_OP_DIV, x, sum, 0);
    kernel_store(k, FSR_ELEM, 1, out, kernel_op(k, FSR_OP_ADD, share, place, 0));
    k->inst[place].keep = true;
    return k;
}

static void test_rows_passes(void **state) {
    (void)state;
    static const int group[] = {1, 4, 32, 128};
    counts n = {.launches = 0};
    for (int g = 0; g < 4; g++) {
        sweep(&n, kernel_softmax(true), persistent(schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 4)), 1, 1e-6);
        sweep(&n, kernel_softmax(true), persistent(schedule(FSR_SCHEDULE_ROW, 128, group[g], 4, 8)), 1, 1e-6);
        sweep(&n, kernel_softmax(false), schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 4), 1, 1e-6);
        sweep(&n, kernel_kept_index(), persistent(schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 4)), 1, 1e-12);
        sweep(&n, kernel_late_scan(true), persistent(schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 4)), 1, 1e-12);
        sweep(&n, kernel_late_scan(false), schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 2), 1, 1e-12);
    }
    finish(&n);
}

static void test_rows_scans(void **state) {
    (void)state;
    static const int group[] = {1, 8, 32, 64, 128};
    counts n = {.launches = 0};
    for (int g = 0; g < 5; g++) {
        sweep(&n, kernel_scan(FSR_I32, g % 2), schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 4), 1, 0);
        sweep(&n, kernel_scan(FSR_F64, (g + 1) % 2), persistent(schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 4)), 1, 0);
        sweep(&n, kernel_recurrence(), schedule(FSR_SCHEDULE_ROW, 128, group[g], 2, 2), 1, 1e-9);
        sweep(&n, kernel_scan_of_scan(FSR_I64), schedule(FSR_SCHEDULE_ROW, 128, group[g], 1, 2), 1, 0);
        sweep(&n, kernel_scan_of_scan(FSR_I32), wide(schedule(FSR_SCHEDULE_ROW, 128, group[g], 4, 8)), 1, 0);
    }
    finish(&n);
}

static void test_split(void **state) {
    (void)state;
    counts n = {.launches = 0};
    for (int splits = 1; splits < 6; splits += 2) {
        sweep(&n, kernel_row_sums(FSR_F32), schedule(FSR_SCHEDULE_SPLIT, 64, 64, 4, 4), splits, 0);
        sweep(&n, kernel_row_sums(FSR_I64), wide(schedule(FSR_SCHEDULE_SPLIT, 32, 32, 1, 2)), splits, 0);
        sweep(&n, kernel_argmax(FSR_I32), schedule(FSR_SCHEDULE_SPLIT, 128, 128, 1, 1), splits, 0);
        sweep(&n, kernel_fold_recurrence(), schedule(FSR_SCHEDULE_SPLIT, 64, 64, 2, 4), splits, 1e-9);
    }
    sweep(&n, kernel_row_sums(FSR_F32), schedule(FSR_SCHEDULE_SPLIT, 32, 32, 1, 1), 100, 0);
    finish(&n);
}

static void test_team(void **state) {
    (void)state;
    counts n = {.launches = 0};
    for (int teams = 1; teams < 5; teams++) {
        sweep(&n, kernel_softmax(true), persistent(schedule(FSR_SCHEDULE_TEAM, 64, teams, 4, 4)), 1, 1e-6);
        sweep(&n, kernel_softmax(true), persistent(schedule(FSR_SCHEDULE_TEAM, 128, teams, 1, 2)), 1, 1e-6);
        sweep(&n, kernel_softmax(false), schedule(FSR_SCHEDULE_TEAM, 32, teams, 1, 2), 1 + teams, 1e-6);
        sweep(&n, kernel_softmax(false), wide(schedule(FSR_SCHEDULE_TEAM, 64, teams, 2, 4)), 7, 1e-6);
        sweep(&n, kernel_row_sums(FSR_I64), schedule(FSR_SCHEDULE_TEAM, 64, teams, 1, 4), 3, 0);
        sweep(&n, kernel_argmax(FSR_F32), schedule(FSR_SCHEDULE_TEAM, 32, teams, 4, 4), 5, 0);
    }
    finish(&n);
}

/* Loops of elements and of rows in every frame; idle threads run none, or this would not end. */
static void test_loops(void **state) {
    (void)state;
    counts n = {.launches = 0};
    sweep(&n, kernel_loop_map(FSR_F32), schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 1), 1, 0);
    sweep(&n, kernel_loop_map(FSR_F16), schedule(FSR_SCHEDULE_MAP, 32, 1, 4, 8), 1, 0);
    sweep(&n, kernel_loop_map(FSR_U8), wide(schedule(FSR_SCHEDULE_MAP, 32, 1, 1, 2)), 1, 0);
    for (int group = 1; group <= 64; group *= 8)
        sweep(&n, kernel_loop_sums(FSR_F32), schedule(FSR_SCHEDULE_ROW, 64, group, 1, 2), 1, 0);
    sweep(&n, kernel_loop_sums(FSR_F64), persistent(schedule(FSR_SCHEDULE_ROW, 64, 64, 2, 8)), 1, 0);
    sweep(&n, kernel_loop_sums(FSR_I32), schedule(FSR_SCHEDULE_SPLIT, 32, 32, 4, 4), 3, 0);
    sweep(&n, kernel_loop_sums(FSR_I64), schedule(FSR_SCHEDULE_TEAM, 32, 2, 1, 2), 3, 0);
    sweep(&n, kernel_loop_sums(FSR_F32), schedule(FSR_SCHEDULE_COL, 64, 8, 1, 1), 1, 0);
    finish(&n);
}

static void test_columns(void **state) {
    (void)state;
    counts n = {.launches = 0};
    for (int splits = 1; splits < 8; splits += 3) {
        sweep(&n, kernel_column_sums(FSR_F32), schedule(FSR_SCHEDULE_COL, 128, 32, 1, 1), splits, 0);
        sweep(&n, kernel_column_sums(FSR_F32), schedule(FSR_SCHEDULE_COL, 128, 8, 4, 4), splits, 0);
        sweep(&n, kernel_column_sums(FSR_I64), schedule(FSR_SCHEDULE_COL, 64, 64, 2, 2), splits, 0);
        sweep(&n, kernel_column_sums(FSR_I32), wide(schedule(FSR_SCHEDULE_COL, 64, 1, 1, 1)), splits, 0);
    }
    sweep(&n, kernel_column_softmax(), schedule(FSR_SCHEDULE_COL, 64, 64, 1, 1), 1, 1e-6);
    sweep(&n, kernel_column_softmax(), schedule(FSR_SCHEDULE_COL, 64, 16, 1, 1), 1, 1e-6);
    sweep(&n, kernel_column_softmax(), schedule(FSR_SCHEDULE_COL, 64, 16, 4, 4), 1, 1e-6);
    sweep(&n, kernel_column_scan(FSR_I32, false), schedule(FSR_SCHEDULE_COL, 64, 64, 1, 1), 1, 0);
    sweep(&n, kernel_column_scan(FSR_F32, true), schedule(FSR_SCHEDULE_COL, 32, 32, 4, 4), 1, 0);
    finish(&n);
}

static void test_lookback(void **state) {
    (void)state;
    counts n = {.launches = 0};
    for (int threads = 32; threads <= 128; threads *= 2) {
        sweep(&n, kernel_scan(FSR_I32, false), schedule(FSR_SCHEDULE_LOOKBACK, threads, threads, 1, 1), 1, 0);
        sweep(&n, kernel_scan(FSR_F64, true), schedule(FSR_SCHEDULE_LOOKBACK, threads, threads, 2, 4), 1, 0);
        sweep(&n, kernel_recurrence(), schedule(FSR_SCHEDULE_LOOKBACK, threads, threads, 2, 2), 1, 1e-9);
        sweep(&n, kernel_scan_of_scan(FSR_I64), schedule(FSR_SCHEDULE_LOOKBACK, threads, threads, 1, 2), 1, 0);
        sweep(&n, kernel_scan_of_scan(FSR_I32), wide(schedule(FSR_SCHEDULE_LOOKBACK, threads, threads, 4, 8)), 1, 0);
    }
    finish(&n);
}

/* Tiles of 32 columns: 1024 and more make the third level of the hierarchy, 32768 the fourth. */
static void test_lookback_levels(void **state) {
    (void)state;
    static const int64_t size[][2] = {{1, 32 * 31}, {1, 32 * 32},   {1, 32 * 33 + 5},
                                      {3, 32 * 65}, {1, 32 * 1023}, {2, 32 * 1025 + 1}};
    fsr_schedule s = schedule(FSR_SCHEDULE_LOOKBACK, 32, 32, 1, 1);
    counts n = {.launches = 0};
    sweep_sizes(&n, kernel_scan(FSR_I32, false), s, 1, 0, size, 6);
    sweep_sizes(&n, kernel_recurrence(), s, 1, 1e-9, size, 6);
    sweep_sizes(&n, kernel_scan_of_scan(FSR_I64), s, 1, 0, size, 6);
#ifndef __SANITIZE_ADDRESS__
    n.once = true;
    sweep_sizes(&n, kernel_scan(FSR_I64, true), s, 1, 0, (const int64_t[][2]){{1, 32 * 32769 + 1}}, 1);
#endif
    finish(&n);
}

/* A schedule drawn from a seed, as emit_cuda.h allows them. */
static fsr_schedule draw_schedule(uint64_t seed, int *splits, bool *scans) {
    static const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW,   FSR_SCHEDULE_ROW, FSR_SCHEDULE_ROW,
                                              FSR_SCHEDULE_SPLIT, FSR_SCHEDULE_COL, FSR_SCHEDULE_LOOKBACK,
                                              FSR_SCHEDULE_TEAM};
    uint64_t bits = seed * 0x9e3779b97f4a7c15u >> 40;
    fsr_schedule s = {.kind = kinds[seed % 7], .threads = 32 << bits % 3, .vector = 1 << (bits >> 2) % 4};
    s.group = s.threads;
    s.items = s.vector * (1 + (int)(bits >> 4) % 4);
    s.wide = (bits >> 6) & 1;
    *splits = 1 + (int)(bits >> 7) % 5;
    *scans = (bits >> 10) & 1;
    if (s.kind == FSR_SCHEDULE_ROW || (s.kind == FSR_SCHEDULE_COL && !*scans))
        s.group = s.threads >> (bits >> 11) % 6;
    if (s.kind == FSR_SCHEDULE_TEAM)
        s.group = 1 + (int)(bits >> 11) % 4;
    if (s.kind == FSR_SCHEDULE_ROW || s.kind == FSR_SCHEDULE_TEAM)
        s.persistent = (bits >> 14) & 1;
    if (s.kind == FSR_SCHEDULE_SPLIT || s.kind == FSR_SCHEDULE_TEAM)
        *scans = false;
    if (s.kind == FSR_SCHEDULE_COL && *scans)
        *splits = 1;
    return s;
}

/* Random kernels under random schedules, integers only: every association must give the interpreter's bits.
 * FUSOR_TEST_SEEDS: how many, for a long run. */
static void test_random(void **state) {
    (void)state;
    const char *more = getenv("FUSOR_TEST_SEEDS");
    int seeds = more ? atoi(more) : 28;
    counts n = {.launches = 0};
    for (int seed = 0; seed < seeds; seed++) {
        int splits;
        bool scans;
        fsr_schedule s = draw_schedule((uint64_t)seed, &splits, &scans);
        sweep(&n, kernel_random((uint64_t)seed, s, scans), s, splits, 0);
    }
    finish(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machine_runs),
        cmocka_unit_test(test_machine_catches),
        cmocka_unit_test(test_machine_compiles),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_complex),
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_rows_passes),
        cmocka_unit_test(test_rows_scans),
        cmocka_unit_test(test_split),
        cmocka_unit_test(test_loops),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_team),
        cmocka_unit_test(test_lookback),
        cmocka_unit_test(test_lookback_levels),
        cmocka_unit_test(test_random),
    };
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL), sources;
    int64_t launches;
    host_cuda_counts(&sources, &launches);
    printf("kernels on the host: %d sources, %lld launches\n", sources, (long long)launches);
    return failed;
}
