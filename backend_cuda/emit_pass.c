/* SPDX-License-Identifier: MIT */
/* A pass of the frames that hold a tile of columns in registers (emit_tile.c): which threads share a row, how its
 * values are named, the structs of its states, what is kept for later passes, and the fold of a thread's accumulators
 * over the row's threads. */
#include "backend_cuda/emit.h"
#include <stdio.h>

int fsr_emit_row_threads(const fsr_emit *e) {
    return e->s.kind == FSR_SCHEDULE_ROW ? e->s.abreast : e->s.threads / fsr_emit_beside(e);
}

int fsr_emit_lane_count(const fsr_emit *e) {
    int threads = fsr_emit_row_threads(e);
    return fsr_emit_beside(e) > 1 ? 1 : threads < 32 ? threads : 32;
}

int fsr_emit_warps(const fsr_emit *e) {
    return fsr_emit_row_threads(e) / fsr_emit_lane_count(e);
}

int fsr_emit_steps(const fsr_emit *e) {
    return e->s.items / e->s.vector;
}

void fsr_emit_enter_pass(fsr_emit *e, int pass) {
    e->pass = pass;
    fsr_tile_pass_make(e->k, pass, &e->tile);
    for (int i = 0; i < e->tile.n; i++) {
        int v = e->tile.loop[i];
        e->naming[v] = fsr_tile_holds(e->k, &e->tile, v) ? FSR_NAME_ITEM : FSR_NAME_PLAIN;
    }
    fsr_emit_find_versions(e);
}

static void chain_type(fsr_emit *e, int pass, int stage) {
    char name[FSR_REF];
    fsr_fold_list chain = fsr_kernel_chain(e->k, pass, e->tile.stage, stage);
    snprintf(name, sizeof name, "chain%d_%d", pass, stage);
    fsr_emit_product(e, name, &chain);
}

/* COL carries nothing between threads while it walks: its reductions are all one product. */
void fsr_emit_pass_types(fsr_emit *e) {
    bool col = e->s.kind == FSR_SCHEDULE_COL;
    for (int p = 0; p < e->k->npasses; p++) {
        char name[FSR_REF];
        fsr_fold_list list = fsr_kernel_reductions(e->k, p, !col), all = fsr_kernel_reductions(e->k, p, false);
        snprintf(name, sizeof name, "pass%d", p);
        fsr_emit_product(e, name, &list);
        fsr_emit_enter_pass(e, p);
        for (int s = 0; s < e->tile.nstages && !col; s++)
            chain_type(e, p, s);
        if (all.n != list.n && e->s.kind != FSR_SCHEDULE_ROW)
            fsr_emit_product(e, "part0", &all);
    }
}

void fsr_emit_kept(fsr_emit *e) {
    for (int i = 0; i < e->k->ninsts; i++) {
        const fsr_inst *inst = &e->k->inst[i];
        if (e->k->stand[i].level != FSR_ELEM || !e->k->stand[i].keep)
            continue;
        if ((e->s.kind != FSR_SCHEDULE_ROW && e->s.kind != FSR_SCHEDULE_TEAM) || !e->s.persistent)
            fsr_emit_broken(e);
        e->naming[i] = FSR_NAME_ITEM;
        fsr_emit_line(e, "%s v%d[%d] = {};", fsr_emit_type(inst->dtype), i, e->s.items);
    }
}

/* Rows side by side meet with a state a thread in shared memory, and once; else it is one a warp, and tiles of a row
 * take turns. */
void fsr_emit_pass_state(fsr_emit *e) {
    const bool beside = fsr_emit_beside(e) > 1;
    int p = e->pass, warps = beside ? e->s.threads : e->s.threads / 32;
    bool wide = fsr_emit_warps(e) > 1;
    if (!e->s.riding && fsr_kernel_reductions(e->k, p, true).n) {
        if (wide)
            fsr_emit_line(e, "__shared__ pass%d::state s%d[%d];", p, p, warps);
        fsr_emit_line(e, "pass%d::state acc%d[%d];", p, p, e->s.accumulators);
        fsr_emit_line(e, "fsr_identities<pass%d>(acc%d);", p, p);
    }
    for (int s = 0; s < e->tile.nstages; s++) {
        if (!fsr_kernel_chain(e->k, p, e->tile.stage, s).n)
            continue;
        if (wide && fsr_emit_pool_counts(e, s))
            fsr_emit_line(e, "__shared__ u32 s%d_%d%s[%d];", p, s, e->s.slots ? "[2]" : "", warps);
        else if (wide)
            fsr_emit_line(e, "__shared__ chain%d_%d::state s%d_%d[%d][%d];", p, s, p, s, beside ? 1 : 2, warps);
        if (e->s.kind != FSR_SCHEDULE_LOOKBACK)
            fsr_emit_line(e, "chain%d_%d::state carry%d_%d = chain%d_%d::identity();", p, s, p, s, p, s);
    }
}

void fsr_emit_pass_total(fsr_emit *e) {
    int p = e->pass;
    if (!fsr_kernel_reductions(e->k, p, true).n)
        return;
    const char *scratch = fsr_emit_warps(e) > 1 ? "s" : "nullptr";
    char name[FSR_REF];
    snprintf(name, sizeof name, scratch[0] == 's' ? "s%d" : "nullptr", p);
    fsr_emit_line(e,
                  "const pass%d::state all%d = fsr_threads_fold<pass%d, %d, %d>(fsr_serial_fold<pass%d>(acc%d), %s);",
                  p, p, p, fsr_emit_lane_count(e), fsr_emit_warps(e), p, p, name);
}
