/* SPDX-License-Identifier: MIT */
/* Classes of the fields of graph/node_fields.def: what is done with each.
 *
 * A class without a function has the plain one: bytes are compared, hashed and copied as they are, nothing is owned,
 * and more dimensions change nothing. A text has none for comparing, as no text is a node's identity. */
#ifndef FUSOR_GRAPH_CONTENT_CLASS_H
#define FUSOR_GRAPH_CONTENT_CLASS_H

#include "graph/kind.h"

typedef struct fsr_field_class {
    bool (*equal)(const void *a, const void *b, int rank);
    uint64_t (*hash)(const void *a, int rank);
    void (*put)(fsr_bytes *b, const void *a, int rank);
    bool (*copy)(void *to, const void *from); /* false: out of memory */
    void (*clear)(void *a);
    void (*lead)(void *a, int rank, int n);
} fsr_field_class;

/* content_owned.c */
extern const fsr_field_class fsr_class_text, fsr_class_combine, fsr_class_loop, fsr_class_rounds, fsr_class_routine,
    fsr_class_called;

static inline void fsr_bytes_put_int(fsr_bytes *b, int64_t value) {
    fsr_bytes_put(b, &value, sizeof value);
}

#endif
