/* SPDX-License-Identifier: MIT */
/* LOOKBACK by a ring of slots (fusion/ring.h): a block's warps have a step of a tile's way each, and a loop over the
 * block's tiles of their own.
 *
 *   those that count   wait until a slot is full, load it, say how many it selects, and put these into its pool
 *   those that write   wait until it is pooled and placed, and store it; the last tile's have the row's results
 *   one                adds up what stands before it
 *   one thread         asks for the copies of the tile that takes its place
 *
 * What a thread that counts does is what a tile's threads do (emit_tile.c), with a slot in the place of the array:
 * where the loads are, x1 is a part of the slot and a1 is minus the tile's first column. */
#include "backend_cuda/emit.h"
#include "fusion/filter.h"
#include "fusion/ring.h"
#include <stdio.h>

/* A step's loop: slot, the parity of its turn, t, and how many columns tile t has. */
static void open_loop(fsr_emit *e) {
    const int columns = fsr_emit_tile_columns(e);
    fsr_emit_line(e, "u32 slot = 0, turn = 0;");
    fsr_emit_line(e, "#pragma unroll 1");
    fsr_emit_open(e, "for (idx t = blockIdx.x; t < tiles; t += blocks) {");
    fsr_emit_line(e, "const u32 among = fsr_among(end, t * %d, %d);", columns, columns);
    fsr_emit_line(e, "fsr_line *const at = slots + slot * %d;", (int)(fsr_ring_slot_bytes(e->k) / FSR_RING_LINE));
}

/* Turns count rounds of the ring. */
static void close_loop(fsr_emit *e) {
    fsr_emit_line(e, "slot = slot + 1 < %d ? slot + 1 : 0;", e->s.slots);
    fsr_emit_line(e, "turn += slot == 0;");
    fsr_emit_close(e);
}

static void pools(fsr_emit *e) {
    for (int v = 0; v < e->k->ninsts; v++)
        if (e->k->inst[v].filter)
            fsr_emit_line(e, "%s *const pool%d = (%s *)(at + %d);", fsr_emit_type(e->k->inst[v].dtype), v,
                          fsr_emit_type(e->k->inst[v].dtype), (int)(fsr_ring_pool_place(e->k, v) / FSR_RING_LINE));
}

/* "(f32 *)(at + 2)": array a's part of a slot. */
static const char *part(const fsr_emit *e, char buf[FSR_REF], int a) {
    snprintf(buf, FSR_REF, "(%s *)(at + %d)", fsr_emit_type(e->k->array[a].dtype),
             (int)(fsr_ring_array_place(e->k, a) / FSR_RING_LINE));
    return buf;
}

static bool is_loaded(const fsr_emit *e, int access) {
    for (int i = 0; i < e->tile.n; i++)
        if (e->k->inst[e->tile.loop[i]].kind == FSR_INST_LOAD && e->k->inst[e->tile.loop[i]].index == access)
            return true;
    return false;
}

static void count(fsr_emit *e) {
    char column[FSR_EXPR], text[FSR_REF];
    fsr_emit_thread_column(e, column);
    fsr_emit_line(e, "const idx column = %s;", column);
    fsr_emit_line(e, "u32 flip = 0;");
    open_loop(e);
    for (int a = 0; a < e->k->narrays; a++)
        if (fsr_ring_array_place(e->k, a) >= 0)
            fsr_emit_line(e, "const %s *const x%d = %s;", fsr_emit_type(e->k->array[a].dtype), a, part(e, text, a));
    for (int a = 0; a < e->k->naccesses; a++)
        if (is_loaded(e, a))
            fsr_emit_line(e, "const idx a%d = 0 - t * %d;", a, fsr_emit_tile_columns(e));
    fsr_emit_line(e, "const idx c0 = t * %d + column;", fsr_emit_tile_columns(e));
    pools(e);
    fsr_emit_tile_begin(e);
    fsr_emit_line(e, "fsr_gate_await(&ring.full[slot], turn & 1);");
    fsr_emit_tile_loads(e);
    fsr_emit_tile_stages(e);
    fsr_emit_line(e, "ring.leave(&ring.pooled[slot]);");
    close_loop(e);
}

void fsr_emit_ring_counted(fsr_emit *e, int stage) {
    const int f = fsr_counting_fold(e->k, &e->k->inst[fsr_tile_counts(e->k, &e->tile, stage)]);
    fsr_emit_line(e, "if (threadIdx.x == 0) fsr_post_word(words + t, (u32)total%d.f%d.c0 | (u64)1 << 32);", stage, f);
}

