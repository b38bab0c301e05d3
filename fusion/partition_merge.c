/* SPDX-License-Identifier: MIT */
/* Merging groups that come to share work only when later roots have joined.
 *
 * Two groups over one domain become one if nobody has to run between them and the kernel of both does less than the
 * two. Counter-example to assigning alone: of a, b, c assigned in that order, a and b have nothing in common until c,
 * which shares with both, has joined one of them. */
#include "fusion/pairs.h"
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include "fusion/schedule.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_TRIED = 4 }; /* kernels that compute one node of a pair */

/* Who needs group `from` needs `to`. */
static void rename_group(fsr_partition *p, int from, int to, const int *waiter, int n) {
    for (int w = 0; w < n; ++w) {
        fsr_group *group = &p->group[waiter[w]];
        if (!fsr_group_depends(group, to))
            fsr_partition_wait(p, waiter[w], to);
        for (int i = 0; i < group->ndeps; ++i)
            if (group->deps[i] == from)
                group->deps[i] = to;
    }
}

/* Group h becomes the trial, and group g, whose roots that has, is no more. */
static void replace(fsr_partition *p, int h, int g, const fsr_group *trial) {
    int n, *waiter = fsr_partition_waiters(p, g, &n);
    rename_group(p, g, h, waiter, n);
    fsr_group_clear(&p->group[g]);
    fsr_group_commit(p, h, trial);
    for (int i = 0; i < n; ++i)
        fsr_partition_settle(p, waiter[i]);
    free(waiter);
}

/* Points a group's roots at group `at`. */
static void point(fsr_partition *p, const fsr_group *group, int at) {
    for (int i = 0; i < group->nfolds; ++i)
        p->group_of[group->fold[i]] = at;
    for (int i = 0; i < group->nloops; ++i)
        p->group_of[group->loop[i]] = at;
    for (int i = 0; i < group->nstores; ++i)
        *fsr_partition_stored(p, group->store[i]) = at;
}

/* A third group between the two would wait for one half and be waited for by the other. */
static bool between(const fsr_partition *p, int a, int b) {
    for (int i = 0; i < p->group[a].ndeps; ++i)
        if (p->group[a].deps[i] != b && fsr_partition_reaches(p, p->group[a].deps[i], b))
            return true;
    return false;
}

/* The folds have enough columns for a map beside them. */
static bool has_long_rows(const fsr_group *group) {
    return fsr_domain_points(&group->domain, group->domain.nparallel) * FSR_LEAST_ALONG <=
           fsr_domain_points(&group->domain, group->domain.ndim);
}

/* On a GPU: a map, and folds that go over as many elements, each of which the fold's kernel may store as it meets
 * it. */
static bool may_go_along(const fsr_partition *p, const fsr_group *a, const fsr_group *b) {
    return p->target->gpu && !a->nfolds != !b->nfolds && has_long_rows(a->nfolds ? a : b) &&
           fsr_domain_points(&a->domain, a->domain.ndim) == fsr_domain_points(&b->domain, b->domain.ndim);
}

/* What keeps two groups from one kernel before it is tried; asked: a hint wants it, whatever it costs. */
static const char *differ(const fsr_partition *p, const fsr_group *a, const fsr_group *b, bool asked) {
    const char *reason = fsr_groups_apart(p, a, b, asked);
    if (reason)
        return reason;
    if (a->nfolds + b->nfolds > FSR_MAX_COMBINES || a->nstores + b->nstores > FSR_MAX_STORES)
        return "the kernel would have too many roots";
    if (fsr_domain_equal(&a->domain, &b->domain) || (asked && !a->nfolds != !b->nfolds) || may_go_along(p, a, b))
        return NULL;
    return a->nfolds && b->nfolds ? "the folds have different domains" : "the two have different elements";
}

/* One of the two folds tiles of outputs in registers, and a kernel of both would not. Counter-example to the bytes
 * alone: nine sums of a convolution over eight channels, one thread's time in one kernel 0.23 ms, in nine with tiles
 * 0.14. */
