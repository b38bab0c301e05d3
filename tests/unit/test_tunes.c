/* SPDX-License-Identifier: MIT */
/* Schedules that fsr_autotune measures: each gives the bits of the rules' schedule, in floats, of which another
 * association gives others. CPU kernels compiled, a GPU's on the host. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/schedule_edit.h"
#include "tests/host_cuda/host_cuda.h"
#include "tests/host_cuda/sweep.h"
#include "tests/support/cpu_fixture.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 70, COLUMNS = 1300 };

/* Runs k, which is sized for launch, on data of its own. */
typedef void (*run_fn)(void *user, const fsr_kernel *k, fsr_launch *launch, kernel_data *data);

static void prepare(const fsr_kernel *k, fsr_launch *launch, kernel_data *data) {
    *launch = (fsr_launch){.blocks = 0};
    kernel_sizes(k, launch, ROWS, COLUMNS);
    for (int s = 0; s < k->nscalars; s++)
        launch->scalar[s] = fsr_value_from_int(k->scalar[s], 3);
    kernel_data_new(data, k, launch, 3);
    launch->blocks = fsr_kernel_blocks(k, launch->integer);
    launch->work = malloc((size_t)fsr_kernel_work_bytes(k, launch->integer) + 1);
    launch->zero = calloc(1, (size_t)fsr_kernel_zero_bytes(k, launch->integer) + 1);
    assert_non_null(launch->work);
    assert_non_null(launch->zero);
}

/* Every edit against the kernel as it is; how many there are. Takes the kernel. */
static int compare(fsr_kernel *k, run_fn run, void *user, int most) {
    char tunes[FSR_MOST_TUNES][FSR_TUNE_BYTES], why[300];
    kernel_data plain, other;
    fsr_launch launch;
    int where, n = fsr_schedule_tunes(k, tunes);
    assert_int_equal(fsr_kernel_verify(k, why, sizeof why), FSR_OK);
    prepare(k, &launch, &plain);
    run(user, k, &launch, &plain);
    free(launch.work);
    free(launch.zero);
    n = n < most ? n : most;
    for (int i = 0; i < n; i++) {
        fsr_kernel *edited = fsr_kernel_copy(k);
        assert_non_null(edited);
        if (fsr_schedule_edit(edited, tunes[i], why, sizeof why))
            fail_msg("%s: %s", tunes[i], why);
        prepare(edited, &launch, &other);
        run(user, edited, &launch, &other);
        if (!kernel_data_equal(&plain, &other, k, 0, why, sizeof why) || !kernel_data_guards(&other, k, &where))
            fail_msg("%s, %s: %s", k->name, tunes[i], why);
        free(launch.work);
        free(launch.zero);
        kernel_data_free(&other);
        fsr_kernel_free(edited);
    }
    kernel_data_free(&plain);
    fsr_kernel_free(k);
    return n;
}

/* ---- a CPU ------------------------------------------------------------------------------------------------------- */

static void run_cpu(void *user, const fsr_kernel *k, fsr_launch *launch, kernel_data *data) {
    cpu_fixture *t = user;
    fsr_module *m;
    fsr_fault fault = {0};
    (void)data;
    if (t->backend->ops->compile(t->backend, k, &m, &fault) ||
        t->backend->ops->launch(t->backend, m, launch, NULL, &fault))
        fail_msg("%s", fault.message);
    t->backend->ops->release(t->backend, m);
}

static fsr_kernel *cpu(fsr_kernel *k, fsr_schedule_kind kind) {
    k->schedule = kernel_cpu_schedule(kind, 8, 64, kind == FSR_SCHEDULE_COL ? 32 : 1);
    return kernel_finished(k);
}

static void cpu_bits(void **state) {
    int n = compare(cpu(kernel_map(FSR_F32), FSR_SCHEDULE_MAP), run_cpu, *state, 5);
    n += compare(cpu(kernel_row_sums(FSR_F32), FSR_SCHEDULE_ROW), run_cpu, *state, 5);
    n += compare(cpu(kernel_column_sums(FSR_F32), FSR_SCHEDULE_COL), run_cpu, *state, 5);
    n += compare(cpu(kernel_column_softmax(), FSR_SCHEDULE_COL), run_cpu, *state, 5);
    print_message("%d schedules\n", n);
    assert_true(n >= 14);
}

/* ---- a GPU on the host ------------------------------------------------------------------------------------------- */

static void run_gpu(void *user, const fsr_kernel *k, fsr_launch *launch, kernel_data *data) {
    fsr_text text = {0};
    fsr_fault fault = {0};
    (void)user, (void)data;
    assert_int_equal(fsr_emit_cuda_for_host(k, &text), FSR_OK);
    if (host_cuda_run(k, text.data, launch, 1, &fault))
        fail_msg("%s", fault.message);
    fsr_text_free(&text);
}

static fsr_kernel *gpu(fsr_kernel *k, fsr_schedule s) {
    k->schedule = s;
    return kernel_finished(k);
}

static void gpu_bits(void **state) {
    int n = 0;
    if (!host_cuda_available())
        skip();
    n += compare(gpu(kernel_map(FSR_F32), host_schedule(FSR_SCHEDULE_MAP, 64, 1, 1, 1)), run_gpu, *state, 6);
    n += compare(gpu(kernel_row_sums(FSR_F32), host_schedule(FSR_SCHEDULE_ROW, 128, 32, 1, 4)), run_gpu, *state, 2);
    print_message("%d schedules\n", n);
    assert_true(n == 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {CPU_TEST(cpu_bits), CPU_TEST(gpu_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
