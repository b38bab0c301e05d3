/* SPDX-License-Identifier: MIT */
/* Misuses of reductions and scans. */
#include "tests/error/misuse.h"

static fsr_node min_complex(void) {
    return fsr_min_at(AT, INPUT(g, FSR_C128, 3), NULL, 0, 0);
}
static fsr_node nanmin_complex(void) {
    return fsr_nanmin_at(AT, INPUT(g, FSR_C128, 3), AXES(0), 0, 0);
}
static fsr_node logsumexp_complex(void) {
    return fsr_logsumexp_at(AT, INPUT(g, FSR_C64, 3), NULL, 0, 0);
}
static fsr_node logsumexp_complex_long(void) {
    return fsr_logsumexp_at(AT, INPUT(g, FSR_C64, 9000), NULL, 0, 0);
}
static fsr_node argmax_complex(void) {
    return fsr_argmax_at(AT, INPUT(g, FSR_C64, 3), NULL, 0, 0);
}
static fsr_node cummax_complex(void) {
    return fsr_cummax_at(AT, INPUT(g, FSR_C64, 3), AXES(0), 1, 0);
}
static fsr_node sum_range(void) {
    return fsr_sum_at(AT, m34, AXES(2), 1, 0);
}
static fsr_node sum_twice(void) {
    return fsr_sum_at(AT, m34, AXES(0, -2), 2, 0);
}
static fsr_node sum_flags(void) {
    return fsr_sum_at(AT, m34, NULL, 0, FSR_EXCLUSIVE);
}
static fsr_node sum_count(void) {
    return fsr_sum_at(AT, m34, AXES(0), -1, 0);
}
static fsr_node max_empty(void) {
    return fsr_max_at(AT, none, NULL, 0, 0);
}
static fsr_node min_empty_axis(void) {
    return fsr_min_at(AT, none, AXES(0), 1, FSR_KEEPDIMS);
}
static fsr_node argmax_empty(void) {
    return fsr_argmax_at(AT, none, NULL, 0, 0);
}
static fsr_node cumprod_flags(void) {
    return fsr_cumprod_at(AT, m34, AXES(0), 1, FSR_REVERSE | FSR_KEEPDIMS);
}
static fsr_node cumany_axis(void) {
    return fsr_cumany_at(AT, m34, AXES(2), 1, FSR_REVERSE);
}
static fsr_node cummin_scalar(void) {
    return fsr_cummin_at(AT, f0, AXES(0), 1, 0);
}
static fsr_node argmin_empty(void) {
    return fsr_argmin_at(AT, none, NULL, 0, 0);
}
static fsr_node nanargmax_empty(void) {
    return fsr_nanargmax_at(AT, none, AXES(0), 1, FSR_KEEPDIMS);
}
static fsr_node ptp_empty(void) {
    return fsr_ptp_at(AT, none, NULL, 0, 0);
}
static fsr_node ptp_bool(void) {
    return fsr_ptp_at(AT, b3, NULL, 0, 0);
}
static fsr_node nanmin_empty(void) {
    return fsr_nanmin_at(AT, none, AXES(0), 1, 0);
}
static fsr_node norm_empty(void) {
    return fsr_norm_at(AT, none, NULL, 0, 0, HUGE_VAL);
}
static fsr_node norm_nan(void) {
    return fsr_norm_at(AT, m34, NULL, 0, 0, NAN);
}
static fsr_node norm_axis(void) {
    return fsr_norm_at(AT, m34, AXES(2), 1, 0, 1);
}
static fsr_node std_twice(void) {
    return fsr_std_at(AT, m34, AXES(1, -1), 2, 0, 0);
}
static fsr_node logsumexp_flags(void) {
    return fsr_logsumexp_at(AT, m34, NULL, 0, 4);
}
static fsr_node nanmean_axes(void) {
    return fsr_nanmean_at(AT, m34, AXES(0), -1, 0);
}
static fsr_node count_nonzero_axis(void) {
    return fsr_count_nonzero_at(AT, m34, AXES(-3), 1, 0);
}
static fsr_node average_shape(void) {
    return fsr_average_at(AT, m34, v5, NULL, 0, 0);
}
static fsr_node average_grows(void) {
    return fsr_average_at(AT, f0, m34, NULL, 0, 0);
}
static fsr_node average_graphs(void) {
    return fsr_average_at(AT, m34, foreign, NULL, 0, 0);
}
static fsr_node argmax_two(void) {
    return fsr_argmax_at(AT, m34, AXES(0, 1), 2, 0);
}
static fsr_node nanargmin_none(void) {
    return fsr_nanargmin_at(AT, m34, AXES(0), 0, 0);
}
static fsr_node cumsum_two(void) {
    return fsr_cumsum_at(AT, m34, AXES(0, 1), 2, 0);
}
static fsr_node cumall_none(void) {
    return fsr_cumall_at(AT, m34, AXES(0), 0, 0);
}
static fsr_node argmax_range(void) {
    return fsr_argmax_at(AT, m34, AXES(-3), 1, 0);
}
static fsr_node mean_range(void) {
    return fsr_mean_at(AT, f0, AXES(0), 1, 0);
}
static fsr_node var_twice(void) {
    return fsr_var_at(AT, m34, AXES(1, 1), 2, 0, 0);
}
static fsr_node cumsum_range(void) {
    return fsr_cumsum_at(AT, f0, AXES(0), 1, 0);
}
static fsr_node cumsum_flags(void) {
    return fsr_cumsum_at(AT, v5, AXES(0), 1, FSR_KEEPDIMS);
}

