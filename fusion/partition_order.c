/* SPDX-License-Identifier: MIT */
/* Which group waits for which.
 *
 * A group's level is above those of the groups it reads from, so that most questions whether one needs another are
 * answered by two numbers; only what lies between them is visited. Levels are raised, never lowered: too high a one
 * costs visits, not answers.
 *
 * Counter-example to asking the dependencies of one group alone: a needs b, b needs c; c joined with a would wait for
 * itself. */
#include "fusion/partition_parts.h"
#include <stdlib.h>

/* Depth-first over dependencies with an explicit stack; `seen` bounds it to one visit a group, and what is not above
 * `to` needs no visit. */
static bool reach(const fsr_partition *p, int from, int to, bool *seen, int *stack) {
    int depth = 0;
    seen[from] = true;
    stack[depth++] = from;
    while (depth) {
        const fsr_group *group = &p->group[stack[--depth]];
        for (int i = 0; i < group->ndeps; ++i) {
            int dep = group->deps[i];
            if (dep == to)
                return true;
            if (!seen[dep] && p->group[dep].level > p->group[to].level) {
                seen[dep] = true;
                stack[depth++] = dep;
            }
        }
    }
    return false;
}

/* Out of memory answers yes, and the plan will not be used. */
bool fsr_partition_reaches(const fsr_partition *p, int from, int to) {
    if (from == to)
        return true;
    if (to >= p->ngroups || from >= p->ngroups)
        return false; /* a group not made yet: nothing depends on it */
    if (p->merging >= 0 && to == p->into && from != p->into && fsr_partition_reaches(p, from, p->merging))
        return true;
    if (p->group[from].level <= p->group[to].level)
        return false;
    bool *seen = calloc((size_t)p->ngroups, sizeof *seen);
    int *stack = malloc(sizeof *stack * (size_t)p->ngroups);
    bool found = !seen || !stack || reach(p, from, to, seen, stack);
    *p->no_memory = *p->no_memory || !seen || !stack;
    free(seen);
    free(stack);
    return found;
}

bool fsr_group_raise(fsr_partition *p, int g) {
    fsr_group *group = &p->group[g];
    int level = group->level;
    for (int i = 0; i < group->ndeps; ++i) {
        int dep = p->group[group->deps[i]].level;
        level = level > dep ? level : dep + 1;
    }
    bool raised = level != group->level;
    group->level = level;
    return raised;
}

void fsr_partition_level_all(fsr_partition *p) {
    bool raised = true;
    for (int round = 0; raised && round < p->ngroups; ++round) {
        raised = false;
        for (int g = 0; g < p->ngroups; ++g)
            raised = fsr_group_raise(p, g) || raised;
    }
}

void fsr_partition_settle(fsr_partition *p, int g) {
    if (fsr_group_raise(p, g))
        fsr_partition_level_all(p);
}
