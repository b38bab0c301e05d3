/* SPDX-License-Identifier: MIT */
/* Parts of an explanation: where nodes were recorded, and what was refused. */
#ifndef FUSOR_FUSION_EXPLAIN_H
#define FUSOR_FUSION_EXPLAIN_H

#include "fusion/partition.h"
#include <stdio.h>

/* " [a.c:12]", or of two nodes " [a.c:12 into 14]", the second file too where it is another one; nothing where it is
 * not known. b: -1 for one node. */
void fsr_explain_site(const fsr_flow *flow, int a, int b, FILE *to);
/* Where what a kernel computes was recorded, as a line "    recorded at: a.c:12-14, 20; b.c:7"; none where nothing
 * is known. */
void fsr_explain_sites(const fsr_flow *flow, const fsr_kernel *k, FILE *to);
/* The same of count nodes of a flow, -1 for none, at most FSR_MAX_INSTS. */
void fsr_explain_lines(const fsr_flow *flow, const int *node, int count, FILE *to);
/* Every edge that was not fused, with the reason. Those alike in names and reason are one line with their number.
 * False: out of memory. */
bool fsr_explain_notes(const fsr_partition *p, FILE *to);
/* Every value that is stored because that costs less, with both prices. */
void fsr_explain_savings(const fsr_partition *p, FILE *to);

#endif
