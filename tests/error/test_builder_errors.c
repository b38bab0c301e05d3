/* SPDX-License-Identifier: MIT */
/* One misuse of the builder, one exact status and message. */
#include "tests/support/nodes.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT fsr_here("prog.c", 12)

static fsr_graph_owner *owner;
static fsr_graph *g, *other;
static fsr_node m34, v5, b3, u3, i3, f0, none, foreign, stale, deep;

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    other = fsr_graph_create(owner);
    m34 = INPUT(g, FSR_F32, 3, 4);
    v5 = INPUT(g, FSR_F32, 5);
    b3 = INPUT(g, FSR_BOOL, 3);
    u3 = INPUT(g, FSR_U8, 3);
    i3 = INPUT(g, FSR_I32, 3);
    f0 = fsr_full(g, FSR_F32, 0, NULL, 1);
    none = INPUT(g, FSR_F32, 0, 3);
    deep = INPUT(g, FSR_F32, 1, 1, 1, 1, 1, 1, 1, 2);
    foreign = INPUT(other, FSR_F64, 3);
    fsr_scope_begin(g);
    stale = fsr_int(g, 1);
    fsr_scope_end(g, NULL, 0);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

/* ---- misuses: each gives the node that the mistake gives --------------------------------------------- */

static fsr_node two_shapes(void) {
    return fsr_add_at(AT, m34, v5);
}
static fsr_node three_shapes(void) {
    return fsr_where_at(AT, b3, m34, v5);
}
static fsr_node sub_bools(void) {
    return fsr_sub_at(AT, b3, b3);
}
static fsr_node neg_bool(void) {
    return fsr_neg_at(AT, b3);
}
static fsr_node pow_negative(void) {
    return fsr_pow_at(AT, i3, fsr_full(g, FSR_I32, 1, (int64_t[]){3}, -2));
}
static fsr_node shift_floats(void) {
    return fsr_left_shift_at(AT, f0, i3);
}
static fsr_node ldexp_by_float(void) {
    return fsr_ldexp_at(AT, v5, v5);
}
static fsr_node frexp_complex(void) {
    fsr_node m, e, z = fsr_mul(v5, fsr_complex(g, 0, 1));
    fsr_frexp_at(AT, z, &m, &e);
    assert_string_equal(fsr_node_error(e), "frexp_exponent: not defined for c64[5] (prog.c:12)");
    return m;
}
static fsr_node fma_bools(void) {
    return fsr_fma_at(AT, b3, b3, b3);
}
static fsr_node literal_too_large(void) {
    return fsr_add_at(AT, u3, fsr_int(g, 256));
}
static fsr_node literal_negative(void) {
    return fsr_mul_at(AT, fsr_int(g, -1), u3);
}
static fsr_node literal_arithmetic(void) {
    return fsr_maximum_at(AT, i3, fsr_mul(fsr_int(g, 65536), fsr_int(g, 65536)));
}
static fsr_node literal_in_where(void) {
    return fsr_where_at(AT, b3, u3, fsr_int(g, 1000));
}
static fsr_node two_graphs(void) {
    return fsr_add_at(AT, m34, foreign);
}
static fsr_node two_graphs_turned(void) {
    return fsr_add_at(AT, foreign, m34);
}
static fsr_node null_operand(void) {
    return fsr_add_at(AT, m34, (fsr_node){0});
}
static fsr_node only_null_operands(void) {
    return fsr_add_at(AT, (fsr_node){0}, (fsr_node){0});
}
static fsr_node stale_operand(void) {
    return fsr_mul_at(AT, stale, m34);
}
static fsr_node only_stale_operand(void) {
    return fsr_neg_at(AT, stale);
}
static fsr_node no_such_output(void) {
    fsr_node x = m34;
    x.output = 3;
    return fsr_neg_at(AT, x);
}
static fsr_node result_too_large(void) {
    fsr_node a = fsr_input(g, "a", FSR_F64, 2, SHAPE(1LL << 31, 1)),
             b = fsr_input(g, "b", FSR_F64, 1, SHAPE(1LL << 31));
    return fsr_add_at(AT, a, b);
}
static fsr_node cast_to_nothing(void) {
    return fsr_cast_at(AT, m34, (fsr_dtype)99);
}
static fsr_node cast_too_large(void) {
    return fsr_cast_at(AT, fsr_input(g, "a", FSR_U8, 1, SHAPE(1LL << 61)), FSR_F32);
}
static fsr_node input_dtype(void) {
    return fsr_input_at(AT, g, "x", (fsr_dtype)99, 0, NULL);
}
static fsr_node input_negative(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 2, SHAPE(3, -2));
}
static fsr_node input_overflow(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 2, SHAPE(INT64_MAX, 2));
}
static fsr_node input_bytes_overflow(void) {
    return fsr_input_at(AT, g, "x", FSR_F64, 1, SHAPE(1LL << 60));
}
static fsr_node input_empty_overflow(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 3, SHAPE(1LL << 40, 0, 1LL << 40));
}
static fsr_node input_dimensions(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 9, SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1));
}
static fsr_node input_negative_ndim(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, -1, NULL);
}
static fsr_node input_no_shape(void) {
    return fsr_input_at(AT, g, "x", FSR_F32, 1, NULL);
}
static fsr_node input_no_name(void) {
    return fsr_input_at(AT, g, NULL, FSR_F32, 0, NULL);
}
static fsr_node input_empty_name(void) {
    return fsr_input_at(AT, g, "", FSR_F32, 0, NULL);
}
static fsr_node input_bad_name(void) {
    return fsr_input_at(AT, g, "a b", FSR_F32, 0, NULL);
}
static fsr_node param_long_name(void) {
    return fsr_param_at(AT, g, "a23456789_123456789_123456789_123456789_123456789_123456789_1234", FSR_F32, 1);
}
static fsr_node param_dtype(void) {
    return fsr_param_at(AT, g, "p", (fsr_dtype)-1, 1);
}
static fsr_node param_of_dtype(void) {
    return fsr_param_of_at(AT, g, "p", (fsr_dtype)99, &(double){1});
}
static fsr_node param_of_name(void) {
    return fsr_param_of_at(AT, g, NULL, FSR_F64, &(double){1});
}
static fsr_node param_of_null(void) {
    return fsr_param_of_at(AT, g, "p", FSR_F64, NULL);
}
static fsr_node full_of_null(void) {
    return fsr_full_of_at(AT, g, FSR_I64, 1, SHAPE(3), NULL);
}
static fsr_node full_negative(void) {
    return fsr_full_at(AT, g, FSR_F32, 1, SHAPE(-1), 0);
}
static fsr_node less_complex(void) {
    return fsr_less_at(AT, INPUT(g, FSR_C64, 3), INPUT(g, FSR_F32, 3));
}
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
static fsr_node complex_of_complex(void) {
    return fsr_complex_of_at(AT, INPUT(g, FSR_C64, 3), INPUT(g, FSR_F32, 3));
}
static fsr_node sign_bool(void) {
    return fsr_sign_at(AT, INPUT(g, FSR_BOOL, 3));
}
static fsr_node arange_bool(void) {
    return fsr_arange_at(AT, g, FSR_BOOL, 2);
}
static fsr_node arange_negative(void) {
    return fsr_arange_at(AT, g, FSR_I32, -5);
}
static fsr_node reshape_size(void) {
    return fsr_reshape_at(AT, m34, 2, SHAPE(5, 2));
}
static fsr_node reshape_two_holes(void) {
    return fsr_reshape_at(AT, m34, 2, SHAPE(-1, -1));
}
static fsr_node reshape_no_fit(void) {
    return fsr_reshape_at(AT, m34, 2, SHAPE(-1, 5));
}
static fsr_node reshape_zero_hole(void) {
    return fsr_reshape_at(AT, none, 2, SHAPE(-1, 0));
}
static fsr_node reshape_negative(void) {
    return fsr_reshape_at(AT, m34, 2, SHAPE(-2, -6));
}
static fsr_node reshape_null(void) {
    return fsr_reshape_at(AT, m34, 2, NULL);
}
static fsr_node reshape_dimensions(void) {
    return fsr_reshape_at(AT, m34, 9, SHAPE(12, 1, 1, 1, 1, 1, 1, 1, 1));
}
static fsr_node transpose_twice(void) {
    return fsr_transpose_at(AT, m34, AXES(1, -1));
}
static fsr_node transpose_range(void) {
    return fsr_transpose_at(AT, m34, AXES(0, 2));
}
static fsr_node broadcast_no_fit(void) {
    return fsr_broadcast_to_at(AT, m34, 2, SHAPE(6, 4));
}
static fsr_node broadcast_fewer(void) {
    return fsr_broadcast_to_at(AT, m34, 1, SHAPE(4));
}
static fsr_node broadcast_shrinks(void) {
    return fsr_broadcast_to_at(AT, v5, 1, SHAPE(1));
}
static fsr_node expand_range(void) {
    return fsr_expand_at(AT, m34, 3);
}
static fsr_node expand_dimensions(void) {
    return fsr_expand_at(AT, deep, 0);
}
static fsr_node squeeze_extent(void) {
    return fsr_squeeze_at(AT, m34, -1);
}
static fsr_node squeeze_range(void) {
    return fsr_squeeze_at(AT, f0, 0);
}
static fsr_node flip_range(void) {
    return fsr_flip_at(AT, v5, -2);
}
static fsr_node slice_step(void) {
    return fsr_slice_at(AT, v5, 0, 0, 3, 0);
}
static fsr_node slice_range(void) {
    return fsr_slice_at(AT, v5, 1, 0, 3, 1);
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
static fsr_node poisoned_operand(void) {
    return fsr_exp(fsr_mul(fsr_int(g, 2), fsr_sum(fsr_add_at(AT, m34, v5), NULL, 0, 0)));
}
static fsr_node first_poison(void) {
    return fsr_add(fsr_cast_at(AT, m34, (fsr_dtype)99), fsr_add(m34, v5));
}

/* ---- operator bodies ---------------------------------------------------------------------------------- */

static void body_nothing(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)out, (void)l, (void)r, (void)user;
}
static void body_add(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(l[0], r[0]);
}
static void body_less(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_less(l[0], r[0]);
}
static void body_weak_float(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)l, (void)r, (void)user;
    out[0] = fsr_float(g, 2);
}
static void body_outer(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_add(l[0], v5);
}
static void body_param(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_add(l[0], fsr_param(g, "p", FSR_F32, 1));
}
static void body_computed(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r;
    out[0] = fsr_add(l[0], *(const fsr_node *)user);
}
static void body_reduces(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_squeeze(fsr_sum(fsr_reshape(l[0], 1, SHAPE(1)), NULL, 0, FSR_KEEPDIMS), 0);
}
static void body_poison(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_cast_at(fsr_here("body.c", 3), l[0], (fsr_dtype)99);
}
static void body_foreign(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)l, (void)r, (void)user;
    out[0] = fsr_full(other, FSR_F32, 0, NULL, 1);
}
static void body_ends_scope(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(l[0], r[0]);
    fsr_scope_end(g, NULL, 0);
}
static void body_swaps_scopes(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    body_ends_scope(out, l, r, user);
    fsr_scope_begin(g);
    out[0] = fsr_full(g, FSR_F32, 0, NULL, 1);
}
static void body_leaves_scopes_open(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    fsr_scope_begin(g);
    fsr_scope_begin(g);
    body_add(out, l, r, user);
}
static void body_stale(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    fsr_scope_begin(g);
    body_add(out, l, r, user);
    fsr_scope_end(g, NULL, 0);
}
static void body_long(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    out[0] = fsr_add(l[0], r[0]);
    for (int i = 0; i < *(int *)user; i++)
        out[0] = fsr_mul(fsr_exp(out[0]), r[0]);
}
static void body_frees_graph(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_add(l[0], r[0]);
    fsr_graph_free(l[0].graph);
}
/* A reduction inside a body: its own body may not use the outer one's arguments. */
static fsr_node outer_argument;
static void body_inner(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    out[0] = fsr_add(l[0], outer_argument);
}
static void body_nested(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)r, (void)user;
    fsr_operator inner = {body_inner, NULL, 1, {0}, true, {NULL}};
    outer_argument = l[0];
    fsr_node vector = fsr_reshape(l[0], 1, SHAPE(1));
    fsr_reduce_with_at(fsr_here("body.c", 7), sizeof(fsr_operator), out, &vector, &inner, NULL, 0, 0);
}

