/* SPDX-License-Identifier: MIT */
/* The process that something belongs to. A child of fork has a copy of its memory and none of its threads: locks may be
 * held by threads that are not there, lists be half changed, and a device's driver does not know it. */
#ifndef FUSOR_GRAPH_OWN_PROCESS_H
#define FUSOR_GRAPH_OWN_PROCESS_H

#include <stdbool.h>

typedef struct fsr_own_process fsr_own_process;

/* Of the calling process. NULL: out of memory. */
fsr_own_process *fsr_own_process_open(void);
void fsr_own_process_close(fsr_own_process *own); /* in any process; NULL is allowed */
/* False in a child of that process. A read of memory, no system call. */
bool fsr_own_process_here(const fsr_own_process *own);

#endif
