/* SPDX-License-Identifier: MIT */
/* runtime/write_file: files of the user's replaced whole, through links, with their modes; threads, processes and
 * leftovers that meet on one name; the library's own files, which follow no link. */
#define _GNU_SOURCE 1
#include "runtime/write_file.h"
#include "tests/support/subject.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char dir[64], path[128], other[128];

static int setup(void **state) {
    (void)state;
    subject_temporary_dir(dir);
    snprintf(path, sizeof path, "%s/x", dir);
    snprintf(other, sizeof other, "%s/other", dir);
    umask(022);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    subject_remove_dir(dir);
    return 0;
}

static fsr_status write_text(const char *to, const char *text) {
    fsr_fault fault = {0};
    const size_t half = strlen(text) / 2;
    const fsr_status status =
        fsr_write_file(to, (fsr_part[]){{text, half}, {text + half, strlen(text) - half}}, 2, &fault);
    fsr_fault_clear(&fault);
    return status;
}

static void refused(const char *to, int error) {
    fsr_fault fault = {0};
    char expected[256];
    snprintf(expected, sizeof expected, "%s: %s", to, strerror(error));
    assert_int_equal(fsr_write_file(to, &(fsr_part){"new", 3}, 1, &fault), FSR_ERR_FILE);
    assert_string_equal(fault.message, expected);
    assert_int_equal(fsr_write_file_check(to, &fault), FSR_ERR_FILE);
    assert_string_equal(fault.message, expected);
    fsr_fault_clear(&fault);
}

static void holds(const char *at, const char *text) {
    char got[100] = "";
    FILE *file = fopen(at, "r");
    assert_non_null(file);
    got[fread(got, 1, sizeof got - 1, file)] = 0;
    fclose(file);
    assert_string_equal(got, text);
}

static mode_t mode_of(const char *at) {
    struct stat info;
    assert_int_equal(lstat(at, &info), 0);
    return info.st_mode & 07777;
}

/* Names in the directory. */
static int names(void) {
    int n = 0;
    DIR *at = opendir(dir);
    assert_non_null(at);
    while (readdir(at))
        n++;
    closedir(at);
    return n - 2;
}

static void mode_is_kept(void **state) {
    static const mode_t modes[] = {0600, 0640, 0664, 0777, 0200};
    (void)state;
    assert_int_equal(write_text(path, "first"), FSR_OK);
    assert_int_equal(mode_of(path), 0644);
    for (int i = 0; i < COUNT_OF(modes); i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_int_equal(write_text(path, "again"), FSR_OK);
        assert_int_equal(mode_of(path), modes[i]);
    }
    assert_int_equal(chmod(path, 0600), 0);
    holds(path, "again");
    assert_int_equal(names(), 1);
}

/* Only root can see it: anybody's else file is one's own afterwards. */
static void owner_is_kept(void **state) {
    struct stat info;
    (void)state;
    if (geteuid() != 0)
        skip();
    assert_int_equal(write_text(path, "first"), FSR_OK);
    assert_int_equal(chown(path, 12345, 23456), 0);
    assert_int_equal(chmod(path, 0660), 0);
    assert_int_equal(write_text(path, "second"), FSR_OK);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_uid, 12345);
    assert_int_equal(info.st_gid, 23456);
    assert_int_equal(info.st_mode & 07777, 0660);
}

/* Runs a test's body as another user, where this one may; a failed assertion ends the child. */
static void as_nobody(void (*body)(void)) {
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
            _exit(3);
        body();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void expect(bool truth, const char *what) {
    if (!truth) {
        fprintf(stderr, "test_write_file: %s\n", what);
        _exit(1);
    }
}

static void without_rights(void) {
    fsr_fault fault = {0};
    expect(fsr_write_file(path, &(fsr_part){"new", 3}, 1, &fault) == FSR_ERR_FILE, "a protected file was replaced");
    expect(strstr(fault.message, strerror(EACCES)) != NULL, fault.message);
    expect(fsr_write_file_check(path, &fault) == FSR_ERR_FILE, "a protected file may be written");
    fsr_fault_clear(&fault);
}

/* As opening it would be: the right to write into a directory is none to write its files. */
static void protected_files(void **state) {
    (void)state;
    assert_int_equal(write_text(path, "first"), FSR_OK);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(dir, 0777), 0);
    as_nobody(without_rights);
    holds(path, "first");
    assert_int_equal(names(), 1);
}

