/* SPDX-License-Identifier: MIT */
/* The partition of a flow into groups, one kernel each.
 *
 * What has to be assigned to a kernel are roots: folds (reductions, scans) and stores (values that must end in memory:
 * outputs, and what another kernel reads). Maps and views belong to no kernel of their own: each kernel evaluates what
 * its roots need, under the index its domain asks for, and stops at leaves and at stored values of other groups.
 *
 * Loops (ITERATE) are evaluated as maps are, but in one kernel, at one index: the first that needs one runs it, and
 * stores what others need of it, as folds do. So that it can, the index must be where its domain has the loop's own
 * elements, once each. Counter-example to treating them as maps: y and y + y.T in two kernels would run a thousand
 * turns three times.
 *
 * Roots are assigned in topological order, folds before stores; each tries to join an existing group (a trial lowering
 * of the enlarged group decides, fusion/lower.c; what must hold besides is fusion/legality.c) and otherwise opens its
 * own. Counter-example to joining by shape alone: s = sum(x, 1); t = cumsum(s); u = sum(x * t[:,None], 1): sum and u
 * have one domain, but u needs t, which needs s complete: a cycle between two kernels. Hence the reachability
 * check. */
#ifndef FUSOR_FUSION_PARTITION_H
#define FUSOR_FUSION_PARTITION_H

#include "fusion/affine.h"
#include "fusion/flow.h"
#include "fusion/library.h"
#include "fusion/loop_ir.h"
#include "fusion/target.h"

/* What an array of a kernel is. */
typedef struct fsr_operand {
    bool leaf; /* leaf `ordinal`, else the stored value `link` */
    int ordinal;
    fsr_link link;
    int report; /* 1 + a word of the flow's reports, and then none of the others; 0: an array */
} fsr_operand;

#define FSR_MAX_STORES FSR_MAX_BUFFERS

/* Its lists are in a room of somebody's, or in a block of its own: fusion/group_room.c. */
typedef struct fsr_group {
    fsr_domain domain;
    int nfolds, nstores;
    bool in_place;    /* its only store is a paste's section, into the memory of `base` (fusion/in_place.c) */
    fsr_operand base; /* link.id -1: nothing is there yet (fusion/in_place_fill.c) */
    bool part; /* works for such a section, or for a part of its stores: arrays count by what of them is touched */
    int8_t coarse
        [FSR_MAX_DIMS]; /* of each dimension of which a point of the domain does several places, from its own on: how many */
    bool unmerged;      /* a trial: the kernel's dimensions are the domain's */
    bool
        library; /* a library call, node `call`, no kernel: its operands are the arguments, its stores the results in use */
    int call, noperands;
    /* after a refusal: this dimension of the domain, divided so, might help (0: none would) */
    int divided;
    int64_t division;
    /* the result of lowering */
    fsr_kernel *kernel;
    int64_t extent[FSR_MAX_DIMS]; /* of the kernel's domain (after merging dimensions) */
    int ndeps, nloops, nneeds;
    int level;  /* above that of each of its deps: what is not above a group does not need it */
    int waiter; /* 1 + the newest of those that wait for it, some of which may not any more, in p->reader; 0: none */
    /* The lists, from here on. */
    int *fold; /* flow nodes */
    fsr_link *store;
    bool *row;            /* of each store: once a row, not per element */
    fsr_operand *operand; /* of each array */
    int *scalar;          /* flow scalar ordinal of each scalar argument */
    int *deps;            /* groups whose stores it reads */
    int *loop;            /* flow nodes: the ITERATEs that it runs */
    fsr_link *needs;      /* results of other groups' folds and loops that those must store */
    void *room;           /* the block of its own; NULL: there is none */
} fsr_group;

/* Whether memory must hold a map, a paste or a view.
 *
 * FSR_HELD_ONCE: one kernel could not evaluate it, so another stores it. Who can load it does; who would then wait for
 * itself still evaluates it. Counter-example to loading always: s = sum(x + y, 1) and t = cumsum(x + y) are one kernel
 * A; a later kernel B, which needs s, stores x + y for a reshape; if storing t makes A load x + y, A waits for B.
 * FSR_HELD_CHEAPER: storing costs less than computing it wherever it is read (fusion/recompute.c). As above, but the
 * kernel that stores it computes it at its own elements alone.
 * FSR_HELD_TAKEN: a library call takes it: as above.
 * FSR_HELD_LONG: its program is cut there (fusion/chop.c): no other kernel evaluates it, either.
 * FSR_HELD_FOLDED: it is, since it goes on with more folds than a kernel has: who does stays apart from its kernel.
 * FSR_HELD: a hint asks for it, or memory is cut there: moreover its own kernel does nothing else with it. */
typedef enum fsr_held {
    FSR_NOT_HELD,
    FSR_HELD_ONCE,
    FSR_HELD_CHEAPER,
    FSR_HELD_TAKEN,
    FSR_HELD_LONG,
    FSR_HELD_FOLDED,
    FSR_HELD
} fsr_held;

