/* SPDX-License-Identifier: MIT */
/* How a launch is divided among threads.
 *
 * By work: a small launch is one call in the calling thread. Otherwise along one parallel dimension, in pieces that are
 * dealt to the workers (shares.h); or, where rows are few and long, by parts of their columns (tasks_rows.c). Rows do
 * not depend on each other and parts are cut by size alone (see share.c), so no choice made here changes a bit of a
 * result.
 *
 * A store that combines (emit/combine.c) has an array for each worker, all but the first's folded into that when the
 * pieces are done. Sums and products of floats have one for each piece, and as many pieces as sizes alone say, with any
 * number of threads: so their bits do not hang on it. */
#include "backend_cpu/run/tasks.h"
#include "backend_cpu/run/tasks_parts.h"
#include <string.h>

enum {
    SMALL_WORK = 1 << 18, /* operations that one thread does before another wakes up */
    PIECE_WORK = 1 << 16, /* least operations of a piece */
    PIECES = 8,           /* for each worker, where there is work enough */
    FLAT_UNIT = 1024,     /* elements; a piece of a flat kernel is a multiple */
    LONG_RUN = 1024,      /* elements of an innermost loop that are worth a buffer for results */
    MAP_UNIT = 32,        /* along a dimension that may be walked in tiles */
    LEAST_ABREAST = 32,   /* rows side by side that stay together, */
    SPARE_ABREAST = 64,   /* of which each worker has more than one block where these have more, */
    VECTOR = 16,          /* in multiples of this */
    ROWS = 4,             /* for each worker, that are not cut into parts */
    BANDS = 2,            /* for each worker, at least, */
    BAND_PARTS = 4        /* if bands in so many pieces are enough for that */
};

/* copy: of the array that is combined into, if there are any; 0 is that itself. */
static void call_into(const fsr_job *j, const int64_t *task, int worker, int64_t copy) {
    void *work = j->launch->work, *const *array = j->launch->array, *own[FSR_MAX_BUFFERS];
    if (worker && j->scratch)
        work = j->scratch + (worker - 1) * j->stride;
    if (copy && j->copy) {
        memcpy(own, array, sizeof own);
        own[j->shape->combined] = j->copy + (copy - 1) * j->copy_bytes;
        array = own;
    }
    j->run(array, j->launch->integer, j->launch->scalar, work, task);
}

void fsr_job_call(const fsr_job *j, const int64_t *task, int worker) {
    call_into(j, task, worker, worker);
}

/* ---- pieces of one dimension ---------------------------------------------------------------------- */

/* The worker's copy of what is combined into, before its first piece. */
static void begin_copy(fsr_job *j, int64_t *task, int worker) {
    if (!worker || !j->copy || atomic_load_explicit(&j->copied[worker - 1], memory_order_relaxed))
        return;
    task[FSR_TASK_MODE] = FSR_MODE_IDENTITY;
    fsr_job_call(j, task, worker);
    task[FSR_TASK_MODE] = FSR_MODE_WHOLE;
    atomic_store_explicit(&j->copied[worker - 1], true, memory_order_relaxed);
}

static void work_pieces(void *arg, int worker) {
    fsr_job *j = arg;
    int64_t task[FSR_TASK_SIZE], item, end = j->whole[FSR_TASK_HIGH + j->dimension];
    memcpy(task, j->whole, sizeof task);
    while ((item = fsr_shares_take(&j->shares, worker)) >= 0) {
        begin_copy(j, task, worker);
        task[FSR_TASK_LOW + j->dimension] = item * j->piece;
        task[FSR_TASK_HIGH + j->dimension] = fsr_size_min(fsr_size_mul(item + 1, j->piece), end);
        fsr_job_call(j, task, worker);
    }
}

/* Bands are halved while there are few for each worker. Not at will: a piece computes again what it shares with the one
 * before it, as a band does. */
