/* SPDX-License-Identifier: MIT */
/* How the folds of a kernel are laid out in a launch: shared by the emitter and by the sizes of workspace.
 *
 * Chains. A scan, and on a GPU a reduction that does not commute, is carried along the columns in order. The loop of a
 * pass is cut into stages: a value's stage is the number of chains before it (the result of a scan is one stage later
 * than its inputs). The chain folds of one stage travel together, as one state: one exchange, one look-back.
 *
 * Counter-example to one chain a scan: cumsum(x) and cumsum(x * x) would wait for their neighbours twice.
 * Counter-example to one chain a pass: cumsum(cumsum(x)) needs the first complete before the second starts.
 *
 * Memory of a launch (everything in it starts at a multiple of FSR_WORK_ALIGN bytes):
 *   SPLIT     zero: a ticket (4 bytes) a row.            work: partial states [row][split]
 *   COL       zero: a ticket a tile of rows.             work: partial states [split][row]
 *   LOOKBACK  zero: a ticket for tiles, then, if there are reductions, one a row; then the board of each chain
 *             work: partial states [row][tile] of the reductions, then the values of boards whose states are too wide
 *             to travel with their flag
 *             with slots (ring.h): zero: a word of 8 bytes a tile, its count and 1 << 32
 * A board has fsr_board_entries entries a row: level 0 is one a tile, level l one for 32 to the l complete tiles. */
#ifndef FUSOR_FUSION_LAUNCH_SHAPE_H
#define FUSOR_FUSION_LAUNCH_SHAPE_H

#include "fusion/loop_ir.h"

#define FSR_WORK_ALIGN 64
#define FSR_TEAM_RESIDENTS 2 /* blocks of teams on a multiprocessor */

/* Folds that share one state. */
typedef struct fsr_fold_list {
    int n;
    int fold[FSR_MAX_COMBINES];
} fsr_fold_list;

/* stage[v] of every instruction of the loop of `pass` (0 for all others); stage must hold ninsts. Returns the number of
 * stages, at least 1. Scratch of the work is on the stack. */
int fsr_kernel_stages(const fsr_kernel *k, int pass, int *stage);
/* The chain folds of one stage. */
fsr_fold_list fsr_kernel_chain(const fsr_kernel *k, int pass, const int *stage, int which);
/* The reductions of a pass; `free_only` leaves out those that are carried in a chain. */
fsr_fold_list fsr_kernel_reductions(const fsr_kernel *k, int pass, bool free_only);

/* Bytes of the states of these folds as members of one C struct, in order. */
int64_t fsr_fold_list_bytes(const fsr_kernel *k, const fsr_fold_list *list);
/* The same of what a tile holds for a column: less than a state where a fold is narrow. */
int64_t fsr_fold_list_element_bytes(const fsr_kernel *k, const fsr_fold_list *list);
/* The most that the reductions of one pass take so. */
int64_t fsr_kernel_widest_state(const fsr_kernel *k);

/* Shared memory of a LOOKBACK block of several rows: a state a thread of each chain and of the reductions, twice of the
 * last, and four a row of each chain. */
int64_t fsr_beside_shared_bytes(const fsr_kernel *k);
/* Threads of a block, those among them that the schedule has beside `threads`. */
int fsr_kernel_threads(const fsr_kernel *k);
/* Shared memory that a launch gives each block. */
int64_t fsr_kernel_launched_bytes(const fsr_kernel *k);

/* Teams that work at once on so many rows of so many parts, at most: as many as the nominal machine has blocks for. */
int64_t fsr_team_count(int64_t rows, int64_t splits);

/* Entries of a look-back board for one row of `tiles` tiles. */
int64_t fsr_board_entries(int64_t tiles);

#endif
