/* SPDX-License-Identifier: MIT */
/* A page that the kernel empties in a child (MADV_WIPEONFORK), so that asking costs a load; the process's number where
 * a kernel before Linux 4.14 does not. Counter-example to a counter that pthread_atfork raises: it would be global, and
 * a child made by the system call itself would not raise it. */
#define _GNU_SOURCE /* MADV_WIPEONFORK, MAP_ANONYMOUS */
#include "graph/own_process.h"
#include <stddef.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

struct fsr_own_process {
    pid_t process; /* 0: this is a child */
    bool wiped;    /* the page is, in a child */
};

fsr_own_process *fsr_own_process_open(void) {
    fsr_own_process *own = mmap(NULL, sizeof *own, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED)
        return NULL;
    own->process = getpid();
#ifdef MADV_WIPEONFORK
    own->wiped = madvise(own, sizeof *own, MADV_WIPEONFORK) == 0;
#endif
    return own;
}

void fsr_own_process_close(fsr_own_process *own) {
    if (own)
        munmap(own, sizeof *own);
}

bool fsr_own_process_here(const fsr_own_process *own) {
    return own->process && (own->wiped || own->process == getpid());
}
