/* SPDX-License-Identifier: MIT */
/* What build.h promises of scopes. */
#include "graph/scope.h"
#include "tests/support/nodes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static fsr_graph_owner *owner;
static fsr_graph *g;
static int live;
static fsr_node x, y;

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    live = 0;
    x = node_data(g, FSR_F32, 1, SHAPE(8), &live);
    y = node_data(g, FSR_F32, 1, SHAPE(8), &live);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    char why[200];
    fsr_status status = fsr_graph_verify(g, why, sizeof why);
    if (status)
        print_error("%s\n", why);
    fsr_graph_owner_free(owner);
    return status || live != 0;
}

static bool valid(fsr_node node) {
    return fsr_node_status(node) == FSR_OK;
}

static bool gone(fsr_node node) {
    return fsr_node_status(node) == FSR_ERR_STALE;
}

static void begin(void) {
    assert_int_equal(fsr_scope_begin(g), FSR_OK);
}

static void end(const fsr_node *keep, int n) {
    assert_int_equal(fsr_scope_end(g, keep, n), FSR_OK);
}

static void everything_is_dropped(void **state) {
    (void)state;
    begin();
    fsr_node d = node_data(g, FSR_F32, 1, SHAPE(8), &live), s = fsr_sum(fsr_add(x, d), NULL, 0, 0);
    fsr_node bad = fsr_cast(x, (fsr_dtype)99), in = fsr_input(g, "in", FSR_F32, 0, NULL);
    assert_int_equal(live, 3);
    end(NULL, 0);
    assert_int_equal(live, 2);
    assert_true(gone(d) && gone(s) && gone(bad) && gone(in));
    assert_true(valid(x) && valid(y));
    assert_int_equal(fsr_graph_live(g), 2);
}

static void lazy_kept_nodes_keep_what_they_need(void **state) {
    (void)state;
    begin();
    fsr_node a = fsr_add(x, y), b = fsr_mul(a, a), c = fsr_sub(a, y);
    end(&b, 1);
    assert_true(valid(a) && valid(b) && gone(c));
    assert_int_equal(fsr_node_rec(b)->nargs, 2);
    assert_int_equal(fsr_graph_live(g), 4);
}

static void computed_kept_nodes_need_nothing(void **state) {
    (void)state;
    begin();
    fsr_node a = fsr_add(x, y), b = fsr_mul(a, a), c = fsr_neg(b);
    node_force(b, &live);
    end((fsr_node[]){c}, 1);
    assert_true(gone(a) && valid(b) && valid(c));
    assert_int_equal(fsr_node_rec(b)->kind, FSR_NODE_DATA);
    assert_int_equal(fsr_node_rec(b)->nargs, 0);
    assert_int_equal(live, 3);
}

/* A computed node in the middle of what is kept: its arguments go, unless somebody else needs them. */
static void computed_in_the_middle(void **state) {
    (void)state;
    begin();
    fsr_node a = fsr_add(x, y), b = fsr_mul(a, a), c = fsr_sub(b, a);
    node_force(b, &live);
    end(&c, 1);
    assert_true(valid(a) && valid(b) && valid(c));
    assert_int_equal(fsr_node_rec(b)->kind, FSR_NODE_DATA);
}

static void tuples(void **state) {
    (void)state;
    begin();
    fsr_node at = fsr_argmax(x, NULL, 0, FSR_KEEPDIMS);
    while (fsr_node_rec(at)->kind != FSR_NODE_REDUCE) {
        fsr_ref arg = fsr_node_rec(at)->arg[0];
        at = fsr_graph_handle(g, arg.id, arg.output);
    }
    fsr_node value = at;
    value.output = 0;
    assert_int_equal(at.output, 1);
    node_force(at, &live);
    fsr_scope_begin(g);
    end(&at, 1);
    assert_true(valid(value));
    end(&at, 1);
    assert_true(valid(at) && gone(value));
    assert_int_equal(fsr_node_dtype(at), FSR_I64);
}

/* One result computed and kept, another asked for by a kept node: the arguments stay. */
static void half_computed_tuple(void **state) {
    (void)state;
    begin();
    fsr_node at = fsr_argmax(x, AXES(0), 1, FSR_KEEPDIMS), value = at;
    value.output = 0;
    node_force(at, &live);
    fsr_node user = fsr_neg(value);
    end((fsr_node[]){at, user}, 2);
    assert_true(valid(at) && valid(value) && valid(user));
    assert_int_equal(fsr_node_rec(at)->kind, FSR_NODE_REDUCE);
}

static void nesting(void **state) {
    (void)state;
    begin();
    fsr_node a = fsr_neg(x);
    begin();
    fsr_node b = fsr_abs(a), c = fsr_abs(b);
    assert_int_equal(fsr_scope_depth(g), 2);
    end(&b, 1);
    assert_true(valid(a) && valid(b) && gone(c));
    assert_int_equal(fsr_node_rec(b)->scope, 1);
    end(&b, 1);
    assert_true(valid(a) && valid(b));
    assert_int_equal(fsr_node_rec(b)->scope, 0);
    begin();
    begin();
    fsr_node d = fsr_neg(x);
    end(&d, 1);
    assert_true(valid(d));
    end(NULL, 0);
    assert_true(gone(d));
}

