/* SPDX-License-Identifier: MIT */
/* Several nests in one kernel: what one nest stores is computed once for a band of the next one's rows and read near
 * by.
 *
 * A kernel that has nests is the last one: its own arrays, integers and scalars come first. Those before it are kernels
 * of the same type, maps, each before the ones that read what it stores. Their integers and scalars stand behind the
 * last one's, and each of their arrays is one of the whole's.
 *
 * Banded arrays. What a nest stores, element by element in flat order, is an array that is whole in meaning and that no
 * memory of a launch holds. The interpreter runs nest after nest, each over all of its domain. A CPU goes along the
 * outermost dimension of the last nest in bands: for one band it computes, of each nest, the rows in which lie the
 * elements that the later ones need for it, in the workspace of its thread. A value rounds to the dtype of its array,
 * and it is computed by the same operations wherever a band needs it, so where bands begin changes no bit.
 *
 * Reach. For indices [low, high) of the last nest's outermost dimension the later ones need of a nest's results no
 * element before step * low + first, and none behind step * (high - 1) + last: three integers of the nest.
 *
 * Counter-example to a band for each thread: a temporary of a large image then leaves every cache before it is read.
 * Counter-example to a nest that folds: where a band begins would have to be where a chunk does. */
#ifndef FUSOR_FUSION_NEST_H
#define FUSOR_FUSION_NEST_H

#include "fusion/loop_ir.h"

#define FSR_MAX_NESTS 8

/* The integers of a nest's reach, from its first one on. */
enum { FSR_REACH_STEP, FSR_REACH_FIRST, FSR_REACH_LAST, FSR_REACH_SIZE };

typedef struct fsr_nest {
    fsr_kernel *kernel;         /* owned */
    int array[FSR_MAX_BUFFERS]; /* of the whole, for each of its own */
    int integer, scalar;        /* of the whole: its first ones */
    int reach;                  /* and the first integer of its reach */
} fsr_nest;

struct fsr_nests {
    int n;
    fsr_nest nest[FSR_MAX_NESTS];
    int band;                   /* integer: indices of a band */
    int bytes;                  /* integer: workspace of a thread */
    int place[FSR_MAX_BUFFERS]; /* integer of each banded array: the byte of the workspace where its band lies */
};

/* Without nests. NULL: out of memory. */
fsr_nests *fsr_nests_new(void);
void fsr_nests_free(fsr_nests *nests);
/* NULL: out of memory. */
fsr_nests *fsr_nests_copy(const fsr_nests *nests);
/* The nest that stores a banded array of the whole; -1: none does. */
int fsr_nests_producer(const fsr_kernel *k, int array);
/* The kernel's domain may be gone along in bands: it is a map without loops for each element, its rows are all there,
 * and its stores, of which none combines or packs, are all that takes effect. */
bool fsr_kernel_may_band(const fsr_kernel *k);
/* The kernel is a nest: its results are banded. */
bool fsr_kernel_is_nest(const fsr_kernel *k);

/* Elements for each index of a nest's outermost dimension, from its integers. */
int64_t fsr_nest_span(const int64_t *integer);
/* Elements that a nest computes twice where bands of so many indices meet, for each that it computes once. reach: its
 * three integers. */
double fsr_nest_twice(const int64_t *reach, int64_t band);
/* Fills in the places of banded arrays and the bytes of a thread's workspace for bands of integer[nests->band]. */
void fsr_nests_place(const fsr_kernel *k, int64_t *integer);

#endif
