/* SPDX-License-Identifier: MIT */
/* The disk cache between processes and over time: writers killed in the middle, 32 processes at once, entries damaged
 * in every way or of another version or machine, directories that cannot be written. Always the right answer, and
 * nothing piles up. */
#include "runtime/disk_cache.h"
#include "tests/support/subject.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PROCESSES = 32, ROUNDS = 150, KEYS = 24, PAYLOAD = 60000 };

static char dir[64];
static outcome expected[16], got;

/* ---- the directory ---------------------------------------------------------------------------------------------- */

typedef struct contents {
    int entries, temporaries, others;
    int64_t bytes;
} contents;

typedef void visitor(const char *path, void *user);

static contents look(visitor *visit, void *user) {
    contents c = {0};
    DIR *at = opendir(dir);
    assert_non_null(at);
    for (struct dirent *e; (e = readdir(at));) {
        char path[400];
        struct stat st;
        snprintf(path, sizeof path, "%s/%s", dir, e->d_name);
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 || lstat(path, &st) != 0)
            continue;
        if (strcmp(e->d_name, ".fsr-total") == 0) {
            if (visit)
                visit(path, user);
            continue;
        }
        bool entry = strstr(e->d_name, ".fsr") != NULL && e->d_name[0] != '.';
        c.entries += entry;
        c.temporaries += strncmp(e->d_name, ".fsr-tmp-", 9) == 0;
        c.others += !entry && strncmp(e->d_name, ".fsr-tmp-", 9) != 0;
        c.bytes += st.st_size;
        if (visit)
            visit(path, user);
    }
    closedir(at);
    return c;
}

static void remove_one(const char *path, void *user) {
    (void)user;
    if (unlink(path) != 0)
        rmdir(path);
}

