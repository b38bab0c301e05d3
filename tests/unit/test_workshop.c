/* SPDX-License-Identifier: MIT */
/* The compiler's private directories, and what killed processes leave of them. */
#include "backend_cpu/run/workshop.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <utime.h>

static void a_workshop_is_private(void **state) {
    (void)state;
    fsr_workshop w;
    fsr_fault fault = {0};
    struct stat info;
    assert_int_equal(fsr_workshop_open(&w, "k", NULL, &fault), FSR_OK);
    assert_int_equal(stat(w.dir, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    fclose(fopen(w.source, "w"));
    fsr_workshop_close(&w);
    assert_int_equal(stat(w.dir, &info), -1);
}

/* A process that is surely gone. */
static long dead_process(void) {
    pid_t child = fork();
    if (child == 0)
        _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    return (long)child;
}

static void make(const char *dir, const char *name, int hours) {
    char path[200], file[220];
    struct utimbuf then = {time(NULL) - hours * 3600 - 60, time(NULL) - hours * 3600 - 60};
    snprintf(path, sizeof path, "%s/%s", dir, name);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(file, sizeof file, "%s/k.c", path);
    fclose(fopen(file, "w"));
    assert_int_equal(utime(path, &then), 0);
}

static bool there(const char *dir, const char *name) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return access(path, F_OK) == 0;
}

/* Gone is only what is old, of a dead process, private, and named as a workshop is. */
static void stale_workshops_are_swept(void **state) {
    (void)state;
    char dir[64], stale[60], young[60], alive[60], open[60], link[60], path[200], target[200];
    subject_temporary_dir(dir);
    snprintf(stale, sizeof stale, "fusor-%ld-aaaaaa", dead_process());
    snprintf(young, sizeof young, "fusor-%ld-bbbbbb", dead_process());
    snprintf(alive, sizeof alive, "fusor-%ld-cccccc", (long)getpid());
    snprintf(open, sizeof open, "fusor-%ld-dddddd", dead_process());
    snprintf(link, sizeof link, "fusor-%ld-eeeeee", dead_process());
    make(dir, stale, 2);
    make(dir, young, 0);
    make(dir, alive, 2);
    make(dir, open, 2);
    make(dir, "fusor-else", 2);
    snprintf(path, sizeof path, "%s/%s", dir, open);
    assert_int_equal(chmod(path, 0755), 0);
    snprintf(target, sizeof target, "%s/fusor-else", dir);
    snprintf(path, sizeof path, "%s/%s", dir, link);
    assert_int_equal(symlink(target, path), 0);
    assert_int_equal(fsr_workshop_sweep(dir), 1);
    assert_false(there(dir, stale));
    assert_true(there(dir, young) && there(dir, alive) && there(dir, open) && there(dir, link));
    assert_true(there(dir, "fusor-else/k.c"));
    assert_int_equal(fsr_workshop_sweep("/nonexistent"), 0);
    subject_remove_dir(dir);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workshop_is_private),
        cmocka_unit_test(stale_workshops_are_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
