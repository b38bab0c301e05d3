/* The fusion table of the design, line by line: each graph is planned for a GPU and for a CPU and must be so many
 * kernels with no temporary, in the expected frame, reading each input once where the line says so. */
#include "bench/bench.h"
#include "tests/structure/plans.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAP = FSR_SCHEDULE_MAP, ROW = FSR_SCHEDULE_ROW, SPLIT = FSR_SCHEDULE_SPLIT, COL = FSR_SCHEDULE_COL };
enum { LOOKBACK = FSR_SCHEDULE_LOOKBACK, ANY = -1, MAX_OUTS = 8 };

/* What a plan must be. kind and passes: of the only kernel, ANY: not looked at. once: bytes_moved is bytes_min. */
typedef struct expected {
    int kind, passes;
    bool once;
} expected;

typedef struct graph_case {
    const char *name;
    int (*record)(fsr_graph *g, fsr_node *out); /* returns the number of outputs */
    expected gpu, cpu;
} graph_case;

static fsr_graph_owner *owner;
static fsr_graph *graph;
static int wrong; /* plans of the running test that are not as expected: all of them are shown */

static int setup(void **state) {
    (void)state;
    wrong = 0;
    graph = node_graph(&owner);
    return graph ? 0 : -1;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

/* Counts and shows a plan that does not hold. */
static void expect(bool holds, const char *name, const fsr_target *target, const fsr_program *p, const char *what) {
    if (holds)
        return;
    wrong++;
    print_error("%s on the %s: %s\n%s\n", name, target->gpu ? "GPU" : "CPU", what, p->explanation);
}

static void check_plan(const char *name, const fsr_target *target, const fsr_node *outs, int n, expected e) {
    fsr_program p = plan_of(target, outs, n);
    const fsr_kernel *k = p.step[0].kernel;
    expect(p.info.kernels == 1, name, target, &p, "not one kernel");
    expect(p.info.temporaries == 0, name, target, &p, "temporaries");
    expect(e.kind == ANY || (int)k->schedule.kind == e.kind, name, target, &p, "another schedule than expected");
    expect(e.passes == ANY || k->npasses == e.passes, name, target, &p, "another number of passes than expected");
    expect(p.info.bytes_moved >= p.info.bytes_min, name, target, &p, "fewer bytes moved than possible");
    expect(!e.once || p.info.bytes_moved <= p.info.bytes_min, name, target, &p, "more bytes moved than needed");
    fsr_program_clear(&p);
}

static void check_case(const graph_case *c) {
    fsr_node out[MAX_OUTS];
    int n = c->record(graph, out);
    check_plan(c->name, &plan_gpu, out, n, c->gpu);
    check_plan(c->name, &plan_cpu, out, n, c->cpu);
}

static void check_cases(const graph_case *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        check_case(&list[i]);
    assert_int_equal(wrong, 0);
}
#define CHECK_CASES(list) check_cases(list, sizeof(list) / sizeof *(list))

static const int axis0 = 0, axis1 = 1;

static fsr_node rowwise(fsr_node (*f)(fsr_site, fsr_node, const int *, int, int), fsr_node x) {
    return f(FSR_HERE, x, &axis1, 1, FSR_KEEPDIMS);
}

/* ---- line 1: any DAG of maps and zipwiths, several outputs --------------------------------------------- */

static int one_op(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(plan_vector(g, 1 << 20));
    return 1;
}

static int long_chain(fsr_graph *g, fsr_node *out) {
    out[0] = plan_vector(g, 1 << 20);
    for (int i = 0; i < 60; i++)
        out[0] = fsr_add(fsr_mul(out[0], fsr_float(g, 1.5)), fsr_float(g, i));
    return 1;
}

static int diamond(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 20), e = fsr_exp(x);
    out[0] = fsr_div(fsr_sub(e, fsr_neg(e)), fsr_add(e, x));
    return 1;
}

static int several_outputs(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 20), y = plan_vector(g, 1 << 20);
    out[0] = fsr_add(x, y);
    out[1] = fsr_sub(x, y);
    out[2] = fsr_mul(out[0], out[1]);
    out[3] = fsr_less(x, fsr_float(g, 0));
    return 4;
}

