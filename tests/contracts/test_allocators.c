/* SPDX-License-Identifier: MIT */
/* The caller's allocators (fsr_config.host_memory): arrays and workspace come from them, aligned and with the bytes
 * that are given back; no room is an error and the context goes on; everything is given back at fsr_close.
 * tests/trust/test_allocators.c runs the same with device_memory on a driver that is none. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

typedef struct own {
    int64_t taken, given, live, bytes, most, limit; /* limit: bytes that there is room for */
    int wrong, askew;                               /* askew: so many addresses, next, are not aligned */
} own;

/* Before each block stands how large it is. */
static void *take(void *user, size_t bytes, size_t alignment) {
    own *o = user;
    unsigned char *block;
    if (alignment != 256 || bytes == 0)
        o->wrong++;
    if (o->bytes + (int64_t)bytes > o->limit)
        return NULL;
    block = aligned_alloc(256, (bytes + 511 + 255) / 256 * 256);
    if (!block)
        return NULL;
    unsigned char *data = block + 256 + (o->askew > 0 ? 8 : 0);
    o->askew -= o->askew > 0;
    memcpy(block, &bytes, sizeof bytes);
    o->taken++;
    o->live++;
    o->bytes += (int64_t)bytes;
    o->most = o->bytes > o->most ? o->bytes : o->most;
    return data;
}

static void give(void *user, void *data, size_t bytes) {
    own *o = user;
    unsigned char *block = (unsigned char *)((uintptr_t)data / 256 * 256 - 256);
    size_t had;
    memcpy(&had, block, sizeof had);
    o->wrong += had != bytes;
    o->given++;
    o->live--;
    o->bytes -= (int64_t)bytes;
    free(block);
}

static fsr_context *open_own(own *o, int64_t limit) {
    *o = (own){.limit = limit};
    const fsr_allocator from = {take, give, o};
    fsr_config config = subject_config();
    config.host_memory = config.device_memory = &from; /* copied by fsr_open */
    return subject_open(&config);
}

static double total(fsr_graph *g, int64_t n) {
    fsr_node x = fsr_arange(g, FSR_F64, n), y = fsr_cumsum(x, AXES(0), 1, 0), s = fsr_sum(x, NULL, 0, 0);
    double value = -1;
    subject_ok(fsr_compute((fsr_node[]){y, s}, 2), "computing with memory of the caller's");
    subject_ok(fsr_read(s, &value, sizeof value), "reading");
    return value;
}

static void arrays_come_from_it(void **state) {
    (void)state;
    own o;
    fsr_context *ctx = open_own(&o, INT64_MAX / 2);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_scope_begin(g);
    assert_true(total(g, 100000) == 4999950000.0);
    assert_true(o.most >= 800000 && o.live > 0);
    fsr_scope_end(g, NULL, 0);
    const int64_t taken = o.taken;
    fsr_scope_begin(g);
    assert_true(total(g, 100000) == 4999950000.0);
    fsr_scope_end(g, NULL, 0);
    assert_int_equal(o.taken, taken); /* freed blocks are used again */
    OK(fsr_trim(ctx));
    assert_true(o.given > 0);
    void *data;
    OK(fsr_alloc(ctx, FSR_DEVICE, 12345, &data));
    OK(fsr_free(ctx, FSR_DEVICE, data));
    OK(fsr_alloc(ctx, FSR_HOST, 12345, &data));
    memset(data, 1, 12345);
    fsr_close(ctx);
    assert_int_equal(o.live, 0);
    assert_int_equal(o.bytes, 0);
    assert_int_equal(o.wrong, 0);
}

static void no_room(void **state) {
    (void)state;
    own o;
    fsr_context *ctx = open_own(&o, 4 << 20);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node large = fsr_add(fsr_arange(g, FSR_F64, 1 << 20), fsr_float(g, 1));
    const fsr_status want = SUBJECT_BACKEND == FSR_BACKEND_CPU ? FSR_ERR_MEMORY : FSR_ERR_DEVICE_MEMORY;
    subject_error(ctx, fsr_force(large), want, "memory");
    assert_true(total(g, 1000) == 499500);
    o.limit = 64 << 20;
    OK(fsr_force(large));
    fsr_close(ctx);
    assert_int_equal(o.live, 0);
    assert_int_equal(o.wrong, 0);
}

/* An address that is not aligned is given back, and counts as no room; the next ones are used. */
static void not_aligned(void **state) {
    (void)state;
    own o;
    fsr_context *ctx = open_own(&o, INT64_MAX / 2);
    fsr_graph *g = fsr_graph_new(ctx);
    assert_true(total(g, 1000) == 499500);
    const int64_t given = o.given;
    o.askew = 1000;
    fsr_node large = fsr_add(fsr_arange(g, FSR_F64, 1 << 20), fsr_float(g, 1));
    const fsr_status want = SUBJECT_BACKEND == FSR_BACKEND_CPU ? FSR_ERR_MEMORY : FSR_ERR_DEVICE_MEMORY;
    subject_error(ctx, fsr_force(large), want, "memory");
    assert_true(o.given > given);
    o.askew = 0;
    OK(fsr_force(large));
    fsr_close(ctx);
    assert_int_equal(o.live, 0);
    assert_int_equal(o.wrong, 0);
}

static void half_an_allocator(void **state) {
    (void)state;
    const fsr_allocator half[] = {{take, NULL, NULL}, {NULL, give, NULL}};
    for (int i = 0; i < 4; i++) {
        fsr_config config = subject_config();
        fsr_context *ctx = NULL;
        char why[200];
        *(i % 2 ? &config.host_memory : &config.device_memory) = &half[i / 2];
        assert_int_equal(fsr_open_why(&config, &ctx, why, sizeof why), FSR_ERR_NULL);
        assert_null(ctx);
        assert_non_null(strstr(why, "an allocator has no take or no give"));
    }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(arrays_come_from_it), SUBJECT_TEST(no_room),
                                          SUBJECT_TEST(not_aligned), SUBJECT_TEST(half_an_allocator)};
#ifndef SUBJECT_OWN_MAIN
SUBJECT_MAIN(tests)
#endif
