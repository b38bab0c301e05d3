/* SPDX-License-Identifier: MIT */
/* A plan whose kernels cost more than the nodes that they are made of: what is told by prices (fusion/price.h), and
 * which nodes are planned as kernels of their own instead. */
#ifndef FUSOR_FUSION_APART_H
#define FUSOR_FUSION_APART_H

#include "fusion/plan.h"

/* Some kernel of the program, or all of them together, may cost more than its nodes do as kernels of their own: by a
 * price that these have at least. The sum of these is noted in the program. */
bool fsr_apart_may_pay(fsr_program *program, const fsr_flow *flow, const fsr_target *target);
/* Marks the nodes of kernels so many times whose price is more than the unfused program's kernels of these nodes cost.
 * Returns how many nodes were marked, 0: none, -1: out of memory. */
int fsr_apart_mark(fsr_cuts *cuts, const fsr_program *program, const fsr_program *unfused, const fsr_flow *flow,
                   double times);
/* The program costs less than the unfused one by so small a part of its kernels of several nodes (price worth) that the
 * table's error decides, and some of these are loops whose price is known least. The unfused plan then stays. */
bool fsr_apart_spares_little(const fsr_program *program, const fsr_program *unfused, const fsr_flow *flow,
                             const fsr_target *target);

#endif
