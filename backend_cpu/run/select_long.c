/* SPDX-License-Identifier: MIT */
/* The k-th of a long row, by all threads: its parts count the values of the highest digit of their keys, then of the
 * next among the keys that have the k-th's first one, until so few are left that they are put side by side. */
#include "backend_cpu/run/select.h"
#include <stdatomic.h>

enum { BATCH = 512, DIGIT = 11 };

typedef struct search {
    const fsr_select_row *r;
    int known, shift; /* bits from `known` up are the k-th's; a digit begins at bit `shift` */
    uint64_t prefix;  /* the k-th from bit `known` up, then from bit `shift` up */
    uint64_t value;   /* of the digit, when its keys are put side by side */
    atomic_int next;
} search;

void fsr_select_part(int64_t n, int part, int64_t *low, int64_t *high) {
    *low = n / FSR_SELECT_PARTS * part;
    *high = part == FSR_SELECT_PARTS - 1 ? n : *low + n / FSR_SELECT_PARTS;
}

/* Counter-example to key >> bit: of 64 bits all are left. */
static uint64_t from_bit(uint64_t key, int bit) {
    return bit < 64 ? key >> bit : 0;
}

static void count_parts(void *arg, int worker) {
    search *s = arg;
    const fsr_select_row *r = s->r;
    uint64_t key[BATCH];
    (void)worker;
    for (int part; (part = atomic_fetch_add(&s->next, 1)) < FSR_SELECT_PARTS;) {
        int64_t *count = r->count[part], low, high;
        memset(count, 0, sizeof *r->count);
        fsr_select_part(r->n, part, &low, &high);
        for (int64_t i = low; i < high; i += BATCH) {
            const int64_t end = i + BATCH < high ? i + BATCH : high;
            fsr_select_keys(&r->form, r->size, r->in, i, end, key);
            for (int64_t j = 0; j < end - i; j++)
                count[key[j] >> s->shift & (FSR_SELECT_DIGITS - 1)] += from_bit(key[j], s->known) == s->prefix;
        }
    }
}

/* The part's keys with this digit go behind those of the parts before it. */
static void collect_parts(void *arg, int worker) {
    search *s = arg;
    const fsr_select_row *r = s->r;
    uint64_t key[BATCH];
    (void)worker;
    for (int part; (part = atomic_fetch_add(&s->next, 1)) < FSR_SELECT_PARTS;) {
        int64_t low, high;
        uint64_t *to = r->word;
        for (int before = 0; before < part; before++)
            to += r->count[before][s->value];
        fsr_select_part(r->n, part, &low, &high);
        for (int64_t i = low; i < high; i += BATCH) {
            const int64_t end = i + BATCH < high ? i + BATCH : high;
            fsr_select_keys(&r->form, r->size, r->in, i, end, key);
            for (int64_t j = 0; j < end - i; j++)
                if (key[j] >> s->shift == s->prefix)
                    *to++ = key[j];
        }
    }
}

void fsr_select_run(fsr_thread_pool *threads, void (*work)(void *, int), void *arg, atomic_int *next) {
    atomic_store(next, 0);
    if (threads)
        fsr_thread_pool_run(threads, work, arg);
    else
        work(arg, 0);
}

static int64_t counted(const fsr_select_row *r, uint64_t value) {
    int64_t sum = 0;
    for (int part = 0; part < FSR_SELECT_PARTS; part++)
        sum += r->count[part][value];
    return sum;
}

uint64_t fsr_select_long(const fsr_select_row *r, int64_t k, int64_t *less) {
    search s = {.r = r, .known = 8 * (int)r->size};
    *less = 0;
    for (; s.known > 0; s.known = s.shift) {
        int64_t own, inside;
        s.shift = s.known < DIGIT ? 0 : s.known - DIGIT;
        fsr_select_run(r->threads, count_parts, &s, &s.next);
        for (s.value = 0; k >= (own = counted(r, s.value)); s.value++) {
            k -= own;
            *less += own;
        }
        s.prefix = s.prefix << (s.known - s.shift) | (s.value & ((UINT64_C(1) << (s.known - s.shift)) - 1));
        if (own <= r->words) {
            fsr_select_run(r->threads, collect_parts, &s, &s.next);
            const uint64_t key = fsr_select_kth(r->form.simd, r->word, own, k, &inside);
            *less += inside;
            return key;
        }
    }
    return s.prefix;
}
