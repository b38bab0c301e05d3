/* SPDX-License-Identifier: MIT */
/* The distance is the number of characters inserted, left out, replaced or swapped with their neighbour (optimal
 * string alignment), letters compared without their case. Names further away than a third of the word, as far as the word is
 * long, or longer than LONGEST, are not offered as a hint. Counter-example to hinting at the nearest name whatever it is: to
 * `FUSOR_X` the answer would be some knob of four letters that has nothing to do with it, and to `k`, `i`. */
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

/* Rows of the table of distances between beginnings; row[0] is of the whole a so far, row[2] that of two before. */
static size_t distance(const char *a, size_t na, const char *b, size_t nb) {
    size_t row[3][LONGEST + 1] = {{0}};
    for (size_t j = 0; j <= nb; j++)
        row[0][j] = j;
    for (size_t i = 1; i <= na; i++) {
        memcpy(row[2], row[1], sizeof row[2]);
        memcpy(row[1], row[0], sizeof row[1]);
        row[0][0] = i;
        for (size_t j = 1; j <= nb; j++) {
            row[0][j] = least(row[1][j - 1] + !same(a[i - 1], b[j - 1]), 1 + least(row[1][j], row[0][j - 1]));
            if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
                row[0][j] = least(row[0][j], row[2][j - 2] + 1);
        }
    }
    return row[0][nb];
}

fsr_nearest fsr_nearest_to(const char *word) {
    const size_t n = strlen(word);
    return (fsr_nearest){word, NULL, n == 1 ? 1 : (n + 2) / 3 + 1};
}

void fsr_nearest_offer(fsr_nearest *search, const char *name) {
    const size_t n = strlen(search->word), m = strlen(name);
    if (n > LONGEST || m > LONGEST)
        return;
    const size_t d = distance(search->word, n, name, m);
    if (d < search->distance) {
        search->name = name;
        search->distance = d;
    }
}