static fsr_node with(fsr_operator_fn body, fsr_node x, void *user) {
    fsr_node out = m34;
    fsr_operator op = {body, user, 1, {0}, true, {NULL}};
    fsr_reduce_with_at(AT, sizeof(fsr_operator), &out, &x, &op, NULL, 0, 0);
    return out;
}
static fsr_node op_nothing(void) {
    return with(body_nothing, v5, NULL);
}
static fsr_node op_less(void) {
    return with(body_less, v5, NULL);
}
static fsr_node op_weak_float(void) {
    return with(body_weak_float, i3, NULL);
}
static fsr_node op_outer(void) {
    return with(body_outer, v5, NULL);
}
static fsr_node op_param(void) {
    return with(body_param, v5, NULL);
}
static fsr_node op_computed(void) {
    fsr_node sum = fsr_sum(v5, NULL, 0, 0);
    return with(body_computed, v5, &sum);
}
static fsr_node op_reduces(void) {
    return with(body_reduces, v5, NULL);
}
static fsr_node op_poison(void) {
    return with(body_poison, v5, NULL);
}
static fsr_node op_foreign(void) {
    return with(body_foreign, v5, NULL);
}
static fsr_node op_ends_scope(void) {
    return with(body_ends_scope, v5, NULL);
}
static fsr_node op_swaps_scopes(void) {
    return with(body_swaps_scopes, v5, NULL);
}
static fsr_node op_stale(void) {
    return with(body_stale, v5, NULL);
}
static fsr_node op_long(void) {
    return with(body_long, v5, &(int){40});
}
static fsr_node op_very_long(void) {
    return with(body_long, v5, &(int){4000});
}
static fsr_node op_nested(void) {
    return with(body_nested, v5, NULL);
}
static fsr_node op_null_body(void) {
    return with(NULL, v5, NULL);
}
static fsr_node op_null_operand(void) {
    return with(body_add, (fsr_node){0}, NULL);
}
static fsr_node op_poisoned_operand(void) {
    return with(body_add, fsr_add_at(AT, m34, v5), NULL);
}
static fsr_node op_null(void) {
    fsr_node out, x = v5;
    fsr_scan_with_at(AT, sizeof(fsr_operator), &out, &x, NULL, AXES(0), 1, 0);
    return out;
}
static fsr_node op_arity(void) {
    fsr_node out, x = v5;
    fsr_operator op = {body_add, NULL, 5, {0}, true, {NULL}};
    fsr_reduce_with_at(AT, sizeof(fsr_operator), &out, &x, &op, NULL, 0, 0);
    return out;
}
static fsr_node op_shapes(void) {
    fsr_node out[2], in[2] = {v5, m34};
    fsr_operator op = {body_add, NULL, 2, {0}, true, {NULL}};
    fsr_scan_with_at(AT, sizeof(fsr_operator), out, in, &op, AXES(0), 1, 0);
    assert_int_equal(fsr_node_status(out[0]), fsr_node_status(out[1]));
    return out[1];
}
static fsr_node op_axis(void) {
    fsr_node out, x = v5;
    fsr_operator op = {body_add, NULL, 1, {0}, true, {NULL}};
    fsr_scan_with_at(AT, sizeof(fsr_operator), &out, &x, &op, AXES(1), 1, 0);
    return out;
}
static fsr_node op_flags(void) {
    fsr_node out, x = v5;
    fsr_operator op = {body_add, NULL, 1, {0}, true, {NULL}};
    fsr_reduce_with_at(AT, sizeof(fsr_operator), &out, &x, &op, NULL, 0, 7);
    return out;
}

