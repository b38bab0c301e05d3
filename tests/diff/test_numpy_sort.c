/* SPDX-License-Identifier: MIT */
/* Sorted elements and places against what NumPy 2 gave, bit by bit but for NaN: tests/numpy/sort.txt, which
 * tests/numpy/sort.py writes and explains. */
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