/* The outputs meet only in the last one. */
static int outputs_meet_late(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(plan_vector(g, 1 << 20));
    out[1] = fsr_log(plan_vector(g, 1 << 20));
    out[2] = fsr_add(out[0], out[1]);
    return 3;
}

static int eight_outputs(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 20);
    for (int i = 0; i < 8; i++)
        out[i] = fsr_mul(x, fsr_float(g, i + 2));
    return 8;
}

static int broadcasts(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 1024, 512), row = plan_vector(g, 512), col = plan_matrix(g, 1024, 1);
    out[0] = fsr_mul(fsr_add(fsr_add(x, row), col), fsr_param(g, "p", FSR_F32, 2));
    return 1;
}

static int outer_product(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_mul(plan_matrix(g, 2000, 1), plan_matrix(g, 1, 3000));
    return 1;
}

static int dtypes(fsr_graph *g, fsr_node *out) {
    int64_t n = 1 << 20;
    fsr_node b = fsr_input(g, "b", FSR_BOOL, 1, &n), u = fsr_input(g, "u", FSR_U8, 1, &n);
    fsr_node d = fsr_input(g, "d", FSR_F64, 1, &n);
    out[0] = fsr_where(b, fsr_add(u, fsr_int(g, 1)), fsr_cast(d, FSR_U8));
    out[1] = fsr_add(d, u);
    return 2;
}

static int transposed_operand(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 512, 512);
    out[0] = fsr_add(fsr_exp(x), fsr_transpose(fsr_exp(x), NULL));
    return 1;
}

static int neighbours(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_exp(plan_vector(g, 1 << 20));
    out[0] = fsr_sub(fsr_slice(x, 0, 1, FSR_SLICE_END, 1), fsr_slice(x, 0, 0, -1, 1));
    return 1;
}

static int flip_and_step(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 512, 1024);
    out[0] = fsr_mul(fsr_slice(fsr_flip(x, 1), 0, 1, FSR_SLICE_END, 2), fsr_float(g, 2));
    return 1;
}

static int reshaped(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_exp(plan_matrix(g, 512, 1024));
    out[0] = fsr_add(fsr_reshape(x, 3, SHAPE(64, 8, 1024)), plan_vector(g, 1024));
    return 1;
}

/* A transposed result is only an address. */
static int transposed_result(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_transpose(fsr_exp(plan_matrix(g, 512, 1024)), NULL);
    return 1;
}

static int counting(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_sqrt(fsr_arange(g, FSR_F32, 1 << 20));
    out[1] = fsr_mul(out[0], plan_vector(g, 1 << 20));
    return 2;
}

static int scalars(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_add(fsr_input(g, "x", FSR_F32, 0, NULL), fsr_param(g, "p", FSR_F32, 1));
    return 1;
}

static int empty_map(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(plan_matrix(g, 0, 5));
    return 1;
}

static int eight_dimensions(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_input(g, "x", FSR_F32, 8, SHAPE(2, 3, 4, 5, 2, 3, 4, 5));
    out[0] = fsr_add(x, fsr_transpose(x, AXES(0, 5, 2, 3, 4, 1, 6, 7)));
    return 1;
}

static int huge_map(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(plan_vector(g, (int64_t)1 << 32));
    return 1;
}

static void line1_maps(void **state) {
    (void)state;
    static const expected once = {MAP, 0, true};
    static int (*const record[])(fsr_graph *, fsr_node *) = {
        one_op,    long_chain,         diamond,    several_outputs,  eight_outputs, broadcasts, outer_product,
        dtypes,    transposed_operand, neighbours, flip_and_step,    reshaped,      counting,   scalars,
        empty_map, eight_dimensions,   huge_map,   transposed_result};
    static const char *const name[] = {"one_op",           "long_chain",    "diamond",
                                       "several_outputs",  "eight_outputs", "broadcasts",
                                       "outer_product",    "dtypes",        "transposed_operand",
                                       "neighbours",       "flip_and_step", "reshaped",
                                       "counting",         "scalars",       "empty_map",
                                       "eight_dimensions", "huge_map",      "transposed_result"};
    for (size_t i = 0; i < sizeof record / sizeof *record; i++)
        check_case(&(graph_case){name[i], record[i], once, once});
    assert_int_equal(wrong, 0);
}

