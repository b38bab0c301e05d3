/* Whole files and child processes. */
#define _GNU_SOURCE /* pipe2 */
#include "backend_cpu/run/files.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ; /* handed on to children as it is */

char *fsr_path_join(const char *dir, const char *name, const char *suffix) {
    fsr_text t = {0};
    fsr_text_add(&t, "%s/%s%s", dir, name, suffix);
    return fsr_text_take(&t);
}

static int64_t now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* False: nothing to read up to the deadline (in now_ms's time; 0: none). */
static bool wait_for(int fd, int64_t deadline) {
    struct pollfd one = {fd, POLLIN, 0};
    while (deadline) {
        int64_t left = deadline - now_ms();
        int ready = left > 0 ? poll(&one, 1, left < INT_MAX ? (int)left : INT_MAX) : 0;
        if (ready == 0)
            return false;
        if (ready > 0 || errno != EINTR)
            break;
    }
    return true;
}

/* Appends everything up to the end of file, also where memory runs out on the way. Returns 0 or an errno. */
static int read_to_end(int fd, int64_t deadline, fsr_text *to) {
    char part[8192];
    for (;;) {
        if (!wait_for(fd, deadline))
            return ETIMEDOUT;
        ssize_t n = read(fd, part, sizeof part);
        if (n > 0)
            fsr_text_raw(to, part, (size_t)n);
        else if (n == 0)
            return to->failed ? ENOMEM : 0;
        else if (errno != EINTR)
            return errno;
    }
}

char *fsr_file_read(const char *path, size_t *size) {
    fsr_text t = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    fsr_text_raw(&t, "", 0);
    int error = read_to_end(fd, 0, &t);
    close(fd);
    *size = t.size;
    char *data = error ? NULL : fsr_text_take(&t);
    if (!data) {
        fsr_text_free(&t);
        errno = error ? error : ENOMEM;
    }
    return data;
}

/* In small pieces: of a file that the kernel writes as it is read, such as the list of a hundred processors, only the
 * beginning is then made. */
char *fsr_file_read_record(const char *path) {
    char part[2048], *end = NULL;
    fsr_text t = {0};
    ssize_t n = 1;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    while (!end && n != 0 && !t.failed) {
        n = read(fd, part, sizeof part);
        if (n < 0 && errno != EINTR)
            break;
        fsr_text_raw(&t, part, n > 0 ? (size_t)n : 0);
        end = t.failed ? NULL : strstr(t.data, "\n\n");
    }
    int error = errno;
    close(fd);
    if (end)
        *end = 0;
    char *data = n < 0 ? NULL : fsr_text_take(&t);
    if (!data)
        fsr_text_free(&t);
    errno = n < 0 ? error : ENOMEM;
    return data;
}

bool fsr_file_write(const char *path, const void *data, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    size_t done = 0;
    if (fd < 0)
        return false;
    while (done < size) {
        ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0)
            done += (size_t)n;
    }
    int error = errno;
    if (close(fd) != 0 && done == size)
        return false;
    errno = error;
    return done == size;
}

/* The child's descriptors: nothing to read, both outputs into the pipe. It leads a group of processes, to be ended with
 * all it starts. */
static int start(const char *const *argv, int output, pid_t *child) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawnattr_init(&attributes);
    if (error) {
        posix_spawn_file_actions_destroy(&actions);
        return error;
    }
    sigemptyset(&none);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, 2);
    if (!error)
        error = posix_spawnp(child, argv[0], &actions, &attributes, (char *const *)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* A program that ignores SIGCHLD leaves nothing to wait for: the exit status is then taken for 0, and the caller sees
 * by the output whether the work was done. */
static int finish(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int fsr_process_run(const char *const *argv, int seconds, fsr_text *output, int *exit_status) {
    int ends[2];
    pid_t child;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int error = start(argv, ends[1], &child);
    close(ends[1]);
    int unread = error ? 0 : read_to_end(ends[0], seconds > 0 ? now_ms() + (int64_t)seconds * 1000 : 0, output);
    if (unread == ETIMEDOUT)
        kill(-child, SIGKILL);
    close(ends[0]); /* before waiting: nobody would read what the child still writes */
    if (!error)
        *exit_status = finish(child);
    return error ? error : unread;
}
