/* SPDX-License-Identifier: MIT */
/* Loops in strips, in generated C: scans of adjacent columns, loops for each element, chains of functions.
 *
 * The columns (of a map: the rows) run in strips that fit the first cache. The loop's instructions are cut into
 * stages (stage.c): each runs over the whole strip, and leaves in arrays what a scan or a later stage reads; the
 * scan does its array.
 *
 * A scan whose results only filters' stores name is not done: they keep count themselves (pack.c).
 *
 * An array is scanned in blocks of 16: in two steps element l of a quad takes in element l - 1, then l - 2; then the
 * last element of a quad goes into the quad on its right, and that of eight into the next eight, all of it vector code;
 * then block after block what comes before it is folded into its elements, and its last element into what comes before
 * the next. Counter-example to the obvious loop: each element waits for the addition before it, four cycles of a
 * processor that could do thirty-two in that time. Each step is done to the whole strip before the next.
 * Counter-example to all steps block by block: a load of eight waits until two stores of four are in the cache; quads
 * alone do not wait, but a maximum that takes NaN along took a quarter longer with them.
 *
 * What a piece takes in from its left is the element on its left, so that a running sum of non-negative values does not
 * step back there; within a quad it does by 2 units in the last place at most. Across blocks, chunks and parts an f32
 * sum is carried as an f64 (wide): a part's carry comes from another fold than the scan of the part before it.
 * Counter-examples: with both in f32 they were more than 200 units apart; and elements that take in their neighbours at
 * the distances 1, 2, 4, 8 have trees of their own, 3 units apart.
 *
 * The strips of a row start at the row's, or the part's, first column: the association depends on nothing else. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include <stdio.h>

static const fsr_combine *combine_of(const fsr_c_emit *e, int fold) {
    return e->k->fold[fold].combine;
}

/* ---- arrays ---------------------------------------------------------------------------------------- */

/* Elements, results; before the strip's first element stand neutral ones. */
static void put_scan_arrays(fsr_c_emit *e, int fold) {
    char extent[FSR_EMIT_NAME];
    snprintf(extent, sizeof extent, "[%d]", e->s->strip + e->s->block);
    fsr_c_fold_declare(e, fold, 'a', extent);
    fsr_c_fold_declare(e, fold, 'h', extent);
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->block);
    fsr_c_fold_identity(e, fold, 'a', "[l]");
    fsr_c_fold_identity(e, fold, 'h', "[l]");
    fsr_c_end(e);
}

void fsr_c_strip_arrays(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_hold_arrays(e, loop);
    fsr_c_stream_arrays(e, loop, e->s->strip);
    fsr_c_laned_arrays(e, loop);
    for (int i = 0; i < loop->n; i++)
        if (e->k->inst[loop->inst[i]].kind == FSR_INST_ITERATE)
            fsr_c_loop_arrays(e, loop->inst[i]);
    for (int i = 0; i < loop->nfolds; i++) {
        if (!fsr_c_is_scan(e, loop->folds[i]))
            continue;
        if (!e->counted[loop->folds[i]])
            put_scan_arrays(e, loop->folds[i]);
        fsr_c_share_carry(e, loop->folds[i]);
    }
    for (int i = 0; i < loop->n; i++)
        if (e->k->inst[loop->inst[i]].filter)
            fsr_c_pack_arrays(e, loop->inst[i]);
}

void fsr_c_strip_end(fsr_c_emit *e, const fsr_body *loop) {
    for (int i = 0; i < loop->n; i++)
        if (e->k->inst[loop->inst[i]].filter)
            fsr_c_pack_end(e, loop->inst[i]);
    fsr_c_apart_counts(e, loop);
}

/* ---- one stage's loop ------------------------------------------------------------------------------ */

static bool folds(const fsr_c_emit *e, const fsr_body *loop) {
    for (int i = 0; i < loop->nfolds; i++)
        if (!fsr_c_is_scan(e, loop->folds[i]) && !fsr_c_is_laned(e, loop->folds[i]))
            return true;
    return false;
}

static fsr_c_along along_strip(const fsr_c_emit *e) {
    return (fsr_c_along){"l", e->cut_strips ? e->low : "0", e->cut_strips ? e->high : "m", ""};
}

static void put_element(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_line(e, "const i64 %s = cs + l;", e->loop_var);
    fsr_c_fetch(e, loop, "l", "m");
    fsr_c_take(e, loop, "l");
    fsr_c_column(e, loop->pass, loop->inst, loop->n);
    fsr_c_hold(e, loop, "l");
}

static void put_stage_loop(fsr_c_emit *e, const fsr_body *loop) {
    if (!fsr_c_is_needed(e, loop))
        return;
    const fsr_c_along along = along_strip(e);
    const char *low = along.low, *high = along.high;
    const bool comes = fsr_c_comes_begin(e, loop->pass, &along, &low, &high);
    if (!folds(e, loop))
        fsr_c_independent(e);
    fsr_c_begin(e, "for (i64 l = %s; l < %s; ++l)", low, high);
    put_element(e, loop);
    fsr_c_end(e);
    if (comes)
        fsr_c_end(e);
}

