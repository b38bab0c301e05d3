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
 * dimensions of what is put together of two arrays: by itself it would have to be stored first.
 *
 * And what threads take from each other: of rows side by side that they divide, each column that is stored has a
 * line where one's part ends and the other's begins, and one where a column ends and the next begins, unless columns
 * are whole lines. Such a line goes from one's cache to the other's at every column. Counter-example to shares alone:
 * x less its means down the columns, 342 rows of 300, took 0.029 ms of one thread of a Xeon and 0.040 of two, where 300
 * rows of 400 took 0.029 and 0.018. Counter-example to any length: long columns are divided along themselves. */
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

/* A store along rows side by side, from column to column not by whole lines. */
static bool tears_lines(const fsr_prices *prices, const fsr_kernel *k, int number) {
    const fsr_inst *inst = &k->inst[number];
    if (inst->kind != FSR_INST_STORE)
        return false;
    const fsr_form f = fsr_form_of_access(k, k->integer, inst->index);
    const int64_t size = (int64_t)fsr_dtype_size(k->array[k->access[inst->index].buffer].dtype);
    const int64_t down = f.stride[k->ndim - 1];
    return f.stride[k->nparallel - 1] == 1 && f.divisor == 1 && !f.nterms && down != 0 &&
           down * size % (int64_t)prices->line != 0;
}

/* Stores whose lines threads would take from each other if rows lay side by side. */
static int torn_stores(const fsr_prices *prices, const fsr_kernel *k) {
    int n = 0;
    const bool one = k->nparallel == 1 && k->ndim > 1 && k->integer[FSR_INT_ROWS] > STAY;
    if (prices->bounced <= 0 || !one || (double)k->integer[FSR_INT_ROWS] * (double)k->integer[FSR_INT_COLS] <= SHARED)
        return 0;
    for (int i = 0; i < k->ninsts; ++i)
        n += tears_lines(prices, k, i);
    return n;
}

/* Threads divide the columns: rows are few, or no more than a block has and parts even, as backend_cpu/run/tasks.c does
 * it. */
static bool goes_in_parts(const fsr_prices *prices, const fsr_kernel *k) {
    const double rows = (double)k->integer[FSR_INT_ROWS], cols = (double)k->integer[FSR_INT_COLS];
    const double part = k->schedule.part, few = 2 * STAY * prices->sharers;
    if (has_no_parts(k) || !part || cols <= part || rows >= fmax(few, k->schedule.abreast + 1.0))
        return false;
    return rows < few || cols >= 0.75 * prices->sharers * ceil(ceil(cols / part) / prices->sharers) * part;
}

double fsr_price_torn_lines(const fsr_prices *prices, const fsr_kernel *k) {
    if (k->schedule.kind != FSR_SCHEDULE_COL || goes_in_parts(prices, k))
        return 0;
    return torn_stores(prices, k) * (double)k->integer[FSR_INT_COLS] * prices->bounced;
}

bool fsr_price_may_tear_lines(const fsr_prices *prices, const fsr_kernel *k) {
    return k->npasses > 0 && torn_stores(prices, k) > 0;
}
