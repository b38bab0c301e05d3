/* SPDX-License-Identifier: MIT */
/* One pass of a GPU's kernel, whose threads hold a tile of columns in registers: what stands in which stage, and what a
 * thread holds from one stage to a later one. The finishing pass counts registers by it, the emitter names them. */
#ifndef FUSOR_FUSION_TILE_H
#define FUSOR_FUSION_TILE_H

#include "fusion/launch_shape.h"

typedef struct fsr_tile_pass {
    int n;                    /* of its loop */
    int loop[FSR_MAX_INSTS];  /* fsr_kernel_pass_body */
    int stage[FSR_MAX_INSTS]; /* of every instruction; 0 outside of the loop */
    int nstages;
} fsr_tile_pass;

void fsr_tile_pass_make(const fsr_kernel *k, int pass, fsr_tile_pass *out);
/* The stage whose chain scan f is part of. */
int fsr_tile_fold_stage(const fsr_kernel *k, const fsr_tile_pass *pass, int f);
/* Cheaper to write again than to hold, and kept by nobody. */
bool fsr_tile_writes_again(const fsr_kernel *k, int v);
/* Store v, a compacted one of a pooled kernel, stores what is there as soon as the tile's own counts are: before the
 * thread waits for other tiles. */
bool fsr_tile_pools_early(const fsr_kernel *k, const fsr_tile_pass *pass, int v);
/* The chain of a stage counts the bits of a thread's mask, and nobody asks but where the elements of such stores go:
 * the first one of them; -1. */
int fsr_tile_counts(const fsr_kernel *k, const fsr_tile_pass *pass, int stage);
/* A thread has `items` registers for value v of the loop. */
bool fsr_tile_holds(const fsr_kernel *k, const fsr_tile_pass *pass, int v);
/* Bytes that a vector of a thread's scanned elements takes where it is parked, and those that a block has parked:
 * shared memory that the launch gives. */
int64_t fsr_kernel_vector_bytes(const fsr_kernel *k);
int64_t fsr_kernel_parked_bytes(const fsr_kernel *k);
/* An operation of integers that rounds nothing, and gives the same bits in any order. */
bool fsr_combine_is_whole(const fsr_combine *c);
/* A fold of rows by an operator of several components that takes literals, as a variance does for counts, and an
 * element is little work beside. */
bool fsr_kernel_may_count(const fsr_kernel *k);
/* So many vectors of each thread's scanned elements may wait in shared memory: one scan of one look-back, and room. */
bool fsr_kernel_may_park(const fsr_kernel *k, int vectors);

#endif
