/* SPDX-License-Identifier: MIT */
/* A failure on its way to the caller: a status and a message of any length. */
#ifndef FUSOR_RUNTIME_FAULT_H
#define FUSOR_RUNTIME_FAULT_H

#include "fusor/status.h"
#include <stdarg.h>

typedef struct fsr_fault {
    fsr_status status;
    char *message; /* malloc'ed, NULL if none */
} fsr_fault;

/* Sets status and message (printf-like), replacing what was there; returns status, so that
 * `return fsr_fault_set(f, FSR_ERR_FILE, "open %s: %s", path, strerror(errno));` reads well. */
fsr_status fsr_fault_set_list(fsr_fault *fault, fsr_status status, const char *format, va_list args);
fsr_status fsr_fault_set(fsr_fault *fault, fsr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void fsr_fault_clear(fsr_fault *fault);

#endif
