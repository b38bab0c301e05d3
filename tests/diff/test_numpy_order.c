/* SPDX-License-Identifier: MIT */
/* Places by several keys, values by a key, ranks and modes against what NumPy 2 gave, bit by bit but for NaN and the
 * sign of the zero that is a mode: tests/numpy/order.txt, which tests/numpy/order.py writes and explains. */
#include "tests/support/subject.h"
#include "tests/support/table.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256, FLAT = 99 };

typedef struct entry {
    char function[16];
    fsr_dtype dtype, result;
    int axis, ndim;
    int64_t shape[FSR_MAX_DIMS], n, nwant, ncounts;
    uint64_t x[MOST], y[MOST], want[MOST], counts[MOST]; /* of the dtype's size, side by side */
} entry;

static bool is(const entry *e, const char *function) {
    return strcmp(e->function, function) == 0;
}

static void read_line(char *line, entry *e) {
    char name[8];
    int used;
    assert_int_equal(sscanf(line, "%15s %7s %d %n", e->function, name, &e->axis, &used), 3);
    e->dtype = fsr_dtype_from_name(name);
    const bool places = is(e, "lexsort") || is(e, "rank");
    e->result = places ? FSR_I64 : e->dtype;
    char *at = line + used;
    const size_t size = fsr_dtype_size(e->dtype);
    e->n = table_shape(&at, &e->ndim, e->shape);
    assert_int_equal(table_words(&at, 16, size, MOST, e->x), e->n);
    assert_int_equal(table_words(&at, 16, size, MOST, e->y), e->n);
    e->nwant = table_words(&at, places ? 10 : 16, fsr_dtype_size(e->result), MOST, e->want);
    e->ncounts = table_words(&at, 10, 8, MOST, e->counts);
}

/* How many results. */
static int record(const entry *e, fsr_node *out) {
    const int *axes = e->axis == FLAT ? NULL : &e->axis;
    fsr_node x = fsr_from_host(subject_g, e->dtype, e->ndim, e->shape, e->x);
    fsr_node y = fsr_from_host(subject_g, e->dtype, e->ndim, e->shape, e->y);
    if (is(e, "mode")) {
        fsr_mode(out, x, axes, 1, 0);
        return 2;
    }
    out[0] = is(e, "rank")          ? fsr_rank(x, axes, 1, 0)
             : is(e, "sort_by_key") ? fsr_sort_by_key(y, x, axes, 1, 0)
                                    : fsr_lexsort(((fsr_node[]){y, x}), 2, axes, 1);
    return 1;
}

/* A zero without its sign where it is the mode's: of those of both signs, which are equal, any is. */
static bool same(const entry *e, fsr_dtype dtype, uint64_t a, uint64_t b) {
    const uint64_t top = dtype >= FSR_F16 ? UINT64_C(1) << (8 * (int)fsr_dtype_size(dtype) - 1) : 0;
    return a == b || (table_is_nan(dtype, a) && table_is_nan(dtype, b)) || (is(e, "mode") && ((a | b) & ~top) == 0);
}

static void expect(const entry *e, fsr_node x, const void *want, int64_t n, int line) {
    const fsr_dtype dtype = fsr_node_dtype(x);
    const size_t size = fsr_dtype_size(dtype);
    assert_int_equal(fsr_node_size(x), n);
    unsigned char *got = subject_read(x);
    for (int64_t i = 0; i < n; i++) {
        const uint64_t a = table_word(got, i, size), b = table_word(want, i, size);
        if (!same(e, dtype, a, b))
            fail_msg("line %d, %s of %s, element %lld: %llx, NumPy's %llx", line, e->function, fsr_dtype_name(e->dtype),
                     (long long)i, (unsigned long long)a, (unsigned long long)b);
    }
    free(got);
    subject_count("elements", n);
}

static void check(char *line, int number, void *user) {
    entry e;
    fsr_node out[2];
    if (number % *(const int *)user)
        return;
    read_line(line, &e);
    const int n = record(&e, out);
    OK(fsr_compute(out, n));
    assert_int_equal(fsr_node_dtype(out[0]), e.result);
    expect(&e, out[0], e.want, e.nwant, number);
    if (n > 1)
        expect(&e, out[1], e.counts, e.ncounts, number);
}

static void all_lines(void **state) {
    (void)state;
    int every = 1;
    assert_true(table_rows("tests/numpy/order.txt", check, &every) > 300);
}

static void some_lines(void **state) {
    (void)state;
    int every = 11;
    assert_true(table_rows("tests/numpy/order.txt", check, &every) > 300);
}

/* All by the reference, which compiles nothing, and some by kernels. */
int main(void) {
    const struct CMUnitTest all[] = {SUBJECT_TEST(all_lines)}, some[] = {SUBJECT_TEST(some_lines)};
    const int failed = subject_main(FSR_BACKEND_REFERENCE, all, COUNT_OF(all));
    return failed ? failed : subject_main(SUBJECT_BACKEND, some, COUNT_OF(some));
}
