/* SPDX-License-Identifier: MIT */
/* What the library call "sparse" is told: equations of a triangle by rows, or a product with a vector.
 *
 * Arguments: offsets[n + 1] and columns[count], i32 or i64, values[count], then of equations sides[k, n], a right side
 * in each row, with a result like it; of a product x[m], and a result[n]. Offsets do not fall and lie from 0 to count,
 * columns inside of what they point into: who records the call sees to that, so no backend looks. Of equations elements
 * of the other triangle are not read; where an element of the diagonal is 0, or is not there, the result is anything.
 * A product's last argument, where there is one, is the same said with other nodes: a plan for a machine without the
 * library has that one in place of the call, and else the call without it (fusion/resolve.c). */
#ifndef FUSOR_GRAPH_SPARSE_H
#define FUSOR_GRAPH_SPARSE_H

#include "graph/called.h"

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

#endif
