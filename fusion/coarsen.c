/* SPDX-License-Identifier: MIT */
/* Points of a map's domain do all places of a short dimension, or, on a GPU, two neighbours; so do rows of reductions
 * there.
 *
 * What is stacked, or alternates, along a dimension of a few places is a choice for each element: threads side by side
 * go different ways where that dimension is the innermost one, and what the alternatives share is loaded and computed
 * once for each of them; so is what does not depend on such a dimension at all, a grey value of which each of three
 * colours is made. A domain without that dimension has one point for all of its places: the kernel's stores are lowered
 * once for each, where the choices are decided (lower.c), and what they share is in the memo. Each is tried by its
 * price, alone and with the others.
 *
 * Where each of a few coordinates is summed over all pairs of points, what they share is computed once for all of them:
 * such a row has a sum for each. Forces between 2,048 points by a power of their distance took 155 instructions for
 * each coordinate of a pair, and take 96 for all three.
 *
 * Two neighbours of a stencil, along one of the last two dimensions, share most of what they load. They are tried when
 * it is known which groups are tiles of others. Measured on one H200, a 7-point stencil of 256 by 256 by 256 0.1205,
 * 0.0997 ms, a blur of 5 by 5 0.1015, 0.0930. Counter-example to trying them before: the nests of Harris corners, whose
 * points were two lines, were no tiles of the same picture any more.
 *
 * On a CPU a place's loop is a version, so that choices cost nothing, but each loop loads what the places share, and
 * begins for itself: a butterfly, stack(x + y, (x - y) * w) of rows of four complex numbers, took 46 us of 32,768
 * elements and takes 13, and one of rows of 4,096 12 and 8. So there a point does all places wherever they share a
 * load, if that costs no more than the kernel or, where that would be divided (divide.c), its parts: the cross product
 * of 2^20 vectors is one kernel of 2.5 ms for three of 6.8. Counter-example to places that share no load, and to those
 * that lie far apart in memory and share little else: a loop that has one store goes past the caches, and two planes of
 * 2^24 sums and differences took 18.6 ms, and 19.5 to 25 together.
 *
 * Counter-example to a kernel for each place, as divide.c makes them: seven kernels of a demosaicing took as long as
 * one that computed all alternatives, since each read all of the picture and touched every second element of the
 * result.
 * Counter-example to any dimension: one of a thousand places leaves no threads. */
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include "fusion/schedule_gpu.h"
#include <math.h>
#include <string.h>

/* Of the threads that fill a GPU, which points of several places must leave. */
#define LEAST_FILL 0.25

enum {
    MOST_PLACES = 16, /* of a point */
    MOST_STATES = 8,  /* results that it folds */
    REPEATED = 64,    /* instructions of a program that threads of one place would repeat */
    NEAR_DIMS = 2,    /* along which neighbours are tried */
    MOST_NEAR = 320,  /* instructions of two of them */
    MOST_OF_LOOP = 8, /* places of a point of a CPU, whose registers are few */
    MOST_TEXT = 128,  /* instructions of all of these: a loop of more holds values in memory */
    LONG_RUN = 32     /* elements that follow each other in memory, from which on places must spare more */
};

/* What is tried of group g: places of each dimension, or neighbours, and the least price so far. */
typedef struct search {
    fsr_partition *p;
    int g;
    bool neighbours;
    double price, margin;
    int8_t coarse[FSR_MAX_DIMS];
} search;

int fsr_group_places(const fsr_group *group) {
    int places = 1;
    for (int d = 0; d < group->domain.ndim; ++d)
        places *= group->coarse[d] > 1 ? group->coarse[d] : 1;
    return places;
}

/* A map whose results nobody has to keep apart, over all of its domain; or, on a GPU, reductions alone. */
static bool may_be_coarser(const search *s) {
    const fsr_partition *p = s->p;
    const fsr_group *group = &p->group[s->g];
    const fsr_kernel *k = group->kernel;
    const bool folds = p->target->gpu && !s->neighbours;
    bool may = k && !group->library && !group->nloops && fsr_group_has_needs(p, group) && group->nstores > 0 &&
               !group->in_place && !group->part && !fsr_domain_is_part(&group->domain) && k->npasses <= folds &&
               !k->live && !k->nests && k->integer[FSR_INT_ROWS] > 0;
    for (int f = 0; may && f < k->nfolds; ++f)
        may = k->fold[f].kind == FSR_FOLD_REDUCE;
    for (int i = 0; may && i < group->nstores; ++i) {
        const fsr_kind kind = p->flow->node[group->store[i].id].kind;
        may = !fsr_is(kind, FSR_IS_STORED) && !fsr_is(kind, FSR_SCATTERS) && !fsr_is(kind, FSR_IS_MOVED);
    }
    return may;
}

