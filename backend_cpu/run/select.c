/* SPDX-License-Identifier: MIT */
/* Keys of elements, blocks that hold a small one, and the k-th of some words.
 *
 * The k-th word: the highest bits in which the words differ are a digit; counts of its values say which of them the
 * k-th has; the words that have it go on. Whatever the words are, each round reads what is left once or twice and
 * settles eight bits. Counter-example to a pivot: there are orders of the words in which it splits off one at a
 * time. Where a machine has vectors a pivot of hashed samples is so much faster that it is taken, with a heap for such
 * orders (vectors.h). */
#include "backend_cpu/run/select.h"

enum {
    DIGIT = 8,
    VALUES = 1 << DIGIT,
    SAMPLE = 64,
    ASIDE = 9,
    LANES = 16,
    SEEK_BLOCKS = 8,
    LINE = 64,
    AHEAD = 1 << 13
};

fsr_select_form fsr_select_form_of(fsr_dtype dtype, bool greatest, bool one_zero, fsr_simd simd) {
    const int bits = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t top = UINT64_C(1) << (bits - 1), all = top | (top - 1);
    fsr_select_form f = {
        .magnitude = all, .most = all, .all = all, .turn = greatest ? all : 0, .last = all, .simd = simd};
    if (fsr_dtype_is_inexact(dtype)) {
        const int digits = dtype == FSR_F16 ? 10 : dtype == FSR_BF16 ? 7 : dtype == FSR_F32 ? 23 : 52;
        f.flip = f.magnitude = f.zero = all ^ top;
        f.base = top;
        f.most = (top - 1) >> digits << digits;
        f.nan = f.most | UINT64_C(1) << (digits - 1);
        f.last = top | f.most;
        f.zeros = one_zero;
    } else if (!fsr_dtype_is_unsigned(dtype) && dtype != FSR_BOOL) {
        f.base = top;
    }
    return f;
}

/* ---- keys ---------------------------------------------------------------------------------------------------- */

#define KEY(T)                                                                              \
    static inline __attribute__((always_inline)) T key_##T(const fsr_select_form *f, T u) { \
        const T negative = (T)((T)0 - (T)(u >> (8 * sizeof(T) - 1)));                       \
        T key = (T)(u ^ (T)((negative & (T)f->flip) | (T)f->base));                         \
        key = (T)(key + ((key == (T)f->zero) & (T)f->zeros));                               \
        return (T)(u & (T)f->magnitude) > (T)f->most ? (T)f->all : (T)(key ^ (T)f->turn);   \
    }
/* How far an element is behind the first of all in order: what its key says, in half the steps. NaN is farther than any
 * other, and zeros of two signs are neighbours. reach_: how far those of keys up to the limit are; false: there are
 * none. key_behind_: the key of what is so far. */
#define BEHIND(T)                                                                                      \
    static inline __attribute__((always_inline)) T behind_##T(const fsr_select_form *f, T u) {         \
        const T negative = (T)((T)0 - (T)(u >> (8 * sizeof(T) - 1)));                                  \
        return (T)((u ^ (T)(f->turn ^ f->base) ^ (T)(negative & (T)f->flip)) - (T)(f->all ^ f->last)); \
    }                                                                                                  \
    static bool reach_##T(const fsr_select_form *f, T limit, T *out) {                                 \
        const T first = (T)(f->all ^ f->last), zero = (T)(f->turn ? f->zero + 1 : f->zero);            \
        T last = (T)(limit < (T)f->last ? limit : (T)f->last);                                         \
        if (f->zeros && (T)(last ^ (T)f->turn) == zero)                                                \
            last = (T)(f->turn ? last + 1 : last - 1);                                                 \
        *out = (T)(last - first);                                                                      \
        return last >= first;                                                                          \
    }                                                                                                  \
    static T key_behind_##T(const fsr_select_form *f, T distance) {                                    \
        const T first = (T)(f->all ^ f->last), plain = (T)((T)(distance + first) ^ (T)f->turn);        \
        const T key = (T)(plain + (T)(f->zeros && plain == (T)f->zero));                               \
        return distance > (T)((T)f->last - first) ? (T)f->all : (T)(key ^ (T)f->turn);                 \
    }
/* Whole blocks none of whose keys is at most the limit are passed over: the nearest of some elements decides, of as
 * many blocks at once as make its search among a vector's lanes cheap, of so many bytes each. Each line asks for one
 * that is ahead: thirty requests in a row wait for each other. The form is copied, so that compilers know it does not
 * change. */