static void links_are_followed(void **state) {
    char link[200], far[200], round[200];
    (void)state;
    snprintf(link, sizeof link, "%s/link", dir);
    snprintf(far, sizeof far, "%s/far", dir);
    snprintf(round, sizeof round, "%s/round", dir);
    assert_int_equal(symlink("x", link), 0); /* relative to its own directory; nothing is there yet */
    assert_int_equal(symlink(link, far), 0); /* absolute, a link of a link */
    assert_int_equal(symlink("round", round), 0);
    assert_int_equal(write_text(far, "through both"), FSR_OK);
    holds(path, "through both");
    assert_int_equal(chmod(path, 0600), 0);
    assert_int_equal(write_text(link, "through one"), FSR_OK);
    holds(path, "through one");
    assert_int_equal(mode_of(path), 0600);
    struct stat info;
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    assert_true(lstat(far, &info) == 0 && S_ISLNK(info.st_mode));
    refused(round, ELOOP);
    assert_int_equal(names(), 4);
}

/* The temporary stands beside what a link names, which may be another file system, and not beside the link. */
static void a_link_elsewhere(void **state) {
    char inner[200], target[220], back[240];
    (void)state;
    snprintf(inner, sizeof inner, "%s/inner", dir);
    snprintf(target, sizeof target, "%s/y", inner);
    assert_int_equal(mkdir(inner, 0700), 0);
    assert_int_equal(symlink("inner/y", path), 0);
    assert_int_equal(chmod(dir, 0500), 0);
    assert_int_equal(write_text(path, "inside"), FSR_OK);
    assert_int_equal(chmod(dir, 0700), 0);
    holds(target, "inside");
    snprintf(back, sizeof back, "rm -rf %s", inner);
    assert_int_equal(system(back), 0);
}

static void what_cannot_be_written(void **state) {
    char missing[200];
    (void)state;
    refused(dir, EISDIR);
    refused("", ENOENT);
    snprintf(missing, sizeof missing, "%s/missing/x", dir);
    refused(missing, ENOENT);
    snprintf(missing, sizeof missing, "%s/missing/", dir);
    refused(missing, EISDIR);
    assert_int_equal(write_text(path, "a file"), FSR_OK);
    snprintf(missing, sizeof missing, "%s/x/y", dir);
    refused(missing, ENOTDIR);
    assert_int_equal(names(), 1);
}

/* A device is written, not replaced by a file. */
static void devices(void **state) {
    struct stat info;
    (void)state;
    assert_int_equal(write_text("/dev/null", "lost"), FSR_OK);
    assert_true(stat("/dev/null", &info) == 0 && S_ISCHR(info.st_mode));
    fsr_fault fault = {0};
    assert_int_equal(fsr_write_file("/dev/full", &(fsr_part){"x", 1}, 1, &fault), FSR_ERR_FILE);
    assert_string_equal(fault.message, "/dev/full: No space left on device");
    fsr_fault_clear(&fault);
}

static void names_of_any_length(void **state) {
    char name[256], at[400];
    (void)state;
    memset(name, 'n', 255);
    name[255] = 0;
    snprintf(at, sizeof at, "%s/%s", dir, name);
    assert_int_equal(write_text(at, "long"), FSR_OK);
    holds(at, "long");
}

/* The old file stays, and nothing else is there, where the new one does not fit. */
static void too_long_for_a_limit(void **state) {
    static char much[100000];
    struct rlimit old, small;
    fsr_fault fault = {0};
    (void)state;
    assert_int_equal(write_text(path, "first"), FSR_OK);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = old;
    small.rlim_cur = 5000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const fsr_status status = fsr_write_file(path, &(fsr_part){much, sizeof much}, 1, &fault);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(status, FSR_ERR_FILE);
    assert_non_null(strstr(fault.message, strerror(EFBIG)));
    fsr_fault_clear(&fault);
    holds(path, "first");
    assert_int_equal(names(), 1);
}

/* ---- many writers ------------------------------------------------------------------------------------------ */

enum { WRITERS = 6, ROUNDS = 60, BYTES = 20000 };

