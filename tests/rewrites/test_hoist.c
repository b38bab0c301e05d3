/* SPDX-License-Identifier: MIT */
/* hoist: what is done to each moved element is done before, where every operand is moved alike. */
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

/* A mask, and what counts it, for all that a rewrite can know. */
typedef struct order {
    fsr_node mask, before;
} order;

static order order_of(const char *mask, const char *before, int64_t n) {
    return (order){fsr_input(g, mask, FSR_BOOL, 1, SHAPE(n)), fsr_input(g, before, FSR_I32, 1, SHAPE(n))};
}

/* x in that order. */
static fsr_node moved(fsr_node x, order o) {
    fsr_node handle;
    const fsr_type type = {fsr_node_rec(x)->shape, 1, {fsr_node_dtype(x)}};
    const fsr_node arg[] = {x, o.mask, o.before};
    fsr_rec *rec = fsr_graph_add(g, FSR_HERE, "filter", FSR_NODE_COMPACT, &type, &handle);
    for (int i = 0; i < 3; i++)
        rec->arg[rec->nargs++] = (fsr_ref){arg[i].id, arg[i].output};
    return handle;
}

static void maps(void **state) {
    (void)state;
    const order i = order_of("i", "n", 3);
    fsr_node x = INPUT(g, FSR_F32, 3), p = moved(x, i);
    fsr_node y = fsr_exp(fsr_mul(p, fsr_full(g, FSR_F32, 0, NULL, 2)));
    fsr_flow flow = flow_of(&y, 1);
    assert_true(flow_rewrite(&flow, "hoist"));
    flow_rewrite(&flow, "dce");
    flow_expect(&flow, "%0 = input f32[3] \"leaf0\"\n"
                       "%1 = input bool[3] \"leaf1\"\n"
                       "%2 = input i32[3] \"leaf2\"\n"
                       "%3 = const f32[] 2\n"
                       "%4 = view f32[3] %3 affine []\n"
                       "%5 = mul f32[3] %0, %4\n"
                       "%6 = exp f32[3] %5\n"
                       "%7 = compact f32[3] %6, %1, %2\n"
                       "return %7\n");
    fsr_flow_clear(&flow);
}

/* Shown as rows: that comes after the maps; an output needs no shape. */
static void rows(void **state) {
    (void)state;
    const order i = order_of("i", "n", 6);
    fsr_node x = INPUT(g, FSR_F32, 6), p = fsr_reshape(moved(x, i), 2, SHAPE(2, 3));
    fsr_node q = fsr_reshape(moved(fsr_neg(x), i), 2, SHAPE(2, 3));
    fsr_node y = fsr_mul(fsr_add(p, q), fsr_full(g, FSR_F32, 0, NULL, 2)), top = fsr_max(y, AXES(1), 1, FSR_KEEPDIMS);
    fsr_flow flow = flow_of((fsr_node[]){y, top}, 2);
    assert_true(flow_rewrite(&flow, "hoist"));
    flow_rewrite(&flow, "dce");
    flow_expect(&flow, "%0 = input f32[6] \"leaf0\"\n"
                       "%1 = input bool[6] \"leaf1\"\n"
                       "%2 = input i32[6] \"leaf2\"\n"
                       "%3 = neg f32[6] %0\n"
                       "%4 = add f32[6] %0, %3\n"
                       "%5 = const f32[] 2\n"
                       "%6 = view f32[6] %5 affine []\n"
                       "%7 = mul f32[6] %4, %6\n"
                       "%8 = compact f32[6] %7, %1, %2\n"
                       "%9 = view f32[2,3] %8 reshape\n"
                       "%10 = reduce f32[2,1] %9 axes=1 op=maximum\n"
                       "return %8, %10\n");
    fsr_flow_clear(&flow);
}