static int64_t band_of(const fsr_job *j, int workers) {
    int64_t band = j->launch->integer[j->shape->band];
    for (int parts = 1; parts < BAND_PARTS && fsr_ceil_div(j->whole[FSR_TASK_HIGH], band) < BANDS * workers; parts *= 2)
        band = fsr_ceil_div(band, 2);
    return band;
}

/* Rows of each of so many blocks. */
static int64_t even_block(int64_t rows, int64_t blocks) {
    return fsr_round_up(fsr_ceil_div(rows, blocks), VECTOR);
}

/* Rows side by side are shared among workers, too, evenly: a block of fewer rows is as good a block, down to a few
 * lines of memory. Not of tiles, which are whole. */
static int64_t abreast_of(const fsr_job *j, int workers) {
    const fsr_cpu_shape *s = j->shape;
    if (s->tall || s->abreast <= LEAST_ABREAST)
        return s->abreast;
    const int64_t rows = j->whole[FSR_TASK_HIGH + s->nparallel - 1], blocks = fsr_ceil_div(rows, s->abreast);
    if (blocks >= (int64_t)PIECES * workers)
        return s->abreast;
    int64_t abreast = even_block(rows, fsr_round_up(blocks > BANDS * workers ? blocks : BANDS * workers, workers));
    if (abreast <= SPARE_ABREAST)
        abreast = even_block(rows, workers);
    return fsr_size_min(abreast > LEAST_ABREAST ? abreast : LEAST_ABREAST, s->abreast);
}

/* Indices that stay together along dimension d. */
static int64_t unit_of(const fsr_job *j, int d) {
    const fsr_cpu_shape *s = j->shape;
    if (s->band)
        return j->band;
    if (s->flat)
        return FLAT_UNIT;
    if (s->abreast > 1 && d == s->nparallel - 1)
        return j->abreast;
    if (s->width && d == s->nparallel - 1)
        return s->width;
    if (s->tall && d == s->across)
        return s->tall;
    if (s->panel && d == s->ndim - 1)
        return s->panel;
    return s->nparallel == s->ndim ? MAP_UNIT : 1;
}

/* So many units along dimension d in so many pieces at most. */
static void cut(fsr_job *j, int d, int64_t units, int64_t pieces) {
    pieces = fsr_size_min(pieces, units > 0 ? units : 1);
    j->dimension = d;
    j->piece = fsr_size_mul(fsr_ceil_div(units, pieces), unit_of(j, d));
    j->items = j->piece ? fsr_ceil_div(j->whole[FSR_TASK_HIGH + d], j->piece) : 0;
}

/* The outermost dimension with units enough for everybody, else the one with most; of bands it is the outermost. The
 * rows of a tile come last: each piece of them would have a copy of its own of every panel. */
static void choose_dimension(fsr_job *j, int64_t pieces) {
    int64_t best = 0;
    int n = j->shape->flat || j->shape->band ? 1 : j->shape->nparallel, tiled = j->shape->tall ? n : 0;
    for (int i = 0; i < n + (tiled > 0) && best < pieces; i++) {
        const int d = i == tiled && tiled ? j->shape->across : i;
        if (tiled && i == j->shape->across)
            continue;
        int64_t units = fsr_ceil_div(j->whole[FSR_TASK_HIGH + d], unit_of(j, d));
        if (units > best) {
            best = units;
            j->dimension = d;
        }
    }
    cut(j, j->dimension, best, pieces);
}

/* Panels of a map are pieces, each with all rows, if each worker has one; else its own rows go through all panels.
 * Counter-example to pieces of a few rows: each reads all of the table. */
static void choose_pieces(fsr_job *j, int64_t pieces, int64_t workers) {
    const int last = j->shape->ndim - 1;
    const int64_t panels = j->shape->panel ? fsr_ceil_div(j->whole[FSR_TASK_HIGH + last], j->shape->panel) : 0;
    if (panels >= workers)
        cut(j, last, panels, pieces);
    else
        choose_dimension(j, panels ? fsr_size_min(pieces, workers) : pieces);
}

/* ---- a launch --------------------------------------------------------------------------------------- */

