/* SPDX-License-Identifier: MIT */
/* Making a program, shared by the files plan*.c: what is known while its thunks are added. */
#ifndef FUSOR_FUSION_PLAN_PARTS_H
#define FUSOR_FUSION_PLAN_PARTS_H

#include "fusion/loop_plan.h"
#include "fusion/plan.h"

typedef struct fsr_plan_builder {
    fsr_program *out;
    const fsr_flow *flow;
    const fsr_partition *p;
    int *leaf_node; /* flow node of each leaf */
    int *home_slot; /* per node * FSR_MAX_OUTPUTS: output ordinal, or -2 - temporary, -1 none */
    const fsr_loop_plans *loops;
    bool no_memory; /* for what a thunk uses */
} fsr_plan_builder;

/* Rooms for the thunks of a partition, and the outputs. False: out of memory. */
bool fsr_plan_begin(fsr_plan_builder *b);
void fsr_plan_end(fsr_plan_builder *b);
/* Arrays that groups write into have their place before any thunk is made; order: the n groups that run. */
void fsr_plan_settle_bases(fsr_plan_builder *b, const int *order, int n);
/* The next thunk: a group's kernel, which the program takes over, its library call, or its loop. */
fsr_status fsr_plan_add(fsr_plan_builder *b, fsr_group *group, const fsr_program_options *options);
/* The thunks that copy a value which several outputs have. False: out of memory. */
bool fsr_plan_copies(fsr_plan_builder *b, const fsr_program_options *options);
/* Gives back the room for thunks and temporaries that is left: no more may be added. What cannot be given back is
 * kept. */
void fsr_plan_trim(fsr_plan_builder *b);
int64_t fsr_plan_result_bytes(const fsr_flow *flow, fsr_link link);

#endif
