/* SPDX-License-Identifier: MIT */
/* The thread pool.
 *
 * A job is open while its caller works on it. A worker that wakes in time joins it; one that is late finds it closed
 * and sleeps on, so nobody waits for a wake-up. A worker looks for the next job, and a caller for those who are
 * still in its job, for some hundred microseconds before it sleeps: the kernels of a plan, and the turns of a loop,
 * follow each other closely, and being woken takes tens of microseconds. After the first glances each offers the
 * processor to whoever else wants it, which may be the thread it waits for. Counter-example to waiting for every
 * thread at the end of a job: on a machine with other work, a thread may get its processor milliseconds after
 * everything is done. Counter-example to a caller that sleeps at once: of a loop whose turns take 20 us it slept and
 * was woken each turn, so that two threads took longer than one.
 *
 * A worker begins on another processor than its caller's, and one that finds itself there, as it may when it is woken,
 * steps aside. Counter-example to leaving that to the system: on two processors of a virtual machine (Linux 6.18) both
 * threads were on one for milliseconds, though the other was idle; of ten runs of 0.1 ms four took 0.2.
 *
 * A worker inherits the floating-point environment of whoever starts it, and goes to the default one for good; the
 * caller has gone there before it posts a job. */
#include "backend_cpu/run/thread_pool.h"
#include "graph/floats.h"
#include "runtime/patience.h"
#include "runtime/processor.h"
#include "runtime/thread.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    LOOKS = 1000,    /* glances before a thread sleeps */
    KEEP_LOOKS = 256 /* of them that keep the processor */
};

struct fsr_thread_pool {
    pthread_mutex_t job;  /* held by the caller whose job it is */
    pthread_mutex_t lock; /* of what follows */
    pthread_cond_t posted, left;
    void (*work)(void *arg, int worker);
    void *arg;
    bool open, quit;
    atomic_int inside; /* workers in the job; changed under the lock */
    int size, started;
    fsr_patience patience; /* with threads that cannot be started */
    atomic_uint jobs;      /* posted so far */
    atomic_int caller;     /* the processor that the last job was posted from */
    pthread_t *thread;
    struct fsr_thread_pool_member *member;
};

typedef struct fsr_thread_pool_member {
    fsr_thread_pool *threads;
    int number;
    atomic_int processor; /* where it was in its last job; -1: in none yet */
} fsr_thread_pool_member;

void fsr_thread_glance(int nth) {
    if (nth >= KEEP_LOOKS) {
        sched_yield();
        return;
    }
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#endif
}

/* A worker on its caller's processor stands in its way. */
static bool is_in_the_way(fsr_thread_pool *c) {
    const int caller = atomic_load_explicit(&c->caller, memory_order_relaxed);
    return caller >= 0 && caller == fsr_processor();
}

/* It goes to one where none of the first few others was last. */
static void step_aside(fsr_thread_pool *c) {
    enum { MOST_TAKEN = 64 };
    int taken[MOST_TAKEN], n = 0;
    taken[n++] = atomic_load_explicit(&c->caller, memory_order_relaxed);
    for (int i = 0; i < c->size - 1 && n < MOST_TAKEN; i++)
        taken[n++] = atomic_load_explicit(&c->member[i].processor, memory_order_relaxed);
    fsr_processor_leave(taken, n);
}

/* Waits for a job after number `seen`; false: the pool is dissolved. The lock is held. */
static bool await_job(fsr_thread_pool *c, unsigned seen) {
    if (c->quit)
        return false;
    pthread_mutex_unlock(&c->lock);
    bool moved = false; /* once: it may have no other processor to go to */
    for (int i = 0; i < LOOKS && atomic_load_explicit(&c->jobs, memory_order_relaxed) == seen; i++) {
        if (!moved && is_in_the_way(c)) {
            step_aside(c);
            moved = true;
        }
        fsr_thread_glance(i);
    }
    pthread_mutex_lock(&c->lock);
    while (!c->quit && atomic_load_explicit(&c->jobs, memory_order_relaxed) == seen)
        pthread_cond_wait(&c->posted, &c->lock);
    if (!c->quit && is_in_the_way(c)) {
        pthread_mutex_unlock(&c->lock);
        step_aside(c);
        pthread_mutex_lock(&c->lock);
    }
    return !c->quit;
}

