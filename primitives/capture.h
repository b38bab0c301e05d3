/* SPDX-License-Identifier: MIT */
/* A recorded body as a region: an operator's, a loop's. */
#ifndef FUSOR_PRIMITIVES_CAPTURE_H
#define FUSOR_PRIMITIVES_CAPTURE_H

#include "graph/graph.h"

/* Nodes of a body; equal ones share an instruction. */
#define FSR_MAX_BODY 1024

typedef struct fsr_capture {
    const fsr_graph *g;
    uint64_t first; /* stamp of the body's first ARG: smaller ones are outside of the body */
    /* Values of one point from outside, which become arguments from number `narguments` on; of an operator, which is
     * run before anything is computed, parameters. */
    int narguments, most_outside, noutside;
    fsr_ref outside[FSR_MAX_ARGS];
    fsr_ref table[FSR_MAX_TABLES]; /* arrays from outside that the body takes elements of, the region's tables */
    fsr_region *region;            /* receives the instructions */
    fsr_container where;           /* what it is the body of */
    const char *problem;           /* why it failed: "is too long" */
    fsr_status status;
    int count;
    fsr_ref ref[FSR_MAX_BODY];
    int inst_of[FSR_MAX_BODY]; /* -1: not yet made */
} fsr_capture;

/* The instruction that computes a 0-d node of the body, made with all it needs; -1: problem and status say why not. */
int fsr_capture_node(fsr_capture *t, fsr_ref ref);

#endif
