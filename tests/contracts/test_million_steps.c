/* SPDX-License-Identifier: MIT */
/* A million forced steps in scopes: flat host memory, no growing number of nodes, one compilation. The fast tier takes
 * a tenth of the steps, and as much less memory may be lost. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WARM = 1000, N = 64 };

static int64_t steps(void) {
    return subject_case(0, SUBJECT_LONG) ? 1000000 : 100000;
}

/* x' = x + step * (1 - x), whose fixed point is 1. */
static fsr_node step(fsr_node x, fsr_node size) {
    return fsr_add(x, fsr_mul(size, fsr_sub(fsr_float(x.graph, 1), x)));
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static fsr_node one_step(fsr_node x, fsr_node size) {
    fsr_node y = step(x, size);
    OK(fsr_force(y));
    OK(fsr_scope_keep(subject_g, &y, 1));
    return y;
}

/* Memory that the allocator or the sanitizer's quarantine may hold back; a leak of 32 bytes a step would be 32 MB of
 * a million. */
static int64_t allowed(void) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return (int64_t)512 << 20;
#else
    return steps() * 8;
#endif
}

static void a_million_steps(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F64, 1, SHAPE(N), SUBJECT_SMALL, 0),
             size = fsr_param(subject_g, "step", FSR_F64, 0.001);
    OK(fsr_scope_begin(subject_g));
    for (int i = 0; i < WARM; ++i)
        x = one_step(x, size);
    fsr_stats before = subject_stats();
    int64_t resident = subject_resident();
    const int64_t n = steps();
    double start = now();
    for (int64_t i = WARM; i < n; ++i) {
        if (i % 1000 == 0)
            OK(fsr_param_set(size, i % 2000 ? 0.001 : 0.002));
        x = one_step(x, size);
        if (i % 100000 == 0) {
            printf("step %lld, %.1f s, %lld nodes, %lld KiB\n", (long long)i, now() - start,
                   (long long)subject_stats().nodes, (long long)subject_resident() / 1024);
            fflush(stdout);
        }
    }
    fsr_stats after = subject_stats();
    printf("%.2f us a step\n", (now() - start) / (double)(n - WARM) * 1e6);
    assert_int_equal(after.compilations, before.compilations);
    assert_int_equal(after.plans_built, before.plans_built);
    assert_int_equal(after.plan_hits - before.plan_hits, n - WARM);
    assert_int_equal(after.launches - before.launches, n - WARM);
    assert_int_equal(after.nodes, before.nodes);
    assert_int_equal(after.host_bytes, before.host_bytes);
    assert_int_equal(after.device_bytes, before.device_bytes);
    assert_int_equal(after.pool_bytes, before.pool_bytes);
    int64_t grown = subject_resident() - resident;
    if (grown > allowed())
        fail_msg("%lld bytes more after %lld steps", (long long)grown, (long long)n);
    for (int i = 0; i < N; ++i)
        assert_true(fabs(subject_value(x, i) - 1) < 1e-9); /* the step stalls where it rounds to nothing */
}

/* The same with two arrays, a reduction, and reading it back: 20,000 steps. */
static void two_arrays_and_a_norm(void **state) {
    (void)state;
    fsr_node u[2] = {subject_data(FSR_F32, 2, SHAPE(33, 31), SUBJECT_SMALL, 0),
                     subject_data(FSR_F32, 2, SHAPE(33, 31), SUBJECT_SMALL, 1)};
    fsr_stats before = {0};
    OK(fsr_scope_begin(subject_g));
    for (int i = 0; i < 20000; ++i) {
        fsr_node next[2] = {
            fsr_add(fsr_mul(u[0], fsr_float(subject_g, 0.5)), fsr_mul(u[1], fsr_float(subject_g, 0.25))),
            fsr_sub(u[1], fsr_mul(u[0], fsr_float(subject_g, 0.125)))};
        fsr_node norm = fsr_max(fsr_abs(next[0]), NULL, 0, 0);
        OK(fsr_compute((fsr_node[]){next[0], next[1], norm}, 3));
        float value;
        OK(fsr_read(norm, &value, sizeof value));
        assert_true(value >= 0 && value < 4);
        OK(fsr_scope_keep(subject_g, next, 2));
        u[0] = next[0];
        u[1] = next[1];
        if (i == 10)
            before = subject_stats();
    }
    fsr_stats after = subject_stats();
    assert_int_equal(after.compilations, before.compilations);
    assert_int_equal(after.nodes, before.nodes);
    assert_int_equal(after.host_bytes, before.host_bytes);
    assert_int_equal(after.device_bytes, before.device_bytes);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(a_million_steps),
    SUBJECT_TEST(two_arrays_and_a_norm),
};
SUBJECT_MAIN(tests)
