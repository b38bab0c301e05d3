/* SPDX-License-Identifier: MIT */
/* Kernels that one launch runs several times over, one repetition after the other: the turns of a loop over arrays.
 *
 * In repetition t, from 0 on, an array of the kernel is
 *  - the array of the launch, in every one; or
 *  - a slice: it begins at element first + t * step of that array; or
 *  - what another one of the kernel's was in the repetition before (`follows`), and in the first one the array of the
 *    launch: a state that is read; or
 *  - itself and `spare` in turn, such that it is itself in the last one: a state that is written. Nothing else knows
 *    the spare.
 * A scalar may be the number of the repetition. So within a repetition nobody reads what it writes.
 *
 * On a GPU the launch is one block, whose threads meet behind each repetition: what they have written to memory they
 * then see. Counter-example to several blocks: meeting them takes as long as a launch in a recorded graph does. */
#ifndef FUSOR_FUSION_REPEAT_H
#define FUSOR_FUSION_REPEAT_H

#include "fusion/loop_ir.h"

typedef struct fsr_moves {
    int first, step; /* integers; 0: it does not move */
    int follows;     /* 1 + the array; 0: none */
    int spare;       /* 1 + the array; 0: none */
} fsr_moves;

struct fsr_repeat {
    int times;  /* integer: repetitions */
    int number; /* 1 + the scalar that is the repetition's number, and no argument of the launch; 0: none */
    fsr_moves array[FSR_MAX_BUFFERS];
};

/* The array of the launch, and the element of it, where the kernel's array b begins in a repetition. */
typedef struct fsr_beginning {
    int array;
    int64_t element;
} fsr_beginning;
fsr_beginning fsr_repeat_begins(const fsr_kernel *k, const int64_t *integer, int b, int64_t repetition);
/* The array stands for others in turn, and no instruction names it. */
bool fsr_repeat_is_spare(const fsr_kernel *k, int b);

#endif
