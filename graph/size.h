/* SPDX-License-Identifier: MIT */
/* Arithmetic on sizes: bytes, elements, extents, blocks, workspace.
 *
 * Sums and products stop at FSR_SIZE_OVER, which stands for "more than can be said" and stays there whatever is added
 * or multiplied next. So a chain of them needs one look, where it ends: a builder refuses the array, a plan its memory,
 * with FSR_ERR_SIZE. Counter-example to looking at each step: the one that is forgotten gives -1 bytes, and somebody
 * writes past a block of a few.
 * Operands are not negative. */
#ifndef FUSOR_GRAPH_SIZE_H
#define FUSOR_GRAPH_SIZE_H

#include <stdbool.h>
#include <stdint.h>

#define FSR_SIZE_OVER INT64_MAX

static inline int64_t fsr_size_add(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? FSR_SIZE_OVER : sum;
}

/* Nothing of what is over is nothing. */
static inline int64_t fsr_size_mul(int64_t a, int64_t b) {
    int64_t product;
    if (a == 0 || b == 0)
        return 0;
    return a == FSR_SIZE_OVER || b == FSR_SIZE_OVER || __builtin_mul_overflow(a, b, &product) ? FSR_SIZE_OVER : product;
}

/* n / by, rounded up. */
static inline int64_t fsr_ceil_div(int64_t n, int64_t by) {
    return n / by + (n % by != 0);
}

/* The next multiple of `to`. */
static inline int64_t fsr_round_up(int64_t n, int64_t to) {
    return n == FSR_SIZE_OVER ? n : fsr_size_mul(fsr_ceil_div(n, to), to);
}

static inline int64_t fsr_size_min(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static inline bool fsr_size_fits(int64_t n) {
    return n >= 0 && n != FSR_SIZE_OVER;
}

#endif
