/* SPDX-License-Identifier: MIT */
/* Which group waits for which.
 *
 * A group's level is above those of the groups it reads from, so that most questions whether one needs another are
 * answered by two numbers; only what lies between them is visited. Levels are raised, never lowered: too high a one
 * costs visits, not answers. Each group has a list of those that wait for it: who is raised raises these.
 *
 * Counter-example to asking the dependencies of one group alone: a needs b, b needs c; c joined with a would wait for
 * itself. Counter-example to looking at all groups where one was raised: of 20,000 kernels half of which write in
 * place, each of these would look at all others, 150 us a node. */
#include "fusion/partition_parts.h"
#include <stdlib.h>

enum { APART = 8 }; /* levels of two groups, one of which waits for the other */

/* Over dependencies, each visited once; what is not above `to` needs no visit. */
static bool reach(const fsr_partition *p, int from, int to) {
    int n = 0;
    bool found = false;
    p->seen[from] = true;
    p->queue[n++] = from;
    for (int at = 0; at < n && !found; ++at) {
        const fsr_group *group = &p->group[p->queue[at]];
        for (int i = 0; i < group->ndeps; ++i) {
            const int dep = group->deps[i];
            found = found || dep == to;
            if (!p->seen[dep] && p->group[dep].level > p->group[to].level) {
                p->seen[dep] = true;
                p->queue[n++] = dep;
            }
        }
    }
    while (n > 0)
        p->seen[p->queue[--n]] = false;
    return found;
}

bool fsr_partition_reaches(const fsr_partition *p, int from, int to) {
    if (from == to)
        return true;
    if (to >= p->ngroups || from >= p->ngroups)
        return false; /* a group not made yet: nothing depends on it */
    if (p->merging >= 0 && to == p->into && from != p->into && fsr_partition_reaches(p, from, p->merging))
        return true;
    return p->group[from].level > p->group[to].level && reach(p, from, to);
}

void fsr_partition_wait(fsr_partition *p, int g, int on) {
    int head = p->group[on].waiter - 1;
    if (!fsr_reader_push(p, &head, g))
        *p->no_memory = true;
    p->group[on].waiter = head + 1;
}

static int by_number(const void *a, const void *b) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

int *fsr_partition_waiters(fsr_partition *p, int g, int *n) {
    int count = 0, *list;
    for (int at = p->group[g].waiter - 1; at >= 0; at = p->reader[at].next)
        ++count;
    *n = 0;
    list = malloc(sizeof *list * (size_t)(count + 1));
    *p->no_memory = *p->no_memory || !list;
    for (int at = p->group[g].waiter - 1; list && at >= 0; at = p->reader[at].next)
        if (p->reader[at].group < p->ngroups && fsr_group_depends(&p->group[p->reader[at].group], g))
            list[(*n)++] = p->reader[at].group;
    if (list)
        qsort(list, (size_t)*n, sizeof *list, by_number);
    count = *n;
    *n = 0;
    for (int i = 0; i < count; ++i)
        if (*n == 0 || list[i] != list[*n - 1])
            list[(*n)++] = list[i];
    return list;
}

/* A group's level goes above those of its deps, by so much where it is not. True if it had to be raised. */
static bool raise_level(fsr_partition *p, int g, int step) {
    fsr_group *group = &p->group[g];
    int level = group->level;
    for (int i = 0; i < group->ndeps; ++i) {
        const int dep = p->group[group->deps[i]].level;
        level = level > dep ? level : dep + step;
    }
    const bool raised = level != group->level;
    group->level = level;
    return raised;
}

/* Those that were raised are a queue, each there once at most. Levels end somewhere, but in a circle, which is refused
 * later. Between levels there is room: one that others wait for rises no further than it must, and mostly leaves these
 * where they are. Counter-example to levels one above the other: of 16,000 updates of one array with a reader each,
 * which comes to be between two of them, each would raise all that follow. */
void fsr_partition_settle(fsr_partition *p, int g) {
    const int room = p->capacity, most = 2 * APART * room;
    int first = 0, n = 0;
    if (!raise_level(p, g, p->group[g].waiter ? 1 : APART))
        return;
    p->seen[g] = true;
    p->queue[n++] = g;
    while (n > 0) {
        const int now = p->queue[first];
        first = (first + 1) % room;
        --n;
        p->seen[now] = false;
        for (int at = p->group[now].waiter - 1; at >= 0; at = p->reader[at].next) {
            const int waiter = p->reader[at].group;
            if (waiter >= p->ngroups || !raise_level(p, waiter, APART) || p->seen[waiter] ||
                p->group[waiter].level > most)
                continue;
            p->seen[waiter] = true;
            p->queue[(first + n++) % room] = waiter;
        }
    }
}
