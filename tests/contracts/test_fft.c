/* SPDX-License-Identifier: MIT */
/* Fourier transforms against their definition in long double: every kind, lengths of small and large primes and powers,
 * axes, inverses that undo them, convolutions, and work around them. */
#include "tests/support/subject.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

static fsr_node numbers(fsr_dtype dtype, int64_t rows, int64_t n) {
    return subject_data(dtype, 2, SHAPE(rows, n), SUBJECT_SMALL, (int)n);
}

/* Each row of got is the transform of x's, sign -1 or 1, its first `cols` elements. */
static void expect(fsr_node got, fsr_node x, int sign, int64_t cols, double factor) {
    const fsr_dtype dtype = fsr_node_dtype(got);
    const int64_t rows = fsr_node_dim(x, 0), n = fsr_node_dim(x, 1);
    const double unit = dtype == FSR_C64 || dtype == FSR_F32 ? 0x1p-23 : 0x1p-52;
    double complex *in = subject_read(fsr_cast(x, FSR_C128)), *out = subject_read(fsr_cast(got, FSR_C128));
    assert_int_equal(fsr_node_dim(got, 1), cols);
    for (int64_t r = 0; r < rows; r++) {
        double size = 0;
        for (int64_t k = 0; k < n; k++)
            size += cabs(in[r * n + k]);
        for (int64_t j = 0; j < cols; j++) {
            long double re = 0, im = 0;
            for (int64_t k = 0; k < n; k++) {
                const long double angle =
                    sign * 6.283185307179586476925286766559L * (long double)(j * k % n) / (long double)n;
                const long double a = creal(in[r * n + k]), b = cimag(in[r * n + k]);
                re += a * cosl(angle) - b * sinl(angle);
                im += a * sinl(angle) + b * cosl(angle);
            }
            const double complex want = (double)(re * factor) + (double)(im * factor) * I;
            if (cabs(out[r * cols + j] - want) > 64 * unit * size * factor)
                fail_msg("n %lld, %s: element %lld is %g%+gi, not %g%+gi", (long long)n, fsr_dtype_name(dtype),
                         (long long)j, creal(out[r * cols + j]), cimag(out[r * cols + j]), creal(want), cimag(want));
        }
    }
    free(in);
    free(out);
}

/* The arrays' elements differ by no more. */
static void near(fsr_node a, fsr_node b, double most) {
    double complex *x = subject_read(fsr_cast(a, FSR_C128)), *y = subject_read(fsr_cast(b, FSR_C128));
    const int64_t n = fsr_node_size(a);
    assert_int_equal(fsr_node_size(b), n);
    for (int64_t i = 0; i < n; i++)
        if (!(cabs(x[i] - y[i]) <= most))
            fail_msg("element %lld is %g beside %g", (long long)i, creal(x[i]), creal(y[i]));
    free(x);
    free(y);
}

static void lengths(void **state) {
    (void)state;
    static const int64_t length[] = {1, 2, 5, 8, 30, 31, 37, 97, 128, 243};
    static const fsr_dtype dtype[] = {FSR_C64, FSR_C128};
    for (int i = 0; i < COUNT_OF(length); i++)
        for (int d = 0; d < 2; d++) {
            const int64_t n = length[i];
            fsr_node x = numbers(dtype[d], 3, n);
            expect(fsr_fft(x, -1), x, -1, n, 1);
            expect(fsr_ifft(x, 1), x, 1, n, 1 / (double)n);
            fsr_node real = fsr_real(x);
            expect(fsr_rfft(real, -1), real, -1, n / 2 + 1, 1);
            near(fsr_irfft(fsr_rfft(real, -1), n, -1), real, d ? 1e-13 : 1e-4);
        }
}

