/* SPDX-License-Identifier: MIT */
/* Results larger than the last cache, which the CPU backend writes past it: every element, wherever the caller's memory
 * begins, and nothing beside it. Likewise chains of functions, running sums, rows and filters. */
#include "runtime/backend.h"
#include "runtime/context.h"
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 << 20, GUARD = 64, COLS = 2051 };

/* Elements of 4 bytes that exceed the last cache, if that is not too much for a test. */
static int64_t elements(fsr_context *ctx) {
    fsr_target target;
    ctx->backend->ops->target(ctx->backend, &target);
    const int64_t bytes = target.cache_bytes < MOST ? target.cache_bytes : MOST;
    return (bytes / 4 / COLS + 3) * COLS;
}

typedef struct memory {
    unsigned char *all, *at;
    size_t bytes;
} memory;

/* `at` is `before` bytes before a line of memory. */
static memory take(int64_t n, size_t size, size_t before) {
    memory m = {.bytes = (size_t)n * size};
    m.all = aligned_alloc(GUARD, (m.bytes + 3 * GUARD - 1) / GUARD * GUARD);
    assert_non_null(m.all);
    memset(m.all, 0xa5, m.bytes + 2 * GUARD);
    m.at = m.all + GUARD - before;
    return m;
}

static void give(memory *m) {
    for (unsigned char *p = m->all; p < m->at; p++)
        assert_int_equal(*p, 0xa5);
    for (unsigned char *p = m->at + m->bytes; p < m->all + m->bytes + 2 * GUARD; p++)
        assert_int_equal(*p, 0xa5);
    free(m->all);
}

static void run(fsr_context *ctx, const fsr_node *out, const memory *m) {
    fsr_plan *plan;
    const fsr_arg results[] = {{NULL, m[0].at, m[0].bytes, FSR_HOST}, {NULL, m[1].at, m[1].bytes, FSR_HOST}};
    if (fsr_compile(out, 2, &plan) || fsr_plan_run(plan, NULL, 0, results, 2, NULL))
        fail_msg("%s", fsr_error(ctx));
    fsr_plan_free(plan);
}

/* One loop, and a loop a row. */
static void written_once(void **state) {
    fsr_context *ctx = subject_open(NULL);
    const int64_t n = elements(ctx);
    int32_t weight[COLS];
    (void)state;
    for (int i = 0; i < COLS; i++)
        weight[i] = 7 * i;
    for (int rows = 0; rows < 2; rows++) {
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node i = fsr_arange(g, FSR_I32, n), w = fsr_from_host(g, FSR_I32, 1, SHAPE(COLS), weight);
        if (rows)
            i = fsr_add(fsr_reshape(i, 2, SHAPE(n / COLS, COLS)), w);
        fsr_node out[] = {fsr_mul(i, fsr_int(g, 3)), fsr_less(fsr_bitwise_and(i, fsr_int(g, 4)), fsr_int(g, 1))};
        memory m[] = {take(n, 4, 4), take(n, 1, 1)};
        run(ctx, out, m);
        for (int64_t k = 0; k < n; k++) {
            int32_t value = (int32_t)k + (rows ? weight[k % COLS] : 0), got;
            memcpy(&got, m[0].at + 4 * k, 4);
            if (got != 3 * value || m[1].at[k] != !(value & 4))
                fail_msg("%d: element %lld of %lld: %d %d", rows, (long long)k, (long long)n, got, m[1].at[k]);
        }
        give(&m[0]);
        give(&m[1]);
        fsr_graph_free(g);
    }
    fsr_close(ctx);
}

/* A chain of functions, flat and in rows: as for eight elements. */
static void chained_once(void **state) {
    fsr_context *ctx = subject_open(NULL);
    const int64_t n = elements(ctx);
    float want[8], *data = malloc((size_t)n * sizeof *data);
    (void)state;
    for (int64_t k = 0; k < n; k++)
        data[k] = (float)(k & 7);
    for (int way = 0; way < 4; way++) {
        const bool rows = way & 1;
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node small = fsr_log1p(fsr_exp(fsr_cast(fsr_arange(g, FSR_I32, 8), FSR_F32)));
        OK(fsr_force(small));
        OK(fsr_read(small, want, sizeof want));
        fsr_node x = fsr_from_host(g, FSR_F32, rows + 1, rows ? SHAPE(n / COLS, COLS) : SHAPE(n), data);
        fsr_node out[] = {fsr_log1p(fsr_exp(x)), fsr_equal(x, fsr_int(g, 5))};
        memory m[] = {take(n, 4, way & 2 ? 4 : 0), take(n, 1, 1)};
        run(ctx, out, m);
        for (int64_t k = 0; k < n; k++)
            if (memcmp(m[0].at + 4 * k, &want[k & 7], 4) != 0 || m[1].at[k] != ((k & 7) == 5))
                fail_msg("%d: element %lld of %lld: %d", way, (long long)k, (long long)n, m[1].at[k]);
        give(&m[0]);
        give(&m[1]);
        fsr_graph_free(g);
    }
    free(data);
    fsr_close(ctx);
}

