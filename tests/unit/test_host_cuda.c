/* SPDX-License-Identifier: MIT */
/* Generated CUDA on the host: kernels without folds, and random kernels under random schedules. */
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/sweep.h"
#include "tests/support/subject.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static void test_map(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    host_sweep(&n, kernel_map(FSR_F32), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 4), 1, 0);
    host_sweep(&n, kernel_map(FSR_F32), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 4, 8), 1, 0);
    host_sweep(&n, kernel_map(FSR_F32), host_wide(host_schedule(FSR_SCHEDULE_MAP, 32, 1, 4, 4)), 1, 0);
    host_sweep(&n, kernel_map(FSR_I64), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 2, 2), 1, 0);
    host_sweep(&n, kernel_map(FSR_U8), host_schedule(FSR_SCHEDULE_MAP, 32, 1, 16, 16), 1, 0);
    host_sweep(&n, kernel_map(FSR_BOOL), host_schedule(FSR_SCHEDULE_MAP, 32, 1, 8, 8), 1, 0);
    host_sweep(&n, kernel_planes(FSR_F64), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 2), 1, 0);
    host_sweep(&n, kernel_planes(FSR_I32), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 4, 8), 1, 0);
    host_sweep(&n, kernel_planes(FSR_F32), host_wide(host_schedule(FSR_SCHEDULE_MAP, 32, 1, 2, 2)), 1, 0);
    host_finish(&n);
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
    host_counts n = {.launches = 0};
    for (int first = 0; first < 2; first++) {
        host_sweep(&n, kernel_complex(FSR_C64, first), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 1), 1, 1e-5);
        host_sweep(&n, kernel_complex(FSR_C128, first), host_schedule(FSR_SCHEDULE_MAP, 32, 1, 1, 2), 1, 1e-13);
        host_sweep(&n, kernel_complex(FSR_C64, first), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 2, 2), 1, 1e-5);
    }
    host_sweep(&n, kernel_scan(FSR_C64, true), host_schedule(FSR_SCHEDULE_ROW, 128, 32, 2, 4), 1, 1e-4);
    host_sweep(&n, kernel_scan(FSR_C64, false), host_schedule(FSR_SCHEDULE_LOOKBACK, 64, 1, 2, 4), 1, 1e-4);
    host_sweep(&n, kernel_scan(FSR_C128, true), host_schedule(FSR_SCHEDULE_LOOKBACK, 64, 1, 1, 2), 1, 1e-12);
    host_sweep(&n, kernel_column_sums(FSR_C64), host_schedule(FSR_SCHEDULE_COL, 128, 8, 2, 2), 3, 1e-4);
    host_sweep(&n, kernel_column_sums(FSR_C128), host_schedule(FSR_SCHEDULE_COL, 64, 16, 1, 1), 1, 1e-12);
    host_sweep(&n, kernel_column_sums(FSR_F64), host_schedule(FSR_SCHEDULE_COL, 64, 64, 1, 7), 1, 1e-12);
    host_sweep(&n, kernel_column_sums(FSR_F64), host_schedule(FSR_SCHEDULE_COL, 32, 32, 1, 5), 2, 1e-12);
    host_finish(&n);
}

/* Functions of complex numbers that stand in the text, a number a row: the constants go by way of the index, so that
 * the compiler does not fold them. */
static fsr_kernel *kernel_points(const fsr_op *ops, int nops, const double (*part)[2], int nparts) {
    fsr_kernel *k = kernel_begin("k_points", 1, 1, 0);
    int at = kernel_index(k, FSR_I64, 0), parts[2];
    for (int p = 0; p < 2; p++) {
        parts[p] = kernel_const(k, FSR_F64, 1);
        for (int i = 0; i < nparts; i++) {
            int here = kernel_op(k, FSR_OP_EQUAL, at, kernel_const(k, FSR_I64, (double)i), 0);
            parts[p] = kernel_op(k, FSR_OP_WHERE, here, kernel_const(k, FSR_F64, part[i][p]), parts[p]);
        }
    }
    int re = kernel_cast(k, parts[0], FSR_C128), im = kernel_cast(k, parts[1], FSR_C128);
    int z = kernel_op(k, FSR_OP_COMPLEX_OF, re, im, 0);
    for (int i = 0; i < nops; i++) {
        int y = kernel_op(k, ops[i], z, 0, 0);
        kernel_store(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, FSR_C128, true)), y);
    }
    return k;
}

#define POINTS(ops, part) \
    kernel_points(ops, (int)(sizeof(ops) / sizeof(ops)[0]), part, (int)(sizeof(part) / sizeof(part)[0]))

/* What grows of numbers with one huge and one tiny part. */
static void test_extreme_parts(void **state) {
    (void)state;
    static const fsr_op grows[] = {FSR_OP_EXP,  FSR_OP_SIN,  FSR_OP_COS,  FSR_OP_TAN,
                                   FSR_OP_SINH, FSR_OP_COSH, FSR_OP_TANH, FSR_OP_EXPM1};
    static const double part[][2] = {{1500, 5e-324}, {700.0001, 5e-324}, {711, -1e-310},    {-1454, 5e-324},
                                     {1419, 1e-320}, {-5e-324, 709.25},  {1e-310, -1454.5}, {-1e-5, 710.3},
                                     {2, -1e300},    {709.9, 1.5},       {5e-324, 1e10},    {-1e300, 2},
                                     {1440, 1e-300}};
    static const fsr_op two[] = {FSR_OP_EXP2};
    static const double powers[][2] = {{1500, 1e-300}, {2047, -1e-305}, {1023.5, 1}, {-1100, 3}, {0.5, 1e5}, {9e3, 7}};
    host_counts n = {.launches = 0};
    host_sweep(&n, POINTS(grows, part), host_schedule(FSR_SCHEDULE_MAP, 32, 1, 1, 1), 1, 1e-14);
    host_sweep(&n, POINTS(two, powers), host_schedule(FSR_SCHEDULE_MAP, 32, 1, 1, 1), 1, 1e-14);
    host_finish(&n);
}

