/* SPDX-License-Identifier: MIT */
/* One tile of columns held in registers: loads, its instructions cut into stages, folds, scans, stores.
 *
 * A thread's element i = j * vector + v has column c0 + j * (lanes * vector) + v: a warp's step j is contiguous in
 * memory, and a warp's steps follow each other, so that the order of columns is (warp, j, lane, v). Of rows side by
 * side a thread has neighbouring columns, i of its own: there lanes are 1. All loads come
 * first, to be in flight together; a stage ends where a chain must be complete for the whole tile before anything goes
 * on.
 *
 * Counter-example to folding where the value is computed, for a scan: the element to the left belongs to another
 * thread. */
#include "backend_cuda/emit.h"
#include <stdio.h>

/* ---- loops over a tile ------------------------------------------------------------------------ */

const char *fsr_emit_step_column(const fsr_emit *e) {
    return e->s.vector > 1 ? "cj" : "c";
}

void fsr_emit_open_steps(fsr_emit *e, const char *first, int stride) {
    const char *var = e->s.vector > 1 ? "j" : "i";
    fsr_emit_unrolled(e, var, fsr_emit_steps(e));
    if (stride == 1)
        fsr_emit_line(e, "const idx %s = %s + %s;", fsr_emit_step_column(e), first, var);
    else
        fsr_emit_line(e, "const idx %s = %s + %s * %d;", fsr_emit_step_column(e), first, var, stride);
}

static void open_tile_steps(fsr_emit *e) {
    fsr_emit_open_steps(e, "c0", fsr_emit_lane_count(e) * e->s.vector);
}

static bool reads_column_index(const fsr_emit *e) {
    for (int i = 0; i < e->tile.n; i++) {
        const fsr_inst *inst = &e->k->inst[e->tile.loop[i]];
        if (inst->kind == FSR_INST_INDEX && inst->index >= e->k->nparallel)
            return true;
        const bool waits = fsr_inst_is_late(e->k, e->tile.loop[i]) || fsr_inst_scatters(e->k, inst);
        const fsr_index_form *form = waits ? fsr_access_form(e->k, inst->index) : NULL;
        const int guard = inst->kind == FSR_INST_LOAD && !form ? -1 : fsr_inst_guard(inst);
        for (int d = e->k->nparallel; d < e->k->ndim; d++)
            if ((guard >= 0 && fsr_guard_reads_index(e->k, guard, d)) || (form && form->stride[d] != FSR_STRIDE_ZERO))
                return true;
    }
    return false;
}

/* cj is a multiple of `vector`; saying so costs nothing, and shows a compiler what neighbours have in common. */
void fsr_emit_open_lanes(fsr_emit *e) {
    if (e->s.vector > 1) {
        fsr_emit_unrolled(e, "v", e->s.vector);
        fsr_emit_line(e, "const int i = j * %d + v;", e->s.vector);
    }
    if (!reads_column_index(e))
        return;
    if (e->s.vector > 1 && fsr_emit_along_rows(e))
        fsr_emit_line(e, "const idx c = cj;");
    else if (e->s.vector > 1)
        fsr_emit_line(e, "const idx c = cj / %d * %d | v;", e->s.vector, e->s.vector);
    fsr_emit_column_indices(e, "c");
}

void fsr_emit_close_lanes(fsr_emit *e) {
    if (e->s.vector > 1)
        fsr_emit_close(e);
}

/* ---- a tile ----------------------------------------------------------------------------------- */

static void declare_registers(fsr_emit *e) {
    for (int i = 0; i < e->tile.n; i++) {
        int v = e->tile.loop[i];
        const fsr_inst *inst = &e->k->inst[v];
        if (inst->kind != FSR_INST_STORE && inst->kind != FSR_INST_COMBINE && !e->k->stand[v].keep &&
            e->naming[v] == FSR_NAME_ITEM)
            fsr_emit_line(e, "%s v%d[%d] = {};", fsr_emit_type(inst->dtype), v, e->s.items);
    }
    for (int s = 0; s < e->tile.nstages; s++) {
        fsr_fold_list chain = fsr_kernel_chain(e->k, e->pass, e->tile.stage, s);
        if (fsr_emit_pool_counts(e, s))
            fsr_emit_line(e, "u32 q%d[%d];", s, fsr_emit_steps(e));
        if (!chain.n || fsr_emit_pool_counts(e, s))
            continue;
        fsr_emit_line(e, "chain%d_%d::%s t%d[%d];", e->pass, s, fsr_emit_has_items(e, &chain) ? "item" : "state", s,
                      e->s.items);
        fsr_emit_line(e, "chain%d_%d::state b%d[%d];", e->pass, s, s, fsr_emit_beside(e) > 1 ? 1 : fsr_emit_steps(e));
        if (e->s.parked) {
            fsr_emit_line(e, "typedef fsr_parked<chain%d_%d::%s, %d> parking;", e->pass, s,
                          fsr_emit_has_items(e, &chain) ? "item" : "state", e->s.vector);
            fsr_emit_line(e, "fsr_dynamic(parking, parked%d, %d);", s, e->s.parked * e->s.threads);
        }
    }
}

