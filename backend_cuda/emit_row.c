/* SPDX-License-Identifier: MIT */
/* The frames whose threads run along the columns.
 *
 * ROW       threads side by side complete a row, pass after pass; what a pass needs of the row is in registers
 * (persistent) or
 *           loaded again, tile by tile.
 * SPLIT     `splits` blocks share a row; each leaves a partial state, the last one to finish folds them in order.
 *
 * Which block finishes last depends on timing, what it computes does not: partial states are folded in the order of
 * columns. */
#include "backend_cuda/emit.h"
#include <stdio.h>

/* The column of a thread's first element relative to its tile. */
void fsr_emit_thread_column(fsr_emit *e, char buf[FSR_EXPR]) {
    int threads = fsr_emit_row_threads(e), lanes = fsr_emit_lane_count(e), v = e->s.vector;
    const char *times = v > 1 ? " * " : "";
    char vector[16] = "", own[FSR_REF];
    if (v > 1)
        snprintf(vector, sizeof vector, "%d", v);
    if (threads == e->s.threads)
        snprintf(own, sizeof own, "threadIdx.x");
    else
        snprintf(own, sizeof own, "threadIdx.x %% %d", threads);
    if (fsr_emit_warps(e) == 1)
        fsr_emit_add(e, buf, 0, "threadIdx.x %% %d%s%s", lanes, times, vector);
    else
        fsr_emit_add(e, buf, 0, "(%s / 32 * %d + threadIdx.x %% 32)%s%s", own, fsr_emit_steps(e) * 32, times, vector);
}

int fsr_emit_tile_columns(const fsr_emit *e) {
    return fsr_emit_row_threads(e) * e->s.items;
}

const char *fsr_emit_columns(fsr_emit *e) {
    char live[FSR_REF];
    if (!e->k->live)
        return "cols";
    fsr_emit_ref(e, live, e->k->live - 1);
    if (e->k->backward) {
        fsr_emit_line(e, "const idx from = (u64)%s < cols ? (cols - (idx)%s) / %d * %d : 0;", live, live,
                      fsr_emit_tile_columns(e), fsr_emit_tile_columns(e));
        return "cols";
    }
    fsr_emit_line(e, "const idx stop = (u64)%s < cols ? (idx)%s : cols;", live, live);
    return "stop";
}

/* ---- ROW --------------------------------------------------------------------------------------- */

static void row_head(fsr_emit *e, const char *columns) {
    int abreast = e->s.abreast, per_block = e->s.threads / abreast;
    if (per_block > 1) {
        fsr_emit_line(e, "const idx row = (idx)blockIdx.x * %d + threadIdx.x / %d;", per_block, abreast);
        fsr_emit_line(e, "const idx r = row < rows ? row : rows - 1;");
        fsr_emit_line(e, "const idx end = row < rows ? %s : 0;", columns);
    } else {
        fsr_emit_line(e, "const idx r = blockIdx.x;");
        fsr_emit_line(e, "const idx end = %s;", columns);
    }
    fsr_emit_row_indices(e);
    fsr_emit_row_parts(e, true, true);
}

static void row_pass(fsr_emit *e, int pass, const char *column, const char *columns) {
    fsr_emit_enter_pass(e, pass);
    fsr_emit_pass_state(e);
    if (e->s.persistent) {
        fsr_emit_open(e, "{");
        fsr_emit_line(e, "const idx c0 = %s;", column);
        fsr_emit_line(e, "const int flip = 0;");
    } else {
        fsr_emit_line(e, "#pragma unroll 1");
        fsr_emit_open(e, "for (idx first = %s, flip = 0; first < %s; first += %d, flip ^= 1) {",
                      e->k->live && e->k->backward ? "from" : "0", columns, fsr_emit_tile_columns(e));
        fsr_emit_line(e, "const idx c0 = first + %s;", column);
    }
    fsr_emit_tile(e);
    fsr_emit_close(e);
    fsr_emit_pass_total(e);
}

void fsr_emit_row(fsr_emit *e) {
    char column[FSR_EXPR], guard[FSR_EXPR];
    if (e->s.threads / e->s.abreast > 1)
        snprintf(guard, sizeof guard, "threadIdx.x %% %d == 0 && row < rows", e->s.abreast);
    else
        snprintf(guard, sizeof guard, "threadIdx.x == 0");
    fsr_emit_thread_column(e, column);
    const char *columns = fsr_emit_columns(e);
    row_head(e, columns);
    fsr_emit_compact_room(e);
    fsr_emit_kept(e);
    fsr_emit_row_values(e, 0, guard);
    for (int p = 0; p < e->k->npasses; p++) {
        row_pass(e, p, column, columns);
        fsr_emit_row_values(e, p + 1, guard);
    }
}

