/* SPDX-License-Identifier: MIT */
/* A failure on its way up. The new message is made before the old one goes, because it may quote it. */
#include "runtime/fault.h"
#include "graph/message.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

fsr_status fsr_fault_set_list(fsr_fault *fault, fsr_status status, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    const int n = vsnprintf(NULL, 0, format, args);
    char *message = n >= 0 ? malloc((size_t)n + 1) : NULL;
    if (message)
        vsnprintf(message, (size_t)n + 1, format, again);
    va_end(again);
    free(fault->message);
    fault->status = status;
    fault->message = fsr_message_clean(message);
    return status;
}

fsr_status fsr_fault_set(fsr_fault *fault, fsr_status status, const char *format, ...) {
    va_list args;
    va_start(args, format);
    fsr_fault_set_list(fault, status, format, args);
    va_end(args);
    return status;
}

void fsr_fault_clear(fsr_fault *fault) {
    free(fault->message);
    fault->status = FSR_OK;
    fault->message = NULL;
}