#define SEEK(T, name, attributes, bytes)                                                                        \
    attributes static inline __attribute__((always_inline))                                                     \
    T nearest_##name(const fsr_select_form *f, const T *x, int n) {                                             \
        enum { WIDE = (bytes) / (int)sizeof(T) };                                                               \
        T lane[WIDE], nearest = (T)f->all;                                                                      \
        memset(lane, 0xff, sizeof lane);                                                                        \
        for (int j = 0; j < n; j += LINE / (int)sizeof(T)) {                                                    \
            __builtin_prefetch((const char *)(x + j) + AHEAD);                                                  \
            for (int v = 0; v < LINE / (int)sizeof(T); v += WIDE)                                               \
                for (int l = 0; l < WIDE; l++) {                                                                \
                    const T own = behind_##T(f, x[j + v + l]);                                                  \
                    lane[l] = own < lane[l] ? own : lane[l];                                                    \
                }                                                                                               \
        }                                                                                                       \
        for (int l = 0; l < WIDE; l++)                                                                          \
            nearest = lane[l] < nearest ? lane[l] : nearest;                                                    \
        return nearest;                                                                                         \
    }                                                                                                           \
    attributes static int64_t name(const fsr_select_form *form, const T *x, int64_t i, int64_t high, T limit) { \
        const fsr_select_form f = *form;                                                                        \
        T reach;                                                                                                \
        if (limit == (T)f.all)                                                                                  \
            return i;                                                                                           \
        if (!reach_##T(&f, limit, &reach))                                                                      \
            return i + (high - i) / FSR_SELECT_BLOCK * FSR_SELECT_BLOCK;                                        \
        while (i + SEEK_BLOCKS * FSR_SELECT_BLOCK <= high &&                                                    \
               nearest_##name(&f, x + i, SEEK_BLOCKS * FSR_SELECT_BLOCK) > reach)                               \
            i += SEEK_BLOCKS * FSR_SELECT_BLOCK;                                                                \
        while (i + FSR_SELECT_BLOCK <= high && nearest_##name(&f, x + i, FSR_SELECT_BLOCK) > reach)             \
            i += FSR_SELECT_BLOCK;                                                                              \
        return i;                                                                                               \
    }
#define WORDS(T, name, attributes)                                                                                     \
    attributes static void name(const fsr_select_form *form, const T *restrict x, int64_t n, uint64_t *restrict out) { \
        const fsr_select_form f = *form;                                                                               \
        int64_t i = 0;                                                                                                 \
        for (; i + FSR_SELECT_BLOCK <= n; i += FSR_SELECT_BLOCK)                                                       \
            for (int j = 0; j < FSR_SELECT_BLOCK; j++)                                                                 \
                out[i + j] = key_##T(&f, x[i + j]);                                                                    \
        for (; i < n; i++)                                                                                             \
            out[i] = key_##T(&f, x[i]);                                                                                \
    }
/* Least keys of whole blocks, lane by lane. */
#define LEAST(T, name, attributes)                                                                   \
    attributes static void name(const fsr_select_form *form, const T *x, int64_t n, uint64_t *out) { \
        const fsr_select_form f = *form;                                                             \
        T least[FSR_SELECT_BLOCK];                                                                   \
        memset(least, 0xff, sizeof least);                                                           \
        for (int64_t i = 0; i + FSR_SELECT_BLOCK <= n; i += FSR_SELECT_BLOCK)                        \
            for (int j = 0; j < FSR_SELECT_BLOCK; j++) {                                             \
                const T own = behind_##T(&f, x[i + j]);                                              \
                least[j] = own < least[j] ? own : least[j];                                          \
            }                                                                                        \
        for (int j = 0; j < FSR_SELECT_BLOCK; j++)                                                   \
            out[j] = key_behind_##T(&f, least[j]);                                                   \
    }
#define EACH(T)                   \
    KEY(T)                        \
    BEHIND(T)                     \
    SEEK(T, seek_plain_##T, , 16) \
    LEAST(T, least_plain_##T, )   \
    WORDS(T, words_plain_##T, )
EACH(uint8_t)
EACH(uint16_t)
EACH(uint32_t)
EACH(uint64_t)

#if defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f,avx512bw,prefer-vector-width=512")))
#define AVX2 __attribute__((target("avx2")))
#define AVX(T)                           \
    SEEK(T, seek_avx2_##T, AVX2, 32)     \
    SEEK(T, seek_avx512_##T, AVX512, 64) \
    LEAST(T, least_avx2_##T, AVX2)       \
    LEAST(T, least_avx512_##T, AVX512)   \
    WORDS(T, words_avx2_##T, AVX2)       \
    WORDS(T, words_avx512_##T, AVX512)
AVX(uint8_t)
AVX(uint16_t)
AVX(uint32_t)
AVX(uint64_t)
#define BEST(simd, name, T) \
    ((simd) == FSR_SIMD_AVX512 ? name##_avx512_##T : (simd) == FSR_SIMD_AVX2 ? name##_avx2_##T : name##_plain_##T)
#else
#define BEST(simd, name, T) ((void)(simd), name##_plain_##T)
#endif

void fsr_select_keys(const fsr_select_form *f, size_t size, const void *x, int64_t low, int64_t high, uint64_t *out) {
    if (size == 1)
        BEST(f->simd, words, uint8_t)(f, (const uint8_t *)x + low, high - low, out);
    else if (size == 2)
        BEST(f->simd, words, uint16_t)(f, (const uint16_t *)x + low, high - low, out);
    else if (size == 4)
        BEST(f->simd, words, uint32_t)(f, (const uint32_t *)x + low, high - low, out);
    else
        BEST(f->simd, words, uint64_t)(f, (const uint64_t *)x + low, high - low, out);
}

int64_t fsr_select_seek(const fsr_select_form *f, size_t size, const void *x, int64_t low, int64_t high,
                        uint64_t limit) {
    if (size == 1)
        return BEST(f->simd, seek, uint8_t)(f, x, low, high, (uint8_t)limit);
    if (size == 2)
        return BEST(f->simd, seek, uint16_t)(f, x, low, high, (uint16_t)limit);
    return size == 4 ? BEST(f->simd, seek, uint32_t)(f, x, low, high, (uint32_t)limit)
                     : BEST(f->simd, seek, uint64_t)(f, x, low, high, limit);
}

void fsr_select_least(const fsr_select_form *f, size_t size, const void *x, int64_t n, uint64_t *out) {
    if (size == 1)
        BEST(f->simd, least, uint8_t)(f, x, n, out);
    else if (size == 2)
        BEST(f->simd, least, uint16_t)(f, x, n, out);
    else if (size == 4)
        BEST(f->simd, least, uint32_t)(f, x, n, out);
    else
        BEST(f->simd, least, uint64_t)(f, x, n, out);
}

/* ---- the k-th ------------------------------------------------------------------------------------------------ */

/* Lane by lane, so that compilers see vectors. */
#define LOOK(name, attributes)                                                                          \
    attributes static void name(const uint64_t *word, int64_t n, uint64_t last, fsr_select_seen *out) { \
        uint64_t outside[LANES] = {0}, greatest[LANES] = {0}, above[LANES];                             \
        fsr_select_seen all = {n, UINT64_MAX, 0};                                                       \
        int64_t i = 0;                                                                                  \
        memset(above, 0xff, sizeof above);                                                              \
        for (; i + LANES <= n; i += LANES)                                                              \
            for (int l = 0; l < LANES; l++) {                                                           \
                const uint64_t own = word[i + l], beyond = own > last;                                  \
                const uint64_t candidate = own | (beyond - 1);                                          \
                outside[l] += beyond;                                                                   \
                above[l] = candidate < above[l] ? candidate : above[l];                                 \
                greatest[l] = own > greatest[l] ? own : greatest[l];                                    \
            }                                                                                           \
        for (int l = 0; l < LANES; l++) {                                                               \
            all.within -= (int64_t)outside[l];                                                          \
            all.above = above[l] < all.above ? above[l] : all.above;                                    \
            all.greatest = greatest[l] > all.greatest ? greatest[l] : all.greatest;                     \
        }                                                                                               \
        for (; i < n; i++) {                                                                            \
            all.within -= word[i] > last;                                                               \
            all.above = word[i] > last && word[i] < all.above ? word[i] : all.above;                    \
            all.greatest = word[i] > all.greatest ? word[i] : all.greatest;                             \
        }                                                                                               \
        *out = all;                                                                                     \
    }
LOOK(look_plain_, )
#if defined(__x86_64__)
LOOK(look_avx2_, AVX2)
LOOK(look_avx512_, AVX512)
#endif

void fsr_select_look(fsr_simd simd, const uint64_t *word, int64_t n, uint64_t last, fsr_select_seen *out) {
    BEST(simd, look, )(word, n, last, out);
}

/* The words between two of a sample that lie on both sides of the k-th are left at the beginning: how many; *less are
 * less. n: the sample misleads, and nothing changes. */
static int64_t narrow(fsr_simd simd, uint64_t *word, int64_t n, int64_t k, int64_t *less) {
    uint64_t sample[SAMPLE];
    fsr_select_seen below, within;
    for (int64_t i = 0; i < SAMPLE; i++) {
        const uint64_t own = word[i * (n / SAMPLE)];
        int64_t at = i;
        for (; at > 0 && sample[at - 1] > own; at--)
            sample[at] = sample[at - 1];
        sample[at] = own;
    }
    const int64_t rank = k / (n / SAMPLE), low = rank - ASIDE, high = rank + ASIDE;
    const uint64_t least = low < 0 ? 0 : sample[low < SAMPLE ? low : SAMPLE - 1];
    const uint64_t most = high < SAMPLE ? sample[high] : UINT64_MAX;
    below.within = 0;
    if (least > 0)
        fsr_select_look(simd, word, n, least - 1, &below);
    fsr_select_look(simd, word, n, most, &within);
    if (below.within > k || within.within <= k)
        return n;
    int64_t left = 0;
    for (int64_t i = 0; i < n; i++) {
        const uint64_t own = word[i];
        word[left] = own;
        left += (own >= least) & (own <= most);
    }
    *less = below.within;
    return left;
}

/* By vectors, whose words have signs. */
static uint64_t kth_by(const fsr_vectors *v, uint64_t *word, int64_t n, int64_t k, int64_t *less) {
    const uint64_t top = UINT64_C(1) << 63;
    int64_t *const own = (int64_t *)word;
    v->enter_64(&(fsr_word_form){.turn = top, .magnitude = UINT64_MAX, .most = UINT64_MAX}, word, n, own);
    v->select_64(own, n, k, fsr_vectors_depth(n));
    *less = 0;
    for (int64_t i = 0; i < k; i++)
        *less += own[i] < own[k];
    return (uint64_t)own[k] ^ top;
}

uint64_t fsr_select_kth(fsr_simd simd, uint64_t *word, int64_t n, int64_t k, int64_t *less) {
    const fsr_vectors *const v = fsr_vectors_of(simd);
    int64_t count[VALUES];
    if (v)
        return kth_by(v, word, n, k, less);
    *less = 0;
    if (n >= 8 * SAMPLE) {
        n = narrow(simd, word, n, k, less);
        k -= *less;
    }
    for (;;) {
        uint64_t some = 0, all = ~UINT64_C(0);
        for (int64_t i = 0; i < n; i++) {
            some |= word[i];
            all &= word[i];
        }
        if (some == all)
            return all;
        const int highest = 63 - __builtin_clzll(some ^ all), shift = highest < DIGIT ? 0 : highest - DIGIT + 1;
        memset(count, 0, sizeof count);
        for (int64_t i = 0; i < n; i++)
            count[word[i] >> shift & (VALUES - 1)]++;
        uint64_t value = 0;
        for (; k >= count[value]; value++) {
            k -= count[value];
            *less += count[value];
        }
        int64_t left = 0;
        for (int64_t i = 0; i < n; i++) {
            const uint64_t own = word[i];
            word[left] = own;
            left += (own >> shift & (VALUES - 1)) == value;
        }
        n = left;
    }
}

/* ---- elements ------------------------------------------------------------------------------------------------ */

#define PICK(T, P)                                                             \
    for (int64_t i = 0; i < n; i++) {                                          \
        const T u = ((const T *)x)[((const P *)places)[i]];                    \
        ((T *)out)[i] = (T)(u & (T)f->magnitude) > (T)f->most ? (T)f->nan : u; \
    }
#define PICK_AS(T)            \
    {                         \
        if (wide)             \
            PICK(T, uint64_t) \
        else                  \
            PICK(T, uint32_t) \
    }

void fsr_select_pick(const fsr_select_form *f, size_t size, const void *x, const void *places, bool wide, int64_t n,
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
