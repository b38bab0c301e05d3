/* SPDX-License-Identifier: MIT */
/* Mistakes at run time: one misuse, one exact status, and a message with the operation, dtypes, shapes and this file's
 * name. After each the context works. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A sanitizer's allocator refuses as malloc does. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "allocator_may_return_null=1";
}

static fsr_node f32(int64_t rows, int64_t columns) {
    return subject_data(FSR_F32, 2, SHAPE(rows, columns), SUBJECT_SMALL, 0);
}

/* The context computes as if nothing had happened. */
static void works(void) {
    fsr_node x = fsr_arange(subject_g, FSR_I32, 5);
    assert_true(subject_value(fsr_sum(fsr_mul(x, x), NULL, 0, 0), 0) == 30);
}

static void error(fsr_status got, fsr_status want, const char *words) {
    subject_error(subject_ctx, got, want, words);
    fsr_error_clear(subject_ctx);
    works();
}

/* Every way of asking for a node says the same. */
static void asked(fsr_node x, fsr_status want, const char *words) {
    char data[64];
    fsr_plan *plan = (fsr_plan *)data;
    fsr_plan_info info;
    FILE *to = fopen("/dev/null", "w");
    assert_non_null(to);
    error(fsr_force(x), want, words);
    error(fsr_compute((fsr_node[]){fsr_int(subject_g, 1), x}, 2), want, words);
    error(fsr_read(x, data, sizeof data), want, words);
    error(fsr_compile(&x, 1, &plan), want, words);
    assert_null(plan);
    error(fsr_query(&x, 1, &info), want, words);
    error(fsr_explain(&x, 1, to), want, words);
    error(fsr_print(&x, 1, to), want, words);
    error(fsr_dot(&x, 1, to), want, words);
    error(fsr_verify(&x, 1, NULL), want, words);
    error(fsr_npy_write(x, "/dev/null/x.npy"), want, words);
    fclose(to);
}

static void poisoned(void **state) {
    (void)state;
    fsr_node x = f32(3, 4), y = f32(5, 1), bad = fsr_add(x, y);
    asked(bad, FSR_ERR_SHAPE, "add: |f32[3,4]|f32[5,1]|test_run_errors.c:");
    asked(fsr_sum(fsr_exp(bad), NULL, 0, 0), FSR_ERR_SHAPE, "add: |f32[3,4]|f32[5,1]|test_run_errors.c:");
    asked(fsr_neg(fsr_cast(x, FSR_BOOL)), FSR_ERR_DTYPE, "neg: |bool[3,4]|test_run_errors.c:");
    asked(fsr_max(x, AXES(2), 1, 0), FSR_ERR_AXIS, "max: |f32[3,4]|axis 2|test_run_errors.c:");
    asked(fsr_sum(x, AXES(0, -2), 2, 0), FSR_ERR_AXIS, "sum: |f32[3,4]|twice|test_run_errors.c:");
    asked(fsr_reshape(x, 1, SHAPE(13)), FSR_ERR_SHAPE, "reshape: |f32[3,4]|13|test_run_errors.c:");
    asked(fsr_full(subject_g, FSR_F64, 1, SHAPE(-1), 0), FSR_ERR_SIZE, "full: |-1|test_run_errors.c:");
    asked(fsr_input(subject_g, "a b", FSR_F64, 0, NULL), FSR_ERR_VALUE, "input: |a b|test_run_errors.c:");
    asked(fsr_add(fsr_cast(x, FSR_U8), fsr_int(subject_g, 300)), FSR_ERR_VALUE, "add: |300|u8|test_run_errors.c:");
    asked(fsr_from_host(subject_g, FSR_F64, 1, SHAPE(3), NULL), FSR_ERR_NULL, "from_host: |test_run_errors.c:");
}

