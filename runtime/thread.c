/* SPDX-License-Identifier: MIT */
/* A thread inherits the mask of whoever starts it: so that one blocks everything for a moment. Counter-example to the
 * new thread blocking signals first thing: one may be delivered to it before. */
#include "runtime/thread.h"
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

int fsr_thread_start(pthread_t *thread, void *(*main)(void *), void *arg) {
    sigset_t all, before;
    sigfillset(&all);
    const bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    const int error = pthread_create(thread, NULL, main, arg);
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
