/* SPDX-License-Identifier: MIT */
/* Kernels of segments and of sparse products as they are generated for a GPU, run on the host by a driver that is none
 * (fake_cuda.h), against plain loops: short segments, whose blocks are folded by loops, long ones, one that is nearly
 * all, empty ones; what is computed before and after. Elements are whole numbers, so that sums are exact in any
 * order. */
#include "tests/support/subject.h"
#include <stdio.h>

#ifndef FUSOR_HAVE_CUDA
int main(void) {
    printf("skipped: built without a CUDA toolkit's header\n");
    return 77;
}
#else
#include "tests/host_cuda/host_cuda.h"
#include "tests/trust/fake_cuda.h"
#include "tests/trust/faults.h"
#include "tests/trust/scenarios.h"
#include <stdlib.h>

enum { COLUMNS = 50, MOST = 4000 };

static fsr_context *ctx;
static fsr_graph *g;

static int setup(void **state) {
    (void)state;
    const fsr_config config = scenario_config(FSR_BACKEND_CUDA);
    fake_cuda_reset();
    ctx = scenario_open(&config);
    g = fsr_graph_new(ctx);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    fsr_close(ctx);
    return 0;
}

typedef struct segments {
    const char *what;
    int count;
    int (*length)(int s);
    int64_t offset[MOST + 1];
    float x[MOST];
    int32_t column[MOST];
} segments;

static int of_3(int s) {
    return s % 7 ? 3 : 0;
}
static int any(int s) {
    return s * 7919 % 41;
}
static int long_ones(int s) {
    return 500 + s * 37;
}
static int skewed(int s) {
    return s == 20 ? 3000 : s % 4;
}

static int64_t fill(segments *s) {
    s->offset[0] = 0;
    for (int i = 0; i < s->count; i++)
        s->offset[i + 1] = s->offset[i] + s->length(i);
    const int64_t n = s->offset[s->count];
    assert_in_range(n, 1, MOST);
    for (int64_t i = 0; i < n; i++) {
        s->x[i] = (float)(i * 7919 % 1013 - 500);
        s->column[i] = (int32_t)(i * 31 % COLUMNS);
    }
    return n;
}

/* The number with which column c is multiplied. */
static double factor(int c) {
    return (double)(c % 9 - 4);
}

/* Of segment i: the sum of twice its elements and 1, the place of the least one, the last one, and its product as a
 * row. */
static void compare(const segments *s, const float *sum, const int64_t *least, const float *last, const float *row) {
    for (int i = 0; i < s->count; i++) {
        double total = 0, product = 0;
        int64_t at = -1;
        for (int64_t k = s->offset[i]; k < s->offset[i + 1]; k++) {
            total += 2 * (double)s->x[k] + 1;
            product += (double)s->x[k] * factor(s->column[k]);
            at = at < 0 || s->x[k] < s->x[at] ? k : at;
        }
        const float end = at < 0 ? 0 : s->x[s->offset[i + 1] - 1];
        if ((double)sum[i] != total || least[i] != at || last[i] != end || (double)row[i] != product)
            fail_msg("%s: segment %d: %g %lld %g %g, not %g %lld %g %g", s->what, i, sum[i], (long long)least[i],
                     last[i], row[i], total, (long long)at, end, product);
    }
}

static void check(const char *what, int count, int (*length)(int)) {
    segments *s = calloc(1, sizeof *s);
    float sum[MOST], last[MOST], row[MOST];
    int64_t least[MOST];
    s->what = what, s->count = count, s->length = length;
    const int64_t n = fill(s);
    fsr_node x = fsr_from_host(g, FSR_F32, 1, &n, s->x),
             offsets = fsr_from_host(g, FSR_I64, 1, SHAPE(count + 1), s->offset);
    fsr_node twice = fsr_add(fsr_mul(x, fsr_float(g, 2)), fsr_float(g, 1));
    const fsr_csr a = {offsets, fsr_from_host(g, FSR_I32, 1, &n, s->column), x, count, COLUMNS};
    fsr_node v = fsr_sub(fsr_mod(fsr_arange(g, FSR_F32, COLUMNS), fsr_float(g, 9)), fsr_float(g, 4));
    fsr_node out[] = {fsr_segment_sum(twice, offsets), fsr_segment_argmin(x, offsets), fsr_segment_last(x, offsets),
                      fsr_csr_dot(&a, v)};
    if (fsr_compute(out, COUNT_OF(out)))
        fail_msg("%s: %s", what, fsr_error(ctx));
    const size_t rows = (size_t)count;
    OK(fsr_read(out[0], sum, rows * sizeof *sum));
    OK(fsr_read(out[1], least, rows * sizeof *least));
    OK(fsr_read(out[2], last, rows * sizeof *last));
    OK(fsr_read(out[3], row, rows * sizeof *row));
    compare(s, sum, least, last, row);
    free(s);
}

