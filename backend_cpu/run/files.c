/* SPDX-License-Identifier: MIT */
/* Whole files.
 *
 * What stands where a file is expected may be anything: a fifo without a writer would be waited for without end, a
 * device read without end. So a file is opened without waiting and must be a regular one. */
#define _GNU_SOURCE /* O_NOFOLLOW */
#include "backend_cpu/run/files.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *fsr_path_join(const char *dir, const char *name, const char *suffix) {
    fsr_text t = {0};
    fsr_text_add(&t, "%s/%s%s", dir, name, suffix);
    return fsr_text_take(&t);
}

/* Appends everything up to the end of file, also where memory runs out on the way. Returns 0 or an errno. */
static int read_to_end(int fd, fsr_text *to) {
    char part[8192];
    for (;;) {
        ssize_t n = read(fd, part, sizeof part);
        if (n > 0)
            fsr_text_raw(to, part, (size_t)n);
        else if (n == 0)
            return to->failed ? ENOMEM : 0;
        else if (errno != EINTR)
            return errno;
    }
}

/* A descriptor of a regular file, or -1 with errno set. */
static int open_regular(const char *path, int flags) {
    struct stat info;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags);
    if (fd < 0)
        return -1;
    int error = fstat(fd, &info) != 0 ? errno : S_ISREG(info.st_mode) ? 0 : EINVAL;
    if (!error && info.st_size > FSR_FILE_BYTES)
        error = EFBIG;
    if (!error)
        return fd;
    close(fd);
    errno = error;
    return -1;
}

bool fsr_file_is_regular(const char *path) {
    const int fd = open_regular(path, O_NOFOLLOW);
    if (fd >= 0)
        close(fd);
    return fd >= 0;
}

char *fsr_file_read(const char *path, size_t *size) {
    fsr_text t = {0};
    const int fd = open_regular(path, 0);
    if (fd < 0)
        return NULL;
    fsr_text_raw(&t, "", 0);
    int error = read_to_end(fd, &t);
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

bool fsr_fd_write(int fd, const void *data, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t n = write(fd, (const char *)data + done, size - done);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0)
            done += (size_t)n;
    }
    return true;
}

bool fsr_file_write(const char *path, const void *data, size_t size) {
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return false;
    const bool written = fsr_fd_write(fd, data, size);
    int error = errno;
    if (close(fd) != 0 && written)
        return false;
    errno = error;
    return written;
}
