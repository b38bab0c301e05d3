/* SPDX-License-Identifier: MIT */
/* Which backend is opened, and what happens where a GPU, a compiler or a cache directory is missing. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Words that a call wrote to stderr. */
typedef struct capture {
    FILE *file;
    int held;
    char text[4000];
} capture;

static void capture_begin(capture *c) {
    fflush(stderr);
    c->file = tmpfile();
    assert_non_null(c->file);
    c->held = dup(2);
    assert_true(dup2(fileno(c->file), 2) == 2);
}

static void capture_end(capture *c) {
    fflush(stderr);
    dup2(c->held, 2);
    close(c->held);
    rewind(c->file);
    c->text[fread(c->text, 1, sizeof c->text - 1, c->file)] = 0;
    fclose(c->file);
}

static double seven(fsr_context *ctx, fsr_status *status) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_sum(fsr_arange(g, FSR_F64, 4), NULL, 0, 0), y = fsr_add(x, fsr_param(g, "one", FSR_F64, 1));
    double value = 0;
    *status = fsr_read(y, &value, sizeof value);
    fsr_graph_free(g);
    return value;
}

static void works(fsr_context *ctx) {
    fsr_status status;
    double value = seven(ctx, &status);
    if (status || value != 7)
        fail_msg("%s: %s: %g", fsr_status_name(status), fsr_error(ctx), value);
}

static bool has_gpu(void) {
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_CUDA;
    fsr_context *ctx = NULL;
    fsr_status status = fsr_open(&config, &ctx);
    fsr_close(ctx);
    return status == FSR_OK;
}

static void automatic(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_AUTO;
    fsr_context *ctx = subject_open(&config);
    assert_string_equal(fsr_backend_name(ctx), has_gpu() ? "cuda" : "cpu");
    assert_true(strlen(fsr_device_name(ctx)) > 0);
    works(ctx);
    fsr_close(ctx);
}

static void cuda_or_why_not(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_CUDA;
    fsr_context *ctx = (fsr_context *)&config;
    char why[500] = "?", little[8] = "?";
    fsr_status status = fsr_open_why(&config, &ctx, why, sizeof why);
    if (status == FSR_OK) {
        assert_string_equal(why, "");
        works(ctx);
        fsr_close(ctx);
        return;
    }
    assert_int_equal(status, FSR_ERR_NO_BACKEND);
    assert_null(ctx);
    assert_true(strlen(why) > 10);
    print_message("%s\n", why);
    assert_int_equal(fsr_open_why(&config, &ctx, little, sizeof little), FSR_ERR_NO_BACKEND);
    assert_int_equal(strlen(little), sizeof little - 1);
    assert_memory_equal(little, why, sizeof little - 4);
    assert_string_equal(little + sizeof little - 4, "...");
    assert_int_equal(fsr_open_why(&config, &ctx, NULL, 0), FSR_ERR_NO_BACKEND);
    assert_int_equal(fsr_open(&config, &ctx), FSR_ERR_NO_BACKEND);
}

/* Why there is no GPU is said at the level of information, and not below. */
static void the_fallback_is_logged(void **state) {
    (void)state;
    if (has_gpu())
        skip();
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_AUTO;
    capture c;
    for (int level = FSR_LOG_SILENT; level <= FSR_LOG_INFO; ++level) {
        config.log_level = level;
        capture_begin(&c);
        fsr_context *ctx = NULL;
        fsr_status status = fsr_open(&config, &ctx);
        fsr_close(ctx);
        capture_end(&c);
        assert_int_equal(status, FSR_OK);
        assert_int_equal(strstr(c.text, "no GPU") != NULL, level >= FSR_LOG_INFO);
    }
}

/* The knob is taken and does nothing, which is said at the level of information. */
static void every_operation_is_deterministic(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.log_level = FSR_LOG_INFO;
    for (config.deterministic = 0; config.deterministic <= 1; ++config.deterministic) {
        capture c;
        capture_begin(&c);
        fsr_context *ctx = NULL;
        fsr_status status = fsr_open(&config, &ctx);
        capture_end(&c);
        assert_int_equal(status, FSR_OK);
        assert_int_equal(strstr(c.text, "deterministic = 0 changes nothing") != NULL, !config.deterministic);
        works(ctx);
        fsr_close(ctx);
    }
    config.deterministic = 2;
    fsr_context *ctx = NULL;
    assert_int_equal(fsr_open(&config, &ctx), FSR_ERR_VALUE);
}

