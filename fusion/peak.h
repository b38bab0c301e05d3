/* SPDX-License-Identifier: MIT */
/* How much memory a plan may take: that of the program run node by node, and where to cut a plan that takes more. */
#ifndef FUSOR_FUSION_PEAK_H
#define FUSOR_FUSION_PEAK_H

#include "fusion/loop_plan.h"

/* Bytes that lie in the arena at once, outputs not counted, where each node that computes is a kernel of its own, in
 * the flow's order. False: out of memory. */
bool fsr_unfused_peak(const fsr_flow *flow, const fsr_loop_plans *loops, bool gpu, int64_t *bytes);
/* Adds cuts where the program, planned with those that there are, has more than `limit` bytes of temporaries alive at
 * once. Returns how many were added, -1: out of memory. */
int fsr_cuts_add(fsr_cuts *cuts, const fsr_program *program, const fsr_flow *flow, int64_t limit);
/* Instead of cutting, takes back stores that only spare time: of those alive wherever the program has more than `limit`
 * bytes of temporaries the one that spares least. Returns how many, 0: none is left, -1: out of memory. */
int fsr_cuts_unstore(fsr_cuts *cuts, const fsr_program *program, const fsr_flow *flow, int64_t limit);
/* All cuts for the sake of memory go. */
void fsr_cuts_clear(fsr_cuts *cuts);

#endif
