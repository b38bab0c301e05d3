/* SPDX-License-Identifier: MIT */
/* runtime/disk_cache: hits, every kind of bad entry, concurrent writers, eviction, directories that are not trusted. */
#define _GNU_SOURCE 1
#include "runtime/disk_cache.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT (1 << 20)
#define TOTAL ".fsr-total" /* where the directory's bytes are counted */
#define HEADER 64          /* bytes of an entry's header */

/* A fresh directory for each test. */
typedef struct place {
    char dir[64];
    char path[400];
} place;

static int make_place(void **state) {
    place *p = calloc(1, sizeof *p);

    if (!p)
        return -1;
    strcpy(p->dir, "/tmp/fusor-test-XXXXXX");
    *state = p;
    return mkdtemp(p->dir) ? 0 : -1;
}

static int drop_place(void **state) {
    place *p = *state;
    char command[100];
    int rc;

    snprintf(command, sizeof command, "rm -rf '%s'", p->dir);
    rc = system(command);
    free(p);
    return rc;
}

static fsr_disk_cache *open_cache(const char *dir, int64_t limit) {
    fsr_fault fault = {0};
    fsr_disk_cache *cache = NULL;

    assert_int_equal(fsr_disk_cache_open(dir, limit, &cache, &fault), FSR_OK);
    assert_non_null(cache);
    return cache;
}

static void put(fsr_disk_cache *cache, const char *key, const void *data, size_t size) {
    fsr_fault fault = {0};

    assert_int_equal(fsr_disk_cache_put(cache, key, strlen(key), data, size, &fault), FSR_OK);
}

static bool has(fsr_disk_cache *cache, const char *key, const void *data, size_t size) {
    size_t got = 0;
    void *found = fsr_disk_cache_get(cache, key, strlen(key), &got);
    bool same = found && got == size && memcmp(found, data, size) == 0;

    if (found)
        assert_true(same);
    free(found);
    return same;
}

/* Files in the directory whose names end so; *last receives the path of one. */
static int files(place *p, const char *ending) {
    DIR *d = opendir(p->dir);
    struct dirent *e;
    int n = 0;

    assert_non_null(d);
    while ((e = readdir(d))) {
        size_t have = strlen(e->d_name), want = strlen(ending);
        if (strcmp(e->d_name, TOTAL) == 0 || have < want || strcmp(e->d_name + have - want, ending) != 0 ||
            e->d_type == DT_DIR)
            continue;
        snprintf(p->path, sizeof p->path, "%s/%s", p->dir, e->d_name);
        n++;
    }
    closedir(d);
    return n;
}

static void hit_and_miss(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, LIMIT);

    assert_false(has(cache, "a", "x", 1));
    put(cache, "a", "payload a", 9);
    put(cache, "b", "", 0);
    put(cache, "", "empty key", 9);
    assert_true(has(cache, "a", "payload a", 9));
    assert_true(has(cache, "b", "", 0));
    assert_true(has(cache, "", "empty key", 9));
    assert_false(has(cache, "c", "", 0));
    put(cache, "a", "new", 3);
    assert_true(has(cache, "a", "new", 3));
    fsr_disk_cache_close(cache);
    cache = open_cache(p->dir, LIMIT);
    assert_true(has(cache, "a", "new", 3));
    fsr_disk_cache_close(cache);
    assert_int_equal(files(p, ".fsr"), 3);
    assert_int_equal(files(p, ""), 3);
}

static void no_cache(void **state) {
    fsr_fault fault = {0};
    fsr_disk_cache *cache = (fsr_disk_cache *)*state;
    size_t size;

    assert_int_equal(fsr_disk_cache_open(NULL, LIMIT, &cache, &fault), FSR_OK);
    assert_null(cache);
    assert_int_equal(fsr_disk_cache_open("", LIMIT, &cache, &fault), FSR_OK);
    assert_null(cache);
    assert_null(fsr_disk_cache_get(NULL, "k", 1, &size));
    assert_int_equal(fsr_disk_cache_put(NULL, "k", 1, "v", 1, &fault), FSR_OK);
    fsr_disk_cache_close(NULL);
}

/* The entry's file cut at every length is a miss and is gone afterwards. */
static void torn(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, LIMIT);

    for (int n = 0; n < HEADER + 9; n++) {
        put(cache, "key", "payload a", 9);
        assert_int_equal(files(p, ".fsr"), 1);
        assert_int_equal(truncate(p->path, n), 0);
        assert_false(has(cache, "key", "payload a", 9));
        assert_int_equal(files(p, ".fsr"), 0);
    }
    fsr_disk_cache_close(cache);
}

