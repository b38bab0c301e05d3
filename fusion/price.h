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

/* Operations of an element of a map where a version of the loops runs, with what the guards that it does not know cost. */
double fsr_price_element(const fsr_prices *prices, const fsr_group *group, const fsr_loop_version *version);
/* Bytes that a map moves: of each array what it touches, whole lines of it. */
double fsr_price_touched(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group);
/* The price of a map as it would be scheduled; *work: of its operations alone. Negative: out of memory. */
double fsr_price_map(const fsr_prices *prices, const fsr_partition *p, const fsr_group *group, double *work);

#endif
