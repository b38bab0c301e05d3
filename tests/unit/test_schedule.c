/* SPDX-License-Identifier: MIT */
/* What the finishing pass makes of a kernel for a CPU, and what the verifier says of a schedule that is not finished,
 * or that somebody has changed into one that the emitter could not print. */
#include "backend_cpu/emit/parts.h"
#include "fusion/walk.h"
#include "tests/support/kernels.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static fsr_kernel *for_cpu(fsr_kernel *k, fsr_schedule_kind kind) {
    const int tall = k->schedule.tall;
    k->schedule = kernel_cpu_schedule(kind, 16, 512, kind == FSR_SCHEDULE_COL ? 32 : 1);
    return kernel_finished(kernel_tiled(k, tall));
}

static void expect_form(fsr_kernel *k, fsr_schedule_kind kind, fsr_walk_form form) {
    char why[200];
    for_cpu(k, kind);
    if (fsr_kernel_verify(k, why, sizeof why))
        fail_msg("%s: %s", k->name, why);
    if (k->schedule.walk[0].form != form)
        fail_msg("%s is %s, not %s", k->name, fsr_walk_name(k->schedule.walk[0].form), fsr_walk_name(form));
    fsr_kernel_free(k);
}

static void test_forms(void **state) {
    (void)state;
    expect_form(kernel_row_sums(FSR_F32), FSR_SCHEDULE_ROW, FSR_WALK_LANES);
    expect_form(kernel_fold_recurrence(), FSR_SCHEDULE_ROW, FSR_WALK_PAIRS);
    expect_form(kernel_scan(FSR_I32, true), FSR_SCHEDULE_ROW, FSR_WALK_STRIPS);
    expect_form(kernel_loop_sums(FSR_F32), FSR_SCHEDULE_ROW, FSR_WALK_STRIPS);
    expect_form(kernel_loop_map(FSR_F32), FSR_SCHEDULE_MAP, FSR_WALK_STRIPS);
    expect_form(kernel_column_scan(FSR_F32, true), FSR_SCHEDULE_COL, FSR_WALK_PLAIN);
}

/* A map of one function: flat, and in runs that look at their arguments where the function has a limit. */
static void test_near(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        fsr_kernel *k = kernel_begin("k_function", 1, 1, 0);
        int x = kernel_load(k, FSR_ROW, 0, kernel_linear(k, kernel_array(k, FSR_F32, false)));
        int out = kernel_linear(k, kernel_array(k, FSR_F32, true));
        kernel_store(k, FSR_ROW, 0, out, kernel_op(k, i ? FSR_OP_SIN : FSR_OP_ADD, x, x, 0));
        for_cpu(k, FSR_SCHEDULE_MAP);
        assert_true(k->schedule.flat);
        assert_int_equal(k->schedule.walk[0].near, i);
        assert_int_equal(k->schedule.streams, i ? 0 : 2);
        assert_int_equal(k->schedule.walk[0].form, FSR_WALK_RUNS);
        fsr_kernel_free(k);
    }
}

/* The flag is the table's, the limit stands in the C function's own table: they must agree for every op and dtype. */
static void test_limits(void **state) {
    (void)state;
    int limited = 0;
    for (int op = 0; op < FSR_OP_COUNT; op++)
        for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
            const fsr_inst inst = {.kind = FSR_INST_OP, .op = (fsr_op)op, .compute = (fsr_dtype)d};
            const bool limit = fsr_c_op_limit(inst.op, inst.compute) != NULL;
            if (limit != fsr_inst_is_limited(&inst))
                fail_msg("%s of %s: the flag LIMITED is wrong", fsr_op_get(inst.op)->name,
                         fsr_dtype_name(inst.compute));
            limited += limit;
        }
    assert_true(limited > 0);
}

/* ---- what the verifier refuses ------------------------------------------------------------------------- */

#define DAMAGE(name, change)                           \
    static void name(fsr_kernel *k, fsr_schedule *s) { \
        (void)k, (void)s;                              \
        change;                                        \
    }
typedef void (*damage)(fsr_kernel *k, fsr_schedule *s);