static void put_gather_loop(fsr_c_emit *e, const fsr_body *loop) {
    if (!fsr_c_is_needed(e, loop))
        return;
    const fsr_c_along along = along_strip(e);
    fsr_c_gather_loop(e, loop, &along, put_element);
}

static void put_gathers(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_by_distance(e, loop, "m", put_gather_loop);
}

static void put_by_distance(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_by_distance(e, loop, "m", put_stage_loop);
}

static void put_in_range(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_by_range(e, loop, put_by_distance);
}

/* The loops over a strip's elements are cut at bounds: nothing of the strip is done for all of it at once, but scans,
 * which take what was handed to them. */
static bool may_cut(const fsr_c_emit *e, const fsr_body *loop) {
    int stage[FSR_MAX_INSTS], stages = fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    bool may = fsr_c_has_versions(e, loop);
    fsr_body part;
    for (int s = 0; s < stages && may; s++) {
        fsr_body_stage(e->k, loop, stage, s, &part);
        may = !part.n || !fsr_stage_is(e->walk, s, FSR_STAGE_BLOCKS);
    }
    for (int i = 0; i < loop->n; i++)
        may = may && !e->k->inst[loop->inst[i]].filter && e->k->inst[loop->inst[i]].kind != FSR_INST_ITERATE;
    return may;
}

/* One stage's loops over the strip. */
static void put_stage_loops(fsr_c_emit *e, const fsr_body *loop, const fsr_body *part, bool gathers) {
    void (*print)(fsr_c_emit *, const fsr_body *) = gathers ? put_gathers : put_in_range;
    if (e->cut_strips)
        fsr_c_stage_by_version(e, loop, part, print);
    else
        print(e, part);
}

/* ---- one scan of the strip ------------------------------------------------------------------------- */

/* "y0, y1" with `before` in front of each and `after` behind: the components of a state. */
static void put_components(fsr_text *to, int arity, const char *before, const char *after) {
    for (int i = 0; i < arity; i++)
        fsr_text_add(to, "%s%s%d%s", i ? ", " : "", before, i, after);
}

/* left = left (+) right: states whose components are named alike but for their number. */
static void put_fold(fsr_c_emit *e, int fold, const char *left, const char *right, const char *right_at) {
    const int arity = combine_of(e, fold)->arity;
    char mark[FSR_EMIT_NAME];
    fsr_text t = {0};
    snprintf(mark, sizeof mark, "&%s", left);
    put_components(&t, arity, mark, "");
    fsr_text_add(&t, ", ");
    put_components(&t, arity, right, right_at);
    fsr_c_fold_same(e, &t, fold);
    fsr_c_line(e, "fold%d(%s);", e->shared[fold], t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

/* to[l] = from[l - distance] (+) from[l] within quads */
static void put_step(fsr_c_emit *e, int fold, char from, char to, int distance) {
    const fsr_combine *c = combine_of(e, fold);
    char array[FSR_EMIT_NAME];
    fsr_c_begin(e, "for (i64 b = %d; b < m + %d; b += %d)", e->s->block, e->s->block, e->s->block);
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->block);
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "%s y%d = %c%d_%d[b + l - %d];", fsr_c_type(fsr_combine_dtype(c, i)), i, from, fold, i, distance);
    snprintf(array, sizeof array, "%c%d_", from, fold);
    put_fold(e, fold, "y", array, "[b + l]");
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "%c%d_%d[b + l] = (l & %d) < %d ? %c%d_%d[b + l] : y%d;", to, fold, i, FSR_SCAN_QUAD - 1,
                   distance, from, fold, i, i);
    fsr_c_end(e);
    fsr_c_end(e);
}

/* to[at + l] = w (+) a[at + l] for l < n */
static void put_onto(fsr_c_emit *e, int fold, char to, const char *at, int n) {
    const fsr_combine *c = combine_of(e, fold);
    char array[FSR_EMIT_NAME], place[FSR_EMIT_NAME];
    snprintf(array, sizeof array, "a%d_", fold);
    snprintf(place, sizeof place, "[%s + l]", at);
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", n);
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "%s y%d = w%d;", fsr_c_type(fsr_combine_dtype(c, i)), i, i);
    put_fold(e, fold, "y", array, place);
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "%c%d_%d%s = y%d;", to, fold, i, place, i);
    fsr_c_end(e);
}

/* Twos of neighbours of `half` columns: the last of the first one into the second one's. */
static void put_halves(fsr_c_emit *e, int fold, int half) {
    const fsr_combine *c = combine_of(e, fold);
    const int block = e->s->block;
    fsr_c_begin(e, "for (i64 b = %d; b < m + %d; b += %d)", block, block, block);
    fsr_c_begin(e, "for (i64 p = b + %d; p < b + %d; p += %d)", half, block, 2 * half);
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "const %s w%d = a%d_%d[p - 1];", fsr_c_type(fsr_combine_dtype(c, i)), i, fold, i);
    put_onto(e, fold, 'a', "p", half);
    fsr_c_end(e);
    fsr_c_end(e);
}

