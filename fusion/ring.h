/* SPDX-License-Identifier: MIT */
/* Blocks that stay resident and take a filter's tiles through a ring of slots in shared memory; data of the schedule.
 *
 * A tile goes through a slot in four steps, each done by warps of its own: the GPU copies what is loaded of it there
 * (one warp asks for that, as many tiles ahead as there are slots), `threads` threads count it and put the selected
 * elements together in its place, one warp adds up what the tiles before it have, and `writers` threads write it. So
 * loads of several tiles are on their way while one is counted, one waits and one is written, and no thread holds
 * registers meanwhile.
 *
 * Tile t is that of block t % members. What stands before it is what stood before the block's last tile and what the
 * tiles since have: those that the other blocks counted last. Each block adds these up by itself, of counts alone, so
 * that no wait follows from a wait. Counter-example to a tile's waiting for the sums of those before it: 16,000 tiles,
 * 0.284 ms of 2^27 f32 of which half are selected, 0.206 by this ring (one H200).
 *
 * Counts are whole numbers, which any order adds up to the same. All blocks must be resident: the first tile of each is
 * waited for by the others. */
#ifndef FUSOR_FUSION_RING_H
#define FUSOR_FUSION_RING_H

#include "fusion/schedule.h"
#include "fusion/target.h"

enum {
    FSR_RING_WARPS = 2,  /* that add up, and that ask for copies */
    FSR_RING_LINE = 128, /* bytes at whose multiples arrays of a slot begin */
    FSR_RING_MOST_SLOTS = 16,
    FSR_RING_BYTES = 192 << 10, /* of all slots */
    FSR_RING_REST = 4 << 10     /* for barriers, counts, and what the driver keeps */
};

/* True if blocks of a look-back may take its tiles through slots: one row, whose filters' elements are all pooled
 * before the tile's place is known, loaded at the flat index alone, and nothing else is written of an element. */
bool fsr_kernel_may_ring(const fsr_kernel *k);
/* Where array `array` begins in a slot, in bytes; -1: nothing of it is loaded there. */
int64_t fsr_ring_array_place(const fsr_kernel *k, int array);
/* Where the pool of store v, a filter's, begins. Pools take the place of what was loaded. */
int64_t fsr_ring_pool_place(const fsr_kernel *k, int v);
/* Bytes of a slot. */
int64_t fsr_ring_slot_bytes(const fsr_kernel *k);
/* The ring of a look-back, where the machine has the means and the row is long; else nothing is chosen. */
void fsr_choose_ring(fsr_group *group, const fsr_target *target);
/* No ring any more, but the same tiles, where something has come in its way since it was chosen. */
void fsr_finish_ring(fsr_kernel *k);

#endif
