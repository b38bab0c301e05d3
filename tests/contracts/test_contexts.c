/* SPDX-License-Identifier: MIT */
/* Several contexts: arrays of one become leaves of another by fsr_from_node, whatever computes them, bit by bit;
 * work goes on in both. Each pair of the CPU, the device, and a second device where there is one. */
#include "fusor/transfer.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N = 100003 };

/* The context to move to and from: kind 0 the CPU, 1 the backend under test, 2 its second device; NULL: there is
 * none. */
static fsr_context *open_kind(int kind) {
    fsr_config config = subject_config();
    fsr_context *ctx = NULL;
    if (kind == 0)
        config.backend = FSR_BACKEND_CPU;
    if (kind == 2)
        config.device = 1;
    if (kind == 2 && config.backend != FSR_BACKEND_CUDA)
        return NULL;
    if (kind == 2 && fsr_open_why(&config, &ctx, NULL, 0))
        return NULL;
    return kind == 2 ? ctx : subject_open(&config);
}

static void same(fsr_node x, fsr_node y) {
    const int64_t bytes = fsr_node_bytes(x);
    assert_int_equal(fsr_node_bytes(y), bytes);
    assert_int_equal(fsr_node_dtype(y), fsr_node_dtype(x));
    void *a = malloc((size_t)bytes + 1), *b = malloc((size_t)bytes + 1);
    subject_ok(fsr_read(x, a, (size_t)bytes), "reading what was moved");
    subject_ok(fsr_read(y, b, (size_t)bytes), "reading where it was moved to");
    assert_memory_equal(a, b, (size_t)bytes);
    free(a);
    free(b);
}

/* There and back again, computed with on either side, the source's graph gone. */
static void to_and_fro(fsr_context *from, fsr_context *to) {
    fsr_graph *g = fsr_graph_new(from), *h = fsr_graph_new(to);
    for (fsr_dtype dtype = 0; dtype < FSR_DTYPE_COUNT; dtype++) {
        fsr_node x = fsr_cast(fsr_reshape(fsr_arange(g, FSR_I32, 60), 3, SHAPE(3, 4, 5)), dtype);
        same(x, fsr_from_node(h, x));
    }
    fsr_node x = fsr_add(fsr_arange(g, FSR_F32, N), fsr_float(g, 1)), y = fsr_from_node(h, x);
    fsr_scope_begin(g);
    fsr_node later = fsr_mul(x, fsr_float(g, 2)), z = fsr_mul(y, fsr_float(h, 2)), back = fsr_from_node(g, z);
    same(later, back);
    fsr_scope_end(g, NULL, 0);
    fsr_graph_free(g);
    float *values = malloc(sizeof *values * N);
    subject_ok(fsr_read(y, values, sizeof *values * N), "reading after the source's graph was freed");
    for (int i = 0; i < N; i++)
        if (values[i] != (float)(i + 1))
            fail_msg("element %d is %g", i, (double)values[i]);
    free(values);
    fsr_graph_free(h);
}

/* Each runs many steps on what the other has made, in turns: no wait of the host orders them. */
static void both_busy(fsr_context *from, fsr_context *to) {
    fsr_graph *g = fsr_graph_new(from), *h = fsr_graph_new(to);
    fsr_node x = fsr_full(g, FSR_F64, 1, SHAPE(N), 1), y;
    for (int i = 0; i < 20; i++) {
        y = fsr_add(fsr_from_node(h, x), fsr_float(h, 1));
        x = fsr_mul(fsr_from_node(g, y), fsr_float(g, 1));
    }
    double *values = malloc(sizeof *values * N);
    subject_ok(fsr_read(x, values, sizeof *values * N), "reading after many turns");
    for (int i = 0; i < N; i++)
        if (values[i] != 21)
            fail_msg("element %d is %g", i, values[i]);
    free(values);
    fsr_graph_free(g);
    fsr_graph_free(h);
}

static void pairs(void **state) {
    (void)state;
    int done = 0;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) {
            fsr_context *from = open_kind(a), *to = open_kind(b);
            if (from && to) {
                to_and_fro(from, to);
                both_busy(from, to);
                done++;
            }
            fsr_close(from);
            fsr_close(to);
        }
    printf("%d of 9 pairs of contexts\n", done);
    assert_true(done >= 4);
}

static double now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

typedef struct busy {
    fsr_context *ctx;
    fsr_plan *plan;
    void *in, *out;
} busy;

enum { BUSY_N = 1 << 24, BUSY_RUNS = 30 };
static const size_t BUSY_BYTES = sizeof(float) * BUSY_N;