/* Neighbours are no longer a program than a thread has registers for, and they are tried when groups have their order.
 * Counter-example to any kernel: by then a product that a power takes may be stored by another group, which runs behind
 * that of the power. */
static bool may_be_near(const fsr_group *fine, const fsr_group *out) {
    bool known = out->kernel->ninsts <= MOST_NEAR;
    for (int i = 0; i < out->ndeps; ++i)
        known = known && fsr_group_depends(fine, out->deps[i]);
    return known;
}

/* The group with points that do so many places of each dimension. False: it is no kernel. */
static bool lower(const search *s, fsr_trial *t) {
    const fsr_group *fine = &s->p->group[s->g];
    fsr_group *out = &t->group;
    fsr_link blame;
    fsr_group_begin(out, &t->room);
    out->domain = fine->domain;
    out->nstores = fine->nstores;
    out->nfolds = fine->nfolds;
    out->part = true;
    out->base = fine->base;
    for (int i = 0; i < fine->nstores; ++i)
        out->store[i] = fine->store[i];
    for (int i = 0; i < fine->nfolds; ++i)
        out->fold[i] = fine->fold[i];
    for (int d = 0; d < fine->domain.ndim; ++d) {
        out->coarse[d] = s->coarse[d];
        if (s->coarse[d] > 1)
            fsr_domain_cut(&out->domain, d, 0, s->coarse[d], fine->domain.extent[d] / s->coarse[d]);
    }
    if (fsr_group_try(s->p, s->g, out, &blame))
        return false;
    if (out->nneeds == 0 && out->nloops == 0 && (!s->neighbours || may_be_near(fine, out)))
        return true;
    fsr_kernel_free(out->kernel);
    return false;
}

/* Stores of one array are made of this load. */
static bool is_shared(const fsr_kernel *k, int load) {
    bool made[FSR_MAX_INSTS] = {false}, shared = false;
    uint64_t stored = 0;
    made[load] = true;
    for (int i = load + 1; i < k->ninsts && !shared; ++i) {
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, i, argument);
        for (int a = 0; a < n; ++a)
            made[i] = made[i] || made[argument[a]];
        if (!made[i] || k->inst[i].kind != FSR_INST_STORE)
            continue;
        const uint64_t array = UINT64_C(1) << k->access[k->inst[i].index].buffer;
        shared = stored & array;
        stored |= array;
    }
    return shared;
}

/* Places share a load, in a loop of which registers hold the values. */
static bool shares(const fsr_kernel *k) {
    bool shared = false;
    for (int i = 0; i < k->ninsts && k->ninsts <= MOST_TEXT && !shared; ++i)
        shared = k->inst[i].kind == FSR_INST_LOAD && k->stand[i].level != FSR_ONCE && is_shared(k, i);
    return shared;
}

/* A thread of the whole program does all of it for one place, and one of the coarse points no more: what the places are
 * made of is the same. Counter-example to prices alone: networks that put rows of 16 f32 in order for each of their
 * elements were priced 34 us, and took 163. */
static bool repeats_all(const search *s, const fsr_kernel *coarse) {
    const fsr_group *fine = &s->p->group[s->g];
    return coarse->ninsts >= REPEATED && coarse->ninsts <= fine->kernel->ninsts &&
           fine->kernel->integer[FSR_INT_ROWS] >= fsr_nominal_threads();
}

/* Its price, if that is less by a part of it. On a CPU places share a load. Threads that do not fill the machine issue
 * in as much more time as there are fewer of them, at most; two neighbours are not tried there. Counter-example to
 * leaving such kernels as they are: 200,000 rows of 16 elements in order, of which each of 3,200,000 threads sorted its
 * row for one element. */
static bool is_cheaper(search *s) {
    fsr_trial t;
    double issue;
    if (!lower(s, &t))
        return false;
    const bool gpu = s->p->target->gpu;
    double now = gpu || shares(t.group.kernel) ? fsr_price_group(s->p, &t.group, &issue) : INFINITY;
    const double points = fsr_domain_points(&t.group.domain, t.group.domain.ndim);
    const double fills = gpu ? points / (double)fsr_nominal_threads() : 1;
    now += fills >= 1 ? 0 : s->neighbours ? s->price : issue * (1 / fills - 1);
    const bool map = !t.group.nfolds;
    const bool repeats = map && gpu && !s->neighbours && fills >= LEAST_FILL && repeats_all(s, t.group.kernel);
    fsr_kernel_free(t.group.kernel);
    const bool cheaper = now < INFINITY && (repeats || now <= s->price * (1 - s->margin));
    s->price = cheaper ? now : s->price;
    return cheaper;
}

/* The i-th number of places of dimension d that a point may do: two neighbours; or all of them, if these are few, or as
 * many as guards' steps, on a GPU. 0: there is none. */
