/* SPDX-License-Identifier: MIT */
/* Lines 2 and 3 of the fusion table: maps, a reduction over any axes, maps on its result; and sibling reductions over
 * one domain: one kernel, its inputs read once. */
#include "tests/structure/table.h"

static const int axis0 = 0, axis1 = 1;

/* ---- line 2: maps -> reduce over any axes -> maps on the result ------------------------------------------ */

static int sum_of_squares(fsr_graph *g, fsr_node *out) {
    fsr_node d = fsr_sub(plan_vector(g, 1 << 24), plan_vector(g, 1 << 24));
    out[0] = fsr_sqrt(fsr_add(fsr_sum(fsr_mul(d, d), NULL, 0, 0), fsr_float(g, 1)));
    return 1;
}

static int short_sum(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(fsr_sum(plan_vector(g, 100), NULL, 0, 0));
    return 1;
}

static int rows_norm(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 4096, 4096);
    out[0] = fsr_sqrt(fsr_sum(fsr_mul(x, x), &axis1, 1, 0));
    return 1;
}

static int rows_few_and_long(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_neg(fsr_max(fsr_abs(plan_matrix(g, 4, 1 << 22)), &axis1, 1, 0));
    return 1;
}

static int columns(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_mul(fsr_sum(fsr_exp(plan_matrix(g, 4096, 4096)), &axis0, 1, 0), plan_vector(g, 4096));
    return 1;
}

static int middle_axis(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_min(fsr_neg(fsr_input(g, "x", FSR_F32, 3, SHAPE(64, 128, 256))), AXES(1), 1, 0);
    return 1;
}

static int outer_and_inner_axis(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_prod(fsr_input(g, "x", FSR_F32, 3, SHAPE(64, 128, 256)), AXES(0, 2), 2, FSR_KEEPDIMS);
    return 1;
}

static int mean_of_bytes(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_mean(fsr_input(g, "x", FSR_U8, 2, SHAPE(1000, 3000)), &axis1, 1, 0);
    return 1;
}

static int variance(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_sqrt(fsr_var(fsr_exp(plan_matrix(g, 1000, 3000)), &axis1, 1, 0, 1));
    return 1;
}

static int position_of_largest(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_argmax(fsr_mul(plan_matrix(g, 1000, 3000), fsr_float(g, -1)), &axis1, 1, 0);
    return 1;
}

static int any_above(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_logical_not(fsr_any(fsr_greater(plan_vector(g, 1 << 22), fsr_float(g, 3)), NULL, 0, 0));
    return 1;
}

/* matrix times vector: an outer broadcast that is never stored. */
static int matrix_vector(fsr_graph *g, fsr_node *out) {
    out[0] =
        fsr_add(fsr_sum(fsr_mul(plan_matrix(g, 1000, 3000), plan_vector(g, 3000)), &axis1, 1, 0), plan_vector(g, 1000));
    return 1;
}

static int all_pairs(fsr_graph *g, fsr_node *out) {
    fsr_node d = fsr_abs(fsr_sub(plan_matrix(g, 3000, 1), plan_matrix(g, 1, 2000)));
    out[0] = fsr_min(d, &axis1, 1, 0);
    return 1;
}

static int reduce_of_slice(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_sum(fsr_slice(plan_matrix(g, 1000, 3000), 1, 5, -5, 2), &axis1, 1, 0);
    return 1;
}

static int transposed_rows(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_sum(fsr_transpose(plan_matrix(g, 3000, 5000), NULL), &axis1, 1, 0);
    return 1;
}

static int stored_and_summed(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(plan_matrix(g, 1000, 3000));
    out[1] = fsr_sum(out[0], &axis1, 1, 0);
    return 2;
}

static int stored_and_summed_all(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(plan_vector(g, 1 << 24));
    out[1] = fsr_log(fsr_sum(out[0], NULL, 0, 0));
    return 2;
}

