/* SPDX-License-Identifier: MIT */
/* Schedules by hand and by measurement: another schedule never gives other bits, belongs to its plan alone, and is
 * refused where it would decide how something is computed. What fsr_autotune finds is found again by another
 * context. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define G subject_g
enum { N = 30000, ROWS = 60, COLUMNS = 500 };

static float in[N], out_a[N], out_b[N], sums[COLUMNS], sums_b[COLUMNS];

static void fill(void) {
    for (int i = 0; i < N; i++)
        in[i] = (float)(i * 7919 % 10007) * 1e-3f;
}

/* A map, and sums of columns of what it computes and more, sorted: kernels of which no two are equal, with a library
 * call between them. */
static fsr_plan *make(fsr_graph *g) {
    fsr_plan *plan;
    fsr_node x = fsr_input(g, "x", FSR_F32, 2, SHAPE(ROWS, COLUMNS)), y = fsr_exp(fsr_neg(fsr_mul(x, x)));
    const int first = 0;
    fsr_node sorted = fsr_sort(fsr_reshape(fsr_sqrt(y), 1, SHAPE(N)), &first, 1, 0);
    OK(fsr_compile((fsr_node[]){y, fsr_sum(fsr_sqrt(fsr_reshape(sorted, 2, SHAPE(ROWS, COLUMNS))), &first, 1, 0)}, 2,
                   &plan));
    return plan;
}

static void run(fsr_plan *plan, float *y, float *sum) {
    const fsr_arg from = {"x", in, sizeof in, FSR_HOST},
                  to[] = {{NULL, y, sizeof out_a, FSR_HOST}, {NULL, sum, sizeof sums, FSR_HOST}};
    OK(fsr_plan_run(plan, &from, 1, to, 2, NULL));
}

static fsr_status tune(fsr_plan *plan, float *y, float *sum, fsr_tune_report *report) {
    const fsr_arg from = {"x", in, sizeof in, FSR_HOST},
                  to[] = {{NULL, y, sizeof out_a, FSR_HOST}, {NULL, sum, sizeof sums, FSR_HOST}};
    return fsr_autotune(plan, &from, 1, to, 2, report);
}

static int kernels_of(fsr_plan *plan) {
    fsr_plan_info info;
    OK(fsr_plan_query(plan, &info));
    return info.kernels;
}

static void text_of(fsr_plan *plan, int kernel, char *text, size_t size) {
    size_t length;
    OK(fsr_plan_schedule(plan, kernel, text, size, &length));
    assert_int_equal(length, strlen(text));
}

static void schedules_by_hand(void **state) {
    (void)state;
    char text[300], changed[300];
    fsr_plan *plan = make(G), *other = make(G);
    const bool gpu = strcmp(fsr_backend_name(subject_ctx), "cuda") == 0;
    const char *fields = gpu ? "resident 1" : "work 77";
    fill();
    run(plan, out_a, sums);
    for (int k = 0; k < kernels_of(plan); k++) {
        text_of(plan, k, text, sizeof text);
        assert_memory_equal(text, gpu ? "gpu " : "cpu ", 4);
        OK(fsr_plan_set_schedule(plan, k, fields));
        text_of(plan, k, changed, sizeof changed);
        assert_non_null(strstr(changed, fields));
        run(plan, out_b, sums_b);
        assert_memory_equal(out_a, out_b, sizeof out_a);
        assert_memory_equal(sums, sums_b, sizeof sums);
        text_of(other, k, changed, sizeof changed);
        assert_string_equal(changed, text);
        OK(fsr_plan_set_schedule(plan, k, k % 2 ? "" : NULL));
        text_of(plan, k, changed, sizeof changed);
        assert_string_equal(changed, text);
    }
    fsr_plan_free(other);
    fsr_plan_free(plan);
}

