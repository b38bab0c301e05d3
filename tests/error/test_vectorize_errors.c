/* SPDX-License-Identifier: MIT */
/* One misuse of a row function, one exact status and message. */
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
static fsr_node m34, v4, v5, foreign, deep;

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    other = fsr_graph_create(owner);
    m34 = INPUT(g, FSR_F32, 3, 4);
    v4 = INPUT(g, FSR_F32, 4);
    v5 = INPUT(g, FSR_F32, 5);
    deep = INPUT(g, FSR_F32, 1, 1, 1, 1, 1, 1, 1, 2);
    foreign = INPUT(other, FSR_F32, 3);
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

/* ---- bodies -------------------------------------------------------------------------------------------- */

static void negative(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_neg(in[0]);
}
static void sum_of_two(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_add_at(AT, in[0], in[1]);
}
static void nothing(fsr_node *out, const fsr_node *in, void *user) {
    (void)out, (void)in, (void)user;
}
static void mistaken(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_sum_at(fsr_here("body.c", 3), in[0], AXES(1), 1, 0);
}
static void of_another_graph(fsr_node *out, const fsr_node *in, void *user) {
    (void)in, (void)user;
    out[0] = foreign;
}
static void with_another_graph(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_add_at(fsr_here("body.c", 4), in[0], foreign);
}
static void ends_scopes(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_neg(in[0]);
    fsr_scope_end(in[0].graph, out, 1);
}
static void makes_stale(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_scope_begin(in[0].graph);
    out[0] = fsr_neg(in[0]);
    fsr_scope_end(in[0].graph, NULL, 0);
}
static void grows(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_squeeze(fsr_neg(fsr_expand(fsr_expand(in[0], 0), 0)), 0);
    out[0] = fsr_squeeze(out[0], 0);
}
static void frees_the_graph(fsr_node *out, const fsr_node *in, void *user) {
    (void)out, (void)user;
    fsr_graph_destroy(in[0].graph);
}

/* ---- misuses ------------------------------------------------------------------------------------------- */

typedef struct misuse {
    const char *signature;
    fsr_row_fn body;
    const fsr_node *x, *y; /* y may be NULL */
    fsr_status status;
    const char *message;
} misuse;

