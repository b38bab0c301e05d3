/* SPDX-License-Identifier: MIT */
/* The library call "ranked" on a CPU: elements of rows by their ranks. Ranks of a row are looked for one after the
 * other: the last one is the greatest key, the one after the rank before is the least of those that are greater, and
 * any other is settled by digits. Long rows one after the other, each by all threads; of many rows each thread takes
 * some. */
#include "backend_cpu/run/select.h"
#include "graph/shape.h"
#include "graph/size.h"

enum { BATCH = 512 };

typedef struct job {
    fsr_select_row row;         /* the first; `word` has fsr_ranked_words rows of keys for each slot */
    const fsr_vectors *vectors; /* NULL: none, or none for these elements */
    fsr_word_form words;
    const int64_t *rank;
    void *out;
    int64_t rows, ranks;
    atomic_int next;
} job;

/* What is known of a row while its ranks are looked for. */
typedef struct seen {
    int64_t rank; /* the last one; -1: none yet */
    uint64_t key; /* its key */
} seen;

/* The bits that a key stands for. */
static uint64_t bits_of(const fsr_select_form *f, size_t size, uint64_t key) {
    const uint64_t top = UINT64_C(1) << (8 * size - 1);
    if (f->nan && key == f->all)
        return f->nan;
    return key ^ ((key & top ? 0 : f->flip) | f->base);
}

static void put(const job *j, int64_t row, int64_t i, uint64_t key) {
    const uint64_t bits = bits_of(&j->row.form, j->row.size, key);
    const int64_t at = row * j->ranks + i;
    if (j->row.size == 1)
        ((uint8_t *)j->out)[at] = (uint8_t)bits;
    else if (j->row.size == 2)
        ((uint16_t *)j->out)[at] = (uint16_t)bits;
    else if (j->row.size == 4)
        ((uint32_t *)j->out)[at] = (uint32_t)bits;
    else
        ((uint64_t *)j->out)[at] = bits;
}

static int64_t rank_at(const job *j, int64_t row, int64_t i) {
    const int64_t rank = j->rank[row * j->ranks + i], n = j->row.n;
    return rank < 0 ? 0 : rank < n ? rank : n - 1;
}

/* ---- short rows ---------------------------------------------------------------------------------------------- */

static uint64_t key_of_rank(fsr_simd simd, const uint64_t *key, uint64_t *other, int64_t n, int64_t rank, seen *s) {
    int64_t less;
    if (rank == s->rank)
        return s->key;
    if (rank == n - 1 || (s->rank >= 0 && rank == s->rank + 1)) {
        fsr_select_seen look;
        fsr_select_look(simd, key, n, s->key, &look);
        return rank == n - 1 ? look.greatest : rank < look.within ? s->key : look.above;
    }
    memcpy(other, key, (size_t)n * sizeof *key);
    const uint64_t found = fsr_select_kth(simd, other, n, rank, &less);
    *s = (seen){rank, found};
    return found;
}

/* Some of so many short rows side by side, sorted by a network: how many; 0: none. */
static int64_t take_laned(const job *j, int64_t row, int64_t left, char *sorted) {
    const fsr_select_form *f = &j->row.form;
    const size_t size = j->row.size, n = (size_t)j->row.n;
    fsr_sort s = {
        .form = {.flip = f->flip, .base = f->base, .magnitude = f->magnitude, .most = f->most, .nan = f->nan ^ f->base},
        .in = (const char *)j->row.in + (size_t)row * n * size,
        .keys = sorted,
        .n = j->row.n,
        .parts = 1,
        .simd = f->simd};
    const int64_t done = j->row.n <= FSR_SORT_LANED ? fsr_sort_laned(&s, size, left) : 0;
    for (int64_t r = 0; r < done; r++)
        for (int64_t i = 0; i < j->ranks; i++)
            memcpy((char *)j->out + (size_t)((row + r) * j->ranks + i) * size,
                   sorted + ((size_t)r * n + (size_t)rank_at(j, row + r, i)) * size, size);
    return done;
}

/* A row by vectors, in place. What was found parts the row: others are looked for on one side of it. */
#define TAKE_WORDS(bits)                                                                               \
    static void take_words_##bits(const job *j, int64_t row, int##bits##_t *word) {                    \
        const int64_t n = j->row.n;                                                                    \
        const fsr_vectors *v = j->vectors;                                                             \
        int64_t last = -1;                                                                             \
        v->enter_##bits(&j->words, (const uint##bits##_t *)j->row.in + row * n, n, word);              \
        for (int64_t i = 0; i < j->ranks; i++) {                                                       \
            const int64_t rank = rank_at(j, row, i), low = rank > last ? last + 1 : 0;                 \
            const int64_t count = (rank > last ? n : last) - low;                                      \
            int##bits##_t least, greatest;                                                             \
            if (rank != last && (rank == low || rank == n - 1)) {                                      \
                v->bounds_##bits(word + low, count, &least, &greatest);                                \
                v->leave_##bits(&j->words, rank == low ? &least : &greatest, 1,                        \
                                (uint##bits##_t *)j->out + row * j->ranks + i);                        \
                continue;                                                                              \
            }                                                                                          \
            if (rank != last)                                                                          \
                v->select_##bits(word + low, count, rank - low, fsr_vectors_depth(count));             \
            last = rank;                                                                               \
            v->leave_##bits(&j->words, word + rank, 1, (uint##bits##_t *)j->out + row * j->ranks + i); \
        }                                                                                              \
    }
TAKE_WORDS(32)
TAKE_WORDS(64)

