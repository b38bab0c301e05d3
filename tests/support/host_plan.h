/* SPDX-License-Identifier: MIT */
/* A program of one kernel, planned as for a GPU, whose generated CUDA is run on the host. */
#ifndef FUSOR_TESTS_SUPPORT_HOST_PLAN_H
#define FUSOR_TESTS_SUPPORT_HOST_PLAN_H

#include "fusion/loop_ir.h"
#include "graph/graph.h"

/* What the kernel has. */
typedef struct host_plan {
    int guards, versions, nests, stores;
    bool branched;
} host_plan;

/* Plans x, of f32, for a small GPU. The plan must be one kernel, of this schedule and, if vector is not 0, of these
 * vectors; its generated CUDA must give what the interpreter of the loop IR gives, in two orders of blocks and threads,
 * and report no index. Arrays have their exact size, so that under the address sanitizer a wild access is seen. Leaves
 * of f32 hold numbers from 0 to 12.5, those of i32 numbers from 1 to 999. */
host_plan host_plan_check(fsr_graph *g, fsr_node x, fsr_schedule_kind kind, int vector);
/* The same for a GPU on which values are computed for tiles. */
host_plan host_plan_check_tiles(fsr_graph *g, fsr_node x);

#endif
