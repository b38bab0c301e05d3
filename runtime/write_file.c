/* SPDX-License-Identifier: MIT */
/* A temporary file beside the file, made under a name that nobody has, filled, synced, and renamed over the file.
 *
 * The temporary's name is random, not the file's with something behind it. Counter-examples: a name made of the
 * process's number is one for all its threads, and blocks the next process of that number when this one dies; and a
 * name of 250 bytes has no room for anything behind it.
 *
 * A link is resolved first, so that the temporary lies in the directory of what the link names: renamed over the link
 * itself, it would end the link and leave what it named as it was. */
#define _GNU_SOURCE 1
#include "runtime/write_file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 100, LINKS = 40, TEMPORARY_NAME = 32 };

/* ---- the temporary -------------------------------------------------------------------------------------- */

/* Where the system has no random numbers yet, the time must do: O_EXCL finds out. */
static uint64_t random_bits(void) {
    uint64_t bits = 0;
    struct timespec now;
    if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) == (ssize_t)sizeof bits)
        return bits;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return ((uint64_t)getpid() << 40) ^ (uint64_t)now.tv_nsec ^ (uint64_t)(uintptr_t)&now;
}

/* A descriptor of a new file, or -1 with errno. */
static int open_temporary(int dir, mode_t mode, char name[TEMPORARY_NAME]) {
    for (int i = 0; i < TRIES; i++) {
        snprintf(name, TEMPORARY_NAME, FSR_TEMPORARY "%016llx", (unsigned long long)random_bits());
        const int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* 0 or an errno. */
static int write_parts(int fd, const fsr_part *part, int n) {
    for (int i = 0; i < n; i++)
        for (size_t done = 0; done < part[i].size;) {
            const ssize_t wrote = write(fd, (const char *)part[i].data + done, part[i].size - done);
            if (wrote < 0 && errno != EINTR)
                return errno;
            done += wrote > 0 ? (size_t)wrote : 0;
        }
    return 0;
}

/* Gives the file what the old one had. Where the group cannot be given, the group that the file has instead may do no
 * more than everybody may. */
static int take_after(int fd, const struct stat *old) {
    struct stat mine;
    mode_t mode = old->st_mode & 07777;
    if (fstat(fd, &mine) != 0)
        return errno;
    if (mine.st_gid != old->st_gid && fchown(fd, (uid_t)-1, old->st_gid) != 0)
        mode &= (mode_t)(05707 | (mode & 07) << 3);
    if (mine.st_uid != old->st_uid && fchown(fd, old->st_uid, (gid_t)-1) != 0)
        mode &= (mode_t)~04000;
    return fchmod(fd, mode) == 0 || errno == EPERM ? 0 : errno; /* EPERM: a file system without modes */
}

/* old: what the file takes after, also synced then; NULL: it is the library's own, of this mode. */
static int replace(int dir, const char *name, const struct stat *old, mode_t mode, bool sync, const fsr_part *part,
                   int n) {
    char temporary[TEMPORARY_NAME];
    const int fd = open_temporary(dir, old ? 0600 : mode, temporary);
    if (fd < 0)
        return errno;
    int error = write_parts(fd, part, n);
    if (!error && old)
        error = take_after(fd, old);
    if (!error && sync && fsync(fd) != 0)
        error = errno;
    if (close(fd) != 0 && !error)
        error = errno;
    if (!error && renameat(dir, temporary, dir, name) != 0)
        error = errno;
    if (error)
        unlinkat(dir, temporary, 0);
    return error;
}

/* ---- where -------------------------------------------------------------------------------------------------- */

/* A file of the user's: the directory and the name where its links end, and what is there. */
typedef struct place {
    int dir;
    char *path;       /* malloc'ed */
    const char *name; /* its end */
    bool there;
    bool special; /* there, and no regular file: no directory is open then */
    struct stat old;
} place;

/* What the link at path names, malloc'ed; NULL with errno. */
static char *read_link(const char *path) {
    char target[PATH_MAX];
    const ssize_t size = readlink(path, target, sizeof target - 1);
    if (size < 0)
        return NULL;
    target[size] = 0;
    const char *slash = target[0] == '/' ? NULL : strrchr(path, '/');
    const size_t before = slash ? (size_t)(slash + 1 - path) : 0;
    char *joined = malloc(before + (size_t)size + 1);
    if (joined) {
        memcpy(joined, path, before);
        memcpy(joined + before, target, (size_t)size + 1);
    }
    return joined;
}

/* Where the path's links end, malloc'ed, whether anything is there or not; NULL with errno. */
static char *follow(const char *path) {
    char *at = strdup(path);
    for (int i = 0; at; i++) {
        struct stat info;
        const bool there = lstat(at, &info) == 0;
        if (there ? !S_ISLNK(info.st_mode) : errno == ENOENT)
            return at;
        char *next = there && i < LINKS ? read_link(at) : NULL;
        const int error = there && i == LINKS ? ELOOP : errno;
        free(at);
        at = next;
        errno = error;
    }
    return NULL;
}

/* A descriptor of the directory that path lies in; one that may be written and not read cannot be synced. */
static int open_directory(const char *path, const char *name) {
    const size_t size = (size_t)(name - path);
    char *parent = size ? strndup(path, size) : strdup(".");
    if (!parent)
        return -1;
    int dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0 && errno == EACCES)
        dir = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
    const int error = errno;
    free(parent);
    errno = error;
    return dir;
}

static void leave(place *p) {
    if (p->dir >= 0)
        close(p->dir);
    free(p->path);
}

/* 0 or an errno; then there is nothing to leave. */
static int find(place *p, const char *path) {
    *p = (place){.dir = -1};
    p->there = stat(path, &p->old) == 0;
    if (!p->there && errno != ENOENT)
        return errno;
    if (p->there && S_ISDIR(p->old.st_mode))
        return EISDIR;
    p->special = p->there && !S_ISREG(p->old.st_mode);
    if (p->special)
        return 0;
    p->path = follow(path);
    if (!p->path)
        return errno;
    const char *slash = strrchr(p->path, '/');
    p->name = slash ? slash + 1 : p->path;
    if (*p->name)
        p->dir = open_directory(p->path, p->name);
    else
        errno = *path ? EISDIR : ENOENT;
    if (p->dir >= 0 && (!p->there || faccessat(p->dir, p->name, W_OK, AT_EACCESS) == 0))
        return 0;
    const int error = errno;
    leave(p);
    return error;
}

/* ---- the user's files ---------------------------------------------------------------------------------------- */

static fsr_status fail(fsr_fault *fault, const char *path, const char *words, int error) {
    return fsr_fault_set(fault, error == ENOMEM ? FSR_ERR_MEMORY : FSR_ERR_FILE, "%s: %s%s", path, words,
                         strerror(error));
}

static int write_special(const char *path, const fsr_part *part, int n) {
    const int fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    const int error = write_parts(fd, part, n);
    return close(fd) != 0 && !error ? errno : error;
}

/* A directory that could be opened but cannot be synced by its kind is none of the caller's business. */
static int sync_name(const place *p) {
    return fsync(p->dir) == 0 || errno == EINVAL || errno == EBADF || errno == ENOTSUP ? 0 : errno;
}

fsr_status fsr_write_file(const char *path, const fsr_part *part, int n, fsr_fault *fault) {
    place p;
    int error = find(&p, path);
    if (error)
        return fail(fault, path, "", error);
    error =
        p.special ? write_special(path, part, n) : replace(p.dir, p.name, p.there ? &p.old : NULL, 0666, true, part, n);
    const int unsynced = error || p.special ? 0 : sync_name(&p);
    leave(&p);
    if (unsynced)
        return fail(fault, path, "written, but its directory cannot be synced: ", unsynced);
    return error ? fail(fault, path, "", error) : FSR_OK;
}

fsr_status fsr_write_file_check(const char *path, fsr_fault *fault) {
    place p;
    char temporary[TEMPORARY_NAME];
    int error = find(&p, path);
    if (error)
        return fail(fault, path, "", error);
    if (!p.special) {
        const int fd = open_temporary(p.dir, 0600, temporary);
        error = fd < 0 ? errno : 0;
        if (fd >= 0) {
            close(fd);
            unlinkat(p.dir, temporary, 0);
        }
    }
    leave(&p);
    return error ? fail(fault, path, "", error) : FSR_OK;
}

/* ---- the library's files -------------------------------------------------------------------------------------- */

int fsr_write_file_at(int dir, const char *name, mode_t mode, const fsr_part *part, int n) {
    return replace(dir, name, NULL, mode, false, part, n);
}

int fsr_write_file_in(const char *dir, const char *name, const void *data, size_t size) {
    if (mkdir(dir, 0777) != 0 && errno != EEXIST)
        return errno;
    const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    const int error = fsr_write_file_at(fd, name, 0666, &(fsr_part){data, size}, 1);
    close(fd);
    return error;
}
