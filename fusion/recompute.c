/* SPDX-License-Identifier: MIT */
/* Which values are stored because computing them again would cost more.
 *
 * Two passes over the roots. The first, from the last root down, holds whatever its kernel would evaluate more often
 * than it has elements, or another kernel evaluates: then nothing is computed again, and kernels are small. The second
 * looks at what is held, producers first, and compares two prices (cone.h): of the kernels that read the value and of
 * its own, and of those kernels if they computed it. What is not cheaper in memory is held no more, and the next value
 * is looked at in larger kernels. So of a chain of sweeps as many are one kernel as pay for what their halos cost; and
 * no decision makes the sum of the prices greater.
 *
 * Counter-example to storing what is read twice: x + x.T of a cheap x costs more to store than to compute twice.
 * Counter-example to asking the work alone: what hides behind memory costs nothing.
 * Counter-example to going from one large kernel to smaller ones: of twenty sweeps in one nothing is known, as a walk
 * through it does not end. */
#include "fusion/cone.h"
#include "fusion/pairs.h"
#include "fusion/partition_parts.h"
#include <math.h>
#include <stdlib.h>

enum { MAX_READERS = 24, MAX_CLIMB = 256, MAX_BESIDE = 6, FAR = 16, VISITS = 1 << 16, VISITS_A_NODE = 64 };

/* Of the first kernel that evaluates a node, be it a fold: its elements, 0: there is none yet; those of a row of it,
 * and whether some fold of it runs along that. */
typedef struct place {
    double points;
    uint32_t axes; /* folded; 0: it folds none */
    bool runs;
} place;

typedef struct chooser {
    fsr_partition *p;
    fsr_cone *cone;
    bool *out;    /* per node: an output */
    bool *asked;  /* per node: a root's kernel, which was no fold, evaluates it */
    place *place; /* per node */
    place own;    /* of the root's kernel, when somebody has asked */
    int root;
    bool fold;         /* it is one */
    bool chopped;      /* programs have been cut, at values that their parts have in common */
    int *first, *user; /* nodes that take node i: user[first[i] .. first[i + 1]) */
    int reader[MAX_READERS], nreaders;
    bool many; /* more kernels read the value than are looked at */
    bool no_memory;
    int64_t visits; /* left: so many nodes may be walked over */
} chooser;

double fsr_partition_saving(const fsr_partition *p, int node) {
    for (int i = 0; i < p->nsavings; ++i)
        if (p->saving[i].node == node)
            return fmax(p->saving[i].computed - p->saving[i].stored, 1);
    return 0;
}

static bool add_saving(fsr_partition *p, const fsr_saving *saving) {
    if (p->nsavings == p->saving_capacity) {
        int capacity = p->saving_capacity ? 2 * p->saving_capacity : 16;
        fsr_saving *grown = realloc(p->saving, sizeof *grown * (size_t)capacity);
        if (!grown)
            return false;
        p->saving = grown;
        p->saving_capacity = capacity;
    }
    p->saving[p->nsavings++] = *saving;
    return true;
}

/* What is evaluated for the nodes on a stack, those from `least` on, is marked; what is held ends that, and comes on
 * another stack: NULL: it does not. Returns the height of that, -1: there was no room. */
static int climb_down(chooser *c, int *stack, int depth, int least, int *held) {
    fsr_partition *p = c->p;
    const int mark = ++p->marks;
    int nheld = 0;
    while (depth > 0) {
        const fsr_flow_node *n = &p->flow->node[stack[--depth]];
        ++c->cone->visits;
        for (int k = 0; k < n->nargs; ++k) {
            const int id = n->arg[k].id;
            const bool stops = held && p->held[id];
            if (id < least || p->mark[id] == mark)
                continue;
            if ((stops ? nheld : depth) == MAX_CLIMB)
                return -1;
            p->mark[id] = mark;
            if (stops)
                held[nheld++] = id;
            else
                stack[depth++] = id;
        }
    }
    return nheld;
}

/* ---- the first pass ------------------------------------------------------------------------------------------ */

/* Whoever takes the node is the value or among what it is made of, as marked. */
static bool is_own(const chooser *c, int node, int id) {
    bool own = !c->out[node];
    for (int k = c->first[node]; k < c->first[node + 1] && own; ++k)
        own = c->user[k] == id || c->p->mark[c->user[k]] == c->p->marks;
    return own;
}

