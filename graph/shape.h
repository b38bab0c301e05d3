/* SPDX-License-Identifier: MIT */
/* Shapes beyond what graph/graph.h declares. */
#ifndef FUSOR_GRAPH_SHAPE_H
#define FUSOR_GRAPH_SHAPE_H

#include "graph/graph.h"
#include "graph/size.h"

/* NumPy's broadcast of two shapes; false if they do not fit. out may be a or b. */
bool fsr_shape_broadcast(const fsr_shape *a, const fsr_shape *b, fsr_shape *out);
/* Bytes of an array: the one place where they are computed. -1 if a dimension is negative or the product, extents 0
 * left out, is FSR_SIZE_OVER or more; never for a recorded node (fsr_graph_add). */
int64_t fsr_shape_bytes(const fsr_shape *shape, fsr_dtype dtype);
/* True if the shapes differ only in axes of extent 1. */
bool fsr_shape_same_but_ones(const fsr_shape *a, const fsr_shape *b);
/* A node's dtype and shape in words, for messages: fsr_say(x).text. A node that is not valid gives "?". */
typedef struct fsr_words {
    char text[224];
} fsr_words;
fsr_words fsr_say(fsr_node x);
/* A shape alone: "[3,4]". */
fsr_words fsr_say_shape(const fsr_shape *shape);

#endif
