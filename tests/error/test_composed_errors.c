/* SPDX-License-Identifier: MIT */
/* Misuses of the builders that are compositions: one exact status and message each, with the name of what was
 * called. */
#include "tests/support/nodes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT fsr_here("prog.c", 12)

static fsr_graph_owner *owner;
static fsr_graph *g;
static fsr_node m34, v5, flags, empty, deep, wide;
static const fsr_node none = {0};

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    m34 = INPUT(g, FSR_F32, 3, 4);
    v5 = INPUT(g, FSR_F32, 5);
    flags = INPUT(g, FSR_BOOL, 5);
    empty = INPUT(g, FSR_F32, 0);
    deep = INPUT(g, FSR_F32, 1, 1, 1, 1, 2);
    wide = INPUT(g, FSR_F64, 65);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

static fsr_node modf_of(fsr_node x) {
    fsr_node out[2];
    fsr_modf_at(AT, x, &out[0], &out[1]);
    assert_int_equal(fsr_node_status(out[0]), fsr_node_status(out[1]));
    return out[0];
}

/* What a call gave, and what it must say. */
static void expect(fsr_node x, fsr_status status, const char *message) {
    assert_string_equal(fsr_node_error(x), message);
    assert_int_equal(fsr_node_status(x), status);
    assert_int_equal(fsr_node_status(fsr_neg(x)), status);
}

static void of_numbers(void **state) {
    (void)state;
    expect(fsr_around_at(AT, flags, 1), FSR_ERR_DTYPE, "around: bool[5] has no decimals (prog.c:12)");
    expect(fsr_rint_at(AT, none), FSR_ERR_NULL, "");
    expect(modf_of(fsr_cast(v5, FSR_C64)), FSR_ERR_DTYPE, "trunc: not defined for c64[5] (prog.c:12)");
    expect(fsr_isclose_at(AT, v5, m34, 0, 0, false), FSR_ERR_SHAPE,
           "sub: shapes f32[5] and f32[3,4] do not broadcast (prog.c:12)");
    expect(fsr_isclose_at(AT, none, v5, 0, 0, false), FSR_ERR_NULL, "isclose: operand 1 is a null handle (prog.c:12)");
    expect(fsr_gcd_at(AT, v5, v5), FSR_ERR_DTYPE, "gcd: not defined for f32[5] and f32[5] (prog.c:12)");
    expect(fsr_lcm_at(AT, flags, flags), FSR_ERR_DTYPE, "lcm: not defined for bool[5] and bool[5] (prog.c:12)");
}

static void of_folds(void **state) {
    (void)state;
    const int far = 2;
    expect(fsr_sum_as_at(AT, v5, FSR_DTYPE_COUNT, NULL, 0, 0), FSR_ERR_DTYPE,
           "sum_as: 15 is no dtype (for f32[5]) (prog.c:12)");
    expect(fsr_mean_as_at(AT, v5, (fsr_dtype)-1, NULL, 0, 0), FSR_ERR_DTYPE,
           "mean_as: -1 is no dtype (for f32[5]) (prog.c:12)");
    expect(fsr_prod_as_at(AT, m34, FSR_F64, &far, 1, 0), FSR_ERR_AXIS, "prod_as: f32[3,4] has no axis 2 (prog.c:12)");
    expect(fsr_cumsum_as_at(AT, v5, FSR_F64, NULL, 0, FSR_KEEPDIMS), FSR_ERR_VALUE,
           "cumsum_as: unknown flags 1 for f32[5] (prog.c:12)");
    expect(fsr_cumprod_as_at(AT, v5, FSR_DTYPE_COUNT, NULL, 0, 0), FSR_ERR_DTYPE,
           "cumprod_as: 15 is no dtype (for f32[5]) (prog.c:12)");
}

static void of_neighbours(void **state) {
    (void)state;
    expect(fsr_gradient_at(AT, v5, 1, 1, 1), FSR_ERR_AXIS, "gradient: f32[5] has no axis 1 (prog.c:12)");
    expect(fsr_gradient_at(AT, v5, 1, 0, 3), FSR_ERR_VALUE,
           "gradient: the order at the edges of f32[5] is 3, not 1 or 2 (prog.c:12)");
    expect(fsr_gradient_at(AT, fsr_slice(v5, 0, 0, 2, 1), 1, 0, 2), FSR_ERR_SHAPE,
           "gradient: axis 0 of f32[2] has less than 3 elements (prog.c:12)");
    expect(fsr_gradient_at(AT, flags, 1, 0, 1), FSR_ERR_DTYPE, "gradient: not defined for bool[5] (prog.c:12)");
    fsr_node slopes[3] = {v5, v5, v5};
    fsr_gradients_at(AT, slopes, m34, NULL, (int[]){0, -2}, 2, 1);
    expect(slopes[1], FSR_ERR_AXIS, "gradients: axis 0 of f32[3,4] is named twice (prog.c:12)");
    fsr_gradients_at(AT, slopes, m34, NULL, NULL, 3, 1);
    expect(slopes[2], FSR_ERR_AXIS, "gradients: f32[3,4] has 2 axes, not 3 (prog.c:12)");
    fsr_gradients_at(AT, slopes, m34, NULL, (int[]){0, 2}, 2, 1);
    expect(slopes[0], FSR_ERR_AXIS, "gradients: f32[3,4] has no axis 2 (prog.c:12)");
    fsr_gradients_at(AT, slopes, m34, NULL, NULL, 2, 0);
    expect(slopes[0], FSR_ERR_VALUE, "gradient: the order at the edges of f32[3,4] is 0, not 1 or 2 (prog.c:12)");
    fsr_gradients_at(AT, slopes, none, NULL, NULL, 2, 1);
    expect(slopes[1], FSR_ERR_NULL, "");
    expect(fsr_ediff1d_at(AT, flags, none, none), FSR_ERR_DTYPE, "ediff1d: not defined for bool[5] (prog.c:12)");
    expect(fsr_ediff1d_at(AT, none, none, v5), FSR_ERR_NULL, "ediff1d: operand 1 is a null handle (prog.c:12)");
    expect(fsr_convolve_at(AT, m34, v5, FSR_FULL), FSR_ERR_SHAPE,
           "convolve: f32[3,4] is not of one dimension (prog.c:12)");
    expect(fsr_convolve_at(AT, v5, empty, FSR_FULL), FSR_ERR_EMPTY, "convolve: f32[0] has no element (prog.c:12)");
    expect(fsr_convolve_at(AT, v5, v5, (fsr_overlap)3), FSR_ERR_VALUE,
           "convolve: 3 is no overlap (for f32[5]) (prog.c:12)");
    expect(fsr_correlate_at(AT, wide, wide, FSR_SAME), FSR_ERR_UNSUPPORTED,
           "correlate: f64[65] and f64[65]: the shorter has more than 64 elements; by a Fourier transform more "
           "are possible (prog.c:12)");
}

