/* SPDX-License-Identifier: MIT */
/* The part of a graph that the reference evaluates: which results, in which order, how often each is used. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_WALK_H
#define FUSOR_BACKEND_CPU_REFERENCE_WALK_H

#include "backend_cpu/reference/array.h"

/* One node id. */
typedef struct fsr_ref_slot {
    uint8_t wanted;                /* bit i: result i is used */
    bool expanded;                 /* some wanted result has no buffer: the node is evaluated */
    bool ordered;                  /* it is in `order` */
    bool summed;                   /* a sum of products, which a library may leave unrounded, takes it */
    int64_t uses[FSR_MAX_OUTPUTS]; /* consumers of each result yet to come */
    fsr_ref_view *value;           /* FSR_MAX_OUTPUTS views, while alive */
} fsr_ref_slot;

typedef struct fsr_ref_plan {
    const fsr_graph *graph;
    uint32_t slots;
    fsr_ref_slot *slot;
    uint32_t *order; /* ids, arguments first */
    size_t count;
} fsr_ref_plan;

/* FSR_ERR_MEMORY. Whatever it returns, fsr_ref_plan_free. */
fsr_status fsr_ref_plan_make(fsr_ref_plan *p, const fsr_graph *g, const fsr_ref *outs, int n);
void fsr_ref_plan_free(fsr_ref_plan *p);
/* One consumer of a result is done: its array goes with the last. */
void fsr_ref_plan_release(fsr_ref_plan *p, fsr_ref edge);
/* The result is fetched, not evaluated. */
bool fsr_ref_is_leaf(const fsr_rec *rec, uint32_t output);

#endif
