/* SPDX-License-Identifier: MIT */
/* A running sum of non-negative f32, f16 or bf16 never steps back by more than 2 units in the last place of what it is
 * there: at sizes on both sides of every block, strip, chunk, tile and part, along rows and in one long line,
 * inclusive, exclusive and from the end, and beside maps. What is summed is of several kinds; sums of equal numbers are
 * worst, as all of their roundings go one way. f64 and the parts of complex numbers step back by no more than the
 * additions that a term goes through allow. */
#include "graph/ops.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 8 };

static double number(int kind, int64_t i, uint32_t *state) {
    const double u = (double)subject_random(state) * 0x1p-32;
    switch (kind) {
    case 0: return u;
    case 1: return 0.1;
    case 2: return subject_random(state) % 3 ? 0 : u;
    case 3: return exp(10 * u - 5);
    case 4: return i % 16 < 3 ? u : 0;
    case 5: return i % 1000 == 0 ? 1e4 * u : 1e-3 * u;
    case 6: return 1.0 / (1 + (double)i);
    default: return i == 0 ? 1 : 0x1p-25 * u;
    }
}

static fsr_node operand(fsr_dtype dtype, int64_t rows, int64_t cols, int kind) {
    const size_t size = fsr_dtype_size(dtype);
    char *data = calloc((size_t)(rows * cols) + 1, size);
    uint32_t state = 17u + (uint32_t)kind;
    assert_non_null(data);
    for (int64_t i = 0; i < rows * cols; i++) {
        const fsr_value v = fsr_value_from_double(dtype, number(kind, i % cols, &state));
        memcpy(data + (size_t)i * size, &v, size);
    }
    fsr_node x = fsr_from_host(subject_g, dtype, 2, SHAPE(rows, cols), data);
    free(data);
    return x;
}

/* One unit in the last place of x, which is not negative. */
static double unit_of(fsr_dtype dtype, double x) {
    const int digits = fsr_dtype_digits(dtype), least = dtype == FSR_F16 ? -14 : dtype == FSR_F64 ? -1022 : -126;
    int exponent;
    frexp(x, &exponent);
    return ldexp(1, (exponent - 1 > least ? exponent - 1 : least) - digits + 1);
}

/* The largest step back of a row, in units in the last place. */
static double worst_step(fsr_dtype dtype, const char *row, int64_t cols, bool reversed) {
    double before = 0, worst = 0;
    for (int64_t i = 0; i < cols; i++) {
        const double here = fsr_value_to_double(dtype, fsr_value_load(dtype, row, reversed ? cols - 1 - i : i));
        assert_true(here >= 0);
        if (isfinite(here) && here < before)
            worst = fmax(worst, (before - here) / unit_of(dtype, here));
        before = here;
    }
    return worst;
}

/* most: units. */
static void check_steps(fsr_dtype dtype, fsr_node y, int64_t rows, int64_t cols, int flags, int kind, double most) {
    char *got = subject_read(y);
    for (int64_t r = 0; r < rows; r++) {
        const char *row = got + (size_t)(r * cols) * fsr_dtype_size(dtype);
        const double worst = worst_step(dtype, row, cols, flags & FSR_REVERSE);
        if (worst > most)
            fail_msg("%s, %lld x %lld, flags %d, kind %d, row %lld: %g units back", fsr_dtype_name(dtype),
                     (long long)rows, (long long)cols, flags, kind, (long long)r, worst);
    }
    subject_count("running sums", rows * cols);
    free(got);
}

static void check_sums(fsr_dtype dtype, fsr_node y, int64_t rows, int64_t cols, int flags, int kind) {
    check_steps(dtype, y, rows, cols, flags, kind, 2);
}

/* The fast tier has every size with a quarter of the kinds of numbers, not the same ones; of what is spare nothing. */
static void check_shape(fsr_dtype dtype, int64_t rows, int64_t cols, bool spare) {
    static const int variants[] = {0, FSR_EXCLUSIVE, FSR_REVERSE, FSR_EXCLUSIVE | FSR_REVERSE};
    for (int kind = 0; kind < KINDS; kind++) {
        if (!subject_case(kind, spare || (cols > 1000 && (kind + cols) % 4 != 0) ? SUBJECT_LONG : SUBJECT_FAST))
            continue;
        fsr_node x = operand(dtype, rows, cols, kind);
        for (int v = 0; v < 4; v++)
            check_sums(dtype, fsr_cumsum(x, AXES(1), 1, variants[v]), rows, cols, variants[v], kind);
        fsr_node twice = fsr_sqrt(fsr_mul(fsr_cumsum(fsr_mul(x, x), AXES(1), 1, 0), fsr_float(subject_g, 4)));
        check_sums(dtype, twice, rows, cols, 0, kind);
    }
}

static void long_lines(void **state) {
    (void)state;
    static const int64_t sizes[] = {1,    15,   16,   17,    31,    255,   257,   511,   512,    513,          1025,
                                    4095, 4096, 4097, 16383, 16385, 65535, 65536, 65537, 131073, (1 << 20) + 3};
    for (int i = 0; i < COUNT_OF(sizes); i++)
        check_shape(FSR_F32, 1, sizes[i], false);
}

static void rows(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{3, 33}, {64, 100}, {5, 4096}, {40, 4099}, {3, 70001}, {1000, 7}};
    for (int i = 0; i < COUNT_OF(sizes); i++)
        check_shape(FSR_F32, sizes[i][0], sizes[i][1], false);
}

/* Down the columns of a matrix: the scanned dimension is the outer one. */
static void columns(void **state) {
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) {
        fsr_node x = fsr_transpose(operand(FSR_F32, 9001, 40, kind), NULL);
        check_sums(FSR_F32, fsr_cumsum(x, AXES(1), 1, 0), 40, 9001, 0, kind);
    }
}

/* The fast tier has each size of one of the two. */
static void half_floats(void **state) {
    (void)state;
    static const int64_t sizes[] = {100, 4097, 65537, 300001};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        check_shape(FSR_F16, 1, sizes[i], i % 2 == 0);
        check_shape(FSR_BF16, 1, sizes[i], i % 2 != 0);
    }
}

/* 2 d + 1, by the d of docs/semantics.md. */
static void other_dtypes(void **state) {
    (void)state;
    static const int64_t sizes[] = {17, 1000, 4097, 65537, 300001};
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        const double n = (double)sizes[i], most = 2 * fmin(n - 1, 4096 + ceil(log2(n)) + floor(n / 512)) + 1;
        for (int kind = 0; kind < KINDS; kind++) {
            fsr_node x = operand(FSR_F64, 1, sizes[i], kind), z = operand(FSR_F32, 1, sizes[i], kind);
            check_steps(FSR_F64, fsr_cumsum(x, AXES(1), 1, 0), 1, sizes[i], 0, kind, most);
            fsr_node sums = fsr_cumsum(fsr_mul(z, fsr_complex(subject_g, 1, 1)), AXES(1), 1, 0);
            check_steps(FSR_F32, fsr_real(sums), 1, sizes[i], 0, kind, most);
            check_steps(FSR_F32, fsr_imag(sums), 1, sizes[i], 0, kind, most);
        }
    }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(long_lines),  SUBJECT_CASES(rows),        SUBJECT_TEST(columns),
    SUBJECT_CASES(half_floats), SUBJECT_TEST(other_dtypes),
};

SUBJECT_MAIN(tests)
