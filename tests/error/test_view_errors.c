/* SPDX-License-Identifier: MIT */
/* Misuses of views: reshape, transpose, broadcast and their like. */
#include "tests/error/misuse.h"

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

static const misuse misuses[] = {
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
};

static void every_misuse(void **state) {
    (void)state;
    CHECK_MISUSES(misuses);
}

int main(void) {
    const struct CMUnitTest tests[] = {TEST(every_misuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
