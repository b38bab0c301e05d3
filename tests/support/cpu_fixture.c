/* SPDX-License-Identifier: MIT */
#include "tests/support/cpu_fixture.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

fsr_backend *cpu_open(const fsr_config *config) {
    fsr_fault fault = {0};
    fsr_backend *b = NULL;
    if (fsr_backend_cpu_open(config, &b, &fault) != FSR_OK)
        fail_msg("%s", fault.message);
    return b;
}

fsr_config cpu_config(void) {
    fsr_config environment;
    if (fsr_config_init(&environment, NULL, 0) != FSR_OK)
        fail_msg("a variable has a value that its knob does not allow");
    return (fsr_config){.cache_dir = "", .log_level = FSR_LOG_SILENT, .isa = environment.isa};
}

int cpu_setup(void **state) {
    const fsr_config config = cpu_config();
    cpu_fixture *t = calloc(1, sizeof *t);
    t->backend = cpu_open(&config);
    *state = t;
    return 0;
}

int cpu_teardown(void **state) {
    cpu_fixture *t = *state;
    t->backend->ops->close(t->backend);
    free(t);
    return 0;
}

void cpu_begin(cpu_fixture *t, const char *name, fsr_schedule_kind kind, int ndim, int nparallel,
               const int64_t *extent) {
    t->k = kernel_begin(name, ndim, nparallel, ndim > nparallel ? 1 : 0);
    char comment[80];
    const int n = snprintf(comment, sizeof comment, "a test */ of %s", name);
    assert_true(n < (int)sizeof comment && fsr_kernel_say(t->k, comment, (size_t)n));
    t->k->schedule = kernel_cpu_schedule(kind, 16, 128, 32);
    memset(&t->launch, 0, sizeof t->launch);
    int64_t *integer = t->launch.integer;
    integer[FSR_INT_ROWS] = integer[FSR_INT_COLS] = integer[FSR_INT_SPLITS] = 1;
    for (int d = 0; d < ndim; d++) {
        integer[d < nparallel ? FSR_INT_ROWS : FSR_INT_COLS] *= extent[d];
        integer[FSR_INT_EXTENT + d] = extent[d];
    }
    integer[FSR_INT_STRETCH] = integer[FSR_INT_COLS];
}

int cpu_array(cpu_fixture *t, fsr_dtype dtype, const void *data, bool written) {
    int b = kernel_array(t->k, dtype, written);
    t->launch.array[b] = (void *)data;
    return b;
}

int cpu_linear(cpu_fixture *t, fsr_dtype dtype, const void *data, bool written) {
    return kernel_linear(t->k, cpu_array(t, dtype, data, written));
}

int cpu_rows(cpu_fixture *t, fsr_dtype dtype, const void *data, bool written) {
    return kernel_rows_access(t->k, cpu_array(t, dtype, data, written));
}

static int argument(cpu_fixture *t, int64_t value) {
    int slot = kernel_slot(t->k);
    t->launch.integer[slot] = value;
    return slot;
}

int cpu_strided(cpu_fixture *t, int array, int64_t offset, const int64_t *stride) {
    int slot[FSR_MAX_DIMS] = {0}, at = offset ? argument(t, offset) : -1;
    for (int d = 0; d < t->k->ndim; d++)
        slot[d] = stride[d] == 0 || stride[d] == 1 ? (int)stride[d] : argument(t, stride[d]);
    return kernel_strided(t->k, array, slot, at);
}

void cpu_run(cpu_fixture *t) {
    char why[256];
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    kernel_finished(t->k);
    if (fsr_kernel_verify(t->k, why, sizeof why) != FSR_OK)
        fail_msg("%s", why);
    t->launch.work = malloc((size_t)fsr_kernel_work_bytes(t->k, t->launch.integer) + 1);
    if (t->backend->ops->compile(t->backend, t->k, &m, &fault) != FSR_OK)
        fail_msg("%s", fault.message);
    assert_int_equal(t->backend->ops->launch(t->backend, m, &t->launch, NULL, &fault), FSR_OK);
    free(t->launch.work);
    fsr_kernel_free(t->k);
    t->k = NULL;
}

float *cpu_floats(int64_t n) {
    float *x = malloc((size_t)n * sizeof *x + 1);
    uint32_t seed = 12345;
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) * 0x1p-23f - 1.0f;
    }
    return x;
}

void assert_near(double got, double expected, double bound) {
    if (!(fabs(got - expected) <= bound))
        fail_msg("got %.17g, expected %.17g within %g", got, expected, bound);
}
