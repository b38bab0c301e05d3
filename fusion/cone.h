/* SPDX-License-Identifier: MIT */
/* The cone of a kernel before it is lowered: what its roots need, down to what is in memory, and its price.
 *
 * A walk goes down from the roots, which have one domain, each node with the distinct indices at which it is asked for,
 * as the lowering would evaluate it: x[1:] + x[:-1] asks x twice for an element; a value of [n] that meets one of [n,
 * m] is asked m times. Bytes, operations and loads are summed up on the way.
 *
 * Counter-example to counting nodes: of a chain of sweeps each asks for the one before at three places, all of them for
 * the first at 3^n if no two of these are the same place, and at 2n + 1 if they lie beside each other. */
#ifndef FUSOR_FUSION_CONE_H
#define FUSOR_FUSION_CONE_H

#include "fusion/price.h"
#include <string.h>

enum { FSR_MAX_CONE = 512, FSR_MAX_ASKED = 1024, FSR_MAX_EVALUATED = 400 };

typedef struct fsr_asked {
    fsr_index index;
    double part;                 /* of the domain, where it is asked for: sections of pastes are a part */
    double whole;                /* what a chain of pastes is asked for, of which the sections above have had theirs */
    int section;                 /* the last paste in whose section that was, -1: in none */
    double computed;             /* what a load of it costs as a gather asks, each element at another index; else 0 */
    int64_t last[FSR_MAX_DIMS];  /* where the last place that was clipped on the way lies, along each dimension */
    uint32_t path[FSR_MAX_DIMS]; /* all of them: the same index by way of others is another place */
    bool turned;                 /* there was one; else neither of the two is looked at */
    int next;                    /* of the same node, -1: the last */
} fsr_asked;

/* Both came by the same places. */
static inline bool fsr_cone_is_same_way(const fsr_asked *a, const fsr_asked *b) {
    return a->turned == b->turned && (!a->turned || memcmp(a->path, b->path, sizeof a->path) == 0);
}

static inline void fsr_cone_copy_way(fsr_asked *to, const fsr_asked *from) {
    to->turned = from->turned;
    if (!from->turned)
        return;
    memcpy(to->last, from->last, sizeof to->last);
    memcpy(to->path, from->path, sizeof to->path);
}

typedef struct fsr_cone_node {
    int id;
    int asked;     /* the first index */
    double shared; /* evaluations for an element of those that ask for it */
    bool fanned;   /* a view asks for it */
} fsr_cone_node;

typedef struct fsr_cone fsr_cone;

/* Whether a node that would be evaluated is held from now on; each: how often it is evaluated for an element. */
typedef bool fsr_cone_store(void *data, const fsr_cone *cone, const fsr_cone_node *at, double each);

struct fsr_cone {
    const fsr_partition *p;
    const fsr_prices *prices;
    fsr_cone_store *store; /* NULL: none is */
    void *data;
    bool reshapes;     /* the flow has some: nothing else asks for a finer domain */
    fsr_domain domain; /* as fine as reshapes ask for, on a GPU */
    int divided;       /* a dimension to divide, and how; division 0: none */
    int64_t division;
    bool fixed;                        /* it is not, as a domain has only so many dimensions */
    int n, nasked, nevaluated, nloads; /* nodes, indices of them, of those evaluated and of those in memory */
    bool full;  /* it was larger than there is room for, or than a kernel's program: nothing is known */
    bool tiled; /* threads have tiles of outputs (outputs.h) */
    bool fold;  /* a root is one */
    bool scan;  /* a root is a running one */
    bool walks; /* on a GPU, down columns, of each of which a thread does all elements, one after the other */
    double bytes, work, loads;
    double turned, straight; /* loads of whole arrays across the order of memory, and others */
    double picked;           /* loads of elements that are not beside each other, times how far, up to a line */
    double gathers;          /* operations of loads at computed indices */
    bool serial;             /* a gather stands in loops too short to be cut into vector code and what is none */
    double tile_work;        /* if they have: loads are staged and shared then */
    double whole_work;       /* work, were every alternative of a paste computed for every element */
    bool torn;               /* pastes leave no part of the domain that would be worth a version of its own */
    int64_t visits;          /* nodes that all walks have met */
    fsr_cone_node node[FSR_MAX_CONE]; /* in order of id */
    fsr_asked asked[FSR_MAX_ASKED];
};

