/* SPDX-License-Identifier: MIT */
/* Tiles of outputs, and squares of maps, in generated CUDA, on the host: by hand at sizes around the edges of tiles,
 * chunks and what is staged; and planned. */
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/sweep.h"
#include "tests/support/host_plan.h"
#include "tests/support/one_graph.h"

static fsr_schedule tiles(int threads, int abreast, int vector, int items, int tall, int depth) {
    fsr_schedule s = host_schedule(FSR_SCHEDULE_COL, threads, abreast, vector, items);
    s.tall = tall;
    s.depth = depth;
    s.pad = vector;
    s.chunk = 2 * depth;
    return s;
}

/* Tiles of `up` rows by 16 or 32 lanes, of KERNEL_MIDDLE; columns around the depth and the chunk. */
static void sweep(host_counts *n, fsr_kernel *k, fsr_schedule s, double tolerance) {
    const int64_t up = (int64_t)s.threads / s.abreast * s.tall, depth = s.depth;
    const int64_t sizes[][2] = {{0, 5},
                                {1, 0},
                                {1, 1},
                                {up - 1, depth - 1},
                                {up, depth},
                                {up + 1, depth + 1},
                                {2 * up + 1, 2 * depth},
                                {up, 5 * depth + 1}};
    host_sweep_sizes(n, k, s, 1, tolerance, sizes, sizeof sizes / sizeof *sizes);
}

static void edges(void **state) {
    (void)state;
    host_counts n = {.launches = 0};
    sweep(&n, kernel_products(FSR_I32, false), tiles(32, 4, 4, 4, 3, 4), 0);
    sweep(&n, kernel_products(FSR_I64, true), tiles(64, 8, 2, 4, 2, 3), 0);
    sweep(&n, kernel_products(FSR_F32, true), tiles(32, 16, 1, 2, 4, 8), 1e-4);
    sweep(&n, kernel_products(FSR_F16, false), host_wide(tiles(32, 4, 4, 4, 4, 4)), 1e-1);
    host_finish(&n);
}

static fsr_node batch(const char *name, int64_t a, int64_t b, int64_t c) {
    return fsr_input(g, name, FSR_F32, 3, SHAPE(a, b, c));
}

/* Many products of small matrices, of which the second is transposed, with a map before, one inside and one behind. */
static void planned(void **state) {
    (void)state;
    fsr_node a = fsr_expand(batch("a", 66, 48, 9), 2), b = fsr_expand(batch("b", 66, 50, 9), 1);
    fsr_node bias = fsr_input(g, "bias", FSR_F32, 1, SHAPE(50));
    fsr_node y = fsr_sum(fsr_mul(fsr_add(a, a), fsr_abs(fsr_sub(b, a))), AXES(3), 1, 0);
    host_plan_check(g, fsr_add(y, bias), FSR_SCHEDULE_COL, 4);
}

/* What the verifier refuses of a tile of 12 rows by 16 lanes. */
static void refused(void **state) {
    (void)state;
    static const struct {
        int tall, across, depth, pad, chunk, items;
        const char *why;
    } cases[] = {{3, 0, 4, 4, 8, 4, ""},
                 {3, 1, 4, 4, 8, 4, "schedule: no tile of 3 outputs across dimension 1"},
                 {17, 0, 4, 4, 8, 4, "schedule: no tile of 17 outputs across dimension 0"},
                 {3, 0, 4, 4, 8, 32, "schedule: no tile of 3 outputs across dimension 0"},
                 {3, 0, 0, 4, 8, 4, "schedule: chunks of 8 columns, 0 of them staged"},
                 {3, 0, 4, 4, 9, 4, "schedule: chunks of 9 columns, 4 of them staged"},
                 {3, 0, 4, 2, 8, 4, "schedule: staged loads do not lie in shared memory"},
                 {3, 0, 512, 4, 512, 4, "schedule: staged loads do not lie in shared memory"},
                 {0, 0, 0, 0, 8, 4, "schedule: lengths of a tile of outputs that is not tall"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fsr_kernel *k = kernel_products(FSR_F32, false);
        char why[200] = "";
        k->schedule = tiles(32, 4, 4, cases[i].items, cases[i].tall, cases[i].depth);
        k->schedule.across = cases[i].across;
        k->schedule.pad = cases[i].pad;
        k->schedule.chunk = cases[i].chunk;
        fsr_kernel_verify(kernel_finished(kernel_tiled(k, cases[i].tall)), why, sizeof why);
        assert_string_equal(why, cases[i].why);
        fsr_kernel_free(k);
    }
}

/* ---- maps with transposed operands -------------------------------------------------------------------- */

/* breadth: elements of the rows, 0: as many as there are rows. */
static fsr_schedule squares(int threads, int side, int breadth, int pad) {
    fsr_schedule s = host_schedule(FSR_SCHEDULE_MAP, threads, 1, 1, side * (breadth ? breadth : side) / threads);
    s.tile = side;
    s.breadth = breadth;
    s.pad = pad;
    return s;
}

static void edges_of_squares(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{0, 5}, {5, 0}, {1, 1}, {7, 9}, {8, 8}, {9, 7}, {1, 40}, {17, 16}, {33, 31}};
    host_counts n = {.launches = 0};
    host_sweep_sizes(&n, kernel_planes(FSR_I32), squares(32, 8, 0, 1), 1, 0, sizes, sizeof sizes / sizeof *sizes);
    host_sweep_sizes(&n, kernel_planes(FSR_F64), host_wide(squares(64, 16, 0, 0)), 1, 0, sizes,
                     sizeof sizes / sizeof *sizes);
    host_sweep_sizes(&n, kernel_planes(FSR_I32), squares(32, 4, 16, 1), 1, 0, sizes, sizeof sizes / sizeof *sizes);
    host_sweep_sizes(&n, kernel_planes(FSR_I32), squares(32, 16, 8, 1), 1, 0, sizes, sizeof sizes / sizeof *sizes);
    host_finish(&n);
}

