/* SPDX-License-Identifier: MIT */
/* The table; see lru.h. Buckets for finding, a ring for the order of use: every operation takes constant time. */
#include "runtime/lru.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { BUCKETS = 1024 };

typedef struct entry {
    struct entry *next;          /* of the bucket */
    struct entry *newer, *older; /* of the ring */
    uint64_t hash;
    size_t size;
    void *value;
    unsigned char key[];
} entry;

struct fsr_lru {
    entry *bucket[BUCKETS];
    entry *newest, *oldest;
    int n, limit;
    void (*drop)(void *value);
};

fsr_lru *fsr_lru_new(int limit, void (*drop)(void *value)) {
    fsr_lru *table = calloc(1, sizeof *table);
    if (table) {
        table->limit = limit;
        table->drop = drop;
    }
    return table;
}

static void unlink_used(fsr_lru *table, entry *e) {
    *(e->newer ? &e->newer->older : &table->newest) = e->older;
    *(e->older ? &e->older->newer : &table->oldest) = e->newer;
}

static void link_newest(fsr_lru *table, entry *e) {
    e->newer = NULL;
    e->older = table->newest;
    *(e->older ? &e->older->newer : &table->oldest) = e;
    table->newest = e;
}

void *fsr_lru_find(fsr_lru *table, const void *key, size_t size) {
    uint64_t hash = XXH3_64bits(key, size);
    entry *e = table->bucket[hash % BUCKETS];
    while (e && (e->hash != hash || e->size != size || memcmp(e->key, key, size) != 0))
        e = e->next;
    if (!e)
        return NULL;
    unlink_used(table, e);
    link_newest(table, e);
    return e->value;
}

void *fsr_lru_pop(fsr_lru *table) {
    entry *e = table->oldest;
    if (!e)
        return NULL;
    entry **at = &table->bucket[e->hash % BUCKETS];
    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    unlink_used(table, e);
    --table->n;
    void *value = e->value;
    free(e);
    return value;
}

void *fsr_lru_put(fsr_lru *table, const void *key, size_t size, void *value) {
    entry *e = malloc(sizeof *e + size);
    if (!e)
        return value;
    void *gone = table->n == table->limit ? fsr_lru_pop(table) : NULL;
    e->hash = XXH3_64bits(key, size);
    e->size = size;
    e->value = value;
    memcpy(e->key, key, size);
    e->next = table->bucket[e->hash % BUCKETS];
    table->bucket[e->hash % BUCKETS] = e;
    link_newest(table, e);
    ++table->n;
    return gone;
}

int fsr_lru_count(const fsr_lru *table) {
    return table->n;
}

void fsr_lru_free(fsr_lru *table) {
    while (table && table->n)
        table->drop(fsr_lru_pop(table));
    free(table);
}
