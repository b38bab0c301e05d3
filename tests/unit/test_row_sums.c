/* SPDX-License-Identifier: MIT */
/* Sums of rows on a CPU. Offsets that fall, which no recorded product has: they end, and a row that falls has no
 * elements. Rows alike and of any lengths, of an x that is near and of one that is far, in order and from anywhere:
 * what lanes and pieces give, to the bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "backend_cpu/run/row_sums.h"
#include "graph/sparse.h"
#include <stdlib.h>

enum { ROWS = 5, MANY = 5000, ELEMENTS = 1 << 18, FAR = 1 << 20, LANES = 4, PIECE = 1 << 14 };

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

typedef struct matrix {
    int32_t offset[ELEMENTS + 1], column[ELEMENTS];
    float value[ELEMENTS], x[FAR], out[ELEMENTS];
    int64_t nrows, nx;
} matrix;

/* Elements [at, at + n) in lanes. */
static double piece_of(const matrix *m, int64_t at, int64_t n, bool product) {
    double lane[LANES] = {0};
    for (int64_t i = 0; i < n; i++)
        lane[i < n / LANES * LANES ? i % LANES : 0] +=
            (double)m->value[at + i] * (product ? (double)m->x[m->column[at + i]] : 1);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

static void check(matrix *m, bool product) {
    fsr_library_call call = {.nin = product ? 4 : 2,
                             .nout = 1,
                             .array = {vector(FSR_I32, m->nrows + 1), vector(FSR_I32, ELEMENTS),
                                       vector(FSR_F32, ELEMENTS), vector(FSR_F32, m->nx), vector(FSR_F32, m->nrows)}};
    void *array[] = {m->offset, m->column, m->value, m->x, m->out};
    if (!product) {
        call.array[1] = vector(FSR_F32, ELEMENTS);
        call.array[2] = vector(FSR_F32, m->nrows);
        array[1] = m->value;
        array[2] = m->out;
    }
    fsr_row_sums(NULL, &call, array, product);
    for (int64_t r = 0; r < m->nrows; r++) {
        const int64_t n = m->offset[r + 1] - m->offset[r];
        double sum = 0;
        for (int64_t at = 0; at < n; at += PIECE)
            sum += piece_of(m, m->offset[r] + at, n - at < PIECE ? n - at : PIECE, product);
        if (m->out[r] != (float)sum)
            fail_msg("row %d of %d elements, x of %d: %.9g, not %.9g", (int)r, (int)n, (int)m->nx, (double)m->out[r],
                     sum);
    }
}

/* Rows of `least` to `most` elements, whose columns are anywhere, or in order. */
static void lengths(matrix *m, int least, int most, int64_t nx, bool in_order) {
    uint64_t state = 1;
    m->nx = nx;
    m->nrows = 0;
    while (m->offset[m->nrows] < ELEMENTS) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const int64_t end = m->offset[m->nrows] + least + (int64_t)(state >> 33) % (most - least + 1);
        m->offset[++m->nrows] = (int32_t)(end < ELEMENTS ? end : ELEMENTS);
    }
    for (int64_t i = 0; i < ELEMENTS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        m->column[i] = (int32_t)(in_order ? i * nx / ELEMENTS : (int64_t)(state >> 33) % nx);
        m->value[i] = (float)(state >> 50) / 3;
    }
    for (int64_t i = 0; i < nx; i++)
        m->x[i] = (float)(i % 1009) / 7;
    check(m, true);
    check(m, false);
}

static void rows_of_any_lengths(void **state) {
    static const int most[][2] = {{1, 1}, {3, 3}, {5, 5},  {16, 16}, {100, 100},
                                  {0, 6}, {1, 2}, {0, 32}, {0, 300}, {0, 40000}};
    matrix *m = calloc(1, sizeof *m);
    (void)state;
    assert_non_null(m);
    for (size_t i = 0; i < sizeof most / sizeof *most; i++)
        for (int kind = 0; kind < 3; kind++)
            lengths(m, most[i][0], most[i][1], kind ? FAR : 1000, kind == 2);
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(offsets_that_fall), cmocka_unit_test(rows_of_any_lengths)};
    return cmocka_run_group_tests_name("sums of rows on a CPU", tests, NULL, NULL);
}