/* Loads of a step; false: there are none. */
static bool step_loads(fsr_emit *e, bool opens) {
    char at[FSR_REF];
    bool any = false;
    snprintf(at, sizeof at, e->s.vector > 1 ? "j * %d" : "i", e->s.vector);
    for (int i = 0; i < e->tile.n; i++) {
        if (e->k->inst[e->tile.loop[i]].kind != FSR_INST_LOAD || fsr_inst_is_late(e->k, e->tile.loop[i]) ||
            e->dead[e->tile.loop[i]])
            continue;
        if (!any && opens)
            open_tile_steps(e);
        if (!any)
            fsr_emit_open(e, "if (%s < end) {", fsr_emit_step_column(e));
        any = true;
        fsr_emit_load(e, e->tile.loop[i], at, fsr_emit_step_column(e));
    }
    if (any)
        fsr_emit_close(e);
    return any;
}

static void tile_loads(fsr_emit *e, int stage) {
    (void)stage;
    if (step_loads(e, true))
        fsr_emit_close(e);
}

static bool used_in_stage(const fsr_emit *e, int v, int stage) {
    for (int i = 0; i < e->tile.n; i++)
        if (e->tile.stage[e->tile.loop[i]] == stage && fsr_inst_reads(e->k, e->tile.loop[i], v))
            return true;
    return false;
}

/* The values that stage `stage` computes; cheap ones wherever they are read. */
static void stage_values(fsr_emit *e, int stage) {
    for (int i = 0; i < e->tile.n; i++) {
        int v = e->tile.loop[i];
        const fsr_inst *inst = &e->k->inst[v];
        char state[FSR_REF];
        if ((inst->kind == FSR_INST_LOAD && !fsr_inst_is_late(e->k, v)) || inst->kind == FSR_INST_STORE ||
            inst->kind == FSR_INST_COMBINE || e->dead[v])
            continue;
        if (fsr_tile_writes_again(e->k, v) ? !used_in_stage(e, v, stage) : e->tile.stage[v] != stage)
            continue;
        if (fsr_picks_fold(e->k, inst) && fsr_emit_pool_counts(e, stage - 1))
            continue;
        snprintf(state, sizeof state, "t%d[i].f%d", stage - 1, inst->index);
        fsr_emit_value(e, v, state);
    }
}

static bool stores_in_stage(const fsr_emit *e, int stage, int i) {
    const fsr_inst *inst = &e->k->inst[e->tile.loop[i]];
    return inst->kind == FSR_INST_STORE && !inst->filter && !fsr_inst_scatters(e->k, inst) &&
           e->tile.stage[e->tile.loop[i]] == stage;
}

/* Elements that go to computed addresses leave one by one. */
static void scattered_stores(fsr_emit *e, int stage) {
    for (int i = 0; i < e->tile.n; i++)
        if (fsr_inst_scatters(e->k, &e->k->inst[e->tile.loop[i]]) && e->tile.stage[e->tile.loop[i]] == stage)
            fsr_emit_scattered(e, e->tile.loop[i], fsr_emit_step_column(e), "end");
}

static void store_registers(fsr_emit *e, int stage) {
    for (int i = 0; i < e->tile.n && e->s.vector > 1; i++)
        if (stores_in_stage(e, stage, i))
            fsr_emit_line(e, "%s o%d[%d];", fsr_emit_type(e->k->inst[e->tile.loop[i]].dtype), e->tile.loop[i],
                          e->s.vector);
}

static void store_values(fsr_emit *e, int stage) {
    char ref[FSR_REF];
    for (int i = 0; i < e->tile.n && e->s.vector > 1; i++)
        if (stores_in_stage(e, stage, i))
            fsr_emit_line(e, "o%d[v] = %s;", e->tile.loop[i], fsr_emit_ref(e, ref, e->k->inst[e->tile.loop[i]].arg[0]));
}

static void stage_stores(fsr_emit *e, int stage) {
    bool any = false;
    for (int i = 0; i < e->tile.n; i++) {
        if (!stores_in_stage(e, stage, i))
            continue;
        if (!any)
            fsr_emit_open(e, "if (%s < end) {", fsr_emit_step_column(e));
        any = true;
        fsr_emit_store(e, e->tile.loop[i], fsr_emit_step_column(e));
    }
    if (any)
        fsr_emit_close(e);
}

