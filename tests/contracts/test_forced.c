/* SPDX-License-Identifier: MIT */
/* What computing leaves: a forced node is data; a parent that nobody asked for is computed again. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static fsr_node x;

static int setup(void **state) {
    if (subject_setup(state))
        return 1;
    x = subject_data(FSR_F64, 1, SHAPE(1000), SUBJECT_SMALL, 0);
    return fsr_node_status(x) != FSR_OK;
}

static int64_t launches(void) {
    return subject_stats().launches;
}

static int64_t array_bytes(void) {
    fsr_stats s = subject_stats();
    return s.host_bytes + s.device_bytes;
}

/* What one array of n doubles takes, whatever the memory pool rounds to. */
static int64_t array_of(int64_t n) {
    fsr_graph *g = fsr_graph_new(subject_ctx);
    int64_t before = array_bytes();
    assert_int_equal(fsr_force(fsr_arange(g, FSR_F64, n)), FSR_OK);
    int64_t bytes = array_bytes() - before;
    fsr_graph_free(g);
    assert_true(bytes >= n * 8);
    assert_int_equal(array_bytes(), before);
    return bytes;
}

static fsr_plan_info query(const fsr_node *outs, int n) {
    fsr_plan_info info;
    OK(fsr_query(outs, n, &info));
    return info;
}

static void computed_nodes_cost_nothing(void **state) {
    (void)state;
    fsr_node y = fsr_add(x, x);
    OK(fsr_force(y));
    int64_t before = launches(), hits = subject_stats().plan_hits, built = subject_stats().plans_built;
    OK(fsr_force(y));
    OK(fsr_compute((fsr_node[]){y, y, x}, 3));
    free(subject_read(y));
    free(subject_read(x));
    assert_int_equal(launches(), before);
    assert_int_equal(subject_stats().plan_hits, hits);
    assert_int_equal(subject_stats().plans_built, built);
}

/* y = f(x) is forced; z = g(y) reads y's array, not x: one kernel of y's bytes. */
static void what_follows_reads_the_array(void **state) {
    (void)state;
    fsr_node y = fsr_sin(fsr_add(x, x)), z = fsr_mul(y, y);
    fsr_plan_info lazy = query(&z, 1);
    OK(fsr_force(y));
    fsr_plan_info forced = query(&z, 1);
    assert_int_equal(lazy.kernels, 1);
    assert_int_equal(forced.kernels, 1);
    fsr_node both[] = {fsr_add(y, x), fsr_sub(y, x)};
    OK(fsr_compute(both, 2));
    for (int i = 0; i < 1000; i += 99)
        assert_true(subject_value(both[0], i) == subject_value(y, i) + subject_value(x, i));
}

/* The text of what a forced node's user needs shows data where the program was. */
static void a_forced_node_is_a_leaf(void **state) {
    (void)state;
    fsr_node y = fsr_exp(x), z = fsr_neg(y);
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    OK(fsr_print(&z, 1, to));
    fflush(to);
    assert_non_null(strstr(text, "exp f64[1000]"));
    OK(fsr_force(y));
    rewind(to);
    OK(fsr_print(&z, 1, to));
    fclose(to);
    assert_null(strstr(text, "exp f64[1000]"));
    assert_non_null(strstr(text, "data f64[1000]"));
    free(text);
}

/* z = g(f(x)) forced, f(x) not asked for: it has no array, and asking for it launches again. */
static void parents_are_computed_again(void **state) {
    (void)state;
    fsr_node y = fsr_exp(x), z = fsr_neg(y);
    int64_t before = array_bytes();
    OK(fsr_force(z));
    assert_int_equal(array_bytes(), before + array_of(1000));
    int64_t count = launches();
    OK(fsr_force(y));
    assert_int_equal(launches(), count + 1);
    assert_int_equal(array_bytes(), before + 2 * array_of(1000));
    for (int i = 0; i < 1000; i += 111)
        assert_true(subject_value(z, i) == -subject_value(y, i));
}

/* What is asked for together is computed together. */
static void asked_for_together(void **state) {
    (void)state;
    fsr_node y = fsr_exp(x), out[] = {y, fsr_neg(y), fsr_add(y, x)};
    assert_int_equal(query(out, 3).kernels, 1);
    int64_t count = launches();
    OK(fsr_compute(out, 3));
    assert_int_equal(launches(), count + 1);
}

