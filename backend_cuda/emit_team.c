/* SPDX-License-Identifier: MIT */
/* TEAM: several passes over rows too long for a block.
 *
 * A row is cut into `splits` parts: part p is columns [p * stretch, (p + 1) * stretch). `abreast` teams run at once,
 * each of a block for every part, or of `members` blocks, which do several parts in turn. After each pass with
 * reductions every part's state has been left, and the team waits for all its blocks; then every block folds all
 * partial states of the row in the order of columns, so all get the same bits, and how many blocks there are does not
 * show. The states lie in two sets used in turn: a block can only be one meeting ahead of the slowest.
 *
 * Counter-example to launching more blocks than are resident: those that run would wait for ever for those that do
 * not. */
#include "backend_cuda/emit.h"
#include <stdio.h>

static void team_head(fsr_emit *e, const char *columns) {
    if (e->s.members) {
        fsr_emit_line(e, "const idx team = (idx)blockIdx.x / %d;", e->s.members);
        fsr_emit_line(e, "const idx s = blockIdx.x - team * %d;", e->s.members);
    } else {
        fsr_emit_line(e, "const idx team = fsr_div((idx)blockIdx.x, splits);");
        fsr_emit_line(e, "const idx s = blockIdx.x - team * splits;");
        fsr_emit_line(e, "const idx begin = s * stretch;");
        fsr_emit_line(e, "const idx end = begin + stretch < %s ? begin + stretch : %s;", columns, columns);
    }
    fsr_emit_line(e, "u32 *const gate = (u32 *)zero + team;");
    fsr_emit_line(e, "u32 meetings = 0;");
}

/* "part<pass>": the state of the block's part. */
static void part_total(fsr_emit *e, int pass) {
    char shared[FSR_REF];
    snprintf(shared, sizeof shared, e->s.threads > 32 ? "s%d" : "nullptr", pass);
    fsr_emit_line(e,
                  "const pass%d::state part%d = fsr_threads_fold<pass%d, 32, %d>(fsr_serial_fold<pass%d>(acc%d), %s);",
                  pass, pass, pass, e->s.threads / 32, pass, pass, shared);
}

/* "parts<pass>": where the states of the row's parts lie. */
static void parts_of_row(fsr_emit *e, int pass) {
    fsr_emit_line(e,
                  "pass%d::state *const parts%d = (pass%d::state *)((char *)work + (team * 2 + meetings %% 2) * "
                  "fsr_aligned(splits * (u64)%s));",
                  pass, pass, pass, "widest");
}

/* "all<pass>" of all parts. */
static void row_total(fsr_emit *e, int pass) {
    int warps = e->s.threads / 32;
    char shared[FSR_REF] = "nullptr";
    if (warps > 1) {
        fsr_emit_line(e, "__shared__ pass%d::state last%d[%d];", pass, pass, warps);
        snprintf(shared, sizeof shared, "last%d", pass);
    }
    fsr_emit_line(e, "const pass%d::state all%d = fsr_parts_fold<pass%d, %d>(parts%d, splits, %s);", pass, pass, pass,
                  warps, pass, shared);
}

/* The part from `begin` to `end`, tile by tile unless it is held. */
static void walk_part(fsr_emit *e, const char *column) {
    if (e->s.persistent) {
        fsr_emit_open(e, "{");
        fsr_emit_line(e, "const idx c0 = begin + %s;", column);
        fsr_emit_line(e, "const int flip = 0;");
    } else {
        fsr_emit_line(e, "#pragma unroll 1");
        fsr_emit_open(e, "for (idx first = begin, flip = 0; first < end; first += %d, flip ^= 1) {",
                      fsr_emit_tile_columns(e));
        fsr_emit_line(e, "const idx c0 = first + %s;", column);
    }
    fsr_emit_tile(e);
    fsr_emit_close(e);
}

/* A block with one part. */
static void own_part(fsr_emit *e, int pass, const char *column) {
    walk_part(e, column);
    if (fsr_kernel_reductions(e->k, pass, true).n == 0)
        return;
    part_total(e, pass);
    parts_of_row(e, pass);
    fsr_emit_line(e, "meetings++;");
    fsr_emit_line(e, "fsr_meet(parts%d + s, part%d, gate, meetings * (u32)splits);", pass, pass);
    row_total(e, pass);
}

/* A block with several. */
static void parts_in_turn(fsr_emit *e, int pass, const char *column, const char *columns) {
    bool folds = fsr_kernel_reductions(e->k, pass, true).n > 0;
    if (folds)
        parts_of_row(e, pass);
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (idx piece = s; piece < splits; piece += %d) {", e->s.members);
    fsr_emit_line(e, "const idx begin = piece * stretch;");
    fsr_emit_line(e, "const idx end = begin + stretch < %s ? begin + stretch : %s;", columns, columns);
    if (folds)
        fsr_emit_line(e, "fsr_identities<pass%d>(acc%d);", pass, pass);
    walk_part(e, column);
    if (folds) {
        part_total(e, pass);
        fsr_emit_line(e, "if (threadIdx.x == 0) parts%d[piece] = part%d;", pass, pass);
        fsr_emit_line(e, "fsr_barrier();");
    }
    fsr_emit_close(e);
    if (!folds)
        return;
    fsr_emit_line(e, "meetings++;");
    fsr_emit_line(e, "fsr_all_meet(gate, meetings * %du);", e->s.members);
    row_total(e, pass);
}

static void team_pass(fsr_emit *e, int pass, const char *column, const char *columns) {
    fsr_emit_enter_pass(e, pass);
    fsr_emit_pass_state(e);
    if (e->s.members)
        parts_in_turn(e, pass, column, columns);
    else
        own_part(e, pass, column);
}

void fsr_emit_team(fsr_emit *e) {
    static const char guard[] = "s == 0 && threadIdx.x == 0";
    char column[FSR_EXPR];
    fsr_emit_thread_column(e, column);
    const char *columns = fsr_emit_columns(e);
    team_head(e, columns);
    fsr_emit_line(e, "constexpr u64 widest = %lld;", (long long)fsr_kernel_widest_state(e->k));
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (idx r = team; r < rows; r += %d) {", e->s.abreast);
    fsr_emit_row_indices(e);
    fsr_emit_row_parts(e, true, true);
    fsr_emit_kept(e);
    fsr_emit_row_values(e, 0, guard);
    for (int p = 0; p < e->k->npasses; p++) {
        team_pass(e, p, column, columns);
        fsr_emit_row_values(e, p + 1, guard);
    }
    fsr_emit_close(e);
}
