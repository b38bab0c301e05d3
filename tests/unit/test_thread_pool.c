/* SPDX-License-Identifier: MIT */
/* Jobs that follow each other closely, as the turns of a loop do: every share is done once, and hardly anybody sleeps
 * in between. How often threads slept is counted by the system (voluntary switches), where offering a processor does
 * not count. */
#include "backend_cpu/run/thread_pool.h"
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(close_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
