/* SPDX-License-Identifier: MIT */
/* The total stands in a file of the directory, `.fsr-total`, whose lock one writer at a time has. He makes room, counts
 * his entry in, and writes it, in this order: killed at any point he leaves a total that is too large, never one that
 * is too small. The directory itself is counted when there is no total yet, when the total passes the limit, at
 * the first entry of a process, and every RECOUNT entries, which finds what others removed, and what older versions
 * wrote, who know no total.
 *
 * Counter-example to each process counting what it wrote itself: six that write 64 entries each between two looks at
 * the directory pass the limit by 384 entries.
 *
 * The file may be removed by anybody at any time (a user who empties the cache): whoever has the lock of a file that
 * has lost its name begins again. The lock is given up by its name, not by closing alone: a child that another thread
 * forked meanwhile still has the descriptor. Eviction goes down to 7/8 of the limit, or a full cache would be counted
 * at every entry. Only files that have an entry's name, and temporaries that somebody left behind an hour ago, are
 * removed. */
#define _GNU_SOURCE 1
#include "runtime/disk_bound.h"
#include "runtime/clock.h"
#include "runtime/text.h"
#include "runtime/write_file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define TOTAL ".fsr-total"
#define TEMPORARY_SECONDS 3600 /* a temporary older than this has lost its writer */
#define RECOUNT 64
#define PATIENCE_MS 1000 /* of who waits for the lock */
#define EAGER_MS 30      /* who has waited for so long looks more often */

typedef struct total_file {
    char magic[8];
    int64_t total;
    uint64_t puts;
} total_file;

static const char magic[8] = "FSRTOTAL";

/* ---- the lock ------------------------------------------------------------------------------------------- */

/* Nobody is told when the lock is free, so who waits looks. Who has waited for long looks up to twenty times as often
 * as who has just come, and is served before him. Counter-example to a pause that is one for all: beside six others who
 * write without a break to a slow disk, one looked 733 times while another one had it. */
static void wait_turn(int64_t waited_ms) {
    nanosleep(&(struct timespec){.tv_nsec = waited_ms < EAGER_MS ? 1000000 : 50000}, NULL);
}

