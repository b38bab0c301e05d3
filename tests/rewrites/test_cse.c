/* SPDX-License-Identifier: MIT */
/* cse: equal nodes become one, whatever differs in one field does not. */
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

/* a and b are one node afterwards, or two. */
static void check_pair(fsr_node a, fsr_node b, bool merged) {
    fsr_node out[2] = {a, b};
    fsr_flow flow = flow_of(out, 2);
    flow_rewrite(&flow, "cse");
    bool same = fsr_link_equal(flow.out[0], flow.out[1]);
    fsr_flow_clear(&flow);
    assert_int_equal(same, merged);
}
#define EQUAL(a, b) check_pair(a, b, true)
#define DISTINCT(a, b) check_pair(a, b, false)

static void in_text(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), a = fsr_mul(fsr_exp(x), fsr_float(g, 2)),
             b = fsr_mul(fsr_exp(x), fsr_float(g, 2));
    fsr_node y = fsr_add(a, b);
    flow_check(&y, 1, "cse", true,
               "%0 = input f32[3] \"leaf0\"\n"
               "%1 = exp f32[3] %0\n"
               "%2 = const f32[] 2\n"
               "%3 = view f32[3] %2 affine []\n"
               "%4 = mul f32[3] %1, %3\n"
               "%5 = exp f32[3] %0\n"
               "%6 = const f32[] 2\n"
               "%7 = view f32[3] %2 affine []\n"
               "%8 = mul f32[3] %1, %3\n"
               "%9 = add f32[3] %4, %4\n"
               "return %9\n");
}

static void equal_nodes(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4);
    EQUAL(fsr_exp(x), fsr_exp(x));
    EQUAL(fsr_sum(x, AXES(0), 1, 0), fsr_sum(x, AXES(0), 1, 0));
    EQUAL(fsr_cumsum(x, AXES(1), 1, 0), fsr_cumsum(x, AXES(-1), 1, 0));
    EQUAL(fsr_transpose(x, NULL), fsr_transpose(x, AXES(1, 0)));
    EQUAL(fsr_slice(x, 0, 0, 2, 1), fsr_slice(x, 0, 0, -1, 1));
    EQUAL(fsr_arange(g, FSR_F32, 7), fsr_arange(g, FSR_F32, 7));
    EQUAL(fsr_full(g, FSR_F32, 1, SHAPE(3), 2), fsr_full(g, FSR_F32, 1, SHAPE(3), 2));
    EQUAL(fsr_argmax(x, AXES(1), 1, 0), fsr_argmax(x, AXES(1), 1, 0));
    EQUAL(fsr_cast(x, FSR_I32), fsr_cast(x, FSR_I32));
    fsr_node p = fsr_param(g, "p", FSR_F32, 2);
    EQUAL(fsr_mul(x, p), fsr_mul(x, p));
}