static void line1_outputs_meet_late(void **state) {
    (void)state;
    static const graph_case list[] = {{"outputs_meet_late", outputs_meet_late, {MAP, 0, true}, {MAP, 0, true}}};
    CHECK_CASES(list);
}

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
    out[0] = fsr_argmax(fsr_mul(plan_matrix(g, 1000, 3000), fsr_float(g, -1)), &axis1, 0);
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
    CHECK_CASES(list);
}

/* ---- line 3: sibling reductions over one domain ---------------------------------------------------------- */

static int six_of(fsr_node x, const int *axis, fsr_node *out) {
    out[0] = fsr_sum(x, axis, 1, 0);
    out[1] = fsr_min(x, axis, 1, 0);
    out[2] = fsr_max(x, axis, 1, 0);
    out[3] = fsr_mean(x, axis, 1, 0);
    out[4] = fsr_var(x, axis, 1, 0, 0);
    out[5] = fsr_argmax(x, axis, 0);
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
    CHECK_CASES(list);
}

static void line3_siblings_of_columns(void **state) {
    (void)state;
    static const graph_case list[] = {{"siblings_of_columns", siblings_of_columns, {COL, ANY, true}, {COL, ANY, true}}};
    CHECK_CASES(list);
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
    CHECK_CASES(list);
}

/* ---- line 4: reduce -> broadcast -> map along rows that fit on chip ---------------------------------------- */

static fsr_node softmax_of(fsr_node x) {
    fsr_node e = fsr_exp(fsr_sub(x, rowwise(fsr_max_at, x)));
    return fsr_div(e, rowwise(fsr_sum_at, e));
}

static int softmax(fsr_graph *g, fsr_node *out) {
    out[0] = softmax_of(plan_matrix(g, 8192, 4096));
    return 1;
}

static int softmax_one_row(fsr_graph *g, fsr_node *out) {
    out[0] = softmax_of(plan_matrix(g, 1, 4096));
    return 1;
}

static int softmax_short_rows(fsr_graph *g, fsr_node *out) {
    out[0] = softmax_of(plan_matrix(g, 1 << 20, 7));
    return 1;
}

static int softmax_three_dimensions(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_input(g, "x", FSR_F32, 3, SHAPE(32, 100, 1000));
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, AXES(-1), 1, FSR_KEEPDIMS)));
    out[0] = fsr_div(e, fsr_sum(e, AXES(-1), 1, FSR_KEEPDIMS));
    return 1;
}

static int log_softmax(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 8192, 1000), d = fsr_sub(x, rowwise(fsr_max_at, x));
    out[0] = fsr_sub(d, fsr_log(rowwise(fsr_sum_at, fsr_exp(d))));
    return 1;
}

static int layernorm(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 8192, 4096);
    fsr_node var = fsr_var(x, &axis1, 1, FSR_KEEPDIMS, 0), d = fsr_sub(x, rowwise(fsr_mean_at, x));
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
    out[0] = rowwise(fsr_mean_at, x);
    out[1] = fsr_sub(x, out[0]);
    return 2;
}

static int rescaled(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 2048, 2048), low = rowwise(fsr_min_at, x), high = rowwise(fsr_max_at, x);
    out[0] = fsr_div(fsr_sub(x, low), fsr_sub(high, low));
    return 1;
}

/* Attention's row: a mask, a scale, a softmax, and its row reduced again. */
static int entropy_of_softmax(fsr_graph *g, fsr_node *out) {
    fsr_node s = softmax_of(fsr_mul(plan_matrix(g, 2048, 2048), fsr_float(g, 0.125)));
    out[0] = fsr_neg(fsr_sum(fsr_mul(s, fsr_log(s)), &axis1, 1, 0));
    return 1;
}

static int scan_of_softmax(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(softmax_of(plan_matrix(g, 2048, 2048)), 1, 0);
    return 1;
}