static void keeping_outer_and_poisoned_nodes(void **state) {
    (void)state;
    begin();
    fsr_node bad = fsr_cast(x, (fsr_dtype)99);
    end((fsr_node[]){x, bad, bad, x}, 4);
    assert_true(valid(x));
    assert_int_equal(fsr_node_status(bad), FSR_ERR_DTYPE);
}

static void errors_change_nothing(void **state) {
    (void)state;
    assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_ERR_SCOPE);
    assert_int_equal(fsr_scope_end(NULL, NULL, 0), FSR_ERR_NULL);
    assert_int_equal(fsr_scope_begin(NULL), FSR_ERR_NULL);
    begin();
    fsr_node old = fsr_neg(x);
    end(NULL, 0);
    begin();
    fsr_node a = fsr_neg(x);
    fsr_graph *other = fsr_graph_create(owner);
    fsr_node foreign = fsr_int(other, 1);
    assert_int_equal(fsr_scope_end(g, &old, 1), FSR_ERR_STALE);
    assert_int_equal(fsr_scope_end(g, &foreign, 1), FSR_ERR_GRAPH);
    assert_int_equal(fsr_scope_end(g, &(fsr_node){0}, 1), FSR_ERR_NULL);
    assert_int_equal(fsr_scope_end(g, NULL, 1), FSR_ERR_NULL);
    assert_int_equal(fsr_scope_end(g, &a, -1), FSR_ERR_VALUE);
    assert_true(valid(a));
    assert_int_equal(fsr_scope_depth(g), 1);
    end(NULL, 0);
    assert_true(gone(a));
}

static fsr_node make_array(void) {
    begin();
    fsr_node a = fsr_add(x, y);
    node_force(a, &live);
    end(&a, 1);
    return a;
}

/* What a scope kept belongs to the enclosing one, whoever uses it later. */
static void kept_array_stays(void **state) {
    (void)state;
    fsr_node a = make_array();
    for (int i = 0; i < 3; i++) {
        begin();
        fsr_node b = fsr_neg(a);
        node_force(b, &live);
        end(NULL, 0);
        assert_true(valid(a) && gone(b));
    }
    assert_int_equal(live, 3);
}

static void keep_leaves_the_scope_open(void **state) {
    (void)state;
    begin();
    fsr_node a = fsr_add(x, y), b = fsr_neg(a), c = fsr_abs(b);
    node_force(b, &live);
    assert_int_equal(fsr_scope_keep(g, &b, 1), FSR_OK);
    assert_true(gone(a) && valid(b) && gone(c));
    assert_int_equal(fsr_scope_depth(g), 1);
    end(NULL, 0);
    assert_true(gone(b) && valid(x));
    assert_int_equal(fsr_scope_keep(g, NULL, 0), FSR_ERR_SCOPE);
}

static void keep_of_lazy_nodes_keeps_what_they_need(void **state) {
    (void)state;
    begin();
    fsr_node a = fsr_add(x, y), b = fsr_neg(a), c = fsr_abs(a);
    assert_int_equal(fsr_scope_keep(g, &b, 1), FSR_OK);
    assert_true(valid(a) && valid(b) && gone(c));
    end(NULL, 0);
    assert_true(gone(a) && gone(b));
}

static void nested_loops_are_flat(void **state) {
    (void)state;
    fsr_node u = make_array();
    begin();
    for (int epoch = 0; epoch < 50; epoch++) {
        fsr_node total = fsr_sum(u, NULL, 0, 0);
        begin();
        for (int i = 0; i < 50; i++) {
            fsr_node next = fsr_mul(u, fsr_float(g, 2));
            node_force(next, &live);
            assert_int_equal(fsr_scope_keep(g, &next, 1), FSR_OK);
            u = next;
        }
        end(&u, 1);
        assert_true(valid(total));
        assert_int_equal(fsr_scope_keep(g, &u, 1), FSR_OK);
        assert_true(gone(total));
    }
    end(&u, 1);
    assert_true(valid(u));
    assert_int_equal(live, 4); /* x, y, the first u and the last */
    assert_int_equal(fsr_graph_live(g), 4);
}

/* Recording an operator's body opens a scope of its own: it takes nothing away. */
static void operators_take_nothing_away(void **state) {
    (void)state;
    fsr_node a = make_array();
    fsr_node v = fsr_var(a, NULL, 0, 0, 0), m = fsr_argmax(a, NULL, 0, 0);
    assert_true(valid(a) && valid(v) && valid(m));
    assert_int_equal(fsr_scope_depth(g), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(everything_is_dropped),
        TEST(lazy_kept_nodes_keep_what_they_need),
        TEST(computed_kept_nodes_need_nothing),
        TEST(computed_in_the_middle),
        TEST(tuples),
        TEST(half_computed_tuple),
        TEST(nesting),
        TEST(keeping_outer_and_poisoned_nodes),
        TEST(errors_change_nothing),
        TEST(kept_array_stays),
        TEST(keep_leaves_the_scope_open),
        TEST(keep_of_lazy_nodes_keeps_what_they_need),
        TEST(nested_loops_are_flat),
        TEST(operators_take_nothing_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
