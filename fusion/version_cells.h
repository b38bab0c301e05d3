/* SPDX-License-Identifier: MIT */
/* The cells of a kernel's domain in which every condition of its guards either holds or does not (version_cells.c). */
#ifndef FUSOR_FUSION_VERSION_CELLS_H
#define FUSOR_FUSION_VERSION_CELLS_H

#include "fusion/partition.h"

enum {
    FSR_MOST_CELLS = 64,
    FSR_GPU_QUARTERS = 3 /* of the elements that a cell has at least to have a version on a GPU */
};

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

/* A way through the domain along which conditions may be runs: a dimension, or on a CPU several outer ones, in whose
 * order a condition counts the elements. */
typedef struct fsr_line {
    int64_t stride[FSR_MAX_DIMS]; /* of an index, for each of a dimension's */
    int64_t extent;
    int dim; /* the only one; -1: several */
} fsr_line;

enum { FSR_MOST_LINES = FSR_MAX_DIMS + 4 };

/* Returns how many there are; dimensions come first, by number. */
int fsr_lines_of(const fsr_group *group, fsr_line line[FSR_MOST_LINES]);
/* What is asked along the innermost loop stays in it: of a few turns; and of a CPU's map in short rows without
 * functions, which is vector code with its questions. Counter-example to runs between the edges of a pad: neighbours
 * added up in rows of 42 took 0.21 ms of 400,000 elements, and 0.09 so; in rows of 200 0.09 in either way. */
bool fsr_rows_ask(const fsr_kernel *k);

/* Those that have at least this share of the elements, the largest first; none of a domain without elements. */
void fsr_cells_of(const fsr_group *group, double least, fsr_cells *out);
/* The intervals of a line, whose extent is not 0, as cells: what is known of the index along it alone. */
void fsr_intervals_of(const fsr_group *group, const fsr_line *line, fsr_cells *out);

#endif
