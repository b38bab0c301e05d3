/* SPDX-License-Identifier: MIT */
/* Which results of a CPU's kernel pass the caches by in a large launch, and which rows are fetched ahead.
 *
 * Streams. A store into the cache reads the line from memory first. Where a launch writes more than the last cache
 * holds, that read and the lines pushed out are for nothing: a sum of two arrays moves four arrays instead of three.
 * The emitted loop then goes in runs, or strips, whose results go to a buffer in the first cache and from there past
 * the caches; what filters pack is held in lines. Rows do so where they begin with a line of memory. Measured, 2^24
 * elements, two threads, in pairs of runs: sums and products of three arrays 12 % faster, complex products 17 %; a
 * running sum and its square root 6.6 to 4.5 ms; where an element of a map is work itself nothing.
 *
 * Only for arrays that are written in their own order, where nothing is done in place: a line that was read is in the
 * cache. In a kernel with rows: by loops without reductions, which have no lanes, and by scans. Counter-example to
 * streaming always: the next kernel of a plan reads a small result from memory that it would have found in the cache.
 *
 * Ahead. A kernel of several passes over short rows reads a row in its first pass and works on it in the others, while
 * memory rests. So the second pass asks for the next row, as far as it has come in its own: a softmax over rows of 4096
 * takes a quarter less. The processor's own prefetching sees a stream begin only in the first pass. Counter-example to
 * asking always: of rows that are longer than a core's cache the next one pushes out what the later passes read
 * again. */
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

enum {
    MOST_BYTES = 32,    /* of an element, all buffers together */
    STREAM_WORK = 30,   /* most operations of a map's element whose results may pass the caches by */
    ROW_BYTES = 1 << 17 /* of the rows that are fetched ahead */
};

/* ---- streams ----------------------------------------------------------------------------------------- */

/* Rows, whose last loops have little to do; of maps, those in long runs and of so little work that memory is what they
 * wait for. */
static bool may_stream(const fsr_kernel *k) {
    const fsr_schedule *s = &k->schedule;
    if (fsr_kernel_in_place(k) || s->kind == FSR_SCHEDULE_COL || k->ndim > k->nparallel + 1)
        return false;
    return s->kind != FSR_SCHEDULE_MAP || (k->ndim > 0 && s->work <= STREAM_WORK && (s->flat || !s->tile));
}

/* In the order of the loop that it stands in. */
static bool in_order(const fsr_kernel *k, const fsr_inst *inst) {
    const fsr_access *a = &k->access[inst->index];
    return inst->filter != FSR_FILTER_COMPACTED && (a->linear || (k->npasses == 0 && a->row_linear));
}

/* Loops whose arguments are looked at go in runs of their own length: longer ones, as each is looked at twice. */
static bool loop_may_stream(const fsr_kernel *k, const fsr_body *body, const fsr_walk *walk) {
    for (int i = 0; i < body->n; ++i)
        if (k->inst[body->inst[i]].kind == FSR_INST_ITERATE || fsr_inst_is_limited(&k->inst[body->inst[i]]))
            return false;
    return !body->nfolds || walk->form == FSR_WALK_STRIPS;
}

void fsr_finish_streams(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    int bytes = 0;
    s->streams = 0;
    for (int pass = 0; may_stream(k) && (pass < k->npasses || pass == 0); ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        for (int i = 0; i < body.n; ++i) {
            const fsr_inst *inst = &k->inst[body.inst[i]];
            if (inst->kind == FSR_INST_STORE && (in_order(k, inst) || inst->filter == FSR_FILTER_COMPACTED) &&
                loop_may_stream(k, &body, &s->walk[pass]))
                s->streams |= 1u << k->access[inst->index].buffer;
        }
    }
    for (int b = 0; b < k->narrays; ++b)
        bytes += s->streams >> b & 1 ? (int)fsr_dtype_size(k->array[b].dtype) : 0;
    if (bytes > MOST_BYTES)
        s->streams = 0;
}

/* ---- rows ahead -------------------------------------------------------------------------------------- */

/* Of arrays that the first pass reads in order, and nobody writes. */
void fsr_finish_ahead(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    int bytes = 0;
    s->ahead = 0;
    s->ahead_cols = 0;
    if (s->kind != FSR_SCHEDULE_ROW || k->npasses < 2 || k->ndim != k->nparallel + 1 || k->nparallel == 0)
        return;
    fsr_body body;
    fsr_body_of(k, 0, &body);
    for (int i = 0; i < body.n; ++i) {
        const fsr_inst *inst = &k->inst[body.inst[i]];
        if (inst->kind == FSR_INST_LOAD && k->access[inst->index].linear &&
            !k->array[k->access[inst->index].buffer].written)
            s->ahead |= 1u << k->access[inst->index].buffer;
    }
    for (int b = 0; b < k->narrays; ++b)
        bytes += s->ahead >> b & 1 ? (int)fsr_dtype_size(k->array[b].dtype) : 0;
    s->ahead_cols = bytes ? ROW_BYTES / bytes : 0;
}
