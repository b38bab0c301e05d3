/* SPDX-License-Identifier: MIT */
/* The cells of a kernel's domain in which every condition of its guards either holds or does not (version_cells.c). */
#ifndef FUSOR_FUSION_VERSION_CELLS_H
#define FUSOR_FUSION_VERSION_CELLS_H

#include "fusion/partition.h"

enum { FSR_MOST_CELLS = 64 };

typedef struct fsr_cell {
    fsr_loop_version known;
    double share, alone; /* of the elements; of those whose warp runs the version alone */
} fsr_cell;

typedef struct fsr_cells {
    int n;
    fsr_cell at[FSR_MOST_CELLS];
} fsr_cells;

static inline bool fsr_version_same(const fsr_loop_version *a, const fsr_loop_version *b) {
    return a->holds == b->holds && a->never == b->never;
}

/* Those that have at least this share of the elements, the largest first; none of a domain without elements. */
void fsr_cells_of(const fsr_group *group, double least, fsr_cells *out);
/* The intervals of dimension d, whose extent is not 0, as cells: what is known of the index along it alone. */
void fsr_intervals_of(const fsr_group *group, int d, fsr_cells *out);

#endif
