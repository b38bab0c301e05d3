/* SPDX-License-Identifier: MIT */
/* Faults that pass: what was planned while one held is compiled when it has passed, and the plan says which it is. */
#include "runtime/patience.h"
#include "tests/support/subject.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SOON_MS = 30000 };

static char dir[64], compiler[100];

static int setup(void **state) {
    (void)state;
    subject_temporary_dir(dir);
    snprintf(compiler, sizeof compiler, "%s/cc", dir);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    subject_remove_dir(dir);
    return 0;
}

static void put_compiler(void) {
    FILE *file = fopen(compiler, "w");
    assert_non_null(file);
    fputs("#!/bin/sh\nexec cc \"$@\"\n", file);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(compiler, 0700), 0);
}

static fsr_config quiet(const char *cc) {
    fsr_config config = subject_config();
    config.compiler = cc;
    config.cache_dir = "";
    config.log_level = FSR_LOG_SILENT;
    return config;
}

static fsr_node question(fsr_graph *g) {
    return fsr_mul(fsr_param(g, "p", FSR_F32, 3), fsr_float(g, 2));
}

static fsr_status answer(fsr_context *ctx) {
    fsr_graph *g = fsr_graph_new(ctx);
    float x = 0;
    fsr_status status = fsr_read(question(g), &x, sizeof x);
    fsr_graph_free(g);
    assert_true(status || x == 6);
    return status;
}

static fsr_stats counters(fsr_context *ctx) {
    fsr_stats stats;
    assert_int_equal(fsr_context_stats(ctx, &stats), FSR_OK);
    return stats;
}

/* Computes until nothing is interpreted any more. */
static void await_compiled(fsr_context *ctx) {
    const int64_t start = fsr_now_ms();
    while (counters(ctx).interpreted) {
        assert_int_equal(answer(ctx), FSR_OK);
        if (fsr_now_ms() - start > SOON_MS)
            fail_msg("%lld kernels are still interpreted", (long long)counters(ctx).interpreted);
        usleep(10000);
    }
    const fsr_stats before = counters(ctx);
    assert_true(before.compilations > 0);
    assert_int_equal(answer(ctx), FSR_OK);
    assert_int_equal(counters(ctx).launches_interpreted, before.launches_interpreted);
    assert_int_equal(counters(ctx).plans_built, before.plans_built);
}

static void a_compiler_that_comes_later(void **state) {
    (void)state;
    fsr_config config = quiet(compiler);
    fsr_context *ctx = subject_open(&config);
    assert_int_equal(answer(ctx), FSR_OK);
    assert_int_equal(counters(ctx).interpreted, 1);
    assert_int_equal(counters(ctx).launches_interpreted, 1);
    put_compiler();
    await_compiled(ctx);
    fsr_close(ctx);
}

static bool explains(const fsr_node *x) {
    char *text = NULL;
    size_t size;
    FILE *to = open_memstream(&text, &size);
    assert_int_equal(fsr_explain(x, 1, to), FSR_OK);
    fclose(to);
    const bool said = strstr(text, "interpreted: kernel ") != NULL;
    free(text);
    return said;
}

/* fsr_query and fsr_explain say it of what would be computed, fsr_plan_query of a plan, which is compiled as it
 * runs. */
static void plans_say_so(void **state) {
    (void)state;
    fsr_config config = quiet(compiler);
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = question(g);
    fsr_plan *plan = NULL;
    fsr_plan_info info;
    float out = 0;
    const fsr_arg arg = {NULL, &out, sizeof out, FSR_HOST};
    assert_int_equal(fsr_query(&x, 1, &info), FSR_OK);
    assert_int_equal(info.interpreted, 0);
    assert_false(explains(&x));
    assert_int_equal(fsr_compile(&x, 1, &plan), FSR_OK);
    assert_int_equal(fsr_plan_query(plan, &info), FSR_OK);
    assert_int_equal(info.interpreted, 1);
    assert_int_equal(fsr_query(&x, 1, &info), FSR_OK);
    assert_int_equal(info.interpreted, 1);
    assert_true(explains(&x));
    put_compiler();
    const int64_t start = fsr_now_ms();
    do {
        assert_int_equal(fsr_plan_run(plan, NULL, 0, &arg, 1, NULL), FSR_OK);
        assert_true(out == 6);
        assert_int_equal(fsr_plan_query(plan, &info), FSR_OK);
        assert_true(fsr_now_ms() - start < SOON_MS);
        usleep(10000);
    } while (info.interpreted);
    assert_int_equal(fsr_query(&x, 1, &info), FSR_OK);
    assert_int_equal(info.interpreted, 0);
    assert_false(explains(&x));
    fsr_close(ctx);
}

