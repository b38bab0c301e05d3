/* SPDX-License-Identifier: MIT */
/* The schedule rules for a GPU's folds along columns.
 *
 * Adjacent threads on adjacent columns, split along the folded dimension until the machine is full. Scans: tiles of
 * several columns side by side with look-back, where there are few of them; else, and where an operator has to go in
 * order, a thread goes down each.
 *
 * Counter-example to a thread for each column in any case: of few long ones most of the machine is idle.
 *
 * Windows that slide, too large to be maps, lie along the rows and along the columns alike. A thread folds one, and
 * loads of a warp lie side by side: a bilateral filter of 9 by 9 took 100 instructions a place, 32 threads of four
 * places each for 81, and takes 54. */
#include "fusion/address.h"
#include "fusion/launch_shape.h"
#include "fusion/price.h"
#include "fusion/schedule_gpu.h"
#include "fusion/schedule_parts.h"
#include "fusion/walk.h"
#include <math.h>
#include <stdlib.h>

enum {
    WINDOW_COLS = 512, /* of a window that a thread folds */
    BESIDE_ROWS = 32,
    BESIDE_THREADS = 512,
    IN_FLIGHT = 1 << 20, /* bytes that keep the memory busy */
    SERIAL_THREADS = 256,
    AHEAD = 8,          /* columns of a serial walk that are loaded together */
    FAR_AHEAD = 16,     /* of one by few threads, while those before them are combined */
    BRIEF_WORDS = 96,   /* registers of a thread for states of rows that it folds alone, and what it loads for them */
    LINE_BYTES = 128,   /* of memory, which a warp loads at once */
    SHORT_COLS = 32,    /* columns that a thread of a row has, where fewer fill the machine */
    DEALT_COLS = 8,     /* columns of a thread that are worth taking in turn */
    BRIEF_THREADS = 128 /* of them for each processor: fewer fold the columns side by side */
};

/* A thread for each row loads so much at once that the memory is busy. */
static bool walk_fills(const fsr_kernel *k, int64_t rows) {
    const int words = fsr_words_loaded(k) ? fsr_words_loaded(k) : 1;
    return fsr_size_mul(rows, 4 * words * fsr_fitting_items(k, AHEAD, FSR_LOADED_WORDS)) >= IN_FLIGHT;
}

/* Rows side by side, of which a thread has some neighbouring columns: as many rows as are a line of memory, or all if
 * they are fewer, and as many threads a row as share a warp, or as it has columns for. False: threads that walk a row
 * each keep the memory busy, or rows are so short that one thread is soon done, or states are too wide. Measured on one
 * H200, a thread a row and this: ADI of 1000 by 1000 0.403, 0.139 ms, of 4000 by 4000 1.66, 0.61; but vertical
 * advection, 80 steps of 16,384 columns with eight loads 0.067, 0.128, and 160 of 65,536 0.220, 0.849. */
static bool gpu_beside(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    const int64_t rows = group->kernel->integer[FSR_INT_ROWS], cols = group->kernel->integer[FSR_INT_COLS];
    if (k->npasses > 1 || rows < 2 || walk_fills(k, rows) || cols <= FSR_WALKED_COLS || fsr_kernel_has_loops(k))
        return false;
    int beside = 2, along = 32;
    while (beside < BESIDE_ROWS && beside < rows)
        beside *= 2;
    s->kind = FSR_SCHEDULE_LOOKBACK;
    s->vector = 1;
    s->items = fsr_fitting_items(k, fsr_widest_state(k) <= 8 ? 16 : 8, 2 * FSR_LOADED_WORDS);
    while (along > 1 && (beside * along > BESIDE_THREADS || (along / 2) * s->items >= cols))
        along /= 2;
    s->abreast = beside;
    s->threads = beside * along < 32 ? 32 : beside * along;
    while (s->threads > 64 && fsr_beside_shared_bytes(k) > fsr_nominal_gpu.shared_bytes)
        s->threads /= 2;
    if (fsr_beside_shared_bytes(k) > fsr_nominal_gpu.shared_bytes)
        return false;
    const int64_t tile = (int64_t)s->threads / s->abreast * s->items;
    group->kernel->integer[FSR_INT_STRETCH] = tile;
    group->kernel->integer[FSR_INT_SPLITS] = fsr_ceil_div(cols, tile);
    return true;
}

/* Each thread goes down a column of its own. Of few columns as many blocks as there are processors have some, and what
 * comes next is loaded together, while what came before is combined, since its latency is what such a walk takes.
 * Measured on one H200, ADI of 4000 by 4000 in blocks of 256 threads, loads of one step at a time: 3.99 ms, of up to
 * eight 1.81, these in blocks of 32: 1.67; vertical advection 0.392, 0.224, 0.222. */
