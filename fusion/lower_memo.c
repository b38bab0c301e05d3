/* SPDX-License-Identifier: MIT */
/* The memo of a lowering: which instruction has the value of a node at an index, under a guard.
 *
 * A hash table of entry numbers with linear probing, at most half full; entries are only added.
 *
 * Counter-example to looking a value up under its own guard alone: in update(x, view, x[view] * 2), x is loaded
 * everywhere for the choice, and that load serves the region. Not the other way round: outside its guard a load is any
 * value. */
#include "fusion/lower.h"
#include <stdlib.h>
#include <string.h>

enum { SLOTS = 4096 };

typedef struct entry {
    fsr_link link;
    fsr_index index;
    int guard;
    int inst;
} entry;

struct fsr_memo {
    int n;
    int16_t slot[SLOTS]; /* numbers of entries, -1: free */
    entry entry[SLOTS / 2];
};

fsr_memo *fsr_memo_new(void) {
    fsr_memo *memo = malloc(sizeof *memo);
    if (!memo)
        return NULL;
    memo->n = 0;
    memset(memo->slot, 0xff, sizeof memo->slot);
    return memo;
}

void fsr_memo_free(fsr_memo *memo) {
    free(memo);
}

/* The slot of (link, index) under a guard: free, or with the entry's number. */
static int find(const fsr_memo *memo, fsr_link link, const fsr_index *index, int guard) {
    uint64_t h = ((uint64_t)link.id * 31 + (uint64_t)link.output) * 61 + (uint64_t)guard;
    for (int d = 0; d < index->n; ++d) {
        uint64_t row = (uint64_t)index->row[d].offset * 7;
        for (int i = 0; i < FSR_MAX_DIMS; ++i)
            row += (uint64_t)index->row[d].coef[i] * (UINT64_C(0x9e3779b97f4a7c15) * (2 * (uint64_t)i + 1));
        for (int i = 0; i < index->row[d].nterms; ++i)
            row += (uint64_t)index->row[d].factor[i] * (uint64_t)(index->row[d].value[i] + 1) *
                   UINT64_C(0xff51afd7ed558ccd);
        h = h * 1000003 + row;
    }
    h ^= h >> 31;
    for (h &= SLOTS - 1;; h = (h + 1) & (SLOTS - 1)) {
        if (memo->slot[h] < 0)
            return (int)h;
        const entry *at = &memo->entry[memo->slot[h]];
        if (at->guard == guard && fsr_link_equal(at->link, link) && fsr_index_equal(&at->index, index))
            return (int)h;
    }
}

int fsr_memo_find(const fsr_memo *memo, fsr_link link, const fsr_index *index, int guard) {
    int16_t at = memo->slot[find(memo, link, index, 0)];
    if (at < 0 && guard)
        at = memo->slot[find(memo, link, index, guard)];
    return at < 0 ? -1 : memo->entry[at].inst;
}

bool fsr_memo_add(fsr_memo *memo, fsr_link link, const fsr_index *index, int guard, int inst) {
    if (memo->n == SLOTS / 2)
        return false;
    memo->slot[find(memo, link, index, guard)] = (int16_t)memo->n;
    entry *added = &memo->entry[memo->n++];
    added->link = link;
    added->guard = guard;
    added->inst = inst;
    fsr_index_copy(&added->index, index);
    return true;
}
