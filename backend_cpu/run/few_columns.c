/* SPDX-License-Identifier: MIT */
/* A product c = a b where b has few columns: b is packed, once, into panels of as many columns as a tile of c holds in
 * registers, and a is read as it lies, each element once, into all lanes of a vector.
 *
 * Counter-example: what packs both, as OpenBLAS does. With 64 columns an element of a is used 64 times, and turning it
 * for a pack takes half as long as the multiplications: 28 ms for 4096 by 4096 where this takes 15.
 * An element is one chain of fused multiply-adds along the folded dimension, whatever the vectors and threads. */
#include "backend_cpu/run/few_columns.h"
#include "graph/size.h"
#include <stdatomic.h>
#include <string.h>

#if defined __x86_64__
#include <immintrin.h>

enum {
    ROWS = 6,         /* of a tile */
    WIDEST = 64,      /* columns of one */
    DEEP = 1024,      /* folded elements that all tiles of a share do before the next ones */
    SHARE = 42 * ROWS /* rows that a thread takes at a time */
};

typedef struct job job;
typedef void few_rows(const job *j, int64_t row, int64_t end);

struct job {
    const fsr_few_columns *x;
    int64_t cols; /* with those that fill the last panel */
    void *pack;
    few_rows *rows;
    int panel; /* columns of a panel, but for the last one */
    atomic_int_fast64_t next;
};

#define TARGET __attribute__((target("avx512f")))
#define MOST 4
#define T float
#define NAME(what) what##_f32_avx512
#define VECTOR __m512
#define LANES 16
#define ZERO _mm512_setzero_ps()
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define ALL(p) _mm512_set1_ps(*(p))
#define FMA _mm512_fmadd_ps
#include "backend_cpu/run/few_columns_of.h"
#define T double
#define NAME(what) what##_f64_avx512
#define VECTOR __m512d
#define LANES 8
#define ZERO _mm512_setzero_pd()
#define LOAD _mm512_loadu_pd
#define STORE _mm512_storeu_pd
#define ALL(p) _mm512_set1_pd(*(p))
#define FMA _mm512_fmadd_pd
#include "backend_cpu/run/few_columns_of.h"
#undef TARGET
#undef MOST
#define TARGET __attribute__((target("avx2,fma")))
#define MOST 2
#define T float
#define NAME(what) what##_f32_avx2
#define VECTOR __m256
#define LANES 8
#define ZERO _mm256_setzero_ps()
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define ALL(p) _mm256_broadcast_ss(p)
#define FMA _mm256_fmadd_ps
#include "backend_cpu/run/few_columns_of.h"
#define T double
#define NAME(what) what##_f64_avx2
#define VECTOR __m256d
#define LANES 4
#define ZERO _mm256_setzero_pd()
#define LOAD _mm256_loadu_pd
#define STORE _mm256_storeu_pd
#define ALL(p) _mm256_broadcast_sd(p)
#define FMA _mm256_fmadd_pd
#include "backend_cpu/run/few_columns_of.h"

static void take_shares(void *arg, int worker) {
    job *j = arg;
    const int64_t rows = j->x->m->m;
    (void)worker;
    for (int64_t row; (row = atomic_fetch_add(&j->next, SHARE)) < rows;)
        j->rows(j, row, row + SHARE < rows ? row + SHARE : rows);
}

/* With AVX2 multiplying takes so long that a pack is soon paid for, and one of a matrix in the caches at once. */
bool fsr_few_columns_here(const fsr_crew *crew, const fsr_matmul *m, fsr_dtype dtype) {
    enum { MOST_COLUMNS = 64, LEAST_ELEMENTS = 1 << 19 };
    if (crew->simd == FSR_SIMD_NONE || !__builtin_cpu_supports("fma") || fsr_matmul_room(m, dtype) == 0)
        return false;
    return crew->simd == FSR_SIMD_AVX512 || (m->n <= MOST_COLUMNS && m->m * m->k >= LEAST_ELEMENTS);
}

void fsr_few_columns_multiply(const fsr_crew *crew, const fsr_few_columns *x, void *room) {
    const bool wide = crew->simd == FSR_SIMD_AVX512, f32 = x->dtype == FSR_F32;
    job j = {.x = x,
             .cols = fsr_round_up(x->m->n, FSR_MATMUL_FEW_STEP),
             .pack = room,
             .rows = f32 ? (wide ? rows_f32_avx512 : rows_f32_avx2) : (wide ? rows_f64_avx512 : rows_f64_avx2),
             .panel = f32 ? (wide ? 64 : 16) : (wide ? 32 : 8)};
    if (f32)
        pack_f32_avx2(&j);
    else
        pack_f64_avx2(&j);
    if (crew->threads)
        fsr_thread_pool_run(crew->threads, take_shares, &j);
    else
        take_shares(&j, 0);
}
#else
bool fsr_few_columns_here(const fsr_crew *crew, const fsr_matmul *m, fsr_dtype dtype) {
    (void)crew, (void)m, (void)dtype;
    return false;
}

void fsr_few_columns_multiply(const fsr_crew *crew, const fsr_few_columns *x, void *room) {
    (void)crew, (void)x, (void)room;
}
#endif
