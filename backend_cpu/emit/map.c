/* SPDX-License-Identifier: MIT */
/* The C emitter's loops over a map, which has no passes: one loop over the rows where every access is flat, else one
 * loop a dimension. Where an access runs along another dimension than the last, these two are walked in square tiles;
 * rows of a few elements are taken together where what is computed of them is worth stages (schedule.together). Others,
 * and whole rows at computed places, ask for what later rows gather (schedule.fetched, fetch.c). */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include "fusion/square.h"
#include <stdio.h>
#include <string.h>

/* The dimension along which the innermost loop of a map runs; -1: along several. */
static int dimension_of(const fsr_c_emit *e) {
    return e->s->flat && e->k->ndim == 1 ? 0 : e->loop_dim;
}

/* Something is loaded that is the same for the whole loop. A compiler that cannot tell that no store changes it loads
 * it for each element, and computes again what is made of it: a quotient by a root of the diagonal took 142 us of 500
 * by 500 elements, 56 in front of their loops. */
static bool has_same(const fsr_c_emit *e, const fsr_body *loop) {
    for (int i = 0; i < loop->n; i++)
        if (e->k->inst[loop->inst[i]].kind == FSR_INST_LOAD && !e->dead[loop->inst[i]] &&
            fsr_inst_is_of_row(e->k, loop->inst[i], dimension_of(e)))
            return true;
    return false;
}

/* Opens a block with what is the same for a whole row, in front of its loop, and asks whether the row is dropped that
 * the loop would combine: the loop that is left is vector code. */
static void put_row_first(fsr_c_emit *e, const fsr_body *loop, fsr_body *rest) {
    fsr_text drops = {0};
    fsr_body row = *loop;
    row.n = rest->n = 0;
    for (int i = 0; i < loop->n; i++) {
        fsr_body *to = fsr_inst_is_of_row(e->k, loop->inst[i], dimension_of(e)) ? &row : rest;
        to->inst[to->n++] = loop->inst[i];
        if (e->along && e->k->inst[loop->inst[i]].combines)
            fsr_c_drops(e, &drops, &e->k->inst[loop->inst[i]]);
    }
    fsr_c_begin(e, "%s", "");
    fsr_c_insts(e, row.inst, row.n);
    if (drops.size)
        fsr_c_begin(e, "if (%s)", drops.data ? drops.data : "");
    e->body.failed |= drops.failed;
    fsr_text_free(&drops);
}

/* An index of 32 bits along the loop is asked for. */
static bool has_short_index(const fsr_c_emit *e, const fsr_body *loop) {
    for (int i = 0; i < loop->n; i++) {
        const fsr_inst *inst = &e->k->inst[loop->inst[i]];
        if (inst->kind == FSR_INST_INDEX && fsr_c_counts_short(inst->dtype) && inst->index == dimension_of(e) &&
            !e->dead[loop->inst[i]])
            return true;
    }
    return false;
}

/* An index of 32 bits is counted beside the loop's: made of that, of 64, it took as long as a quotient. */
static void put_run(fsr_c_emit *e, const fsr_body *loop) {
    const int depth = e->depth;
    fsr_body rest = *loop;
    e->along = fsr_body_has_rows(e->k, loop, e->loop_dim);
    if (e->along || has_same(e, loop))
        put_row_first(e, loop, &rest);
    e->short_index = has_short_index(e, loop);
    if (e->short_index && e->depth == depth)
        fsr_c_begin(e, "%s", "");
    if (e->short_index)
        fsr_c_line(e, "u32 w = (u32)(%s);", e->low);
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 %s = %s; %s < %s; ++%s%s)", e->loop_var, e->low, e->loop_var, e->high, e->loop_var,
                e->short_index ? ", ++w" : "");
    fsr_c_insts(e, rest.inst, rest.n);
    if (e->checked || e->asks)
        fsr_c_check_limits(e, loop->inst, loop->n);
    while (e->depth > depth)
        fsr_c_end(e);
    e->along = e->short_index = false;
}

static void put_elements(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_by_version(e, loop, "c0", "c1", 1, put_run);
}