static void gpu_serial(fsr_group *group) {
    fsr_schedule *s = &group->kernel->schedule;
    const int64_t rows = group->kernel->integer[FSR_INT_ROWS];
    while (s->threads > 32 && fsr_ceil_div(rows, s->threads) < fsr_nominal_gpu.processors)
        s->threads /= 2;
    s->early = s->threads < SERIAL_THREADS && group->kernel->npasses == 1 && fsr_words_loaded(group->kernel) > 0;
    s->abreast = s->threads;
    s->items = fsr_fitting_items(group->kernel, s->early ? FAR_AHEAD : AHEAD, FSR_LOADED_WORDS);
}

/* Words of a column's states. */
static int state_words(const fsr_kernel *k) {
    int words = 0;
    for (int f = 0; f < k->nfolds; ++f)
        words += (int)((fsr_combine_bytes(k->fold[f].combine) + 3) / 4);
    return words;
}

/* A thread folds all columns of its rows where these are no more than threads would share them: each would fold one,
 * and the states meet in their order, so the bits are the same where the identity changes none. Of rows of 3 columns
 * five threads of eight had nothing to do; sums over 3 channels of 5 by 5 places took 154 instructions for each of a
 * row's columns. */
static void gpu_brief(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    fsr_schedule *s = &group->kernel->schedule;
    int vector = s->vector;
    while (vector > 1 && vector * (state_words(k) + fsr_words_loaded(k)) > BRIEF_WORDS)
        vector /= 2;
    bool exact = k->npasses == 1 && k->integer[FSR_INT_COLS] <= s->threads / s->abreast;
    for (int f = 0; f < k->nfolds; ++f)
        exact = exact && k->fold[f].combine->builtin;
    if (exact && k->integer[FSR_INT_ROWS] / vector >= (int64_t)BRIEF_THREADS * fsr_nominal_gpu.processors) {
        s->abreast = s->threads;
        s->vector = s->items = vector;
    }
}

/* Of rows so few that a line of memory holds several columns of them threads take the columns in turn, so that those of
 * a warp load neighbours in memory; as many threads side by side as there are rows beside each other. Counter-example
 * to a range of columns each: of three f32 a column a warp loads from eight to eleven lines at once, a third of what a
 * GPU's memory gives. */
static void gpu_dealt(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    fsr_schedule *s = &group->kernel->schedule;
    const int64_t beside = k->integer[FSR_INT_EXTENT + k->nparallel - 1];
    const int abreast = (int)(beside / s->vector);
    int lanes = 32;
    if (!fsr_kernel_may_deal(k) || abreast == 0 || s->abreast == s->threads ||
        beside * fsr_kernel_widest(k) >= LINE_BYTES || beside % s->vector)
        return;
    while (abreast * lanes * 2 <= SERIAL_THREADS)
        lanes *= 2;
    if (k->integer[FSR_INT_COLS] < DEALT_COLS * (int64_t)lanes)
        return;
    s->dealt = true;
    s->abreast = abreast;
    s->threads = abreast * lanes;
    s->items = fsr_fitting_items(k, AHEAD, FSR_LOADED_WORDS);
    s->items = s->items > s->vector ? s->items : s->vector;
}

/* Of short columns no more threads share a row than keep most of the machine busy: what they tell each other in the
 * end is more work than a few columns. Counter-example to eight in any case: of 32 columns, four sums of each, in each
 * of four rows, a thread had four, and 15 instructions for a product, of which one thread of a row has 4.5, two have
 * 5.6. Measured on one H200: lbm_d2q9, four threads for eight, 0.0204 ms for 0.0260, separable_conv 0.0122 for 0.0140,
 * sums of 12 columns by one thread 0.077 for 0.110. */
static void gpu_short(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    fsr_schedule *s = &group->kernel->schedule;
    const int64_t rows = k->integer[FSR_INT_ROWS] / s->vector, cols = k->integer[FSR_INT_COLS];
    int lanes = s->threads / s->abreast;
    while (!s->dealt && lanes > 1 && fsr_ceil_div(cols, lanes) < SHORT_COLS &&
           fsr_size_mul(rows, lanes / 2) >= fsr_nominal_threads() / 10 * 7) {
        s->abreast *= 2;
        lanes /= 2;
    }
}

/* Elements apart of a load along dimension d; less than 0: nobody knows. */
static double apart(const fsr_kernel *k, const fsr_form *f, int d) {
    double stride = -1;
    if (f->nterms)
        return fsr_price_form_follows(k, f, d, &stride) ? fabs(stride) : -1;
    return fsr_form_is_beside(f, d) ? 1 : fsr_form_varies(f, d, d + 1) ? -1 : 0;
}

bool fsr_gpu_folds_windows(const fsr_group *group) {
    const fsr_kernel *k = group->kernel;
    const int row = k->nparallel - 1, col = k->ndim - 1;
    bool folds = k->npasses == 1 && !k->nloops && !fsr_kernel_has_scan(k) && row >= 0 && col > row &&
                 k->integer[FSR_INT_COLS] <= WINDOW_COLS && k->integer[FSR_INT_ROWS] >= fsr_nominal_threads() / 4;
    bool slides = false;
    for (int i = 0; folds && i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        if (k->stand[i].level != FSR_ELEM || (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE))
            continue;
        const fsr_form f = fsr_form_of_access(k, k->integer, inst->index);
        const double along = apart(k, &f, row);
        folds = inst->kind == FSR_INST_LOAD && (along == 0 || along == 1);
        slides = slides || (along == 1 && apart(k, &f, col) == 1);
    }
    return folds && slides;
}

