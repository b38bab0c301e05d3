/* SPDX-License-Identifier: MIT */
/* Compacted stores: filters in the frames whose threads run along the columns.
 *
 * Pooled (fusion/pool.c), all elements of a tile that a filter selects meet in shared memory, in order, and threads
 * store neighbours. Otherwise those of a warp's step do:
 * The neighbours of a warp's step are neighbours in memory, and so are those of them that the mask selects, and the
 * others, counted from the end. So lanes hand their elements to one another: each leaves its own in shared memory where
 * they stand among the step's, and takes the one next to its neighbour's from there, for the array. Which elements
 * these are follows from the counts that each lane has; no thread waits for another warp.
 *
 * Counter-example to each lane's storing what it has at the place of its own: a lane's elements are neighbours already,
 * so at any moment lanes store several elements apart, and every line of memory is written in pieces. */
#include "backend_cuda/emit.h"
#include "fusion/filter.h"
#include <stdio.h>

static bool is_compacted(const fsr_emit *e, int v) {
    return e->k->inst[v].filter;
}

static bool is_handed_over(const fsr_emit *e, int v) {
    return is_compacted(e, v) && !e->s.pooled;
}

/* Bytes of the widest element that is compacted; 0: there is none. */
static int widest(const fsr_emit *e) {
    size_t size = 0;
    for (int i = 0; i < e->k->ninsts; i++)
        if (is_compacted(e, i) && fsr_dtype_size(e->k->inst[i].dtype) > size)
            size = fsr_dtype_size(e->k->inst[i].dtype);
    return (int)size;
}

/* "pool7": a store's elements of the whole tile. */
static void pool(fsr_emit *e, int v) {
    if (is_compacted(e, v))
        fsr_emit_line(e, "__shared__ %s pool%d[%d];", fsr_emit_type(e->k->inst[v].dtype), v, e->s.threads * e->s.items);
}

void fsr_emit_compact_room(fsr_emit *e) {
    const int size = widest(e);
    for (int v = 0; e->s.pooled && v < e->k->ninsts; v++)
        pool(e, v);
    if (e->s.pooled)
        fsr_emit_line(e, "const u32 among = fsr_among(end, t * %d, %d);", fsr_emit_tile_columns(e),
                      fsr_emit_tile_columns(e));
    else if (size && !e->s.pooled)
        fsr_emit_line(e, "__shared__ c128 room[%d];", e->s.threads * e->s.vector * size / 16);
}

void fsr_emit_compact_registers(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    if (!is_handed_over(e, v))
        return;
    fsr_emit_line(e, "%s o%d[%d];", fsr_emit_type(inst->dtype), v, e->s.vector);
    fsr_emit_line(e, "b8 m%d[%d];", v, e->s.vector);
    fsr_emit_line(e, "%s k%d[%d];", fsr_emit_type(e->k->inst[inst->arg[2]].dtype), v, e->s.vector);
}

void fsr_emit_compact_values(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    const char *at = e->s.vector > 1 ? "v" : "0";
    char value[FSR_REF], mask[FSR_REF], before[FSR_REF];
    if (!is_handed_over(e, v))
        return;
    fsr_emit_line(e, "o%d[%s] = %s;", v, at, fsr_emit_ref(e, value, inst->arg[0]));
    fsr_emit_line(e, "m%d[%s] = %s;", v, at, fsr_emit_ref(e, mask, inst->arg[1]));
    fsr_emit_line(e, "k%d[%s] = %s;", v, at, fsr_emit_ref(e, before, inst->arg[2]));
}

void fsr_emit_compact(fsr_emit *e, int v) {
    char row[FSR_EXPR];
    if (is_handed_over(e, v))
        fsr_emit_line(e, "fsr_compact<%d, %d, %s>(&%s, room, o%d, m%d, k%d, %s, end, cols);", fsr_emit_lane_count(e),
                      widest(e), e->k->inst[v].front ? "true" : "false",
                      fsr_emit_element(e, row, e->k->inst[v].index, NULL), v, v, v, fsr_emit_step_column(e));
}