static void busy_open(busy *b, fsr_context *ctx) {
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node x = fsr_input(g, "x", FSR_F32, 1, SHAPE(BUSY_N)), y = x;
    for (int i = 0; i < 30; i++)
        y = fsr_add(fsr_sin(y), x);
    *b = (busy){.ctx = ctx};
    subject_ok(fsr_compile(&y, 1, &b->plan), "compiling");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, BUSY_BYTES, &b->in), "in");
    subject_ok(fsr_alloc(ctx, FSR_DEVICE, BUSY_BYTES, &b->out), "out");
}

static void busy_start(const busy *b) {
    const fsr_arg in = {"x", b->in, BUSY_BYTES, FSR_DEVICE}, out = {NULL, b->out, BUSY_BYTES, FSR_DEVICE};
    for (int i = 0; i < BUSY_RUNS; i++)
        subject_ok(fsr_plan_run(b->plan, &in, 1, &out, 1, NULL), "running");
}

/* Milliseconds of the work of some devices, started one after the other and then waited for. */
static double busy_time(const busy *b, int n) {
    const double start = now_ms();
    for (int i = 0; i < n; i++)
        busy_start(&b[i]);
    for (int i = 0; i < n; i++)
        subject_ok(fsr_sync(b[i].ctx), "sync");
    return now_ms() - start;
}

/* Two devices work at the same time: both together take less than one after the other. */
static void two_devices_at_once(void **state) {
    (void)state;
    fsr_context *second = open_kind(2), *first = second ? open_kind(1) : NULL;
    busy b[2];
    if (!second) {
        printf("there is no second device\n");
        skip();
    }
    busy_open(&b[0], first);
    busy_open(&b[1], second);
    busy_time(b, 2);
    const double one = busy_time(b, 1), other = busy_time(b + 1, 1), both = busy_time(b, 2);
    printf("device 0: %.2f ms, device 1: %.2f ms, both at once: %.2f ms\n", one, other, both);
    if (!subject_sanitized())
        assert_true(both < 0.8 * (one + other));
    fsr_close(first);
    fsr_close(second);
}

/* Within one graph, what has a length, what is empty, 0-d, a view. */
static void kinds(void **state) {
    (void)state;
    fsr_graph *g = subject_g;
    fsr_context *other = open_kind(0);
    fsr_graph *h = fsr_graph_new(other);
    fsr_node x = fsr_arange(g, FSR_I32, 10), flat = fsr_flatnonzero(fsr_greater(x, fsr_int(g, 6)));
    fsr_node moved = fsr_from_node(h, flat);
    assert_int_equal(fsr_node_dim(moved, 0), 3);
    assert_false(fsr_node_is_live(moved));
    assert_true(subject_value(moved, 2) == 9);
    moved = fsr_from_node(h, fsr_compress(fsr_less(x, fsr_int(g, -1)), x));
    assert_int_equal(fsr_node_dim(moved, 0), 0);
    same(fsr_zeros(g, FSR_F32, 2, SHAPE(3, 0)), fsr_from_node(h, fsr_zeros(g, FSR_F32, 2, SHAPE(3, 0))));
    same(fsr_sum(x, NULL, 0, 0), fsr_from_node(h, fsr_sum(x, NULL, 0, 0)));
    same(fsr_slice(x, 0, 9, FSR_SLICE_END, -2), fsr_from_node(g, fsr_slice(x, 0, 9, FSR_SLICE_END, -2)));
    fsr_close(other);
}

static void refused(void **state) {
    (void)state;
    fsr_graph *g = subject_g, *h = fsr_graph_new(subject_ctx);
    fsr_node bad = fsr_from_node(h, fsr_add(fsr_zeros(g, FSR_F32, 1, SHAPE(3)), fsr_zeros(g, FSR_F32, 1, SHAPE(4))));
    assert_int_equal(fsr_node_status(bad), FSR_ERR_SHAPE);
    assert_non_null(strstr(fsr_node_error(bad), "from_node: add"));
    bad = fsr_from_node(h, fsr_input(g, "x", FSR_F32, 1, SHAPE(3)));
    assert_int_equal(fsr_node_status(bad), FSR_ERR_UNBOUND);
    bad = fsr_from_node(h, (fsr_node){0});
    assert_int_equal(fsr_node_status(bad), FSR_ERR_NULL);
    bad = fsr_from_node(NULL, fsr_int(g, 1));
    assert_int_not_equal(fsr_node_status(bad), FSR_OK);
    fsr_graph_free(h);
    bad = fsr_from_node(h, fsr_int(g, 1));
    assert_int_not_equal(fsr_node_status(bad), FSR_OK);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(pairs), SUBJECT_TEST(two_devices_at_once), SUBJECT_TEST(kinds),
                                          SUBJECT_TEST(refused)};
SUBJECT_MAIN(tests)
