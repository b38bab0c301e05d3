/* SPDX-License-Identifier: MIT */
/* Which groups a root may be near to: those that it needs, and those that read an array that it reads.
 *
 * Each array has a list of the groups that read it, the newest first; groups that read none have one of their own. A
 * few of each list are looked at, however many groups there are. What two kernels do in common is counted by the nodes
 * that their instructions come from, before anything is lowered.
 *
 * Counter-example to the newest groups of all: sums of 33 arrays, and then their minima in the same order: with a
 * window of 32 groups each minimum comes one too late, and every array is read twice. */
#include "fusion/partition_parts.h"
#include <stdlib.h>
#include <string.h>

/* The head of the list of an operand. */
static int *head_of(const fsr_partition *p, const fsr_operand *o) {
    return o->leaf ? &p->reader_of_leaf[o->ordinal]
                   : &p->reader_of_value[o->link.id * FSR_MAX_OUTPUTS + o->link.output];
}

static bool has(const fsr_group *group, const fsr_operand *o) {
    for (int i = 0; group && i < fsr_group_arrays(group); ++i)
        if (fsr_group_reads(group, i) && fsr_operand_equal(&group->operand[i], o))
            return true;
    return false;
}

bool fsr_reader_push(fsr_partition *p, int *head, int g) {
    if (p->nreaders == p->reader_capacity) {
        int capacity = p->reader_capacity ? p->reader_capacity * 2 : 64;
        fsr_reader *grown = realloc(p->reader, sizeof *grown * (size_t)capacity);
        if (!grown)
            return false;
        p->reader = grown;
        p->reader_capacity = capacity;
    }
    p->reader[p->nreaders] = (fsr_reader){g, *head};
    *head = p->nreaders++;
    return true;
}

void fsr_near_add(fsr_partition *p, int g, const fsr_group *before, const fsr_group *now) {
    bool bare = true, good = true;
    for (int i = 0; i < fsr_group_arrays(now) && good; ++i) {
        if (!fsr_group_reads(now, i))
            continue;
        bare = false;
        good = has(before, &now->operand[i]) || fsr_reader_push(p, head_of(p, &now->operand[i]), g);
    }
    if (bare && good && !before)
        good = fsr_reader_push(p, &p->bare_reader, g);
    *p->no_memory = *p->no_memory || !good;
}

/* Keeps the list in order, the newest first, and without doubles; the oldest go where it is full. */
static int insert(int *list, int n, int most, int g) {
    int at = n;
    while (at > 0 && list[at - 1] < g)
        --at;
    if ((at > 0 && list[at - 1] == g) || at == most)
        return n;
    n -= n == most;
    memmove(list + at + 1, list + at, sizeof *list * (size_t)(n - at));
    list[at] = g;
    return n + 1;
}

static int insert_list(const fsr_partition *p, int head, int *list, int n, int most) {
    for (int left = most; head >= 0 && left > 0; head = p->reader[head].next, --left)
        if (p->group[p->reader[head].group].kernel)
            n = insert(list, n, most, p->reader[head].group);
    return n;
}

int fsr_near(const fsr_partition *p, const fsr_group *group, int *list, int most) {
    int n = 0;
    bool bare = true;
    for (int i = 0; i < fsr_group_arrays(group); ++i) {
        if (!fsr_group_reads(group, i))
            continue;
        bare = false;
        n = insert_list(p, *head_of(p, &group->operand[i]), list, n, most);
    }
    if (bare)
        n = insert_list(p, p->bare_reader, list, n, most);
    for (int i = 0; i < group->ndeps; ++i)
        n = insert(list, n, most, group->deps[i]);
    return n;
}

/* Literals and parameters cost nothing. */
static bool counts(const fsr_inst *at) {
    return at->node >= 0 && at->kind != FSR_INST_CONST && at->kind != FSR_INST_PARAM;
}

/* The value of a load that group g stores because programs are cut there. */
static bool is_cut(const fsr_partition *p, int g, const fsr_inst *at, fsr_held held) {
    return at->kind == FSR_INST_LOAD && p->held[at->node] == held &&
           *fsr_partition_stored(p, (fsr_link){at->node, 0}) == g;
}

/* A program that goes on where the group's was cut stays apart, unless they have more than that in common. */
const char *fsr_kernels_apart(fsr_partition *p, int g, const fsr_kernel *own, const fsr_kernel *other, bool needed) {
    int shared = 0, together = 0, cut = 0, folded = 0, mark = ++p->marks;
    for (int i = 0; i < own->ninsts; ++i)
        if (counts(&own->inst[i])) {
            p->mark[own->inst[i].node] = mark;
            ++together;
        }
    for (int i = 0; i < other->ninsts; ++i) {
        bool common = counts(&other->inst[i]) && p->mark[other->inst[i].node] == mark;
        shared += common;
        together += counts(&other->inst[i]) && !common;
        cut += is_cut(p, g, &other->inst[i], FSR_HELD_LONG);
        folded += is_cut(p, g, &other->inst[i], FSR_HELD_FOLDED);
    }
    if (folded)
        return "the kernel would have too many folds";
    if (!needed && !shared)
        return "the kernels have nothing in common";
    return together > FSR_LONG_PROGRAM || (cut && shared <= cut)
               ? "the kernel would have too long a program or too many arrays"
               : NULL;
}
