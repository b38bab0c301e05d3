/* SPDX-License-Identifier: MIT */
/* Programs of any size, by name: what planning costs and gives is watched as they grow (tests/structure/test_growth.c,
 * fusor-growth). */
#ifndef FUSOR_TESTS_SUPPORT_GROWING_H
#define FUSOR_TESTS_SUPPORT_GROWING_H

#include "graph/graph.h"

typedef struct growing {
    const char *name, *what;
    /* Records the program of size n over f32 arrays, each of `elements`; its outputs, allocated, and how many. */
    fsr_node *(*record)(fsr_graph *g, int n, int64_t elements, int *nouts);
} growing;

/* The i-th, from 0; NULL: there are no more. */
const growing *growing_at(int i);
/* NULL: none of that name. */
const growing *growing_find(const char *name);

#endif
