/* SPDX-License-Identifier: MIT */
/* Chooses a kernel's schedule from its sizes: the rules are in schedule.c and schedule_gpu.c, one function a kind. */
#ifndef FUSOR_FUSION_SCHEDULE_H
#define FUSOR_FUSION_SCHEDULE_H

#include "fusion/partition.h"

/* How the folded dimensions lie in memory. */
typedef enum fsr_orientation { FSR_ORIENT_NONE, FSR_ORIENT_ROWS, FSR_ORIENT_COLS } fsr_orientation;
fsr_orientation fsr_group_orientation(const fsr_group *group);
/* Short windows that slide along memory, many of them: an element's neighbour is beside it from column to column and
 * from row to row, and nothing that is folded has a stride from row to row. Counter-example to each along itself: a
 * loop that begins and ends for each window; standard deviations of 200,000 of 82 took 12 ms so, and take 2.3. */
bool fsr_group_slides(const fsr_group *group);

/* Elements of a row that one block can hold for this kernel. */
int64_t fsr_schedule_row_capacity(const fsr_group *group);

/* True if every fold is a commutative reduction, what a team of blocks can share, and blocks can wait for each
 * other. */
bool fsr_schedule_team_fits(const fsr_kernel *k, const fsr_target *target);

/* The group's kernel folds tiles of outputs in registers. */
bool fsr_outputs_tile(const fsr_group *group, bool gpu);

/* Fills kernel->schedule, the keep flags and the integers FSR_INT_ROWS .. FSR_INT_STRETCH. What follows from these, the
 * kernel alone and not its sizes, is fsr_schedule_finish's. False: out of memory. */
bool fsr_schedule_choose(fsr_group *group, const fsr_target *target);

/* The last pass over a kernel whose instructions, keep flags, array flags and sizes of its schedule are settled: all
 * else that an emitter prints. The emitters decide nothing and take no kernel that is not finished. */
void fsr_schedule_finish(fsr_kernel *k);

/* On a CPU: what a block of rows reads by columns in one pass is in the cache for the next one. */
bool fsr_block_is_cached(const fsr_kernel *k, const int64_t *integer);

#endif
