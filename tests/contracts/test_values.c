/* SPDX-License-Identifier: MIT */
/* Results against numbers that NumPy 2 prints for the same calls. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static fsr_node f64(int n, const double *data) {
    return fsr_from_host(subject_g, FSR_F64, 1, SHAPE(n), data);
}
static fsr_node f32(int n, const float *data) {
    return fsr_from_host(subject_g, FSR_F32, 1, SHAPE(n), data);
}
static fsr_node i32(int n, const int32_t *data) {
    return fsr_from_host(subject_g, FSR_I32, 1, SHAPE(n), data);
}
static fsr_node i64(int n, const int64_t *data) {
    return fsr_from_host(subject_g, FSR_I64, 1, SHAPE(n), data);
}
static fsr_node u8(int n, const uint8_t *data) {
    return fsr_from_host(subject_g, FSR_U8, 1, SHAPE(n), data);
}
#define LIST(make, type, ...) make((int)(sizeof((type[]){__VA_ARGS__}) / sizeof(type)), (type[]){__VA_ARGS__})
#define F64(...) LIST(f64, double, __VA_ARGS__)
#define F32(...) LIST(f32, float, __VA_ARGS__)
#define I32(...) LIST(i32, int32_t, __VA_ARGS__)
#define I64(...) LIST(i64, int64_t, __VA_ARGS__)
#define I8(...) LIST(i8, int8_t, __VA_ARGS__)
#define I16(...) LIST(i16, int16_t, __VA_ARGS__)
#define U8(...) LIST(u8, uint8_t, __VA_ARGS__)
static fsr_node i8(int n, const int8_t *data) {
    return fsr_from_host(subject_g, FSR_I8, 1, SHAPE(n), data);
}
static fsr_node u16(int n, const uint16_t *data) {
    return fsr_from_host(subject_g, FSR_U16, 1, SHAPE(n), data);
}
static fsr_node i16(int n, const int16_t *data) {
    return fsr_from_host(subject_g, FSR_I16, 1, SHAPE(n), data);
}
static fsr_node u64(int n, const uint64_t *data) {
    return fsr_from_host(subject_g, FSR_U64, 1, SHAPE(n), data);
}

/* x's dtype, and its elements within a relative tolerance (0: equal, the sign of zero too). */
static void expect(int line, fsr_node x, fsr_dtype dtype, double tolerance, int n, const double *want) {
    if (fsr_node_status(x))
        fail_msg("line %d: %s", line, fsr_node_error(x));
    if (fsr_node_dtype(x) != dtype || fsr_node_size(x) != n)
        fail_msg("line %d: %s of %lld, not %s of %d", line, fsr_dtype_name(fsr_node_dtype(x)),
                 (long long)fsr_node_size(x), fsr_dtype_name(dtype), n);
    for (int i = 0; i < n; ++i) {
        double got = subject_value(x, i);
        bool same = (isnan(got) && isnan(want[i])) || (got == want[i] && signbit(got) == signbit(want[i]));
        if (!same && !(fabs(got - want[i]) <= tolerance * fabs(want[i])))
            fail_msg("line %d: element %d is %.17g, not %.17g", line, i, got, want[i]);
    }
    subject_count("results known from NumPy", 1);
}
#define EXPECT(x, dtype, tolerance, ...)                                                           \
    expect(__LINE__, x, dtype, tolerance, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), \
           (double[]){__VA_ARGS__})

