/* SPDX-License-Identifier: MIT */
/* The pool of host memory.
 *
 * Sizes are rounded up to four classes a power of two (at most a quarter is wasted), so that a freed block serves every
 * request of its class; a large one has a page more, which is not counted. At most an eighth of the machine's memory is
 * kept free in it. Large blocks ask for huge pages.
 * Counter-example to plain malloc and free: every run of a plan maps its large temporaries anew, and the page faults
 * take longer than the kernels.
 *
 * Blocks begin at different places of their pages. A processor that compares a load with the stores before it by these
 * places alone takes what lies at one place of two arrays for the same, and their lines share a set of each cache.
 * Counter-example to blocks as the system gives them, each at one place: two loads and two stores of 64 rows of 1773
 * f32, whose vectors lie across lines, took 64 us, and 53 so. */
#include "backend_cpu/run/memory_pool.h"
#include "graph/size.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define FSR_ALIGNMENT 256
#define FSR_HUGE ((int64_t)2 << 20)
#define FSR_PAGE 4096
#define FSR_PLACE (5 * FSR_ALIGNMENT) /* from one block's to the next one's: a page has 16, which all come in turn */

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

/* It has a place of its own in a page, and a page more than its size. */
static bool is_placed(int64_t size) {
    return size >= 4 * FSR_PAGE;
}

static void give_block(const fsr_pool *p, void *data, int64_t size) {
    if (p->source.take)
        p->source.give(p->source.user, data, (size_t)size);
    else
        free(is_placed(size) ? (char *)data - (uintptr_t)data % FSR_PAGE : data);
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

static void *map_block(fsr_pool *p, int64_t size) {
    if (p->source.take)
        return take_block(p, size);
    const int64_t whole = is_placed(size) ? fsr_size_add(size, FSR_PAGE) : size;
    const int64_t alignment = size >= 2 * FSR_HUGE ? FSR_HUGE : is_placed(size) ? FSR_PAGE : FSR_ALIGNMENT;
    void *data = NULL;
    if (posix_memalign(&data, (size_t)alignment, (size_t)whole) != 0)
        return NULL;
#ifdef MADV_HUGEPAGE
    if (size >= 2 * FSR_HUGE)
        madvise(data, (size_t)whole, MADV_HUGEPAGE);
#endif
    if (!is_placed(size))
        return data;
    p->place = (p->place + FSR_PLACE) % FSR_PAGE;
    return (char *)data + p->place;
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
