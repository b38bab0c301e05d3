/* SPDX-License-Identifier: MIT */
/* The version of gcc and clang is a string in the file of the driver, so as long as the file stays what it was, so does
 * the version. To be replaced by another file of equal size and time is not enough to deceive: the inode and the time
 * of the last change of its entry, which no program can set, are part of the identity.
 *
 * Counter-example to trusting every file: a wrapper (a script, ccache, distcc) stays as it is while the compiler behind
 * it is exchanged. Hence only a binary whose own name, links followed, is that of gcc or clang is known by its
 * file. */
#include "backend_cpu/run/identity.h"
#include "backend_cpu/run/process.h"
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_binary(int fd) {
    char magic[4];
    return read(fd, magic, sizeof magic) == sizeof magic && memcmp(magic, "\177ELF", sizeof magic) == 0;
}

static bool is_driver(const char *path) {
    const char *name = strrchr(path, '/');
    return name && (strstr(name, "gcc") || strstr(name, "clang"));
}

char *fsr_program_identity(const char *program) {
    char *path = fsr_program_find(program);
    char *file = path ? realpath(path, NULL) : NULL;
    const int fd = file && is_driver(file) ? open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    struct stat s;
    fsr_text t = {0};
    if (fd >= 0 && fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && is_binary(fd))
        fsr_text_add(&t, "fusor compiler %s %s %lld %lld %lld %lld.%09ld %lld.%09ld", program, file,
                     (long long)s.st_dev, (long long)s.st_ino, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                     s.st_mtim.tv_nsec, (long long)s.st_ctim.tv_sec, s.st_ctim.tv_nsec);
    if (fd >= 0)
        close(fd);
    free(path);
    free(file);
    return t.size ? fsr_text_take(&t) : NULL;
}
