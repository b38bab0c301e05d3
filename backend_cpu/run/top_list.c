/* SPDX-License-Identifier: MIT */
/* A running threshold: keys that are at most as large as the k-th of those seen are kept until there is no room, then
 * the first k of them, whose last one is the new threshold. However the elements lie, room more than 2 k makes each of
 * them take a constant time. Counter-example to a heap: of a row in descending order each element sinks through it. */
#include "backend_cpu/run/top.h"

void fsr_top_prune(const fsr_top *t, fsr_top_list *list) {
    int64_t less, equal, left = 0;
    if (list->n <= list->k)
        return;
    for (int64_t i = 0; i < list->n; i++)
        list->word[i] = list->record[i].key;
    const uint64_t last = fsr_select_kth(t->form.simd, list->word, list->n, list->k - 1, &less);
    equal = list->k - less;
    for (int64_t i = 0; i < list->n; i++) {
        const fsr_record64 own = list->record[i];
        const bool ties = own.key == last && equal > 0;
        list->record[left] = own;
        left += own.key < last || ties;
        equal -= ties;
    }
    list->n = left;
    list->last = last;
    list->closed = last == 0;
    list->limit = last - !list->closed < list->limit ? last - !list->closed : list->limit;
}

/* One block, or what is left of a row. */
static void add_block(const fsr_top *t, fsr_top_list *list, int64_t low, int64_t high) {
    uint64_t key[FSR_SELECT_BLOCK];
    if (list->n + FSR_SELECT_BLOCK > list->room)
        fsr_top_prune(t, list);
    fsr_select_keys(&t->form, t->size, t->in, low, high, key);
    for (int64_t i = low; i < high; i++) {
        list->record[list->n] = (fsr_record64){key[i - low], (uint64_t)i};
        list->n += key[i - low] <= list->limit;
    }
}

void fsr_top_add(const fsr_top *t, fsr_top_list *list, int64_t low, int64_t high) {
    while (low < high && !list->closed) {
        low = fsr_select_seek(&t->form, t->size, t->in, low, high, list->limit);
        const int64_t end = low + FSR_SELECT_BLOCK < high ? low + FSR_SELECT_BLOCK : high;
        if (low < end)
            add_block(t, list, low, end);
        low = end;
    }
}
