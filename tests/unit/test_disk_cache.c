/* runtime/disk_cache: hits, every kind of bad entry, concurrent writers, eviction, directories that are not trusted. */
#include "runtime/disk_cache.h"
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT (1 << 20)
#define HEADER 64 /* bytes of an entry's header */

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
        if (have < want || strcmp(e->d_name + have - want, ending) != 0 || e->d_type == DT_DIR)
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
    for (int i = 0; i < 3; i++) {
        void *failures;
        pthread_join(threads[i], &failures);
        assert_null(failures);
    }
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

static void refused(const char *dir, const char *why) {
    fsr_fault fault = {0};
    fsr_disk_cache *cache = (fsr_disk_cache *)(uintptr_t)1;

    assert_int_equal(fsr_disk_cache_open(dir, LIMIT, &cache, &fault), FSR_ERR_FILE);
    assert_null(cache);
    assert_non_null(strstr(fault.message, why));
    fsr_fault_clear(&fault);
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
        TEST(left_temporaries),
        TEST(makes_directories),
        TEST(untrusted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
