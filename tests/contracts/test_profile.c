/* SPDX-License-Identifier: MIT */
/* The knob `profile`: what each kernel of a plan takes, its bytes, and the lines that recorded what it fuses; off, it
 * costs and says nothing. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 4096 };

static fsr_context *open_with(int profile) {
    fsr_config config = subject_config();
    config.profile = profile;
    return subject_open(&config);
}

typedef struct recorded {
    fsr_plan *plan;
    fsr_graph *g;
    fsr_node out[2];
    int first, second; /* lines of the two kernels */
} recorded;

/* Two kernels, the second one of what a hint has stored. */
static recorded record(fsr_context *ctx) {
    recorded r = {.g = fsr_graph_new(ctx)};
    const int64_t shape[] = {N};
    fsr_node x = fsr_input(r.g, "x", FSR_F32, 1, shape), y;
    r.first = __LINE__ + 1;
    y = fsr_hint_set(fsr_mul(x, x), FSR_HINT_MATERIALIZE);
    r.second = __LINE__ + 1;
    r.out[0] = fsr_sum(fsr_add(y, x), NULL, 0, 0);
    r.out[1] = y;
    assert_int_equal(fsr_compile(r.out, 2, &r.plan), FSR_OK);
    return r;
}

static void run(const recorded *r) {
    float *x = malloc(sizeof *x * N), *y = malloc(sizeof *y * N), sum = 0;
    for (int i = 0; i < N; i++)
        x[i] = 1;
    const fsr_arg in = {"x", x, sizeof *x * N, FSR_HOST},
                  out[] = {{NULL, &sum, sizeof sum, FSR_HOST}, {NULL, y, sizeof *y * N, FSR_HOST}};
    assert_int_equal(fsr_plan_run(r->plan, &in, 1, out, 2, NULL), FSR_OK);
    assert_true(sum == 2 * N);
    free(x);
    free(y);
}

static int kernels_of(const fsr_plan *plan) {
    fsr_plan_info info;
    assert_int_equal(fsr_plan_query(plan, &info), FSR_OK);
    return info.kernels;
}

static bool says(const char *lines, int line) {
    char text[32];
    snprintf(text, sizeof text, "test_profile.c:%d", line);
    const char *at = strstr(lines, text);
    return at && (at[strlen(text)] == 0 || at[strlen(text)] == ',');
}

static void each_kernel_is_timed(void **state) {
    (void)state;
    fsr_context *ctx = open_with(2);
    recorded r = record(ctx);
    fsr_kernel_profile p;
    int64_t moved = 0;
    fsr_plan_info info;
    assert_int_equal(kernels_of(r.plan), 2);
    assert_int_equal(fsr_plan_profile(r.plan, 0, &p), FSR_OK);
    assert_true(p.runs == 0 && p.ms == 0 && p.gb_per_s == 0);
    run(&r);
    run(&r);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(fsr_plan_profile(r.plan, i, &p), FSR_OK);
        assert_int_equal(p.runs, 2);
        assert_true(p.ms > 0 && p.ms < 60e3 && p.bytes_moved > 0);
        assert_true(fabs(p.gb_per_s - (double)p.bytes_moved / p.ms * 1e-6) <= 1e-9 * p.gb_per_s);
        assert_true(strncmp(p.name, "k_", 2) == 0);
        assert_true(says(p.lines, i ? r.second : r.first));
        assert_false(says(p.lines, i ? r.first : r.second));
        assert_non_null(strstr(p.fuses, i ? "sum" : "mul"));
        moved += p.bytes_moved;
    }
    assert_int_equal(fsr_plan_query(r.plan, &info), FSR_OK);
    assert_int_equal(moved, info.bytes_moved);
    fsr_plan_free(r.plan);
    fsr_close(ctx);
}

/* One cached plan, recorded on two lines: each is told its own. */
static void lines_are_the_recordings_own(void **state) {
    (void)state;
    fsr_context *ctx = open_with(2);
    fsr_stats before, after;
    fsr_plan *plan[2];
    int line[2];
    const int64_t shape[] = {N};
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, shape), y;
    line[0] = __LINE__ + 1;
    y = fsr_sqrt(x);
    assert_int_equal(fsr_compile(&y, 1, &plan[0]), FSR_OK);
    fsr_context_stats(ctx, &before);
    line[1] = __LINE__ + 1;
    y = fsr_sqrt(x);
    assert_int_equal(fsr_compile(&y, 1, &plan[1]), FSR_OK);
    fsr_context_stats(ctx, &after);
    assert_int_equal(after.plans_built, before.plans_built);
    for (int i = 0; i < 2; i++) {
        fsr_kernel_profile p;
        assert_int_equal(fsr_plan_profile(plan[i], 0, &p), FSR_OK);
        assert_true(says(p.lines, line[i]));
        assert_false(says(p.lines, line[!i]));
        fsr_plan_free(plan[i]);
    }
    fsr_close(ctx);
}

