/* SPDX-License-Identifier: MIT */
/* The check of one node; fsr_graph_verify in graph/graph.h checks a graph's, fsr_flow_verify a plan's. */
#ifndef FUSOR_GRAPH_VERIFY_H
#define FUSOR_GRAPH_VERIFY_H

#include "graph/graph.h"

/* A node with what it is applied to, whoever holds them. */
typedef struct fsr_applied {
    const fsr_content *n;
    const fsr_content *arg[FSR_MAX_ARGS];
    int output[FSR_MAX_ARGS]; /* which result of arg[i] */
} fsr_applied;

/* What is wrong with a node whose kind is one of the table and whose number of arguments is one that there can be, in
 * words; NULL: it keeps the normal form. */
const char *fsr_applied_check(const fsr_applied *a);
/* The part that is its kind's own. */
const char *fsr_kind_check(const fsr_applied *a);
/* What is wrong with the operator of a fold; with a loop. */
const char *fsr_fold_check(const fsr_applied *a);
const char *fsr_loop_check(const fsr_applied *a);
/* What is wrong with a library call. */
const char *fsr_library_check(const fsr_applied *a);
/* What is wrong with a loop over arrays; with a result of one. */
const char *fsr_rounds_check(const fsr_applied *a);
const char *fsr_result_check(const fsr_applied *a);

static inline fsr_dtype fsr_applied_dtype(const fsr_applied *a, int i) {
    return a->arg[i]->dtype[a->output[i]];
}

/* What is wrong with a live record; NULL: nothing. */
const char *fsr_rec_check(const fsr_graph *g, const fsr_rec *rec);

#endif