/* Also where nothing but the next op of the same kernel sees the integer. */
static void integers_wrap(void **state) {
    (void)state;
    EXPECT(fsr_cast(fsr_abs(I8(INT8_MIN, -7)), FSR_F32), FSR_F32, 0, INT8_MIN, 7);
    EXPECT(fsr_cast(fsr_abs(I16(INT16_MIN, -7)), FSR_F32), FSR_F32, 0, INT16_MIN, 7);
    EXPECT(fsr_cast(fsr_abs(I32(INT32_MIN, -7)), FSR_F64), FSR_F64, 0, INT32_MIN, 7);
    EXPECT(fsr_cast(fsr_abs(I64(INT64_MIN, -7)), FSR_F32), FSR_F32, 0, -9223372036854775808., 7);
    EXPECT(fsr_cast(fsr_neg(I16(INT16_MIN, -7)), FSR_F32), FSR_F32, 0, INT16_MIN, 7);
    EXPECT(fsr_cast(fsr_add(I16(INT16_MAX, -7), I16(1, 1)), FSR_F32), FSR_F32, 0, INT16_MIN, -6);
    EXPECT(fsr_add(I32(INT32_MAX, -5), I32(1, 2)), FSR_I32, 0, INT32_MIN, -3);
    EXPECT(fsr_mul(I32(65536, 46341), I32(65536, 46341)), FSR_I32, 0, 0, -2147479015);
    EXPECT(fsr_add(U8(200, 255), U8(100, 1)), FSR_U8, 0, 44, 0);
    EXPECT(fsr_sub(U8(3, 0), U8(5, 1)), FSR_U8, 0, 254, 255);
    EXPECT(fsr_neg(U8(1, 0, 128)), FSR_U8, 0, 255, 0, 128);
    EXPECT(fsr_neg(I32(INT32_MIN, 7)), FSR_I32, 0, INT32_MIN, -7);
    EXPECT(fsr_abs(I32(INT32_MIN, -7)), FSR_I32, 0, INT32_MIN, 7);
    EXPECT(fsr_abs(I64(INT64_MIN)), FSR_I64, 0, -9223372036854775808.);
}

static void promotion(void **state) {
    (void)state;
    EXPECT(fsr_add(I32(1), F32(0.5)), FSR_F64, 0, 1.5);
    EXPECT(fsr_add(U8(250), I32(10)), FSR_I32, 0, 260);
    EXPECT(fsr_add(U8(1), F32(0.5)), FSR_F32, 0, 1.5);
    EXPECT(fsr_mul(F32(0.1f), fsr_float(subject_g, 3)), FSR_F32, 0, 0.30000001192092896);
    EXPECT(fsr_mul(I32(3), fsr_float(subject_g, 0.5)), FSR_F64, 0, 1.5);
    EXPECT(fsr_add(I64(1LL << 53), F64(1)), FSR_F64, 0, 9007199254740992.);
    EXPECT(fsr_div(I32(7, -7, 1, -1, 0), I32(2, 2, 0, 0, 0)), FSR_F64, 0, 3.5, -3.5, INFINITY, -INFINITY, NAN);
    EXPECT(fsr_sqrt(I32(2, -1)), FSR_F64, 0, 1.4142135623730951, NAN);
    EXPECT(fsr_add(fsr_bool(subject_g, true), fsr_bool(subject_g, true)), FSR_BOOL, 0, 1);
    EXPECT(fsr_less(U8(255), fsr_int(subject_g, 1000)), FSR_BOOL, 0, 1);
}

/* Integers of every width; u64 beside signed ones compares exactly and otherwise meets them in f64. */
static void integers(void **state) {
    (void)state;
    fsr_node big = LIST(u64, uint64_t, UINT64_MAX, 1ULL << 63, 0, 5), with = I64(-1, INT64_MAX, INT64_MIN, 5);
    fsr_node small = LIST(i8, int8_t, -128, 127, -1, 3), word = LIST(u16, uint16_t, 65535, 40000, 2, 0);
    EXPECT(fsr_add(small, U8(1, 2, 3, 255)), FSR_I16, 0, -127, 129, 2, 258);
    EXPECT(fsr_mul(small, small), FSR_I8, 0, 0, 1, 1, 9);
    EXPECT(fsr_mul(word, word), FSR_U16, 0, 1, 4096, 4, 0);
    EXPECT(fsr_mul(word, F32(0.5)), FSR_F32, 0, 32767.5, 20000, 1, 0);
    EXPECT(fsr_abs(small), FSR_I8, 0, -128, 127, 1, 3);
    EXPECT(fsr_div(small, small), FSR_F64, 0, 1, 1, 1, 1);
    EXPECT(fsr_sqrt(word), FSR_F32, 0, 255.998046875, 200, 1.4142135381698608, 0);
    EXPECT(fsr_sum(small, NULL, 0, 0), FSR_I64, 0, 1);
    EXPECT(fsr_sum(big, NULL, 0, 0), FSR_U64, 0, 9223372036854775812.);
    EXPECT(fsr_max(big, NULL, 0, 0), FSR_U64, 0, 18446744073709551615.);
    EXPECT(fsr_argmax(big, NULL, 0, 0), FSR_I64, 0, 0);
    EXPECT(fsr_abs(big), FSR_U64, 0, 18446744073709551615., 9223372036854775808., 0, 5);
    EXPECT(fsr_cast(big, FSR_F32), FSR_F32, 0, 18446744073709551616., 9223372036854775808., 0, 5);
    EXPECT(fsr_add(big, with), FSR_F64, 0, 18446744073709551616., 18446744073709551616., -9223372036854775808., 10);
    EXPECT(fsr_greater(big, with), FSR_BOOL, 0, 1, 1, 1, 0);
    EXPECT(fsr_less(with, big), FSR_BOOL, 0, 1, 1, 1, 0);
    EXPECT(fsr_equal(big, with), FSR_BOOL, 0, 0, 0, 0, 1);
    EXPECT(fsr_less_equal(big, small), FSR_BOOL, 0, 0, 0, 0, 0);
    EXPECT(fsr_not_equal(big, fsr_int(subject_g, -1)), FSR_BOOL, 0, 1, 1, 1, 1);
    EXPECT(fsr_less(big, fsr_int(subject_g, 6)), FSR_BOOL, 0, 0, 0, 1, 1);
}

