/* SPDX-License-Identifier: MIT */
/* LOOKBACK: a block is one tile of a row; tiles are handed out in order by a ticket, so that those to the left are
 * always running or done, and waiting for them ends.
 *
 * With rows side by side (schedule.abreast > 1: adjacent rows are adjacent in memory) a block has a tile of each of
 * them: threads run along the rows first, a thread has neighbouring columns of its row. It adds them up, threads of a
 * row meet in shared memory, each row has a board of its own. Where the last rows are fewer, the other threads walk the
 * last row and store nothing.
 *
 * Counter-example to one thread a column of 150,000 by 24: 24 threads, 150,000 steps each, one after another. */
#include "backend_cuda/emit.h"
#include "fusion/filter.h"
#include <stdio.h>

int fsr_emit_beside(const fsr_emit *e) {
    return e->s.kind == FSR_SCHEDULE_LOOKBACK ? e->s.abreast : 1;
}

/* "board0": where the chain of a stage meets its neighbours. The running sizes are texts, rounded up to where the next
 * may begin. */
static void board(fsr_emit *e, int stage) {
    fsr_fold_list chain = fsr_kernel_chain(e->k, 0, e->tile.stage, stage);
    if (chain.n == 0)
        return;
    const char *row = fsr_emit_beside(e) > 1 ? "first" : "r";
    fsr_emit_line(e, "const fsr_board<chain0_%d> board%d = {flags + %s * entries * fsr_board<chain0_%d>::flag,", stage,
                  stage, row, stage);
    fsr_emit_line(e, "    values + %s * entries * fsr_board<chain0_%d>::value, (u32)splits};", row, stage);
    fsr_emit_line(e, "flags += fsr_aligned(rows * entries * fsr_board<chain0_%d>::flag);", stage);
    fsr_emit_line(e, "values += fsr_aligned(rows * entries * fsr_board<chain0_%d>::value);", stage);
}

static void boards(fsr_emit *e) {
    fsr_fold_list all = fsr_kernel_reductions(e->k, 0, false), own = fsr_kernel_reductions(e->k, 0, true);
    fsr_emit_line(e, "const u64 entries = fsr_board_entries((u32)splits);");
    fsr_emit_line(e, "char *flags = (char *)zero + fsr_aligned(4%s);", all.n ? " + 4 * (u64)rows" : "");
    if (all.n)
        fsr_emit_line(e, "char *values = (char *)work + fsr_aligned((u64)rows * splits * sizeof(%s::state));",
                      all.n == own.n ? "pass0" : "part0");
    else
        fsr_emit_line(e, "char *values = (char *)work;");
    for (int s = 0; s < e->tile.nstages; s++)
        board(e, s);
}

/* Where the thread's columns begin in a tile. Of 40 registers, with elements parked, ptxas spills 36 bytes less of
 * map_scan_map where this is known before the ticket. */
static void thread_column(fsr_emit *e) {
    char column[FSR_EXPR];
    fsr_emit_thread_column(e, column);
    fsr_emit_line(e, "const idx column = %s;", column);
}

/* A tile behind the count has nothing to do where nobody asks for the end of what is scanned: those behind it have
 * nothing to do either. */
static void one_row_head(fsr_emit *e) {
    const char *columns = fsr_emit_columns(e);
    char column[FSR_EXPR] = "column";
    if (!e->s.parked)
        fsr_emit_thread_column(e, column);
    if (e->k->nparallel) {
        fsr_emit_line(e, "const idx r = fsr_div(tile, splits);");
        fsr_emit_line(e, "const idx t = tile - r * splits;");
    } else {
        fsr_emit_line(e, "const idx r = 0;");
        fsr_emit_line(e, "const idx t = tile;");
    }
    fsr_emit_line(e, "const idx end = %s;", columns);
    if (e->k->live && !e->k->backward && !fsr_kernel_reductions(e->k, 0, false).n)
        fsr_emit_line(e, "if (t && t * %d >= end) return;", fsr_emit_tile_columns(e));
    fsr_emit_line(e, "const idx c0 = t * %d + %s;", fsr_emit_tile_columns(e), column);
}

static void rows_head(fsr_emit *e) {
    const int beside = fsr_emit_beside(e);
    fsr_emit_line(e, "const idx q = fsr_div(tile, splits);");
    fsr_emit_line(e, "const idx t = tile - q * splits;");
    fsr_emit_line(e, "const idx first = q * %d, row = first + threadIdx.x %% %d;", beside, beside);
    fsr_emit_line(e, "const idx r = row < rows ? row : rows - 1;");
    fsr_emit_line(e, "const idx end = row < rows ? cols : 0;");
    fsr_emit_line(e, "const u32 beside = rows - first < %d ? (u32)(rows - first) : %d;", beside, beside);
    fsr_emit_line(e, "const idx c0 = t * %d + threadIdx.x / %d * %d;", fsr_emit_tile_columns(e), beside, e->s.items);
}

/* The partial states of the rows, [tile][row], and the ROW instructions of the last pass, which the last block of these
 * rows does. */