/* "total1", the fold of the whole tile, or of a row's, and b1, of what stands before each step, or the thread's
 * columns. */
static void chain_sums(fsr_emit *e, int s) {
    const int p = e->pass, beside = fsr_emit_beside(e);
    char scratch[FSR_REF] = "nullptr";
    if (fsr_emit_pool_counts(e, s)) {
        fsr_emit_pool_sums(e, s);
        return;
    }
    if (fsr_emit_warps(e) > 1)
        snprintf(scratch, sizeof scratch, "s%d_%d[%s]", p, s, e->s.kind == FSR_SCHEDULE_LOOKBACK ? "0" : "flip");
    if (beside > 1)
        fsr_emit_line(e, "const chain%d_%d::state total%d = fsr_rows_sums<chain%d_%d, %d, %d>(t%d, b%d, %s);", p, s, s,
                      p, s, beside, fsr_emit_row_threads(e), s, s, scratch);
    else if (e->s.parked)
        fsr_emit_line(e, "const chain%d_%d::state total%d = fsr_tile_meet<chain%d_%d, %d, %d>(b%d, %s);", p, s, s, p, s,
                      fsr_emit_lane_count(e), fsr_emit_warps(e), s, scratch);
    else
        fsr_emit_line(e, "const chain%d_%d::state total%d = fsr_tile_sums<chain%d_%d, %d, %d, %d>(t%d, b%d, %s);", p, s,
                      s, p, s, e->s.vector, fsr_emit_lane_count(e), fsr_emit_warps(e), s, s, scratch);
}

/* "prefix1": the fold of all tiles to the left. */
static void chain_lookback(fsr_emit *e, int s) {
    const int p = e->pass, beside = fsr_emit_beside(e);
    fsr_emit_line(e, "__shared__ chain%d_%d::state k%d[%d];", p, s, s, 4 * beside);
    if (beside > 1)
        fsr_emit_line(e,
                      "const chain%d_%d::state prefix%d = fsr_rows_lookback<chain%d_%d, %d, %d>(total%d, t, board%d, "
                      "beside, k%d);",
                      p, s, s, p, s, beside, e->s.threads / 32, s, s, s);
    else
        fsr_emit_line(e, "const chain%d_%d::state prefix%d = fsr_lookback<chain%d_%d, %d>(total%d, t, board%d, k%d);",
                      p, s, s, p, s, fsr_emit_warps(e), s, s, s);
}

static bool chain_scans(const fsr_emit *e, const fsr_fold_list *chain) {
    for (int i = 0; i < chain->n; i++)
        if (e->k->fold[chain->fold[i]].kind == FSR_FOLD_SCAN)
            return true;
    return false;
}

/* Completes the chain of a stage: t<stage> holds the folds' inputs before and the scans' results after. */
static void complete_chain(fsr_emit *e, int stage) {
    const int p = e->pass, s = stage;
    char from[FSR_REF];
    fsr_fold_list chain = fsr_kernel_chain(e->k, p, e->tile.stage, s);
    if (chain.n == 0)
        return;
    const bool scans = chain_scans(e, &chain), looks_back = e->s.kind == FSR_SCHEDULE_LOOKBACK;
    chain_sums(e, s);
    if (e->s.slots)
        fsr_emit_ring_counted(e, s);
    fsr_emit_pool_early(e, s + 1);
    if (e->s.slots)
        return;
    if (looks_back && scans)
        chain_lookback(e, s);
    fsr_emit_pool_out(e, s + 1, true);
    snprintf(from, sizeof from, looks_back ? "prefix%d" : "carry%d_%d", looks_back ? s : p, s);
    if (scans && fsr_emit_beside(e) > 1)
        fsr_emit_line(e, "fsr_rows_apply<chain%d_%d>(t%d, b%d, %s);", p, s, s, s, from);
    else if (scans && !fsr_emit_pool_counts(e, s) && !e->s.parked)
        fsr_emit_line(e, "fsr_tile_apply<chain%d_%d, %d>(t%d, b%d, %s);", p, s, e->s.vector, s, s, from);
    if (!looks_back)
        fsr_emit_line(e, "%s = chain%d_%d::combine(%s, total%d);", from, p, s, from, s);
}

/* put of every store of the stage. */
static void each_store(fsr_emit *e, int stage, void (*put)(fsr_emit *e, int v)) {
    for (int i = 0; i < e->tile.n; i++)
        if (e->k->inst[e->tile.loop[i]].kind == FSR_INST_STORE && e->tile.stage[e->tile.loop[i]] == stage)
            put(e, e->tile.loop[i]);
}

/* Of elements that wait in shared memory: a step is parked as soon as its fold is known, and given its results where
 * they are asked for, so that registers hold few steps at once. */
