/* SPDX-License-Identifier: MIT */
/* Pieces of a job, dealt to the workers of a pool. */
#ifndef FUSOR_BACKEND_CPU_SHARES_H
#define FUSOR_BACKEND_CPU_SHARES_H

#include <stdatomic.h>
#include <stdint.h>

enum { FSR_MOST_SHARES = 64 };

typedef struct fsr_shares {
    int n;
    atomic_ullong left[FSR_MOST_SHARES]; /* of each share: its first piece; upper half: the one after its last */
} fsr_shares;

/* Pieces 0 to `pieces`, fewer than 2^31, for so many workers, at least one. Before the job is posted. */
void fsr_shares_deal(fsr_shares *s, int64_t pieces, int workers);
/* Another piece for the worker, a number from 0; each is given once. -1: none is left. Any thread. */
int64_t fsr_shares_take(fsr_shares *s, int worker);

#endif
