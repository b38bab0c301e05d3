/* SPDX-License-Identifier: MIT */
/* Cones; see cone.h. Arguments are earlier nodes, so a list in order of id, walked from its end, meets each node when
 * all that ask for it have done so. */
#include "fusion/cone.h"
#include "fusion/schedule_gpu.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double bytes_of(const fsr_flow_node *n, int output) {
    return (double)fsr_shape_bytes(&n->shape, n->dtype[output]);
}

/* The index moves along a dimension of the domain. */
static bool moves_along(const fsr_index *index, int d) {
    bool moves = false;
    for (int j = 0; j < index->n; ++j)
        moves = moves || index->row[j].coef[d] != 0;
    return moves;
}

/* How often the kernel evaluates what it needs at an index: not again along dimensions where it does not vary, if these
 * are folded, or short beside reductions, or the innermost ones. Where a run of these is shorter than a CPU's vector
 * nothing is gained: one evaluation takes as long as that of all lanes. */
static double evaluations_of(const fsr_cone *c, const fsr_asked *at, double part) {
    const fsr_index *index = &at->index;
    double times = 1, last = 1;
    bool varies = false, column = false, shared[FSR_MAX_DIMS];
    for (int d = 0; d < c->domain.ndim; ++d) {
        const bool moves = moves_along(index, d);
        shared[d] = !moves && c->fold && !c->scan && fsr_price_shares_folds(c->prices, &c->domain, d);
        varies = varies || moves;
        column = column || (moves && d >= c->domain.nparallel);
        last = moves ? 1 : (double)c->domain.extent[d];
    }
    for (int d = 0; d < (column ? c->domain.ndim : c->domain.nparallel); ++d)
        times *= shared[d] ? 1 : (double)c->domain.extent[d];
    if (!varies)
        return 1;
    const double turns = fmax(last / c->prices->lanes, 1);
    double reuse = 1 / fmin(turns, c->prices->reuse);
    if (c->domain.nparallel < c->domain.ndim && !column)
        reuse = 1;
    return times * (part < reuse ? part : reuse);
}

static double evaluations(const fsr_cone *c, const fsr_asked *at) {
    return evaluations_of(c, at, at->part);
}

/* The same of a loop that has no version: what a guard is asked for is computed for every element, even along
 * dimensions where it does not vary, as the guard does. */
static double evaluations_of_all(const fsr_cone *c, const fsr_asked *at) {
    double points = 1;
    for (int d = 0; d < c->domain.ndim; ++d)
        points *= (double)c->domain.extent[d];
    return at->part <= 0 ? 0 : at->section >= 0 || at->part < 1 ? points : evaluations_of(c, at, 1);
}

/* Of these evaluations those of a kernel whose threads have tiles of outputs: outputs along a dimension where the value
 * does not vary share one. */
static double share_of_tile(const fsr_cone *c, const fsr_asked *at) {
    for (int d = 0; d < c->domain.nparallel; ++d)
        if (!moves_along(&at->index, d))
            return 1 / c->prices->tile;
    return 1;
}

bool fsr_cone_repeats(const fsr_cone *c, const fsr_cone_node *at) {
    const fsr_asked *only = &c->asked[at->asked];
    bool repeats = false;
    for (int d = 0; d < c->domain.nparallel; ++d)
        repeats = repeats || !moves_along(&only->index, d);
    return repeats && only->next < 0 && !c->tiled;
}

/* The place of a node in the cone, which it joins if it is not there. NULL: no room. */
static fsr_cone_node *join(fsr_cone *c, int id) {
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
    c->full = c->full || c->n == FSR_MAX_CONE;
    if (c->full)
        return NULL;
    memmove(&c->node[low + 1], &c->node[low], sizeof *c->node * (size_t)(c->n - low));
    ++c->n;
    c->node[low] = (fsr_cone_node){.id = id, .asked = -1};
    return &c->node[low];
}

/* The same index in another paste's section is another element. */
static void ask_again(fsr_asked *at, double part, int section) {
    const double both = at->section == section ? (part > at->part ? part : at->part) : part + at->part;
    at->part = at->whole = both < 1 ? both : 1;
    at->section = section;
}

