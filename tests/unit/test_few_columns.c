/* SPDX-License-Identifier: MIT */
/* Products with few columns against their definition in long double: sizes about tiles, panels and depths, both forms
 * of b, matrices that are parts of others; the same bits with either vectors, with threads and without. */
#include "backend_cpu/run/few_columns.h"
#include "graph/size.h"
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { GUARD = 77 };

typedef struct sizes {
    int64_t m, n, k, a_lead, b_lead, c_lead;
    bool flipped;
} sizes;

static const sizes cases[] = {
    {128, 16, 32, 32, 16, 16, false},     {131, 64, 100, 100, 100, 64, true},    {133, 65, 33, 40, 70, 66, false},
    {129, 128, 50, 50, 128, 128, false},  {137, 17, 1024, 1024, 1024, 17, true}, {139, 47, 1025, 1030, 1027, 50, true},
    {130, 63, 2100, 2100, 63, 63, false}, {257, 100, 64, 64, 64, 101, true},     {510, 96, 37, 37, 96, 96, false}};

static void *memory(fsr_dtype dtype, int64_t n, int stream) {
    char *out = calloc((size_t)n, fsr_dtype_size(dtype));
    assert_non_null(out);
    for (int64_t i = 0; i < n; i++) {
        const double x = (double)((i * 7919 + stream * 31) % 2003) / 1000 - 1;
        if (dtype == FSR_F32)
            ((float *)(void *)out)[i] = (float)x;
        else
            ((double *)(void *)out)[i] = x;
    }
    return out;
}

static long double get(fsr_dtype dtype, const void *x, int64_t i) {
    return dtype == FSR_F32 ? (long double)((const float *)x)[i] : ((const double *)x)[i];
}

static void expect_product(const sizes *s, fsr_dtype dtype, const void *a, const void *b, const void *c) {
    const long double bound = (long double)s->k * (dtype == FSR_F32 ? 0x1p-24L : 0x1p-53L);
    for (int64_t i = 0; i < s->m; i++)
        for (int64_t j = 0; j < s->c_lead; j++) {
            long double sum = 0, magnitude = 0;
            for (int64_t p = 0; p < s->k && j < s->n; p++) {
                const long double x = get(dtype, a, i * s->a_lead + p) *
                                      get(dtype, b, s->flipped ? p + j * s->b_lead : p * s->b_lead + j);
                sum += x;
                magnitude += fabsl(x);
            }
            const long double got = get(dtype, c, i * s->c_lead + j);
            if (j >= s->n ? got != GUARD : !(fabsl(got - sum) <= bound * magnitude))
                fail_msg("%lld x %lld x %lld, [%lld, %lld]: %Lg instead of %Lg", (long long)s->m, (long long)s->k,
                         (long long)s->n, (long long)i, (long long)j, got, j >= s->n ? (long double)GUARD : sum);
        }
}

static fsr_matmul words(const sizes *s) {
    return (fsr_matmul){.m = s->m,
                        .n = s->n,
                        .k = s->k,
                        .a_lead = s->a_lead,
                        .b_flipped = s->flipped,
                        .b_lead = s->b_lead,
                        .c_lead = s->c_lead,
                        .batches = {1, 1, 1, 1, 1}};
}

static void multiply(fsr_thread_pool *threads, fsr_simd simd, const sizes *s, fsr_dtype dtype, const void *a,
                     const void *b, void *c) {
    const fsr_crew crew = {threads, simd};
    const fsr_matmul m = words(s);
    void *room = malloc((size_t)(fsr_round_up(m.n, FSR_MATMUL_FEW_STEP) * m.k) * fsr_dtype_size(dtype));
    assert_non_null(room);
    fsr_few_columns_multiply(&crew, &(fsr_few_columns){&m, dtype, a, b, c}, room);
    free(room);
}

