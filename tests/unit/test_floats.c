/* SPDX-License-Identifier: MIT */
/* The default floating-point environment: entered, left and nested; and of workers, who inherit another one. */
#define _GNU_SOURCE
#include "backend_cpu/run/thread_pool.h"
#include "graph/floats.h"
#include <fenv.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static int raise_within(void) {
    FSR_DEFAULT_FLOATS;
    feraiseexcept(FE_DIVBYZERO);
    return fegetround();
}

static void test_nested(void **state) {
    (void)state;
    fenv_t before;
    fegetenv(&before);
    fesetround(FE_DOWNWARD);
    feraiseexcept(FE_OVERFLOW);
    int inside, nested, between, flags;
    {
        FSR_DEFAULT_FLOATS;
        inside = fegetround();
        nested = raise_within();
        between = fegetround();
    }
    const int after = fegetround();
    flags = fetestexcept(FE_ALL_EXCEPT);
    fesetenv(&before);
    assert_int_equal(inside, FE_TONEAREST);
    assert_int_equal(nested, FE_TONEAREST);
    assert_int_equal(between, FE_TONEAREST);
    assert_int_equal(after, FE_DOWNWARD);
    assert_true(flags & FE_OVERFLOW);
    assert_false(flags & FE_DIVBYZERO);
}

/* A flag is up whose trap the caller has enabled since: the next x87 instruction that waits would trap. */
static void test_pending(void **state) {
    (void)state;
#if defined __x86_64__
    uint16_t control, inside = 0, status = 0, pending = 0x37f & ~0x20;
    __asm__ volatile("fnstcw %0\n\tfld1\n\tfldpi\n\tfdivrp\n\tfstp %%st(0)\n\tfldcw %1"
                     : "=m"(control)
                     : "m"(pending)
                     : "memory");
    {
        FSR_DEFAULT_FLOATS;
        __asm__ volatile("fld1\n\tfstp %%st(0)\n\tfnstcw %0" : "=m"(inside)::"memory");
    }
    __asm__ volatile("fnstsw %0\n\tfnclex\n\tfldcw %1" : "=m"(status) : "m"(control) : "memory");
    assert_int_equal(inside & 0x3f, 0x3f);
    assert_true(status & 0x20);
    assert_true(status & 0x80);
#else
    skip();
#endif
}

typedef struct seen {
    atomic_int workers, wrong;
} seen;

/* The caller stays until another worker has come. */
static void look(void *arg, int worker) {
    seen *s = arg;
    if (worker) {
        s->wrong += fegetround() != FE_TONEAREST;
        s->workers++;
    }
    while (worker == 0 && s->workers == 0)
        sched_yield();
}

static void test_workers(void **state) {
    (void)state;
    seen s = {0};
    fsr_thread_pool *threads = fsr_thread_pool_new(3);
    assert_non_null(threads);
    fesetround(FE_UPWARD);
    fsr_thread_pool_run(threads, look, &s);
    fesetround(FE_TONEAREST);
    fsr_thread_pool_free(threads);
    assert_true(s.workers > 0);
    assert_int_equal(s.wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nested),
        cmocka_unit_test(test_pending),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