/* One misuse, one status and message; the plan has what it had. */
static void refusals(void **state) {
    (void)state;
    char text[300], after[300];
    size_t length;
    fsr_plan *plan = make(G);
    const int n = kernels_of(plan);
    const bool gpu = strcmp(fsr_backend_name(subject_ctx), "cuda") == 0;
    text_of(plan, n - 1, text, sizeof text);
    const struct {
        const char *fields;
        fsr_status status;
        const char *words;
    } row[] = {{gpu ? "accumulators 2" : "lanes 2", FSR_ERR_UNSUPPORTED,
                "decides how this kernel's results are computed, and stays"},
               {"speed 3", FSR_ERR_UNSUPPORTED, "has no number speed"},
               {gpu ? "resident" : "work", FSR_ERR_FORMAT, "has no number behind it"},
               {gpu ? "resident x" : "work 3x", FSR_ERR_FORMAT, "has no number behind it"},
               {gpu ? "resident 99" : "work 99999999", FSR_ERR_UNSUPPORTED, "is at most"},
               {gpu ? "threads 96" : "work 0", FSR_ERR_UNSUPPORTED, ""}};
    for (int i = 0; i < COUNT_OF(row); i++)
        subject_error(subject_ctx, fsr_plan_set_schedule(plan, n - 1, row[i].fields), row[i].status, row[i].words);
    subject_error(subject_ctx, fsr_plan_set_schedule(plan, n, ""), FSR_ERR_VALUE, "plan_set_schedule: kernel");
    subject_error(subject_ctx, fsr_plan_schedule(plan, -1, NULL, 0, &length), FSR_ERR_VALUE,
                  "plan_schedule: kernel -1 of");
    subject_error(subject_ctx, fsr_plan_schedule(plan, 0, NULL, 0, NULL), FSR_ERR_NULL,
                  "where the answer goes is null");
    subject_error(subject_ctx, fsr_plan_schedule(plan, 0, after, 3, &length), FSR_ERR_BYTES, "there is room for 3");
    assert_string_equal(after, gpu ? "gp" : "cp");
    assert_int_equal(fsr_plan_schedule(NULL, 0, after, 3, NULL), FSR_ERR_NULL);
    assert_int_equal(fsr_plan_set_schedule(NULL, 0, ""), FSR_ERR_NULL);
    text_of(plan, n - 1, after, sizeof after);
    assert_string_equal(after, text);
    fsr_plan_free(plan);
}

static void tuning_is_refused(void **state) {
    (void)state;
    fsr_plan *plan = make(G), *donating;
    fsr_node x = fsr_input(G, "x", FSR_F32, 1, SHAPE(N)), y = fsr_neg(x);
    const fsr_arg from = {"x", in, sizeof in, FSR_HOST}, to = {NULL, out_a, sizeof out_a, FSR_HOST};
    OK(fsr_compile_donating(&y, 1, &(const char *){"x"}, &donating));
    assert_int_equal(fsr_autotune(NULL, &from, 1, &to, 1, NULL), FSR_ERR_NULL);
    subject_error(subject_ctx, fsr_autotune(donating, &from, 1, &to, 1, NULL), FSR_ERR_UNSUPPORTED,
                  "may overwrite their inputs");
    subject_error(subject_ctx, fsr_autotune(plan, &from, 1, &to, 1, NULL), FSR_ERR_VALUE,
                  "1 outputs given, the plan has 2");
    subject_error(subject_ctx, fsr_autotune(plan, &from, 1, NULL, 2, NULL), FSR_ERR_NULL, "2 outputs given");
    subject_error(subject_ctx, tune(plan, out_a, NULL, NULL), FSR_ERR_NULL, "output 1");
    fsr_plan_free(donating);
    fsr_plan_free(plan);
}

/* Arguments that are refused leave schedules that were set by hand. */
static void a_failing_call_changes_nothing(void **state) {
    (void)state;
    char text[300], after[300];
    fsr_plan *plan = make(G);
    const fsr_arg to[] = {{NULL, out_a, sizeof out_a, FSR_HOST}, {NULL, sums, sizeof sums, FSR_HOST}};
    OK(fsr_plan_set_schedule(plan, 0, strcmp(fsr_backend_name(subject_ctx), "cuda") ? "work 77" : "resident 1"));
    text_of(plan, 0, text, sizeof text);
    subject_error(subject_ctx, fsr_autotune(plan, NULL, 0, to, 2, NULL), FSR_ERR_UNBOUND, "x");
    text_of(plan, 0, after, sizeof after);
    assert_string_equal(after, text);
    fsr_plan_free(plan);
}

