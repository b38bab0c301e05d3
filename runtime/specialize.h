/* SPDX-License-Identifier: MIT */
/* Which literals of a flow are arguments of its plan: those in which it differs from plans that are otherwise the
 * same, and those that fusion/literals.h asks for.
 *
 * A family is the plans of one structure: the flow after its rewrites, less the values of literals. It remembers the
 * values of the first and which literals have differed since; these stay arguments. So a structure of n literals has
 * n + 1 plans at most, and one of which a single literal changes has two. Bounded, the least recently used family is
 * forgotten: its next plan is a first one again. */
#ifndef FUSOR_RUNTIME_SPECIALIZE_H
#define FUSOR_RUNTIME_SPECIALIZE_H

#include "fusion/literals.h"

typedef struct fsr_families fsr_families;

/* NULL: out of memory. */
fsr_families *fsr_families_open(void);
void fsr_families_close(fsr_families *families); /* NULL is allowed */

typedef struct fsr_choice {
    fsr_literal *literal; /* every literal of the flow, in order */
    int n;
    void *structure; /* the family's key; NULL where there is no literal */
    size_t structure_size;
    void
        *key; /* of the plan: structure, which literals are arguments, what the others are. NULL: none is an argument */
    size_t key_size;
} fsr_choice;

/* Marks the literals (fsr_flow.use) of a flow whose rewrites are done. With `remember` the family learns of it.
 * The choice is to be cleared in any case. FSR_ERR_MEMORY. Thread-safe. */
fsr_status fsr_choose_literals(fsr_families *families, fsr_flow *flow, bool remember, fsr_choice *choice);
/* After planning. text[i]: a kernel has literal i in its text, although it was to be an argument; from now on it is
 * none, and the choice's key is made anew. FSR_ERR_MEMORY. */
fsr_status fsr_choice_settle(fsr_families *families, fsr_flow *flow, const bool *text, fsr_choice *choice);
void fsr_choice_clear(fsr_choice *choice);

/* Programs, before rewrites, that differ in literals and in the most turns of loops alone: their digest (0: out of
 * memory), and one more plan of them: how many there are. */
uint64_t fsr_families_digest(const fsr_flow *flow);
int fsr_families_count(fsr_families *families, uint64_t digest);

#endif
