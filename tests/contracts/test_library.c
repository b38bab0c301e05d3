/* SPDX-License-Identifier: MIT */
/* Calls of a program's own: values between fused work, what a callee sees, when two calls are one, who frees what, and
 * that a failing one loses nothing. */
#include "tests/support/subject.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

/* What callees of this file hold, until the graph is freed, which is after the test. */
typedef struct tally {
    atomic_int calls, freed;
    fsr_status status; /* to fail with */
    const char *words;
    void *skipped; /* result 1's address in the last call */
} tally;

static void let_go(void *user) {
    atomic_fetch_add(&((tally *)user)->freed, 1);
}

static fsr_node numbers(int64_t n) {
    return subject_data(FSR_F32, 1, &n, SUBJECT_SMALL, 1);
}

/* Backwards, times the attribute. */
static fsr_status reverse(const fsr_call_frame *s) {
    tally *t = s->user;
    const float *in = s->input[0].data;
    float *out = s->output[0].data, times = *(const float *)s->attributes;
    const int64_t n = s->input[0].shape[0];
    atomic_fetch_add(&t->calls, 1);
    if (t->status) {
        snprintf(s->why, s->why_bytes, "%s", t->words);
        return t->status;
    }
    for (int64_t i = 0; i < n; i++)
        out[i] = in[n - 1 - i] * times;
    return FSR_OK;
}

static fsr_node reversed(fsr_node x, tally *t, float times) {
    const fsr_callee callee = {.name = "reverse",
                               .attributes = &times,
                               .attribute_bytes = sizeof times,
                               .user = t,
                               .destroy = let_go,
                               .inputs = 1,
                               .outputs = 1,
                               .cpu = reverse};
    fsr_node out;
    fsr_call_library(G, &out, &callee, &x, 1);
    return out;
}

static void expect_reversed(fsr_node y, fsr_node x, float times) {
    float *got = subject_read(y), *in = subject_read(x);
    const int64_t n = fsr_node_size(x);
    for (int64_t i = 0; i < n; i++)
        if (got[i] != in[n - 1 - i] * times)
            fail_msg("element %lld is %g", (long long)i, (double)got[i]);
    free(got);
    free(in);
}

/* What computes the argument is one kernel, what uses the result another. */
static void between_fused_work(void **state) {
    (void)state;
    static tally t = {0};
    fsr_plan_info info;
    char text[4000];
    fsr_node x = numbers(1000), y = fsr_sub(fsr_mul(x, x), x);
    fsr_node out = fsr_neg(fsr_abs(reversed(y, &t, 2)));
    OK(fsr_query(&out, 1, &info));
    assert_int_equal(info.kernels, 2);
    assert_int_equal(info.calls, 1);
    OK(fsr_explain_text(&out, 1, text, sizeof text, NULL));
    assert_non_null(strstr(text, "library call: reverse\n    recorded at: "));
    assert_non_null(strstr(text, "test_library.c"));
    assert_int_equal(atomic_load(&t.calls), 0);
    expect_reversed(out, fsr_abs(y), -2);
    expect_reversed(reversed(x, &t, -1), x, -1);
    fsr_node again = reversed(x, &t, 3);
    assert_int_equal(subject_verify(&again, 1, NULL, "reverse"), 1000);
}

/* Attributes and user decide; their addresses do not. */
static void equal_calls_are_one(void **state) {
    (void)state;
    static tally t = {0}, other = {0};
    float times = 5;
    fsr_node x = numbers(10),
             a[] = {reversed(x, &t, times), reversed(x, &t, 5), reversed(x, &t, 6), reversed(x, &other, 5)};
    OK(fsr_compute(a, 4));
    assert_int_equal(atomic_load(&t.calls), 2);
    assert_int_equal(atomic_load(&other.calls), 1);
    expect_reversed(a[1], x, 5);
    expect_reversed(a[2], x, 6);
}

/* A failure is the computation's: with its words, and nothing is lost by it. */
static void a_failure_loses_nothing(void **state) {
    (void)state;
    static tally t = {.status = FSR_ERR_FILE, .words = "no tape in the drive"};
    fsr_node x = numbers(33), y = reversed(fsr_neg(x), &t, 1), z = fsr_add(y, y);
    float out[33];
    subject_error(subject_ctx, fsr_read(z, out, sizeof out), FSR_ERR_FILE,
                  "library call reverse: no tape in the drive");
    t.words = "";
    subject_error(subject_ctx, fsr_compute(&z, 1), FSR_ERR_FILE, "library call reverse: a file cannot be opened");
    t.status = (fsr_status)99;
    subject_error(subject_ctx, fsr_compute(&z, 1), FSR_ERR_VALUE,
                  "library call reverse returned 99, which is no status");
    t.status = FSR_OK;
    expect_reversed(z, x, -2);
}