/* The innermost loop of a map. `before`: what is added to the index of its elements for a flat index. */
static void put_innermost(fsr_c_emit *e, const char *low, const char *high, const char *before) {
    fsr_body loop;
    char start[FSR_EMIT_NAME];
    const bool strips = fsr_c_has_strips(e);
    fsr_body_of(e->k, 0, &loop);
    snprintf(start, sizeof start, "%s%s", before, strips ? "cs" : "c0");
    fsr_c_begin(e, "%s", "");
    fsr_c_outer(e, &loop);
    if (strips) {
        fsr_c_line(e, "const i64 c0 = %s, c1 = %s;", low, high);
        fsr_c_strip_arrays(e, &loop);
        fsr_c_strips(e, &loop, start);
    } else if ((e->walk->form == FSR_WALK_RUNS)) {
        fsr_c_runs(e, &loop, low, high, start, put_elements);
    } else {
        fsr_c_line(e, "const i64 c0 = %s, c1 = %s;", low, high);
        put_elements(e, &loop);
    }
    fsr_c_end(e);
}

static void put_map_flat(fsr_c_emit *e) {
    e->linear = e->row = e->loop_var = "i";
    snprintf(e->index[0], FSR_EMIT_NAME, "i");
    put_innermost(e, "lo0", "hi0", "");
}

static void begin_tile(fsr_c_emit *e, int d, int side) {
    fsr_c_begin(e, "for (i64 b%d = lo%d; b%d < hi%d; b%d += %d)", d, d, d, d, d, side);
    fsr_c_line(e, "const i64 e%d = hi%d - b%d < %d ? hi%d : b%d + %d;", d, d, d, side, d, d, side);
}

static bool asks_rows(const fsr_c_emit *e) {
    return (e->s->fetched & fsr_kernel_may_fetch_rows(e->k)) != 0;
}

/* A loop over `batch` rows, the first of which comes `ahead` rows behind row q: `ask` prints what is asked for of
 * each. */
static void ask_for_rows(fsr_c_emit *e, int d, int ahead, int batch, void (*ask)(fsr_c_emit *e)) {
    char var[FSR_EMIT_NAME], base[FSR_MAX_ACCESSES][FSR_EMIT_NAME];
    memcpy(base, e->base, sizeof base);
    snprintf(var, sizeof var, "i%d", d);
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "const i64 af = hi%d - q < %d ? hi%d : q + %d, ag = hi%d - q < %d ? hi%d : q + %d;", d, ahead, d,
               ahead, d, ahead + batch, d, ahead + batch);
    fsr_c_begin(e, "for (i64 %s = af; %s < ag; ++%s)", var, var, var);
    fsr_c_advance(e, d, var);
    if (e->uses_row)
        fsr_c_row_number(e, d + 2, "0");
    e->placing = true;
    ask(e);
    e->placing = false;
    fsr_c_end(e);
    fsr_c_end(e);
    memcpy(e->base, base, sizeof base);
}

/* Rows from `low` to `high` in batches of a few elements, before each of which as many are asked for that come later:
 * their places are computed, but only the row itself reports them. What places are loaded from, where it lies apart, is
 * asked for earlier still: a processor whose asking fills what it has under way does not look ahead by itself.
 *
 * Counter-example to as many at once as lie between: asking waits for them then, and what works on them does not ask.
 * Counter-example to reports of places that are asked for: the row's are vectors, which waited for these each time.
 * 2,824,464 elements of 11 MB, at places that are products, took 47 ms with such reports and take 20. Counter-example
 * to asking for places alone: these are the first half of each row of 16, 47 ms, and 29 as it is (one thread of a
 * Xeon). */
static void begin_batches(fsr_c_emit *e, int d, const char *low, const char *high) {
    const int width = e->s->width, batch = width < FSR_GATHER_PIECE ? FSR_GATHER_PIECE / width : 1;
    const int ahead = (FSR_FETCH_AHEAD + width - 1) / width;
    char var[FSR_EMIT_NAME];
    fsr_c_begin(e, "for (i64 q = %s; q < %s; q += %d)", low, high, batch);
    fsr_c_line(e, "const i64 qe = %s - q < %d ? %s : q + %d;", high, batch, high, batch);
    if (fsr_c_has_places_apart(e))
        ask_for_rows(e, d, 2 * ahead, batch, fsr_c_fetch_places);
    ask_for_rows(e, d, ahead, batch, fsr_c_fetch_row);
    snprintf(var, sizeof var, "i%d", d);
    fsr_c_begin(e, "for (i64 %s = q; %s < qe; ++%s)", var, var, var);
    fsr_c_advance(e, d, var);
}

/* The loops but the innermost; with a tiled dimension, it comes last, inside the loops over tiles. Panels are outside
 * of all. Returns how many. */
