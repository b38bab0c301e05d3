/* SPDX-License-Identifier: MIT */
/* The disk cache. Everything goes through a descriptor of the directory that was checked when it was opened, so that a
 * directory swapped afterwards is not followed.
 *
 * An entry is `<32 hex digits of the key's digest>.fsr`: a header, then the payload. What is wrong in any way is a miss
 * and is removed. Removal may hit a good entry that another process has just renamed over the bad one: that costs a
 * compilation, never a wrong kernel. The bound of the directory is disk_bound.c's. */
#include "runtime/disk_cache.h"
#include "runtime/disk_bound.h"
#include "runtime/patience.h"
#include "runtime/write_file.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#define ENTRY_VERSION 1u

struct fsr_disk_cache {
    atomic_int dir; /* -1: not open yet */
    char *path;
    fsr_patience patience; /* with the directory */
    int64_t limit;
    pthread_mutex_t lock; /* of this process's writers, who would else wait for one another in turns of a millisecond */
    bool counted;         /* the directory, by this process */
};

typedef struct entry_header {
    char magic[8];
    uint32_t version;
    uint32_t header_bytes;
    uint64_t key_low, key_high; /* digest of the key */
    uint64_t key_size;
    uint64_t size;              /* of the payload */
    uint64_t sum_low, sum_high; /* digest of the payload */
} entry_header;

/* ---- the directory ----------------------------------------------------------------------------------- */

/* Makes path and its missing parents, mode 0700. */
static int make_directories(const char *path) {
    size_t n = strlen(path);
    char *part = malloc(n + 1);
    int failed = 0;

    if (!part)
        return -1;
    for (size_t i = 1; i <= n && !failed; i++)
        if (path[i] == '/' || path[i] == 0) {
            memcpy(part, path, i);
            part[i] = 0;
            failed = mkdir(part, 0700) != 0 && errno != EEXIST;
        }
    free(part);
    return failed ? -1 : 0;
}

/* A descriptor of the directory, or -1 with the fault set. */
static int open_trusted(const char *dir, fsr_fault *fault) {
    struct stat st;
    int fd = -1;

    if (make_directories(dir) == 0)
        fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        fsr_fault_set(fault, FSR_ERR_FILE, "disk cache %s: %s", dir, strerror(errno));
    else if (st.st_uid != geteuid())
        fsr_fault_set(fault, FSR_ERR_FILE, "disk cache %s belongs to user %ld, not to %ld: not used", dir,
                      (long)st.st_uid, (long)geteuid());
    else if (st.st_mode & (S_IWGRP | S_IWOTH))
        fsr_fault_set(fault, FSR_ERR_FILE, "disk cache %s has mode %03o, others may write to it: not used", dir,
                      (unsigned)(st.st_mode & 0777));
    else
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

fsr_status fsr_disk_cache_open(const char *dir, int64_t limit_bytes, fsr_disk_cache **out, fsr_fault *fault) {
    *out = NULL;
    if (!dir || !*dir)
        return FSR_OK;
    const int64_t start = fsr_now_ms();
    fsr_disk_cache *cache = calloc(1, sizeof *cache);
    if (cache)
        cache->path = strdup(dir);
    if (!cache || !cache->path || pthread_mutex_init(&cache->lock, NULL) != 0) {
        if (cache)
            free(cache->path);
        free(cache);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "disk cache: out of memory");
    }
    const int fd = open_trusted(dir, fault);
    if (fd < 0)
        fsr_patience_failed(&cache->patience, start);
    atomic_init(&cache->dir, fd);
    cache->limit = limit_bytes;
    *out = cache;
    return fd < 0 ? fault->status : FSR_OK;
}

/* The descriptor; -1 while there is none. What stood in the way may be gone: it is tried again, but not at each
 * call. */
static int directory(fsr_disk_cache *cache) {
    int fd = atomic_load(&cache->dir);
    if (fd >= 0 || !fsr_patience_due(&cache->patience))
        return fd;
    const int64_t start = fsr_now_ms();
    fsr_fault unused = {FSR_OK, NULL};
    fd = open_trusted(cache->path, &unused);
    fsr_fault_clear(&unused);
    int none = -1;
    if (fd < 0)
        fsr_patience_failed(&cache->patience, start);
    else if (atomic_compare_exchange_strong(&cache->dir, &none, fd))
        fsr_patience_passed(&cache->patience);
    else
        close(fd);
    return atomic_load(&cache->dir);
}

