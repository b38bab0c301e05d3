/* SPDX-License-Identifier: MIT */
/* Loops over columns in generated C: one pass of a row, or of rows abreast.
 *
 * A pass without folds is one plain loop, or strips (stage.c). With folds the columns run in chunks (see
 * fold.c). Several folded dimensions are nested loops; a chunk is then as many runs of the innermost one as it
 * takes, so that short runs (the last axis of 3 in a sum over axes 0 and 2) do not each pay for a chunk's end.
 *
 * Functions with a limit (sine of huge arguments) must not branch in the loop: the columns then run in short runs
 * (range.c). */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

void fsr_c_dimension(fsr_c_emit *e, int d) {
    char var[FSR_EMIT_NAME], extent[FSR_EMIT_NAME];
    snprintf(var, sizeof var, "i%d", d);
    if (d < e->k->nparallel)
        fsr_c_begin(e, "for (i64 %s = lo%d; %s < hi%d; ++%s)", var, d, var, d, var);
    else
        fsr_c_begin(e, "for (i64 %s = 0; %s < %s; ++%s)", var, var, fsr_c_integer(e, FSR_INT_EXTENT + d, extent), var);
    fsr_c_advance(e, d, var);
}

void fsr_c_independent(fsr_c_emit *e) {
    fsr_text_add(&e->body, "#pragma GCC ivdep\n");
}

/* Keeps the loop whose body begins here scalar: it has few iterations, and vector code for it and for its own rest
 * would double the compiler's work; or there is none. */
void fsr_c_scalar_mark(fsr_c_emit *e) {
    fsr_c_line(e, "__asm__(\"\");");
}

/* The rows of a stage's column; gathers: it loads at computed places, which is no vector code. */
static void put_stage_column(fsr_c_emit *e, const fsr_body *part, bool gathers) {
    fsr_c_rows_begin(e);
    if (gathers)
        fsr_c_scalar_mark(e);
    fsr_c_take(e, part, "j");
    fsr_c_column(e, part->pass, part->inst, part->n);
    fsr_c_hold(e, part, "j");
    fsr_c_rows_end(e);
}

static void put_row_stage(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_independent(e);
    put_stage_column(e, part, false);
}

/* One column of a block of rows, in stages. Counter-example to one version of them: beside a gather a sine was called
 * with any argument, one by one, 15 ms in place of 5. */
static void put_staged_rows(fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS], stages = fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    for (int s = 0; s < stages; s++) {
        fsr_body part;
        fsr_body_stage(e->k, loop, stage, s, &part);
        if (!part.n)
            continue;
        if (fsr_stage_is(e->walk, s, FSR_STAGE_GATHER)) {
            put_stage_column(e, &part, true);
            continue;
        }
        fsr_c_begin(e, "%s", "");
        fsr_c_by_range(e, &part, put_row_stage);
        fsr_c_end(e);
    }
}

/* One column of a block of rows, all of it in one loop. */
static void put_row_loop(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_independent(e);
    fsr_c_rows_begin(e);
    fsr_c_column(e, loop->pass, loop->inst, loop->n);
    fsr_c_rows_end(e);
}

static void put_rows(fsr_c_emit *e, const fsr_body *loop) {
    if (e->s->tall) {
        fsr_c_tile_column(e, loop);
        return;
    }
    if (e->walk->phased) {
        put_staged_rows(e, loop);
        return;
    }
    fsr_c_by_range(e, loop, put_row_loop);
}

/* One column, for each row of the block where rows are abreast. */
static void put_columns_body(fsr_c_emit *e, const fsr_body *loop) {
    if (!e->abreast) {
        fsr_c_column(e, loop->pass, loop->inst, loop->n);
        return;
    }
    char saved[FSR_MAX_ACCESSES][FSR_EMIT_NAME];
    memcpy(saved, e->base, sizeof saved);
    fsr_c_advance(e, e->k->ndim - 1, "c");
    e->loop_dim = -1;
    fsr_c_block_by_version(e, loop, put_rows);
    memcpy(e->base, saved, sizeof saved);
}