static void sum_and_max(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_add(left[0], right[0]);
    out[1] = fsr_maximum(left[1], right[1]);
}

/* One result of a tuple is forced: the other is not there yet, then is, and both are right. */
static void tuples(void **state) {
    (void)state;
    fsr_operator op = {sum_and_max, NULL, 2, {0, -1e300}, true, {NULL}};
    fsr_node out[2], in[2] = {x, fsr_add(x, x)};
    fsr_reduce_with(out, in, &op, NULL, 0, FSR_KEEPDIMS);
    int64_t before = array_bytes();
    OK(fsr_force(out[1]));
    assert_int_equal(array_bytes(), before + array_of(1));
    double largest = subject_value(out[1], 0);
    assert_true(largest == 2 * subject_value(fsr_max(x, NULL, 0, 0), 0));
    fsr_node user = fsr_add(out[0], out[1]);
    OK(fsr_force(user));
    OK(fsr_force(out[0]));
    assert_true(subject_value(user, 0) == subject_value(out[0], 0) + largest);
    assert_true(subject_value(out[1], 0) == largest);
}

static void tuples_together(void **state) {
    (void)state;
    fsr_operator op = {sum_and_max, NULL, 2, {0, -1e300}, true, {NULL}};
    fsr_node out[2];
    fsr_scan_with(out, (fsr_node[]){x, x}, &op, AXES(0), 1, 0);
    int64_t count = launches();
    OK(fsr_compute(out, 2));
    assert_int_equal(launches(), count + 1);
    double sum = 0, max = -1e300;
    for (int i = 0; i < 1000; ++i) {
        double v = subject_value(x, i);
        sum += v;
        max = v > max ? v : max;
        if (i % 97)
            continue;
        assert_float_equal(subject_value(out[0], i), sum, 1e-10);
        assert_true(subject_value(out[1], i) == max);
    }
}

/* An error leaves the nodes as they were: those that were computable still are. */
static void an_error_changes_nothing(void **state) {
    (void)state;
    fsr_node y = fsr_exp(x), bad = fsr_add(y, fsr_input(subject_g, "missing", FSR_F64, 1, SHAPE(1000)));
    int64_t before = array_bytes(), count = launches();
    assert_int_equal(fsr_compute((fsr_node[]){y, bad}, 2), FSR_ERR_UNBOUND);
    assert_int_equal(array_bytes(), before);
    assert_int_equal(launches(), count);
    OK(fsr_force(y));
}

/* A parameter's change is seen by what is not computed, and by nothing else. */
static void parameters_of_computed_nodes(void **state) {
    (void)state;
    fsr_node p = fsr_param(subject_g, "p", FSR_F64, 2), y = fsr_mul(p, p), z = fsr_add(p, y);
    OK(fsr_force(y));
    OK(fsr_param_set(p, 10));
    assert_true(subject_value(y, 0) == 4);
    assert_true(subject_value(z, 0) == 14);
    assert_true(subject_value(fsr_mul(p, p), 0) == 100);
    OK(fsr_force(p));
    OK(fsr_param_set(p, 11));
    assert_true(subject_value(p, 0) == 11);
    assert_true(subject_value(fsr_neg(p), 0) == -11);
}

/* Arrays go with their graph, but for those that a plan keeps. */
static void arrays_are_freed(void **state) {
    (void)state;
    int64_t before = array_bytes();
    fsr_graph *g = fsr_graph_new(subject_ctx);
    fsr_node y = fsr_arange(g, FSR_F64, 500), z = fsr_cumsum(y, AXES(0), 1, 0);
    OK(fsr_compute((fsr_node[]){y, z}, 2));
    assert_int_equal(array_bytes(), before + 2 * array_of(500));
    fsr_graph_free(g);
    assert_int_equal(array_bytes(), before);
    assert_int_equal(fsr_node_status(y), FSR_ERR_STALE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, subject_teardown)
static const struct CMUnitTest tests[] = {
    TEST(computed_nodes_cost_nothing),
    TEST(what_follows_reads_the_array),
    TEST(a_forced_node_is_a_leaf),
    TEST(parents_are_computed_again),
    TEST(asked_for_together),
    TEST(tuples),
    TEST(tuples_together),
    TEST(an_error_changes_nothing),
    TEST(parameters_of_computed_nodes),
    TEST(arrays_are_freed),
};
SUBJECT_MAIN(tests)