/* The line is the caller's, of the first mistake. */
static void the_callers_line(void **state) {
    (void)state;
    char words[64];
    fsr_node x = f32(3, 4);
    int line = __LINE__ + 1;
    fsr_node bad = fsr_add(x, fsr_arange(subject_g, FSR_F32, 5));
    snprintf(words, sizeof words, "test_run_errors.c:%d", line);
    error(fsr_force(fsr_neg(bad)), FSR_ERR_SHAPE, words);
}

static void empty_reductions(void **state) {
    (void)state;
    fsr_node x = f32(0, 4);
    asked(fsr_min(x, NULL, 0, 0), FSR_ERR_EMPTY, "min: |f32[0,4]|test_run_errors.c:");
    asked(fsr_max(x, AXES(0), 1, 0), FSR_ERR_EMPTY, "max: |f32[0,4]|test_run_errors.c:");
    asked(fsr_argmax(x, NULL, 0, 0), FSR_ERR_EMPTY, "argmax: |f32[0,4]|test_run_errors.c:");
    float none[1];
    OK(fsr_read(fsr_min(x, AXES(1), 1, 0), none, 0));
    assert_true(subject_value(fsr_sum(x, NULL, 0, 0), 0) == 0);
    assert_true(subject_value(fsr_prod(x, AXES(0), 1, 0), 3) == 1);
}

static void unbound(void **state) {
    (void)state;
    fsr_node x = fsr_input(subject_g, "signal", FSR_F32, 1, SHAPE(7)),
             y = fsr_exp(fsr_add(x, fsr_arange(subject_g, FSR_F32, 7)));
    char data[28];
    static const char words[] = "compute: |\"signal\"|test_run_errors.c:";
    error(fsr_force(y), FSR_ERR_UNBOUND, words);
    error(fsr_force(x), FSR_ERR_UNBOUND, words);
    error(fsr_read(y, data, sizeof data), FSR_ERR_UNBOUND, words);
    error(fsr_verify(&y, 1, NULL), FSR_ERR_UNBOUND, words);
    error(fsr_npy_write(y, "/dev/null/x.npy"), FSR_ERR_UNBOUND, words);
    fsr_plan_info info;
    OK(fsr_query(&y, 1, &info));
    fsr_plan *plan;
    OK(fsr_compile(&y, 1, &plan));
    fsr_arg out = {NULL, data, sizeof data, FSR_HOST};
    error(fsr_plan_run(plan, NULL, 0, &out, 1, NULL), FSR_ERR_UNBOUND, "plan_run: |\"signal\"");
    fsr_plan_free(plan);
}

static void wrong_bytes(void **state) {
    (void)state;
    fsr_node x = f32(3, 4);
    float data[16];
    data[0] = -7;
    error(fsr_read(x, data, 47), FSR_ERR_BYTES, "read: |f32[3,4]|48 bytes|47");
    error(fsr_read(x, data, sizeof data), FSR_ERR_BYTES, "read: |f32[3,4]|48 bytes|64");
    error(fsr_read(fsr_sum(x, NULL, 0, 0), data, 48), FSR_ERR_BYTES, "read: |f32[]|4 bytes|48");
    error(fsr_read(x, data, 0), FSR_ERR_BYTES, "read: |f32[3,4]|48 bytes|0");
    error(fsr_read(x, NULL, 48), FSR_ERR_NULL, "read: |null");
    assert_true(data[0] == -7);
    OK(fsr_read(x, data, 48));
    OK(fsr_read(f32(0, 4), NULL, 0));
}

static void stale(void **state) {
    (void)state;
    OK(fsr_scope_begin(subject_g));
    fsr_node x = f32(3, 4), y = fsr_neg(x);
    OK(fsr_scope_end(subject_g, NULL, 0));
    fsr_node fresh = f32(2, 2);
    asked(y, FSR_ERR_STALE, "");
    error(fsr_compute((fsr_node[]){fresh, x}, 2), FSR_ERR_STALE, "compute: node 1");
    asked(fsr_add(fresh, x), FSR_ERR_STALE, "add: |operand 2|stale|test_run_errors.c:");
    OK(fsr_force(fresh));
}