/* The index, one for each dimension of the node. False: a finer domain is needed, and noted if there is one. */
static bool split(fsr_cone *c, int id, fsr_index *index) {
    const fsr_shape *shape = &c->p->flow->node[id].shape;
    fsr_index rows;
    if (!index->flat)
        return true;
    if (fsr_index_split(&rows, index, shape, &c->domain)) {
        fsr_index_copy(index, &rows);
        return true;
    }
    if (c->p->target->gpu && !c->fixed && !c->division &&
        !fsr_index_division(index, shape, &c->domain, &c->divided, &c->division))
        c->division = 0;
    return false;
}

/* The node is evaluated at an index for each of its dimensions. */
static bool wants_rows(const fsr_flow_node *n) {
    return fsr_is(n->kind, FSR_OVERWRITES) || fsr_price_gathers(n);
}

/* A value is asked for at an index, through a view or not, by what is evaluated `shared` times for an element. */
static void ask(fsr_cone *c, fsr_link link, const fsr_asked *by, bool viewed, double shared) {
    const fsr_flow *flow = c->p->flow;
    fsr_index index;
    fsr_index_copy(&index, &by->index);
    while (fsr_is(flow->node[link.id].kind, FSR_IS_VIEW) && !c->p->held[link.id]) {
        const fsr_flow_node *n = &flow->node[link.id];
        fsr_index inner;
        if (!fsr_index_view(&inner, &index, &n->view, &n->shape, &flow->node[n->arg[0].id].shape, &c->domain)) {
            (void)split(c, link.id, &index);
            return;
        }
        fsr_index_copy(&index, &inner);
        link = n->arg[0];
        viewed = true;
    }
    if (wants_rows(&flow->node[link.id]) && !c->p->held[link.id])
        (void)split(c, link.id, &index);
    fsr_cone_node *node = join(c, link.id);
    if (!node)
        return;
    node->shared = shared > node->shared ? shared : node->shared;
    node->fanned = node->fanned || viewed;
    for (int i = node->asked; i >= 0; i = c->asked[i].next)
        if (fsr_index_equal(&c->asked[i].index, &index) && fsr_cone_is_same_way(&c->asked[i], by)) {
            ask_again(&c->asked[i], by->part, by->section);
            return;
        }
    c->full = c->full || c->nasked == FSR_MAX_ASKED;
    if (c->full)
        return;
    fsr_asked *asked = &c->asked[c->nasked];
    fsr_index_copy(&asked->index, &index);
    asked->part = by->part;
    asked->whole = by->whole;
    asked->section = by->section;
    asked->computed = by->computed;
    fsr_cone_copy_way(asked, by);
    asked->next = node->asked;
    node->asked = c->nasked++;
}

/* Where a paste at an index looks into its section. False: nobody knows. */
static bool section_index(const fsr_flow *flow, const fsr_flow_node *n, const fsr_index *index, fsr_index *inner) {
    const fsr_shape *part = &flow->node[n->arg[1].id].shape;
    *inner = (fsr_index){.n = part->ndim};
    for (int j = 0; j < n->shape.ndim && !index->flat; ++j) {
        int from = n->view.from[j];
        if (from >= 0 && part->dim[from] > 1)
            fsr_affine_into(&inner->row[from], &index->row[j], n->view.start[j], n->view.step[j]);
    }
    return !index->flat;
}

/* Of a load from what a gather takes: of its neighbours in memory, or from anywhere. */
static double price_of_gather(const fsr_cone *c, const fsr_flow_node *n) {
    const fsr_flow_node *from = &c->p->flow->node[n->arg[0].id];
    double bytes = (double)fsr_dtype_size(from->dtype[0]), reach = 0;
    for (int j = from->shape.ndim - 1; j >= 0; --j) {
        bytes *= (double)from->shape.dim[j];
        reach = n->axes >> j & 1 ? bytes : reach;
    }
    return reach > 2 * c->prices->near ? c->prices->far : c->prices->gather;
}

double fsr_cone_section(const fsr_flow *flow, const fsr_flow_node *n) {
    const double whole = (double)fsr_shape_size(&n->shape);
    return whole > 0 ? (double)fsr_shape_size(&flow->node[n->arg[1].id].shape) / whole : 1;
}