static fsr_node half(fsr_dtype dtype, fsr_node x) {
    return fsr_cast(x, dtype);
}

/* f16 as NumPy; bf16 by hand: 8 digits. */
static void halves(void **state) {
    (void)state;
    fsr_node x = half(FSR_F16, F64(1.5, 65504, 0.1, 2048, -0.0)), y = half(FSR_F16, F64(2.5, 16, 0.2, 1, 1));
    EXPECT(fsr_add(x, y), FSR_F16, 0, 4, INFINITY, 0.2998046875, 2048, 1);
    EXPECT(fsr_mul(x, y), FSR_F16, 0, 3.75, INFINITY, 0.01998901367187500, 2048, -0.0);
    EXPECT(fsr_add(fsr_add(half(FSR_F16, F64(2048)), fsr_int(subject_g, 1)), fsr_int(subject_g, 1)), FSR_F16, 0, 2048);
    EXPECT(fsr_add(x, I32(1, 1, 1, 1, 1)), FSR_F64, 0, 2.5, 65505, 1.0999755859375, 2049, 1);
    EXPECT(fsr_sqrt(U8(2, 255)), FSR_F16, 0, 1.4140625, 15.96875);
    EXPECT(fsr_exp(fsr_cast(I32(-1, 11), FSR_I8)), FSR_F16, 0, 0.367919921875, 59872);
    EXPECT(fsr_sum(half(FSR_F16, fsr_full(subject_g, FSR_F64, 1, SHAPE(4096), 1)), NULL, 0, 0), FSR_F16, 0, 4096);
    EXPECT(fsr_mean(half(FSR_F16, fsr_full(subject_g, FSR_F64, 1, SHAPE(4096), 100)), NULL, 0, 0), FSR_F16, 0, 100);
    EXPECT(fsr_cumsum(half(FSR_F16, F64(2048, 1, 1)), AXES(0), 1, 0), FSR_F16, 0, 2048, 2048, 2050);
    EXPECT(fsr_max(x, NULL, 0, 0), FSR_F16, 0, 65504);
    fsr_node wide = half(FSR_F16, F64(300, -300, 100)), unit = half(FSR_F16, F64(0, 0, 0, 0, 1));
    EXPECT(fsr_var(wide, NULL, 0, 0, 0), FSR_F16, 0, 62208);
    EXPECT(fsr_std(wide, NULL, 0, 0, 0), FSR_F16, 0, 249.5);
    EXPECT(fsr_std(half(FSR_F16, F64(500, -500)), NULL, 0, 0, 0), FSR_F16, 0, 500);
    EXPECT(fsr_std(unit, NULL, 0, 0, 0), FSR_F16, 0, 0.39990234375);
    EXPECT(fsr_nanstd(half(FSR_F16, F64(0, 0, NAN, 0, 0, 1)), NULL, 0, 0, 0), FSR_F16, 0, 0.39990234375);
    EXPECT(fsr_var(unit, NULL, 0, 0, 0), FSR_F16, 0, 0.1600341796875);
    EXPECT(fsr_cast(half(FSR_BF16, F64(1.00390625, 1.01171875, 3e38, 1e39, -7)), FSR_F64), FSR_F64, 0, 1, 1.015625,
           0x1.c4p127, INFINITY, -7);
    EXPECT(fsr_add(half(FSR_BF16, F64(256)), half(FSR_BF16, F64(1))), FSR_BF16, 0, 256);
    EXPECT(fsr_sum(half(FSR_BF16, F64(256, 1, 1, 1, 1)), NULL, 0, 0), FSR_BF16, 0, 260);
    EXPECT(fsr_mul(half(FSR_BF16, F64(3)), half(FSR_F16, F64(0.5))), FSR_F32, 0, 1.5);
    EXPECT(fsr_cast(half(FSR_BF16, F64(-3.75, NAN, 1e9)), FSR_I8), FSR_I8, 0, -3, 0, 127);
}