static void user_data_is_freed_once(void **state) {
    (void)state;
    static tally t = {0}, failed = {0}, kept = {0};
    fsr_context *ctx = subject_open(NULL);
    fsr_graph *mine = fsr_graph_new(ctx), *was = G;
    fsr_plan *plan;
    float in[4] = {1, 2, 3, 4}, out[4];
    G = mine;
    fsr_node x = fsr_input(G, "x", FSR_F32, 1, SHAPE(4)), y = reversed(x, &kept, 1);
    reversed(fsr_sum(x, NULL, 0, 0), &t, 1);
    reversed(numbers(3), &failed, 1);
    reversed((fsr_node){0}, &failed, 1);
    assert_int_equal(atomic_load(&failed.freed), 1);
    OK(fsr_compile(&y, 1, &plan));
    G = was;
    fsr_graph_free(mine);
    assert_int_equal(atomic_load(&t.freed), 1);
    assert_int_equal(atomic_load(&failed.freed), 2);
    assert_int_equal(atomic_load(&kept.freed), 0);
    OK(fsr_plan_run(plan, &(fsr_arg){"x", in, sizeof in, FSR_HOST}, 1, &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1,
                    NULL));
    assert_true(out[0] == 4 && out[3] == 1);
    fsr_plan_free(plan);
    fsr_close(ctx);
    assert_int_equal(atomic_load(&kept.freed), 1);
    assert_int_equal(atomic_load(&t.freed), 1);
}

/* ---- several results, inference ---------------------------------------------------------------------------- */

/* Of a matrix its trace, 0-d, and its last column as f64. */
static fsr_status split_types(const fsr_call_frame *s) {
    if (s->input[0].ndim != 2 || s->input[0].shape[0] > s->input[0].shape[1]) {
        snprintf(s->why, s->why_bytes, "%d dimensions, or too few columns", s->input[0].ndim);
        return FSR_ERR_SHAPE;
    }
    s->output[0] = (fsr_frame_array){.dtype = FSR_F32};
    s->output[1] = (fsr_frame_array){.dtype = FSR_F64, .ndim = 1, .shape = {s->input[0].shape[0]}};
    return FSR_OK;
}

static int64_t split_work(const fsr_call_frame *s) {
    return s->cuda ? -1 : 8 * s->input[0].shape[0];
}

typedef struct rows {
    const fsr_call_frame *frame;
    atomic_llong next;
} rows;

static void last_column(void *arg, int worker) {
    rows *r = arg;
    const fsr_call_frame *s = r->frame;
    const int64_t n = s->input[0].shape[0], cols = s->input[0].shape[1];
    assert_true(worker >= 0 && worker < s->threads);
    for (int64_t i; (i = atomic_fetch_add(&r->next, 1)) < n;)
        ((double *)s->work)[i] = ((const float *)s->input[0].data)[i * cols + cols - 1];
}

static fsr_status split(const fsr_call_frame *s) {
    tally *t = s->user;
    const int64_t n = s->input[0].shape[0], cols = s->input[0].shape[1];
    rows r = {.frame = s};
    atomic_init(&r.next, 0);
    assert_int_equal(s->work_bytes, 8 * n);
    s->parallel(s, last_column, &r);
    t->skipped = s->output[1].data;
    if (s->output[0].data)
        *(float *)s->output[0].data = 0;
    for (int64_t i = 0; i < n; i++) {
        if (s->output[0].data)
            *(float *)s->output[0].data += ((const float *)s->input[0].data)[i * cols + i];
        if (s->output[1].data)
            ((double *)s->output[1].data)[i] = ((double *)s->work)[i];
    }
    return FSR_OK;
}

static void results_have_their_own_types(void **state) {
    (void)state;
    static tally t = {0};
    const fsr_callee callee = {
        .name = "split", .user = &t, .inputs = 1, .outputs = 2, .infer = split_types, .work = split_work, .cpu = split};
    fsr_node x = fsr_reshape(fsr_arange(G, FSR_F32, 20), 2, SHAPE(4, 5)), out[2], doubled;
    fsr_call_library(G, out, &callee, &x, 1);
    assert_int_equal(fsr_node_ndim(out[0]), 0);
    assert_true(fsr_node_dtype(out[1]) == FSR_F64 && fsr_node_ndim(out[1]) == 1 && fsr_node_dim(out[1], 0) == 4);
    doubled = fsr_add(out[1], out[1]);
    assert_true(subject_value(out[0], 0) == 36);
    assert_null(t.skipped);
    assert_true(subject_value(doubled, 0) == 8 && subject_value(doubled, 3) == 38);
    fsr_node bad = fsr_arange(G, FSR_F32, 3);
    fsr_call_library(G, out, &callee, &bad, 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fsr_node_status(out[i]), FSR_ERR_SHAPE);
        assert_non_null(strstr(fsr_node_error(out[i]), "split: 1 dimensions, or too few columns ("));
    }
}

