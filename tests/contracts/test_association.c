/* SPDX-License-Identifier: MIT */
/* What the reference's bounds believe of every tree that a reduction or scan is folded by: how deep it is, and that
 * chains go from left to right. The tree is asked itself, by an operator that counts: how often an element was in the
 * left operand, and how often in the right one. It is not associative, which nothing checks, so its result tells the
 * tree. Folds with the identity change no number and count for nothing. */
#include "backend_cpu/reference/fold.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>

static const double none = -1e6; /* the identity's counts */

static fsr_node number(fsr_node like, double x) {
    return fsr_float(like.graph, x);
}

/* State: the most that any element was in a left operand, and in a right one. */
static void sides(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    fsr_node no_left = fsr_less(l[0], number(l[0], 0)), no_right = fsr_less(r[0], number(r[0], 0));
    fsr_node left = fsr_maximum(fsr_add(l[0], number(l[0], 1)), r[0]);
    fsr_node right = fsr_maximum(l[1], fsr_add(r[1], number(r[1], 1)));
    out[0] = fsr_where(no_left, r[0], fsr_where(no_right, l[0], left));
    out[1] = fsr_where(no_left, r[1], fsr_where(no_right, l[1], right));
}

/* The same of either operand, beside a number that makes the state as large. */
static void depths(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    fsr_node no_left = fsr_less(l[0], number(l[0], 0)), no_right = fsr_less(r[0], number(r[0], 0));
    fsr_node deeper = fsr_add(fsr_maximum(l[0], r[0]), number(l[0], 1));
    out[0] = fsr_where(no_left, r[0], fsr_where(no_right, l[0], deeper));
    out[1] = fsr_maximum(l[1], r[1]);
}

static const fsr_operator ordered = {sides, NULL, 2, {-1e6, -1e6}, false, {NULL}};
static const fsr_operator any_order = {depths, NULL, 2, {-1e6, -1e6}, true, {NULL}};

static const int64_t lengths[] = {1,    2,    3,    31,   32,   33,    257,    512,    513,
                                  1023, 4095, 4096, 4097, 8192, 20000, 100003, 1 << 20};

static void check(fsr_node x, double most, const char *what, fsr_dtype dtype, int64_t n) {
    double found = subject_value(fsr_max(fsr_cast(x, FSR_F64), NULL, 0, 0), 0);
    if (!(found <= most && found > none))
        fail_msg("%s of %lld %s: %g, at most %g is stated", what, (long long)n, fsr_dtype_name(dtype), found, most);
    if (n == lengths[COUNT_OF(lengths) - 1])
        print_message("%s of %lld %s: %g of %g\n", what, (long long)n, fsr_dtype_name(dtype), found, most);
}

/* Counts of 0, of an array that no literal stands for. */
static fsr_node zeros(fsr_dtype dtype, int ndim, const int64_t *shape) {
    int64_t size = 1;
    for (int i = 0; i < ndim; ++i)
        size *= shape[i];
    void *data = calloc((size_t)size, fsr_dtype_size(dtype));
    assert_non_null(data);
    fsr_node x = fsr_from_host(subject_g, dtype, ndim, shape, data);
    free(data);
    return x;
}

/* Of a scan of n, as docs/semantics.md states it: a GPU walks down a column with one thread, else strips and tiles
 * do. */
static double scan_depth(int axis, int64_t n) {
    if (axis == 0 && SUBJECT_BACKEND == FSR_BACKEND_CUDA)
        return fsr_ref_scan_depth(n);
    return fmin(fsr_ref_scan_depth(n), 4096 + ceil(log2((double)n)) + (double)(n >> 9));
}

static void check_scans(fsr_node x, int axis, fsr_dtype dtype, int64_t n, unsigned flags) {
    fsr_node in[2] = {x, x}, out[2];
    fsr_scan_with(out, in, &ordered, AXES(axis), 1, flags);
    OK(fsr_compute(out, 2));
    check(out[0], scan_depth(axis, n), "left, scan", dtype, n);
    check(out[1], fsr_ref_right_depth(n), "right, scan", dtype, n);
    fsr_scan_with(out, in, &any_order, AXES(axis), 1, flags);
    check(out[0], scan_depth(axis, n), "depth, scan", dtype, n);
}

static void check_all(fsr_node x, int axis, fsr_dtype dtype, int64_t n) {
    fsr_node in[2] = {x, x}, out[2];
    fsr_reduce_with(out, in, &ordered, &axis, 1, 0);
    OK(fsr_compute(out, 2));
    check(out[0], fsr_ref_depth(n, false), "left, reduction", dtype, n);
    check(out[1], fsr_ref_right_depth(n), "right, reduction", dtype, n);
    fsr_reduce_with(out, in, &any_order, &axis, 1, 0);
    check(out[0], fsr_ref_depth(n, true), "depth, reduction", dtype, n);
    check_scans(x, axis, dtype, n, 0);
    check_scans(x, axis, dtype, n, FSR_REVERSE);
}

static void along_rows(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(lengths); ++s) {
        const int64_t n = lengths[s];
        check_all(zeros(FSR_F32, 2, SHAPE(n < 5000 ? 3 : 1, n)), 1, FSR_F32, n);
    }
    check_all(zeros(FSR_F64, 2, SHAPE(1, 100003)), 1, FSR_F64, 100003);
}

static void along_columns(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(lengths) - 2; ++s)
        check_all(zeros(FSR_F32, 2, SHAPE(lengths[s], 70)), 0, FSR_F32, lengths[s]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SUBJECT_TEST(along_rows),
        SUBJECT_TEST(along_columns),
    };
    int status = subject_begin(SUBJECT_BACKEND, COUNT_OF(tests));
    if (status)
        return status;
    return subject_end(cmocka_run_group_tests(tests, NULL, NULL));
}
