/* SPDX-License-Identifier: MIT */
/* Builders that are compositions of others against what NumPy 2 answers (tests/numpy/reach.txt, by reach.py): dtype,
 * shape, every element, and against the reference. Where NumPy's own order of additions or its elementary functions
 * decide the last bits (a list below) a few units are allowed, else none, and zeros have NumPy's sign. */
#include "graph/graph.h"
#include "graph/ops.h"
#include "tests/support/subject.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the same arrays as in reach.py ------------------------------------------------------------------------------ */

static fsr_value value_of(fsr_dtype dtype, int64_t i) {
    const int64_t re = (i * 7 + 3) % 11, im = (i * 5 + 1) % 7 - 3;
    if (dtype == FSR_BOOL)
        return fsr_value_from_int(dtype, re % 2);
    if (fsr_dtype_is_complex(dtype))
        return fsr_value_from_complex(dtype, (fsr_c128){(double)(re - 4) / 2, (double)im / 2});
    if (fsr_dtype_is_float(dtype))
        return fsr_value_from_double(dtype, (double)(re - 4) / 2);
    return fsr_value_from_int(dtype, fsr_dtype_is_unsigned(dtype) ? re : re - 4);
}

static fsr_node array(fsr_dtype dtype, int ndim, const int64_t *shape) {
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= shape[i];
    char data[4096];
    const size_t size = fsr_dtype_size(dtype);
    assert_true((size_t)n * size <= sizeof data);
    for (int64_t i = 0; i < n; i++) {
        fsr_value v = value_of(dtype, i);
        memcpy(data + (size_t)i * size, &v, size);
    }
    return fsr_from_host(subject_g, dtype, ndim, shape, data);
}

#define X1(dtype, n) array(FSR_##dtype, 1, SHAPE(n))
#define X2(dtype, a, b) array(FSR_##dtype, 2, SHAPE(a, b))
#define X3(dtype, a, b, c) array(FSR_##dtype, 3, SHAPE(a, b, c))
#define F(value) fsr_float(subject_g, value)
#define I(value) fsr_int(subject_g, value)
#define CASE(text, ...)      \
    if (!strcmp(name, text)) \
        return __VA_ARGS__;

static fsr_node odd(void) {
    return fsr_from_host(subject_g, FSR_F32, 1, SHAPE(8),
                         (const float[]){NAN, INFINITY, -INFINITY, 0, -0.0f, 1.5f, -2.5f, 1e30f});
}

static const fsr_node none = {0};

static fsr_node pair(void (*f)(fsr_site, fsr_node, fsr_node *, fsr_node *), fsr_node x, int which) {
    fsr_node out[2];
    f(FSR_HERE, x, &out[0], &out[1]);
    return out[which];
}

static fsr_node division(int which) {
    fsr_node out[2];
    fsr_divmod(X1(F64, 11), F(0.75), &out[0], &out[1]);
    return out[which];
}

/* ---- the cases --------------------------------------------------------------------------------------------------- */