/* ROUNDS files of one letter; false: one could not be written. */
static bool write_letters(char letter) {
    static _Thread_local char text[BYTES];
    memset(text, letter, BYTES);
    bool ok = true;
    for (int i = 0; i < ROUNDS && ok; i++) {
        fsr_fault fault = {0};
        ok = fsr_write_file(path, (fsr_part[]){{text, 1}, {text, BYTES - 1}}, 2, &fault) == FSR_OK;
        if (!ok)
            fprintf(stderr, "%s\n", fault.message);
        fsr_fault_clear(&fault);
    }
    return ok;
}

static void *one_thread(void *letter) {
    return write_letters(*(char *)letter) ? letter : NULL;
}

/* One letter, BYTES times. */
static void is_whole(void) {
    static char text[BYTES + 1];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), BYTES);
    fclose(file);
    for (int i = 1; i < BYTES; i++)
        assert_int_equal(text[i], text[0]);
}

static void threads(void **state) {
    pthread_t thread[WRITERS];
    char letter[WRITERS];
    (void)state;
    assert_true(write_letters('z'));
    for (int i = 0; i < WRITERS; i++) {
        letter[i] = (char)('a' + i);
        assert_int_equal(pthread_create(&thread[i], NULL, one_thread, &letter[i]), 0);
    }
    for (int i = 0; i < 20; i++)
        is_whole();
    void *result[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        pthread_join(thread[i], &result[i]);
    for (int i = 0; i < WRITERS; i++)
        assert_non_null(result[i]);
    is_whole();
    assert_int_equal(names(), 1);
}

static void processes(void **state) {
    pid_t child[WRITERS];
    (void)state;
    assert_true(write_letters('z'));
    fflush(NULL);
    for (int i = 0; i < WRITERS; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0)
            _exit(write_letters((char)('a' + i)) ? 0 : 1);
    }
    for (int i = 0; i < 20; i++)
        is_whole();
    for (int i = 0; i < WRITERS; i++) {
        int status = -1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    is_whole();
    assert_int_equal(names(), 1);
}

/* What a process of the same number left when it was killed. */
static void leftovers(void **state) {
    char left[200];
    (void)state;
    snprintf(left, sizeof left, "%s.%ld.tmp", path, (long)getpid());
    assert_int_equal(write_text(left, "left"), FSR_OK);
    assert_int_equal(write_text(path, "new"), FSR_OK);
    holds(path, "new");
    holds(left, "left");
}

/* ---- the library's own files ----------------------------------------------------------------------------------- */

static void planted_links(void **state) {
    struct stat info;
    (void)state;
    assert_int_equal(write_text(other, "precious"), FSR_OK);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(fsr_write_file_in(dir, "x", "dump", 4), 0);
    holds(other, "precious");
    holds(path, "dump");
    assert_true(lstat(path, &info) == 0 && S_ISREG(info.st_mode));
    assert_int_equal(info.st_mode & 07777, 0644);
    assert_int_equal(names(), 2);
}

/* A fifo that nobody reads would hold whoever opens it. */
static void planted_fifos(void **state) {
    (void)state;
    assert_int_equal(mkfifo(path, 0666), 0);
    assert_int_equal(fsr_write_file_in(dir, "x", "dump", 4), 0);
    holds(path, "dump");
}

static void own_directories(void **state) {
    char made[200], file[220];
    (void)state;
    snprintf(made, sizeof made, "%s/made", dir);
    snprintf(file, sizeof file, "%s/f", made);
    assert_int_equal(fsr_write_file_in(made, "f", "dump", 4), 0);
    holds(file, "dump");
    assert_int_equal(fsr_write_file_in(file, "f", "dump", 4), ENOTDIR);
    unlink(file);
    rmdir(made);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(mode_is_kept),
        TEST(owner_is_kept),
        TEST(protected_files),
        TEST(links_are_followed),
        TEST(a_link_elsewhere),
        TEST(what_cannot_be_written),
        TEST(devices),
        TEST(names_of_any_length),
        TEST(too_long_for_a_limit),
        TEST(threads),
        TEST(processes),
        TEST(leftovers),
        TEST(planted_links),
        TEST(planted_fifos),
        TEST(own_directories),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