/* More is written than the last cache holds, and in long runs. */
static bool streams(const fsr_job *j, int64_t cache_bytes) {
    const int64_t *integer = j->launch->integer;
    const bool flat = j->shape->flat, folds = j->shape->ndim > j->shape->nparallel;
    const int64_t run = integer[flat ? FSR_INT_ROWS : FSR_INT_EXTENT + j->shape->ndim - 1];
    const int64_t elements = integer[FSR_INT_ROWS] * (folds ? integer[FSR_INT_COLS] : 1);
    return j->shape->stream_bytes > 0 && run >= LONG_RUN && elements > cache_bytes / j->shape->stream_bytes;
}

static void prepare(fsr_job *j, int64_t cache_bytes) {
    const int64_t *integer = j->launch->integer;
    memset(j->whole, 0, sizeof j->whole);
    j->abreast = j->shape->abreast;
    for (int d = 0; d < j->shape->nparallel && !j->shape->flat; d++)
        j->whole[FSR_TASK_HIGH + d] = integer[FSR_INT_EXTENT + d];
    if (j->shape->flat)
        j->whole[FSR_TASK_HIGH] = integer[FSR_INT_ROWS];
    j->stride = fsr_size_mul(j->shape->kept, fsr_round_up(fsr_size_mul(integer[FSR_INT_COLS], 8), 64));
    if (j->shape->band)
        j->stride = integer[j->shape->band_bytes];
    j->whole[FSR_TASK_STREAM] = streams(j, cache_bytes);
    atomic_init(&j->next, 0);
}

/* Operations of the launch; a very large number rather than an overflow. */
static int64_t work_of(const fsr_cpu_shape *shape, const int64_t *integer) {
    double work = (double)integer[FSR_INT_ROWS] * shape->work;
    if (shape->ndim > shape->nparallel)
        work *= (double)integer[FSR_INT_COLS];
    return work < 0x1p62 ? (int64_t)work : INT64_C(1) << 62;
}

static fsr_status run_pieces(fsr_job *j, fsr_thread_pool *threads, fsr_pool *pool, int64_t work, fsr_fault *fault) {
    int64_t bytes = fsr_size_mul(j->stride, fsr_thread_pool_size(threads) - 1);
    j->band = j->shape->band ? band_of(j, fsr_thread_pool_size(threads)) : 0;
    j->abreast = abreast_of(j, fsr_thread_pool_size(threads));
    const int64_t workers = fsr_thread_pool_size(threads);
    choose_pieces(j, fsr_size_min(work / PIECE_WORK + 1, PIECES * workers), workers);
    if (j->items <= 1) {
        fsr_job_call(j, j->whole, 0);
        return FSR_OK;
    }
    if (bytes && !(j->scratch = fsr_pool_take(pool, bytes)))
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "scratch of %lld bytes: out of host memory", (long long)bytes);
    fsr_shares_deal(&j->shares, j->items, fsr_thread_pool_size(threads));
    fsr_thread_pool_run(threads, work_pieces, j);
    if (j->scratch)
        fsr_pool_give(pool, j->scratch, bytes);
    return FSR_OK;
}

/* Elements of the array for each element of the launch, at most, that a thread has a copy of it for. */
enum { COPY_SHARE = 4 };

/* Elements of the launch. */
static int64_t elements_of(const fsr_job *j) {
    const int64_t *integer = j->launch->integer;
    const bool folds = j->shape->ndim > j->shape->nparallel;
    return folds ? fsr_size_mul(integer[FSR_INT_ROWS], integer[FSR_INT_COLS]) : integer[FSR_INT_ROWS];
}

/* Pieces of a launch whose store combines: with an array for each worker, or, where that is as large as the launch,
 * alone. The copies are folded in the order of the workers. */
