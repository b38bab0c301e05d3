/* SPDX-License-Identifier: MIT */
/* A thread leaves a processor by having it forbidden for a moment. Counter-example to forbidding it for good: the
 * thread that it was left to goes elsewhere, too. */
#define _GNU_SOURCE /* sched_getcpu, processor sets */
#include "runtime/processor.h"
#include <sched.h>

int fsr_processor(void) {
#if defined __linux__
    return sched_getcpu();
#else
    return -1;
#endif
}

#if defined __linux__
static void forbid(cpu_set_t *set, const int *taken, int n) {
    for (int i = 0; i < n; ++i)
        if (taken[i] >= 0 && taken[i] < CPU_SETSIZE)
            CPU_CLR((unsigned)taken[i], set);
}

void fsr_processor_leave(const int *taken, int n) {
    cpu_set_t all, others;
    if (sched_getaffinity(0, sizeof all, &all) != 0)
        return;
    others = all;
    forbid(&others, taken, n);
    if (CPU_COUNT(&others) == 0) {
        others = all;
        forbid(&others, taken, n ? 1 : 0);
    }
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
        (void)sched_setaffinity(0, sizeof all, &all);
}
#else
void fsr_processor_leave(const int *taken, int n) {
    (void)taken, (void)n;
}
#endif
