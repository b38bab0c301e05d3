/* SPDX-License-Identifier: MIT */
/* The loops of one pass in generated C, over the folded dimensions and in chunks of columns.
 *
 * A pass without folds is one plain loop, or strips (stage.c). With folds the columns run in chunks (see
 * fold.c). Several folded dimensions are nested loops; a chunk is then as many runs of the innermost one as it
 * takes, so that short runs (the last axis of 3 in a sum over axes 0 and 2) do not each pay for a chunk's end. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

/* A chunk with fewer columns than lanes has one accumulator, for rows of a few columns. */
static void put_chunk_of_lanes(fsr_c_emit *e, const fsr_body *loop) {
    const int lanes = e->s->lanes;
    if (e->walk->laned) {
        fsr_c_line(e, "const i64 few = c1 - c0 < %d;", lanes);
        fsr_c_fold_reset(e, loop->folds, loop->nfolds);
        fsr_c_serial(e, loop);
    } else {
        fsr_c_line(e, "const i64 few = c1 - c0 < %d, c2 = few ? c0 : c0 + (c1 - c0) / %d * %d;", lanes, lanes, lanes);
        fsr_c_fold_reset(e, loop->folds, loop->nfolds);
        fsr_c_lanes(e, loop, true);
    }
    fsr_c_begin(e, "if (!few)");
    fsr_c_fold_lanes(e, loop->folds, loop->nfolds);
    fsr_c_end(e);
}

/* The columns of one chunk, from fresh accumulators to the chunk's state. */
static void put_whole_chunk(fsr_c_emit *e, const fsr_body *loop) {
    if (e->laned) {
        put_chunk_of_lanes(e, loop);
    } else if (e->s->beside) {
        fsr_c_fold_reset(e, loop->folds, loop->nfolds);
        fsr_c_serial(e, loop);
        fsr_c_fold_lanes(e, loop->folds, loop->nfolds);
    } else {
        fsr_c_fold_reset(e, loop->folds, loop->nfolds);
        fsr_c_serial(e, loop);
    }
}

/* Columns that go into lanes however few they are. */
static void put_any_columns(fsr_c_emit *e, const fsr_body *loop) {
    if (e->walk->laned) {
        fsr_c_line(e, "const i64 few = 0;");
        fsr_c_serial(e, loop);
    } else if (e->laned) {
        fsr_c_line(e, "const i64 c2 = c0 + (c1 - c0) / %d * %d;", e->s->lanes, e->s->lanes);
        fsr_c_lanes(e, loop, false);
    } else {
        fsr_c_serial(e, loop);
    }
}

/* Columns that join a chunk of several runs; the chunk ends when it is long enough. */
static void put_part_of_chunk(fsr_c_emit *e, const fsr_body *loop) {
    put_any_columns(e, loop);
    fsr_c_line(e, "held += c1 - c0;");
    fsr_c_begin(e, "if (held >= %d)", e->s->chunk);
    fsr_c_fold_lanes(e, loop->folds, loop->nfolds);
    fsr_c_fold_flush(e, loop->folds, loop->nfolds);
    fsr_c_fold_reset(e, loop->folds, loop->nfolds);
    fsr_c_line(e, "held = 0;");
    fsr_c_end(e);
}

/* What goes from the end begins with the chunk in which so many columns are left as the count says. */
static void put_start(fsr_c_emit *e, int count) {
    char cols[FSR_EMIT_NAME];
    fsr_c_integer(e, FSR_INT_EXTENT + e->k->ndim - 1, cols);
    fsr_c_line(e, "i64 start = v%d < %s ? (%s - v%d) / %d * %d : 0;", count, cols, cols, count, e->s->chunk,
               e->s->chunk);
    if (e->s->part)
        fsr_c_line(e, "start = start < begin ? begin : start;");
    if (e->finishing)
        fsr_c_line(e, "start = mode == %d ? begin : start;", FSR_MODE_FINISH);
}

/* Where a loop that may end at a count begins and ends. */
static const char *start_of(const fsr_c_emit *e, const char *first) {
    return e->k->live && e->k->backward ? "start" : first;
}

static const char *stop_of(const fsr_c_emit *e, const char *extent) {
    return e->k->live && !e->k->backward ? "stop" : extent;
}

/* Chunks that begin behind a count have nothing to fold; those that begin before it stay whole, as folds associate by
 * chunks. A loop without folds ends at the count. */
static void put_stop(fsr_c_emit *e, const char *extent) {
    const int count = e->k->live - 1;
    if (count < 0)
        return;
    if (e->k->backward) {
        put_start(e, count);
        return;
    }
    fsr_c_line(e, "i64 stop = v%d < %s ? v%d : %s;", count, extent, count, extent);
    if (e->finishing)
        fsr_c_line(e, "stop = mode == %d ? %s : stop;", FSR_MODE_FINISH, extent);
}

/* The innermost folded dimension in chunks; where columns are divided, the task's part of them, or the parts' states
 * in place of chunks. */