static void finish_rows(fsr_emit *e, const char *guard) {
    fsr_fold_list all = fsr_kernel_reductions(e->k, 0, false), own = fsr_kernel_reductions(e->k, 0, true);
    const int x = fsr_emit_beside(e), y = fsr_emit_row_threads(e);
    const char *type = all.n == own.n ? "pass0" : "part0";
    int rows[FSR_MAX_INSTS];
    if (fsr_kernel_rows(e->k, 1, rows) == 0)
        return;
    if (all.n == 0) {
        fsr_emit_line(e, "if (t != 0) return;");
        fsr_emit_row_values(e, 1, guard);
        return;
    }
    if (own.n) {
        fsr_emit_line(e, "pass0::state own[1] = {fsr_serial_fold<pass0>(acc0)}, sums[1];");
        fsr_emit_line(e, "fsr_rows_fold<pass0, %d, %d>(own, sums, %s);", x, y, y > 1 ? "s0" : "nullptr");
        fsr_emit_line(e, "const pass0::state %s = sums[0];", all.n == own.n ? "part" : "sum0");
    }
    if (all.n != own.n)
        fsr_emit_partial_state(e, &all, "total");
    fsr_emit_line(e, "%s::state *const parts = (%s::state *)work + r;", type, type);
    fsr_emit_line(e, "if (%s) parts[(u64)t * rows] = part;", guard);
    fsr_emit_line(e, "__shared__ u32 turn;");
    fsr_emit_line(e, "if (!fsr_are_last((u32 *)zero + 1 + q, splits, turn)) return;");
    if (y > 1)
        fsr_emit_line(e, "__shared__ %s::state last[%d];", type, e->s.threads);
    fsr_emit_line(e, "%s::state some[1], whole[1];", type);
    fsr_emit_line(e, "fsr_rows_parts<%s, %d, %d>(some, parts, rows, splits);", type, x, y);
    fsr_emit_line(e, "fsr_rows_fold<%s, %d, %d>(some, whole, %s);", type, x, y, y > 1 ? "last" : "nullptr");
    fsr_emit_line(e, "const %s::state all0 = whole[0];", type);
    fsr_emit_row_values(e, 1, guard);
}

void fsr_emit_riding(fsr_emit *e, const char *guard) {
    int rows[FSR_MAX_INSTS];
    if (fsr_kernel_rows(e->k, 1, rows) == 0)
        return;
    fsr_emit_line(e, "pass0::state all0;");
    for (int f = 0; f < e->k->nfolds; f++) {
        const int scan = fsr_fold_rides(e->k, f);
        if (scan >= 0)
            fsr_emit_line(e, "all0.f%d = op%d::combine(prefix%d.f%d, total%d.f%d);", f, e->op_of[scan],
                          fsr_tile_fold_stage(e->k, &e->tile, scan), scan, fsr_tile_fold_stage(e->k, &e->tile, scan),
                          scan);
    }
    fsr_emit_row_values(e, 1, guard);
}

/* What the scans of a row end with, its last tile has, behind which there is none. */
static void finish_riding(fsr_emit *e) {
    int rows[FSR_MAX_INSTS];
    if (fsr_kernel_rows(e->k, 1, rows))
        fsr_emit_line(e, "if (t + 1 != splits) return;");
    fsr_emit_riding(e, "threadIdx.x == 0");
}

/* A tile before the columns that are left: what is scanned of it is the identity, which the tiles behind it wait
 * for. */
static void leave_early(fsr_emit *e) {
    int rows[FSR_MAX_INSTS];
    if (!e->k->live || !e->k->backward || fsr_kernel_reductions(e->k, 0, false).n || fsr_kernel_rows(e->k, 1, rows))
        return;
    fsr_emit_open(e, "if (t * %d < from) {", fsr_emit_tile_columns(e));
    for (int s = 0; s < e->tile.nstages; s++) {
        if (fsr_kernel_chain(e->k, 0, e->tile.stage, s).n == 0)
            continue;
        fsr_emit_line(e, "__shared__ chain0_%d::state none%d[4];", s, s);
        fsr_emit_line(e, "fsr_lookback<chain0_%d, %d>(chain0_%d::identity(), t, board%d, none%d);", s,
                      fsr_emit_warps(e), s, s, s);
    }
    fsr_emit_line(e, "return;");
    fsr_emit_close(e);
}

void fsr_emit_lookback(fsr_emit *e) {
    const bool beside = fsr_emit_beside(e) > 1;
    char guard[FSR_REF] = "threadIdx.x == 0", first[FSR_EXPR];
    if (e->s.slots) {
        fsr_emit_ring(e);
        return;
    }
    if (beside)
        snprintf(guard, sizeof guard, "threadIdx.x < beside");
    snprintf(first, sizeof first, "t == 0 && %s", guard);
    if (e->s.parked)
        thread_column(e);
    fsr_emit_line(e, "__shared__ u32 ticket;");
    fsr_emit_line(e, "const idx tile = fsr_take_ticket((u32 *)zero, ticket);");
    beside ? rows_head(e) : one_row_head(e);
    fsr_emit_row_indices(e);
    fsr_emit_row_parts(e, true, true);
    fsr_emit_compact_room(e);
    fsr_emit_kept(e);
    fsr_emit_row_values(e, 0, first);
    fsr_emit_enter_pass(e, 0);
    boards(e);
    fsr_emit_pass_state(e);
    leave_early(e);
    fsr_emit_tile(e);
    if (beside)
        finish_rows(e, guard);
    else if (e->s.riding)
        finish_riding(e);
    else
        fsr_emit_finish_row(e, "t", "(u32 *)zero + 1 + r", "total");
}
