/* SPDX-License-Identifier: MIT */
/* The known name that a misspelled one most resembles, for the hint of an error message. */
#ifndef FUSOR_GRAPH_NEAREST_H
#define FUSOR_GRAPH_NEAREST_H

#include <stddef.h>

typedef struct fsr_nearest {
    const char *word; /* what was written */
    const char *name; /* the nearest of the names offered so far; NULL: none is near enough to be meant */
    size_t distance;  /* edits between the two; while there is no name, one more than is allowed */
} fsr_nearest;

/* The search for a word, with no name offered yet. The word is borrowed. */
fsr_nearest fsr_nearest_to(const char *word);
/* Takes the name where it is nearer than those before: of equally near ones the first stays. The name is borrowed. */
void fsr_nearest_offer(fsr_nearest *search, const char *name);

#endif
