/* SPDX-License-Identifier: MIT */
/* Where the lists of a group are: in a room of the caller's while it is tried, which has place for the most that there
 * may be, and in a block of its own, as large as they are, once it is kept.
 *
 * Counter-example to arrays of the most that there may be: a hundred thousand sums are as many groups of one fold, one
 * store and two operands, and took two and a half kilobytes for each. */
#include "fusion/partition_parts.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static int scalars(const fsr_group *group) {
    return group->kernel ? group->kernel->nscalars : 0;
}

/* List, entries that a group has. */
#define LISTS(L)                        \
    L(store, group->nstores)            \
    L(needs, group->nneeds)             \
    L(operand, fsr_group_arrays(group)) \
    L(fold, group->nfolds)              \
    L(scalar, scalars(group))           \
    L(deps, group->ndeps)               \
    L(loop, group->nloops)              \
    L(row, group->nstores)

static void *moved(void *to, const void *from, int n, size_t size) {
    return n > 0 ? memcpy(to, from, size * (size_t)n) : to;
}

void fsr_group_blank(fsr_group *group) {
    memset(group, 0, offsetof(fsr_group, fold));
}

void fsr_group_use(fsr_group *group, fsr_group_room *room) {
#define USE(list, n) group->list = moved(room->list, group->list, n, sizeof *group->list);
    LISTS(USE)
#undef USE
    group->room = NULL;
}

void fsr_group_begin(fsr_group *group, fsr_group_room *room) {
    memset(group, 0, sizeof *group);
    fsr_group_use(group, room);
}

/* Entries of lists are four bytes or eight, but for the last one's. */
bool fsr_group_keep(fsr_group *group) {
    size_t bytes = 1;
#define ADD(list, n) bytes += sizeof *group->list * (size_t)(n);
    LISTS(ADD)
#undef ADD
    char *block = malloc(bytes), *at = block;
    if (!block)
        return false;
#define KEEP(list, n)                                             \
    group->list = moved(at, group->list, n, sizeof *group->list); \
    at += sizeof *group->list * (size_t)(n);
    LISTS(KEEP)
#undef KEEP
    free(group->room);
    group->room = block;
    return true;
}

bool fsr_group_grow(fsr_group *group) {
    fsr_group_room *room = malloc(sizeof *room);
    void *before = group->room;
    if (!room)
        return false;
    fsr_group_use(group, room);
    free(before);
    group->room = room;
    return true;
}

void fsr_group_clear(fsr_group *group) {
    fsr_kernel_free(group->kernel);
    free(group->room);
    memset(group, 0, sizeof *group);
}

bool fsr_group_put(fsr_partition *p, int g, const fsr_group *group) {
    fsr_group kept = *group;
    if (!fsr_group_keep(&kept)) {
        *p->no_memory = true;
        fsr_kernel_free(group->kernel);
        return false;
    }
    for (int i = 0; i < kept.ndeps; ++i)
        if (!fsr_group_depends(&p->group[g], kept.deps[i]))
            fsr_partition_wait(p, g, kept.deps[i]);
    kept.level = p->group[g].level;
    kept.waiter = p->group[g].waiter;
    fsr_group_clear(&p->group[g]);
    p->group[g] = kept;
    return true;
}
