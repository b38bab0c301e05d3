/* SPDX-License-Identifier: MIT */
/* Programs built with other headers than the library's: every function that takes or fills a struct which may grow,
 * with a struct that lacks the newest fields, one that has more, and a size that is none. */
#include "fusor/fusor.h"
#include "graph/sized.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stddef.h>
#include <string.h>

/* A struct with something behind it that the library must not touch, or must not overlook. */
#define WIDE(type)                \
    union {                       \
        type own;                 \
        unsigned char bytes[512]; \
    }

static fsr_node numbers(void) {
    return fsr_from_host(subject_g, FSR_F32, 1, (int64_t[]){3}, (float[]){1, 2, 3});
}

static void sizes(void **state) {
    (void)state;
    unsigned char from[16] = {1, 2, 3, 4, 5, 6, 7, 8}, to[16];
    memset(to, 9, sizeof to);
    assert_int_equal(fsr_sized_in(to, 4, from, 2), FSR_OK);
    assert_memory_equal(to, ((unsigned char[]){1, 2, 9, 9, 9}), 5);
    assert_int_equal(fsr_sized_in(to, 8, from, 16), FSR_OK);
    assert_int_equal(fsr_sized_in(to, 7, from, 16), FSR_ERR_UNSUPPORTED);
    assert_int_equal(fsr_sized_in(to, 4, from, 0), FSR_ERR_VALUE);
    assert_int_equal(fsr_sized_in(to, 4, from, FSR_SIZED_MOST + 1), FSR_ERR_VALUE);
    memset(to, 9, sizeof to);
    assert_int_equal(fsr_sized_out(to, 2, from, 4), FSR_OK);
    assert_memory_equal(to, ((unsigned char[]){1, 2, 9}), 3);
    assert_int_equal(fsr_sized_out(to, 8, from, 4), FSR_OK);
    assert_memory_equal(to, ((unsigned char[]){1, 2, 3, 4, 0, 0, 0, 0, 9}), 9);
    assert_int_equal(fsr_sized_out(to, 0, from, 4), FSR_ERR_VALUE);
    assert_int_equal(fsr_sized_out(to, SIZE_MAX, from, 4), FSR_ERR_VALUE);
}

/* A config of headers that end after `fuel`: what follows is the environment's or the default, not what lies behind. */
static void older_config(void **state) {
    (void)state;
    const size_t older = offsetof(fsr_config, skip_rewrites);
    WIDE(fsr_config) config;
    char why[200];
    fsr_context *ctx;
    memset(&config, 0xa5, sizeof config);
    assert_int_equal(fsr_config_init_sized(older, &config.own, why, sizeof why), FSR_OK);
    for (size_t i = older; i < sizeof config; i++)
        assert_int_equal(config.bytes[i], 0xa5);
    config.own.backend = FSR_BACKEND_REFERENCE;
    assert_int_equal(fsr_open_why_sized(older, &config.own, &ctx, why, sizeof why), FSR_OK);
    assert_string_equal(fsr_backend_name(ctx), "reference");
    fsr_close(ctx);
    assert_int_equal(fsr_open_sized(older, &config.own, &ctx), FSR_OK);
    fsr_close(ctx);
}

/* The knobs are a config's end, so that one more moves no field: what is no knob stands before the first. */
static void knobs_are_last(void **state) {
    (void)state;
    assert_int_equal(offsetof(fsr_config, backend), 2 * sizeof(fsr_allocator *));
    assert_true(offsetof(fsr_config, device_memory) < offsetof(fsr_config, backend));
}

/* A config of headers with one knob more: as long as it is 0 nothing is asked for. */
static void newer_config(void **state) {
    (void)state;
    const size_t newer = sizeof(fsr_config) + 8;
    WIDE(fsr_config) config;
    char why[200];
    fsr_context *ctx = NULL;
    memset(&config, 0xa5, sizeof config);
    assert_int_equal(fsr_config_init_sized(newer, &config.own, why, sizeof why), FSR_OK);
    assert_int_equal(config.bytes[newer], 0xa5);
    config.own.backend = FSR_BACKEND_REFERENCE;
    assert_int_equal(fsr_open_why_sized(newer, &config.own, &ctx, why, sizeof why), FSR_OK);
    fsr_close(ctx);
    config.bytes[newer - 1] = 1;
    assert_int_equal(fsr_open_why_sized(newer, &config.own, &ctx, why, sizeof why), FSR_ERR_UNSUPPORTED);
    assert_null(ctx);
    assert_non_null(strstr(why, "the config is of a newer version"));
    assert_int_equal(fsr_open_why_sized(0, &config.own, &ctx, why, sizeof why), FSR_ERR_VALUE);
    assert_int_equal(fsr_config_init_sized(0, &config.own, why, sizeof why), FSR_ERR_VALUE);
    assert_string_equal(why, "the config has a size that is none");
}

