/* SPDX-License-Identifier: MIT */
/* Arrays that can be described and not be had: planning them, asking for them and running what would need them ends in
 * a status, on every backend, and leaves the context as it was. Numbers of a plan never wrap. */
#include "tests/support/subject.h"
#include <string.h>

/* Asked for more than there is, calls fail here as they do elsewhere. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) {
    return "allocator_may_return_null=1";
}
const char *__tsan_default_options(void);
const char *__tsan_default_options(void) {
    return "allocator_may_return_null=1";
}

#define EIB ((int64_t)1 << 60)

static fsr_context *open_with(int backend, int fusion) {
    fsr_config config = subject_config();
    config.backend = backend;
    config.fusion = fusion;
    config.log_level = FSR_LOG_SILENT;
    return subject_open(&config);
}

/* Works as if nothing had been asked. */
static void still_works(fsr_graph *g) {
    float out[3];
    fsr_node x = fsr_add(fsr_arange(g, FSR_F32, 3), fsr_float(g, 1));
    assert_int_equal(fsr_read(x, out, sizeof out), FSR_OK);
    assert_true(out[0] == 1 && out[2] == 3);
}

/* Three arrays of 4 EiB at once are 12: more than 63 bits. */
static void temporaries_overflow(void **state) {
    (void)state;
    fsr_context *ctx = open_with(subject_config().backend, 0);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(EIB)), y[3], sum = {0};
    for (int i = 0; i < 3; i++) {
        y[i] = fsr_hint_set(fsr_add(x, fsr_float(g, i + 1)), FSR_HINT_MATERIALIZE);
        sum = i ? fsr_hint_set(fsr_mul(sum, fsr_flip(y[i], 0)), FSR_HINT_MATERIALIZE) : y[0];
    }
    fsr_node all = fsr_mul(sum, fsr_flip(fsr_mul(y[0], fsr_flip(fsr_mul(y[1], y[2]), 0)), 0));
    fsr_plan_info info;
    fsr_plan *plan;
    assert_int_equal(fsr_query(&all, 1, &info), FSR_ERR_SIZE);
    assert_non_null(strstr(fsr_error(ctx), "overflow"));
    assert_int_equal(fsr_compile(&all, 1, &plan), FSR_ERR_SIZE);
    assert_null(plan);
    still_works(g);
    fsr_close(ctx);
}

/* Sums of bytes stop at the largest number. */
static void numbers_do_not_wrap(void **state) {
    (void)state;
    fsr_node x[6], sum = fsr_input(subject_g, "x", FSR_F32, 1, SHAPE(EIB));
    for (int i = 0; i < 6; i++) {
        char name[2] = {(char)('a' + i), 0};
        x[i] = fsr_input(subject_g, name, FSR_F32, 1, SHAPE(EIB));
        sum = fsr_add(sum, x[i]);
    }
    fsr_plan_info info;
    assert_int_equal(fsr_query(&sum, 1, &info), FSR_OK);
    assert_true(info.bytes_min == INT64_MAX && info.bytes_moved == INT64_MAX);
    assert_true(info.peak_bytes == 4 * EIB);
}

/* Nobody has 4 EiB; nor has he two of them, which is a number of its own. */
static void refuse(fsr_context *ctx) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_full(g, FSR_F32, 1, SHAPE(EIB), 1), y = fsr_add(x, fsr_float(g, 1));
    fsr_node running = fsr_cumsum(x, AXES(0), 1, 0),
             places = fsr_filter(x, fsr_greater(x, fsr_float(g, 0)), fsr_float(g, 0));
    fsr_node huge[] = {x, y, running, places,
                       fsr_concat(((fsr_node[]){x, fsr_full(g, FSR_F32, 1, SHAPE(1), 2)}), 2, 0)};
    for (int i = 0; i < COUNT_OF(huge); i++) {
        fsr_status status = fsr_force(huge[i]);
        if (status != FSR_ERR_MEMORY && status != FSR_ERR_DEVICE_MEMORY && status != FSR_ERR_SIZE)
            fail_msg("%d: %s", i, fsr_status_name(status));
        assert_true(fsr_error(ctx)[0] != 0);
    }
    fsr_status both = fsr_compute(huge, COUNT_OF(huge));
    assert_true(both == FSR_ERR_MEMORY || both == FSR_ERR_DEVICE_MEMORY || both == FSR_ERR_SIZE);
    fsr_verify_report report;
    assert_true(fsr_verify(&y, 1, &report) != FSR_OK);
    assert_int_equal(fsr_node_bytes(y), 4 * EIB);
    still_works(g);
    fsr_graph_free(g);
}

static void forcing_is_refused(void **state) {
    (void)state;
    refuse(subject_ctx);
    fsr_context *unfused = open_with(subject_config().backend, 0), *reference = open_with(FSR_BACKEND_REFERENCE, 1);
    refuse(unfused);
    refuse(reference);
    fsr_close(unfused);
    fsr_close(reference);
}

/* An input of more bytes than anybody has is asked for by its exact size. */
static void plans_ask_for_bytes(void **state) {
    (void)state;
    fsr_node x = fsr_input(subject_g, "x", FSR_U8, 1, SHAPE(INT64_MAX - 1)), top = fsr_max(x, NULL, 0, 0);
    fsr_plan *plan;
    uint8_t byte[2] = {0};
    assert_int_equal(fsr_compile(&top, 1, &plan), FSR_OK);
    fsr_arg in = {"x", &byte[0], 1, FSR_HOST}, out = {NULL, &byte[1], 1, FSR_HOST};
    assert_int_equal(fsr_plan_run(plan, &in, 1, &out, 1, NULL), FSR_ERR_BYTES);
    fsr_plan_free(plan);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(temporaries_overflow), SUBJECT_TEST(numbers_do_not_wrap),
                                          SUBJECT_TEST(forcing_is_refused), SUBJECT_TEST(plans_ask_for_bytes)};
SUBJECT_MAIN(tests)
