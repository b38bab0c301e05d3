/* Results larger than the last cache, which the CPU backend writes past it: every element, wherever the caller's memory
 * begins, and nothing beside it. */
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

/* `at` is aligned as an element of `size` bytes, and no better. */
static memory take(int64_t n, size_t size) {
    memory m = {.bytes = (size_t)n * size};
    m.all = malloc(m.bytes + 2 * GUARD);
    assert_non_null(m.all);
    memset(m.all, 0xa5, m.bytes + 2 * GUARD);
    m.at = m.all + GUARD - size;
    return m;
}

static void give(memory *m, size_t size) {
    for (size_t i = 0; i < GUARD - size; i++)
        assert_int_equal(m->all[i], 0xa5);
    for (size_t i = GUARD - size + m->bytes; i < m->bytes + 2 * GUARD; i++)
        assert_int_equal(m->all[i], 0xa5);
    free(m->all);
}

static void run(fsr_context *ctx, const fsr_node *out, const memory *m) {
    fsr_plan *plan;
    const fsr_arg results[] = {{NULL, m[0].at, m[0].bytes, FSR_DEVICE}, {NULL, m[1].at, m[1].bytes, FSR_DEVICE}};
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
        memory m[] = {take(n, 4), take(n, 1)};
        run(ctx, out, m);
        for (int64_t k = 0; k < n; k++) {
            int32_t value = (int32_t)k + (rows ? weight[k % COLS] : 0), got;
            memcpy(&got, m[0].at + 4 * k, 4);
            if (got != 3 * value || m[1].at[k] != !(value & 4))
                fail_msg("%d: element %lld of %lld: %d %d", rows, (long long)k, (long long)n, got, m[1].at[k]);
        }
        give(&m[0], 4);
        give(&m[1], 1);
        fsr_graph_free(g);
    }
    fsr_close(ctx);
}

static const struct CMUnitTest tests[] = {cmocka_unit_test(written_once)};
SUBJECT_MAIN(tests)
