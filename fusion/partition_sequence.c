/* SPDX-License-Identifier: MIT */
/* The order in which groups run: what a group waits for comes before it; else as in sweeps over all numbers from the
 * first to the last, each of which takes what nothing holds back any more.
 *
 * A group's sweep is that of the last one that it waits for, or the next sweep where that has a higher number: so each
 * is found once, however many sweeps there are. Counter-example to sweeping: of 10,000 kernels in a row, each of which
 * reads what the one with the next number stores, one sweep finds one. */
#include "fusion/partition.h"
#include <stdlib.h>

/* Not one that went into another. */
static bool runs(const fsr_group *group) {
    return group->kernel || group->library;
}

/* A list for each group, one behind the other: that of group i is item[first[i]] up to item[first[i + 1]]. */
typedef struct lists {
    int *first, *item;
} lists;

/* Of every group those that wait for it. first and item have room. */
static void find_waiting(const fsr_partition *p, const lists *waiting) {
    const int n = p->ngroups;
    for (int g = 0; g < n; ++g)
        for (int i = 0; i < p->group[g].ndeps; ++i)
            ++waiting->first[p->group[g].deps[i] + 2];
    for (int g = 0; g < n; ++g)
        waiting->first[g + 2] += waiting->first[g + 1];
    for (int g = 0; g < n; ++g)
        for (int i = 0; i < p->group[g].ndeps; ++i)
            waiting->item[waiting->first[p->group[g].deps[i] + 1]++] = g;
}

/* Puts into `found` the groups that run, each behind what it waits for, and says their sweeps. left: what each waits
 * for and is not found yet. Returns how many they are. */
static int find_sweeps(const fsr_partition *p, const lists *waiting, int *left, int *sweep, int *found) {
    int n = 0;
    for (int g = 0; g < p->ngroups; ++g) {
        left[g] = p->group[g].ndeps;
        if (!left[g] && runs(&p->group[g]))
            found[n++] = g;
    }
    for (int i = 0; i < n; ++i)
        for (int k = waiting->first[found[i]]; k < waiting->first[found[i] + 1]; ++k) {
            const int g = waiting->item[k], least = sweep[found[i]] + (found[i] > g);
            sweep[g] = sweep[g] > least ? sweep[g] : least;
            if (!--left[g] && runs(&p->group[g]))
                found[n++] = g;
        }
    return n;
}

/* By sweep, then by number. A sweep is below ngroups. first: zeros. */
static void sort_by_sweep(const fsr_partition *p, const int *left, const int *sweep, int *first, int *order) {
    for (int g = 0; g < p->ngroups; ++g)
        if (!left[g] && runs(&p->group[g]))
            ++first[sweep[g] + 1];
    for (int s = 0; s < p->ngroups; ++s)
        first[s + 1] += first[s];
    for (int g = 0; g < p->ngroups; ++g)
        if (!left[g] && runs(&p->group[g]))
            order[first[sweep[g]]++] = g;
}

fsr_status fsr_partition_sequence(const fsr_partition *p, int *order, int *count) {
    const size_t n = (size_t)p->ngroups + 2;
    size_t edges = 1;
    int empty = 0;
    for (int g = 0; g < p->ngroups; ++g) {
        edges += (size_t)p->group[g].ndeps;
        empty += !runs(&p->group[g]);
    }
    int *room = calloc(5 * n + edges, sizeof *room);
    if (!room)
        return FSR_ERR_MEMORY;
    const lists waiting = {room, room + 5 * n};
    int *left = room + n, *sweep = room + 2 * n, *found = room + 3 * n, *first = room + 4 * n;
    find_waiting(p, &waiting);
    *count = find_sweeps(p, &waiting, left, sweep, found);
    sort_by_sweep(p, left, sweep, first, order);
    free(room);
    return *count + empty == p->ngroups ? FSR_OK : FSR_ERR_INTERNAL;
}
