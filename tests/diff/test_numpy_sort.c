/* SPDX-License-Identifier: MIT */
/* Sorted elements and places, the first k of them and those of a rank against what NumPy 2 gave, bit by bit but for NaN
 * and, of a rank, the sign of a zero: tests/numpy/sort.txt, which tests/numpy/sort.py writes and explains. */
#include "tests/support/subject.h"
#include "tests/support/table.h"
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 256, FLAT = 99 };

typedef struct entry {
    fsr_dtype dtype;
    int axis, ndim;
    int64_t shape[FSR_MAX_DIMS], n, place[MOST];
    uint64_t element[MOST], sorted[MOST]; /* of the dtype's size, side by side */
} entry;

static void read_line(char *line, entry *e) {
    char name[8];
    int used;
    assert_int_equal(sscanf(line, "%7s %d %n", name, &e->axis, &used), 2);
    e->dtype = fsr_dtype_from_name(name);
    char *at = line + used;
    const size_t size = fsr_dtype_size(e->dtype);
    e->n = table_shape(&at, &e->ndim, e->shape);
    assert_int_equal(table_words(&at, 16, size, MOST, e->element), e->n);
    assert_int_equal(table_words(&at, 16, size, MOST, e->sorted), e->n);
    assert_int_equal(table_words(&at, 10, 8, MOST, e->place), e->n);
}

/* Element j of row i along the axis, of rows that `inner` elements lie between and of so many elements. */
static int64_t at(int64_t i, int64_t j, int64_t length, int64_t inner) {
    return i / inner * length * inner + j * inner + i % inner;
}

/* As an element of x, NaN being one, and a zero that may have either sign. */
static bool same(fsr_dtype dtype, uint64_t a, uint64_t b, bool any_zero) {
    const uint64_t sign = dtype >= FSR_F16 && any_zero ? UINT64_C(1) << (8 * (int)fsr_dtype_size(dtype) - 1) : 0;
    return a == b || (table_is_nan(dtype, a) && table_is_nan(dtype, b)) || ((a | b) & ~sign) == 0;
}

/* The first k along the axis, and the last one of these by its rank: what is sorted has them in front. */
static void check_first(const entry *e, fsr_node x, int number) {
    const size_t size = fsr_dtype_size(e->dtype);
    const bool flat = e->axis == FLAT;
    const int axis = flat ? 0 : e->axis < 0 ? e->axis + e->ndim : e->axis, *axes = flat ? NULL : &axis;
    const int64_t length = flat ? e->n : e->shape[axis], k = number % 3 ? length / 2 + 1 : length;
    int64_t inner = 1;
    for (int j = axis + 1; !flat && j < e->ndim; j++)
        inner *= e->shape[j];
    fsr_node out[] = {fsr_topk(x, k, axes, 1, 0), fsr_argtopk(x, k, axes, 1, 0),
                      fsr_kth(x, number % 2 ? k - 1 : k - 1 - length, axes, 1, 0)};
    OK(fsr_compute(out, 3));
    unsigned char *first = subject_read(out[0]), *kth = subject_read(out[2]);
    int64_t *place = subject_read(out[1]);
    for (int64_t i = 0; i < e->n / length; i++)
        for (int64_t j = 0; j < k; j++) {
            const int64_t got = at(i, j, k, inner), want = at(i, j, length, inner);
            if (!same(e->dtype, table_word(first, got, size), table_word(e->sorted, want, size), false) ||
                place[got] != e->place[want])
                fail_msg("line %d, the first %lld: row %lld, element %lld", number, (long long)k, (long long)i,
                         (long long)j);
            if (j == k - 1 && !same(e->dtype, table_word(kth, i, size), table_word(e->sorted, want, size), true))
                fail_msg("line %d, rank %lld of row %lld", number, (long long)j, (long long)i);
        }
    free(first);
    free(kth);
    free(place);
}

static void check(char *line, int number, void *user) {
    entry own, *e = &own;
    (void)user;
    read_line(line, e);
    const size_t size = fsr_dtype_size(e->dtype);
    const int *axes = e->axis == FLAT ? NULL : &e->axis;
    fsr_node x = fsr_from_host(subject_g, e->dtype, e->ndim, e->shape, e->element);
    fsr_node out[] = {fsr_sort(x, axes, 1, 0), fsr_argsort(x, axes, 1, 0)};
    OK(fsr_compute(out, 2));
    assert_int_equal(fsr_node_ndim(out[0]), axes ? e->ndim : 1);
    unsigned char *sorted = subject_read(out[0]);
    int64_t *place = subject_read(out[1]);
    for (int64_t i = 0; i < e->n; i++) {
        const uint64_t got = table_word(sorted, i, size), want = table_word(e->sorted, i, size);
        if (table_is_nan(e->dtype, want) ? !table_is_nan(e->dtype, got) : got != want)
            fail_msg("line %d, element %lld: %llx, NumPy's %llx", number, (long long)i, (unsigned long long)got,
                     (unsigned long long)want);
        if (place[i] != e->place[i])
            fail_msg("line %d, place %lld: %lld, NumPy's %lld", number, (long long)i, (long long)place[i],
                     (long long)e->place[i]);
    }
    free(sorted);
    free(place);
    check_first(e, x, number);
    subject_count("elements", e->n);
}

static void as_numpy(void **state) {
    (void)state;
    assert_true(table_rows("tests/numpy/sort.txt", check, NULL) > 200);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(as_numpy)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