/* Counter-example to all of it: most of what is asked is its index, which is another one for what it is made of. */
static void copy_but_index(fsr_asked *to, const fsr_asked *from) {
    to->part = to->whole = from->part;
    to->section = from->section;
    to->computed = from->computed;
    to->next = -1;
    fsr_cone_copy_way(to, from);
}

/* What a node is asked for, it asks of its arguments; a paste asks for its section in a part of the domain, and for
 * what is around it in the rest. */
static void pass_on(fsr_cone *c, const fsr_cone_node *at, double shared) {
    const fsr_flow *flow = c->p->flow;
    const fsr_flow_node *n = &flow->node[at->id];
    const bool paste = fsr_is(n->kind, FSR_OVERWRITES);
    const double share = paste ? fsr_cone_section(flow, n) : 1;
    const int first = at->asked; /* nodes move */
    c->torn = c->torn || fsr_cone_tears(c, at);
    for (int k = 0; k < n->nargs; ++k)
        for (int i = first; i >= 0; i = c->asked[i].next) {
            fsr_index moved;
            bool exact = true;
            const double part = c->asked[i].part, own = c->asked[i].whole * share;
            const bool gathers = k == 0 && fsr_price_gathers(n);
            const bool follows = gathers && fsr_cone_follows(c, n, &c->asked[i].index, &moved, &exact);
            const bool computed = gathers && !follows;
            fsr_asked by;
            copy_but_index(&by, &c->asked[i]);
            if (follows && !exact)
                fsr_cone_go_by(&by, &moved);
            if (follows)
                fsr_index_copy(&by.index, &moved);
            else if (!paste || k == 0)
                fsr_index_copy(&by.index, &c->asked[i].index);
            else if (!section_index(flow, n, &c->asked[i].index, &by.index))
                continue;
            if (paste && k == 0) {
                by.part = own < part ? part - own : 0;
                by.whole = c->asked[i].whole;
            } else if (paste && k == 1) {
                by.part = by.whole = own < part ? own : part;
                by.section = at->id;
            }
            if (computed && fsr_price_scatters(flow, n))
                by.computed = fmax(by.computed, price_of_gather(c, n));
            if (computed)
                fsr_cone_somewhere(&by.index, flow->node[n->arg[0].id].shape.ndim, i);
            ask(c, n->arg[k], &by, gathers, shared);
        }
}

/* What is in memory is read; nothing is known of how much of it if few elements are, each with others beside it. */
static void read(fsr_cone *c, const fsr_cone_node *at, double times, int indices) {
    const fsr_flow_node *n = &c->p->flow->node[at->id];
    if (!c->p->held[at->id] && !fsr_is(n->kind, FSR_IS_ARRAY | FSR_IS_FOLD))
        return;
    const double all = bytes_of(n, 0), touched = times * c->prices->line;
    c->bytes += touched < all ? touched : all;
    c->loads += times;
    c->nloads += indices;
    for (int i = at->asked; i >= 0 && fsr_cone_counts_ways(c, at->id); i = c->asked[i].next)
        *(fsr_cone_is_turned(c, at->id, &c->asked[i].index) ? &c->turned : &c->straight) +=
            evaluations(c, &c->asked[i]);
    for (int i = at->asked; i >= 0; i = c->asked[i].next)
        *(c->fold ? &c->picked : &c->work) +=
            evaluations(c, &c->asked[i]) * (c->fold ? fsr_cone_gap : fsr_cone_square)(c, at->id, &c->asked[i].index);
    c->tiled = c->tiled && c->nloads <= c->prices->staged;
}

/* What has no place in a tile of outputs (outputs.h). */
static bool stops_tiles(const fsr_flow_node *n) {
    return !fsr_is(n->kind, FSR_IS_EACH) || fsr_price_gathers(n);
}

/* Operations of a node, of `open` for each evaluation and of `guarded` in the section of a paste, in a loop that has no
 * version. */
static double whole_work_of(const fsr_cone *c, const fsr_cone_node *at, double open, double guarded) {
    double sum = 0;
    for (int i = at->asked; i >= 0; i = c->asked[i].next)
        sum += evaluations_of_all(c, &c->asked[i]) * (c->asked[i].section >= 0 ? guarded : open);
    return sum;
}

