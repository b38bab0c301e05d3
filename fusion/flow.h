/* SPDX-License-Identifier: MIT */
/* The flow: a plan's own copy of the recorded subgraph, with ordinals in place of handles.
 *
 * Nodes are in topological order; arguments point to earlier nodes. Leaves (arrays) and scalars (parameters, sizes) are
 * numbered in order of first visit, so that two recordings of the same program give the same flow, byte for byte:
 * its signature is the plan cache's key. Operators stay the graph's: a flow lives no longer than the call it is made
 * in. Addresses and parameter values are no part of it. */
#ifndef FUSOR_FUSION_FLOW_H
#define FUSOR_FUSION_FLOW_H

#include "graph/shape.h"

typedef struct fsr_link {
    int id;
    int output;
} fsr_link;

/* Where kernels have a literal from; see literals.h. */
typedef enum fsr_literal_use {
    FSR_LITERAL_TEXT,   /* their text */
    FSR_LITERAL_VARIES, /* an argument: it differs between plans that are otherwise the same */
    FSR_LITERAL_ROUNDS  /* an argument: what is computed of it may round, and a compiler rounds otherwise */
} fsr_literal_use;

typedef struct fsr_flow_node {
    fsr_kind kind; /* DATA stands for every leaf, computed or input */
    int nout;
    fsr_dtype dtype[FSR_MAX_OUTPUTS];
    fsr_shape shape;
    int nargs;
    fsr_link arg[FSR_MAX_ARGS];
    fsr_op op;
    fsr_value value;
    uint32_t axes;
    int axis;
    bool exclusive, reverse;
    fsr_view view;
    const fsr_combine *combine; /* the graph's */
    const fsr_routine *routine; /* the graph's */
    const fsr_iteration *loop;  /* the graph's */
    fsr_hint hint;
    int ordinal;         /* DATA: leaf; PARAM: scalar; CONST: literal, once they are numbered */
    fsr_literal_use use; /* CONST; no part of the signature */
} fsr_flow_node;

typedef struct fsr_flow {
    fsr_flow_node *node;
    int n, capacity;
    fsr_link *out;
    int nout;
    int nleaves, nscalars;
} fsr_flow;

/* Where the leaves and scalars of a flow come from in the graph. */
typedef struct fsr_binding {
    fsr_ref *leaf;   /* nleaves */
    fsr_ref *scalar; /* nscalars */
} fsr_binding;

/* Copies what outs need from the graph. FSR_ERR_MEMORY, or the status of a poisoned node (the caller has checked
 * handles), or FSR_ERR_UNBOUND: an argument of a body that is being recorded.
 * binding receives malloc'ed arrays. */
fsr_status fsr_flow_build(fsr_flow *flow, fsr_binding *binding, const fsr_graph *g, const fsr_ref *outs, int nouts);
void fsr_flow_clear(fsr_flow *flow);
void fsr_binding_clear(fsr_binding *binding);

/* Appends a node (zeroed but for what the caller set); -1: out of memory. */
int fsr_flow_add(fsr_flow *flow, const fsr_flow_node *node);
/* A deep copy. */
fsr_status fsr_flow_copy(fsr_flow *to, const fsr_flow *from);
/* Every byte that a plan depends on, malloc'ed. NULL: out of memory. */
void *fsr_flow_signature(const fsr_flow *flow, size_t *size);
/* The same without the values of literals: equal bytes are flows that differ in literals alone. With `bodies` also
 * without those inside of operators and loops, and without the most turns of loops. */
void *fsr_flow_structure(const fsr_flow *flow, bool bodies, size_t *size);
/* Normal form and order; FSR_ERR_INTERNAL with the first violation. */
fsr_status fsr_flow_verify(const fsr_flow *flow, char *why, size_t size);
/* One line a node, as `%3 = mul f32[4,5] %1 %2`. */
void fsr_flow_print(const fsr_flow *flow, FILE *to);
/* A node's name for comments: op, view, sum, scan, ... */
const char *fsr_flow_name(const fsr_flow *flow, int id);
bool fsr_link_equal(fsr_link a, fsr_link b);

#endif