static void reference(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_REFERENCE;
    config.compiler = "/nonexistent";
    fsr_context *ctx = subject_open(&config);
    assert_string_equal(fsr_backend_name(ctx), "reference");
    works(ctx);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node y = fsr_neg(fsr_input(g, "x", FSR_F32, 0, NULL));
    fsr_plan *plan = (fsr_plan *)&config;
    subject_error(ctx, fsr_compile(&y, 1, &plan), FSR_ERR_UNSUPPORTED, "reference");
    assert_null(plan);
    subject_error(ctx, fsr_force(y), FSR_ERR_UNBOUND, "\"x\"");
    fsr_stats stats;
    assert_int_equal(fsr_context_stats(ctx, &stats), FSR_OK);
    assert_int_equal(stats.compilations, 0);
    fsr_close(ctx);
}

static void no_compiler(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_CPU;
    config.compiler = "/nonexistent";
    config.fallback = 0;
    fsr_context *ctx = subject_open(&config);
    fsr_status status;
    for (int i = 0; i < 2; ++i) {
        seven(ctx, &status);
        subject_error(ctx, status, FSR_ERR_NO_COMPILER, "/nonexistent|No such file|FUSOR_COMPILER");
    }
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_from_host(g, FSR_F32, 1, SHAPE(2), ((float[]){1, 2})), y = fsr_neg(x);
    float data[2] = {0};
    assert_int_equal(fsr_read(x, data, sizeof data), FSR_OK);
    assert_true(data[1] == 2);
    fsr_plan_info info;
    assert_int_equal(fsr_query(&y, 1, &info), FSR_OK);
    assert_int_equal(info.kernels, 1);
    fsr_plan *plan = NULL;
    subject_error(ctx, fsr_compile(&y, 1, &plan), FSR_ERR_NO_COMPILER, "/nonexistent");
    assert_null(plan);
    subject_error(ctx, fsr_read(y, data, sizeof data), FSR_ERR_NO_COMPILER, "/nonexistent");
    assert_int_equal(fsr_node_status(y), FSR_OK);
    fsr_graph_free(g);
    fsr_close(ctx);
}

static void write_compiler(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
    assert_int_equal(chmod(path, 0700), 0);
}

/* A compiler that runs and fails: its words are in the message. */
static void a_compiler_that_fails(void **state) {
    (void)state;
    char dir[64], path[100];
    subject_temporary_dir(dir);
    snprintf(path, sizeof path, "%s/cc", dir);
    write_compiler(path,
                   "#!/bin/sh\ncase $1 in --version) echo cc 1.0;; *) echo 'sorry, not today' >&2; exit 3;; esac\n");
    fsr_config config = subject_config();
    config.fallback = 0;
    config.backend = FSR_BACKEND_CPU;
    config.compiler = path;
    config.cache_dir = "";
    fsr_context *ctx = subject_open(&config);
    fsr_status status;
    seven(ctx, &status);
    subject_error(ctx, status, FSR_ERR_COMPILE, "exit status 3|sorry, not today");
    fsr_close(ctx);
    subject_remove_dir(dir);
}