/* A builder that has no graph to record its poison in: the null node, and the reason. */
static void lost(fsr_node x, const char *words) {
    assert_int_equal(fsr_node_status(x), FSR_ERR_NULL);
    error(fsr_error_status(subject_ctx), FSR_ERR_STALE, words);
}

static void same_state(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg;
    (void)user;
    out[0] = state[0];
}

/* A handle to a freed graph still knows its context, where the reason is. */
static void freed_graph(void **state) {
    (void)state;
    fsr_graph *g = fsr_graph_new(subject_ctx);
    fsr_node x = fsr_arange(g, FSR_F32, 3), p = fsr_param(g, "p", FSR_F32, 1), none = {0}, out[2];
    fsr_graph_free(g);
    const fsr_loop loop = {same_state, NULL, NULL, 1, 0};
    asked(x, FSR_ERR_STALE, "gone");
    error(fsr_compute((fsr_node[]){x, f32(1, 1)}, 2), FSR_ERR_STALE, "compute: node 0");
    error(fsr_compute((fsr_node[]){none, x}, 2), FSR_ERR_NULL, "compute: node 0");
    error(fsr_param_set(p, 2), FSR_ERR_STALE, "param_set: ");
    error(fsr_scope_begin(g), FSR_ERR_STALE, "scope_begin: the graph was freed");
    error(fsr_scope_end(g, NULL, 0), FSR_ERR_STALE, "scope_end: the graph was freed");
    error(fsr_scope_keep(g, &x, 1), FSR_ERR_STALE, "scope_keep: the graph was freed");
    lost(fsr_neg(x), "neg: operand 1|stale|test_run_errors.c:");
    lost(fsr_sum(x, NULL, 0, 0), "sum: operand 1|stale|test_run_errors.c:");
    lost(fsr_concat((fsr_node[]){x, x}, 2, 0), "concat: operand 1|stale|test_run_errors.c:");
    fsr_iterate(out, &loop, &x, NULL, 3);
    lost(out[1], "iterate: operand 1|stale|test_run_errors.c:");
    lost(fsr_arange(g, FSR_F32, 3), "the graph was freed|test_run_errors.c:");
    lost(fsr_float(g, 3), "the graph was freed|test_run_errors.c:");
    lost(fsr_input(g, "x", FSR_F32, 0, NULL), "input: the graph was freed|test_run_errors.c:");
    lost(fsr_from_host(g, FSR_F32, 0, NULL, &(float){1}), "from_host: the graph was freed|test_run_errors.c:");
    lost(fsr_npy_read(g, "x.npy"), "npy_read: the graph was freed|test_run_errors.c:");
    lost(fsr_expr(g, "1 + 2", NULL, 0), "expr: the graph was freed|test_run_errors.c:");
    assert_int_equal(fsr_node_status(fsr_mul(none, x)), FSR_ERR_NULL);
    error(fsr_error_status(subject_ctx), FSR_ERR_NULL, "mul: operand 1|null|test_run_errors.c:");
}

/* Scopes and parameters of a live graph say what is wrong, too. */
static void scopes(void **state) {
    (void)state;
    fsr_graph *g = fsr_graph_new(subject_ctx);
    fsr_node x = f32(1, 2), none = {0};
    error(fsr_scope_end(g, NULL, 0), FSR_ERR_SCOPE, "scope_end: ");
    OK(fsr_scope_begin(g));
    error(fsr_scope_end(g, &x, 1), FSR_ERR_GRAPH, "scope_end: node 0 to keep");
    error(fsr_scope_keep(g, &none, 1), FSR_ERR_NULL, "scope_keep: node 0 to keep");
    error(fsr_scope_keep(g, NULL, 1), FSR_ERR_NULL, "scope_keep: |null");
    error(fsr_scope_keep(g, NULL, -1), FSR_ERR_VALUE, "scope_keep: -1");
    error(fsr_param_set(x, 2), FSR_ERR_VALUE, "param_set: f32[1,2]");
    error(fsr_param_set(fsr_add(x, f32(2, 3)), 2), FSR_ERR_SHAPE, "param_set: |f32[2,3]");
    OK(fsr_scope_end(g, NULL, 0));
    fsr_graph_free(g);
}

