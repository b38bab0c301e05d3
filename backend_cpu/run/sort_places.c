/* SPDX-License-Identifier: MIT */
/* Where elements of a row are in order: records of key and place, sorted by key. Elements, where they are asked for as
 * well, are picked by their places afterwards, so that they come out in every bit, but NaN. */
#include "backend_cpu/run/sort.h"
#include <stdatomic.h>

static void leave_place(fsr_sort *s, int64_t rank, uint64_t place) {
    if (s->wide)
        ((uint64_t *)s->places)[rank] = place;
    else
        ((uint32_t *)s->places)[rank] = (uint32_t)place;
}

#define FILLED 1
#define ITEM fsr_record32
#define NAME(x) x##_32
#define KEY(f, x) ((x).key)
#define ENTER(f, x) (x)
#define LEAVE(s, i, x) leave_place(s, i, (x).place)
#include "backend_cpu/run/sort_passes.h"

#define FILLED 1
#define ITEM fsr_record64
#define NAME(x) x##_64
#define KEY(f, x) ((x).key)
#define ENTER(f, x) (x)
#define LEAVE(s, i, x) leave_place(s, i, (x).place)
#include "backend_cpu/run/sort_passes.h"

/* A pass over the row by all threads: records are filled, or elements picked. */
typedef struct pass {
    fsr_sort *s;
    size_t size;
    bool wide;
    atomic_int next;
} pass;

static void part_of(const fsr_sort *s, int part, int64_t *low, int64_t *high) {
    *low = s->n / s->parts * part;
    *high = part == s->parts - 1 ? s->n : *low + s->n / s->parts;
}

static void fill(void *arg, int worker) {
    pass *p = arg;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&p->next, 1)) < p->s->parts;) {
        int64_t low, high;
        part_of(p->s, part, &low, &high);
        fsr_sort_fill(p->s, p->size, p->wide, low, high);
    }
}

static void pick(void *arg, int worker) {
    pass *p = arg;
    const fsr_sort *s = p->s;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&p->next, 1)) < s->parts;) {
        int64_t low, high;
        part_of(s, part, &low, &high);
        fsr_sort_pick(&s->form, p->size, s->wide, s->in, (const char *)s->places + (s->wide ? 8 : 4) * low, high - low,
                      (char *)s->keys + (size_t)low * p->size);
    }
}

static void run(pass *p, void (*work)(void *, int)) {
    atomic_store(&p->next, 0);
    if (p->s->threads && p->s->parts > 1)
        fsr_thread_pool_run(p->s->threads, work, p);
    else
        work(p, 0);
}

#define SORT_RECORDS(bits)                                         \
    static void sort_records_##bits(fsr_sort *s, int key_bits) {   \
        fsr_record##bits *x = s->buffer[0], *other = s->buffer[1]; \
        if (s->parts > 1)                                          \
            sort_long_##bits(s, x, other, x);                      \
        else                                                       \
            settle_##bits(s, x, other, 0, s->n, key_bits);         \
    }
SORT_RECORDS(32)
SORT_RECORDS(64)

void fsr_sort_records(fsr_sort *s, int key_bits) {
    sort_records_64(s, key_bits);
}

void fsr_sort_places(fsr_sort *s, size_t size) {
    pass p = {.s = s, .size = size, .wide = fsr_sort_is_wide(s->n, size)};
    if (!fsr_sort_by_vectors(s, size)) {
        run(&p, fill);
        if (p.wide)
            sort_records_64(s, 8 * (int)size);
        else
            sort_records_32(s, 8 * (int)size);
    }
    if (s->keys)
        run(&p, pick);
}
