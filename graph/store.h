/* SPDX-License-Identifier: MIT */
/* Inside of the graph room: how records are stored. Other rooms use graph/graph.h.
 *
 * A graph is a shell (two pointers, kept by the owner until it is freed) and a body (freed with the graph). The
 * records of a body lie in slots of slabs that never move. Every live slot is in the doubly linked list of the scope
 * that owns it, linked by slot numbers: moving a node to another scope allocates nothing, so a loop that keeps one
 * node a step touches the same few slots for ever. */
#ifndef FUSOR_GRAPH_STORE_H
#define FUSOR_GRAPH_STORE_H

#include "graph/pairs.h"
#include <pthread.h>
#include <stdatomic.h>

#define FSR_NO_ID UINT32_MAX /* FSR_NO_NODE of graph/scope.h */
#define FSR_SLAB_SLOTS 64u

typedef struct fsr_slot {
    fsr_rec rec;
    uint32_t next, prev; /* in the scope's list; of a free slot, next free */
    uint32_t work;       /* next in a traversal's stack */
    uint8_t gone;        /* bit o: result o was dropped, handles to it are stale */
    uint8_t asked;       /* bit o: result o is asked for; scratch of a sweep, as the next */
    bool expanded;       /* the arguments are needed too */
} fsr_slot;

typedef struct fsr_scope {
    uint32_t head, tail;
} fsr_scope;

typedef struct fsr_graph_body {
    struct fsr_graph_body *next, *prev; /* live graphs of the owner */
    fsr_graph *shell;
    fsr_slot **slab;
    uint32_t slab_count, slab_capacity;
    uint32_t slots; /* ever used */
    uint32_t free;  /* first free slot below `slots` */
    uint64_t stamp; /* last one given */
    _Atomic int64_t live;
    fsr_scope *scope;
    int depth, scope_capacity; /* scope[depth] is the innermost, scope[0] the graph itself */
    fsr_pair *pair;            /* graph/pairs.h */
    uint32_t *pair_slot;       /* four for each that there is room for */
    int npairs, pair_capacity; /* a power of two, or 0 */
} fsr_graph_body;

struct fsr_graph {
    fsr_graph_owner *owner;
    fsr_graph_body *body; /* NULL: freed */
};

static inline fsr_slot *fsr_slot_of(const fsr_graph_body *body, uint32_t id) {
    return &body->slab[id / FSR_SLAB_SLOTS][id % FSR_SLAB_SLOTS];
}

void fsr_scope_link(fsr_graph_body *body, int depth, uint32_t id);
void fsr_scope_unlink(fsr_graph_body *body, uint32_t id);
/* Hands a message to the owner's report, if there is one; g may be NULL. */
void fsr_graph_tell(const fsr_graph *g, fsr_status status, const char *message);
/* A record of kind, zeroed but for stamp, site, scope and nout = 1. NULL: out of memory, and *handle is
 * fsr_graph_no_memory's; or the graph is not alive. For fsr_graph_add, and for poisons, which have no size. */
fsr_rec *fsr_slot_add(fsr_graph *g, fsr_site at, fsr_kind kind, fsr_node *handle);
/* Drops a live record: its buffers, strings and operator. */
void fsr_slot_drop(fsr_graph_body *body, uint32_t id);

#endif
