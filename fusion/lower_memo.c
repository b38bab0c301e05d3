/* SPDX-License-Identifier: MIT */
/* The memo of a lowering: which instruction has the value of a node at an index, and where.
 *
 * A hash table of entry numbers with linear probing, at most half full, that grows; entries are only added, in blocks,
 * and stay where they are. Most trials have a few dozen: room for all that there may be is 2.8 MB, which each would ask
 * for. A value is
 * found by node and index alone: what is there serves wherever the guard under which it was evaluated holds too, and
 * elsewhere its loads may be widened (lower_widen.c). Counter-example to looking a value up under its own guard: a
 * sweep after another one asks for each element of the first under five guards, and evaluated it five times. */
#include "fusion/lower.h"
#include <stdlib.h>
#include <string.h>

enum { FEW_SLOTS = 64, SLOTS = 4096, BLOCK = 32 };

typedef struct entry {
    fsr_link link;
    fsr_index index;
    uint64_t hash; /* of both */
    int guard;
    int inst;
} entry;

struct fsr_memo {
    int n;
    int nslots;                      /* a power of two */
    int16_t slot[SLOTS];             /* numbers of entries, -1: free */
    entry *block[SLOTS / 2 / BLOCK]; /* as many as it has entries for */
};

static entry *entry_at(const fsr_memo *memo, int i) {
    return &memo->block[i / BLOCK][i % BLOCK];
}

static void free_slots(fsr_memo *memo, int n) {
    memo->nslots = n;
    memset(memo->slot, 0xff, sizeof memo->slot[0] * (size_t)n);
}

fsr_memo *fsr_memo_new(void) {
    fsr_memo *memo = malloc(sizeof *memo);
    if (!memo)
        return NULL;
    memo->n = 0;
    free_slots(memo, FEW_SLOTS);
    return memo;
}

void fsr_memo_free(fsr_memo *memo) {
    for (int i = 0; memo && i < memo->n; i += BLOCK)
        free(memo->block[i / BLOCK]);
    free(memo);
}

static uint64_t hash_of(fsr_link link, const fsr_index *index) {
    uint64_t h = ((uint64_t)link.id * 31 + (uint64_t)link.output) * 61;
    for (int d = 0; d < index->n; ++d) {
        uint64_t row = (uint64_t)index->row[d].offset * 7;
        for (int i = 0; i < FSR_MAX_DIMS; ++i)
            row += (uint64_t)index->row[d].coef[i] * (UINT64_C(0x9e3779b97f4a7c15) * (2 * (uint64_t)i + 1));
        for (int i = 0; i < index->row[d].nterms; ++i)
            row += (uint64_t)index->row[d].factor[i] * (uint64_t)(index->row[d].value[i] + 1) *
                   UINT64_C(0xff51afd7ed558ccd);
        h = h * 1000003 + row;
    }
    return h ^ h >> 31;
}

/* The slot of the next entry of (link, index), whose hash it is, from `slot` on; or the free one behind them. */
static int find(const fsr_memo *memo, fsr_link link, const fsr_index *index, uint64_t hash, uint64_t slot) {
    const uint64_t mask = (uint64_t)memo->nslots - 1;
    for (slot &= mask;; slot = (slot + 1) & mask) {
        const entry *at = memo->slot[slot] < 0 ? NULL : entry_at(memo, memo->slot[slot]);
        if (!at || (at->hash == hash && fsr_link_equal(at->link, link) && fsr_index_equal(&at->index, index)))
            return (int)slot;
    }
}

int fsr_memo_find(fsr_lowering *l, fsr_link link, const fsr_index *index) {
    fsr_memo *memo = l->memo;
    const uint64_t hash = hash_of(link, index);
    const int first = find(memo, link, index, hash, hash);
    for (int at = first; memo->slot[at] >= 0; at = find(memo, link, index, hash, (uint64_t)at + 1))
        if (fsr_lower_serves(l, entry_at(memo, memo->slot[at])->guard))
            return entry_at(memo, memo->slot[at])->inst;
    for (int at = first; memo->slot[at] >= 0; at = find(memo, link, index, hash, (uint64_t)at + 1)) {
        entry *one = entry_at(memo, memo->slot[at]);
        if (fsr_lower_widen(l, one->inst, &one->guard))
            return one->inst;
    }
    return -1;
}

bool fsr_memo_place(const fsr_memo *memo, int inst, fsr_link *link, fsr_index *index) {
    for (int i = 0; i < memo->n; ++i)
        if (entry_at(memo, i)->inst == inst) {
            *link = entry_at(memo, i)->link;
            fsr_index_copy(index, &entry_at(memo, i)->index);
            return true;
        }
    return false;
}

/* The entry's number goes into the first free slot from its hash on: so entries of one value stay in the order in which
 * they came. */
static void take_slot(fsr_memo *memo, int number) {
    const uint64_t mask = (uint64_t)memo->nslots - 1;
    uint64_t slot = entry_at(memo, number)->hash & mask;
    while (memo->slot[slot] >= 0)
        slot = (slot + 1) & mask;
    memo->slot[slot] = (int16_t)number;
}

static void grow(fsr_memo *memo) {
    free_slots(memo, 2 * memo->nslots);
    for (int i = 0; i < memo->n; ++i)
        take_slot(memo, i);
}

const char *fsr_memo_add(fsr_memo *memo, fsr_link link, const fsr_index *index, int guard, int inst) {
    if (memo->n == SLOTS / 2)
        return "the kernel would evaluate too many values";
    if (memo->n % BLOCK == 0) {
        memo->block[memo->n / BLOCK] = malloc(sizeof(entry) * BLOCK);
        if (!memo->block[memo->n / BLOCK])
            return fsr_reason_memory;
    }
    if (memo->n == memo->nslots / 2)
        grow(memo);
    entry *added = entry_at(memo, memo->n);
    added->link = link;
    added->hash = hash_of(link, index);
    added->guard = guard;
    added->inst = inst;
    fsr_index_copy(&added->index, index);
    take_slot(memo, memo->n++);
    return NULL;
}
