/* SPDX-License-Identifier: MIT */
/* Graphs of many nodes, on a thread whose stack of 1 MiB has no room for a frame of each: nothing recurses along a
 * chain.
 *
 * 100,000 operations one after the other, all of them in the result; FUSOR_LONG_TESTS=1: 1,000,000. And as many nodes
 * of which the result needs few: the others cost nothing when it is computed. */
#include "tests/support/subject.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* A sanitizer's frames are larger. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { N = 64, STACK = 8 << 20 };
#else
enum { N = 64, STACK = 1 << 20 };
#endif

static int operations(void) {
    const char *all = getenv("FUSOR_LONG_TESTS");
    return all && *all == '1' ? 1000000 : 100000;
}

static double processor_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* What a thread is asked to do, and how that went. */
typedef struct task {
    fsr_node out;
    fsr_status status;
    double seconds;
} task;

static void *force(void *argument) {
    task *t = argument;
    double start = processor_seconds();
    t->status = fsr_force(t->out);
    t->seconds = processor_seconds() - start;
    return NULL;
}

static double force_on_small_stack(fsr_node out) {
    task t = {.out = out};
    pthread_t thread;
    pthread_attr_t attributes;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstacksize(&attributes, STACK), 0);
    assert_int_equal(pthread_create(&thread, &attributes, force, &t), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    OK(t.status);
    return t.seconds;
}

static void a_long_chain(void **state) {
    (void)state;
    const int n = operations();
    fsr_node start = subject_data(FSR_I32, 1, SHAPE(N), SUBJECT_SMALL, 0), x = start;
    for (int i = 0; i < n; ++i)
        x = i % 2 ? fsr_add(x, fsr_int(subject_g, 3)) : fsr_neg(x);
    double seconds = force_on_small_stack(x);
    printf("%d operations in one chain: %.1f s, %lld KiB resident\n", n, seconds, (long long)subject_resident() / 1024);
    /* -(-x + 3) + 3 = x: four operations change nothing */
    for (int i = 0; i < N; ++i)
        assert_true(subject_value(x, i) == subject_value(start, i));
}

static void few_of_many_nodes(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_I32, 1, SHAPE(N), SUBJECT_SMALL, 0), y = x;
    double alone = force_on_small_stack(fsr_add(x, fsr_int(subject_g, 7)));
    for (int i = 0; i < operations(); ++i)
        y = fsr_neg(fsr_add(y, x));
    double beside = force_on_small_stack(fsr_add(x, fsr_int(subject_g, 9)));
    printf("one operation: %.1f ms, beside %d others %.1f ms\n", alone * 1e3, 2 * operations(), beside * 1e3);
    assert_true(beside < alone + 0.5);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(a_long_chain),
    SUBJECT_TEST(few_of_many_nodes),
};
SUBJECT_MAIN(tests)