static void refused_squares(void **state) {
    (void)state;
    static const struct {
        int tile, tiled, breadth, items, pad;
        const char *why;
    } cases[] = {{8, 0, 0, 2, 1, ""},
                 {8, 1, 0, 2, 1, "schedule: no squares of 8 along dimension 1"},
                 {12, 0, 0, 2, 1, "schedule: no squares of 12 along dimension 0"},
                 {8, 0, 0, 4, 1, "schedule: no squares of 8 along dimension 0"},
                 {8, 0, 0, 2, 2000, "schedule: squares do not lie in shared memory"},
                 {0, 1, 0, 2, 0, "schedule: squares of no side along dimension 1"},
                 {4, 0, 16, 2, 1, ""},
                 {4, 0, 16, 4, 1, "schedule: no squares of 4 along dimension 0"},
                 {4, 0, 12, 2, 1, "schedule: no squares of 4 along dimension 0"},
                 {2, 0, 64, 4, 1, "schedule: no squares of 2 along dimension 0"},
                 {0, 0, 16, 2, 0, "schedule: squares of no side along dimension 0"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fsr_kernel *k = kernel_planes(FSR_F32);
        char why[200] = "";
        k->schedule = squares(32, 8, 0, cases[i].pad);
        k->schedule.tile = cases[i].tile;
        k->schedule.tiled = cases[i].tiled;
        k->schedule.breadth = cases[i].breadth;
        k->schedule.items = cases[i].items;
        fsr_kernel_verify(kernel_finished(kernel_staged(k)), why, sizeof why);
        assert_string_equal(why, cases[i].why);
        fsr_kernel_free(k);
    }
}

static void planned_squares(void **state) {
    (void)state;
    fsr_node a = fsr_input(g, "a", FSR_F32, 2, SHAPE(70, 33)), b = fsr_input(g, "b", FSR_F32, 2, SHAPE(33, 70));
    host_plan_check(g, fsr_add(fsr_mul(a, a), fsr_transpose(b, NULL)), FSR_SCHEDULE_MAP, 1);
    host_plan_check(g, fsr_transpose(fsr_exp(batch("c", 40, 3, 36)), AXES(2, 1, 0)), FSR_SCHEDULE_MAP, 1);
    fsr_node rows = fsr_input(g, "rows", FSR_F32, 2, SHAPE(700, 5)),
             wide = fsr_input(g, "wide", FSR_F32, 2, SHAPE(5, 700));
    host_plan_check(g, fsr_add(fsr_transpose(rows, NULL), wide), FSR_SCHEDULE_MAP, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(edges),
                                       cmocka_unit_test(refused),
                                       cmocka_unit_test(edges_of_squares),
                                       cmocka_unit_test(refused_squares),
                                       cmocka_unit_test_setup_teardown(planned_squares, setup, teardown),
                                       cmocka_unit_test_setup_teardown(planned, setup, teardown)};
    return host_report(cmocka_run_group_tests(tests, NULL, NULL));
}
