/* SPDX-License-Identifier: MIT */
/* Sections that are pasted beside each other until nothing else is left, and where they look. Shared by
 * paste_places*.c. */
#ifndef FUSOR_FUSION_PASTE_PARTS_H
#define FUSOR_FUSION_PASTE_PARTS_H

#include "fusion/flow.h"

enum { FSR_MOST_PIECES = 4 };

/* Elements [start, start + count) along the axis of the paste are a section's. Through its view, if it is one, it shows
 * `source`, index along the paste's own dimensions, but that along the axis it begins at 0. */
typedef struct fsr_piece {
    int64_t start, count;
    fsr_link value, source;
    fsr_view view;
} fsr_piece;

/* In order along the axis; together all of the paste. */
typedef struct fsr_pieces {
    int axis, n;
    fsr_piece piece[FSR_MOST_PIECES];
} fsr_pieces;

/* False: the node is no such paste. */
bool fsr_pieces_of(const fsr_flow *flow, int id, fsr_pieces *out);
/* Nodes are appended for a gather that takes the pieces from one array. Its number; -1: they are of several, or lie in
 * no order; -2: out of memory. */
int fsr_pieces_gathered(fsr_flow *flow, const fsr_flow_node *paste, const fsr_pieces *pieces);

#endif