static void put_chunks(fsr_c_emit *e, const fsr_body *loop, bool nested) {
    char extent[FSR_EMIT_NAME] = "end", step[FSR_EMIT_NAME];
    if (e->s->single) {
        fsr_c_line(e, "const i64 c0 = 0, c1 = %s;", fsr_c_integer(e, FSR_INT_EXTENT + e->k->ndim - 1, extent));
        put_any_columns(e, loop);
        fsr_c_fold_lanes(e, loop->folds, loop->nfolds);
        return;
    }
    if (!e->s->part)
        fsr_c_integer(e, FSR_INT_EXTENT + e->k->ndim - 1, extent);
    snprintf(step, sizeof step, "%d", e->s->chunk);
    if (e->finishing)
        snprintf(step, sizeof step, "mode == %d ? 1 : %d", FSR_MODE_FINISH, e->s->chunk);
    put_stop(e, extent);
    fsr_c_begin(e, "for (i64 c0 = %s; c0 < %s; c0 += %s)", start_of(e, e->s->part ? "begin" : "0"), stop_of(e, extent),
                step);
    if (e->finishing) {
        fsr_c_begin(e, "if (mode == %d)", FSR_MODE_FINISH);
        fsr_c_share_part(e, loop);
        fsr_c_else(e);
    }
    fsr_c_line(e, "const i64 c1 = %s - c0 < %d ? %s : c0 + %d;", extent, e->s->chunk, extent, e->s->chunk);
    if (nested)
        put_part_of_chunk(e, loop);
    else
        put_whole_chunk(e, loop);
    if (e->finishing)
        fsr_c_end(e);
    if (!nested)
        fsr_c_fold_flush(e, loop->folds, loop->nfolds);
    fsr_c_end(e);
}

static void put_innermost(fsr_c_emit *e, const fsr_body *loop, bool nested) {
    char extent[FSR_EMIT_NAME];
    if (!e->abreast)
        fsr_c_outer(e, loop);
    if (loop->nfolds) {
        put_chunks(e, loop, nested);
        return;
    }
    fsr_c_integer(e, FSR_INT_EXTENT + e->k->ndim - 1, extent);
    put_stop(e, extent);
    const char *const first = start_of(e, "0"), *const end = stop_of(e, extent);
    bool strips = !e->abreast && fsr_c_has_strips(e);
    if (!e->abreast && !strips && (e->walk->form == FSR_WALK_RUNS)) {
        fsr_c_runs(e, loop, first, end, "at + c0", fsr_c_columns);
        return;
    }
    fsr_c_line(e, "const i64 c0 = %s, c1 = %s;", first, end);
    if (strips)
        fsr_c_strips(e, loop, "at + cs");
    else
        fsr_c_columns(e, loop);
}

/* Loops over all folded dimensions. With several, a chunk is as many runs of the innermost one as it takes. */
static void put_folded(fsr_c_emit *e, const fsr_body *loop) {
    const fsr_kernel *k = e->k;
    char extent[FSR_EMIT_NAME];
    const bool nested = k->ndim - k->nparallel > 1, held = nested && loop->nfolds && !e->s->single;
    if (nested)
        fsr_c_line(e, "i64 run = 0%s;", held ? ", held = 0" : "");
    if ((nested || e->s->single) && loop->nfolds)
        fsr_c_fold_reset(e, loop->folds, loop->nfolds);
    for (int d = k->nparallel; d < k->ndim - 1; d++)
        fsr_c_dimension(e, d);
    e->loop_dim = k->ndim - 1;
    e->loop_var = "c";
    snprintf(e->index[k->ndim - 1], FSR_EMIT_NAME, "c");
    put_innermost(e, loop, nested);
    if (nested)
        fsr_c_line(e, "run += %s;", fsr_c_integer(e, FSR_INT_EXTENT + k->ndim - 1, extent));
    for (int d = k->nparallel; d < k->ndim - 1; d++)
        fsr_c_end(e);
    if (held) {
        fsr_c_begin(e, "if (held > 0)");
        fsr_c_fold_lanes(e, loop->folds, loop->nfolds);
        fsr_c_fold_flush(e, loop->folds, loop->nfolds);
        fsr_c_end(e);
    }
}

/* The folds' states, the loops, the results: one row, or one part of it. */
static void put_whole(fsr_c_emit *e, const fsr_body *loop) {
    e->laned = fsr_c_has_lanes(e, loop);
    fsr_c_fold_states(e, loop->folds, loop->nfolds);
    if (!e->abreast && fsr_c_has_strips(e))
        fsr_c_strip_arrays(e, loop);
    else if ((e->laned || e->abreast) && fsr_walk_is_staged(e->walk))
        fsr_c_hold_arrays(e, loop);
    if (fsr_c_has_pairs(e))
        fsr_c_pair_arrays(e, loop);
    if (fsr_c_lies_beside(e, loop))
        fsr_c_beside_spread(e, loop);
    put_folded(e, loop);
    if (!e->abreast && fsr_c_has_strips(e))
        fsr_c_strip_end(e, loop);
    fsr_c_fold_finish(e, loop->folds, loop->nfolds);
    memset(e->crossing, 0, sizeof e->crossing);
}

void fsr_c_pass(fsr_c_emit *e, int pass) {
    fsr_body loop;
    char saved[FSR_MAX_ACCESSES][FSR_EMIT_NAME];
    bool nested = e->k->ndim - e->k->nparallel > 1;
    fsr_body_of(e->k, pass, &loop);
    if (!loop.n)
        return;
    e->walk = &e->s->walk[pass];
    e->column = nested ? "run + c" : "c";
    if (fsr_c_lies_beside(e, &loop))
        e->linear = nested ? "r * cols + run + j" : "r * cols + j";
    else if (e->abreast)
        e->linear = nested ? "(r + j) * cols + run + c" : "(r + j) * cols + c";
    else
        e->linear = nested ? "at + run + c" : "at + c";
    memcpy(saved, e->base, sizeof saved);
    fsr_c_fold_results(e, loop.folds, loop.nfolds);
    if (e->s->part) {
        fsr_c_share_pass(e, &loop, put_whole);
    } else {
        fsr_c_begin(e, "%s", "");
        put_whole(e, &loop);
        fsr_c_end(e);
    }
    memcpy(e->base, saved, sizeof saved);
    e->loop_dim = -1;
    e->outer = 0;
}
