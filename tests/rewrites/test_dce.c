/* SPDX-License-Identifier: MIT */
/* dce: what no output needs goes, the rest keeps its order, leaves and scalars keep their ordinals. */
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

static void keeps_ordinals(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), z = fsr_input(g, "z", FSR_F32, 1, SHAPE(3));
    fsr_node p = fsr_param(g, "p", FSR_F32, 1), q = fsr_param(g, "q", FSR_F32, 2);
    fsr_node y = fsr_where(fsr_bool(g, false), fsr_mul(x, p), fsr_mul(z, q));
    fsr_flow flow = flow_of(&y, 1);
    assert_true(flow_rewrite(&flow, "simplify"));
    assert_true(flow_rewrite(&flow, "dce"));
    flow_expect(&flow, "%0 = input f32[3] \"leaf1\"\n"
                       "%1 = param f32[] \"param1\" 0\n"
                       "%2 = view f32[3] %1 affine []\n"
                       "%3 = mul f32[3] %0, %2\n"
                       "return %3\n");
    assert_int_equal(flow.nleaves, 2);
    assert_int_equal(flow.nscalars, 2);
    fsr_flow_clear(&flow);
}

static void nothing_to_drop(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), out[2] = {fsr_exp(x), fsr_sum(x, NULL, 0, 0)};
    flow_check(out, 2, "dce", false,
               "%0 = input f32[3] \"leaf0\"\n"
               "%1 = exp f32[3] %0\n"
               "%2 = reduce f32[1] %0 axes=0 op=add\n"
               "%3 = view f32[] %2 affine [0]\n"
               "return %1, %3\n");
}

/* One result of a tuple keeps the whole fold. */
static void tuples(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), y = fsr_argmax(x, NULL, 0, FSR_KEEPDIMS);
    fsr_flow flow = flow_of(&y, 1);
    flow_rewrite(&flow, "compose");
    flow_rewrite(&flow, "dce");
    flow_expect(&flow, "%0 = input f32[3] \"leaf0\"\n"
                       "%1 = iota i64[3] axis=0\n"
                       "%2 = reduce (f32,i64)[1] %0, %1 axes=0 " ARGMAX_F32 "\n"
                       "return %2.1\n");
    fsr_flow_clear(&flow);
}

static void the_same_output_twice(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), e = fsr_exp(x), out[3] = {e, e, x};
    flow_check(out, 3, "dce", false,
               "%0 = input f32[3] \"leaf0\"\n"
               "%1 = exp f32[3] %0\n"
               "return %1, %1, %0\n");
}

/* A hint keeps nobody alive. */
static void hinted_and_dead(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), h = fsr_hint_set(fsr_exp(x), FSR_HINT_MATERIALIZE);
    fsr_node y = fsr_where(fsr_bool(g, true), x, h);
    fsr_flow flow = flow_of(&y, 1);
    flow_rewrite(&flow, "simplify");
    assert_true(flow_rewrite(&flow, "dce"));
    flow_expect(&flow, "%0 = input f32[3] \"leaf0\"\n"
                       "return %0\n");
    fsr_flow_clear(&flow);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(keeps_ordinals), T(nothing_to_drop), T(tuples), T(the_same_output_twice), T(hinted_and_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
