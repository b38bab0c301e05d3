/* SPDX-License-Identifier: MIT */
/* The schedule rules for a GPU. They fix how folds associate, so they ask sizes, dtypes and the nominal machine
 * (fsr_nominal_gpu); the one at hand decides only how many blocks teams have.
 *
 * Elementwise: schedule_gpu_map.c. Along columns: schedule_gpu_columns.c.
 * Along rows: as many threads a row as hold it in registers; long rows of which there are few are split over blocks.
 * Scans of long rows: tiles of threads * items with look-back. Several passes over long rows: teams of blocks.
 *
 * Counter-example to one rule for rows: 2^27 elements in one row leave all multiprocessors but one idle if a block
 * takes a row; a million rows of 128 leave most of its threads idle. */
#include "fusion/schedule_gpu.h"
#include "fusion/address.h"
#include "fusion/filter.h"
#include "fusion/launch_shape.h"
#include "fusion/ring.h"
#include "fusion/tile.h"
#include <limits.h>

enum {
    ROW_ITEMS = 16,
    ROW_THREADS = 1024,
    ROW_WORDS = 2 * FSR_LOADED_WORDS, /* registers of a thread for what its elements of a row load */
    SPLIT_THREADS = 512,
    LOOKBACK_THREADS = 512,
    POOLED_ITEMS = 20, /* of a filter's tile */
    FRONT_THREADS = 256,
    FRONT_ITEMS = 28, /* of one that writes the selected elements alone */
    FRONT_BYTES = 8,
    POOLED_LEAST = 8,
    TEAM_THREADS = 512,
    TILE_WORDS = 168,  /* registers of a look-back's thread for what its elements load; */
    ASKED_WORDS = 112, /* the same where loads ask guards, which keeps a compiler from putting loads in order */
    CHEAP = 16,
    COSTLY = 64 /* instructions of an element next to which those of a further block are few */
};

/* What folds hold of an element counts as arrays do: storing a result later must not make an accepted kernel too
 * wide. */
static int words_held(const fsr_kernel *k) {
    size_t wide = (size_t)fsr_kernel_widest(k);
    for (int i = 0; i < k->nfolds; ++i)
        for (int c = 0; c < k->fold[i].combine->arity; ++c)
            if (fsr_dtype_size(fsr_fold_dtype(&k->fold[i], c)) > wide)
                wide = fsr_dtype_size(fsr_fold_dtype(&k->fold[i], c));
    return wide > 8 ? 4 : wide > 4 ? 2 : 1;
}

int64_t fsr_schedule_row_capacity(const fsr_group *group) {
    int wide = words_held(group->kernel);
    int64_t threads = fsr_at_most(fsr_nominal_gpu.max_threads, ROW_THREADS);
    return threads * ROW_ITEMS / wide;
}

/* Rough instructions for one element. */
static int element_cost(const fsr_kernel *k) {
    int cost = 0;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->stand[i].level == FSR_ELEM)
            cost += fsr_inst_cost(k, i);
    return fsr_kernel_has_loops(k) ? 2 * CHEAP + cost : cost;
}

/* Rows enough for a thread each, which all load the same columns: no two lie apart in memory, whoever has which. */
static bool shares_columns(const fsr_kernel *k) {
    bool shared = k->npasses == 1 && !k->nloops && k->integer[FSR_INT_ROWS] >= fsr_nominal_threads() / 4;
    for (int i = 0; shared && i < k->ninsts; ++i) {
        const fsr_inst *inst = &k->inst[i];
        if (k->stand[i].level != FSR_ELEM || (inst->kind != FSR_INST_LOAD && inst->kind != FSR_INST_STORE))
            continue;
        const fsr_form f = fsr_form_of_access(k, k->integer, inst->index);
        shared = inst->kind == FSR_INST_LOAD && !fsr_form_varies(&f, 0, k->nparallel);
    }
    return shared;
}

/* As many columns of a thread that folds as could be neighbours, which they are unless that puts loads apart. */
static int choose_columns(fsr_group *group, int words) {
    fsr_kernel *k = group->kernel;
    const int vector = fsr_schedule_vector(group, k->ndim - 1, 16 / fsr_columns_widest(k));
    const int together = fsr_fitting_items(k, vector, words);
    k->schedule.vector = fsr_gpu_loads_apart(k) ? 1 : together;
    return together;
}

