/* SPDX-License-Identifier: MIT */
/* Workshops are named fusor-<process>-XXXXXX, so that one whose process was killed can be told from one in use.
 *
 * Swept is a directory of that name that belongs to this user, is private, has not changed for an hour, and whose
 * process is gone. Counter-example to asking for the process alone: another container that shares the directory has
 * processes of its own, whose numbers mean nothing here. */
#define _GNU_SOURCE /* memfd_create */
#include "backend_cpu/run/workshop.h"
#include "backend_cpu/run/files.h"
#include "runtime/config.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

enum {
    STALE_SECONDS = 3600,
    ROOM = 1 << 20 /* bytes that a compilation may need */
};

/* Files only: a directory inside was not made by Fusor, and keeps the whole. */
static void empty(int dir) {
    const int own = dup(dir);
    DIR *list = own < 0 ? NULL : fdopendir(own);
    if (!list) {
        if (own >= 0)
            close(own);
        return;
    }
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dir, entry->d_name, 0);
    closedir(list);
}

/* A killed compiler leaves its own temporary files, since TMPDIR is the workshop for it. */
static void remove_all(const char *path) {
    if (rmdir(path) == 0 || errno != ENOTEMPTY)
        return;
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir >= 0) {
        empty(dir);
        close(dir);
    }
    rmdir(path);
}

void fsr_workshop_close(fsr_workshop *w) {
    if (w->source)
        unlink(w->source);
    if (w->object)
        unlink(w->object);
    if (w->dir)
        remove_all(w->dir);
    free(w->source);
    free(w->object);
    free(w->lifted);
    free(w->dir);
}

/* File systems without a limit say that they have no blocks, or no files, at all. */
static bool lacks_room(const struct statvfs *fs) {
    return (fs->f_blocks && fs->f_bavail * fs->f_frsize < ROOM) || (fs->f_files && !fs->f_favail);
}

/* A new directory in `parent`, malloc'ed; NULL with errno set. One without room for a compilation is not kept. */
static char *make_in(const char *parent) {
    struct statvfs fs;
    fsr_text t = {0};
    fsr_text_add(&t, "%s/fusor-%ld-XXXXXX", parent, (long)getpid());
    char *dir = fsr_text_take(&t);
    int error = dir ? 0 : ENOMEM;
    if (dir && !mkdtemp(dir))
        error = errno;
    else if (dir && statvfs(dir, &fs) == 0 && lacks_room(&fs))
        error = rmdir(dir) == 0 ? ENOSPC : errno;
    if (!error)
        return dir;
    free(dir);
    errno = error;
    return NULL;
}

fsr_status fsr_workshop_open(fsr_workshop *w, const char *name, const char *last, fsr_fault *fault) {
    const char *const place[] = {fsr_config_temporary_dir(), P_tmpdir, last};
    int error = 0;
    *w = (fsr_workshop){0};
    for (int i = 0; i < 3 && !w->dir; i++) {
        if (place[i] && (i != 1 || strcmp(place[0], place[1]) != 0))
            w->dir = make_in(place[i]);
        if (!error)
            error = errno;
    }
    if (!w->dir)
        return fsr_fault_set(fault, error == ENOMEM ? FSR_ERR_MEMORY : FSR_ERR_FILE,
                             "a directory for the compiler in %s: %s", place[0], strerror(error));
    w->source = fsr_path_join(w->dir, name, ".c");
    w->object = fsr_path_join(w->dir, name, ".so");
    w->lifted = fsr_path_join(w->dir, name, ".lifted.so");
    if (w->source && w->object && w->lifted)
        return FSR_OK;
    fsr_workshop_close(w);
    return fsr_fault_set(fault, FSR_ERR_MEMORY, "compiling %s: out of memory", name);
}

/* The link's path is one that no other object ever had: the loader knows libraries by their paths, and /proc/self/fd/5
 * may be another one's tomorrow. */
int fsr_workshop_lift(const fsr_workshop *w) {
    char target[40];
    size_t size = 0;
    char *object = fsr_file_read(w->object, &size);
    const int fd = object ? memfd_create("fusor", MFD_CLOEXEC) : -1;
    const bool filled = fd >= 0 && fsr_fd_write(fd, object, size);
    free(object);
    snprintf(target, sizeof target, "/proc/self/fd/%d", fd);
    if (filled && (unlink(w->lifted) == 0 || errno == ENOENT) && symlink(target, w->lifted) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* The process in a workshop's name; 0: it is none. */
static long process_of(const char *name) {
    char *end;
    if (strncmp(name, "fusor-", 6) != 0)
        return 0;
    long process = strtol(name + 6, &end, 10);
    return process > 0 && *end == '-' && strlen(end) == 7 ? process : 0;
}

static bool is_stale(int dir, long process) {
    struct stat info;
    return fstat(dir, &info) == 0 && info.st_uid == geteuid() && (info.st_mode & 077) == 0 &&
           time(NULL) - info.st_mtime > STALE_SECONDS && kill((pid_t)process, 0) != 0 && errno == ESRCH;
}

static bool sweep_one(int parent, const char *name) {
    const long process = process_of(name);
    if (!process)
        return false;
    const int dir = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (dir < 0)
        return false;
    const bool stale = is_stale(dir, process);
    if (stale)
        empty(dir);
    close(dir);
    return stale && unlinkat(parent, name, AT_REMOVEDIR) == 0;
}

int fsr_workshop_sweep(const char *path) {
    int swept = 0;
    const int dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = dir < 0 ? NULL : fdopendir(dir);
    if (!list) {
        if (dir >= 0)
            close(dir);
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(list)) != NULL;)
        swept += sweep_one(dir, entry->d_name);
    closedir(list);
    return swept;
}