/* The right answer by interpretation, plans too, and one warning in the context's whole life. */
static void falls_back(const char *compiler, const char *word) {
    fsr_config config = subject_config();
    capture c;
    config.backend = FSR_BACKEND_CPU;
    config.compiler = compiler;
    config.compile_seconds = 1;
    config.cache_dir = "";
    fsr_context *ctx = subject_open(&config);
    capture_begin(&c);
    fsr_status status[2], ran = FSR_OK;
    double value[2];
    for (int i = 0; i < 2; ++i)
        value[i] = seven(ctx, &status[i]);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node y = fsr_mul(fsr_input(g, "x", FSR_F32, 1, SHAPE(2)), fsr_float(g, 2));
    fsr_plan *plan = NULL;
    float in[2] = {3, 4}, out[2] = {0, 0};
    ran = fsr_compile(&y, 1, &plan);
    if (!ran)
        ran = fsr_plan_run(plan, &(fsr_arg){"x", in, sizeof in, FSR_HOST}, 1,
                           &(fsr_arg){NULL, out, sizeof out, FSR_HOST}, 1, NULL);
    capture_end(&c);
    fsr_stats stats;
    assert_int_equal(fsr_context_stats(ctx, &stats), FSR_OK);
    fsr_close(ctx);
    if (status[0] || status[1] || ran)
        fail_msg("%s: %s, %s, %s", compiler, fsr_status_name(status[0]), fsr_status_name(status[1]),
                 fsr_status_name(ran));
    assert_true(value[0] == 7 && value[1] == 7 && out[0] == 6 && out[1] == 8);
    assert_true(stats.interpreted >= 2 && stats.compilations == 0);
    const char *first = strstr(c.text, "no C compiler works");
    if (!first || strstr(first + 1, "no C compiler works") || !strstr(c.text, word))
        fail_msg("%s: warned so: %s", compiler, c.text);
}

/* Missing; failing; one that says it is done and wrote nothing, garbage, or what is no file; one that never ends, with
 * its outputs open, closed, or filled. */
static void no_compiler_that_works(void **state) {
    (void)state;
    char dir[64], path[100];
    static const char *const bad[][2] = {
        {"echo 'sorry, not today' >&2; exit 3", "sorry, not today"},
        {"exit 0", "loading"},
        {"while [ $# -gt 1 ]; do [ \"$1\" = -o ] && head -c 5000 /dev/urandom >\"$2\"; shift; done", "loading"},
        {"while [ $# -gt 1 ]; do [ \"$1\" = -o ] && mkfifo \"$2\"; shift; done", "no regular file"},
        {"while [ $# -gt 1 ]; do [ \"$1\" = -o ] && ln -s /dev/zero \"$2\"; shift; done", "no regular file"},
        {"sleep 60 & exit 0", "loading"},
        {"sleep 60", "FUSOR_COMPILE_SECONDS"},
        {"exec >&- 2>&-; sleep 60", "FUSOR_COMPILE_SECONDS"},
        {"yes", "FUSOR_COMPILE_SECONDS"},
    };
    falls_back("/nonexistent", "/nonexistent");
    falls_back("/bin/false", "exit status 1");
    subject_temporary_dir(dir);
    snprintf(path, sizeof path, "%s/cc", dir);
    for (int i = 0; i < COUNT_OF(bad); ++i) {
        char text[300];
        snprintf(text, sizeof text, "#!/bin/sh\ncase $1 in --version) echo cc 1.0; exit;; esac\n%s\n", bad[i][0]);
        write_compiler(path, text);
        falls_back(path, bad[i][1]);
    }
    subject_remove_dir(dir);
}

/* A cache directory that cannot be used costs a warning, nothing else. */
static void bad_cache(const char *dir, const char *word) {
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_CPU;
    config.cache_dir = dir;
    capture c;
    for (int level = FSR_LOG_SILENT; level <= FSR_LOG_WARNING; ++level) {
        config.log_level = level;
        capture_begin(&c);
        fsr_context *ctx = NULL;
        fsr_status status = fsr_open(&config, &ctx);
        capture_end(&c);
        assert_int_equal(status, FSR_OK);
        assert_int_equal(strstr(c.text, dir) != NULL, level == FSR_LOG_WARNING);
        assert_int_equal(strstr(c.text, word) != NULL, level == FSR_LOG_WARNING);
        works(ctx);
        fsr_close(ctx);
    }
}

static void cache_that_cannot_be_made(void **state) {
    (void)state;
    bad_cache("/proc/no/such/place", "disk cache");
    char dir[64], path[100];
    subject_temporary_dir(dir);
    snprintf(path, sizeof path, "%s/file", dir);
    fclose(fopen(path, "w"));
    bad_cache(path, "disk cache");
    subject_remove_dir(dir);
}

