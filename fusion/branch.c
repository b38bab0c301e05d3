/* SPDX-License-Identifier: MIT */
/* Branches; see branch.h. An instruction stands in the innermost branch in which all stand that read it: from the last
 * one on, what reads a value is known when the value is met. What has an effect stands in none.
 *
 * Counter-example to the branch of the first reader: what both sides of a choice read is needed before either. */
#include "fusion/branch.h"

bool fsr_inst_is_choice(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    return inst->kind == FSR_INST_OP && fsr_op_get(inst->op)->rule == FSR_RULE_SELECT &&
           k->inst[inst->arg[0]].kind == FSR_INST_GUARD;
}

/* What combines into bins, goes in squares or tiles, or ends at a count has frames of its own. Where a thread has
 * vectors these are inside of every guard, or outside, as a whole: kernels are divided there (divide.c). */
bool fsr_kernel_may_branch(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    return s->target == FSR_TARGET_GPU && s->kind == FSR_SCHEDULE_MAP && s->vector == 1 && !s->tile && !s->bins &&
           !s->high && !k->live && k->nguards > 0;
}

static int above(const fsr_branches *b, int branch) {
    return b->of[fsr_branch_choice(branch)];
}

static int depth_of(const fsr_branches *b, int branch) {
    int depth = 0;
    for (; branch >= 0; branch = above(b, branch))
        ++depth;
    return depth;
}

/* The innermost branch around both. */
static int meet(const fsr_branches *b, int x, int y) {
    int of_x = depth_of(b, x), of_y = depth_of(b, y);
    for (; of_x > of_y; --of_x)
        x = above(b, x);
    for (; of_y > of_x; --of_y)
        y = above(b, y);
    while (x != y) {
        x = above(b, x);
        y = above(b, y);
    }
    return x;
}

static void need(fsr_branches *b, int value, int branch) {
    b->of[value] = b->of[value] == FSR_NEVER_NEEDED ? branch : meet(b, b->of[value], branch);
}

static bool has_effect(const fsr_inst *inst) {
    return inst->kind == FSR_INST_STORE || (inst->kind == FSR_INST_INSIDE && inst->report);
}

void fsr_branches_of(const fsr_kernel *k, const fsr_body *body, fsr_branches *out) {
    for (int i = 0; i < k->ninsts; ++i)
        out->of[i] = FSR_NEVER_NEEDED;
    for (int i = body->n - 1; i >= 0; --i) {
        const int number = body->inst[i];
        int argument[FSR_MAX_ARGUMENTS], n = fsr_inst_arguments(k, number, argument);
        if (has_effect(&k->inst[number]))
            out->of[number] = FSR_NO_BRANCH;
        if (out->of[number] == FSR_NEVER_NEEDED)
            continue;
        const bool choice = fsr_inst_is_choice(k, number);
        for (int a = 0; a < n; ++a)
            need(out, argument[a], choice && a > 0 ? 2 * number + a - 1 : out->of[number]);
    }
}

static uint64_t conditions_of(const fsr_kernel *k, int guard) {
    uint64_t bits = 0;
    for (int j = 0; j < k->guard[guard].n; ++j)
        bits |= UINT64_C(1) << k->guard[guard].condition[j];
    return bits;
}

static int guard_of(const fsr_kernel *k, int branch) {
    return k->inst[k->inst[fsr_branch_choice(branch)].arg[0]].index;
}

uint64_t fsr_branch_holds(const fsr_kernel *k, const fsr_branches *branches, int branch) {
    uint64_t holds = 0;
    for (int b = branch; b >= 0; b = above(branches, b))
        holds |= b % 2 == 0 ? conditions_of(k, guard_of(k, b)) : 0;
    return holds;
}

/* From the innermost one outwards: all conditions of a guard that holds, the only unknown one of a guard that does
 * not. */
void fsr_branch_known(const fsr_kernel *k, const fsr_branches *branches, int branch, fsr_loop_version *known) {
    *known = (fsr_loop_version){fsr_branch_holds(k, branches, branch), 0};
    for (int b = branch; b >= 0; b = above(branches, b)) {
        const uint64_t left = b % 2 == 1 ? conditions_of(k, guard_of(k, b)) & ~known->holds : 0;
        if ((left & (left - 1)) == 0)
            known->never |= left;
    }
}
