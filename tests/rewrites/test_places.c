/* SPDX-License-Identifier: MIT */
/* places: a call stores its places as they are asked for, if nobody else reads them. */
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

static void stored(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 9), both[2] = {fsr_argsort(x, NULL, 0, 0), fsr_sort(x, NULL, 0, 0)};
    fsr_flow flow = flow_of(both, 2);
    flow_rewrite(&flow, "compose");
    flow_rewrite(&flow, "cse");
    assert_true(flow_rewrite(&flow, "places"));
    flow_rewrite(&flow, "dce");
    flow_expect(&flow, "%0 = input f32[9] \"leaf0\"\n"
                       "%1 = library (f32,i64)[9] %0 sort\n"
                       "return %1.1, %1\n");
    assert_false(flow_rewrite(&flow, "places"));
    fsr_flow_clear(&flow);
}

/* A gather reads them as they are, too. */
static void read_twice(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 9), i = fsr_argtopk(x, 3, NULL, 0, 0),
             out[] = {i, fsr_take(x, i, 0, FSR_INDEX_CLIP)};
    fsr_flow flow = flow_of(out, 2);
    flow_rewrite(&flow, "compose");
    flow_rewrite(&flow, "cse");
    assert_false(flow_rewrite(&flow, "places"));
    fsr_flow_clear(&flow);
    flow = flow_of(out, 1);
    flow_rewrite(&flow, "compose");
    assert_true(flow_rewrite(&flow, "places"));
    fsr_flow_clear(&flow);
}

/* A cast that something else is made of before it is stored. */
static void not_stored(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 9), out = fsr_mul(fsr_argsort(x, NULL, 0, 0), fsr_int(g, 2));
    fsr_flow flow = flow_of(&out, 1);
    flow_rewrite(&flow, "compose");
    assert_false(flow_rewrite(&flow, "places"));
    fsr_flow_clear(&flow);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(stored), TEST(read_twice), TEST(not_stored)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
