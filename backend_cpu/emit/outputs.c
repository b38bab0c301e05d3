/* SPDX-License-Identifier: MIT */
/* Tiles of outputs in generated C: by columns, with the states of `tall` rows along one dimension and `abreast` along
 * the last one at once.
 *
 * What the columns of the tiles read is copied first, once for a block of the last dimension, into a panel: `abreast`
 * elements side by side for each column of the domain, in the loop's order. Then, for each column, the text of the
 * element stands there `tall` times, once for each row, in a loop over the panel's elements of constant length: the
 * compiler makes one vector of it, or a few, reads the panel's once, and finds the states to be registers as long as
 * the innermost loop runs. Nothing else in that loop is written.
 *
 * Edges. Behind the last element of a block the panel holds zeros, and a row behind the last one of a tile reads what
 * the last one does: their states are computed and nobody stores them. Counter-example to a second text for the edges:
 * with loops of variable length the states are in memory, for all tiles.
 *
 * A low tile, of so few rows that a panel would serve once or twice, has none (schedule.unroll): its states are in the
 * first cache, and a turn takes a few columns, one after the other, of one row after the other. Counter-example to a
 * panel for 8 rows: copying 12 MB of weights took 2.1 ms, the sums of products themselves 0.6. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

/* One column of the panel of load `number`. */
static void put_panel_column(fsr_c_emit *e, int number) {
    const fsr_inst *inst = &e->k->inst[number];
    fsr_text address = {0};
    fsr_c_address(e, &address, inst->index);
    fsr_c_independent(e);
    fsr_c_line(e, "for (i64 j = 0; j < m; ++j) panel%d[(%s) * %d + j] = x%d[%s];", number, e->column, e->s->abreast,
               e->k->access[inst->index].buffer, address.data ? address.data : "");
    fsr_c_line(e, "for (i64 j = m; j < %d; ++j) panel%d[(%s) * %d + j] = 0;", e->s->abreast, number, e->column,
               e->s->abreast);
    e->body.failed |= address.failed;
    fsr_text_free(&address);
}

/* A loop of its own for each load: they may lie differently in memory. */
static void put_panel(fsr_c_emit *e, int number) {
    const int last = e->k->ndim - 1;
    char saved[FSR_MAX_ACCESSES][FSR_EMIT_NAME], extent[FSR_EMIT_NAME];
    memcpy(saved, e->base, sizeof saved);
    e->column = last > e->k->nparallel ? "run + c" : "c";
    fsr_c_begin(e, "%s", "");
    if (last > e->k->nparallel)
        fsr_c_line(e, "i64 run = 0;");
    for (int d = e->k->nparallel; d < last; d++)
        fsr_c_dimension(e, d);
    fsr_c_begin(e, "for (i64 c = 0; c < %s; ++c)", fsr_c_integer(e, FSR_INT_EXTENT + last, extent));
    fsr_c_advance(e, last, "c");
    put_panel_column(e, number);
    fsr_c_end(e);
    if (last > e->k->nparallel)
        fsr_c_line(e, "run += %s;", extent);
    for (int d = e->k->nparallel; d < last; d++)
        fsr_c_end(e);
    fsr_c_end(e);
    memcpy(e->base, saved, sizeof saved);
}

void fsr_c_tiles_begin(fsr_c_emit *e) {
    const int d = e->s->across, tall = e->s->tall;
    char first[FSR_EMIT_NAME];
    e->tile_row = 0;
    for (int i = 0; i < e->k->ninsts; i++)
        if (e->k->stand[i].staged)
            put_panel(e, i);
    e->tile_row = -1;
    fsr_c_begin(e, "for (i64 i%d = lo%d; i%d < hi%d; i%d += %d)", d, d, d, d, d, tall);
    fsr_c_line(e, "const i64 h = hi%d - i%d < %d ? hi%d - i%d : %d;", d, d, tall, d, d, tall);
    for (int l = 0; l < tall; l++)
        fsr_c_line(e, "const i64 l%d = %d < h ? %d : h - 1;", l, l, l);
    snprintf(first, sizeof first, "i%d", d);
    fsr_c_advance(e, d, first);
    snprintf(e->index[d], FSR_EMIT_NAME, "i%d + l", d);
}

void fsr_c_tile_rows(fsr_c_emit *e, const fsr_body *loop, void (*print)(fsr_c_emit *e, const fsr_body *loop)) {
    const int d = e->s->across;
    char wide[FSR_EMIT_NAME] = "m";
    if (!e->s->unroll)
        snprintf(wide, sizeof wide, "%d", e->s->abreast);
    for (int l = 0; l < e->s->tall; l++) {
        e->tile_row = l;
        snprintf(e->index[d], FSR_EMIT_NAME, "i%d + l%d", d, l);
        fsr_c_independent(e);
        fsr_c_begin(e, "for (i64 j = 0; j < %s; ++j)", wide);
        print(e, loop);
        fsr_c_end(e);
    }
    e->tile_row = -1;
    snprintf(e->index[d], FSR_EMIT_NAME, "i%d + l", d);
}

static void put_column(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_column(e, loop->pass, loop->inst, loop->n);
}

void fsr_c_tile_column(fsr_c_emit *e, const fsr_body *loop) {
    fsr_c_tile_rows(e, loop, put_column);
}

void fsr_c_states_begin(fsr_c_emit *e) {
    if (!e->s->tall) {
        fsr_c_rows_begin(e);
        return;
    }
    fsr_c_begin(e, "for (i64 l = 0; l < %d; ++l)", e->s->tall);
    fsr_c_begin(e, "for (i64 j = 0; j < %d; ++j)", e->s->abreast);
}
