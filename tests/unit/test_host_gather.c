/* SPDX-License-Identifier: MIT */
/* Generated CUDA with computed addresses, on the host: programs of every schedule. No index of theirs is outside, so
 * that every report is a false one, of an element that is not there. */
#include "tests/support/host_plan.h"
#include "tests/support/one_graph.h"

static fsr_node array(int64_t rows, int64_t cols) {
    return fsr_input(g, "x", FSR_F32, 2, SHAPE(rows, cols));
}

/* n indices, all inside of [-of, of), of numbers that are not 0: what a thread has where there is no element is 0, and
 * that would be outside. */
static fsr_node indices(int64_t n, int64_t of) {
    fsr_node i = fsr_input(g, "i", FSR_I32, 1, SHAPE(n));
    fsr_node inside = fsr_sub(fsr_mod(i, fsr_int(g, of)), fsr_int(g, of));
    return fsr_where(fsr_equal(i, fsr_int(g, 0)), fsr_int(g, of), inside);
}

static void check(fsr_node x, fsr_schedule_kind kind, int vector) {
    host_plan_check(g, x, kind, vector);
}

/* Elements of a row; rows; of a computed array; two axes at once. */
static fsr_node picked(int64_t rows, int64_t n, int64_t from) {
    fsr_node x = n > from ? array(rows, from) : fsr_mul(array(rows, from), fsr_float(g, 2));
    return fsr_take(x, indices(n, from), 1, FSR_INDEX_RAISE);
}
static fsr_node chosen(int64_t n, int64_t cols, int64_t from) {
    return fsr_take(array(from, cols), indices(n, from), 0, FSR_INDEX_RAISE);
}
static fsr_node twice(int64_t n) {
    fsr_node i = indices(n, 7), j = indices(n, 11);
    return fsr_index(array(7, 11), ((fsr_node[]){fsr_expand(i, 1), j}), 2, FSR_INDEX_WRAP);
}

static void maps(void **state) {
    (void)state;
    check(fsr_add(chosen(40, 12, 9), array(40, 12)), FSR_SCHEDULE_MAP, 2);
    check(fsr_add(chosen(40, 13, 9), array(40, 13)), FSR_SCHEDULE_MAP, 0);
    check(fsr_neg(picked(6, 64, 33)), FSR_SCHEDULE_MAP, 0);
    check(fsr_neg(picked(6, 61, 33)), FSR_SCHEDULE_MAP, 0);
    check(fsr_neg(fsr_reshape(picked(1, 1001, 33), 1, SHAPE(1001))), FSR_SCHEDULE_MAP, 0);
    check(fsr_neg(twice(10)), FSR_SCHEDULE_MAP, 0);
    check(fsr_concat((fsr_node[]){picked(5, 6, 8), array(5, 10)}, 2, 1), FSR_SCHEDULE_MAP, 0);
}

/* Medians of windows, and of their distances from these: networks of keys. */
static void networks(void **state) {
    (void)state;
    const fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(1000));
    const fsr_node w = fsr_sliding_window(x, SHAPE(9), AXES(0), 1), m = fsr_median(w, AXES(1), 1, 0);
    check(fsr_median(fsr_abs(fsr_sub(w, fsr_expand(m, 1))), AXES(1), 1, 0), FSR_SCHEDULE_MAP, 0);
    check(fsr_median(array(300, 16), AXES(1), 1, 0), FSR_SCHEDULE_MAP, 0);
    check(fsr_sort(fsr_neg(array(300, 9)), AXES(1), 1, 0), FSR_SCHEDULE_MAP, 0);
    check(fsr_cast(fsr_argsort(array(300, 7), AXES(1), 1, FSR_DESCENDING), FSR_F32), FSR_SCHEDULE_MAP, 0);
    check(fsr_topk(array(300, 16), 3, AXES(1), 1, FSR_DESCENDING), FSR_SCHEDULE_MAP, 0);
    check(fsr_quantile(array(300, 5), fsr_input(g, "q", FSR_F32, 1, SHAPE(3)), FSR_QUANTILE_LINEAR, AXES(1), 1, 0),
          FSR_SCHEDULE_MAP, 0);
}