static void special_values(void **state) {
    (void)state;
    EXPECT(fsr_maximum(F64(1, NAN, 3, -INFINITY), F64(NAN, 2, 2, -1)), FSR_F64, 0, NAN, NAN, 3, -1);
    EXPECT(fsr_minimum(F32(1, NAN, 3), F32(NAN, 2, 2)), FSR_F32, 0, NAN, NAN, 2);
    EXPECT(fsr_max(F64(1, NAN, 3), NULL, 0, 0), FSR_F64, 0, NAN);
    EXPECT(fsr_min(F64(1, 0.5, 3), NULL, 0, 0), FSR_F64, 0, 0.5);
    EXPECT(fsr_floor(F64(-0.5, -0.0, 2.7, -2.7)), FSR_F64, 0, -1, -0.0, 2, -3);
    EXPECT(fsr_ceil(F64(-0.5, 0.2, -2.7)), FSR_F64, 0, -0.0, 1, -2);
    EXPECT(fsr_neg(F64(0.0, -0.0)), FSR_F64, 0, -0.0, 0.0);
    EXPECT(fsr_isnan(F32(NAN, 1, INFINITY)), FSR_BOOL, 0, 1, 0, 0);
    EXPECT(fsr_less(F64(NAN, 1), F64(1, NAN)), FSR_BOOL, 0, 0, 0);
    EXPECT(fsr_not_equal(F64(NAN, 0.0), F64(NAN, -0.0)), FSR_BOOL, 0, 1, 0);
    EXPECT(fsr_logical_not(F64(NAN, 0, -0.0, 2)), FSR_BOOL, 0, 0, 1, 1, 0);
    EXPECT(fsr_where(F64(NAN, 0, 2), F64(1, 1, 1), F64(2, 2, 2)), FSR_F64, 0, 1, 2, 1);
    EXPECT(fsr_pow(F64(0, -8, 2, NAN), F64(0, 1. / 3, -1, 0)), FSR_F64, 1e-15, 1, NAN, 0.5, 1);
    EXPECT(fsr_log(F64(0, -1, 1)), FSR_F64, 0, -INFINITY, NAN, 0);
    EXPECT(fsr_exp(F64(-INFINITY, 710, 1)), FSR_F64, 1e-15, 0, INFINITY, 2.718281828459045);
    EXPECT(fsr_tanh(F64(-INFINITY, 0.5)), FSR_F64, 1e-15, -1, 0.46211715726000973);
    EXPECT(fsr_sin(F64(1e22, 3.141592653589793)), FSR_F64, 1e-15, -0.8522008497671888, 1.2246467991473532e-16);
    EXPECT(fsr_cos(F32(1e5f, 0)), FSR_F32, 1e-6, -0.99936080f, 1);
}

/* A part that is no number beside one that is very large: both parts of the result are none, as C's Annex G says. */
static void undefined_parts(void **state) {
    (void)state;
    const double data[4][2] = {{NAN, 1e200}, {1e200, NAN}, {NAN, -1e200}, {-1e200, NAN}};
    fsr_node z = fsr_from_host(subject_g, FSR_C128, 1, SHAPE(4), data);
    const fsr_node results[] = {fsr_atanh(z), fsr_atan(z)};
    for (int k = 0; k < COUNT_OF(results); ++k) {
        double *got = subject_read(results[k]);
        for (int i = 0; i < 8; ++i)
            assert_true(isnan(got[i]));
        free(got);
    }
}

