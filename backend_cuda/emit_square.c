/* SPDX-License-Identifier: MIT */
/* MAP in squares: a block takes `tile` rows along dimension `tiled` by `breadth` elements along the last one. First
 * what lies along the rows in memory is brought, neighbours by neighbouring threads, into shared memory, s<i> of load
 * i; then each element is computed, neighbours along the last dimension by neighbouring threads, which find s<i> the
 * other way round. */
#include "backend_cuda/emit.h"
#include "fusion/square.h"

static int last_dimension(const fsr_emit *e) {
    return e->k->ndim - 1;
}

/* Names thread x, y of as many neighbours along the last dimension, or along the rows. Returns how many. */
static int open_threads(fsr_emit *e, bool along_last) {
    const int side = along_last ? fsr_square_breadth(&e->s) : e->s.tile;
    fsr_emit_open(e, "{");
    fsr_emit_line(e, "const int x = threadIdx.x %% %d, y = threadIdx.x / %d;", side, side);
    return side;
}

/* Indices of the element that thread x, y has in step b: along the last dimension x is its neighbour, or along the
 * rows. */
static void open_elements(fsr_emit *e, bool along_last) {
    const int d = e->s.tiled, last = last_dimension(e), side = open_threads(e, along_last);
    const int other = along_last ? e->s.tile : fsr_square_breadth(&e->s), height = e->s.threads / side;
    fsr_emit_unrolled(e, "b", other / height);
    fsr_emit_line(e, "const int deep = y + b * %d;", height);
    fsr_emit_line(e, "const idx i%d = up + %s, i%d = left + %s;", d, along_last ? "deep" : "x", last,
                  along_last ? "x" : "deep");
    fsr_emit_open(e, "if (i%d < n%d && i%d < n%d) {", d, FSR_INT_EXTENT + d, last, FSR_INT_EXTENT + last);
    fsr_emit_row_number(e);
    fsr_emit_row_parts(e, true, along_last);
}

static void close_elements(fsr_emit *e) {
    fsr_emit_close(e);
    fsr_emit_close(e);
    fsr_emit_close(e);
}

static void bring(fsr_emit *e) {
    char element[FSR_EXPR];
    open_elements(e, false);
    for (int v = 0; v < e->k->ninsts; v++)
        if (e->k->stand[v].staged)
            fsr_emit_line(e, "s%d[deep][x] = %s;", v, fsr_emit_element(e, element, e->k->inst[v].index, NULL));
    close_elements(e);
}

void fsr_emit_square(fsr_emit *e) {
    fsr_emit_block_tile(e, e->s.tiled, e->s.tile, fsr_square_breadth(&e->s));
    for (int v = 0; v < e->k->ninsts; v++)
        if (e->k->stand[v].staged)
            fsr_emit_line(e, "__shared__ %s s%d[%d][%d];", fsr_emit_type(e->k->inst[v].dtype), v,
                          fsr_square_breadth(&e->s), e->s.tile + e->s.pad);
    bring(e);
    fsr_emit_line(e, "fsr_barrier();");
    open_elements(e, true);
    fsr_emit_row_values(e, 0, "true");
    close_elements(e);
}
