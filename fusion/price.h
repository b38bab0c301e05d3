/* SPDX-License-Identifier: MIT */
/* The price of a kernel: launch + max(memory, issue), in ns, from the table price.def and from nothing measured. */
#ifndef FUSOR_FUSION_PRICE_H
#define FUSOR_FUSION_PRICE_H

#include <stdbool.h>

typedef struct fsr_prices {
#define FSR_PRICE(name, gpu, cpu) double name;
#include "fusion/price.def"
} fsr_prices;

const fsr_prices *fsr_prices_of(bool gpu);
/* Reading or writing so many bytes. */
double fsr_price_bytes(const fsr_prices *prices, double bytes);
/* A kernel that moves bytes and does operations. */
double fsr_price_kernel(const fsr_prices *prices, double bytes, double operations);

#endif
