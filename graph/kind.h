/* SPDX-License-Identifier: MIT */
/* What a node is: its kind, its type and what it holds; the same for a recorded node and for a node of a plan's flow,
 * which differ in how they name their arguments.
 *
 * graph/node_kinds.def has the kinds, graph/node_fields.def the fields. What can be said of a content without a graph
 * around it is said here, from those tables: comparing, hashing, copying, writing. Counter-example to a switch for each
 * of these: a kind that one of them forgot merged with its neighbour in cse and was right everywhere else. */
#ifndef FUSOR_GRAPH_KIND_H
#define FUSOR_GRAPH_KIND_H

#include "fusor/build.h"
#include "graph/library.h"
#include "graph/ops.h"
#include "graph/program.h"
#include "graph/routine.h"
#include <string.h>

typedef enum fsr_kind {
#define FSR_KIND(name, ...) FSR_NODE_##name,
#include "graph/node_kinds.def"
    FSR_KIND_COUNT
} fsr_kind;

typedef enum fsr_field {
#define FSR_FIELD(name, ...) FSR_FIELD_##name,
#include "graph/node_fields.def"
    FSR_FIELD_COUNT
} fsr_field;

/* What passes, partition and the rest ask of a kind. */
enum {
    FSR_IS_POISON = 1 << 0,   /* a mistake: what uses it is it */
    FSR_IS_UNBOUND = 1 << 1,  /* stands for what a body is called with: nothing outside of that body has it */
    FSR_IS_ARRAY = 1 << 2,    /* elements in memory that somebody else wrote */
    FSR_IS_ARGUMENT = 1 << 3, /* a scalar that each run gives: its value is no part of a plan */
    FSR_IS_LITERAL = 1 << 4,  /* a scalar whose value is part of the plan */
    FSR_IS_VIEW = 1 << 5,     /* shows elements of argument 0: nothing is computed */
    FSR_IS_EACH = 1 << 6,     /* each element of those of its arguments at the same index, which have its shape (but
                                 fsr_own_arguments) */
    FSR_COMPUTES = 1 << 7,    /* evaluated wherever it is read, or stored: that is a choice, with a price */
    FSR_RUNS_ONCE = 1 << 8,   /* but in one kernel, once for each element; others read what that kernel stores */
    FSR_IS_FOLD = 1 << 9,     /* folds its arguments with `combine` */
    FSR_IS_RUNNING = 1 << 10, /* and has a result at each element, in an order */
    FSR_IS_STORED = 1 << 11,  /* only memory can hold it */
    FSR_IS_MOVED = 1 << 12,   /* argument 0's elements in another order, which the other arguments say */
    FSR_OVERWRITES = 1 << 13, /* argument 0, but for a section: may be written into argument 0's memory */
    /* A formula of its arguments at one index: a compiler that knows their values may compute it. */
    FSR_IS_EXPRESSION = 1 << 14,
    FSR_IS_INSTRUCTION = 1 << 15, /* of 0-d: may be one of an operator's or a loop's region */
    FSR_IS_DISTINCT = 1 << 17,    /* two of them are two, whatever else is equal */
    FSR_SCATTERS = 1 << 18,       /* overwrites what computed indices lead to, with the elements of argument 1 */
    FSR_IS_LIBRARY = 1 << 19,     /* a thunk of its own between arrays in memory: no kernel evaluates it */
    FSR_IS_PREFIX = 1 << 21,      /* argument 0, but for its first elements, which are argument 1's */
    FSR_TAKES = 1 << 20,          /* an element of argument 0, at what the others compute: a loop's body may do so */
    FSR_IS_RESULT = 1 << 22,      /* what argument 0, a thunk of its own, leaves in memory, with a shape of its own */
    FSR_MAY_BE_WEAK = 1 << 16,    /* a literal without a dtype of its own, and what follows from such */
};

typedef struct fsr_kind_info {
    const char *word; /* of the text form, NULL: an op's name, or none */
    int nargs;        /* -1: as many as what it applies has */
    uint32_t fields;  /* bit i: fsr_field i */
    uint32_t traits;
    int insts;         /* of a kernel, its program not counted */
    const char *shape; /* in DOT */
} fsr_kind_info;

extern const fsr_kind_info fsr_kinds[FSR_KIND_COUNT];

/* True if the kind has one of these traits. */
static inline bool fsr_is(fsr_kind kind, uint32_t traits) {
    return (fsr_kinds[kind].traits & traits) != 0;
}
static inline bool fsr_has(fsr_kind kind, fsr_field field) {
    return fsr_kinds[kind].fields >> field & 1;
}
/* The kind with this word in the text form; FSR_KIND_COUNT: there is none. */
fsr_kind fsr_kind_find(const char *word);

typedef struct fsr_rounds fsr_rounds; /* graph/rounds.h */

typedef struct fsr_shape {
    int ndim;
    int64_t dim[FSR_MAX_DIMS];
} fsr_shape;

/* A view's index map. AFFINE: index along dimension j of the source is start[j] + step[j] * out[from[j]], or
 * start[j] alone if from[j] is -1. An out dimension that no from[] names is broadcast. RESHAPE: the same flat
 * C-order index. */