static void flip(const char *path, off_t at) {
    int fd = open(path, O_RDWR);
    unsigned char c;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &c, 1, at), 1);
    c ^= 0x10;
    assert_int_equal(pwrite(fd, &c, 1, at), 1);
    close(fd);
}

/* One bit of any byte, also of the magic, the version, the lengths and the digests. */
static void corrupt(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, LIMIT);

    for (int n = 0; n < HEADER + 9; n++) {
        put(cache, "key", "payload a", 9);
        assert_int_equal(files(p, ".fsr"), 1);
        flip(p->path, n);
        assert_false(has(cache, "key", "payload a", 9));
        assert_int_equal(files(p, ".fsr"), 0);
    }
    fsr_disk_cache_close(cache);
}

static void longer_than_promised(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, LIMIT);
    FILE *f;

    put(cache, "key", "payload a", 9);
    files(p, ".fsr");
    f = fopen(p->path, "ab");
    assert_non_null(f);
    fputc('x', f);
    fclose(f);
    assert_false(has(cache, "key", "payload a", 9));
    fsr_disk_cache_close(cache);
}

/* A good entry under the name of another key: the digest inside says no. */
static void renamed(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, LIMIT);
    char from[400];

    put(cache, "one", "1", 1);
    files(p, ".fsr");
    strcpy(from, p->path);
    put(cache, "two", "2", 1);
    for (int i = 0; i < 2 && strcmp(from, p->path) == 0; i++)
        files(p, ".fsr");
    if (strcmp(from, p->path) == 0)
        fail_msg("the second entry was not found");
    assert_int_equal(rename(from, p->path), 0);
    assert_false(has(cache, "two", "2", 1));
    assert_false(has(cache, "one", "1", 1));
    fsr_disk_cache_close(cache);
}

static void not_a_file(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, LIMIT);

    put(cache, "key", "v", 1);
    files(p, ".fsr");
    assert_int_equal(unlink(p->path), 0);
    assert_int_equal(symlink("/etc/passwd", p->path), 0);
    assert_false(has(cache, "key", "v", 1));
    put(cache, "key", "v", 1);
    assert_true(has(cache, "key", "v", 1));
    assert_int_equal(unlink(p->path), 0);
    assert_int_equal(mkfifo(p->path, 0600), 0);
    assert_false(has(cache, "key", "v", 1));
    put(cache, "key", "v", 1);
    assert_true(has(cache, "key", "v", 1));
    fsr_disk_cache_close(cache);
}

#define KEYS 8

/* Payload `round` of key `k`: all one byte, with a length of its own, so that a mixture shows. */
static size_t fill(unsigned char *data, int k, int round) {
    size_t size = 1000 + (size_t)(k * 100 + round % 50);

    memset(data, 'a' + round % 26, size);
    return size;
}

static bool consistent(const unsigned char *data, size_t size, int k) {
    if (size < 1000 + (size_t)k * 100 || size >= 1050 + (size_t)k * 100)
        return false;
    for (size_t i = 1; i < size; i++)
        if (data[i] != data[0])
            return false;
    return true;
}

/* Writes and reads the keys in turn; returns the number of failures. */
static int work(fsr_disk_cache *cache, int seed) {
    unsigned char data[2000];
    int failures = 0;

    for (int i = 0; i < 300; i++) {
        int k = (i * 7 + seed) % KEYS;
        char key[16];
        size_t size = fill(data, k, i + seed);
        fsr_fault fault = {0};
        unsigned char *got;

        snprintf(key, sizeof key, "key %d", k);
        failures += fsr_disk_cache_put(cache, key, strlen(key), data, size, &fault) != FSR_OK;
        fsr_fault_clear(&fault);
        got = fsr_disk_cache_get(cache, key, strlen(key), &size);
        failures += !got || !consistent(got, size, k);
        free(got);
    }
    return failures;
}

static void *worker(void *cache) {
    return (void *)(intptr_t)work(cache, 3);
}

/* Four processes and, in this one, three threads on one cache object: nobody ever reads a mixture. */
static void concurrent_writers(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, LIMIT);
    pthread_t threads[3];
    pid_t pids[4];

    for (int i = 0; i < 4; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            fsr_fault fault = {0};
            fsr_disk_cache *own = NULL;
            fsr_disk_cache_open(p->dir, LIMIT, &own, &fault);
            _exit(own && work(own, i * 13) == 0 ? 0 : 1);
        }
    }
    for (int i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, worker, cache), 0);
    void *failures[3];
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], &failures[i]);
    for (int i = 0; i < 3; i++)
        assert_null(failures[i]);
    for (int i = 0; i < 4; i++) {
        int rc;
        assert_int_equal(waitpid(pids[i], &rc, 0), pids[i]);
        assert_int_equal(rc, 0);
    }
    fsr_disk_cache_close(cache);
    assert_int_equal(files(p, ".fsr"), KEYS);
    assert_int_equal(files(p, ""), KEYS);
}

