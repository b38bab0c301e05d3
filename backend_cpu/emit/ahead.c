/* SPDX-License-Identifier: MIT */
/* Rows that are fetched ahead, and what waiting strips will load and store (schedule.ahead, coming), in generated C:
 * the second pass asks for the next row, as far as it has come in its own. Of rows that are too long the distance is 0,
 * which asks for what is at hand. An address beyond the array is never read: asking for it does nothing. By columns a
 * block asks for its rows some columns later, or at its beginning for the next block where columns lie beside each
 * other, and a row of a map's tile or panel for the next one: two results of a panel, 537 by 536 f32, took 0.56 ms of
 * two threads, and 0.46. */
#include "backend_cpu/emit/parts.h"
#include "fusion/walk.h"

void fsr_c_ahead_head(fsr_c_emit *e) {
    char cols[FSR_EMIT_NAME];
    if (e->s->ahead)
        fsr_c_line(e, "const i64 next = cols <= %d ? %s : 0;", e->s->ahead_cols, fsr_c_integer(e, FSR_INT_COLS, cols));
}

void fsr_c_ahead(fsr_c_emit *e, int pass, const char *from, const char *to) {
    for (int b = 0; b < e->k->narrays && pass == 1; b++) {
        if (!(e->s->ahead >> b & 1))
            continue;
        fsr_c_begin(e, "for (i64 p = %s; p < %s; p += %d)", from, to,
                    e->s->line / (int)fsr_dtype_size(e->k->array[b].dtype));
        fsr_c_line(e, "__builtin_prefetch(x%d + at + next + p, 0, 2);", b);
        fsr_c_end(e);
    }
}

/* The lines of the next block's elements, which lie behind this one's. */
static void put_next_block(fsr_c_emit *e, int b) {
    bool stored = false;
    for (int i = 0; i < e->k->ninsts; i++)
        stored = stored || (e->k->inst[i].kind == FSR_INST_STORE && e->k->access[e->k->inst[i].index].buffer == b);
    fsr_c_begin(e, "for (i64 j = 0; j < ask * %d; j += %d)", e->s->beside,
                e->s->line / (int)fsr_dtype_size(e->k->array[b].dtype));
    fsr_c_line(e, "__builtin_prefetch(x%d + (r + m) * cols + j%s);", b, stored ? ", 1" : "");
    fsr_c_end(e);
}

void fsr_c_columns_ahead_head(fsr_c_emit *e) {
    char rows[FSR_EMIT_NAME], cols[FSR_EMIT_NAME];
    if (!e->s->ahead)
        return;
    fsr_c_integer(e, FSR_INT_EXTENT + e->k->nparallel - 1, rows);
    fsr_c_integer(e, FSR_INT_COLS, cols);
    if (fsr_columns_wait(e->k) && !e->s->beside)
        fsr_c_line(e, "const i64 ask = %s * %s > %d ? m : 0;", rows, cols, FSR_COLUMNS_LARGE);
    else
        fsr_c_line(e, "const i64 ask = m < %s && %s * %s > %d ? m : 0;", rows, rows, cols, FSR_COLUMNS_LARGE);
    for (int b = 0; b < e->k->narrays && e->s->beside; b++)
        if (e->s->ahead >> b & 1)
            put_next_block(e, b);
}

/* A load of the loop from array b, or a store to it, by its access; -1: there is none. Neighbours of it are near when
 * it has come. */
static int first_along(const fsr_c_emit *e, const fsr_body *loop, int b) {
    for (int i = 0; i < loop->n; i++)
        if (fsr_column_goes_along(e->k, loop->inst[i]) && e->k->access[e->k->inst[loop->inst[i]].index].buffer == b)
            return e->k->inst[loop->inst[i]].index;
    return -1;
}

void fsr_c_columns_ahead(fsr_c_emit *e, const fsr_body *loop) {
    char stride[FSR_EMIT_NAME];
    for (int b = 0; b < e->k->narrays; b++) {
        const int access = e->s->ahead >> b & 1 && !e->s->beside ? first_along(e, loop, b) : -1;
        if (access < 0)
            continue;
        fsr_c_integer(e, fsr_access_form(e->k, access)->slot[e->k->ndim - 1], stride);
        fsr_c_begin(e, "for (i64 j = 0; j < ask; j += %d)", e->s->line / (int)fsr_dtype_size(e->k->array[b].dtype));
        fsr_c_line(e, "__builtin_prefetch(x%d + %s + %d * %s + j);", b, e->base[access], FSR_COLUMNS_AHEAD, stride);
        fsr_c_end(e);
    }
}

void fsr_c_tiles_ahead_head(fsr_c_emit *e) {
    char elements[FSR_EMIT_NAME];
    if (!e->s->ahead)
        return;
    fsr_c_line(e, "const i64 far = %s > %d;", fsr_c_integer(e, FSR_INT_ROWS, elements), FSR_COLUMNS_LARGE);
    fsr_c_product(e, "next", fsr_tile_rows(e->k) + 1, e->k->ndim);
}

/* The lines of the next row of a tile or a panel that one access goes along, unless what is stored passes the caches
 * by. */
static void put_next_row(fsr_c_emit *e, const fsr_inst *inst, const char *low, const char *high) {
    const fsr_access *access = &e->k->access[inst->index];
    const int size = (int)fsr_dtype_size(e->k->array[access->buffer].dtype);
    const bool passes = inst->kind == FSR_INST_STORE && e->s->streams >> access->buffer & 1;
    char apart[FSR_EMIT_NAME] = "next";
    fsr_text address = {0};
    if (!access->linear && !access->row_linear)
        fsr_c_integer(e, fsr_access_form(e->k, inst->index)->slot[fsr_tile_rows(e->k)], apart);
    fsr_c_address(e, &address, inst->index);
    fsr_c_begin(e, "for (i64 %s = %s; far &&%s %s < %s; %s += %d)", e->loop_var, low, passes ? " !stream &&" : "",
                e->loop_var, high, e->loop_var, e->s->line / size);
    fsr_c_line(e, "__builtin_prefetch(x%d + %s + %s, %d);", access->buffer, address.data ? address.data : "0", apart,
               inst->kind == FSR_INST_STORE);
    fsr_c_end(e);
    e->body.failed |= address.failed;
    fsr_text_free(&address);
}

