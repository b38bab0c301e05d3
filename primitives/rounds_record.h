/* SPDX-License-Identifier: MIT */
/* Recording a loop over arrays: from operands and callbacks to its nodes. */
#ifndef FUSOR_PRIMITIVES_ROUNDS_RECORD_H
#define FUSOR_PRIMITIVES_ROUNDS_RECORD_H

#include "primitives/rounds.h"

/* The caller sets what stands before `arg`, and of source the rounds with their form. */
typedef struct fsr_rounds_recording {
    const char *what; /* the builder's name */
    fsr_graph *g;
    fsr_site at;
    fsr_turn_fn body, condition;
    void *user;
    int axis;
    fsr_node operand[FSR_MAX_ARGS]; /* state, what is sliced, and, if turns->count is -1, the count */
    fsr_node arg[FSR_MAX_ARGS];     /* of the callbacks: state, slices, the number of the turn */
    fsr_rounds_source source;
    fsr_node poison;
} fsr_rounds_recording;

/* Takes the number of turns: a literal is a part of the plan, what is computed or a parameter an argument of the loop.
 * False: poison says why. */
bool fsr_rounds_record_count(fsr_rounds_recording *r, fsr_node turns);
/* Calls back and records the loop: out[0..nstate + nstacked). False: poison says why. */
bool fsr_rounds_record(fsr_rounds_recording *r, fsr_node *out);

#endif
