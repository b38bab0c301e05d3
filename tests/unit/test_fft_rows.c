/* SPDX-License-Identifier: MIT */
/* Rows of a Fourier transform that go side by side, in the lanes of vectors of either size, have the bits that each has
 * alone, but for those of a NaN; what lies behind the last row and its result is left as it is. */
#include "backend_cpu/run/fft.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 19, SPARE = 64 };

typedef struct problem {
    fsr_fft fft;
    bool wide;
    size_t in_bytes, out_bytes; /* of a row */
    char *tables, *buffer, *in, *out, *alone;
} problem;

static void *room(size_t bytes) {
    void *data = malloc(bytes);
    assert_non_null(data);
    return data;
}

static void open_problem(problem *p, fsr_fourier_kind kind, int64_t n, bool wide) {
    const size_t part = wide ? 8 : 4, half = 2 * part * (size_t)(n / 2 + 1), whole = 2 * part * (size_t)n;
    *p = (problem){.wide = wide,
                   .in_bytes = kind == FSR_FOURIER_OF_REAL   ? whole / 2
                               : kind == FSR_FOURIER_TO_REAL ? half
                                                             : whole,
                   .out_bytes = kind == FSR_FOURIER_OF_REAL   ? half
                                : kind == FSR_FOURIER_TO_REAL ? whole / 2
                                                              : whole};
    fsr_fft_make(&p->fft, kind, n);
    p->tables = room(2 * part * (size_t)fsr_fft_tables(&p->fft));
    p->buffer = room(2 * part * (size_t)fsr_fft_buffers(&p->fft, wide, MOST_ROWS));
    p->in = room(p->in_bytes * MOST_ROWS);
    p->out = room(p->out_bytes * MOST_ROWS + SPARE);
    p->alone = room(p->out_bytes * MOST_ROWS);
    for (size_t i = 0; i < p->in_bytes * MOST_ROWS / part; i++) {
        const double value = i % 401 == 7 ? NAN : i % 397 == 5 ? -0.0 : (double)(i * 7919 % 1009) / 64 - 7;
        if (wide)
            ((double *)(void *)p->in)[i] = value;
        else
            ((float *)(void *)p->in)[i] = (float)value;
    }
    (wide ? fsr_fft_prepare_f64 : fsr_fft_prepare_f32)(&p->fft, p->tables, p->buffer);
}

static void close_problem(problem *p) {
    free(p->tables);
    free(p->buffer);
    free(p->in);
    free(p->out);
    free(p->alone);
}

static void transform(const problem *p, fsr_simd simd, bool abreast, int64_t first, int64_t n, char *out) {
    const fsr_fft_rows rows = {.in = p->in + first * (int64_t)p->in_bytes,
                               .out = out,
                               .in_bytes = (int64_t)p->in_bytes,
                               .out_bytes = (int64_t)p->out_bytes,
                               .n = n,
                               .abreast = abreast};
    (p->wide ? fsr_fft_rows_f64 : fsr_fft_rows_f32)(&p->fft, simd, p->tables, p->buffer, &rows);
}

/* Which NaN comes out is not specified: the same one for all. */
static void one_nan(const problem *p, char *data, int64_t n) {
    for (size_t i = 0; i < p->out_bytes * (size_t)n / (p->wide ? 8 : 4); i++) {
        double *wide = (double *)(void *)data + (p->wide ? i : 0);
        float *narrow = (float *)(void *)data + (p->wide ? 0 : i);
        if (p->wide && isnan(*wide))
            *wide = NAN;
        if (!p->wide && isnan(*narrow))
            *narrow = NAN;
    }
}

static void compare(problem *p, fsr_simd simd, int64_t n) {
    memset(p->out, 0x5a, p->out_bytes * MOST_ROWS + SPARE);
    transform(p, simd, true, 0, n, p->out);
    one_nan(p, p->out, n);
    assert_memory_equal(p->out, p->alone, p->out_bytes * (size_t)n);
    for (size_t i = p->out_bytes * (size_t)n; i < p->out_bytes * MOST_ROWS + SPARE; i++)
        assert_int_equal(p->out[i], 0x5a);
}

static void test_side_by_side(void **state) {
    (void)state;
    static const int64_t length[] = {1, 2, 3, 4, 5, 8, 12, 31, 35, 37, 64, 67, 97, 210, 256};
    static const int64_t several[] = {1, 2, 3, 4, 7, 8, 9, 12, 15, 16, MOST_ROWS};
    for (int kind = 0; kind < FSR_FOURIER_KINDS; kind++)
        for (size_t l = 0; l < 2 * sizeof length / sizeof *length; l++) {
            problem p;
            open_problem(&p, (fsr_fourier_kind)kind, length[l / 2], l % 2);
            assert_int_equal(fsr_fft_abreast(&p.fft, p.wide, MOST_ROWS), p.wide ? 4 : 8);
            for (int64_t row = 0; row < MOST_ROWS; row++)
                transform(&p, FSR_SIMD_NONE, false, row, 1, p.alone + row * (int64_t)p.out_bytes);
            one_nan(&p, p.alone, MOST_ROWS);
            for (size_t k = 0; k < sizeof several / sizeof *several; k++) {
                compare(&p, FSR_SIMD_NONE, several[k]);
                compare(&p, fsr_simd_of(FSR_ISA_NATIVE), several[k]);
            }
            close_problem(&p);
        }
}

/* Buffers have room for rows side by side where these are short and as many as a vector has lanes. */
static void test_room(void **state) {
    (void)state;
    fsr_fft f;
    fsr_fft_make(&f, FSR_FOURIER_FORWARD, FSR_FFT_SHORT);
    assert_int_equal(fsr_fft_buffers(&f, false, 8), 16 * FSR_FFT_SHORT);
    assert_int_equal(fsr_fft_buffers(&f, false, 7), 2 * FSR_FFT_SHORT);
    assert_int_equal(fsr_fft_buffers(&f, true, 4), 8 * FSR_FFT_SHORT);
    fsr_fft_make(&f, FSR_FOURIER_FORWARD, 2 * FSR_FFT_SHORT);
    assert_int_equal(fsr_fft_buffers(&f, false, 100), 4 * FSR_FFT_SHORT);
    fsr_fft_make(&f, FSR_FOURIER_FORWARD, FSR_FFT_SHORT - 1); /* has a large prime: a convolution of more elements */
    assert_true(f.padded > FSR_FFT_SHORT && fsr_fft_abreast(&f, false, 100) == 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_side_by_side), cmocka_unit_test(test_room)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
