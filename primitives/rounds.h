/* SPDX-License-Identifier: MIT */
/* Making the body of a loop over arrays of nodes of another graph: those that its recording has left, or a text's. */
#ifndef FUSOR_PRIMITIVES_ROUNDS_H
#define FUSOR_PRIMITIVES_ROUNDS_H

#include "graph/rounds.h"
#include "primitives/primitives.h"

/* What is copied. Operands are arguments of the loop: those that stand for one are given, those that the body takes
 * from outside are added. */
typedef struct fsr_rounds_source {
    fsr_graph *from;
    fsr_site at;
    int depth;                    /* nodes of scopes above are the body's own */
    fsr_rounds *rounds;           /* their form is set; nsame grows */
    uint32_t stand[FSR_MAX_ARGS]; /* nodes of `from` that stand for the operands so far */
    uint32_t number;              /* and for the number of the turn; UINT32_MAX: nothing does */
    fsr_ref result[FSR_MAX_OUTPUTS], condition;
    fsr_ref operand[FSR_MAX_ARGS]; /* filled: what the operands from outside are */
    const char *problem;           /* why it failed, NULL: memory is out */
} fsr_rounds_source;

/* Copies what results and condition need into the turns' body, completes and signs it. False: `problem` says why. */
bool fsr_rounds_copy(fsr_rounds_source *s);

/* The results of a loop over slices whose turn is elementwise, by a scan: out[0..nstate + nstacked), what is stacked
 * along the axis. operand: the states, then the arrays, their slices along axis 0; same[k]: argument k, if it is the
 * same in every turn. False: it is no such loop. */
bool fsr_rounds_scan(fsr_site at, const fsr_rounds *t, const fsr_node *operand, const fsr_ref *same, int axis,
                     fsr_node *out);
/* The results of a loop whose turn is elementwise, by a loop for each element: out[0..nstate). False: it is no such
 * loop. */
bool fsr_rounds_iterate(fsr_site at, const fsr_rounds *t, const fsr_node *operand, const fsr_ref *same, fsr_node *out);

#endif
