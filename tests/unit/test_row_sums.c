/* SPDX-License-Identifier: MIT */
/* Sums of rows on a CPU whose offsets fall, which no recorded product has: they end, and a row that falls has
 * no elements. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend_cpu/run/row_sums.h"
#include "graph/sparse.h"

enum { ROWS = 5, MANY = 5000 };

static fsr_library_array vector(fsr_dtype dtype, int64_t n) {
    return (fsr_library_array){dtype, true, {.ndim = 1, .dim = {n}}};
}

static void offsets_that_fall(void **state) {
    static const int64_t offset[ROWS + 1] = {4, 2, 2, 2502, 2500, 2503}, want[ROWS] = {0, 0, 2500, 0, 3};
    static int64_t column[MANY];
    static float value[MANY], out[2][ROWS];
    float x = 1;
    (void)state;
    for (int i = 0; i < MANY; i++)
        value[i] = 1;
    const fsr_library_call products = {.library = FSR_LIBRARY_SPARSE,
                                       .nin = 4,
                                       .nout = 1,
                                       .array = {vector(FSR_I64, ROWS + 1), vector(FSR_I64, MANY),
                                                 vector(FSR_F32, MANY), vector(FSR_F32, 1), vector(FSR_F32, ROWS)}};
    const fsr_library_call sums = {.library = FSR_LIBRARY_SEGMENTS,
                                   .nin = 2,
                                   .nout = 1,
                                   .array = {vector(FSR_I64, ROWS + 1), vector(FSR_F32, MANY), vector(FSR_F32, ROWS)}};
    alarm(60);
    fsr_row_sums(NULL, &products, (void *[]){(void *)(uintptr_t)offset, column, value, &x, out[0]}, true);
    fsr_row_sums(NULL, &sums, (void *[]){(void *)(uintptr_t)offset, value, out[1]}, false);
    for (int s = 0; s < ROWS; s++)
        assert_true(out[0][s] == (float)want[s] && out[1][s] == (float)want[s]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(offsets_that_fall)};
    return cmocka_run_group_tests_name("sums of rows on a CPU", tests, NULL, NULL);
}