/* Of rows in one pass, which hold nothing for a later one, fewer threads with more elements each, where that keeps the
 * machine busy: what threads of a row tell each other in the end is an element's work several times. Counter-example to
 * 256 threads of four for any row of 1,024: the largest of boxes' overlaps and its place took 182 instructions an
 * element, of 128 threads of eight 102. */
static void gather_columns(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    const int64_t rows = k->integer[FSR_INT_ROWS];
    while (s->abreast > 32 && s->items < ROW_ITEMS && fsr_words_loaded(k) * 2 * s->items <= FSR_LOADED_WORDS &&
           fsr_size_mul(rows, s->abreast / 2) >= fsr_nominal_threads()) {
        s->abreast /= 2;
        s->items *= 2;
    }
}

/* Of a row that is held a quarter fewer elements of a thread, where these are enough: those that are not there are
 * computed like others. Counter-example to powers of two alone: 512 threads had eight elements each of rows of 3,072,
 * and computed sines and cosines of 1,024 that are not there. Counter-example to any number of elements: each is
 * another text to compile. */
static void leave_no_quarter(fsr_kernel *k) {
    fsr_schedule *s = &k->schedule;
    const int fewer = s->items - s->items / 4;
    if (fewer < s->items && fewer % s->vector == 0 && (int64_t)s->abreast * fewer >= k->integer[FSR_INT_COLS])
        s->items = fewer;
}

/* A block has all of a row in registers; else it walks the row again in each pass, and finds it in a near cache. Rows
 * of several passes that only 1,024 threads of the most elements would hold are walked: a multiprocessor has one such
 * block, which loads while nobody works. Measured on one H200, a softmax of 16,384 rows of 12,000 less a label, held so
 * and walked by four blocks of 512: 0.727, 0.503 ms. */
static bool holds_rows(const fsr_kernel *k, int64_t capacity, int most, int wanted) {
    const int64_t cols = k->integer[FSR_INT_COLS];
    if (k->npasses > 1)
        return cols <= capacity / 2;
    return cols <= capacity && (most == wanted || cols <= (int64_t)ROW_THREADS / 2 * most);
}

/* Fewer threads with more elements each where an element is cheap, more threads where its latency has to be covered:
 * measured on one H200, rows of 4096 f32, 8 and 16 items: layernorm (cost 14) 0.304, 0.268 ms; softmax (cost 22) 0.269,
 * 0.293. All loads of a thread come before its work, so many of an element leave it few elements. Registers that NVRTC
 * gives a thread of a row's sum over a stencil with edges, 24 loads an element, 8, 4, 2, 1 items: 220, 140, 71, 51. */
static void gpu_row(fsr_group *group, int64_t capacity) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    const int64_t cols = group->kernel->integer[FSR_INT_COLS];
    const int held = (int)(capacity / ROW_THREADS), wanted = element_cost(k) <= CHEAP ? held : held / 2;
    const int most = fsr_fitting_items(k, wanted, ROW_WORDS);
    s->kind = FSR_SCHEDULE_ROW;
    int items = choose_columns(group, ROW_WORDS);
    s->persistent = holds_rows(k, capacity, most, wanted);
    int64_t threads = 1;
    if (s->persistent) {
        while (shares_columns(k) && threads * items < cols && items < most)
            items *= 2;
        while (threads < 32 && threads * items < cols)
            threads *= 2;
        while (threads * items < cols && items < most)
            items *= 2;
        while (threads * items < cols && threads < ROW_THREADS)
            threads *= 2;
        while (threads * items < cols)
            items *= 2;
    } else {
        const int walked = fsr_fitting_items(k, held / 2, ROW_WORDS);
        threads = ROW_THREADS / 2;
        items = walked > items ? walked : items;
    }
    s->items = items;
    s->abreast = (int)threads;
    if (s->persistent && k->npasses == 1 && !k->nloops && !fsr_kernel_has_scan(k))
        gather_columns(k);
    if (s->persistent)
        leave_no_quarter(k);
    s->threads = s->abreast < 256 ? 256 : s->abreast;
    if (s->persistent)
        fsr_schedule_keep(k);
}

/* Fewer elements of a thread, down to one, where an element is work and so many blocks are more than the row fills:
 * counter-example, a mean over 120,300 numbers of powers of gamma functions, which 15 blocks had to themselves;
 * priced 9.1 us, and of 235 blocks 3.4. */