typedef struct misuse {
    fsr_node (*make)(void);
    fsr_status status;
    const char *message;
} misuse;

#define OUTSIDE "the operator's body uses something else than its arguments and literals (prog.c:12)"

static const misuse misuses[] = {
    {two_shapes, FSR_ERR_SHAPE, "add: shapes f32[3,4] and f32[5] do not broadcast (prog.c:12)"},
    {three_shapes, FSR_ERR_SHAPE, "where: shapes bool[3], f32[3,4] and f32[5] do not broadcast (prog.c:12)"},
    {sub_bools, FSR_ERR_DTYPE, "sub: not defined for bool[3] and bool[3] (prog.c:12)"},
    {neg_bool, FSR_ERR_DTYPE, "neg: not defined for bool[3] (prog.c:12)"},
    {pow_negative, FSR_ERR_VALUE, "pow: an integer array has no power -2 (prog.c:12)"},
    {shift_floats, FSR_ERR_DTYPE, "left_shift: not defined for f32[] and i32[3] (prog.c:12)"},
    {ldexp_by_float, FSR_ERR_DTYPE, "ldexp: not defined for f32[5] and f32[5] (prog.c:12)"},
    {frexp_complex, FSR_ERR_DTYPE, "frexp_mantissa: not defined for c64[5] (prog.c:12)"},
    {fma_bools, FSR_ERR_DTYPE, "fma: not defined for bool[3], bool[3] and bool[3] (prog.c:12)"},
    {literal_too_large, FSR_ERR_VALUE, "add: the literal 256 does not fit u8 (prog.c:12)"},
    {literal_negative, FSR_ERR_VALUE, "mul: the literal -1 does not fit u8 (prog.c:12)"},
    {literal_arithmetic, FSR_ERR_VALUE, "maximum: the literal 4294967296 does not fit i32 (prog.c:12)"},
    {literal_in_where, FSR_ERR_VALUE, "where: the literal 1000 does not fit u8 (prog.c:12)"},
    {two_graphs, FSR_ERR_GRAPH, "add: operand 2, f64[3], belongs to another graph (prog.c:12)"},
    {two_graphs_turned, FSR_ERR_GRAPH, "add: operand 2, f32[3,4], belongs to another graph (prog.c:12)"},
    {null_operand, FSR_ERR_NULL, "add: operand 2 is a null handle (prog.c:12)"},
    {only_null_operands, FSR_ERR_NULL, ""},
    {stale_operand, FSR_ERR_STALE, "mul: operand 1 is a stale handle (prog.c:12)"},
    {only_stale_operand, FSR_ERR_STALE, "neg: operand 1 is a stale handle (prog.c:12)"},
    {no_such_output, FSR_ERR_STALE, "neg: operand 1 is a stale handle (prog.c:12)"},
    {result_too_large, FSR_ERR_SIZE, "add: the size of f64[2147483648,2147483648] overflows (prog.c:12)"},
    {cast_to_nothing, FSR_ERR_DTYPE, "cast: 99 is no dtype (prog.c:12)"},
    {cast_too_large, FSR_ERR_SIZE, "cast: the size of f32[2305843009213693952] overflows (prog.c:12)"},
    {input_dtype, FSR_ERR_DTYPE, "input: 99 is no dtype (prog.c:12)"},
    {input_negative, FSR_ERR_SIZE, "input: the shape [3,-2] has a negative extent (prog.c:12)"},
    {input_overflow, FSR_ERR_SIZE, "input: the size of f32[9223372036854775807,2] overflows (prog.c:12)"},
    {input_bytes_overflow, FSR_ERR_SIZE, "input: the size of f64[1152921504606846976] overflows (prog.c:12)"},
    {input_empty_overflow, FSR_ERR_SIZE, "input: the size of f32[1099511627776,0,1099511627776] overflows (prog.c:12)"},
    {input_dimensions, FSR_ERR_SHAPE, "input: 9 dimensions; at most 8 are possible (prog.c:12)"},
    {input_negative_ndim, FSR_ERR_SHAPE, "input: -1 dimensions; at most 8 are possible (prog.c:12)"},
    {input_no_shape, FSR_ERR_NULL, "input: the shape is null (prog.c:12)"},
    {input_no_name, FSR_ERR_NULL, "input: the name is null (prog.c:12)"},
    {input_empty_name, FSR_ERR_VALUE, "input: the name \"\" is not 1 to 63 letters, digits and _ (prog.c:12)"},
    {input_bad_name, FSR_ERR_VALUE, "input: the name \"a b\" is not 1 to 63 letters, digits and _ (prog.c:12)"},
    {param_long_name, FSR_ERR_VALUE,
     "param: the name \"a23456789_123456789_123456789_123456789_123456789_123456789_1234\" is not 1 to 63 letters, "
     "digits and _ (prog.c:12)"},
    {param_dtype, FSR_ERR_DTYPE, "param: -1 is no dtype (prog.c:12)"},
    {full_negative, FSR_ERR_SIZE, "full: the shape [-1] has a negative extent (prog.c:12)"},
    {less_complex, FSR_ERR_DTYPE, "less: not defined for c64[3] and f32[3] (prog.c:12)"},
    {min_complex, FSR_ERR_DTYPE, "min: not defined for c128[3] (prog.c:12)"},
    {nanmin_complex, FSR_ERR_DTYPE, "nanmin: not defined for c128[3] (prog.c:12)"},
    {logsumexp_complex, FSR_ERR_DTYPE, "logsumexp: not defined for c64[3] (prog.c:12)"},
    {logsumexp_complex_long, FSR_ERR_DTYPE, "logsumexp: not defined for c64[9000] (prog.c:12)"},
    {argmax_complex, FSR_ERR_DTYPE, "argmax: not defined for c64[3] (prog.c:12)"},
    {cummax_complex, FSR_ERR_DTYPE, "cummax: not defined for c64[3] (prog.c:12)"},
    {complex_of_complex, FSR_ERR_DTYPE, "complex_of: not defined for c64[3] and f32[3] (prog.c:12)"},
    {sign_bool, FSR_ERR_DTYPE, "sign: not defined for bool[3] (prog.c:12)"},
    {arange_bool, FSR_ERR_DTYPE, "arange: bool does not count (prog.c:12)"},
    {arange_negative, FSR_ERR_SIZE, "arange: the shape [-5] has a negative extent (prog.c:12)"},
    {reshape_size, FSR_ERR_SHAPE, "reshape: f32[3,4] does not have the elements of [5,2] (prog.c:12)"},
    {reshape_two_holes, FSR_ERR_SHAPE, "reshape: more than one new extent of f32[3,4] is -1 (prog.c:12)"},
    {reshape_no_fit, FSR_ERR_SHAPE, "reshape: f32[3,4] has no extent that fits the -1 (prog.c:12)"},
    {reshape_zero_hole, FSR_ERR_SHAPE, "reshape: f32[0,3] has no extent that fits the -1 (prog.c:12)"},
    {reshape_negative, FSR_ERR_SIZE, "reshape: the shape [-2,-6] has a negative extent (prog.c:12)"},
    {reshape_null, FSR_ERR_NULL, "reshape: the shape is null (prog.c:12)"},
    {reshape_dimensions, FSR_ERR_SHAPE, "reshape: 9 dimensions; at most 8 are possible (prog.c:12)"},
    {transpose_twice, FSR_ERR_AXIS, "transpose: axis 1 of f32[3,4] is named twice (prog.c:12)"},
    {transpose_range, FSR_ERR_AXIS, "transpose: f32[3,4] has no axis 2 (prog.c:12)"},
    {broadcast_no_fit, FSR_ERR_SHAPE, "broadcast_to: f32[3,4] does not broadcast to [6,4] (prog.c:12)"},
    {broadcast_fewer, FSR_ERR_SHAPE, "broadcast_to: f32[3,4] does not broadcast to [4] (prog.c:12)"},
    {broadcast_shrinks, FSR_ERR_SHAPE, "broadcast_to: f32[5] does not broadcast to [1] (prog.c:12)"},
    {expand_range, FSR_ERR_AXIS, "expand: f32[3,4] has no axis 3 (prog.c:12)"},
    {expand_dimensions, FSR_ERR_SHAPE, "expand: f32[1,1,1,1,1,1,1,2] already has 8 dimensions (prog.c:12)"},
    {squeeze_extent, FSR_ERR_SHAPE, "squeeze: axis 1 of f32[3,4] does not have extent 1 (prog.c:12)"},
    {squeeze_range, FSR_ERR_AXIS, "squeeze: f32[] has no axis 0 (prog.c:12)"},
    {flip_range, FSR_ERR_AXIS, "flip: f32[5] has no axis -2 (prog.c:12)"},
    {slice_step, FSR_ERR_VALUE, "slice: the step is 0 (of f32[5]) (prog.c:12)"},
    {slice_range, FSR_ERR_AXIS, "slice: f32[5] has no axis 1 (prog.c:12)"},
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
    {param_of_dtype, FSR_ERR_DTYPE, "param_of: 99 is no dtype (prog.c:12)"},
    {param_of_name, FSR_ERR_NULL, "param_of: the name is null (prog.c:12)"},
    {param_of_null, FSR_ERR_NULL, "param_of: the value is null (prog.c:12)"},
    {full_of_null, FSR_ERR_NULL, "full_of: the value is null (prog.c:12)"},
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
    {poisoned_operand, FSR_ERR_SHAPE, "add: shapes f32[3,4] and f32[5] do not broadcast (prog.c:12)"},
    {first_poison, FSR_ERR_DTYPE, "cast: 99 is no dtype (prog.c:12)"},
    {op_nothing, FSR_ERR_NULL, "reduce_with: result 0 of the operator's body is a null handle (prog.c:12)"},
    {op_less, FSR_ERR_DTYPE, "reduce_with: result 0 of the operator's body is bool, not f32 (prog.c:12)"},
    {op_weak_float, FSR_ERR_DTYPE, "reduce_with: result 0 of the operator's body is f64, not i32 (prog.c:12)"},
    {op_outer, FSR_ERR_VALUE, "reduce_with: " OUTSIDE},
    {op_param, FSR_ERR_VALUE, "reduce_with: " OUTSIDE},
    {op_computed, FSR_ERR_VALUE, "reduce_with: " OUTSIDE},
    {op_reduces, FSR_ERR_VALUE, "reduce_with: " OUTSIDE},
    {op_poison, FSR_ERR_DTYPE, "reduce_with: in the operator's body: cast: 99 is no dtype (body.c:3) (prog.c:12)"},
    {op_foreign, FSR_ERR_GRAPH, "reduce_with: result 0 of the operator's body belongs to another graph (prog.c:12)"},
    {op_ends_scope, FSR_ERR_SCOPE, "reduce_with: the operator's body ended a scope that it did not begin (prog.c:12)"},
    {op_swaps_scopes, FSR_ERR_SCOPE,
     "reduce_with: the operator's body ended a scope that it did not begin (prog.c:12)"},
    {op_stale, FSR_ERR_STALE, "reduce_with: result 0 of the operator's body is a stale handle (prog.c:12)"},
    {op_long, FSR_ERR_UNSUPPORTED, "reduce_with: the operator's body is too long (prog.c:12)"},
    {op_very_long, FSR_ERR_UNSUPPORTED, "reduce_with: the operator's body is too long (prog.c:12)"},
    {op_nested, FSR_ERR_VALUE,
     "reduce_with: in the operator's body: reduce_with: the operator's body uses something else than its arguments and "
     "literals (body.c:7) (prog.c:12)"},
    {op_null_body, FSR_ERR_NULL, "reduce_with: the operator or its body is null (prog.c:12)"},
    {op_null_operand, FSR_ERR_NULL, ""},
    {op_poisoned_operand, FSR_ERR_SHAPE, "add: shapes f32[3,4] and f32[5] do not broadcast (prog.c:12)"},
    {op_null, FSR_ERR_NULL, "scan_with: the operator or its body is null (prog.c:12)"},
    {op_arity, FSR_ERR_VALUE, "reduce_with: the operator's arity 5 is not 1 to 4 (prog.c:12)"},
    {op_shapes, FSR_ERR_SHAPE, "scan_with: the operands' shapes differ: f32[5] and f32[3,4] (prog.c:12)"},
    {op_axis, FSR_ERR_AXIS, "scan_with: f32[5] has no axis 1 (prog.c:12)"},
    {op_flags, FSR_ERR_VALUE, "reduce_with: unknown flags 7 for f32[5] (prog.c:12)"},
};