static void line4_rows_that_fit(void **state) {
    (void)state;
    static const graph_case list[] = {
        {"softmax", softmax, {ROW, 3, true}, {ROW, 3, true}},
        {"softmax_one_row", softmax_one_row, {ROW, 3, true}, {ROW, 3, true}},
        {"softmax_short_rows", softmax_short_rows, {ROW, 3, true}, {ROW, 3, true}},
        {"softmax_three_dimensions", softmax_three_dimensions, {ROW, 3, true}, {ROW, 3, true}},
        {"log_softmax", log_softmax, {ROW, 3, true}, {ROW, 3, true}},
        {"layernorm", layernorm, {ROW, ANY, true}, {ROW, ANY, true}},
        {"standardize_short", standardize_short, {ROW, ANY, true}, {ROW, ANY, true}},
        {"centred_and_mean", centred_and_mean, {ROW, 2, true}, {ROW, 2, true}},
        {"rescaled", rescaled, {ROW, 2, true}, {ROW, 2, true}},
        {"entropy_of_softmax", entropy_of_softmax, {ROW, 3, true}, {ROW, 3, true}},
        {"scan_of_softmax", scan_of_softmax, {ROW, 3, true}, {ROW, 3, true}},
    };
    CHECK_CASES(list);
}

/* ---- line 5: the same, rows too long for the chip ----------------------------------------------------------- */

static int softmax_vector(fsr_graph *g, fsr_node *out) {
    out[0] = softmax_of(plan_matrix(g, 1, 1 << 24));
    return 1;
}

static int softmax_few_rows(fsr_graph *g, fsr_node *out) {
    out[0] = softmax_of(plan_matrix(g, 8, 1 << 20));
    return 1;
}

static int softmax_many_long_rows(fsr_graph *g, fsr_node *out) {
    out[0] = softmax_of(plan_matrix(g, 1000, 65536));
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
    fsr_node var = fsr_var(x, &axis1, 1, FSR_KEEPDIMS, 0), d = fsr_sub(x, rowwise(fsr_mean_at, x));
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
    expect(p.info.kernels <= 2, name, target, &p, "more than two kernels");
    for (int i = 0; i < p.ntemporaries; i++)
        expect(p.temporary[i].bytes <= p.info.bytes_min / 64, name, target, &p, "a temporary of the input's size");
    fsr_program_clear(&p);
    assert_int_equal(wrong, 0);
}

#define LINE5(record)                           \
    static void line5_##record(void **state) {  \
        fsr_node out[MAX_OUTS];                 \
        (void)state;                            \
        int n = record(graph, out);             \
        check_long(#record, &plan_cpu, out, n); \
        check_long(#record, &plan_gpu, out, n); \
    }
LINE5(softmax_vector)
LINE5(softmax_few_rows)
LINE5(softmax_many_long_rows)
LINE5(standardize_vector)
LINE5(standardize_columns)
LINE5(layernorm_long)
LINE5(rescaled_vector)

/* ---- line 6: maps -> scan -> maps, and reductions of it ------------------------------------------------------ */

static int running_sum(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(plan_vector(g, 1 << 24), 0, 0);
    return 1;
}

static int running_short(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cummax(plan_vector(g, 500), 0, FSR_EXCLUSIVE);
    return 1;
}

static int map_scan_map(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24), y = plan_vector(g, 1 << 24);
    out[0] = fsr_sqrt(fsr_add(fsr_cumsum(fsr_mul(x, y), 0, FSR_EXCLUSIVE), y));
    return 1;
}

static int scan_rows(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_exp(fsr_cumsum(fsr_neg(plan_matrix(g, 4096, 4096)), 1, 0));
    return 1;
}

static int scan_few_long_rows(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(plan_matrix(g, 4, 1 << 22), 1, 0);
    return 1;
}

static int scan_columns(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(plan_matrix(g, 1000, 4096), 0, 0);
    return 1;
}

/* One state for both: one exchange with the neighbours. */
static int sibling_scans(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24);
    out[0] = fsr_cumsum(x, 0, 0);
    out[1] = fsr_cumsum(fsr_mul(x, x), 0, 0);
    out[2] = fsr_cummax(x, 0, 0);
    return 3;
}

