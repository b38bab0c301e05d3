/* SPDX-License-Identifier: MIT */
/* The library call "sort" on a CPU. Long rows one after the other, each by all threads; of many rows each thread takes
 * some, which it sorts in its cache. Either way what a row becomes is a function of its elements alone.
 *
 * What stands at the end of a long row and has nothing behind it in any order, NaN or the greatest integer, stays
 * there: so values with a length that only the device knows are filled up, and few of many elements are sorted in the
 * time of few. */
#include "backend_cpu/run/sort.h"
#include "graph/shape.h"
#include "graph/size.h"
#include <stdatomic.h>

enum {
    LONG_ROW = 1 << 16,  /* elements that are worth several threads */
    PIECE = 1 << 13,     /* elements of rows that a thread takes at once */
    SMALL_WORK = 1 << 12 /* elements that wake nobody */
};

static fsr_key_form form_of(fsr_dtype dtype) {
    const int bits = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t top = UINT64_C(1) << (bits - 1), all = top | (top - 1);
    fsr_key_form f = {.magnitude = all, .most = all, .nan = 0};
    if (fsr_dtype_is_inexact(dtype)) {
        const int digits = dtype == FSR_F16 ? 10 : dtype == FSR_BF16 ? 7 : dtype == FSR_F32 ? 23 : 52;
        const uint64_t infinity = (top - 1) >> digits << digits;
        f = (fsr_key_form){.flip = all ^ top,
                           .base = top,
                           .magnitude = all ^ top,
                           .most = infinity,
                           .nan = top | infinity | UINT64_C(1) << (digits - 1),
                           .zero = all ^ top,
                           .zeros = 1};
    } else if (!fsr_dtype_is_unsigned(dtype) && dtype != FSR_BOOL) {
        f.base = top;
    }
    return f;
}

typedef struct job {
    fsr_sort sort; /* of the first row */
    size_t size, place_size, record;
    int64_t rows, rows_each;
    atomic_llong next;
} job;

/* The row's sort, by the calling thread alone. */
static fsr_sort row_of(const job *j, int64_t row) {
    fsr_sort s = j->sort;
    const size_t skip = (size_t)row * (size_t)s.n;
    s.in = (const char *)s.in + skip * j->size;
    s.keys = s.keys ? (char *)s.keys + skip * j->size : NULL;
    s.places = s.places ? (char *)s.places + skip * j->place_size : NULL;
    for (int i = 0; i < 2; i++)
        s.buffer[i] = s.buffer[i] ? (char *)s.buffer[i] + skip * j->record : NULL;
    return s;
}

static void sort_row(const job *j, fsr_sort *s) {
    if (s->places)
        fsr_sort_places(s, j->size);
    else
        fsr_sort_keys(s, j->size);
}

/* Rows [row, end). */
static void sort_some(const job *j, int64_t row, int64_t end) {
    while (row < end) {
        fsr_sort s = row_of(j, row);
        const int64_t laned = fsr_sort_laned(&s, j->size, end - row);
        for (int64_t left = laned > 0 ? 0 : laned < 0 ? -laned : 1; left > 0; left--, row++) {
            s = row_of(j, row);
            s.threads = NULL;
            s.parts = 1;
            sort_row(j, &s);
        }
        row += laned > 0 ? laned : 0;
    }
}

static void sort_rows(void *arg, int worker) {
    job *j = arg;
    int64_t low;
    (void)worker;
    while ((low = atomic_fetch_add(&j->next, j->rows_each)) < j->rows)
        sort_some(j, low, low + j->rows_each < j->rows ? low + j->rows_each : j->rows);
}

/* ---- what stays at a row's end ------------------------------------------------------------------------------- */

/* Whether no key is greater than the element's. */
static bool is_last(const fsr_key_form *f, uint64_t word) {
    return f->nan ? (word & f->magnitude) > f->most : (word ^ f->base) == f->most;
}

#define COUNT_LAST(T)                                             \
    while (n > 0 && is_last(&s->form, ((const T *)s->in)[n - 1])) \
        n--;

/* How many elements there are in front of those. */
static int64_t without_last(const fsr_sort *s, size_t size) {
    int64_t n = s->n;
    if (size == 1)
        COUNT_LAST(uint8_t)
    else if (size == 2)
        COUNT_LAST(uint16_t)
    else if (size == 4)
        COUNT_LAST(uint32_t)
    else
        COUNT_LAST(uint64_t)
    return n;
}

/* Results from rank `from` on: each element where it was, NaN with the usual bits. */
static void leave_last(const fsr_sort *s, size_t size, int64_t from) {
    const uint64_t first = (uint64_t)from;
    char *const keys = s->keys;
    for (int64_t i = from; s->places && i < s->n; i++)
        if (s->wide)
            ((uint64_t *)s->places)[i] = (uint64_t)i;
        else
            ((uint32_t *)s->places)[i] = (uint32_t)i;
    if (!keys || from == s->n)
        return;
    fsr_sort_pick(&s->form, size, true, s->in, &first, 1, keys + (size_t)from * size);
    for (int64_t done = 1, left = s->n - from - 1; left > 0;) {
        const int64_t now = left < done ? left : done;
        memcpy(keys + (size_t)(from + done) * size, keys + (size_t)from * size, (size_t)now * size);
        done += now;
        left -= now;
    }
}

static void sort_long(const job *j) {
    for (int64_t row = 0; row < j->rows; row++) {
        const fsr_sort whole = row_of(j, row);
        fsr_sort s = whole;
        s.n = without_last(&whole, j->size);
        leave_last(&whole, j->size, s.n);
        if (s.n < LONG_ROW) {
            s.threads = NULL;
            s.parts = 1;
        }
        if (s.n > 0)
            sort_row(j, &s);
    }
}

fsr_status fsr_cpu_sort(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                        fsr_fault *fault) {
    const fsr_shape *shape = &call->array[0].shape;
    const int64_t size = fsr_shape_size(shape), n = shape->dim[shape->ndim - 1];
    job j = {.size = fsr_dtype_size(call->array[0].dtype),
             .place_size = fsr_dtype_size(call->array[2].dtype),
             .rows = size / n,
             .rows_each = n < PIECE ? PIECE / n : 1};
    (void)fault;
    char *memory = work;
    j.record = !array[2] ? j.size : fsr_sort_is_wide(n, j.size) ? sizeof(fsr_record64) : sizeof(fsr_record32);
    j.sort = (fsr_sort){.form = form_of(call->array[0].dtype),
                        .threads = crew->threads,
                        .in = array[0],
                        .keys = array[1],
                        .places = array[2],
                        .count = (void *)memory,
                        .n = n,
                        .parts = FSR_SORT_PARTS,
                        .wide = j.place_size > 4,
                        .simd = crew->simd};
    memory += sizeof(int64_t[FSR_SORT_PARTS][FSR_BUCKETS]);
    for (int i = 0; i < (array[2] ? 2 : 1); i++, memory += fsr_round_up(size * (int64_t)j.record, 256))
        j.sort.buffer[i] = memory;
    atomic_init(&j.next, 0);
    if (n >= LONG_ROW)
        sort_long(&j);
    else if (size > SMALL_WORK && crew->threads)
        fsr_thread_pool_run(crew->threads, sort_rows, &j);
    else
        sort_rows(&j, 0);
    return FSR_OK;
}
