/* SPDX-License-Identifier: MIT */
/* What the library call "sparse" is told: equations of a triangle by rows, or a product with a vector.
 *
 * Arguments: offsets[n + 1] and columns[count], i32 or i64, values[count], then of equations sides[k, n], a right side
 * in each row, with a result like it; of a product x[m], and a result[n]. Offsets do not fall and lie from 0 to count,
 * columns inside of what they point into: who records the call sees to that, so no backend looks. Of equations elements
 * of the other triangle are not read; where an element of the diagonal is 0, or is not there, the result is anything.
 * A product's last argument, where there is one, is the same said with other nodes: a plan for a machine without the
 * library has that one in place of the call, and else the call without it (fusion/resolve.c).
 *
 * And the arguments of "segments": offsets[k + 1], i32 or i64, inside of the axis, values[n], and the same said with
 * other nodes; a result[k], the sum of values from each offset to the next one, where that is not before it.
 *
 * And those of "scatter_sum", both an array like the result: of f32 the sums as f64 adds them up one after the other,
 * of f64 with integers, a kernel for each of two; and the same with integers, plain, of f64 both by one kernel. A plan
 * for a machine that combines floats in an order of its own has the first in place of the call, any other the plain
 * one. */
#ifndef FUSOR_GRAPH_SPARSE_H
#define FUSOR_GRAPH_SPARSE_H

#include "graph/library.h"

/* Its words, which are 0 or 1: a product; of equations the triangle is the upper one; the diagonal is 1 and is not
 * read. */
typedef enum fsr_sparse_word {
    FSR_SPARSE_PRODUCT,
    FSR_SPARSE_UPPER,
    FSR_SPARSE_UNIT,
    FSR_SPARSE_WORDS
} fsr_sparse_word;
/* Its arguments; the last one is a product's alone. */
typedef enum fsr_sparse_arg {
    FSR_SPARSE_OFFSETS,
    FSR_SPARSE_COLUMNS,
    FSR_SPARSE_VALUES,
    FSR_SPARSE_X,
    FSR_SPARSE_PLAIN
} fsr_sparse_arg;
typedef enum fsr_segments_arg { FSR_SEGMENTS_OFFSETS, FSR_SEGMENTS_VALUES, FSR_SEGMENTS_PLAIN } fsr_segments_arg;
typedef enum fsr_scatter_sum_arg { FSR_SCATTER_SUM_ADDED, FSR_SCATTER_SUM_PLAIN } fsr_scatter_sum_arg;

/* The argument of a call that says the same with other nodes, where it has so many; -1: none does. */
static inline int fsr_library_plain(fsr_library library) {
    return library == FSR_LIBRARY_SPARSE        ? (int)FSR_SPARSE_PLAIN
           : library == FSR_LIBRARY_SEGMENTS    ? (int)FSR_SEGMENTS_PLAIN
           : library == FSR_LIBRARY_SCATTER_SUM ? (int)FSR_SCATTER_SUM_PLAIN
                                                : -1;
}
/* The argument that stands in place of the call where a machine has it; -1: the call does. */
static inline int fsr_library_instead(fsr_library library) {
    return library == FSR_LIBRARY_SCATTER_SUM ? (int)FSR_SCATTER_SUM_ADDED : -1;
}

#endif
