/* SPDX-License-Identifier: MIT */
/* Line 1 of the fusion table: any DAG of maps and zipwiths, several outputs: one kernel. */
#include "tests/structure/table.h"

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

/* Of something cheap: a CPU's exponentials, each twice, took 0.29 ms in one kernel and 0.19 in two. */
static int transposed_operand(fsr_graph *g, fsr_node *out) {
    fsr_node x = plan_matrix(g, 512, 512);
    out[0] = fsr_add(fsr_abs(x), fsr_transpose(fsr_abs(x), NULL));
    return 1;
}

/* Of something cheap: a CPU's exponentials of neighbours, twice each, took 1.12 ms in one kernel and 0.88 in two. */
static int neighbours(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_abs(plan_vector(g, 1 << 20));
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

#define ONCE \
    { MAP, 0, true }
#define MAPPED(f) \
    { #f, f, ONCE, ONCE }

static void line1_maps(void **state) {
    (void)state;
    static const graph_case list[] = {
        MAPPED(one_op),           MAPPED(long_chain),    MAPPED(diamond),
        MAPPED(several_outputs),  MAPPED(eight_outputs), MAPPED(broadcasts),
        MAPPED(outer_product),    MAPPED(dtypes),        MAPPED(transposed_operand),
        MAPPED(neighbours),       MAPPED(flip_and_step), MAPPED(reshaped),
        MAPPED(counting),         MAPPED(scalars),       MAPPED(empty_map),
        MAPPED(eight_dimensions), MAPPED(huge_map),      MAPPED(transposed_result),
    };
    TABLE_CHECK(list);
}

static void line1_outputs_meet_late(void **state) {
    (void)state;
    static const graph_case list[] = {MAPPED(outputs_meet_late)};
    TABLE_CHECK(list);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TABLE_TEST(line1_maps),
        TABLE_TEST(line1_outputs_meet_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
