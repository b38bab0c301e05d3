/* SPDX-License-Identifier: MIT */
/* Columns of a block of rows in generated C, several in one turn of the loop over the rows: the text of a column stands
 * there that many times, so a row's state is read and written once for all of them, and memory is read at as many
 * places at a time. Each row folds its columns in the order that one column a turn has. Counter-example to one: the
 * product of a transposed matrix of 2000 by 2000 with a vector took 0.72 ms by one column, 0.58 by four. */
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

static void put_copy(fsr_c_emit *e, const fsr_body *loop, int ahead) {
    char saved[FSR_MAX_ACCESSES][FSR_EMIT_NAME];
    memcpy(saved, e->base, sizeof saved);
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "const i64 c = cu + %d;", ahead);
    fsr_c_advance(e, e->k->ndim - 1, "c");
    fsr_c_column(e, loop->pass, loop->inst, loop->n);
    fsr_c_end(e);
    memcpy(e->base, saved, sizeof saved);
}

/* For each row of the block. */
static void put_copies(fsr_c_emit *e, const fsr_body *loop) {
    const int dim = e->loop_dim;
    e->loop_dim = -1;
    for (int i = 0; i < e->s->unroll; i++)
        put_copy(e, loop, i);
    e->loop_dim = dim;
}

void fsr_c_unrolled(fsr_c_emit *e, const fsr_body *loop) {
    const int n = e->s->unroll;
    fsr_c_line(e, "i64 cu = c0;");
    fsr_c_begin(e, "for (; cu + %d <= c1; cu += %d)", n, n);
    if (e->s->tall) {
        fsr_c_tile_rows(e, loop, put_copies);
    } else {
        fsr_c_independent(e);
        fsr_c_rows_begin(e);
        put_copies(e, loop);
        fsr_c_rows_end(e);
    }
    fsr_c_end(e);
}