/* Answers: the first fields alone, all of them and zeros behind, none. */
#define ANSWERS(ctx, type, first, call)                                            \
    do {                                                                           \
        WIDE(type) whole, part, wide;                                              \
        const size_t older = offsetof(type, first) + sizeof whole.own.first;       \
        memset(&whole, 0xa5, sizeof whole);                                        \
        part = wide = whole;                                                       \
        size_t size = sizeof(type);                                                \
        type *out = &whole.own;                                                    \
        assert_int_equal(call, FSR_OK);                                            \
        size = older, out = &part.own;                                             \
        assert_int_equal(call, FSR_OK);                                            \
        assert_memory_equal(&part, &whole, older);                                 \
        assert_int_equal(part.bytes[older], 0xa5);                                 \
        size = sizeof(type) + 8, out = &wide.own;                                  \
        assert_int_equal(call, FSR_OK);                                            \
        assert_memory_equal(&wide, &whole, sizeof(type));                          \
        assert_memory_equal(wide.bytes + sizeof(type), "\0\0\0\0\0\0\0\0\xa5", 9); \
        size = 0;                                                                  \
        assert_int_equal(call, FSR_ERR_VALUE);                                     \
        assert_non_null(strstr(fsr_error(ctx), "has a size that is none"));        \
    } while (0)

static void answers(void **state) {
    (void)state;
    fsr_node x = numbers(), y = fsr_exp(x), z = fsr_exp(fsr_input(subject_g, "in", FSR_F32, 1, &(int64_t){3}));
    fsr_plan *plan, *taking;
    assert_int_equal(fsr_compile(&y, 1, &plan), FSR_OK);
    assert_int_equal(fsr_compile(&z, 1, &taking), FSR_OK);
    ANSWERS(subject_ctx, fsr_plan_info, bytes_min, fsr_plan_query_sized(size, plan, out));
    ANSWERS(subject_ctx, fsr_plan_info, kernels, fsr_query_sized(size, &y, 1, out));
    ANSWERS(subject_ctx, fsr_plan_value, ndim, fsr_plan_output_sized(size, plan, 0, out));
    ANSWERS(subject_ctx, fsr_plan_value, shape, fsr_plan_input_sized(size, taking, 0, out));
    ANSWERS(subject_ctx, fsr_stats, plans_built, fsr_context_stats_sized(size, subject_ctx, out));
    ANSWERS(subject_ctx, fsr_verify_report, checked, fsr_verify_sized(size, &y, 1, out));
    assert_int_equal(fsr_verify_sized(0, &y, 1, NULL), FSR_OK);
    fsr_plan_free(taking);
    fsr_plan_free(plan);
}

static void profile_answers(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.profile = 2;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node y = fsr_exp(fsr_arange(g, FSR_F32, 3));
    fsr_plan *plan;
    assert_int_equal(fsr_compile(&y, 1, &plan), FSR_OK);
    ANSWERS(ctx, fsr_kernel_profile, runs, fsr_plan_profile_sized(size, plan, 0, out));
    fsr_plan_free(plan);
    fsr_close(ctx);
}

static void add(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_add(left[0], right[0]);
}

static void twice(fsr_node *out, const fsr_node *s, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_add(s[0], s[0]);
}

static float first_of(fsr_node x) {
    float value[3] = {-1, -1, -1};
    assert_int_equal(fsr_read(x, value, (size_t)fsr_node_bytes(x)), FSR_OK);
    return value[0];
}

static void refused(fsr_node x, fsr_status status, const char *words) {
    assert_int_equal(fsr_node_status(x), status);
    assert_string_equal(fsr_node_error(x), words);
}

#define NEWER " is of a newer version of Fusor's headers, and asks for what this library does not know (s.c:7)"
#define NONE " has a size that is none (s.c:7)"
#define AT fsr_here("s.c", 7)

/* What a builder is given, for each: an older struct, a newer one that asks for nothing, one that does, no size. */
static void operators(void **state) {
    (void)state;
    const size_t size = sizeof(fsr_operator), older = offsetof(fsr_operator, commutative);
    WIDE(fsr_operator) op = {.own = {.body = add, .arity = 1, .commutative = true}};
    fsr_node x = numbers(), out;
    fsr_reduce_with_at(AT, older, &out, &x, &op.own, NULL, 0, 0);
    assert_true(first_of(out) == 6);
    fsr_scan_with_at(AT, size + 8, &out, &x, &op.own, AXES(0), 1, FSR_REVERSE);
    assert_true(first_of(out) == 6);
    op.bytes[size] = 1;
    fsr_reduce_with_at(AT, size + 8, &out, &x, &op.own, NULL, 0, 0);
    refused(out, FSR_ERR_UNSUPPORTED, "reduce_with: the operator" NEWER);
    fsr_scan_with_at(AT, 0, &out, &x, &op.own, AXES(0), 1, 0);
    refused(out, FSR_ERR_VALUE, "scan_with: the operator" NONE);
}

