/* What may not be one kernel although it can be written as one: the rules, each with its reason in words.
 *
 * Passes. A kernel with several passes over a row needs the whole row's fold before the next pass starts. Along rows of adjacent
 * elements a block does that by itself, or, for rows too long to hold, a team of blocks that meet between passes; folds that keep
 * the order of columns, and scans, have no teams: they then need enough rows to fill the machine with a block each. Where the folded dimension is the outer one, a thread walks its column alone, which needs many columns.
 * Scans. A scan over rows too long for a block is tiled with a look-back: one pass.
 * Counter-example to "everything legal fuses": softmax over one row of 2^27 elements in one block. */
#include "fusion/schedule.h"

static int count_scans(const fsr_kernel *k) {
    int n = 0;
    for (int i = 0; i < k->nfolds; ++i)
        n += k->fold[i].kind == FSR_FOLD_SCAN;
    return n;
}

static const char *passes_along_rows(const fsr_group *group, const fsr_target *target) {
    int64_t rows = group->integer[FSR_INT_ROWS], cols = group->integer[FSR_INT_COLS];
    if (cols <= fsr_schedule_row_capacity(group, target) || fsr_schedule_team_fits(group->kernel))
        return NULL;
    if (rows * 2 >= target->processors)
        return NULL;
    return "its rows are too long for a block to hold and too few to fill the machine with one block each";
}

static const char *passes_along_columns(const fsr_group *group, const fsr_target *target) {
    if (group->integer[FSR_INT_ROWS] >= (int64_t)target->processors * 256)
        return NULL;
    return "the folded dimension is the outer one in memory and there are too few columns to give each a thread";
}

/* Every fold's result may still have to be stored for another kernel: room for that is kept, so that adding such a store is never
 * refused. Arguments must fit the launch. */
static const char *limits(const fsr_kernel *k, const fsr_target *target) {
    int results = 0;
    for (int i = 0; i < k->nfolds; ++i)
        results += k->fold[i].combine->arity;
    if (k->nfolds > 0 && (k->narrays + results > FSR_MAX_BUFFERS || k->naccesses + results > FSR_MAX_ACCESSES))
        return "the kernel would have too many arrays";
    int bytes = 8 * (k->narrays + k->nints + k->nscalars + 2);
    return target->gpu && bytes > target->max_parameter_bytes ? "the kernel would have too many arguments" : NULL;
}

const char *fsr_legality(const fsr_partition *p, const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const fsr_target *target = p->target;
    const char *reason = limits(k, target);
    if (reason || !target->gpu || k->npasses == 0)
        return reason;
    bool rows = fsr_group_orientation(group) == FSR_ORIENT_ROWS;
    if (k->npasses > 1)
        reason = rows ? passes_along_rows(group, target) : passes_along_columns(group, target);
    if (!reason && count_scans(k) && k->npasses > 1 && rows &&
        group->integer[FSR_INT_COLS] > fsr_schedule_row_capacity(group, target) && group->integer[FSR_INT_ROWS] * 2 < target->processors)
        reason = "a scan over rows that need a look-back makes one pass";
    return reason;
}