static int64_t places_of(const search *s, int d, int i) {
    const fsr_group *group = &s->p->group[s->g];
    const int64_t extent = group->domain.extent[d];
    const fsr_kernel *k = group->kernel;
    if (group->nfolds)
        return i == 0 && fsr_price_shares_folds(fsr_prices_of(s->p->target->gpu), &group->domain, d) ? extent : 0;
    if (s->neighbours)
        return i == 0 && d + NEAR_DIMS >= group->domain.ndim && extent > MOST_PLACES && extent % 2 == 0 ? 2 : 0;
    if (extent <= MOST_PLACES || !s->p->target->gpu)
        return i == 0 && extent > 1 && extent <= MOST_PLACES ? extent : 0;
    for (int c = 0; c < k->nconditions; ++c) {
        const int64_t step = k->condition[c].step ? k->integer[k->condition[c].step] : 1;
        bool known = step < 2 || step > MOST_PLACES || extent % step != 0;
        for (int b = 0; b < c && !known; ++b)
            known = k->condition[b].step && k->integer[k->condition[b].step] == step;
        if (!known && i-- == 0)
            return step;
    }
    return 0;
}

/* Of the price: what doing several places of dimension d must spare. On a CPU nothing of short runs between them; of
 * others as much as a division must: a loop of one store writes one line behind the other, or passes the caches by.
 * Counter-example to nothing: tile(x, [1, 2]) + 1 of 1,500 rows of 333 f32, which shares a load, took 0.26 ms and 0.45
 * together. */
static double margin_of(const search *s, int d) {
    const fsr_prices *prices = fsr_prices_of(s->p->target->gpu);
    const fsr_group *group = &s->p->group[s->g];
    double run = 1;
    for (int e = d + 1; e < group->domain.ndim; ++e)
        run *= (double)group->domain.extent[e];
    return s->p->target->gpu ? prices->margin : run >= LONG_RUN ? prices->gain : 0;
}

/* Tries dimension d. Returns how many of its places a point does. */
static int try_one(search *s, int d, int places) {
    const int nfolds = s->p->group[s->g].nfolds;
    const int most = nfolds ? MOST_STATES / nfolds : s->p->target->gpu ? MOST_PLACES : MOST_OF_LOOP;
    int64_t n = 1;
    s->margin = margin_of(s, d);
    for (int i = 0; n && s->coarse[d] <= 1; ++i) {
        n = places_of(s, d, i);
        if (!n || n * places > most)
            continue;
        s->coarse[d] = (int8_t)n;
        if (!is_cheaper(s))
            s->coarse[d] = 0;
    }
    return s->coarse[d] > 1 ? s->coarse[d] : 1;
}

/* Dimensions from the innermost one on, each kept if it makes the kernel cheaper; those left are tried again when
 * another one has been taken. */
static bool choose(search *s) {
    const fsr_group *group = &s->p->group[s->g];
    double issue;
    int places = 1, before = 0;
    bool any = false;
    for (int d = 0; d < group->domain.ndim; ++d)
        any = any || places_of(s, d, 0) > 0;
    if (any)
        s->price = fsr_price_group(s->p, group, &issue);
    while (any && places > before && !*s->p->no_memory) {
        before = places;
        for (int d = group->domain.ndim - 1; d >= 0; --d)
            places *= s->coarse[d] > 1 ? 1 : try_one(s, d, places);
    }
    return places > 1 && (s->p->target->gpu || s->price <= fsr_price_divided(s->p, &s->p->group[s->g], s->g));
}

static void coarsen(fsr_partition *p, int g, bool neighbours) {
    search s = {.p = p, .g = g, .neighbours = neighbours, .price = INFINITY};
    fsr_trial t;
    if (may_be_coarser(&s) && choose(&s) && lower(&s, &t) && fsr_group_put(p, g, &t.group))
        fsr_partition_settle(p, g);
}

void fsr_partition_coarsen(fsr_partition *p) {
    for (int g = 0; p->fuse && g < p->ngroups && !*p->no_memory; ++g)
        coarsen(p, g, false);
}

/* Some array is loaded at several places, without which neighbours have nothing in common. Counter-example to trying
 * any map: a chain of elementwise kernels took a quarter longer to plan. */
static bool may_share(const fsr_kernel *k) {
    int first[FSR_MAX_BUFFERS];
    memset(first, 0xff, sizeof first);
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        if (inst->kind != FSR_INST_LOAD)
            continue;
        int *access = &first[k->access[inst->index].buffer];
        if (*access >= 0 && *access != inst->index)
            return true;
        *access = inst->index;
    }
    return false;
}

bool fsr_partition_take_neighbours(fsr_partition *p, int g) {
    bool no_memory = false;
    p->no_memory = &no_memory;
    if (p->target->gpu && p->fuse && p->group[g].kernel && may_share(p->group[g].kernel))
        coarsen(p, g, true);
    p->no_memory = NULL;
    return !no_memory;
}