/* Running sums of one row and of rows that seldom begin with a line of memory, in memory that does or does not. */
static void scanned_once(void **state) {
    fsr_context *ctx = subject_open(NULL);
    const int64_t n = elements(ctx);
    (void)state;
    for (int way = 0; way < 4; way++) {
        const bool rows = way & 1;
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node i = fsr_arange(g, FSR_I32, n);
        i = rows ? fsr_reshape(i, 2, SHAPE(n / COLS, COLS)) : i;
        fsr_node x = fsr_bitwise_and(i, fsr_int(g, 7)), sum = fsr_cumsum(x, AXES(rows), 1, 0);
        fsr_node out[] = {fsr_cast(sum, FSR_I32), fsr_equal(x, fsr_int(g, 5))};
        memory m[] = {take(n, 4, way & 2 ? 4 : 0), take(n, 1, 0)};
        run(ctx, out, m);
        int32_t want = 0, got;
        for (int64_t k = 0; k < n; k++) {
            want = (rows && k % COLS == 0 ? 0 : want) + (k & 7);
            memcpy(&got, m[0].at + 4 * k, 4);
            if (got != want || m[1].at[k] != ((k & 7) == 5))
                fail_msg("%d: element %lld of %lld: %d %d", way, (long long)k, (long long)n, got, m[1].at[k]);
        }
        give(&m[0]);
        give(&m[1]);
        fsr_graph_free(g);
    }
    fsr_close(ctx);
}

/* What a loop after a reduction writes: the distance from the row's least element, in rows of whole lines and not. */
static void rows_once(void **state) {
    fsr_context *ctx = subject_open(NULL);
    (void)state;
    for (int way = 0; way < 4; way++) {
        const int64_t cols = way & 1 ? COLS : COLS / 16 * 16, n = elements(ctx) / COLS * cols;
        const int along = 1;
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node x = fsr_reshape(fsr_arange(g, FSR_I32, n), 2, SHAPE(n / cols, cols));
        fsr_node d = fsr_sub(x, fsr_min(x, &along, 1, FSR_KEEPDIMS));
        fsr_node out[] = {d, fsr_less(d, fsr_int(g, 5))};
        memory m[] = {take(n, 4, way & 2 ? 4 : 0), take(n, 1, 0)};
        run(ctx, out, m);
        for (int64_t k = 0; k < n; k++) {
            int32_t got;
            memcpy(&got, m[0].at + 4 * k, 4);
            if (got != k % cols || m[1].at[k] != (k % cols < 5))
                fail_msg("%d: element %lld of %lld: %d %d", way, (long long)k, (long long)n, got, m[1].at[k]);
        }
        give(&m[0]);
        give(&m[1]);
        fsr_graph_free(g);
    }
    fsr_close(ctx);
}

/* Filters that select a third, nothing and everything. */
static void filtered_once(void **state) {
    fsr_context *ctx = subject_open(NULL);
    const int64_t n = elements(ctx);
    (void)state;
    for (int way = 0; way < 4; way++) {
        const int64_t every = way == 1 ? 1 : way == 2 ? 2 * n : 3, kept = (n + every - 1) / every;
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node i = fsr_arange(g, FSR_I32, n), mask = fsr_equal(fsr_mod(i, fsr_int(g, every)), fsr_int(g, 0));
        fsr_node out[] = {fsr_filter(i, mask, fsr_int(g, -5)), fsr_filter(fsr_cast(i, FSR_U8), mask, fsr_int(g, 7))};
        memory m[] = {take(n, 4, way & 1 ? 4 : 0), take(n, 1, way & 1)};
        run(ctx, out, m);
        for (int64_t k = 0; k < n; k++) {
            int32_t got;
            memcpy(&got, m[0].at + 4 * k, 4);
            if (got != (k < kept ? k * every : -5) || m[1].at[k] != (k < kept ? (k * every & 255) : 7))
                fail_msg("%d: element %lld of %lld: %d %d", way, (long long)k, (long long)n, got, m[1].at[k]);
        }
        give(&m[0]);
        give(&m[1]);
        fsr_graph_free(g);
    }
    fsr_close(ctx);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(written_once), cmocka_unit_test(chained_once),
                                          cmocka_unit_test(scanned_once), cmocka_unit_test(rows_once),
                                          cmocka_unit_test(filtered_once)};
SUBJECT_MAIN(tests)