static fsr_node numbers(const char *name) {
    CASE("around_f64", fsr_around(fsr_mul(X1(F64, 12), F(1.2345)), 2))
    CASE("around_f32_tens", fsr_around(fsr_mul(X1(F32, 12), F(12.5)), -1))
    CASE("around_f16", fsr_around(fsr_mul(X1(F16, 12), F(1.25)), 1))
    CASE("around_i8_tens",
         fsr_around(fsr_from_host(subject_g, FSR_I8, 1, SHAPE(6), (const int8_t[]){15, 25, -15, 127, -128, 4}), -1))
    CASE("around_u64_tens", fsr_around(fsr_mul(X1(U64, 12), I(7)), -1))
    CASE("around_i32", fsr_around(X1(I32, 12), 3))
    CASE("around_c64", fsr_around(fsr_mul(X1(C64, 12), F(1.25)), 1))
    CASE("around_bool", fsr_around(X1(BOOL, 5), 0))
    CASE("around_odd", fsr_around(odd(), 2))
    CASE("divmod_quotient", division(0))
    CASE("divmod_rest", division(1))
    CASE("modf_fraction", pair(fsr_modf_at, odd(), 0))
    CASE("modf_whole", pair(fsr_modf_at, odd(), 1))
    CASE("modf_i16", pair(fsr_modf_at, X1(I16, 4), 0))
    CASE("modf_bool", pair(fsr_modf_at, X1(BOOL, 4), 1))
    CASE("nan_to_num", fsr_nan_to_num(odd(), 0, NULL, NULL))
    CASE("nan_to_num_given", fsr_nan_to_num(odd(), -1, (const double[]){7}, (const double[]){-7}))
    CASE("nan_to_num_c64",
         fsr_nan_to_num(fsr_complex_of(fsr_real(fsr_cast(odd(), FSR_C64)), fsr_flip(odd(), 0)), 0, NULL, NULL))
    CASE("nan_to_num_i32", fsr_nan_to_num(X1(I32, 3), 0, NULL, NULL))
    CASE("nan_to_num_f16", fsr_nan_to_num(fsr_cast(odd(), FSR_F16), 0, NULL, (const double[]){-1e9}))
    CASE("sinc", fsr_sinc(X1(F64, 11)))
    CASE("sinc_i32", fsr_sinc(X1(I32, 11)))
    CASE("sinc_f32", fsr_sinc(fsr_div(X1(F32, 11), I(3))))
    CASE("sinc_c128", fsr_sinc(X1(C128, 8)))
    CASE("rint_i8", fsr_rint(X1(I8, 5)))
    CASE("gcd", fsr_gcd(fsr_mul(X1(I32, 11), I(6)), I(15)))
    CASE("lcm", fsr_lcm(X1(I8, 11), fsr_flip(X1(I8, 11), 0)))
    return none;
}

static fsr_node closeness(const char *name) {
    CASE("isclose", fsr_isclose(odd(), fsr_mul(odd(), F((double)1.000001f)), 1e-5, 1e-8, false))
    CASE("isclose_nan", fsr_isclose(odd(), odd(), 1e-5, 1e-8, true))
    CASE("isclose_i32", fsr_isclose(X1(I32, 6), fsr_add(X1(I32, 6), I(1)), 0.3, 0.1, false))
    CASE("isclose_u8", fsr_isclose(X1(U8, 6), fsr_add(X1(U8, 6), I(1)), 0, 1, false))
    CASE("isclose_c128",
         fsr_isclose(X1(C128, 6), fsr_mul(X1(C128, 6), fsr_complex(subject_g, 1, 1e-6)), 1e-5, 1e-8, false))
    CASE("isclose_literal", fsr_isclose(X1(F32, 6), I(1), 1e-5, 1e-8, false))
    CASE("allclose", fsr_allclose(X1(F32, 6), fsr_add(X1(F32, 6), F(1e-9)), 1e-5, 1e-8, false))
    CASE("allclose_not", fsr_allclose(X1(F32, 6), I(0), 1e-5, 1e-8, false))
    return none;
}