/* Makes the entry of `key` look used so many seconds ago. */
static void age(place *p, fsr_disk_cache *cache, const char *key, const void *data, size_t size, int seconds) {
    struct timespec times[2];
    int before = files(p, ".fsr");
    DIR *d;
    struct dirent *e;
    char newest[400] = "";
    struct timespec latest = {0};
    struct stat st;

    put(cache, key, data, size);
    assert_int_equal(files(p, ".fsr"), before + 1);
    d = opendir(p->dir);
    assert_non_null(d);
    while ((e = readdir(d))) {
        snprintf(p->path, sizeof p->path, "%s/%s", p->dir, e->d_name);
        if (e->d_name[0] != '.' && stat(p->path, &st) == 0 && st.st_mtim.tv_sec > latest.tv_sec) {
            latest = st.st_mtim;
            strcpy(newest, p->path);
        }
    }
    closedir(d);
    times[0] = times[1] = (struct timespec){latest.tv_sec - seconds, 0};
    assert_int_equal(utimensat(AT_FDCWD, newest, times, 0), 0);
}

/* Over the limit the least recently used go; a hit makes an entry recent. */
static void eviction(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, 5 * (HEADER + 1000));
    char data[1000] = {0}, foreign[400];
    FILE *f;

    snprintf(foreign, sizeof foreign, "%s/README", p->dir);
    f = fopen(foreign, "w");
    assert_non_null(f);
    fclose(f);
    age(p, cache, "oldest", data, sizeof data, 5000);
    age(p, cache, "old", data, sizeof data, 4000);
    age(p, cache, "middle", data, sizeof data, 3000);
    age(p, cache, "young", data, sizeof data, 2000);
    assert_true(has(cache, "oldest", data, sizeof data));
    put(cache, "five", data, sizeof data);
    assert_int_equal(files(p, ".fsr"), 5);
    put(cache, "six", data, sizeof data);
    assert_int_equal(files(p, ".fsr"), 4);
    assert_false(has(cache, "old", data, sizeof data));
    assert_false(has(cache, "middle", data, sizeof data));
    assert_true(has(cache, "oldest", data, sizeof data));
    assert_true(has(cache, "young", data, sizeof data));
    assert_true(has(cache, "six", data, sizeof data));
    assert_int_equal(access(foreign, F_OK), 0);
    fsr_disk_cache_close(cache);
}

static void too_large(void **state) {
    place *p = *state;
    fsr_fault fault = {0};
    fsr_disk_cache *cache = open_cache(p->dir, HEADER + 100);
    char data[101] = {0};

    assert_int_equal(fsr_disk_cache_put(cache, "k", 1, data, 101, &fault), FSR_ERR_SIZE);
    assert_string_equal(fault.message, "disk cache: 101 bytes are more than its limit of 164");
    fsr_fault_clear(&fault);
    put(cache, "k", data, 100);
    assert_true(has(cache, "k", data, 100));
    fsr_disk_cache_close(cache);
    cache = open_cache(p->dir, 0);
    assert_int_equal(fsr_disk_cache_put(cache, "k", 1, data, 0, &fault), FSR_ERR_SIZE);
    fsr_fault_clear(&fault);
    fsr_disk_cache_close(cache);
}

/* A temporary that a crash left is removed once it is old, a fresh one is somebody's. */
static void left_temporaries(void **state) {
    place *p = *state;
    fsr_disk_cache *cache;
    const struct timespec times[2] = {{1000, 0}, {1000, 0}};

    for (int i = 0; i < 2; i++) {
        int fd;
        snprintf(p->path, sizeof p->path, "%s/.fsr-tmp-1-%d", p->dir, i);
        fd = open(p->path, O_CREAT | O_WRONLY, 0600);
        assert_true(fd >= 0);
        close(fd);
        if (i == 1)
            assert_int_equal(utimensat(AT_FDCWD, p->path, times, 0), 0);
    }
    cache = open_cache(p->dir, LIMIT);
    put(cache, "k", "v", 1);
    assert_int_equal(files(p, "-0"), 1);
    assert_int_equal(files(p, "-1"), 0);
    fsr_disk_cache_close(cache);
}

