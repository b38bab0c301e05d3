/* SPDX-License-Identifier: MIT */
/* Operands at the edges of a dtype: every pair of its edge values, then random bits. */
#ifndef FUSOR_TESTS_SUPPORT_EDGES_H
#define FUSOR_TESTS_SUPPORT_EDGES_H

#include "fusor/dtype.h"
#include <stdint.h>

/* Elements that edges_fill makes. */
int64_t edges_count(fsr_dtype dtype);
/* Operand 0, 1 or 2: 0 and 1 together go through every pair of values, 2 through the values in another order. data
 * holds edges_count(dtype) elements. */
void edges_fill(void *data, fsr_dtype dtype, int operand);

#endif
