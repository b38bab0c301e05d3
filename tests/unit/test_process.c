/* SPDX-License-Identifier: MIT */
/* Children of the compiler driver: those that do not end, end without their output, or print without end. */
#include "backend_cpu/run/process.h"
#include "runtime/patience.h"
#include "tests/support/subject.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SOON_MS = 20000 }; /* on a machine with other work; all children here would live for a minute */

typedef struct outcome {
    int error, status;
    char *said;
    size_t size;
} outcome;

static outcome run(const char *script, int seconds) {
    const char *const argv[] = {"/bin/sh", "-c", script, NULL};
    fsr_text said = {0};
    outcome o = {.status = -1};
    const int64_t start = fsr_now_ms();
    fsr_text_raw(&said, "", 0);
    o.error = fsr_process_run(argv, NULL, seconds, &said, &o.status);
    o.size = said.size;
    o.said = fsr_text_take(&said);
    if (fsr_now_ms() - start > SOON_MS)
        fail_msg("%s: took %lld ms", script, (long long)(fsr_now_ms() - start));
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
    assert_int_equal(errno, ECHILD);
    return o;
}

static void expect(const char *script, int seconds, int error, int status, const char *said) {
    outcome o = run(script, seconds);
    if (o.error != error || (!error && o.status != status) || (said && strcmp(o.said, said) != 0))
        fail_msg("%s: error %d, status %d: %s", script, o.error, o.status, o.said);
    free(o.said);
}

static void outputs_and_status(void **state) {
    (void)state;
    expect("echo out; echo err >&2; exit 3", 0, 0, 3, "out\nerr\n");
    expect("kill -TERM $$", 20, 0, 128 + SIGTERM, "");
    expect("read x; echo \"[$x]\"", 20, 0, 0, "[]\n");
    expect("exec >&- 2>&-; sleep 0.2; exit 5", 20, 0, 5, "");
}

static void the_deadline_is_the_process_s(void **state) {
    (void)state;
    expect("echo begun; sleep 60", 1, ETIMEDOUT, 0, "begun\n");
    expect("exec >&- 2>&-; sleep 60", 1, ETIMEDOUT, 0, "");
    expect("sleep 60 & wait", 1, ETIMEDOUT, 0, "");
    expect("trap '' TERM INT; while :; do sleep 1; done", 1, ETIMEDOUT, 0, "");
}

/* Gone, or dead and nobody's child that reaps. */
static bool is_dead(long process) {
    char path[64], text[200] = "";
    snprintf(path, sizeof path, "/proc/%ld/stat", process);
    FILE *file = fopen(path, "r");
    const bool dead = !file || !fgets(text, sizeof text, file) || strstr(text, ") Z");
    if (file)
        fclose(file);
    return dead;
}

/* A child of the child holds the pipe: it is not waited for, and does not survive. */
static void what_is_left_behind_is_killed(void **state) {
    (void)state;
    outcome o = run("sleep 60 & echo $!; exit 4", 0);
    assert_int_equal(o.error, 0);
    assert_int_equal(o.status, 4);
    const long left = strtol(o.said, NULL, 10);
    assert_true(left > 1);
    for (int i = 0; i < 500 && !is_dead(left); i++)
        usleep(10000);
    assert_true(is_dead(left));
    free(o.said);
}

static void output_is_capped(void **state) {
    (void)state;
    outcome o = run("yes", 1);
    assert_int_equal(o.error, ETIMEDOUT);
    assert_true(o.size > FSR_OUTPUT_BYTES && o.size < FSR_OUTPUT_BYTES + 100);
    assert_non_null(strstr(o.said, " bytes more)\n"));
    free(o.said);
    o = run("head -c 1000000 /dev/zero | tr '\\0' x; exit 2", 0);
    assert_int_equal(o.error, 0);
    assert_int_equal(o.status, 2);
    assert_true(strspn(o.said, "x") == FSR_OUTPUT_BYTES);
    assert_string_equal(o.said + FSR_OUTPUT_BYTES, "\n(and 934464 bytes more)\n");
    free(o.said);
}

/* The kernel then reaps children, and there is no status. */
static void without_sigchld(void **state) {
    (void)state;
    void (*before)(int) = signal(SIGCHLD, SIG_IGN);
    expect("echo x; exit 3", 20, 0, 0, "x\n");
    expect("exec >&- 2>&-; sleep 60", 1, ETIMEDOUT, 0, "");
    signal(SIGCHLD, before);
}

static void its_environment(void **state) {
    (void)state;
    const char *const argv[] = {"sh", "-c", "echo $TMPDIR $LC_ALL $FUSOR_TEST_WORD", NULL};
    fsr_text said = {0};
    int status;
    setenv("TMPDIR", "/elsewhere", 1);
    setenv("LC_ALL", "de_DE.UTF-8", 1);
    setenv("FUSOR_TEST_WORD", "word", 1);
    assert_int_equal(fsr_process_run(argv, "/here", 0, &said, &status), 0);
    assert_int_equal(fsr_process_run(argv, NULL, 0, &said, &status), 0);
    assert_string_equal(said.data, "/here C word\n/elsewhere C word\n");
    fsr_text_free(&said);
    unsetenv("TMPDIR");
    unsetenv("LC_ALL");
    unsetenv("FUSOR_TEST_WORD");
}

static void not_there(void **state) {
    (void)state;
    const char *const absent[] = {"fusor-no-such-program", NULL}, *const folder[] = {"/tmp", NULL};
    fsr_text said = {0};
    int status;
    assert_int_equal(fsr_process_run(absent, NULL, 0, &said, &status), ENOENT);
    assert_int_equal(fsr_process_run(folder, NULL, 0, &said, &status), EACCES);
    assert_int_equal(said.size, 0);
    fsr_text_free(&said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outputs_and_status),
        cmocka_unit_test(the_deadline_is_the_process_s),
        cmocka_unit_test(what_is_left_behind_is_killed),
        cmocka_unit_test(output_is_capped),
        cmocka_unit_test(without_sigchld),
        cmocka_unit_test(its_environment),
        cmocka_unit_test(not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
