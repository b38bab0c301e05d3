/* SPDX-License-Identifier: MIT */
/* Lines 4 and 5 of the fusion table: reduce, broadcast, map. Along rows that fit on chip it is one kernel that reads
 * once; along longer ones it is two at most, with nothing of the input's size between them. */
#include "tests/structure/table.h"

static const int axis0 = 0, axis1 = 1;

/* ---- line 4: reduce -> broadcast -> map along rows that fit on chip ---------------------------------------- */

static int softmax(fsr_graph *g, fsr_node *out) {
    out[0] = table_softmax(plan_matrix(g, 8192, 4096));
    return 1;
}

static int softmax_one_row(fsr_graph *g, fsr_node *out) {
    out[0] = table_softmax(plan_matrix(g, 1, 4096));
    return 1;
}

static int softmax_short_rows(fsr_graph *g, fsr_node *out) {
    out[0] = table_softmax(plan_matrix(g, 1 << 20, 7));
    return 1;
}

static int softmax_three_dimensions(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_input(g, "x", FSR_F32, 3, SHAPE(32, 100, 1000));
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, AXES(-1), 1, FSR_KEEPDIMS)));
    out[0] = fsr_div(e, fsr_sum(e, AXES(-1), 1, FSR_KEEPDIMS));
    return 1;
}

static int log_softmax(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 8192, 1000), d = fsr_sub(x, table_rowwise(fsr_max_at, x));
    out[0] = fsr_sub(d, fsr_log(table_rowwise(fsr_sum_at, fsr_exp(d))));
    return 1;
}

static int layernorm(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 8192, 4096);
    fsr_node var = fsr_var(x, &axis1, 1, FSR_KEEPDIMS, 0), d = fsr_sub(x, table_rowwise(fsr_mean_at, x));
    fsr_node unit = fsr_div(d, fsr_sqrt(fsr_add(var, fsr_float(g, 1e-5))));
    out[0] = fsr_add(fsr_mul(unit, plan_vector(g, 4096)), plan_vector(g, 4096));
    return 1;
}

static int standardize_short(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 5000);
    out[0] = fsr_div(fsr_sub(x, fsr_mean(x, NULL, 0, 0)), fsr_sqrt(fsr_var(x, NULL, 0, 0, 0)));
    return 1;
}

/* The rows' statistics are wanted too. */
static int centred_and_mean(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 2048, 2048);
    out[0] = table_rowwise(fsr_mean_at, x);
    out[1] = fsr_sub(x, out[0]);
    return 2;
}

static int rescaled(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 2048, 2048), low = table_rowwise(fsr_min_at, x), high = table_rowwise(fsr_max_at, x);
    out[0] = fsr_div(fsr_sub(x, low), fsr_sub(high, low));
    return 1;
}

/* Attention's row: a mask, a scale, a softmax, and its row reduced again. */
static int entropy_of_softmax(fsr_graph *g, fsr_node *out) {
    fsr_node s = table_softmax(fsr_mul(plan_matrix(g, 2048, 2048), fsr_float(g, 0.125)));
    out[0] = fsr_neg(fsr_sum(fsr_mul(s, fsr_log(s)), &axis1, 1, 0));
    return 1;
}

static int scan_of_softmax(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(table_softmax(plan_matrix(g, 2048, 2048)), AXES(1), 1, 0);
    return 1;
}

static void line4_rows_that_fit(void **state) {
    (void)state;
    static const graph_case list[] = {
        {"softmax", softmax, {ROW, 3, true}, {ROW, 3, true}},
        {"softmax_one_row", softmax_one_row, {ROW, 3, true}, {ROW, 3, true}},
        {"softmax_short_rows", softmax_short_rows, {ROW, 3, true}, {COL, 3, true}},
        {"softmax_three_dimensions", softmax_three_dimensions, {ROW, 3, true}, {ROW, 3, true}},
        {"log_softmax", log_softmax, {ROW, 3, true}, {ROW, 3, true}},
        {"layernorm", layernorm, {ROW, ANY, true}, {ROW, ANY, true}},
        {"standardize_short", standardize_short, {ROW, ANY, true}, {ROW, ANY, true}},
        {"centred_and_mean", centred_and_mean, {ROW, 2, true}, {ROW, 2, true}},
        {"rescaled", rescaled, {ROW, 2, true}, {ROW, 2, true}},
        {"entropy_of_softmax", entropy_of_softmax, {ROW, 3, true}, {ROW, 3, true}},
        {"scan_of_softmax", scan_of_softmax, {ROW, 3, true}, {ROW, 3, true}},
    };
    TABLE_CHECK(list);
}

/* ---- line 5: the same, rows too long for the chip ----------------------------------------------------------- */

static int softmax_vector(fsr_graph *g, fsr_node *out) {
    out[0] = table_softmax(plan_matrix(g, 1, 1 << 24));
    return 1;
}

static int softmax_few_rows(fsr_graph *g, fsr_node *out) {
    out[0] = table_softmax(plan_matrix(g, 8, 1 << 20));
    return 1;
}

static int softmax_many_long_rows(fsr_graph *g, fsr_node *out) {
    out[0] = table_softmax(plan_matrix(g, 1000, 65536));
    return 1;
}

static int standardize_vector(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24);
    out[0] = fsr_div(fsr_sub(x, fsr_mean(x, NULL, 0, 0)), fsr_sqrt(fsr_var(x, NULL, 0, 0, 0)));
    return 1;
}