static void conversions(void **state) {
    (void)state;
    EXPECT(fsr_cast(F64(2.9, -2.9, 0.5), FSR_I32), FSR_I32, 0, 2, -2, 0);
    EXPECT(fsr_cast(F64(NAN, 1e10, -1e10), FSR_I32), FSR_I32, 0, 0, INT32_MAX, INT32_MIN);
    EXPECT(fsr_cast(F64(300, -1, 255.9), FSR_U8), FSR_U8, 0, 255, 0, 255);
    EXPECT(fsr_cast(I32(300, -1, 256), FSR_U8), FSR_U8, 0, 44, 255, 0);
    EXPECT(fsr_cast(I64(4294967297, INT64_MIN), FSR_I32), FSR_I32, 0, 1, 0);
    EXPECT(fsr_cast(F64(0.1), FSR_F32), FSR_F32, 0, 0.10000000149011612);
    EXPECT(fsr_cast(fsr_cast(F64(0.1), FSR_F32), FSR_F64), FSR_F64, 0, 0.10000000149011612);
    EXPECT(fsr_cast(I32(16777217), FSR_F32), FSR_F32, 0, 16777216);
    EXPECT(fsr_cast(F64(NAN, 0, 0.5), FSR_BOOL), FSR_BOOL, 0, 1, 0, 1);
    EXPECT(fsr_cast(F64(1e300, -1e300), FSR_F32), FSR_F32, 0, INFINITY, -INFINITY);
}

static void reductions(void **state) {
    (void)state;
    fsr_node m = fsr_reshape(fsr_arange(subject_g, FSR_F64, 12), 2, SHAPE(3, 4));
    EXPECT(fsr_sum(m, AXES(0), 1, 0), FSR_F64, 0, 12, 15, 18, 21);
    EXPECT(fsr_sum(m, AXES(-1), 1, 0), FSR_F64, 0, 6, 22, 38);
    EXPECT(fsr_mean(m, AXES(1), 1, 0), FSR_F64, 0, 1.5, 5.5, 9.5);
    EXPECT(fsr_var(m, AXES(1), 1, 0, 1), FSR_F64, 1e-15, 1.6666666666666667, 1.6666666666666667, 1.6666666666666667);
    EXPECT(fsr_var(m, NULL, 0, 0, 0), FSR_F64, 1e-15, 11.916666666666666);
    EXPECT(fsr_mean(I32(1, 2), NULL, 0, 0), FSR_F64, 0, 1.5);
    EXPECT(fsr_var(U8(1, 255), NULL, 0, 0, 0), FSR_F64, 0, 16129);
    EXPECT(fsr_sum(U8(255, 255, 255), NULL, 0, 0), FSR_U64, 0, 765);
    EXPECT(fsr_prod(I32(65536, 65536, 3), NULL, 0, 0), FSR_I64, 0, 12884901888.);
    EXPECT(fsr_prod(F32(2, 3, 4), NULL, 0, 0), FSR_F32, 0, 24);
    EXPECT(fsr_any(F64(0, NAN), NULL, 0, 0), FSR_BOOL, 0, 1);
    EXPECT(fsr_all(I32(1, 0, 2), NULL, 0, 0), FSR_BOOL, 0, 0);
    EXPECT(fsr_argmax(F64(1, 5, 5, 2), NULL, 0, 0), FSR_I64, 0, 1);
    EXPECT(fsr_argmax(F64(1, NAN, 5, NAN), NULL, 0, 0), FSR_I64, 0, 1);
    EXPECT(fsr_argmax(F64(-INFINITY, -INFINITY), NULL, 0, 0), FSR_I64, 0, 0);
    EXPECT(fsr_argmax(fsr_flip(m, 1), AXES(1), 1, 0), FSR_I64, 0, 0, 0, 0);
    EXPECT(fsr_argmax(I64(INT64_MIN, INT64_MIN), NULL, 0, 0), FSR_I64, 0, 0);
    fsr_node empty = fsr_from_host(subject_g, FSR_F64, 2, SHAPE(2, 0), NULL);
    EXPECT(fsr_sum(empty, AXES(1), 1, 0), FSR_F64, 0, 0, 0);
    EXPECT(fsr_prod(empty, NULL, 0, 0), FSR_F64, 0, 1);
    EXPECT(fsr_mean(empty, AXES(1), 1, 0), FSR_F64, 0, NAN, NAN);
    EXPECT(fsr_var(F64(3), NULL, 0, 0, 1), FSR_F64, 0, NAN);
    EXPECT(fsr_any(empty, NULL, 0, 0), FSR_BOOL, 0, 0);
    EXPECT(fsr_all(empty, NULL, 0, 0), FSR_BOOL, 0, 1);
    EXPECT(fsr_sum(F64(1e308, 1e308), NULL, 0, 0), FSR_F64, 0, INFINITY);
}

