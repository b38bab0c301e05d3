/* SPDX-License-Identifier: MIT */
/* A failure on its way up. The new message is made before the old one goes, because it may quote it. */
#include "runtime/fault.h"
#include "graph/message.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

fsr_status fsr_fault_set(fsr_fault *fault, fsr_status status, const char *format, ...) {
    va_list args;
    char *message = NULL;
    int n;

    va_start(args, format);
    n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n >= 0)
        message = malloc((size_t)n + 1);
    if (message) {
        va_start(args, format);
        vsnprintf(message, (size_t)n + 1, format, args);
        va_end(args);
    }
    free(fault->message);
    fault->status = status;
    fault->message = fsr_message_clean(message);
    return status;
}

void fsr_fault_clear(fsr_fault *fault) {
    free(fault->message);
    fault->status = FSR_OK;
    fault->message = NULL;
}
