/* SPDX-License-Identifier: MIT */
/* Operators over tuples: what is captured from a body, and that var's and argmax's operators are right, neutral at
 * their identity and the same in any tree. The captured programs are evaluated step by step on the host. */
#include "tests/support/one_graph.h"
#include "tests/support/recurrence.h"
#include <math.h>

/* The operator of the reduction or scan that x was made from. */
static const fsr_combine *combine_below(fsr_node x) {
    const fsr_rec *rec = fsr_node_rec(x);
    while (!rec->combine)
        rec = fsr_graph_rec(g, rec->arg[0].id);
    return rec->combine;
}

typedef struct state {
    fsr_value v[FSR_MAX_TUPLE];
} state;

/* Folds s[0..n) as a tree whose left part holds 1/part of it. */
static state fold(const fsr_combine *c, const state *s, int n, int part) {
    state out;
    if (n == 1)
        return s[0];
    int left = n / part > 0 ? n / part : 1;
    state a = fold(c, s, left, part), b = fold(c, s + left, n - left, part);
    fsr_combine_eval(c, out.v, a.v, b.v);
    return out;
}

static state identity(const fsr_combine *c) {
    state s;
    memcpy(s.v, c->identity, sizeof s.v);
    return s;
}

static void check_neutral(const fsr_combine *c, state s) {
    state out, e = identity(c);
    fsr_combine_eval(c, out.v, e.v, s.v);
    for (int i = 0; i < c->arity; i++)
        assert_true(out.v[i].bits == s.v[i].bits);
    fsr_combine_eval(c, out.v, s.v, e.v);
    for (int i = 0; i < c->arity; i++)
        assert_true(out.v[i].bits == s.v[i].bits);
}

static state moment(double x) {
    return (state){{{.f64 = 1}, {.f64 = x}, {.f64 = x - x}}};
}

static void variance(void **unused) {
    (void)unused;
    const fsr_combine *c = combine_below(fsr_var(INPUT(g, FSR_F64, 9000), NULL, 0, 0, 0));
    assert_int_equal(c->arity, 3);
    assert_true(c->commutative);
    state s[64];
    double mean = 0, m2 = 0;
    for (int i = 0; i < 64; i++) {
        s[i] = moment(1e8 + (i * 37 % 64));
        mean += (i * 37 % 64) / 64.0;
    }
    for (int i = 0; i < 64; i++)
        m2 += ((i * 37 % 64) - mean) * ((i * 37 % 64) - mean);
    for (int part = 2; part <= 64; part *= 2) {
        state r = fold(c, s, 64, part);
        assert_true(r.v[0].f64 == 64);
        assert_true(fabs(r.v[1].f64 - (1e8 + mean)) < 1e-6);
        assert_true(fabs(r.v[2].f64 - m2) < 1e-3);
    }
}

/* An element's state is (1, x, x - x). */
static void variance_of_elements(void **unused) {
    (void)unused;
    fsr_node x = INPUT(g, FSR_F32, 9000), var = fsr_var(x, NULL, 0, FSR_KEEPDIMS, 0);
    const fsr_rec *fold = fsr_graph_rec(g, fsr_node_rec(var)->arg[0].id);
    assert_int_equal(fsr_node_rec(var)->arg[0].output, 2);
    assert_int_equal(fold->arg[1].id, x.id);
    const fsr_rec *m2 = fsr_graph_rec(g, fold->arg[2].id);
    assert_int_equal(m2->op, FSR_OP_SUB);
    assert_true(m2->arg[0].id == x.id && m2->arg[1].id == x.id);
}

static void variance_identity(void **unused) {
    (void)unused;
    const fsr_combine *c = combine_below(fsr_var(INPUT(g, FSR_F64, 9000), NULL, 0, 0, 0));
    check_neutral(c, identity(c));
    static const double values[] = {1, -3.25, 1e300, -1e300, 5e-324};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        check_neutral(c, moment(values[i]));
    state s[3] = {moment(1), moment(2), moment(6)};
    check_neutral(c, fold(c, s, 3, 2));
    state out, inf = moment(INFINITY);
    fsr_combine_eval(c, out.v, s[0].v, inf.v);
    assert_true(isnan(out.v[2].f64));
    state nan = moment(NAN);
    fsr_combine_eval(c, out.v, nan.v, s[0].v);
    assert_true(isnan(out.v[1].f64) && isnan(out.v[2].f64));
}

static void check_argmax(const fsr_combine *c, const float *x, int n, int expected) {
    state s[16];
    for (int i = 0; i < n; i++) {
        memset(&s[i], 0, sizeof s[i]);
        s[i].v[0].f32 = x[i];
        s[i].v[1].i64 = i;
        check_neutral(c, s[i]);
    }
    for (int part = 2; part <= 16; part *= 2) {
        assert_int_equal(fold(c, s, n, part).v[1].i64, expected);
        state backwards[16];
        for (int i = 0; i < n; i++)
            backwards[i] = s[n - 1 - i];
        assert_int_equal(fold(c, backwards, n, part).v[1].i64, expected);
    }
}

