/* SPDX-License-Identifier: MIT */
/* The pool: device memory kept between uses. It sees no CUDA header; where memory comes from is given by three
 * functions.
 *
 * Threads: calls lock inside. Order: a freed block is handed out again at once, so all work must be ordered on one
 * stream (transfer.c orders foreign streams against it). */
#ifndef FUSOR_BACKEND_CUDA_MEMORY_H
#define FUSOR_BACKEND_CUDA_MEMORY_H

#include "runtime/fault.h"
#include <stdint.h>

/* Where the pool's memory comes from. get returns false if there is no such block now; settle waits for all work that
 * may use freed blocks, before they are given back; room tells the device's free and total bytes. */
typedef struct fsr_device_pool_source {
    void *user;
    int (*get)(void *user, int64_t bytes, void **out, fsr_fault *fault);
    void (*give)(void *user, void *data, int64_t bytes);
    fsr_status (*settle)(void *user, fsr_fault *fault);
    void (*room)(void *user, int64_t *available, int64_t *total);
} fsr_device_pool_source;

/* Results of get: a block, no room, or another failure (then the fault is set). */
enum { FSR_POOL_GOT, FSR_POOL_NO_ROOM, FSR_POOL_FAILED };

typedef struct fsr_device_pool fsr_device_pool;

/* NULL: out of host memory. */
fsr_device_pool *fsr_device_pool_new(const fsr_device_pool_source *source);
/* Gives every block back, also those in use. NULL is allowed. The caller has waited for the device. */
void fsr_device_pool_close(fsr_device_pool *pool);

/* bytes 0 gives a block as well. FSR_ERR_SIZE: bytes negative. FSR_ERR_DEVICE_MEMORY: no room even after every free
 * block was given back. FSR_ERR_MEMORY. */
fsr_status fsr_device_pool_alloc(fsr_device_pool *pool, int64_t bytes, void **out, fsr_fault *fault);
/* NULL is allowed. FSR_ERR_INTERNAL: no block in use has this address; nothing is done. */
fsr_status fsr_device_pool_free(fsr_device_pool *pool, void *data);
/* Which block in use begins there: a number that is not 0 and that no other one of the pool had or will have, also not
 * the same memory handed out again. 0: none does. */
uint64_t fsr_device_pool_serial(fsr_device_pool *pool, const void *data);
/* How many blocks were given back so far: as long as it is the same, a block in use is in use. Does not lock. */
uint64_t fsr_device_pool_given(const fsr_device_pool *pool);
/* Gives the free blocks back. */
fsr_status fsr_device_pool_trim(fsr_device_pool *pool, fsr_fault *fault);
/* used: bytes handed out, as asked for. held: bytes the pool has from its source, used and free. */
void fsr_device_pool_stats(fsr_device_pool *pool, int64_t *used, int64_t *held);

#endif
