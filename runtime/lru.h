/* SPDX-License-Identifier: MIT */
/* A bounded table from bytes to pointers; the least recently used entry goes. Not locked. */
#ifndef FUSOR_RUNTIME_LRU_H
#define FUSOR_RUNTIME_LRU_H

#include <stdbool.h>
#include <stddef.h>

typedef struct fsr_lru fsr_lru;

/* At most `limit` entries. drop (not NULL) frees a value. NULL: out of memory. */
fsr_lru *fsr_lru_new(int limit, void (*drop)(void *value));
void fsr_lru_free(fsr_lru *table); /* NULL is allowed; drops every value */
/* The value of a key, all of whose bytes are compared; it is then the most recently used. NULL: there is none. */
void *fsr_lru_find(fsr_lru *table, const void *key, size_t size);
/* Adds a key that is not there; key is copied. Returns what goes instead, for the caller to free (its own value where
 * memory is out, which is then not kept); NULL: nothing. */
void *fsr_lru_put(fsr_lru *table, const void *key, size_t size, void *value);
/* Takes the least recently used value out, for the caller to free. NULL: the table is empty. */
void *fsr_lru_pop(fsr_lru *table);
int fsr_lru_count(const fsr_lru *table);

#endif
