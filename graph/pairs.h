/* SPDX-License-Identifier: MIT */
/* Hints about two nodes of a graph: that one kernel shall compute both, or that none shall.
 *
 * They are the graph's, beside its nodes: neither of the two is part of the other, so no node's content says it. A pair
 * whose nodes are not both there any more, or are data, stands for nothing; such pairs go where room is needed.
 * Counter-example to a field of a node's content: a node may have any number of partners, recorded after it. */
#ifndef FUSOR_GRAPH_PAIRS_H
#define FUSOR_GRAPH_PAIRS_H

#include "graph/graph.h"

typedef struct fsr_pair {
    uint32_t id[2];
    uint64_t stamp[2];
    fsr_pair_hint hint;
} fsr_pair;

/* Sets what is said of two live nodes of g; FSR_PAIR_NONE: nothing. False: out of memory. */
bool fsr_pair_set(fsr_graph *g, uint32_t x, uint32_t y, fsr_pair_hint hint);
/* Adds one to what is said, also of the two. False: out of memory. */
bool fsr_pair_add(fsr_graph *g, uint32_t x, uint32_t y, fsr_pair_hint hint);
/* The number of pairs, in the order in which they were set. */
int fsr_pair_count(const fsr_graph *g);
/* Pair i; NULL: it stands for nothing. */
const fsr_pair *fsr_pair_at(const fsr_graph *g, int i);
/* The pairs of nodes that have an image, for those. Of graph `from`, by its ids; an image whose `has` is false is none.
 * False: out of memory. */
typedef bool fsr_pair_image(const void *data, uint32_t id, uint32_t *image);
bool fsr_pairs_copy(const fsr_graph *from, fsr_graph *to, fsr_pair_image *image, const void *data);

#endif
