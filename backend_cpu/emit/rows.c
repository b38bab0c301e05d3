/* SPDX-License-Identifier: MIT */
/* The C emitter's loops over rows. Three shapes, from the schedule:
 *   MAP       as map.c has it;
 *   ROW       loops over the parallel dimensions, in each row the passes one after the other, in each pass the columns
 *             in chunks;
 *   COL       the innermost parallel dimension in blocks of `abreast` rows; columns outside, the rows of the block
 *             inside, every row value an array over the block. Loops for each element go along the columns: as ROW.
 *             With `tall` each block is cut into tiles of outputs (outputs.c).
 * Addresses advance one dimension at a time: p<a>_<d> = p<a>_<d-1> + i<d> * stride. Counter-example to computing them
 * from the flat index: two divisions an element cost more than the whole of a map. */
#include "backend_cpu/emit/emit_c.h"
#include "backend_cpu/emit/parts.h"
#include <stdio.h>
#include <string.h>

/* ---- passes ------------------------------------------------------------------------------------- */

static void put_passes(fsr_c_emit *e) {
    for (int pass = 0; pass < e->k->npasses; pass++) {
        fsr_c_row_insts(e, pass);
        fsr_c_pass(e, pass);
    }
    if (e->s->part)
        fsr_c_begin(e, "if (mode == %d || mode == %d)", FSR_MODE_WHOLE, FSR_MODE_FINISH);
    fsr_c_row_insts(e, e->k->npasses);
    if (e->s->part)
        fsr_c_end(e);
}

/* ---- loops over rows ---------------------------------------------------------------------------- */

void fsr_c_dimensions(fsr_c_emit *e, int end) {
    for (int d = 0; d < end; d++)
        fsr_c_dimension(e, d);
}

void fsr_c_dimensions_end(fsr_c_emit *e, int end) {
    for (int d = 0; d < end; d++)
        fsr_c_end(e);
}

void fsr_c_row_number(fsr_c_emit *e, int n, const char *last) {
    char extent[FSR_EMIT_NAME];
    fsr_text t = {0};
    for (int d = 1; d < n; d++)
        fsr_text_add(&t, "(");
    fsr_text_add(&t, "%s", n > 1 ? "i0" : n == 1 ? last : "0");
    for (int d = 1; d < n; d++) {
        fsr_text_add(&t, " * %s + ", fsr_c_integer(e, FSR_INT_EXTENT + d, extent));
        if (d < n - 1)
            fsr_text_add(&t, "i%d)", d);
        else
            fsr_text_add(&t, "%s)", last);
    }
    fsr_c_line(e, "const i64 r = %s;", t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

void fsr_c_product(fsr_c_emit *e, const char *name, int from, int end) {
    char extent[FSR_EMIT_NAME];
    fsr_text t = {0};
    for (int d = from; d < end; d++)
        fsr_text_add(&t, "%s%s", t.size ? " * " : "", fsr_c_integer(e, FSR_INT_EXTENT + d, extent));
    fsr_c_line(e, "const i64 %s = %s;", name, t.data ? t.data : "");
    e->body.failed |= t.failed;
    fsr_text_free(&t);
}

static void put_by_row(fsr_c_emit *e) {
    char cols[FSR_EMIT_NAME], last[FSR_EMIT_NAME];
    int n = e->k->nparallel;
    e->row = "r";
    fsr_c_ahead_head(e);
    fsr_c_dimensions(e, n);
    snprintf(last, sizeof last, "i%d", n - 1);
    if (e->uses_row) {
        fsr_c_row_number(e, n, last);
        fsr_c_line(e, "const i64 at = r * %s;", fsr_c_integer(e, FSR_INT_COLS, cols));
    }
    if (e->s->part)
        fsr_c_share_row(e);
    put_passes(e);
    fsr_c_dimensions_end(e, n);
}

/* A block of rows from b on, of which `m` are there. */
static void put_block(fsr_c_emit *e) {
    const int last = e->k->nparallel - 1;
    char saved[FSR_MAX_ACCESSES][FSR_EMIT_NAME];
    memcpy(saved, e->base, sizeof saved);
    fsr_c_advance(e, last, "b");
    snprintf(e->index[last], FSR_EMIT_NAME, "b + j");
    e->spread = true;
    if (e->s->tall)
        fsr_c_tiles_begin(e);
    if (e->uses_row)
        fsr_c_row_number(e, last + 1, "b");
    if (e->s->tall && e->uses_row)
        fsr_c_product(e, "apart", e->s->across + 1, e->k->nparallel); /* how far apart in number a tile's rows are */
    if (e->s->part)
        fsr_c_share_row(e);
    fsr_c_columns_ahead_head(e);
    put_passes(e);
    memcpy(e->base, saved, sizeof saved);
}

/* Blocks of constant length, and what is left. Counter-example to asking in the loop which it is: of 16 sums of
 * products the compiler kept fewer states in registers, 3.5 ms for 2.3. */
static void put_fixed(fsr_c_emit *e) {
    const int last = e->k->nparallel - 1, length = e->s->abreast;
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "i64 b = lo%d;", last);
    fsr_c_begin(e, "for (; b + %d <= hi%d; b += %d)", length, last, length);
    fsr_c_line(e, "const i64 m = %d;", length);
    put_block(e);
    fsr_c_end(e);
    fsr_c_begin(e, "if (b < hi%d)", last);
    fsr_c_line(e, "const i64 m = hi%d - b;", last);
    put_block(e);
    fsr_c_end(e);
    fsr_c_end(e);
}

static void put_by_column(fsr_c_emit *e) {
    int last = e->k->nparallel - 1;
    char cols[FSR_EMIT_NAME];
    e->row = e->s->tall ? "r + l * apart + j" : "r + j";
    if (e->uses_row)
        fsr_c_integer(e, FSR_INT_COLS, cols);
    for (int d = 0; d < last; d++)
        if (!e->s->tall || d != e->s->across)
            fsr_c_dimension(e, d);
    if (e->s->fixed) {
        put_fixed(e);
    } else {
        fsr_c_begin(e, "for (i64 b = lo%d; b < hi%d; b += %d)", last, last, e->s->abreast);
        fsr_c_line(e, "const i64 m = hi%d - b < %d ? hi%d - b : %d;", last, e->s->abreast, last, e->s->abreast);
        put_block(e);
        fsr_c_end(e);
    }
    fsr_c_dimensions_end(e, last);
}

void fsr_c_rows(fsr_c_emit *e) {
    if (e->s->kind == FSR_SCHEDULE_MAP)
        fsr_c_map(e);
    else if (e->abreast)
        put_by_column(e);
    else
        put_by_row(e);
}
