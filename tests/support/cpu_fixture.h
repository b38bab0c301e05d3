/* SPDX-License-Identifier: MIT */
/* A kernel built by hand (tests/support/kernels.h) with arrays and sizes bound to it, for the CPU backend by itself: no
 * graph, no planner. */
#ifndef FUSOR_TESTS_SUPPORT_CPU_FIXTURE_H
#define FUSOR_TESTS_SUPPORT_CPU_FIXTURE_H

#include "runtime/backend.h"
#include "tests/support/kernels.h"

typedef struct cpu_fixture {
    fsr_backend *backend;
    fsr_kernel *k;
    fsr_launch launch;
} cpu_fixture;

/* No disk cache, silent; the cap of the instruction set is the environment's (FUSOR_ISA). */
fsr_config cpu_config(void);
/* Fails the running test with the backend's words. */
fsr_backend *cpu_open(const fsr_config *config);

/* *state is a fixture with a backend that has no disk cache. */
int cpu_setup(void **state);
int cpu_teardown(void **state);

/* A kernel over extents, the last ndim - nparallel folded. */
void cpu_begin(cpu_fixture *t, const char *name, fsr_schedule_kind kind, int ndim, int nparallel,
               const int64_t *extent);
/* An array of the kernel that lies at data. */
int cpu_array(cpu_fixture *t, fsr_dtype dtype, const void *data, bool written);
/* The same, accessed in C order: over the domain (at most two dimensions), or over its parallel dimension. */
int cpu_linear(cpu_fixture *t, fsr_dtype dtype, const void *data, bool written);
int cpu_rows(cpu_fixture *t, fsr_dtype dtype, const void *data, bool written);
/* An access with an offset and strides that are arguments of the launch, but strides 0 and 1. */
int cpu_strided(cpu_fixture *t, int array, int64_t offset, const int64_t *stride);
/* Verifies, compiles, runs with a workspace, frees the kernel. */
void cpu_run(cpu_fixture *t);

/* Fresh numbers on [-1, 1) whose float sums are not exact. */
float *cpu_floats(int64_t n);
void assert_near(double got, double expected, double bound);

#define CPU_TEST(f) cmocka_unit_test_setup_teardown(f, cpu_setup, cpu_teardown)

#endif