static void park_step(fsr_emit *e, int s) {
    const char *step = e->s.vector > 1 ? "j" : "i";
    if (!e->s.parked || fsr_kernel_chain(e->k, e->pass, e->tile.stage, s).n == 0)
        return;
    fsr_emit_line(e, "fsr_step_sum<chain%d_%d, %d>(t%d, b%d, %s);", e->pass, s, e->s.vector, s, s, step);
    fsr_emit_line(e, "fsr_park<%d, %d>(t%d, parked%d, %s);", e->s.parked, e->s.threads, s, s, step);
}

static void unpark_step(fsr_emit *e, int s) {
    const char *step = e->s.vector > 1 ? "j" : "i";
    if (!e->s.parked || s < 0 || fsr_kernel_chain(e->k, e->pass, e->tile.stage, s).n == 0)
        return;
    fsr_emit_line(e, "fsr_unpark<%d, %d>(t%d, parked%d, %s);", e->s.parked, e->s.threads, s, s, step);
    fsr_emit_line(e, "fsr_step_apply<chain%d_%d, %d>(t%d, b%d, prefix%d, %s);", e->pass, s, e->s.vector, s, s, s, step);
}

static void stage_loop(fsr_emit *e, int stage) {
    open_tile_steps(e);
    unpark_step(e, stage - 1);
    if (e->s.parked && stage == 0)
        step_loads(e, false);
    store_registers(e, stage);
    each_store(e, stage, fsr_emit_compact_registers);
    each_store(e, stage, fsr_emit_pool_ranks);
    fsr_emit_open_lanes(e);
    stage_values(e, stage);
    fsr_emit_pool_bits(e, stage);
    store_values(e, stage);
    each_store(e, stage, fsr_emit_compact_values);
    each_store(e, stage, fsr_emit_pool_values);
    scattered_stores(e, stage);
    fsr_emit_stage_folds(e, stage);
    fsr_emit_close_lanes(e);
    park_step(e, stage);
    stage_stores(e, stage);
    each_store(e, stage, fsr_emit_compact);
    fsr_emit_close(e);
}

static void tile_folds(fsr_emit *e, int stage) {
    const int p = e->pass;
    const bool own = !e->s.persistent;
    if (own) {
        fsr_emit_line(e, "pass%d::state here%d[%d];", p, p, e->s.accumulators);
        fsr_emit_line(e, "fsr_identities<pass%d>(here%d);", p, p);
    }
    stage_loop(e, stage);
    if (own)
        fsr_emit_line(e, "acc%d[0] = pass%d::combine(acc%d[0], fsr_serial_fold<pass%d>(here%d));", p, p, p, p, p);
}

/* What counts stands twice where it reduces: for threads that have all of their columns, and for others. */
static void stage_loops(fsr_emit *e, int stage) {
    if (!e->s.counts || !fsr_emit_reduces(e, stage)) {
        stage_loop(e, stage);
        return;
    }
    fsr_emit_open(e, "if (whole) {");
    e->all_there = true;
    tile_folds(e, stage);
    e->all_there = false;
    fsr_emit_leave(e);
    fsr_emit_open(e, "} else {");
    tile_folds(e, stage);
    fsr_emit_close(e);
}

void fsr_emit_tile_begin(fsr_emit *e) {
    const int step = fsr_emit_lane_count(e) * e->s.vector;
    const int last = (fsr_emit_steps(e) - 1) * step + e->s.vector - 1;
    declare_registers(e);
    if (e->s.counts)
        fsr_emit_line(e, "const bool whole = c0 + %d < end;", last);
    fsr_emit_fits(e, "c0", last);
}

void fsr_emit_tile_loads(fsr_emit *e) {
    if (!e->s.parked)
        fsr_emit_by_version(e, -1, tile_loads);
}

/* Of what nothing is left to do but counts that nobody asks for. */
static bool is_done(const fsr_emit *e, int stage) {
    bool done = stage > 0 && fsr_emit_pool_counts(e, stage - 1);
    for (int i = 0; i < e->tile.n && done; i++) {
        const int v = e->tile.loop[i];
        done = e->tile.stage[v] != stage || fsr_picks_fold(e->k, &e->k->inst[v]) ||
               fsr_tile_pools_early(e->k, &e->tile, v);
    }
    return done;
}

void fsr_emit_tile_stages(fsr_emit *e) {
    fsr_emit_pool_words(e);
    for (int s = 0; s < e->tile.nstages; s++) {
        if (is_done(e, s))
            continue;
        fsr_emit_by_version(e, s, stage_loops);
        fsr_emit_pool_out(e, s, false);
        complete_chain(e, s);
    }
}

void fsr_emit_tile(fsr_emit *e) {
    fsr_emit_tile_begin(e);
    fsr_emit_tile_loads(e);
    fsr_emit_tile_stages(e);
}