static int standardize_columns(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 100000, 64);
    fsr_node mean = fsr_mean(x, &axis0, 1, FSR_KEEPDIMS), var = fsr_var(x, &axis0, 1, FSR_KEEPDIMS, 0);
    out[0] = fsr_div(fsr_sub(x, mean), fsr_sqrt(var));
    return 1;
}

static int layernorm_long(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 16, 1 << 20);
    fsr_node var = fsr_var(x, &axis1, 1, FSR_KEEPDIMS, 0), d = fsr_sub(x, table_rowwise(fsr_mean_at, x));
    out[0] = fsr_div(d, fsr_sqrt(fsr_add(var, fsr_float(g, 1e-5))));
    return 1;
}

static int rescaled_vector(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24), low = fsr_min(x, NULL, 0, 0), high = fsr_max(x, NULL, 0, 0);
    out[0] = fsr_div(fsr_sub(x, low), fsr_sub(high, low));
    return 1;
}

/* One or two kernels; what lies between two is a state for each row, no array of the input's size. */
static void check_long(const char *name, const fsr_target *target, const fsr_node *outs, int n) {
    fsr_program p = plan_of(target, outs, n);
    table_expect(p.info.kernels <= 2, name, target, &p, "more than two kernels");
    for (int i = 0; i < p.ntemporaries; i++)
        table_expect(p.temporary[i].bytes <= p.info.bytes_min / 64, name, target, &p,
                     "a temporary of the input's size");
    fsr_program_clear(&p);
    assert_int_equal(table_wrong, 0);
}

/* On a CPU an exponential takes longer than storing it: it is computed once. Where a row is one thread's the passes are
 * kernels, which all threads share. Counter-example to one kernel: a softmax of 2^20 f32 took 1.26 ms of two threads,
 * 0.38 so; of 16 rows of as many 11.5, 9.0 so, and 21.2 of one, 14.1 so. */
static void check_once(const char *name, const fsr_node *outs, int n) {
    fsr_program p = plan_of(&target_cpu, outs, n);
    int evaluated = 0;
    for (int i = 0; i < p.info.kernels; i++) {
        const fsr_kernel *k = fsr_program_kernel(&p, i)->kernel;
        for (int v = 0; v < k->ninsts; v++)
            evaluated += k->inst[v].kind == FSR_INST_OP && k->inst[v].op == FSR_OP_EXP;
        table_expect(k->npasses < 2 || k->integer[FSR_INT_ROWS] > 1, name, &target_cpu, &p, "a thread's kernel");
    }
    table_expect(evaluated == 1 && p.info.kernels <= 4, name, &target_cpu, &p, "not each exponential once");
    fsr_program_clear(&p);
    assert_int_equal(table_wrong, 0);
}

#define LINE5(record)                             \
    static void line5_##record(void **state) {    \
        fsr_node out[MAX_OUTS];                   \
        (void)state;                              \
        int n = record(table_graph, out);         \
        check_long(#record, &target_cpu, out, n); \
        check_long(#record, &target_gpu, out, n); \
    }
#define LINE5_ONCE(record)                        \
    static void line5_##record(void **state) {    \
        fsr_node out[MAX_OUTS];                   \
        (void)state;                              \
        int n = record(table_graph, out);         \
        check_once(#record, out, n);              \
        check_long(#record, &target_gpu, out, n); \
    }
LINE5_ONCE(softmax_vector)
LINE5_ONCE(softmax_few_rows)
LINE5(softmax_many_long_rows)
LINE5(standardize_vector)
LINE5(standardize_columns)
LINE5(layernorm_long)
LINE5(rescaled_vector)

/* Rows behind a pad are torn by its edges: where they are short, elements go into an array and are folded from there.
 * Counter-example to units of lanes that ask: two of six of a row of 192. */
static void torn_rows_are_laned(void **state) {
    (void)state;
    static const int64_t border[2][2] = {{0, 0}, {1, 1}};
    for (int i = 0; i < 3; i++) {
        const int64_t cols = i == 1 ? 1 << 14 : 480; /* shorter ones are folded behind a store */
        fsr_node x = plan_matrix(table_graph, 14200, cols), wide = fsr_pad(x, border, FSR_PAD_EDGE, 0);
        fsr_node y = fsr_maximum(x, i == 2 ? fsr_sqrt(x) : fsr_slice(wide, 1, 0, cols, 1));
        y = fsr_mean(y, (int[]){1}, 1, 0);
        fsr_program p = plan_of(&target_cpu, &y, 1);
        const fsr_walk walk = fsr_program_kernel(&p, 0)->kernel->schedule.walk[0];
        const int kernels = p.info.kernels;
        fsr_program_clear(&p);
        assert_int_equal(kernels, 1);
        assert_int_equal(walk.laned, i == 0);
        assert_int_equal(walk.form, i ? FSR_WALK_LANES : FSR_WALK_STRIPS);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TABLE_TEST(line4_rows_that_fit),      TABLE_TEST(line5_softmax_vector),
        TABLE_TEST(line5_softmax_few_rows),   TABLE_TEST(line5_softmax_many_long_rows),
        TABLE_TEST(line5_standardize_vector), TABLE_TEST(line5_standardize_columns),
        TABLE_TEST(line5_layernorm_long),     TABLE_TEST(line5_rescaled_vector),
        TABLE_TEST(torn_rows_are_laned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