/* ---- pools ---------------------------------------------------------------------------------------------------
 *
 * A thread's masks are bits of a word until its elements go to the pool, its counts are counts of these bits, and a
 * compiler does not know of which comparisons they are: 20 predicates that it thinks it has already it would hold in a
 * word of its own making, at three instructions each. */

static bool pools_at(const fsr_emit *e, int v, int stage, bool early) {
    return is_compacted(e, v) && e->s.pooled && e->tile.stage[v] == stage &&
           fsr_tile_pools_early(e->k, &e->tile, v) == early;
}

/* The mask of an early store, if store v is the first one that has it; -1. */
static int own_mask(const fsr_emit *e, int v) {
    if (!is_compacted(e, v) || !e->s.pooled || !fsr_tile_pools_early(e->k, &e->tile, v))
        return -1;
    for (int i = 0; i < v; i++)
        if (is_compacted(e, i) && fsr_tile_pools_early(e->k, &e->tile, i) &&
            e->k->inst[i].arg[1] == e->k->inst[v].arg[1])
            return -1;
    return e->k->inst[v].arg[1];
}

void fsr_emit_pool_words(fsr_emit *e) {
    for (int v = 0; v < e->k->ninsts; v++)
        if (own_mask(e, v) >= 0)
            fsr_emit_line(e, "u32 w%d = 0;", own_mask(e, v));
}

void fsr_emit_pool_bits(fsr_emit *e, int stage) {
    char mask[FSR_REF];
    for (int v = 0; v < e->k->ninsts; v++)
        if (own_mask(e, v) >= 0 && e->tile.stage[v] == stage + 1) {
            fsr_emit_line(e, "if (%s < end && %s) w%d |= 1u << i;", fsr_emit_step_column(e),
                          fsr_emit_ref(e, mask, own_mask(e, v)), own_mask(e, v));
            fsr_emit_line(e, "fsr_opaque(w%d);", own_mask(e, v));
        }
}

bool fsr_emit_pool_count(fsr_emit *e, char buf[FSR_EXPR], int fold) {
    for (int v = 0; v < e->k->ninsts; v++)
        if (own_mask(e, v) >= 0 && fsr_counting_fold(e->k, &e->k->inst[v]) == fold) {
            snprintf(buf, FSR_EXPR, "op%d::state{(%s)(w%d >> i & 1)}", e->op_of[fold],
                     fsr_emit_type(fsr_combine_dtype(e->k->fold[fold].combine, 0)), own_mask(e, v));
            return true;
        }
    return false;
}

bool fsr_emit_pool_counts(const fsr_emit *e, int stage) {
    return e->s.kind == FSR_SCHEDULE_LOOKBACK && fsr_tile_counts(e->k, &e->tile, stage) >= 0;
}

void fsr_emit_pool_sums(fsr_emit *e, int stage) {
    const fsr_inst *store = &e->k->inst[fsr_tile_counts(e->k, &e->tile, stage)];
    const int f = fsr_counting_fold(e->k, store), warps = fsr_emit_warps(e);
    char scratch[FSR_REF] = "nullptr";
    if (warps > 1)
        snprintf(scratch, sizeof scratch, "s%d_%d%s", e->pass, stage, e->s.slots ? "[flip ^= 1]" : "");
    fsr_emit_line(e, "const chain%d_%d::state total%d = {op%d::state{(%s)fsr_pool_counts<%d, %d, %s>(w%d, q%d, %s)}};",
                  e->pass, stage, stage, e->op_of[f], fsr_emit_type(fsr_combine_dtype(e->k->fold[f].combine, 0)),
                  e->s.vector, warps, e->s.slots ? "true" : "false", store->arg[1], stage, scratch);
}

