/* SPDX-License-Identifier: MIT */
/* The price of a kernel: launch + max(memory, issue), in ns, from the table price.def and from nothing measured. */
#ifndef FUSOR_FUSION_PRICE_H
#define FUSOR_FUSION_PRICE_H

#include "fusion/partition.h"
#include "fusion/walk.h"

typedef struct fsr_prices {
#define FSR_PRICE(name, gpu, cpu) double name;
#include "fusion/price.def"
} fsr_prices;

const fsr_prices *fsr_prices_of(bool gpu);
/* Reading or writing so many bytes. */
double fsr_price_bytes(const fsr_prices *prices, double bytes);
/* A kernel that moves bytes and does operations. */
double fsr_price_kernel(const fsr_prices *prices, double bytes, double operations);

/* price_node.c. The node's first argument is evaluated where the others say. */
bool fsr_price_gathers(const fsr_flow_node *n);
/* A gather with an index for each element; else it is one place for all, and neighbours are neighbours in memory. */
bool fsr_price_scatters(const fsr_flow *flow, const fsr_flow_node *n);
/* Maps, gathers and pastes are walked through; everything else ends a walk down from a root, and so does what is
 * held. */
bool fsr_price_walks(const fsr_flow_node *n);
bool fsr_price_goes_on(const fsr_partition *p, int id);
/* Operations of a node for one element. */
double fsr_price_own(const fsr_prices *prices, const fsr_flow *flow, const fsr_flow_node *n);

/* price_map.c. Operations of an element of a map where a version of the loops runs, with what the guards that it
 * does not know cost. */
double fsr_price_element(const fsr_prices *prices, const fsr_group *group, const fsr_loop_version *version);
/* Bytes that a map moves: of each array what it touches, whole lines of it. */
double fsr_price_touched(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group);
/* The price of a map as it would be scheduled; *work: of its operations alone. Negative: out of memory. */
double fsr_price_map(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group, double *work);

/* price_group.c. The price of any lowered kernel as it would be scheduled; out of memory is told in p->no_memory. */
double fsr_price_group(const fsr_partition *p, const fsr_group *group);
/* Two kernels cost less than the one that does what both do. Only asked where that may be: of most joins it is plain
 * that they spare something. */
bool fsr_price_is_less_apart(const fsr_partition *p, const fsr_group *both, const fsr_group *a, const fsr_group *b);

#endif