/* What the value is made of is no longer evaluated by who asked for it: its own kernel does that. `own`: but what
 * something else is made of, too. */
static void forget_below(chooser *c, int id, bool own) {
    int stack[MAX_CLIMB] = {id}, held[MAX_CLIMB];
    if (climb_down(c, stack, 1, 0, held) < 0)
        return;
    for (int i = id - 1; i >= 0; --i) {
        if (c->p->mark[i] != c->p->marks)
            continue;
        if (own && !is_own(c, i, id)) {
            c->p->mark[i] = 0;
            continue;
        }
        c->asked[i] = false;
        c->place[i].points = 0;
    }
}

static uint32_t folded_by(const fsr_flow_node *n) {
    return !fsr_is(n->kind, FSR_IS_FOLD) ? 0 : fsr_is(n->kind, FSR_IS_RUNNING) ? UINT32_C(1) << n->axis : n->axes;
}

/* A kernel over another number of elements evaluates the node: a fold and a map, or two folds, that are no one kernel;
 * or two folds along other axes, one of which runs. On a GPU they may share what lies in a tile. Counter-example to
 * numbers alone: running sums down columns and means along rows of the same exponentials computed them twice each, 2.9
 * ms of 1,068 by 1,066, and 2.1 unfused (seed 1536252, one thread of a Zen 3, AVX2). */
static bool is_elsewhere(chooser *c, const fsr_cone *cone, int id) {
    const place *own = &c->own;
    place *first = &c->place[id];
    if (c->p->target->gpu)
        return false;
    if (own->points == 0)
        c->own = (place){fsr_domain_points(&cone->domain, cone->domain.ndim), folded_by(&c->p->flow->node[c->root]),
                         cone->scan};
    if (first->points == 0)
        *first = *own;
    return first->points != own->points ||
           ((first->runs || own->runs) && first->axes && own->axes && first->axes != own->axes);
}

/* On a GPU: sections of pastes take it at several places of it, so that its text stands there as often. */
static bool is_spread(const chooser *c, const fsr_cone *cone, const fsr_cone_node *at) {
    int places = 0;
    for (int i = at->asked; i >= 0; i = cone->asked[i].next)
        places += cone->asked[i].section >= 0;
    return c->p->target->gpu && !c->fold && places > 1;
}

/* A running fold takes it whose threads are too few for what it is made of: as a map it has all that there are.
 * Counter-example to one kernel: sums down 64 rows of two sweeps of three points with edges were 64 steps of 222
 * operations each for 1,580 threads, at a price of 40 us, and of 8 for a map and the sums (seed 316021, 0.80 of unfused
 * on an H200). */
static bool is_walked(const chooser *c, const fsr_cone *cone, int id) {
    const fsr_flow *flow = c->p->flow;
    const fsr_flow_node *root = &flow->node[c->root];
    bool takes = false;
    if (!fsr_cone_lacks_threads(cone))
        return false;
    for (int k = 0; k < root->nargs; ++k) {
        int from = root->arg[k].id;
        while (fsr_is(flow->node[from].kind, FSR_IS_VIEW))
            from = flow->node[from].arg[0].id;
        takes = takes || from == id;
    }
    return takes;
}

/* No kernel of a CPU evaluates it where it is asked for: a reshape hides which of its elements those are, and none
 * divides its domain for that. Lowering finds out too late, when nobody has looked at what it is made of. */
static bool is_hidden(const fsr_cone *cone, const fsr_cone_node *at) {
    const fsr_flow_node *n = &cone->p->flow->node[at->id];
    bool hidden = false, twice = cone->asked[at->asked].next >= 0;
    int dim;
    int64_t inner;
    for (int i = at->asked; i >= 0 && fsr_is(n->kind, FSR_OVERWRITES); i = cone->asked[i].next) {
        const fsr_index *index = &cone->asked[i].index;
        const bool divides = index->flat && fsr_index_division(index, &n->shape, &cone->domain, &dim, &inner);
        hidden = hidden || (index->flat && (twice || !divides || fsr_division_is_brief(&cone->domain, dim, inner)));
    }
    return hidden && !cone->p->target->gpu;
}

/* An index of 32 bits was made one of 64: that costs nothing, and an array of these would be twice as large. So the
 * narrow one is stored. Counter-example to any value that is made wider: a picture of bytes was made floats nine times
 * over, 5.5 ms for 3.4 with an array of them. */
