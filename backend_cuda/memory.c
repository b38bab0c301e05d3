/* SPDX-License-Identifier: MIT */
/* A caching allocator of whole blocks.
 *
 * Sizes are rounded to 512 bytes up to 1 MiB and to 2 MiB above, the granularity of the device's own allocator. A
 * request takes the smallest free block that holds it and is at most an eighth (and one granule) larger; otherwise a
 * new block comes from the source. Blocks are not split: a pool that splits ends with free memory in pieces of which
 * none is large enough; here trim and retry gives every free byte back, and the driver joins pages by itself.
 *
 * Counter-example to looking only at free bytes: 30 free blocks of 1 GB do not serve a request of 20 GB, and the
 * device has no room. So a refusal first gives all free blocks back and asks once more; only then it is an error.
 *
 * Free blocks lie in bins, four for each power of two. Every block, free or not, is in a hash table by its address:
 * the size given to free is not needed. After the first round of a loop no call here allocates or leaves the lock's
 * fast path. */
#include "backend_cuda/memory.h"
#include "graph/size.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

enum {
    FSR_SMALL_GRANULE = 512,
    FSR_LARGE_GRANULE = 2 << 20,
    FSR_SMALL_LIMIT = 1 << 20,
    FSR_BINS = 256,
    FSR_MIN_BUCKETS = 256
};

typedef struct fsr_block {
    void *data;
    int64_t size;            /* as got from the source */
    int64_t asked;           /* as asked for by the user in hand; -1: free */
    uint64_t serial;         /* of the last time that it was handed out */
    struct fsr_block *next;  /* of the bucket */
    struct fsr_block *after; /* of the bin */
} fsr_block;

struct fsr_device_pool {
    fsr_device_pool_source source;
    pthread_mutex_t lock;
    fsr_block *bin[FSR_BINS];
    fsr_block **bucket;
    size_t nbuckets, nblocks;
    int64_t used, held;
    uint64_t serial;        /* blocks handed out so far */
    _Atomic uint64_t given; /* blocks given back so far */
};

/* ---- sizes and places ------------------------------------------------------------------------- */

static int64_t granule(int64_t bytes) {
    return bytes <= FSR_SMALL_LIMIT ? FSR_SMALL_GRANULE : FSR_LARGE_GRANULE;
}

static int64_t round_size(int64_t bytes) {
    const int64_t g = granule(bytes);
    return bytes == 0 ? g : fsr_round_up(bytes, g);
}

/* The largest block that may serve a request of this rounded size. */
static int64_t waste_limit(int64_t size) {
    return size + size / 8 + granule(size);
}

/* Bin of a size: its power of two and the next two bits. Grows with the size. */
static int bin_of(int64_t size) {
    const int top = 63 - __builtin_clzll((unsigned long long)size);
    return top * 4 + (int)((size >> (top - 2)) & 3);
}

static size_t bucket_of(const fsr_device_pool *pool, const void *data) {
    return (size_t)(((uint64_t)(uintptr_t)data >> 8) * 0x9e3779b97f4a7c15u >> 32) & (pool->nbuckets - 1);
}

static void table_insert(fsr_device_pool *pool, fsr_block *block) {
    fsr_block **head = &pool->bucket[bucket_of(pool, block->data)];
    block->next = *head;
    *head = block;
}

/* Doubles the table when it holds as many blocks as buckets. A failure leaves longer chains, nothing worse. */
static void table_grow(fsr_device_pool *pool) {
    if (pool->nblocks < pool->nbuckets)
        return;
    fsr_block **larger = calloc(pool->nbuckets * 2, sizeof *larger);
    if (!larger)
        return;
    fsr_block **old = pool->bucket;
    const size_t n = pool->nbuckets;
    pool->bucket = larger;
    pool->nbuckets = n * 2;
    for (size_t i = 0; i < n; i++)
        for (fsr_block *block = old[i], *next; block; block = next) {
            next = block->next;
            table_insert(pool, block);
        }
    free(old);
}