static void walk(fsr_cone *c) {
    for (int left = c->n - 1; left >= 0 && !c->full && !c->division; --left) {
        const fsr_cone_node at = c->node[left];
        const fsr_flow_node *n = &c->p->flow->node[at.id];
        const double size = (double)fsr_shape_size(&n->shape);
        const bool gather = fsr_cone_scatters(c, &at);
        double times = 0, tiled = 0, edges = 0, gathers = 0;
        int indices = 0;
        for (int i = at.asked; i >= 0; i = c->asked[i].next) {
            const fsr_asked *asked = &c->asked[i];
            const bool whole = (asked->computed > 0 || gather) && asked->part > 0;
            const double more = whole ? evaluations_of(c, asked, 1) : evaluations(c, asked);
            times += more;
            edges += asked->section >= 0 ? more : 0;
            gathers += more * asked->computed;
            ++indices;
            tiled += more * share_of_tile(c, asked);
        }
        const double each = size > 0 ? times / size : 0;
        ++c->visits;
        if (!fsr_price_goes_on(c->p, at.id) || (c->store && c->store(c->data, c, &at, each))) {
            read(c, &at, times + edges * c->prices->edges, indices);
            c->gathers += gathers;
            c->whole_work += whole_work_of(c, &at, 0, fsr_cone_asks(c));
            continue;
        }
        const bool view = fsr_cone_is_view(c, &at);
        const double own = view ? 0 : fsr_price_own(c->prices, c->p->flow, n);
        c->nevaluated += indices;
        c->full = c->full || c->nevaluated > FSR_MAX_EVALUATED;
        c->work += times * own;
        c->tile_work += tiled * own;
        c->whole_work += whole_work_of(c, &at, own, own);
        c->tiled = c->tiled && (view || !stops_tiles(n));
        c->serial = c->serial || fsr_cone_serial(c, &at);
        const int before = c->n;
        pass_on(c, &at, each > at.shared ? each : at.shared);
        left += c->n - before;
    }
}

/* What a root goes over: what a fold takes, what a scatter puts somewhere, or itself. Counter-example to the array that
 * a scatter puts it into: a million places in 1000 bins cost as little as a thousand, and two scatters computed them
 * twice (azimint_hist, 0.83 of unfused). */
static const fsr_shape *shape_of(const fsr_flow *flow, const fsr_flow_node *n) {
    const int from = fsr_is(n->kind, FSR_IS_FOLD) ? 0 : fsr_is(n->kind, FSR_SCATTERS) ? 1 : -1;
    return from < 0 ? &n->shape : &flow->node[n->arg[from].id].shape;
}

void fsr_cone_domain(const fsr_partition *p, int root, fsr_domain *out) {
    const fsr_flow_node *n = &p->flow->node[root];
    if (fsr_is(n->kind, FSR_IS_FOLD))
        fsr_fold_domain(p->flow, root, NULL, out);
    else
        fsr_domain_make(out, shape_of(p->flow, n), 0);
}

/* Outputs enough along two dimensions, of a fold of some columns. */
static bool may_tile(const fsr_cone *c, const fsr_flow_node *n) {
    const fsr_domain *domain = &c->domain;
    const int last = domain->nparallel - 1;
    bool across = false;
    if (!fsr_is(n->kind, FSR_IS_FOLD) || fsr_is(n->kind, FSR_IS_RUNNING) || last < 1)
        return false;
    for (int d = 0; d < last; ++d)
        across = across || (double)domain->extent[d] >= c->prices->side;
    return across && (double)domain->extent[last] >= c->prices->side &&
           (double)fsr_domain_cols(domain) >= c->prices->tile;
}

/* Operations in the time of a store across memory, beside which nothing else goes on. */
static double of_scatter(const fsr_prices *prices) {
    return prices->across * prices->issue / prices->loads / prices->moves;
}

/* A running fold on a GPU down columns that are short, or whose operator has to go in order: there are as many threads
 * as columns. */
static bool walks_down(const fsr_cone *c, const fsr_flow_node *n) {
    bool down = false;
    if (!c->p->target->gpu || !fsr_is(n->kind, FSR_IS_RUNNING) || !c->domain.nparallel)
        return false;
    for (int d = n->axis + 1; d < n->shape.ndim; ++d)
        down = down || n->shape.dim[d] > 1;
    return n->combine->sequential || (down && fsr_domain_cols(&c->domain) <= FSR_WALKED_COLS);
}

