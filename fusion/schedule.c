/* SPDX-License-Identifier: MIT */
/* The schedule rules. Everything here, in schedule_gpu.c and in schedule_cpu.c is a function of sizes, dtypes and the
 * target: the same plan for the same sizes.
 *
 * What both machines ask for: how the folded dimensions lie in memory, how wide an index is, which vectors fit, what
 * is kept between passes. A CPU has the GPU's frames for one thread; accumulators in `lanes`, chunks for the pairwise
 * tree.
 *
 * Counter-example to choosing by timing: the association of a float sum would change from run to run. */
#include "fusion/address.h"
#include "fusion/nest.h"
#include "fusion/once.h"
#include "fusion/schedule_parts.h"
#include <stdlib.h>

enum {
    BLOCK = 4,     /* neighbours that are worth being a thread's where no array says how many */
    WINDOW = 256,  /* columns of windows, up to which 200,000 of them beside each other are 1.05 to 13 times as fast */
    WINDOWS = 128, /* as those along themselves, if there are so many */
};

static fsr_form form_of(const fsr_group *group, int access) {
    return fsr_form_of_access(group->kernel, group->kernel->integer, access);
}

/* Elements that neighbours along dimension d read a stride apart. */
static double strided(const fsr_group *group, int d) {
    double elements = 0;
    for (int i = 0; i < group->kernel->naccesses; ++i) {
        const fsr_form f = form_of(group, i);
        if (fsr_form_varies(&f, group->kernel->nparallel, group->kernel->ndim) && fsr_form_varies(&f, d, d + 1) &&
            !fsr_form_is_beside(&f, d))
            elements += (double)fsr_form_count(&f);
    }
    return elements;
}

/* A dimension along which an array lies: neighbours are beside each other in memory, or share a line of it, which those
 * of no other dimension do. Counter-example to the former alone: sums down every third column, whose neighbours are 12
 * bytes apart along the rows, and a row of the array along the columns. */
static bool lies_along(const fsr_form *f, int d) {
    bool near = f->divisor == 1 && f->extent[d] > 1 && !(f->moves >> d & 1) && f->stride[d] != 0 &&
                llabs(f->stride[d]) < FSR_CLOSE;
    for (int e = 0; near && e < f->ndim; ++e)
        near = e == d || f->extent[e] <= 1 || f->stride[e] == 0 || llabs(f->stride[e]) >= FSR_CLOSE;
    return near || (fsr_form_is_beside(f, d) && f->extent[d] > 1);
}

/* Decided by the largest array that varies along the folded dimensions (the sum over accesses): whether it lies along a
 * folded or a parallel dimension. An access in the domain's own order settles it. Where there are arrays of
 * both sorts, by what would be read with a stride: an array that lacks the dimension is not. Counter-example to sizes
 * alone: of the product of two square matrices the first lies along the rows, the second along the columns, and along
 * the rows every element of the second is a stride apart, along the columns none of the first. */
fsr_orientation fsr_group_orientation(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    if (k->npasses == 0)
        return FSR_ORIENT_NONE;
    double inner = 0, outer = 0;
    for (int i = 0; i < k->naccesses; ++i) {
        const fsr_form f = form_of(group, i);
        double elements = fsr_form_varies(&f, k->nparallel, k->ndim) ? (double)fsr_form_count(&f) : 0;
        if (elements > 0 && k->access[i].linear)
            return FSR_ORIENT_ROWS;
        for (int d = 0; d < k->ndim; ++d)
            if (lies_along(&f, d))
                *(d < k->nparallel ? &outer : &inner) += elements;
    }
    if (inner > 0 && outer > 0 && k->nparallel) {
        const double rows = strided(group, k->ndim - 1), cols = strided(group, k->nparallel - 1);
        if (rows < cols || cols < rows)
            return cols < rows ? FSR_ORIENT_COLS : FSR_ORIENT_ROWS;
    }
    return outer > inner ? FSR_ORIENT_COLS : FSR_ORIENT_ROWS;
}

bool fsr_group_slides(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const int rows = k->nparallel - 1, cols = k->ndim - 1;
    bool slides = false;
    if (rows < 0 || cols == rows || group->extent[cols] > WINDOW || group->extent[rows] < WINDOWS ||
        fsr_kernel_has_scan(k))
        return false;
    for (int i = 0; i < k->naccesses; ++i) {
        const fsr_form f = form_of(group, i);
        if (k->access[i].linear && fsr_form_varies(&f, k->nparallel, k->ndim))
            return false;
        slides = slides || (fsr_form_is_beside(&f, rows) && fsr_form_is_beside(&f, cols));
    }
    return slides && strided(group, rows) == 0;
}