static int begin_outer(fsr_c_emit *e, int last, int tiled) {
    char var[FSR_EMIT_NAME], low[FSR_EMIT_NAME], high[FSR_EMIT_NAME];
    const bool asks = asks_rows(e);
    if (e->s->panel)
        begin_tile(e, last, e->s->panel);
    snprintf(low, sizeof low, "lo%d", last - 1);
    snprintf(high, sizeof high, "hi%d", last - 1);
    for (int d = 0; d < last; d++)
        if (d == last - 1 && asks)
            begin_batches(e, d, low, high);
        else if (d != tiled)
            fsr_c_dimension(e, d);
    if (tiled < 0)
        return last + asks + (e->s->panel > 0);
    begin_tile(e, tiled, e->s->tile);
    begin_tile(e, last, fsr_square_breadth(e->s));
    fsr_c_squares(e);
    snprintf(var, sizeof var, "i%d", tiled);
    fsr_c_begin(e, "for (i64 i%d = b%d; i%d < e%d; ++i%d)", tiled, tiled, tiled, tiled, tiled);
    fsr_c_advance(e, tiled, var);
    return last + 2;
}

/* Squares whose stores turn what their loads take in order: rows of a square are those of the last dimension, and its
 * innermost loop goes along the tiled one. */
static void put_map_turned(fsr_c_emit *e) {
    const int last = e->k->ndim - 1, tiled = e->s->tiled;
    char var[FSR_EMIT_NAME], row[FSR_EMIT_NAME], low[FSR_EMIT_NAME], high[FSR_EMIT_NAME];
    snprintf(var, sizeof var, "i%d", tiled);
    snprintf(row, sizeof row, "i%d", last);
    snprintf(low, sizeof low, "b%d", tiled);
    snprintf(high, sizeof high, "e%d", tiled);
    snprintf(e->index[tiled], FSR_EMIT_NAME, "%s", var);
    e->loop_dim = tiled;
    e->loop_var = var;
    for (int d = 0; d < last; d++)
        if (d != tiled)
            fsr_c_dimension(e, d);
    begin_tile(e, tiled, e->s->tile);
    begin_tile(e, last, fsr_square_breadth(e->s));
    fsr_c_squares(e);
    fsr_c_begin(e, "for (i64 %s = b%d; %s < e%d; ++%s)", row, last, row, last, row);
    fsr_c_advance(e, last, row);
    put_innermost(e, low, high, "");
    fsr_c_end(e);
    fsr_c_squares_end(e);
    fsr_c_dimensions_end(e, last + 1);
}

static void put_map_nested(fsr_c_emit *e) {
    int last = e->k->ndim - 1, tiled = e->s->tile ? e->s->tiled : -1;
    const bool whole = tiled < 0 && !e->s->panel;
    char var[FSR_EMIT_NAME], low[FSR_EMIT_NAME], high[FSR_EMIT_NAME], flat[2 * FSR_EMIT_NAME];
    snprintf(var, sizeof var, "i%d", last);
    snprintf(flat, sizeof flat, "r + %s", var);
    snprintf(e->index[last], FSR_EMIT_NAME, "%s", var);
    e->linear = e->row = flat;
    e->loop_dim = last;
    e->loop_var = var;
    fsr_c_tiles_ahead_head(e);
    int loops = begin_outer(e, last, tiled);
    if (e->uses_row)
        fsr_c_row_number(e, last + 1, "0");
    snprintf(low, sizeof low, "%s%d", whole ? "lo" : "b", last);
    snprintf(high, sizeof high, "%s%d", whole ? "hi" : "e", last);
    fsr_c_tiles_ahead(e, low, high);
    put_innermost(e, low, high, "r + ");
    fsr_c_dimensions_end(e, loops);
}

/* ---- rows that are taken together ----------------------------------------------------------------------- */

/* The loop over the strip's rows: `first` is where the row's elements are in the strip. `asks`: for later rows'
 * gathers. */
static void begin_rows(fsr_c_emit *e, bool asks) {
    const int last = e->k->ndim - 1;
    char row[FSR_EMIT_NAME], flat[2 * FSR_EMIT_NAME];
    snprintf(row, sizeof row, "i%d", last - 1);
    if (!asks) {
        fsr_c_begin(e, "for (i64 %s = b, first = 0; %s < be; ++%s, first += width)", row, row, row);
        fsr_c_advance(e, last - 1, row);
        return;
    }
    const char *linear = e->linear;
    snprintf(flat, sizeof flat, "r + %s", e->loop_var);
    e->linear = e->row = flat;
    begin_batches(e, last - 1, "b", "be");
    e->linear = e->row = linear;
    fsr_c_line(e, "const i64 first = (%s - b) * width;", row);
}