static int empty_sum(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_sum(plan_matrix(g, 5, 0), &axis1, 1, 0);
    return 1;
}

static int weighted(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 22), w = plan_vector(g, 1 << 22);
    out[0] = fsr_div(fsr_sum(fsr_mul(x, w), NULL, 0, 0), fsr_sum(w, NULL, 0, 0));
    return 1;
}

/* A random estimate reads nothing: the points come from the index. */
static int computed_points(fsr_graph *g, fsr_node *out) {
    fsr_node i = fsr_arange(g, FSR_F64, 1 << 22), x = fsr_sin(i), y = fsr_cos(fsr_mul(i, fsr_float(g, 1.7)));
    out[0] = fsr_sum(fsr_less(fsr_add(fsr_mul(x, x), fsr_mul(y, y)), fsr_float(g, 1)), NULL, 0, 0);
    return 1;
}

static void line2_reductions(void **state) {
    (void)state;
    static const graph_case list[] = {
        {"sum_of_squares", sum_of_squares, {SPLIT, 1, true}, {ROW, 1, true}},
        {"short_sum", short_sum, {ROW, 1, true}, {ROW, 1, true}},
        {"rows_norm", rows_norm, {ROW, 1, true}, {ROW, 1, true}},
        {"rows_few_and_long", rows_few_and_long, {SPLIT, 1, true}, {ROW, 1, true}},
        {"columns", columns, {COL, 1, true}, {COL, 1, true}},
        {"middle_axis", middle_axis, {COL, 1, true}, {COL, 1, true}},
        {"outer_and_inner_axis", outer_and_inner_axis, {ANY, 1, true}, {ANY, 1, true}},
        {"mean_of_bytes", mean_of_bytes, {ROW, 1, true}, {ROW, 1, true}},
        {"variance", variance, {ROW, ANY, true}, {ROW, ANY, true}},
        {"position_of_largest", position_of_largest, {ROW, 1, true}, {ROW, 1, true}},
        {"any_above", any_above, {SPLIT, 1, true}, {ROW, 1, true}},
        {"matrix_vector", matrix_vector, {ROW, 1, true}, {ROW, 1, true}},
        {"all_pairs", all_pairs, {ROW, 1, true}, {ROW, 1, true}},
        {"reduce_of_slice", reduce_of_slice, {ROW, 1, true}, {ROW, 1, true}},
        {"transposed_rows", transposed_rows, {COL, 1, true}, {COL, 1, true}},
        {"stored_and_summed", stored_and_summed, {ROW, 1, true}, {ROW, 1, true}},
        {"stored_and_summed_all", stored_and_summed_all, {SPLIT, 1, true}, {ROW, 1, true}},
        {"empty_sum", empty_sum, {ANY, 1, true}, {ANY, 1, true}},
        {"weighted", weighted, {SPLIT, 1, true}, {ROW, 1, true}},
        {"computed_points", computed_points, {SPLIT, 1, true}, {ROW, 1, true}},
    };
    TABLE_CHECK(list);
}

/* ---- line 3: sibling reductions over one domain ---------------------------------------------------------- */

static int six_of(fsr_node x, const int *axis, fsr_node *out) {
    out[0] = fsr_sum(x, axis, 1, 0);
    out[1] = fsr_min(x, axis, 1, 0);
    out[2] = fsr_max(x, axis, 1, 0);
    out[3] = fsr_mean(x, axis, 1, 0);
    out[4] = fsr_var(x, axis, 1, 0, 0);
    out[5] = fsr_argmax(x, axis, 1, 0);
    return 6;
}

static int siblings_of_rows(fsr_graph *g, fsr_node *out) {
    return six_of(fsr_exp(plan_matrix(g, 4096, 4096)), &axis1, out);
}

static int siblings_of_long_rows(fsr_graph *g, fsr_node *out) {
    return six_of(plan_matrix(g, 3, 1 << 22), &axis1, out);
}

