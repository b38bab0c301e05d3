/* SPDX-License-Identifier: MIT */
/* A thread inherits the mask of whoever starts it: so that one blocks everything for a moment. Counter-example to the
 * new thread blocking signals first thing: one may be delivered to it before. */
#define _GNU_SOURCE /* threads' processor sets */
#include "runtime/thread.h"
#include "runtime/processor.h"
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

static int start(pthread_t *thread, const pthread_attr_t *how, void *(*main)(void *), void *arg) {
    sigset_t all, before;
    sigfillset(&all);
    const bool masked = pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
    const int error = pthread_create(thread, how, main, arg);
    if (masked)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}

int fsr_thread_start(pthread_t *thread, void *(*main)(void *), void *arg) {
    return start(thread, NULL, main, arg);
}

#if defined __GLIBC__
/* What the thread does once it is elsewhere, where it may use what its starter may. */
typedef struct errand {
    void *(*main)(void *);
    void *arg;
    cpu_set_t all;
} errand;

static void *arrive(void *user) {
    const errand e = *(errand *)user;
    free(user);
    (void)sched_setaffinity(0, sizeof e.all, &e.all);
    return e.main(e.arg);
}

int fsr_thread_start_beside(pthread_t *thread, void *(*main)(void *), void *arg) {
    errand *e = malloc(sizeof *e);
    const int own = fsr_processor();
    pthread_attr_t how;
    int error = -1;
    if (e && own >= 0 && own < CPU_SETSIZE && sched_getaffinity(0, sizeof e->all, &e->all) == 0 &&
        CPU_COUNT(&e->all) > 1 && pthread_attr_init(&how) == 0) {
        cpu_set_t others = e->all;
        e->main = main;
        e->arg = arg;
        CPU_CLR((unsigned)own, &others);
        error = pthread_attr_setaffinity_np(&how, sizeof others, &others);
        error = error ? error : start(thread, &how, arrive, e);
        pthread_attr_destroy(&how);
    }
    if (!error)
        return 0;
    free(e);
    return start(thread, NULL, main, arg);
}
#else
int fsr_thread_start_beside(pthread_t *thread, void *(*main)(void *), void *arg) {
    return start(thread, NULL, main, arg);
}
#endif
