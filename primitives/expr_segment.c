/* SPDX-License-Identifier: MIT */
/* name(...): segments by offsets, and products of matrices by rows, which an expression has as three arrays. */
#include "fusor/segments.h"
#include "primitives/expr_shape.h"

#define OF_OFFSETS(name)                                         \
    static fsr_node name(const fsr_shape_call *s) {              \
        return fsr_segment_##name##_at(s->at, s->x[0], s->x[1]); \
    }
OF_OFFSETS(sum)
OF_OFFSETS(prod)
OF_OFFSETS(min)
OF_OFFSETS(max)
OF_OFFSETS(argmin)
OF_OFFSETS(argmax)
OF_OFFSETS(first)
OF_OFFSETS(last)
OF_OFFSETS(median)

static fsr_node cumsum(const fsr_shape_call *s) {
    return fsr_segment_cumsum_at(s->at, s->x[0], s->x[1], 0);
}
static fsr_node sort(const fsr_shape_call *s) {
    return fsr_segment_sort_at(s->at, s->x[0], s->x[1], 0);
}
static fsr_node argsort(const fsr_shape_call *s) {
    return fsr_segment_argsort_at(s->at, s->x[0], s->x[1], 0);
}

/* The matrix has as many columns as the last operand has rows, and a row less than it has offsets. */
static fsr_node csr_dot(const fsr_shape_call *s) {
    const fsr_rec *offsets = fsr_node_rec(s->x[0]), *x = fsr_node_rec(s->x[3]);
    const int64_t rows = offsets && offsets->shape.ndim == 1 ? offsets->shape.dim[0] - 1 : 0;
    const fsr_csr a = {s->x[0], s->x[1], s->x[2], rows, x && x->shape.ndim ? x->shape.dim[0] : 0};
    return fsr_csr_dot_at(s->at, &a, s->x[3]);
}

const fsr_shape_row fsr_shape_segments[] = {
    {.name = "segment_sum", sum, 2, 2, 2},       {.name = "segment_prod", prod, 2, 2, 2},
    {.name = "segment_min", min, 2, 2, 2},       {.name = "segment_max", max, 2, 2, 2},
    {.name = "segment_argmin", argmin, 2, 2, 2}, {.name = "segment_argmax", argmax, 2, 2, 2},
    {.name = "segment_first", first, 2, 2, 2},   {.name = "segment_last", last, 2, 2, 2},
    {.name = "segment_median", median, 2, 2, 2}, {.name = "segment_cumsum", cumsum, 2, 2, 2},
    {.name = "segment_sort", sort, 2, 2, 2},     {.name = "segment_argsort", argsort, 2, 2, 2},
    {.name = "csr_dot", csr_dot, 4, 4, 4},       {.name = NULL},
};
