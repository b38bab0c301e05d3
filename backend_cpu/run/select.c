/* SPDX-License-Identifier: MIT */
/* Keys of elements, blocks that hold a small one, and the k-th of some words.
 *
 * The k-th word: the highest bits in which the words differ are a digit; counts of its values say which of them the
 * k-th has; the words that have it go on. Whatever the words are, each round reads what is left once or twice and
 * settles eight bits. Counter-example to a pivot: there are orders of the words in which it splits off one at a
 * time. Where a machine has vectors a pivot of hashed samples is so much faster that it is taken, with a heap for such
 * orders (vectors.h). */
#include "backend_cpu/run/select.h"

enum { DIGIT = 8, VALUES = 1 << DIGIT, SAMPLE = 64, ASIDE = 9, LANES = 16 };

fsr_select_form fsr_select_form_of(fsr_dtype dtype, bool greatest, bool one_zero) {
    const int bits = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t top = UINT64_C(1) << (bits - 1), all = top | (top - 1);
    fsr_select_form f = {.magnitude = all, .most = all, .all = all, .turn = greatest ? all : 0};
    if (fsr_dtype_is_inexact(dtype)) {
        const int digits = dtype == FSR_F16 ? 10 : dtype == FSR_BF16 ? 7 : dtype == FSR_F32 ? 23 : 52;
        f.flip = f.magnitude = f.zero = all ^ top;
        f.base = top;
        f.most = (top - 1) >> digits << digits;
        f.nan = f.most | UINT64_C(1) << (digits - 1);
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
/* Whole blocks none of whose keys is at most the limit are passed over. The form is copied, so that compilers know it
 * does not change. */
#define SEEK(T, name, attributes)                                                                               \
    attributes static int64_t name(const fsr_select_form *form, const T *x, int64_t i, int64_t high, T limit) { \
        const fsr_select_form f = *form;                                                                        \
        for (; i + FSR_SELECT_BLOCK <= high; i += FSR_SELECT_BLOCK) {                                           \
            T some = 0;                                                                                         \
            for (int j = 0; j < FSR_SELECT_BLOCK; j++)                                                          \
                some |= (T)(key_##T(&f, x[i + j]) <= limit);                                                    \
            if (some)                                                                                           \
                break;                                                                                          \
        }                                                                                                       \
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
                const T key = key_##T(&f, x[i + j]);                                                 \
                least[j] = key < least[j] ? key : least[j];                                          \
            }                                                                                        \
        for (int j = 0; j < FSR_SELECT_BLOCK; j++)                                                   \
            out[j] = least[j];                                                                       \
    }
#define EACH(T)                 \
    KEY(T)                      \
    SEEK(T, seek_plain_##T, )   \
    LEAST(T, least_plain_##T, ) \
    WORDS(T, words_plain_##T, )
EACH(uint8_t)
EACH(uint16_t)
EACH(uint32_t)
EACH(uint64_t)

#if defined(__x86_64__)
#define AVX512 __attribute__((target("avx512f,avx512bw,prefer-vector-width=512")))
#define AVX2 __attribute__((target("avx2")))
#define AVX(T)                         \
    SEEK(T, seek_avx2_##T, AVX2)       \
    SEEK(T, seek_avx512_##T, AVX512)   \
    LEAST(T, least_avx2_##T, AVX2)     \
    LEAST(T, least_avx512_##T, AVX512) \
    WORDS(T, words_avx2_##T, AVX2)     \
    WORDS(T, words_avx512_##T, AVX512)
AVX(uint8_t)
AVX(uint16_t)
AVX(uint32_t)
AVX(uint64_t)
#define BEST(name, T)                                       \
    (__builtin_cpu_supports("avx512bw") ? name##_avx512_##T \
     : __builtin_cpu_supports("avx2")   ? name##_avx2_##T   \
                                        : name##_plain_##T)
#else
#define BEST(name, T) name##_plain_##T
#endif

void fsr_select_keys(const fsr_select_form *f, size_t size, const void *x, int64_t low, int64_t high, uint64_t *out) {
    if (size == 1)
        BEST(words, uint8_t)(f, (const uint8_t *)x + low, high - low, out);
    else if (size == 2)
        BEST(words, uint16_t)(f, (const uint16_t *)x + low, high - low, out);
    else if (size == 4)
        BEST(words, uint32_t)(f, (const uint32_t *)x + low, high - low, out);
    else
        BEST(words, uint64_t)(f, (const uint64_t *)x + low, high - low, out);
}

int64_t fsr_select_seek(const fsr_select_form *f, size_t size, const void *x, int64_t low, int64_t high,
                        uint64_t limit) {
    if (size == 1)
        return BEST(seek, uint8_t)(f, x, low, high, (uint8_t)limit);
    if (size == 2)
        return BEST(seek, uint16_t)(f, x, low, high, (uint16_t)limit);
    return size == 4 ? BEST(seek, uint32_t)(f, x, low, high, (uint32_t)limit)
                     : BEST(seek, uint64_t)(f, x, low, high, limit);
}

void fsr_select_least(const fsr_select_form *f, size_t size, const void *x, int64_t n, uint64_t *out) {
    if (size == 1)
        BEST(least, uint8_t)(f, x, n, out);
    else if (size == 2)
        BEST(least, uint16_t)(f, x, n, out);
    else if (size == 4)
        BEST(least, uint32_t)(f, x, n, out);
    else
        BEST(least, uint64_t)(f, x, n, out);
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

void fsr_select_look(const uint64_t *word, int64_t n, uint64_t last, fsr_select_seen *out) {
    BEST(look, )(word, n, last, out);
}

/* The words between two of a sample that lie on both sides of the k-th are left at the beginning: how many; *less are
 * less. n: the sample misleads, and nothing changes. */
static int64_t narrow(uint64_t *word, int64_t n, int64_t k, int64_t *less) {
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
        fsr_select_look(word, n, least - 1, &below);
    fsr_select_look(word, n, most, &within);
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

uint64_t fsr_select_kth(uint64_t *word, int64_t n, int64_t k, int64_t *less) {
    const fsr_vectors *const v = fsr_vectors_best("avx512");
    int64_t count[VALUES];
    if (v)
        return kth_by(v, word, n, k, less);
    *less = 0;
    if (n >= 8 * SAMPLE) {
        n = narrow(word, n, k, less);
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