/* Of each array once. */
void fsr_c_tiles_ahead(fsr_c_emit *e, const char *low, const char *high) {
    fsr_body loop;
    uint64_t left = e->s->ahead;
    fsr_body_of(e->k, 0, &loop);
    for (int i = 0; i < loop.n; i++) {
        const fsr_inst *inst = &e->k->inst[loop.inst[i]];
        if (!fsr_tile_goes_along(e->k, loop.inst[i]) || !(left >> e->k->access[inst->index].buffer & 1))
            continue;
        left &= ~(UINT64_C(1) << e->k->access[inst->index].buffer);
        put_next_row(e, inst, low, high);
    }
}

/* What the loop loads of array b lies in order. */
static bool reads(const fsr_c_emit *e, const fsr_body *loop, int b) {
    for (int i = 0; i < loop->n; i++) {
        const fsr_inst *inst = &e->k->inst[loop->inst[i]];
        if (inst->kind == FSR_INST_LOAD && e->k->access[inst->index].linear && e->k->access[inst->index].buffer == b)
            return true;
    }
    return false;
}

void fsr_c_coming(fsr_c_emit *e, const fsr_body *loop) {
    for (int b = 0; b < e->k->narrays; b++) {
        const int size = (int)fsr_dtype_size(e->k->array[b].dtype);
        if (!(e->s->coming >> b & 1) || !reads(e, loop, b))
            continue;
        fsr_c_begin(e, "for (i64 p = 0; p < %d; p += %d)", e->s->strip, e->s->line / size);
        fsr_c_line(e, "__builtin_prefetch(x%d + %s + %d + p, 0, 2);", b, e->start, FSR_COMING_BYTES / size);
        fsr_c_end(e);
    }
}

/* Asks for the lines of 16 elements of an array, from the next strip's place that the loop's index is; not of one that
 * passes the caches by. */
static void put_lines(fsr_c_emit *e, int access) {
    const int b = e->k->access[access].buffer, size = (int)fsr_dtype_size(e->k->array[b].dtype);
    const bool passes = e->s->streams >> b & 1;
    fsr_text address = {0};
    if (passes)
        fsr_c_begin(e, "if (!stream)");
    fsr_c_address(e, &address, access);
    fsr_c_line(e, "__builtin_prefetch(x%d + %s, 0, 2);", b, address.data ? address.data : "0");
    for (int at = e->s->line / size; at < FSR_GATHER_PIECE; at += e->s->line / size)
        fsr_c_line(e, "__builtin_prefetch(x%d + %s + %d, 0, 2);", b, address.data ? address.data : "0", at);
    if (passes)
        fsr_c_end(e);
    e->body.failed |= address.failed;
    fsr_text_free(&address);
}

/* The lines that the next strip of rows has of an array. */
static void put_strip_lines(fsr_c_emit *e, int access) {
    const int b = e->k->access[access].buffer, size = (int)fsr_dtype_size(e->k->array[b].dtype);
    fsr_c_begin(e, "for (i64 l = 0;%s l < m; l += %d)", e->s->streams >> b & 1 ? " !stream &&" : "", e->s->line / size);
    fsr_c_line(e, "__builtin_prefetch(x%d + at + m + l, 0, 2);", b);
    fsr_c_end(e);
}

/* Of each array once. */
static void put_arrays(fsr_c_emit *e, int pass, void (*print)(fsr_c_emit *e, int access)) {
    fsr_body loop;
    uint64_t asked = 0;
    fsr_body_of(e->k, pass, &loop);
    for (int i = 0; i < loop.n && e->s->coming; i++) {
        const fsr_inst *inst = &e->k->inst[loop.inst[i]];
        if ((inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE) || e->dead[loop.inst[i]] ||
            !fsr_access_may_come(e->k, e->walk, true, loop.inst[i]))
            continue;
        const uint64_t array = UINT64_C(1) << e->k->access[inst->index].buffer;
        if (!(e->s->coming & array & ~asked))
            continue;
        asked |= array;
        print(e, inst->index);
    }
}

void fsr_c_comes(fsr_c_emit *e, int pass, const fsr_c_along *along, const char *at) {
    if (!e->comes)
        return;
    fsr_c_begin(e, "%s", "");
    fsr_c_line(e, "const i64 %s = %s%s + %d;", e->loop_var, *along->less ? "" : "cs + ", at, e->s->strip);
    put_arrays(e, pass, put_lines);
    fsr_c_end(e);
}

void fsr_c_together_comes(fsr_c_emit *e) {
    put_arrays(e, 0, put_strip_lines);
}

bool fsr_c_comes_begin(fsr_c_emit *e, int pass, const fsr_c_along *along, const char **low, const char **high) {
    if (!e->comes)
        return false;
    fsr_c_begin(e, "for (i64 p = %s; p < %s; p += %d)", *low, *high, FSR_GATHER_PIECE);
    fsr_c_line(e, "const i64 pe = %s - p < %d ? %s : p + %d;", *high, FSR_GATHER_PIECE, *high, FSR_GATHER_PIECE);
    fsr_c_comes(e, pass, along, "p");
    *low = "p";
    *high = "pe";
    return true;
}
