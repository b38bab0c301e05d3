/* SPDX-License-Identifier: MIT */
/* Rows of elements in order: their bits become keys as they are read first, and bits again as the last pass writes
 * them. */
#include "backend_cpu/run/sort.h"
#include <stdatomic.h>
#include <stdint.h>

#define WORD_ENTER(T, f, u)                       \
    ((T)(((u) & (T)(f)->magnitude) > (T)(f)->most \
             ? (T)(f)->nan                        \
             : (T)((u) ^ (((T)(0 - (T)((u) >> (8 * sizeof(T) - 1))) & (T)(f)->flip) | (T)(f)->base))))
#define WORD_LEAVE(T, f, k) ((T)((k) ^ (((T)((T)((k) >> (8 * sizeof(T) - 1)) - 1) & (T)(f)->flip) | (T)(f)->base)))
#define WORD_KEY(T, f, k) ((T)((k) + (((k) == (T)(f)->zero) & (T)(f)->zeros)))

#define FILLED 0
#define ITEM uint8_t
#define NAME(x) x##_8
#define KEY(f, k) WORD_KEY(uint8_t, f, k)
#define ENTER(f, u) WORD_ENTER(uint8_t, f, u)
#define LEAVE(s, i, k) (void)(((uint8_t *)(s)->keys)[i] = WORD_LEAVE(uint8_t, &(s)->form, k))
#include "backend_cpu/run/sort_passes.h"

#define FILLED 0
#define ITEM uint16_t
#define NAME(x) x##_16
#define KEY(f, k) WORD_KEY(uint16_t, f, k)
#define ENTER(f, u) WORD_ENTER(uint16_t, f, u)
#define LEAVE(s, i, k) (void)(((uint16_t *)(s)->keys)[i] = WORD_LEAVE(uint16_t, &(s)->form, k))
#include "backend_cpu/run/sort_passes.h"

#define FILLED 0
#define ITEM uint32_t
#define NAME(x) x##_32
#define KEY(f, k) WORD_KEY(uint32_t, f, k)
#define ENTER(f, u) WORD_ENTER(uint32_t, f, u)
#define LEAVE(s, i, k) (void)(((uint32_t *)(s)->keys)[i] = WORD_LEAVE(uint32_t, &(s)->form, k))
#include "backend_cpu/run/sort_passes.h"

#define FILLED 0
#define ITEM uint64_t
#define NAME(x) x##_64
#define KEY(f, k) WORD_KEY(uint64_t, f, k)
#define ENTER(f, u) WORD_ENTER(uint64_t, f, u)
#define LEAVE(s, i, k) (void)(((uint64_t *)(s)->keys)[i] = WORD_LEAVE(uint64_t, &(s)->form, k))
#include "backend_cpu/run/sort_passes.h"

/* One row of words of T. */
#define SORT_ROW(T, bits)                                            \
    static void sort_row_##bits(fsr_sort *s) {                       \
        T *const own = s->buffer[0];                                 \
        const T *const in = s->in;                                   \
        if (s->parts > 1) {                                          \
            sort_long_##bits(s, in, own, s->keys);                   \
            return;                                                  \
        }                                                            \
        for (int64_t i = 0; i < s->n; i++)                           \
            own[i] = WORD_ENTER(T, &s->form, in[i]);                 \
        settle_##bits(s, own, s->keys, 0, s->n, 8 * (int)sizeof(T)); \
    }
SORT_ROW(uint8_t, 8)
SORT_ROW(uint16_t, 16)
SORT_ROW(uint32_t, 32)
SORT_ROW(uint64_t, 64)

void fsr_sort_keys(fsr_sort *s, size_t size) {
    if (fsr_sort_by_vectors(s, size))
        return;
    if (size == 1)
        sort_row_8(s);
    else if (size == 2)
        sort_row_16(s);
    else if (size == 4)
        sort_row_32(s);
    else
        sort_row_64(s);
}

#define PICK(T, P)                                                                            \
    for (int64_t i = 0; i < n; i++) {                                                         \
        const T u = ((const T *)in)[((const P *)places)[i]];                                  \
        ((T *)out)[i] = (u & (T)f->magnitude) > (T)f->most ? WORD_LEAVE(T, f, (T)f->nan) : u; \
    }
#define PICK_AS(T)            \
    {                         \
        if (wide)             \
            PICK(T, uint64_t) \
        else                  \
            PICK(T, uint32_t) \
    }

void fsr_sort_pick(const fsr_key_form *f, size_t size, bool wide, const void *in, const void *places, int64_t n,
                   void *out) {
    if (size == 1)
        PICK_AS(uint8_t)
    else if (size == 2)
        PICK_AS(uint16_t)
    else if (size == 4)
        PICK_AS(uint32_t)
    else
        PICK_AS(uint64_t)
}

#define FILL(T, R, key_type)                                                 \
    for (int64_t i = low; i < high; i++) {                                   \
        const T k = WORD_ENTER(T, &s->form, ((const T *)s->in)[i]);          \
        ((R *)s->buffer[0])[i] = (R){WORD_KEY(T, &s->form, k), (key_type)i}; \
    }

void fsr_sort_fill(const fsr_sort *s, size_t size, bool wide, int64_t low, int64_t high) {
    if (size == 8)
        FILL(uint64_t, fsr_record64, uint64_t)
    else if (wide && size == 4)
        FILL(uint32_t, fsr_record64, uint64_t)
    else if (wide && size == 2)
        FILL(uint16_t, fsr_record64, uint64_t)
    else if (wide)
        FILL(uint8_t, fsr_record64, uint64_t)
    else if (size == 4)
        FILL(uint32_t, fsr_record32, uint32_t)
    else if (size == 2)
        FILL(uint16_t, fsr_record32, uint32_t)
    else
        FILL(uint8_t, fsr_record32, uint32_t)
}