/* Both sides of the branch cuts, where a zero's sign decides, their ends, and what is far away or not finite. */
static void test_cuts(void **state) {
    (void)state;
    static const fsr_op inverse[] = {FSR_OP_ASIN,  FSR_OP_ACOS,  FSR_OP_ATAN, FSR_OP_ASINH, FSR_OP_ACOSH,
                                     FSR_OP_ATANH, FSR_OP_LOG1P, FSR_OP_LOG2, FSR_OP_LOG10, FSR_OP_SQRT};
    static const double part[][2] = {
        {2, 0.0},      {2, -0.0},           {-2, 0.0},        {-2, -0.0},       {0.0, 3},        {-0.0, 3},
        {0.0, -3},     {-0.0, -3},          {1, 0.0},         {-1, -0.0},       {1, 1e-300},     {-1, 1e-9},
        {0.0, 1},      {1 + 1e-15, -1e-15}, {1e300, -1e-300}, {-1e-300, 1e300}, {INFINITY, 1},   {-INFINITY, -0.0},
        {3, INFINITY}, {NAN, INFINITY},     {INFINITY, NAN},  {0.0, NAN},       {1e-310, 1e-310}};
    host_counts n = {.launches = 0};
    host_sweep(&n, POINTS(inverse, part), host_schedule(FSR_SCHEDULE_MAP, 32, 1, 1, 1), 1, 1e-14);
    host_finish(&n);
}

/* A schedule drawn from a seed, as emit_cuda.h allows them. */
static fsr_schedule draw_schedule(uint64_t seed, int *splits, bool *scans) {
    static const fsr_schedule_kind kinds[] = {FSR_SCHEDULE_ROW,   FSR_SCHEDULE_ROW, FSR_SCHEDULE_ROW,
                                              FSR_SCHEDULE_SPLIT, FSR_SCHEDULE_COL, FSR_SCHEDULE_LOOKBACK,
                                              FSR_SCHEDULE_TEAM};
    uint64_t bits = seed * 0x9e3779b97f4a7c15u >> 40;
    fsr_schedule s = {
        .target = FSR_TARGET_GPU, .kind = kinds[seed % 7], .threads = 32 << bits % 3, .vector = 1 << (bits >> 2) % 4};
    s.abreast = s.threads;
    s.items = s.vector * (1 + (int)(bits >> 4) % 4);
    s.wide = (bits >> 6) & 1;
    *splits = 1 + (int)(bits >> 7) % 5;
    *scans = (bits >> 10) & 1;
    if (s.kind == FSR_SCHEDULE_ROW || (s.kind == FSR_SCHEDULE_COL && !*scans))
        s.abreast = s.threads >> (bits >> 11) % 6;
    if (s.kind == FSR_SCHEDULE_LOOKBACK)
        s.abreast = 1;
    if (s.kind == FSR_SCHEDULE_LOOKBACK && *scans) {
        s.items /= s.vector;
        s.vector = 1;
        s.abreast = s.threads >> (bits >> 11) % 6;
    }
    if (s.kind == FSR_SCHEDULE_TEAM)
        s.abreast = 1 + (int)(bits >> 11) % 4;
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
    host_counts n = {.launches = 0};
    for (int seed = 0; seed < seeds; seed++) {
        int splits;
        bool scans;
        fsr_schedule s = draw_schedule((uint64_t)seed, &splits, &scans);
        host_sweep(&n, kernel_random((uint64_t)seed, s, scans), s, splits, 0);
    }
    host_finish(&n);
}

/* Columns that threads take in turn, of one, three and five rows side by side, one, two or four rows a thread. */
static void test_dealt(void **state) {
    (void)state;
    static const int shape[][4] = {{192, 3, 1, 1}, {96, 3, 1, 4}, {96, 3, 2, 8}, {64, 1, 4, 4}, {160, 5, 1, 2}};
    host_counts n = {.launches = 0};
    for (int i = 0; i < 10; i++) {
        const int *of = shape[i % 5];
        fsr_schedule s = host_schedule(FSR_SCHEDULE_COL, of[0], of[1], of[2], of[3]);
        s.dealt = true;
        host_sweep(&n, kernel_column_sums(i < 5 ? FSR_I32 : FSR_F64), s, 1 + i % 4, i < 5 ? 0 : 1e-12);
    }
    host_finish(&n);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_map),  cmocka_unit_test(test_complex), cmocka_unit_test(test_extreme_parts),
        cmocka_unit_test(test_cuts), cmocka_unit_test(test_random),  cmocka_unit_test(test_dealt),
    };
    if (!subject_take_part())
        return 1;
    if (!host_cuda_available()) {
        fprintf(stderr, "skipped: no C++ compiler\n");
        return 77;
    }
    return host_report(cmocka_run_group_tests(tests, NULL, NULL));
}