static bool is_wide_index(const chooser *c, const fsr_flow_node *n) {
    return n->dtype[0] == FSR_I64 && fsr_has(n->kind, FSR_FIELD_op) && n->op == FSR_OP_CAST &&
           c->p->flow->node[n->arg[0].id].dtype[n->arg[0].output] == FSR_I32;
}

/* Asked for more often than what asks for it, through a view, or on a CPU in sections of pastes (of eight rates,
 * stacked, each computed the reactions that it takes, 9.4 ms for 1.4; a GPU's point does all, coarsen.c); or what
 * another root asked for; or what a fold takes that reads memory across its order, which may be one kernel with what
 * follows it; or that leaves a GPU's loop of folds no version (a map of it is divided). */
static bool store(void *data, const fsr_cone *cone, const fsr_cone_node *at, double each) {
    chooser *c = data;
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    if (is_hidden(cone, at)) {
        c->p->held[at->id] = FSR_HELD_ONCE;
        return true;
    }
    const bool again = c->p->cuts->again && c->p->cuts->again[at->id];
    const bool often = (at->fanned || !c->p->target->gpu) && each > at->shared &&
                       each > (fsr_cone_crosses(cone, at) ? cone->prices->crossed : cone->prices->spare);
    const bool scatters = fsr_cone_scatters(cone, at), gathers = scatters && (each > 1 || c->asked[at->id]);
    const bool gathered = gathers || fsr_cone_gathers(cone, at) || fsr_cone_serial(cone, at);
    const bool other = (c->asked[at->id] && !c->fold) || is_elsewhere(c, cone, at->id);
    const bool shared = other && !c->chopped && fsr_has(n->kind, FSR_FIELD_op);
    c->asked[at->id] = c->asked[at->id] || !c->fold || scatters;
    const bool follows = fsr_price_gathers(n) && !scatters && cone->prices->follow;
    const bool moves =
        follows || fsr_cone_is_view(cone, at) || is_wide_index(c, n); /* what it takes is stored instead */
    if (again || moves || !n->nargs || n->hint == FSR_HINT_INLINE || fsr_pairs_fuse(c->p->flow, at->id) ||
        !(often || shared || gathered || fsr_cone_turns(cone, at) || (c->fold && fsr_cone_tears(cone, at)) ||
          ((is_spread(c, cone, at) || is_walked(c, cone, at->id)) && fsr_has(n->kind, FSR_FIELD_op))))
        return false;
    const fsr_saving saving = {.node = at->id,
                               .margin = fsr_cone_repeats(cone, at) ? cone->prices->repeat : cone->prices->margin};
    c->no_memory = c->no_memory || !add_saving(c->p, &saving);
    if (shared)
        forget_below(c, at->id, often);
    c->p->held[at->id] = FSR_HELD_CHEAPER;
    return true;
}

static bool is_root(const chooser *c, int id) {
    return fsr_is(c->p->flow->node[id].kind, FSR_IS_FOLD) ||
           ((c->out[id] || c->p->held[id]) && fsr_price_walks(&c->p->flow->node[id]));
}

static void hold_all(chooser *c) {
    c->cone->store = store;
    c->cone->data = c;
    for (int i = c->p->flow->n - 1; i >= 0; --i)
        if (is_root(c, i)) {
            c->root = i;
            c->fold = fsr_is(c->p->flow->node[i].kind, FSR_IS_FOLD);
            c->own.points = 0;
            fsr_cone_price(c->cone, &i, 1);
        }
    c->cone->store = NULL;
}

/* ---- the second pass ----------------------------------------------------------------------------------------- */

/* Nodes by what they take. False: out of memory. */
static bool find_users(chooser *c) {
    const fsr_flow *flow = c->p->flow;
    c->first = calloc((size_t)flow->n + 2, sizeof *c->first);
    for (int i = 0; c->first && i < flow->n; ++i)
        for (int k = 0; k < flow->node[i].nargs; ++k)
            ++c->first[flow->node[i].arg[k].id + 2];
    for (int i = 0; c->first && i < flow->n; ++i)
        c->first[i + 2] += c->first[i + 1];
    c->user = c->first ? malloc(sizeof *c->user * ((size_t)c->first[flow->n + 1] + 1)) : NULL;
    for (int i = 0; c->user && i < flow->n; ++i)
        for (int k = 0; k < flow->node[i].nargs; ++k)
            c->user[c->first[flow->node[i].arg[k].id + 1]++] = i;
    return c->user != NULL;
}

