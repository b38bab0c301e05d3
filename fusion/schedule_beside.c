/* SPDX-License-Identifier: MIT */
/* Rules for columns that lie beside each other as the rows do: sums over squares of a picture, of 4 by 4 pixels say, or
 * over the few elements of a short last dimension. Of a block of rows by itself each column is a loop over the rows,
 * which reads every fourth element. But all of these loops together read a run of memory: so there is one loop along
 * it, in which each element has a state of its own, `beside` for a row, and these meet when the chunk ends.
 *
 * What the loop takes must lie so: each load goes on along the rows where the columns of the row before end, or is the
 * same for all of them, and nothing else in it knows a row or a column. So must what it stores: squares of rows of 12
 * beside their sums went element by element, 0.88 ms of 10^6 f32, and 0.51 so. States of one row are folded in another
 * order than its columns, so folds commute.
 *
 * Counter-example to every fourth element: differences of bytes, summed over squares of 4 by 4, took 1.10 ms of 1024 by
 * 2048 pixels, which is more than the three kernels take that compute the differences along the rows first. */
#include "fusion/address.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

enum {
    MOST = 31,              /* columns beside each other: more are worth a loop of their own */
    LEAST = 32,             /* elements of such a loop */
    LEAST_ROWS = 16,        /* of a block */
    ROW_STATES = 3,         /* states of a fold that a row has by itself: result, chunk, chunks that wait */
    STATE_BYTES = 32 << 10, /* and all that a block has */
};

/* Along both dimensions, or along neither. */
static bool is_joint(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_index_form *form = fsr_access_form(k, inst->index);
    if (fsr_inst_guard(inst) >= 0 || form->nterms || form->divisor)
        return false;
    return k->access[inst->index].linear ||
           ((form->stride[k->nparallel - 1] == FSR_STRIDE_ZERO) == (form->stride[k->ndim - 1] == FSR_STRIDE_ZERO));
}

/* Nothing in the loop takes what a row has. */
static bool takes_rows(const fsr_kernel *k, int number) {
    for (int i = 0; i < number; ++i)
        if (k->stand[i].level == FSR_ROW && fsr_inst_reads(k, number, i) && k->inst[i].kind != FSR_INST_CONST &&
            k->inst[i].kind != FSR_INST_PARAM)
            return true;
    return false;
}

static bool stands_beside(const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    switch (inst->kind) {
    case FSR_INST_CONST:
    case FSR_INST_PARAM: return true;
    case FSR_INST_OP: return !fsr_inst_is_limited(inst) && !takes_rows(k, number);
    case FSR_INST_COMBINE: return !takes_rows(k, number);
    case FSR_INST_LOAD: return is_joint(k, inst);
    case FSR_INST_STORE:
        return k->access[inst->index].linear && !inst->filter && !inst->combines && fsr_inst_guard(inst) < 0 &&
               !takes_rows(k, number);
    default: return false;
    }
}

bool fsr_kernel_may_lie_beside(const fsr_kernel *k) {
    fsr_body body;
    if (k->npasses != 1 || !k->nparallel || k->ndim == k->nparallel || k->nloops || k->nguards || k->live || k->nests ||
        !k->nfolds)
        return false;
    for (int f = 0; f < k->nfolds; ++f)
        if (k->fold[f].kind != FSR_FOLD_REDUCE || k->fold[f].combine->sequential || !k->fold[f].combine->commutative)
            return false;
    fsr_body_of(k, 0, &body);
    for (int i = 0; i < body.n; ++i)
        if (!stands_beside(k, body.inst[i]))
            return false;
    return true;
}

/* In this plan loads and stores that move do so from neighbour to neighbour, some of them do, and there are enough of
 * them. */
static bool lie_beside(const fsr_kernel *k) {
    const int row = k->nparallel - 1, col = k->ndim - 1;
    const int64_t beside = k->integer[FSR_INT_EXTENT + col];
    bool any = false;
    if (beside < 2 || beside > MOST || fsr_size_mul(beside, k->integer[FSR_INT_EXTENT + row]) < LEAST)
        return false;
    for (int i = 0; i < k->ninsts; ++i) {
        if ((k->inst[i].kind != FSR_INST_LOAD && k->inst[i].kind != FSR_INST_STORE) || k->stand[i].level != FSR_ELEM)
            continue;
        const fsr_form f = fsr_form_of_access(k, k->integer, k->inst[i].index);
        const bool moves = f.stride[row] || f.stride[col];
        if (moves && (f.stride[col] != 1 || f.stride[row] != beside))
            return false;
        any = any || moves;
    }
    return any;
}

bool fsr_columns_lie_beside(const fsr_kernel *k) {
    fsr_body body;
    if (!fsr_kernel_may_lie_beside(k) || !lie_beside(k))
        return false;
    fsr_body_of(k, 0, &body);
    return !fsr_body_is_phased(k, &body);
}

void fsr_finish_beside(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    int64_t bytes = 0;
    s->beside = 0;
    if (s->kind != FSR_SCHEDULE_COL || s->tall || s->abreast < 2 || !fsr_columns_lie_beside(k))
        return;
    s->beside = (int)k->integer[FSR_INT_EXTENT + k->ndim - 1];
    s->unroll = 0;
    for (int f = 0; f < k->nfolds; ++f)
        bytes += fsr_fold_element_bytes(&k->fold[f]);
    while (s->abreast > LEAST_ROWS && (s->beside + ROW_STATES) * bytes * s->abreast > STATE_BYTES)
        s->abreast /= 2;
}
