/* SPDX-License-Identifier: MIT */
/* What the library call "sparse_solve" is told: equations whose matrix is a triangle by rows.
 *
 * Arguments: offsets[n + 1] and columns[count], i32 or i64, values[count], sides[k, n], a right side in each row. The
 * result is of the sides' dtype and shape. Offsets do not fall and lie from 0 to count, columns from 0 to n - 1: who
 * records the call sees to that, so no backend looks. Elements of the other triangle are not read. Where an element of
 * the diagonal is 0, or is not there, the result is anything. */
#ifndef FUSOR_GRAPH_SPARSE_H
#define FUSOR_GRAPH_SPARSE_H

#include "graph/called.h"

/* Its words, which are 0 or 1: the triangle is the upper one; the diagonal is 1 and is not read. */
typedef enum fsr_sparse_word { FSR_SPARSE_UPPER, FSR_SPARSE_UNIT, FSR_SPARSE_WORDS } fsr_sparse_word;

#endif
