/* SPDX-License-Identifier: MIT */
/* Sorting and selecting by AVX2. A vector is parted by one permutation, lesser words first, whose indices are the lane
 * numbers' bytes gathered by the comparison's bits; it is stored whole at both ends. */
#include "backend_cpu/run/vectors.h"

#if defined __x86_64__
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))

/* Lanes of 32 bits in the order: those without their bit in `more`, then those with it; 8 - count have none. */
static inline __attribute__((always_inline)) TARGET __m256i lesser_first(unsigned more, int count) {
    const uint64_t lanes = UINT64_C(0x0706050403020100), bytes = _pdep_u64(more, UINT64_C(0x0101010101010101)) * 0xff;
    const uint64_t high = _pext_u64(lanes, bytes);
    const int half = 4 * (8 - count); /* of the shift: a whole one of 64 bits is none */
    return _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((long long)(_pext_u64(lanes, ~bytes) | high << half << half)));
}

#define WORD int32_t
#define BITS uint32_t
#define LEAST INT32_MIN
#define MOST INT32_MAX
#define NAME(x) x##_32
#define VECTOR __m256i
#define LANES 8
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define ALL(x) _mm256_set1_epi32(x)
#define MIN(a, b) _mm256_min_epi32(a, b)
#define MAX(a, b) _mm256_max_epi32(a, b)
#define TURN(v, m)               \
    _mm256_permutevar8x32_epi32( \
        v, _mm256_setr_epi32(0 ^ (m), 1 ^ (m), 2 ^ (m), 3 ^ (m), 4 ^ (m), 5 ^ (m), 6 ^ (m), 7 ^ (m)))
#define UPPER(low, high, m) _mm256_blend_epi32(low, high, (m) == 1 ? 0xaa : (m) == 2 ? 0xcc : 0xf0)
#define SPLIT(v, pivot, left, right)                                                                               \
    do {                                                                                                           \
        const VECTOR own_ = (v);                                                                                   \
        const unsigned more_ = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(own_, pivot))); \
        const int count_ = _mm_popcnt_u32(more_);                                                                  \
        const VECTOR parted_ = _mm256_permutevar8x32_epi32(own_, lesser_first(more_, count_));                     \
        STORE(left, parted_);                                                                                      \
        STORE((right)-8, parted_);                                                                                 \
        (left) += 8 - count_;                                                                                      \
        (right) -= count_;                                                                                         \
    } while (0)
#include "backend_cpu/run/vectors_sort.h"

#define WORD int64_t
#define BITS uint64_t
#define LEAST INT64_MIN
#define MOST INT64_MAX
#define NAME(x) x##_64
#define VECTOR __m256i
#define LANES 4
#define LOAD(p) _mm256_loadu_si256((const __m256i *)(const void *)(p))
#define STORE(p, v) _mm256_storeu_si256((__m256i *)(void *)(p), v)
#define ALL(x) _mm256_set1_epi64x(x)
#define MIN(a, b) _mm256_blendv_epi8(a, b, _mm256_cmpgt_epi64(a, b))
#define MAX(a, b) _mm256_blendv_epi8(b, a, _mm256_cmpgt_epi64(a, b))
#define TURN(v, m) _mm256_permute4x64_epi64(v, (m) == 1 ? 0xb1 : (m) == 2 ? 0x4e : 0x1b)
#define UPPER(low, high, m) _mm256_blend_epi32(low, high, (m) == 1 ? 0xcc : 0xf0)
#define SPLIT(v, pivot, left, right)                                                                               \
    do {                                                                                                           \
        const VECTOR own_ = (v);                                                                                   \
        const unsigned more_ = (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi64(own_, pivot))); \
        const int count_ = _mm_popcnt_u32(more_);                                                                  \
        const VECTOR parted_ = _mm256_permutevar8x32_epi32(own_, lesser_first(more_, count_));                     \
        STORE(left, parted_);                                                                                      \
        STORE((right)-4, parted_);                                                                                 \
        (left) += (8 - count_) / 2;                                                                                \
        (right) -= count_ / 2;                                                                                     \
    } while (0)
#include "backend_cpu/run/vectors_sort.h"

const fsr_vectors fsr_vectors_avx2 = {"avx2",  enter_32, enter_64,  leave_32,  leave_64,     bounds_32,   bounds_64,
                                      sort_32, sort_64,  select_32, select_64, partition_32, partition_64};
#endif