static void argmax_rules(void **unused) {
    (void)unused;
    const fsr_combine *c = combine_below(fsr_argmax(INPUT(g, FSR_F32, 9), NULL, 0, 0));
    assert_int_equal(c->arity, 2);
    check_argmax(c, (float[]){1, 3, 2}, 3, 1);
    check_argmax(c, (float[]){3, 1, 3, 3}, 4, 0);
    check_argmax(c, (float[]){-INFINITY, -INFINITY}, 2, 0);
    check_argmax(c, (float[]){1, NAN, INFINITY, NAN}, 4, 1);
    check_argmax(c, (float[]){INFINITY, 1, NAN}, 3, 2);
    check_argmax(c, (float[]){-0.0f, 0.0f, -0.0f}, 3, 0);
    const fsr_combine *integers = combine_below(fsr_argmax(INPUT(g, FSR_I64, 9), NULL, 0, 0));
    assert_int_equal(integers->identity[0].i64, INT64_MIN);
    assert_int_equal(integers->identity[1].i64, INT64_MAX);
    assert_int_equal(combine_below(fsr_argmax(INPUT(g, FSR_BOOL, 9), NULL, 0, 0))->identity[0].b, 0);
}

static void recurrence(void **unused) {
    (void)unused;
    fsr_node in[2] = {INPUT(g, FSR_F64, 4, 5), INPUT(g, FSR_F64, 4, 5)}, out[2];
    int64_t before = fsr_graph_live(g);
    fsr_scan_with(out, in, &linear_recurrence, AXES(-1), 1, FSR_EXCLUSIVE);
    assert_int_equal(fsr_graph_live(g), before + 1);
    const fsr_rec *rec = fsr_node_rec(out[1]);
    assert_int_equal(rec->kind, FSR_NODE_SCAN);
    assert_int_equal(rec->axis, 1);
    assert_int_equal(out[1].output, 1);
    assert_int_equal(out[0].id, out[1].id);
    assert_false(rec->combine->commutative);
    assert_int_equal(rec->combine->body.ninsts, 7);
    fsr_value left[2] = {{.f64 = 2}, {.f64 = 3}}, right[2] = {{.f64 = 5}, {.f64 = 7}}, both[2];
    fsr_combine_eval(rec->combine, both, left, right);
    assert_true(both[0].f64 == 10 && both[1].f64 == 22);
    fsr_reduce_with(out, in, &linear_recurrence, AXES(0, 1), 2, 0);
    assert_int_equal(fsr_node_ndim(out[1]), 0);
    fsr_reduce_with(in, in, &linear_recurrence, AXES(0), 1, FSR_KEEPDIMS);
    assert_int_equal(fsr_node_dim(in[1], 0), 1);
}

static void one_op(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    out[0] = *(fsr_op *)user == FSR_OP_ADD ? fsr_add(left[0], right[0]) : fsr_maximum(left[0], right[0]);
}

/* A user's sum is the built-in sum: every special path for it holds. */
static void builtin_is_recognized(void **unused) {
    (void)unused;
    fsr_node x = INPUT(g, FSR_F32, 4), out;
    fsr_op which = FSR_OP_ADD;
    fsr_operator op = {one_op, &which, 1, {0}, true, {NULL}};
    fsr_reduce_with(&out, &x, &op, NULL, 0, 0);
    assert_true(fsr_combine_equal(combine_below(out), combine_below(fsr_sum(x, NULL, 0, 0))));
    op.identity[0] = 3;
    fsr_reduce_with(&out, &x, &op, NULL, 0, 0);
    assert_false(combine_below(out)->builtin);
    which = FSR_OP_MAXIMUM;
    op.identity[0] = -INFINITY;
    fsr_reduce_with(&out, &x, &op, NULL, 0, 0);
    assert_true(combine_below(out)->builtin);
    op.commutative = false;
    fsr_reduce_with(&out, &x, &op, NULL, 0, 0);
    assert_false(combine_below(out)->builtin);
}

/* Equal steps become one, literals and weak results take the state's dtype, outer literals are allowed. */
static void messy(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    fsr_node outer = *(fsr_node *)user;
    fsr_node a = fsr_mul(fsr_add(left[0], right[0]), outer), b = fsr_mul(fsr_add(left[0], right[0]), fsr_float(g, 2));
    fsr_exp(a);
    out[0] = fsr_sub(a, b);
    out[1] = fsr_int(g, 3);
}

static void capture(void **unused) {
    (void)unused;
    fsr_node in[2] = {INPUT(g, FSR_F32, 4), INPUT(g, FSR_I32, 4)}, out[2], two = fsr_float(g, 2);
    fsr_operator op = {messy, &two, 2, {0, 300}, false, {NULL}};
    fsr_reduce_with(out, in, &op, NULL, 0, FSR_KEEPDIMS);
    const fsr_combine *c = combine_below(out[0]);
    assert_int_equal(c->body.ninsts, 7);
    assert_int_equal(c->body.inst[c->body.result[1]].kind, FSR_INST_CONST);
    assert_int_equal(c->body.inst[c->body.result[1]].dtype, FSR_I32);
    assert_int_equal(c->body.inst[c->body.result[1]].value.i32, 3);
    assert_int_equal(c->identity[1].i32, 300);
    assert_int_equal(fsr_node_status(two), FSR_OK);
}

static void weak_inputs_are_strong(void **unused) {
    (void)unused;
    fsr_node x = fsr_float(g, 2), out;
    fsr_op which = FSR_OP_ADD;
    fsr_operator op = {one_op, &which, 1, {0}, true, {NULL}};
    fsr_reduce_with(&out, &x, &op, NULL, 0, 0);
    assert_int_equal(fsr_node_dtype(out), FSR_F64);
    assert_false(fsr_node_rec(out)->weak);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(variance), TEST(variance_of_elements),  TEST(variance_identity),      TEST(argmax_rules), TEST(recurrence),
        TEST(capture),  TEST(builtin_is_recognized), TEST(weak_inputs_are_strong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
