/* SPDX-License-Identifier: MIT */
/* The first k of a long row, where k is small: each part keeps a list of its own, in one pass over the row.
 *
 * A sample says about where the k-th is; a key of the sample some ranks behind it is the threshold. If less than k keys
 * are at most as great, the sample has misled, and the pass is made again with the sample's k-th: that of any of the
 * row's keys is none less than the k-th of all. The k-th that a part has seen is another threshold, and the least one
 * of all parts counts for each. A list of 2 k keys is pruned, so that the threshold follows what was seen: of 2^24
 * elements else as many as there is room for are looked at one by one for ten. A sample's line may hold all the first
 * k of a sorted row, so that no less than k decide where k is at most a line. Which keys a list holds on the way
 * depends on who was first; the first k of all of them do not. */
#include "backend_cpu/run/top.h"

enum {
    LINE = 16,
    STRIDE = 1 << 14,
    ASIDE = 5
}; /* elements that are sampled side by side; between two looks at the others' threshold; deviations of a rank */

typedef struct search {
    const fsr_top *t;
    fsr_top_list list[FSR_SELECT_PARTS];
    atomic_ullong limit;
    atomic_int next;
} search;

static void lower(search *s, uint64_t limit) {
    unsigned long long known = atomic_load(&s->limit);
    while (limit < known && !atomic_compare_exchange_weak(&s->limit, &known, limit))
        ;
}

/* A threshold of lines that lie evenly. sure: one that need not be checked. */
static void sample(search *s, bool sure) {
    const fsr_top *t = s->t;
    const int64_t lines = (16 * t->k + (1 << 14)) / LINE, apart = t->n / lines, rank = t->k * LINE / (apart + 1) + 1;
    int64_t less, behind = 0;
    if (apart < 2 * LINE)
        return;
    while (behind * behind < ASIDE * ASIDE * rank)
        behind++;
    const int64_t guess = t->k > LINE ? rank + behind : t->k;
    for (int64_t i = 0; i < lines; i++)
        fsr_select_keys(&t->form, t->size, t->in, i * apart, i * apart + LINE, t->word + i * LINE);
    lower(s, fsr_select_kth(t->form.simd, t->word, lines * LINE, sure || guess >= t->k ? t->k - 1 : guess, &less));
}

static void scan_parts(void *arg, int worker) {
    search *s = arg;
    (void)worker;
    for (int part; (part = atomic_fetch_add(&s->next, 1)) < FSR_SELECT_PARTS;) {
        fsr_top_list *list = &s->list[part];
        int64_t low, high;
        fsr_select_part(s->t->n, part, &low, &high);
        for (int64_t end; low < high; low = end) {
            end = low + STRIDE < high ? low + STRIDE : high;
            const uint64_t limit = atomic_load(&s->limit);
            list->limit = limit < list->limit ? limit : list->limit;
            fsr_top_add(s->t, list, low, end);
            if (list->n >= 2 * list->k)
                fsr_top_prune(s->t, list);
            lower(s, list->last);
        }
        fsr_top_prune(s->t, list);
    }
}

/* The lists of all parts, one behind the other. */
static fsr_top_list scan(search *s, bool sure) {
    atomic_store(&s->limit, UINT64_MAX);
    for (int part = 0; part < FSR_SELECT_PARTS; part++)
        s->list[part] = fsr_top_list_at(s->t, part);
    sample(s, sure);
    fsr_select_run(s->t->threads, scan_parts, s, &s->next);
    fsr_top_list all = s->list[0];
    all.n = 0;
    for (int part = 0; part < FSR_SELECT_PARTS; part++) {
        memmove(all.record + all.n, s->list[part].record, (size_t)s->list[part].n * sizeof *all.record);
        all.n += s->list[part].n;
    }
    return all;
}

void fsr_top_few(const fsr_top *t) {
    search s = {.t = t};
    atomic_init(&s.limit, UINT64_MAX);
    fsr_top_list all = scan(&s, false);
    if (all.n < t->k)
        all = scan(&s, true);
    fsr_top_prune(t, &all);
}
