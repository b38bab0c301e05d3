/* SPDX-License-Identifier: MIT */
/* Generated CUDA with guards, on the host: programs of every schedule. */
#include "tests/support/host_plan.h"
#include "tests/support/one_graph.h"

static fsr_node array(int64_t rows, int64_t cols) {
    return fsr_input(g, "x", FSR_F32, 2, SHAPE(rows, cols));
}

/* So many versions; -1: any number. */
static void check_versions(fsr_node x, fsr_schedule_kind kind, int vector, int versions) {
    const host_plan p = host_plan_check(g, x, kind, vector);
    assert_true(p.guards > 0);
    if (versions >= 0)
        assert_int_equal(p.versions, versions);
}

static void check(fsr_node x, fsr_schedule_kind kind, int vector) {
    check_versions(x, kind, vector, -1);
}

static fsr_node side_by_side(int64_t rows, int64_t a, int64_t b, int axis) {
    fsr_node x = axis ? array(rows, a) : array(a, rows), y = axis ? array(rows, b) : array(b, rows);
    return fsr_concat((fsr_node[]){fsr_mul(x, x), y}, 2, axis);
}

static fsr_node stepped(int64_t rows, int64_t cols) {
    fsr_node x = array(rows, cols);
    fsr_node view = fsr_slice(fsr_slice(x, 0, 1, FSR_SLICE_END, 2), 1, FSR_SLICE_END, FSR_SLICE_END, -3);
    fsr_node y = array(fsr_node_dim(view, 0), fsr_node_dim(view, 1));
    return fsr_add(fsr_update(x, view, fsr_neg(y)), x);
}

static void maps(void **state) {
    (void)state;
    check(side_by_side(9, 8, 16, 1), FSR_SCHEDULE_MAP, 4);
    check(side_by_side(9, 6, 17, 1), FSR_SCHEDULE_MAP, 1);
    check(side_by_side(12, 5, 7, 0), FSR_SCHEDULE_MAP, 4);
    check(stepped(7, 23), FSR_SCHEDULE_MAP, 1);
    fsr_node x = array(6, 20);
    check(fsr_add(x, fsr_roll(x, SHAPE(37), NULL, 1)), FSR_SCHEDULE_MAP, 1);
    check(fsr_transpose(fsr_roll(x, SHAPE(2, -8), AXES(0, 1), 2), NULL), FSR_SCHEDULE_MAP, 0);
}