/* Each row's loop, to or from where its elements are in the strip. `scalar`: gathers, which are no vector code. */
static void put_row_by_row(fsr_c_emit *e, const fsr_body *part, bool asks, bool scalar) {
    const int last = e->k->ndim - 1, depth = e->depth;
    char saved[FSR_MAX_ACCESSES][FSR_EMIT_NAME];
    fsr_body rest = *part;
    memcpy(saved, e->base, sizeof saved);
    e->loop_dim = last;
    begin_rows(e, asks);
    fsr_c_outer(e, part);
    if (fsr_body_has_rows(e->k, part, last))
        put_row_first(e, part, &rest);
    if (!scalar)
        fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 %s = 0; %s < width; ++%s)", e->loop_var, e->loop_var, e->loop_var);
    if (scalar)
        fsr_c_scalar_mark(e);
    fsr_c_line(e, "const i64 l = first + %s;", e->loop_var);
    fsr_c_take(e, part, "l");
    fsr_c_column(e, part->pass, rest.inst, rest.n);
    fsr_c_hold(e, part, "l");
    while (e->depth > depth)
        fsr_c_end(e);
    e->loop_dim = -1;
    e->outer = 0;
    memcpy(e->base, saved, sizeof saved);
}

/* One loop along the strip. */
static void put_all_rows(fsr_c_emit *e, const fsr_body *part) {
    fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 l = 0; l < m; ++l)");
    fsr_c_take(e, part, "l");
    fsr_c_column(e, part->pass, part->inst, part->n);
    fsr_c_hold(e, part, "l");
    fsr_c_end(e);
}

/* Something in it knows the row: it loads or stores elsewhere than in order, or asks for indices. */
static bool knows_rows(const fsr_c_emit *e, const fsr_body *part) {
    bool any = false;
    for (int i = 0; i < part->n; i++) {
        const fsr_inst *inst = &e->k->inst[part->inst[i]];
        const bool moves = inst->kind == FSR_INST_LOAD || inst->kind == FSR_INST_STORE;
        any = any || inst->kind == FSR_INST_GUARD || fsr_inst_guard(inst) >= 0 ||
              (moves && !e->k->access[inst->index].linear);
    }
    return any;
}

static void put_together_stages(fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS], stages = fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    for (int s = 0; s < stages; s++) {
        fsr_body part;
        fsr_body_stage(e->k, loop, stage, s, &part);
        if (!part.n)
            continue;
        fsr_c_begin(e, "%s", "");
        const bool asks = s == 0 && asks_rows(e);
        if (asks || knows_rows(e, &part))
            put_row_by_row(e, &part, asks, fsr_stage_is(e->walk, s, FSR_STAGE_GATHER));
        else
            fsr_c_by_range(e, &part, put_all_rows);
        fsr_c_end(e);
    }
}

/* Launches are not divided along the last dimension, of fewer elements than a piece has: all of the strip lies in one
 * piece in what is stored. */
static void put_map_together(fsr_c_emit *e) {
    const int last = e->k->ndim - 1;
    char var[FSR_EMIT_NAME], extent[FSR_EMIT_NAME];
    fsr_body loop;
    fsr_body_of(e->k, 0, &loop);
    snprintf(var, sizeof var, "i%d", last);
    snprintf(e->index[last], FSR_EMIT_NAME, "%s", var);
    e->linear = e->row = "at + l";
    e->loop_var = var;
    snprintf(e->stream_at, sizeof e->stream_at, "l");
    fsr_c_dimensions(e, last - 1);
    fsr_c_line(e, "const i64 width = %s, rows = %d / width;", fsr_c_integer(e, FSR_INT_EXTENT + last, extent),
               e->s->strip);
    fsr_c_strip_arrays(e, &loop);
    fsr_c_begin(e, "for (i64 b = lo%d; b < hi%d; b += rows)", last - 1, last - 1);
    fsr_c_line(e, "const i64 be = hi%d - b < rows ? hi%d : b + rows, m = (be - b) * width;", last - 1, last - 1);
    fsr_c_row_number(e, last, "b");
    fsr_c_line(e, "const i64 at = r * width;");
    fsr_c_together_comes(e);
    fsr_c_stream_begin(e, &loop, "at");
    put_together_stages(e, &loop);
    fsr_c_stream_end(e, &loop, "at", "m");
    fsr_c_end(e);
    fsr_c_dimensions_end(e, last - 1);
}

void fsr_c_map(fsr_c_emit *e) {
    if (e->s->flat)
        put_map_flat(e);
    else if (e->s->together)
        put_map_together(e);
    else if (e->s->turned)
        put_map_turned(e);
    else
        put_map_nested(e);
}
