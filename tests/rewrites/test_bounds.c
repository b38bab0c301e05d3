/* SPDX-License-Identifier: MIT */
/* bounds: a gather reports only where an index may be outside, at both ends, for each way to know it. */
#include "primitives/primitives.h"
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

enum { N = 100 };

/* The rewrite takes the report from a gather of N elements by these indices. */
static bool clips(fsr_node index) {
    fsr_node out = fsr_take(INPUT(g, FSR_F32, N), index, 0, FSR_INDEX_RAISE);
    fsr_flow flow = flow_of(&out, 1);
    flow_rewrite(&flow, "compose");
    flow_rewrite(&flow, "fold");
    const bool changed = flow_rewrite(&flow, "bounds");
    int raise = 0, clip = 0;
    for (int i = 0; i < flow.n; i++) {
        const fsr_flow_node *n = &flow.node[i];
        raise += n->kind == FSR_NODE_GATHER && n->mode == FSR_INDEX_RAISE && n->report;
        clip += n->kind == FSR_NODE_GATHER && n->mode == FSR_INDEX_CLIP && !n->report;
    }
    assert_int_equal(raise + clip, 1);
    assert_int_equal(changed, clip);
    assert_false(flow_rewrite(&flow, "bounds"));
    fsr_flow_clear(&flow);
    return clip;
}

static fsr_node clamped(fsr_node x, double low, double high) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    return fsr_clamp(x, fsr_full(g, dtype, 0, NULL, low), fsr_full(g, dtype, 0, NULL, high));
}

static void clamps(void **state) {
    (void)state;
    const fsr_dtype dtype[] = {FSR_I64, FSR_I32, FSR_U64, FSR_I16};
    for (int i = 0; i < 4; i++) {
        const fsr_node x = INPUT(g, dtype[i], 7);
        assert_true(clips(clamped(x, 0, N - 1)));
        assert_true(clips(clamped(x, 3, 5)));
        assert_true(clips(clamped(x, 50, 5)));
        assert_false(clips(clamped(x, 0, N)));
        assert_false(clips(clamped(x, 3 * N, 2 * N)));
        assert_false(clips(x));
    }
    const fsr_node x = INPUT(g, FSR_I64, 7);
    assert_false(clips(clamped(x, -1, N - 1)));
    assert_false(clips(clamped(x, -N, -1)));
    assert_false(clips(fsr_minimum(x, fsr_int(g, N - 1))));
    assert_false(clips(fsr_maximum(x, fsr_int(g, 0))));
    assert_true(clips(fsr_maximum(fsr_minimum(x, fsr_int(g, N - 1)), fsr_int(g, 0))));
    assert_true(clips(fsr_minimum(fsr_maximum(fsr_int(g, 0), x), fsr_int(g, N - 1))));
    assert_false(clips(fsr_add(clamped(x, 0, N - 1), fsr_int(g, 1))));
}

static void dtypes(void **state) {
    (void)state;
    assert_false(clips(INPUT(g, FSR_U8, 7)));
    assert_true(clips(fsr_minimum(INPUT(g, FSR_U8, 7), fsr_cast(fsr_int(g, N - 1), FSR_U8))));
    assert_true(clips(fsr_minimum(INPUT(g, FSR_U32, 7), fsr_cast(fsr_int(g, N - 1), FSR_U32))));
    assert_false(clips(fsr_minimum(INPUT(g, FSR_I8, 7), fsr_cast(fsr_int(g, N - 1), FSR_I8))));
    /* 300 is 44 in eight bits, and -1 the greatest that has no sign. */
    const fsr_node x = INPUT(g, FSR_I64, 7);
    assert_false(clips(fsr_cast(clamped(x, 300, 310), FSR_U8)));
    assert_false(clips(fsr_cast(clamped(x, -1, 9), FSR_U64)));
    assert_true(clips(fsr_cast(clamped(x, 0, 9), FSR_U64)));
    assert_true(clips(fsr_cast(clamped(x, 0, 9), FSR_I8)));
}

static void remainders(void **state) {
    (void)state;
    const fsr_node x = INPUT(g, FSR_I64, 7);
    assert_true(clips(fsr_mod(x, fsr_int(g, N))));
    assert_false(clips(fsr_mod(x, fsr_int(g, N + 1))));
    assert_false(clips(fsr_mod(x, fsr_int(g, -N))));
    assert_false(clips(fsr_mod(fsr_int(g, 7), x)));
}

