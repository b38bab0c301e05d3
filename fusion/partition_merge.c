/* SPDX-License-Identifier: MIT */
/* Merging groups that come to share work only when later roots have joined.
 *
 * Two groups over one domain become one if nobody has to run between them and the kernel of both does less than the
 * two. Counter-example to assigning alone: of a, b, c assigned in that order, a and b have nothing in common until c,
 * which shares with both, has joined one of them. */
#include "fusion/partition_parts.h"
#include "fusion/price.h"
#include <string.h>

/* Who needs group `from` needs `to`. */
static void rename_group(fsr_partition *p, int from, int to) {
    for (int g = 0; g < p->ngroups; ++g)
        for (int i = 0; i < p->group[g].ndeps; ++i)
            if (p->group[g].deps[i] == from)
                p->group[g].deps[i] = to;
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

static bool same_kind(const fsr_partition *p, const fsr_group *a, const fsr_group *b) {
    return !fsr_cuts_apart(p->cuts, fsr_group_first(a)) && !fsr_cuts_apart(p->cuts, fsr_group_first(b)) &&
           fsr_cuts_segment(p->cuts, fsr_group_first(a)) == fsr_cuts_segment(p->cuts, fsr_group_first(b)) &&
           fsr_domain_equal(&a->domain, &b->domain) && a->nfolds + b->nfolds <= FSR_MAX_COMBINES &&
           a->nstores + b->nstores <= FSR_MAX_STORES;
}

/* Group g goes into group h, which comes before it. While that is tried, what a group that needs g stores is not
 * for the trial to read: p->merging. */
static bool merge(fsr_partition *p, int h, int g) {
    fsr_group trial = p->group[h], *other = &p->group[g];
    fsr_link blame;
    if (!same_kind(p, &trial, other) || fsr_kernels_apart(p, h, trial.kernel, other->kernel, false) ||
        between(p, g, h) || between(p, h, g))
        return false;
    for (int i = 0; i < other->nfolds; ++i)
        trial.fold[trial.nfolds++] = other->fold[i];
    for (int i = 0; i < other->nstores; ++i)
        trial.store[trial.nstores++] = other->store[i];
    point(p, other, h);
    p->merging = g;
    p->into = h;
    bool good = fsr_group_try(p, h, &trial, &blame) == NULL;
    p->merging = p->into = -1;
    if (good && (!fsr_kernel_is_less(trial.kernel, p->group[h].kernel, other->kernel) || trial.nneeds ||
                 fsr_price_is_less_apart(p, &trial, &p->group[h], other))) {
        fsr_kernel_free(trial.kernel);
        good = false;
    }
    point(p, other, good ? h : g);
    if (!good)
        return false;
    fsr_kernel_free(other->kernel);
    memset(other, 0, sizeof *other);
    rename_group(p, g, h);
    fsr_group_commit(p, h, &trial);
    fsr_partition_level_all(p);
    return true;
}

/* The group joins an older one. */
static void merge_older(fsr_partition *p, int g) {
    int near[FSR_MAX_NEAR], n = fsr_near(p, &p->group[g], near, FSR_MAX_NEAR);
    for (int i = 0; i < n; ++i) {
        int h = near[i];
        if (h >= g || !p->group[h].kernel)
            continue;
        const int root[2] = {fsr_group_first(&p->group[h]), fsr_group_first(&p->group[g])};
        if (!merge(p, h, g))
            continue;
        fsr_partition_fused(p, "the kernels of %s (%%%d) and %s (%%%d) became one", root[0], root[1]);
        return;
    }
}

void fsr_partition_merge(fsr_partition *p) {
    for (int g = p->ngroups - 1; g > 0 && fsr_partition_may_fuse(p); --g)
        if (p->group[g].kernel)
            merge_older(p, g);
}
