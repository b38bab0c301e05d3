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
#include "primitives/parse.h"

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

/* Its content's members are its own, as a record's; what its fields point to is the graph's. */
typedef struct fsr_flow_node {
    union {
        fsr_content content; /* of every leaf, computed or input, that of an array */
        struct {
            FSR_CONTENT
        };
    };
    fsr_link arg[FSR_MAX_ARGS];
    int ordinal; /* of an array: leaf; of an argument: scalar; of a literal: that, once they are numbered, and of what
                    has a body the first of its literals */
    /* No part of the signature. */
    int origin;    /* 1 + its place in the flow as it was built; 0: a rewrite made it */
    fsr_site site; /* where it was recorded, as long as the graph is there */
    int report;    /* of what may find an index outside: 1 + the first of its reports, one for each of its axes */
    int64_t below; /* of an integer argument: it is at least 0 and less than this; 0: it may be any */
    bool asked;    /* some pair asks for one kernel with it */
} fsr_flow_node;

/* What is said of two nodes, the earlier one first, none of them a view: what it shows stands for it. -1: nothing
 * computes that one any more; then it is no part of the signature. Pairs are in order of their later node, then of the
 * other. Rewrites send them where they send what reads these. */
typedef struct fsr_flow_pair {
    int node[2];
    fsr_pair_hint hint;
} fsr_flow_pair;

typedef struct fsr_flow {
    fsr_flow_node *node;
    int n, capacity;
    fsr_link *out;
    int nout;
    int *gift; /* per output: a leaf whose memory it may take, or -1; NULL: there is none */
    int nleaves, nscalars;
    int nreports;         /* words that a run may leave */
    fsr_literal_use *use; /* of each literal, by its number; NULL: they are not numbered, and all are text */
    fsr_called **called;  /* what calls that a rewrite made are told, references of the flow's own */
    int ncalled;
    fsr_flow_pair *pair;
    int npairs;
} fsr_flow;

/* A computed index that a run may report as outside: where it was recorded, of what, and what it means. */
typedef struct fsr_report {
    fsr_site site;
    int axis;
    int64_t extent;
    fsr_says says;
} fsr_report;

/* Where the leaves and scalars of a flow come from in the graph, and its reports. */
typedef struct fsr_binding {
    fsr_ref *leaf;      /* nleaves */
    fsr_ref *scalar;    /* nscalars */
    fsr_report *report; /* nreports */
} fsr_binding;

/* Copies what outs need from the graph. FSR_ERR_MEMORY, or the status of a poisoned node (the caller has checked
 * handles), or FSR_ERR_UNBOUND: an argument of a body that is being recorded.
 * binding receives malloc'ed arrays. */
fsr_status fsr_flow_build(fsr_flow *flow, fsr_binding *binding, const fsr_graph *g, const fsr_ref *outs, int nouts);
void fsr_flow_clear(fsr_flow *flow);
void fsr_binding_clear(fsr_binding *binding);

/* The same of every node of the graph, in the order of recording. */
fsr_status fsr_flow_build_all(fsr_flow *flow, fsr_binding *binding, const fsr_graph *g, const fsr_ref *outs, int nouts);
/* Appends a node (zeroed but for what the caller set); -1: out of memory. */
int fsr_flow_add(fsr_flow *flow, const fsr_flow_node *node);
/* Takes over a reference, also where it fails: false, memory is out. */
bool fsr_flow_own(fsr_flow *flow, fsr_called *called);
/* Brings the pairs into that form. */
void fsr_flow_settle_pairs(fsr_flow *flow);
/* Takes over what `from` owns, whose nodes have become flow's. */
void fsr_flow_adopt(fsr_flow *flow, fsr_flow *from);
/* A deep copy, but of what rewrites made. */
fsr_status fsr_flow_copy(fsr_flow *to, const fsr_flow *from);
/* Every byte that a plan depends on, malloc'ed. NULL: out of memory. */
void *fsr_flow_signature(const fsr_flow *flow, size_t *size);
/* The same without the values of literals: equal bytes are flows that differ in literals alone. Without `counts` also
 * without the most turns of loops. */
void *fsr_flow_structure(const fsr_flow *flow, bool counts, size_t *size);
/* The body of a fold's operator or of a loop; NULL: it has none. */
static inline const fsr_region *fsr_flow_body(const fsr_flow_node *n) {
    return n->combine ? &n->combine->body : n->loop ? &n->loop->body : NULL;
}
/* The normal form that graphs have (graph/graph.h), and order; FSR_ERR_INTERNAL with the first violation. */
fsr_status fsr_flow_verify(const fsr_flow *flow, char *why, size_t size);
/* The text form of graphs (graph/print.h): leaf 2 is `input f32[4,5] "leaf2"`, scalar 1 `param f32[] "param1" 0`. */
void fsr_flow_print(const fsr_flow *flow, FILE *to);
#define FSR_LEAF_NAME "leaf"
#define FSR_SCALAR_NAME "param"
/* Reads that text back, node for node; g, an empty graph, receives the nodes, and is what the flow lives no longer
 * than. FSR_ERR_FORMAT: it is no such text, error (may be NULL) says where and why. FSR_ERR_MEMORY. */
fsr_status fsr_flow_parse(fsr_flow *flow, fsr_graph *g, const char *text, fsr_parse_error *error);
/* Dimensions of argument 0; 0: there is none. */
static inline int fsr_flow_rank(const fsr_flow *flow, const fsr_flow_node *n) {
    return n->nargs ? flow->node[n->arg[0].id].shape.ndim : 0;
}
/* A node's name for comments: op, view, sum, scan, ... */
const char *fsr_flow_name(const fsr_flow *flow, int id);
bool fsr_link_equal(fsr_link a, fsr_link b);
/* Whether it is one of the outputs. */
bool fsr_flow_gives(const fsr_flow *flow, fsr_link link);

#endif
