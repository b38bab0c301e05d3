/* SPDX-License-Identifier: MIT */
/* Sums of rows of neighbours on a CPU: products of sparse matrices, and segments.
 *
 * A row is summed as f64, or complex of those, in 4 lanes, element i in lane i % 4, the last n % 4 in lane 0, and the
 * lanes by pairs; a row of more than 2^14 elements in pieces of so many, whose sums are added in order. So its bits
 * hang on its length and elements alone. Threads take rows, as many elements each as the others, and then the pieces of
 * the rows that are longer than one.
 *
 * Products ask for values and columns ahead by hand, and of an x that no near cache holds for the elements at columns
 * that come. Counter-example: the processor's own prefetching, which loads from anywhere confuse: 2^24 products take 66
 * ms by it where these take 41. Counter-example to elements of x that are taken first, for a strip of rows: the
 * additions then wait for memory, and memory for them: rows of 16, x of 2^20 f32, one thread, 28.9 ms where these take
 * 18.1, of 2^22 57 and 27. */
#include "backend_cpu/run/row_sums.h"
#include "backend_cpu/run/library.h"
#include "graph/size.h"
#include "graph/sparse.h"
#include <complex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
    LANES = 4,
    STRIP = 64,
    LINE = 16,   /* elements between two looks ahead, */
    AHEAD = 512, /* and how far */
    LINE_BYTES = 64,
    FAR_AHEAD = 128,     /* elements between one that is added and the one whose x is asked for, */
    FAR_BYTES = 1 << 22, /* of an x of so many bytes or more, */
    APART = 8,           /* where so many elements of x, for each of the next ones, are between their columns, */
    PROBE = 2048,        /* of which so many are looked at */
    SOME_ROWS = 1024,    /* rows between two looks at what they are like, */
    LOOK = 16,           /* and how many of them are looked at */
    PIECE = 1 << 14,
    BATCH = 256, /* pieces of a row at a time */
    SHARES = 8,  /* for each thread */
    MOST_SHARES = 512,
    SMALL_WORK = 1 << 15, /* elements that wake nobody */
    TOGETHER = 2,         /* pieces that a thread takes at once */
    KNOWN = 64,           /* rows of more than a piece that are known by number */
    WIDEST = sizeof(double complex)
};

typedef struct row_job row_job;

/* What is added: values alone, or times what lies in a near cache, or far away. */
typedef enum row_terms { ALONE, NEAR, FAR } row_terms;
#define BY_TERMS(function, ...)                     \
    (terms == ALONE  ? function(ALONE, __VA_ARGS__) \
     : terms == NEAR ? function(NEAR, __VA_ARGS__)  \
                     : function(FAR, __VA_ARGS__))

/* Rows of more than a piece, which are left for all threads: how many, and which the first ones are. */
typedef struct skipped_rows {
    atomic_llong n;
    int64_t row[KNOWN];
} skipped_rows;

typedef struct row_loops {
    void (*rows)(const row_job *j, int64_t row, int64_t end, skipped_rows *skipped);
    void (*pieces)(const row_job *j, int64_t from, int64_t to, void *sums);
    void (*join)(const row_job *j, int64_t row, const void *sums, int64_t n, void *sum);
    int64_t bytes; /* of a sum */
} row_loops;

struct row_job {
    const void *offsets, *columns, *values, *x; /* columns: NULL: sums of the values */
    void *out;
    const row_loops *loops;
    bool wide_index;
    row_terms terms;
    int64_t nrows, elements;
    int shares;
    int64_t share[MOST_SHARES + 1]; /* the first row of each */
    atomic_int next;
    skipped_rows skipped;
    /* of the row whose pieces are taken */
    int64_t begin, n, from, to;
    char *sums;
};

static void skip(skipped_rows *s, int64_t row) {
    const int64_t at = atomic_fetch_add_explicit(&s->n, 1, memory_order_relaxed);
    if (at < KNOWN)
        s->row[at] = row;
}

#define T float
#define WIDE double
#define INDEX int32_t
#define NAME(what) what##_f32_narrow
#include "backend_cpu/run/row_sums_of.h"
#undef INDEX
#undef NAME
#define INDEX int64_t
#define NAME(what) what##_f32_wide
#include "backend_cpu/run/row_sums_of.h"
#undef T
#undef NAME
#define T double
#define NAME(what) what##_f64_wide
#include "backend_cpu/run/row_sums_of.h"
#undef INDEX
#undef NAME
#define INDEX int32_t
#define NAME(what) what##_f64_narrow
#include "backend_cpu/run/row_sums_of.h"
#undef T
#undef WIDE
#undef NAME
#define T float complex
#define WIDE double complex
#define NAME(what) what##_c64_narrow
#include "backend_cpu/run/row_sums_of.h"
#undef INDEX
#undef NAME
#define INDEX int64_t
#define NAME(what) what##_c64_wide
#include "backend_cpu/run/row_sums_of.h"
#undef T
#undef NAME
#define T double complex
#define NAME(what) what##_c128_wide
#include "backend_cpu/run/row_sums_of.h"
#undef INDEX
#undef NAME
#define INDEX int32_t
#define NAME(what) what##_c128_narrow
#include "backend_cpu/run/row_sums_of.h"