static bool queries_refuse(fsr_node x) {
    return fsr_node_dtype(x) == FSR_DTYPE_COUNT && fsr_node_ndim(x) == -1 && fsr_node_size(x) == -1 &&
           fsr_node_bytes(x) == -1 && fsr_node_dim(x, 0) == -1;
}

static void every_misuse(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        fsr_node x = misuses[i].make();
        if (fsr_node_status(x) == misuses[i].status && !strcmp(fsr_node_error(x), misuses[i].message) &&
            queries_refuse(x))
            continue;
        wrong++;
        print_error("%d \"%s\"\n   not %d \"%s\"\n", fsr_node_status(x), fsr_node_error(x), misuses[i].status,
                    misuses[i].message);
    }
    assert_int_equal(wrong, 0);
    char why[200];
    if (fsr_graph_verify(g, why, sizeof why))
        fail_msg("%s", why);
    assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_ERR_SCOPE);
    assert_int_equal(fsr_node_status(fsr_add(m34, m34)), FSR_OK);
}

/* A mistake records one node, what is built on it none. */
static void poison_is_one_node(void **state) {
    (void)state;
    fsr_node bad = fsr_add(m34, v5);
    int64_t before = fsr_graph_live(g);
    for (int i = 0; i < 1000; i++)
        bad = fsr_var(fsr_reshape(fsr_cumsum(fsr_exp(bad), AXES(0), 1, 0), 0, NULL), NULL, 0, 0, 0);
    assert_int_equal(fsr_graph_live(g), before);
}