static void short_ones(void **state) {
    (void)state;
    check("of 3", 1000, of_3);
    check("skewed", 400, skewed);
    assert_true(fake.launches > 4);
}

static void longer_ones(void **state) {
    (void)state;
    check("any", 150, any);
    check("long", 6, long_ones);
}

/* ---- sums of many elements, by lanes ---------------------------------------------------------------------------- */

enum { MANY = 1 << 18 };

static int of_16(int s) {
    (void)s;
    return 16;
}
/* Shorter ones than a turn of lanes, and none. */
static int of_1(int s) {
    return s % 5 < 2;
}
/* The first holds half, others a block of which both ends are whole, or one more. */
static int unequal(int s) {
    return s == 0 ? MANY / 2 : s % 64 == 1 ? 1024 : s % 64 == 2 ? 257 : s % 11;
}

typedef struct many {
    int64_t *offset;
    float *x, *sum, *row;
    int32_t *column;
} many;

static void compare_many(const char *what, const many *s, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        double total = 0, product = 0;
        for (int64_t k = s->offset[i]; k < s->offset[i + 1]; k++) {
            total += 2 * (double)s->x[k] + 1;
            product += (double)s->x[k] * factor(s->column[k]);
        }
        if ((double)s->sum[i] != total || (double)s->row[i] != product)
            fail_msg("%s: segment %lld of %lld elements: %g %g, not %g %g", what, (long long)i,
                     (long long)(s->offset[i + 1] - s->offset[i]), s->sum[i], s->row[i], total, product);
    }
}

/* As many segments as the elements fill; in front of the first one and behind the last one lie a few. */
static void check_many(const char *what, int (*length)(int)) {
    const int64_t n = MANY + 5, most = 4 * n;
    many s = {malloc((size_t)(most + 1) * sizeof *s.offset), malloc((size_t)n * sizeof *s.x),
              malloc((size_t)most * sizeof *s.sum), malloc((size_t)most * sizeof *s.row),
              malloc((size_t)n * sizeof *s.column)};
    int64_t count = 0;
    assert_true(s.offset && s.x && s.sum && s.row && s.column);
    for (s.offset[0] = 3; count < most && s.offset[count] + length((int)count) <= n - 1; count++)
        s.offset[count + 1] = s.offset[count] + length((int)count);
    for (int64_t i = 0; i < n; i++) {
        s.x[i] = (float)(i * 7919 % 11 - 5);
        s.column[i] = (int32_t)(i * 31 % COLUMNS);
    }
    fsr_node x = fsr_from_host(g, FSR_F32, 1, &n, s.x),
             offsets = fsr_from_host(g, FSR_I64, 1, SHAPE(count + 1), s.offset);
    fsr_node twice = fsr_add(fsr_mul(x, fsr_float(g, 2)), fsr_float(g, 1));
    const fsr_csr a = {offsets, fsr_from_host(g, FSR_I32, 1, &n, s.column), x, count, COLUMNS};
    fsr_node v = fsr_sub(fsr_mod(fsr_arange(g, FSR_F32, COLUMNS), fsr_float(g, 9)), fsr_float(g, 4));
    fsr_node out[] = {fsr_segment_sum(twice, offsets), fsr_csr_dot(&a, v)};
    if (fsr_compute(out, COUNT_OF(out)))
        fail_msg("%s: %s", what, fsr_error(ctx));
    OK(fsr_read(out[0], s.sum, (size_t)count * sizeof *s.sum));
    OK(fsr_read(out[1], s.row, (size_t)count * sizeof *s.row));
    compare_many(what, &s, count);
    free(s.offset), free(s.x), free(s.sum), free(s.row), free(s.column);
}

static void lanes(void **state) {
    (void)state;
    check_many("of 16", of_16);
    check_many("of 1 and none", of_1);
    check_many("unequal", unequal);
    check_many("long", long_ones);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
    const struct CMUnitTest tests[] = {TEST(short_ones), TEST(longer_ones), TEST(lanes)};
    if (!host_cuda_available()) {
        printf("skipped: no C++ compiler to run kernels on the host with\n");
        return 77;
    }
    fault_fake_nvrtc(true);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
