/* SPDX-License-Identifier: MIT */
/* What the library call "matmul" is told. */
#ifndef FUSOR_GRAPH_MATMUL_H
#define FUSOR_GRAPH_MATMUL_H

#include "graph/called.h"

/* A product of matrices as a library computes it: of elements of two arrays in C order, at offsets and strides.
 * c[i, j] = sum of a[i, p] b[p, j], and that for each of the batches. These are the words of a matmul's attributes, in
 * this order. */
typedef struct fsr_matmul {
    int64_t m, n, k;
    int64_t a_offset, a_flipped, a_lead; /* flipped: a's columns are contiguous, element [i, p] stands at i + p * lead;
                                            else at p + i * lead */
    int64_t b_offset, b_flipped, b_lead;
    int64_t c_lead;
    int64_t batches[5], a_step[5], b_step[5], c_step[5]; /* outermost first; extents 1 that are not needed */
} fsr_matmul;
enum { FSR_MATMUL_WORDS = (int)(sizeof(fsr_matmul) / sizeof(int64_t)), FSR_MATMUL_BATCHES = 5 };

static inline const fsr_matmul *fsr_matmul_of(const fsr_called *called) {
    return (const fsr_matmul *)called->what.attributes;
}

/* What is wrong with it between arrays of so many elements, in words; NULL: nothing. */
const char *fsr_matmul_check(const fsr_matmul *m, int64_t a, int64_t b, int64_t c);
/* The innermost batches have equal steps; how many sets of those there are, and the offsets of set i in a, b and c. */
int64_t fsr_matmul_sets(const fsr_matmul *m);
void fsr_matmul_set(const fsr_matmul *m, int64_t i, int64_t offset[3]);

#endif
