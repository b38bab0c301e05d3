/* SPDX-License-Identifier: MIT */
/* Rows that are fetched ahead, in generated C.
 *
 * A kernel of several passes over short rows reads a row in its first pass and works on it in the others, while memory
 * rests. So the second pass asks for the next row, as far as it has come in its own: a softmax over rows of 4096 takes
 * a quarter less. The processor's own prefetching sees a stream begin only in the first pass.
 *
 * Counter-example to asking always: of rows that are longer than a core's cache the next one pushes out what the later
 * passes read again. There the distance is 0, which asks for what is at hand. An address beyond the array is never
 * read: asking for it does nothing. */
#include "backend_cpu/emit/parts.h"

enum { LINE = 64, ROW_BYTES = 1 << 17 };

/* The first pass reads them in order, and nobody writes them. */
static void find_arrays(fsr_c_emit *e) {
    const fsr_kernel *k = e->k;
    fsr_c_loop loop = {.pass = 0};
    loop.n = fsr_kernel_loop(k, 0, loop.inst);
    for (int i = 0; i < loop.n; i++) {
        const fsr_inst *inst = &k->inst[loop.inst[i]];
        if (inst->kind == FSR_INST_LOAD && k->access[inst->index].linear &&
            !k->array[k->access[inst->index].buffer].written)
            e->ahead[k->access[inst->index].buffer] = true;
    }
}

void fsr_c_ahead_plan(fsr_c_emit *e) {
    const fsr_kernel *k = e->k;
    if (k->npasses > 1 && k->ndim == k->nparallel + 1 && k->nparallel > 0 && !e->grouped && !e->shared_columns)
        find_arrays(e);
}

void fsr_c_ahead_head(fsr_c_emit *e) {
    char cols[FSR_EMIT_NAME];
    int bytes = 0;
    for (int b = 0; b < e->k->narrays; b++)
        if (e->ahead[b])
            bytes += (int)fsr_dtype_size(e->k->array[b].dtype);
    if (bytes)
        fsr_c_line(e, "const i64 next = cols <= %d ? %s : 0;", ROW_BYTES / bytes, fsr_c_integer(e, FSR_INT_COLS, cols));
}

void fsr_c_ahead(fsr_c_emit *e, int pass, const char *from, const char *to) {
    for (int b = 0; b < e->k->narrays && pass == 1; b++) {
        if (!e->ahead[b])
            continue;
        fsr_c_begin(e, "for (i64 p = %s; p < %s; p += %d)", from, to, LINE / (int)fsr_dtype_size(e->k->array[b].dtype));
        fsr_c_line(e, "__builtin_prefetch(x%d + at + next + p, 0, 2);", b);
        fsr_c_end(e);
    }
}
