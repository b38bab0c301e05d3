/* SPDX-License-Identifier: MIT */
/* Sorting by vectors: elements of 32 or 64 bits, and places by keys of 32, which are words of 64 bits with the place
 * below the key, so that none are equal.
 *
 * Of elements alone, words of the zeros are neighbours, the negative one first; a stable sort leaves zeros of both
 * signs in the order in which they came, so they are written again from the row. */
#include "backend_cpu/run/sort.h"
#include "backend_cpu/run/vectors.h"
#include <stdatomic.h>

enum {
    BATCH = 512,
    BUCKETS = 32,
    SAMPLED = 1 << 11,
    PIECE = 1 << 16, /* words */
    PIECES = FSR_SORT_PARTS * FSR_BUCKETS / (2 * BUCKETS)
};

typedef struct fsr_words_sort {
    const fsr_sort *s;
    const fsr_vectors *v;
    fsr_word_form form;
} fsr_words_sort;

/* Places below the keys; zeros of both signs have one key. */
static void fill_places(const fsr_words_sort *w, int64_t low, int64_t high, int64_t *out) {
    int32_t key[BATCH];
    const bool zeros = w->s->form.zeros;
    for (int64_t i = low, n; i < high; i += n, out += n) {
        n = high - i < BATCH ? high - i : BATCH;
        w->v->enter_32(&w->form, (const uint32_t *)w->s->in + i, n, key);
        for (int j = 0; j < n; j++)
            out[j] = (int64_t)((uint64_t)(uint32_t)(key[j] + (zeros && key[j] == -1)) << 32 | (uint64_t)(i + j));
    }
}

static void leave_places(const fsr_words_sort *w, int64_t low, int64_t n, const int64_t *word) {
    if (w->s->wide)
        for (int64_t i = 0; i < n; i++)
            ((uint64_t *)w->s->places)[low + i] = (uint32_t)word[i];
    else
        for (int64_t i = 0; i < n; i++)
            ((uint32_t *)w->s->places)[low + i] = (uint32_t)word[i];
}

#define WORD int32_t
#define NAME(x) x##_32
#define OF(x) x##_32
#define FILL(w, low, high, out) (w)->v->enter_32(&(w)->form, (const uint32_t *)(w)->s->in + (low), (high) - (low), out)
#define LEAVE(w, low, n, word) (w)->v->leave_32(&(w)->form, word, n, (uint32_t *)(w)->s->keys + (low))
#include "backend_cpu/run/sort_words.h"

#define WORD int64_t
#define NAME(x) x##_64
#define OF(x) x##_64
#define FILL(w, low, high, out) (w)->v->enter_64(&(w)->form, (const uint64_t *)(w)->s->in + (low), (high) - (low), out)
#define LEAVE(w, low, n, word) (w)->v->leave_64(&(w)->form, word, n, (uint64_t *)(w)->s->keys + (low))
#include "backend_cpu/run/sort_words.h"

#define WORD int64_t
#define NAME(x) x##_places
#define OF(x) x##_64
#define FILL(w, low, high, out) fill_places(w, low, high, out)
#define LEAVE(w, low, n, word) leave_places(w, low, n, word)
#include "backend_cpu/run/sort_words.h"

/* Zeros of both signs of a row, from rank `first` on: each part of the row knows how many those before it have. */
typedef struct zeros {
    const fsr_sort *s;
    int64_t first, before[FSR_SORT_PARTS];
    atomic_int next;
} zeros;

static int64_t part_begin(const fsr_sort *s, int part) {
    return part == s->parts ? s->n : s->n / s->parts * part;
}

static void run_parts(zeros *z, void (*work)(void *, int)) {
    atomic_store(&z->next, 0);
    if (z->s->threads && z->s->parts > 1)
        fsr_thread_pool_run(z->s->threads, work, z);
    else
        work(z, 0);
}

