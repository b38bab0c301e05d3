/* SPDX-License-Identifier: MIT */
/* Jobs that follow each other closely, as the turns of a loop do: every share is done once, and hardly anybody sleeps
 * in between. How often threads slept is counted by the system (voluntary switches), where offering a processor does
 * not count. */
#define _GNU_SOURCE /* processor sets */
#include "backend_cpu/run/thread_pool.h"
#include "runtime/processor.h"
#include "runtime/thread.h"
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { JOBS = 2000, SHARES = 8, STEPS = 3000 };

typedef struct job {
    atomic_int next, done;
    atomic_uint result;
} job;

/* Shares of a few microseconds each. */
static void work(void *arg, int worker) {
    job *j = arg;
    (void)worker;
    while (atomic_fetch_add(&j->next, 1) < SHARES) {
        unsigned x = 1;
        for (int i = 0; i < STEPS; i++)
            x = x * 1664525u + 1013904223u;
        atomic_fetch_xor(&j->result, x);
        atomic_fetch_add(&j->done, 1);
    }
}

static long sleeps(void) {
    struct rusage use;
    assert_int_equal(getrusage(RUSAGE_SELF, &use), 0);
    return use.ru_nvcsw;
}

static void close_jobs(void **state) {
    fsr_thread_pool *threads = fsr_thread_pool_new(2);
    (void)state;
    assert_non_null(threads);
    const long before = sleeps();
    for (int i = 0; i < JOBS; i++) {
        job j = {0};
        fsr_thread_pool_run(threads, work, &j);
        assert_int_equal(j.done, SHARES);
    }
    print_message("%ld sleeps in %d jobs\n", sleeps() - before, JOBS);
    assert_true(sleeps() - before < JOBS / 4);
    fsr_thread_pool_free(threads);
}

/* ---- where threads run ------------------------------------------------------------------------------------------ */

#if defined __linux__
static cpu_set_t allowed(void) {
    cpu_set_t set;
    assert_int_equal(sched_getaffinity(0, sizeof set, &set), 0);
    return set;
}

typedef struct place {
    int at;
    cpu_set_t may;
} place;

static void *tell(void *user) {
    place *p = user;
    p->at = fsr_processor();
    p->may = allowed();
    return NULL;
}

/* A thread begins beside its starter, and may go where that may. The system may move either in between: not often. */
static void begins_elsewhere(void **state) {
    const cpu_set_t all = allowed();
    int beside = 0;
    (void)state;
    if (CPU_COUNT(&all) < 2)
        skip();
    for (int i = 0; i < 32; i++) {
        pthread_t thread;
        place p = {-1, {{0}}};
        const int own = fsr_processor();
        assert_int_equal(fsr_thread_start_beside(&thread, tell, &p), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_true(CPU_EQUAL(&p.may, &all));
        beside += p.at != own;
    }
    assert_true(beside >= 24);
}

/* A thread leaves the processor that it is on, and may use all as before; of those that it may use one alone it stays
 * on that. */
static void leaves_a_processor(void **state) {
    const cpu_set_t all = allowed();
    cpu_set_t one;
    int left = 0;
    (void)state;
    if (CPU_COUNT(&all) < 2)
        skip();
    for (int i = 0; i < 32; i++) {
        const int own = fsr_processor();
        fsr_processor_leave(&own, 1);
        left += fsr_processor() != own;
        const cpu_set_t now = allowed();
        assert_true(CPU_EQUAL(&now, &all));
    }
    assert_true(left >= 24);
    CPU_ZERO(&one);
    CPU_SET((unsigned)fsr_processor(), &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    const int own = fsr_processor();
    fsr_processor_leave(&own, 1);
    assert_int_equal(fsr_processor(), own);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

/* All are taken: it leaves the first. */
static void leaves_the_first(void **state) {
    const cpu_set_t all = allowed();
    int taken[CPU_SETSIZE], n = 1, left = 0;
    (void)state;
    if (CPU_COUNT(&all) < 2)
        skip();
    for (int i = 0; i < CPU_SETSIZE; i++)
        if (CPU_ISSET((unsigned)i, &all) && n < CPU_SETSIZE)
            taken[n++] = i;
    for (int i = 0; i < 32; i++) {
        taken[0] = fsr_processor();
        fsr_processor_leave(taken, n);
        left += fsr_processor() != taken[0];
    }
    assert_true(left >= 24);
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_jobs),
#if defined __linux__
        cmocka_unit_test(begins_elsewhere),
        cmocka_unit_test(leaves_a_processor),
        cmocka_unit_test(leaves_the_first),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
