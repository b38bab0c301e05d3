/* SPDX-License-Identifier: MIT */
/* Rows whose columns are cut into parts (schedule.part), in generated C: what lets several threads work on one long
 * row.
 *
 * A part's state is what the stack of chunks would hold after it, and pushing the parts' states on the stack in place
 * of chunks' gives the same tree: a reduction has the same bits divided or not. A scan needs its carry before it
 * starts. Its parts are therefore folded first (FOLD), the carries handed on in order (CARRY), and the columns
 * scanned while they are still in the cache (PART). Of rows side by side, which are reductions, a part has the columns
 * of a block of rows, each with a state of its own. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include <stdio.h>

/* Words of 8 bytes of one component of a state. */
static int words_of(const fsr_c_emit *e, int fold, int i) {
    return ((int)fsr_dtype_size(fsr_combine_dtype(e->k->fold[fold].combine, i)) + 7) / 8;
}

static int state_words(const fsr_c_emit *e, int fold) {
    int words = 0;
    for (int i = 0; i < e->k->fold[fold].combine->arity; i++)
        words += words_of(e, fold, i);
    return words;
}

void fsr_c_share_plan(fsr_c_emit *e) {
    for (int f = 0; e->s->part && f < e->k->nfolds; f++) {
        e->word[f] = e->words;
        e->words += state_words(e, f);
        e->carry[f] = e->words;
        if (fsr_c_is_scan(e, f))
            e->words += state_words(e, f);
    }
}

void fsr_c_share_row(fsr_c_emit *e) {
    fsr_c_line(e, "char *z = (char *)t[%d] + (r * (t[%d] + 1) + t[%d]) * %d;", FSR_TASK_STATES, FSR_TASK_PARTS,
               FSR_TASK_INDEX, 8 * e->words);
    if (e->abreast)
        fsr_c_line(e, "const i64 apart = (t[%d] + 1) * %d;", FSR_TASK_PARTS, 8 * e->words);
}

void fsr_c_share_word(const fsr_c_emit *e, int fold, int i, int word, const char *part, char *out) {
    for (int before = 0; before < i; before++)
        word += words_of(e, fold, before);
    snprintf(out, FSR_EMIT_NAME, "*(%s *)(z + %s%d)", fsr_c_type(fsr_c_state_dtype(e, fold, 'g', i)), part, 8 * word);
}

/* letter<at> = state, or the other way round; of rows side by side each has its own. */
static void put_move(fsr_c_emit *e, int fold, char letter, const char *at, int word, const char *part, bool load) {
    char memory[FSR_EMIT_NAME], row[FSR_EMIT_NAME];
    if (e->abreast)
        snprintf(row, sizeof row, "j * apart + %s", part);
    fsr_c_states_begin(e);
    for (int i = 0; i < e->k->fold[fold].combine->arity; i++) {
        fsr_c_share_word(e, fold, i, word, e->abreast ? row : part, memory);
        if (load)
            fsr_c_line(e, "%c%d_%d%s = %s;", letter, fold, i, at, memory);
        else
            fsr_c_line(e, "%s = %c%d_%d%s;", memory, letter, fold, i, at);
    }
    fsr_c_rows_end(e);
}

/* The state of part c0 as a chunk's. */
void fsr_c_share_part(fsr_c_emit *e, const fsr_body *loop) {
    char part[FSR_EMIT_NAME];
    snprintf(part, sizeof part, "c0 * %d + ", 8 * e->words);
    for (int i = 0; i < loop->nfolds; i++)
        if (!fsr_c_is_scan(e, loop->folds[i]))
            put_move(e, loop->folds[i], 'q', e->laned ? "[0]" : fsr_c_row_at(e), e->word[loop->folds[i]], part, true);
}