static fsr_status run_copies(fsr_job *j, fsr_thread_pool *threads, fsr_pool *pool, int64_t work, fsr_fault *fault) {
    const int64_t extent = j->launch->integer[j->shape->extent];
    const int others = fsr_thread_pool_size(threads) - 1;
    j->copy_bytes = fsr_round_up(fsr_size_mul(extent, j->shape->bytes), 64);
    const int64_t bytes = fsr_size_mul(fsr_size_add(j->copy_bytes, (int64_t)sizeof *j->copied), others);
    if (fsr_size_mul(extent, COPY_SHARE * (others + 1)) > elements_of(j) || !(j->copy = fsr_pool_take(pool, bytes))) {
        fsr_job_call(j, j->whole, 0);
        return FSR_OK;
    }
    j->copied = (atomic_bool *)(j->copy + j->copy_bytes * others);
    for (int i = 0; i < others; i++)
        atomic_init(&j->copied[i], false);
    fsr_status status = run_pieces(j, threads, pool, work, fault);
    j->whole[FSR_TASK_MODE] = FSR_MODE_MERGE;
    for (int i = 0; i < others && !status; i++) {
        j->whole[FSR_TASK_STATES] = (int64_t)(intptr_t)(j->copy + j->copy_bytes * i);
        if (atomic_load_explicit(&j->copied[i], memory_order_relaxed))
            fsr_job_call(j, j->whole, 0);
    }
    fsr_pool_give(pool, j->copy, bytes);
    return status;
}

/* Of sums and products of floats: elements of the launch for each element of a copy and at least for each piece, and
 * pieces at most; but rows that are added to one row are no more than so many a piece, as a chunk down a column has. */
enum { ROUNDED_SHARE = 8, ROUNDED_PIECE = 1 << 15, ROUNDED_MOST = 32, ROUNDED_ROWS = 512 };

static int64_t rounded_pieces(const fsr_job *j) {
    const int64_t *integer = j->launch->integer;
    const int64_t extent = integer[j->shape->extent], n = elements_of(j);
    const int64_t most =
        fsr_size_min(ROUNDED_MOST, fsr_size_min(n / ROUNDED_PIECE, extent ? n / ROUNDED_SHARE / extent : 0));
    const int64_t least = j->shape->ndim > j->shape->nparallel ? integer[FSR_INT_ROWS] / ROUNDED_ROWS : 0;
    return most > least ? most : least;
}

static void work_rounded(void *arg, int worker) {
    fsr_job *j = arg;
    int64_t task[FSR_TASK_SIZE], item, end = j->whole[FSR_TASK_HIGH + j->dimension];
    memcpy(task, j->whole, sizeof task);
    while ((item = fsr_shares_take(&j->shares, worker)) >= 0) {
        task[FSR_TASK_MODE] = FSR_MODE_IDENTITY;
        if (item)
            call_into(j, task, worker, item);
        task[FSR_TASK_MODE] = FSR_MODE_WHOLE;
        task[FSR_TASK_LOW + j->dimension] = item * j->piece;
        task[FSR_TASK_HIGH + j->dimension] = fsr_size_min(fsr_size_mul(item + 1, j->piece), end);
        call_into(j, task, worker, item);
    }
}

/* Neighbours are folded, and then pairs of these. */
static void merge_rounded(fsr_job *j) {
    j->whole[FSR_TASK_MODE] = FSR_MODE_MERGE;
    for (int64_t step = 1; step < j->items; step *= 2)
        for (int64_t i = 0; i + step < j->items; i += 2 * step) {
            j->whole[FSR_TASK_STATES] = (int64_t)(intptr_t)(j->copy + j->copy_bytes * (i + step - 1));
            call_into(j, j->whole, 0, i);
        }
}

