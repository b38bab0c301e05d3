/* SPDX-License-Identifier: MIT */
/* Graphs, nodes and scopes: what every header of the builder stands on. fusor/build.h tells how it all works. */
#ifndef FUSOR_NODE_H
#define FUSOR_NODE_H

#include "fusor/api.h"
#include "fusor/context.h"
#include "fusor/dtype.h"
#include <stdbool.h>

FSR_API_BEGIN

/* Dimensions of an array. */
#define FSR_MAX_DIMS 8
/* Components of a tuple that a user-defined reduction or scan may carry. */
#define FSR_MAX_TUPLE 4

/* Recorded nodes and their arrays. */
typedef struct fsr_graph fsr_graph;

/* A handle to a recorded value; {0} is the null node. */
typedef struct fsr_node {
    fsr_graph *graph;
    uint64_t stamp; /* tells a recycled slot from the node this handle meant */
    uint32_t id;
    uint32_t output; /* which result, for nodes with several */
} fsr_node;

/* A place in the caller's source. file must stay valid (a string literal). */
typedef struct fsr_site {
    const char *file;
    int line;
} fsr_site;
static inline fsr_site fsr_here(const char *file, int line) {
    fsr_site site;
    site.file = file;
    site.line = line;
    return site;
}
/* The place of its use. */
#define FSR_HERE fsr_here(__FILE__, __LINE__)

/* ---- graphs and scopes ---------------------------------------------------------------------- */

/* A new empty graph. NULL if ctx is NULL or memory is out (fsr_error(ctx) says which). */
fsr_graph *fsr_graph_new(fsr_context *ctx);
/* Frees the graph, its nodes and their arrays. Handles to it become stale. NULL is allowed. */
void fsr_graph_free(fsr_graph *graph);

/* Scopes bound the memory of long lazy programs. fsr_scope_end drops every node recorded since the
 * matching fsr_scope_begin, with its array, but keep[0..n) and what these still need to be computed (a
 * computed node needs nothing). Kept nodes then belong to the enclosing scope. Scopes nest.
 * fsr_scope_keep drops in the same way and leaves the scope open, with what was kept in it. So this loop holds one x
 * at a time:
 *     fsr_scope_begin(g);
 *     for (...) { y = step(x); fsr_force(y); fsr_scope_keep(g, &y, 1); x = y; }
 *     fsr_scope_end(g, &x, 1);
 * FSR_ERR_SCOPE: no scope is open. FSR_ERR_STALE, FSR_ERR_GRAPH: a keep[i] is no node of this graph;
 * then nothing is dropped and the scope stays open. */
fsr_status fsr_scope_begin(fsr_graph *graph);
fsr_status fsr_scope_end(fsr_graph *graph, const fsr_node *keep, int n);
fsr_status fsr_scope_keep(fsr_graph *graph, const fsr_node *keep, int n);

/* ---- asking a node -------------------------------------------------------------------------- */

fsr_status fsr_node_status(fsr_node x);     /* FSR_OK, the poison's status, FSR_ERR_NULL or FSR_ERR_STALE */
const char *fsr_node_error(fsr_node x);     /* the poison's message, else ""; valid as long as the node */
fsr_dtype fsr_node_dtype(fsr_node x);       /* FSR_DTYPE_COUNT if the node is not valid */
int fsr_node_ndim(fsr_node x);              /* -1 if the node is not valid */
int64_t fsr_node_dim(fsr_node x, int axis); /* -1 if the node or axis is not valid; axis may be negative */
int64_t fsr_node_size(fsr_node x);          /* elements; -1 if the node is not valid */
int64_t fsr_node_bytes(fsr_node x);         /* elements times their size; -1 if the node is not valid */
/* True: the extent is a capacity, and how many elements are there only the device knows (fsr_compress). */
bool fsr_node_is_live(fsr_node x);
/* The context of the node's graph. NULL: the null node, or one of a freed graph. */
fsr_context *fsr_node_context(fsr_node x);

/* ---- hints ------------------------------------------------------------------------------------ */

/* What a plan should do with a value. */
typedef enum fsr_hint {
    FSR_HINT_NONE = 0,
    FSR_HINT_MATERIALIZE, /* store this value, also where fusing it would be possible */
    FSR_HINT_INLINE       /* do not store this value for its own sake, also where fusion is off */
} fsr_hint;
/* Sets a node's hint and returns the node, one that is null or stale as it is. A hint changes the plan, never the
 * value. */
fsr_node fsr_hint_set(fsr_node x, fsr_hint hint);

/* What a plan should do with two values. */
typedef enum fsr_pair_hint {
    FSR_PAIR_NONE = 0, /* what prices say */
    FSR_PAIR_FUSE,     /* one kernel computes both, also where two cost less */
    FSR_PAIR_APART     /* no kernel computes both: what one needs of the other is stored between them */
} fsr_pair_hint;
/* Says so of what x and y compute, in place of what was said of these two before; which of them is first does not
 * matter, nor which of their results they are. A pair changes the plan, never the values, but that sums of floats may
 * be associated as their own kernel has them. It is obeyed wherever it is legal; fsr_explain has a line for each pair,
 * which says what became of it and, where it was refused, why: the two have different elements in another order, one
 * waits for what a third kernel makes of the other, one is a library call, a thunk of its own, memory would not do,
 * nothing is fused. A view computes nothing: what is said of it is said of what it shows. Values that a body of
 * fsr_vectorize or a loop records may be paired in that body. A node that is dropped or computed is in no pair any
 * more. FSR_ERR_NULL, FSR_ERR_STALE, the status of a poisoned node; FSR_ERR_GRAPH; FSR_ERR_VALUE: the two are one node,
 * one is an array, computed already, a literal or a parameter, so that nothing computes it, or hint is none of these;
 * FSR_ERR_MEMORY. */
fsr_status fsr_hint_pair(fsr_node x, fsr_node y, fsr_pair_hint hint);

FSR_API_END

#endif
