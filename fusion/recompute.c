/* SPDX-License-Identifier: MIT */
/* Which values are stored because computing them again would cost more.
 *
 * Each root is looked at by itself, the last one first. From it a walk goes down to what is in memory, each node with the
 * distinct indices at which it is asked for, as the lowering would evaluate it: x[1:] + x[:-1] asks x twice for an element;
 * a value of [n] that meets one of [n, m] is asked m times. Operations beyond one for each element of a node are extra. If the
 * root's kernel takes longer by them than its memory does, they are summed up on the way down, and where a view asks one
 * value more than once it is stored as soon as they cost more than the store: a root of its own from then on, at which
 * nothing is extra. So of a chain of sweeps as many are one kernel as pay for what their halos cost.
 *
 * Counter-example to storing what is read twice: x + x.T of a cheap x costs more to store than to compute twice.
 * Counter-example to asking the work alone: what hides behind memory costs nothing. */
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NODES = 512, MAX_ASKED = 512, MAX_ROUNDS = 64 };

typedef struct asked {
    fsr_index index;
    double part;  /* of the domain, where it is asked for: regions of pastes are a part */
    double whole; /* what a chain of pastes is asked for, of which the regions above have had theirs */
    int region;   /* the last paste in whose region that was, -1: in none */
    int next;     /* of the same node, -1: the last */
} asked;

typedef struct cone_node {
    int id;
    int asked;      /* the first index */
    double carried; /* extra operations of those that ask for it */
    double shared;  /* evaluations for an element of those that ask for it */
    bool fanned;    /* a view asks for it */
} cone_node;

typedef struct cone {
    fsr_partition *p;
    const fsr_prices *prices;
    fsr_domain domain;
    int n, nasked;
    bool full;                 /* it was larger than there is room for: nothing is known */
    cone_node node[MAX_NODES]; /* in order of id */
    asked asked[MAX_ASKED];
    double bytes, work; /* of what was walked */
    double total;       /* work of the whole kernel, 0: it is not known */
    double excess;      /* ns by which the whole kernel's operations take longer than its memory */
    double *stage; /* per node of the flow: operations of it and of what it takes at its own index, for an element */
} cone;

static double bytes_of(const fsr_flow_node *n, int output) {
    return (double)fsr_shape_bytes(&n->shape, n->dtype[output]);
}

/* How often the kernel evaluates what it needs at an index: not again along dimensions where it does not vary, if these are
 * folded, or the innermost ones. */
static double evaluations(const cone *c, const asked *at) {
    const fsr_index *index = &at->index;
    double times = 1, last = 1;
    bool varies = false, column = false;
    for (int d = 0; d < c->domain.ndim; ++d) {
        bool moves = false;
        for (int j = 0; j < index->n; ++j)
            moves = moves || index->row[j].coef[d] != 0;
        varies = varies || moves;
        column = column || (moves && d >= c->domain.nparallel);
        last = moves ? 1 : (double)c->domain.extent[d];
    }
    for (int d = 0; d < (column ? c->domain.ndim : c->domain.nparallel); ++d)
        times *= (double)c->domain.extent[d];
    if (!varies)
        return 1;
    double reuse = 1 / (last < c->prices->reuse ? last : c->prices->reuse);
    if (c->domain.nparallel < c->domain.ndim && !column)
        reuse = 1;
    return times * (at->part < reuse ? at->part : reuse);
}

