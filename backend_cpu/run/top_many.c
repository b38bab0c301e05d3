/* SPDX-License-Identifier: MIT */
/* The first k of a long row, whatever k is: the k-th's key, and then the keys that are less and as many equal ones as
 * are wanted, those of the least places. Two passes after the search: how many each part has, and where they go. */
#include "backend_cpu/run/top.h"

enum { BATCH = 512 };

typedef struct search {
    const fsr_top *t;
    uint64_t last;
    int64_t less[FSR_SELECT_PARTS], equal[FSR_SELECT_PARTS]; /* counts; then places of the part's first ones */
    int64_t ties;                                            /* equal ones that are wanted */
    atomic_int next;
} search;

static void count_parts(void *arg, int worker) {
    search *s = arg;
    const fsr_top *t = s->t;
    uint64_t key[BATCH];
    (void)worker;
    for (int part; (part = atomic_fetch_add(&s->next, 1)) < FSR_SELECT_PARTS;) {
        int64_t low, high, less = 0, equal = 0;
        fsr_select_part(t->n, part, &low, &high);
        for (int64_t i = low; i < high; i += BATCH) {
            const int64_t end = i + BATCH < high ? i + BATCH : high;
            fsr_select_keys(&t->form, t->size, t->in, i, end, key);
            for (int64_t j = 0; j < end - i; j++) {
                less += key[j] < s->last;
                equal += key[j] == s->last;
            }
        }
        s->less[part] = less;
        s->equal[part] = equal;
    }
}

/* The part's own come behind those of the parts before it: so many less ones, and of the equal ones those that are
 * wanted. */
static void move_parts(void *arg, int worker) {
    search *s = arg;
    const fsr_top *t = s->t;
    uint64_t key[BATCH];
    (void)worker;
    for (int part; (part = atomic_fetch_add(&s->next, 1)) < FSR_SELECT_PARTS;) {
        int64_t low, high, equal = s->equal[part];
        fsr_record64 *to = t->record + s->less[part] + (equal < s->ties ? equal : s->ties);
        fsr_select_part(t->n, part, &low, &high);
        for (int64_t i = low; i < high; i += BATCH) {
            const int64_t end = i + BATCH < high ? i + BATCH : high;
            fsr_select_keys(&t->form, t->size, t->in, i, end, key);
            for (int64_t j = 0; j < end - i; j++) {
                const bool ties = key[j] == s->last;
                if (key[j] < s->last || (ties && equal < s->ties))
                    *to++ = (fsr_record64){key[j], (uint64_t)(i + j)};
                equal += ties;
            }
        }
    }
}

static void first_places(int64_t *count) {
    int64_t sum = 0;
    for (int part = 0; part < FSR_SELECT_PARTS; part++) {
        const int64_t own = count[part];
        count[part] = sum;
        sum += own;
    }
}

void fsr_top_many(const fsr_top *t) {
    search s = {.t = t};
    const fsr_select_row row = {t->form, t->threads, t->size, t->n, t->in, t->count, t->word, t->k};
    int64_t less;
    s.last = fsr_select_long(&row, t->k - 1, &less);
    s.ties = t->k - less;
    fsr_select_run(t->threads, count_parts, &s, &s.next);
    first_places(s.less);
    first_places(s.equal);
    fsr_select_run(t->threads, move_parts, &s, &s.next);
}
