/* Workshops are named fusor-<process>-XXXXXX, so that one whose process was killed can be told from one in use.
 *
 * Swept is a directory of that name that belongs to this user, is private, has not changed for an hour, and whose
 * process is gone. Counter-example to asking for the process alone: another container that shares the directory has
 * processes of its own, whose numbers mean nothing here. */
#include "backend_cpu/run/workshop.h"
#include "backend_cpu/run/files.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { STALE_SECONDS = 3600 };

void fsr_workshop_close(fsr_workshop *w) {
    if (w->source)
        unlink(w->source);
    if (w->object)
        unlink(w->object);
    if (w->dir[0])
        rmdir(w->dir);
    free(w->source);
    free(w->object);
}

fsr_status fsr_workshop_open(fsr_workshop *w, const char *name, fsr_fault *fault) {
    w->source = w->object = NULL;
    snprintf(w->dir, sizeof w->dir, "%s/fusor-%ld-XXXXXX", P_tmpdir, (long)getpid());
    if (!mkdtemp(w->dir)) {
        w->dir[0] = 0;
        return fsr_fault_set(fault, FSR_ERR_FILE, "a directory for the compiler in %s: %s", P_tmpdir, strerror(errno));
    }
    w->source = fsr_path_join(w->dir, name, ".c");
    w->object = fsr_path_join(w->dir, name, ".so");
    if (w->source && w->object)
        return FSR_OK;
    fsr_workshop_close(w);
    return fsr_fault_set(fault, FSR_ERR_MEMORY, "compiling %s: out of memory", name);
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