static int siblings_of_columns(fsr_graph *g, fsr_node *out) {
    return six_of(plan_matrix(g, 4096, 4096), &axis0, out);
}

static int siblings_of_all(fsr_graph *g, fsr_node *out) {
    return six_of(plan_vector(g, 1 << 24), NULL, out);
}

/* Different inputs: they share one of them pairwise. */
static int siblings_of_neighbours(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24), y = plan_vector(g, 1 << 24);
    out[0] = fsr_sum(fsr_mul(x, x), NULL, 0, 0);
    out[1] = fsr_sum(fsr_mul(x, y), NULL, 0, 0);
    out[2] = fsr_sum(fsr_mul(y, y), NULL, 0, 0);
    return 3;
}

static int correlation(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24), y = plan_vector(g, 1 << 24);
    fsr_node xx = fsr_sum(fsr_mul(x, x), NULL, 0, 0), yy = fsr_sum(fsr_mul(y, y), NULL, 0, 0);
    out[0] = fsr_div(fsr_sum(fsr_mul(x, y), NULL, 0, 0), fsr_sqrt(fsr_mul(xx, yy)));
    return 1;
}

static int siblings_and_store(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_mul(plan_matrix(g, 1000, 3000), fsr_float(g, 3));
    out[1] = fsr_sum(out[0], &axis1, 1, 0);
    out[2] = fsr_max(out[0], &axis1, 1, FSR_KEEPDIMS);
    return 3;
}

static int siblings_of_dtypes(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_input(g, "x", FSR_I32, 2, SHAPE(1000, 3000));
    out[0] = fsr_sum(x, &axis1, 1, 0);
    out[1] = fsr_min(x, &axis1, 1, 0);
    out[2] = fsr_any(x, &axis1, 1, 0);
    out[3] = fsr_mean(x, &axis1, 1, 0);
    return 4;
}

static void line3_siblings(void **state) {
    (void)state;
    static const graph_case list[] = {
        {"siblings_of_rows", siblings_of_rows, {ROW, ANY, true}, {ROW, ANY, true}},
        {"siblings_of_long_rows", siblings_of_long_rows, {SPLIT, 1, true}, {ROW, 1, true}},
        {"siblings_of_all", siblings_of_all, {SPLIT, 1, true}, {ROW, 1, true}},
        {"siblings_of_neighbours", siblings_of_neighbours, {SPLIT, 1, true}, {ROW, 1, true}},
        {"correlation", correlation, {SPLIT, 1, true}, {ROW, 1, true}},
        {"siblings_and_store", siblings_and_store, {ROW, 1, true}, {ROW, 1, true}},
        {"siblings_of_dtypes", siblings_of_dtypes, {ROW, 1, true}, {ROW, 1, true}},
    };
    TABLE_CHECK(list);
}

static void line3_siblings_of_columns(void **state) {
    (void)state;
    static const graph_case list[] = {{"siblings_of_columns", siblings_of_columns, {COL, ANY, true}, {COL, ANY, true}}};
    TABLE_CHECK(list);
}

/* The first two share nothing with each other, both share with the third. */
static int siblings_meet_late(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24), y = plan_vector(g, 1 << 24);
    out[0] = fsr_sum(fsr_mul(x, x), NULL, 0, 0);
    out[1] = fsr_sum(fsr_mul(y, y), NULL, 0, 0);
    out[2] = fsr_sum(fsr_mul(x, y), NULL, 0, 0);
    return 3;
}

static void line3_siblings_meet_late(void **state) {
    (void)state;
    static const graph_case list[] = {{"siblings_meet_late", siblings_meet_late, {SPLIT, 1, true}, {ROW, 1, true}}};
    TABLE_CHECK(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TABLE_TEST(line2_reductions),
        TABLE_TEST(line3_siblings),
        TABLE_TEST(line3_siblings_of_columns),
        TABLE_TEST(line3_siblings_meet_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
