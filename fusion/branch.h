/* SPDX-License-Identifier: MIT */
/* Branches of a map's program: where choices by guards have programs of their own for each side, and what stands in
 * which. Asked by the rule that chooses them, by prices and by the emitter. */
#ifndef FUSOR_FUSION_BRANCH_H
#define FUSOR_FUSION_BRANCH_H

#include "fusion/walk.h"

enum { FSR_NO_BRANCH = -1 };

/* The branch of each instruction: 2 * c + 0 of a choice c where its guard holds, 2 * c + 1 elsewhere; FSR_NO_BRANCH: it
 * is needed for every element, FSR_NEVER_NEEDED: for none. */
typedef struct fsr_branches {
    int of[FSR_MAX_INSTS];
} fsr_branches;

enum { FSR_NEVER_NEEDED = -2 };

static inline int fsr_branch_choice(int branch) {
    return branch / 2;
}

/* A choice between two values by a guard. */
bool fsr_inst_is_choice(const fsr_kernel *k, int number);
/* On a GPU: a map each element of which may go its own way. */
bool fsr_kernel_may_branch(const fsr_kernel *k);
void fsr_branches_of(const fsr_kernel *k, const fsr_body *body, fsr_branches *out);
/* Conditions that hold in a branch, a bit each. */
uint64_t fsr_branch_holds(const fsr_kernel *k, const fsr_branches *branches, int branch);
/* What is known of conditions in a branch. */
void fsr_branch_known(const fsr_kernel *k, const fsr_branches *branches, int branch, fsr_loop_version *known);

#endif
