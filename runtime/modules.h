/* SPDX-License-Identifier: MIT */
/* The loaded kernels of a backend: found by what they are made of, counted by reference, bounded.
 *
 * Who compiles a kernel holds a reference until it is released. One that nobody holds stays for the next who asks,
 * until there are more modules than the limit: then the one released longest ago is dropped. Held ones are never
 * dropped, so there may be more than the limit. A module that is being built is in the table already: others that ask
 * for the same one wait. Dropping takes place outside of the lock, as it may wait for a device. */
#ifndef FUSOR_RUNTIME_MODULES_H
#define FUSOR_RUNTIME_MODULES_H

#include "runtime/backend.h"
#include <pthread.h>

enum { FSR_MODULE_BUCKETS = 1024 };

/* The first member of a backend's module. */
typedef struct fsr_loaded {
    uint64_t hash; /* set by the backend; the rest is the table's */
    struct fsr_loaded *next;
    struct fsr_loaded *newer, *older; /* of those that nobody holds */
    int refs;
    bool building;
} fsr_loaded;

typedef struct fsr_modules {
    bool (*same)(const fsr_loaded *a, const fsr_loaded *b);
    void (*drop)(void *user, fsr_loaded *m); /* unloads and frees */
    void *user;
    int limit;
    /* the lock's */
    pthread_mutex_t lock;
    pthread_cond_t settled; /* a module was built, or not */
    fsr_loaded *bucket[FSR_MODULE_BUCKETS];
    fsr_loaded *newest, *oldest; /* that nobody holds */
    int n;
} fsr_modules;

/* The callbacks and the limit are set. */
void fsr_modules_init(fsr_modules *table);
/* Drops every module, held or not. */
void fsr_modules_clear(fsr_modules *table);
/* A reference to the module that is the same as m. NULL: there is none; m is now in the table as being built, held by
 * the caller, who must settle it. */
fsr_loaded *fsr_modules_take(fsr_modules *table, fsr_loaded *m);
/* m was built; if not, it leaves the table and is the caller's. */
void fsr_modules_settle(fsr_modules *table, fsr_loaded *m, bool built);
void fsr_modules_release(fsr_modules *table, fsr_loaded *m);
/* A reference to the module that is the same as m, if one is there and built; else NULL. */
fsr_loaded *fsr_modules_find(fsr_modules *table, const fsr_loaded *m);
/* How many there are; of those that are built, which() of them if it is not NULL. */
int fsr_modules_count(fsr_modules *table, bool (*which)(const fsr_loaded *m));
/* Drops those that nobody holds, however few there are: their number. */
int fsr_modules_trim(fsr_modules *table);
/* More than the limit. */
bool fsr_modules_crowded(fsr_modules *table);

#endif
