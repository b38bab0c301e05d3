/* SPDX-License-Identifier: MIT */
/* The graph: recorded nodes, scopes, poison, arrays' buffers.
 *
 * Nodes live in slots of slabs whose addresses never change; a freed slot is reused under a new stamp, so a
 * stale handle is seen. A freed graph leaves its shell (a few bytes) in its owner until the context closes, so a
 * handle to a freed graph is seen as well.
 *
 * Normal form, kept by the primitives room and checked by fsr_graph_verify:
 *   - MAP operands all have the node's shape: broadcasting is an explicit VIEW, conversion an explicit cast;
 *   - REDUCE keeps its axes with extent 1; dropping them is a VIEW;
 *   - a PASTE has the dtype and shape of its first argument, its second one that dtype; its view, AFFINE, shows of the
 *     first argument's elements an array of the second one's shape, no element twice; and some, if there are any;
 *   - an AFFINE view's starts and steps are the source's also where it shows nothing, so that maps compose in 64 bits;
 *   - a COMPACT has the dtype and shape of its first argument, at least 1-d; the second one is bool, the third, i32 or
 *     i64, the exclusive running count of it along the last dimension, all of one shape. That it counts only whoever
 *     records it can know; an element that a wrong count leads outside is skipped;
 *   - a SCATTER has the dtype and shape of its first argument, an OWN, or a SCATTER, that nothing else reads; that its
 *     indices lead no two elements to one place only whoever records it can know;
 *   - a CALL has the parameters' dtypes as arguments, all of its shape, and the routine's result as dtype;
 *   - an ITERATE's arguments, the state's first values and what does not change, all have the node's shape;
 *   - a node's arguments were recorded before it.
 * Counter-example to leaving broadcasts implicit: (3,1)+(3,) would need every pass to know NumPy's rules again. */
#ifndef FUSOR_GRAPH_GRAPH_H
#define FUSOR_GRAPH_GRAPH_H

#include "graph/kind.h"

/* Elements; -1 if a dimension is negative or the product does not fit (graph/size.h). */
int64_t fsr_shape_size(const fsr_shape *shape);
bool fsr_shape_equal(const fsr_shape *a, const fsr_shape *b);
/* Row-major strides in elements. */
void fsr_shape_strides(const fsr_shape *shape, int64_t *strides);

/* An array's storage, counted; what is behind it belongs to the runtime, which gives `release`. */
typedef struct fsr_buffer {
    int refs;
    int64_t bytes;
    void *data;       /* host address (CPU) or device address (CUDA) */
    int64_t computed; /* which of its context's computations it is a result of, from 1; 0: of none */
    void *owner;
    void (*release)(struct fsr_buffer *buffer);
} fsr_buffer;
fsr_buffer *fsr_buffer_ref(fsr_buffer *buffer);
void fsr_buffer_unref(fsr_buffer *buffer); /* NULL is allowed */

/* An edge: result `output` of node `id`. */
typedef struct fsr_ref {
    uint32_t id;
    uint32_t output;
} fsr_ref;

/* A length that only the device knows: of a value's capacity, its extent, the first `count` elements are there, the
 * rest is nobody's. Lengths are told apart by what they are, not by who holds them: the number that `origin` stands
 * for, less `less`, at most `most`, at least 0. Counter-example to comparing counts' nodes: x[1:] and x[:-1] of one
 * x have a node each. */
typedef struct fsr_length {
    uint64_t origin; /* a node's stamp; 0: there is none, the length is the extent */
    int64_t less, most;
    fsr_ref count; /* i64 of no dimensions, in [0, extent] */
    fsr_site site; /* where origin's length was recorded */
} fsr_length;

/* What a report of a node means. */
typedef enum fsr_says {
    FSR_SAYS_INDEX,     /* an index outside of an axis */
    FSR_SAYS_LIVE,      /* an index behind a length; the axis' extent stands between it and the number reported */
    FSR_SAYS_EMPTY,     /* that there was no element */
    FSR_SAYS_TOO_LONG,  /* a length beyond the capacity, and how much */
    FSR_SAYS_DIFFERENT, /* a length that is another one than it had to be */
} fsr_says;

/* A recorded node. Its content's members are its own: rec->kind is rec->content.kind. */
typedef struct fsr_rec {
    uint64_t stamp;
    union {
        fsr_content content;
        struct {
            FSR_CONTENT
        };
    };
    fsr_ref arg[FSR_MAX_ARGS];
    fsr_buffer *buffer[FSR_MAX_OUTPUTS]; /* DATA, or results already computed: a reference each */
    fsr_site site;
    int lead;  /* dimensions that a row function has put before those that the site recorded */
    int scope; /* depth of the scope that owns it */
    fsr_length length;
    fsr_says says;
    bool mark; /* scratch of a traversal; false between calls */
} fsr_rec;