static void spread_costly(fsr_kernel *k, int64_t blocks) {
    fsr_schedule *s = &k->schedule;
    const int64_t cols = k->integer[FSR_INT_COLS];
    if (element_cost(k) <= COSTLY)
        return;
    while (s->items > 1 && fsr_size_mul((int64_t)s->threads * s->items, blocks) > cols)
        s->items /= 2;
    s->vector = s->vector > s->items ? s->items : s->vector;
}

/* Measured on one H200, four statistics of 2^27 f32: 256 threads of 8, 16, 32 elements 0.151, 0.136, 0.131 ms; 512 of
 * 16 0.130. */
static void gpu_split(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t rows = group->kernel->integer[FSR_INT_ROWS], cols = group->kernel->integer[FSR_INT_COLS];
    s->kind = FSR_SCHEDULE_SPLIT;
    s->threads = SPLIT_THREADS;
    s->abreast = SPLIT_THREADS;
    const int together = choose_columns(group, INT_MAX);
    s->items = together > 1 ? together * 4 : 4;
    int64_t want = fsr_ceil_div(fsr_nominal_threads() / s->threads, rows > 0 ? rows : 1);
    spread_costly(k, want);
    int64_t step = (int64_t)s->threads * s->items;
    int64_t splits = fsr_at_most(want, fsr_ceil_div(cols, step));
    splits = splits < 1 ? 1 : splits;
    int64_t stretch = fsr_round_up(fsr_ceil_div(cols, splits), step);
    stretch = stretch < step ? step : stretch;
    group->kernel->integer[FSR_INT_STRETCH] = stretch;
    group->kernel->integer[FSR_INT_SPLITS] = cols > 0 ? fsr_ceil_div(cols, stretch) : 1;
}

/* Bytes that an element of a scanned tile holds: 4 or 8 for its value, more for the state of a tuple. A narrow scan
 * holds what it takes, and its wide state once a vector. */
int fsr_widest_state(const fsr_kernel *k) {
    int bytes = fsr_columns_widest(k) > 4 ? 8 : 4;
    for (int i = 0; i < k->nfolds; ++i)
        if (k->fold[i].kind == FSR_FOLD_SCAN && fsr_fold_element_bytes(&k->fold[i]) > bytes)
            bytes = (int)fsr_fold_element_bytes(&k->fold[i]);
    return bytes;
}

/* Elements of a filter's tile that shared memory holds, of `items` at most: or as many as without, where that is
 * few. */
static int pooled_items(const fsr_kernel *k, int most) {
    const fsr_schedule *s = &k->schedule;
    const int bytes = fsr_kernel_filtered_bytes(k);
    int pooled = s->items < most ? s->items : most;
    while (bytes && pooled * bytes > most * 4)
        pooled--;
    pooled -= pooled % s->vector;
    return bytes && pooled >= POOLED_LEAST ? pooled : s->items;
}

/* Filters, of which nothing but selected elements is written, and folds that give the same bits in any order: of these
 * tiles may have another shape. */
static bool writes_front(const fsr_kernel *k) {
    const int bytes = fsr_kernel_filtered_bytes(k);
    bool all = bytes > 0 && bytes <= FRONT_BYTES;
    for (int i = 0; i < k->ninsts; ++i)
        if (k->inst[i].kind == FSR_INST_STORE && k->stand[i].level == FSR_ELEM)
            all = all && k->inst[i].filter && k->inst[i].front;
    for (int f = 0; f < k->nfolds; ++f)
        all = all && fsr_combine_is_whole(k->fold[f].combine);
    return all;
}

/* Parts of so many columns are fewer than processors. */
static bool few_parts(int64_t rows, int64_t cols, int64_t part) {
    return fsr_size_mul(rows, fsr_ceil_div(cols, part)) < fsr_nominal_gpu.processors;
}

/* Elements of a look-back's thread, of so many: it loads for all of them before it works. Counter-example to as many in
 * any case: a stencil of five exponentials' sums behind a roll, 13 loads an element, 28 elements: 1,550 of a thread's
 * instructions for what was spilled, of 1.6 MB a multiprocessor, 0.44 ms of an H200 for a price of 0.044; of 7 elements
 * none. Without guards six loads an element spill nothing of 28. */