static int scan_of_scan(fsr_graph *g, fsr_node *out) {
    out[0] = fsr_cumsum(fsr_cumsum(plan_vector(g, 1 << 24), 0, 0), 0, 0);
    return 1;
}

static int reductions_of_scan(fsr_graph *g, fsr_node *out) {
    fsr_node s = fsr_cumsum(plan_vector(g, 1 << 24), 0, 0);
    out[0] = fsr_max(s, NULL, 0, 0);
    out[1] = fsr_min(s, NULL, 0, 0);
    return 2;
}

static int scan_and_its_reductions(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_vector(g, 1 << 24);
    out[0] = fsr_cumsum(x, 0, 0);
    out[1] = fsr_sum(x, NULL, 0, 0);
    out[2] = fsr_max(fsr_sub(out[0], x), NULL, 0, 0);
    return 3;
}

static int drawdown_of_rows(fsr_graph *g, fsr_node *out) {
    fsr_node s = fsr_cumsum(plan_matrix(g, 1000, 2500), 1, 0);
    out[0] = fsr_max(fsr_sub(fsr_cummax(s, 1, 0), s), &axis1, 1, 0);
    return 1;
}

/* y[i] = a[i] * y[i-1] + b[i], as a scan over pairs. */
static void recurrence_body(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

static int recurrence(fsr_graph *g, fsr_node *out) {
    fsr_operator op = {recurrence_body, NULL, 2, {1, 0}, false};
    fsr_node in[2] = {plan_vector(g, 1 << 24), fsr_exp(plan_vector(g, 1 << 24))}, both[2];
    fsr_scan_with(both, in, &op, 0, 0);
    out[0] = fsr_abs(both[1]);
    return 1;
}

static int cumulative_share(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 1000, 2500);
    out[0] = fsr_div(fsr_cumsum(x, 1, 0), rowwise(fsr_sum_at, x));
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
        {"scan_columns", scan_columns, {COL, 1, true}, {COL, 1, true}},
        {"sibling_scans", sibling_scans, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"scan_of_scan", scan_of_scan, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"reductions_of_scan", reductions_of_scan, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"scan_and_its_reductions", scan_and_its_reductions, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"drawdown_of_rows", drawdown_of_rows, {ROW, 1, true}, {ROW, 1, true}},
        {"recurrence", recurrence, {LOOKBACK, 1, true}, {ROW, 1, true}},
        {"cumulative_share", cumulative_share, {ROW, 2, true}, {ROW, 2, true}},
    };
    CHECK_CASES(list);
}

/* ---- what the schedule makes of it ------------------------------------------------------------------------------ */

/* An operand that only the last pass needs is loaded there, not held through the passes before. */
static void late_operands_load_late(void **state) {
    (void)state;
    fsr_node y = fsr_mul(plan_matrix(graph, 2048, 2048), softmax_of(plan_matrix(graph, 2048, 2048)));
    fsr_program p = plan_of(&plan_gpu, &y, 1);
    assert_int_equal(p.info.kernels, 1);
    const fsr_kernel *k = p.step[0].kernel;
    int late = 0, early = 0;
    for (int i = 0; i < k->ninsts; i++)
        if (k->inst[i].kind == FSR_INST_LOAD)
            *(k->inst[i].pass == k->npasses - 1 ? &late : &early) += 1;
    fsr_program_clear(&p);
    assert_int_equal(late, 1);
    assert_int_equal(early, 1);
}

/* Few long rows: together their blocks fill the machine, with no more partial states than that. */
static void splits_fill_the_machine(void **state) {
    (void)state;
    const int64_t resident = (int64_t)plan_gpu.processors * plan_gpu.threads_per_processor;
    for (int64_t rows = 1; rows <= 64; rows *= 4) {
        fsr_node y = fsr_sum(plan_matrix(graph, rows, 1 << 24), &axis1, 1, 0);
        fsr_program p = plan_of(&plan_gpu, &y, 1);
        const fsr_program_step *step = &p.step[0];
        int64_t threads = step->launch.blocks * step->kernel->schedule.threads;
        assert_int_equal(step->kernel->schedule.kind, FSR_SCHEDULE_SPLIT);
        fsr_program_clear(&p);
        assert_true(threads >= resident * 3 / 4 && threads <= resident * 3 / 2);
    }
}

