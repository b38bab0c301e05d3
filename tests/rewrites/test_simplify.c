/* SPDX-License-Identifier: MIT */
/* simplify: every op with every literal on either side is offered to the rewrite; what it rewrites must give the same
 * bits at signed zeros, subnormals, infinities, NaN and the integers' ends, what is known to differ must stay. */
#include "primitives/primitives.h"
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

/* Both flows give the same bits for every edge value of their leaf. */
static void assert_same_values(const fsr_flow *a, const fsr_flow *b, const char *what) {
    fsr_value edge[FLOW_EDGES];
    for (int i = 0; i < a->n; i++) {
        if (a->node[i].kind != FSR_NODE_DATA)
            continue;
        int n = flow_edges(a->node[i].dtype[0], edge);
        for (int e = 0; e < n; e++) {
            fsr_value leaf[2] = {edge[e], edge[e]};
            fsr_value x = flow_value(a, a->out[0], leaf), y = flow_value(b, b->out[0], leaf);
            if (!fsr_value_equal(x, y))
                fail_msg("%s at %.17g: %llx became %llx", what, fsr_value_to_double(a->node[i].dtype[0], edge[e]),
                         (unsigned long long)x.bits, (unsigned long long)y.bits);
        }
    }
}

/* True if the rewrite rewrote the node, which then was checked. */
static bool offer(fsr_node y, const char *what) {
    fsr_flow before = flow_of(&y, 1), after;
    assert_int_equal(fsr_flow_copy(&after, &before), FSR_OK);
    bool changed = flow_rewrite(&after, "simplify");
    if (changed)
        assert_same_values(&before, &after, what);
    fsr_flow_clear(&before);
    fsr_flow_clear(&after);
    return changed;
}

/* op(x, literal) and op(literal, x), or op(literal, x, x) for three operands. */
static int offer_literal(fsr_op op, fsr_dtype dtype, fsr_value literal) {
    const fsr_op_info *info = fsr_op_get(op);
    int rewritten = 0;
    char what[96];
    for (int side = 0; side < info->arity; side++) {
        fsr_node x = INPUT(g, dtype, 3), args[3] = {x, x, x};
        args[side] = fsr_full(g, dtype, 1, SHAPE(3), fsr_value_to_double(dtype, literal));
        fsr_node y = fsr_map(FSR_HERE, op, args, info->arity);
        if (fsr_node_status(y))
            continue;
        snprintf(what, sizeof what, "%s of %s with literal %g as operand %d", info->name, fsr_dtype_name(dtype),
                 fsr_value_to_double(dtype, literal), side);
        rewritten += offer(y, what);
    }
    return rewritten;
}

static void every_rewrite_keeps_every_bit(void **state) {
    (void)state;
    int rewritten[FSR_OP_COUNT] = {0};
    for (int op = 0; op < FSR_OP_COUNT; op++)
        for (int dtype = 0; dtype < FSR_DTYPE_COUNT && op != FSR_OP_CAST; dtype++) {
            fsr_value edge[FLOW_EDGES];
            int n = flow_edges((fsr_dtype)dtype, edge);
            for (int e = 0; e < n; e++)
                rewritten[op] += offer_literal((fsr_op)op, (fsr_dtype)dtype, edge[e]);
        }
    assert_true(rewritten[FSR_OP_MUL] > 0 && rewritten[FSR_OP_DIV] > 0);
    assert_true(rewritten[FSR_OP_SUB] > 0 && rewritten[FSR_OP_WHERE] > 0);
}

static fsr_node typed(fsr_dtype dtype, double value) {
    return fsr_full(g, dtype, 1, SHAPE(3), value);
}

static void stays(fsr_node y) {
    fsr_flow flow = flow_of(&y, 1);
    bool changed = flow_rewrite(&flow, "simplify");
    fsr_flow_clear(&flow);
    assert_false(changed);
}

/* Each differs from what one might write for it at one number at least. */
static void counter_examples_stay(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), d = INPUT(g, FSR_F64, 3);
    stays(fsr_add(x, typed(FSR_F32, 0)));    /* -0 */
    stays(fsr_sub(x, typed(FSR_F32, -0.0))); /* -0 */
    stays(fsr_sub(typed(FSR_F32, 0), x));    /* 0 - 0 is +0, -x is -0 */
    stays(fsr_sub(x, x));                    /* inf, NaN */
    stays(fsr_mul(x, typed(FSR_F32, 0)));    /* inf, NaN, -1 */
    stays(fsr_mul(x, typed(FSR_F32, -1)));   /* the sign of a NaN */
    stays(fsr_mul(x, typed(FSR_F32, 2)));
    stays(fsr_div(x, x)); /* 0, inf, NaN */
    stays(fsr_div(typed(FSR_F32, 1), x));
    stays(fsr_div(typed(FSR_F32, 0), x)); /* 0, NaN, -1 */
    stays(fsr_maximum(x, typed(FSR_F32, -3.5e38)));
    stays(fsr_neg(fsr_neg(x)));
    stays(fsr_sqrt(fsr_mul(d, d)));
    stays(fsr_cast(fsr_cast(x, FSR_I32), FSR_F32));
    stays(fsr_cast(fsr_cast(d, FSR_F32), FSR_F64));
    stays(fsr_cast(x, FSR_BOOL));
    stays(fsr_where(fsr_less(x, typed(FSR_F32, 0)), x, x));
    stays(fsr_equal(x, x));
}