/* ---- the last block of a row ------------------------------------------------------------------- */

void fsr_emit_partial_state(fsr_emit *e, const fsr_fold_list *all, const char *chained) {
    char text[FSR_EXPR];
    size_t n = 0;
    for (int i = 0; i < all->n; i++) {
        int f = all->fold[i], stage = 0;
        for (int l = 0; l < e->tile.n; l++)
            if (e->k->inst[e->tile.loop[l]].kind == FSR_INST_COMBINE && e->k->inst[e->tile.loop[l]].index == f)
                stage = e->tile.stage[e->tile.loop[l]];
        n = fsr_emit_add(e, text, n, "%s", i ? ", " : "");
        if (e->k->fold[f].combine->commutative)
            n = fsr_emit_add(e, text, n, "sum0.f%d", f);
        else
            n = fsr_emit_add(e, text, n, "%s%d.f%d", chained, stage, f);
    }
    fsr_emit_line(e, "const part0::state part = {%s};", text);
}

void fsr_emit_finish_row(fsr_emit *e, const char *place, const char *ticket, const char *chained) {
    fsr_fold_list all = fsr_kernel_reductions(e->k, 0, false), own = fsr_kernel_reductions(e->k, 0, true);
    int rows[FSR_MAX_INSTS], warps = e->s.threads / 32;
    const char *type = all.n == own.n ? "pass0" : "part0";
    const char *shared = warps > 1 ? "s0" : "nullptr";
    if (fsr_kernel_rows(e->k, 1, rows) == 0)
        return;
    if (all.n == 0) {
        fsr_emit_line(e, "if (%s != 0) return;", place);
        fsr_emit_row_values(e, 1, "threadIdx.x == 0");
        return;
    }
    if (own.n)
        fsr_emit_line(e, "const pass0::state %s = fsr_threads_fold<pass0, 32, %d>(fsr_serial_fold<pass0>(acc0), %s);",
                      all.n == own.n ? "part" : "sum0", warps, shared);
    if (all.n != own.n)
        fsr_emit_partial_state(e, &all, chained);
    fsr_emit_line(e, "%s::state *const parts = (%s::state *)work + (u64)r * splits;", type, type);
    fsr_emit_line(e, "__shared__ u32 turn;");
    fsr_emit_line(e, "if (!fsr_is_last(parts + %s, part, %s, splits, turn)) return;", place, ticket);
    if (warps > 1)
        fsr_emit_line(e, "__shared__ %s::state last[%d];", type, warps);
    fsr_emit_line(e, "const %s::state all0 = fsr_parts_fold<%s, %d>(parts, splits, %s);", type, type, warps,
                  warps > 1 ? "last" : "nullptr");
    fsr_emit_row_values(e, 1, "threadIdx.x == 0");
}

/* ---- SPLIT ------------------------------------------------------------------------------------- */

void fsr_emit_split(fsr_emit *e) {
    char column[FSR_EXPR];
    fsr_emit_thread_column(e, column);
    fsr_emit_line(e, "const idx r = fsr_div((idx)blockIdx.x, splits);");
    fsr_emit_line(e, "const idx s = blockIdx.x - r * splits;");
    fsr_emit_line(e, "const idx begin = s * stretch;");
    const char *columns = fsr_emit_columns(e);
    fsr_emit_line(e, "const idx end = begin + stretch < %s ? begin + stretch : %s;", columns, columns);
    fsr_emit_row_indices(e);
    fsr_emit_row_parts(e, true, true);
    fsr_emit_kept(e);
    fsr_emit_row_values(e, 0, "s == 0 && threadIdx.x == 0");
    fsr_emit_enter_pass(e, 0);
    fsr_emit_pass_state(e);
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (idx first = begin, flip = 0; first < end; first += %d, flip ^= 1) {",
                  fsr_emit_tile_columns(e));
    fsr_emit_line(e, "const idx c0 = first + %s;", column);
    fsr_emit_tile(e);
    fsr_emit_close(e);
    fsr_emit_finish_row(e, "s", "(u32 *)zero + r", "carry0_");
}
