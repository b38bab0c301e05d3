/* SPDX-License-Identifier: MIT */
/* What a graph says of values with a length that only the device knows: which may end where their elements do. */
#ifndef FUSOR_FUSION_FLOW_ENDS_H
#define FUSOR_FUSION_FLOW_ENDS_H

#include "fusion/flow.h"
#include "graph/graph.h"

/* In memory before the program runs. */
bool fsr_rec_is_leaf(const fsr_rec *rec, uint32_t output);
/* Known before the program runs, or computed of that and of single elements: by whoever needs it, at once. */
bool fsr_count_is_known(const fsr_graph *g, fsr_ref ref, int depth);
/* It is computed of what a filter leaves in memory: whoever computes it waits for that, and the count is counted where
 * the filter goes. */
bool fsr_reads_filtered(const fsr_graph *g, const fsr_rec *rec, int depth);
/* It is what a filter selects, or is computed of that alone, each element by itself: it is stored where it is selected,
 * and ends there by itself. */
bool fsr_goes_with_filter(const fsr_graph *g, fsr_ref ref, int depth);
/* Appends the count of rec's length, a link, as it stands in a prefix; -1: out of memory. */
int fsr_flow_add_count(fsr_flow *flow, const fsr_rec *rec, fsr_link count);
/* Appends the prefix of what rec gives, a link, of itself; -1: out of memory. */
int fsr_flow_add_end(fsr_flow *flow, const fsr_rec *rec, fsr_link link, int count);

#endif
