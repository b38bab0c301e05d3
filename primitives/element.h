/* SPDX-License-Identifier: MIT */
/* One element of an array in a loop's body. */
#ifndef FUSOR_PRIMITIVES_ELEMENT_H
#define FUSOR_PRIMITIVES_ELEMENT_H

#include "primitives/primitives.h"

/* What the elements of arrays would take in a body. */
typedef struct fsr_element_use {
    int sources; /* arrays, and values from outside */
    int cost;    /* of the operations, as graph/scalar_ops.def has it */
    bool takes;  /* elements at computed places */
    bool far;    /* some index on the way may be beyond 32 bits: of a view's source, longer than the view */
} fsr_element_use;

/* Adds what an element of x, recorded before the body, takes, of which `far` is known at least of x itself; false: too
 * much of one of them, or something that no body does: then x is worth storing. */
bool fsr_element_fits(fsr_node x, fsr_element_use *use);
/* The element of x at an index a dimension, 0-d integers of the body, inside of x: computed there where x fits, else
 * taken. */
fsr_node fsr_element(fsr_site at, fsr_node x, const fsr_node *index, bool fits);

#endif