void fsr_disk_cache_close(fsr_disk_cache *cache) {
    if (!cache)
        return;
    fsr_disk_cache_leave(cache);
    pthread_mutex_destroy(&cache->lock);
    free(cache->path);
    free(cache);
}

void fsr_disk_cache_leave(fsr_disk_cache *cache) {
    if (cache && atomic_load(&cache->dir) >= 0)
        close(atomic_load(&cache->dir));
}

/* ---- entries ----------------------------------------------------------------------------------------- */

static entry_header header_of(const void *key, size_t key_size, const void *data, size_t size) {
    XXH128_hash_t digest = XXH3_128bits(key, key_size), sum = XXH3_128bits(data, size);
    entry_header h = {
        .magic = "FSRCACHE",
        .version = ENTRY_VERSION,
        .header_bytes = sizeof h,
        .key_low = digest.low64,
        .key_high = digest.high64,
        .key_size = key_size,
        .size = size,
        .sum_low = sum.low64,
        .sum_high = sum.high64,
    };
    return h;
}

static void entry_name(char name[FSR_ENTRY_NAME], const void *key, size_t key_size) {
    XXH128_hash_t digest = XXH3_128bits(key, key_size);

    snprintf(name, FSR_ENTRY_NAME, "%016llx%016llx.fsr", (unsigned long long)digest.high64,
             (unsigned long long)digest.low64);
}

static bool read_all(int fd, void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = read(fd, (char *)data + done, size - done);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return false;
        if (n > 0)
            done += (size_t)n;
    }
    return true;
}

/* The payload of an open entry, or NULL. *bad: the entry is wrong (and not: memory is out). */
static void *read_entry(int fd, const void *key, size_t key_size, size_t *size, bool *bad) {
    entry_header h, expected;
    struct stat st;
    void *data;

    *bad = true;
    if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || !read_all(fd, &h, sizeof h))
        return NULL;
    if (st.st_size < (off_t)sizeof h || h.size != (uint64_t)st.st_size - sizeof h)
        return NULL;
    data = malloc(h.size ? h.size : 1);
    *bad = data != NULL;
    if (!data)
        return NULL;
    if (read_all(fd, data, h.size)) {
        expected = header_of(key, key_size, data, h.size);
        *bad = memcmp(&h, &expected, sizeof h) != 0;
    }
    if (*bad) {
        free(data);
        return NULL;
    }
    *size = h.size;
    return data;
}

void *fsr_disk_cache_get(fsr_disk_cache *cache, const void *key, size_t key_size, size_t *size) {
    char name[FSR_ENTRY_NAME];
    void *data;
    bool bad;
    int fd, dir;

    if (!cache || (dir = directory(cache)) < 0)
        return NULL;
    entry_name(name, key, key_size);
    fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    data = read_entry(fd, key, key_size, size, &bad);
    if (data)
        futimens(fd, NULL);
    else if (bad)
        unlinkat(dir, name, 0);
    close(fd);
    return data;
}

/* ---- put --------------------------------------------------------------------------------------------- */

/* 0 or an errno. */
static int write_entry(fsr_disk_cache *cache, const char *name, const entry_header *h, const void *data, size_t size) {
    const int64_t bytes = (int64_t)(sizeof *h + size);
    fsr_disk_claim claim;
    int error = fsr_disk_bound_begin(cache->dir, cache->limit, name, bytes, !cache->counted, &claim);
    if (error)
        return error;
    cache->counted = true;
    error = fsr_write_file_at(cache->dir, name, 0600, (fsr_part[]){{h, sizeof *h}, {data, size}}, 2);
    fsr_disk_bound_end(&claim, bytes, !error);
    return error;
}

fsr_status fsr_disk_cache_put(fsr_disk_cache *cache, const void *key, size_t key_size, const void *data, size_t size,
                              fsr_fault *fault) {
    char name[FSR_ENTRY_NAME];
    entry_header h;

    if (!cache || directory(cache) < 0)
        return FSR_OK;
    if (cache->limit < (int64_t)sizeof h || size > (uint64_t)cache->limit - sizeof h)
        return fsr_fault_set(fault, FSR_ERR_SIZE, "disk cache: %zu bytes are more than its limit of %lld", size,
                             (long long)cache->limit);
    h = header_of(key, key_size, data, size);
    entry_name(name, key, key_size);
    pthread_mutex_lock(&cache->lock);
    const int error = write_entry(cache, name, &h, data, size);
    pthread_mutex_unlock(&cache->lock);
    return error ? fsr_fault_set(fault, FSR_ERR_FILE, "disk cache: write %s: %s", name, strerror(error)) : FSR_OK;
}