static void bin_insert(fsr_device_pool *pool, fsr_block *block) {
    fsr_block **head = &pool->bin[bin_of(block->size)];
    block->asked = -1;
    block->after = *head;
    *head = block;
}

/* ---- blocks ------------------------------------------------------------------------------------- */

/* The place of the smallest block of a bin with size in [size, limit]; NULL if there is none. */
static fsr_block **best_of_bin(fsr_block **place, int64_t size, int64_t limit) {
    fsr_block **best = NULL;
    for (; *place; place = &(*place)->after) {
        const int64_t s = (*place)->size;
        if (s < size || s > limit || (best && s >= (*best)->size))
            continue;
        best = place;
        if (s == size)
            break;
    }
    return best;
}

/* Takes a fitting block out of its bin. Bins grow with sizes, so the first bin with a fit has the best. */
static fsr_block *take_free(fsr_device_pool *pool, int64_t size) {
    const int64_t limit = waste_limit(size);
    const int last = bin_of(limit);
    for (int bin = bin_of(size); bin <= last; bin++) {
        fsr_block **place = best_of_bin(&pool->bin[bin], size, limit);
        if (place) {
            fsr_block *block = *place;
            *place = block->after;
            return block;
        }
    }
    return NULL;
}

/* Forgets a block and gives its memory back; the block is in no bin. */
static void give_back(fsr_device_pool *pool, fsr_block *block) {
    fsr_block **place = &pool->bucket[bucket_of(pool, block->data)];
    while (*place != block)
        place = &(*place)->next;
    *place = block->next;
    pool->held -= block->size;
    pool->nblocks--;
    pool->source.give(pool->source.user, block->data, block->size);
    free(block);
}

static fsr_status trim_locked(fsr_device_pool *pool, fsr_fault *fault) {
    const fsr_status status = pool->source.settle(pool->source.user, fault);
    if (status != FSR_OK)
        return status;
    for (int bin = 0; bin < FSR_BINS; bin++)
        while (pool->bin[bin]) {
            fsr_block *block = pool->bin[bin];
            pool->bin[bin] = block->after;
            give_back(pool, block);
        }
    return FSR_OK;
}

static int64_t free_bytes(const fsr_device_pool *pool) {
    int64_t sum = 0;
    for (int bin = 0; bin < FSR_BINS; bin++)
        for (const fsr_block *block = pool->bin[bin]; block; block = block->after)
            sum += block->size;
    return sum;
}

static fsr_status no_room(fsr_device_pool *pool, int64_t bytes, int64_t kept, fsr_fault *fault) {
    int64_t available = 0, total = 0;
    pool->source.room(pool->source.user, &available, &total);
    return fsr_fault_set(fault, FSR_ERR_DEVICE_MEMORY,
                         "out of device memory: %lld bytes asked for; %lld in use by arrays, %lld free in the pool "
                         "(given back before this answer: %lld), %lld of %lld free on the device",
                         (long long)bytes, (long long)pool->used, (long long)free_bytes(pool), (long long)kept,
                         (long long)available, (long long)total);
}

/* Memory from the source; if it has no room, once more without the pool's free blocks. */
static fsr_status get_memory(fsr_device_pool *pool, int64_t bytes, int64_t size, void **data, fsr_fault *fault) {
    int got = pool->source.get(pool->source.user, size, data, fault);
    const int64_t kept = got == FSR_POOL_NO_ROOM ? free_bytes(pool) : 0;
    if (got == FSR_POOL_NO_ROOM && kept > 0) {
        const fsr_status status = trim_locked(pool, fault);
        if (status != FSR_OK)
            return status;
        got = pool->source.get(pool->source.user, size, data, fault);
    }
    if (got == FSR_POOL_NO_ROOM)
        return no_room(pool, bytes, kept, fault);
    return got == FSR_POOL_GOT ? FSR_OK : fault->status;
}

