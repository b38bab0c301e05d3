/* SPDX-License-Identifier: MIT */
/* One group: trial lowerings, taking a trial over, and what others ask the group to store.
 *
 * A trial is a changed copy; nothing of the partition changes before it is committed, so a refusal needs no undoing.
 * Counter-example to changing the group itself: a root is refused for what its kernel would load, which is known
 * once the kernel is made. */
#include "fusion/partition_parts.h"
#include <stdlib.h>
#include <string.h>

bool fsr_partition_room(fsr_partition *p) {
    if (p->ngroups == p->capacity) {
        int capacity = p->capacity ? p->capacity * 2 : 8;
        fsr_group *grown = realloc(p->group, sizeof *grown * (size_t)capacity);
        p->group = grown ? grown : p->group;
        bool *seen = grown ? realloc(p->seen, sizeof *seen * (size_t)capacity) : NULL;
        p->seen = seen ? seen : p->seen;
        int *queue = seen ? realloc(p->queue, sizeof *queue * (size_t)capacity) : NULL;
        p->queue = queue ? queue : p->queue;
        if (!queue)
            return false;
        memset(p->seen + p->capacity, 0, sizeof *seen * (size_t)(capacity - p->capacity));
        p->capacity = capacity;
    }
    memset(&p->group[p->ngroups], 0, sizeof *p->group);
    return true;
}

/* fsr_lower into trial->kernel. */
static const char *lower(fsr_partition *p, int g, const fsr_group *before, fsr_group *trial, fsr_link *blame) {
    trial->kernel = NULL;
    const char *reason = fsr_lower(p, g, before, trial, blame);
    *p->no_memory = *p->no_memory || reason == fsr_reason_memory;
    return reason;
}

const char *fsr_group_try(fsr_partition *p, int g, fsr_group *trial, fsr_link *blame) {
    const char *reason = lower(p, g, NULL, trial, blame);
    if (!reason && (reason = fsr_legality(p, trial, blame)) != NULL) {
        fsr_kernel_free(trial->kernel);
        trial->kernel = NULL;
    }
    return reason;
}

void fsr_group_commit(fsr_partition *p, int g, const fsr_group *trial) {
    bool fresh = g == p->ngroups; /* nobody needs it yet */
    fsr_near_add(p, g, fresh ? NULL : &p->group[g], trial);
    if (!fsr_group_put(p, g, trial))
        return;
    p->ngroups += fresh;
    for (int i = 0; i < trial->nloops; ++i)
        p->group_of[trial->loop[i]] = g;
    fsr_partition_settle(p, g);
}

/* The group with more stores. False: there is no room for them. */
static bool with_stores(const fsr_group *group, const fsr_link *link, int n, fsr_trial *t) {
    fsr_group *trial = &t->group;
    *trial = *group;
    fsr_group_use(trial, &t->room);
    for (int i = 0; i < n && trial->nstores < FSR_MAX_STORES; ++i)
        trial->store[trial->nstores++] = link[i];
    return group->nstores + n <= FSR_MAX_STORES;
}

/* Legality was checked with room for the store; only lowering can refuse. It may, as the group would now load values
 * that it evaluated before others stored them: then it goes on evaluating them. Counter-example: a loop that ran once
 * a row, over what a row knows, would run for each column, in each pass, once that is an array. So it does where these
 * values leave no room for stores that the group may still be asked for. */
const char *fsr_group_add_stores(fsr_partition *p, int g, const fsr_link *link, int n) {
    fsr_trial trial;
    fsr_link blame;
    if (!with_stores(&p->group[g], link, n, &trial))
        return "the kernel would have too many outputs";
    const char *reason = lower(p, g, NULL, &trial.group, &blame);
    if (!reason && (reason = fsr_legality_room(p, &trial.group)) != NULL)
        fsr_kernel_free(trial.group.kernel);
    if (reason && !*p->no_memory) {
        with_stores(&p->group[g], link, n, &trial);
        reason = lower(p, g, &p->group[g], &trial.group, &blame);
    }
    if (reason)
        return reason;
    fsr_group_commit(p, g, &trial.group);
    for (int i = 0; i < n; ++i)
        *fsr_partition_stored(p, link[i]) = g;
    return *p->no_memory ? fsr_reason_memory : NULL;
}

const char *fsr_group_add_store(fsr_partition *p, int g, fsr_link link) {
    return fsr_group_add_stores(p, g, &link, 1);
}

const char *fsr_group_satisfy(fsr_partition *p, const fsr_group *trial) {
    for (int i = 0; i < trial->nneeds; ++i) {
        fsr_link link = trial->needs[i];
        if (*fsr_partition_stored(p, link) >= 0)
            continue;
        const char *reason = fsr_group_add_store(p, p->group_of[link.id], link);
        if (reason)
            return reason;
    }
    return NULL;
}

bool fsr_group_has_needs(const fsr_partition *p, const fsr_group *group) {
    bool all = true;
    for (int i = 0; i < group->nneeds; ++i)
        all = all && *fsr_partition_stored(p, group->needs[i]) >= 0;
    return all;
}

bool fsr_operand_equal(const fsr_operand *a, const fsr_operand *b) {
    return a->report == b->report && a->leaf == b->leaf &&
           (a->leaf ? a->ordinal == b->ordinal : fsr_link_equal(a->link, b->link));
}

bool fsr_group_stores(const fsr_group *group, fsr_link link) {
    for (int i = 0; i < group->nstores; ++i)
        if (fsr_link_equal(group->store[i], link))
            return true;
    return false;
}

int fsr_group_first(const fsr_group *group) {
    return group->nfolds ? group->fold[0] : group->store[0].id;
}

bool fsr_group_depends(const fsr_group *group, int on) {
    for (int i = 0; i < group->ndeps; ++i)
        if (group->deps[i] == on)
            return true;
    return false;
}

bool fsr_group_depend(fsr_group *group, int on) {
    if (fsr_group_depends(group, on))
        return true;
    if (group->ndeps == FSR_MAX_BUFFERS)
        return false;
    group->deps[group->ndeps++] = on;
    return true;
}

int fsr_kernel_loads(const fsr_kernel *k) {
    int n = 0;
    uint64_t whole = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        n += k->inst[i].kind == FSR_INST_LOAD;
        for (int a = 0; a < fsr_call_arrays(k, &k->inst[i]); ++a)
            whole |= (uint64_t)1 << k->access[fsr_call_array(k, &k->inst[i], a)].buffer;
    }
    return n + __builtin_popcountll(whole);
}

/* Rough work of an element. */
static int work(const fsr_kernel *k) {
    int n = k->nloops;
    for (int i = 0; i < k->ninsts; ++i)
        n += fsr_inst_cost(k, i);
    return n;
}

/* It loads less or, where neither loads anything, computes less. An
 * operation that kernels with loads have in common, such as a parameter's square root, is no reason to join them. */
bool fsr_kernel_is_less(const fsr_kernel *both, const fsr_kernel *a, const fsr_kernel *b) {
    int apart = fsr_kernel_loads(a) + fsr_kernel_loads(b);
    return apart ? fsr_kernel_loads(both) < apart : work(both) < work(a) + work(b);
}