/* One that was found, went, and came back; another of the usual names would do as well. */
static void a_compiler_that_goes(void **state) {
    (void)state;
    put_compiler();
    fsr_config config = quiet(compiler);
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    float x = 0;
    assert_int_equal(fsr_read(fsr_exp(fsr_param(g, "q", FSR_F32, 0)), &x, sizeof x), FSR_OK);
    assert_int_equal(unlink(compiler), 0);
    assert_int_equal(answer(ctx), FSR_OK);
    assert_int_equal(counters(ctx).interpreted, 1);
    put_compiler();
    await_compiled(ctx);
    fsr_close(ctx);
}

/* Takes descriptors until there is none; gives back how many. */
static int take_all(int *fd, int most) {
    int n = 0;
    while (n < most && (fd[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
        n++;
    return n;
}

static void no_descriptors(void **state) {
    (void)state;
    enum { MOST = 256 };
    int fd[MOST];
    struct rlimit before, few;
    fsr_config config = quiet("cc");
    fsr_context *ctx = subject_open(&config);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    few = before;
    few.rlim_cur = 64;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &few), 0);
    int n = take_all(fd, MOST);
    fsr_status status = answer(ctx);
    const int64_t interpreted = counters(ctx).interpreted;
    while (n > 0)
        close(fd[--n]);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(status, FSR_OK);
    assert_int_equal(interpreted, 1);
    await_compiled(ctx);
    fsr_close(ctx);
}

/* No place for files at all: neither TMPDIR nor /tmp nor a cache takes more, by the limit on a file's size. */
static void no_room(void **state) {
    (void)state;
    struct rlimit before, none;
    fsr_config config = quiet("cc");
    fsr_context *ctx = subject_open(&config);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    none = before;
    none.rlim_cur = 16;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    fsr_status status = answer(ctx);
    const int64_t interpreted = counters(ctx).interpreted;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(status, FSR_OK);
    assert_int_equal(interpreted, 1);
    await_compiled(ctx);
    fsr_close(ctx);
}

/* A machine without a compiler pays for few attempts: the pauses double, and follow what an attempt takes. */
static void attempts_are_rare(void **state) {
    (void)state;
    char log[100], line[64];
    snprintf(log, sizeof log, "%s/log", dir);
    FILE *file = fopen(compiler, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\necho x >>%s\nexit 1\n", log);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(compiler, 0700), 0);
    fsr_config config = quiet(compiler);
    fsr_context *ctx = subject_open(&config);
    const int64_t start = fsr_now_ms();
    int runs = 0, attempts = 0;
    for (; fsr_now_ms() - start < 1000; runs++)
        assert_int_equal(answer(ctx), FSR_OK);
    file = fopen(log, "r");
    while (file && fgets(line, sizeof line, file))
        attempts++;
    if (file)
        fclose(file);
    assert_int_equal(counters(ctx).launches_interpreted, runs);
    if (attempts < 1 || attempts > 10 || runs < 3 * attempts)
        fail_msg("%d runs, %d attempts", runs, attempts);
    fsr_close(ctx);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_compiler_that_comes_later, setup, teardown),
    cmocka_unit_test_setup_teardown(plans_say_so, setup, teardown),
    cmocka_unit_test_setup_teardown(a_compiler_that_goes, setup, teardown),
    cmocka_unit_test_setup_teardown(no_descriptors, setup, teardown),
    cmocka_unit_test_setup_teardown(no_room, setup, teardown),
    cmocka_unit_test_setup_teardown(attempts_are_rare, setup, teardown),
};
SUBJECT_MAIN(tests)