/* A thread for each window, some columns at a time, so that few are too many behind the last one. */
static void gpu_windows(fsr_group *group) {
    const int64_t cols = group->kernel->integer[FSR_INT_COLS];
    fsr_schedule *s = &group->kernel->schedule;
    const int most = fsr_fitting_items(group->kernel, AHEAD, FSR_LOADED_WORDS);
    s->abreast = s->threads;
    s->vector = 1;
    s->items = most;
    for (int items = most; items > most / 2; --items)
        if (fsr_round_up(cols, items) < fsr_round_up(cols, s->items))
            s->items = items;
}

/* Rows that a thread folds side by side, of so many that fit: fewer where not every processor would have a block of
 * threads of some columns each, and nothing that is loaded is the same for all of them. Counter-example to what fits:
 * 32 columns of 1,598 with what is made of ten loads, in vectors of four: 7 blocks, 28 us of an H200, 21 unfused. */
static int rows_of_a_thread(const fsr_kernel *k, int vector) {
    enum { LEAST_COLS = 8 };
    const int64_t parts = fsr_ceil_div(k->integer[FSR_INT_COLS], LEAST_COLS);
    const int64_t least = (int64_t)fsr_nominal_gpu.processors * SERIAL_THREADS;
    bool own = k->nparallel > 0;
    for (int i = 0; i < k->ninsts && own; ++i) {
        if (k->inst[i].kind != FSR_INST_LOAD || k->stand[i].level != FSR_ELEM)
            continue;
        const fsr_form f = fsr_form_of_access(k, k->integer, k->inst[i].index);
        own = fsr_form_varies(&f, k->nparallel - 1, k->nparallel);
    }
    while (own && vector > 1 && fsr_size_mul(k->integer[FSR_INT_ROWS] / vector, parts) < least)
        vector /= 2;
    return vector;
}

/* Neighbouring rows load what is near each other in memory, but nothing that is beside: rows of other threads share its
 * lines, those of one thread take a line each. Counter-example to vectors wherever results lie beside each other: sums
 * down every second column, four rows a thread, whose warps load from 32 sectors of memory at once, not from eight. */
static bool rows_apart(const fsr_kernel *k) {
    const int d = k->nparallel - 1;
    bool near = false, others = false;
    for (int i = 0; i < k->ninsts && d >= 0; ++i) {
        if (k->inst[i].kind != FSR_INST_LOAD || k->stand[i].level != FSR_ELEM)
            continue;
        const fsr_form f = fsr_form_of_access(k, k->integer, k->inst[i].index);
        const bool own = !f.nterms && f.divisor == 1 && llabs(f.stride[d]) > 1 && llabs(f.stride[d]) < FSR_CLOSE;
        near = near || own;
        others = others || (!own && fsr_form_varies(&f, d, d + 1));
    }
    return near && !others;
}

void fsr_schedule_gpu_columns(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t rows = group->kernel->integer[FSR_INT_ROWS], cols = group->kernel->integer[FSR_INT_COLS];
    bool serial = k->npasses > 1 || fsr_kernel_has_scan(k);
    if (fsr_kernel_has_scan(k) && !fsr_kernel_has_sequence(k) && gpu_beside(group))
        return;
    s->kind = FSR_SCHEDULE_COL;
    s->threads = SERIAL_THREADS;
    s->vector = 1;
    if (!serial && !rows_apart(k))
        s->vector = rows_of_a_thread(k, fsr_schedule_vector(group, k->nparallel - 1, 16 / fsr_kernel_widest(k)));
    s->abreast = serial ? SERIAL_THREADS : 32;
    s->items = s->vector;
    if (serial) {
        gpu_serial(group);
        return;
    }
    while (s->abreast > 1 && (s->abreast / 2) * s->vector >= rows)
        s->abreast /= 2;
    if (fsr_gpu_folds_windows(group)) {
        gpu_windows(group);
    } else {
        gpu_brief(group);
        gpu_dealt(group);
        gpu_short(group);
    }
    int64_t tiles = fsr_ceil_div(rows, (int64_t)s->abreast * s->vector);
    int64_t lanes = s->threads / s->abreast;
    int64_t want = fsr_ceil_div(fsr_nominal_threads() / s->threads, tiles > 0 ? tiles : 1);
    int64_t splits = fsr_at_most(want, fsr_ceil_div(cols, lanes * 8));
    splits = splits < 1 ? 1 : splits;
    int64_t stretch = fsr_round_up(fsr_ceil_div(cols, splits), lanes);
    group->kernel->integer[FSR_INT_STRETCH] = stretch < 1 ? 1 : stretch;
    group->kernel->integer[FSR_INT_SPLITS] = cols > 0 ? fsr_ceil_div(cols, stretch) : 1;
}