static void running(void **state) {
    (void)state;
    fsr_node m = fsr_reshape(fsr_arange(subject_g, FSR_I32, 6), 2, SHAPE(2, 3));
    EXPECT(fsr_cumsum(m, AXES(0), 1, 0), FSR_I64, 0, 0, 1, 2, 3, 5, 7);
    EXPECT(fsr_cumsum(m, AXES(1), 1, 0), FSR_I64, 0, 0, 1, 3, 3, 7, 12);
    EXPECT(fsr_cumsum(m, AXES(-1), 1, FSR_EXCLUSIVE), FSR_I64, 0, 0, 0, 1, 0, 3, 7);
    EXPECT(fsr_cummax(F64(1, 3, 2, NAN, 9), AXES(0), 1, 0), FSR_F64, 0, 1, 3, 3, NAN, NAN);
    EXPECT(fsr_cummax(I32(5, 1, 7), AXES(0), 1, FSR_EXCLUSIVE), FSR_I32, 0, INT32_MIN, 5, 5);
    EXPECT(fsr_cumsum(U8(200, 100, 1), AXES(0), 1, 0), FSR_U64, 0, 200, 300, 301);
}

/* 2^33 rows of no columns are an array of no elements: nobody visits the rows. */
static void many_rows_of_nothing(void **state) {
    (void)state;
    fsr_node x = fsr_zeros(subject_g, FSR_F32, 2, SHAPE(INT64_C(1) << 33, 0)), sum = fsr_cumsum(x, AXES(1), 1, 0);
    fsr_node outs[] = {sum, fsr_cummax(fsr_exp(x), AXES(1), 1, FSR_REVERSE)};
    assert_int_equal(fsr_node_size(sum), 0);
    OK(fsr_compute(outs, 2));
    OK(fsr_force(fsr_sub(x, fsr_sum(x, AXES(1), 1, FSR_KEEPDIMS))));
    OK(fsr_verify(&sum, 1, NULL));
}

static void views(void **state) {
    (void)state;
    fsr_node m = fsr_reshape(fsr_arange(subject_g, FSR_I32, 6), 2, SHAPE(2, 3));
    EXPECT(fsr_transpose(m, NULL), FSR_I32, 0, 0, 3, 1, 4, 2, 5);
    EXPECT(fsr_slice(fsr_arange(subject_g, FSR_I32, 10), 0, 8, 1, -3), FSR_I32, 0, 8, 5, 2);
    EXPECT(fsr_slice(fsr_arange(subject_g, FSR_I32, 5), 0, FSR_SLICE_END, FSR_SLICE_END, -2), FSR_I32, 0, 4, 2, 0);
    EXPECT(fsr_slice(fsr_arange(subject_g, FSR_I32, 5), 0, -2, 100, 1), FSR_I32, 0, 3, 4);
    EXPECT(fsr_flip(m, 1), FSR_I32, 0, 2, 1, 0, 5, 4, 3);
    EXPECT(fsr_broadcast_to(I32(1, 2), 2, SHAPE(2, 2)), FSR_I32, 0, 1, 2, 1, 2);
    EXPECT(fsr_add(fsr_expand(I32(10, 20), 1), I32(1, 2, 3)), FSR_I32, 0, 11, 12, 13, 21, 22, 23);
    EXPECT(fsr_reshape(fsr_transpose(m, NULL), 2, SHAPE(2, -1)), FSR_I32, 0, 0, 3, 1, 4, 2, 5);
    EXPECT(fsr_arange(subject_g, FSR_F32, 3), FSR_F32, 0, 0, 1, 2);
    EXPECT(fsr_full(subject_g, FSR_U8, 1, SHAPE(2), 300), FSR_U8, 0, 255, 255);
}