static fsr_status new_block(fsr_device_pool *pool, int64_t bytes, int64_t size, fsr_block **out, fsr_fault *fault) {
    fsr_block *block = calloc(1, sizeof *block);
    if (!block)
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "device memory: out of host memory");
    const fsr_status status = get_memory(pool, bytes, size, &block->data, fault);
    if (status != FSR_OK) {
        free(block);
        return status;
    }
    block->size = size;
    table_grow(pool);
    table_insert(pool, block);
    pool->nblocks++;
    pool->held += size;
    *out = block;
    return FSR_OK;
}

/* ---- the interface ------------------------------------------------------------------------------ */

fsr_device_pool *fsr_device_pool_new(const fsr_device_pool_source *source) {
    fsr_device_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pool->source = *source;
    pool->nbuckets = FSR_MIN_BUCKETS;
    pool->bucket = calloc(pool->nbuckets, sizeof *pool->bucket);
    if (!pool->bucket || pthread_mutex_init(&pool->lock, NULL) != 0) {
        free(pool->bucket);
        free(pool);
        return NULL;
    }
    return pool;
}

void fsr_device_pool_close(fsr_device_pool *pool) {
    if (!pool)
        return;
    for (size_t i = 0; i < pool->nbuckets; i++)
        while (pool->bucket[i])
            give_back(pool, pool->bucket[i]);
    pthread_mutex_destroy(&pool->lock);
    free(pool->bucket);
    free(pool);
}

fsr_status fsr_device_pool_alloc(fsr_device_pool *pool, int64_t bytes, void **out, fsr_fault *fault) {
    *out = NULL;
    if (!fsr_size_fits(bytes))
        return fsr_fault_set(fault, FSR_ERR_SIZE, "device memory: %lld bytes", (long long)bytes);
    pthread_mutex_lock(&pool->lock);
    fsr_status status = FSR_OK;
    fsr_block *block = NULL;
    if (bytes > INT64_MAX / 2) {
        status = no_room(pool, bytes, 0, fault);
    } else {
        const int64_t size = round_size(bytes);
        block = take_free(pool, size);
        if (!block)
            status = new_block(pool, bytes, size, &block, fault);
    }
    if (block) {
        block->asked = bytes;
        block->serial = ++pool->serial;
        pool->used += bytes;
        *out = block->data;
    }
    pthread_mutex_unlock(&pool->lock);
    return status;
}

/* NULL: none that is in hand begins there. */
static fsr_block *block_in_hand(const fsr_device_pool *pool, const void *data) {
    fsr_block *block = pool->bucket[bucket_of(pool, data)];
    while (block && block->data != data)
        block = block->next;
    return block && block->asked >= 0 ? block : NULL;
}

uint64_t fsr_device_pool_serial(fsr_device_pool *pool, const void *data) {
    pthread_mutex_lock(&pool->lock);
    const fsr_block *block = block_in_hand(pool, data);
    const uint64_t serial = block ? block->serial : 0;
    pthread_mutex_unlock(&pool->lock);
    return serial;
}

uint64_t fsr_device_pool_given(const fsr_device_pool *pool) {
    return atomic_load(&pool->given);
}

fsr_status fsr_device_pool_free(fsr_device_pool *pool, void *data) {
    if (!data)
        return FSR_OK;
    pthread_mutex_lock(&pool->lock);
    fsr_block *block = block_in_hand(pool, data);
    const bool known = block != NULL;
    if (known) {
        pool->used -= block->asked;
        bin_insert(pool, block);
        atomic_fetch_add(&pool->given, 1);
    }
    pthread_mutex_unlock(&pool->lock);
    return known ? FSR_OK : FSR_ERR_INTERNAL;
}

fsr_status fsr_device_pool_trim(fsr_device_pool *pool, fsr_fault *fault) {
    pthread_mutex_lock(&pool->lock);
    const fsr_status status = trim_locked(pool, fault);
    pthread_mutex_unlock(&pool->lock);
    return status;
}

void fsr_device_pool_stats(fsr_device_pool *pool, int64_t *used, int64_t *held) {
    pthread_mutex_lock(&pool->lock);
    *used = pool->used;
    *held = pool->held;
    pthread_mutex_unlock(&pool->lock);
}
