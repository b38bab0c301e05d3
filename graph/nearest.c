/* SPDX-License-Identifier: MIT */
/* The distance is the number of characters inserted, left out, replaced or swapped with their neighbour (optimal
 * string alignment), letters compared without their case. Names further away than a third of the word, as far as the
 * word is long, or longer than LONGEST, are not offered as a hint. Counter-example to hinting at the nearest name
 * whatever it is: to `FUSOR_X` the answer would be some knob of four letters that has nothing to do with it, and to
 * `k`, `i`. */
#include "graph/nearest.h"
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(char a, char b) {
    return lower(a) == lower(b);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* Rows of the table of distances between beginnings: `now` is of the whole a so far, `older` that of two before. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb) {
    size_t row[3][LONGEST + 1], *now = row[0], *before = row[1], *older = row[2];
    for (size_t j = 0; j <= nb; j++)
        now[j] = j;
    for (size_t i = 1; i <= na; i++) {
        size_t *oldest = older;
        older = before;
        before = now;
        now = oldest;
        now[0] = i;
        for (size_t j = 1; j <= nb; j++) {
            now[j] = least(before[j - 1] + !same(a[i - 1], b[j - 1]), 1 + least(before[j], now[j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                now[j] = least(now[j], older[j - 2] + 1);
        }
    }
    return now[nb];
}

fsr_nearest fsr_nearest_to(const char *word) {
    const size_t n = strlen(word);
    return (fsr_nearest){word, NULL, n == 1 ? 1 : (n + 2) / 3 + 1};
}

void fsr_nearest_offer(fsr_nearest *search, const char *name) {
    const size_t n = strlen(search->word), m = strlen(name);
    if (n > LONGEST || m > LONGEST || (n > m ? n - m : m - n) >= search->distance) /* it is at least that far */
        return;
    const size_t d = distance(search->word, n, name, m);
    if (d < search->distance) {
        search->name = name;
        search->distance = d;
    }
}
