/* SPDX-License-Identifier: MIT */
/* The rows of functions whose operands are arrays, then numbers known now: expr_shape.c reads their calls. */
#ifndef FUSOR_PRIMITIVES_EXPR_SHAPE_H
#define FUSOR_PRIMITIVES_EXPR_SHAPE_H

#include "primitives/expr_call.h"

typedef struct fsr_shape_call {
    fsr_reading *r;
    const fsr_args *c;
    fsr_site at;
    const fsr_node *x;
    int64_t whole[3]; /* the operands that are whole numbers, in order */
    int n;            /* operands given, with these */
    int64_t list[2 * FSR_MAX_DIMS];
    int nlist;
    const int *axes; /* NULL: none */
} fsr_shape_call;

typedef fsr_node fsr_shape_fn(const fsr_shape_call *s);

/* least..most operands; from `wholes` on they are whole numbers. list: 1 takes a list, 2 needs one, or one number in
 * its place: behind the operands, or, leads, before them. axis: takes one, as an option, or as the operand after the
 * last. */
typedef struct fsr_shape_row {
    const char *name;
    fsr_shape_fn *build;
    int least, most, wholes;
    int list;
    bool axis;
    unsigned options;
    bool joins; /* a list is of operands */
    bool leads;
} fsr_shape_row;

/* Operand i, a literal, as a double. False: r has failed. */
bool fsr_shape_number(const fsr_shape_call *s, int i, double *value);
/* An axis as an int; one that no array has stays one. */
int fsr_shape_axis(int64_t whole);

/* The rows of expr_reach.c and of expr_segment.c; the last of each has no name. */
extern const fsr_shape_row fsr_shape_reach[], fsr_shape_segments[];

#endif