/* An edge that was not fused, for explain. */
typedef struct fsr_note {
    int producer, consumer; /* flow nodes */
    const char *reason;
    double joined, apart; /* where a price is the reason: of one kernel and of two, in ns; else 0 */
} fsr_note;

/* A value that is stored because the kernels that read it and its own then cost less, in ns, than if they computed
 * it. */
typedef struct fsr_saving {
    int node;
    double margin; /* share of the price that a store has to spare */
    double computed, stored;
} fsr_saving;

/* What the last fusion joined, for explain: whoever hunts a wrong answer with ever less fuel ends at one. */
typedef struct fsr_fusion {
    const char *how; /* a sentence with %s (%%%d) for two nodes; NULL: there was none */
    int node[2];     /* flow nodes */
} fsr_fusion;

/* Nodes behind which memory is cut, in order (fusion/peak.c): what is read behind one is stored before it, and no group
 * has roots on both sides. And values that are computed wherever they are read, whatever that costs, as there is no
 * memory for them. And nodes that are stored, or kernels of their own, as all kernels together then cost less
 * (fusion/apart.c). */
typedef enum fsr_parting { FSR_TOGETHER, FSR_STORED_APART, FSR_APART } fsr_parting;

typedef struct fsr_cuts {
    int n;
    int *at;
    bool *again;          /* per node; NULL: none */
    unsigned char *apart; /* per node: fsr_parting; NULL: all are together */
} fsr_cuts;

/* In a list: a group that reads an array (fusion/partition_near.c), or that waits for another group
 * (fusion/partition_order.c). next: -1 at the end. */
typedef struct fsr_reader {
    int group, next;
} fsr_reader;

typedef struct fsr_partition {
    const fsr_flow *flow;
    const fsr_target *target;
    const fsr_cuts *cuts;
    bool fuse;
    int fuel;    /* fusions left; -1: no limit */
    int fusions; /* done */
    fsr_fusion last;
    fsr_group *group;
    int ngroups, capacity;
    bool *seen; /* per group, and room for all of them: for questions of order, false and unused between them */
    int *queue;
    int merging, into; /* while a merge is tried: what needs group `merging` needs `into`; else -1 */
    int *group_of;     /* per flow node: group of a fold, or that runs a loop, -1 */
    int *stored;       /* per node * FSR_MAX_OUTPUTS: group that stores the result, -1 */
    bool *used;        /* per node * FSR_MAX_OUTPUTS: some node or output reads the result */
    uint8_t *outputs;  /* per node: a bit for each of its results that is an output */
    fsr_held *held;    /* per node */
    fsr_link
        *asked; /* per node: a count behind which nobody asks for its elements, id < 0: there is none; may be NULL */
    fsr_note *note;
    int nnotes, note_capacity;
    fsr_saving *saving;
    int nsavings, saving_capacity;
    const char **refused; /* of each pair of the flow, NULL: not refused; NULL where it has none */
    fsr_reader *reader;
    int nreaders, reader_capacity;
    int *reader_of_leaf, *reader_of_value, bare_reader; /* the newest of each list, -1: none */
    int *mark, marks;                                   /* per node: the last question that met it */
    double footprint; /* bytes of what goes in and out: what is between may stay near, if that does */
    bool *no_memory;  /* set where memory was out: the whole is given up, as a plan of fewer fusions would be cached */
} fsr_partition;

/* fuse, fuel: see fsr_program_options. */
fsr_status fsr_partition_make(fsr_partition *p, const fsr_flow *flow, const fsr_target *target, const fsr_cuts *cuts,
                              bool fuse, int fuel, char *why, size_t size);
void fsr_partition_clear(fsr_partition *p);

/* Lowers a group to its kernel (unscheduled). On success the group's kernel, operands, integers, deps and needs are
 * replaced. A refusal is a reason in words and, where materializing some value would help, that value in blame (id -1
 * otherwise); NULL: success. Out of memory is a reason too: fsr_reason_memory.
 * before: NULL, or the group as it is; of other groups' stores it then reads those only that it reads already. */
const char *fsr_lower(const fsr_partition *p, int g, const fsr_group *before, fsr_group *group, fsr_link *blame);
extern const char fsr_reason_memory[];
/* The flow nodes that a lowered kernel computes, each once, in the order of its instructions; those that it copies if
 * it computes none. node has room for FSR_MAX_INSTS. Returns how many. */
int fsr_kernel_nodes(const fsr_kernel *k, int *node);

/* The domain of a fold. A reduction whose operator is commutative takes the direction of `like` (NULL: forward). */
void fsr_fold_domain(const fsr_flow *flow, int node, const fsr_domain *like, fsr_domain *out);

/* Rules beyond what lowering finds: NULL if the lowered group may be one kernel on this target, else the reason, and
 * blame as fsr_lower has it, which has set it to none. */