DAMAGE(plain, s->walk[0].form = FSR_WALK_PLAIN)
DAMAGE(runs, s->walk[0].form = FSR_WALK_RUNS)
DAMAGE(lanes, s->walk[0].form = FSR_WALK_LANES)
DAMAGE(pairs, s->walk[0].form = FSR_WALK_PAIRS)
DAMAGE(rows, s->walk[0].form = FSR_WALK_ROWS)
DAMAGE(unknown, s->walk[0].form = (fsr_walk_form)9)
DAMAGE(row_near, s->row_near = true)
DAMAGE(laned, s->walk[0].laned = true)
DAMAGE(one_lane, s->lanes = 1)
DAMAGE(linear_gather, k->stand[0].gathered = true)
DAMAGE(no_work, s->work = 0)
DAMAGE(no_strip, s->strip = 0)
DAMAGE(no_block, s->block = 0)
DAMAGE(functions, s->walk[0].functions = -1)
DAMAGE(phased, s->walk[0].phased = true)
DAMAGE(near, s->walk[0].near = true)
DAMAGE(no_turns, s->turns[0] = 0)
DAMAGE(odd_part, s->part = 3 * s->chunk)
DAMAGE(column_part, s->kind = FSR_SCHEDULE_COL; s->walk[0].form = FSR_WALK_PLAIN; s->joined = s->widened = 0)
DAMAGE(column_strips, s->kind = FSR_SCHEDULE_COL; s->part = 0; s->joined = s->widened = 0)
DAMAGE(row_flat, s->flat = true)
DAMAGE(flat_tiles, s->tile = 32)
DAMAGE(flat, s->flat = true; s->tile = 0)
DAMAGE(parts, s->part = s->chunk)
DAMAGE(stream_rows, s->streams = 8)
DAMAGE(tile_last, s->flat = false; s->tile = 32; s->tiled = 1)
DAMAGE(turned_none, s->turned = true)
DAMAGE(flat_panels, s->panel = 256)
DAMAGE(steps, s->cut_steps = true)
DAMAGE(versions, s->nversions = 1; s->version[0].holds = 1)
DAMAGE(many_versions, s->nversions = FSR_MAX_VERSIONS + 1)
DAMAGE(stream_read, s->streams = 1)
DAMAGE(stream_none, s->streams = 1u << 31)
DAMAGE(ahead_once, s->ahead = 1)
DAMAGE(coming_map, s->coming = 1)
DAMAGE(joined_none, s->joined = 1u << 15)
DAMAGE(widened_sum, s->widened = 1)
DAMAGE(kept_group, k->stand[0].keep = true; s->abreast = 2)
DAMAGE(fixed_row, s->fixed = true)
DAMAGE(single_part, s->single = true)
DAMAGE(single_scan, s->single = true; s->part = 0)
DAMAGE(loads_alone, s->walk[0].loads = true)
DAMAGE(asked_much, k->stand[0].keep = true; s->lanes = 32; s->walk[0].rest = s->walk[0].asked = 16)
DAMAGE(asked_apart, k->stand[0].keep = true; s->part = 0; s->chunk = 100; s->lanes = 32;
       s->walk[0].rest = s->walk[0].asked = 8)
DAMAGE(fold_plain, s->fold_walk.form = FSR_WALK_STRIPS; s->strip = 0)

DAMAGE(unrolled_rows, s->unroll = 4)
DAMAGE(unrolled_tiles, s->unroll = 4)
DAMAGE(unrolled_much, s->kind = FSR_SCHEDULE_COL; s->walk[0].form = FSR_WALK_PLAIN; s->part = 0; s->unroll = 17)

DAMAGE(beside_rows, s->beside = 4)
DAMAGE(beside_much, s->kind = FSR_SCHEDULE_COL; s->walk[0].form = FSR_WALK_PLAIN; s->part = 0; s->abreast = 64;
       s->beside = 33)

DAMAGE(no_tile, s->across = 1)
DAMAGE(across_last, s->tall = 4; s->across = 1)
DAMAGE(tall_rows, s->tall = 4)
DAMAGE(too_tall, s->tall = 17)
DAMAGE(no_panel, k->stand[3].staged = false)
DAMAGE(row_panel, k->stand[2].staged = true)

static fsr_kernel *tiles(void) {
    fsr_kernel *k = kernel_products(FSR_F32, false);
    k->schedule.tall = 6;
    return k;
}
static fsr_kernel *scan(void) {
    return kernel_scan(FSR_I32, false);
}
static fsr_kernel *scans(void) {
    return kernel_scan_of_scan(FSR_I32);
}
static fsr_kernel *sums(void) {
    return kernel_row_sums(FSR_F32);
}
static fsr_kernel *ordered(void) {
    return kernel_fold_recurrence();
}
static fsr_kernel *loops(void) {
    return kernel_loop_sums(FSR_F32);
}
static fsr_kernel *map(void) {
    return kernel_map(FSR_F32);
}
static fsr_kernel *planes(void) {
    return kernel_planes(FSR_F32);
}