/* Constants that differ share a plan too, found after the rewrites, which move nodes. */
static void lines_survive_the_passes(void **state) {
    (void)state;
    fsr_context *ctx = open_with(2);
    const int64_t shape[] = {N};
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, shape);
    for (int i = 0; i < 4; i++) {
        fsr_plan *plan;
        fsr_kernel_profile p;
        fsr_node twice = fsr_flip(fsr_flip(x, 0), 0);
        const int line = __LINE__ + 1;
        fsr_node y = fsr_mul(fsr_mul(twice, fsr_float(g, 1)), fsr_float(g, 2.5 + i));
        assert_int_equal(fsr_compile(&y, 1, &plan), FSR_OK);
        assert_int_equal(fsr_plan_profile(plan, 0, &p), FSR_OK);
        assert_true(says(p.lines, line));
        assert_null(strchr(p.lines, ','));
        fsr_plan_free(plan);
    }
    fsr_close(ctx);
}

static char *explained(const fsr_node *outs, int n) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    assert_int_equal(fsr_explain(outs, n, to), FSR_OK);
    fclose(to);
    return text;
}

static void explain_tells_the_last_run(void **state) {
    (void)state;
    fsr_context *ctx = open_with(2);
    recorded r = record(ctx);
    char *text = explained(r.out, 2);
    assert_null(strstr(text, "profile:"));
    free(text);
    run(&r);
    text = explained(r.out, 2);
    const char *at = strstr(text, "profile: ");
    assert_non_null(at);
    assert_non_null(strstr(at, " GB/s: k_mul"));
    assert_non_null(strstr(at, "ms in 2 kernels\n"));
    assert_true(strstr(at, "test_profile.c:") != NULL);
    free(text);
    fsr_plan_free(r.plan);
    fsr_close(ctx);
}

/* What a run, and computing lazily, writes to stderr. */
static char *on_stderr(int profile, bool lazily) {
    char *text = calloc(1, 4096);
    FILE *to = tmpfile();
    fflush(stderr);
    const int old = dup(2);
    assert_true(to && old >= 0 && dup2(fileno(to), 2) == 2);
    fsr_context *ctx = open_with(profile);
    recorded r = record(ctx);
    if (lazily) {
        const float data[3] = {1, 2, 3};
        const int64_t shape[] = {3};
        fsr_force(fsr_exp(fsr_from_host(r.g, FSR_F32, 1, shape, data)));
    } else {
        run(&r);
    }
    fsr_plan_free(r.plan);
    fsr_close(ctx);
    fflush(stderr);
    dup2(old, 2);
    close(old);
    rewind(to);
    assert_true(text && fread(text, 1, 4095, to) < 4095);
    fclose(to);
    return text;
}

static void runs_are_told_on_stderr(void **state) {
    (void)state;
    char *run_text = on_stderr(1, false), *lazy = on_stderr(1, true), *quiet = on_stderr(2, false),
         *off = on_stderr(0, false);
    assert_non_null(strstr(run_text, "profile: "));
    assert_non_null(strstr(run_text, " ms in 2 kernels\n"));
    assert_non_null(strstr(lazy, "k_exp"));
    assert_non_null(strstr(lazy, "ms in 1 kernel\n"));
    assert_string_equal(quiet, "");
    assert_string_equal(off, "");
    free(run_text);
    free(lazy);
    free(quiet);
    free(off);
}

static void errors(void **state) {
    (void)state;
    fsr_kernel_profile p;
    fsr_context *ctx = open_with(0);
    recorded r = record(ctx);
    assert_int_equal(fsr_plan_profile(r.plan, 0, &p), FSR_ERR_UNSUPPORTED);
    assert_string_equal(fsr_error(ctx), "plan_profile: the context's knob profile is 0");
    assert_int_equal(fsr_plan_profile(NULL, 0, &p), FSR_ERR_NULL);
    assert_int_equal(fsr_plan_profile(r.plan, 0, NULL), FSR_ERR_NULL);
    fsr_plan_free(r.plan);
    fsr_close(ctx);
    ctx = open_with(2);
    r = record(ctx);
    assert_int_equal(fsr_plan_profile(r.plan, 2, &p), FSR_ERR_VALUE);
    assert_string_equal(fsr_error(ctx), "plan_profile: kernel 2 of 2 and 0 library calls");
    assert_int_equal(fsr_plan_profile(r.plan, -1, &p), FSR_ERR_VALUE);
    fsr_plan_free(r.plan);
    fsr_close(ctx);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(each_kernel_is_timed),     SUBJECT_TEST(lines_are_the_recordings_own),
    SUBJECT_TEST(lines_survive_the_passes), SUBJECT_TEST(explain_tells_the_last_run),
    SUBJECT_TEST(runs_are_told_on_stderr),  SUBJECT_TEST(errors),
};
SUBJECT_MAIN(tests)