/* carry of the next part = carry (+) fold of this one */
static void put_carry(fsr_c_emit *e, const fsr_body *loop) {
    char next[FSR_EMIT_NAME];
    snprintf(next, sizeof next, "%d + ", 8 * e->words);
    for (int i = 0; i < loop->nfolds; i++) {
        int f = loop->folds[i];
        if (!fsr_c_is_scan(e, f))
            continue;
        fsr_c_fold_declare(e, f, 'g', "");
        fsr_c_fold_declare(e, f, 'n', "");
        put_move(e, f, 'n', "", e->word[f], "", true);
        fsr_c_begin(e, "if (t[%d] == 0)", FSR_TASK_INDEX);
        fsr_c_fold_identity(e, f, 'g', "");
        put_move(e, f, 'g', "", e->carry[f], "", false);
        fsr_c_else(e);
        put_move(e, f, 'g', "", e->carry[f], "", true);
        fsr_c_end(e);
        fsr_c_fold_pair(e, f, 'g', "", 'n', "");
        put_move(e, f, 'g', "", e->carry[f], next, false);
    }
}

/* The loop again with scans as reductions, their results into the part's states. */
static void put_fold_only(fsr_c_emit *e, const fsr_body *loop, void (*whole)(fsr_c_emit *, const fsr_body *)) {
    const fsr_kernel *k = e->k;
    fsr_kernel *as_reductions = fsr_kernel_copy(k);
    fsr_body slice;
    if (!as_reductions) {
        e->body.failed = true;
        return;
    }
    const fsr_walk *walk = e->walk;
    fsr_body_scans(k, loop, &slice);
    for (int i = 0; i < slice.nfolds; i++)
        as_reductions->fold[slice.folds[i]].kind = FSR_FOLD_REDUCE;
    e->k = as_reductions;
    e->walk = &e->s->fold_walk;
    fsr_c_fold_results(e, slice.folds, slice.nfolds);
    whole(e, &slice);
    for (int i = 0; i < slice.nfolds; i++)
        put_move(e, slice.folds[i], 'f', "", e->word[slice.folds[i]], "", false);
    e->k = k;
    e->walk = walk;
    fsr_kernel_free(as_reductions);
}

/* The loop itself. In FINISH it runs over the parts' states, which kernels of scans alone do not have. */
static void put_loop(fsr_c_emit *e, const fsr_body *all, void (*whole)(fsr_c_emit *, const fsr_body *)) {
    int reductions = 0;
    fsr_body own, *loop = &own;
    fsr_c_apart_loop(e, all, &own);
    for (int i = 0; i < loop->nfolds; i++)
        reductions += !fsr_c_is_scan(e, loop->folds[i]);
    if (reductions)
        fsr_c_begin(e, "%s", "");
    else
        fsr_c_begin(e, "if (mode != %d)", FSR_MODE_FINISH);
    e->finishing = reductions > 0;
    whole(e, loop);
    e->finishing = false;
    if (reductions) {
        fsr_c_begin(e, e->packs ? "if (mode == %d || mode == %d)" : "if (mode == %d)", FSR_MODE_PART, FSR_MODE_FOLD);
        for (int i = 0; i < loop->nfolds; i++)
            if (!fsr_c_is_scan(e, loop->folds[i]))
                put_move(e, loop->folds[i], 'f', fsr_c_row_at(e), e->word[loop->folds[i]], "", false);
        fsr_c_end(e);
    }
    fsr_c_end(e);
    if (e->packs)
        fsr_c_apart_finish(e);
}

void fsr_c_share_pass(fsr_c_emit *e, const fsr_body *loop, void (*whole)(fsr_c_emit *e, const fsr_body *loop)) {
    bool scans = false;
    for (int i = 0; i < loop->nfolds; i++)
        scans |= fsr_c_is_scan(e, loop->folds[i]);
    if (scans) {
        fsr_c_begin(e, "if (mode == %d)", FSR_MODE_CARRY);
        put_carry(e, loop);
        fsr_c_else_if(e, "mode == %d", e->packs ? FSR_MODE_PACKED : FSR_MODE_FOLD);
        if (e->packs)
            fsr_c_apart_packed(e);
        else
            put_fold_only(e, loop, whole);
        fsr_c_else(e);
    }
    put_loop(e, loop, whole);
    if (scans)
        fsr_c_end(e);
}

void fsr_c_share_carry(fsr_c_emit *e, int fold) {
    if (!e->s->part)
        return;
    fsr_c_begin(e, e->packs ? "if (mode == %d && t[%d])" : "if (mode == %d)", FSR_MODE_PART, FSR_TASK_INDEX);
    put_move(e, fold, 'g', "", e->carry[fold], "", true);
    fsr_c_end(e);
}
