/* SPDX-License-Identifier: MIT */
/* Computed indices into an array: what take and scatter have in common. */
#ifndef FUSOR_PRIMITIVES_INDICES_H
#define FUSOR_PRIMITIVES_INDICES_H

#include "primitives/primitives.h"

/* The elements of an array that indices name, as a part of `shape`: a map from the part's index to the array's, of
 * which the dimensions in axes add, in order, index[0..n), i64 of the part's shape. */
typedef struct fsr_indices {
    const char *what; /* the operation, for messages */
    fsr_index_mode mode;
    fsr_shape shape;
    fsr_view view;
    uint32_t axes;
    fsr_node index[FSR_MAX_DIMS];
    int n;
} fsr_indices;

/* Indices as fsr_integers has them. False: they are none; *poison says so. */
bool fsr_index_take(fsr_site at, const char *what, fsr_node *index, fsr_node *poison);

/* The rest of *out, whose what and mode are given, at most `most`: indices along an axis, as take_along_axis has them;
 * or arrays of indices along the first axes, as x[i, j]. x becomes strong. False: *poison. */
bool fsr_indices_along(fsr_site at, fsr_node *x, fsr_node indices, int axis, fsr_index_mode most, fsr_indices *out,
                       fsr_node *poison);
bool fsr_indices_first(fsr_site at, fsr_node *x, const fsr_node *arrays, int n, fsr_index_mode most, fsr_indices *out,
                       fsr_node *poison);

/* The elements of x, as large as the array that the indices were made for, that they name; nothing is reported, and
 * what is outside gives any element. */
fsr_node fsr_indexed(fsr_site at, fsr_node x, const fsr_indices *g);

#endif
