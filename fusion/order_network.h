/* SPDX-License-Identifier: MIT */
/* Networks of exchanges: what brings a few values in order without asking how they lie. */
#ifndef FUSOR_FUSION_ORDER_NETWORK_H
#define FUSOR_FUSION_ORDER_NETWORK_H

#include <stdbool.h>

enum { FSR_MOST_WIRES = 32, FSR_MOST_EXCHANGES = FSR_MOST_WIRES * (FSR_MOST_WIRES - 1) / 2 };

/* The lesser of the values on two wires goes to the first, the other one to the second, where anybody asks for it. */
typedef struct fsr_exchange {
    unsigned char first, second;
    bool gives_first, gives_second;
} fsr_exchange;

typedef struct fsr_network {
    int n, ops; /* exchanges; values that are computed */
    fsr_exchange exchange[FSR_MOST_EXCHANGES];
} fsr_network;

/* Of so many wires, at most FSR_MOST_WIRES. Stable: neighbours are exchanged alone, so that of equal values the earlier
 * one stays first; else the fewest that Batcher's merge exchange has. wanted: a bit for each wire that is asked for at
 * the end. */
void fsr_network_make(fsr_network *out, int wires, bool stable, unsigned wanted);

#endif
