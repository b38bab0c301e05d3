/* SPDX-License-Identifier: MIT */
/* Many short rows: a network of exchanges, Batcher's merge exchange (Knuth, The Art of Computer Programming, 5.2.2,
 * algorithm M), on many rows side by side, one a lane of vectors. What is exchanged does not depend on values, so there
 * is no branch.
 *
 * A network is not stable: keys are sorted alone, where equal ones cannot be told apart, or with their places below
 * them in one word, where none are equal. Counter-example: zeros of both signs have two keys, and would be put in
 * order; rows that hold a negative zero are left to others. */
#include "backend_cpu/run/sort.h"

/* For each pair of the network the lesser words go first. The lanes of a pair are read before any is written: compilers
 * then see that they are vectors. */
#define EXCHANGE(T, name, attributes)                                                         \
    attributes static void name(T(*x)[FSR_SORT_LANES], int64_t n) {                           \
        int64_t top = 1;                                                                      \
        while (2 * top < n)                                                                   \
            top *= 2;                                                                         \
        for (int64_t p = top; p > 0; p /= 2)                                                  \
            for (int64_t q = top, r = 0, d = p; d > 0; d = q == p ? 0 : q - p, q /= 2, r = p) \
                for (int64_t i = 0; i < n - d; i++) {                                         \
                    T low[FSR_SORT_LANES], high[FSR_SORT_LANES];                              \
                    if ((i & p) != r)                                                         \
                        continue;                                                             \
                    for (int l = 0; l < FSR_SORT_LANES; l++) {                                \
                        const T a = x[i][l], b = x[i + d][l];                                 \
                        low[l] = a < b ? a : b;                                               \
                        high[l] = a < b ? b : a;                                              \
                    }                                                                         \
                    memcpy(x[i], low, sizeof low);                                            \
                    memcpy(x[i + d], high, sizeof high);                                      \
                }                                                                             \
    }
EXCHANGE(uint32_t, plain_32, )
EXCHANGE(uint64_t, plain_64, )

#if defined(__x86_64__)
EXCHANGE(uint32_t, avx2_32, __attribute__((target("avx2"))))
EXCHANGE(uint64_t, avx2_64, __attribute__((target("avx2"))))
EXCHANGE(uint32_t, avx512_32, __attribute__((target("avx512f"))))
EXCHANGE(uint64_t, avx512_64, __attribute__((target("avx512f"))))
#define BEST(simd, bits) \
    ((simd) == FSR_SIMD_AVX512 ? avx512_##bits : (simd) == FSR_SIMD_AVX2 ? avx2_##bits : plain_##bits)
#else
#define BEST(simd, bits) ((void)(simd), plain_##bits)
#endif

static uint64_t bits_at(const void *data, size_t size, int64_t i) {
    if (size == 1)
        return ((const uint8_t *)data)[i];
    if (size == 2)
        return ((const uint16_t *)data)[i];
    return size == 4 ? ((const uint32_t *)data)[i] : ((const uint64_t *)data)[i];
}

static uint64_t key_of(const fsr_key_form *f, size_t size, uint64_t u) {
    const bool negative = u >> (8 * size - 1) & 1;
    return (u & f->magnitude) > f->most ? f->nan : u ^ ((negative ? f->flip : 0) | f->base);
}

static void put_bits(const fsr_key_form *f, void *data, size_t size, int64_t i, uint64_t key) {
    const bool positive = key >> (8 * size - 1) & 1;
    const uint64_t u = key ^ ((positive ? 0 : f->flip) | f->base);
    if (size == 1)
        ((uint8_t *)data)[i] = (uint8_t)u;
    else if (size == 2)
        ((uint16_t *)data)[i] = (uint16_t)u;
    else if (size == 4)
        ((uint32_t *)data)[i] = (uint32_t)u;
    else
        ((uint64_t *)data)[i] = u;
}

/* Keys alone, of `rows` rows in FSR_SORT_LANES lanes. False: one of them holds a negative zero. */
#define KEYS(T, bits)                                                                                             \
    static inline __attribute__((always_inline)) bool keys_##bits(const fsr_sort *s, size_t size, int64_t rows) { \
        T x[FSR_SORT_LANED][FSR_SORT_LANES];                                                                      \
        const fsr_key_form f = s->form;                                                                           \
        uint64_t zeros = 0;                                                                                       \
        for (int64_t l = 0; l < FSR_SORT_LANES; l++)                                                              \
            for (int64_t i = 0; i < s->n; i++) {                                                                  \
                const uint64_t k = l < rows ? key_of(&f, size, bits_at(s->in, size, l * s->n + i)) : 0;           \
                zeros |= f.zeros & (k == f.zero);                                                                 \
                x[i][l] = (T)k;                                                                                   \
            }                                                                                                     \
        if (zeros)                                                                                                \
            return false;                                                                                         \
        BEST(s->simd, bits)(x, s->n);                                                                             \
        for (int64_t l = 0; l < rows; l++)                                                                        \
            for (int64_t i = 0; i < s->n; i++)                                                                    \
                put_bits(&f, s->keys, size, l * s->n + i, x[i][l]);                                               \
        return true;                                                                                              \
    }
