/* SPDX-License-Identifier: MIT */
/* Misuses of a caller's operator: what its body gives, records and destroys. */
#include "tests/error/misuse.h"

static void body_nothing(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)out, (void)l, (void)r, (void)user;
}
static void body_add(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(l[0], r[0]);
}
static void body_less(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_less(l[0], r[0]);
}
static void body_weak_float(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)l, (void)r, (void)user;
    out[0] = fsr_float(g, 2);
}
static void body_outer(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_add(l[0], v5);
}
static void body_param(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_add(l[0], fsr_param(g, "p", FSR_F32, 1));
}
static void body_computed(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r;
    out[0] = fsr_add(l[0], *(const fsr_node *)user);
}
static void body_reduces(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_squeeze(fsr_sum(fsr_reshape(l[0], 1, SHAPE(1)), NULL, 0, FSR_KEEPDIMS), 0);
}
static void body_poison(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_cast_at(fsr_here("body.c", 3), l[0], (fsr_dtype)99);
}
static void body_foreign(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)l, (void)r, (void)user;
    out[0] = fsr_full(other, FSR_F32, 0, NULL, 1);
}
static void body_ends_scope(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(l[0], r[0]);
    fsr_scope_end(g, NULL, 0);
}
static void body_swaps_scopes(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    body_ends_scope(out, l, r, user);
    fsr_scope_begin(g);
    out[0] = fsr_full(g, FSR_F32, 0, NULL, 1);
}
static void body_leaves_scopes_open(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    fsr_scope_begin(g);
    fsr_scope_begin(g);
    body_add(out, l, r, user);
}
static void body_stale(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    fsr_scope_begin(g);
    body_add(out, l, r, user);
    fsr_scope_end(g, NULL, 0);
}
static void body_long(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    out[0] = fsr_add(l[0], r[0]);
    for (int i = 0; i < *(int *)user; i++)
        out[0] = fsr_mul(fsr_exp(out[0]), r[0]);
}
static void body_frees_graph(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(l[0], r[0]);
    fsr_graph_free(l[0].graph);
}
/* A reduction inside a body: its own body may not use the outer one's arguments. */
static fsr_node outer_argument;
static void body_inner(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_add(l[0], outer_argument);
}
static void body_nested(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    fsr_operator inner = {body_inner, NULL, 1, {0}, true, {NULL}};
    outer_argument = l[0];
    fsr_node vector = fsr_reshape(l[0], 1, SHAPE(1));
    fsr_reduce_with_at(fsr_here("body.c", 7), sizeof(fsr_operator), out, &vector, &inner, NULL, 0, 0);
}

static fsr_node with(fsr_operator_fn body, fsr_node x, void *user) {
    fsr_node out = m34;
    fsr_operator op = {body, user, 1, {0}, true, {NULL}};
    fsr_reduce_with_at(AT, sizeof(fsr_operator), &out, &x, &op, NULL, 0, 0);
    return out;
}
static fsr_node op_nothing(void) {
    return with(body_nothing, v5, NULL);
}
static fsr_node op_less(void) {
    return with(body_less, v5, NULL);
}
static fsr_node op_weak_float(void) {
    return with(body_weak_float, i3, NULL);
}
static fsr_node op_outer(void) {
    return with(body_outer, v5, NULL);
}
static fsr_node op_param(void) {
    return with(body_param, v5, NULL);
}
static fsr_node op_computed(void) {
    fsr_node sum = fsr_sum(v5, NULL, 0, 0);
    return with(body_computed, v5, &sum);
}
static fsr_node op_reduces(void) {
    return with(body_reduces, v5, NULL);
}
static fsr_node op_poison(void) {
    return with(body_poison, v5, NULL);
}
static fsr_node op_foreign(void) {
    return with(body_foreign, v5, NULL);
}
static fsr_node op_ends_scope(void) {
    return with(body_ends_scope, v5, NULL);
}
static fsr_node op_swaps_scopes(void) {
    return with(body_swaps_scopes, v5, NULL);
}
static fsr_node op_stale(void) {
    return with(body_stale, v5, NULL);
}
static fsr_node op_long(void) {
    return with(body_long, v5, &(int){140});
}
static fsr_node op_very_long(void) {
    return with(body_long, v5, &(int){4000});
}
static fsr_node op_nested(void) {
    return with(body_nested, v5, NULL);
}
static fsr_node op_null_body(void) {
    return with(NULL, v5, NULL);
}
static fsr_node op_null_operand(void) {
    return with(body_add, (fsr_node){0}, NULL);
}
static fsr_node op_poisoned_operand(void) {
    return with(body_add, fsr_add_at(AT, m34, v5), NULL);
}
static fsr_node op_null(void) {
    fsr_node out, x = v5;
    fsr_scan_with_at(AT, sizeof(fsr_operator), &out, &x, NULL, AXES(0), 1, 0);
    return out;
}
static fsr_node op_arity(void) {
    fsr_node out, x = v5;
    fsr_operator op = {body_add, NULL, 5, {0}, true, {NULL}};
    fsr_reduce_with_at(AT, sizeof(fsr_operator), &out, &x, &op, NULL, 0, 0);
    return out;
}
static fsr_node op_shapes(void) {
    fsr_node out[2], in[2] = {v5, m34};
    fsr_operator op = {body_add, NULL, 2, {0}, true, {NULL}};
    fsr_scan_with_at(AT, sizeof(fsr_operator), out, in, &op, AXES(0), 1, 0);
    assert_int_equal(fsr_node_status(out[0]), fsr_node_status(out[1]));
    return out[1];
}
static fsr_node op_axis(void) {
    fsr_node out, x = v5;
    fsr_operator op = {body_add, NULL, 1, {0}, true, {NULL}};
    fsr_scan_with_at(AT, sizeof(fsr_operator), &out, &x, &op, AXES(1), 1, 0);
    return out;
}
static fsr_node op_flags(void) {
    fsr_node out, x = v5;
    fsr_operator op = {body_add, NULL, 1, {0}, true, {NULL}};
    fsr_reduce_with_at(AT, sizeof(fsr_operator), &out, &x, &op, NULL, 0, 7);
    return out;
}

