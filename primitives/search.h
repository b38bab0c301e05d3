/* SPDX-License-Identifier: MIT */
/* Searches in sorted arrays, as their builders have them among themselves. */
#ifndef FUSOR_PRIMITIVES_SEARCH_H
#define FUSOR_PRIMITIVES_SEARCH_H

#include "primitives/primitives.h"

/* How a search goes: numbers are compared as `dtype`, NaN behind every other one. */
typedef struct fsr_search {
    fsr_dtype dtype;
    bool right;          /* keys that equal the needle are before it */
    fsr_node descending; /* 0-d bool: the keys are in descending order; a zeroed node: they are not */
} fsr_search;

/* For each needle how many of the keys, one-dimensional, sorted and of real numbers, are before it: i64. Both are not
 * weak, or poisoned. */
fsr_node fsr_searched(fsr_site at, fsr_node keys, fsr_node needle, const fsr_search *how);

#endif