static int calls;

/* A negation that from the third call on leaves the second half as it is. */
static fsr_status forgets(const fsr_call_frame *s) {
    const float *x = s->input[0].data;
    float *y = s->output[0].data;
    for (int i = 0; i < (calls < 2 ? N : N / 2); i++)
        y[i] = -x[i];
    calls++;
    return FSR_OK;
}

/* What leaves elements unwritten is not the same because an earlier run wrote them: here every run but the two before
 * the first measured schedule does, whatever the schedule is. */
static void unwritten_elements_differ(void **state) {
    (void)state;
    static _Alignas(64) float result[N];
    const fsr_callee callee = {.name = "forgets", .inputs = 1, .outputs = 1, .cpu = forgets};
    fsr_tune_report report;
    fsr_plan *plan;
    if (strcmp(fsr_backend_name(subject_ctx), "cuda") == 0)
        return; /* the call is the host's */
    fsr_config config = subject_config();
    config.cache_dir = ""; /* an earlier process knows nothing */
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_exp(fsr_input(g, "x", FSR_F32, 1, SHAPE(N))), y;
    fsr_call_library(g, &y, &callee, &x, 1);
    OK(fsr_compile(&y, 1, &plan));
    calls = 0;
    const fsr_arg from = {"x", in, sizeof in, FSR_HOST}, to = {NULL, result, sizeof result, FSR_HOST};
    OK(fsr_autotune(plan, &from, 1, &to, 1, &report));
    assert_true(report.schedules > 0);
    assert_int_equal(report.differing, report.schedules);
    fsr_plan_free(plan);
    fsr_close(ctx);
}

static void add_one(fsr_node *out, const fsr_node *at, const fsr_node *inputs, void *user) {
    (void)inputs, (void)user;
    const int first = 0;
    out[0] = fsr_add(at[0], fsr_sum(fsr_sin(at[0]), &first, 1, FSR_KEEPDIMS));
}

static fsr_tune_report tune_turns(const char *dir, int64_t turns, int optimize) {
    fsr_config config = subject_config();
    config.cache_dir = dir;
    config.optimize = optimize;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_plan *plan;
    fsr_tune_report report;
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(COLUMNS)), y;
    fsr_fori_loop(&y, &x, 1, fsr_param(g, "n", FSR_I64, 1), add_one, NULL);
    OK(fsr_compile(&y, 1, &plan));
    const fsr_arg from[] = {{"x", in, sizeof sums, FSR_HOST}, {"n", &turns, sizeof turns, FSR_HOST}};
    OK(fsr_autotune(plan, from, 2, &(fsr_arg){NULL, sums, sizeof sums, FSR_HOST}, 1, &report));
    assert_true(report.kernels > 0);
    fsr_plan_free(plan);
    fsr_close(ctx);
    return report;
}

