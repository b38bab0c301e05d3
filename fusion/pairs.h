/* SPDX-License-Identifier: MIT */
/* Hints about two nodes (fsr_hint_pair) in a partition: who asks for one kernel, what may be none, and what became of
 * it. */
#ifndef FUSOR_FUSION_PAIRS_H
#define FUSOR_FUSION_PAIRS_H

#include "fusion/plan.h"

/* Some pair asks for one kernel with the node. */
bool fsr_pairs_fuse(const fsr_flow *flow, int node);
/* Some pair that both kernels have a node of asks for one kernel. Either may be NULL: false. */
bool fsr_pairs_ask(const fsr_flow *flow, const fsr_kernel *a, const fsr_kernel *b);
/* The pair asks, and no group's kernel computes both. */
bool fsr_pair_waits(const fsr_partition *p, int pair);
/* Groups whose kernels compute the k-th node of a pair, at most so many. Returns how many. */
int fsr_pair_groups(const fsr_partition *p, int pair, int k, int *list, int most);
/* Why those pairs that both kernels have a node of are no one kernel. */
void fsr_pairs_refuse(fsr_partition *p, const fsr_kernel *a, const fsr_kernel *b, const char *reason);
extern const char fsr_reason_apart[];
/* NULL, or why a lowered kernel may not be: it computes two nodes that shall be apart. blame: the earlier one. */
const char *fsr_pairs_forbid(const fsr_partition *p, const fsr_kernel *k, fsr_link *blame);
/* Both kernels together would be such a one. */
bool fsr_pairs_apart(const fsr_flow *flow, const fsr_kernel *a, const fsr_kernel *b);
/* A line for each pair: what became of it. */
void fsr_explain_pairs(const fsr_program *program, const fsr_partition *p, FILE *to);

#endif