typedef enum fsr_view_kind { FSR_VIEW_AFFINE, FSR_VIEW_RESHAPE } fsr_view_kind;
typedef struct fsr_view {
    fsr_view_kind kind;
    int8_t from[FSR_MAX_DIMS];
    int64_t start[FSR_MAX_DIMS];
    int64_t step[FSR_MAX_DIMS];
} fsr_view;

/* raise, clip, wrap; NULL for what is none. */
const char *fsr_index_mode_name(fsr_index_mode mode);
/* The values that what is added to the index of dimension j of a source may have, [0, n), for elements of `shape` that
 * the view shows then to lie inside. */
int64_t fsr_added_extent(const fsr_shape *shape, const fsr_shape *source, const fsr_view *view, int j);

/* The members of fsr_content, once more in the structures that hold one. What a kind does not use is zero. */
#define FSR_CONTENT                                                                                  \
    fsr_kind kind;                                                                                   \
    int nout;                         /* results, 1 unless a tuple reduction or scan, or a loop */   \
    fsr_dtype dtype[FSR_MAX_OUTPUTS]; /* of each result */                                           \
    fsr_shape shape;                  /* of every result */                                          \
    int nargs;                                                                                       \
    fsr_hint hint;                                                                                   \
    fsr_op op;                                                                                       \
    bool weak;       /* recorded by fsr_float or fsr_int, and what follows from such */              \
    bool exclusive;  /* a running fold: without the element itself */                                \
    bool product;    /* a sum of products of matrices: any library may compute it, in any order */   \
    bool reverse;    /* from the end of the axis */                                                  \
    bool front;      /* only what a mask selects or a prefix counts; the rest may be anything */     \
    bool neutral;    /* what a prefix counts is all that who folds or scatters it needs to see */    \
    fsr_value value; /* of dtype[0]; also of what is weak */                                         \
    uint32_t axes;   /* bit i set if axis i is folded, or an argument is added to the index there */ \
    int axis;                                                                                        \
    int index;           /* position of a body's argument (left 0..n-1, right n..2n-1) */            \
    fsr_view view;       /* of argument 0 */                                                         \
    fsr_index_mode mode; /* what becomes of computed indices outside of argument 0 */                \
    fsr_library library;                                                                             \
    fsr_called *called;   /* a reference; NULL: nothing */                                           \
    fsr_combine *combine; /* owned by a recorded node, borrowed by a flow's; and so the rest */      \
    fsr_routine *routine; /* a reference */                                                          \
    fsr_iteration *loop;                                                                             \
    fsr_rounds *rounds;                                                                              \
    char *name;        /* NULL for an unnamed size */                                                \
    fsr_status status; /* of a poison */                                                             \
    char *message;

typedef struct fsr_content {
    FSR_CONTENT
} fsr_content;

/* Of what is FSR_IS_EACH, how many arguments it takes at the same index: all, but the tables that a loop's body takes
 * elements of, which come last. */
static inline int fsr_own_arguments(const fsr_content *n) {
    return n->loop ? n->nargs - n->loop->body.ntables : n->routine ? n->routine->nparams : n->nargs;
}
/* What the two compute of equal arguments is the same: kind, type, hint and fields. rank: dimensions of argument 0. */
bool fsr_content_equal(const fsr_content *a, const fsr_content *b, int rank);
/* Of equal contents the same. */
uint64_t fsr_content_hash(const fsr_content *n, int rank);
uint64_t fsr_mix(uint64_t hash, uint64_t value);
/* An array of n's type, with its hint. */
fsr_content fsr_content_array(const fsr_content *n);
/* Fills the zeroed `to` with what identifies n; what its fields own stays n's. */
void fsr_content_borrow(fsr_content *to, const fsr_content *n);
/* Fills the zeroed `to` with n; `to` has copies of what n's fields own. False: out of memory, and it has nothing. */
bool fsr_content_copy(fsr_content *to, const fsr_content *n);
/* Frees what the fields own, which are then null. */
void fsr_content_clear(fsr_content *n);
/* The fields for an array with n more dimensions, before the others. */
void fsr_content_lead(fsr_content *to, int rank, int n);

/* Bytes that grow; once memory is out nothing is added. */
typedef struct fsr_bytes {
    unsigned char *data; /* malloc'ed */
    size_t size, capacity;
    bool failed;
    bool no_literals, no_counts; /* left out: literals; the most turns of loops */
} fsr_bytes;
/* Makes room for `size` more; false: memory is out. */
bool fsr_bytes_grow(fsr_bytes *b, size_t size);
/* A signature is a hundred of these, and a call that is planned already is little more than its signature. */
static inline void fsr_bytes_put(fsr_bytes *b, const void *data, size_t size) {
    if (size > b->capacity - b->size && !fsr_bytes_grow(b, size))
        return;
    if (size)
        memcpy(b->data + b->size, data, size);
    b->size += size;
}
/* Every byte of a content that a plan depends on; equal contents, and they alone, give equal bytes. */
void fsr_content_put(fsr_bytes *b, const fsr_content *n, int rank);

#endif
