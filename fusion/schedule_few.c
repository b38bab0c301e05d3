/* SPDX-License-Identifier: MIT */
/* Rows of a few columns, side by side, on a CPU: a point of a picture has three channels, of which sixteen others are
 * made. Their states are one chunk, so none waits for another one, and where few rows lie side by side, their loops
 * have a constant length: a compiler makes each a vector or a few, and no loop.
 *
 * Rows along which lanes fold are one chunk, too, if they are no longer than one. Counter-example to a stack for one: a
 * softmax of 2,000 rows of 100 f32 took 0.30 ms, 0.25 so (one thread of a Zen 3, AVX2).
 *
 * How folds associate stays: a chunk from the identity on, in order.
 *
 * Counter-example to chunks that meet on a stack: of 25 sums of products over 3 channels, 16 of them in one kernel, the
 * columns were a third of the work (one thread of a Zen 4: 7.0 ms, 6.0 as one chunk, 4.0 with constant lengths too).
 * To a constant length of many rows: it is all of them that the compiler writes down.
 *
 * Scans down few columns have all of these in one block, whose number the text says too: a loop over so few whose
 * length a launch says is mostly its own beginning and end. A running sum down 100,000 by 3 f32 took 0.35 ms so,
 * 0.12 with a constant, by 7 0.64 and 0.24, by 16 0.66 and 0.51, by 32 1.29 and 0.94 (one thread of a Xeon, AVX2).
 *
 * Rows of any kernel that are as short say in the text how long they are (`width`): the compiler makes each a vector or
 * a few, and no loop with a rest. Counter-example to a length that a launch says: a stencil of rows of 8 f32 took 29 ns
 * a row, 15 so; of rows of 13 less their means 0.51 ms of 50,000, 0.26 so (one thread of a Zen 4, AVX2). */
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"

enum {
    FEW_COLS = 16,
    FEW_ROWS = 64,    /* side by side */
    LEAST_LENGTH = 8, /* rows of a loop of constant length */
    MOST_LENGTH = 32
};

/* A launch is not divided along rows of a map that are so short. */
static int width_of(const fsr_kernel *k) {
    const int64_t width = k->ndim ? k->integer[FSR_INT_EXTENT + k->ndim - 1] : 0;
    return width >= 2 && width < FSR_SHORT_ROW && fsr_kernel_may_have_width(k) ? (int)width : 0;
}

/* A row that is one chunk has no parts, which the question is asked without. Columns fewer than lanes fold in order,
 * into one state: such rows stay as they are. */
static void finish_row(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    const int64_t cols = k->integer[FSR_INT_COLS];
    const int part = s->part;
    s->single = false;
    if (cols < s->lanes || cols > s->chunk)
        return;
    s->part = 0;
    s->single = fsr_kernel_may_be_single(k);
    s->part = s->single ? 0 : part;
}

void fsr_finish_few(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    s->width = width_of(k);
    const int64_t cols = k->integer[FSR_INT_COLS];
    const int64_t rows = k->nparallel ? k->integer[FSR_INT_EXTENT + k->nparallel - 1] : 0;
    s->fixed = false;
    if (s->kind == FSR_SCHEDULE_ROW) {
        finish_row(k);
        return;
    }
    s->single = cols > 0 && cols <= FEW_COLS && fsr_kernel_may_be_single(k);
    if (fsr_kernel_may_scan_fixed(k) && rows > 1 && rows <= MOST_LENGTH) {
        s->fixed = true;
        s->abreast = (int)rows;
    }
    if (!s->single)
        return;
    int length = MOST_LENGTH;
    while (length > rows && length > LEAST_LENGTH)
        length /= 2;
    s->fixed = rows >= LEAST_LENGTH && rows <= FEW_ROWS && length <= s->abreast;
    s->abreast = s->fixed ? length : s->abreast;
}
