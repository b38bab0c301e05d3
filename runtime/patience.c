/* SPDX-License-Identifier: MIT */
/* Two numbers. Failures of two threads at once may count as one: a pause is then shorter than it could be. */
#include "runtime/patience.h"

enum { FIRST_MS = 100, MOST_MS = 60000, SHARE = 20 };

bool fsr_patience_due(fsr_patience *p) {
    long long next = atomic_load(&p->next);
    if (next == 0)
        return true;
    const int64_t now = fsr_now_ms();
    return now >= next && atomic_compare_exchange_strong(&p->next, &next, now + atomic_load(&p->pause));
}

void fsr_patience_failed(fsr_patience *p, int64_t start) {
    const int64_t now = fsr_now_ms(), least = SHARE * (now - start);
    int64_t pause = 2 * atomic_load(&p->pause);
    if (pause < FIRST_MS)
        pause = FIRST_MS;
    if (pause > MOST_MS)
        pause = MOST_MS;
    if (pause < least)
        pause = least;
    atomic_store(&p->pause, pause);
    atomic_store(&p->next, now + pause);
}

void fsr_patience_passed(fsr_patience *p) {
    atomic_store(&p->next, 0);
    atomic_store(&p->pause, 0);
}