static void rows(void **state) {
    (void)state;
    check(fsr_sum(picked(9, 64, 33), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    check(fsr_sum(picked(9, 61, 70), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    check(fsr_sum(chosen(9, 64, 33), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    fsr_node x = chosen(9, 40, 5);
    check(fsr_div(x, fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_ROW, 0);
    x = picked(9, 40, 5);
    check(fsr_div(x, fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS)), FSR_SCHEDULE_ROW, 0);
    check(fsr_cumsum(picked(9, 40, 5), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    fsr_node cube = fsr_take(fsr_input(g, "c", FSR_F32, 3, SHAPE(6, 5, 9)), indices(8, 5), 1, FSR_INDEX_RAISE);
    check(fsr_sum(cube, AXES(1, 2), 2, 0), FSR_SCHEDULE_ROW, 0);
    /* What the scan gives is an index: a load in a later stage. */
    x = fsr_cumsum(fsr_input(g, "i", FSR_I32, 2, SHAPE(4, 30)), AXES(1), 1, 0);
    check(fsr_take(fsr_input(g, "t", FSR_F32, 1, SHAPE(17)), x, 0, FSR_INDEX_WRAP), FSR_SCHEDULE_ROW, 0);
}

static void columns(void **state) {
    (void)state;
    check(fsr_sum(chosen(40, 8, 5), AXES(0), 1, 0), FSR_SCHEDULE_COL, 2);
    check(fsr_sum(picked(40, 20, 5), AXES(0), 1, 0), FSR_SCHEDULE_ROW, 0);
    check(fsr_cumsum(chosen(12, 32, 5), AXES(0), 1, 0), FSR_SCHEDULE_COL, 0);
}

static void long_rows(void **state) {
    (void)state;
    check(fsr_max(picked(1, 42000, 300), AXES(1), 1, 0), FSR_SCHEDULE_SPLIT, 0);
    check(fsr_cummax(picked(1, 42000, 300), AXES(1), 1, 0), FSR_SCHEDULE_LOOKBACK, 0);
}

/* A run of neighbours that begins where a value says. */
static void slices(void **state) {
    (void)state;
    fsr_node from[] = {fsr_reshape(fsr_input(g, "r", FSR_I32, 1, SHAPE(1)), 0, NULL)};
    check(fsr_neg(fsr_dynamic_slice(array(30, 40), ((fsr_node[]){from[0], from[0]}), SHAPE(7, 16))), FSR_SCHEDULE_MAP,
          0);
    check(fsr_sum(fsr_dynamic_slice(array(30, 40), ((fsr_node[]){from[0], from[0]}), SHAPE(7, 16)), AXES(1), 1, 0),
          FSR_SCHEDULE_ROW, 0);
}

static void updates(void **state) {
    (void)state;
    fsr_node from = fsr_reshape(fsr_input(g, "r", FSR_I32, 1, SHAPE(1)), 0, NULL);
    fsr_node moved = fsr_dynamic_update(array(30, 40), fsr_neg(array(7, 16)), ((fsr_node[]){from, from}));
    check(fsr_neg(moved), FSR_SCHEDULE_MAP, 0);
    check(fsr_sum(moved, AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
    check(fsr_sum(moved, AXES(0), 1, 0), FSR_SCHEDULE_COL, 0);
    check(fsr_cumsum(moved, AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
}

/* Loops that take elements of a table, as maps and in rows. */
static void open(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_less(state[0], state[1]);
}
static void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    fsr_node middle = fsr_floor_divide(fsr_add(state[0], state[1]), fsr_int(g, 2));
    fsr_node below = fsr_less(fsr_take(*(fsr_node *)user, middle, 0, FSR_INDEX_CLIP), arg[0]);
    out[0] = fsr_where(below, fsr_add(middle, fsr_int(g, 1)), state[0]);
    out[1] = fsr_where(below, state[1], middle);
}

static void tables(void **state) {
    (void)state;
    fsr_node x = array(30, 40), out[3], zero = fsr_cast(fsr_int(g, 0), FSR_I64),
             end = fsr_cast(fsr_int(g, 70), FSR_I64);
    fsr_node table = fsr_flip(fsr_slice(fsr_input(g, "t", FSR_F32, 1, SHAPE(141)), 0, 1, FSR_SLICE_END, 2), 0);
    const fsr_loop loop = {halve, open, &table, 2, 1};
    fsr_iterate(out, &loop, (fsr_node[]){zero, end}, &x, 9);
    fsr_node at = fsr_cast(out[0], FSR_F32);
    check(at, FSR_SCHEDULE_MAP, 0);
    check(fsr_sum(at, AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
}

/* Searches, and elements at the places that they find. */
static void searches(void **state) {
    (void)state;
    fsr_node x = array(30, 40), keys = fsr_input(g, "t", FSR_F32, 1, SHAPE(71)), none = {0};
    check(fsr_cast(fsr_digitize(x, keys, false), FSR_F32), FSR_SCHEDULE_MAP, 0);
    fsr_node sum = fsr_sum(fsr_searchsorted(keys, fsr_sqrt(x), FSR_RIGHT), AXES(1), 1, 0);
    check(fsr_cast(sum, FSR_F32), FSR_SCHEDULE_ROW, 0);
    check(fsr_max(fsr_cast(fsr_interp(x, keys, keys, none, none), FSR_F32), AXES(1), 1, 0), FSR_SCHEDULE_ROW, 0);
}

/* Folds of windows that slide, behind an edge that is repeated. */
static void windows(void **state) {
    (void)state;
    const fsr_node wide = fsr_pad(array(37, 53), ((int64_t[][2]){{1, 1}, {1, 1}}), FSR_PAD_EDGE, 0);
    const fsr_node w = fsr_sliding_window(wide, SHAPE(3, 3), AXES(0, 1), 2);
    const fsr_node row = fsr_sliding_window(array(20, 61), SHAPE(5), AXES(1), 1);
    check(fsr_max(w, AXES(2, 3), 2, 0), FSR_SCHEDULE_MAP, 0);
    check(fsr_sum(fsr_mul(w, fsr_input(g, "k", FSR_F32, 2, SHAPE(3, 3))), AXES(2, 3), 2, 0), FSR_SCHEDULE_MAP, 0);
    check(fsr_mean(fsr_abs(row), AXES(2), 1, FSR_KEEPDIMS), FSR_SCHEDULE_MAP, 0);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(maps),    TEST(rows),   TEST(columns),  TEST(long_rows), TEST(slices),
                                       TEST(updates), TEST(tables), TEST(searches), TEST(networks),  TEST(windows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