/* The record behind a handle; NULL if the handle is null, stale or its graph is gone. */
fsr_rec *fsr_node_rec(fsr_node x);
/* FSR_OK, FSR_ERR_NULL or FSR_ERR_STALE; does not look at poison. */
fsr_status fsr_node_check(fsr_node x);
/* The record of a live id of this graph (ids inside args are always live). */
fsr_rec *fsr_graph_rec(const fsr_graph *g, uint32_t id);
fsr_node fsr_graph_handle(const fsr_graph *g, uint32_t id, uint32_t output);
/* Ids ever used are < this. */
uint32_t fsr_graph_slots(const fsr_graph *g);
int64_t fsr_graph_live(const fsr_graph *g); /* nodes recorded and not dropped */
/* True unless g is NULL or freed. */
bool fsr_graph_alive(const fsr_graph *g);

/* The record of a node that is valid and not poisoned, else NULL. */
const fsr_rec *fsr_node_sound(fsr_node x);
/* The node that is poisoned with FSR_ERR_MEMORY: each graph keeps a place for one, so that running out of memory can
 * always be told. The null node if g is not alive. */
fsr_node fsr_graph_no_memory(fsr_graph *g);

/* What a node's results are. */
typedef struct fsr_type {
    fsr_shape shape;
    int nout;
    fsr_dtype dtype[FSR_MAX_OUTPUTS];
} fsr_type;

/* A new record of this type, else zeroed but for stamp, site and scope. Every node is recorded here, so here the bytes
 * of every array are checked. NULL: *handle is a poison that says that the size overflows, in operation `what`, or
 * fsr_graph_no_memory's. */
fsr_rec *fsr_graph_add(fsr_graph *g, fsr_site at, const char *what, fsr_kind kind, const fsr_type *type,
                       fsr_node *handle);
/* Frees what a record owns, not the record. */
void fsr_rec_clear(fsr_rec *rec);
/* A poisoned node: "op: message (file:line)". printf-like. Out of memory gives fsr_graph_no_memory. Where g was freed
 * the message is reported, and the null node returned. */
fsr_node fsr_poison(fsr_graph *g, fsr_site at, fsr_status status, const char *op, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* The same with a message that is malloc'ed and taken over; NULL: out of memory. */
fsr_node fsr_poison_own(fsr_graph *g, fsr_site at, fsr_status status, char *message);
/* The first of n nodes that is null, stale, of another graph, or poisoned, as the poison to return for `op`; false if
 * all are fine. g receives their graph. */
bool fsr_poison_of(fsr_site at, const char *op, const fsr_node *x, int n, fsr_graph **g, fsr_node *poison);

/* The same where values with lengths of their own are taken: elsewhere one is FSR_ERR_UNSUPPORTED. */
bool fsr_poison_of_any(fsr_site at, const char *op, const fsr_node *x, int n, fsr_graph **g, fsr_node *poison);
/* The length of a sound node, NULL: it is the extent. */
const fsr_length *fsr_node_length(fsr_node x);
bool fsr_length_equal(const fsr_length *a, const fsr_length *b);
/* What a report says, in words, and its status: a number that is not 0, of an axis of so many elements, recorded
 * there. */
fsr_status fsr_says_words(char *out, size_t size, fsr_says says, int64_t number, int axis, int64_t extent,
                          fsr_site site);

/* Shells of graphs, owned by the context (see runtime/context.h). */
typedef struct fsr_graph_owner fsr_graph_owner;
/* Receives what went wrong where there is no node to say it: a context's fsr_error. */
typedef void (*fsr_graph_report)(void *context, fsr_status status, const char *message);
fsr_graph_owner *fsr_graph_owner_new(void *context, fsr_graph_report report); /* report may be NULL */
void fsr_graph_owner_free(fsr_graph_owner *owner);                            /* frees every graph and shell */
/* False in a child of the process that made the owner. There create gives NULL, destroy does nothing, and recording
 * changes the child's copy alone: it takes no lock. */
bool fsr_graph_owner_here(const fsr_graph_owner *owner);
fsr_graph *fsr_graph_create(fsr_graph_owner *owner); /* thread-safe, as is destroy */
void fsr_graph_destroy(fsr_graph *g);
/* A graph that another one's nodes own: its owner does not know it, and it leaves nothing behind. NULL: out of
 * memory. */
fsr_graph *fsr_graph_create_inner(const fsr_graph *of);
void fsr_graph_destroy_inner(fsr_graph *g);
void *fsr_graph_context(const fsr_graph *g); /* the context given to fsr_graph_owner_new, also of a freed graph */
/* Reports a failure in a graph, freed ones too: "op: message". Returns status. g may be NULL: nobody is told. */
fsr_status fsr_graph_fail(const fsr_graph *g, fsr_status status, const char *op, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int64_t fsr_graph_owner_nodes(const fsr_graph_owner *owner);

/* Structure check of the normal form; FSR_ERR_INTERNAL with the first violation in why. */
fsr_status fsr_graph_verify(const fsr_graph *g, char *why, size_t size);

/* "f32[3,4]" into a buffer, for messages. Returns buf. */
char *fsr_describe(char *buf, size_t size, fsr_dtype dtype, const fsr_shape *shape);

#endif
