/* SPDX-License-Identifier: MIT */
/* Threads of the CPU backend: the same bits whatever their number, and none for small work. */
#include "tests/support/subject.h"
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNTS = 4, OUTS = 6 };
static const int counts[COUNTS] = {1, 2, 3, 7};

/* A program's outputs, as many as it returns. */
typedef int (*program)(fsr_graph *g, fsr_node *out);

static float *noise(int64_t n) {
    float *x = malloc((size_t)n * sizeof *x);
    uint32_t state = 99;
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)(subject_random(&state) >> 8) * 0x1p-22f - 2.0f;
    return x;
}

static fsr_node data(fsr_graph *g, int64_t rows, int64_t cols) {
    float *x = noise(rows * cols);
    fsr_node node =
        rows == 1 ? fsr_from_host(g, FSR_F32, 1, SHAPE(cols), x) : fsr_from_host(g, FSR_F32, 2, SHAPE(rows, cols), x);
    free(x);
    return node;
}

static const int axis0 = 0, axis1 = 1, swapped[] = {1, 0};

static int maps(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 1, 300007), far = fsr_mul(x, fsr_float(g, 3e5));
    out[0] = fsr_add(fsr_sin(far), fsr_exp(x));
    out[1] = fsr_pow(fsr_abs(x), fsr_cos(x));
    return 2;
}

static int transposed(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 613, 641);
    out[0] = fsr_add(fsr_transpose(x, swapped), fsr_reshape(x, 2, SHAPE(641, 613)));
    return 1;
}

static int long_reductions(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 1, 700001);
    out[0] = fsr_sum(x, NULL, 0, 0);
    out[1] = fsr_sum(fsr_mul(x, x), NULL, 0, 0);
    out[2] = fsr_min(x, NULL, 0, 0);
    out[3] = fsr_var(fsr_tanh(x), NULL, 0, 0, 0);
    out[4] = fsr_argmax(x, &axis0, 1, 0);
    out[5] = fsr_mul(x, fsr_float(g, 2));
    return 6;
}

static int two_long_rows(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 2, 263000);
    out[0] = fsr_sum(x, &axis1, 1, 0);
    out[1] = fsr_max(fsr_exp(x), &axis1, 1, 0);
    return 2;
}

static int rows(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 301, 1009), e = fsr_exp(fsr_sub(x, fsr_max(x, &axis1, 1, FSR_KEEPDIMS)));
    out[0] = fsr_div(e, fsr_sum(e, &axis1, 1, FSR_KEEPDIMS));
    return 1;
}

static int columns(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 1009, 301);
    out[0] = fsr_sum(x, &axis0, 1, 0);
    out[1] = fsr_cumsum(x, AXES(0), 1, 0);
    return 2;
}

/* Few columns, of which threads have parts: states of one and two elements, 8 and 16 bytes; what is stored on the way,
 * and what follows. */
static int few_columns(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 50021, 9), y = fsr_tanh(fsr_mul(x, fsr_float(g, 0.5)));
    out[0] = y;
    out[1] = fsr_sqrt(fsr_abs(fsr_mean(y, &axis0, 1, 0)));
    out[2] = fsr_max(x, &axis0, 1, 0);
    out[3] = fsr_var(fsr_cast(x, FSR_F64), &axis0, 1, 0, 0);
    out[4] = fsr_argmax(x, &axis0, 1, 0);
    return 5;
}

/* Of several planes each has its columns, in parts. */
static int few_columns_of_planes(fsr_graph *g, fsr_node *out) {
    fsr_node x = fsr_reshape(data(g, 1, 3 * 20011 * 12), 3, SHAPE(3, 20011, 12));
    out[0] = fsr_sum(fsr_mul(x, x), &axis1, 1, 0);
    out[1] = fsr_prod(fsr_add(fsr_mul(x, fsr_float(g, 1e-4)), fsr_float(g, 1)), &axis1, 1, 0);
    return 2;
}

/* One kernel: rows are added to one row, in pieces. */
static int rows_and_columns(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 1709, 401);
    out[0] = fsr_sum(x, &axis1, 1, 0);
    out[1] = fsr_sum(fsr_exp(x), &axis0, 1, 0);
    return 2;
}

static int long_scans(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 1, 500009);
    fsr_node s = fsr_cumsum(fsr_mul(x, x), AXES(0), 1, 0);
    out[0] = fsr_sqrt(fsr_add(s, fsr_float(g, 1)));
    out[1] = fsr_cumsum(x, AXES(0), 1, FSR_EXCLUSIVE);
    out[2] = fsr_max(s, NULL, 0, 0);
    return 3;
}

static int scans_of_rows(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 11, 70001);
    out[0] = fsr_cumsum(x, AXES(1), 1, 0);
    out[1] = fsr_cumsum(fsr_cumsum(x, AXES(1), 1, 0), AXES(1), 1, FSR_EXCLUSIVE);
    return 2;
}

/* One at a time what a filter's elements, and others, are of one thread or of several: side by side in parts that go to
 * their places when they are known. */
static int filters(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 1, 200003), mask = fsr_greater(x, fsr_float(g, 0.25)), zero = fsr_int(g, 0);
    out[0] = fsr_filter(x, mask, zero);
    out[1] = fsr_filter(fsr_cast(x, FSR_F64), mask, zero);
    out[2] = fsr_filter(fsr_cast(fsr_mul(x, fsr_float(g, 9999)), FSR_I16), mask, zero);
    out[3] = fsr_filter(fsr_cast(fsr_mul(x, fsr_float(g, 50)), FSR_I8), mask, zero);
    out[4] = fsr_count_nonzero(mask, NULL, 0, 0);
    return 5;
}