#define LOOPS(dtype, index, wide) \
    { rows_##dtype##_##index, pieces_##dtype##_##index, join_##dtype##_##index, sizeof(wide) }
static const row_loops loops_of[2][FSR_DTYPE_COUNT] = {{[FSR_F32] = LOOPS(f32, narrow, double),
                                                        [FSR_F64] = LOOPS(f64, narrow, double),
                                                        [FSR_C64] = LOOPS(c64, narrow, double complex),
                                                        [FSR_C128] = LOOPS(c128, narrow, double complex)},
                                                       {[FSR_F32] = LOOPS(f32, wide, double),
                                                        [FSR_F64] = LOOPS(f64, wide, double),
                                                        [FSR_C64] = LOOPS(c64, wide, double complex),
                                                        [FSR_C128] = LOOPS(c128, wide, double complex)}};

/* ---- shares ---------------------------------------------------------------------------------------------------- */

static int64_t offset_at(const row_job *j, int64_t i) {
    return j->wide_index ? ((const int64_t *)j->offsets)[i] : ((const int32_t *)j->offsets)[i];
}

/* The first row that begins at an element or behind it, from `low` on; of offsets that fall any row. */
static int64_t row_at(const row_job *j, int64_t low, int64_t element) {
    int64_t high = j->nrows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (offset_at(j, middle) < element)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows count as elements do: there may be many that have none. */
static void share(row_job *j, int threads) {
    const int64_t elements = j->elements;
    j->shares = threads > 1 && elements + j->nrows > SMALL_WORK ? threads * SHARES : 1;
    if (j->shares > MOST_SHARES)
        j->shares = MOST_SHARES;
    for (int i = 1; i < j->shares; i++) {
        const int64_t by_rows = j->nrows / j->shares * i;
        const int64_t by_elements = row_at(j, j->share[i - 1], elements / j->shares * i);
        j->share[i] = elements >= j->nrows ? by_elements : by_rows;
    }
    j->share[j->shares] = j->nrows;
}

static void take_rows(void *arg, int worker) {
    row_job *j = arg;
    int i;
    (void)worker;
    while ((i = atomic_fetch_add(&j->next, 1)) < j->shares)
        j->loops->rows(j, j->share[i], j->share[i + 1], &j->skipped);
}

static void take_pieces(void *arg, int worker) {
    row_job *j = arg;
    int64_t p;
    (void)worker;
    while ((p = j->from + atomic_fetch_add(&j->next, 1) * (int64_t)TOGETHER) < j->to)
        j->loops->pieces(j, p, p + TOGETHER < j->to ? p + TOGETHER : j->to, j->sums + (p - j->from) * j->loops->bytes);
}

static void run(fsr_thread_pool *threads, void (*work)(void *, int), row_job *j) {
    atomic_store(&j->next, 0);
    if (threads)
        fsr_thread_pool_run(threads, work, j);
    else
        work(j, 0);
}

/* A row of more than a piece, by all threads. */
static void long_row(fsr_thread_pool *threads, row_job *j, int64_t row) {
    _Alignas(16) char sum[WIDEST] = {0};
    j->begin = offset_at(j, row);
    j->n = offset_at(j, row + 1) - j->begin;
    const int64_t pieces = j->n <= PIECE ? 0 : fsr_ceil_div(j->n, PIECE);
    for (j->from = 0; j->from < pieces; j->from = j->to) {
        j->to = pieces - j->from < BATCH ? pieces : j->from + BATCH;
        run(j->to - j->from > TOGETHER ? threads : NULL, take_pieces, j);
        j->loops->join(j, row, j->sums, j->to - j->from, sum);
    }
}

/* One after the other. A few are known; else all rows are looked through, a nanosecond each. */
static void long_rows(fsr_thread_pool *threads, row_job *j) {
    _Alignas(16) char sums[BATCH * WIDEST];
    const int64_t n = atomic_load(&j->skipped.n);
    j->sums = sums;
    for (int64_t i = 0; i < (n > KNOWN ? j->nrows : n); i++)
        long_row(threads, j, n > KNOWN ? i : j->skipped.row[i]);
    j->sums = NULL;
}

static row_terms terms_of(const fsr_library_array *x) {
    return x->shape.dim[0] >= FAR_BYTES / (int64_t)fsr_dtype_size(x->dtype) ? FAR : NEAR;
}

void fsr_row_sums(fsr_thread_pool *threads, const fsr_library_call *call, void *const *array, bool product) {
    const fsr_library_array *out = &call->array[call->nin];
    const int values = product ? (int)FSR_SPARSE_VALUES : (int)FSR_SEGMENTS_VALUES;
    const bool wide = call->array[FSR_SPARSE_OFFSETS].dtype == FSR_I64;
    row_job j = {.offsets = array[FSR_SPARSE_OFFSETS],
                 .columns = product ? array[FSR_SPARSE_COLUMNS] : NULL,
                 .values = array[values],
                 .x = product ? array[FSR_SPARSE_X] : NULL,
                 .out = array[call->nin],
                 .loops = &loops_of[wide][out->dtype],
                 .wide_index = wide,
                 .terms = product ? terms_of(&call->array[FSR_SPARSE_X]) : ALONE,
                 .nrows = out->shape.dim[0],
                 .elements = call->array[values].shape.dim[0]};
    share(&j, threads ? fsr_thread_pool_size(threads) : 1);
    run(j.shares > 1 ? threads : NULL, take_rows, &j);
    if (atomic_load(&j.skipped.n))
        long_rows(threads, &j);
}

fsr_status fsr_cpu_segments(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                            fsr_fault *fault) {
    (void)work, (void)fault;
    fsr_row_sums(crew->threads, call, array, false);
    return FSR_OK;
}