static void of_matrices(void **state) {
    (void)state;
    expect(fsr_diagonal_at(AT, v5, 0, 0, 1), FSR_ERR_SHAPE,
           "diagonal: f32[5] has less than two dimensions (prog.c:12)");
    expect(fsr_diagonal_at(AT, m34, 0, 1, -1), FSR_ERR_AXIS, "diagonal: axis 1 of f32[3,4] is named twice (prog.c:12)");
    expect(fsr_trace_at(AT, m34, 0, 0, 2), FSR_ERR_AXIS, "diagonal: f32[3,4] has no axis 2 (prog.c:12)");
    expect(fsr_diag_at(AT, deep, 0), FSR_ERR_SHAPE, "diag: f32[1,1,1,1,2] is not of one or two dimensions (prog.c:12)");
    expect(fsr_diag_at(AT, v5, INT64_MIN), FSR_ERR_SIZE,
           "diag: the size of f32[9223372036854775807,9223372036854775807] overflows (prog.c:12)");
    expect(fsr_kron_at(AT, m34, deep), FSR_ERR_UNSUPPORTED,
           "kron: f32[3,4] and f32[1,1,1,1,2] have more than 4 dimensions (prog.c:12)");
    expect(fsr_cross_at(AT, m34, v5, -1), FSR_ERR_SHAPE, "cross: axis 1 of f32[3,4] has not 3 elements (prog.c:12)");
    expect(fsr_vecdot_at(AT, m34, v5, -1), FSR_ERR_SHAPE,
           "vecdot: axis -1 of f32[3,4] and of f32[5] has not as many elements (prog.c:12)");
    expect(fsr_vander_at(AT, m34, 3, false), FSR_ERR_SHAPE, "vander: f32[3,4] is not of one dimension (prog.c:12)");
    expect(fsr_vander_at(AT, v5, -1, false), FSR_ERR_VALUE, "vander: -1 columns of f32[5] (prog.c:12)");
    expect(fsr_update_at(AT, m34, fsr_diagonal(m34, 0, 0, 1), v5), FSR_ERR_VALUE,
           "update: the section f32[3] is a diagonal of f32[3,4] (prog.c:12)");
}

static void of_ranges(void **state) {
    (void)state;
    expect(fsr_arange_step_at(AT, g, FSR_F64, 0, 1, 0), FSR_ERR_VALUE,
           "arange_step: from 0 to 1 in steps of 0 (prog.c:12)");
    expect(fsr_arange_step_at(AT, g, FSR_F64, 0, NAN, 1), FSR_ERR_VALUE,
           "arange_step: from 0 to nan in steps of 1 (prog.c:12)");
    expect(fsr_arange_step_at(AT, g, FSR_F64, 0, 1e300, 1), FSR_ERR_SIZE,
           "arange_step: from 0 to 1e+300 in steps of 1 (prog.c:12)");
    expect(fsr_arange_step_at(AT, g, FSR_BOOL, 0, 2, 1), FSR_ERR_DTYPE, "arange_step: bool does not count (prog.c:12)");
    expect(fsr_geomspace_at(AT, g, FSR_F64, 0, 1, 3, true), FSR_ERR_VALUE,
           "geomspace: no power of ten is 0 (from 0 to 1) (prog.c:12)");
    expect(fsr_logspace_at(AT, g, FSR_F64, 0, 1, -3, true, 10), FSR_ERR_SIZE,
           "logspace: the shape [-3] has a negative extent (prog.c:12)");
    expect(fsr_tri_at(AT, g, FSR_DTYPE_COUNT, 1, 1, 0), FSR_ERR_DTYPE, "tri: 15 is no dtype (prog.c:12)");
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {TEST(of_numbers), TEST(of_folds), TEST(of_neighbours), TEST(of_matrices),
                                       TEST(of_ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