static void write(fsr_emit *e) {
    const int f = fsr_counting_fold(e->k, &e->k->inst[fsr_tile_counts(e->k, &e->tile, 0)]);
    open_loop(e);
    pools(e);
    fsr_emit_line(e, "fsr_gate_await(&ring.pooled[slot], turn & 1);");
    fsr_emit_line(e, "fsr_gate_await(&ring.placed[slot], turn & 1);");
    fsr_emit_line(e, "const chain0_0::state prefix0 = {op%d::state{ring.before[slot]}};", e->op_of[f]);
    fsr_emit_line(e, "const chain0_0::state total0 = {op%d::state{(%s)ring.selected[slot]}};", e->op_of[f],
                  fsr_emit_type(fsr_combine_dtype(e->k->fold[f].combine, 0)));
    fsr_emit_pool_out(e, 1, true);
    fsr_emit_line(e, "fsr_bulk_follows();");
    fsr_emit_line(e, "ring.leave(&ring.empty[slot]);");
    fsr_emit_open(e, "if (t + 1 == tiles) {");
    fsr_emit_riding(e, "own == 0");
    fsr_emit_close(e);
    close_loop(e);
}

/* Whole vectors the GPU copies, of the last tile the others the thread. */
static void fetch(fsr_emit *e) {
    const fsr_kernel *k = e->k;
    const int columns = fsr_emit_tile_columns(e);
    char text[FSR_REF], bytes[FSR_EXPR];
    size_t n = 0;
    open_loop(e);
    fsr_emit_line(e, "if (turn) fsr_gate_await(&ring.empty[slot], (turn - 1) & 1);");
    for (int a = 0; a < k->narrays; a++)
        if (fsr_ring_array_place(k, a) >= 0) {
            fsr_emit_line(e, "fsr_bulk_rest(%s, x%d + t * %d, among);", part(e, text, a), a, columns);
            n = fsr_emit_add(e, bytes, n, "%sfsr_bulk_bytes<%s>(among)", n ? " + " : "",
                             fsr_emit_type(k->array[a].dtype));
        }
    fsr_emit_line(e, "fsr_gate_expect(&ring.full[slot], %s);", bytes);
    for (int a = 0; a < k->narrays; a++)
        if (fsr_ring_array_place(k, a) >= 0)
            fsr_emit_line(e, "fsr_bulk_most(%s, x%d + t * %d, among, &ring.full[slot]);", part(e, text, a), a, columns);
    close_loop(e);
}

static void head(fsr_emit *e) {
    fsr_emit_line(e, "const idx r = 0;");
    fsr_emit_line(e, "const idx end = cols;");
    fsr_emit_line(e, "const idx tiles = splits;");
    fsr_emit_line(e, "const idx blocks = splits < %d ? splits : %d;", e->s.members, e->s.members);
    fsr_emit_row_indices(e);
    fsr_emit_row_parts(e, true, true);
    fsr_emit_row_values(e, 0, "blockIdx.x == 0 && threadIdx.x == 0");
    fsr_emit_enter_pass(e, 0);
    fsr_emit_pass_state(e);
}

void fsr_emit_ring(fsr_emit *e) {
    const fsr_schedule *s = &e->s;
    const int counting = s->threads, writing = counting + s->writers;
    head(e);
    const fsr_fold *fold = &e->k->fold[fsr_counting_fold(e->k, &e->k->inst[fsr_tile_counts(e->k, &e->tile, 0)])];
    fsr_emit_line(e, "fsr_dynamic(fsr_line, slots, %d);", (int)(fsr_kernel_launched_bytes(e->k) / FSR_RING_LINE));
    fsr_emit_line(e, "__shared__ fsr_ring<%d, %d, %d, %s> ring;", s->slots, s->threads, s->writers,
                  fsr_emit_type(fsr_combine_dtype(fold->combine, 0)));
    fsr_emit_line(e, "u64 *const words = (u64 *)zero;");
    fsr_emit_line(e, "ring.start();");
    fsr_emit_open(e, "if (threadIdx.x < %d) {", counting);
    count(e);
    fsr_emit_leave(e);
    fsr_emit_open(e, "} else if (threadIdx.x < %d) {", writing);
    fsr_emit_line(e, "const u32 own = threadIdx.x - %d;", counting);
    write(e);
    fsr_emit_leave(e);
    fsr_emit_open(e, "} else if (threadIdx.x < %d) {", writing + 32);
    fsr_emit_line(e, "fsr_ring_add_up<%d>(ring, words, blocks, tiles);", s->members);
    fsr_emit_leave(e);
    fsr_emit_open(e, "} else if (threadIdx.x == %d) {", writing + 32);
    fetch(e);
    fsr_emit_close(e);
}
