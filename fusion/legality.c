/* SPDX-License-Identifier: MIT */
/* What may not be one kernel although it can be written as one: the rules, each with its reason in words.
 *
 * Passes. A kernel with several passes over a row needs the whole row's fold before the next pass starts. Along rows
 * of adjacent elements a block does that by itself, or, for rows too long to hold, a team of blocks that meet between
 * passes; folds that keep the order of columns, and scans, have no teams, nor has a device that cannot promise to run
 * all blocks of a launch at once: they then need enough rows to fill the machine with a block each.
 * Where the folded dimension is the outer one, a thread walks its column alone, which needs many columns.
 * Scans. A scan over rows too long for a block is tiled with a look-back: one pass. One by an operator that is not
 * associative goes down columns, however they lie, a thread each.
 * Loops for each element. A CPU runs those of a row side by side, and rows of few columns fill no vector. Those of the
 * rows' results run one after the other: where rows are short and many, that takes longer than storing what is folded.
 * Which kernels there are decides how folds associate; so "the machine" is the nominal one (fsr_nominal_gpu).
 * Counter-example to "everything legal fuses": softmax over one row of 2^27 elements in one block. */
#include "fusion/pairs.h"
#include "fusion/partition_parts.h"
#include "fusion/schedule.h"

enum { COLUMN_THREADS = 256, LOOP_LANES = 16, SHORT_ROW = 64, MANY_ROWS = 256 };

/* Along columns every thread leaves the states of all folds of a pass in shared memory. */
static int64_t column_state_bytes(const fsr_kernel *k) {
    int64_t most = 0;
    for (int pass = 0; pass < k->npasses; ++pass) {
        int64_t bytes = 0;
        for (int i = 0; i < k->nfolds; ++i)
            bytes += k->fold[i].pass == pass ? (fsr_combine_bytes(k->fold[i].combine) + 7) / 8 * 8 : 0;
        most = bytes > most ? bytes : most;
    }
    return most;
}

static const char *passes_along_rows(const fsr_group *group, const fsr_target *target) {
    int64_t rows = group->kernel->integer[FSR_INT_ROWS], cols = group->kernel->integer[FSR_INT_COLS];
    if (cols <= fsr_schedule_row_capacity(group) || fsr_schedule_team_fits(group->kernel, target))
        return NULL;
    if (rows >= fsr_ceil_div(fsr_nominal_gpu.processors, 2))
        return NULL;
    return "its rows are too long for a block to hold and too few to fill the machine with one block each";
}

static const char *passes_along_columns(const fsr_group *group) {
    if (group->kernel->integer[FSR_INT_ROWS] >= (int64_t)fsr_nominal_gpu.processors * COLUMN_THREADS)
        return NULL;
    return "the folded dimension is the outer one in memory and there are too few columns to give each a thread";
}

static int unstored_of(const fsr_partition *p, const fsr_group *group, int node) {
    int n = 0;
    for (int output = 0; output < p->flow->node[node].nout; ++output)
        n += p->used[node * FSR_MAX_OUTPUTS + output] && !fsr_group_stores(group, (fsr_link){node, output});
    return n;
}

/* Results of folds and loops that another kernel may still ask this one to store. */
static int unstored_results(const fsr_partition *p, const fsr_group *group) {
    int n = 0;
    for (int i = 0; i < group->nfolds; ++i)
        n += unstored_of(p, group, group->fold[i]);
    for (int i = 0; i < group->nloops; ++i)
        n += unstored_of(p, group, group->loop[i]);
    return n;
}

const char *fsr_legality_room(const fsr_partition *p, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const int results = unstored_results(p, group);
    if (k->narrays + results > FSR_MAX_BUFFERS || k->naccesses + results > FSR_MAX_ACCESSES)
        return "the kernel would have too many arrays";
    if (k->ninsts + 2 * results > FSR_MAX_INSTS || k->nints + (FSR_MAX_DIMS + 1) * results > FSR_MAX_INTS)
        return "the kernel would have too many instructions";
    return NULL;
}

/* Arguments must fit the launch. */
static const char *limits(const fsr_partition *p, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const fsr_target *target = p->target;
    const char *reason = fsr_legality_room(p, group);
    if (reason)
        return reason;
    if (fsr_kernel_has_sequence(k) && (k->nloops || k->nparallel == 0))
        return "a scan that goes down a column element by element stands beside no loop for each element";
    if (k->ninsts > FSR_LONG_PROGRAM && group->nfolds + group->nstores > 1)
        return "the kernel would have too long a program";
    return target->gpu && fsr_kernel_parameter_bytes(k) > target->max_parameter_bytes
               ? "the kernel would have too many arguments"
               : NULL;
}

static bool has_loop_at(const fsr_kernel *k, fsr_level level) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_ITERATE && k->stand[i].level == level)
            return true;
    return false;
}

/* A CPU runs loops for each element of columns in lanes, which are of one row, and those of rows in none.
 * Counter-example to the columns of a row alone: a binary search behind a sum of three products took three times as
 * long as both apart. */
static bool wastes_lanes(const fsr_partition *p, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const int64_t cols = k->integer[FSR_INT_COLS];
    if (p->target->gpu || !group->nloops || !group->nfolds)
        return false;
    if (cols < SHORT_ROW && k->integer[FSR_INT_ROWS] >= MANY_ROWS && has_loop_at(k, FSR_ROW))
        return true;
    return cols < LOOP_LANES && has_loop_at(k, FSR_ELEM) && fsr_group_orientation(group) == FSR_ORIENT_ROWS;
}

const char *fsr_legality(const fsr_partition *p, const fsr_group *group, fsr_link *blame) {
    const fsr_kernel *k = group->kernel;
    const fsr_target *target = p->target;
    const char *reason = fsr_pairs_forbid(p, k, blame);
    if (!reason)
        reason = limits(p, group);
    if (!reason && wastes_lanes(p, group)) {
        *blame = fsr_partition_first_used(p, group->loop[0]);
        return "rows are too short for loops for each element side by side";
    }
    if (reason || !target->gpu || k->npasses == 0)
        return reason;
    bool rows = fsr_group_orientation(group) == FSR_ORIENT_ROWS;
    if (!rows && column_state_bytes(k) * COLUMN_THREADS > fsr_nominal_gpu.shared_bytes)
        return "the states of its folds would not fit into a block's shared memory";
    if (k->npasses > 1)
        reason = rows ? passes_along_rows(group, target) : passes_along_columns(group);
    return reason;
}