static int loaded_items(const fsr_kernel *k, int items) {
    bool asks = false;
    for (int i = 0; i < k->ninsts; ++i)
        asks = asks || (k->inst[i].kind == FSR_INST_LOAD && k->stand[i].level == FSR_ELEM && k->inst[i].guard);
    while (items > 1 && fsr_words_loaded(k) * items > (asks ? ASKED_WORDS : TILE_WORDS))
        items /= 2;
    return items;
}

/* Few large tiles: a tile's look-back costs the same whatever its size, and more bytes are in flight while it waits.
 * Measured on one H200, 2^27 f32 (cumsum; two inputs, a map before and after): 256 x 16: 0.447, 0.570 ms; 512 x 24:
 * 0.391, 0.497; 512 x 32: 0.354, 0.464. That was a state of f32. With one of f64, 512 x 32, 28, 24: 0.410, 0.398, 0.396
 * ms of cumsum; more than 28 spill. Of states of 8 bytes, 512 x 14, 16, 28: a filter 1.08, 0.96, 0.83, a recurrence
 * 0.622, 0.562, 0.564, 2^26 f64 0.402, 0.438, 0.381; of c128, 7, 16, 28: 0.59, 0.55, 0.79. What is short is halved,
 * twice at most, until each processor has a tile: cumsum of 2^16 10.8, 9.2, 8.1 us, of 2^18 12.9, 10.4, 9.6. Half of
 * 2^27 f32, six blocks of 256 x 28 or five of 256 x 32 a multiprocessor, three of 512 x 20: 0.284, 0.290, 0.299; the
 * same with what is not selected behind them: 0.51, 0.51, 0.494. */
static void gpu_lookback(fsr_group *group) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t rows = group->kernel->integer[FSR_INT_ROWS], cols = group->kernel->integer[FSR_INT_COLS];
    s->kind = FSR_SCHEDULE_LOOKBACK;
    s->abreast = 1;
    s->vector = fsr_schedule_vector(group, k->ndim - 1, 16 / fsr_columns_widest(k));
    s->items = fsr_widest_state(k) <= 8 ? 28 : 128 / fsr_widest_state(k);
    s->items = loaded_items(k, s->items);
    const bool front = writes_front(k);
    s->threads = front ? FRONT_THREADS : LOOKBACK_THREADS;
    s->items = pooled_items(k, front ? FRONT_ITEMS : POOLED_ITEMS);
    for (int i = 0; i < 2 && few_parts(rows, cols, (int64_t)s->threads * s->items); ++i)
        s->items /= 2;
    s->items = s->items < s->vector ? s->vector : s->items - s->items % s->vector;
    int64_t tile = (int64_t)s->threads * s->items;
    group->kernel->integer[FSR_INT_STRETCH] = tile;
    group->kernel->integer[FSR_INT_SPLITS] = cols > 0 ? fsr_ceil_div(cols, tile) : 1;
}

/* Most kept values alive at once between two passes, as a power of two; at least 1. */
static int live_kept(const fsr_kernel *k) {
    int most = 1;
    for (int pass = 1; pass < k->npasses; ++pass) {
        int live = 0;
        for (int i = 0; i < k->ninsts; ++i)
            live += fsr_inst_crosses(k, i) && k->stand[i].pass < pass && fsr_inst_last_use(k, i) >= pass;
        while (most < live)
            most *= 2;
    }
    return most;
}

bool fsr_schedule_team_fits(const fsr_kernel *k, const fsr_target *target) {
    return k->nfolds > 0 && fsr_kernel_commutes(k) && target->cooperative;
}

/* Two blocks of TEAM_THREADS a multiprocessor are resident whatever the kernel (their registers are bounded). A row is
 * cut into parts: as many as blocks of the nominal machine hold in their registers, or, of a longer row, as many as it
 * has blocks. Where the machine at hand has a block for each part of a row, these hold it, several rows at a time, or
 * walk it again in each pass if it is too long; where it has fewer, each block of a team does several parts in turn.
 * Measured on one H200, softmax of 128 rows of 2^20 f32: 16, 24, 32 items a thread 0.635, 0.565, 0.473 ms. What is
 * short is halved, twice at most, until each processor has a part: a row of 42,000 would be three blocks' work, each
 * thread loading 28 elements, and two kernels of many threads cost less. Parts of a row that blocks hold are alike, as
 * who has the largest is waited for: three of 40,960 have 14,336 at most, not 16,384. */
