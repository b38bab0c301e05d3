/* SPDX-License-Identifier: MIT */
/* Compacted stores: filters in the frames whose threads run along the columns.
 *
 * The neighbours of a warp's step are neighbours in memory, and so are those of them that the mask selects, and the
 * others, counted from the end. So lanes hand their elements to one another: each leaves its own in shared memory where
 * they stand among the step's, and takes the one next to its neighbour's from there, for the array. Which elements these are
 * follows from the counts that each lane has; no thread waits for another warp.
 *
 * Counter-example to each lane's storing what it has at the place of its own: a lane's elements are neighbours already,
 * so at any moment lanes store several elements apart, and every line of memory is written in pieces. */
#include "backend_cuda/emit.h"
#include <stdio.h>

static bool is_compacted(const fsr_emit *e, int v) {
    return e->k->inst[v].filter == FSR_FILTER_COMPACTED;
}

/* Bytes of the widest element that is compacted; 0: there is none. */
static int widest(const fsr_emit *e) {
    size_t size = 0;
    for (int i = 0; i < e->k->ninsts; i++)
        if (is_compacted(e, i) && fsr_dtype_size(e->k->inst[i].dtype) > size)
            size = fsr_dtype_size(e->k->inst[i].dtype);
    return (int)size;
}

void fsr_emit_compact_room(fsr_emit *e) {
    const int size = widest(e);
    if (size)
        fsr_emit_line(e, "__shared__ c128 room[%d];", e->s.threads * e->s.vector * size / 16);
}

void fsr_emit_compact_registers(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    if (!is_compacted(e, v))
        return;
    fsr_emit_line(e, "%s o%d[%d];", fsr_emit_type(inst->dtype), v, e->s.vector);
    fsr_emit_line(e, "b8 m%d[%d];", v, e->s.vector);
    fsr_emit_line(e, "%s k%d[%d];", fsr_emit_type(e->k->inst[inst->arg[2]].dtype), v, e->s.vector);
}

void fsr_emit_compact_values(fsr_emit *e, int v) {
    const fsr_inst *inst = &e->k->inst[v];
    const char *at = e->s.vector > 1 ? "v" : "0";
    char value[FSR_REF], mask[FSR_REF], before[FSR_REF];
    if (!is_compacted(e, v))
        return;
    fsr_emit_line(e, "o%d[%s] = %s;", v, at, fsr_emit_ref(e, value, inst->arg[0]));
    fsr_emit_line(e, "m%d[%s] = %s;", v, at, fsr_emit_ref(e, mask, inst->arg[1]));
    fsr_emit_line(e, "k%d[%s] = %s;", v, at, fsr_emit_ref(e, before, inst->arg[2]));
}

void fsr_emit_compact(fsr_emit *e, int v) {
    char row[FSR_EXPR];
    if (is_compacted(e, v))
        fsr_emit_line(e, "fsr_compact<%d, %d, %s>(&%s, room, o%d, m%d, k%d, %s, end, cols);", fsr_emit_lane_count(e),
                      widest(e), e->k->inst[v].front ? "true" : "false",
                      fsr_emit_element(e, row, e->k->inst[v].index, NULL), v, v, v, fsr_emit_step_column(e));
}
