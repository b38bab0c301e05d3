/* SPDX-License-Identifier: MIT */
/* What a CPU's other threads leave to one: a kernel of few rows and several passes over their columns, of which each
 * would be shared as a kernel of its own.
 *
 * Rows are dealt to threads, and of rows side by side blocks that stay together (backend_cpu/run/tasks.c). A loop over
 * a row's columns after another, which takes what that one folds, waits for all of it: such kernels have no parts
 * (fsr_kernel_may_part), nor has a scan down columns. Where nominal threads (price sharers) would share a kernel and do
 * not, what it takes beyond the time in which they wake counts for each of them: of one piece twice, of three pieces
 * once and a third.
 *
 * Counter-example to one thread's time alone: a softmax of 2^20 f32 and a batch norm of 2^17 rows of 16 columns were a
 * kernel each, for one thread, and with two slower than unfused. Counter-example to any length: what takes as long as
 * it takes to wake a thread is nobody else's. Counter-example to lengths that only the run knows: folds of them end
 * where they do, and maps beside the folds do not. Counter-example to a single pass that has no parts, a sum over two
 * dimensions of what is put together of two arrays: by itself it would have to be stored first. */
#include "fusion/price.h"
#include <math.h>

enum {
    STAY = 32,     /* rows side by side that no two threads have */
    SHARED = 20000 /* elements of a kernel of which anybody would have a share */
};

/* Pieces that threads take of rows, or of blocks of rows side by side. */
static double pieces_of(const fsr_kernel *k) {
    const double rows = (double)k->integer[FSR_INT_ROWS];
    if (k->schedule.kind != FSR_SCHEDULE_COL)
        return rows;
    const double beside = fmax((double)k->integer[FSR_INT_EXTENT + k->nparallel - 1], 1);
    return rows / beside * ceil(beside / fmax(fmin(k->schedule.abreast, STAY), 1));
}

/* Its passes, or running folds down columns, have no parts. */
static bool has_no_parts(const fsr_kernel *k) {
    const bool down = k->schedule.kind == FSR_SCHEDULE_COL && fsr_kernel_has_scan(k);
    return !k->live && (k->npasses > 1 || down);
}

double fsr_price_waited(const fsr_prices *prices, const fsr_kernel *k, double price) {
    const double pieces = fmax(pieces_of(k), 1), most = ceil(pieces / prices->sharers);
    if (prices->sharers <= 1 || !has_no_parts(k))
        return 0;
    return (most * prices->sharers / pieces - 1) * fmax(price - prices->wakes, 0);
}

bool fsr_price_may_wait(const fsr_prices *prices, const fsr_kernel *k) {
    const double rows = (double)k->integer[FSR_INT_ROWS], elements = rows * (double)k->integer[FSR_INT_COLS];
    return prices->sharers > 1 && k->npasses > 1 && !k->live && rows < prices->sharers * STAY && elements > SHARED;
}