static fsr_node folds(const char *name) {
    CASE("sum_as_i8", fsr_sum_as(X1(I32, 40), FSR_I8, NULL, 0, 0))
    CASE("sum_as_f32", fsr_sum_as(X2(I32, 4, 5), FSR_F32, AXES(1), 1, 0))
    CASE("sum_as_bool", fsr_sum_as(X2(I32, 2, 3), FSR_BOOL, AXES(0), 1, 0))
    CASE("sum_as_c64", fsr_sum_as(X1(F16, 7), FSR_C64, NULL, 0, 0))
    CASE("prod_as_i32", fsr_prod_as(X2(U8, 3, 9), FSR_I32, AXES(1), 1, 0))
    CASE("mean_as_f32", fsr_mean_as(X1(I32, 7), FSR_F32, NULL, 0, 0))
    CASE("mean_as_i64", fsr_mean_as(fsr_mul(X1(F64, 7), I(3)), FSR_I64, NULL, 0, FSR_KEEPDIMS))
    CASE("mean_as_bool", fsr_mean_as(X1(I32, 7), FSR_BOOL, NULL, 0, 0))
    CASE("cumsum_as_u8", fsr_cumsum_as(X1(U8, 80), FSR_U8, NULL, 0, 0))
    CASE("cumsum_as_f64", fsr_cumsum_as(X2(F32, 3, 5), FSR_F64, AXES(0), 1, 0))
    CASE("cumprod_as_i16", fsr_cumprod_as(fsr_add(X2(I32, 4, 3), I(5)), FSR_I16, AXES(0), 1, 0))
    return none;
}

/* One of the gradients along n axes. */
static fsr_node slope(fsr_node x, const double *spacing, const int *axes, int n, int order, int which) {
    fsr_node out[FSR_MAX_DIMS];
    fsr_gradients(out, x, spacing, axes, n, order);
    return out[which];
}

static fsr_node neighbours(const char *name) {
    static const double steps[] = {0.5, 2}, three[] = {2, 3, 0.5};
    CASE("gradients_first", slope(X2(F32, 4, 5), steps, NULL, 2, 1, 0))
    CASE("gradients_second", slope(X2(F32, 4, 5), steps, AXES(0, -1), 2, 1, 1))
    CASE("gradients_axes", slope(X3(F64, 3, 4, 5), NULL, AXES(2, 0), 2, 1, 0))
    CASE("gradients_edges", slope(X3(F64, 3, 4, 5), three, NULL, 3, 2, 2))
    CASE("gradient", fsr_gradient(X1(F64, 9), 1, 0, 1))
    CASE("gradient_spaced", fsr_gradient(X2(F32, 4, 5), 0.5, 0, 1))
    CASE("gradient_second", fsr_gradient(X2(F64, 3, 6), 2, -1, 2))
    CASE("gradient_u8", fsr_gradient(X1(U8, 6), 1, 0, 1))
    CASE("gradient_two", fsr_gradient(X1(F32, 2), 1, 0, 1))
    CASE("gradient_c64", fsr_gradient(X1(C64, 5), 1, 0, 2))
    CASE("gradient_f16", fsr_gradient(X1(F16, 7), 1, 0, 1))
    CASE("convolve_full", fsr_convolve(X1(F64, 9), X1(F64, 4), FSR_FULL))
    CASE("convolve_same", fsr_convolve(X1(I32, 9), X1(I32, 4), FSR_SAME))
    CASE("convolve_valid", fsr_convolve(X1(F32, 9), X1(F32, 3), FSR_VALID))
    CASE("convolve_swapped", fsr_convolve(X1(I32, 3), X1(I32, 8), FSR_SAME))
    CASE("convolve_bool", fsr_convolve(X1(BOOL, 6), X1(BOOL, 2), FSR_FULL))
    CASE("convolve_mixed", fsr_convolve(X1(I8, 6), X1(F32, 2), FSR_FULL))
    CASE("convolve_infinite",
         fsr_convolve(X1(F64, 5), fsr_from_host(subject_g, FSR_F64, 1, SHAPE(2), (const double[]){1, INFINITY}),
                      FSR_FULL))
    CASE("convolve_one", fsr_convolve(I(3), X1(I32, 4), FSR_FULL))
    CASE("correlate_full", fsr_correlate(X1(F64, 9), X1(F64, 4), FSR_FULL))
    CASE("correlate_same", fsr_correlate(X1(I32, 9), X1(I32, 5), FSR_SAME))
    CASE("correlate_swapped", fsr_correlate(X1(I32, 4), X1(I32, 9), FSR_SAME))
    CASE("correlate_c128", fsr_correlate(X1(C128, 7), X1(C128, 3), FSR_VALID))
    CASE("correlate_c128_swapped", fsr_correlate(X1(C128, 3), X1(C128, 7), FSR_FULL))
    CASE("ediff1d", fsr_ediff1d(X2(I32, 2, 3), none, none))
    CASE("ediff1d_ends",
         fsr_ediff1d(X1(F64, 5), I(9), fsr_from_host(subject_g, FSR_I32, 1, SHAPE(2), (const int[]){8, 7})))
    return none;
}