static void rows(void **state) {
    (void)state;
    check(fsr_sum(side_by_side(9, 8, 16, 1), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 4);
    check(fsr_sum(side_by_side(9, 5, 18, 1), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 1);
    fsr_node x = side_by_side(5, 12, 4, 1);
    check(fsr_div(x, fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_ROW, 4);
    fsr_node cube = fsr_concat((fsr_node[]){fsr_expand(array(6, 8), 1), fsr_expand(array(6, 8), 1)}, 2, 1);
    check(fsr_sum(cube, AXES(1, 2), 2, 0), FSR_SCHEDULE_ROW, 0);
}

/* What columns load beside x is the same for each of them: a thread takes several though there are few blocks. */
static fsr_node weighed(fsr_node x) {
    return fsr_sum(fsr_mul(x, array(fsr_node_dim(x, 0), 1)), AXES(0), 1, 0);
}

static void columns(void **state) {
    (void)state;
    check(weighed(side_by_side(40, 3, 5, 0)), FSR_SCHEDULE_COL, 4);
    check(weighed(side_by_side(8, 12, 20, 1)), FSR_SCHEDULE_COL, 4);
    check(fsr_sum(side_by_side(40, 3, 5, 0), AXES(0), 1, 0), FSR_SCHEDULE_COL, 1);
    check(fsr_sum(side_by_side(8, 12, 20, 1), AXES(0), 1, 0), FSR_SCHEDULE_COL, 1);
    check(fsr_sum(stepped(9, 35), AXES(0), 1, 0), FSR_SCHEDULE_COL, 1);
    check(fsr_cumsum(side_by_side(40, 3, 5, 0), AXES(0), 1, 0), FSR_SCHEDULE_COL, 0);
}

/* Scans from the end: every load and store runs backwards, guards with them. */
static void backwards(void **state) {
    (void)state;
    check(fsr_cumsum(side_by_side(9, 8, 16, 1), AXES(1), 1, FSR_REVERSE), FSR_SCHEDULE_ROW, 0);
    check(fsr_cummin(side_by_side(9, 5, 290, 1), AXES(1), 1, FSR_REVERSE | FSR_EXCLUSIVE), FSR_SCHEDULE_ROW, 0);
    check(fsr_cumsum(side_by_side(40, 3, 5, 0), AXES(0), 1, FSR_REVERSE | FSR_EXCLUSIVE), FSR_SCHEDULE_COL, 0);
    fsr_node x = side_by_side(1, 30000, 12000, 1);
    check(fsr_sub(fsr_cummax(x, AXES(1), 1, FSR_REVERSE), x), FSR_SCHEDULE_LOOKBACK, 0);
}

/* One row of many columns. */
static void long_rows(void **state) {
    (void)state;
    fsr_node x = side_by_side(1, 30000, 12000, 1);
    check(fsr_max(x, AXES(1), 1, 0), FSR_SCHEDULE_SPLIT, 0);
    check(fsr_cummax(x, AXES(1), 1, 0), FSR_SCHEDULE_LOOKBACK, 0);
}

/* Both neighbours along both axes of x with a border of `mode`, beside x itself. */
static fsr_node neighbours(fsr_node x, fsr_pad mode) {
    const int64_t rows = fsr_node_dim(x, 0), cols = fsr_node_dim(x, 1);
    fsr_node p = fsr_pad(x, (const int64_t[][2]){{1, 1}, {1, 1}}, mode, 0.5), sum = fsr_mul(x, x);
    for (int i = 0; i < 4; i++) {
        const int64_t row = i == 0 ? 0 : i == 1 ? 2 : 1, col = i == 2 ? 0 : i == 3 ? 2 : 1;
        fsr_node part = fsr_slice(fsr_slice(p, 0, row, row + rows, 1), 1, col, col + cols, 1);
        sum = i % 2 ? fsr_sub(sum, part) : fsr_add(sum, part);
    }
    return sum;
}

/* The inside is a version of its own where it is most of the array, and most warps are in it: of lines of 60 each
 * second one has an edge. Where an update leaves most of an array alone, a second program would spare little. */
static void stencils(void **state) {
    (void)state;
    static const fsr_pad mode[] = {FSR_PAD_CONSTANT, FSR_PAD_REFLECT, FSR_PAD_WRAP};
    for (size_t i = 0; i < sizeof mode / sizeof *mode; i++) {
        check_versions(neighbours(array(40, 1000), mode[i]), FSR_SCHEDULE_MAP, 1, 1);
        check_versions(neighbours(array(40, 60), mode[i]), FSR_SCHEDULE_MAP, 1, 0);
        check_versions(neighbours(array(5, 300), mode[i]), FSR_SCHEDULE_MAP, 1, 0);
    }
    check_versions(side_by_side(9, 3, 1600, 1), FSR_SCHEDULE_MAP, 1, 1);
    fsr_node x = array(20, 50);
    check_versions(fsr_update(x, fsr_slice(x, 1, 7, 9, 1), array(20, 2)), FSR_SCHEDULE_MAP, 0, 0);
}

/* Two neighbours on either side along the last axis, beside x itself. */
static fsr_node around(fsr_node x, fsr_pad mode) {
    const int64_t cols = fsr_node_dim(x, 1);
    fsr_node p = fsr_pad(x, (const int64_t[][2]){{0, 0}, {2, 2}}, mode, 0.5), sum = x;
    for (int i = 0; i < 5; i++)
        if (i != 2)
            sum = fsr_sub(fsr_slice(p, 1, i, i + cols, 1), sum);
    return sum;
}

/* Folds and scans of a stencil: threads whose columns lie inside take a version, and meet the others before each
 * exchange. */
static void folded_stencils(void **state) {
    (void)state;
    check_versions(fsr_sum(neighbours(array(40, 60), FSR_PAD_WRAP), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 1, 1);
    check_versions(fsr_sum(neighbours(array(60, 40), FSR_PAD_REFLECT), AXES(0), 1, 0), FSR_SCHEDULE_COL, 1, 1);
    fsr_node walked = fsr_hint_set(neighbours(array(60, 40), FSR_PAD_CONSTANT), FSR_HINT_INLINE);
    check_versions(fsr_cumsum(walked, AXES(0), 1, 0), FSR_SCHEDULE_COL, 1, 1);
    fsr_node x = neighbours(array(12, 300), FSR_PAD_CONSTANT), y = around(array(1, 42000), FSR_PAD_REFLECT);
    check_versions(fsr_cumsum(x, AXES(1), 1, FSR_REVERSE), FSR_SCHEDULE_ROW, 1, 1);
    check_versions(fsr_div(x, fsr_sum(fsr_exp(x), AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_ROW, 1, 1);
    check_versions(fsr_max(y, AXES(1), 1, 0), FSR_SCHEDULE_SPLIT, 1, 1);
    check_versions(fsr_cumsum(y, AXES(1), 1, 0), FSR_SCHEDULE_LOOKBACK, 1, 1);
    check_versions(fsr_div(y, fsr_max(y, AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_TEAM, 1, 1);
}

/* Edges that are repeated are clipped places, no choices: nothing is asked. */
static void check_clipped(fsr_node x, fsr_schedule_kind kind) {
    const host_plan p = host_plan_check(g, x, kind, 0);
    assert_int_equal(p.guards, 0);
}

static void clipped(void **state) {
    (void)state;
    fsr_node x = neighbours(array(12, 300), FSR_PAD_EDGE), y = around(array(1, 42000), FSR_PAD_EDGE);
    check_clipped(neighbours(array(40, 60), FSR_PAD_EDGE), FSR_SCHEDULE_MAP);
    check_clipped(neighbours(array(5, 300), FSR_PAD_EDGE), FSR_SCHEDULE_MAP);
    check_clipped(neighbours(array(40, 60), FSR_PAD_SYMMETRIC), FSR_SCHEDULE_MAP);
    check_clipped(fsr_sum(neighbours(array(60, 40), FSR_PAD_EDGE), AXES(0), 1, 0), FSR_SCHEDULE_COL);
    check_clipped(fsr_cumsum(x, AXES(1), 1, FSR_REVERSE), FSR_SCHEDULE_ROW);
    check_clipped(fsr_max(y, AXES(1), 1, 0), FSR_SCHEDULE_SPLIT);
    check_clipped(fsr_cumsum(y, AXES(1), 1, 0), FSR_SCHEDULE_LOOKBACK);
    check_clipped(fsr_div(y, fsr_max(y, AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_TEAM);
}

/* Most of a row is one piece, or none of it: a box that the version never meets may lie between a thread's columns. */
static void pieces_of_rows(void **state) {
    (void)state;
    fsr_node x = array(9, 700), y = fsr_mul(x, x), part = fsr_sin(fsr_exp(fsr_neg(array(9, 3))));
    fsr_node z = fsr_update(y, fsr_slice(y, 1, 300, 303, 1), part);
    check_versions(fsr_sum(z, AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0, 1);
}

static void check_branches(fsr_node x) {
    const host_plan p = host_plan_check(g, x, FSR_SCHEDULE_MAP, 1);
    assert_true(p.branched && p.guards > 0);
}

/* A section of x, replaced by another one of it. */
static fsr_node replaced(fsr_node x, int axis, int64_t to, int64_t from) {
    return fsr_update(x, fsr_slice(x, axis, to, to + 1, 1), fsr_slice(x, axis, from, from + 1, 1));
}

/* Of borders of borders, of planes that are rolled each its own way, and of choices of which one stands in another,
 * each element takes one side. */
static void branches(void **state) {
    (void)state;
    fsr_node x = array(21, 370), inner = fsr_slice(fsr_slice(x, 0, 1, 20, 1), 1, 1, 369, 1), y = array(19, 368);
    fsr_node much = inner;
    for (int i = 1; i < 10; i++)
        much = fsr_mul(fsr_div(much, fsr_add(inner, fsr_float(g, i))), y);
    fsr_node q = fsr_update(x, inner, much);
    q = replaced(replaced(replaced(q, 1, 369, 368), 0, 0, 1), 1, 0, 1);
    check_branches(q);
    check_branches(fsr_add(replaced(q, 0, 20, 3), fsr_mul(x, q)));
    fsr_node plane[6];
    for (int i = 0; i < 6; i++) {
        fsr_node by = array(13, 270);
        plane[i] = fsr_roll(fsr_div(fsr_mul(by, by), fsr_add(by, fsr_float(g, i + 1))),
                            SHAPE(i % 3 - 1, i / 3 * 31 - 1), AXES(0, 1), 2);
    }
    check_branches(fsr_stack(plane, 6, 0));
    check_branches(fsr_transpose(fsr_stack(plane, 6, 2), NULL));
}

static void check_places(fsr_node x, int stores) {
    assert_int_equal(host_plan_check(g, x, FSR_SCHEDULE_MAP, 0).stores, stores);
}

/* A thread does all places of short dimensions: what is stacked along the last one or two, a grey level of which each
 * colour is made, and what alternates under guards with steps. */
static void places(void **state) {
    (void)state;
    fsr_node x = array(600, 1000), y = array(600, 1000), by = fsr_add(fsr_mul(x, y), fsr_float(g, 2));
    fsr_node parts[] = {fsr_roll(by, SHAPE(1), AXES(1), 1), fsr_div(x, by)};
    check_places(fsr_stack(parts, 2, 2), 2);
    fsr_node upper = fsr_stack(parts, 2, 2), lower = fsr_stack((fsr_node[]){by, fsr_neg(by)}, 2, 2);
    check_places(fsr_stack((fsr_node[]){upper, lower}, 2, 1), 4);
    fsr_node colours = fsr_input(g, "c", FSR_F32, 3, SHAPE(3, 600, 1000));
    fsr_node grey = fsr_add(fsr_take(colours, fsr_int(g, 0), 0, FSR_INDEX_CLIP),
                            fsr_take(colours, fsr_int(g, 2), 0, FSR_INDEX_CLIP));
    for (int i = 0; i < 3; i++)
        grey = fsr_add(fsr_mul(grey, fsr_exp(fsr_neg(grey))), x);
    check_places(fsr_mul(colours, grey), 3);
}

/* The sum of five by five elements around each one, inside of y. */
static fsr_node blurred_inside(fsr_node x, fsr_node y) {
    const int64_t rows = fsr_node_dim(x, 0) - 4, cols = fsr_node_dim(x, 1) - 4;
    fsr_node sum = fsr_slice(fsr_slice(x, 0, 0, rows, 1), 1, 0, cols, 1);
    for (int i = 1; i < 25; i++)
        sum = fsr_add(sum, fsr_slice(fsr_slice(x, 0, i / 5, i / 5 + rows, 1), 1, i % 5, i % 5 + cols, 1));
    return fsr_update(y, fsr_slice(fsr_slice(y, 0, 2, rows + 2, 1), 1, 2, cols + 2, 1), sum);
}

/* A thread does two lines of a stencil, which share most of what they load; not where lines are an odd number and
 * elements are too, and not of what shares nothing. */
static void neighbours_are_shared(void **state) {
    (void)state;
    fsr_node x = array(600, 1000), y = array(600, 1000), a = array(601, 999), b = array(601, 999);
    check_places(blurred_inside(x, y), 2);
    check_places(blurred_inside(a, b), 1);
    check_places(fsr_mul(x, fsr_add(x, y)), 1);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(maps),           TEST(rows),     TEST(columns),         TEST(backwards),
        TEST(long_rows),      TEST(stencils), TEST(folded_stencils), TEST(clipped),
        TEST(pieces_of_rows), TEST(branches), TEST(places),          TEST(neighbours_are_shared)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
