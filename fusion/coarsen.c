/* SPDX-License-Identifier: MIT */
/* Threads of a GPU's map do all places of a short dimension.
 *
 * What is stacked, or alternates, along a dimension of a few places is a choice for each element: threads side by side go
 * different ways where that dimension is the innermost one, and what the alternatives share is loaded and computed once
 * for each of them; so is what does not depend on such a dimension at all, a grey value of which each of three colours is
 * made. A domain without that dimension has one point for all of its places: the kernel's stores are lowered once for
 * each, where the choices are decided (lower.c), and what they share is in the memo. Each is tried by its price, alone
 * and with the others.
 *
 * Counter-example to a kernel for each place, as divide.c makes them: seven kernels of a demosaicing took as long as one
 * that computed all alternatives, since each read all of the picture and touched every second element of the result.
 * Counter-example to any dimension: one of a thousand places leaves no threads. */
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include "fusion/schedule_gpu.h"
#include <math.h>

enum { MOST_PLACES = 16 }; /* of a point */

int fsr_group_places(const fsr_group *group) {
    int places = 1;
    for (int d = 0; d < group->domain.ndim; ++d)
        places *= group->coarse[d] > 1 ? group->coarse[d] : 1;
    return places;
}

/* A map of a GPU's whose results nobody has to keep apart, over all of its domain. */
static bool may_be_coarser(const fsr_partition *p, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    bool may = k && !group->library && !group->nfolds && !group->nloops && !group->nneeds && group->nstores > 0 &&
               !group->in_place && !group->part && !fsr_domain_is_part(&group->domain) && k->npasses == 0 && !k->live &&
               !k->nests && k->integer[FSR_INT_ROWS] > 0;
    for (int i = 0; may && i < group->nstores; ++i) {
        const fsr_kind kind = p->flow->node[group->store[i].id].kind;
        may = !fsr_is(kind, FSR_IS_STORED) && !fsr_is(kind, FSR_SCATTERS) && !fsr_is(kind, FSR_IS_MOVED);
    }
    return may;
}

/* The group with points that do so many places of each dimension. False: it is no kernel. */
static bool lower(fsr_partition *p, int g, const int8_t *coarse, fsr_trial *t) {
    const fsr_group *fine = &p->group[g];
    fsr_group *out = &t->group;
    fsr_link blame;
    fsr_group_begin(out, &t->room);
    out->domain = fine->domain;
    out->nstores = fine->nstores;
    out->part = true;
    out->base = fine->base;
    for (int i = 0; i < fine->nstores; ++i)
        out->store[i] = fine->store[i];
    for (int d = 0; d < fine->domain.ndim; ++d) {
        out->coarse[d] = coarse[d];
        if (coarse[d] > 1)
            fsr_domain_cut(&out->domain, d, 0, coarse[d], fine->domain.extent[d] / coarse[d]);
    }
    if (fsr_group_try(p, g, out, &blame))
        return false;
    if (out->nneeds == 0 && out->nloops == 0)
        return true;
    fsr_kernel_free(out->kernel);
    return false;
}

/* Its price, if that is less by more than a store must spare. Threads that do not fill the machine issue in as much
 * more time as there are fewer of them, at most. Counter-example to leaving such kernels as they are: 200,000 rows of
 * 16 elements in order, of which each of 3,200,000 threads sorted its row for one element. */
static bool is_cheaper(fsr_partition *p, int g, const int8_t *coarse, double *price) {
    fsr_trial t;
    double issue;
    if (!lower(p, g, coarse, &t))
        return false;
    double now = fsr_price_group(p, &t.group, &issue);
    const double fills = (double)t.group.kernel->integer[FSR_INT_ROWS] / (double)fsr_nominal_threads();
    now += fills < 1 ? issue * (1 / fills - 1) : 0;
    fsr_kernel_free(t.group.kernel);
    const bool cheaper = now < *price * (1 - fsr_prices_of(true)->margin);
    *price = cheaper ? now : *price;
    return cheaper;
}

/* The i-th number of places of dimension d that a point may do: all of them, if these are few, or as many as guards'
 * steps. 0: there is none. */
static int64_t places_of(const fsr_group *group, int d, int i) {
    const int64_t extent = group->domain.extent[d];
    const fsr_kernel *k = group->kernel;
    if (extent <= MOST_PLACES)
        return i == 0 && extent > 1 ? extent : 0;
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

/* Tries dimension d. Returns how many of its places a point does. */
static int try_one(fsr_partition *p, int g, int d, int places, int8_t *coarse, double *price) {
    int64_t n = 1;
    for (int i = 0; n && coarse[d] <= 1; ++i) {
        n = places_of(&p->group[g], d, i);
        if (!n || n * places > MOST_PLACES)
            continue;
        coarse[d] = (int8_t)n;
        if (!is_cheaper(p, g, coarse, price))
            coarse[d] = 0;
    }
    return coarse[d] > 1 ? coarse[d] : 1;
}

/* Dimensions from the innermost one on, each kept if it makes the kernel cheaper; those left are tried again when another
 * one has been taken. */
static bool choose(fsr_partition *p, int g, int8_t *coarse) {
    double issue, price = INFINITY;
    int places = 1, before = 0;
    bool any = false;
    for (int d = 0; d < p->group[g].domain.ndim; ++d)
        any = any || places_of(&p->group[g], d, 0) > 0;
    if (any)
        price = fsr_price_group(p, &p->group[g], &issue);
    while (any && places > before && !*p->no_memory) {
        before = places;
        for (int d = p->group[g].domain.ndim - 1; d >= 0; --d)
            places *= coarse[d] > 1 ? 1 : try_one(p, g, d, places, coarse, &price);
    }
    return places > 1;
}

void fsr_partition_coarsen(fsr_partition *p) {
    for (int g = 0; p->target->gpu && p->fuse && g < p->ngroups && !*p->no_memory; ++g) {
        int8_t coarse[FSR_MAX_DIMS] = {0};
        fsr_trial t;
        if (!may_be_coarser(p, &p->group[g]) || !choose(p, g, coarse) || !lower(p, g, coarse, &t))
            continue;
        if (fsr_group_put(p, g, &t.group))
            fsr_partition_settle(p, g);
    }
}
