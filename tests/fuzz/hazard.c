/* SPDX-License-Identifier: MIT */
/* Kernels that write in place, point by point: who reads and who writes each address. The planner proves from strides
 * and ranges that they are the same point (fusion/in_place.c, fusion/memory.c); here they are counted out. An
 * interpreter alone would not see every mistake: it walks forward, where x[:-1] = x[1:] happens to be right. */
#include "fusion/address.h"
#include "tests/fuzz/check.h"
#include <stdlib.h>
#include <string.h>

static int64_t address_at(const fsr_kernel *k, const fsr_launch *launch, const fsr_index_form *a, int64_t point) {
    int64_t at = a->offset >= 0 ? launch->integer[a->offset] : 0;
    for (int d = k->ndim - 1; d >= 0; d--) {
        int64_t extent = launch->integer[FSR_INT_EXTENT + d];
        int64_t stride = fsr_form_stride(a, launch->integer, d);
        at += point % extent * stride;
        point /= extent;
    }
    return at;
}

static int64_t points_of(const fsr_kernel *k, const fsr_launch *launch) {
    int64_t n = 1;
    for (int d = 0; d < k->ndim; d++)
        n *= launch->integer[FSR_INT_EXTENT + d];
    return n;
}

/* Who writes each address; -1: nobody. */
typedef struct writers {
    const int64_t *of;
    int64_t most;
} writers;

/* Point i reads at `at`, whatever the form's symbols from number t on are, nothing that another one writes. */
static bool reads_own(const fsr_kernel *k, const fsr_launch *launch, const fsr_index_form *from, int t, int64_t at,
                      int64_t i, writers w) {
    if (t == from->nterms)
        return at < 0 || at > w.most || w.of[at] < 0 || w.of[at] == i;
    const int64_t by = from->term[t].slot ? launch->integer[from->term[t].slot] : 1;
    bool good = true;
    for (int64_t s = 0; good && s < launch->integer[k->inst[from->term[t].value].index]; s++)
        good = reads_own(k, launch, from, t + 1, at + s * by, i, w);
    return good;
}

/* Every point reads the element that it writes, wherever the symbols, which are the same, lead. */
static bool same_place(const fsr_kernel *k, const fsr_launch *launch, const fsr_index_form *from,
                       const fsr_index_form *to) {
    const int64_t n = points_of(k, launch), *ints = launch->integer;
    bool same = from->divisor == 0 && to->divisor == 0 && from->nterms == to->nterms;
    for (int t = 0; t < to->nterms && same; t++)
        same = from->term[t].value == to->term[t].value &&
               (from->term[t].slot ? ints[from->term[t].slot] : 1) == (to->term[t].slot ? ints[to->term[t].slot] : 1);
    for (int64_t i = 0; i < n && same; i++)
        same = address_at(k, launch, from, i) == address_at(k, launch, to, i);
    return same;
}

/* No point reads through `from` what another one writes through `to`; with one point or none that is so. Guards are not
 * asked: where one does not hold, the address may lie outside of the array. */
static bool apart(const fsr_kernel *k, const fsr_launch *launch, const fsr_index_form *from, const fsr_index_form *to) {
    int64_t n = points_of(k, launch), most = 0;
    if (to->nterms)
        return n <= 1 || same_place(k, launch, from, to);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = address_at(k, launch, to, i);
        most = at > most ? at : most;
    }
    int64_t *writer = malloc(sizeof *writer * (size_t)(most + 1));
    bool good = n == 0 || from->divisor == 0;
    memset(writer, 0xff, sizeof *writer * (size_t)(most + 1));
    for (int64_t i = 0; i < n; i++)
        writer[address_at(k, launch, to, i)] = i;
    for (int64_t i = 0; i < n && good; i++)
        good = reads_own(k, launch, from, 0, address_at(k, launch, from, i), i, (writers){writer, most});
    free(writer);
    return good;
}

/* The access may read every element of its array, and there are some. */
static bool reads_any(const fsr_launch *launch, const fsr_access *a) {
    return a->whole && (!a->size || launch->integer[a->size] > 0);
}

static bool is_safe(const fsr_kernel *k, const fsr_launch *launch, int from, int to) {
    return k->access[from].whole ? !reads_any(launch, &k->access[from]) || points_of(k, launch) == 0
                                 : apart(k, launch, fsr_access_form(k, from), fsr_access_form(k, to));
}

bool check_in_place(const fsr_kernel *k, const fsr_launch *launch) {
    for (int a = 0; a < k->naccesses; a++)
        for (int b = 0; b < k->naccesses; b++) {
            int from = k->access[a].buffer, to = k->access[b].buffer;
            bool share = k->nfolds == 0 && from != to && launch->array[from] == launch->array[to];
            if (share && k->array[to].written && !is_safe(k, launch, a, b))
                return false;
        }
    return true;
}