static void add_root(fsr_cone *c, int id) {
    const fsr_flow_node *n = &c->p->flow->node[id];
    const bool fold = fsr_is(n->kind, FSR_IS_FOLD), scatters = fsr_is(n->kind, FSR_SCATTERS);
    const fsr_shape *shape = shape_of(c->p->flow, n);
    fsr_asked all = {.part = 1, .whole = 1, .section = -1, .next = -1};
    c->bytes += bytes_of(n, 0);
    const double one = fold                             ? 1
                       : scatters && !c->p->target->gpu ? of_scatter(c->prices)
                                                        : fsr_price_own(c->prices, c->p->flow, n);
    const double own = (double)fsr_shape_size(shape) * one;
    c->work += own;
    c->tile_work += own;
    c->whole_work += own;
    c->tiled = c->tiled && may_tile(c, n);
    c->fold = c->fold || fold;
    c->scan = c->scan || fsr_is(n->kind, FSR_IS_RUNNING);
    c->walks = c->walks || walks_down(c, n);
    if (!fsr_index_elem(&all.index, shape, &c->domain) || c->nasked == FSR_MAX_ASKED) {
        c->full = true;
        return;
    }
    if (!fold && !scatters) {
        const fsr_cone_node top = {.id = id, .asked = c->nasked};
        c->asked[c->nasked++] = all;
        pass_on(c, &top, 1);
    }
    for (int k = scatters; k < n->nargs && (fold || scatters); ++k)
        ask(c, n->arg[k], &all, false, 1);
}

/* Walks down from the roots over the domain as it is. */
static void walk_from(fsr_cone *c, const int *root, int n) {
    c->bytes = c->work = c->loads = c->tile_work = c->whole_work = c->turned = c->straight = c->picked = c->gathers = 0;
    c->tiled = true;
    c->n = c->nasked = c->nevaluated = c->nloads = 0;
    c->full = c->fold = c->scan = c->walks = c->serial = c->torn = false;
    c->division = 0;
    for (int i = 0; i < n && !c->full; ++i)
        add_root(c, root[i]);
    walk(c);
}

/* Makes the domain as fine as reshapes ask for. Nothing is held on the way. */
static void settle_domain(fsr_cone *c, const int *root, int n) {
    fsr_cone_store *const store = c->store;
    c->store = NULL;
    do
        walk_from(c, root, n);
    while (c->division && fsr_domain_divide(&c->domain, c->divided, c->division));
    c->fixed = c->division != 0;
    c->store = store;
}

/* How much of what the machine does in a ns is left if few threads have all the work, each of which does `each`. */
static double rate_of(const fsr_cone *c, double most, double each) {
    return c->walks ? fmin(most, (double)fsr_domain_rows(&c->domain) * each) : most;
}

bool fsr_cone_lacks_threads(const fsr_cone *c) {
    return c->walks && rate_of(c, c->prices->issue, c->prices->thread) < c->prices->issue;
}

double fsr_cone_price(fsr_cone *c, const int *root, int n) {
    fsr_cone_domain(c->p, root[0], &c->domain);
    c->fixed = false;
    if (!c->store || (c->reshapes && c->p->target->gpu))
        settle_domain(c, root, n);
    if (c->store)
        walk_from(c, root, n);
    if (c->full || c->fixed)
        return INFINITY;
    const double turned = fsr_cone_turned(c), lost = c->serial ? c->prices->lanes : 1;
    const bool whole = c->fold && (c->torn || c->nevaluated + c->nloads > c->prices->text); /* a map may be divided */
    const double each = whole ? c->whole_work : c->work;
    const double work =
        (c->tiled ? c->tile_work : each * lost + c->picked * c->prices->picks) + c->gathers * fmin(lost, 2);
    const double loads = c->tiled ? 0 : c->loads + turned * c->prices->turned;
    const double issue = fmax(work * c->prices->moves / rate_of(c, c->prices->issue, c->prices->thread),
                              loads / rate_of(c, c->prices->loads, c->prices->fetches));
    return c->prices->launch + fmax(fsr_price_bytes(c->prices, c->bytes), issue);
}
