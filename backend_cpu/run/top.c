/* SPDX-License-Identifier: MIT */
/* The library calls "least" and "greatest" on a CPU: the first k of each row. Long rows one after the other, each by
 * all threads; of many rows each thread takes some. What is found lies in order of the places; a stable sort of k
 * keys ends it. */
#include "backend_cpu/run/top.h"
#include "graph/shape.h"
#include "graph/size.h"

typedef struct job {
    fsr_top top; /* of the first row */
    size_t place_size;
    int64_t rows;
    void *own_places; /* NULL: places are a result */
    atomic_int next;
} job;

fsr_top_list fsr_top_list_at(const fsr_top *t, int slot) {
    return (fsr_top_list){.record = t->record + slot * t->room,
                          .word = t->word + slot * t->room,
                          .room = t->room,
                          .k = t->k,
                          .limit = UINT64_MAX,
                          .last = UINT64_MAX};
}

/* Records at `record`, k of them, are put in order; places and elements are results. */
static void finish(const fsr_top *t, fsr_record64 *record, fsr_record64 *other) {
    fsr_sort s = {.threads = t->threads,
                  .places = t->places,
                  .buffer = {record, other},
                  .count = (void *)t->count,
                  .n = t->k,
                  .parts = t->threads && t->k >= FSR_TOP_LONG ? FSR_SORT_PARTS : 1,
                  .wide = t->wide,
                  .simd = t->form.simd};
    fsr_sort_records(&s, 8 * (int)t->size);
    if (t->values)
        fsr_select_pick(&t->form, t->size, t->in, t->places, t->wide, t->k, t->values);
}

/* The row's own, with the slot's memory. */
static fsr_top row_of(const job *j, int64_t row, int slot) {
    fsr_top t = j->top;
    const size_t to = (size_t)row * (size_t)t.k;
    t.in = (const char *)t.in + (size_t)row * (size_t)t.n * t.size;
    t.values = t.values ? (char *)t.values + to * t.size : NULL;
    t.places = j->own_places ? (char *)j->own_places + (size_t)slot * (size_t)t.k * j->place_size
                             : (char *)t.places + to * j->place_size;
    return t;
}

/* A threshold of a short row: the k-th of the least keys of as many groups as a block has elements, if k is not many
 * of them. */
static uint64_t limit_of(const fsr_top *t) {
    uint64_t least[FSR_SELECT_BLOCK];
    int64_t less;
    if (t->k > FSR_SELECT_BLOCK / 2 || t->n < 8 * FSR_SELECT_BLOCK)
        return UINT64_MAX;
    fsr_select_least(&t->form, t->size, t->in, t->n, least);
    return fsr_select_kth(t->form.simd, least, FSR_SELECT_BLOCK, t->k - 1, &less);
}

/* Each slot's rows, one after the other: every FSR_SELECT_PARTS-th. */
static void take_rows(void *arg, int worker) {
    job *j = arg;
    (void)worker;
    for (int slot; (slot = atomic_fetch_add(&j->next, 1)) < FSR_SELECT_PARTS;)
        for (int64_t row = slot; row < j->rows; row += FSR_SELECT_PARTS) {
            fsr_top t = row_of(j, row, slot);
            fsr_top_list list = fsr_top_list_at(&t, slot);
            t.threads = NULL;
            list.limit = limit_of(&t);
            fsr_top_add(&t, &list, 0, t.n);
            fsr_top_prune(&t, &list);
            finish(&t, list.record, t.other + slot * t.k);
        }
}

static void take_long(const job *j) {
    for (int64_t row = 0; row < j->rows; row++) {
        const fsr_top t = row_of(j, row, 0);
        if (fsr_top_is_many(t.n, t.k))
            fsr_top_many(&t);
        else
            fsr_top_few(&t);
        finish(&t, t.record, t.other);
    }
}

/* Memory as fusion/library.c counts it. */
static void lay_out(job *j, char *memory, bool own_places) {
    fsr_top *t = &j->top;
    const int64_t slots = fsr_top_slots(t->n, t->k, j->rows), ends = t->n >= FSR_TOP_LONG ? 1 : slots;
    t->count = (void *)memory;
    memory += sizeof(int64_t[FSR_SELECT_PARTS][FSR_SELECT_DIGITS]);
    t->record = (void *)memory;
    memory += fsr_round_up(slots * t->room * (int64_t)sizeof *t->record, 256);
    t->word = (void *)memory;
    memory += fsr_round_up(slots * t->room * (int64_t)sizeof *t->word, 256);
    t->other = (void *)memory;
    memory += fsr_round_up(ends * t->k * (int64_t)sizeof *t->other, 256);
    j->own_places = own_places ? memory : NULL;
}

fsr_status fsr_cpu_top(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                       fsr_fault *fault) {
    const fsr_shape *shape = &call->array[0].shape;
    const fsr_dtype dtype = call->array[0].dtype;
    const int64_t n = shape->dim[shape->ndim - 1], k = call->array[1].shape.dim[shape->ndim - 1];
    job j = {.top = {.form = fsr_select_form_of(dtype, call->library == FSR_LIBRARY_GREATEST, true, crew->simd),
                     .threads = crew->threads,
                     .size = fsr_dtype_size(dtype),
                     .n = n,
                     .k = k,
                     .room = fsr_top_room(n, k),
                     .in = array[0],
                     .values = array[1],
                     .places = array[2]},
             .place_size = fsr_dtype_size(call->array[2].dtype),
             .rows = fsr_shape_size(shape) / n};
    (void)fault;
    j.top.wide = j.place_size > 4;
    lay_out(&j, work, !array[2]);
    atomic_init(&j.next, 0);
    if (n >= FSR_TOP_LONG)
        take_long(&j);
    else if (crew->threads && j.rows > 1 && j.rows * n >= FSR_TOP_LONG)
        fsr_thread_pool_run(crew->threads, take_rows, &j);
    else
        take_rows(&j, 0);
    return FSR_OK;
}
