/* SPDX-License-Identifier: MIT */
/* The library calls "matmul" and "matmul_epilogue" on a CPU: OpenBLAS', with as many threads as the context has; loops
 * by vectors where columns are few (few_columns.h); plain loops where there is no OpenBLAS (plans then have no such
 * calls, but whoever runs a program's steps by hand may) or where a side is beyond its integers. */
#include "graph/matmul.h"
#include "backend_cpu/run/blas.h"
#include "backend_cpu/run/few_columns.h"
#include "backend_cpu/run/library.h"
#include "graph/size.h"
#include <limits.h>
#include <string.h>

/* One product, at these addresses. */
typedef struct one {
    const fsr_matmul *m;
    fsr_dtype dtype;
    const char *a, *b;
    char *c;
} one;

static void by_blas(const fsr_blas *blas, const one *o) {
    const fsr_matmul *m = o->m;
    const int ta = m->a_flipped ? FSR_BLAS_FLIPPED : FSR_BLAS_PLAIN;
    const int tb = m->b_flipped ? FSR_BLAS_FLIPPED : FSR_BLAS_PLAIN;
    const int rows = (int)m->m, cols = (int)m->n, k = (int)m->k, lda = (int)m->a_lead, ldb = (int)m->b_lead;
    const int ldc = (int)m->c_lead;
    const double one64[2] = {1, 0}, zero64[2] = {0, 0};
    const float one32[2] = {1, 0}, zero32[2] = {0, 0};
    if (o->dtype == FSR_F32)
        blas->sgemm(FSR_BLAS_ROW_MAJOR, ta, tb, rows, cols, k, 1, (const float *)o->a, lda, (const float *)o->b, ldb, 0,
                    (float *)o->c, ldc);
    else if (o->dtype == FSR_F64)
        blas->dgemm(FSR_BLAS_ROW_MAJOR, ta, tb, rows, cols, k, 1, (const double *)o->a, lda, (const double *)o->b, ldb,
                    0, (double *)o->c, ldc);
    else if (o->dtype == FSR_C64)
        blas->cgemm(FSR_BLAS_ROW_MAJOR, ta, tb, rows, cols, k, one32, o->a, lda, o->b, ldb, zero32, o->c, ldc);
    else
        blas->zgemm(FSR_BLAS_ROW_MAJOR, ta, tb, rows, cols, k, one64, o->a, lda, o->b, ldb, zero64, o->c, ldc);
}

/* Row by row of c; the innermost loop goes along it. */
#define PLAIN_REAL(name, type)                                                              \
    static void name(const fsr_matmul *m, const type *a, const type *b, type *c) {          \
        const int64_t ar = m->a_flipped ? 1 : m->a_lead, ac = m->a_flipped ? m->a_lead : 1; \
        const int64_t br = m->b_flipped ? 1 : m->b_lead, bc = m->b_flipped ? m->b_lead : 1; \
        for (int64_t i = 0; i < m->m; i++) {                                                \
            type *row = c + i * m->c_lead;                                                  \
            memset(row, 0, sizeof *row *(size_t)m->n);                                      \
            for (int64_t p = 0; p < m->k; p++)                                              \
                for (int64_t j = 0; j < m->n; j++)                                          \
                    row[j] += a[i * ar + p * ac] * b[p * br + j * bc];                      \
        }                                                                                   \
    }
#define PLAIN_COMPLEX(name, type)                                                            \
    static void name(const fsr_matmul *m, const type *a, const type *b, type *c) {           \
        const int64_t ar = m->a_flipped ? 1 : m->a_lead, ac = m->a_flipped ? m->a_lead : 1;  \
        const int64_t br = m->b_flipped ? 1 : m->b_lead, bc = m->b_flipped ? m->b_lead : 1;  \
        for (int64_t i = 0; i < m->m; i++) {                                                 \
            type *row = c + 2 * i * m->c_lead;                                               \
            memset(row, 0, 2 * sizeof *row * (size_t)m->n);                                  \
            for (int64_t p = 0; p < m->k; p++) {                                             \
                const type re = a[2 * (i * ar + p * ac)], im = a[2 * (i * ar + p * ac) + 1]; \
                for (int64_t j = 0; j < m->n; j++) {                                         \
                    const type *x = b + 2 * (p * br + j * bc);                               \
                    row[2 * j] += re * x[0] - im * x[1];                                     \
                    row[2 * j + 1] += re * x[1] + im * x[0];                                 \
                }                                                                            \
            }                                                                                \
        }                                                                                    \
    }