static void put_run(fsr_c_emit *e, const fsr_body *loop) {
    if (!e->abreast && !loop->nfolds)
        fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 c = %s; c < %s; ++c)", e->low, e->high);
    put_columns_body(e, loop);
    fsr_c_end(e);
}

/* Each row of a block, along its columns. */
static void put_along(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_rows_begin(e);
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 c = c0; c < c1; ++c)");
    fsr_c_advance(e, e->k->ndim - 1, "c");
    e->loop_dim = -1;
    fsr_c_column(e, loop->pass, loop->inst, loop->n);
    fsr_c_end(e);
    fsr_c_rows_end(e);
}

/* The same, in the versions for them; of a block of rows each column has versions. */
static void put_columns(fsr_c_emit *e, const fsr_body *loop) {
    if (e->abreast && e->walk->form == FSR_WALK_ROWS) {
        put_along(e, loop);
        return;
    }
    if (!e->abreast) {
        fsr_c_by_version(e, loop, "c0", "c1", 1, put_run);
        return;
    }
    if (e->s->unroll)
        fsr_c_unrolled(e, loop);
    e->low = e->s->unroll ? "cu" : "c0";
    e->high = "c1";
    put_run(e, loop);
}

/* Columns [c0, c1) in order, one accumulator a fold. */
static void put_serial(fsr_c_emit *e, const fsr_body *loop) {
    if (!e->abreast && fsr_c_has_strips(e)) {
        fsr_c_strips(e, loop, "at + cs");
        return;
    }
    if (fsr_c_has_pairs(e)) {
        fsr_c_pairs(e, loop, put_columns_body);
        return;
    }
    put_columns(e, loop);
}

/* Lanes have accumulators of their own. Counter-example to leaving it to the compiler to find that out: beside a store
 * and a dozen loads it gave up, and the loop was no vector code. */
static void put_batch_of_lanes(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_gather(e, loop->inst, loop->n);
    fsr_c_widen_begin(e, loop);
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->lanes);
    fsr_c_line(e, "const i64 c = cl + l;");
    fsr_c_take(e, loop, "c - cs");
    put_columns_body(e, loop);
    fsr_c_hold(e, loop, "c - cs");
    fsr_c_end(e);
    fsr_c_widen_end(e, loop);
    e->gathering = false;
}

/* Columns [c0, c2) in whole batches of lanes. */
static void put_batches(fsr_c_emit *e, const fsr_body *loop) {
    char end[FSR_EMIT_NAME];
    snprintf(end, sizeof end, "cl + %d", e->s->lanes);
    fsr_c_begin(e, "for (i64 cl = %s; cl < %s; cl += %d)", e->low, e->high, e->s->lanes);
    fsr_c_ahead(e, loop->pass, "cl", end);
    fsr_c_by_range(e, loop, put_batch_of_lanes);
    fsr_c_end(e);
}

static void put_gathers(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_begin(e, "for (i64 c = cs; c < ce; ++c)");
    fsr_c_scalar_mark(e);
    fsr_c_fetch(e, part, "c - cs", "ce - cs");
    fsr_c_take(e, part, "c - cs");
    put_columns_body(e, part);
    fsr_c_hold(e, part, "c - cs");
    fsr_c_end(e);
}

/* The same in stages: of a chain of functions, which hardly waits for memory, and beside what has no vector code.
 * Stages one after the other, in strips. */
static void put_stages(fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS], stages = fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    fsr_c_begin(e, "for (i64 cs = %s; cs < %s; cs += %d)", e->low, e->high, e->s->strip);
    fsr_c_line(e, "const i64 ce = %s - cs < %d ? %s : cs + %d;", e->high, e->s->strip, e->high, e->s->strip);
    for (int s = 0; s < stages; s++) {
        fsr_body part;
        fsr_body_stage(e->k, loop, stage, s, &part);
        if (!part.n)
            continue;
        if (fsr_stage_is(e->walk, s, FSR_STAGE_BLOCKS)) {
            fsr_c_blocks(e, &part, "ce - cs");
            continue;
        }
        if (fsr_stage_is(e->walk, s, FSR_STAGE_GATHER)) {
            fsr_c_by_distance(e, &part, "(ce - cs)", put_gathers);
            continue;
        }
        fsr_c_begin(e, "for (i64 cl = cs; cl < ce; cl += %d)", e->s->lanes);
        fsr_c_by_range(e, &part, put_batch_of_lanes);
        fsr_c_end(e);
    }
    fsr_c_end(e);
}