#define OUTSIDE "the operator's body uses something else than its arguments and literals (prog.c:12)"

static const misuse misuses[] = {
    {op_nothing, FSR_ERR_NULL, "reduce_with: result 0 of the operator's body is a null handle (prog.c:12)"},
    {op_less, FSR_ERR_DTYPE, "reduce_with: result 0 of the operator's body is bool, not f32 (prog.c:12)"},
    {op_weak_float, FSR_ERR_DTYPE, "reduce_with: result 0 of the operator's body is f64, not i32 (prog.c:12)"},
    {op_outer, FSR_ERR_VALUE, "reduce_with: " OUTSIDE},
    {op_param, FSR_ERR_VALUE, "reduce_with: " OUTSIDE},
    {op_computed, FSR_ERR_VALUE, "reduce_with: " OUTSIDE},
    {op_reduces, FSR_ERR_VALUE, "reduce_with: " OUTSIDE},
    {op_poison, FSR_ERR_DTYPE, "reduce_with: in the operator's body: cast: 99 is no dtype (body.c:3) (prog.c:12)"},
    {op_foreign, FSR_ERR_GRAPH, "reduce_with: result 0 of the operator's body belongs to another graph (prog.c:12)"},
    {op_ends_scope, FSR_ERR_SCOPE, "reduce_with: the operator's body ended a scope that it did not begin (prog.c:12)"},
    {op_swaps_scopes, FSR_ERR_SCOPE,
     "reduce_with: the operator's body ended a scope that it did not begin (prog.c:12)"},
    {op_stale, FSR_ERR_STALE, "reduce_with: result 0 of the operator's body is a stale handle (prog.c:12)"},
    {op_long, FSR_ERR_UNSUPPORTED, "reduce_with: the operator's body is too long (prog.c:12)"},
    {op_very_long, FSR_ERR_UNSUPPORTED, "reduce_with: the operator's body is too long (prog.c:12)"},
    {op_nested, FSR_ERR_VALUE,
     "reduce_with: in the operator's body: reduce_with: the operator's body uses something else than its arguments and "
     "literals (body.c:7) (prog.c:12)"},
    {op_null_body, FSR_ERR_NULL, "reduce_with: the operator or its body is null (prog.c:12)"},
    {op_null_operand, FSR_ERR_NULL, ""},
    {op_poisoned_operand, FSR_ERR_SHAPE, "add: shapes f32[3,4] and f32[5] do not broadcast (prog.c:12)"},
    {op_null, FSR_ERR_NULL, "scan_with: the operator or its body is null (prog.c:12)"},
    {op_arity, FSR_ERR_VALUE, "reduce_with: the operator's arity 5 is not 1 to 4 (prog.c:12)"},
    {op_shapes, FSR_ERR_SHAPE, "scan_with: the operands' shapes differ: f32[5] and f32[3,4] (prog.c:12)"},
    {op_axis, FSR_ERR_AXIS, "scan_with: f32[5] has no axis 1 (prog.c:12)"},
    {op_flags, FSR_ERR_VALUE, "reduce_with: unknown flags 7 for f32[5] (prog.c:12)"},
};

static void every_misuse(void **state) {
    (void)state;
    CHECK_MISUSES(misuses);
}

static void bodies_leave_nothing_behind(void **state) {
    (void)state;
    int64_t before = fsr_graph_live(g);
    fsr_node y = with(body_leaves_scopes_open, v5, NULL);
    assert_int_equal(fsr_node_status(y), FSR_OK);
    assert_int_equal(fsr_graph_live(g), before + 2);
    assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_ERR_SCOPE);
}

static void body_frees_its_graph(void **state) {
    (void)state;
    fsr_graph *own = fsr_graph_create(owner);
    fsr_node y = with(body_frees_graph, INPUT(own, FSR_F32, 4), NULL);
    assert_int_equal(fsr_node_status(y), FSR_ERR_NULL);
    assert_false(fsr_graph_alive(own));
}

/* The operand itself goes when the body ends the caller's scope. */
static void body_ends_the_callers_scope(void **state) {
    (void)state;
    fsr_scope_begin(g);
    fsr_node mine = fsr_neg(v5), out;
    fsr_operator op = {body_swaps_scopes, NULL, 1, {0}, true, {NULL}};
    fsr_scan_with(&out, &mine, &op, AXES(0), 1, 0);
    assert_int_equal(fsr_node_status(out), FSR_ERR_SCOPE);
    fsr_scope_end(g, NULL, 0);
}

static void null_places(void **state) {
    (void)state;
    fsr_operator op = {body_add, NULL, 1, {0}, true, {NULL}};
    fsr_node out = m34;
    fsr_reduce_with(NULL, &v5, &op, NULL, 0, 0);
    fsr_scan_with(NULL, &v5, &op, AXES(0), 1, 0);
    fsr_reduce_with(&out, NULL, &op, NULL, 0, 0);
    assert_null(out.graph);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_misuse), TEST(bodies_leave_nothing_behind),
                                       TEST(body_frees_its_graph), TEST(body_ends_the_callers_scope),
                                       TEST(null_places)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