int fsr_kernel_widest(const fsr_kernel *k) {
    size_t widest = 1;
    for (int i = 0; i < k->narrays; ++i)
        if (fsr_dtype_size(k->array[i].dtype) > widest)
            widest = fsr_dtype_size(k->array[i].dtype);
    return (int)widest;
}

int fsr_columns_widest(const fsr_kernel *k) {
    size_t widest = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        const bool access = inst->kind == FSR_INST_LOAD || inst->kind == FSR_INST_STORE;
        if (access && k->stand[i].level == FSR_ELEM && fsr_dtype_size(inst->dtype) > widest)
            widest = fsr_dtype_size(inst->dtype);
    }
    return widest ? (int)widest : 4;
}

int fsr_inst_last_use(const fsr_kernel *k, int value) {
    int last = -1;
    for (int i = value + 1; i < k->ninsts; ++i) {
        if (k->stand[i].pass > last && fsr_inst_reads(k, i, value))
            last = k->stand[i].pass;
    }
    return last;
}

/* A bare index or a guard is cheaper to evaluate again. */
bool fsr_inst_crosses(const fsr_kernel *k, int value) {
    const fsr_inst *at = &k->inst[value];
    if (k->stand[value].level != FSR_ELEM || at->kind == FSR_INST_STORE || at->kind == FSR_INST_COMBINE ||
        at->kind == FSR_INST_INDEX || at->kind == FSR_INST_GUARD || at->kind == FSR_INST_ITERATE)
        return false;
    return fsr_inst_last_use(k, value) > k->stand[value].pass;
}

void fsr_schedule_keep(fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; ++i)
        k->stand[i].keep = fsr_inst_crosses(k, i);
}

/* True if the sum of an access, or what its strides alone come to, passes the limit in either direction. */
static bool reaches(const fsr_group *group, int form, int64_t limit) {
    const fsr_form f = fsr_form_of(group->kernel, group->kernel->integer, form);
    int64_t low, high;
    fsr_form_range(&f, &low, &high);
    return high > limit || fsr_size_add(f.offset > 0 ? f.offset : 0, -low) > limit;
}

/* A stride or an extent of a loop's table does: its addresses are 64-bit numbers in any case. */
static bool table_reaches(const fsr_group *group, int loop, int table, int64_t limit) {
    const fsr_turns *turns = &group->kernel->loop[loop];
    for (int j = 0; j < turns->program->body.table[table].ndim; ++j) {
        const int64_t extent = group->kernel->integer[turns->table[table].end[j]];
        const int64_t stride =
            turns->table[table].stride[j] ? group->kernel->integer[turns->table[table].stride[j]] : 1;
        if (extent > limit || stride > limit || stride < -limit)
            return true;
    }
    return false;
}

/* points: the greatest number that a frame gives a point of the domain, or a row where it does not count points. */
static bool needs_wide(const fsr_group *group, int64_t points) {
    const int64_t limit = ((int64_t)1 << 31) - ((int64_t)1 << 22);
    const fsr_kernel *k = group->kernel;
    if (points > limit)
        return true;
    for (int d = 0; d < k->ndim; ++d) /* an empty domain may have a long dimension */
        if (group->extent[d] > limit)
            return true;
    for (int i = 0; i < k->naccesses; ++i)
        if (reaches(group, k->access[i].form, limit))
            return true;
    for (int i = 0; i < k->nconditions; ++i)
        if (reaches(group, k->condition[i].form, limit) || group->kernel->integer[k->condition[i].extent] > limit)
            return true;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_INSIDE && group->kernel->integer[k->inst[i].index] > limit)
            return true;
    for (int i = 0; i < k->naccesses; ++i)
        if (k->access[i].size && group->kernel->integer[k->access[i].size] > limit)
            return true;
    for (int l = 0; l < k->nloops; ++l)
        for (int t = 0; t < k->loop[l].program->body.ntables; ++t)
            if (table_reaches(group, l, t, limit))
                return true;
    return false;
}

/* An elementwise kernel of one dimension guards the elements of its last vector one by one, where they are adjacent
 * from the start or all the same. */