/* Whether the file of the descriptor is the one of the name. */
static bool has_name(const fsr_disk_claim *c) {
    struct stat mine, named;
    return fstat(c->fd, &mine) == 0 && fstatat(c->dir, TOTAL, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

/* What has the name and is no file, a link or a fifo, goes. A descriptor, or -1 with errno. */
static int open_total(int dir) {
    struct stat st;
    if (fstatat(dir, TOTAL, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode) && unlinkat(dir, TOTAL, 0) != 0)
        return -1;
    return openat(dir, TOTAL, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

static void unlock(fsr_disk_claim *c) {
    if (c->locked)
        flock(c->fd, LOCK_UN);
    close(c->fd);
}

/* 0 or an errno; then there is nothing to unlock. A file system without locks is none. */
static int lock(fsr_disk_claim *c) {
    const int64_t start = fsr_now_ms();
    for (int64_t waited = 0; waited < PATIENCE_MS; waited = fsr_now_ms() - start) {
        c->fd = open_total(c->dir);
        if (c->fd < 0)
            return errno;
        c->locked = flock(c->fd, LOCK_EX | LOCK_NB) == 0;
        const bool busy = !c->locked && (errno == EWOULDBLOCK || errno == EINTR);
        if (!busy && (!c->locked || has_name(c)))
            return 0;
        unlock(c);
        wait_turn(waited);
    }
    return ETIMEDOUT;
}

/* ---- the total -------------------------------------------------------------------------------------------- */

/* False: there is none that can be believed. */
static bool read_total(fsr_disk_claim *c) {
    total_file f;
    if (!c->locked || pread(c->fd, &f, sizeof f, 0) != (ssize_t)sizeof f || memcmp(f.magic, magic, sizeof magic) != 0)
        return false;
    c->total = f.total;
    c->puts = f.puts;
    return f.total >= 0;
}

/* False: it may be too small; the next one has to count. */
static bool write_total(const fsr_disk_claim *c, int64_t total) {
    total_file f = {.total = total, .puts = c->puts};
    memcpy(f.magic, magic, sizeof magic);
    if (!c->locked || pwrite(c->fd, &f, sizeof f, 0) == (ssize_t)sizeof f)
        return true;
    return ftruncate(c->fd, 0) == 0;
}

/* ---- the directory ------------------------------------------------------------------------------------------ */

typedef struct found {
    char name[FSR_ENTRY_NAME];
    struct timespec used;
    int64_t bytes;
} found;

static bool is_entry_name(const char *name) {
    return strspn(name, "0123456789abcdef") == 32 && strcmp(name + 32, ".fsr") == 0;
}

static int by_use(const void *left, const void *right) {
    const found *a = left, *b = right;

    if (a->used.tv_sec != b->used.tv_sec)
        return a->used.tv_sec < b->used.tv_sec ? -1 : 1;
    if (a->used.tv_nsec != b->used.tv_nsec)
        return a->used.tv_nsec < b->used.tv_nsec ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* Counts a file of the directory if it is one of the cache's, and lists entries; removes a temporary without a
 * writer. */
static void look_at(fsr_disk_claim *c, const char *name, fsr_text *list) {
    const bool temporary = strncmp(name, FSR_TEMPORARY, strlen(FSR_TEMPORARY)) == 0;
    struct stat st;
    found f = {0};

    if (!temporary && !is_entry_name(name))
        return;
    if (fstatat(c->dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(st.st_mode))
        return;
    if (temporary && st.st_mtim.tv_sec < time(NULL) - TEMPORARY_SECONDS && unlinkat(c->dir, name, 0) == 0)
        return;
    c->total += st.st_size;
    if (temporary)
        return;
    memcpy(f.name, name, sizeof f.name);
    f.used = st.st_mtim;
    f.bytes = st.st_size;
    fsr_text_raw(list, (const char *)&f, sizeof f);
}

/* Sets the total and lists every entry as `found`, malloc'ed; NULL with errno. */
static found *list_entries(fsr_disk_claim *c, size_t *n) {
    const int fd = openat(c->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    fsr_text list = {0};

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    c->total = 0;
    for (struct dirent *e; (e = readdir(dir)) != NULL;)
        look_at(c, e->d_name, &list);
    closedir(dir);
    *n = list.size / sizeof(found);
    found *entries = (found *)(void *)fsr_text_take(&list);
    errno = entries ? 0 : ENOMEM;
    return entries;
}

/* Counts, and where the entry does not fit removes the least recently used ones. */
static int make_room(fsr_disk_claim *c, int64_t limit, int64_t bytes) {
    size_t n = 0;
    found *list = list_entries(c, &n);

    if (!list)
        return errno;
    if (c->total + bytes > limit) {
        qsort(list, n, sizeof *list, by_use);
        for (size_t i = 0; i < n && c->total + bytes > limit - limit / 8; i++)
            if (unlinkat(c->dir, list[i].name, 0) == 0)
                c->total -= list[i].bytes;
    }
    free(list);
    return c->total + bytes > limit ? ENOSPC : 0;
}

/* ---- a claim --------------------------------------------------------------------------------------------------- */

int fsr_disk_bound_begin(int dir, int64_t limit, const char *name, int64_t bytes, bool count, fsr_disk_claim *claim) {
    struct stat st;
    *claim = (fsr_disk_claim){.dir = dir, .fd = -1};
    int error = lock(claim);
    if (error)
        return error;
    const bool known = read_total(claim) && !count && claim->puts % RECOUNT != 0;
    if (!known || claim->total > limit - bytes)
        error = make_room(claim, limit, bytes);
    claim->puts++;
    if (!error && !write_total(claim, claim->total + bytes))
        error = EIO;
    if (error)
        unlock(claim);
    else if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
        claim->old = st.st_size;
    return error;
}

void fsr_disk_bound_end(fsr_disk_claim *claim, int64_t bytes, bool written) {
    const int64_t total = claim->total + (written ? bytes - claim->old : 0);
    write_total(claim, total > 0 ? total : 0);
    unlock(claim);
}
