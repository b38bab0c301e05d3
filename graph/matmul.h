/* SPDX-License-Identifier: MIT */
/* What the library calls "matmul" and "matmul_epilogue" are told. */
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

/* c[i, j] = scale * (that sum) + bias[j], of one product in f32 whose rows lie behind one another; without a third
 * argument no bias. What "matmul_epilogue" is told: the words of a matmul come first. */
typedef struct fsr_epilogue {
    fsr_matmul product;
    int64_t scale;       /* an f32's bits */
    int64_t bias_offset; /* of the row's first element in its array */
} fsr_epilogue;
enum { FSR_EPILOGUE_WORDS = (int)(sizeof(fsr_epilogue) / sizeof(int64_t)) };

/* Of either call. */
static inline const fsr_matmul *fsr_matmul_of(const fsr_called *called) {
    return (const fsr_matmul *)called->what.attributes;
}

/* Bytes in which a CPU packs the columns of b where they are few; 0: it does not. */
enum { FSR_MATMUL_FEW_STEP = 16 };
int64_t fsr_matmul_room(const fsr_matmul *m, fsr_dtype dtype);

static inline const fsr_epilogue *fsr_epilogue_of(const fsr_called *called) {
    return (const fsr_epilogue *)called->what.attributes;
}
static inline float fsr_epilogue_scale(const fsr_epilogue *e) {
    return (fsr_value){.bits = (uint64_t)e->scale}.f32;
}

/* What is wrong with it between arrays of so many elements, in words; NULL: nothing. */
const char *fsr_matmul_check(const fsr_matmul *m, int64_t a, int64_t b, int64_t c);
/* bias: elements of its array; -1: there is none. */
const char *fsr_epilogue_check(const fsr_epilogue *e, int64_t a, int64_t b, int64_t c, int64_t bias);
/* The innermost batches have equal steps; how many sets of those there are, and the offsets of set i in a, b and c. */
int64_t fsr_matmul_sets(const fsr_matmul *m);
void fsr_matmul_set(const fsr_matmul *m, int64_t i, int64_t offset[3]);

#endif
