/* SPDX-License-Identifier: MIT */
/* What a row function's recording (vectorize.c) and its mapping over the rows (vectorize_rows.c) share. */
#ifndef FUSOR_PRIMITIVES_VECTORIZE_H
#define FUSOR_PRIMITIVES_VECTORIZE_H

#include "primitives/primitives.h"

/* What messages call it. */
#define FSR_ROWS_WHAT "vectorize"
#define FSR_ROWS_WHOSE "row function"

typedef struct fsr_rows {
    fsr_graph *g;
    fsr_site at;
    fsr_signature s;
    fsr_shape lead;
    int64_t extent[FSR_MAX_NAMES]; /* of each name; -1: not known yet */
    fsr_node in[FSR_MAX_CORE];     /* operands, broadcast to lead and their core */
    fsr_node arg[FSR_MAX_CORE];
    fsr_node *image; /* of each of the body's nodes by its id; null: it needs no argument */
    uint32_t slots;  /* of images */
    fsr_node poison;
} fsr_rows;

/* False, always; the poison is set. */
bool fsr_rows_no_memory(fsr_rows *r);
/* x for every row. ndim: its core dimensions. */
bool fsr_rows_spread(fsr_rows *r, fsr_node *x, int ndim);
/* The results for every row, from what the body left in the scopes above depth. */
bool fsr_rows_map(fsr_rows *r, fsr_node *out, int depth);

#endif