static fsr_node matrices(const char *name) {
    CASE("diagonal", fsr_diagonal(X2(I32, 3, 5), 0, 0, 1))
    CASE("diagonal_up", fsr_diagonal(X2(I32, 3, 5), 2, 0, 1))
    CASE("diagonal_down", fsr_diagonal(X2(I32, 3, 5), -1, 0, 1))
    CASE("diagonal_none", fsr_diagonal(X2(I32, 3, 5), 7, 0, 1))
    CASE("diagonal_axes", fsr_diagonal(X3(I32, 2, 3, 4), 1, 2, 0))
    CASE("diag_of", fsr_diag(X2(F64, 4, 3), -1))
    CASE("diag_matrix", fsr_diag(X1(F64, 4), 0))
    CASE("diag_matrix_up", fsr_diag(X1(I32, 3), 2))
    CASE("diag_matrix_down", fsr_diag(X1(BOOL, 3), -1))
    CASE("trace", fsr_trace(X2(I8, 4, 5), 1, 0, 1))
    CASE("trace_axes", fsr_trace(X3(F64, 3, 2, 3), 0, 0, 2))
    CASE("tri", fsr_tri(subject_g, FSR_I32, 3, 5, 1))
    CASE("tri_none", fsr_tri(subject_g, FSR_F32, 3, 2, -9))
    CASE("outer", fsr_outer(X2(I32, 2, 2), X1(F32, 3)))
    CASE("kron", fsr_kron(X2(I32, 2, 3), X2(I32, 3, 2)))
    CASE("kron_ranks", fsr_kron(X1(F64, 2), X2(F64, 3, 2)))
    CASE("cross", fsr_cross(X2(F64, 4, 3), X1(F64, 3), -1))
    CASE("cross_axis", fsr_cross(X2(I32, 3, 4), fsr_flip(X2(I32, 3, 4), 1), 0))
    CASE("vecdot", fsr_vecdot(X2(C128, 3, 4), X1(C128, 4), -1))
    CASE("vecdot_i8", fsr_vecdot(fsr_mul(X1(I8, 50), I(3)), X1(I8, 50), 0))
    CASE("vander", fsr_vander(X1(F64, 4), 4, false))
    CASE("vander_increasing", fsr_vander(X1(I8, 3), 3, true))
    CASE("vander_one", fsr_vander(X1(F32, 3), 1, false))
    return none;
}

static fsr_node ranges(const char *name) {
    fsr_graph *g = subject_g;
    CASE("arange_f64", fsr_arange_step(g, FSR_F64, -1, 2, 0.3))
    CASE("arange_f32", fsr_arange_step(g, FSR_F32, 0, 1, 0.1))
    CASE("arange_down", fsr_arange_step(g, FSR_I32, 5, -7, -2))
    CASE("arange_none", fsr_arange_step(g, FSR_I64, 1, 0, 1))
    CASE("arange_same", fsr_arange_step(g, FSR_I16, 0, 3, 0.5))
    CASE("arange_f16", fsr_arange_step(g, FSR_F16, 0.1, 3, 0.25))
    CASE("arange_far", fsr_arange_step(g, FSR_F64, -9.870370370370371e-07, 1.5, 0.31415))
    CASE("logspace", fsr_logspace(g, FSR_F64, -1, 2, 7, true, 10))
    CASE("logspace_two", fsr_logspace(g, FSR_I32, 0, 4, 4, false, 2))
    CASE("geomspace", fsr_geomspace(g, FSR_F64, 1, 1000, 4, true))
    CASE("geomspace_down", fsr_geomspace(g, FSR_F64, -64, -1, 6, false))
    CASE("geomspace_one", fsr_geomspace(g, FSR_F64, 3, 5, 1, true))
    return none;
}

