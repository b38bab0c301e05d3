/* SPDX-License-Identifier: MIT */
/* Register tiles: outputs of a fold that one thread folds at once. */
#ifndef FUSOR_FUSION_OUTPUTS_H
#define FUSOR_FUSION_OUTPUTS_H

#include "fusion/loop_ir.h"

/* The kernel's outputs may be folded in tiles along dimension `across` and the last parallel one: a pass of reductions
 * that stores no element, and whose loads each miss one of the two dimensions. */
bool fsr_kernel_may_tile(const fsr_kernel *k, int across);
/* ELEM load `number` moves along the last parallel dimension, and so not along `across`: all outputs of a tile that lie
 * in one column of it read the same elements. */
bool fsr_load_is_panel(const fsr_kernel *k, int number);
/* ELEM load `number` moves along the last parallel dimension or along schedule.across. */
bool fsr_load_is_tiled(const fsr_kernel *k, int number);
/* Bytes of a GPU's shared memory that the copies of all staged loads take. */
/* Of a block at most, and what a launch gives one beside some little of its own, or alone: every device has 64 KiB. */
enum { FSR_SHARED_BYTES = 48 << 10, FSR_PARKED_BYTES = 60 << 10, FSR_RANGE_BYTES = 64 << 10 };
int64_t fsr_tile_shared_bytes(const fsr_kernel *k);
/* The value may differ along dimension d: with its tile's row, or its lane. */
bool fsr_tile_value_moves(const fsr_kernel *k, int value, int d);

#endif