static void *member_main(void *user) {
    fsr_thread_pool_member *m = user;
    fsr_thread_pool *c = m->threads;
    unsigned seen = 0;
    (void)fsr_floats_enter();
    pthread_mutex_lock(&c->lock);
    while (await_job(c, seen)) {
        seen = atomic_load_explicit(&c->jobs, memory_order_relaxed);
        if (!c->open)
            continue;
        c->inside++;
        pthread_mutex_unlock(&c->lock);
        atomic_store_explicit(&m->processor, fsr_processor(), memory_order_relaxed);
        c->work(c->arg, m->number);
        pthread_mutex_lock(&c->lock);
        if (--c->inside == 0)
            pthread_cond_signal(&c->left);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

static bool start_member(fsr_thread_pool *c) {
    const int64_t begin = fsr_now_ms();
    fsr_thread_pool_member *m = &c->member[c->started];
    m->threads = c;
    m->number = c->started + 1;
    if (fsr_thread_start_beside(&c->thread[c->started], member_main, m) != 0) {
        fsr_patience_failed(&c->patience, begin);
        return false;
    }
    c->started++;
    return true;
}

/* Threads that cannot be started are done without for a while. */
static void start_members(fsr_thread_pool *c) {
    if (c->started == c->size - 1 || !fsr_patience_due(&c->patience))
        return;
    while (c->started < c->size - 1 && start_member(c))
        ;
    if (c->started == c->size - 1)
        fsr_patience_passed(&c->patience);
}

fsr_thread_pool *fsr_thread_pool_new(int threads) {
    fsr_thread_pool *c = calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->size = threads < 1 ? 1 : threads;
    c->thread = calloc((size_t)c->size, sizeof *c->thread);
    c->member = calloc((size_t)c->size, sizeof *c->member);
    if (!c->thread || !c->member) {
        free(c->thread);
        free(c->member);
        free(c);
        return NULL;
    }
    atomic_init(&c->caller, -1);
    for (int i = 0; i < c->size; i++)
        atomic_init(&c->member[i].processor, -1);
    pthread_mutex_init(&c->job, NULL);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->posted, NULL);
    pthread_cond_init(&c->left, NULL);
    return c;
}

void fsr_thread_pool_free(fsr_thread_pool *c) {
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->quit = true;
    atomic_fetch_add(&c->jobs, 1);
    pthread_cond_broadcast(&c->posted);
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < c->started; i++)
        pthread_join(c->thread[i], NULL);
    pthread_mutex_destroy(&c->job);
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->posted);
    pthread_cond_destroy(&c->left);
    free(c->thread);
    free(c->member);
    free(c);
}

int fsr_thread_pool_size(const fsr_thread_pool *c) {
    return c->size;
}

/* Closes the job and waits for those inside. */
static void await_members(fsr_thread_pool *c) {
    pthread_mutex_lock(&c->lock);
    c->open = false;
    pthread_mutex_unlock(&c->lock);
    for (int i = 0; i < LOOKS && atomic_load_explicit(&c->inside, memory_order_relaxed); i++)
        fsr_thread_glance(i);
    pthread_mutex_lock(&c->lock);
    while (c->inside)
        pthread_cond_wait(&c->left, &c->lock);
    pthread_mutex_unlock(&c->lock);
}

void fsr_thread_pool_run(fsr_thread_pool *c, void (*work)(void *arg, int worker), void *arg) {
    if (c->size == 1 || pthread_mutex_trylock(&c->job) != 0) {
        work(arg, 0);
        return;
    }
    atomic_store_explicit(&c->caller, fsr_processor(), memory_order_relaxed);
    start_members(c);
    pthread_mutex_lock(&c->lock);
    c->work = work;
    c->arg = arg;
    c->open = true;
    atomic_fetch_add(&c->jobs, 1);
    pthread_cond_broadcast(&c->posted);
    pthread_mutex_unlock(&c->lock);
    work(arg, 0);
    await_members(c);
    pthread_mutex_unlock(&c->job);
}
