/* SPDX-License-Identifier: MIT */
/* Sorting and selecting words in place by a machine's vectors. Words are signed; equal ones cannot be told apart, so
 * each result is a function of the words alone, whatever the instruction set. */
#ifndef FUSOR_BACKEND_CPU_VECTORS_H
#define FUSOR_BACKEND_CPU_VECTORS_H

#include "fusor/context.h"
#include <stdbool.h>
#include <stdint.h>

/* Which vectors may be used. */
typedef enum fsr_simd { FSR_SIMD_NONE, FSR_SIMD_AVX2, FSR_SIMD_AVX512 } fsr_simd;
/* The widest ones of this machine, up to those of a level: none of the baseline. */
fsr_simd fsr_simd_of(fsr_isa_kind most);

/* How an element's bits become a word, and back: negative ones are turned by `flip`, all by `turn`. */
typedef struct fsr_word_form {
    uint64_t flip, turn;
    uint64_t magnitude, most; /* of these bits no more than so much; else NaN */
    uint64_t nan;             /* its word */
} fsr_word_form;

/* Depth: so many partitions may be stacked before what is left is sorted as a heap, in n log n steps whatever it is. */
typedef struct fsr_vectors {
    const char *name; /* "avx512", "avx2" */
    /* Words of n elements; bits of n words. `out` may be `in`. */
    void (*enter_32)(const fsr_word_form *form, const uint32_t *in, int64_t n, int32_t *out);
    void (*enter_64)(const fsr_word_form *form, const uint64_t *in, int64_t n, int64_t *out);
    void (*leave_32)(const fsr_word_form *form, const int32_t *in, int64_t n, uint32_t *out);
    void (*leave_64)(const fsr_word_form *form, const int64_t *in, int64_t n, uint64_t *out);
    /* The least and the greatest of n words, which are some. */
    void (*bounds_32)(const int32_t *x, int64_t n, int32_t *least, int32_t *greatest);
    void (*bounds_64)(const int64_t *x, int64_t n, int64_t *least, int64_t *greatest);
    void (*sort_32)(int32_t *x, int64_t n, int depth);
    void (*sort_64)(int64_t *x, int64_t n, int depth);
    /* Element k, from 0, is the one that a sort puts there, none before it is greater, none behind it less. */
    void (*select_32)(int32_t *x, int64_t n, int64_t k, int depth);
    void (*select_64)(int64_t *x, int64_t n, int64_t k, int depth);
    /* How many words are not greater than the pivot: these are put first. */
    int64_t (*partition_32)(int32_t *x, int64_t n, int32_t pivot);
    int64_t (*partition_64)(int64_t *x, int64_t n, int64_t pivot);
} fsr_vectors;

/* Sorting by these vectors; NULL: there is none, or it is slower than without. */
const fsr_vectors *fsr_vectors_of(fsr_simd simd);
/* A depth that is enough for n words whose samples do not mislead. */
static inline int fsr_vectors_depth(int64_t n) {
    return 2 * (64 - __builtin_clzll((unsigned long long)n | 1)) + 4;
}

/* Which of `apart` words the sample of n has in its share i: by a hash, so that no order that comes about by itself, as
 * of channels side by side, is seen at one of its places alone. */
static inline int64_t fsr_vectors_place(int64_t n, int64_t i, int64_t apart) {
    const uint64_t mixed = ((uint64_t)n * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)i) * UINT64_C(0xbf58476d1ce4e5b9);
    const uint64_t hash = (mixed ^ mixed >> 29) * UINT64_C(0x94d049bb133111eb) >> 32;
    return (int64_t)(hash * (uint64_t)(apart < UINT32_MAX ? apart : UINT32_MAX) >> 32);
}

extern const fsr_vectors fsr_vectors_avx2, fsr_vectors_avx512; /* of x86-64 */

#endif