/* As if an hour and more had passed. */
static void make_old(const char *path, void *user) {
    (void)user;
    const struct timespec times[2] = {{.tv_sec = time(NULL) - 4000}, {.tv_sec = time(NULL) - 4000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

static int setup(void **state) {
    (void)state;
    subject_temporary_dir(dir);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    chmod(dir, 0700);
    look(remove_one, NULL);
    return rmdir(dir);
}

/* ---- payloads: what key k holds is known to everybody ----------------------------------------------- */

static size_t payload(int k, char *data) {
    size_t size = PAYLOAD - (size_t)k * 997;
    for (size_t i = 0; i < size; i++)
        data[i] = (char)((size_t)k * 31 + i * 7 + (i >> 8));
    return size;
}

static fsr_disk_cache *open_cache(int64_t limit) {
    fsr_disk_cache *cache = NULL;
    fsr_fault fault = {0};
    if (fsr_disk_cache_open(dir, limit, &cache, &fault))
        fail_msg("%s", fault.message);
    return cache;
}

/* 1: there and right, 0: not there, -1: wrong. */
static int probe(fsr_disk_cache *cache, int k) {
    static char want[PAYLOAD];
    char key[20];
    size_t size = 0, right = payload(k, want);
    snprintf(key, sizeof key, "key %d", k);
    char *data = fsr_disk_cache_get(cache, key, strlen(key), &size);
    int found = !data ? 0 : size == right && memcmp(data, want, size) == 0 ? 1 : -1;
    free(data);
    return found;
}

/* What a writer is told who cannot have the lock for a second: nothing is stored. */
static bool lock_was_taken(const fsr_fault *fault) {
    return fault->message && strstr(fault->message, strerror(ETIMEDOUT));
}

/* *busy: others had the lock all the time. */
static fsr_status try_to_put(fsr_disk_cache *cache, int k, bool *busy) {
    static char data[PAYLOAD];
    char key[20];
    fsr_fault fault = {0};
    size_t size = payload(k, data);
    snprintf(key, sizeof key, "key %d", k);
    fsr_status status = fsr_disk_cache_put(cache, key, strlen(key), data, size, &fault);
    *busy = status && lock_was_taken(&fault);
    fsr_fault_clear(&fault);
    return status;
}

static fsr_status put(fsr_disk_cache *cache, int k) {
    bool busy;
    return try_to_put(cache, k, &busy);
}

/* ---- killed ----------------------------------------------------------------------------------------- */

static int64_t microseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

/* Forks a process that writes for ever, in small pieces, so that a kill finds it in the middle; it closes *told once it
 * has written the first entry. */
static pid_t write_for_ever(int round, int *told) {
    fsr_disk_cache *cache = NULL;
    fsr_fault fault = {0};
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) {
        close(ends[1]);
        *told = ends[0];
        return child;
    }
    if (fsr_disk_cache_open(dir, 64 << 20, &cache, &fault) || put(cache, round % KEYS))
        _exit(1);
    close(ends[1]);
    faults_arm(FAULT_FILE, FAULT_SHORT, 1, true, 0, "write");
    for (int k = round;; k++)
        put(cache, k % KEYS);
}

/* A kill comes after the first entry, within as long again as that took, a tenth of a second at most. Counter-example
 * to a few milliseconds after the start: on a busy machine no process has written anything by then. Rounds go on until
 * one was killed in the middle. */
static void killed_while_writing(void **state) {
    (void)state;
    fsr_disk_cache *cache = open_cache(64 << 20);
    uint32_t random = 7;
    int hits = 0, torn = 0, round = 0;
    for (; round < ROUNDS || (look(NULL, NULL).temporaries == 0 && round < 20 * ROUNDS); round++) {
        int told;
        char none;
        const int64_t start = microseconds();
        pid_t child = write_for_ever(round, &told);
        assert_int_equal(read(told, &none, 1), 0);
        close(told);
        const int64_t took = microseconds() - start, most = took > 100000 ? 100000 : took;
        usleep((useconds_t)(300 + subject_random(&random) % most));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        int before = look(NULL, NULL).entries;
        for (int k = 0; k < KEYS; k++) {
            int found = probe(cache, k);
            if (found < 0)
                fail_msg("round %d: key %d has a wrong payload", round, k);
            hits += found;
        }
        torn += before - look(NULL, NULL).entries; /* bad entries are removed when read */
    }
    contents c = look(NULL, NULL);
    assert_int_equal(torn, 0);
    assert_true(hits > 0 && c.temporaries > 0 && c.temporaries <= round);
    printf("%d writers killed: %d good reads, %d temporaries left by them, no torn entry\n", round, hits,
           c.temporaries);
    /* young temporaries may have a writer and stay; old ones go at the next count */
    fsr_disk_cache_close(cache);
    cache = open_cache(64 << 20);
    assert_int_equal(put(cache, 0), FSR_OK);
    assert_int_equal(look(NULL, NULL).temporaries, c.temporaries);
    fsr_disk_cache_close(cache);
    look(make_old, NULL);
    cache = open_cache(64 << 20);
    assert_int_equal(put(cache, 0), FSR_OK);
    assert_int_equal(look(NULL, NULL).temporaries, 0);
    fsr_disk_cache_close(cache);
}

/* Forks a process that computes for ever, from scenario `first` on, and writes a byte to *told after each. */
static pid_t compute_for_ever(const fsr_config *config, int first, int *told) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child > 0) {
        close(ends[1]);
        *told = ends[0];
        return child;
    }
    for (int i = first;; i++) {
        fsr_context *ctx = NULL;
        if (fsr_open_why(config, &ctx, NULL, 0))
            _exit(1);
        scenario_run(&scenarios[i % scenario_count], ctx, &got);
        fsr_close(ctx);
        if (write(ends[1], "", 1) != 1)
            _exit(1);
    }
}

/* What a scenario computes in a new context is right. */
static fsr_stats read_after_kill(const fsr_config *config, int which) {
    fsr_context *ctx = subject_open(config);
    scenario_run(&scenarios[which], ctx, &got);
    assert_int_equal(got.status, FSR_OK);
    assert_int_equal(got.bytes, expected[which].bytes);
    assert_memory_equal(got.data, expected[which].data, got.bytes);
    fsr_stats stats;
    fsr_context_stats(ctx, &stats);
    fsr_close(ctx);
    return stats;
}

/* The same with whole contexts that compile: what the next one reads is right. Every second process is killed after it
 * has computed what is read then, so that nothing is left to compile; the others before. How long that takes depends on
 * the machine, so it is measured, and a kill comes anywhere within as long again. Counter-example to a few
 * milliseconds: where compiling takes longer, as under a sanitizer, no process ever leaves a kernel. */
