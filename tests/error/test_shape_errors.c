/* SPDX-License-Identifier: MIT */
/* Misuses of the shape functions: one exact status and message each. */
#include "tests/support/nodes.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define AT fsr_here("prog.c", 12)

static fsr_graph_owner *owner;
static fsr_graph *g;
static fsr_node m34, v5, f0;

static int setup(void **state) {
    (void)state;
    g = node_graph(&owner);
    m34 = INPUT(g, FSR_F32, 3, 4);
    v5 = INPUT(g, FSR_F32, 5);
    f0 = fsr_full(g, FSR_F32, 0, NULL, 1);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_graph_owner_free(owner);
    return 0;
}

static fsr_node rows(void) {
    return fsr_slice(m34, 0, 1, 3, 1);
}

static fsr_node filter_shapes(void) {
    return fsr_filter_at(AT, m34, fsr_greater(v5, f0), f0);
}
static fsr_node filter_prefix(void) {
    return fsr_filter_at(AT, m34, fsr_greater(fsr_slice(fsr_sum(m34, &(int){1}, 1, 0), 0, 0, 3, 1), f0), f0);
}
static fsr_node filter_fill(void) {
    return fsr_filter_at(AT, v5, fsr_greater(v5, f0), v5);
}
static fsr_node filter_null(void) {
    return fsr_filter_at(AT, v5, (fsr_node){0}, f0);
}
static fsr_node update_other(void) {
    return fsr_update_at(AT, m34, v5, v5);
}
static fsr_node update_computed(void) {
    return fsr_update_at(AT, m34, fsr_neg(m34), m34);
}
static fsr_node update_reshaped(void) {
    return fsr_update_at(AT, m34, fsr_reshape(m34, 1, SHAPE(12)), f0);
}
static fsr_node update_broadcast(void) {
    return fsr_update_at(AT, v5, fsr_broadcast_to(v5, 2, SHAPE(2, 5)), f0);
}
static fsr_node update_shape(void) {
    return fsr_update_at(AT, m34, rows(), v5);
}
static fsr_node update_too_deep(void) {
    return fsr_update_at(AT, v5, fsr_slice(v5, 0, 0, 2, 1), fsr_reshape(m34, 3, SHAPE(2, 3, 2)));
}
static fsr_node update_null(void) {
    return fsr_update_at(AT, m34, rows(), (fsr_node){0});
}
static fsr_node concat_none(void) {
    return fsr_concat_at(AT, NULL, 0, 0);
}
static fsr_node concat_ranks(void) {
    return fsr_concat_at(AT, (fsr_node[]){m34, v5}, 2, 0);
}
static fsr_node concat_extents(void) {
    return fsr_concat_at(AT, (fsr_node[]){m34, fsr_transpose(m34, NULL)}, 2, 1);
}
static fsr_node concat_axis(void) {
    return fsr_concat_at(AT, (fsr_node[]){m34, m34}, 2, 2);
}
static fsr_node concat_scalars(void) {
    return fsr_concat_at(AT, (fsr_node[]){f0, f0}, 2, 0);
}
static fsr_node concat_null(void) {
    return fsr_concat_at(AT, (fsr_node[]){m34, {0}}, 2, 0);
}
static fsr_node concat_overflow(void) {
    fsr_node x = fsr_full(g, FSR_U8, 1, SHAPE(INT64_MAX / 2 + 1), 1);
    return fsr_concat_at(AT, (fsr_node[]){x, x}, 2, 0);
}
static fsr_node stack_shapes(void) {
    return fsr_stack_at(AT, (fsr_node[]){m34, rows()}, 2, 0);
}
static fsr_node stack_axis(void) {
    return fsr_stack_at(AT, (fsr_node[]){m34, m34}, 2, 3);
}
static fsr_node stack_deep(void) {
    fsr_node x = INPUT(g, FSR_F32, 1, 1, 1, 1, 1, 1, 1, 2);
    return fsr_stack_at(AT, (fsr_node[]){x, x}, 2, 0);
}
static fsr_node split_unequal(void) {
    fsr_node out[3];
    fsr_split_at(AT, out, m34, 3, 1);
    assert_int_equal(fsr_node_status(out[0]), fsr_node_status(out[2]));
    return out[2];
}
static fsr_node split_axis(void) {
    fsr_node out[2];
    fsr_split_at(AT, out, m34, 2, 2);
    return out[1];
}
static fsr_node split_null(void) {
    fsr_node out[2];
    fsr_split_indices_at(AT, out, m34, NULL, 1, 1);
    return out[1];
}
static fsr_node roll_axis(void) {
    return fsr_roll_at(AT, m34, SHAPE(1), AXES(2), 1);
}
static fsr_node roll_null(void) {
    return fsr_roll_at(AT, m34, NULL, AXES(0), 1);
}

