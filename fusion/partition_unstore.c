/* SPDX-License-Identifier: MIT */
/* Stores that nobody reads.
 *
 * A value is marked to be stored before it is known which kernels there will be. Where all that read it became one
 * kernel with it, that computes it and goes on; then the store goes, and with it what only that store read, from the
 * last group back. Counter-example to not marking it: of two that read it one may be another kernel. */
#include "fusion/partition_parts.h"
#include <stdlib.h>
#include <string.h>

static void add_reads(int *readers, const fsr_group *group, int by) {
    for (int i = 0; i < fsr_group_arrays(group); ++i)
        if (fsr_group_reads(group, i) && !group->operand[i].leaf)
            readers[group->operand[i].link.id * FSR_MAX_OUTPUTS + group->operand[i].link.output] += by;
}

/* Groups that read each result; outputs have a reader more. */
int *fsr_partition_readers(const fsr_partition *p) {
    const fsr_flow *flow = p->flow;
    int *readers = calloc(((size_t)flow->n + 1) * FSR_MAX_OUTPUTS, sizeof *readers);
    for (int g = 0; readers && g < p->ngroups; ++g)
        add_reads(readers, &p->group[g], 1);
    for (int i = 0; readers && i < flow->nout; ++i)
        ++readers[flow->out[i].id * FSR_MAX_OUTPUTS + flow->out[i].output];
    return readers;
}

static bool is_dead(const fsr_partition *p, const int *readers, fsr_link link) {
    const fsr_held held = p->held[link.id];
    return readers[link.id * FSR_MAX_OUTPUTS + link.output] == 0 && held != FSR_HELD && held != FSR_HELD_TAKEN;
}

/* It reads what another group stores and the group did not read before: a value that it evaluated, since nobody stored
 * it then. Counter-example to that: who stores it may wait for this group. */
static bool reads_more(const fsr_group *trial, const fsr_group *before) {
    for (int i = 0; i < fsr_group_arrays(trial); ++i) {
        bool known = trial->operand[i].leaf || !fsr_group_reads(trial, i);
        for (int k = 0; k < fsr_group_arrays(before) && !known; ++k)
            known = fsr_group_reads(before, k) && fsr_operand_equal(&trial->operand[i], &before->operand[k]);
        if (!known)
            return true;
    }
    return false;
}

/* Who is lowered once more does not find what the group no longer stores. */
static void forget(fsr_partition *p, const int *readers, int g) {
    for (int i = 0; i < p->group[g].nstores; ++i)
        if (is_dead(p, readers, p->group[g].store[i]))
            *fsr_partition_stored(p, p->group[g].store[i]) = -1;
}

/* Nobody waits for a group that is no more, nor are its loops anybody's. Counter-example to nobody having waited where
 * nobody reads: a kernel over no elements reads nothing, and has in its list who would have stored that. */
static void remove_group(fsr_partition *p, int g) {
    int n, *waiter = fsr_partition_waiters(p, g, &n);
    for (int w = 0; w < n; ++w) {
        fsr_group *group = &p->group[waiter[w]];
        for (int i = group->ndeps - 1; i >= 0; --i)
            if (group->deps[i] == g)
                group->deps[i] = group->deps[--group->ndeps];
    }
    free(waiter);
    for (int i = 0; i < p->group[g].nloops; ++i)
        p->group_of[p->group[g].loop[i]] = -1;
    fsr_group_clear(&p->group[g]);
}

/* Takes the group's dead stores away, if it can be lowered without. */
static void unstore(fsr_partition *p, int *readers, int g) {
    fsr_group trial = p->group[g];
    fsr_group_room room;
    fsr_link blame;
    bool dead = false;
    for (int i = 0; i < trial.nstores && !dead; ++i)
        dead = is_dead(p, readers, trial.store[i]);
    if (!dead)
        return;
    fsr_group_use(&trial, &room);
    trial.nstores = 0;
    for (int i = 0; i < p->group[g].nstores; ++i)
        if (!is_dead(p, readers, p->group[g].store[i]))
            trial.store[trial.nstores++] = p->group[g].store[i];
    add_reads(readers, &p->group[g], -1);
    if (trial.nstores + trial.nfolds == 0) {
        forget(p, readers, g);
        remove_group(p, g);
    } else if (!fsr_group_try(p, g, &trial, &blame)) {
        if (reads_more(&trial, &p->group[g])) {
            fsr_kernel_free(trial.kernel);
        } else {
            forget(p, readers, g);
            fsr_group_commit(p, g, &trial);
        }
    }
    add_reads(readers, &p->group[g], 1);
}

void fsr_partition_unstore(fsr_partition *p) {
    int *readers = fsr_partition_readers(p);
    *p->no_memory = *p->no_memory || !readers;
    for (int g = p->ngroups - 1; readers && g >= 0; --g)
        if (p->group[g].kernel)
            unstore(p, readers, g);
    free(readers);
}