/* A directory that others may write to could hand us their code. */
static void cache_that_others_may_write(void **state) {
    (void)state;
    char dir[64], command[100];
    subject_temporary_dir(dir);
    assert_int_equal(chmod(dir, 0777), 0);
    bad_cache(dir, "disk cache");
    snprintf(command, sizeof command, "test -z \"$(ls -A %s)\"", dir);
    assert_int_equal(system(command), 0);
    subject_remove_dir(dir);
}

static int64_t compilations(const fsr_config *config, int64_t *from_disk) {
    fsr_stats stats;
    fsr_context *ctx = subject_open(config);
    works(ctx);
    assert_int_equal(fsr_context_stats(ctx, &stats), FSR_OK);
    *from_disk = stats.cache_hits_disk;
    fsr_close(ctx);
    return stats.compilations;
}

/* A second process compiles nothing; a spoiled entry is compiled again; an empty name switches the cache off. */
static void cache_that_works(void **state) {
    (void)state;
    char dir[64], command[160];
    int64_t disk;
    subject_temporary_dir(dir);
    fsr_config config = subject_config();
    config.cache_dir = dir;
    int64_t first = compilations(&config, &disk);
    assert_true(first > 0 && disk == 0);
    assert_int_equal(compilations(&config, &disk), 0);
    assert_int_equal(disk, first);
    snprintf(command, sizeof command,
             "for f in %s/*.fsr; do printf spoiled | dd of=$f bs=1 seek=200 conv=notrunc status=none; done", dir);
    assert_int_equal(system(command), 0);
    assert_int_equal(compilations(&config, &disk), first);
    assert_int_equal(disk, 0);
    assert_int_equal(compilations(&config, &disk), 0);
    config.cache_dir = "";
    assert_int_equal(compilations(&config, &disk), first);
    assert_int_equal(disk, 0);
    subject_remove_dir(dir);
}

static void bad_configurations(void **state) {
    (void)state;
    fsr_config config = subject_config();
    fsr_context *ctx;
    char why[200];
    config.backend = 17;
    assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_VALUE);
    assert_non_null(strstr(why, "backend"));
    assert_null(ctx);
    config = subject_config();
    config.fusion = 2;
    assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_VALUE);
    assert_non_null(strstr(why, "fusion"));
    assert_int_equal(fsr_open(&config, NULL), FSR_ERR_NULL);
    fsr_close(NULL);
    assert_null(fsr_graph_new(NULL));
    assert_int_equal(fsr_sync(NULL), FSR_ERR_NULL);
    assert_int_equal(fsr_context_stats(NULL, NULL), FSR_ERR_NULL);
    assert_string_equal(fsr_error(NULL), "");
    assert_string_equal(fsr_backend_name(NULL), "");
}

/* Graphs and plans that were not freed go with the context. */
static void closing_frees_everything(void **state) {
    (void)state;
    fsr_config config = subject_config();
    fsr_context *ctx = subject_open(&config);
    for (int i = 0; i < 3; ++i) {
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node x = fsr_arange(g, FSR_F32, 100), y = fsr_add(x, fsr_input(g, "x", FSR_F32, 0, NULL));
        fsr_plan *plan;
        assert_int_equal(fsr_force(x), FSR_OK);
        assert_int_equal(fsr_compile(&y, 1, &plan), FSR_OK);
        fsr_scope_begin(g);
        fsr_neg(x);
    }
    fsr_close(ctx);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(automatic),
    cmocka_unit_test(cuda_or_why_not),
    cmocka_unit_test(the_fallback_is_logged),
    cmocka_unit_test(every_operation_is_deterministic),
    cmocka_unit_test(reference),
    cmocka_unit_test(no_compiler),
    cmocka_unit_test(a_compiler_that_fails),
    cmocka_unit_test(no_compiler_that_works),
    cmocka_unit_test(cache_that_cannot_be_made),
    cmocka_unit_test(cache_that_others_may_write),
    cmocka_unit_test(cache_that_works),
    cmocka_unit_test(bad_configurations),
    cmocka_unit_test(closing_frees_everything),
};
SUBJECT_MAIN(tests)
