/* SPDX-License-Identifier: MIT */
/* fold: exact ops on 0-d literals become literals with the value of the table; everything else stays. */
#include "primitives/primitives.h"
#include "tests/rewrites/flows.h"
#include "tests/support/one_graph.h"

static fsr_node literal(fsr_dtype dtype, fsr_value value) {
    return fsr_literal(g, FSR_HERE, dtype, value, false);
}

static void check_folded(fsr_node y, bool exact, fsr_value expected) {
    fsr_flow flow = flow_of(&y, 1);
    bool map = flow.node[flow.out[0].id].kind == FSR_NODE_MAP;
    bool changed = flow_rewrite(&flow, "fold");
    const fsr_flow_node *n = &flow.node[flow.out[0].id];
    fsr_kind kind = n->kind;
    fsr_value value = n->value;
    fsr_flow_clear(&flow);
    assert_int_equal(changed, map && exact);
    assert_int_equal(kind, exact || !map ? FSR_NODE_CONST : FSR_NODE_MAP);
    if (changed && !fsr_value_equal(value, expected))
        fail_msg("folded to %llx, expected %llx", (unsigned long long)value.bits, (unsigned long long)expected.bits);
}

static void fold_one(fsr_op op, fsr_dtype dtype, const fsr_value *edge) {
    const fsr_op_info *info = fsr_op_get(op);
    fsr_node args[3];
    for (int i = 0; i < info->arity; i++)
        args[i] = literal(dtype, edge[i]);
    fsr_node y = fsr_map(FSR_HERE, op, args, info->arity);
    if (fsr_node_status(y))
        return;
    /* the operands as the builder converted them */
    fsr_flow flow = flow_of(&y, 1);
    const fsr_flow_node *n = &flow.node[flow.out[0].id];
    fsr_value expected = flow_value(&flow, flow.out[0], NULL);
    bool plain = true, exact = fsr_op_exact(op, flow.node[n->arg[n->nargs - 1].id].dtype[0]);
    for (int i = 0; i < n->nargs; i++)
        plain = plain && flow.node[n->arg[i].id].kind == FSR_NODE_CONST;
    fsr_flow_clear(&flow);
    if (plain)
        check_folded(y, exact, expected);
}

static void every_op_at_every_edge(void **state) {
    (void)state;
    for (int op = 0; op < FSR_OP_COUNT; op++)
        for (int dtype = 0; dtype < FSR_DTYPE_COUNT && op != FSR_OP_CAST; dtype++) {
            fsr_value edge[FLOW_EDGES + 2];
            int n = flow_edges((fsr_dtype)dtype, edge);
            edge[n] = edge[0];
            edge[n + 1] = edge[1];
            for (int e = 0; e < n; e++)
                fold_one((fsr_op)op, (fsr_dtype)dtype, &edge[e]);
        }
}

static void casts(void **state) {
    (void)state;
    fsr_node y = fsr_less(literal(FSR_F64, fsr_value_from_double(FSR_F64, 3)), fsr_float(g, 4));
    flow_check(&y, 1, "fold", true,
               "%0 = const f64[] 3\n"
               "%1 = const f64[] 4\n"
               "%2 = const bool[] 1\n"
               "return %2\n");
}

/* A result folds on in the same run. */
static void chains_fold(void **state) {
    (void)state;
    fsr_value two = fsr_value_from_double(FSR_F32, 2), three = fsr_value_from_double(FSR_F32, 3);
    fsr_node y = fsr_mul(fsr_add(literal(FSR_F32, two), literal(FSR_F32, three)), literal(FSR_F32, two));
    flow_check(&y, 1, "fold", true,
               "%0 = const f32[] 2\n"
               "%1 = const f32[] 3\n"
               "%2 = const f32[] 5\n"
               "%3 = const f32[] 2\n"
               "%4 = const f32[] 10\n"
               "return %4\n");
}

/* exp is only accurate to some ULP: the backend's own bits are meant. */
static void inexact_ops_stay(void **state) {
    (void)state;
    fsr_node y = fsr_neg(fsr_exp(fsr_float(g, 1)));
    flow_check(&y, 1, "fold", false,
               "%0 = const f64[] 1\n"
               "%1 = exp f64[] %0\n"
               "%2 = neg f64[] %1\n"
               "return %2\n");
}

static void parameters_and_arrays_stay(void **state) {
    (void)state;
    fsr_node y = fsr_add(fsr_param(g, "p", FSR_F32, 2), literal(FSR_F32, fsr_value_from_double(FSR_F32, 2)));
    flow_check(&y, 1, "fold", false,
               "%0 = param f32[] \"param0\" 0\n"
               "%1 = const f32[] 2\n"
               "%2 = add f32[] %0, %1\n"
               "return %2\n");
    y = fsr_add(fsr_full(g, FSR_F32, 1, SHAPE(3), 2), fsr_full(g, FSR_F32, 1, SHAPE(3), 2));
    flow_check(&y, 1, "fold", false,
               "%0 = const f32[] 2\n"
               "%1 = view f32[3] %0 affine []\n"
               "%2 = const f32[] 2\n"
               "%3 = view f32[3] %2 affine []\n"
               "%4 = add f32[3] %1, %3\n"
               "return %4\n");
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        T(every_op_at_every_edge), T(casts), T(chains_fold), T(inexact_ops_stay), T(parameters_and_arrays_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
