/* SPDX-License-Identifier: MIT */
/* The plan cache; see plan_cache.h. A hit compares the whole key, not only its hash.
 *
 * Keys are of two kinds. A flow's signature: structure, extents and the value of every literal. And, where a plan takes
 * literals as arguments, the key that specialize.h makes, under which flows of other signatures find it. What is
 * generic in the extents is shared one level down, where equal kernel sources are one compiled module: a new shape of a
 * known program costs planning, not compiling. */
#include "runtime/plan_cache.h"
#include "runtime/lru.h"
#include <stdlib.h>
#include <string.h>

/* Keys at most, and those that stay although modules are too many. */
enum { LIMIT = 512, KEPT = 8 };

struct fsr_plan_cache {
    pthread_mutex_t lock;
    pthread_cond_t settled; /* a claim was given back */
    fsr_lru *table;
    fsr_plan_claim *claims; /* as many as threads that plan */
};

static void drop(void *value) {
    fsr_prepared_unref(value);
}

fsr_plan_cache *fsr_plan_cache_open(void) {
    fsr_plan_cache *cache = calloc(1, sizeof *cache);
    if (cache && !(cache->table = fsr_lru_new(LIMIT, drop))) {
        free(cache);
        return NULL;
    }
    if (cache) {
        pthread_mutex_init(&cache->lock, NULL);
        pthread_cond_init(&cache->settled, NULL);
    }
    return cache;
}

void fsr_plan_cache_close(fsr_plan_cache *cache) {
    if (!cache)
        return;
    fsr_lru_free(cache->table);
    pthread_cond_destroy(&cache->settled);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static bool claimed(const fsr_plan_cache *cache, const fsr_plan_claim *claim) {
    const fsr_plan_claim *at = cache->claims;
    while (at && (at->size != claim->size || memcmp(at->key, claim->key, at->size) != 0))
        at = at->next;
    return at != NULL;
}

fsr_prepared *fsr_plan_cache_take(fsr_plan_cache *cache, fsr_plan_claim *claim) {
    fsr_prepared *found;
    pthread_mutex_lock(&cache->lock);
    while ((found = fsr_lru_find(cache->table, claim->key, claim->size)) == NULL && claimed(cache, claim))
        pthread_cond_wait(&cache->settled, &cache->lock);
    if (found) {
        ++found->refs;
    } else {
        claim->next = cache->claims;
        cache->claims = claim;
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

fsr_prepared *fsr_plan_cache_peek(fsr_plan_cache *cache, const void *key, size_t size) {
    pthread_mutex_lock(&cache->lock);
    fsr_prepared *found = fsr_lru_find(cache->table, key, size);
    if (found)
        ++found->refs;
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void fsr_plan_cache_give_back(fsr_plan_cache *cache, fsr_plan_claim *claim) {
    pthread_mutex_lock(&cache->lock);
    fsr_plan_claim **at = &cache->claims;
    while (*at != claim)
        at = &(*at)->next;
    *at = claim->next;
    pthread_cond_broadcast(&cache->settled);
    pthread_mutex_unlock(&cache->lock);
}

void fsr_plan_cache_keep(fsr_plan_cache *cache, const void *key, size_t size, fsr_prepared *prepared) {
    fsr_prepared *gone = NULL;
    ++prepared->refs;
    pthread_mutex_lock(&cache->lock);
    if (fsr_lru_find(cache->table, key, size))
        gone = prepared;
    else
        gone = fsr_lru_put(cache->table, key, size, prepared);
    pthread_mutex_unlock(&cache->lock);
    fsr_prepared_unref(gone);
}

/* A plan that the caller or another thread holds is forgotten in vain; not so the next. */
void fsr_plan_cache_relieve(fsr_plan_cache *cache, fsr_backend *b) {
    for (fsr_prepared *gone = NULL; b->ops->crowded(b);) {
        pthread_mutex_lock(&cache->lock);
        gone = fsr_lru_count(cache->table) > KEPT ? fsr_lru_pop(cache->table) : NULL;
        pthread_mutex_unlock(&cache->lock);
        if (!gone)
            return;
        fsr_prepared_unref(gone);
    }
}

bool fsr_plan_cache_forget(fsr_plan_cache *cache) {
    bool any = false;
    for (fsr_prepared *gone;; any = true) {
        pthread_mutex_lock(&cache->lock);
        gone = fsr_lru_count(cache->table) > 0 ? fsr_lru_pop(cache->table) : NULL;
        pthread_mutex_unlock(&cache->lock);
        if (!gone)
            return any;
        fsr_prepared_unref(gone);
    }
}
