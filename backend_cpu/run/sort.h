/* SPDX-License-Identifier: MIT */
/* Sorting on a CPU: keys, and the passes over them. Shared by the sort*.c files.
 *
 * A key is an unsigned word with the order of its element: the bits with the sign turned, of negative floats all bits
 * turned, of every NaN those of one. So zeros have two keys, neighbours, and sorted keys lead back to elements; digits
 * are taken of the greater one for both. Counter-example to one key for both: sorted zeros would all be positive. */
#ifndef FUSOR_BACKEND_CPU_SORT_H
#define FUSOR_BACKEND_CPU_SORT_H

#include "backend_cpu/run/library.h"
#include "fusion/library.h"
#include <string.h>

enum {
    FSR_DIGIT_BITS = 10, /* at most; of few items 8 */
    FSR_DIGITS = 1 << FSR_DIGIT_BITS,
    FSR_SORT_WIDE = 1 << 12, /* items that are worth wide digits */
    FSR_SORT_WORDS = 8,      /* digits of the longest key */
    FSR_SORT_SHORT = 32,     /* items that are put in order one by one */
    FSR_SORT_PARTS = 16,     /* of a long row, each with its counts */
    FSR_BUCKET_BITS = 11,    /* by which a long row is split */
    FSR_BUCKETS = 1 << FSR_BUCKET_BITS
};

/* How bits become keys: constants of a dtype. */
typedef struct fsr_key_form {
    uint64_t flip, base;      /* bits turned of negative elements, and of all */
    uint64_t magnitude, most; /* of these bits no more than so much; else NaN */
    uint64_t nan;             /* its key */
    uint64_t zero;            /* the key of -0, where `zeros` is 1 */
    uint64_t zeros;
} fsr_key_form;

typedef struct fsr_record32 {
    uint32_t key, place;
} fsr_record32;
typedef struct fsr_record64 {
    uint64_t key, place;
} fsr_record64;

/* One row, or a part of one, that is sorted. */
typedef struct fsr_sort {
    fsr_key_form form;
    fsr_thread_pool *threads;
    const void *in;
    void *keys, *places;           /* results; NULL: not asked for */
    void *buffer[2];               /* of n elements, or records, each; of elements one */
    int64_t (*count)[FSR_BUCKETS]; /* of each part of a long row */
    int64_t n;
    int parts; /* 1: it is no long row */
    bool wide; /* places are of 64 bits, else of 32 */
    fsr_simd simd;
} fsr_sort;

/* The row, a long one in as many parts as it says by a pool of threads, another one by the calling thread alone.
 * Elements of 1, 2, 4 or 8 bytes. */
void fsr_sort_keys(fsr_sort *s, size_t size);
/* What fsr_sort_keys or the records of fsr_sort_places would do, by this machine's vectors; false: nothing was done. */
bool fsr_sort_by_vectors(const fsr_sort *s, size_t size);
/* Elements [low, high) as records into buffer 0; wide: records of 16 bytes. */
void fsr_sort_fill(const fsr_sort *s, size_t size, bool wide, int64_t low, int64_t high);
/* Records of n elements have 16 bytes. */
static inline bool fsr_sort_is_wide(int64_t n, size_t size) {
    return size == 8 || n > UINT32_MAX;
}
/* Elements of a row by n places of 64 bits, if wide, or of 32, each NaN as the usual one. */
void fsr_sort_pick(const fsr_key_form *f, size_t size, bool wide, const void *in, const void *places, int64_t n,
                   void *out);
/* Places, and elements where they are asked for: records are filled here. */
void fsr_sort_places(fsr_sort *s, size_t size);
/* Records of 16 bytes that buffer 0 holds: places, in order of the keys of so many bits. */
void fsr_sort_records(fsr_sort *s, int key_bits);
/* The first of `rows` short rows, some side by side: how many; 0: none can be; less: so many are to be sorted one by
 * one. */
int64_t fsr_sort_laned(const fsr_sort *s, size_t size, int64_t rows);

#endif