static fsr_status dates_type(const fsr_call_frame *s) {
    s->output[0] = (fsr_frame_array){.dtype = FSR_I32, .ndim = 1, .shape = {*(const int64_t *)s->attributes}};
    return FSR_OK;
}

static fsr_status dates(const fsr_call_frame *s) {
    tally *t = s->user;
    atomic_fetch_add(&t->calls, 1);
    for (int64_t i = 0; i < s->output[0].shape[0]; i++)
        ((int32_t *)s->output[0].data)[i] = (int32_t)(i * i);
    return FSR_OK;
}

/* No input; what has no element is not asked for. */
static void a_source(void **state) {
    (void)state;
    static tally t = {0};
    int64_t n = 6;
    const fsr_callee callee = {.name = "dates",
                               .attributes = &n,
                               .attribute_bytes = sizeof n,
                               .user = &t,
                               .outputs = 1,
                               .infer = dates_type,
                               .cpu = dates};
    fsr_node out[2];
    fsr_verify_report report;
    fsr_call_library(G, &out[0], &callee, NULL, 0);
    n = 0;
    fsr_call_library(G, &out[1], &callee, NULL, 0);
    assert_true(subject_value(fsr_sum(out[0], NULL, 0, 0), 0) == 55);
    assert_true(subject_value(fsr_sum(out[1], NULL, 0, 0), 0) == 0);
    assert_int_equal(atomic_load(&t.calls), 1);
    OK(fsr_verify(out, 2, &report));
    assert_int_equal(report.checked, 6);
    assert_int_equal(report.unknown, 0);
}

/* ---- profiles, rows, backends --------------------------------------------------------------------------------- */

static void profiles_tell_calls(void **state) {
    (void)state;
    static tally t = {0};
    fsr_config config = subject_config();
    fsr_kernel_profile told;
    fsr_plan_info info;
    fsr_plan *plan;
    float in[8] = {0}, out[8];
    config.profile = 2;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *was = G;
    G = fsr_graph_new(ctx);
    fsr_node y = fsr_exp(reversed(fsr_exp(fsr_input(G, "x", FSR_F32, 1, SHAPE(8))), &t, 1));
    OK(fsr_compile(&y, 1, &plan));
    OK(fsr_plan_run(plan, &(fsr_arg){"x", in, sizeof in, FSR_HOST}, 1, &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1,
                    NULL));
    OK(fsr_plan_query(plan, &info));
    assert_true(info.kernels == 2 && info.calls == 1);
    OK(fsr_plan_profile(plan, 2, &told));
    assert_string_equal(told.name, "reverse");
    assert_string_equal(told.fuses, "library call");
    assert_non_null(strstr(told.lines, "test_library.c:"));
    assert_true(told.runs == 1 && told.bytes_moved == 64 && told.ms > 0);
    subject_error(ctx, fsr_plan_profile(plan, 3, &told), FSR_ERR_VALUE, "kernel 3 of 2 and 1 library calls");
    fsr_plan_free(plan);
    fsr_close(ctx);
    G = was;
}

static void call_row(fsr_node *out, const fsr_node *in, void *user) {
    out[0] = reversed(in[0], user, 1);
}

static void not_in_a_function_of_rows(void **state) {
    (void)state;
    static tally t = {0};
    fsr_node x = fsr_reshape(numbers(12), 2, SHAPE(3, 4)), out;
    fsr_vectorize(&out, 1, &x, 1, "(n)->(n)", call_row, &t);
    assert_int_equal(fsr_node_status(out), FSR_ERR_UNSUPPORTED);
    assert_int_equal(atomic_load(&t.freed), 1);
}

static void a_backend_without_it(void **state) {
    (void)state;
    const fsr_callee callee = {.name = "only_there", .inputs = 1, .outputs = 1, .cuda = reverse};
    fsr_node x = numbers(3), out;
    fsr_call_library(G, &out, &callee, &x, 1);
    subject_error(subject_ctx, fsr_compute(&out, 1), FSR_ERR_UNSUPPORTED,
                  "library call only_there has no function for a CPU");
    subject_error(subject_ctx, fsr_verify(&out, 1, &(fsr_verify_report){0}), FSR_ERR_UNSUPPORTED,
                  "only_there|for a CPU");
}

/* ---- kernels ------------------------------------------------------------------------------------------------ */

/* What a kernel's parameters ask of outputs is done before the function for a CPU is called: it adds to what is
 * there. */