/* Two arrays that are moved alike, and what the result is asked for besides. */
static void several(void **state) {
    (void)state;
    const order i = order_of("i", "n", 3);
    fsr_node x = INPUT(g, FSR_F32, 3), p = moved(x, i), q = moved(fsr_neg(x), i);
    flow_check((fsr_node[]){fsr_maximum(p, q), p}, 2, "hoist", true,
               "%0 = input f32[3] \"leaf0\"\n"
               "%1 = input bool[3] \"leaf1\"\n"
               "%2 = input i32[3] \"leaf2\"\n"
               "%3 = compact f32[3] %0, %1, %2\n"
               "%4 = neg f32[3] %0\n"
               "%5 = compact f32[3] %4, %1, %2\n"
               "%6 = maximum f32[3] %0, %4\n"
               "%7 = compact f32[3] %6, %1, %2\n"
               "return %7, %3\n");
}

static void reductions(void **state) {
    (void)state;
    const order i = order_of("i", "n", 3);
    fsr_node x = INPUT(g, FSR_F32, 3), y = fsr_sum(moved(x, i), NULL, 0, FSR_KEEPDIMS);
    flow_check(&y, 1, "hoist", true,
               "%0 = input f32[3] \"leaf0\"\n"
               "%1 = input bool[3] \"leaf1\"\n"
               "%2 = input i32[3] \"leaf2\"\n"
               "%3 = compact f32[3] %0, %1, %2\n"
               "%4 = reduce f32[1] %0 axes=0 op=add\n"
               "return %4\n");
}

/* Filtered rows: along them a sum is that of what they were made of, down the columns it is not. */
static void rows_and_columns(void **state) {
    (void)state;
    const order i = {fsr_input(g, "i", FSR_BOOL, 2, SHAPE(2, 3)), fsr_input(g, "n", FSR_I32, 2, SHAPE(2, 3))};
    fsr_node p = moved(INPUT(g, FSR_F32, 2, 3), i), along = fsr_sum(p, AXES(1), 1, FSR_KEEPDIMS),
             down = fsr_sum(p, AXES(0), 1, FSR_KEEPDIMS);
    flow_check((fsr_node[]){along, down}, 2, "hoist", true,
               "%0 = input f32[2,3] \"leaf0\"\n"
               "%1 = input bool[2,3] \"leaf1\"\n"
               "%2 = input i32[2,3] \"leaf2\"\n"
               "%3 = compact f32[2,3] %0, %1, %2\n"
               "%4 = reduce f32[2,1] %0 axes=1 op=add\n"
               "%5 = reduce f32[1,3] %3 axes=0 op=add\n"
               "return %4, %5\n");
}

/* Another operand's element i is not the moved element i; a scan and a position depend on the order. */
static void not_moved(void **state) {
    (void)state;
    const order i = order_of("i", "n", 3), j = order_of("j", "m", 3), k = order_of("k", "o", 6), l = {i.mask, j.before};
    fsr_node x = INPUT(g, FSR_F32, 3), p = moved(x, i), six = INPUT(g, FSR_F32, 6);
    fsr_node apart = fsr_hint_set(fsr_reshape(moved(six, k), 2, SHAPE(2, 3)), FSR_HINT_MATERIALIZE);
    fsr_node pairs = fsr_reshape(moved(fsr_sin(six), k), 2, SHAPE(3, 2));
    fsr_node out[] = {fsr_add(p, x),
                      fsr_add(p, moved(x, j)),
                      fsr_add(p, moved(x, l)),
                      fsr_cumsum(p, AXES(0), 1, 0),
                      fsr_argmax(p, NULL, 0, 0),
                      fsr_neg(fsr_hint_set(moved(fsr_abs(x), i), FSR_HINT_MATERIALIZE)),
                      fsr_neg(apart),
                      fsr_sum(pairs, AXES(0), 1, 0),
                      fsr_add(pairs, fsr_reshape(six, 2, SHAPE(3, 2))),
                      fsr_neg(fsr_flip(moved(fsr_cos(x), i), 0))};
    fsr_flow flow = flow_of(out, (int)(sizeof out / sizeof *out));
    assert_false(flow_rewrite(&flow, "hoist"));
    fsr_flow_clear(&flow);
    fsr_node none = fsr_exp(x);
    flow = flow_of(&none, 1);
    assert_false(flow_rewrite(&flow, "hoist"));
    fsr_flow_clear(&flow);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(maps), T(rows), T(several), T(reductions), T(rows_and_columns), T(not_moved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