/* Equal literals are one instruction. */
static void literals_are_shared(void **state) {
    (void)state;
    fsr_node x = plan_vector(graph, 1000);
    for (int i = 0; i < 6; i++)
        x = fsr_sin(fsr_mul(x, fsr_full(graph, FSR_F32, 0, NULL, 3)));
    fsr_program p = plan_of(&plan_gpu, &x, 1);
    int constants = 0;
    for (int i = 0; i < p.step[0].kernel->ninsts; i++)
        constants += p.step[0].kernel->inst[i].kind == FSR_INST_CONST;
    fsr_program_clear(&p);
    assert_int_equal(constants, 1);
}

/* ---- the bench's workloads -------------------------------------------------------------------------------------- */

static fsr_node bench_input_of(const bench_workload *w, int i, int64_t n) {
    if (w->file && strcmp(w->file, "face.npy") == 0)
        return fsr_input(graph, "x", FSR_U8, 3, SHAPE(768, 1024, 3));
    if (w->file)
        return plan_vector(graph, 108000);
    fsr_dtype dtype = bench_stream_of(w->in[i].stream).dtype;
    if (w->in[i].form == BENCH_MATRIX)
        return fsr_input(graph, "x", dtype, 2, SHAPE(n / BENCH_COLS, BENCH_COLS));
    return fsr_input(graph, "x", dtype, 1, SHAPE(w->in[i].form == BENCH_ROW ? BENCH_COLS : n));
}

/* A CPU that cannot keep a row's values reads a long row again. */
static void check_workload(const bench_workload *w, const fsr_target *target) {
    fsr_node in[BENCH_MAX_IN], out[BENCH_MAX_OUT];
    for (int i = 0; i < w->ninputs; i++)
        in[i] = bench_input_of(w, i, target->gpu ? w->n_cuda : w->n_cpu);
    w->build(graph, in, out);
    fsr_program p = plan_of(target, out, w->nouts);
    bool kernels = target->gpu ? p.info.kernels == w->kernels : p.info.kernels <= w->kernels;
    expect(kernels, w->name, target, &p, "another number of kernels than the bench expects");
    expect(w->kernels > 1 || p.info.temporaries == 0, w->name, target, &p, "temporaries");
    bool several = w->kernels > 1 || (!target->gpu && p.step[0].kernel->npasses > 1 && !p.step[0].work_bytes);
    bool once = p.info.bytes_moved == p.info.bytes_min;
    expect(several || once, w->name, target, &p, "more bytes moved than needed");
    fsr_program_clear(&p);
}

static void workloads(void **state) {
    (void)state;
    const bench_family *const family[] = {&bench_family_map,     &bench_family_reduce, &bench_family_rows,
                                          &bench_family_scan,    &bench_family_small,  &bench_family_real,
                                          &bench_family_science, &bench_family_dtypes};
    for (size_t f = 0; f < sizeof family / sizeof *family; f++) {
        assert_true(family[f]->count > 0);
        for (int i = 0; i < family[f]->count; i++) {
            check_workload(&family[f]->work[i], &plan_gpu);
            check_workload(&family[f]->work[i], &plan_cpu);
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(line1_maps),
        T(line1_outputs_meet_late),
        T(line2_reductions),
        T(line3_siblings),
        T(line3_siblings_of_columns),
        T(line3_siblings_meet_late),
        T(line4_rows_that_fit),
        T(line5_softmax_vector),
        T(line5_softmax_few_rows),
        T(line5_softmax_many_long_rows),
        T(line5_standardize_vector),
        T(line5_standardize_columns),
        T(line5_layernorm_long),
        T(line5_rescaled_vector),
        T(line6_scans),
        T(late_operands_load_late),
        T(splits_fill_the_machine),
        T(literals_are_shared),
        T(workloads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