/* Nothing is known of a kernel that did not run, nor of the same kernel compiled in another way. */
static void only_what_ran_is_known(void **state) {
    (void)state;
    char dir[] = "/tmp/fusor-test-XXXXXX", command[64];
    if (strcmp(fsr_backend_name(subject_ctx), "cuda") == 0)
        return; /* which kernels a loop of no turn leaves out is the backend's */
    assert_non_null(mkdtemp(dir));
    fsr_tune_report report = tune_turns(dir, 0, 0);
    assert_true(report.schedules == 0 && report.ms_before == 0 && report.ms_after == 0);
    report = tune_turns(dir, 2, 0);
    assert_true(report.known == 0 && report.schedules > 0);
    report = tune_turns(dir, 2, 0);
    assert_true(report.known == report.kernels && report.schedules == 0);
    report = tune_turns(dir, 2, 1);
    assert_true(report.known == 0);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

/* The same bits afterwards, and what was found is found again on disk by another context, which measures nothing. */
static void winners_are_kept(void **state) {
    (void)state;
    char dir[] = "/tmp/fusor-test-XXXXXX", command[64], text[4][300], again[300];
    fsr_tune_report report[2];
    assert_non_null(mkdtemp(dir));
    fill();
    for (int turn = 0; turn < 2; turn++) {
        fsr_config config = subject_config();
        config.cache_dir = dir;
        fsr_context *ctx = subject_open(&config);
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_plan *plan = make(g);
        run(plan, out_a, sums);
        OK(tune(plan, out_b, sums_b, &report[turn]));
        assert_memory_equal(out_a, out_b, sizeof out_a);
        assert_memory_equal(sums, sums_b, sizeof sums);
        run(plan, out_b, sums_b);
        assert_memory_equal(out_a, out_b, sizeof out_a);
        assert_memory_equal(sums, sums_b, sizeof sums);
        const int n = kernels_of(plan);
        assert_true(report[turn].kernels == n && n <= 4 && report[turn].differing == 0);
        for (int k = 0; k < n; k++) {
            text_of(plan, k, turn ? again : text[k], sizeof again);
            if (turn)
                assert_string_equal(again, text[k]);
        }
        fsr_plan_free(plan);
        fsr_close(ctx);
    }
    assert_true(report[0].known == 0 && report[0].schedules > 0);
    assert_true(report[0].ms_before > 0 && report[0].ms_after <= report[0].ms_before);
    assert_true(report[1].known == report[1].kernels && report[1].schedules == 0);
    assert_int_equal(report[1].changed, report[0].changed);
    snprintf(command, sizeof command, "rm -r %s", dir);
    assert_int_equal(system(command), 0);
}

/* Arguments on the device: results lie there, with the same bits. */
static void arrays_on_the_device(void **state) {
    (void)state;
    void *x, *y;
    fsr_plan *plan;
    fsr_tune_report report;
    fsr_ticket done;
    fsr_config config = subject_config();
    config.cache_dir = ""; /* an earlier process knows nothing */
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    const fsr_node node = fsr_exp(fsr_neg(fsr_input(g, "x", FSR_F32, 1, SHAPE(N))));
    fill();
    OK(fsr_compile(&node, 1, &plan));
    OK(fsr_plan_run(plan, &(fsr_arg){"x", in, sizeof in, FSR_HOST}, 1, &(fsr_arg){NULL, out_a, sizeof out_a, FSR_HOST},
                    1, NULL));
    OK(fsr_alloc(ctx, FSR_DEVICE, sizeof in, &x));
    OK(fsr_alloc(ctx, FSR_DEVICE, sizeof out_a, &y));
    OK(fsr_upload(ctx, x, in, sizeof in, &done));
    OK(fsr_after(ctx, done));
    OK(fsr_autotune(plan, &(fsr_arg){"x", x, sizeof in, FSR_DEVICE}, 1, &(fsr_arg){NULL, y, sizeof out_a, FSR_DEVICE},
                    1, &report));
    assert_true(report.kernels == 1 && report.schedules > 0 && report.differing == 0);
    OK(fsr_download(ctx, out_b, y, sizeof out_b, &done));
    OK(fsr_wait(ctx, done));
    assert_memory_equal(out_a, out_b, sizeof out_a);
    fsr_plan_free(plan);
    OK(fsr_free(ctx, FSR_DEVICE, x));
    OK(fsr_free(ctx, FSR_DEVICE, y));
    fsr_close(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SUBJECT_TEST(schedules_by_hand),         SUBJECT_TEST(refusals),
        SUBJECT_TEST(tuning_is_refused),         SUBJECT_TEST(a_failing_call_changes_nothing),
        SUBJECT_TEST(unwritten_elements_differ), SUBJECT_TEST(only_what_ran_is_known),
        SUBJECT_TEST(winners_are_kept),          SUBJECT_TEST(arrays_on_the_device)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