static fsr_node pad_mode(void) {
    return fsr_pad_at(AT, v5, (const int64_t[][2]){{1, 1}}, (fsr_pad)5, 0);
}
static fsr_node pad_negative(void) {
    return fsr_pad_at(AT, v5, (const int64_t[][2]){{1, -1}}, FSR_PAD_EDGE, 0);
}
static fsr_node pad_null(void) {
    return fsr_pad_at(AT, v5, NULL, FSR_PAD_EDGE, 0);
}
static fsr_node pad_overflow(void) {
    return fsr_pad_at(AT, v5, (const int64_t[][2]){{INT64_MAX, 1}}, FSR_PAD_CONSTANT, 0);
}
static fsr_node pad_empty(void) {
    return fsr_pad_at(AT, fsr_slice(v5, 0, 0, 0, 1), (const int64_t[][2]){{1, 1}}, FSR_PAD_WRAP, 0);
}
static fsr_node pad_far(void) {
    return fsr_pad_at(AT, v5, (const int64_t[][2]){{1000, 1}}, FSR_PAD_WRAP, 0);
}
static fsr_node tile_negative(void) {
    return fsr_tile_at(AT, v5, 1, SHAPE(-1));
}
static fsr_node tile_many(void) {
    return fsr_tile_at(AT, v5, 9, SHAPE(1, 1, 1, 1, 1, 1, 1, 1, 1));
}
static fsr_node tile_overflow(void) {
    return fsr_tile_at(AT, v5, 1, SHAPE(INT64_MAX));
}
static fsr_node repeat_negative(void) {
    return fsr_repeat_at(AT, v5, -2, NULL);
}
static fsr_node repeat_axis(void) {
    return fsr_repeat_at(AT, v5, 2, AXES(1));
}
static fsr_node diff_negative(void) {
    return fsr_diff_at(AT, v5, -1, 0);
}
static fsr_node diff_axis(void) {
    return fsr_diff_at(AT, f0, 1, 0);
}
static fsr_node triu_scalar(void) {
    return fsr_triu_at(AT, f0, 0);
}
static fsr_node eye_negative(void) {
    return fsr_eye_at(AT, g, FSR_F32, 3, -1, 0);
}
static fsr_node linspace_negative(void) {
    return fsr_linspace_at(AT, g, FSR_F32, 0, 1, -1, true);
}
static fsr_node moveaxis_twice(void) {
    return fsr_moveaxis_at(AT, m34, AXES(0, -2), AXES(0, 1), 2);
}
static fsr_node swapaxes_axis(void) {
    return fsr_swapaxes_at(AT, m34, 0, 2);
}
static fsr_node meshgrid_matrix(void) {
    fsr_node out[2];
    fsr_meshgrid_at(AT, out, (fsr_node[]){v5, m34}, 2, 0);
    assert_int_equal(fsr_node_status(out[0]), fsr_node_status(out[1]));
    return out[1];
}
static fsr_node meshgrid_flags(void) {
    fsr_node out[2];
    fsr_meshgrid_at(AT, out, (fsr_node[]){v5, v5}, 2, 3);
    return out[0];
}

