/* The memory plan: offsets in one arena for temporaries with lifetimes.
 *
 * Greedy by size: largest first, each at the lowest offset where it overlaps no placed temporary that is alive at the same time.
 * Optimal packing is NP-hard; this stays near the live maximum in practice (Pisarchyk and Lee 2020 compare such orders).
 * Counter-example to a stack discipline: of a, b, c written in that order, a may die last. */
#include "fusion/plan.h"
#include <stdlib.h>

enum { ALIGN = 256 };

static int by_size(const void *a, const void *b) {
    const fsr_temporary *const *x = a, *const *y = b;
    if ((*x)->bytes != (*y)->bytes)
        return (*x)->bytes < (*y)->bytes ? 1 : -1;
    return *x < *y ? -1 : *x > *y;
}

static int by_offset(const void *a, const void *b) {
    const fsr_temporary *const *x = a, *const *y = b;
    return (*x)->offset < (*y)->offset ? -1 : (*x)->offset > (*y)->offset;
}

static bool alive_together(const fsr_temporary *a, const fsr_temporary *b) {
    return a->first <= b->last && b->first <= a->last;
}

static int64_t rounded(int64_t bytes) {
    return (bytes + ALIGN - 1) / ALIGN * ALIGN;
}

/* placed[0..n) in order of offset. */
static int64_t lowest(const fsr_temporary *t, fsr_temporary **placed, int n) {
    int64_t at = 0;
    for (int i = 0; i < n; ++i) {
        if (!alive_together(t, placed[i]))
            continue;
        if (at + rounded(t->bytes) <= placed[i]->offset)
            break;
        int64_t end = placed[i]->offset + rounded(placed[i]->bytes);
        at = end > at ? end : at;
    }
    return at;
}

int64_t fsr_memory_pack(fsr_temporary *temporary, int n) {
    fsr_temporary **order = malloc(sizeof *order * (size_t)(n + 1));
    fsr_temporary **placed = malloc(sizeof *placed * (size_t)(n + 1));
    int64_t size = 0;
    for (int i = 0; i < n && order; ++i)
        order[i] = &temporary[i];
    if (order && placed) {
        qsort(order, (size_t)n, sizeof *order, by_size);
        for (int i = 0; i < n; ++i) {
            order[i]->offset = lowest(order[i], placed, i);
            placed[i] = order[i];
            qsort(placed, (size_t)i + 1, sizeof *placed, by_offset);
            int64_t end = order[i]->offset + rounded(order[i]->bytes);
            size = end > size ? end : size;
        }
    } else {
        size = -1;
    }
    free(order);
    free(placed);
    return size;
}
