/* The disk cache. Everything goes through a descriptor of the directory that was checked when it was opened, so that a
 * directory swapped afterwards is not followed.
 *
 * An entry is `<32 hex digits of the key's digest>.fsr`: a header, then the payload. What is wrong in any way is a miss
 * and is removed. Removal may hit a good entry that another process has just renamed over the bad one: that costs a
 * compilation, never a wrong kernel.
 *
 * The naive way to bound the size, adding up what this process has written, misses what other processes write: so the
 * directory is counted at the first put, then whenever the sum passes the limit, and every RECOUNT puts.
 * Eviction goes down to 7/8 of the limit, or a full cache would count the directory at every put. Only files that have
 * an entry's name, and temporaries of this cache that somebody left behind, are ever removed. */
#include "runtime/disk_cache.h"
#include "runtime/text.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define ENTRY_VERSION 1u
#define ENTRY_NAME 37 /* 32 digits, ".fsr", 0 */
#define TEMPORARY ".fsr-tmp-"
#define TEMPORARY_SECONDS 3600 /* a temporary older than this has lost its writer */
#define RECOUNT 64

struct fsr_disk_cache {
    int dir;
    int64_t limit;
    pthread_mutex_t lock; /* of the fields below */
    int64_t total;        /* bytes, as of the last count and what was written since */
    int puts;
    atomic_uint serial; /* makes temporary names of one process differ */
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
    fsr_disk_cache *cache;
    int fd;

    *out = NULL;
    if (!dir || !*dir)
        return FSR_OK;
    fd = open_trusted(dir, fault);
    if (fd < 0)
        return fault->status;
    cache = calloc(1, sizeof *cache);
    if (!cache || pthread_mutex_init(&cache->lock, NULL) != 0) {
        free(cache);
        close(fd);
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "disk cache: out of memory");
    }
    cache->dir = fd;
    cache->limit = limit_bytes;
    *out = cache;
    return FSR_OK;
}

void fsr_disk_cache_close(fsr_disk_cache *cache) {
    if (!cache)
        return;
    close(cache->dir);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
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

static void entry_name(char name[ENTRY_NAME], const void *key, size_t key_size) {
    XXH128_hash_t digest = XXH3_128bits(key, key_size);

    snprintf(name, ENTRY_NAME, "%016llx%016llx.fsr", (unsigned long long)digest.high64,
             (unsigned long long)digest.low64);
}

static bool is_entry_name(const char *name) {
    return strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, ".fsr") == 0;
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

static bool write_all(int fd, const void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno != EINTR)
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
    char name[ENTRY_NAME];
    void *data;
    bool bad;
    int fd;

    if (!cache)
        return NULL;
    entry_name(name, key, key_size);
    fd = openat(cache->dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0)
        return NULL;
    data = read_entry(fd, key, key_size, size, &bad);
    if (data)
        futimens(fd, NULL);
    else if (bad)
        unlinkat(cache->dir, name, 0);
    close(fd);
    return data;
}

/* ---- eviction ---------------------------------------------------------------------------------------- */

typedef struct found {
    char name[ENTRY_NAME];
    struct timespec used;
    int64_t bytes;
} found;

static int by_use(const void *left, const void *right) {
    const found *a = left, *b = right;

    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Adds a directory entry to the list if it is one of the cache's; removes a temporary without a writer. */
static void look_at(fsr_disk_cache *cache, const char *name, fsr_text *list) {
    bool temporary = strncmp(name, TEMPORARY, strlen(TEMPORARY)) == 0;
    struct stat st;
    found f = {0};

    if (!temporary && !is_entry_name(name))
        return;
    if (fstatat(cache->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return;
    if (temporary) {
        if (st.st_mtim.tv_sec < time(NULL) - TEMPORARY_SECONDS)
            unlinkat(cache->dir, name, 0);
        return;
    }
    memcpy(f.name, name, sizeof f.name);
    f.used = st.st_mtim;
    f.bytes = st.st_size;
    fsr_text_raw(list, (const char *)&f, sizeof f);
}

/* Every entry as an array of `found`, malloc'ed; NULL if the directory cannot be read or memory is out. */
static found *list_entries(fsr_disk_cache *cache, size_t *count) {
    int fd = openat(cache->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    fsr_text list = {0};
    struct dirent *e;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    while ((e = readdir(dir)))
        look_at(cache, e->d_name, &list);
    closedir(dir);
    *count = list.size / sizeof(found);
    return (found *)(void *)fsr_text_take(&list);
}

/* Counts the directory; where it is over the limit, removes the least recently used entries, but not `keep`. */
static void evict(fsr_disk_cache *cache, const char *keep) {
    size_t count = 0;
    found *list = list_entries(cache, &count);

    if (!list)
        return;
    cache->total = 0;
    for (size_t i = 0; i < count; i++)
        cache->total += list[i].bytes;
    if (cache->total > cache->limit) {
        qsort(list, count, sizeof *list, by_use);
        for (size_t i = 0; i < count && cache->total > cache->limit - cache->limit / 8; i++)
            if (strcmp(list[i].name, keep) != 0 && unlinkat(cache->dir, list[i].name, 0) == 0)
                cache->total -= list[i].bytes;
    }
    free(list);
}

/* ---- put --------------------------------------------------------------------------------------------- */

/* Creates a temporary of a name that nobody has; -1 with errno. */
static int open_temporary(fsr_disk_cache *cache, char *name, size_t size) {
    for (int i = 0; i < 100; i++) {
        int fd;
        snprintf(name, size, TEMPORARY "%ld-%u", (long)getpid(), atomic_fetch_add(&cache->serial, 1));
        fd = openat(cache->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

fsr_status fsr_disk_cache_put(fsr_disk_cache *cache, const void *key, size_t key_size, const void *data, size_t size,
                              fsr_fault *fault) {
    char name[ENTRY_NAME], temporary[64];
    entry_header h;
    bool written;
    int fd;

    if (!cache)
        return FSR_OK;
    if (cache->limit < (int64_t)sizeof h || size > (uint64_t)cache->limit - sizeof h)
        return fsr_fault_set(fault, FSR_ERR_SIZE, "disk cache: %zu bytes are more than its limit of %lld", size,
                             (long long)cache->limit);
    fd = open_temporary(cache, temporary, sizeof temporary);
    if (fd < 0)
        return fsr_fault_set(fault, FSR_ERR_FILE, "disk cache: create %s: %s", temporary, strerror(errno));
    h = header_of(key, key_size, data, size);
    entry_name(name, key, key_size);
    written = write_all(fd, &h, sizeof h) && write_all(fd, data, size);
    written = close(fd) == 0 && written;
    if (!written || renameat(cache->dir, temporary, cache->dir, name) != 0) {
        fsr_fault_set(fault, FSR_ERR_FILE, "disk cache: write %s: %s", name, strerror(errno));
        unlinkat(cache->dir, temporary, 0);
        return fault->status;
    }
    pthread_mutex_lock(&cache->lock);
    cache->total += (int64_t)(sizeof h + size);
    if (cache->puts++ % RECOUNT == 0 || cache->total > cache->limit)
        evict(cache, name);
    pthread_mutex_unlock(&cache->lock);
    return FSR_OK;
}
