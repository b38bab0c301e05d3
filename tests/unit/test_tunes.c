/* SPDX-License-Identifier: MIT */
/* Schedules that fsr_autotune measures: each gives the bits of the rules' schedule, in floats, of which another
 * association gives others. CPU kernels compiled, a GPU's on the host. */
#include "backend_cuda/emit_cuda.h"
#include "fusion/loop_ir_parse.h"
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
    int where, n = fsr_schedule_tunes(k, "", tunes);
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
    fsr_schedule squares = host_schedule(FSR_SCHEDULE_MAP, 256, 1, 1, 4);
    squares.tile = 32;
    squares.pad = 1;
    n += compare(kernel_staged(gpu(kernel_planes(FSR_F32), squares)), run_gpu, *state, 2);
    n += compare(gpu(kernel_row_sums(FSR_F32), host_schedule(FSR_SCHEDULE_ROW, 128, 32, 1, 4)), run_gpu, *state, 2);
    print_message("%d schedules\n", n);
    assert_true(n == 10);
}

/* ---- which edits there are ------------------------------------------------------------------------------------- */

static const char combining[] =
    "kernel k_into: into\n"
    "  domain [d0] passes 0 ints 6\n"
    "  array b0 i64\n"
    "  array b1 i32\n"
    "  array b2 i32 written\n"
    "  schedule gpu map threads 256 abreast 1 bins 64 vector 1 items 4 accumulators 0 resident 0\n"
    "  p0 row  v0 = i64 load b0[d0] linear row_linear\n"
    "  p0 row  v1 = i32 load b1[d0] linear row_linear\n"
    "  p0 row  v2 = i64 drop(v0, i5)\n"
    "  p0 row  store b2[v2] by add of i5 = v1\n";

static bool has(char tunes[FSR_MOST_TUNES][FSR_TUNE_BYTES], int n, const char *fields) {
    bool found = false;
    for (int i = 0; i < n; i++)
        found = found || strcmp(tunes[i], fields) == 0;
    return found;
}

/* Further fields come behind those there are, each once. */
static void fields_go_together(void **state) {
    (void)state;
    char tunes[FSR_MOST_TUNES][FSR_TUNE_BYTES];
    fsr_kernel *k = gpu(kernel_map(FSR_F32), host_schedule(FSR_SCHEDULE_MAP, 256, 1, 1, 1));
    int n = fsr_schedule_tunes(k, "", tunes);
    assert_true(has(tunes, n, "threads 128") && has(tunes, n, "items 8") && !has(tunes, n, "threads 256"));
    n = fsr_schedule_tunes(k, "threads 128", tunes);
    assert_true(n > 0 && has(tunes, n, "threads 128 items 2"));
    for (int i = 0; i < n; i++)
        assert_true(strncmp(tunes[i], "threads 128 ", 12) == 0 && !strstr(tunes[i] + 12, "threads"));
    assert_int_equal(fsr_schedule_tunes(k, "threads 128 items 2 resident 1", tunes), 0);
    fsr_kernel_free(k);
}

/* A square keeps whole rows for its threads; a block's bins take any number of them. */
static void squares_and_bins(void **state) {
    (void)state;
    char tunes[FSR_MOST_TUNES][FSR_TUNE_BYTES], why[300];
    fsr_schedule s = host_schedule(FSR_SCHEDULE_MAP, 256, 1, 1, 4);
    s.tile = 32;
    s.pad = 1;
    fsr_kernel *k = kernel_staged(gpu(kernel_planes(FSR_F32), s)), *bins;
    int n = fsr_schedule_tunes(k, "", tunes);
    assert_true(has(tunes, n, "tile 32 threads 512 items 2") && has(tunes, n, "tile 64 threads 256 items 16"));
    assert_false(has(tunes, n, "threads 512"));
    assert_int_equal(fsr_schedule_edit(k, "tile 48 threads 256 items 9", why, sizeof why), FSR_ERR_UNSUPPORTED);
    fsr_kernel_free(k);
    assert_int_equal(fsr_kernel_parse(combining, &bins, NULL, &(fsr_parse_error){0}), FSR_OK);
    n = fsr_schedule_tunes(bins, "", tunes);
    assert_true(has(tunes, n, "threads 1024") && has(tunes, n, "items 8"));
    assert_int_equal(fsr_schedule_edit(bins, "bins 32", why, sizeof why), FSR_ERR_UNSUPPORTED);
    fsr_kernel_free(bins);
}

int main(void) {
    const struct CMUnitTest tests[] = {CPU_TEST(cpu_bits), CPU_TEST(gpu_bits), cmocka_unit_test(fields_go_together),
                                       cmocka_unit_test(squares_and_bins)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
