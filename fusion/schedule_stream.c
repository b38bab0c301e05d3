/* SPDX-License-Identifier: MIT */
/* Which results of a CPU's kernel pass the caches by in a large launch, and which rows and gathered elements are
 * fetched ahead.
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
 * again.
 *
 * Columns ahead. A block of rows side by side reads a run of memory of each column, and a processor fetches what
 * follows the run, which is another block's. While it evaluates functions of a column it does not look as far as the
 * next one: so the loop asks for what comes some columns later, where there are several blocks and memory has them.
 * Sums of exponentials down 28,130 columns of 320 rows, which two threads divided, took 11.6 ms, and 3.3 so; of one
 * thread, whose block is as wide as the rows, 5.7. Counter-example to asking beside anything: a processor looks
 * further than a column of sums.
 *
 * Columns beside each other. They are a run of memory for each block, which begins again where the next one does: so
 * where a block is worked on in several passes, or by functions, it asks for the next one's first. Means of three
 * columns, and means of these, repeated, of 2,420,992 f32 by 3 took 10.8 ms of one thread of a Xeon, and 8.2 so.
 *
 * Tiles. A row of a tile is a run of memory of each array that lies along it, too short for the processor to fetch what
 * follows, which is another tile's. So each row asks for the next one of its tile, of what it loads and of what it
 * stores. 0.5 * (y + y.T) of 1918 by 1918 f32 and its product with x plus y, both stored, took 10.3 ms of one thread
 * of a Xeon, 5.1 of two, and 5.2 and 2.6 so; y + y.T alone 3.1 and 2.4.
 *
 * Strips. A filter whose scans only count reads an array once, in strips, and between a strip's loads packs what it has
 * loaded; so each strip asks for the next one first. Measured, half of 2^24 f32 selected, one thread: 11.1 and 8.2 ms.
 * Not of scans, whose parts are in a near cache when they are scanned.
 *
 * Waiting. A stage that loads or combines at computed places waits for them and asks memory for nothing else, so that
 * what the strip's other stages read in order, the indices first, would come only after it. So that stage asks for the
 * next strip's, a line beside every 16 elements of its own. Measured, 2^24 sums of square roots at 2^20 places, AVX2:
 * one thread 21.2 and 16.4 ms, two 13.8 and 10.1. Counter-example to asking at the strip's beginning: 17.6 and 11.5; to
 * asking always: of arrays that a near cache holds 2^18 gathers took a seventh longer.
 *
 * So it asks for the lines that will be stored, and from smaller arrays on. A store whose line is far holds up those
 * behind it, and a load whose address is like that of a waiting store, as one of a thousand loads from anywhere is,
 * waits with it. Elements of the same column, and products of these, both stored, 11,417 by 128 f32, took 14.9 ms of
 * one thread of a Xeon and 8.0 of two, of which one result took 5.8 and 2.6; 6.4 and 2.4 so. In rows of 4 and 16, which
 * are taken together or lie beside each other, the strip or block asks for the next one, by columns each for the one
 * FSR_COLUMNS_AHEAD later.
 *
 * Gathers. Of an array that the near caches do not hold the stage that gathers asks for an element 128 turns before it
 * loads it. Measured, 2^24 loads of f32 from anywhere in arrays of 8, 16, 32, 64 MB, one thread, 64 turns before: 86,
 * 115, 171, 228 ms, and 89, 111, 142, 168 so. A store that combines, which both loads and stores the element, does so
 * of smaller arrays too: 2^24 sums in f64 at places of 2, 4, 8, 16, 64 MB, one thread, 24.5, 28.0, 31.7, 84, 131 ms,
 * and 24.0, 24.8, 25.4, 34, 69 so (8 and 16 MB 64 turns before: 26.4 and 40). */
#include "fusion/address.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <math.h>

enum {
    MOST_BYTES = 32,        /* of an element, all buffers together */
    STREAM_WORK = 30,       /* most operations of a map's element whose results may pass the caches by */
    ROW_BYTES = 1 << 17,    /* of the rows that are fetched ahead */
    COMING_BYTES = 1 << 23, /* of an array that stages which wait ask for, */
    STORED_BYTES = 1 << 20, /* or of one that they store, */
    FAR_BYTES = 1 << 24,    /* of an array whose elements are asked for before they are gathered, */
    FAR_COMBINED = 1 << 22, /* or combined with, */
    FAR_ROWS = 6 << 20      /* or gathered in short rows */
};

/* ---- streams ----------------------------------------------------------------------------------------- */

/* A map goes row by row, and some row has no whole line of this array. */
static bool is_short(const fsr_kernel *k, int array) {
    const int64_t row = k->ndim > 1 && !k->schedule.flat ? k->integer[FSR_INT_EXTENT + k->ndim - 1] : INT64_MAX;
    return k->schedule.kind == FSR_SCHEDULE_MAP &&
           (row < FSR_SHORT_ROW || row < k->schedule.line / (int64_t)fsr_dtype_size(k->array[array].dtype));
}

