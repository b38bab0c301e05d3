/* SPDX-License-Identifier: MIT */
/* The plan cache: prepared executables by key, bounded, the least recently used goes. It locks itself.
 *
 * A key that is not there is claimed by who asks first: others that ask for it wait until the claim is given back. */
#ifndef FUSOR_RUNTIME_PLAN_CACHE_H
#define FUSOR_RUNTIME_PLAN_CACHE_H

#include "runtime/executable.h"

typedef struct fsr_plan_claim {
    const void *key; /* borrowed */
    size_t size;
    struct fsr_plan_claim *next;
} fsr_plan_claim;

/* NULL: out of memory. */
fsr_plan_cache *fsr_plan_cache_open(void);
void fsr_plan_cache_close(fsr_plan_cache *cache); /* NULL is allowed */
/* A reference to what the claim's key has; NULL: nothing, and the claim is the caller's, to be given back. */
fsr_prepared *fsr_plan_cache_take(fsr_plan_cache *cache, fsr_plan_claim *claim);
/* A reference to what the key has; NULL: nothing. Waits for nobody. */
fsr_prepared *fsr_plan_cache_peek(fsr_plan_cache *cache, const void *key, size_t size);
void fsr_plan_cache_give_back(fsr_plan_cache *cache, fsr_plan_claim *claim);
/* Adds a reference of the cache's own under a key that is not there. Where memory is out nothing is kept. */
/* Forgets every plan; those that somebody holds live on. False: there was none. */
bool fsr_plan_cache_forget(fsr_plan_cache *cache);
void fsr_plan_cache_keep(fsr_plan_cache *cache, const void *key, size_t size, fsr_prepared *prepared);
/* Forgets plans, the least recently used first, while the backend has more modules than it should; a few stay. */
void fsr_plan_cache_relieve(fsr_plan_cache *cache, fsr_backend *b);

#endif
