/* SPDX-License-Identifier: MIT */
/* Turns of a loop over arrays that are elementwise: found, and recorded again of elements. */
#ifndef FUSOR_PRIMITIVES_ROUNDS_EACH_H
#define FUSOR_PRIMITIVES_ROUNDS_EACH_H

#include "primitives/rounds.h"

enum { FSR_EACH_NODES = 128 };

typedef struct fsr_each {
    const fsr_rounds *t;
    const fsr_ref *same;            /* outside, what argument k of the loop is that is the same in every turn */
    const fsr_shape *shape;         /* of what is computed, and of each array that a turn sees */
    int most_met, nmet;             /* arrays that are the same in every turn, and the number of the turn: */
    uint32_t met[FSR_MAX_ARGS + 1]; /* nodes of the body that results are made of */
    uint32_t node[FSR_EACH_NODES];  /* the body's nodes that are known to be elementwise */
    int n;
    /* while they are recorded: */
    fsr_graph *g;
    fsr_site at;
    fsr_node operand[FSR_MAX_ARGS], number; /* an element of each argument that is met, and of the number */
    fsr_node made[FSR_EACH_NODES];
    uint32_t id[FSR_EACH_NODES];
    int nmade;
} fsr_each;

/* The body's nodes below this one are elementwise, and few. */
bool fsr_each_takes(fsr_each *e, fsr_ref ref);
/* The node of the body is met; from now on if there is room. False: there is none. */
bool fsr_each_meet(fsr_each *e, uint32_t id);
bool fsr_each_met(const fsr_each *e, uint32_t id);
/* What argument k is that is met and the same in every turn: an array of that shape, or a number. */
fsr_node fsr_each_outside(const fsr_each *e, int k);
/* The node of the body again, of elements. made[0..nmade) are those that are there already. */
fsr_node fsr_each_record(fsr_each *e, fsr_ref ref);

#endif
