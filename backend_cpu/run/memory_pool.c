/* SPDX-License-Identifier: MIT */
/* The pool of host memory.
 *
 * Sizes are rounded up to four classes a power of two (at most a quarter is wasted), so that a freed block serves every
 * request of its class. At most an eighth of the machine's memory is kept free in it. Large blocks ask for huge pages.
 * Counter-example to plain malloc and free: every run of a plan maps its large temporaries anew, and the page faults
 * take longer than the kernels. */
#include "backend_cpu/run/memory_pool.h"
#include "graph/size.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FSR_ALIGNMENT 256
#define FSR_HUGE ((int64_t)2 << 20)

/* Rounds bytes up to its class's size; returns the class, -1 if there is none that large. */
static int size_class(int64_t bytes, int64_t *size) {
    int log = 8;
    *size = FSR_ALIGNMENT;
    if (bytes <= FSR_ALIGNMENT)
        return 0;
    while (log < 62 && ((int64_t)1 << (log + 1)) < bytes)
        log++;
    int64_t step = (int64_t)1 << (log - 2);
    if (log >= 62)
        return -1;
    int quarter = (int)((bytes - ((int64_t)1 << log) + step - 1) / step);
    *size = ((int64_t)1 << log) + quarter * step;
    *size = fsr_round_up(*size, FSR_ALIGNMENT);
    return 4 * (log - 8) + quarter;
}

int fsr_pool_init(fsr_pool *p, const fsr_allocator *source) {
    memset(p, 0, sizeof *p);
    if (source)
        p->source = *source;
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    p->limit = pages > 0 && page > 0 ? (int64_t)pages * page / 8 : (int64_t)256 << 20;
    return pthread_mutex_init(&p->lock, NULL);
}

static void give_block(const fsr_pool *p, void *data, int64_t size) {
    if (p->source.take)
        p->source.give(p->source.user, data, (size_t)size);
    else
        free(data);
}

static int64_t class_size(int class) {
    const int64_t power = (int64_t)1 << (8 + class / 4);
    return fsr_round_up(power + class % 4 * (power / 4), FSR_ALIGNMENT);
}

static void drop_all(fsr_pool *p) {
    for (int i = 0; i < FSR_POOL_CLASSES; i++)
        while (p->free[i]) {
            void *next = *(void **)p->free[i];
            give_block(p, p->free[i], class_size(i));
            p->free[i] = next;
        }
    p->kept = 0;
}

void fsr_pool_trim(fsr_pool *p) {
    pthread_mutex_lock(&p->lock);
    drop_all(p);
    pthread_mutex_unlock(&p->lock);
}

void fsr_pool_free(fsr_pool *p) {
    drop_all(p);
    pthread_mutex_destroy(&p->lock);
}

/* From the caller's allocator. */
static void *take_block(const fsr_pool *p, int64_t size) {
    void *data = p->source.take(p->source.user, (size_t)size, FSR_ALIGNMENT);
    if (data && (uintptr_t)data % FSR_ALIGNMENT) {
        give_block(p, data, size);
        return NULL;
    }
    return data;
}

static void *map_block(const fsr_pool *p, int64_t size) {
    void *data = NULL;
    if (p->source.take)
        return take_block(p, size);
    if (posix_memalign(&data, (size_t)(size >= 2 * FSR_HUGE ? FSR_HUGE : FSR_ALIGNMENT), (size_t)size) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (size >= 2 * FSR_HUGE)
        madvise(data, (size_t)size, MADV_HUGEPAGE);
#endif
    return data;
}

void *fsr_pool_take(fsr_pool *p, int64_t bytes) {
    int64_t size;
    int class = size_class(bytes, &size);
    if (class < 0)
        return NULL;
    pthread_mutex_lock(&p->lock);
    void *data = p->free[class];
    if (data) {
        p->free[class] = *(void **)data;
        p->kept -= size;
    } else {
        data = map_block(p, size);
        if (!data) {
            drop_all(p);
            data = map_block(p, size);
        }
    }
    if (data)
        p->used += size;
    pthread_mutex_unlock(&p->lock);
    return data;
}

void fsr_pool_give(fsr_pool *p, void *data, int64_t bytes) {
    int64_t size;
    int class = size_class(bytes, &size);
    if (!data || class < 0)
        return;
    pthread_mutex_lock(&p->lock);
    p->used -= size;
    if (p->kept + size > p->limit) {
        give_block(p, data, size);
    } else {
        *(void **)data = p->free[class];
        p->free[class] = data;
        p->kept += size;
    }
    pthread_mutex_unlock(&p->lock);
}

void fsr_pool_count(fsr_pool *p, int64_t *used, int64_t *held) {
    pthread_mutex_lock(&p->lock);
    *used = p->used;
    *held = p->used + p->kept;
    pthread_mutex_unlock(&p->lock);
}