static fsr_node indices(int ndim, const int64_t *shape) {
    return fsr_cast(fsr_reshape(fsr_arange(g, FSR_I64, ndim > 1 ? shape[0] * shape[1] : shape[0]), ndim, shape),
                    FSR_I32);
}
static fsr_node take_floats(void) {
    return fsr_take_at(AT, m34, v5, 0, FSR_INDEX_RAISE);
}
static fsr_node take_mask(void) {
    return fsr_take_at(AT, v5, fsr_greater(v5, f0), 0, FSR_INDEX_RAISE);
}
static fsr_node take_axis(void) {
    return fsr_take_at(AT, m34, indices(1, SHAPE(2)), 2, FSR_INDEX_RAISE);
}
static fsr_node take_mode(void) {
    return fsr_take_at(AT, m34, indices(1, SHAPE(2)), 0, (fsr_index_mode)3);
}
static fsr_node take_empty(void) {
    return fsr_take_at(AT, fsr_slice(v5, 0, 2, 2, 1), indices(1, SHAPE(2)), 0, FSR_INDEX_CLIP);
}
static fsr_node take_null(void) {
    return fsr_take_at(AT, m34, (fsr_node){0}, 0, FSR_INDEX_RAISE);
}
static fsr_node take_deep(void) {
    fsr_node deep = indices(1, SHAPE(1));
    for (int i = 0; i < 7; i++)
        deep = fsr_expand(deep, 0);
    return fsr_take_at(AT, m34, deep, 0, FSR_INDEX_RAISE);
}
static fsr_node along_shape(void) {
    return fsr_take_along_axis_at(AT, m34, indices(2, SHAPE(2, 2)), 1, FSR_INDEX_RAISE);
}
static fsr_node along_ndim(void) {
    return fsr_take_along_axis_at(AT, m34, indices(1, SHAPE(3)), 1, FSR_INDEX_RAISE);
}
static fsr_node mul_order(void) {
    return fsr_scatter_mul_at(AT, v5, (fsr_node[]){indices(1, SHAPE(2))}, 1, f0, FSR_INDEX_RAISE, 0);
}
static fsr_node xor_floats(void) {
    return fsr_scatter_xor_at(AT, v5, (fsr_node[]){indices(1, SHAPE(2))}, 1, f0, FSR_INDEX_RAISE, 0);
}
static fsr_node add_unique(void) {
    return fsr_scatter_add_at(AT, v5, (fsr_node[]){indices(1, SHAPE(2))}, 1, f0, FSR_INDEX_RAISE, FSR_UNIQUE);
}
static fsr_node put_other_flags(void) {
    return fsr_scatter_at(AT, v5, (fsr_node[]){indices(1, SHAPE(2))}, 1, f0, FSR_INDEX_RAISE, FSR_UNIQUE | FSR_REVERSE);
}
static fsr_node put_values(void) {
    return fsr_scatter_at(AT, v5, (fsr_node[]){indices(1, SHAPE(2))}, 1, v5, FSR_INDEX_RAISE, FSR_UNIQUE);
}
static fsr_node put_mode(void) {
    return fsr_scatter_at(AT, v5, (fsr_node[]){indices(1, SHAPE(2))}, 1, f0, (fsr_index_mode)4, FSR_UNIQUE);
}
static fsr_node put_null(void) {
    return fsr_scatter_at(AT, v5, NULL, 1, f0, FSR_INDEX_RAISE, FSR_UNIQUE);
}
static fsr_node put_broadcast(void) {
    return fsr_put_along_axis_at(AT, fsr_slice(m34, 0, 0, 1, 1), indices(2, SHAPE(3, 2)), f0, 1, FSR_INDEX_RAISE,
                                 FSR_UNIQUE);
}
static fsr_node index_many(void) {
    fsr_node i = indices(1, SHAPE(2));
    return fsr_index_at(AT, v5, (fsr_node[]){i, i}, 2, FSR_INDEX_RAISE);
}
static fsr_node index_none(void) {
    return fsr_index_at(AT, v5, NULL, 1, FSR_INDEX_RAISE);
}
static fsr_node index_broadcast(void) {
    return fsr_index_at(AT, m34, (fsr_node[]){indices(1, SHAPE(2)), indices(1, SHAPE(3))}, 2, FSR_INDEX_RAISE);
}
static fsr_node dynamic_size(void) {
    fsr_node zero = fsr_int(g, 0);
    return fsr_dynamic_slice_at(AT, m34, (fsr_node[]){zero, zero}, SHAPE(3, 5));
}
static fsr_node dynamic_start(void) {
    return fsr_dynamic_slice_at(AT, v5, (fsr_node[]){indices(1, SHAPE(1))}, SHAPE(2));
}

static fsr_node dynamic_part(void) {
    fsr_node zero = fsr_int(g, 0);
    return fsr_dynamic_update_at(AT, m34, v5, (fsr_node[]){zero, zero});
}
static fsr_node dynamic_null(void) {
    return fsr_dynamic_update_at(AT, v5, v5, NULL);
}

