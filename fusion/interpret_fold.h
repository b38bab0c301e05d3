/* SPDX-License-Identifier: MIT */
/* A fold of the interpreter (interpret.c) while its loop runs.
 *
 * A reduction is a balanced tree over the columns in order: states of equal size merge as in a binary counter, and what
 * is left merges from the right. Counter-example to one running state: 2^24 + 1 + 1 + ... in f32 never grows, so the
 * oracle itself would be wrong where the machines are right. A scan is serial in column order. */
#ifndef FUSOR_FUSION_INTERPRET_FOLD_H
#define FUSOR_FUSION_INTERPRET_FOLD_H

#include "fusion/loop_ir.h"

#define FSR_TREE_DEPTH 64

typedef struct fsr_state {
    fsr_value part[FSR_MAX_TUPLE];
} fsr_state;

/* One fold while its loop runs. A reduction: states of the tree, level[i] holding 2^i columns where bit i of count is
 * set. A scan: the running state in now. */
typedef struct fsr_running {
    int64_t count;
    fsr_state level[FSR_TREE_DEPTH];
    fsr_state now; /* what a PICK reads */
    fsr_state sum; /* SCAN: inclusive so far */
} fsr_running;

void fsr_running_begin(fsr_running *r, const fsr_combine *c);
/* One column's state more, of a reduction and of a scan. */
void fsr_running_reduce(fsr_running *r, const fsr_combine *c, fsr_state x);
void fsr_running_scan(fsr_running *r, const fsr_fold *f, fsr_state x);
/* The reduction's result is in now. */
void fsr_running_end(fsr_running *r, const fsr_combine *c);

#endif