/* The node is asked for at one index, the same one along some dimension of a domain that has no tiles of outputs. */
bool fsr_cone_repeats(const fsr_cone *cone, const fsr_cone_node *at);
/* Where a gather looks at an index, if its places follow that and this costs what a view that is moved would; exact:
 * they are no clipped ones. */
bool fsr_cone_follows(const fsr_cone *cone, const fsr_flow_node *n, const fsr_index *index, fsr_index *inner,
                      bool *exact);
/* A place that is clipped: what it is made of is asked for by way of it. Counter-example to the place alone:
 * clip(clip(i
 * - 1) + 1) is i but for the edge, and a kernel computes what is there once more; of three sweeps of five points it
 * loads 71 elements, not 25, which were too many instructions for one kernel that had seemed to be cheap. */
void fsr_cone_go_by(fsr_asked *by, const fsr_index *moved);
/* A computed index, another one for each point and each index at which a gather is asked (`asked`, a number of that):
 * along all that this varies along. Counter-example to one for each gather: two neighbours of a gather would load
 * once. */
void fsr_cone_somewhere(fsr_index *index, int ndim, int asked);
/* The node is a gather that is a view wherever it is asked, as windows that slide are. */
bool fsr_cone_is_view(const fsr_cone *cone, const fsr_cone_node *at);
/* The node is a gather with an index for each element, which does not follow where it is asked. */
bool fsr_cone_scatters(const fsr_cone *cone, const fsr_cone_node *at);
/* In a kernel with a fold the node takes whole arrays in the order of memory and across it: no loop is in order for
 * both, and only maps go by squares. */
bool fsr_cone_turns(const fsr_cone *cone, const fsr_cone_node *at);
/* The node is asked for along the order of its memory and across it, as f(x) + f(x).T asks f(x). */
bool fsr_cone_crosses(const fsr_cone *cone, const fsr_cone_node *at);
/* cone_lost.c. Elements of a node that are neighbours in memory are neighbours along another dimension of the domain
 * than the innermost; and it has one for each point of the domain, and a near cache does not hold them. */
bool fsr_cone_is_turned(const fsr_cone *cone, int id, const fsr_index *index);
/* Elements between what neighbours along the innermost dimension load of a node; 0: the same one, or the next. */
double fsr_cone_gap(const fsr_cone *c, int id, const fsr_index *index);
bool fsr_cone_is_whole(const fsr_cone *cone, int id);
bool fsr_cone_counts_ways(const fsr_cone *cone, int id);
/* Loads across the order of memory that count: a fold goes the way that most do, a map has squares for a few. */
double fsr_cone_turned(const fsr_cone *cone);
/* The node is a paste that leaves, of what it is asked for, neither its section nor the rest so large that a GPU's loop
 * of folds would have a version for it: in such a loop every alternative is computed for every element. Counter-example
 * to the work of each half: a running sum over two halves, one of which is a stencil with edges, in one kernel, asked
 * 46 guards an element. */
bool fsr_cone_tears(const fsr_cone *cone, const fsr_cone_node *at);
/* Operations of the guards of a load in such a loop: more in one that looks back, whose threads hold all that they
 * load. */
double fsr_cone_asks(const fsr_cone *cone);
/* The part of a paste that is its section. */
double fsr_cone_section(const fsr_flow *flow, const fsr_flow_node *n);
/* Operations of a load in a map whose loops go by squares, as it is across the order of memory. */
double fsr_cone_square(const fsr_cone *c, int id, const fsr_index *index);
/* A gather asks for the node: what it is made of would be loaded at computed indices, each by itself. */
bool fsr_cone_gathers(const fsr_cone *cone, const fsr_cone_node *at);
/* The node is a gather in loops that have too few turns for stages, or a paste in a fold's kernel whose loops have too
 * few for versions, or of every n-th element: beside it nothing is vector code. */
bool fsr_cone_serial(const fsr_cone *cone, const fsr_cone_node *at);
/* On a GPU a running fold goes down columns that are fewer than the threads which it takes to do all that the machine
 * can. */
bool fsr_cone_lacks_threads(const fsr_cone *cone);
/* The domain of the kernel of a root: a fold, or a value that is stored. */
void fsr_cone_domain(const fsr_partition *p, int root, fsr_domain *out);
/* Walks down from roots of one domain. Returns the price of their kernel in ns, INFINITY: it is not known. */
double fsr_cone_price(fsr_cone *cone, const int *root, int n);

#endif