const char *fsr_legality(const fsr_partition *p, const fsr_group *group, fsr_link *blame);
/* Every fold's result may still have to be stored for another kernel: NULL if the lowered group has room for that, so
 * that adding such a store is never refused, else the reason. */
const char *fsr_legality_room(const fsr_partition *p, const fsr_group *group);
/* True if group `from` needs, directly or not, something that group `to` stores. */
bool fsr_partition_reaches(const fsr_partition *p, int from, int to);
/* The group that stores a result, -1: none. */
static inline int *fsr_partition_stored(const fsr_partition *p, fsr_link link) {
    return &p->stored[link.id * FSR_MAX_OUTPUTS + link.output];
}
/* The result is an output of the flow. */
static inline bool fsr_partition_is_output(const fsr_partition *p, fsr_link link) {
    return p->outputs[link.id] >> link.output & 1;
}
/* The same array. */
bool fsr_operand_equal(const fsr_operand *a, const fsr_operand *b);
bool fsr_group_stores(const fsr_group *group, fsr_link link);
/* The group waits for group `on`. False: it would for too many. */
bool fsr_group_depend(fsr_group *group, int on);
/* After a group's deps have changed: its level, and those of the groups that need it. */
void fsr_partition_settle(fsr_partition *p, int g);

/* The groups that run, in the order in which they do (fusion/partition_sequence.c). order has room for all.
 * FSR_ERR_MEMORY; FSR_ERR_INTERNAL: some wait for each other. */
fsr_status fsr_partition_sequence(const fsr_partition *p, int *order, int *count);

/* Room for one more group: p->group[p->ngroups], zeroed. False: out of memory. */
bool fsr_partition_room(fsr_partition *p);
/* Pastes over stored values that nobody needs afterwards become kernels over their sections. Out of memory is told in
 * p->no_memory. */
void fsr_in_place(fsr_partition *p);

/* Kernels that compute alternatives for elements that want none of them are divided (fusion/divide.c). Out of memory is
 * told in p->no_memory. */
void fsr_partition_divide(fsr_partition *p);
/* What the parts of a group, which is number g or would be, would cost, or, if it stays whole, the group; INFINITY:
 * nobody has looked. */
double fsr_price_divided(fsr_partition *p, const fsr_group *group, int g);
/* Gives points all places of short dimensions where that costs less (fusion/coarsen.c). */
void fsr_partition_coarsen(fsr_partition *p);
/* Gives the threads of a group that is no tile of another one, and has none, two neighbours where that costs less.
 * False: out of memory. */
bool fsr_partition_take_neighbours(fsr_partition *p, int g);
/* Places that a point of the group's domain does. */
int fsr_group_places(const fsr_group *group);
/* The node of the kernel's fold f: a point of several places has the group's folds once for each. */
static inline int fsr_group_fold(const fsr_group *group, int f) {
    return group->fold[f % group->nfolds];
}

/* Memory holds the node where nothing is fused. A cast is part of the operation that asked for it. */
bool fsr_unfused_holds(const fsr_flow_node *n);
/* The node is a kernel of its own. */
static inline bool fsr_cuts_apart(const fsr_cuts *cuts, int node) {
    return cuts->apart && cuts->apart[node] == FSR_APART;
}
/* Cuts before a node. */
int fsr_cuts_segment(const fsr_cuts *cuts, int node);
/* Marks what is stored because it is read behind a cut. False: out of memory. */
bool fsr_cuts_hold(const fsr_cuts *cuts, const fsr_flow *flow, fsr_held *held);

/* A library call that takes the node needs a copy of it in memory: no kernel stores it for its own sake. */
bool fsr_library_copies(const fsr_flow_node *n);
/* What memory the call n takes for its k-th argument: that, or what the argument is another shape of. */
fsr_link fsr_library_source(const fsr_flow *flow, const fsr_flow_node *n, int k);
/* A library call, or a loop, takes its k-th argument as an array: it is no scalar that each run gives. */
bool fsr_library_takes(const fsr_flow *flow, const fsr_flow_node *n, int k);
/* Nodes that library calls take and that memory need not hold else are marked in p->held. */
void fsr_partition_take(fsr_partition *p);
/* The call of a node; used: of each of its results, whether somebody reads it. */
void fsr_library_of(fsr_library_call *out, const fsr_flow *flow, int node, const bool *used, bool gpu);

/* ns that storing a node's value spares, 0: it is not stored for that. */
double fsr_partition_saving(const fsr_partition *p, int node);
/* The instructions that one root would need are bounded before that: marks values in p->held. */
fsr_status fsr_partition_chop(fsr_partition *p);
/* What costs less to store than to compute again is marked in p->held; chopped: after fsr_partition_chop. False: out of
 * memory. */
bool fsr_partition_price(fsr_partition *p, bool chopped);
/* What several folds' results become before another kernel reads it is marked in p->held, after all that. False: out of
 * memory. */
bool fsr_partition_hold_ends(fsr_partition *p);

#endif
