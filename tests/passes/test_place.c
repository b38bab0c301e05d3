/* SPDX-License-Identifier: MIT */
/* place: what is done to each placed element is done before, where every operand has the same place. */
#include "tests/passes/flows.h"
#include "tests/support/one_graph.h"

/* x in the order of `places`, an i32 array. */
static fsr_node placed(fsr_node x, fsr_node places) {
    fsr_node handle;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {fsr_node_dtype(x)}};
    fsr_rec *rec = fsr_graph_add(g, FSR_HERE, "place", FSR_NODE_PLACE, &type, &handle);
    rec->nargs = 2;
    rec->arg[0] = (fsr_ref){x.id, x.output};
    rec->arg[1] = (fsr_ref){places.id, places.output};
    return handle;
}

static void maps(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), i = INPUT(g, FSR_I32, 3), p = placed(x, i);
    fsr_node y = fsr_exp(fsr_mul(p, fsr_full(g, FSR_F32, 0, NULL, 2)));
    fsr_flow flow = flow_of(&y, 1);
    assert_true(flow_pass(&flow, "place"));
    flow_pass(&flow, "dce");
    flow_expect(&flow, "%0 = input f32[3] \"leaf0\"\n"
                       "%1 = input i32[3] \"leaf1\"\n"
                       "%2 = const f32[] 2\n"
                       "%3 = view f32[3] %2 affine []\n"
                       "%4 = mul f32[3] %0, %3\n"
                       "%5 = exp f32[3] %4\n"
                       "%6 = place f32[3] %5, %1\n"
                       "return %6\n");
    fsr_flow_clear(&flow);
}

/* Rows of a filter: places of one dimension, shown as rows, which come after the maps; an output needs no shape. */
static void rows(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 6), i = INPUT(g, FSR_I32, 6), p = fsr_reshape(placed(x, i), 2, SHAPE(2, 3));
    fsr_node q = fsr_reshape(placed(fsr_neg(x), i), 2, SHAPE(2, 3));
    fsr_node y = fsr_mul(fsr_add(p, q), fsr_full(g, FSR_F32, 0, NULL, 2)), top = fsr_max(y, AXES(1), 1, FSR_KEEPDIMS);
    fsr_flow flow = flow_of((fsr_node[]){y, top}, 2);
    assert_true(flow_pass(&flow, "place"));
    flow_pass(&flow, "dce");
    flow_expect(&flow, "%0 = input f32[6] \"leaf0\"\n"
                       "%1 = input i32[6] \"leaf1\"\n"
                       "%2 = neg f32[6] %0\n"
                       "%3 = add f32[6] %0, %2\n"
                       "%4 = const f32[] 2\n"
                       "%5 = view f32[6] %4 affine []\n"
                       "%6 = mul f32[6] %3, %5\n"
                       "%7 = place f32[6] %6, %1\n"
                       "%8 = view f32[2,3] %7 reshape\n"
                       "%9 = reduce f32[2,1] %8 axes=1 op=maximum\n"
                       "return %7, %9\n");
    fsr_flow_clear(&flow);
}

/* Two arrays of the same places, and what the result is asked for besides. */
static void several(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), i = INPUT(g, FSR_I32, 3), p = placed(x, i), q = placed(fsr_neg(x), i);
    flow_check((fsr_node[]){fsr_maximum(p, q), p}, 2, "place", true,
               "%0 = input f32[3] \"leaf0\"\n"
               "%1 = input i32[3] \"leaf1\"\n"
               "%2 = place f32[3] %0, %1\n"
               "%3 = neg f32[3] %0\n"
               "%4 = place f32[3] %3, %1\n"
               "%5 = maximum f32[3] %0, %3\n"
               "%6 = place f32[3] %5, %1\n"
               "return %6, %2\n");
}

static void reductions(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), i = INPUT(g, FSR_I32, 3), y = fsr_sum(placed(x, i), NULL, 0, FSR_KEEPDIMS);
    flow_check(&y, 1, "place", true,
               "%0 = input f32[3] \"leaf0\"\n"
               "%1 = input i32[3] \"leaf1\"\n"
               "%2 = place f32[3] %0, %1\n"
               "%3 = reduce f32[1] %0 axes=0 op=add\n"
               "return %3\n");
}

/* Another operand's element i is not the placed element i; a scan and a position depend on the order. */
static void not_moved(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), i = INPUT(g, FSR_I32, 3), j = fsr_input(g, "j", FSR_I32, 1, SHAPE(3));
    fsr_node p = placed(x, i), six = INPUT(g, FSR_F32, 6), k = fsr_input(g, "k", FSR_I32, 1, SHAPE(6));
    fsr_node apart = fsr_hint_set(fsr_reshape(placed(six, k), 2, SHAPE(2, 3)), FSR_HINT_MATERIALIZE);
    fsr_node pairs = fsr_reshape(placed(fsr_sin(six), k), 2, SHAPE(3, 2));
    fsr_node out[] = {fsr_add(p, x),
                      fsr_add(p, placed(x, j)),
                      fsr_cumsum(p, AXES(0), 1, 0),
                      fsr_argmax(p, NULL, 0, 0),
                      fsr_neg(fsr_hint_set(placed(fsr_abs(x), i), FSR_HINT_MATERIALIZE)),
                      fsr_neg(apart),
                      fsr_sum(pairs, AXES(0), 1, 0),
                      fsr_add(pairs, fsr_reshape(six, 2, SHAPE(3, 2))),
                      fsr_neg(fsr_flip(placed(fsr_cos(x), i), 0))};
    fsr_flow flow = flow_of(out, (int)(sizeof out / sizeof *out));
    assert_false(flow_pass(&flow, "place"));
    fsr_flow_clear(&flow);
    fsr_node none = fsr_exp(x);
    flow = flow_of(&none, 1);
    assert_false(flow_pass(&flow, "place"));
    fsr_flow_clear(&flow);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(maps), T(rows), T(several), T(reductions), T(not_moved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