static void makes_directories(void **state) {
    place *p = *state;
    char dir[200];
    struct stat st;
    fsr_disk_cache *cache;

    snprintf(dir, sizeof dir, "%s/a/b//c/", p->dir);
    cache = open_cache(dir, LIMIT);
    put(cache, "k", "v", 1);
    assert_true(has(cache, "k", "v", 1));
    assert_int_equal(stat(dir, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0700);
    fsr_disk_cache_close(cache);
}

/* The cache has nothing and takes nothing. */
static fsr_disk_cache *open_refused(const char *dir, const char *why) {
    fsr_fault fault = {0};
    fsr_disk_cache *cache = NULL;

    assert_int_equal(fsr_disk_cache_open(dir, LIMIT, &cache, &fault), FSR_ERR_FILE);
    assert_non_null(cache);
    assert_non_null(strstr(fault.message, why));
    fsr_fault_clear(&fault);
    put(cache, "k", "v", 1);
    assert_false(has(cache, "k", "v", 1));
    return cache;
}

static void refused(const char *dir, const char *why) {
    fsr_disk_cache_close(open_refused(dir, why));
}

/* What stood in the way is gone: the same cache works, soon. */
static void opened_later(void **state) {
    place *p = *state;
    const struct timespec pause = {0, 20 * 1000 * 1000};
    bool there = false;

    assert_int_equal(chmod(p->dir, 0770), 0);
    fsr_disk_cache *cache = open_refused(p->dir, "others may write to it");
    assert_int_equal(chmod(p->dir, 0700), 0);
    for (int i = 0; i < 500 && !there; i++) {
        nanosleep(&pause, NULL);
        put(cache, "k", "v", 1);
        there = has(cache, "k", "v", 1);
    }
    assert_true(there);
    fsr_disk_cache_close(cache);
    cache = open_cache(p->dir, LIMIT);
    assert_true(has(cache, "k", "v", 1));
    fsr_disk_cache_close(cache);
}

static void untrusted(void **state) {
    place *p = *state;
    char path[100];
    int fd;

    assert_int_equal(chmod(p->dir, 0770), 0);
    refused(p->dir, "has mode 770, others may write to it: not used");
    assert_int_equal(chmod(p->dir, 0702), 0);
    refused(p->dir, "has mode 702, others may write to it: not used");
    assert_int_equal(chmod(p->dir, 0755), 0);
    fsr_disk_cache_close(open_cache(p->dir, LIMIT));
    snprintf(path, sizeof path, "%s/file", p->dir);
    fd = open(path, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    refused(path, "Not a directory");
    refused("/proc/none/fusor", "disk cache /proc/none/fusor: ");
    if (geteuid() == 0) {
        assert_int_equal(chown(p->dir, 12345, 12345), 0);
        refused(p->dir, "belongs to user 12345, not to 0: not used");
    } else {
        refused("/usr", "belongs to user 0, not to ");
    }
}

/* ---- the bound under many writers --------------------------------------------------------------------------- */

enum { PROCESSES = 6, PUTS = 400, ROOM = 20, ENTRY = 1000 };

/* PUTS entries that nobody else writes; returns the number of failures. */
static int write_many(const char *dir, int who) {
    fsr_fault fault = {0};
    fsr_disk_cache *cache = NULL;
    int failures = 0;

    if (fsr_disk_cache_open(dir, ROOM * ENTRY, &cache, &fault) != FSR_OK)
        return 1;
    for (int i = 0; i < PUTS; i++) {
        char key[32], data[ENTRY - HEADER] = {0};
        snprintf(key, sizeof key, "%d of %d", i, who);
        failures += fsr_disk_cache_put(cache, key, strlen(key), data, sizeof data, &fault) != FSR_OK;
    }
    if (failures)
        fprintf(stderr, "%s\n", fault.message);
    fsr_fault_clear(&fault);
    fsr_disk_cache_close(cache);
    return failures;
}

/* Bytes of everything in the directory but the total's own file. */
static int64_t bytes_in(const char *dir) {
    DIR *d = opendir(dir);
    struct dirent *e;
    int64_t bytes = 0;

    assert_non_null(d);
    while ((e = readdir(d))) {
        struct stat st;
        if (strcmp(e->d_name, TOTAL) != 0 && fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(st.st_mode))
            bytes += st.st_size;
    }
    closedir(d);
    return bytes;
}

/* Between two entries of others: nobody writes while the lock is had. */
static int64_t bytes_at_rest(const char *dir) {
    char path[100];

    snprintf(path, sizeof path, "%s/" TOTAL, dir);
    const int fd = open(path, O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    const int64_t bytes = bytes_in(dir);
    close(fd);
    return bytes;
}

/* Six processes that write without a pause: the limit holds at every moment, not only afterwards, and the cache is used
 * up to it. One of them is killed on the way, perhaps with the lock. */
static void bound_holds(void **state) {
    place *p = *state;
    pid_t pids[PROCESSES];
    int64_t most = 0;

    for (int i = 0; i < PROCESSES; i++) {
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0)
            _exit(write_many(p->dir, i) == 0 ? 0 : 1);
    }
    for (int i = 0; i < 100; i++) {
        const int64_t now = bytes_at_rest(p->dir);
        most = now > most ? now : most;
        if (i == 20)
            kill(pids[0], SIGKILL);
        usleep(1000);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int rc;
        assert_int_equal(waitpid(pids[i], &rc, 0), pids[i]);
        assert_true(rc == 0 || (i == 0 && WIFSIGNALED(rc)));
    }
    const int64_t last = bytes_in(p->dir);
    assert_in_range(most, ROOM * ENTRY / 2, ROOM * ENTRY);
    assert_in_range(last, ROOM * ENTRY / 2, ROOM * ENTRY);
}

/* A total that is missing, short or nonsense is counted anew; so are entries that nobody counted. */
static void totals_that_lie(void **state) {
    place *p = *state;
    static const struct {
        const char *text;
        size_t size;
    } lies[] = {{"", 0},
                {"FSRTOTAL", 8},
                {"FSRTOTAL\xff\xff\xff\xff\xff\xff\xff\xff\1\0\0\0\0\0\0\0", 24},
                {"XSRTOTAL\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0", 24},
                {"FSRTOTAL\xff\xff\xff\xff\xff\xff\0\0\1\0\0\0\0\0\0\0", 24}};

    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        char path[100];
        assert_int_equal(write_many(p->dir, (int)i), 0);
        snprintf(path, sizeof path, "%s/" TOTAL, p->dir);
        FILE *f = fopen(path, "w");
        assert_non_null(f);
        assert_int_equal(fwrite(lies[i].text, 1, lies[i].size, f), lies[i].size);
        assert_int_equal(fclose(f), 0);
        assert_int_equal(write_many(p->dir, 100 + (int)i), 0);
        assert_in_range(bytes_in(p->dir), ROOM * ENTRY / 2, ROOM * ENTRY);
    }
}

/* The limit counts what is there: a cache that was emptied, its total too or not, is filled again. */
static void emptied(void **state) {
    static const char *const words[] = {"rm %s/*.fsr", "rm %s/*.fsr %s/" TOTAL};
    place *p = *state;

    for (int i = 0; i < 2; i++) {
        char command[300];
        assert_int_equal(write_many(p->dir, i), 0);
        snprintf(command, sizeof command, words[i], p->dir, p->dir);
        assert_int_equal(system(command), 0);
        assert_int_equal(write_many(p->dir, 10 + i), 0);
        assert_in_range(bytes_in(p->dir), ROOM * ENTRY / 2, ROOM * ENTRY);
    }
}

/* A process that was stopped with the lock costs others a second and what they would have stored, no more. */
static void the_lock_is_not_waited_for_long(void **state) {
    place *p = *state;
    fsr_disk_cache *cache = open_cache(p->dir, LIMIT);
    fsr_fault fault = {0};
    char path[100];
    struct timespec from, to;

    put(cache, "a", "x", 1);
    snprintf(path, sizeof path, "%s/" TOTAL, p->dir);
    const int fd = open(path, O_RDWR);
    assert_true(fd >= 0 && flock(fd, LOCK_EX) == 0);
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_int_equal(fsr_disk_cache_put(cache, "b", 1, "x", 1, &fault), FSR_ERR_FILE);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_non_null(strstr(fault.message, strerror(ETIMEDOUT)));
    assert_true(to.tv_sec - from.tv_sec < 20);
    fsr_fault_clear(&fault);
    assert_true(has(cache, "a", "x", 1));
    close(fd);
    put(cache, "b", "x", 1);
    fsr_disk_cache_close(cache);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, drop_place)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(hit_and_miss),
        TEST(no_cache),
        TEST(torn),
        TEST(corrupt),
        TEST(renamed),
        TEST(not_a_file),
        TEST(eviction),
        TEST(longer_than_promised),
        TEST(too_large),
        TEST(concurrent_writers),
        TEST(bound_holds),
        TEST(totals_that_lie),
        TEST(emptied),
        TEST(the_lock_is_not_waited_for_long),
        TEST(left_temporaries),
        TEST(makes_directories),
        TEST(untrusted),
        TEST(opened_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