/* Sorted bits fall along negative numbers, down to those of -0; behind_: the first rank from `low` on whose bits are
 * not greater than the bound, there where all before it are. */
#define ZEROS(T)                                                                                     \
    static int64_t behind_##T(const fsr_sort *s, T bound, int64_t low) {                             \
        const T *out = s->keys;                                                                      \
        int64_t high = s->n;                                                                         \
        while (low < high) {                                                                         \
            const int64_t at = low + (high - low) / 2;                                               \
            if (out[at] > bound)                                                                     \
                low = at + 1;                                                                        \
            else                                                                                     \
                high = at;                                                                           \
        }                                                                                            \
        return low;                                                                                  \
    }                                                                                                \
    static void count_zeros_##T(void *arg, int worker) {                                             \
        zeros *z = arg;                                                                              \
        const T *in = z->s->in;                                                                      \
        (void)worker;                                                                                \
        for (int part; (part = atomic_fetch_add(&z->next, 1)) < z->s->parts;) {                      \
            int64_t count = 0;                                                                       \
            for (int64_t i = part_begin(z->s, part), end = part_begin(z->s, part + 1); i < end; i++) \
                count += !(T)(in[i] << 1);                                                           \
            z->before[part] = count;                                                                 \
        }                                                                                            \
    }                                                                                                \
    static void put_zeros_##T(void *arg, int worker) {                                               \
        zeros *z = arg;                                                                              \
        const T *in = z->s->in;                                                                      \
        (void)worker;                                                                                \
        for (int part; (part = atomic_fetch_add(&z->next, 1)) < z->s->parts;) {                      \
            T *to = (T *)z->s->keys + z->first + z->before[part];                                    \
            for (int64_t i = part_begin(z->s, part), end = part_begin(z->s, part + 1); i < end; i++) \
                if (!(T)(in[i] << 1))                                                                \
                    *to++ = in[i];                                                                   \
        }                                                                                            \
    }                                                                                                \
    static void zeros_##T(const fsr_sort *s) {                                                       \
        const T negative = (T)1 << (8 * sizeof(T) - 1), *out = s->keys;                              \
        zeros z = {.s = s, .first = behind_##T(s, negative, 0)};                                     \
        const int64_t positive = behind_##T(s, negative - 1, z.first);                               \
        if (positive == z.first || positive == s->n || out[positive] != 0)                           \
            return;                                                                                  \
        run_parts(&z, count_zeros_##T);                                                              \
        for (int64_t part = 0, sum = 0, own; part < s->parts; part++, sum += own) {                  \
            own = z.before[part];                                                                    \
            z.before[part] = sum;                                                                    \
        }                                                                                            \
        run_parts(&z, put_zeros_##T);                                                                \
    }
ZEROS(uint32_t)
ZEROS(uint64_t)

static fsr_word_form words_of(const fsr_key_form *f, size_t size) {
    const uint64_t top = UINT64_C(1) << (8 * size - 1);
    return (fsr_word_form){f->flip, f->base ^ top, f->magnitude, f->most, f->nan ^ top};
}

bool fsr_sort_by_vectors(const fsr_sort *s, size_t size) {
    const fsr_vectors *v = fsr_vectors_of(s->simd);
    const fsr_words_sort w = {s, v, words_of(&s->form, size)};
    const bool aside = s->form.zeros && !s->places && s->in == s->keys; /* zeros are read again */
    if (!v || size < 4 || aside || (s->places && (size > 4 || s->n > UINT32_MAX)))
        return false;
    if (s->parts == 1)
        (s->places ? sort_row_places : size == 4 ? sort_row_32 : sort_row_64)(&w);
    else if (s->places)
        sort_long_places(&w, s->buffer[1]);
    else if (size == 4)
        sort_long_32(&w, s->keys);
    else
        sort_long_64(&w, s->keys);
    if (s->form.zeros && !s->places)
        (size == 4 ? zeros_uint32_t : zeros_uint64_t)(s);
    return true;
}
