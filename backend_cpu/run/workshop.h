/* SPDX-License-Identifier: MIT */
/* A private directory (0700) for the files of one compilation. */
#ifndef FUSOR_BACKEND_CPU_WORKSHOP_H
#define FUSOR_BACKEND_CPU_WORKSHOP_H

#include "runtime/fault.h"

typedef struct fsr_workshop {
    char *dir;
    char *source, *object; /* <dir>/<name>.c and .so */
    char *lifted;          /* a link to a copy of the object in memory, once there is one */
} fsr_workshop;

/* In TMPDIR; where no directory with room for a compilation can be made there, in P_tmpdir; else in `last` (NULL: there
 * is no such place). FSR_ERR_FILE, FSR_ERR_MEMORY; then nothing is left. */
fsr_status fsr_workshop_open(fsr_workshop *w, const char *name, const char *last, fsr_fault *fault);
/* Removes the directory, the files and what a compiler left there. */
void fsr_workshop_close(fsr_workshop *w);
/* Makes `lifted`: from memory an object can be loaded where the directory's file system forbids to execute. Returns the
 * copy's descriptor, to be closed when it is loaded, or -1. */
int fsr_workshop_lift(const fsr_workshop *w);

/* Removes what killed processes of this user left in `dir`. Returns how many directories went. */
int fsr_workshop_sweep(const char *dir);

#endif
