/* SPDX-License-Identifier: MIT */
/* Tiles of outputs in generated C: sizes around their edges against the interpreter, in integers, whatever runs beside
 * them; and in floats the bits of the same outputs without tiles, for a tile changes no association. */
#include "tests/support/cpu_fixture.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TALL = 6, GROUP = 16, CHUNK = 64 };
#define COUNT(list) (int)(sizeof(list) / sizeof *(list))

static fsr_kernel *products(fsr_dtype dtype, bool turned, int tall) {
    fsr_kernel *k = kernel_products(dtype, turned);
    k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_COL, 8, CHUNK, GROUP);
    return kernel_finished(kernel_tiled(k, tall));
}

/* The same without panels, several columns in one turn. */
static fsr_kernel *low_products(fsr_dtype dtype) {
    fsr_kernel *k = products(dtype, false, TALL);
    for (int i = 0; i < k->ninsts; i++)
        k->stand[i].staged = false;
    k->schedule.unroll = 4;
    return kernel_finished(k);
}

static void sizes(const fsr_kernel *k, fsr_launch *launch, int64_t rows, int64_t lanes, int64_t columns) {
    memset(launch, 0, sizeof *launch);
    kernel_sizes(k, launch, rows, columns);
    launch->integer[FSR_INT_ROWS] = rows * lanes;
    launch->integer[FSR_INT_EXTENT + 1] = lanes;
}

static fsr_module *compiled(cpu_fixture *t, fsr_kernel *k) {
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    char why[256];
    if (fsr_kernel_verify(k, why, sizeof why))
        fail_msg("%s", why);
    if (t->backend->ops->compile(t->backend, k, &m, &fault))
        fail_msg("%s", fault.message);
    return m;
}

/* The kernel as m runs it, or, with m NULL, as the interpreter does. */
static void run(cpu_fixture *t, const fsr_kernel *k, fsr_module *m, fsr_launch *launch, kernel_data *data) {
    fsr_fault fault = {0};
    int where;
    kernel_data_new(data, k, launch, 5);
    launch->work = malloc((size_t)fsr_kernel_work_bytes(k, launch->integer) + 1);
    assert_non_null(launch->work);
    if (m)
        assert_int_equal(t->backend->ops->launch(t->backend, m, launch, NULL, &fault), FSR_OK);
    else
        assert_int_equal(fsr_kernel_interpret(k, launch), FSR_OK);
    if (!kernel_data_guards(data, k, &where))
        fail_msg("%s: array %d: written outside", k->name, where);
    free(launch->work);
}

/* Both kernels at these sizes, in every bit; `other` NULL: the interpreter. */
static void compare(cpu_fixture *t, const fsr_kernel *k, fsr_module *m, const fsr_kernel *other, fsr_module *with,
                    const int64_t *extent) {
    kernel_data got, expected;
    fsr_launch launch;
    char why[256];
    sizes(k, &launch, extent[0], extent[1], extent[2]);
    run(t, k, m, &launch, &got);
    sizes(k, &launch, extent[0], extent[1], extent[2]);
    run(t, other, with, &launch, &expected);
    if (!kernel_data_equal(&expected, &got, k, 0, why, sizeof why))
        fail_msg("%s, %lld x %lld outputs of %lld columns: %s", k->name, (long long)extent[0], (long long)extent[1],
                 (long long)extent[2], why);
    kernel_data_free(&got);
    kernel_data_free(&expected);
}

/* Of no columns, but not of no outputs: such a kernel no plan launches (`nothing` of a thunk), and its panels are
 * copied before anybody looks how many rows there are, from arrays that would have no elements here. */
static void edges_of_tiles(void **state) {
    static const int64_t rows[] = {1, TALL - 1, TALL, TALL + 1}, lanes[] = {1, GROUP - 1, GROUP, GROUP + 1},
                         columns[] = {0, 1, CHUNK, 3 * CHUNK + 1};
    cpu_fixture *t = *state;
    for (int form = 0; form < 3; form++) {
        fsr_kernel *k = form == 2 ? low_products(FSR_I32) : products(FSR_I32, form, TALL);
        fsr_module *m = compiled(t, k);
        for (int i = 0; i < COUNT(rows) * COUNT(lanes) * COUNT(columns); i++) {
            const int64_t extent[] = {rows[i % COUNT(rows)], lanes[i / COUNT(rows) % COUNT(lanes)],
                                      columns[i / COUNT(rows) / COUNT(lanes)]};
            compare(t, k, m, k, NULL, extent);
        }
        t->backend->ops->release(t->backend, m);
        fsr_kernel_free(k);
    }
}

static void bits_without_tiles(void **state) {
    static const int64_t extent[][3] = {{1, 1, 1}, {13, 33, 10 * CHUNK + 7}, {31, 16, CHUNK - 1}};
    cpu_fixture *t = *state;
    for (int low = 0; low < 2; low++) {
        fsr_kernel *tiled = low ? low_products(FSR_F32) : products(FSR_F32, true, TALL);
        fsr_kernel *plain = products(FSR_F32, !low, 0);
        fsr_module *one = compiled(t, tiled), *other = compiled(t, plain);
        for (int i = 0; i < COUNT(extent); i++)
            compare(t, tiled, one, plain, other, extent[i]);
        t->backend->ops->release(t->backend, one);
        t->backend->ops->release(t->backend, other);
        fsr_kernel_free(tiled);
        fsr_kernel_free(plain);
    }
}

/* Three threads, so that tiles are divided. */
static int setup(void **state) {
    fsr_config config = cpu_config();
    cpu_fixture *t = calloc(1, sizeof *t);
    assert_non_null(t);
    config.threads = 3;
    t->backend = cpu_open(&config);
    *state = t;
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(edges_of_tiles, setup, cpu_teardown),
        cmocka_unit_test_setup_teardown(bits_without_tiles, setup, cpu_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
