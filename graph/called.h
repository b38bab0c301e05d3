/* SPDX-License-Identifier: MIT */
/* What a library call is told besides its arrays, as nodes, flows and plans hold it: attributes, and of a call of the
 * program's own (fusor/library.h) what it is. Copied, counted, unchanging.
 *
 * Calls of graph/libraries.def have words as attributes, FSR_LIBRARY_CALLER's any bytes. A plan that is kept has a
 * reference, so that the address of a callee's user data is nobody else's while it stands in a plan's key. */
#ifndef FUSOR_GRAPH_CALLED_H
#define FUSOR_GRAPH_CALLED_H

#include "fusor/library.h"
#include <stdatomic.h>

enum { FSR_MAX_CALL_WORDS = 32 };

typedef struct fsr_called {
    atomic_int refs;
    fsr_callee what;       /* name and attributes are this structure's own; name NULL: a call of the table */
    fsr_frame_array *type; /* of each result, without data; NULL: the node's say it */
    void *code;            /* what the kernel's parts lie in (graph/code.h); NULL: no kernel */
} fsr_called;

/* A copy of c with one reference; type: what it infers, c->outputs of them. NULL: out of memory; then c->user is still
 * the caller's. */
fsr_called *fsr_called_make(const fsr_callee *c, const fsr_frame_array *type);
/* Attributes of a call of the table. NULL: out of memory. */
fsr_called *fsr_called_words(const int64_t *word, int n);
fsr_called *fsr_called_ref(const fsr_called *c); /* NULL is allowed */
void fsr_called_unref(fsr_called *c);            /* NULL is allowed */
/* They say the same. */
bool fsr_called_equal(const fsr_called *a, const fsr_called *b);

/* Word i of a call of the table. */
static inline int64_t fsr_called_word(const fsr_called *c, int i) {
    return ((const int64_t *)c->what.attributes)[i];
}
static inline int fsr_called_count(const fsr_called *c) {
    return c ? (int)(c->what.attribute_bytes / sizeof(int64_t)) : 0;
}

#endif