/* Sums that may wrap are anything. */
static void sums(void **state) {
    (void)state;
    const fsr_node x = clamped(INPUT(g, FSR_I32, 7), 0, 50), i = fsr_arange(g, FSR_I64, 2 * N);
    const fsr_node wide = fsr_cast(clamped(INPUT(g, FSR_I32, 7), 200, 250), FSR_U8);
    assert_true(clips(fsr_add(x, fsr_int(g, N - 51))));
    assert_false(clips(fsr_add(x, fsr_int(g, N - 50))));
    assert_true(clips(fsr_sub(fsr_int(g, 50), x)));
    assert_false(clips(fsr_sub(fsr_int(g, 49), x)));
    assert_false(clips(fsr_add(fsr_sub(wide, fsr_cast(fsr_int(g, 200), FSR_U8)), fsr_sub(wide, wide))));
    assert_true(clips(fsr_floor_divide(i, fsr_int(g, 2))));
    assert_false(clips(i));
    assert_false(clips(fsr_floor_divide(i, fsr_int(g, -2))));
}

/* Of a float that may be NaN: that becomes 0, which 3 to 5 is not. */
static void floats(void **state) {
    (void)state;
    const fsr_node x = INPUT(g, FSR_F32, 7);
    assert_true(clips(fsr_cast(clamped(x, 0, N - 1), FSR_I64)));
    assert_true(clips(fsr_cast(clamped(x, 0.5, N - 0.5), FSR_I32)));
    assert_true(clips(fsr_cast(clamped(x, -0.5, 8), FSR_I64)));
    assert_false(clips(fsr_cast(clamped(x, 0, N), FSR_I64)));
    assert_false(clips(fsr_cast(clamped(x, -1, 8), FSR_I64)));
    assert_false(clips(fsr_cast(fsr_minimum(x, fsr_float(g, 8)), FSR_I64)));
    assert_true(clips(fsr_cast(fsr_cast(clamped(INPUT(g, FSR_I64, 7), 0, 9), FSR_F32), FSR_I64)));
    assert_false(clips(fsr_cast(fsr_cast(clamped(INPUT(g, FSR_I64, 7), 0, N), FSR_F32), FSR_I64)));
}

/* What lies between ends is not what a float makes of it; of integers above 2^53 two are one double. */
static void rounded(void **state) {
    (void)state;
    static const struct {
        fsr_dtype dtype;
        int64_t high; /* becomes one more */
    } row[] = {{FSR_F32, (1 << 24) + 3}, {FSR_F16, (1 << 11) + 3}, {FSR_BF16, (1 << 8) + 3}};
    const int64_t odd = ((int64_t)1 << 53) + 1;
    const fsr_node x = INPUT(g, FSR_I64, 7), high = fsr_int(g, odd), low = fsr_int(g, odd - 1);
    for (int i = 0; i < 3; i++) {
        const fsr_node as = fsr_cast(clamped(x, 0, (double)row[i].high), row[i].dtype);
        const fsr_node back = fsr_sub(fsr_cast(as, FSR_I64), fsr_int(g, row[i].high - (N - 1)));
        assert_false(clips(fsr_maximum(back, fsr_int(g, 0))));
    }
    assert_false(clips(fsr_sub(fsr_clamp(x, low, high), fsr_int(g, odd - N))));
    assert_false(clips(fsr_sub(fsr_add(clamped(x, 0, 0x1p53 - 1), fsr_int(g, 2)), fsr_int(g, odd - N))));
    assert_true(clips(fsr_sub(fsr_clamp(x, fsr_int(g, odd - 9), fsr_int(g, odd - 2)), fsr_int(g, odd - N))));
}

/* Indices of two axes: both have to be inside; and through views and choices. */
static void axes(void **state) {
    (void)state;
    const fsr_node x = INPUT(g, FSR_I64, 7), low = clamped(x, 0, 9), high = clamped(x, 0, N - 1);
    assert_true(clips(fsr_where(fsr_less(x, fsr_int(g, 5)), low, high)));
    assert_false(clips(fsr_where(fsr_less(x, fsr_int(g, 5)), low, x)));
    assert_true(clips(fsr_flip(high, 0)));
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(clamps), TEST(dtypes),  TEST(remainders), TEST(sums),
                                       TEST(floats), TEST(rounded), TEST(axes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