/* The place of a node in the cone, which it joins if it is not there. NULL: no room. */
static cone_node *join(cone *c, int id) {
    int low = 0, high = c->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (c->node[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < c->n && c->node[low].id == id)
        return &c->node[low];
    c->full = c->full || c->n == MAX_NODES;
    if (c->full)
        return NULL;
    memmove(&c->node[low + 1], &c->node[low], sizeof *c->node * (size_t)(c->n - low));
    ++c->n;
    c->node[low] = (cone_node){.id = id, .asked = -1};
    return &c->node[low];
}

/* The same index in another paste's region is another element. */
static void ask_again(asked *at, double part, int region) {
    const double both = at->region == region ? (part > at->part ? part : at->part) : part + at->part;
    at->part = at->whole = both < 1 ? both : 1;
    at->region = region;
}

/* A value is asked for, by whoever has carried so many extra operations, at an index. */
static void ask(cone *c, fsr_link link, const asked *by, bool viewed, double carried, double shared) {
    const fsr_flow *flow = c->p->flow;
    fsr_index index;
    fsr_index_copy(&index, &by->index);
    while (fsr_is(flow->node[link.id].kind, FSR_IS_VIEW) && !c->p->held[link.id]) {
        const fsr_flow_node *n = &flow->node[link.id];
        fsr_index inner;
        if (!fsr_index_view(&inner, &index, &n->view, &n->shape, &flow->node[n->arg[0].id].shape, &c->domain))
            return;
        fsr_index_copy(&index, &inner);
        link = n->arg[0];
        viewed = true;
    }
    cone_node *node = join(c, link.id);
    if (!node)
        return;
    node->carried = carried > node->carried ? carried : node->carried;
    node->shared = shared > node->shared ? shared : node->shared;
    node->fanned = node->fanned || viewed;
    for (int i = node->asked; i >= 0; i = c->asked[i].next)
        if (fsr_index_equal(&c->asked[i].index, &index)) {
            ask_again(&c->asked[i], by->part, by->region);
            return;
        }
    c->full = c->full || c->nasked == MAX_ASKED;
    if (c->full)
        return;
    fsr_index_copy(&c->asked[c->nasked].index, &index);
    c->asked[c->nasked].part = by->part;
    c->asked[c->nasked].whole = by->whole;
    c->asked[c->nasked].region = by->region;
    c->asked[c->nasked].next = node->asked;
    node->asked = c->nasked++;
}

/* Where a paste at an index looks into its region. False: nobody knows. */
static bool region_index(const fsr_flow *flow, const fsr_flow_node *n, const fsr_index *index, fsr_index *inner) {
    const fsr_shape *part = &flow->node[n->arg[1].id].shape;
    *inner = (fsr_index){.n = part->ndim};
    for (int j = 0; j < n->shape.ndim && !index->flat; ++j) {
        int from = n->view.from[j];
        if (from >= 0 && part->dim[from] > 1)
            fsr_affine_into(&inner->row[from], &index->row[j], n->view.start[j], n->view.step[j]);
    }
    return !index->flat;
}

/* A computed index, another one for each point at which a gather is asked: along all that this varies along. */
static void somewhere(fsr_index *index, int ndim, int gather) {
    fsr_affine any = {.offset = gather};
    for (int j = 0; j < index->n; ++j)
        for (int d = 0; d < FSR_MAX_DIMS; ++d)
            any.coef[d] = any.coef[d] || index->row[j].coef[d];
    *index = (fsr_index){.n = ndim};
    for (int j = 0; j < ndim; ++j)
        index->row[j] = any;
}

static double region_share(const fsr_flow *flow, const fsr_flow_node *n) {
    const double whole = (double)fsr_shape_size(&n->shape);
    return whole > 0 ? (double)fsr_shape_size(&flow->node[n->arg[1].id].shape) / whole : 1;
}

/* What a node is asked for, it asks of its arguments; a paste asks for its region in a part of the domain, and for what is
 * around it in the rest. */
static void pass_on(cone *c, const cone_node *at, double carried, double shared) {
    const fsr_flow *flow = c->p->flow;
    const fsr_flow_node *n = &flow->node[at->id];
    const bool paste = fsr_is(n->kind, FSR_OVERWRITES);
    const double share = paste ? region_share(flow, n) : 1;
    const int first = at->asked; /* nodes move */
    for (int k = 0; k < n->nargs; ++k)
        for (int i = first; i >= 0; i = c->asked[i].next) {
            const double part = c->asked[i].part, own = c->asked[i].whole * share;
            asked by = {.part = part, .whole = part, .region = c->asked[i].region};
            if (!paste || k == 0)
                fsr_index_copy(&by.index, &c->asked[i].index);
            else if (!region_index(flow, n, &c->asked[i].index, &by.index))
                continue;
            if (paste && k == 0) {
                by.part = own < part ? part - own : 0;
                by.whole = c->asked[i].whole;
            } else if (paste && k == 1) {
                by.part = by.whole = own < part ? own : part;
                by.region = at->id;
            }
            const bool computed = k == 0 && fsr_price_gathers(n);
            if (computed)
                somewhere(&by.index, flow->node[n->arg[0].id].shape.ndim, at->id);
            ask(c, n->arg[k], &by, computed, carried, shared);
        }
}

/* Both prices of a value: of what of it is computed again, and of its store. */
static fsr_saving saving_of(const cone *c, const cone_node *at, double times) {
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    double extra = (times - (double)fsr_shape_size(&n->shape)) * c->stage[at->id] + at->carried;
    double again = extra / c->prices->issue;
    return (fsr_saving){.node = at->id,
                        .computed = again < c->excess ? again : c->excess,
                        .stored = c->prices->launch + fsr_price_bytes(c->prices, 2 * bytes_of(n, 0))};
}

/* Cheaper in memory than computed as often as it is asked for, and by a share of the kernel's work? */
static bool pays(const cone *c, const fsr_saving *saving) {
    double work = c->total > c->work ? c->total : c->work;
    return saving->computed - saving->stored > c->prices->margin * work / c->prices->issue;
}

/* Walks down from the root. *store: the first value that pays to be stored, node -1: none does. Of a cone that is
 * too large it is the last that could be, if none is found before. */
static void walk(cone *c, fsr_saving *store) {
    const fsr_flow *flow = c->p->flow;
    fsr_saving last = {.node = -1};
    for (int left = c->n - 1; left >= 0 && !c->full; --left) {
        const cone_node at = c->node[left];
        const fsr_flow_node *n = &flow->node[at.id];
        double times = 0, size = (double)fsr_shape_size(&n->shape), own = fsr_price_own(c->prices, flow, n);
        for (int i = at.asked; i >= 0; i = c->asked[i].next)
            times += evaluations(c, &c->asked[i]);
        if (!fsr_price_goes_on(c->p, at.id)) {
            bool stored = c->p->held[at.id] || fsr_is(n->kind, FSR_IS_ARRAY | FSR_IS_FOLD);
            c->bytes += stored ? bytes_of(n, 0) : 0;
            c->work += times * c->prices->load;
            continue;
        }
        double each = size > 0 ? times / size : 0;
        c->work += times * own;
        const bool again = c->p->cuts->again && c->p->cuts->again[at.id];
        if (at.fanned && n->nargs && !again && each > at.shared && each > c->prices->spare) {
            last = saving_of(c, &at, times);
            *store = last;
            if (pays(c, &last))
                return;
        }
        int before = c->n;
        pass_on(c, &at, at.carried + (times > size ? (times - size) * own : 0), each > at.shared ? each : at.shared);
        left += c->n - before; /* arguments are earlier nodes */
    }
    store->node = c->full ? last.node : -1;
}

/* The root's kernel by itself. */
static bool begin(cone *c, int id) {
    const fsr_flow_node *n = &c->p->flow->node[id];
    asked all = {.part = 1, .whole = 1, .region = -1, .next = -1};
    c->bytes = bytes_of(n, 0);
    c->work = (double)fsr_shape_size(&n->shape);
    c->n = c->nasked = 0;
    c->full = false;
    const bool fold = fsr_is(n->kind, FSR_IS_FOLD);
    if (fold)
        fsr_fold_domain(c->p->flow, id, NULL, &c->domain);
    else
        fsr_domain_make(&c->domain, &n->shape, 0);
    const fsr_shape *shape = fold ? &c->p->flow->node[n->arg[0].id].shape : &n->shape;
    if (!fsr_index_elem(&all.index, shape, &c->domain))
        return false;
    if (!fold) {
        const cone_node top = {.id = id, .asked = 0};
        c->asked[0] = all;
        c->nasked = 1;
        pass_on(c, &top, 0, 1);
    }
    for (int k = 0; k < n->nargs && fold; ++k)
        ask(c, n->arg[k], &all, false, 0, 1);
    return true;
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
    p->held[saving->node] = FSR_HELD_CHEAPER;
    return true;
}

/* Stores of what the root would compute too often. False: out of memory. */
static bool price(cone *c, int id) {
    for (int round = 0; round < MAX_ROUNDS; ++round) {
        fsr_saving store;
        c->excess = -INFINITY;
        c->total = 0;
        if (!begin(c, id))
            return true;
        walk(c, &store);
        c->total = c->full ? 0 : c->work;
        c->excess = c->full ? INFINITY : c->work / c->prices->issue - fsr_price_bytes(c->prices, c->bytes);
        if (c->excess <= c->prices->launch)
            return true;
        begin(c, id);
        walk(c, &store);
        if (store.node < 0)
            return true;
        if (!add_saving(c->p, &store))
            return false;
    }
    return true;
}

double fsr_partition_saving(const fsr_partition *p, int node) {
    for (int i = 0; i < p->nsavings; ++i)
        if (p->saving[i].node == node)
            return fmax(p->saving[i].computed - p->saving[i].stored, 1);
    return 0;
}

static bool is_root(const fsr_partition *p, const bool *out, int id) {
    return fsr_is(p->flow->node[id].kind, FSR_IS_FOLD) ||
           ((out[id] || p->held[id]) && fsr_price_walks(&p->flow->node[id]));
}

bool fsr_partition_price(fsr_partition *p) {
    const fsr_flow *flow = p->flow;
    const fsr_prices *prices = fsr_prices_of(p->target->gpu);
    bool *out = calloc((size_t)flow->n + 1, sizeof *out);
    cone *c = malloc(sizeof *c);
    double *stage = fsr_price_stages(p, prices);
    bool room = out && c && stage;
    for (int i = 0; room && i < flow->nout; ++i)
        out[flow->out[i].id] = true;
    if (room) {
        c->p = p;
        c->prices = prices;
        c->stage = stage;
    }
    for (int i = flow->n - 1; room && i >= 0; --i)
        if (is_root(p, out, i))
            room = price(c, i);
    free(out);
    free(c);
    free(stage);
    return room;
}