static void the_rules_in_text(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), y = fsr_mul(fsr_exp(x), fsr_float(g, 1));
    flow_check(&y, 1, "simplify", true,
               "%0 = input f32[3] \"leaf0\"\n"
               "%1 = exp f32[3] %0\n"
               "%2 = const f32[] 1\n"
               "%3 = view f32[3] %2 affine []\n"
               "%4 = mul f32[3] %1, %3\n"
               "return %1\n");
    y = fsr_exp(fsr_div(fsr_sub(x, fsr_float(g, 0)), fsr_float(g, 1)));
    fsr_flow flow = flow_of(&y, 1);
    assert_true(flow_rewrite(&flow, "simplify"));
    assert_true(flow_rewrite(&flow, "dce"));
    flow_expect(&flow, "%0 = input f32[3] \"leaf0\"\n"
                       "%1 = exp f32[3] %0\n"
                       "return %1\n");
    fsr_flow_clear(&flow);
}

static void a_literal_condition_chooses(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3), z = fsr_input(g, "z", FSR_F32, 1, SHAPE(3));
    for (int side = 0; side < 2; side++) {
        fsr_node y = fsr_where(fsr_bool(g, side == 0), x, z);
        fsr_flow flow = flow_of(&y, 1);
        assert_true(flow_rewrite(&flow, "simplify"));
        assert_int_equal(flow.node[flow.out[0].id].kind, FSR_NODE_DATA);
        assert_int_equal(flow.node[flow.out[0].id].ordinal, side);
        fsr_flow_clear(&flow);
    }
}

/* A fold over one element gives that element; but a sum of bools is no bool, and an exclusive scan is the identity. */
static void folds_of_one_element(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 1), s = fsr_exp(fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS));
    flow_check(&s, 1, "simplify", true,
               "%0 = input f32[3,1] \"leaf0\"\n"
               "%1 = reduce f32[3,1] %0 axes=1 op=add\n"
               "%2 = exp f32[3,1] %0\n"
               "return %2\n");
    fsr_node c = fsr_exp(fsr_cumsum(x, AXES(1), 1, 0));
    flow_check(&c, 1, "simplify", true,
               "%0 = input f32[3,1] \"leaf0\"\n"
               "%1 = scan f32[3,1] %0 axis=1 op=add\n"
               "%2 = exp f32[3,1] %0\n"
               "return %2\n");
    stays(fsr_exp(fsr_cumsum(x, AXES(1), 1, FSR_EXCLUSIVE)));
    stays(fsr_exp(fsr_sum(INPUT(g, FSR_F32, 3, 2), AXES(1), 1, 0)));
    stays(fsr_exp(fsr_cumsum(INPUT(g, FSR_F32, 3, 2), AXES(1), 1, 0)));
}

/* Every result of a tuple is its input. */
static void tuple_of_one_element(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3, 1), y = fsr_argmax(x, AXES(1), 1, FSR_KEEPDIMS);
    flow_check(&y, 1, "simplify", true,
               "%0 = input f32[3,1] \"leaf0\"\n"
               "%1 = iota i64[3,1] axis=1\n"
               "%2 = reduce (f32,i64)[3,1] %0, %1 axes=1 " ARGMAX_F32 "\n"
               "return %1\n");
}

static void hints_stay(void **state) {
    (void)state;
    fsr_node x = INPUT(g, FSR_F32, 3);
    stays(fsr_exp(fsr_hint_set(fsr_mul(x, fsr_float(g, 1)), FSR_HINT_MATERIALIZE)));
    assert_true(offer(fsr_exp(fsr_hint_set(fsr_mul(x, fsr_float(g, 1)), FSR_HINT_INLINE)), "x * 1"));
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(every_rewrite_keeps_every_bit),
        T(counter_examples_stay),
        T(the_rules_in_text),
        T(a_literal_condition_chooses),
        T(folds_of_one_element),
        T(tuple_of_one_element),
        T(hints_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