/* frexp's are exact and NumPy's; sine and cosine are those of the single calls, from one kernel. */
static void two_results(void **state) {
    (void)state;
    fsr_node m, e, s, c;
    fsr_frexp(F64(8, -3, 0.75, -0.0, 5e-324, -INFINITY), &m, &e);
    EXPECT(m, FSR_F64, 0, 0.5, -0.75, 0.75, -0.0, 0.5, -INFINITY);
    EXPECT(e, FSR_I32, 0, 4, 2, 0, 0, -1073, 0);
    fsr_frexp(I32(-5, 0, INT32_MAX), &m, &e);
    EXPECT(m, FSR_F64, 0, -0.625, 0, 0.9999999995343387);
    EXPECT(e, FSR_I32, 0, 3, 0, 31);
    fsr_frexp(F32(0x1p-149f, 0x1.8p127f), NULL, &e);
    EXPECT(e, FSR_I32, 0, -148, 128);

    fsr_node x = F64(0, 0.5, -1, 1e5, -0.0);
    fsr_sincos(x, &s, &c);
    fsr_plan_info info;
    OK(fsr_query((fsr_node[]){s, c}, 2, &info));
    assert_int_equal(info.kernels, 1);
    OK(fsr_compute((fsr_node[]){s, c}, 2));
    EXPECT(s, FSR_F64, 5e-16, 0, 0.479425538604203, -0.8414709848078965, 0.03574879797201651, -0.0);
    EXPECT(c, FSR_F64, 5e-16, 1, 0.8775825618903728, 0.5403023058681398, -0.9993608074382124, 1);
    fsr_sincos(I8(1), NULL, &c);
    EXPECT(c, FSR_F16, 5e-4, 0.5403023058681398);
}

/* A softmax, a standardization, a distance: what people write. */
static void programs(void **state) {
    (void)state;
    fsr_node x = F64(1, 2, 3), e = fsr_exp(fsr_sub(x, fsr_max(x, NULL, 0, 0)));
    EXPECT(fsr_div(e, fsr_sum(e, NULL, 0, 0)), FSR_F64, 2e-15, 0.09003057317038046, 0.24472847105479767,
           0.6652409557748219);
    fsr_node d = fsr_sub(x, fsr_mean(x, NULL, 0, 0));
    EXPECT(fsr_div(d, fsr_sqrt(fsr_var(x, NULL, 0, 0, 0))), FSR_F64, 2e-15, -1.224744871391589, 0, 1.224744871391589);
    fsr_node y = F64(4, 6, 3);
    EXPECT(fsr_sqrt(fsr_sum(fsr_mul(fsr_sub(x, y), fsr_sub(x, y)), NULL, 0, 0)), FSR_F64, 0, 5);
}

/* A complex number beyond what f32 has is infinite as c64, and as c128 again, whatever else its kernel stores. */
static void narrowed_and_widened(void **state) {
    (void)state;
    enum { N = 1025 };
    static const fsr_dtype also[] = {FSR_C64, FSR_U8, FSR_I16, FSR_U64, FSR_F16, FSR_F32};
    double x[2 * N];
    for (int i = 0; i < 2 * N; i++)
        x[i] = i % 5 == 4 ? 1e300 : i;
    for (int n = 0; n <= COUNT_OF(also); n++) {
        fsr_node narrow = fsr_cast(fsr_from_host(subject_g, FSR_C128, 1, SHAPE(N), x), FSR_C64), out[7];
        for (int k = 0; k < n; k++)
            out[k] = fsr_cast(narrow, also[k]);
        out[n] = fsr_cast(narrow, FSR_C128);
        OK(fsr_compute(out, n + 1));
        double *got = subject_read(out[n]);
        for (int i = 0; i < 2 * N; i++)
            assert_true(got[i] == (i % 5 == 4 ? (double)INFINITY : i));
        free(got);
    }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(narrowed_and_widened),
    SUBJECT_TEST(integers_wrap),
    SUBJECT_TEST(promotion),
    SUBJECT_TEST(integers),
    SUBJECT_TEST(halves),
    SUBJECT_TEST(special_values),
    SUBJECT_TEST(undefined_parts),
    SUBJECT_TEST(conversions),
    SUBJECT_TEST(reductions),
    SUBJECT_TEST(running),
    SUBJECT_TEST(many_rows_of_nothing),
    SUBJECT_TEST(views),
    SUBJECT_TEST(two_results),
    SUBJECT_TEST(programs),
};
SUBJECT_MAIN(tests)
