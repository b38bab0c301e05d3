/* SPDX-License-Identifier: MIT */
/* When what has failed is tried again; and that a thread pool starts its threads after all. */
#include "backend_cpu/run/thread_pool.h"
#include "runtime/patience.h"
#include "tests/support/subject.h"
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

static void at_once_until_it_fails(void **state) {
    (void)state;
    fsr_patience p = {0};
    for (int i = 0; i < 3; i++)
        assert_true(fsr_patience_due(&p));
    fsr_patience_failed(&p, fsr_now_ms());
    assert_false(fsr_patience_due(&p));
    fsr_patience_passed(&p);
    assert_true(fsr_patience_due(&p));
    assert_true(fsr_patience_due(&p));
}

static void one_is_told_once_a_pause(void **state) {
    (void)state;
    fsr_patience p = {0};
    const int64_t start = fsr_now_ms();
    fsr_patience_failed(&p, start);
    while (!fsr_patience_due(&p))
        usleep(5000);
    assert_true(fsr_now_ms() - start >= 100);
    assert_false(fsr_patience_due(&p));
}

/* The pause before the next attempt. */
static int64_t pause_after(fsr_patience *p, int64_t took) {
    const int64_t now = fsr_now_ms();
    fsr_patience_failed(p, now - took);
    return atomic_load(&p->next) - now;
}

static bool near(int64_t got, int64_t expected) {
    return got >= expected && got < expected + expected / 4 + 2000;
}

static void pauses_grow(void **state) {
    (void)state;
    fsr_patience p = {0};
    int64_t expected = 100;
    for (int i = 0; i < 12; i++, expected = 2 * expected < 60000 ? 2 * expected : 60000)
        assert_true(near(pause_after(&p, 0), expected));
    assert_true(near(pause_after(&p, 300000), 6000000));
    fsr_patience_passed(&p);
    assert_true(near(pause_after(&p, 1000), 20000));
}

static void note(void *arg, int worker) {
    atomic_int *seen = arg;
    if (worker)
        atomic_store(seen, 1);
    else
        usleep(2000);
}

/* A limit on threads that is lifted later: the others work from then on. */
static void threads_are_started_later(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip(); /* they map more than any limit */
#endif
    struct rlimit before, none;
    atomic_int seen = 0;
    fsr_thread_pool *c = fsr_thread_pool_new(3);
    assert_non_null(c);
    assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
    none = before;
    none.rlim_cur = 1 << 20; /* less than is mapped already: no stack can be */
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    for (int i = 0; i < 3; i++)
        fsr_thread_pool_run(c, note, &seen);
    assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
    assert_int_equal(atomic_load(&seen), 0);
    for (int i = 0; i < 5000 && !atomic_load(&seen); i++)
        fsr_thread_pool_run(c, note, &seen);
    assert_int_equal(atomic_load(&seen), 1);
    fsr_thread_pool_free(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(at_once_until_it_fails),
        cmocka_unit_test(one_is_told_once_a_pause),
        cmocka_unit_test(pauses_grow),
        cmocka_unit_test(threads_are_started_later),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