static void loops(void **state) {
    (void)state;
    const size_t size = sizeof(fsr_loop);
    WIDE(fsr_loop) loop = {.own = {.body = twice, .nstate = 1}};
    fsr_node x = numbers(), out[2];
    loop.own.narg = -1; /* beyond an older struct */
    fsr_iterate_at(AT, offsetof(fsr_loop, narg), out, &loop.own, &x, NULL, 3);
    assert_true(first_of(out[0]) == 8);
    loop.own.narg = 0;
    fsr_iterate_at(AT, size + 8, out, &loop.own, &x, NULL, 3);
    assert_true(first_of(out[0]) == 8);
    loop.bytes[size + 7] = 1;
    fsr_iterate_at(AT, size + 8, out, &loop.own, &x, NULL, 3);
    refused(out[0], FSR_ERR_UNSUPPORTED, "iterate: the loop" NEWER);
    fsr_iterate_at(AT, 5000, out, &loop.own, &x, NULL, 3);
    refused(out[0], FSR_ERR_VALUE, "iterate: the loop" NONE);
}

static fsr_status same(const fsr_call_frame *s) {
    memcpy(s->output[0].data, s->input[0].data, sizeof(float) * (size_t)s->input[0].shape[0]);
    return FSR_OK;
}

static void callees(void **state) {
    (void)state;
    const size_t size = sizeof(fsr_callee);
    WIDE(fsr_callee) callee = {.own = {.name = "same", .inputs = 1, .outputs = 1, .cpu = same, .ulp = -1}};
    fsr_node x = numbers(), out;
    fsr_call_library_at(AT, offsetof(fsr_callee, capturable), subject_g, &out, &callee.own, &x, 1);
    assert_true(first_of(out) == first_of(x));
    callee.own.ulp = 0;
    fsr_call_library_at(AT, size + 8, subject_g, &out, &callee.own, &x, 1);
    assert_true(first_of(out) == first_of(x));
    callee.bytes[size + 7] = 1;
    fsr_call_library_at(AT, size + 8, subject_g, &out, &callee.own, &x, 1);
    refused(out, FSR_ERR_UNSUPPORTED, "call_library: the callee" NEWER);
    fsr_call_library_at(AT, 5000, subject_g, &out, &callee.own, &x, 1);
    refused(out, FSR_ERR_VALUE, "call_library: the callee" NONE);
}

static void functions(void **state) {
    (void)state;
    WIDE(fsr_function) f = {.own = {"f", "a", "a + 1"}};
    WIDE(fsr_native) n = {.own = {.name = "n", .result = FSR_F32, .parameters = "f32 x", .c = "return x + 1;"}};
    fsr_node x = numbers();
    assert_true(first_of(fsr_call_at(AT, sizeof f.own + 8, &f.own, &x, 1)) == 2);
    assert_int_equal(fsr_node_status(fsr_call_at(AT, offsetof(fsr_function, text), &f.own, &x, 1)), FSR_ERR_NULL);
    f.bytes[sizeof f.own] = 1;
    refused(fsr_call_at(AT, sizeof f.own + 8, &f.own, &x, 1), FSR_ERR_UNSUPPORTED, "call: the function" NEWER);
    n.own.ulp = NAN; /* beyond an older struct */
    assert_int_equal(fsr_node_status(fsr_call_native_at(AT, offsetof(fsr_native, ulp), &n.own, &x, 1)), FSR_OK);
    assert_int_equal(fsr_node_status(fsr_call_native_at(AT, sizeof n.own, &n.own, &x, 1)), FSR_ERR_VALUE);
    refused(fsr_call_native_at(AT, 0, &n.own, &x, 1), FSR_ERR_VALUE, "call_native: the function" NONE);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(sizes),   SUBJECT_TEST(older_config),    SUBJECT_TEST(knobs_are_last), SUBJECT_TEST(newer_config),
    SUBJECT_TEST(answers), SUBJECT_TEST(profile_answers), SUBJECT_TEST(operators),      SUBJECT_TEST(loops),
    SUBJECT_TEST(callees), SUBJECT_TEST(functions),
};
SUBJECT_MAIN(tests)