/* Columns [c0, c2) in whole batches of lanes, then the rest up to c1, each in the lane that `lane` says. */
static void put_lanes(fsr_c_emit *e, const fsr_body *loop, const char *lane) {
    if (fsr_walk_is_staged(e->walk))
        fsr_c_by_version(e, loop, "c0", "c2", e->s->lanes, put_stages);
    else
        fsr_c_by_version(e, loop, "c0", "c2", e->s->lanes, put_batches);
    fsr_c_begin(e, "for (i64 c = c2; c < c1; ++c)");
    fsr_c_scalar_mark(e);
    fsr_c_line(e, "const i64 l = %s;", lane);
    put_columns_body(e, loop);
    fsr_c_end(e);
}

/* A chunk with fewer columns than lanes has one accumulator, for rows of a few columns. */
static void put_chunk_of_lanes(fsr_c_emit *e, const fsr_body *loop) {
    const int lanes = e->s->lanes;
    if (e->walk->laned) {
        fsr_c_line(e, "const i64 few = c1 - c0 < %d;", lanes);
        fsr_c_fold_reset(e, loop->folds, loop->nfolds);
        put_serial(e, loop);
    } else {
        fsr_c_line(e, "const i64 few = c1 - c0 < %d, c2 = few ? c0 : c0 + (c1 - c0) / %d * %d;", lanes, lanes, lanes);
        fsr_c_fold_reset(e, loop->folds, loop->nfolds);
        put_lanes(e, loop, "few ? 0 : c - c2");
    }
    fsr_c_begin(e, "if (!few)");
    fsr_c_fold_lanes(e, loop->folds, loop->nfolds);
    fsr_c_end(e);
}

/* The columns of one chunk, from fresh accumulators to the chunk's state. */
static void put_whole_chunk(fsr_c_emit *e, const fsr_body *loop) {
    if (e->laned) {
        put_chunk_of_lanes(e, loop);
    } else {
        fsr_c_fold_reset(e, loop->folds, loop->nfolds);
        put_serial(e, loop);
    }
}

/* Columns that join a chunk of several runs; the chunk ends when it is long enough. */
static void put_part_of_chunk(fsr_c_emit *e, const fsr_body *loop) {
    if (e->walk->laned) {
        fsr_c_line(e, "const i64 few = 0;");
        put_serial(e, loop);
    } else if (e->laned) {
        fsr_c_line(e, "const i64 c2 = c0 + (c1 - c0) / %d * %d;", e->s->lanes, e->s->lanes);
        put_lanes(e, loop, "c - c2");
    } else {
        put_serial(e, loop);
    }
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
        fsr_c_runs(e, loop, first, end, "at + c0", put_columns);
        return;
    }
    fsr_c_line(e, "const i64 c0 = %s, c1 = %s;", first, end);
    if (strips)
        fsr_c_strips(e, loop, "at + cs");
    else
        put_columns(e, loop);
}

/* Loops over all folded dimensions. With several, a chunk is as many runs of the innermost one as it takes. */
static void put_folded(fsr_c_emit *e, const fsr_body *loop) {
    const fsr_kernel *k = e->k;
    char extent[FSR_EMIT_NAME];
    bool nested = k->ndim - k->nparallel > 1;
    if (nested)
        fsr_c_line(e, "i64 run = 0%s;", loop->nfolds ? ", held = 0" : "");
    if (nested && loop->nfolds)
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
    if (nested && loop->nfolds) {
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
    if (e->abreast)
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