static const struct {
    fsr_kernel *(*kernel)(void);
    damage make;
    const char *why;
} broken[] = {
    {scan, plain, "schedule: the loop of pass 0 needs strips"},
    {loops, plain, "schedule: the loop of pass 0 needs strips"},
    {sums, runs, "schedule: the loop of pass 0 does not go in runs"},
    {scan, lanes, "schedule: the loop of pass 0 has no lanes"},
    {ordered, lanes, "schedule: the loop of pass 0 has no lanes"},
    {scan, pairs, "schedule: the loop of pass 0 has no pairs"},
    {sums, rows, "schedule: the loop of pass 0 does not go along rows"},
    {sums, unknown, "schedule: unknown form of the loop of pass 0"},
    {sums, one_lane, "schedule: the loop of pass 0 has no lanes"},
    {sums, row_near, "schedule: what is done once a row has no loop that looks at arguments first"},
    {scan, laned, "schedule: the strips of pass 0 have no lanes"},
    {loops, laned, "schedule: the strips of pass 0 have no lanes"},
    {sums, linear_gather, "schedule: v0 cannot be gathered"},
    {sums, no_work, "schedule: work of 0 operations"},
    {scan, no_strip, "schedule: strips of 0"},
    {ordered, no_strip, "schedule: strips of 0"},
    {scan, no_block, "schedule: strips of 512 in blocks of 0"},
    {sums, functions, "schedule: -1 functions a stage, and no stages"},
    {map, phased, "schedule: phases in the loop of pass 0, and no stages"},
    {sums, phased, "schedule: strips of 0"},
    {ordered, near, "schedule: the loop of pass 0 cannot look at arguments first"},
    {loops, no_turns, "schedule: loop 0 runs 0 elements at once"},
    {sums, odd_part, "schedule: parts of 1536 are no power of two of chunks of 512"},
    {scan, column_part, "schedule: rows cannot be parted"},
    {scan, column_strips, "schedule: pass 0 has strips, by columns"},
    {sums, row_flat, "schedule: only a map is flat, tiled or cut"},
    {map, flat_tiles, "schedule: tiles of 32 along dimension 0"},
    {planes, flat, "schedule: one loop is not enough"},
    {scans, parts, "schedule: rows cannot be parted"},
    {scans, stream_rows, "schedule: b3 cannot be streamed"},
    {map, turned_none, "schedule: stores cannot be turned in squares"},
    {sums, turned_none, "schedule: stores cannot be turned in squares"},
    {map, flat_panels, "schedule: panels of 256 columns"},
    {planes, tile_last, "schedule: tiles of 32 along dimension 1"},
    {map, steps, "schedule: steps cannot be done after the others"},
    {map, versions, "schedule: version 0 knows what cannot be, or nothing"},
    {map, many_versions, "schedule: 9 versions, the limit is 8"},
    {map, stream_read, "schedule: b0 cannot be streamed"},
    {map, stream_none, "schedule: b31 cannot be streamed"},
    {sums, ahead_once, "schedule: b0 cannot be fetched ahead"},
    {map, coming_map, "schedule: b0 is not read or stored in strips"},
    {sums, joined_none, "schedule: f15 is neither joined nor widened"},
    {sums, widened_sum, "schedule: f0 has no wider state"},
    {sums, kept_group, "schedule: v0 is kept for 2 rows at once"},
    {sums, fixed_row, "schedule: rows that are not side by side have a constant number"},
    {sums, single_part, "schedule: rows cannot be parted"},
    {scan, single_scan, "schedule: columns are more than one chunk"},
    {sums, loads_alone, "schedule: the loop of pass 0 has no stage for loads"},
    {sums, asked_much, "schedule: what is kept has no room for 16 columns that are asked"},
    {sums, asked_apart, "schedule: what is kept has no room for 8 columns that are asked"},
    {scan, fold_plain, "schedule: strips of 0"},
    {sums, unrolled_rows, "schedule: 4 columns in one turn"},
    {tiles, unrolled_tiles, "schedule: v3 has no need of a panel"},
    {sums, unrolled_much, "schedule: 17 columns in one turn"},
    {sums, beside_rows, "schedule: 4 columns beside each other"},
    {sums, beside_much, "schedule: 33 columns beside each other"},
    {sums, no_tile, "schedule: a tile across dimension 1 that is not tall"},
    {tiles, across_last, "schedule: no tile of 4 outputs across dimension 1"},
    {tiles, too_tall, "schedule: no tile of 17 outputs across dimension 0"},
    {sums, tall_rows, "schedule: no tile of 4 outputs across dimension 0"},
    {tiles, no_panel, "schedule: v3 needs a panel"},
    {tiles, row_panel, "schedule: v2 has no need of a panel"},
};

static void test_refuses(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        fsr_kernel *k = broken[i].kernel();
        char why[200] = "";
        for_cpu(k, !k->npasses ? FSR_SCHEDULE_MAP : k->schedule.tall ? FSR_SCHEDULE_COL : FSR_SCHEDULE_ROW);
        assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_OK);
        broken[i].make(k, &k->schedule);
        fsr_kernel_verify(k, why, sizeof why);
        if (strcmp(why, broken[i].why) != 0) {
            print_error("case %zu says '%s', not '%s'\n", i, why, broken[i].why);
            wrong++;
        }
        fsr_kernel_free(k);
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forms), cmocka_unit_test(test_near),
                                       cmocka_unit_test(test_limits), cmocka_unit_test(test_refuses)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