static void add_reader(chooser *c, int id) {
    c->many = c->many || c->nreaders == MAX_READERS;
    if (!c->many)
        c->reader[c->nreaders++] = id;
}

/* The roots in whose kernels a value is evaluated if it is not held. */
static void find_readers(chooser *c, int id) {
    fsr_partition *p = c->p;
    int stack[MAX_CLIMB], depth = 0, mark = ++p->marks;
    stack[depth++] = id;
    c->nreaders = 0;
    c->many = false;
    while (depth > 0 && !c->many) {
        const int at = stack[--depth];
        for (int i = c->first[at]; i < c->first[at + 1] && !c->many; ++i) {
            const int user = c->user[i];
            const bool fold = fsr_is(p->flow->node[user].kind, FSR_IS_FOLD);
            const bool ends = fold || p->held[user] || fsr_is(p->flow->node[user].kind, FSR_IS_LIBRARY);
            if (p->mark[user] == mark)
                continue;
            p->mark[user] = mark;
            if (is_root(c, user))
                add_reader(c, user);
            c->many = c->many || (!ends && depth == MAX_CLIMB);
            if (!ends && !c->many)
                stack[depth++] = user;
        }
    }
}

/* The kernel of root `late` needs what that of root `early` stores, or something between them does. */
static bool depends(chooser *c, int late, int early) {
    const fsr_partition *p = c->p;
    int stack[MAX_CLIMB] = {late}, held[MAX_CLIMB];
    const int nheld = climb_down(c, stack, 1, early, held);
    if (nheld < 0 || (p->held[early] && p->mark[early] == p->marks))
        return true;
    return climb_down(c, held, nheld, early, NULL) < 0 || p->mark[early] == p->marks;
}

static bool is_apart(chooser *c, const int *root, int n, int id) {
    bool apart = true;
    for (int k = 0; k < n && apart; ++k)
        apart = id > root[k] ? !depends(c, id, root[k]) : !depends(c, root[k], id);
    return apart;
}

static bool scatters(const chooser *c, int id) {
    return fsr_is(c->p->flow->node[id].kind, FSR_SCATTERS);
}

/* The price of the kernels that read the value, those of one domain together if none waits for another, and none
 * scatters. */
static double price_of_readers(chooser *c) {
    bool done[MAX_READERS] = {false};
    double sum = 0;
    for (int i = 0; i < c->nreaders; ++i) {
        int root[MAX_READERS], n = 0;
        fsr_domain own, other;
        fsr_cone_domain(c->p, c->reader[i], &own);
        for (int j = i; j < c->nreaders; ++j) {
            fsr_cone_domain(c->p, c->reader[j], &other);
            if (done[j] || !fsr_domain_equal(&own, &other) ||
                (n && (scatters(c, root[0]) || scatters(c, c->reader[j]))) || !is_apart(c, root, n, c->reader[j]))
                continue;
            done[j] = true;
            root[n++] = c->reader[j];
        }
        sum += n ? fsr_cone_price(c->cone, root, n) : 0;
    }
    return sum;
}

/* Other values held over the domain of the i-th, none of which needs another: they may be one kernel. Those before
 * number `done` and behind the i-th are held. root[0] is the i-th itself. Returns how many. */
static int find_beside(chooser *c, int i, int done, int *root) {
    const fsr_partition *p = c->p;
    const fsr_saving *saving = p->saving;
    fsr_domain own, other;
    int n = 1;
    root[0] = saving[i].node;
    fsr_cone_domain(p, root[0], &own);
    for (int j = i - FAR < 0 ? 0 : i - FAR; j < p->nsavings && j <= i + FAR && n <= MAX_BESIDE; ++j) {
        bool apart = j != i && (j < done || j > i);
        if (apart)
            fsr_cone_domain(p, saving[j].node, &other);
        apart = apart && fsr_domain_equal(&own, &other);
        if (apart && is_apart(c, root, n, saving[j].node))
            root[n++] = saving[j].node;
    }
    return n;
}

/* What is spared on a GPU if a fold that goes over all elements of a value stores it, in place of a kernel of its own
 * whose price is `alone`: the fold's kernel computes it, and writes it beside. 0: no fold does. */