/* "volatile f64 before0_0 = g0_0;", through memory, to the state `to`: a compiler sees two variables, not one. */
static void put_apart(fsr_c_emit *e, int fold, const char *type, char from, char to) {
    for (int i = 0; i < combine_of(e, fold)->arity; i++) {
        const char *state = fsr_c_type(fsr_c_state_dtype(e, fold, 'g', i));
        fsr_c_line(e, "%s%s%sbefore%d_%d = %c%d_%d;", *type ? "volatile " : "", *type ? state : "", type, fold, i, from,
                   fold, i);
        fsr_c_line(e, "%s%s%c%d_%d = before%d_%d;", *type ? state : "", type, to, fold, i, fold, i);
    }
}

/* Within blocks; then block after block, what comes before it into its elements. h[15] is what comes before the strip.
 * The loop has a carry of its own: the row's is one that calls leave in memory, and each block would wait for it to
 * come from there. */
static void put_blocks(fsr_c_emit *e, int fold) {
    const fsr_combine *c = combine_of(e, fold);
    const int block = e->s->block;
    char last[FSR_EMIT_NAME];
    for (int half = FSR_SCAN_QUAD; half < block; half *= 2)
        put_halves(e, fold, half);
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "h%d_%d[%d] = g%d_%d;", fold, i, block - 1, fold, i);
    fsr_c_begin(e, "%s", "");
    put_apart(e, fold, " ", 'g', 'n');
    fsr_c_begin(e, "for (i64 b = %d; b < m + %d; b += %d)", block, block, block);
    for (int i = 0; i < c->arity; i++)
        fsr_c_line(e, "const %s w%d = n%d_%d;", fsr_c_type(fsr_combine_dtype(c, i)), i, fold, i);
    snprintf(last, sizeof last, "[b + %d]", block - 1);
    fsr_c_fold_pair(e, fold, 'n', "", 'a', last);
    put_onto(e, fold, 'h', "b", block);
    fsr_c_end(e);
    put_apart(e, fold, "", 'n', 'g');
    fsr_c_end(e);
}

static void put_scan(fsr_c_emit *e, int fold) {
    fsr_c_begin(e, "for (i64 l = m; l %% %d; ++l)", e->s->block);
    char at[FSR_EMIT_NAME];
    snprintf(at, sizeof at, "[%d + l]", e->s->block);
    fsr_c_fold_identity(e, fold, 'a', at);
    fsr_c_end(e);
    put_step(e, fold, 'a', 'h', 1);
    put_step(e, fold, 'h', 'a', 2);
    put_blocks(e, fold);
}

static void put_strips(fsr_c_emit *e, const fsr_body *loop) {
    const char *start = e->start;
    int stage[FSR_MAX_INSTS], stages = fsr_body_stages(e->k, loop, e->walk, stage, NULL);
    fsr_c_begin(e, "for (i64 cs = %s; cs < %s; cs += %d)", e->low, e->high, e->s->strip);
    fsr_c_line(e, "const i64 m = %s - cs < %d ? %s - cs : %d;", e->high, e->s->strip, e->high, e->s->strip);
    const bool waits = fsr_body_waits(e->k, loop, e->walk);
    bool asked = false;
    if (!waits)
        fsr_c_coming(e, loop);
    fsr_c_stream_begin(e, loop, start);
    snprintf(e->stream_at, sizeof e->stream_at, "l");
    for (int s = 0; s < stages; s++) {
        fsr_body part;
        fsr_body_stage(e->k, loop, stage, s, &part);
        if (!part.n)
            continue;
        e->comes = waits && e->s->coming && !asked && fsr_part_waits(e->k, &part, e->walk, s);
        asked = asked || e->comes;
        fsr_c_begin(e, "%s", "");
        if (fsr_stage_is(e->walk, s, FSR_STAGE_BLOCKS))
            fsr_c_blocks(e, &part, "m");
        else
            put_stage_loops(e, loop, &part, fsr_stage_is(e->walk, s, FSR_STAGE_GATHER));
        fsr_c_end(e);
        e->comes = false;
        fsr_c_laned_strip(e, &part);
        for (int i = 0; i < part.n; i++)
            if (e->k->inst[part.inst[i]].filter)
                fsr_c_pack_strip(e, part.inst[i]);
        for (int i = 0; i < part.nfolds; i++)
            if (fsr_c_is_scan(e, part.folds[i]) && !e->counted[part.folds[i]])
                put_scan(e, part.folds[i]);
        for (int i = 0; i < part.n; i++)
            if (e->k->inst[part.inst[i]].kind == FSR_INST_ITERATE && !e->dead[part.inst[i]])
                fsr_c_loop_call(e, part.inst[i]);
    }
    fsr_c_stream_end(e, loop, start, "m");
    fsr_c_end(e);
}

void fsr_c_strips(fsr_c_emit *e, const fsr_body *loop, const char *start) {
    e->start = start;
    e->cut_strips = may_cut(e, loop);
    if (e->cut_strips) {
        e->low = "c0";
        e->high = "c1";
        put_strips(e, loop);
        e->cut_strips = false;
    } else {
        fsr_c_by_version(e, loop, "c0", "c1", e->s->strip, put_strips);
    }
}