static void killed_while_computing(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.cache_dir = dir;
    uint32_t random = 11;
    int64_t disk_hits = 0, usual = 8000;
    for (int round = 0; round < 60; round++) {
        const int which = round % scenario_count;
        const int64_t start = microseconds();
        int told;
        char byte;
        pid_t child = compute_for_ever(&config, which, &told);
        const bool wait = round % 2 == 0;
        if (wait) {
            assert_int_equal(read(told, &byte, 1), 1);
            usual = microseconds() - start;
        }
        usleep((useconds_t)(500 + subject_random(&random) % usual));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        close(told);
        const fsr_stats stats = read_after_kill(&config, which);
        assert_true(stats.compilations == 0 || !wait);
        disk_hits += stats.cache_hits_disk;
        faults_directories(true); /* the compiler's, whose process is gone */
        if (round % 6 == 5)
            look(remove_one, NULL);
    }
    assert_true(disk_hits > 0);
    printf("60 computing processes killed: %lld kernels were read after that, all right\n", (long long)disk_hits);
}

/* ---- many ------------------------------------------------------------------------------------------- */

/* Forks PROCESSES children that start together; each returns its exit status. */
static void together(int (*work)(int number)) {
    int gate[2];
    pid_t child[PROCESSES];
    assert_int_equal(pipe(gate), 0);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (child[i] == 0) {
            char c;
            close(gate[1]);
            if (read(gate[0], &c, 1) != 0)
                _exit(99);
            _exit(work(i));
        }
    }
    close(gate[0]);
    close(gate[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            fail_msg("process %d ended with %#x", i, status);
    }
}

/* Same and different programs: each process begins at another scenario. */
static int compute_all(int number) {
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    fsr_context *ctx = NULL;
    config.cache_dir = dir;
    if (fsr_open_why(&config, &ctx, NULL, 0))
        return 1;
    for (int i = 0; i < scenario_count; i++) {
        int which = (number + i) % scenario_count;
        scenario_run(&scenarios[which], ctx, &got);
        if (got.status)
            return 2;
        if (got.bytes != expected[which].bytes || memcmp(got.data, expected[which].data, got.bytes) != 0)
            return 3;
    }
    fsr_close(ctx);
    return 0;
}

static void processes_compute(void **state) {
    (void)state;
    together(compute_all);
    contents c = look(NULL, NULL);
    assert_true(c.entries > 5);
    assert_int_equal(c.temporaries + c.others, 0);
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.cache_dir = dir;
    fsr_context *ctx = subject_open(&config);
    for (int i = 0; i < scenario_count; i++)
        scenario_run(&scenarios[i], ctx, &got);
    fsr_stats stats;
    fsr_context_stats(ctx, &stats);
    assert_int_equal(stats.compilations, 0);
    const int references = 1; /* native functions that the reference loads: no kernels */
    assert_int_equal(stats.cache_hits_disk + references, c.entries);
    fsr_close(ctx);
    printf("%d processes, %d programs: all right, %d entries, no temporary left\n", PROCESSES, scenario_count,
           c.entries);
}

enum { SMALL_LIMIT = 400000 };

/* Puts and gets in an order of its own, in a cache that holds six entries of 24. On a busy machine others may have the
 * lock for the whole second that a writer waits, and he stores nothing: that is no failure. */
static int fight(int number) {
    fsr_disk_cache *cache = NULL;
    fsr_fault fault = {0};
    if (fsr_disk_cache_open(dir, SMALL_LIMIT, &cache, &fault))
        return 1;
    uint32_t random = (uint32_t)number;
    for (int i = 0; i < 60; i++) {
        int k = (int)(subject_random(&random) % KEYS), found = probe(cache, k);
        bool busy = false;
        if (found < 0)
            return 2;
        if (!found && try_to_put(cache, k, &busy) && !busy)
            return 3;
    }
    fsr_disk_cache_close(cache);
    return 0;
}

