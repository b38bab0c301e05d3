/* SPDX-License-Identifier: MIT */
/* The system's monotonic clock. */
#include "runtime/clock.h"
#include <time.h>

double fsr_clock_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

int64_t fsr_now_ms(void) {
    return (int64_t)fsr_clock_ms();
}
