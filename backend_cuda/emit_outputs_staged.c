/* SPDX-License-Identifier: MIT */
/* Staged loads of a tile of outputs (emit_outputs.c): their copies in shared memory, and the registers in which the
 * next columns' elements are on their way. */
#include "backend_cuda/emit_outputs.h"
#include "fusion/outputs.h"
#include <stdio.h>

/* Rows and lanes of a block's tile. */
int fsr_emit_tile_extent(const fsr_emit *e, bool lanes) {
    return lanes ? e->s.abreast * e->s.items : e->s.threads / e->s.abreast * e->s.tall;
}

/* The dimension of a tile along which staged load v moves. */
static int moves_with(const fsr_emit *e, int v) {
    return fsr_load_is_panel(e->k, v) ? fsr_emit_last_dimension(e) : e->s.across;
}

/* Elements of a staged load's copy that one thread brings. */
static int brought(const fsr_emit *e, int v) {
    const int elements = fsr_emit_tile_extent(e, fsr_load_is_panel(e->k, v)) * e->s.depth;
    return (elements + e->s.threads - 1) / e->s.threads;
}

void fsr_emit_staged_declare(fsr_emit *e) {
    for (int i = 0; i < e->tile.n; i++) {
        const int v = e->tile.loop[i];
        const char *type = fsr_emit_type(e->k->inst[v].dtype);
        if (!e->k->stand[v].staged)
            continue;
        fsr_emit_line(e, "__shared__ %s s%d alignas(16) [%d][%d];", type, v, e->s.depth,
                      fsr_emit_tile_extent(e, fsr_load_is_panel(e->k, v)) + e->s.pad);
        fsr_emit_line(e, "%s g%d[%d];", type, v, brought(e, v));
    }
}

/* Opens the loop over the elements that a thread brings: element `near` along the tile, column `deep`. Threads that are
 * neighbours bring neighbours in memory. */
static void open_brought(fsr_emit *e, int v) {
    const int extent = fsr_emit_tile_extent(e, fsr_load_is_panel(e->k, v)), d = moves_with(e, v);
    const bool beside = fsr_access_form(e->k, e->k->inst[v].index)->stride[d] == FSR_STRIDE_ONE;
    fsr_emit_unrolled(e, "b", brought(e, v));
    fsr_emit_line(e, "const int at = b * %d + threadIdx.x;", e->s.threads);
    if (beside)
        fsr_emit_line(e, "const int near = at %% %d, deep = at / %d;", extent, extent);
    else
        fsr_emit_line(e, "const int near = at / %d, deep = at %% %d;", e->s.depth, e->s.depth);
    fsr_emit_open(e, "if (at < %d) {", extent * e->s.depth);
}

static void close_brought(fsr_emit *e) {
    fsr_emit_close(e);
    fsr_emit_close(e);
}

/* The address of an access where the indices along all dimensions are named. */
void fsr_emit_tile_address(fsr_emit *e, char at[FSR_EXPR], int access) {
    const fsr_index_form *form = fsr_access_form(e->k, access);
    const bool folded_once = fsr_emit_folded(e->k) == 1;
    char index[FSR_REF];
    size_t n = fsr_emit_add_offset(e, at, 0, form);
    for (int d = 0; d < e->k->ndim; d++) {
        if (d >= e->k->nparallel && folded_once)
            snprintf(index, sizeof index, "c");
        else
            snprintf(index, sizeof index, "i%d", d);
        n = fsr_emit_add_term(e, at, n, form, d, index);
    }
    n = fsr_emit_add_symbols(e, at, n, form, FSR_HOMED);
    if (n == 0)
        snprintf(at, FSR_EXPR, "0");
}

/* g<i> = the elements of the columns from `from` on. */
void fsr_emit_staged_bring(fsr_emit *e) {
    char at[FSR_EXPR];
    for (int i = 0; i < e->tile.n; i++) {
        const int v = e->tile.loop[i], d = moves_with(e, v);
        if (!e->k->stand[v].staged)
            continue;
        open_brought(e, v);
        fsr_emit_line(e, "const idx w = %s + near, i%d = w < n%d ? w : n%d - 1;",
                      d == fsr_emit_last_dimension(e) ? "left" : "up", d, FSR_INT_EXTENT + d, FSR_INT_EXTENT + d);
        fsr_emit_line(e, "const idx u = from + deep, c = u < cols ? u : cols - 1;");
        fsr_emit_column_indices(e, "c");
        fsr_emit_tile_address(e, at, e->k->inst[v].index);
        fsr_emit_line(e, "g%d[b] = x%d[%s];", v, e->k->access[e->k->inst[v].index].buffer, at);
        close_brought(e);
    }
}

void fsr_emit_staged_put(fsr_emit *e) {
    for (int i = 0; i < e->tile.n; i++) {
        const int v = e->tile.loop[i];
        if (!e->k->stand[v].staged)
            continue;
        open_brought(e, v);
        fsr_emit_line(e, "s%d[deep][near] = g%d[b];", v, v);
        close_brought(e);
    }
}
