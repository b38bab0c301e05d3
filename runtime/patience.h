/* SPDX-License-Identifier: MIT */
/* When to try again what has failed.
 *
 * A fault that passes must not be remembered; one that stays must not be paid for at each call. After a failure nothing
 * is tried for a while: at first a tenth of a second, twice as long after each failure that follows, at most a minute;
 * and always twenty times as long as the attempt took, so that attempts take at most a twentieth of the time.
 * Counter-example to a fixed pause: a compiler that hangs until its deadline of minutes would be tried each minute.
 *
 * Zeroed, it is one that has not failed. Thread-safe. */
#ifndef FUSOR_RUNTIME_PATIENCE_H
#define FUSOR_RUNTIME_PATIENCE_H

#include "runtime/clock.h"
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct fsr_patience {
    atomic_llong next; /* not before (in fsr_now_ms); 0: nothing has failed */
    atomic_llong pause;
} fsr_patience;

/* True if it may be tried now. After a failure only one of several callers is told so, once a pause. */
bool fsr_patience_due(fsr_patience *p);
/* It was tried from `start` (fsr_now_ms) until now, and failed. */
void fsr_patience_failed(fsr_patience *p, int64_t start);
/* It was tried, and worked. */
void fsr_patience_passed(fsr_patience *p);

#endif