static void products_of(fsr_dtype dtype, fsr_thread_pool *threads, int *done) {
    const fsr_simd best = fsr_simd_of(FSR_ISA_NATIVE);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const sizes *s = &cases[i];
        const size_t bytes = (size_t)(s->m * s->c_lead) * fsr_dtype_size(dtype);
        void *a = memory(dtype, s->m * s->a_lead, 1), *b = memory(dtype, (s->flipped ? s->n : s->k) * s->b_lead, 2);
        void *c = malloc(bytes), *first = NULL;
        assert_non_null(c);
        for (int simd = best; simd > FSR_SIMD_NONE; simd--)
            for (int alone = 0; alone < 2; alone++) {
                for (int64_t e = 0; e < s->m * s->c_lead; e++)
                    if (dtype == FSR_F32)
                        ((float *)c)[e] = GUARD;
                    else
                        ((double *)c)[e] = GUARD;
                multiply(alone ? NULL : threads, (fsr_simd)simd, s, dtype, a, b, c);
                ++*done;
                if (!first) {
                    expect_product(s, dtype, a, b, c);
                    first = malloc(bytes);
                    assert_non_null(first);
                    memcpy(first, c, bytes);
                }
                assert_memory_equal(c, first, bytes);
            }
        free(first);
        free(a);
        free(b);
        free(c);
    }
}

static void products(void **state) {
    fsr_thread_pool *threads = fsr_thread_pool_new(3);
    int done = 0;
    (void)state;
    assert_non_null(threads);
    products_of(FSR_F32, threads, &done);
    products_of(FSR_F64, threads, &done);
    fsr_thread_pool_free(threads);
    printf("%d products\n", done);
    assert_true(done > 0 || fsr_simd_of(FSR_ISA_NATIVE) == FSR_SIMD_NONE);
}

/* An infinity and a NaN reach the elements that they are multiplied for, not those beside them in a vector. */
static void others_see_nothing(void **state) {
    const sizes s = {130, 33, 40, 40, 33, 33, false};
    float *a = memory(FSR_F32, s.m * s.a_lead, 1), *b = memory(FSR_F32, s.k * s.b_lead, 2);
    float *c = malloc((size_t)(s.m * s.n) * sizeof *c);
    (void)state;
    assert_non_null(c);
    a[7 * s.a_lead + 3] = (float)INFINITY;
    b[5 * s.b_lead + 32] = NAN;
    if (fsr_simd_of(FSR_ISA_NATIVE) != FSR_SIMD_NONE) {
        multiply(NULL, fsr_simd_of(FSR_ISA_NATIVE), &s, FSR_F32, a, b, c);
        for (int64_t i = 0; i < s.m; i++)
            for (int64_t j = 0; j < s.n; j++)
                assert_true(isfinite(c[i * s.n + j]) == (i != 7 && j != 32));
    }
    free(a);
    free(b);
    free(c);
}

/* What is left to the library: rows that lie apart, many columns, few rows or elements, other dtypes; with AVX2
 * more. */
static void others(void **state) {
    const sizes s = {1300, 33, 60, 60, 33, 33, false};
    const fsr_crew wide = {NULL, FSR_SIMD_AVX512}, narrow = {NULL, FSR_SIMD_AVX2}, none = {NULL, FSR_SIMD_NONE};
    fsr_matmul m = words(&s);
    (void)state;
    assert_int_equal(fsr_matmul_room(&m, FSR_F32), 48 * 60 * 4);
    assert_int_equal(fsr_matmul_room(&m, FSR_F64), 48 * 60 * 8);
    assert_int_equal(fsr_matmul_room(&m, FSR_C64), 0);
    assert_false(fsr_few_columns_here(&none, &m, FSR_F32));
    if (fsr_simd_of(FSR_ISA_NATIVE) != FSR_SIMD_NONE) {
        assert_true(fsr_few_columns_here(&wide, &m, FSR_F32));
        assert_false(fsr_few_columns_here(&narrow, &m, FSR_F32));
        m.m = 13000;
        assert_true(fsr_few_columns_here(&narrow, &m, FSR_F32));
        m.n = 65;
        assert_false(fsr_few_columns_here(&narrow, &m, FSR_F32));
        assert_true(fsr_few_columns_here(&wide, &m, FSR_F32));
    }
    const struct {
        int64_t m, n, k, a_flipped;
    } left[] = {{1300, 33, 60, 1},  {1300, 129, 60, 0}, {1300, 15, 60, 0},
                {127, 33, 6000, 0}, {1000, 33, 60, 0},  {1300, 33, 70000, 0}};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        m.m = left[i].m, m.n = left[i].n, m.k = left[i].k, m.a_flipped = left[i].a_flipped;
        assert_int_equal(fsr_matmul_room(&m, FSR_F32), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(others_see_nothing),
                                       cmocka_unit_test(others)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