static int filter_and_sum(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 1, 200003), mask = fsr_less(x, fsr_float(g, 1));
    out[0] = fsr_filter(x, mask, fsr_float(g, 0));
    out[1] = fsr_count_nonzero(mask, NULL, 0, 0);
    out[2] = fsr_sum(x, NULL, 0, 0);
    return 3;
}

static int compressed(fsr_graph *g, fsr_node *out) {
    fsr_node x = data(g, 1, 200003), kept = fsr_compress(fsr_greater(x, fsr_float(g, 0.25)), x);
    out[0] = fsr_live_count(kept);
    out[1] = fsr_filter(x, fsr_greater(x, fsr_float(g, 0.25)), fsr_float(g, 0));
    out[2] = fsr_sum(kept, NULL, 0, 0);
    out[3] = fsr_cumsum(fsr_cast(x, FSR_F64), AXES(0), 1, 0);
    return 4;
}

static const struct {
    const char *name;
    program build;
} programs[] = {
    {"maps", maps},
    {"transposed", transposed},
    {"long reductions", long_reductions},
    {"two long rows", two_long_rows},
    {"rows", rows},
    {"columns", columns},
    {"few columns", few_columns},
    {"few columns of planes", few_columns_of_planes},
    {"rows and columns", rows_and_columns},
    {"long scans", long_scans},
    {"scans of rows", scans_of_rows},
    {"filters", filters},
    {"filter and sum", filter_and_sum},
    {"compressed", compressed},
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static fsr_context *open_with(int threads, int fusion) {
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_CPU;
    config.threads = threads;
    config.fusion = fusion;
    return subject_open(&config);
}

/* All outputs, computed with so many threads. */
static void compute(program build, int threads, int fusion, void **result, size_t *bytes, int *n) {
    fsr_context *ctx = open_with(threads, fusion);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node out[OUTS];
    *n = build(g, out);
    if (fsr_compute(out, *n))
        fail_msg("%s", fsr_error(ctx));
    for (int i = 0; i < *n; i++) {
        bytes[i] = (size_t)fsr_node_bytes(out[i]);
        result[i] = malloc(bytes[i]);
        assert_int_equal(fsr_read(out[i], result[i], bytes[i]), FSR_OK);
    }
    fsr_graph_free(g);
    fsr_close(ctx);
}

/* The fast tier has each program fused or not, the long tier the other way. */
static void threads_do_not_show(void **state) {
    (void)state;
    for (int p = 0; p < PROGRAMS; p++)
        for (int fusion = 0; fusion < 2; fusion++) {
            if (!subject_case(p, fusion == p % 2))
                continue;
            void *first[OUTS], *other[OUTS];
            size_t bytes[OUTS];
            int n;
            compute(programs[p].build, counts[0], fusion, first, bytes, &n);
            for (int c = 1; c < COUNTS; c++) {
                compute(programs[p].build, counts[c], fusion, other, bytes, &n);
                for (int i = 0; i < n; i++) {
                    if (memcmp(first[i], other[i], bytes[i]) != 0)
                        fail_msg("%s, fusion %d: output %d differs with %d threads", programs[p].name, fusion, i,
                                 counts[c]);
                    free(other[i]);
                }
            }
            for (int i = 0; i < n; i++)
                free(first[i]);
        }
}

/* Divided work is right work: the same programs against the reference, which takes its time; the fast tier has a
 * third. */
static void as_the_reference(void **state) {
    (void)state;
    for (int p = 0; p < PROGRAMS; p++) {
        if (!subject_case(p, p % 3 == 1 ? SUBJECT_FAST : SUBJECT_LONG))
            continue;
        fsr_context *ctx = open_with(3, 1);
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node out[OUTS];
        fsr_verify_report report;
        int n = programs[p].build(g, out);
        if (fsr_verify(out, n, &report))
            fail_msg("%s: %s", programs[p].name, fsr_error(ctx));
        fsr_graph_free(g);
        fsr_close(ctx);
    }
}

static int threads_now(void) {
    DIR *tasks = opendir("/proc/self/task");
    int n = 0;
    if (!tasks)
        skip();
    for (struct dirent *entry; (entry = readdir(tasks));)
        n += entry->d_name[0] != '.';
    closedir(tasks);
    return n;
}

static void small_work_starts_none(void **state) {
    (void)state;
    fsr_context *ctx = open_with(4, 1);
    fsr_graph *g = fsr_graph_new(ctx);
    int before = threads_now();
    assert_int_equal(fsr_force(fsr_sqrt(fsr_exp(fsr_sin(data(g, 1, 1024))))), FSR_OK);
    assert_int_equal(threads_now(), before);
    assert_int_equal(fsr_force(fsr_sqrt(fsr_exp(fsr_sin(data(g, 1, 1 << 20))))), FSR_OK);
    assert_int_equal(threads_now(), before + 3);
    fsr_graph_free(g);
    fsr_close(ctx);
    assert_int_equal(threads_now(), before);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(threads_do_not_show),
    SUBJECT_CASES(as_the_reference),
    SUBJECT_TEST(small_work_starts_none),
};
SUBJECT_MAIN(tests)