static void processes_fight_for_room(void **state) {
    (void)state;
    together(fight);
    fsr_disk_cache *cache = open_cache(SMALL_LIMIT);
    assert_int_equal(put(cache, 0), FSR_OK);
    contents c = look(NULL, NULL);
    assert_int_equal(c.temporaries + c.others, 0);
    assert_true(c.entries >= 1 && c.bytes <= SMALL_LIMIT);
    for (int k = 0; k < KEYS; k++)
        assert_true(probe(cache, k) >= 0);
    fsr_disk_cache_close(cache);
    printf("%d processes in a full cache: %d entries, %lld bytes of %d\n", PROCESSES, c.entries, (long long)c.bytes,
           SMALL_LIMIT);
}

/* ---- damaged ---------------------------------------------------------------------------------------- */

enum damage { TRUNCATED, EMPTY, HALF_HEADER, BIT, VERSION, LONGER, FOREIGN, DIRECTORY, LINK, FIFO, DAMAGES };
static const char *const damage_names[] = {"truncated", "empty",         "half a header", "a bit",  "another version",
                                           "longer",    "another key's", "a directory",   "a link", "a pipe"};

typedef struct injury {
    enum damage how;
    char first[400];
    int n;
} injury;

static void overwrite(const char *path, off_t at, char flip) {
    int fd = open(path, O_RDWR);
    char c = 0;
    assert_true(fd >= 0 && pread(fd, &c, 1, at) == 1);
    c = (char)(c ^ flip);
    assert_true(pwrite(fd, &c, 1, at) == 1);
    close(fd);
}

static void copy_file(const char *from, const char *to) {
    static char data[1 << 20];
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_TRUNC);
    ssize_t n = read(in, data, sizeof data);
    assert_true(in >= 0 && out >= 0 && n > 0 && write(out, data, (size_t)n) == n);
    close(in);
    close(out);
}

static void injure(const char *path, void *user) {
    injury *in = user;
    struct stat st;
    /* The total of the bytes is no entry: short, or no file, it is made anew; nonsense in it is
     * unit/test_disk_cache's. */
    if (strstr(path, ".fsr-total") &&
        (in->how == BIT || in->how == VERSION || in->how == FOREIGN || in->how == DIRECTORY))
        return;
    assert_int_equal(stat(path, &st), 0);
    in->n++;
    switch (in->how) {
    case TRUNCATED: assert_int_equal(truncate(path, st.st_size - 1), 0); break;
    case EMPTY: assert_int_equal(truncate(path, 0), 0); break;
    case HALF_HEADER: assert_int_equal(truncate(path, 20), 0); break;
    case BIT: overwrite(path, st.st_size - 100, 1); break;
    case VERSION: overwrite(path, 8, 2); break;
    case LONGER: assert_int_equal(truncate(path, st.st_size + 5), 0); break;
    case FOREIGN:
        if (in->n > 1)
            copy_file(in->first, path);
        break;
    case DIRECTORY: assert_true(unlink(path) == 0 && mkdir(path, 0700) == 0); break;
    case LINK: assert_true(unlink(path) == 0 && symlink("/etc/passwd", path) == 0); break;
    case FIFO: assert_true(unlink(path) == 0 && mkfifo(path, 0600) == 0); break;
    case DAMAGES: break;
    }
    if (in->n == 1)
        snprintf(in->first, sizeof in->first, "%s", path);
}

/* Runs scenario `which` on a new context with the cache and checks it; the kernels read from disk. */
static int64_t run_cached(int which, const char *when) {
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.cache_dir = dir;
    fsr_context *ctx = subject_open(&config);
    scenario_run(&scenarios[which], ctx, &got);
    if (got.status || got.bytes != expected[which].bytes || memcmp(got.data, expected[which].data, got.bytes) != 0)
        fail_msg("%s: %s: %s", when, fsr_status_name(got.status), got.message);
    fsr_stats stats;
    fsr_context_stats(ctx, &stats);
    fsr_close(ctx);
    return stats.cache_hits_disk;
}

static void damaged_entries(void **state) {
    (void)state;
    int which = (int)(scenario_find("several") - scenarios);
    for (int how = 0; how < DAMAGES; how++) {
        run_cached(which, "fresh");
        int64_t whole = run_cached(which, "whole");
        assert_true(whole >= 2);
        injury in = {.how = (enum damage)how};
        look(injure, &in);
        int64_t hits = run_cached(which, damage_names[how]);
        if (hits != (how == FOREIGN ? 1 : 0))
            fail_msg("%s: %lld entries were taken", damage_names[how], (long long)hits);
        hits = run_cached(which, damage_names[how]);
        if (how != DIRECTORY && hits != whole)
            fail_msg("%s: not mended, %lld of %lld entries", damage_names[how], (long long)hits, (long long)whole);
        look(remove_one, NULL);
    }
    printf("%d kinds of damage, each in every entry: all misses, all mended\n", DAMAGES);
}