/* Of an element: what is stored, and whether. */
static void put(fsr_emit *e, int v, const char *selected) {
    const fsr_inst *inst = &e->k->inst[v];
    char value[FSR_REF];
    if (fsr_tile_writes_again(e->k, inst->arg[0]) && e->tile.stage[inst->arg[0]] != e->tile.stage[v])
        fsr_emit_value(e, inst->arg[0], "");
    fsr_emit_ref(e, value, inst->arg[0]);
    if (inst->front)
        fsr_emit_line(e, "fsr_pool(to%d, %s, %s);", v, value, selected);
    else
        fsr_emit_line(e, "fsr_pool_all(pool%d, %s, %s, %s - t * %d%s, among, rank%d);", v, value, selected,
                      fsr_emit_step_column(e), fsr_emit_tile_columns(e), e->s.vector > 1 ? " + v" : "", v);
}

/* Where a step's first element would go. */
static void rank(fsr_emit *e, int v) {
    const int f = fsr_counting_fold(e->k, &e->k->inst[v]);
    const int s = e->tile.stage[e->k->inst[v].arg[2]] - 1;
    const char *step = e->s.vector > 1 ? "j" : "i";
    char count[FSR_REF];
    if (fsr_emit_pool_counts(e, s))
        snprintf(count, sizeof count, "q%d[%s]", s, step);
    else
        snprintf(count, sizeof count, "(u32)b%d[%s].f%d.c0", s, step, f);
    if (e->k->inst[v].front)
        fsr_emit_line(e, "%s *to%d = pool%d + %s;", fsr_emit_type(e->k->inst[v].dtype), v, v, count);
    else
        fsr_emit_line(e, "u32 rank%d = %s;", v, count);
}

void fsr_emit_pool_ranks(fsr_emit *e, int v) {
    if (pools_at(e, v, e->tile.stage[v], false))
        rank(e, v);
}

void fsr_emit_pool_values(fsr_emit *e, int v) {
    char selected[FSR_EXPR], mask[FSR_REF];
    if (!pools_at(e, v, e->tile.stage[v], false))
        return;
    snprintf(selected, sizeof selected, "%s < end && %s", fsr_emit_step_column(e),
             fsr_emit_ref(e, mask, e->k->inst[v].arg[1]));
    put(e, v, selected);
}

void fsr_emit_pool_early(fsr_emit *e, int stage) {
    bool any = false;
    for (int i = 0; i < e->k->ninsts; i++)
        any = any || pools_at(e, i, stage, true);
    if (!any)
        return;
    fsr_emit_open_steps(e, "c0", fsr_emit_lane_count(e) * e->s.vector);
    for (int i = 0; i < e->k->ninsts; i++)
        if (pools_at(e, i, stage, true))
            rank(e, i);
    fsr_emit_open_lanes(e);
    for (int i = 0; i < e->k->ninsts; i++)
        if (pools_at(e, i, stage, true)) {
            char selected[FSR_REF];
            snprintf(selected, sizeof selected, "w%d >> i & 1", e->k->inst[i].arg[1]);
            put(e, i, selected);
        }
    fsr_emit_close_lanes(e);
    fsr_emit_close(e);
}

void fsr_emit_pool_out(fsr_emit *e, int stage, bool early) {
    bool waited = early;
    for (int v = 0; v < e->k->ninsts; v++) {
        const fsr_inst *inst = &e->k->inst[v];
        char row[FSR_EXPR];
        if (!pools_at(e, v, stage, early))
            continue;
        const int s = e->tile.stage[inst->arg[2]] - 1, f = fsr_counting_fold(e->k, inst);
        if (!waited)
            fsr_emit_line(e, "fsr_barrier();");
        waited = true;
        fsr_emit_line(e,
                      "fsr_pool_out<%d, %s, %s>(&%s, pool%d, %s, prefix%d.f%d.c0, (u32)total%d.f%d.c0, t * %d, among, "
                      "cols);",
                      e->s.slots ? e->s.writers : e->s.threads, inst->front ? "true" : "false",
                      e->s.slots ? "true" : "false", fsr_emit_element(e, row, inst->index, NULL), v,
                      e->s.slots ? "own" : "threadIdx.x", s, f, s, f, fsr_emit_tile_columns(e));
    }
}
