/* SPDX-License-Identifier: MIT */
/* Selecting on a CPU: keys, and what is found among them. Shared by the select*.c and top*.c files.
 *
 * A key is an unsigned word, as in sort.h; every NaN has the greatest, in either direction. */
#ifndef FUSOR_BACKEND_CPU_SELECT_H
#define FUSOR_BACKEND_CPU_SELECT_H

#include "backend_cpu/run/library.h"
#include "backend_cpu/run/sort.h"
#include "backend_cpu/run/vectors.h"
#include <stdatomic.h>

enum { FSR_SELECT_BLOCK = 64 }; /* elements that are looked at together */

/* How bits become keys. */
typedef struct fsr_select_form {
    uint64_t flip, base;      /* bits turned of negative elements, and of all */
    uint64_t magnitude, most; /* of these bits no more than so much; else NaN */
    uint64_t zero, zeros;     /* the key of -0 becomes that of 0 where `zeros` is 1 */
    uint64_t turn, all;       /* of a key, for the greatest first; all bits */
    uint64_t nan;             /* the bits that a NaN comes out with */
    uint64_t last;            /* the greatest key but NaN's; `all` less it is the least one */
    fsr_simd simd;
} fsr_select_form;

/* greatest: the greatest elements have the least keys; one_zero: those of both signs are equal. */
fsr_select_form fsr_select_form_of(fsr_dtype dtype, bool greatest, bool one_zero, fsr_simd simd);
/* The words of fusor's vectors in the same order, the least elements first, and zeros of two signs. */
static inline fsr_word_form fsr_select_words(const fsr_select_form *f, size_t size) {
    return (fsr_word_form){f->flip, f->base ^ UINT64_C(1) << (8 * size - 1), f->magnitude, f->most, f->nan};
}
/* Keys of elements [low, high), of 1, 2, 4 or 8 bytes. */
void fsr_select_keys(const fsr_select_form *f, size_t size, const void *x, int64_t low, int64_t high, uint64_t *out);
/* The first of the blocks from low on that holds a key of at most `limit`, or that high cuts; high: there is none. */
int64_t fsr_select_seek(const fsr_select_form *f, size_t size, const void *x, int64_t low, int64_t high,
                        uint64_t limit);
/* The least keys of the elements in whole blocks whose places have one remainder by FSR_SELECT_BLOCK: so many words. n
 * is at least so much. */
void fsr_select_least(const fsr_select_form *f, size_t size, const void *x, int64_t n, uint64_t *out);
/* What is seen of words in one look. */
typedef struct fsr_select_seen {
    int64_t within;           /* so many are at most so great */
    uint64_t above, greatest; /* the least of the others, UINT64_MAX: none; the greatest of all */
} fsr_select_seen;
void fsr_select_look(fsr_simd simd, const uint64_t *word, int64_t n, uint64_t last, fsr_select_seen *out);
/* The k-th least of n words, from 0; less: how many are less than it. The words are left in disorder. */
uint64_t fsr_select_kth(fsr_simd simd, uint64_t *word, int64_t n, int64_t k, int64_t *less);
/* Elements by their places, each NaN as the usual one. wide: places are u64. */
void fsr_select_pick(const fsr_select_form *f, size_t size, const void *x, const void *places, bool wide, int64_t n,
                     void *out);

/* A long row, and the memory in which its parts count. */
typedef struct fsr_select_row {
    fsr_select_form form;
    fsr_thread_pool *threads; /* NULL: the calling thread alone */
    size_t size;
    int64_t n;
    const void *in;
    int64_t (*count)[FSR_SELECT_DIGITS]; /* of each part */
    uint64_t *word;                      /* `words` of them */
    int64_t words;
} fsr_select_row;

/* Elements [low, high) of a row are one of its FSR_SELECT_PARTS parts. */
void fsr_select_part(int64_t n, int part, int64_t *low, int64_t *high);
/* work(arg) by all threads, which share parts by the counter, from 0 on. */
void fsr_select_run(fsr_thread_pool *threads, void (*work)(void *, int), void *arg, atomic_int *next);
/* fsr_select_kth of the row's keys. */
uint64_t fsr_select_long(const fsr_select_row *r, int64_t k, int64_t *less);

#endif