static void gpu_team(fsr_group *group, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    fsr_schedule *s = &k->schedule;
    int64_t rows = group->kernel->integer[FSR_INT_ROWS], cols = group->kernel->integer[FSR_INT_COLS];
    int64_t nominal = FSR_TEAM_RESIDENTS * (int64_t)fsr_nominal_gpu.processors;
    int64_t resident = FSR_TEAM_RESIDENTS * (int64_t)target->processors;
    s->kind = FSR_SCHEDULE_TEAM;
    s->threads = TEAM_THREADS;
    s->vector = fsr_schedule_vector(group, k->ndim - 1, 16 / fsr_columns_widest(k));
    s->items = (fsr_columns_widest(k) > 4 ? 16 : 32) / live_kept(k);
    for (int i = 0; i < 2 && few_parts(rows, cols, (int64_t)s->threads * s->items); ++i)
        s->items /= 2;
    s->items = s->items < s->vector ? s->vector : s->items;
    int64_t step = (int64_t)s->threads * s->items;
    bool fits = cols <= nominal * step;
    if (fits && cols > 0) {
        s->items = (int)fsr_round_up(fsr_ceil_div(fsr_ceil_div(cols, fsr_ceil_div(cols, step)), s->threads), s->vector);
        step = (int64_t)s->threads * s->items;
    }
    int64_t stretch = fsr_round_up(fsr_ceil_div(cols, fits ? fsr_ceil_div(cols, step) : nominal), step);
    int64_t splits = fsr_ceil_div(cols, stretch);
    group->kernel->integer[FSR_INT_STRETCH] = stretch;
    group->kernel->integer[FSR_INT_SPLITS] = splits;
    s->members = splits > resident ? (int)resident : 0;
    s->abreast = (int)fsr_at_most(fsr_team_count(rows, splits), s->members ? 1 : resident / splits);
    s->persistent = fits && !s->members;
    if (s->persistent)
        fsr_schedule_keep(k);
}

/* Rows that blocks of their own read again in every pass: pays while the rows in work stay in the cache. */
static bool rows_stay_cached(const fsr_group *group) {
    int64_t rows = group->kernel->integer[FSR_INT_ROWS],
            bytes = fsr_size_mul(group->kernel->integer[FSR_INT_COLS], 2 * (int64_t)fsr_columns_widest(group->kernel));
    return rows >= fsr_ceil_div(fsr_nominal_gpu.processors, 2) &&
           fsr_size_mul(bytes, fsr_nominal_gpu.processors) <= fsr_nominal_gpu.cache_bytes / 2;
}

static void gpu_kind(fsr_group *group, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    if (k->npasses == 0) {
        fsr_schedule_gpu_map(group);
        return;
    }
    if (fsr_choose_gpu_outputs(group))
        return;
    if (fsr_kernel_has_sequence(k) || fsr_group_orientation(group) == FSR_ORIENT_COLS || fsr_gpu_folds_windows(group)) {
        fsr_schedule_gpu_columns(group);
        return;
    }
    int64_t rows = group->kernel->integer[FSR_INT_ROWS], cols = group->kernel->integer[FSR_INT_COLS];
    int64_t capacity = fsr_schedule_row_capacity(group);
    bool fills = rows >= fsr_nominal_gpu.processors * 2;
    bool again = k->npasses > 1 && (!fsr_schedule_team_fits(k, target) || rows_stay_cached(group));
    if (cols <= capacity || again || (k->npasses == 1 && fills && cols <= 16 * capacity))
        gpu_row(group, capacity);
    else if (k->npasses > 1)
        gpu_team(group, target);
    else if (fsr_kernel_has_scan(k))
        gpu_lookback(group);
    else
        gpu_split(group);
}

/* A filter stays one where a warp's steps along the columns have neighbours next to one another. */
static bool compacts(const fsr_schedule *s) {
    return s->kind == FSR_SCHEDULE_ROW || (s->kind == FSR_SCHEDULE_LOOKBACK && s->abreast == 1);
}

bool fsr_schedule_gpu(fsr_group *group, const fsr_target *target) {
    fsr_kernel *k = group->kernel;
    gpu_kind(group, target);
    if (!k->schedule.high) {
        fsr_choose_versions(group);
        k->schedule.early = k->schedule.early && !k->schedule.nversions;
        fsr_choose_branches(group);
        fsr_choose_ring(group, target);
    }
    return compacts(&k->schedule) || fsr_kernel_place_filters(k);
}
