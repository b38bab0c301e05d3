/* SPDX-License-Identifier: MIT */
/* Reading the text form of graph/print.h back into a graph. */
#ifndef FUSOR_PRIMITIVES_PARSE_H
#define FUSOR_PRIMITIVES_PARSE_H

#include "graph/graph.h"

typedef struct fsr_parse_error {
    int line, column; /* from 1; columns are bytes */
    char message[120];
} fsr_parse_error;

/* Records the nodes of text in g and gives the return line's nodes: outs[0..*n), *n <= capacity. Numbers count up from
 * %0; blank lines and lines that begin with # are skipped. Data becomes inputs: result 0 of %3 is the input _3,
 * result 1 is _3_1. Nodes that the return line does not need are dropped.
 * FSR_ERR_FORMAT: the text is not in the form, or its graph not in normal form; error (may be NULL) says where and why.
 * FSR_ERR_NULL, FSR_ERR_STALE, FSR_ERR_MEMORY. On an error nothing is recorded and *n is 0. */
fsr_status fsr_graph_parse(fsr_graph *g, const char *text, fsr_node *outs, int capacity, int *n,
                           fsr_parse_error *error);
/* The same, but nodes that nobody needs stay. */
fsr_status fsr_graph_parse_all(fsr_graph *g, const char *text, fsr_node *outs, int capacity, int *n,
                               fsr_parse_error *error);

#endif