static bool guards_tail(const fsr_kernel *k) {
    if (k->nguards)
        return false;
    for (int i = 0; i < k->naccesses; ++i)
        if (!k->access[i].linear && (fsr_access_form(k, i)->stride[0] != FSR_STRIDE_ZERO))
            return false;
    return k->ndim == 1 && k->npasses == 0;
}

/* A vector along dimension d lies inside or outside of every guard as a whole. */
static bool guards_fit(const fsr_group *group, int d, int v) {
    const fsr_kernel *k = group->kernel;
    for (int i = 0; i < k->nconditions; ++i) {
        const fsr_condition *c = &k->condition[i];
        const fsr_form f = fsr_form_of(k, group->kernel->integer, c->form);
        if (!fsr_form_varies(&f, d, d + 1))
            continue;
        if (!fsr_form_is_adjacent(&f, d) || c->step || group->kernel->integer[c->extent] % v != 0 ||
            !fsr_form_is_aligned(&f, d, v))
            return false;
    }
    return true;
}

/* Whether vectors of v elements along domain dimension d never straddle or misalign: every access that is adjacent
 * along d starts its runs at multiples of v. */
static bool vector_fits(const fsr_group *group, int d, int v) {
    const fsr_kernel *k = group->kernel;
    if (!guards_tail(k) && (group->extent[d] % v != 0 || !guards_fit(group, d, v)))
        return false;
    for (int i = 0; i < k->naccesses; ++i) {
        const fsr_form f = form_of(group, i);
        if (f.divisor != 1 && fsr_form_varies(&f, d, d + 1))
            return false;
        if (fsr_form_is_adjacent(&f, d) && !fsr_form_is_aligned(&f, d, v))
            return false;
    }
    return true;
}

static bool any_adjacent(const fsr_group *group, int d) {
    for (int i = 0; i < group->kernel->naccesses; ++i) {
        const fsr_form f = form_of(group, i);
        if (fsr_form_is_adjacent(&f, d))
            return true;
    }
    return false;
}

bool fsr_any_block(const fsr_kernel *k, int d) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_OP && (fsr_op_get(k->inst[i].op)->flags & FSR_OP_BLOCKS) &&
            fsr_value_dimensions(k, i) >> d & 1)
            return true;
    return false;
}

int fsr_schedule_vector(const fsr_group *group, int d, int most) {
    const bool adjacent = d >= 0 && any_adjacent(group, d);
    if (d < 0 || !(adjacent || fsr_any_block(group->kernel, d)))
        return 1;
    int v = adjacent || most > BLOCK ? most : BLOCK;
    while (v > 1 && !vector_fits(group, d, v))
        v /= 2;
    return v;
}

bool fsr_kernel_has_loops(const fsr_kernel *k) {
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_ITERATE && (k->stand[i].level == FSR_ELEM || k->npasses == 0))
            return true;
    return false;
}

void fsr_schedule_finish(fsr_kernel *k) {
    if (k->schedule.target == FSR_TARGET_GPU)
        fsr_finish_gpu(k);
    else
        fsr_finish_cpu(k);
}

/* One function has one type of indices. */
static void widen_nests(fsr_kernel *k) {
    for (int i = 0; k->nests && i < k->nests->n; ++i)
        k->schedule.wide = k->schedule.wide || k->nests->nest[i].kernel->schedule.wide;
    for (int i = 0; k->nests && i < k->nests->n; ++i)
        k->nests->nest[i].kernel->schedule.wide = k->schedule.wide;
}

bool fsr_schedule_choose(fsr_group *group, const fsr_target *target) {
    bool good = true;
    fsr_schedule *s = &group->kernel->schedule;
    const int64_t rows = group->kernel->integer[FSR_INT_ROWS];
    *s = (fsr_schedule){.target = target->gpu ? FSR_TARGET_GPU : FSR_TARGET_CPU,
                        .deep = s->deep,
                        .high = s->high,
                        .broad = s->broad,
                        .beyond = {s->beyond[0], s->beyond[1], s->beyond[2]}};
    if (target->gpu)
        good = fsr_schedule_gpu(group, target);
    else
        good = fsr_schedule_cpu(group);
    s->wide = needs_wide(group, s->tall ? rows : fsr_size_mul(rows, group->kernel->integer[FSR_INT_COLS]));
    if (target->gpu) {
        widen_nests(group->kernel);
        s->streams = fsr_kernel_reads_once(group->kernel);
    }
    return good;
}