KEYS(uint32_t, 32)
KEYS(uint64_t, 64)

/* Keys of at most 32 bits over their places; zeros of both signs have one key here. */
static inline __attribute__((always_inline)) bool places(const fsr_sort *s, size_t size, int64_t rows) {
    uint64_t x[FSR_SORT_LANED][FSR_SORT_LANES];
    const fsr_key_form f = s->form;
    for (int64_t l = 0; l < FSR_SORT_LANES; l++)
        for (int64_t i = 0; i < s->n; i++) {
            const uint64_t k = l < rows ? key_of(&f, size, bits_at(s->in, size, l * s->n + i)) : 0;
            x[i][l] = (k + (f.zeros & (k == f.zero))) << 32 | (uint64_t)i;
        }
    BEST(s->simd, 64)(x, s->n);
    for (int64_t l = 0; l < rows; l++)
        for (int64_t i = 0; i < s->n; i++) {
            if (s->wide)
                ((uint64_t *)s->places)[l * s->n + i] = (uint32_t)x[i][l];
            else
                ((uint32_t *)s->places)[l * s->n + i] = (uint32_t)x[i][l];
        }
    for (int64_t l = 0; s->keys && l < rows; l++)
        fsr_sort_pick(&f, size, s->wide, (const char *)s->in + (size_t)(l * s->n) * size,
                      (const char *)s->places + l * s->n * (s->wide ? 8 : 4), s->n,
                      (char *)s->keys + (size_t)(l * s->n) * size);
    return true;
}

/* What size is decides how elements are read: one function each. */
static bool laned_1(const fsr_sort *s, int64_t rows) {
    return s->places ? places(s, 1, rows) : keys_32(s, 1, rows);
}
static bool laned_2(const fsr_sort *s, int64_t rows) {
    return s->places ? places(s, 2, rows) : keys_32(s, 2, rows);
}
static bool laned_4(const fsr_sort *s, int64_t rows) {
    return s->places ? places(s, 4, rows) : keys_32(s, 4, rows);
}
static bool laned_8(const fsr_sort *s, int64_t rows) {
    return !s->places && keys_64(s, 8, rows);
}

int64_t fsr_sort_laned(const fsr_sort *s, size_t size, int64_t rows) {
    const int64_t some = rows < FSR_SORT_LANES ? rows : FSR_SORT_LANES;
    if (s->n > FSR_SORT_LANED || rows < FSR_SORT_LANES / 4)
        return 0;
    const bool done = size == 1   ? laned_1(s, some)
                      : size == 2 ? laned_2(s, some)
                      : size == 4 ? laned_4(s, some)
                                  : laned_8(s, some);
    return done ? some : -some;
}
