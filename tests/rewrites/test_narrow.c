/* SPDX-License-Identifier: MIT */
/* narrow: comparisons and indices of 64 bits become ones of 32 where both sides fit, by text; and random ones keep
 * every answer. */
#include "primitives/primitives.h"
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

enum { N = 100, GRAPHS = 20000, VALUES = 40, DEPTH = 4, LENGTH = 7 };

/* How many comparisons of i32 the rewrite leaves; it changes nothing the second time. */
static int narrowed(fsr_node out) {
    fsr_flow flow = flow_of(&out, 1);
    flow_rewrite(&flow, "compose");
    flow_rewrite(&flow, "fold");
    flow_rewrite(&flow, "bounds");
    int n = 0;
    flow_rewrite(&flow, "narrow");
    assert_false(flow_rewrite(&flow, "narrow"));
    for (int i = 0; i < flow.n; i++) {
        const fsr_flow_node *node = &flow.node[i];
        const bool compares = node->kind == FSR_NODE_MAP && fsr_op_get(node->op)->rule == FSR_RULE_COMPARE;
        n += compares && flow.node[node->arg[0].id].dtype[0] == FSR_I32 &&
             flow.node[node->arg[1].id].dtype[0] == FSR_I32;
    }
    fsr_flow_clear(&flow);
    return n;
}

static void comparisons(void **state) {
    (void)state;
    const fsr_node i = fsr_arange(g, FSR_I64, N), k = fsr_param(g, "k", FSR_I64, 3);
    const fsr_node x = INPUT(g, FSR_I64, N), y = fsr_cast(INPUT(g, FSR_I32, N), FSR_I64);
    assert_int_equal(narrowed(fsr_less(i, fsr_int(g, 7))), 1);
    assert_int_equal(narrowed(fsr_less(i, k)), 1);
    assert_int_equal(narrowed(fsr_equal(k, fsr_sub(fsr_int(g, N), i))), 1);
    assert_int_equal(narrowed(fsr_greater_equal(fsr_minimum(i, fsr_int(g, 9)), fsr_add(i, fsr_int(g, 1)))), 1);
    assert_int_equal(narrowed(fsr_less(y, i)), 1);
    /* An array of i64; one number; a sum of which nothing is known; numbers at the end of 32 bits. */
    assert_int_equal(narrowed(fsr_less(x, i)), 0);
    assert_int_equal(narrowed(fsr_less(x, k)), 0);
    assert_int_equal(narrowed(fsr_less(k, fsr_int(g, 7))), 0);
    assert_int_equal(narrowed(fsr_less(fsr_add(i, k), fsr_int(g, 7))), 0);
    assert_int_equal(narrowed(fsr_less(fsr_add(i, fsr_int(g, INT32_MAX)), k)), 0);
    assert_int_equal(narrowed(fsr_less(i, fsr_int(g, (int64_t)1 << 40))), 1);
    assert_int_equal(narrowed(fsr_less(y, k)), 0);
    assert_int_equal(narrowed(fsr_less(fsr_arange(g, FSR_I64, ((int64_t)1 << 31) + 1), k)), 0);
}

static void what_it_makes(void **state) {
    (void)state;
    const fsr_node i = fsr_arange(g, FSR_I64, N), k = fsr_param(g, "k", FSR_I64, 3);
    fsr_node out = fsr_greater(i, k);
    flow_check(&out, 1, "narrow", true,
               "%0 = iota i64[100] axis=0\n"
               "%1 = param i64[] \"param0\" 0\n"
               "%2 = view i64[100] %1 affine []\n"
               "%3 = iota i32[100] axis=0\n"
               "%4 = const i64[] -2147483648\n"
               "%5 = const i64[] 2147483647\n"
               "%6 = clamp i64[] %1, %4, %5\n"
               "%7 = cast i32[] %6\n"
               "%8 = view i32[100] %7 affine []\n"
               "%9 = greater bool[100] %3, %8\n"
               "return %9\n");
    const fsr_node at = fsr_maximum(fsr_sub(fsr_int(g, N / 2), i), fsr_int(g, 0));
    out = fsr_take(INPUT(g, FSR_F32, N), at, 0, FSR_INDEX_CLIP);
    flow_check(&out, 1, "narrow", true,
               "%0 = input f32[100] \"leaf0\"\n"
               "%1 = const i64[] 50\n"
               "%2 = view i64[100] %1 affine []\n"
               "%3 = iota i64[100] axis=0\n"
               "%4 = sub i64[100] %2, %3\n"
               "%5 = const i64[] 0\n"
               "%6 = view i64[100] %5 affine []\n"
               "%7 = maximum i64[100] %4, %6\n"
               "%8 = const i32[] 50\n"
               "%9 = view i32[100] %8 affine []\n"
               "%10 = iota i32[100] axis=0\n"
               "%11 = sub i32[100] %9, %10\n"
               "%12 = const i32[] 0\n"
               "%13 = view i32[100] %12 affine []\n"
               "%14 = maximum i32[100] %11, %13\n"
               "%15 = cast i64[100] %14\n"
               "%16 = gather f32[100] %0, %15 axes=0 affine [0] mode=clip\n"
               "return %16\n");
}

