/* SPDX-License-Identifier: MIT */
/* One misuse of a loop, one exact status and message. */
#include "graph/scope.h"
#include "tests/support/nodes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT fsr_here("prog.c", 12)

static fsr_graph_owner *owner;
static fsr_graph *g, *other;
static fsr_node m34, v4, v5, i4, foreign, many[FSR_MAX_LOOP_OPERANDS], nine[9];

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    other = fsr_graph_create(owner);
    m34 = INPUT(g, FSR_F32, 3, 4);
    v4 = INPUT(g, FSR_F32, 4);
    v5 = INPUT(g, FSR_F32, 5);
    i4 = INPUT(g, FSR_I32, 4);
    foreign = INPUT(other, FSR_F32, 3);
    for (int i = 0; i < FSR_MAX_LOOP_OPERANDS; i++)
        many[i] = fsr_param(g, "p", FSR_F32, i);
    for (int i = 0; i < 9; i++)
        nine[i] = fsr_neg(v5);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    char why[200];
    assert_int_equal(fsr_scope_depth(g), 0);
    assert_int_equal(fsr_graph_verify(g, why, sizeof why), FSR_OK);
    fsr_graph_owner_free(owner);
    return 0;
}

/* ---- callbacks ----------------------------------------------------------------------------------------- */

#define UNUSED (void)state, (void)arg, (void)user

static void halve(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_mul(state[0], fsr_float(g, 0.5));
}
static void nothing(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)out, UNUSED;
}
static void to_f64(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_cast(state[0], FSR_F64);
}
static void with_an_array(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_add(state[0], v4);
}
static void of_another_graph(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = foreign;
}
static void mistaken(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_sum_at(fsr_here("body.c", 3), state[0], AXES(1), 1, 0);
}
static void ends_scopes(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_neg(state[0]);
    fsr_scope_end(g, out, 1);
}
static void makes_stale(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    fsr_scope_begin(g);
    out[0] = fsr_neg(state[0]);
    fsr_scope_end(g, NULL, 0);
}
static void very_long(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = state[0];
    for (int i = 0; i < 400; i++)
        out[0] = fsr_sin(out[0]);
}
static void frees_the_graph(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)out, (void)arg, (void)user;
    fsr_graph_destroy(state[0].graph);
}

static void no_condition(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = (fsr_node){0};
}
static void of_numbers(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = state[0];
}
static void of_a_literal(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_int(g, 1);
}
static void of_an_array(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_less(state[0], m34);
}
static void ends_the_scope(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    fsr_node is = fsr_less(state[0], state[0]);
    fsr_scope_end(g, &is, 1);
    out[0] = is;
}

/* ---- misuses ------------------------------------------------------------------------------------------- */

typedef struct misuse {
    fsr_loop loop;
    const fsr_node *x, *y; /* the state; an argument, if it has one */
    int64_t max_n;
    fsr_status status;
    const char *message;
} misuse;

/* Seventeen parameters beside the one state. */
static void with_many(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = state[0];
    for (int i = 0; i < FSR_MAX_LOOP_OPERANDS; i++)
        out[0] = fsr_add(out[0], many[i]);
}

/* Elements of arrays: at an index that is to be reported, of nine arrays, at fewer indices than it has dimensions. */
static void that_reports(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_take(v5, fsr_cast(state[0], FSR_I64), 0, FSR_INDEX_RAISE);
}
static void of_nine_arrays(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = state[0];
    for (int i = 0; i < 9; i++)
        out[0] = fsr_add(out[0], fsr_take(nine[i], fsr_int(g, 1), 0, FSR_INDEX_CLIP));
}
static void of_a_row(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    UNUSED;
    out[0] = fsr_sum(fsr_take(m34, fsr_int(g, 1), 0, FSR_INDEX_CLIP), NULL, 0, 0);
}

#define V FSR_ERR_VALUE
#define D FSR_ERR_DTYPE
#define LOOP(body, condition) \
    { body, condition, NULL, 1, 0 }
