/* SPDX-License-Identifier: MIT */
/* Where the compiler works: TMPDIR, and what happens where nothing can be written there, or nothing executed. */
#define _GNU_SOURCE /* unshare */
#include "tests/support/subject.h"
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64];

/* A compiler that writes the directory of its source, and its TMPDIR, into <dir>/places. */
static const char *put_compiler(void) {
    static char path[100];
    snprintf(path, sizeof path, "%s/cc", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file,
            "#!/bin/sh\nfor a; do case $a in *.c) echo \"${a%%/*} $TMPDIR\" >>%s/places;; esac; done\nexec cc \"$@\"\n",
            dir);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
    return path;
}

static fsr_config temporary_config(const char *cache) {
    fsr_config config = subject_config();
    config.compiler = put_compiler();
    config.cache_dir = cache;
    config.fallback = 0;
    return config;
}

/* What fsr_compute says; why: its message. */
static fsr_status compute(const fsr_config *config, char *why, size_t size) {
    fsr_context *ctx = subject_open(config);
    fsr_graph *g = fsr_graph_new(ctx);
    float x = 0;
    fsr_status status = fsr_read(fsr_exp(fsr_param(g, "p", FSR_F32, 0)), &x, sizeof x);
    snprintf(why, size, "%s", fsr_error(ctx));
    assert_true(status || x == 1);
    fsr_close(ctx);
    return status;
}

static int entries(const char *path) {
    DIR *at = opendir(path);
    int n = 0;
    assert_non_null(at);
    while (readdir(at))
        n++;
    closedir(at);
    return n - 2;
}

/* True if the compiler's last source was in a directory of its own in `parent`, which was its TMPDIR as well. */
static bool worked_in(const char *parent) {
    char path[100], source[300] = "", temporary[300] = "";
    bool same = false;
    snprintf(path, sizeof path, "%s/places", dir);
    FILE *file = fopen(path, "r");
    while (file && fscanf(file, "%299s %299s", source, temporary) == 2)
        same = strcmp(source, temporary) == 0;
    if (file)
        fclose(file);
    return same && strncmp(source, parent, strlen(parent)) == 0 && strncmp(source + strlen(parent), "/fusor-", 7) == 0;
}

static int setup(void **state) {
    (void)state;
    subject_temporary_dir(dir);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    unsetenv("TMPDIR");
    subject_remove_dir(dir);
    return 0;
}

static void tmpdir_is_honoured(void **state) {
    (void)state;
    char place[100], why[500];
    fsr_config config = temporary_config("");
    snprintf(place, sizeof place, "%s/place", dir);
    assert_int_equal(mkdir(place, 0700), 0);
    setenv("TMPDIR", place, 1);
    assert_int_equal(compute(&config, why, sizeof why), FSR_OK);
    assert_true(worked_in(place));
    assert_int_equal(entries(place), 0);
    setenv("TMPDIR", "relative", 1);
    assert_int_equal(compute(&config, why, sizeof why), FSR_OK);
    assert_true(worked_in("/tmp"));
}

static void one_that_is_not_there(void **state) {
    (void)state;
    char why[500];
    fsr_config config = temporary_config("");
    setenv("TMPDIR", "/nonexistent/place", 1);
    assert_int_equal(compute(&config, why, sizeof why), FSR_OK);
    assert_true(worked_in("/tmp"));
}

/* Runs body in a process whose mounts are its own; skips where they cannot be. */
static void with_mounts(void (*body)(void)) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
            _exit(77);
        body();
        fflush(NULL);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        skip();
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void must(bool true_, const char *what, const char *why) {
    if (true_)
        return;
    fprintf(stderr, "%s: %s\n", what, why);
    fflush(NULL);
    _exit(1);
}

/* TMPDIR takes files and lets none be executed, and so does /tmp. Objects of the disk cache are loaded there too. */
static void noexec_body(void) {
    char place[100], cache[100], why[500];
    snprintf(place, sizeof place, "%s/place", dir);
    snprintf(cache, sizeof cache, "%s/cache", dir);
    fsr_config config = temporary_config(cache);
    must(mkdir(place, 0700) == 0, place, "mkdir");
    if (mount("none", place, "tmpfs", MS_NOEXEC, "size=16m") != 0)
        _exit(77);
    setenv("TMPDIR", place, 1);
    must(compute(&config, why, sizeof why) == FSR_OK, "compiled", why);
    must(worked_in(place), "compiled", "somewhere else");
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    float x = 0;
    fsr_stats stats;
    must(fsr_read(fsr_exp(fsr_param(g, "p", FSR_F32, 0)), &x, sizeof x) == FSR_OK, "cached", fsr_error(ctx));
    must(fsr_context_stats(ctx, &stats) == FSR_OK && stats.cache_hits_disk == 1, "cached", "not from disk");
    must(fsr_read(fsr_log(fsr_param(g, "p", FSR_F32, 1)), &x, sizeof x) == FSR_OK && x == 0, "second", fsr_error(ctx));
    fsr_close(ctx);
    must(entries(place) == 0, place, "something is left");
    umount2(place, MNT_DETACH);
}

static void noexec(void **state) {
    (void)state;
    with_mounts(noexec_body);
}

/* A full TMPDIR is passed over for /tmp, and a full /tmp for the cache's directory. */
static void full_body(void) {
    char place[100], cache[100], why[500], file[300];
    snprintf(place, sizeof place, "%s/place", dir);
    snprintf(cache, sizeof cache, "%s/cache", dir);
    fsr_config config = temporary_config(cache);
    must(mkdir(place, 0700) == 0, place, "mkdir");
    if (mount("none", place, "tmpfs", 0, "size=64k") != 0)
        _exit(77);
    setenv("TMPDIR", place, 1);
    must(compute(&config, why, sizeof why) == FSR_OK, "TMPDIR full", why);
    must(worked_in("/tmp"), "TMPDIR full", "not in /tmp");
    char other[] = "/var/tmp/fusor-test-XXXXXX";
    must(mkdtemp(other) != NULL, other, "mkdtemp");
    snprintf(dir, sizeof dir, "%s", other);
    snprintf(cache, sizeof cache, "%s/cache", dir);
    must(mkdir(cache, 0700) == 0, cache, "mkdir");
    if (mount("none", "/tmp", "tmpfs", 0, "size=64k") != 0)
        _exit(77);
    config = temporary_config(cache);
    unsetenv("TMPDIR");
    must(compute(&config, why, sizeof why) == FSR_OK, "/tmp full", why);
    must(worked_in(cache), "/tmp full", "not in the cache's directory");
    snprintf(file, sizeof file, "rm -r %s", other);
    must(system(file) == 0, file, "failed");
}

static void full(void **state) {
    (void)state;
    with_mounts(full_body);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(tmpdir_is_honoured, setup, teardown),
    cmocka_unit_test_setup_teardown(one_that_is_not_there, setup, teardown),
    cmocka_unit_test_setup_teardown(noexec, setup, teardown),
    cmocka_unit_test_setup_teardown(full, setup, teardown),
};
SUBJECT_MAIN(tests)