/* ---- random ones ------------------------------------------------------------------------------------------- */

static uint64_t seed = 1;

static int below(int n) {
    return (int)flow_random(&seed, (uint32_t)n);
}

/* Near 0 and near the ends of what 31, 32, 33 and 63 bits hold. */
static int64_t any_number(void) {
    static const int ends[] = {0, 4, 30, 31, 32, 62};
    return ((int64_t)1 << ends[below(6)]) * (below(3) ? 1 : -1) + below(5) - 2;
}

static fsr_node any_side(int depth) {
    const fsr_node one = fsr_int(g, any_number());
    if (depth == 0 || below(4) == 0) {
        switch (below(4)) {
        case 0: return INPUT(g, FSR_I64, 1);
        case 1: return fsr_cast(INPUT(g, below(2) ? FSR_I32 : FSR_U16, LENGTH), FSR_I64);
        case 2: return one;
        default: return fsr_clamp(INPUT(g, FSR_I64, LENGTH), one, fsr_int(g, any_number()));
        }
    }
    const fsr_node x = any_side(depth - 1), y = any_side(depth - 1);
    switch (below(6)) {
    case 0: return fsr_add(x, y);
    case 1: return fsr_sub(x, y);
    case 2: return fsr_minimum(x, y);
    case 3: return fsr_maximum(x, y);
    case 4: return fsr_clamp(x, one, y);
    default: return fsr_minimum(fsr_maximum(x, fsr_int(g, any_number())), one);
    }
}

static fsr_node any_comparison(void) {
    const fsr_node x = any_side(DEPTH), y = any_side(DEPTH);
    switch (below(6)) {
    case 0: return fsr_less(x, y);
    case 1: return fsr_less_equal(x, y);
    case 2: return fsr_greater(x, y);
    case 3: return fsr_greater_equal(x, y);
    case 4: return fsr_equal(x, y);
    default: return fsr_not_equal(x, y);
    }
}

static fsr_value any_value(fsr_dtype dtype) {
    return fsr_value_from_int(dtype, any_number());
}

static int check(fsr_node out, int graph) {
    fsr_flow before = flow_of(&out, 1), after = flow_of(&out, 1);
    const bool changed = before.nleaves <= FSR_MAX_ARGS && flow_rewrite(&after, "narrow");
    for (int i = 0; i < VALUES && changed; i++) {
        fsr_value value[FSR_MAX_ARGS];
        for (int k = 0; k < before.n; k++)
            if (before.node[k].kind == FSR_NODE_DATA)
                value[before.node[k].ordinal] = any_value(before.node[k].dtype[0]);
        if (flow_value(&before, before.out[0], value).b == flow_value(&after, after.out[0], value).b)
            continue;
        fsr_flow_print(&before, stdout);
        fsr_flow_print(&after, stdout);
        fail_msg("graph %d: another answer", graph);
    }
    fsr_flow_clear(&before);
    fsr_flow_clear(&after);
    return changed;
}

static void answers_stay(void **state) {
    int changed = 0;
    (void)state;
    for (int graph = 0; graph < GRAPHS; graph++) {
        const fsr_node out = any_comparison();
        changed += fsr_node_status(out) ? 0 : check(out, graph);
        if (graph % 100 == 99) {
            fsr_graph_owner_free(owner);
            g = node_graph(&owner);
        }
    }
    printf("%d of %d changed\n", changed, GRAPHS);
    assert_true(changed > GRAPHS / 50);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(comparisons), T(what_it_makes), T(answers_stay)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
