/* SPDX-License-Identifier: MIT */
/* Graphs without a context, for tests of the graph and the primitives. */
#ifndef FUSOR_TESTS_SUPPORT_NODES_H
#define FUSOR_TESTS_SUPPORT_NODES_H

#include "graph/graph.h"

/* A host buffer with the test's own release; *live counts those not yet released. */
fsr_buffer *node_buffer(int64_t bytes, int *live);
/* A DATA node with a buffer of its own. */
fsr_node node_data(fsr_graph *g, fsr_dtype dtype, int ndim, const int64_t *shape, int *live);
/* What computing x leaves: a buffer for that result. */
void node_force(fsr_node x, int *live);
/* A new graph of a new owner, and both freed. */
fsr_graph *node_graph(fsr_graph_owner **owner);

/* The flat index in the leaf below a chain of views that element `flat` of x reads; -1: no chain of views to a leaf. */
int64_t node_leaf_index(fsr_node x, int64_t flat);
/* The text form of x; the caller frees it. */
char *node_text(fsr_node x);

#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})
#define AXES(...) ((const int[]){__VA_ARGS__})
#define NDIM(...) ((int)(sizeof(SHAPE(__VA_ARGS__)) / sizeof(int64_t)))
/* An input named x: f32[3,4] is INPUT(g, FSR_F32, 3, 4). */
#define INPUT(g, dtype, ...) fsr_input(g, "x", dtype, NDIM(__VA_ARGS__), SHAPE(__VA_ARGS__))

#endif
