/* A private directory (0700) for the files of one compilation. */
#ifndef FUSOR_BACKEND_CPU_WORKSHOP_H
#define FUSOR_BACKEND_CPU_WORKSHOP_H

#include "runtime/fault.h"

typedef struct fsr_workshop {
    char dir[64];
    char *source, *object; /* <dir>/<name>.c and .so */
} fsr_workshop;

/* FSR_ERR_FILE, FSR_ERR_MEMORY; then nothing is left. */
fsr_status fsr_workshop_open(fsr_workshop *w, const char *name, fsr_fault *fault);
/* Removes the directory and the two files. */
void fsr_workshop_close(fsr_workshop *w);

/* Removes what killed processes of this user left in `dir` (normally P_tmpdir). Returns how many directories went. */
int fsr_workshop_sweep(const char *dir);

#endif