static void another_machine(void **state) {
    (void)state;
    int which = (int)(scenario_find("several") - scenarios);
    run_cached(which, "here");
    int64_t whole = run_cached(which, "here");
    assert_true(whole > 0);
    faults_machine = "other64";
    int64_t hits = run_cached(which, "there"), again = run_cached(which, "there");
    faults_machine = NULL;
    assert_int_equal(hits, 0);
    assert_int_equal(again, whole);
    assert_int_equal(run_cached(which, "here"), whole);
}

/* ---- not to be written ------------------------------------------------------------------------------ */

static void read_only_directory(void **state) {
    (void)state;
    int which = (int)(scenario_find("several") - scenarios);
    run_cached(which, "writable");
    int64_t whole = run_cached(which, "writable");
    assert_int_equal(chmod(dir, 0500), 0);
    assert_int_equal(run_cached(which, "read-only"), whole);
    assert_int_equal(chmod(dir, 0700), 0);
    look(remove_one, NULL);
    assert_int_equal(chmod(dir, 0500), 0);
    run_cached(which, "read-only and empty");
    if (geteuid() != 0)
        assert_int_equal(look(NULL, NULL).entries, 0);
    assert_int_equal(chmod(dir, 0700), 0);
}

/* Every creation, every write's end, every rename failing for good, as on a full or read-only disk. */
static void nothing_can_be_stored(void **state) {
    (void)state;
    int which = (int)(scenario_find("several") - scenarios);
    static const struct {
        const char *call;
        int error;
    } cases[] = {{"openat", EROFS}, {"renameat", ENOSPC}, {"renameat", EROFS}, {"openat", EMFILE}};
    for (int i = 0; i < COUNT_OF(cases); i++) {
        faults_arm(FAULT_FILE, FAULT_ERROR, 1, true, cases[i].error, cases[i].call);
        int64_t first = run_cached(which, cases[i].call), second = run_cached(which, cases[i].call);
        assert_true(faults_disarm());
        assert_int_equal(first + second, 0);
        contents c = look(NULL, NULL);
        assert_int_equal(c.entries + c.temporaries, 0);
    }
}

/* No byte can be written anywhere: a status that says so, and all is well when there is room again. */
static void full_disk(void **state) {
    (void)state;
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    config.cache_dir = dir;
    fsr_context *ctx = subject_open(&config);
    int which = (int)(scenario_find("several") - scenarios);
    faults_arm(FAULT_FILE, FAULT_ERROR, 1, true, ENOSPC, "write");
    scenario_run(&scenarios[which], ctx, &got);
    assert_true(faults_disarm());
    assert_int_equal(got.status, FSR_ERR_FILE);
    assert_non_null(strstr(got.message, strerror(ENOSPC)));
    scenario_run(&scenarios[which], ctx, &got);
    assert_int_equal(got.status, FSR_OK);
    assert_memory_equal(got.data, expected[which].data, got.bytes);
    fsr_close(ctx);
}

static bool expect_all(void) {
    fsr_config config = scenario_config(FSR_BACKEND_CPU);
    fsr_context *ctx = NULL;
    if (scenario_count > COUNT_OF(expected) || fsr_open_why(&config, &ctx, NULL, 0))
        return false;
    for (int i = 0; i < scenario_count; i++) {
        scenario_run(&scenarios[i], ctx, &expected[i]);
        if (expected[i].status)
            return false;
    }
    fsr_close(ctx);
    return true;
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(killed_while_writing),     TEST(killed_while_computing), TEST(processes_compute),
        TEST(processes_fight_for_room), TEST(damaged_entries),        TEST(another_machine),
        TEST(read_only_directory),      TEST(nothing_can_be_stored),  TEST(full_disk),
    };
    if (!expect_all()) {
        fprintf(stderr, "the scenarios do not run\n");
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
