/* SPDX-License-Identifier: MIT */
/* Generated C: every kernel of tests/support does what the interpreter does, and its text is always the same. */
#include "backend_cpu/emit/emit_c.h"
#include "tests/support/cpu_fixture.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void compare(cpu_fixture *t, fsr_kernel *k, int64_t rows, int64_t columns) {
    fsr_launch expected = {.blocks = 0}, got;
    kernel_data data[2];
    fsr_fault fault = {0};
    fsr_module *m = NULL;
    char why[256] = "";
    kernel_sizes(k, &expected, rows, columns);
    for (int i = 0; i < k->nscalars; i++)
        expected.scalar[i] = fsr_value_from_double(k->scalar[i], 3);
    got = expected;
    kernel_data_new(&data[0], k, &expected, 7);
    kernel_data_new(&data[1], k, &got, 7);
    got.work = malloc((size_t)fsr_kernel_work_bytes(k, got.integer) + 1);
    assert_int_equal(fsr_kernel_interpret(k, &expected), FSR_OK);
    if (t->backend->ops->compile(t->backend, k, &m, &fault) != FSR_OK)
        fail_msg("%s", fault.message);
    assert_int_equal(t->backend->ops->launch(t->backend, m, &got, NULL, &fault), FSR_OK);
    int where = 0;
    if (!kernel_data_guards(&data[1], k, &where))
        fail_msg("%s %lldx%lld: array %d: written outside", k->name, (long long)rows, (long long)columns, where);
    if (!kernel_data_equal(&data[0], &data[1], k, 1e-4, why, sizeof why))
        fail_msg("%s %lldx%lld: %s", k->name, (long long)rows, (long long)columns, why);
    free(got.work);
    kernel_data_free(&data[0]);
    kernel_data_free(&data[1]);
}

static fsr_kernel *kernel_number(int i) {
    switch (i) {
    case 0: return kernel_softmax(false);
    case 1: return kernel_softmax(true);
    case 2: return kernel_row_sums(FSR_F32);
    case 3: return kernel_row_sums(FSR_I64);
    case 4: return kernel_column_sums(FSR_F64);
    case 5: return kernel_scan(FSR_F32, false);
    case 6: return kernel_scan(FSR_I32, true);
    case 7: return kernel_recurrence();
    case 8: return kernel_argmax(FSR_F64);
    case 9: return kernel_fold_recurrence();
    case 10: return kernel_scan_of_scan(FSR_I64);
    case 11: return kernel_late_scan(false);
    case 12: return kernel_late_scan(true);
    case 13: return kernel_column_softmax();
    case 14: return kernel_column_scan(FSR_F32, true);
    case 15: return kernel_planes(FSR_F64);
    case 16: return kernel_map(FSR_I32);
    case 17: return kernel_loop_map(FSR_F64);
    case 18: return kernel_loop_map(FSR_I8);
    case 19: return kernel_loop_sums(FSR_F32);
    case 20: return kernel_loop_sums(FSR_BF16);
    default: return NULL;
    }
}

/* Every kernel of tests/support, as rows and, without loops for each element, as columns, around the edges of lanes,
 * chunks and groups. */
static void as_the_interpreter(void **state) {
    const int64_t sizes[][2] = {{1, 1}, {0, 3}, {3, 0}, {2, 7}, {8, 33}, {9, 64}, {5, 65}, {33, 200}};
    fsr_kernel *k;
    for (int i = 0; (k = kernel_number(i)); i++) {
        for (int kind = 0; kind < (k->npasses && !k->nloops ? 2 : 1); kind++) {
            k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_MAP, 8, 64, 8);
            if (k->npasses)
                k->schedule.kind = kind ? FSR_SCHEDULE_COL : FSR_SCHEDULE_ROW;
            kernel_finished(k);
            for (size_t j = 0; j < sizeof sizes / sizeof *sizes; j++)
                compare(*state, k, sizes[j][0], sizes[j][1]);
        }
        fsr_kernel_free(k);
    }
}

/* Bits are the same each time, whatever the values; and the text is. */
static void emit_is_stable(void **state) {
    fsr_kernel *k = kernel_map(FSR_F32);
    fsr_fault fault = {0};
    char *a = NULL, *b = NULL;
    (void)state;
    assert_int_equal(fsr_cpu_source(k, &a, &fault), FSR_ERR_INTERNAL); /* a GPU's schedule */
    fsr_fault_clear(&fault);
    k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_MAP, 16, 4096, 1);
    kernel_finished(k);
    assert_int_equal(fsr_cpu_source(k, &a, &fault), FSR_OK);
    assert_int_equal(fsr_cpu_source(k, &b, &fault), FSR_OK);
    assert_string_equal(a, b);
    assert_null(strstr(a, "#include"));
    free(a);
    free(b);
    fsr_kernel_free(k);
}

/* A 64-bit whole number becomes a float by operations that every vector unit has, also an index. */
static void whole_numbers_need_no_avx512(void **state) {
    (void)state;
    for (int kind = 0; kind < 2; kind++) {
        fsr_fault fault = {0};
        char *source = NULL;
        fsr_kernel *k = kernel_begin("k_whole", 1, 1, 0);
        const int in = kernel_linear(k, kernel_array(k, FSR_I64, false));
        const int out = kernel_linear(k, kernel_array(k, FSR_F32, true));
        const int x = kernel_load(k, FSR_ROW, 0, in);
        const int f = kind ? kernel_index(k, FSR_F32, 0) : kernel_cast(k, x, FSR_F32);
        kernel_store(k, FSR_ROW, 0, out, f);
        k->schedule = kernel_cpu_schedule(FSR_SCHEDULE_MAP, 16, 4096, 1);
        kernel_finished(k);
        assert_int_equal(fsr_cpu_source(k, &source, &fault), FSR_OK);
        assert_non_null(strstr(source, "0x4530000080000000"));
        assert_non_null(strstr(source, "fsr_i64_to_f32("));
        free(source);
        fsr_kernel_free(k);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CPU_TEST(as_the_interpreter),
        cmocka_unit_test(emit_is_stable),
        cmocka_unit_test(whole_numbers_need_no_avx512),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
