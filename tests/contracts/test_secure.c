/* SPDX-License-Identifier: MIT */
/* A program with more rights than its caller believes nothing of its caller's environment. The program is this one: a
 * copy of it, owned by root and setuid, is run by another user, whose variables name a compiler, directories and a PATH
 * of his own. Skipped where the test is not root's, or where the file system ignores the mode. */
#include "tests/support/subject.h"
#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, SKIPPED = 77, PLAIN = 10, SECURE = 11, FAILED = 12 };

/* ---- the program that is run ----------------------------------------------------------------------------------- */

static int rights(void) {
    return getauxval(AT_SECURE) ? SECURE : PLAIN;
}

/* Computes on the CPU, otherwise with what the environment says; the exit status tells what rights it had. A GPU's
 * driver writes into HOME by itself. */
static int victim(void) {
    fsr_context *ctx = NULL;
    fsr_config config;
    fsr_config_init(&config, NULL, 0);
    config.backend = FSR_BACKEND_CPU;
    if (fsr_open(&config, &ctx))
        return FAILED;
    fsr_graph *g = fsr_graph_new(ctx);
    float x = 0;
    fsr_status status = fsr_read(fsr_exp(fsr_param(g, "p", FSR_F32, 0)), &x, sizeof x);
    if (status)
        fprintf(stderr, "%s\n", fsr_error(ctx));
    fsr_close(ctx);
    return status || x != 1 ? FAILED : rights();
}

/* ---- its caller -------------------------------------------------------------------------------------------------- */

static char dir[64];

static char *in_dir(const char *name) {
    char *path = malloc(strlen(dir) + strlen(name) + 2);
    assert_non_null(path);
    sprintf(path, "%s/%s", dir, name);
    return path;
}

/* A compiler that leaves a mark <dir>/<mark>, and then works. */
static void put_compiler(const char *name, const char *mark) {
    char *path = in_dir(name);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\n: >%s/%s\nexec /usr/bin/cc \"$@\"\n", dir, mark);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0755), 0);
    free(path);
}

/* The caller's own. */
static void put_folder(const char *name) {
    char *path = in_dir(name);
    assert_int_equal(mkdir(path, 0777), 0);
    assert_int_equal(chmod(path, 0777), 0);
    assert_int_equal(chown(path, NOBODY, NOBODY), 0);
    free(path);
}

static void copy_program(mode_t mode) {
    char command[200], *path = in_dir("program");
    snprintf(command, sizeof command, "rm -f %s; cp /proc/%ld/exe %s", path, (long)getpid(), path);
    assert_int_equal(system(command), 0);
    assert_int_equal(chmod(path, mode), 0);
    free(path);
}

/* Runs the copy as another user; returns its exit status. */
static int run_program(const char *mode, char *const *environment) {
    char *path = in_dir("program"), *const argv[] = {path, (char *)mode, NULL};
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (setgroups(0, NULL) || setgid(NOBODY) || setuid(NOBODY))
            _exit(SKIPPED);
        execve(path, argv, environment);
        _exit(SKIPPED);
    }
    const bool waited = child > 0 && waitpid(child, &status, 0) == child;
    free(path);
    return waited && WIFEXITED(status) ? WEXITSTATUS(status) : FAILED;
}

static const char *const folders[] = {"home", "cache", "dump", "load", "tmp"};
static char *environment[8];

static char *variable(const char *name, const char *file) {
    char *text = malloc(strlen(name) + strlen(dir) + strlen(file) + 3);
    assert_non_null(text);
    sprintf(text, "%s=%s/%s", name, dir, file);
    return text;
}

static int setup(void **state) {
    (void)state;
    subject_temporary_dir(dir);
    assert_int_equal(chmod(dir, 0777), 0);
    for (int i = 0; i < COUNT_OF(folders); ++i)
        put_folder(folders[i]);
    put_folder("bin");
    put_compiler("compiler", "named");
    put_compiler("bin/cc", "found");
    environment[0] = variable("PATH", "bin:/usr/bin:/bin");
    environment[1] = variable("HOME", "home");
    environment[2] = variable("XDG_CACHE_HOME", "cache");
    environment[3] = variable("TMPDIR", "tmp");
    environment[4] = variable("FUSOR_DUMP_DIR", "dump");
    environment[5] = variable("FUSOR_LOAD_DIR", "load");
    environment[6] = variable("FUSOR_COMPILER", "compiler");
    return 0;
}

static int teardown(void **state) {
    (void)state;
    for (int i = 0; i < COUNT_OF(environment); ++i)
        free(environment[i]);
    subject_remove_dir(dir);
    return 0;
}

/* True if there is one, which is then removed. */
static bool take_mark(const char *name) {
    char *path = in_dir(name);
    const bool there = unlink(path) == 0;
    free(path);
    return there;
}

/* True if nothing stands in it; it is then removed. */
static bool take_empty(const char *name) {
    char *path = in_dir(name);
    const bool empty = rmdir(path) == 0;
    free(path);
    return empty;
}

static void nothing_is_believed(void **state) {
    (void)state;
    char *const path_alone[] = {environment[0], NULL};
    copy_program(04755);
    assert_int_equal(run_program("victim", environment), SECURE);
    assert_int_equal(run_program("victim", path_alone), SECURE);
    assert_false(take_mark("named"));
    assert_false(take_mark("found"));
    for (int i = 0; i < COUNT_OF(folders); ++i)
        if (!take_empty(folders[i]))
            fail_msg("%s was written to", folders[i]);
}

/* The same without the rights: every variable counts. */
static void all_is_believed(void **state) {
    (void)state;
    char *const path_alone[] = {environment[0], NULL};
    copy_program(0755);
    assert_int_equal(run_program("victim", environment), PLAIN);
    assert_true(take_mark("named"));
    assert_int_equal(run_program("victim", path_alone), PLAIN);
    assert_true(take_mark("found"));
    assert_false(take_empty("cache") || take_empty("dump"));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(nothing_is_believed, setup, teardown),
    cmocka_unit_test_setup_teardown(all_is_believed, setup, teardown),
};

/* Why it cannot be tested here; NULL: it can. */
static const char *obstacle(void) {
    char *const nothing[] = {NULL};
    if (geteuid() != 0)
        return "only root can make a setuid program for somebody else";
    subject_temporary_dir(dir);
    if (chmod(dir, 0755) != 0)
        return "chmod";
    copy_program(04755);
    const int said = run_program("ask", nothing);
    subject_remove_dir(dir);
    return said == SECURE ? NULL : "a setuid program has no effect here";
}

int main(int argc, char **argv) {
    if (argc == 2)
        return strcmp(argv[1], "victim") == 0 ? victim() : rights();
    const char *why = obstacle();
    if (why) {
        printf("%d tests skipped: %s\n", COUNT_OF(tests), why);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