static const struct {
    fsr_node (*make)(void);
    fsr_status status;
    const char *message;
} misuses[] = {
    {update_other, FSR_ERR_VALUE,
     "update: the section f32[5] is not f32[3,4] or a slice, transpose, flip, expand or squeeze of it (prog.c:12)"},
    {update_computed, FSR_ERR_VALUE,
     "update: the section f32[3,4] is not f32[3,4] or a slice, transpose, flip, expand or squeeze of it (prog.c:12)"},
    {update_reshaped, FSR_ERR_VALUE,
     "update: the section f32[12] is not f32[3,4] or a slice, transpose, flip, expand or squeeze of it (prog.c:12)"},
    {update_broadcast, FSR_ERR_VALUE,
     "update: the section f32[2,5] shows an element more than once of f32[5] (prog.c:12)"},
    {update_shape, FSR_ERR_SHAPE, "update: f32[5] does not broadcast to the section [2,4] (prog.c:12)"},
    {update_too_deep, FSR_ERR_SHAPE, "update: f32[2,3,2] does not broadcast to the section [2] (prog.c:12)"},
    {take_floats, FSR_ERR_DTYPE, "take: f32[5] are no indices (prog.c:12)"},
    {take_mask, FSR_ERR_DTYPE, "take: bool[5] are no indices; fsr_filter takes a mask (prog.c:12)"},
    {take_axis, FSR_ERR_AXIS, "take: f32[3,4] has no axis 2 (prog.c:12)"},
    {take_mode, FSR_ERR_VALUE, "take: there is no mode 3 (prog.c:12)"},
    {take_empty, FSR_ERR_INDEX, "take: axis 0 of f32[0] has no elements (prog.c:12)"},
    {take_null, FSR_ERR_NULL, "take: operand 2 is a null handle (prog.c:12)"},
    {take_deep, FSR_ERR_SHAPE, "take: the result would have 9 dimensions, at most 8 (prog.c:12)"},
    {along_shape, FSR_ERR_SHAPE, "take_along_axis: i64[2,2] does not fit f32[3,4] apart from axis 1 (prog.c:12)"},
    {along_ndim, FSR_ERR_SHAPE, "take_along_axis: i64[3] does not fit f32[3,4] apart from axis 1 (prog.c:12)"},
    {mul_order, FSR_ERR_UNSUPPORTED,
     "scatter_mul: a product of floats is rounded in the order in which they come: FSR_UNORDERED says that this may "
     "differ "
     "(prog.c:12)"},
    {xor_floats, FSR_ERR_DTYPE, "scatter_xor: not defined for f32[5] (prog.c:12)"},
    {add_unique, FSR_ERR_VALUE, "scatter_add: there are no flags 8 (prog.c:12)"},
    {put_other_flags, FSR_ERR_VALUE, "scatter: there are no flags 12 (prog.c:12)"},
    {put_values, FSR_ERR_SHAPE, "scatter: f32[5] does not broadcast to [2] (prog.c:12)"},
    {put_mode, FSR_ERR_VALUE, "scatter: there is no mode 4 (prog.c:12)"},
    {put_null, FSR_ERR_NULL, "scatter: 1 arrays of indices (prog.c:12)"},
    {put_broadcast, FSR_ERR_SHAPE, "put_along_axis: f32[1,4] has no element of its own for each of [3,2] (prog.c:12)"},
    {index_many, FSR_ERR_SHAPE, "index: 2 arrays of indices into f32[5] (prog.c:12)"},
    {index_none, FSR_ERR_NULL, "index: 1 arrays of indices (prog.c:12)"},
    {index_broadcast, FSR_ERR_SHAPE, "index: indices 1, i64[3], do not broadcast with [2] before (prog.c:12)"},
    {dynamic_size, FSR_ERR_VALUE, "dynamic_slice: size 5 along axis 1 of f32[3,4] (prog.c:12)"},
    {dynamic_part, FSR_ERR_SHAPE, "dynamic_update: f32[5] does not fit into f32[3,4] (prog.c:12)"},
    {dynamic_null, FSR_ERR_NULL, "dynamic_update: the starts are null (prog.c:12)"},
    {dynamic_start, FSR_ERR_SHAPE, "dynamic_slice: start 0, i64[1], is not 0-d (prog.c:12)"},
    {filter_shapes, FSR_ERR_SHAPE, "filter: the mask bool[5] does not have the shape of f32[3,4] (prog.c:12)"},
    {filter_prefix, FSR_ERR_SHAPE, "filter: the mask bool[3] does not have the shape of f32[3,4] (prog.c:12)"},
    {filter_fill, FSR_ERR_SHAPE, "filter: the fill f32[5] is not 0-d (prog.c:12)"},
    {filter_null, FSR_ERR_NULL, "filter: operand 2 is a null handle (prog.c:12)"},
    {update_null, FSR_ERR_NULL, "update: operand 3 is a null handle (prog.c:12)"},
    {concat_none, FSR_ERR_NULL, ""},
    {concat_ranks, FSR_ERR_SHAPE, "concat: f32[3,4] and f32[5] differ beside the axis joined (prog.c:12)"},
    {concat_extents, FSR_ERR_SHAPE, "concat: f32[3,4] and f32[4,3] differ beside the axis joined (prog.c:12)"},
    {concat_axis, FSR_ERR_AXIS, "concat: f32[3,4] has no axis 2 (prog.c:12)"},
    {concat_scalars, FSR_ERR_AXIS, "concat: f32[] has no axis 0 (prog.c:12)"},
    {concat_null, FSR_ERR_NULL, "concat: operand 2 is a null handle (prog.c:12)"},
    {concat_overflow, FSR_ERR_SIZE, "concat: the size of u8[9223372036854775807] overflows (prog.c:12)"},
    {stack_shapes, FSR_ERR_SHAPE, "stack: f32[3,4] and f32[2,4] have different shapes (prog.c:12)"},
    {stack_axis, FSR_ERR_AXIS, "stack: f32[3,4] has no axis 3 (prog.c:12)"},
    {stack_deep, FSR_ERR_SHAPE, "expand: f32[1,1,1,1,1,1,1,2] already has 8 dimensions (prog.c:12)"},
    {split_unequal, FSR_ERR_VALUE, "split: axis 1 of f32[3,4] does not divide into 3 equal parts (prog.c:12)"},
    {split_axis, FSR_ERR_AXIS, "split: f32[3,4] has no axis 2 (prog.c:12)"},
    {split_null, FSR_ERR_NULL, "split_indices: the indices are null (prog.c:12)"},
    {roll_axis, FSR_ERR_AXIS, "roll: f32[3,4] has no axis 2 (prog.c:12)"},
    {pad_mode, FSR_ERR_VALUE, "pad: 5 is no mode (prog.c:12)"},
    {pad_negative, FSR_ERR_VALUE, "pad: a negative width along axis 0 of f32[5] (prog.c:12)"},
    {pad_null, FSR_ERR_NULL, "pad: the widths of f32[5] are null (prog.c:12)"},
    {pad_overflow, FSR_ERR_SIZE, "pad: the size of f32[9223372036854775807] overflows (prog.c:12)"},
    {pad_empty, FSR_ERR_VALUE, "pad: axis 0 of f32[0] has nothing to extend it with (prog.c:12)"},
    {pad_far, FSR_ERR_UNSUPPORTED, "pad: axis 0 of f32[5] would be repeated more than 64 times (prog.c:12)"},
    {tile_negative, FSR_ERR_VALUE, "tile: a negative number of repetitions of f32[5] (prog.c:12)"},
    {tile_many, FSR_ERR_SHAPE, "tile: 9 repetitions; 0 to 8 are possible (prog.c:12)"},
    {tile_overflow, FSR_ERR_SIZE, "tile: the size of f32[9223372036854775807] overflows (prog.c:12)"},
    {repeat_negative, FSR_ERR_VALUE, "repeat: -2 repetitions of f32[5] (prog.c:12)"},
    {repeat_axis, FSR_ERR_AXIS, "repeat: f32[5] has no axis 1 (prog.c:12)"},
    {diff_negative, FSR_ERR_VALUE, "diff: -1 differences of f32[5] (prog.c:12)"},
    {diff_axis, FSR_ERR_AXIS, "diff: f32[] has no axis 0 (prog.c:12)"},
    {triu_scalar, FSR_ERR_SHAPE, "triu: f32[] has no dimensions (prog.c:12)"},
    {eye_negative, FSR_ERR_SIZE, "eye: the shape [3,-1] has a negative extent (prog.c:12)"},
    {linspace_negative, FSR_ERR_SIZE, "linspace: the shape [-1] has a negative extent (prog.c:12)"},
    {moveaxis_twice, FSR_ERR_AXIS, "moveaxis: axis -2 of f32[3,4] is named twice (prog.c:12)"},
    {swapaxes_axis, FSR_ERR_AXIS, "swapaxes: f32[3,4] has no axis 2 (prog.c:12)"},
    {meshgrid_matrix, FSR_ERR_SHAPE, "meshgrid: f32[3,4] has more than one dimension (prog.c:12)"},
    {meshgrid_flags, FSR_ERR_VALUE, "meshgrid: unknown flags 3 for f32[5] (prog.c:12)"},
    {roll_null, FSR_ERR_NULL, "roll: the shifts of f32[3,4] are null (prog.c:12)"},
};

static void each_misuse(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof misuses / sizeof *misuses; i++) {
        fsr_node x = misuses[i].make();
        assert_string_equal(fsr_node_error(x), misuses[i].message);
        assert_int_equal(fsr_node_status(x), misuses[i].status);
        if (misuses[i].message[0])
            assert_int_equal(fsr_node_status(fsr_neg(x)), misuses[i].status);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_setup_teardown(each_misuse, setup, teardown)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