static bool loses_tiles(bool gpu, const fsr_group *both, const fsr_group *a, const fsr_group *b) {
    return (fsr_outputs_tile(a, gpu) || fsr_outputs_tile(b, gpu)) && !fsr_outputs_tile(both, gpu);
}

/* Group g goes into group h, which comes before it; asked: a hint says so, whatever it costs. While that is tried, what
 * a group that needs g stores is not for the trial to read: p->merging. NULL: done. */
static const char *merge(fsr_partition *p, int h, int g, bool asked) {
    fsr_group trial = p->group[h], *other = &p->group[g];
    fsr_group_room room;
    fsr_link blame;
    fsr_note note = {.producer = fsr_group_first(&p->group[h]), .consumer = fsr_group_first(other)};
    fsr_group_use(&trial, &room);
    const char *reason = differ(p, &trial, other, asked);
    if (!reason)
        reason = fsr_kernels_apart(p, h, trial.kernel, other->kernel, asked);
    if (!reason && (between(p, g, h) || between(p, h, g)))
        reason = "another kernel has to run between the two";
    if (reason)
        return reason;
    if (!trial.nfolds)
        trial.domain = other->domain;
    for (int i = 0; i < other->nfolds; ++i)
        trial.fold[trial.nfolds++] = other->fold[i];
    for (int i = 0; i < other->nstores; ++i)
        trial.store[trial.nstores++] = other->store[i];
    point(p, other, h);
    p->merging = g;
    p->into = h;
    reason = fsr_group_try(p, h, &trial, &blame);
    p->merging = p->into = -1;
    if (!reason && trial.nneeds)
        reason = "the kernel would need more stored before it";
    if (!reason && !asked && loses_tiles(p->target->gpu, &trial, &p->group[h], other))
        reason = fsr_reason_price;
    if (!reason && !asked &&
        (!fsr_kernel_is_less(trial.kernel, p->group[h].kernel, other->kernel) ||
         fsr_price_is_less_apart(p, &trial, &p->group[h], other, &note)))
        reason = fsr_reason_price;
    note.reason = reason;
    point(p, other, reason ? g : h);
    if (note.joined > 0)
        fsr_partition_note(p, note);
    if (reason) {
        fsr_kernel_free(trial.kernel);
        return reason;
    }
    replace(p, h, g, &trial);
    return NULL;
}

/* The groups that compute the two nodes of a pair become one. */
static void merge_pair(fsr_partition *p, int pair) {
    int first[MOST_TRIED], second[MOST_TRIED];
    const int n = fsr_pair_groups(p, pair, 0, first, MOST_TRIED), m = fsr_pair_groups(p, pair, 1, second, MOST_TRIED);
    for (int i = 0; i < n * m; ++i) {
        const int x = first[i / m], y = second[i % m], h = x < y ? x : y, g = x < y ? y : x;
        const int root[2] = {fsr_group_first(&p->group[h]), fsr_group_first(&p->group[g])};
        const char *reason = merge(p, h, g, true);
        if (reason) {
            p->refused[pair] = reason;
            continue;
        }
        fsr_partition_fused(p, "the kernels of %s (%%%d) and %s (%%%d) became one", root[0], root[1]);
        return;
    }
}

/* The group joins an older one. */
static void merge_older(fsr_partition *p, int g) {
    int near[FSR_MAX_NEAR], n = fsr_near(p, &p->group[g], near, FSR_MAX_NEAR);
    for (int i = 0; i < n; ++i) {
        int h = near[i];
        if (h >= g || !p->group[h].kernel)
            continue;
        const int root[2] = {fsr_group_first(&p->group[h]), fsr_group_first(&p->group[g])};
        if (merge(p, h, g, false))
            continue;
        fsr_partition_fused(p, "the kernels of %s (%%%d) and %s (%%%d) became one", root[0], root[1]);
        return;
    }
}

void fsr_partition_merge(fsr_partition *p) {
    for (int i = 0; i < p->flow->npairs && fsr_partition_may_fuse(p); ++i)
        if (fsr_pair_waits(p, i))
            merge_pair(p, i);
    for (int g = p->ngroups - 1; g > 0 && fsr_partition_may_fuse(p); --g)
        if (p->group[g].kernel)
            merge_older(p, g);
}
