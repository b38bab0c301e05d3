/* SPDX-License-Identifier: MIT */
/* Columns that lie beside each other as the rows of a block do (schedule.beside, fusion/schedule_beside.c), in
 * generated C: one loop over the elements of both, a state each. Where the chunk ends a row's states meet, in the
 * order of its columns, and row j's stands at place j: places are read before they are written, as j is at most the
 * first of those that row j's states have. What the loop takes of a row is spread over its elements before: a compiler
 * makes a few vectors of that, and of a row's value at place j / 4 a load for each element.
 * Elements at computed places are loaded by a stage of their own, between such loops, row by row; so does a scan go. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

void fsr_c_beside_begin(fsr_c_emit *e) {
    fsr_c_begin(e, "for (i64 j = 0; j < m * %d; ++j)", e->s->beside);
}

bool fsr_c_lies_beside(const fsr_c_emit *e, const fsr_body *loop) {
    return e->s->beside && (loop->nfolds || e->walk->form == FSR_WALK_BESIDE);
}

static bool takes(const fsr_c_emit *e, const fsr_body *loop, int value) {
    bool any = false;
    for (int i = 0; i < loop->n; i++)
        any = any || fsr_inst_reads(e->k, loop->inst[i], value);
    return any && e->k->stand[value].level == FSR_ROW && !fsr_c_invariant(e->k, value);
}

/* A row's value for each of its elements: of few elements written out, of which a compiler makes whole vectors of
 * several rows. Counter-example to a loop over 3: of each row a half vector and one more, 0.39 ns, and 0.25 so; to 8
 * written out: 0.58 ns, and 0.35 as a loop, which is a whole vector. */
static void put_spread(fsr_c_emit *e, int value) {
    const int beside = e->s->beside;
    for (int l = 0; l < beside && beside <= FSR_WRITTEN_OUT; l++)
        fsr_c_line(e, "spread%d[j * %d + %d] = v%d[j];", value, beside, l, value);
    if (beside <= FSR_WRITTEN_OUT)
        return;
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", beside);
    fsr_c_line(e, "spread%d[j * %d + l] = v%d[j];", value, beside, value);
    fsr_c_end(e);
}

void fsr_c_beside_spread(fsr_c_emit *e, const fsr_body *loop) {
    for (int i = 0; i < e->k->ninsts; i++) {
        if (!takes(e, loop, i))
            continue;
        fsr_c_line(e, "%s spread%d[%d];", fsr_c_row_type(e, i), i, e->s->beside * e->s->abreast);
        fsr_c_independent(e);
        fsr_c_rows_begin(e);
        put_spread(e, i);
        fsr_c_rows_end(e);
    }
}

/* Elements of all rows of a block, as one loop, of a pass or a stage of it. */
static void put_elements(fsr_c_emit *e, const fsr_body *part) {
    e->beside = true;
    fsr_c_independent(e);
    fsr_c_beside_begin(e);
    for (int i = 0; i < part->nfolds && e->k->ndim - e->k->nparallel == 1; i++)
        fsr_c_fold_identity(e, part->folds[i], 'q', "[j]");
    fsr_c_take(e, part, "j");
    fsr_c_column(e, part->pass, part->inst, part->n);
    fsr_c_hold(e, part, "j");
    fsr_c_end(e);
    e->beside = false;
}

/* In a block of its own: it may look at arguments first. */
static void put_stage(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_begin(e, "%s", "");
    fsr_c_by_range(e, part, put_elements);
    fsr_c_end(e);
}

/* Row by row: what is loaded at computed places, whose address has terms of the row and of the column beside that; and
 * a scan. */
static void put_row_by_row(fsr_c_emit *e, const fsr_body *part, bool scalar) {
    const char *const linear = e->linear, *const var = e->loop_var;
    char at[FSR_EMIT_NAME], *const index = e->index[e->k->ndim - 1], saved[FSR_MAX_ACCESSES][FSR_EMIT_NAME];
    snprintf(at, sizeof at, "j * %d + l", e->s->beside);
    e->linear = e->k->ndim - e->k->nparallel > 1 ? "(r + j) * cols + run + l" : "(r + j) * cols + l";
    e->loop_dim = e->k->ndim - 1;
    e->loop_var = "l";
    snprintf(index, FSR_EMIT_NAME, "l");
    memcpy(saved, e->base, sizeof saved);
    fsr_c_rows_begin(e);
    fsr_c_stay_by_row(e, part);
    if (!scalar && !part->nfolds)
        fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->beside);
    if (scalar)
        fsr_c_scalar_mark(e);
    fsr_c_take(e, part, at);
    fsr_c_column(e, part->pass, part->inst, part->n);
    fsr_c_hold(e, part, at);
    fsr_c_end(e);
    fsr_c_rows_end(e);
    e->loop_dim = -1;
    e->loop_var = var;
    e->linear = linear;
    snprintf(index, FSR_EMIT_NAME, "c");
    memcpy(e->base, saved, sizeof saved);
}

void fsr_c_beside(fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS];
    e->loop_dim = -1;
    if (!fsr_walk_is_staged(e->walk)) {
        put_elements(e, loop);
        return;
    }
    const int stages = fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    for (int s = 0; s < stages; s++) {
        fsr_body part;
        fsr_body_stage(e->k, loop, stage, s, &part);
        if (!fsr_c_is_needed(e, &part))
            continue;
        if (fsr_body_gathers(e->k, &part))
            put_row_by_row(e, &part, true);
        else if (fsr_body_has_scan(e->k, &part) || fsr_body_lies_apart(e->k, &part))
            put_row_by_row(e, &part, false);
        else
            put_stage(e, &part);
    }
}

/* One fold's states of row j, which are `by` apart. */
static void put_meeting(fsr_c_emit *e, int fold, const char *by) {
    const fsr_combine *c = e->k->fold[fold].combine;
    char at[FSR_EMIT_NAME + 32];
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "%s g%d_%d = q%d_%d[j * %s];", fsr_c_type(fsr_combine_dtype(c, i)), fold, i, fold, i, by);
    for (int i = 1; i < e->s->beside; i++) {
        snprintf(at, sizeof at, "[j * %s + %d]", by, i);
        fsr_c_fold_pair(e, fold, 'g', "", 'q', at);
    }
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "q%d_%d[j] = g%d_%d;", fold, i, fold, i);
}

/* gcc takes vectors of elements apart that lie by three, or by a power of two. */
static bool is_taken_apart(int stride) {
    return stride == 3 || (stride & (stride - 1)) == 0;
}

/* gcc makes no vector code of a loop that takes several of 14 elements, and does of elements of which it does not know
 * how far they are apart: the largest of each 14 of 700,000 f32 took 0.63 ms, and 0.16 so. */
void fsr_c_beside_meet(fsr_c_emit *e, const int *folds, int n) {
    char by[FSR_EMIT_NAME];
    bool any = false;
    for (int i = 0; i < n; i++)
        any = any || !fsr_c_is_scan(e, folds[i]);
    snprintf(by, sizeof by, "%d", e->s->beside);
    if (any && !is_taken_apart(e->s->beside)) {
        fsr_c_line(e, "i64 by = %d;", e->s->beside);
        fsr_c_line(e, "__asm__(\"\" : \"+r\"(by));");
        snprintf(by, sizeof by, "by");
    }
    for (int i = 0; i < n; i++) {
        if (fsr_c_is_scan(e, folds[i]))
            continue;
        fsr_c_independent(e);
        fsr_c_rows_begin(e);
        put_meeting(e, folds[i], by);
        fsr_c_rows_end(e);
    }
}
