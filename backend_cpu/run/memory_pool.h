/* SPDX-License-Identifier: MIT */
/* Host memory for arrays: freed blocks are kept by size class and handed out again. */
#ifndef FUSOR_BACKEND_CPU_POOL_H
#define FUSOR_BACKEND_CPU_POOL_H

#include "fusor/context.h"
#include <pthread.h>
#include <stdint.h>

#define FSR_POOL_CLASSES 256

typedef struct fsr_pool {
    pthread_mutex_t lock;
    void *free[FSR_POOL_CLASSES]; /* blocks of one size, linked through their first bytes */
    int64_t used;                 /* bytes handed out */
    int64_t kept;                 /* bytes in the free lists */
    int64_t limit;                /* of kept */
    int64_t place;                /* in its page, of the newest block */
    fsr_allocator source;         /* the caller's; take NULL: the system */
} fsr_pool;

/* source: where blocks come from, copied; NULL: the system. Returns 0 or an errno. */
int fsr_pool_init(fsr_pool *p, const fsr_allocator *source);
void fsr_pool_free(fsr_pool *p);
/* 256-byte aligned, uninitialized; NULL: out of memory, also after giving back what was kept. bytes >= 0. */
void *fsr_pool_take(fsr_pool *p, int64_t bytes);
/* bytes: as asked for in fsr_pool_take. data NULL is allowed. */
void fsr_pool_give(fsr_pool *p, void *data, int64_t bytes);
void fsr_pool_trim(fsr_pool *p);
void fsr_pool_count(fsr_pool *p, int64_t *used, int64_t *held);

#endif