static void distinct_nodes(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 4), z = fsr_input(g, "z", FSR_F32, 2, SHAPE(3, 4));
    fsr_node sq = INPUT(g, FSR_F32, 4, 4);
    DISTINCT(fsr_exp(x), fsr_exp(z));
    DISTINCT(fsr_exp(x), fsr_log(x));
    DISTINCT(fsr_sub(x, z), fsr_sub(z, x));
    DISTINCT(fsr_sum(x, AXES(0), 1, 0), fsr_sum(x, AXES(1), 1, 0));
    DISTINCT(fsr_sum(sq, AXES(0), 1, FSR_KEEPDIMS), fsr_sum(sq, AXES(1), 1, FSR_KEEPDIMS));
    DISTINCT(fsr_sum(x, AXES(0), 1, 0), fsr_max(x, AXES(0), 1, 0));
    DISTINCT(fsr_cumsum(x, AXES(0), 1, 0), fsr_cumsum(x, AXES(1), 1, 0));
    DISTINCT(fsr_cumsum(x, AXES(0), 1, 0), fsr_cumsum(x, AXES(0), 1, FSR_EXCLUSIVE));
    DISTINCT(fsr_cumsum(x, AXES(0), 1, 0), fsr_cumsum(x, AXES(0), 1, FSR_REVERSE));
    DISTINCT(fsr_cumsum(x, AXES(0), 1, 0), fsr_cummax(x, AXES(0), 1, 0));
    DISTINCT(sq, fsr_transpose(sq, NULL));
    DISTINCT(fsr_flip(x, 0), fsr_flip(x, 1));
    DISTINCT(fsr_slice(x, 1, 0, 2, 1), fsr_slice(x, 1, 0, 4, 2));
    DISTINCT(fsr_slice(x, 1, 0, 2, 1), fsr_slice(x, 1, 1, 3, 1));
    DISTINCT(fsr_reshape(sq, 1, SHAPE(16)), fsr_reshape(fsr_transpose(sq, NULL), 1, SHAPE(16)));
    DISTINCT(fsr_cast(x, FSR_I32), fsr_cast(x, FSR_I64));
    DISTINCT(fsr_arange(g, FSR_F32, 7), fsr_arange(g, FSR_F32, 8));
    DISTINCT(fsr_arange(g, FSR_F32, 7), fsr_arange(g, FSR_I32, 7));
    DISTINCT(fsr_float(g, 0), fsr_float(g, -0.0));
    DISTINCT(fsr_full(g, FSR_F32, 0, NULL, 1), fsr_full(g, FSR_I32, 0, NULL, 1));
    DISTINCT(fsr_param(g, "p", FSR_F32, 2), fsr_param(g, "p", FSR_F32, 2));
}

/* The operators' bodies are compared, not only their shape. */
static void body(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    double factor = *(const double *)user;
    out[0] = fsr_add(left[0], right[0]);
    out[1] = fsr_add(left[1], fsr_mul(right[1], fsr_float(left[0].graph, factor)));
}

static void operators(void **state) {
    (void)state;
    double one = 1, two = 2;
    fsr_node in[2] = {INPUT(g, FSR_F32, 3), fsr_input(g, "z", FSR_F32, 1, SHAPE(3))}, a[2], b[2], c[2], d[2];
    fsr_operator op = {body, &one, 2, {0, 0}, true, {NULL}}, other = {body, &two, 2, {0, 0}, true, {NULL}},
                 ordered = op;
    ordered.commutative = false;
    fsr_scan_with(a, in, &op, AXES(0), 1, 0);
    fsr_scan_with(b, in, &op, AXES(0), 1, 0);
    fsr_scan_with(c, in, &other, AXES(0), 1, 0);
    fsr_scan_with(d, in, &ordered, AXES(0), 1, 0);
    EQUAL(a[0], b[0]);
    EQUAL(a[1], b[1]);
    DISTINCT(a[0], a[1]);
    DISTINCT(a[0], b[1]);
    DISTINCT(a[1], c[1]);
    DISTINCT(a[1], d[1]);
}

/* Two equal nodes with different hints are two, and stay in their order. */
static void hints(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3);
    DISTINCT(fsr_exp(x), fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE));
    DISTINCT(fsr_hint_set(fsr_exp(x), FSR_HINT_INLINE), fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE));
    EQUAL(fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE), fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE));
}

/* 2000 copies of one chain of 10: one chain is left, in time that is no square. */
static void many(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), sum = x;
    for (int i = 0; i < 2000; i++) {
        fsr_node y = x;
        for (int k = 0; k < 10; k++)
            y = fsr_sin(y);
        sum = i ? fsr_add(y, sum) : y;
    }
    fsr_flow flow = flow_of(&sum, 1);
    assert_true(flow_rewrite(&flow, "cse"));
    assert_true(flow_rewrite(&flow, "dce"));
    assert_int_equal(flow.n, 1 + 10 + 1999);
    fsr_flow_clear(&flow);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(in_text), T(equal_nodes), T(distinct_nodes), T(operators), T(hints), T(many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