static const misuse misuses[] = {
    {LOOP(NULL, NULL), &v4, NULL, 3, FSR_ERR_NULL, "the loop's body is null"},
    {LOOP(halve, NULL), &v4, NULL, -1, V, "max_n -1 is not 0 to 2147483647"},
    {LOOP(halve, NULL), &v4, NULL, INT64_C(1) << 31, V, "max_n 2147483648 is not 0 to 2147483647"},
    {{halve, NULL, NULL, 1, 1},
     &v4,
     &v5,
     3,
     FSR_ERR_SHAPE,
     "argument 0, f32[5], does not broadcast with [4] before it"},
    {{halve, NULL, NULL, 1, 1}, &v4, &foreign, 3, FSR_ERR_GRAPH, "operand 2, f32[3], belongs to another graph"},
    {{halve, NULL, NULL, 1, 1}, &v4, NULL, 3, FSR_ERR_NULL, "the arguments are null"},
    {LOOP(nothing, NULL), &v4, NULL, 3, FSR_ERR_NULL, "result 0 of the loop's body is a null handle"},
    {LOOP(makes_stale, NULL), &v4, NULL, 3, FSR_ERR_STALE, "result 0 of the loop's body is a stale handle"},
    {LOOP(of_another_graph, NULL), &v4, NULL, 3, FSR_ERR_GRAPH, "result 0 of the loop's body belongs to another graph"},
    {LOOP(mistaken, NULL), &v4, NULL, 3, FSR_ERR_AXIS, "in the loop's body: sum: f32[] has no axis 1 (body.c:3)"},
    {LOOP(ends_scopes, NULL), &v4, NULL, 3, FSR_ERR_SCOPE, "the loop's body ended a scope that it did not begin"},
    {LOOP(to_f64, NULL), &v4, NULL, 3, D, "result 0 of the loop's body is f64, not f32"},
    {LOOP(halve, NULL), &i4, NULL, 3, D, "result 0 of the loop's body is f64, not i32"},
    {LOOP(with_an_array, NULL), &v4, NULL, 3, V, "the loop's body uses something else than its arguments and literals"},
    {LOOP(with_many, NULL), &v4, NULL, 3, FSR_ERR_UNSUPPORTED, "the loop's body uses too many values from outside"},
    {LOOP(that_reports, NULL), &v4, NULL, 3, FSR_ERR_UNSUPPORTED,
     "the loop's body takes an element at an index that is neither clipped nor wrapped"},
    {LOOP(of_nine_arrays, NULL), &v4, NULL, 3, FSR_ERR_UNSUPPORTED,
     "the loop's body takes elements of too many arrays"},
    {LOOP(of_a_row, NULL), &v4, NULL, 3, V, "the loop's body uses something else than its arguments and literals"},
    {LOOP(very_long, NULL), &v4, NULL, 3, FSR_ERR_UNSUPPORTED, "the loop's body is too long"},
    {LOOP(halve, no_condition), &v4, NULL, 3, FSR_ERR_NULL, "result 0 of the loop's condition is a null handle"},
    {LOOP(halve, of_numbers), &v4, NULL, 3, D, "result 0 of the loop's condition is f32, not bool"},
    {LOOP(halve, of_a_literal), &v4, NULL, 3, D, "result 0 of the loop's condition is i64, not bool"},
    {LOOP(halve, of_an_array), &v4, NULL, 3, V,
     "the loop's condition uses something else than its arguments and literals"},
    {LOOP(halve, ends_the_scope), &v4, NULL, 3, FSR_ERR_SCOPE,
     "the loop's condition ended a scope that it did not begin"},
};

static bool is_poison(fsr_node x, fsr_status status, const char *message) {
    char want[300];
    snprintf(want, sizeof want, "iterate: %s (prog.c:12)", message);
    if (fsr_node_status(x) == status && strcmp(fsr_node_error(x), want) == 0)
        return true;
    print_error("%s \"%s\"\n   not \"%s\"\n", fsr_status_name(fsr_node_status(x)), fsr_node_error(x), want);
    return false;
}

static void every_misuse(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        const misuse *m = &misuses[i];
        fsr_node out[3] = {{0}};
        fsr_iterate_at(AT, sizeof(fsr_loop), out, &m->loop, m->x, m->y, m->max_n);
        for (int k = 0; k < 2; k++)
            wrong += !is_poison(out[k], m->status, m->message);
        assert_null(out[2].graph);
    }
    assert_int_equal(wrong, 0);
}

static void wrong_counts(void **state) {
    (void)state;
    fsr_node out[2] = {{0}}, x[20];
    static const int counts[][2] = {{0, 0}, {8, 0}, {-1, 3}, {1, -1}, {7, 11}, {1, 17}};
    for (int i = 0; i < 20; i++)
        x[i] = v4;
    for (int i = 0; i < 6; i++) {
        fsr_loop loop = {halve, NULL, NULL, counts[i][0], counts[i][1]};
        char want[200];
        snprintf(want, sizeof want, "a state of %d and %d arguments: 1 to 7 and together at most 17 are possible",
                 counts[i][0], counts[i][1]);
        fsr_iterate_at(AT, sizeof(fsr_loop), out, &loop, x, x, 1);
        assert_true(is_poison(out[0], V, want));
        assert_null(out[1].graph);
    }
    fsr_iterate_at(AT, sizeof(fsr_loop), out, NULL, x, x, 1);
    assert_true(is_poison(out[0], FSR_ERR_NULL, "the loop is null"));
}

/* Without an operand there is no graph to tell in. */
static void without_operands(void **state) {
    (void)state;
    fsr_loop loop = LOOP(halve, NULL);
    fsr_node out[3];
    memset(out, 0xff, sizeof out);
    fsr_iterate_at(AT, sizeof(fsr_loop), out, &loop, NULL, NULL, 1);
    assert_null(out[0].graph);
    assert_null(out[1].graph);
    assert_non_null(out[2].graph);
    fsr_iterate_at(AT, sizeof(fsr_loop), NULL, &loop, &v4, NULL, 1);
}

/* What an operand's mistake was comes through, and callbacks are not called. */
static void poisoned_operands(void **state) {
    (void)state;
    fsr_loop loop = LOOP(frees_the_graph, NULL);
    fsr_node bad = fsr_add_at(fsr_here("early.c", 5), v4, v5), out[2];
    fsr_iterate_at(AT, sizeof(fsr_loop), out, &loop, &bad, NULL, 1);
    assert_int_equal(fsr_node_status(out[1]), FSR_ERR_SHAPE);
    assert_non_null(strstr(fsr_node_error(out[0]), "early.c:5"));
}

static void graph_freed_by_the_body(void **state) {
    (void)state;
    fsr_graph *victim = fsr_graph_create(owner);
    fsr_loop loop = LOOP(frees_the_graph, NULL);
    fsr_node x = INPUT(victim, FSR_F32, 2, 3), out[2] = {x, x};
    fsr_iterate_at(AT, sizeof(fsr_loop), out, &loop, &x, NULL, 1);
    assert_null(out[0].graph);
    assert_null(out[1].graph);
    assert_int_equal(fsr_node_status(x), FSR_ERR_STALE);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(every_misuse), T(wrong_counts), T(without_operands), T(poisoned_operands),
                                       T(graph_freed_by_the_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
