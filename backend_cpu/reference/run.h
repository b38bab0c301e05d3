/* SPDX-License-Identifier: MIT */
/* One run of the reference: reference.c goes through the nodes, kinds.c has what a node of each kind evaluates to. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_RUN_H
#define FUSOR_BACKEND_CPU_REFERENCE_RUN_H

#include "backend_cpu/reference/walk.h"
#include "runtime/reference.h"

typedef struct fsr_ref_run {
    fsr_ref_plan plan;
    fsr_ref_fetch fetch;
    void *user;
    fsr_ball_mode mode;
    fsr_fault *fault;
    const fsr_ref_view *given; /* of a loop's body: its inputs and parameters, by node; NULL: fetch has them */
    uint32_t id;               /* the node that is evaluated */
} fsr_ref_run;

/* reference.c */
fsr_status fsr_ref_no_memory(fsr_ref_run *r, const fsr_rec *rec);
/* The view of an edge whose node has been evaluated. */
const fsr_ref_view *fsr_ref_view_of(const fsr_ref_run *r, fsr_ref edge);
/* A loop's body, of whose results the views are wanted. user: the run that has the loop. */
fsr_status fsr_ref_run_body(void *user, const fsr_graph *g, const fsr_ref *outs, int n, const fsr_ref_view *given,
                            fsr_ref_view *results);

/* kinds.c */
/* What is fetched, or given to a loop's body. */
fsr_status fsr_ref_run_leaf(fsr_ref_run *r, const fsr_rec *rec, uint32_t output, fsr_ref_view *out);
/* What a node makes of its arguments: a view for each output. */
fsr_status fsr_ref_run_kind(fsr_ref_run *r, const fsr_rec *rec, fsr_ref_view *out);

#endif