/* Pieces whose order counts, with an array for each, whoever computes them. */
static fsr_status run_rounded(fsr_job *j, fsr_thread_pool *threads, fsr_pool *pool, bool alone, fsr_fault *fault) {
    const int64_t extent = j->launch->integer[j->shape->extent], most = rounded_pieces(j);
    j->band = j->shape->band ? j->launch->integer[j->shape->band] : 0;
    if (most > 1)
        choose_dimension(j, most);
    if (most <= 1 || j->items <= 1) {
        fsr_job_call(j, j->whole, 0);
        return FSR_OK;
    }
    const int64_t scratch = alone ? 0 : fsr_size_mul(j->stride, fsr_thread_pool_size(threads) - 1);
    j->copy_bytes = fsr_round_up(fsr_size_mul(extent, j->shape->bytes), 64);
    const int64_t bytes = fsr_size_add(fsr_size_mul(j->copy_bytes, j->items - 1), scratch);
    if (!(j->copy = fsr_pool_take(pool, bytes)))
        return fsr_fault_set(fault, FSR_ERR_MEMORY, "sums of %lld bytes: out of host memory", (long long)bytes);
    j->scratch = scratch ? j->copy + j->copy_bytes * (j->items - 1) : NULL;
    fsr_shares_deal(&j->shares, j->items, alone ? 1 : fsr_thread_pool_size(threads));
    if (alone)
        work_rounded(j, 0);
    else
        fsr_thread_pool_run(threads, work_rounded, j);
    merge_rounded(j);
    fsr_pool_give(pool, j->copy, bytes);
    return FSR_OK;
}

/* Rows from which on they are dealt whole. Of rows that all lie side by side a block that has all of them goes through
 * memory in order, and blocks of a part of them do not: sums of exponentials of 20,000 columns of 320 rows, which are
 * stored too, took 3.7 ms of one thread and 12.3 of two. */
static int64_t enough_rows(const fsr_cpu_shape *shape, fsr_thread_pool *threads) {
    const int64_t workers = fsr_thread_pool_size(threads);
    if (shape->abreast <= 1)
        return ROWS * workers;
    const int64_t apart = BANDS * LEAST_ABREAST * workers;
    return shape->nparallel > 1 || apart > shape->abreast ? apart : (int64_t)shape->abreast + 1;
}

/* While parts of rows side by side are worked on, threads together are idle for a quarter of the time at most.
 * Counter-example to parts in any case: of 533 columns one thread had 512, and a store and a sum of 533 rows took 0.27
 * ms of two threads, as of one. */
static bool parts_are_even(const fsr_job *j, int64_t cols, int64_t workers) {
    const int64_t each = fsr_ceil_div(j->parts, workers);
    return 4 * cols >= 3 * fsr_size_mul(workers * each, j->shape->part);
}

/* Rows are few, and parts of them are shared better. */
static bool goes_in_parts(const fsr_job *j, fsr_thread_pool *threads, int64_t rows, int64_t cols) {
    const int64_t workers = fsr_thread_pool_size(threads);
    return rows < enough_rows(j->shape, threads) &&
           (rows < SPARE_ABREAST * workers || parts_are_even(j, cols, workers));
}

fsr_status fsr_tasks_run(fsr_thread_pool *threads, fsr_pool *pool, const fsr_cpu_shape *shape, fsr_c_run run,
                         const fsr_launch *launch, int64_t cache_bytes, fsr_fault *fault) {
    fsr_job j = {.run = run, .shape = shape, .launch = launch};
    int64_t rows = launch->integer[FSR_INT_ROWS], cols = launch->integer[FSR_INT_COLS];
    int64_t work = work_of(shape, launch->integer);
    bool alone = work < SMALL_WORK || fsr_thread_pool_size(threads) == 1;
    prepare(&j, cache_bytes);
    const bool shares_work = shape->abreast > 1 && shape->kept; /* its parts would have one thread's squares */
    if (shape->columns && !shares_work && shape->combined < 0 && rows > 0 && cols > shape->part) {
        j.parts = fsr_ceil_div(cols, shape->part);
        if ((shape->scans && !(alone && shape->counts)) || (!alone && goes_in_parts(&j, threads, rows, cols)))
            return fsr_job_run_parts(&j, threads, pool, alone, fault);
    }
    if (shape->combined >= 0 && shape->rounds)
        return run_rounded(&j, threads, pool, alone, fault);
    if (!alone)
        return shape->combined < 0 ? run_pieces(&j, threads, pool, work, fault)
                                   : run_copies(&j, threads, pool, work, fault);
    fsr_job_call(&j, j.whole, 0);
    return FSR_OK;
}