static void bodies_leave_nothing_behind(void **state) {
    (void)state;
    int64_t before = fsr_graph_live(g);
    fsr_node y = with(body_leaves_scopes_open, v5, NULL);
    assert_int_equal(fsr_node_status(y), FSR_OK);
    assert_int_equal(fsr_graph_live(g), before + 2);
    assert_int_equal(fsr_scope_end(g, NULL, 0), FSR_ERR_SCOPE);
}

static void body_frees_its_graph(void **state) {
    (void)state;
    fsr_graph *own = fsr_graph_create(owner);
    fsr_node y = with(body_frees_graph, INPUT(own, FSR_F32, 4), NULL);
    assert_int_equal(fsr_node_status(y), FSR_ERR_NULL);
    assert_false(fsr_graph_alive(own));
}

/* The operand itself goes when the body ends the caller's scope. */
static void body_ends_the_callers_scope(void **state) {
    (void)state;
    fsr_scope_begin(g);
    fsr_node mine = fsr_neg(v5), out;
    fsr_operator op = {body_swaps_scopes, NULL, 1, {0}, true, {NULL}};
    fsr_scan_with(&out, &mine, &op, AXES(0), 1, 0);
    assert_int_equal(fsr_node_status(out), FSR_ERR_SCOPE);
    fsr_scope_end(g, NULL, 0);
}