static fsr_node built(const char *name) {
    static fsr_node (*const groups[])(const char *) = {numbers, closeness, folds, neighbours, matrices, ranges};
    for (int i = 0; i < COUNT_OF(groups); i++) {
        fsr_node y = groups[i](name);
        if (y.graph)
            return y;
    }
    fail_msg("%s is no case", name);
    return none;
}

/* ---- comparing --------------------------------------------------------------------------------------------------- */

static bool rounds(const char *name) {
    static const char *const those[] = {"sinc", "convolve", "correlate", "vecdot", "logspace", "geomspace", "mean_as"};
    for (int i = 0; i < COUNT_OF(those); i++)
        if (!strncmp(name, those[i], strlen(those[i])))
            return true;
    return false;
}

static bool same(const char *name, fsr_dtype dtype, double want, double got) {
    const fsr_dtype part = fsr_dtype_real(dtype);
    const double unit = part == FSR_F16 ? 0x1p-10 : part == FSR_F32 ? FLT_EPSILON : part == FSR_F64 ? DBL_EPSILON : 0;
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (rounds(name) && isfinite(want))
        return fabs(want - got) <= 16 * unit * (1 + fabs(want));
    return want == got && (want != 0 || !signbit(want) == !signbit(got));
}

static char *word(char **line) {
    char *at = *line + strspn(*line, " \n");
    *line = at + strcspn(at, " \n");
    if (**line)
        *(*line)++ = 0;
    return at;
}

static int compare(const char *name, fsr_node y, char *line) {
    const fsr_dtype dtype = fsr_node_dtype(y);
    if (fsr_node_status(y) != FSR_OK || strcmp(fsr_dtype_name(dtype), word(&line)) != 0)
        fail_msg("%s: %s %s", name, fsr_node_status(y) ? "" : fsr_dtype_name(dtype), fsr_node_error(y));
    assert_int_equal(atoi(word(&line)), fsr_node_ndim(y));
    for (int i = 0; i < fsr_node_ndim(y); i++)
        assert_int_equal(atoi(word(&line)), fsr_node_dim(y, i));
    char *data = subject_read(y);
    int wrong = 0;
    for (int64_t i = 0; i < fsr_node_size(y); i++) {
        fsr_c128 got = fsr_value_to_complex(dtype, fsr_value_load(dtype, data, i));
        double re = strtod(word(&line), NULL), im = fsr_dtype_is_complex(dtype) ? strtod(word(&line), NULL) : 0;
        if (same(name, dtype, re, got.re) && same(name, dtype, im, got.im))
            continue;
        print_error("%s [%lld]: (%.17g, %.17g), NumPy says (%.17g, %.17g)\n", name, (long long)i, got.re, got.im, re,
                    im);
        wrong++;
    }
    free(data);
    return wrong;
}

static void builders_as_numpy(void **state) {
    (void)state;
    static char line[8192];
    int lines = 0, wrong = 0;
    FILE *file = fopen("tests/numpy/reach.txt", "r");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); lines++) {
        char *at = line;
        const char *name = word(&at);
        fsr_node y = built(name);
        wrong += compare(name, y, at);
        subject_verify(&y, 1, &name, "as the reference has it");
    }
    fclose(file);
    subject_count("cases of NumPy", lines);
    assert_in_range(lines, 100, 200);
    assert_int_equal(wrong, 0);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(builders_as_numpy),
};
SUBJECT_MAIN(tests)