static double spared_by_fold(chooser *c, int id, double alone) {
    fsr_domain own, other, of_folds;
    int fold[MAX_READERS], n = 0;
    fsr_cone_domain(c->p, id, &own);
    for (int i = 0; i < c->nreaders && c->p->target->gpu; ++i) {
        const fsr_flow_node *reader = &c->p->flow->node[c->reader[i]];
        fsr_cone_domain(c->p, c->reader[i], &other);
        if (fsr_is(reader->kind, FSR_IS_FOLD) && !fsr_is(reader->kind, FSR_IS_RUNNING) &&
            (double)fsr_shape_size(&reader->shape) * FSR_LEAST_ALONG <= fsr_domain_points(&own, own.ndim) &&
            fsr_domain_points(&own, own.ndim) == fsr_domain_points(&other, other.ndim) &&
            (n == 0 || fsr_domain_equal(&of_folds, &other)) && is_apart(c, fold, n, c->reader[i])) {
            of_folds = other;
            fold[n++] = c->reader[i];
        }
    }
    if (n == 0)
        return 0;
    const double loading = fsr_cone_price(c->cone, fold, n);
    c->p->held[id] = FSR_NOT_HELD;
    const double computing = fsr_cone_price(c->cone, fold, n);
    c->p->held[id] = FSR_HELD_CHEAPER;
    const double written = fsr_price_bytes(
        c->cone->prices, (double)fsr_shape_bytes(&c->p->flow->node[id].shape, c->p->flow->node[id].dtype[0]));
    return fmax(loading + alone - computing - written, 0);
}

/* Whether the i-th value is computed wherever it is read; else its prices are noted. */
static bool is_cheaper_again(chooser *c, int i, int done) {
    int beside[MAX_BESIDE + 1];
    fsr_cone *cone = c->cone;
    fsr_saving *saving = &c->p->saving[i];
    const int id = saving->node;
    find_readers(c, id);
    if (c->many || cone->visits > c->visits)
        return false;
    const int n = find_beside(c, i, done, beside);
    const double together = fsr_cone_price(cone, beside, n);
    const double others = n > 1 ? fsr_cone_price(cone, beside + 1, n - 1) : 0;
    saving->stored = price_of_readers(c) + together;
    saving->stored -= spared_by_fold(c, id, together - others);
    c->p->held[id] = FSR_NOT_HELD;
    saving->computed = price_of_readers(c) + (c->out[id] ? together : others);
    const bool cheaper = saving->stored >= saving->computed * (1 - saving->margin) && isfinite(saving->computed);
    c->p->held[id] = cheaper ? FSR_NOT_HELD : FSR_HELD_CHEAPER;
    return cheaper;
}

static int by_node(const void *a, const void *b) {
    const fsr_saving *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

/* Savings from number `from` on are new. */
static void release(chooser *c, int from) {
    fsr_partition *p = c->p;
    int n = from;
    qsort(p->saving + from, (size_t)(p->nsavings - from), sizeof *p->saving, by_node);
    for (int i = from; i < p->nsavings; ++i)
        if (!is_cheaper_again(c, i, n))
            p->saving[n++] = p->saving[i];
    p->nsavings = n;
}

static bool has_reshapes(const fsr_flow *flow) {
    bool has = false;
    for (int i = 0; i < flow->n && !has; ++i)
        has = fsr_is(flow->node[i].kind, FSR_IS_VIEW) && flow->node[i].view.kind != FSR_VIEW_AFFINE;
    return has;
}

bool fsr_partition_price(fsr_partition *p, bool chopped) {
    const fsr_flow *flow = p->flow;
    chooser c = {.p = p, .chopped = chopped, .visits = VISITS + (int64_t)flow->n * VISITS_A_NODE};
    const int from = p->nsavings;
    c.out = calloc((size_t)flow->n + 1, sizeof *c.out);
    c.cone = malloc(sizeof *c.cone);
    c.asked = calloc((size_t)flow->n + 1, sizeof *c.asked);
    c.place = calloc((size_t)flow->n + 1, sizeof *c.place);
    bool room = c.out && c.asked && c.place && c.cone;
    for (int i = 0; room && i < flow->nout; ++i)
        c.out[flow->out[i].id] = true;
    if (room) {
        c.cone->p = p;
        c.cone->prices = fsr_prices_of(p->target->gpu);
        c.cone->visits = 0;
        c.cone->reshapes = has_reshapes(flow);
        room = find_users(&c);
    }
    if (room)
        hold_all(&c);
    room = room && !c.no_memory;
    if (room && p->nsavings > from)
        release(&c, from);
    free(c.out);
    free(c.asked);
    free(c.place);
    free(c.cone);
    free(c.first);
    free(c.user);
    return room;
}