static void null_handles(void **state) {
    (void)state;
    fsr_node none = {0}, x = f32(1, 2);
    char data[8];
    assert_int_equal(fsr_force(none), FSR_ERR_NULL);
    assert_int_equal(fsr_read(none, data, 8), FSR_ERR_NULL);
    assert_int_equal(fsr_compute(NULL, 1), FSR_ERR_NULL);
    assert_int_equal(fsr_compute(NULL, 0), FSR_OK);
    assert_int_equal(fsr_plan_run(NULL, NULL, 0, NULL, 0, NULL), FSR_ERR_NULL);
    error(fsr_compile(&x, 1, NULL), FSR_ERR_NULL, "compile: |null");
    error(fsr_query(&x, 1, NULL), FSR_ERR_NULL, "query: |null");
    error(fsr_explain(&x, 1, NULL), FSR_ERR_NULL, "explain: |null");
    error(fsr_print(&x, 1, NULL), FSR_ERR_NULL, "print: |null");
    error(fsr_dot(&x, 1, NULL), FSR_ERR_NULL, "dot: |null");
    error(fsr_context_stats(subject_ctx, NULL), FSR_ERR_NULL, "context_stats: |null");
    fsr_plan *made;
    OK(fsr_compile(&x, 1, &made));
    error(fsr_plan_run(made, NULL, 1, NULL, 0, NULL), FSR_ERR_NULL, "plan_run: |null");
    error(fsr_plan_query(made, NULL), FSR_ERR_NULL, "plan_query: |null");
    fsr_plan_free(made);
    fsr_plan *plan = (fsr_plan *)data;
    assert_int_equal(fsr_compile(&x, 0, &plan), FSR_ERR_NULL);
    assert_null(plan);
    error(fsr_compute((fsr_node[]){x, none}, 2), FSR_ERR_NULL, "compute: node 1");
    asked(fsr_mul(none, x), FSR_ERR_NULL, "mul: |operand 1|null|test_run_errors.c:");
    assert_int_equal(fsr_node_status(fsr_mul(none, none)), FSR_ERR_NULL);
    assert_int_equal(fsr_compute(&x, -1), FSR_ERR_NULL);
}

static void mixed_graphs(void **state) {
    (void)state;
    fsr_graph *g = fsr_graph_new(subject_ctx);
    fsr_node x = f32(1, 2), y = fsr_arange(g, FSR_F64, 2);
    error(fsr_compute((fsr_node[]){x, y}, 2), FSR_ERR_GRAPH, "compute: node 1|another graph");
    asked(fsr_add(x, y), FSR_ERR_GRAPH, "add: |operand 2|f64[2]|another graph|test_run_errors.c:");
    fsr_plan *plan;
    error(fsr_compile((fsr_node[]){x, y}, 2, &plan), FSR_ERR_GRAPH, "compile: node 1|another graph");
    OK(fsr_force(x));
    OK(fsr_force(y));
    fsr_graph_free(g);
}

static void parameters(void **state) {
    (void)state;
    fsr_node p = fsr_param(subject_g, "p", FSR_F32, 1);
    error(fsr_param_set(f32(1, 1), 2), FSR_ERR_VALUE, "param_set: f32[1,1]");
    error(fsr_param_set(fsr_float(subject_g, 1), 2), FSR_ERR_VALUE, "param_set: f64[]");
    assert_int_equal(fsr_param_set((fsr_node){0}, 2), FSR_ERR_NULL);
    error(fsr_param_set(fsr_param(subject_g, "", FSR_F32, 1), 2), FSR_ERR_VALUE, "param: |name");
    assert_int_equal(fsr_param_set(p, 2), FSR_OK);
    assert_true(subject_value(p, 0) == 2);
    float value = 3;
    error(fsr_param_put(f32(1, 1), &value, 4), FSR_ERR_VALUE, "param_put: f32[1,1]");
    error(fsr_param_put(p, &value, 8), FSR_ERR_BYTES, "param_put: f32[] has 4 bytes, not 8");
    error(fsr_param_put(p, NULL, 4), FSR_ERR_NULL, "param_put: the address is null");
    error(fsr_param_get(p, &value, 3), FSR_ERR_BYTES, "param_get: f32[] has 4 bytes, not 3");
    error(fsr_param_get(p, NULL, 4), FSR_ERR_NULL, "param_get: the address is null");
    assert_int_equal(fsr_param_get((fsr_node){0}, &value, 4), FSR_ERR_NULL);
    assert_int_equal(fsr_param_get(p, &value, 4), FSR_OK);
    assert_true(value == 2);
}

