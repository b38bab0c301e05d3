/* SPDX-License-Identifier: MIT */
/* Reductions that commute, beside a scan or of rows that edges of guards tear, in generated C.
 *
 * A strip's elements are put into an array, as a scan's are, and when the strip's stages are done they go into the
 * fold's lanes from there: both loops are vector code, and the stage's elements do not depend on one another.
 *
 * Counter-example to folding each element in the stage: with one accumulator each waits for the one before it, and
 * nothing in that loop is vector code. The running maximum of 200,000 f32 and the largest of what is made of it took
 * 0.66 ms, the two apart 0.28. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>

bool fsr_c_has_lanes(const fsr_c_emit *e, const fsr_body *loop) {
    bool reduces = false;
    for (int i = 0; i < loop->nfolds; i++)
        reduces = reduces || !fsr_c_is_scan(e, loop->folds[i]);
    return e->walk->form == FSR_WALK_LANES || (e->walk->laned && reduces);
}

bool fsr_c_is_laned(const fsr_c_emit *e, int fold) {
    return e->laned && fsr_c_has_strips(e) && !fsr_c_is_scan(e, fold);
}

void fsr_c_laned_arrays(fsr_c_emit *e, const fsr_body *loop) {
    char extent[FSR_EMIT_NAME];
    snprintf(extent, sizeof extent, "[%d]", e->s->strip);
    for (int i = 0; i < loop->nfolds; i++)
        if (fsr_c_is_laned(e, loop->folds[i]))
            fsr_c_fold_declare(e, loop->folds[i], 'a', extent);
}

bool fsr_c_laned_input(fsr_c_emit *e, int fold) {
    const fsr_fold *f = &e->k->fold[fold];
    if (!fsr_c_is_laned(e, fold))
        return false;
    for (int i = 0; i < f->combine->arity; i++)
        fsr_c_line(e, "a%d_%d[l] = v%d;", fold, i, f->input[i]);
    return true;
}

void fsr_c_laned_strip(fsr_c_emit *e, const fsr_body *part) {
    const int lanes = e->s->lanes;
    bool any = false;
    for (int i = 0; i < part->nfolds; i++)
        any = any || fsr_c_is_laned(e, part->folds[i]);
    if (!any)
        return;
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "const i64 whole = few ? 0 : m / %d * %d;", lanes, lanes);
    for (int i = 0; i < part->nfolds; i++) {
        if (!fsr_c_is_laned(e, part->folds[i]))
            continue;
        fsr_c_begin(e, "for (i64 b = 0; b < whole; b += %d)", lanes);
        fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", lanes);
        fsr_c_fold_pair(e, part->folds[i], 'q', "[l]", 'a', "[b + l]");
        fsr_c_end(e);
        fsr_c_end(e);
        fsr_c_begin(e, "for (i64 l = whole; l < m; ++l)");
        fsr_c_scalar_mark(e);
        fsr_c_fold_pair(e, part->folds[i], 'q', "[few ? 0 : l - whole]", 'a', "[l]");
        fsr_c_end(e);
    }
    fsr_c_end(e);
}