static const misuse misuses[] = {
    {min_complex, FSR_ERR_DTYPE, "min: not defined for c128[3] (prog.c:12)"},
    {nanmin_complex, FSR_ERR_DTYPE, "nanmin: not defined for c128[3] (prog.c:12)"},
    {logsumexp_complex, FSR_ERR_DTYPE, "logsumexp: not defined for c64[3] (prog.c:12)"},
    {logsumexp_complex_long, FSR_ERR_DTYPE, "logsumexp: not defined for c64[9000] (prog.c:12)"},
    {argmax_complex, FSR_ERR_DTYPE, "argmax: not defined for c64[3] (prog.c:12)"},
    {cummax_complex, FSR_ERR_DTYPE, "cummax: not defined for c64[3] (prog.c:12)"},
    {sum_range, FSR_ERR_AXIS, "sum: f32[3,4] has no axis 2 (prog.c:12)"},
    {sum_twice, FSR_ERR_AXIS, "sum: axis -2 of f32[3,4] is named twice (prog.c:12)"},
    {sum_flags, FSR_ERR_VALUE, "sum: unknown flags 2 for f32[3,4] (prog.c:12)"},
    {sum_count, FSR_ERR_VALUE, "sum: -1 axes (prog.c:12)"},
    {max_empty, FSR_ERR_EMPTY, "max: f32[0,3] has no element along the reduced axes (prog.c:12)"},
    {min_empty_axis, FSR_ERR_EMPTY, "min: f32[0,3] has no element along the reduced axes (prog.c:12)"},
    {argmax_empty, FSR_ERR_EMPTY, "argmax: f32[0,3] has no element along the reduced axes (prog.c:12)"},
    {cumprod_flags, FSR_ERR_VALUE, "cumprod: unknown flags 5 for f32[3,4] (prog.c:12)"},
    {argmax_two, FSR_ERR_AXIS, "argmax: along one axis, not 2 (prog.c:12)"},
    {nanargmin_none, FSR_ERR_AXIS, "nanargmin: along one axis, not 0 (prog.c:12)"},
    {cumsum_two, FSR_ERR_AXIS, "cumsum: along one axis, not 2 (prog.c:12)"},
    {cumall_none, FSR_ERR_AXIS, "cumall: along one axis, not 0 (prog.c:12)"},
    {cumany_axis, FSR_ERR_AXIS, "cumany: f32[3,4] has no axis 2 (prog.c:12)"},
    {cummin_scalar, FSR_ERR_AXIS, "cummin: f32[] has no axis 0 (prog.c:12)"},
    {argmin_empty, FSR_ERR_EMPTY, "argmin: f32[0,3] has no element along the reduced axes (prog.c:12)"},
    {nanargmax_empty, FSR_ERR_EMPTY, "nanargmax: f32[0,3] has no element along the reduced axes (prog.c:12)"},
    {ptp_empty, FSR_ERR_EMPTY, "ptp: f32[0,3] has no element along the reduced axes (prog.c:12)"},
    {ptp_bool, FSR_ERR_DTYPE, "sub: not defined for bool[] and bool[] (prog.c:12)"},
    {nanmin_empty, FSR_ERR_EMPTY, "nanmin: f32[0,3] has no element along the reduced axes (prog.c:12)"},
    {norm_empty, FSR_ERR_EMPTY, "norm: f32[0,3] has no element along the reduced axes (prog.c:12)"},
    {norm_nan, FSR_ERR_VALUE, "norm: the order is NaN (of f32[3,4]) (prog.c:12)"},
    {norm_axis, FSR_ERR_AXIS, "norm: f32[3,4] has no axis 2 (prog.c:12)"},
    {std_twice, FSR_ERR_AXIS, "std: axis -1 of f32[3,4] is named twice (prog.c:12)"},
    {logsumexp_flags, FSR_ERR_VALUE, "logsumexp: unknown flags 4 for f32[3,4] (prog.c:12)"},
    {nanmean_axes, FSR_ERR_VALUE, "nanmean: -1 axes (prog.c:12)"},
    {count_nonzero_axis, FSR_ERR_AXIS, "count_nonzero: f32[3,4] has no axis -3 (prog.c:12)"},
    {average_shape, FSR_ERR_SHAPE, "average: the weights f32[5] do not broadcast to f32[3,4] (prog.c:12)"},
    {average_grows, FSR_ERR_SHAPE, "average: the weights f32[3,4] do not broadcast to f32[] (prog.c:12)"},
    {average_graphs, FSR_ERR_GRAPH, "average: operand 2, f64[3], belongs to another graph (prog.c:12)"},
    {argmax_range, FSR_ERR_AXIS, "argmax: f32[3,4] has no axis -3 (prog.c:12)"},
    {mean_range, FSR_ERR_AXIS, "mean: f32[] has no axis 0 (prog.c:12)"},
    {var_twice, FSR_ERR_AXIS, "var: axis 1 of f32[3,4] is named twice (prog.c:12)"},
    {cumsum_range, FSR_ERR_AXIS, "cumsum: f32[] has no axis 0 (prog.c:12)"},
    {cumsum_flags, FSR_ERR_VALUE, "cumsum: unknown flags 1 for f32[5] (prog.c:12)"},
};

static void every_misuse(void **state) {
    (void)state;
    CHECK_MISUSES(misuses);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_misuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