static fsr_status add_up(const fsr_call_frame *s) {
    tally *t = s->user;
    const float *in = s->input[0].data;
    float *sum = s->output[0].data, *copy = s->output[1].data;
    atomic_fetch_add(&t->calls, 1);
    for (int64_t i = 0; i < s->input[0].shape[0]; i++) {
        sum[0] += in[i];
        copy[i] += 1;
    }
    return FSR_OK;
}

static void add_up_call(fsr_node *out, fsr_node x, tally *t, const char *text, float value) {
    const fsr_kernel_param param[] = {
        {FSR_PARAM_ZEROED, 0, 0, NULL, 0}, {.kind = FSR_PARAM_COPIED, .index = 1}, FSR_IN(0), FSR_VALUE_OF(value)};
    const fsr_frame_array types[] = {{.dtype = FSR_F32}, {.dtype = FSR_F32, .ndim = 1, .shape = {fsr_node_size(x)}}};
    const fsr_callee callee = {
        .name = "add_up",
        .user = t,
        .inputs = 1,
        .outputs = 2,
        .types = types,
        .cpu = add_up,
        .ulp = 1,
        .kernel = {.code = text, .name = "add_up", .block = {32}, .param = param, .params = COUNT_OF(param)}};
    fsr_call_library(G, out, &callee, &x, 1);
}

static void kernels_begin_with_their_outputs(void **state) {
    (void)state;
    static tally t = {0};
    fsr_node x = fsr_arange(G, FSR_F32, 20), out[2];
    add_up_call(out, fsr_add(x, x), &t, "text", 1);
    assert_int_equal(fsr_node_ndim(out[0]), 0);
    assert_true(subject_value(out[0], 0) == 380);
    assert_true(subject_value(out[1], 3) == 7);
    assert_int_equal(subject_verify(out, 2, NULL, "add_up"), 0);
}

/* Text, values and launch tell two calls apart. */
static void equal_kernels_are_one(void **state) {
    (void)state;
    static tally t = {0};
    char text[] = "text";
    fsr_node x = fsr_arange(G, FSR_F32, 20), a[2], b[2], c[2], d[2];
    add_up_call(a, x, &t, "text", 1);
    add_up_call(b, x, &t, text, 1);
    add_up_call(c, x, &t, "texts", 1);
    add_up_call(d, x, &t, "text", 2);
    text[0] = 'n';
    OK(fsr_compute((fsr_node[]){a[0], b[0]}, 2));
    assert_int_equal(atomic_load(&t.calls), 1);
    OK(fsr_compute((fsr_node[]){c[1], d[1]}, 2));
    assert_int_equal(atomic_load(&t.calls), 3);
}

/* The same computation with another value is another plan. */
static void kernels_are_in_the_plan_key(void **state) {
    (void)state;
    static tally t = {0};
    fsr_node x = fsr_arange(G, FSR_F32, 20), out[2];
    fsr_stats before, after;
    for (int i = 0; i < 4; i++) {
        add_up_call(out, x, &t, "key", (float)(i / 2));
        before = subject_stats();
        OK(fsr_force(out[1]));
        after = subject_stats();
        assert_int_equal(after.plans_built - before.plans_built, i % 2 == 0);
    }
}

static void a_kernel_alone_is_for_a_gpu(void **state) {
    (void)state;
    const fsr_kernel_param param[] = {FSR_OUT(0)};
    const fsr_callee callee = {.name = "there",
                               .inputs = 1,
                               .outputs = 1,
                               .kernel = {.code = "", .name = "k", .param = param, .params = 1}},
                     good = {.name = "there",
                             .inputs = 1,
                             .outputs = 1,
                             .kernel = {.code = "?", .name = "k", .param = param, .params = 1}};
    fsr_node x = numbers(3), out;
    fsr_call_library(G, &out, &callee, &x, 1);
    assert_int_equal(fsr_node_status(out), FSR_ERR_VALUE);
    fsr_call_library(G, &out, &good, &x, 1);
    subject_error(subject_ctx, fsr_compute(&out, 1), FSR_ERR_UNSUPPORTED,
                  "library call there has no function for a CPU");
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(kernels_begin_with_their_outputs),
                                       SUBJECT_TEST(equal_kernels_are_one),
                                       SUBJECT_TEST(kernels_are_in_the_plan_key),
                                       SUBJECT_TEST(a_kernel_alone_is_for_a_gpu),
                                       SUBJECT_TEST(between_fused_work),
                                       SUBJECT_TEST(equal_calls_are_one),
                                       SUBJECT_TEST(a_failure_loses_nothing),
                                       SUBJECT_TEST(user_data_is_freed_once),
                                       SUBJECT_TEST(results_have_their_own_types),
                                       SUBJECT_TEST(a_source),
                                       SUBJECT_TEST(profiles_tell_calls),
                                       SUBJECT_TEST(not_in_a_function_of_rows),
                                       SUBJECT_TEST(a_backend_without_it)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
