/* SPDX-License-Identifier: MIT */
/* Running a child and waiting for its end.
 *
 * It is the process that is waited for, not its output. Counter-example to reading until the end of file: a compiler
 * that closes its outputs and goes on is out of every deadline, and one that leaves a child behind which holds the pipe
 * is waited for although it has ended. So both are polled, the process by a descriptor of its own. Where the kernel has
 * none (before Linux 5.3, or no descriptor is left) the process is asked every few milliseconds.
 *
 * The child leads a process group, which is killed as a whole at the end, before the child is reaped: until then no
 * other process can get its number. A program that ignores SIGCHLD has its children reaped by the kernel; there a group
 * is killed at the deadline only. */
#define _GNU_SOURCE /* pipe2, fcntl */
#include "backend_cpu/run/process.h"
#include "runtime/config.h"
#include "runtime/patience.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GLANCE_MS = 5 };

/* ---- finding ------------------------------------------------------------------------------------------------ */

/* 0, or why the file is not to be run. The rights looked at are those with which it would be. */
static int check_program(const char *path) {
    struct stat info;
    if (stat(path, &info) != 0)
        return ENOENT;
    return S_ISREG(info.st_mode) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0 ? 0 : EACCES;
}

/* <directory>/<program>; an empty directory is the current one. */
static char *join(const char *directory, size_t n, const char *program) {
    fsr_text t = {0};
    fsr_text_add(&t, "%.*s%s%s", (int)n, directory, n ? "/" : "./", program);
    return fsr_text_take(&t);
}

char *fsr_program_find(const char *program) {
    int error = ENOENT;
    if (strchr(program, '/'))
        return strdup(program);
    for (const char *part = fsr_config_search_path(); part && *program;) {
        const size_t n = strcspn(part, ":");
        char *path = join(part, n, program);
        const int wrong = path ? check_program(path) : ENOMEM;
        if (!wrong)
            return path;
        free(path);
        if (wrong == ENOMEM || wrong == EACCES)
            error = wrong;
        part = wrong != ENOMEM && part[n] ? part + n + 1 : NULL;
    }
    errno = error;
    return NULL;
}

/* ---- starting ----------------------------------------------------------------------------------------------- */

/* The child's descriptors: nothing to read, both outputs into the pipe. */
static int redirect(posix_spawn_file_actions_t *actions, int output) {
    int error = posix_spawn_file_actions_addopen(actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(actions, output, 1);
    return error ? error : posix_spawn_file_actions_adddup2(actions, output, 2);
}

/* No signal is blocked in the child, and it leads a process group. */
static int spawn(const char *path, const char *const *argv, const char **environment, int output, pid_t *child) {
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
    error = redirect(&actions, output);
    if (!error)
        error = posix_spawn(child, path, &actions, &attributes, (char *const *)argv, (char *const *)environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int start(const char *const *argv, const char *temporary, int output, pid_t *child) {
    fsr_child_environment environment;
    char *path = fsr_program_find(argv[0]);
    if (!path)
        return errno;
    int error = ENOMEM;
    if (fsr_config_child_open(&environment, temporary)) {
        error = spawn(path, argv, environment.variable, output, child);
        fsr_config_child_close(&environment);
    }
    free(path);
    return error;
}

/* ---- its output --------------------------------------------------------------------------------------------- */

typedef struct printed {
    fsr_text *text;
    size_t room; /* bytes that may still be kept */
    long long more;
} printed;

/* Takes what is there, without waiting. False: there is nothing more, now (then errno is EAGAIN) or at all. */
static bool take_part(int pipe, printed *p) {
    char part[8192];
    errno = 0;
    const ssize_t n = read(pipe, part, sizeof part);
    if (n <= 0)
        return errno == EINTR;
    const size_t kept = (size_t)n < p->room ? (size_t)n : p->room;
    fsr_text_raw(p->text, part, kept);
    p->room -= kept;
    p->more += n - (ssize_t)kept;
    return true;
}

/* What had been written when the child ended. A process that got away from the group may go on writing: no more is
 * read than a message can hold. */
static void take_rest(int pipe, printed *p) {
    for (int i = 0; i < FSR_OUTPUT_BYTES / 4096 && take_part(pipe, p); i++)
        ;
    if (p->more)
        fsr_text_add(p->text, "\n(and %lld bytes more)\n", p->more);
}

/* ---- its end ------------------------------------------------------------------------------------------------ */

typedef enum state { RUNNING, ENDED, GONE } state; /* GONE: reaped by the kernel, or by another thread of the program */

static state look(pid_t child) {
    siginfo_t info = {.si_pid = 0};
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        if (errno != EINTR)
            return GONE;
    return info.si_pid ? ENDED : RUNNING;
}

/* A descriptor that can be read when the process has ended; -1: none. */
static int watch_process(pid_t child) {
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, child, 0);
#else
    (void)child;
    return -1;
#endif
}

/* Waits for news, or `left` milliseconds; poll passes over a descriptor of -1. */
static void await_news(struct pollfd *two, int64_t left) {
    const int64_t most = two[0].fd < 0 ? GLANCE_MS : INT_MAX;
    poll(two, 2, (int)(left < most ? left : most));
}

/* RUNNING: still so at the deadline (in fsr_now_ms's time; 0: none). */
static state await_end(pid_t child, int pipe, int64_t deadline, printed *p) {
    struct pollfd two[2] = {{watch_process(child), POLLIN, 0}, {pipe, POLLIN, 0}};
    state now;
    while ((now = look(child)) == RUNNING) {
        const int64_t left = deadline ? deadline - fsr_now_ms() : INT_MAX;
        if (left <= 0)
            break;
        two[1].revents = 0;
        await_news(two, left);
        if (two[1].revents && !take_part(pipe, p) && errno != EAGAIN)
            two[1].fd = -1;
    }
    if (two[0].fd >= 0)
        close(two[0].fd);
    return now;
}

/* The exit status; that of a child which left nothing to wait for is taken for 0, and the caller sees by the output
 * whether the work was done. */
static int reap(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return 0;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int fsr_process_run(const char *const *argv, const char *temporary, int seconds, fsr_text *output, int *exit_status) {
    int ends[2];
    pid_t child;
    printed p = {.text = output, .room = FSR_OUTPUT_BYTES};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return errno;
    int error = start(argv, temporary, ends[1], &child);
    close(ends[1]);
    if (!error) {
        fcntl(ends[0], F_SETFL, O_NONBLOCK);
        const state now = await_end(child, ends[0], seconds > 0 ? fsr_now_ms() + (int64_t)seconds * 1000 : 0, &p);
        if (now != GONE)
            kill(-child, SIGKILL);
        if (now == RUNNING)
            kill(child, SIGKILL); /* it may have joined another group */
        take_rest(ends[0], &p);
        *exit_status = reap(child);
        error = now == RUNNING ? ETIMEDOUT : output->failed ? ENOMEM : 0;
    }
    close(ends[0]);
    return error;
}

const char *fsr_process_words(int error) {
    return error == ENOMEM ? "out of memory" : error == ETIMEDOUT ? "no end in FUSOR_COMPILE_SECONDS" : strerror(error);
}