static void null_places(void **state) {
    (void)state;
    fsr_operator op = {body_add, NULL, 1, {0}, true, {NULL}};
    fsr_node out = m34;
    fsr_reduce_with(NULL, &v5, &op, NULL, 0, 0);
    fsr_scan_with(NULL, &v5, &op, AXES(0), 1, 0);
    fsr_reduce_with(&out, NULL, &op, NULL, 0, 0);
    assert_null(out.graph);
    assert_null(fsr_float(NULL, 1).graph);
    assert_null(fsr_full(NULL, FSR_F32, 1, SHAPE(3), 1).graph);
    assert_null(fsr_arange(NULL, FSR_F32, 3).graph);
    assert_null(fsr_param(NULL, "p", FSR_F32, 3).graph);
    assert_null(fsr_sum(out, NULL, 0, 0).graph);
    assert_null(fsr_argmax(out, NULL, 0, 0).graph);
    assert_null(fsr_var(out, NULL, 0, 0, 0).graph);
    assert_null(fsr_reshape(out, 0, NULL).graph);
    assert_null(fsr_cast(out, FSR_F32).graph);
    assert_null(fsr_hint_set(out, FSR_HINT_INLINE).graph);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_misuse),         TEST(poison_is_one_node),          TEST(bodies_leave_nothing_behind),
        TEST(body_frees_its_graph), TEST(body_ends_the_callers_scope), TEST(null_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
