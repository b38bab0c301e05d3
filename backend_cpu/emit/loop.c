/* SPDX-License-Identifier: MIT */
/* Loops over a run of columns in generated C: of a row, or of rows abreast; plain, in batches of lanes, in stages.
 * What runs there are is chunks.c's.
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

static void put_row_element(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_take(e, part, "j");
    fsr_c_column(e, part->pass, part->inst, part->n);
    fsr_c_hold(e, part, "j");
}

/* The rows of a stage's column. */
static void put_row_stage(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_independent(e);
    fsr_c_rows_begin(e);
    put_row_element(e, part);
    fsr_c_rows_end(e);
}

static void put_row_gathers(fsr_c_emit *e, const fsr_body *part) {
    const fsr_c_along along = {"j", e->cut_rows ? "j0" : "0", e->cut_rows ? "j1" : "m", ""};
    fsr_c_gather_loop(e, part, &along, put_row_element);
}

/* One column of a block of rows, in stages. Counter-example to one version of them: beside a gather a sine was called
 * with any argument, one by one, 15 ms in place of 5. */
static void put_staged_rows(fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS], stages = fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    for (int s = 0; s < stages; s++) {
        fsr_body part;
        fsr_body_stage(e->k, loop, stage, s, &part);
        if (!fsr_c_is_needed(e, &part))
            continue;
        if (fsr_stage_is(e->walk, s, FSR_STAGE_GATHER)) {
            put_row_gathers(e, &part);
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
    if (fsr_walk_is_staged(e->walk)) {
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
    fsr_c_columns_ahead(e, loop);
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
void fsr_c_columns(fsr_c_emit *e, const fsr_body *loop) {
    if (e->abreast && e->walk->form == FSR_WALK_ROWS) {
        put_along(e, loop);
        return;
    }
    if (fsr_c_lies_beside(e, loop)) {
        fsr_c_beside(e, loop);
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
void fsr_c_serial(fsr_c_emit *e, const fsr_body *loop) {
    if (!e->abreast && fsr_c_has_strips(e)) {
        fsr_c_strips(e, loop, "at + cs");
        return;
    }
    if (fsr_c_has_pairs(e)) {
        fsr_c_pairs(e, loop, put_columns_body);
        return;
    }
    fsr_c_columns(e, loop);
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

static void put_gathered(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_fetch(e, part, "c - cs", "ce - cs");
    fsr_c_take(e, part, "c - cs");
    put_columns_body(e, part);
    fsr_c_hold(e, part, "c - cs");
}

static void put_gathers(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_gather_loop(e, part, &(fsr_c_along){"c", "cs", "ce", " - cs"}, put_gathered);
}

/* A stage that folds nothing, without lanes. */
static void put_plain_stage(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 c = cs; c < ce; ++c)");
    fsr_c_take(e, part, "c - cs");
    put_columns_body(e, part);
    fsr_c_hold(e, part, "c - cs");
    fsr_c_end(e);
}

/* Counter-example to batches of lanes for what folds nothing: with AVX-512 a batch of 16 has too few turns for vectors
 * where anything beside it has fewer than four bytes, and the sine of what was gathered was computed one by one.
 * Counter-example to none of them: of a chain of functions a batch's vectors are evaluated side by side, with AVX2 7%
 * faster than one after the other. */
static void put_vector_stage(fsr_c_emit *e, const fsr_body *part) {
    const bool plain = e->walk->phased && !part->nfolds;
    if (plain)
        fsr_c_begin(e, "%s", "");
    else
        fsr_c_begin(e, "for (i64 cl = cs; cl < ce; cl += %d)", e->s->lanes);
    fsr_c_by_range(e, part, plain ? put_plain_stage : put_batch_of_lanes);
    fsr_c_end(e);
}

/* The same in stages: of a chain of functions, which hardly waits for memory, and beside what has no vector code.
 * Stages one after the other, in strips. */
static void put_stages(fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS], stages = fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    bool asked = false;
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
            e->comes = e->s->coming && !asked;
            asked = true;
            fsr_c_by_distance(e, &part, "(ce - cs)", put_gathers);
            e->comes = false;
            continue;
        }
        put_vector_stage(e, &part);
    }
    fsr_c_end(e);
}

static void put_one_few(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 b = 0; b < %d; ++b)", e->walk->rest);
    fsr_c_line(e, "const i64 c = cf + b, l = c - c2;");
    put_columns_body(e, loop);
    fsr_c_end(e);
}

static void put_few(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_begin(e, "for (i64 cf = %s; cf < %s; cf += %d)", e->low, e->high, e->walk->rest);
    fsr_c_by_range(e, loop, put_one_few);
    fsr_c_end(e);
}

/* Columns from c2 on, a few side by side, up to c3, from which on there are too few. */
static void put_rest(fsr_c_emit *e, const fsr_body *loop, bool few) {
    fsr_c_line(e, "const i64 c3 = %sc2 + (c1 - c2) / %d * %d;", few ? "few ? c2 : " : "", e->walk->rest, e->walk->rest);
    fsr_c_by_version(e, loop, "c2", "c3", e->walk->rest, put_few);
}

static void put_all_asked(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i32 b = 0; b < %d; ++b)", e->walk->asked);
    fsr_c_line(e, "const i64 c = %s + b, l = %s;", e->walk->rest ? "c3" : "c2", e->walk->rest ? "c - c2" : "b");
    put_columns_body(e, loop);
    fsr_c_end(e);
}

/* The columns that are too few for a round of `asked`, side by side. */
static void put_asked(fsr_c_emit *e, const fsr_body *loop, bool few) {
    const char *from = e->walk->rest ? "c3" : "c2";
    fsr_c_begin(e, "if (%s%s < c1)", few ? "!few && " : "", from);
    fsr_c_line(e, "const i32 left = (i32)(c1 - %s);", from);
    e->asking = true;
    fsr_c_by_range(e, loop, put_all_asked);
    e->asking = false;
    fsr_c_end(e);
}

/* Columns from `from` on, one after the other; where others are asked, of `few` columns alone. */
static void put_last(fsr_c_emit *e, const fsr_body *loop, const char *from, bool few) {
    fsr_c_begin(e, "for (i64 c = %s; %sc < c1; ++c)", from, e->walk->asked ? "few && " : "");
    fsr_c_scalar_mark(e);
    if (e->walk->asked)
        fsr_c_line(e, "const i64 l = 0;");
    else
        fsr_c_line(e, "const i64 l = %sc - c2;", few ? "few ? 0 : " : "");
    put_columns_body(e, loop);
    fsr_c_end(e);
}

/* Columns [c0, c2) in whole batches of lanes, then the rest up to c1, each in its lane, or, of `few` columns, in the
 * first. */
void fsr_c_lanes(fsr_c_emit *e, const fsr_body *loop, bool few) {
    if (fsr_walk_is_staged(e->walk))
        fsr_c_by_version(e, loop, "c0", "c2", e->s->lanes, put_stages);
    else
        fsr_c_by_version(e, loop, "c0", "c2", e->s->lanes, put_batches);
    if (e->walk->rest)
        put_rest(e, loop, few);
    if (e->walk->asked)
        put_asked(e, loop, few);
    if (few || !e->walk->asked)
        put_last(e, loop, e->walk->rest ? "c3" : "c2", few);
}
