/* SPDX-License-Identifier: MIT */
/* Line 6 of the fusion table: maps, a scan, maps, and reductions of it: one kernel in one pass. */
#include "tests/structure/table.h"
#include "tests/support/recurrence.h"

static const int axis1 = 1;

static int running_sum(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(plan_vector(g, 1 << 24), (int[]){0}, 1, 0);
    return 1;
}

static int running_short(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cummax(plan_vector(g, 500), (int[]){0}, 1, FSR_EXCLUSIVE);
    return 1;
}

static int map_scan_map(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24), y = plan_vector(g, 1 << 24);
    out[0] = fsr_sqrt(fsr_add(fsr_cumsum(fsr_mul(x, y), (int[]){0}, 1, FSR_EXCLUSIVE), y));
    return 1;
}

static int scan_rows(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(fsr_cumsum(fsr_neg(plan_matrix(g, 4096, 4096)), (int[]){1}, 1, 0));
    return 1;
}

static int scan_few_long_rows(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(plan_matrix(g, 4, 1 << 22), (int[]){1}, 1, 0);
    return 1;
}

static int scan_columns(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(plan_matrix(g, 1000, 4096), (int[]){0}, 1, 0);
    return 1;
}

/* One state for both: one exchange with the neighbours. */
static int sibling_scans(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24);
    out[0] = fsr_cumsum(x, (int[]){0}, 1, 0);
    out[1] = fsr_cumsum(fsr_mul(x, x), (int[]){0}, 1, 0);
    out[2] = fsr_cummax(x, (int[]){0}, 1, 0);
    return 3;
}

static int scan_of_scan(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(fsr_cumsum(plan_vector(g, 1 << 24), (int[]){0}, 1, 0), (int[]){0}, 1, 0);
    return 1;
}

static int reductions_of_scan(fsr_graph *g, fsr_node *out) {
    fsr_node s = fsr_cumsum(plan_vector(g, 1 << 24), (int[]){0}, 1, 0);
    out[0] = fsr_max(s, NULL, 0, 0);
    out[1] = fsr_min(s, NULL, 0, 0);
    return 2;
}

static int scan_and_its_reductions(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24);
    out[0] = fsr_cumsum(x, (int[]){0}, 1, 0);
    out[1] = fsr_sum(x, NULL, 0, 0);
    out[2] = fsr_max(fsr_sub(out[0], x), NULL, 0, 0);
    return 3;
}

static int drawdown_of_rows(fsr_graph *g, fsr_node *out) {
    fsr_node s = fsr_cumsum(plan_matrix(g, 1000, 2500), (int[]){1}, 1, 0);
    out[0] = fsr_max(fsr_sub(fsr_cummax(s, (int[]){1}, 1, 0), s), &axis1, 1, 0);
    return 1;
}

static int recurrence(fsr_graph *g, fsr_node *out) {
    fsr_node in[2] = {plan_vector(g, 1 << 24), fsr_exp(plan_vector(g, 1 << 24))}, both[2];
    fsr_scan_with(both, in, &linear_recurrence, (int[]){0}, 1, 0);
    out[0] = fsr_abs(both[1]);
    return 1;
}

static int cumulative_share(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 1000, 2500);
    out[0] = fsr_div(fsr_cumsum(x, (int[]){1}, 1, 0), table_rowwise(fsr_sum_at, x));
    return 1;
}

static void line6_scans(void **state) {
    (void)state;
    static const graph_case list[] = {
        {"running_sum", running_sum, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"running_short", running_short, {ROW, 1, true}, {ROW, 1, true}},
        {"map_scan_map", map_scan_map, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"scan_rows", scan_rows, {ROW, 1, true}, {ROW, 1, true}},
        {"scan_few_long_rows", scan_few_long_rows, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"scan_columns", scan_columns, {LOOKBACK, 1, true}, {COL, 1, true}},
        {"sibling_scans", sibling_scans, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"scan_of_scan", scan_of_scan, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"reductions_of_scan", reductions_of_scan, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"scan_and_its_reductions", scan_and_its_reductions, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"drawdown_of_rows", drawdown_of_rows, {ROW, 1, true}, {ROW, 1, true}},
        {"recurrence", recurrence, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"cumulative_share", cumulative_share, {ROW, 2, true}, {ROW, 2, true}},
    };
    TABLE_CHECK(list);
}

static int ordered_beside_scan(fsr_graph *g, fsr_node *out) {
    fsr_node in[2] = {plan_vector(g, 1 << 24)}, both[2];
    in[1] = out[0] = fsr_cumsum(in[0], (int[]){0}, 1, 0);
    fsr_reduce_with(both, in, &linear_recurrence, (int[]){0}, 1, 0);
    out[1] = both[1];
    return 2;
}

/* Reductions beside a scan have accumulators in lanes where they commute. Counter-example to one accumulator: a running
 * maximum of 200,000 f32 and the largest of what is made of it took 0.66 ms, two kernels of it 0.28. */
static void reductions_beside_scans_have_lanes(void **state) {
    (void)state;
    static int (*const record[])(fsr_graph * g, fsr_node * out) = {running_sum, ordered_beside_scan, reductions_of_scan,
                                                                   scan_and_its_reductions};
    for (int i = 0; i < 4; i++) {
        fsr_node out[MAX_OUTS];
        fsr_program p = plan_of(&target_cpu, out, record[i](table_graph, out));
        const bool laned = fsr_program_kernel(&p, 0)->kernel->schedule.walk[0].laned;
        const int kernels = p.info.kernels;
        fsr_program_clear(&p);
        assert_int_equal(kernels, 1);
        assert_int_equal(laned, i >= 2);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TABLE_TEST(line6_scans),
        TABLE_TEST(reductions_beside_scans_have_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