static void dtypes(void **state) {
    (void)state;
    static const fsr_dtype in[] = {FSR_F16, FSR_BF16, FSR_F32, FSR_C64, FSR_F64, FSR_C128, FSR_I16, FSR_BOOL};
    for (int i = 0; i < COUNT_OF(in); i++) {
        fsr_node x = numbers(in[i], 2, 12), y = fsr_fft(x, -1);
        assert_int_equal(fsr_node_dtype(y), i < 4 ? FSR_C64 : FSR_C128);
        expect(y, x, -1, 12, 1);
    }
    assert_int_equal(fsr_node_dtype(fsr_irfft(numbers(FSR_C64, 2, 3), 4, -1)), FSR_F32);
    assert_int_equal(fsr_node_status(fsr_rfft(numbers(FSR_C64, 2, 3), -1)), FSR_ERR_DTYPE);
    assert_int_equal(fsr_node_status(fsr_irfft(numbers(FSR_C64, 2, 3), 6, -1)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_fft(fsr_zeros(G, FSR_F32, 2, SHAPE(2, 0)), -1)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_size(fsr_fft(fsr_zeros(G, FSR_F32, 2, SHAPE(0, 5)), -1)), 0);
}

static void axes(void **state) {
    (void)state;
    fsr_node x = numbers(FSR_C128, 6, 10), down = fsr_fft(x, 0), turned = fsr_transpose(x, NULL);
    expect(fsr_transpose(down, NULL), turned, -1, 6, 1);
    fsr_node both = fsr_fftn(x, NULL, 0), by_hand = fsr_fft(down, 1);
    near(both, by_hand, 1e-12);
    near(fsr_ifftn(both, NULL, 0), x, 1e-12);
    fsr_node v = fsr_verify(&both, 1, NULL) == FSR_OK ? both : (fsr_node){0};
    assert_non_null(v.graph);
}

static void long_rows(void **state) {
    (void)state;
    static const int64_t length[] = {4096, 6000, 1009};
    for (int i = 0; i < COUNT_OF(length); i++) {
        fsr_node x = numbers(FSR_F32, 2, length[i]), y = fsr_abs(fsr_rfft(fsr_mul(x, x), -1));
        assert_int_equal(subject_verify(&y, 1, NULL, "%lld", (long long)length[i]), 0);
    }
}

/* What computes the row is one kernel, what filters it one, the factor of the inverse in the last. */
static void a_filter(void **state) {
    (void)state;
    enum { N = 512 };
    fsr_plan_info info;
    fsr_node x = numbers(FSR_F32, 4, N), pass = fsr_less(fsr_arange(G, FSR_F32, N / 2 + 1), fsr_int(G, 40));
    fsr_node spectrum = fsr_mul(fsr_rfft(fsr_sub(x, fsr_float(G, 0.5)), -1), fsr_cast(pass, FSR_C64));
    fsr_node out = fsr_exp(fsr_irfft(spectrum, N, -1));
    OK(fsr_query(&out, 1, &info));
    assert_int_equal(info.calls, 2);
    assert_int_equal(info.kernels, 3);
    assert_int_equal(subject_verify(&out, 1, NULL, "a filter"), 0);
}

static void convolutions(void **state) {
    (void)state;
    fsr_node a = subject_data(FSR_F64, 1, SHAPE(100), SUBJECT_SMALL, 1),
             v = subject_data(FSR_F64, 1, SHAPE(17), SUBJECT_SMALL, 2);
    for (int mode = 0; mode < 3; mode++) {
        fsr_node fast = fsr_fftconvolve(a, v, (fsr_overlap)mode), slow = fsr_convolve(a, v, (fsr_overlap)mode);
        assert_int_equal(fsr_node_size(fast), fsr_node_size(slow));
        near(fast, slow, 1e-12);
    }
    fsr_node c = fsr_cast(v, FSR_C64);
    assert_int_equal(fsr_node_dtype(fsr_fftconvolve(a, c, FSR_FULL)), FSR_C128);
}

static void row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_fft(fsr_mul(in[0], in[0]), 0);
}

static void in_a_function_of_rows(void **state) {
    (void)state;
    fsr_node x = numbers(FSR_C128, 5, 9), y, z = fsr_fft(fsr_mul(x, x), 1);
    fsr_vectorize(&y, 1, &x, 1, "(n)->(n)", row, NULL);
    near(y, z, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(lengths),
                                       SUBJECT_TEST(dtypes),
                                       SUBJECT_TEST(axes),
                                       SUBJECT_TEST(long_rows),
                                       SUBJECT_TEST(a_filter),
                                       SUBJECT_TEST(convolutions),
                                       SUBJECT_TEST(in_a_function_of_rows)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
