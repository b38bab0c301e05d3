/* SPDX-License-Identifier: MIT */
/* The process that something belongs to. A child of fork has a copy of its memory and none of its threads: locks may be
 * held by threads that are not there, lists be half changed, and a device's driver does not know it. */
#ifndef FUSOR_GRAPH_HOME_H
#define FUSOR_GRAPH_HOME_H

#include <stdbool.h>

typedef struct fsr_home fsr_home;

/* Of the calling process. NULL: out of memory. */
fsr_home *fsr_home_open(void);
void fsr_home_close(fsr_home *home); /* in any process; NULL is allowed */
/* False in a child of that process. A read of memory, no system call. */
bool fsr_home_here(const fsr_home *home);

#endif
