/* SPDX-License-Identifier: MIT */
/* When alternatives of a GPU's map have branches.
 *
 * By itself a thread evaluates every side of its choices, loads by the guards that are asked for first, since a
 * predicate costs less than a branch. What a version of the program spares, it spares most elements of a kernel with
 * few instructions. In all others, borders of borders, planes of a lattice that are rolled, a quotient that is pasted
 * twice, threads go the way of their element: the warps that an edge runs through go both.
 *
 * Counter-example to versions of any length: of 243 instructions in five choices every warp at an edge runs all, and
 * what is not loaded is 0, whose quotient is a call. */
#include "fusion/branch.h"
#include "fusion/schedule_parts.h"

enum {
    WARP = 32,
    WORTH = 24 /* instructions of an element; of one of a vector that is given up for it, twice as many */
};

static double at_most_one(double share) {
    return share < 1 ? share : 1;
}

/* The part of the elements that go, or whose neighbours in a warp go, where the guard holds, given conditions that are
 * known to; *fails: where it does not. */
static double guard_share(const fsr_group *group, int guard, uint64_t known, double *fails) {
    const fsr_guard *g = &group->kernel->guard[guard];
    double exact = 1, holds = 1, beside = 0;
    for (int i = 0; i < g->n; ++i) {
        double period;
        if (known >> g->condition[i] & 1)
            continue;
        const double share = fsr_condition_share(group, g->condition[i], &period);
        const double own = share > 0 && share < 1 ? (WARP - 1) / period : 0;
        exact *= share;
        holds *= at_most_one(share + own);
        beside = own > beside ? own : beside;
    }
    *fails = exact < 1 ? at_most_one(1 - exact + beside) : 0;
    return exact > 0 ? holds : 0;
}

/* Of both sides of a choice: where its guard holds, and where it does not. */
static void set_sides(const fsr_group *group, const fsr_branches *branches, int choice, double around, double *side) {
    const fsr_kernel *k = group->kernel;
    const uint64_t known = fsr_branch_holds(k, branches, branches->of[choice]);
    double fails;
    const double holds = guard_share(group, k->inst[k->inst[choice].arg[0]].index, known, &fails);
    side[0] = around * holds;
    side[1] = around * fails;
}

/* A choice stands behind what it chooses of, so those around a branch are met first from the last instruction on. */
void fsr_branch_shares(const fsr_group *group, const fsr_body *body, const fsr_branches *branches, double *share) {
    double own[2 * FSR_MAX_INSTS];
    for (int i = body->n - 1; i >= 0; --i) {
        const int number = body->inst[i], branch = branches->of[number];
        share[number] = branch == FSR_NEVER_NEEDED ? 0 : branch == FSR_NO_BRANCH ? 1 : own[branch];
        if (share[number] > 0 && fsr_inst_is_choice(group->kernel, number))
            set_sides(group, branches, number, share[number], own + 2 * number);
        else
            own[2 * number] = own[2 * number + 1] = 0;
    }
}

/* Instructions of an element, and those that are evaluated of it in branches. */
static double count(const fsr_group *group, double *taken) {
    double all = 0, share[FSR_MAX_INSTS];
    fsr_branches branches;
    fsr_body body;
    *taken = 0;
    fsr_body_of(group->kernel, 0, &body);
    fsr_branches_of(group->kernel, &body, &branches);
    fsr_branch_shares(group, &body, &branches, share);
    for (int i = 0; i < body.n; ++i) {
        all += branches.of[body.inst[i]] != FSR_NEVER_NEEDED;
        *taken += share[body.inst[i]];
    }
    return all;
}

void fsr_choose_branches(fsr_group *group) {
    fsr_schedule *s = &group->kernel->schedule;
    double taken;
    if (!fsr_kernel_may_branch(group->kernel) || fsr_gpu_has_version(group->kernel) ||
        count(group, &taken) - taken < WORTH)
        return;
    s->branched = true;
    s->nversions = 0;
    s->items = 1;
}