/* Knobs that name rewrites: what may be meant, or else what there is. */
static void names_of_rewrites(void **state) {
    (void)state;
    static const struct {
        const char *skip, *print, *words;
    } wrong[] = {
        {"cse,simplfy", NULL, "fsr_open: skip_rewrites names \"simplfy\", which is no rewrite; is simplify meant?"},
        {"polish", NULL,
         "fsr_open: skip_rewrites names \"polish\"; the rewrites are compose, sections, simplify, fold, masks, cse, "
         "bounds, narrow, hoist, unstack, places, dce"},
        {NULL, "CSE", "fsr_open: print_after names \"CSE\", which is no rewrite; is cse meant?"},
        {"all", NULL,
         "fsr_open: skip_rewrites names \"all\"; the rewrites are compose, sections, simplify, fold, masks, cse, "
         "bounds, narrow, hoist, unstack, places, dce"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fsr_config config;
        fsr_context *ctx;
        char why[200];
        OK(fsr_config_init(&config, NULL, 0));
        config.skip_rewrites = wrong[i].skip;
        config.print_after = wrong[i].print;
        assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_VALUE);
        assert_string_equal(why, wrong[i].words);
    }
}

/* The message of the last failing call stays until the next one; it is cleared when asked. */
static void the_last_error(void **state) {
    (void)state;
    assert_string_equal(fsr_error(subject_ctx), "");
    assert_int_equal(fsr_error_status(subject_ctx), FSR_OK);
    assert_int_equal(fsr_force(fsr_add(f32(2, 3), f32(3, 2))), FSR_ERR_SHAPE);
    works();
    assert_int_equal(fsr_error_status(subject_ctx), FSR_ERR_SHAPE);
    float data;
    assert_int_equal(fsr_read(f32(2, 3), &data, 4), FSR_ERR_BYTES);
    assert_non_null(strstr(fsr_error(subject_ctx), "f32[2,3]"));
    fsr_error_clear(subject_ctx);
    assert_string_equal(fsr_error(subject_ctx), "");
}

/* More arrays than memory: a status, and the context goes on. */
static void too_much_memory(void **state) {
    (void)state;
    fsr_node huge = fsr_full(subject_g, FSR_F64, 2, SHAPE(1 << 28, 1 << 28), 1);
    fsr_status status = fsr_force(huge);
    assert_true(status == FSR_ERR_MEMORY || status == FSR_ERR_DEVICE_MEMORY);
    error(status, status, "");
    assert_true(subject_value(fsr_slice(fsr_slice(huge, 0, 0, 1, 1), 1, 5, 6, 1), 0) == 1);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(poisoned),          SUBJECT_TEST(the_callers_line),
    SUBJECT_TEST(empty_reductions),  SUBJECT_TEST(unbound),
    SUBJECT_TEST(wrong_bytes),       SUBJECT_TEST(stale),
    SUBJECT_TEST(freed_graph),       SUBJECT_TEST(null_handles),
    SUBJECT_TEST(mixed_graphs),      SUBJECT_TEST(parameters),
    SUBJECT_TEST(names_of_rewrites), SUBJECT_TEST(the_last_error),
    SUBJECT_TEST(too_much_memory),   SUBJECT_TEST(scopes),
};
SUBJECT_MAIN(tests)
