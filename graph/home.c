/* SPDX-License-Identifier: MIT */
/* A page that the kernel empties in a child (MADV_WIPEONFORK), so that asking costs a load; the process's number where
 * a kernel before Linux 4.14 does not. Counter-example to a counter that pthread_atfork raises: it would be global, and
 * a child made by the system call itself would not raise it. */
#define _GNU_SOURCE /* MADV_WIPEONFORK, MAP_ANONYMOUS */
#include "graph/home.h"
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

struct fsr_home {
    pid_t process; /* 0: this is a child */
    bool wiped;    /* the page is, in a child */
};

fsr_home *fsr_home_open(void) {
    fsr_home *home = mmap(NULL, sizeof *home, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (home == MAP_FAILED)
        return NULL;
    home->process = getpid();
#ifdef MADV_WIPEONFORK
    home->wiped = madvise(home, sizeof *home, MADV_WIPEONFORK) == 0;
#endif
    return home;
}

void fsr_home_close(fsr_home *home) {
    if (home)
        munmap(home, sizeof *home);
}

bool fsr_home_here(const fsr_home *home) {
    return home->process && (home->wiped || home->process == getpid());
}