PLAIN_REAL(plain_f32, float)
PLAIN_REAL(plain_f64, double)
PLAIN_COMPLEX(plain_c64, float)
PLAIN_COMPLEX(plain_c128, double)

static void by_loops(const one *o) {
    if (o->dtype == FSR_F32)
        plain_f32(o->m, (const float *)o->a, (const float *)o->b, (float *)o->c);
    else if (o->dtype == FSR_F64)
        plain_f64(o->m, (const double *)o->a, (const double *)o->b, (double *)o->c);
    else if (o->dtype == FSR_C64)
        plain_c64(o->m, (const float *)o->a, (const float *)o->b, (float *)o->c);
    else
        plain_c128(o->m, (const double *)o->a, (const double *)o->b, (double *)o->c);
}

static bool fits(const fsr_matmul *m) {
    return m->m <= INT_MAX && m->n <= INT_MAX && m->k <= INT_MAX && m->a_lead <= INT_MAX && m->b_lead <= INT_MAX &&
           m->c_lead <= INT_MAX;
}

/* Either call's products, to `out`. */
static fsr_status multiply(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                           fsr_fault *fault) {
    const fsr_matmul *m = fsr_matmul_of(call->called);
    const fsr_dtype dtype = call->array[call->nin].dtype;
    const int64_t size = (int64_t)fsr_dtype_size(dtype), sets = fsr_matmul_sets(m), last = FSR_MATMUL_BATCHES - 1;
    const int wanted = crew->threads ? fsr_thread_pool_size(crew->threads) : 1;
    fsr_blas blas;
    if (call->array[0].dtype != dtype)
        return fsr_fault_set(fault, FSR_ERR_UNSUPPORTED, "matmul of %s on a CPU", fsr_dtype_name(call->array[0].dtype));
    const bool few = work && fsr_few_columns_here(crew, m, dtype), have = !few && fits(m) && fsr_blas_find(&blas);
    const int before = have ? blas.threads() : wanted; /* the process's, which others use too */
    if (before != wanted)
        blas.set_threads(wanted);
    for (int64_t i = 0; i < sets; i++)
        for (int64_t j = 0; j < m->batches[last]; j++) {
            int64_t at[3];
            fsr_matmul_set(m, i, at);
            const one o = {m, dtype, (const char *)array[0] + (at[0] + j * m->a_step[last]) * size,
                           (const char *)array[1] + (at[1] + j * m->b_step[last]) * size,
                           (char *)array[call->nin] + (at[2] + j * m->c_step[last]) * size};
            if (few)
                fsr_few_columns_multiply(crew, &(fsr_few_columns){m, dtype, o.a, o.b, o.c}, work);
            else if (have)
                by_blas(&blas, &o);
            else
                by_loops(&o);
        }
    if (before != wanted)
        blas.set_threads(before);
    return FSR_OK;
}

fsr_status fsr_cpu_matmul(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                          fsr_fault *fault) {
    return multiply(crew, call, array, work, fault);
}

/* No plan for a CPU has one: its kernels add a bias with all threads. */
fsr_status fsr_cpu_matmul_epilogue(const fsr_crew *crew, const fsr_library_call *call, void *const *array, void *work,
                                   fsr_fault *fault) {
    const fsr_epilogue *e = fsr_epilogue_of(call->called);
    const float scale = fsr_epilogue_scale(e), *bias = call->nin > 2 ? (const float *)array[2] + e->bias_offset : NULL;
    float *out = array[call->nin];
    const fsr_status status = multiply(crew, call, array, work, fault);
    for (int64_t i = 0; i < e->product.m && !status; i++)
        for (int64_t j = 0; j < e->product.n; j++) {
            float *to = out + i * e->product.n + j;
            *to = bias ? *to * scale + bias[j] : *to * scale;
        }
    return status;
}