#define V FSR_ERR_VALUE
#define S FSR_ERR_SHAPE
static const misuse misuses[] = {
    {"", negative, &v4, NULL, V, "\"(\" is expected at column 1 of the signature \"\""},
    {"n->n", negative, &v4, NULL, V, "\"(\" is expected at column 1 of the signature \"n->n\""},
    {"(n)", negative, &v4, NULL, V, "\"->\" is expected at column 4 of the signature \"(n)\""},
    {"(n)->", negative, &v4, NULL, V, "\"(\" is expected at column 6 of the signature \"(n)->\""},
    {"(n->(n)", negative, &v4, NULL, V, "\",\" or \")\" is expected at column 3 of the signature \"(n->(n)\""},
    {"(n,)->(n)", negative, &v4, NULL, V, "a name or an extent is expected at column 4 of the signature \"(n,)->(n)\""},
    {"(n)->(n) x", negative, &v4, NULL, V, "nothing more is expected at column 10 of the signature \"(n)->(n) x\""},
    {"(3n)->()", negative, &v4, NULL, V, "\",\" or \")\" is expected at column 3 of the signature \"(3n)->()\""},
    {"(99999999999999999999)->()", negative, &v4, NULL, V,
     "the extent is too large at column 20 of the signature \"(99999999999999999999)->()\""},
    {"(a,b,c,d,e,f,g,h,i)->()", negative, &v4, NULL, V,
     "too many core dimensions at column 18 of the signature \"(a,b,c,d,e,f,g,h,i)->()\""},
    {"(n),(n)->()", negative, &v4, NULL, V,
     "the signature \"(n),(n)->()\" is of 2 operands and 1 results, the call of 1 and 1"},
    {"(n)->(),()", negative, &v4, NULL, V,
     "the signature \"(n)->(),()\" is of 1 operands and 2 results, the call of 1 and 1"},
    {NULL, negative, &v4, NULL, FSR_ERR_NULL, "the signature is null"},
    {"(n)->(n)", NULL, &v4, NULL, FSR_ERR_NULL, "the row function is null"},
    {"(m,n)->()", negative, &v4, NULL, S, "operand 1, f32[4], has not the 2 core dimensions of the signature"},
    {"(n),(n)->(n)", sum_of_two, &v4, &v5, S, "n is 4 elsewhere, but 5 in operand 2, f32[5]"},
    {"(n,n)->()", negative, &m34, NULL, S, "n is 3 elsewhere, but 4 in operand 1, f32[3,4]"},
    {"(3)->()", negative, &m34, NULL, S, "operand 1, f32[3,4], has 4 where the signature has 3"},
    {"(n),()->(n)", sum_of_two, &m34, &v5, S,
     "the leading dimensions [5] of operand 2 do not broadcast with [3] before it"},
    {"(n)->()", negative, &m34, NULL, S, "result 0 of the row function is f32[4], not of 0 dimensions"},
    {"(n)->(3)", negative, &m34, NULL, S, "result 0, f32[4], has 4 where the signature has 3"},
    {"(n),(n)->(n)", sum_of_two, &v4, &foreign, FSR_ERR_GRAPH, "operand 2, f32[3], belongs to another graph"},
    {"(n)->(n)", nothing, &m34, NULL, FSR_ERR_NULL, "result 0 of the row function is a null handle"},
    {"(n)->(n)", makes_stale, &m34, NULL, FSR_ERR_STALE, "result 0 of the row function is a stale handle"},
    {"(n)->(n)", of_another_graph, &m34, NULL, FSR_ERR_GRAPH, "result 0 of the row function belongs to another graph"},
    {"(n)->(n)", with_another_graph, &m34, NULL, FSR_ERR_GRAPH,
     "in the row function: add: operand 2, f32[3], belongs to another graph (body.c:4)"},
    {"(n)->(n)", mistaken, &m34, NULL, FSR_ERR_AXIS, "in the row function: sum: f32[4] has no axis 1 (body.c:3)"},
    {"(n)->(n)", ends_scopes, &m34, NULL, FSR_ERR_SCOPE, "the row function ended a scope that it did not begin"},
    {"(n)->(n)", grows, &deep, NULL, S, "f32[1,2] of the row function and 7 leading dimensions would have more than 8"},
};

static void every_misuse(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        const misuse *m = &misuses[i];
        fsr_node in[2] = {*m->x, m->y ? *m->y : (fsr_node){0}}, out;
        fsr_vectorize_at(AT, &out, 1, in, m->y ? 2 : 1, m->signature, m->body, NULL);
        char want[300];
        snprintf(want, sizeof want, "vectorize: %s (prog.c:12)", m->message);
        if (fsr_node_status(out) == m->status && strcmp(fsr_node_error(out), want) == 0)
            continue;
        wrong++;
        print_error("%s: %s \"%s\"\n   not \"%s\"\n", m->signature ? m->signature : "NULL",
                    fsr_status_name(fsr_node_status(out)), fsr_node_error(out), want);
    }
    assert_int_equal(wrong, 0);
}

/* Without an operand there is no graph to tell in. */
static void without_operands(void **state) {
    (void)state;
    fsr_node out[3];
    memset(out, 0xff, sizeof out);
    fsr_vectorize_at(AT, out, 2, NULL, 1, "(n)->(n)", negative, NULL);
    assert_null(out[0].graph);
    assert_null(out[1].graph);
    assert_non_null(out[2].graph);
    fsr_vectorize_at(AT, out, 2, &m34, 0, "->(n)", negative, NULL);
    assert_null(out[1].graph);
    fsr_vectorize_at(AT, NULL, 2, &m34, 1, "(n)->(n)", negative, NULL);
    fsr_vectorize_at(AT, out + 2, 0, &m34, 1, "(n)->(n)", negative, NULL);
    assert_non_null(out[2].graph);
}

static void graph_freed_by_the_body(void **state) {
    (void)state;
    fsr_graph *victim = fsr_graph_create(owner);
    fsr_node x = INPUT(victim, FSR_F32, 2, 3), out = x;
    fsr_vectorize_at(AT, &out, 1, &x, 1, "(n)->(n)", frees_the_graph, NULL);
    assert_null(out.graph);
    assert_int_equal(fsr_node_status(x), FSR_ERR_STALE);
}

int main(void) {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {T(every_misuse), T(without_operands), T(graph_freed_by_the_body)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