static void take_row(const job *j, int64_t row, uint64_t *key) {
    const int64_t n = j->row.n;
    seen s = {.rank = -1};
    if (j->vectors && j->row.size == 4) {
        take_words_32(j, row, (int32_t *)(void *)key);
        return;
    }
    if (j->vectors) {
        take_words_64(j, row, (int64_t *)(void *)key);
        return;
    }
    fsr_select_keys(&j->row.form, j->row.size, (const char *)j->row.in + (size_t)(row * n) * j->row.size, 0, n, key);
    for (int64_t i = 0; i < j->ranks; i++)
        put(j, row, i, key_of_rank(j->row.form.simd, key, key + n, n, rank_at(j, row, i), &s));
}

static void take_rows(void *arg, int worker) {
    job *j = arg;
    const int64_t words = j->row.n * fsr_ranked_words(j->row.n);
    (void)worker;
    for (int slot; (slot = atomic_fetch_add(&j->next, 1)) < FSR_SELECT_PARTS;) {
        const int64_t low = j->rows * slot / FSR_SELECT_PARTS, high = j->rows * (slot + 1) / FSR_SELECT_PARTS;
        uint64_t *own = low < high ? j->row.word + words * (j->rows < FSR_SELECT_PARTS ? low : slot) : NULL;
        for (int64_t row = low, done; row < high; row += done) {
            done = take_laned(j, row, high - row, (char *)own);
            if (!done) {
                take_row(j, row, own);
                done = 1;
            }
        }
    }
}

/* ---- long rows ----------------------------------------------------------------------------------------------- */

/* The greatest key of a row, and the least one that is greater than another, with how many are not. */
typedef struct look {
    const fsr_select_row *r;
    uint64_t last;
    atomic_ullong greatest, above;
    atomic_llong within;
    atomic_int next;
} look;

static void look_at_parts(void *arg, int worker) {
    look *l = arg;
    uint64_t key[BATCH];
    (void)worker;
    for (int part; (part = atomic_fetch_add(&l->next, 1)) < FSR_SELECT_PARTS;) {
        int64_t low, high, within = 0;
        unsigned long long greatest = 0, above = ~0ULL;
        fsr_select_part(l->r->n, part, &low, &high);
        for (int64_t i = low; i < high; i += BATCH) {
            const int64_t count = i + BATCH < high ? BATCH : high - i;
            fsr_select_seen own;
            fsr_select_keys(&l->r->form, l->r->size, l->r->in, i, i + count, key);
            fsr_select_look(l->r->form.simd, key, count, l->last, &own);
            within += own.within;
            greatest = own.greatest > greatest ? own.greatest : greatest;
            above = own.above < above ? own.above : above;
        }
        atomic_fetch_add(&l->within, within);
        unsigned long long known = atomic_load(&l->greatest);
        while (greatest > known && !atomic_compare_exchange_weak(&l->greatest, &known, greatest))
            ;
        known = atomic_load(&l->above);
        while (above < known && !atomic_compare_exchange_weak(&l->above, &known, above))
            ;
    }
}

static void look_at(look *l, const fsr_select_row *r, uint64_t last) {
    l->r = r;
    l->last = last;
    atomic_init(&l->greatest, 0);
    atomic_init(&l->above, ~0ULL);
    atomic_init(&l->within, 0);
    fsr_select_run(r->threads, look_at_parts, l, &l->next);
}

/* One look after the first search serves the rank behind it and the last one. */
static void take_long(const job *j, int64_t row) {
    fsr_select_row r = j->row;
    seen s = {.rank = -1};
    look l;
    int64_t less;
    r.in = (const char *)r.in + (size_t)(row * r.n) * r.size;
    for (int64_t i = 0; i < j->ranks; i++) {
        const int64_t rank = rank_at(j, row, i);
        if (s.rank < 0 || (rank != r.n - 1 && rank != s.rank && rank != s.rank + 1)) {
            s = (seen){rank, fsr_select_long(&r, rank, &less)};
            if (i + 1 < j->ranks)
                look_at(&l, &r, s.key);
        }
        put(j, row, i,
            rank == s.rank                           ? s.key
            : rank == r.n - 1                        ? (uint64_t)atomic_load(&l.greatest)
            : rank < (int64_t)atomic_load(&l.within) ? s.key
                                                     : (uint64_t)atomic_load(&l.above));
    }
}

fsr_status fsr_cpu_ranked(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                          fsr_fault *fault) {
    const fsr_shape *shape = &call->array[0].shape;
    const fsr_dtype dtype = call->array[0].dtype;
    const int64_t n = shape->dim[shape->ndim - 1];
    job j = {.row = {.form = fsr_select_form_of(dtype, false, false, crew->simd),
                     .threads = crew->threads,
                     .size = fsr_dtype_size(dtype),
                     .n = n,
                     .in = array[0],
                     .count = work,
                     .words = n / FSR_SELECT_PARTS},
             .rank = array[1],
             .out = array[2],
             .rows = fsr_shape_size(shape) / n,
             .ranks = call->array[1].shape.dim[shape->ndim - 1]};
    (void)fault;
    j.vectors = j.row.size >= 4 ? fsr_vectors_of(crew->simd) : NULL;
    j.words = fsr_select_words(&j.row.form, j.row.size);
    j.row.word = (uint64_t *)((char *)work + sizeof(int64_t[FSR_SELECT_PARTS][FSR_SELECT_DIGITS]));
    atomic_init(&j.next, 0);
    for (int64_t row = 0; n >= FSR_TOP_LONG && row < j.rows; row++)
        take_long(&j, row);
    if (n < FSR_TOP_LONG && crew->threads && j.rows > 1 && j.rows * n >= FSR_TOP_LONG)
        fsr_thread_pool_run(crew->threads, take_rows, &j);
    else if (n < FSR_TOP_LONG)
        take_rows(&j, 0);
    return FSR_OK;
}
