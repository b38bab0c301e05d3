/* SPDX-License-Identifier: MIT */
/* Sorting and selecting by AVX-512. A vector is parted by two compressions, which masked stores put to both ends. */
#include "backend_cpu/run/vectors.h"

#if defined __x86_64__
#include <immintrin.h>
#include <string.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt,bmi2")))

#define WORD int32_t
#define BITS uint32_t
#define LEAST INT32_MIN
#define MOST INT32_MAX
#define NAME(x) x##_32
#define VECTOR __m512i
#define LANES 16
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define ALL(x) _mm512_set1_epi32(x)
#define MIN(a, b) _mm512_min_epi32(a, b)
#define MAX(a, b) _mm512_max_epi32(a, b)
#define TURN(v, m)                                                                                                     \
    _mm512_permutexvar_epi32(_mm512_setr_epi32(0 ^ (m), 1 ^ (m), 2 ^ (m), 3 ^ (m), 4 ^ (m), 5 ^ (m), 6 ^ (m), 7 ^ (m), \
                                               8 ^ (m), 9 ^ (m), 10 ^ (m), 11 ^ (m), 12 ^ (m), 13 ^ (m), 14 ^ (m),     \
                                               15 ^ (m)),                                                              \
                             v)
#define LANES_WITH(m) ((m) == 1 ? 0xaaaa : (m) == 2 ? 0xcccc : (m) == 4 ? 0xf0f0 : 0xff00)
#define UPPER(low, high, m) _mm512_mask_mov_epi32(low, LANES_WITH(m), high)
#define SPLIT(v, pivot, left, right)                                                     \
    do {                                                                                 \
        const VECTOR own_ = (v);                                                         \
        const __mmask16 more_ = _mm512_cmpgt_epi32_mask(own_, pivot);                    \
        const int count_ = _mm_popcnt_u32(more_);                                        \
        (right) -= count_;                                                               \
        _mm512_storeu_si512(left, _mm512_maskz_compress_epi32((__mmask16)~more_, own_)); \
        _mm512_mask_storeu_epi32(right, (__mmask16)_bzhi_u32(0xffff, (unsigned)count_),  \
                                 _mm512_maskz_compress_epi32(more_, own_));              \
        (left) += 16 - count_;                                                           \
    } while (0)
#include "backend_cpu/run/vectors_sort.h"

#define WORD int64_t
#define BITS uint64_t
#define LEAST INT64_MIN
#define MOST INT64_MAX
#define NAME(x) x##_64
#define VECTOR __m512i
#define LANES 8
#define LOAD(p) _mm512_loadu_si512(p)
#define STORE(p, v) _mm512_storeu_si512(p, v)
#define ALL(x) _mm512_set1_epi64(x)
#define MIN(a, b) _mm512_min_epi64(a, b)
#define MAX(a, b) _mm512_max_epi64(a, b)
#define TURN(v, m)            \
    _mm512_permutexvar_epi64( \
        _mm512_setr_epi64(0 ^ (m), 1 ^ (m), 2 ^ (m), 3 ^ (m), 4 ^ (m), 5 ^ (m), 6 ^ (m), 7 ^ (m)), v)
#define UPPER(low, high, m) _mm512_mask_mov_epi64(low, (__mmask8)LANES_WITH(m), high)
#define SPLIT(v, pivot, left, right)                                                    \
    do {                                                                                \
        const VECTOR own_ = (v);                                                        \
        const __mmask8 more_ = _mm512_cmpgt_epi64_mask(own_, pivot);                    \
        const int count_ = _mm_popcnt_u32(more_);                                       \
        (right) -= count_;                                                              \
        _mm512_storeu_si512(left, _mm512_maskz_compress_epi64((__mmask8)~more_, own_)); \
        _mm512_mask_storeu_epi64(right, (__mmask8)_bzhi_u32(0xff, (unsigned)count_),    \
                                 _mm512_maskz_compress_epi64(more_, own_));             \
        (left) += 8 - count_;                                                           \
    } while (0)
#include "backend_cpu/run/vectors_sort.h"

const fsr_vectors fsr_vectors_avx512 = {"avx512", enter_32, enter_64,  leave_32,  leave_64,     bounds_32,   bounds_64,
                                        sort_32,  sort_64,  select_32, select_64, partition_32, partition_64};
#endif
