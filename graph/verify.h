/* SPDX-License-Identifier: MIT */
/* The check of one record; fsr_graph_verify in graph/graph.h checks them all. */
#ifndef FUSOR_GRAPH_VERIFY_H
#define FUSOR_GRAPH_VERIFY_H

#include "graph/graph.h"

/* What is wrong with a live record, in words; NULL: it keeps the normal form. */
const char *fsr_rec_check(const fsr_graph *g, const fsr_rec *rec);

#endif