/* Of maps, those in long runs and of so little work that memory is what they wait for. Counter-example to short rows:
 * 2^23 f32 in rows of 8 by way of a buffer took 3.3 ms, 2.0 without; in rows of 16 2.1 and 2.1, of 128 2.3 and 2.7. */
void fsr_finish_streams(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    int bytes = 0;
    s->streams = s->kind != FSR_SCHEDULE_MAP || s->work <= STREAM_WORK ? fsr_kernel_may_stream(k) : 0;
    for (int b = 0; b < k->narrays; ++b) {
        bytes += s->streams >> b & 1 ? (int)fsr_dtype_size(k->array[b].dtype) : 0;
        s->streams &= is_short(k, b) ? ~(UINT64_C(1) << b) : UINT64_MAX;
    }
    if (bytes > MOST_BYTES)
        s->streams = 0;
}

/* ---- rows ahead -------------------------------------------------------------------------------------- */

static bool has_function(const fsr_kernel *k) {
    fsr_body body;
    bool any = false;
    for (int pass = 0; !any && pass < k->npasses; ++pass, any = fsr_body_has_function(k, &body))
        fsr_body_of(k, pass, &body);
    return any;
}

static uint64_t stored_arrays(const fsr_kernel *k) {
    uint64_t stored = 0;
    for (int b = 0; b < k->narrays; ++b)
        stored |= (uint64_t)k->array[b].written << b;
    return stored;
}

void fsr_finish_ahead(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    int bytes = 0;
    const bool waits = fsr_columns_wait(k), columns = s->kind == FSR_SCHEDULE_COL && !s->beside;
    const bool works = s->kind != FSR_SCHEDULE_COL || waits || has_function(k) || (s->beside && k->npasses > 1);
    s->ahead_cols = 0;
    s->ahead = works ? fsr_kernel_may_fetch(k) : 0;
    if (columns && !waits)
        s->ahead &= ~stored_arrays(k);
    if (s->kind != FSR_SCHEDULE_ROW)
        return;
    for (int b = 0; b < k->narrays; ++b)
        bytes += s->ahead >> b & 1 ? (int)fsr_dtype_size(k->array[b].dtype) : 0;
    s->ahead_cols = bytes ? ROW_BYTES / bytes : 0;
}

/* Some loop of the kernel waits at computed places. */
static bool waits(const fsr_kernel *k) {
    bool any = false;
    for (int pass = 0; !any && (pass < k->npasses || pass == 0); ++pass) {
        fsr_body body;
        fsr_body_of(k, pass, &body);
        any = fsr_body_waits(k, &body, &k->schedule.walk[pass]);
    }
    return any;
}

/* Arrays that no near cache holds: there is one element for each that a load or a store may reach. */
static uint64_t far_arrays(const fsr_kernel *k) {
    uint64_t far = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        if (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE)
            continue;
        const int64_t least = inst->kind == FSR_INST_LOAD ? COMING_BYTES : STORED_BYTES;
        const fsr_form f = fsr_form_of_access(k, k->integer, inst->index);
        const int b = k->access[inst->index].buffer;
        if (fsr_form_count(&f) >= least / (int64_t)fsr_dtype_size(k->array[b].dtype))
            far |= UINT64_C(1) << b;
    }
    return far;
}

/* The next strip of a panel is one of another row, and what panels take is near. */
void fsr_finish_coming(fsr_kernel *k) {
    const uint64_t wanted = waits(k) ? far_arrays(k) : fsr_kernel_packs(k) ? UINT64_MAX : 0;
    k->schedule.coming = wanted && !k->schedule.panel ? wanted & fsr_kernel_may_come(k) : 0;
}

/* ---- gathers ------------------------------------------------------------------------------------------- */

/* Bytes from the first element that an access may reach to the last one, both included. */
static double reach_of(const fsr_kernel *k, int access) {
    const fsr_form f = fsr_form_of_access(k, k->integer, access);
    double span = 1;
    for (int t = 0; t < f.nterms; ++t)
        span += fabs((double)f.coefficient[t]) * (double)f.most[t];
    return span * (double)fsr_dtype_size(k->array[k->access[access].buffer].dtype);
}

bool fsr_combines_each(const fsr_kernel *k, const fsr_inst *inst) {
    const int d = fsr_kernel_inner(k);
    return inst->combines && d >= 0 && fsr_access_form(k, inst->index)->stride[d] == FSR_STRIDE_ZERO;
}

bool fsr_combines_far(const fsr_kernel *k, const fsr_inst *inst) {
    return fsr_combines_each(k, inst) && reach_of(k, inst->index) >= FAR_COMBINED;
}

void fsr_finish_fetched(fsr_kernel *k) {
    const uint64_t rows = fsr_kernel_may_fetch_rows(k);
    const double least = rows ? FAR_ROWS : FAR_BYTES;
    uint64_t far = 0;
    for (int i = 0; i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        if (fsr_combines_far(k, inst) || (inst->kind == FSR_INST_LOAD && reach_of(k, inst->index) >= least))
            far |= UINT64_C(1) << k->access[inst->index].buffer;
    }
    k->schedule.fetched = far && !k->schedule.panel ? far & (rows | fsr_kernel_may_gather_ahead(k)) : 0;
}
