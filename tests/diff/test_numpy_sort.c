/* SPDX-License-Identifier: MIT */
/* Sorted elements and places against what NumPy 2 gave, bit by bit but for NaN: tests/numpy/sort.txt, which
 * tests/numpy/sort.py writes and explains. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 14, MOST = 256, FLAT = 99 };

typedef struct entry {
    fsr_dtype dtype;
    int axis, ndim;
    int64_t shape[FSR_MAX_DIMS], n;
    uint64_t element[MOST], sorted[MOST], place[MOST];
} entry;

static void read_words(char **at, int base, int64_t n, uint64_t *out) {
    *at = strchr(*at, ':') + 1;
    for (int64_t i = 0; i < n; i++)
        out[i] = strtoull(*at, at, base);
}

static void read_line(char *line, entry *e) {
    char name[8];
    int used;
    assert_int_equal(sscanf(line, "%7s %d %n", name, &e->axis, &used), 2);
    e->dtype = fsr_dtype_from_name(name);
    e->n = 1;
    char *at = line + used;
    for (e->ndim = 0; *at != ' ' && *at != ':'; at += *at == ',') {
        e->shape[e->ndim] = strtoll(at, &at, 10);
        e->n *= e->shape[e->ndim++];
    }
    assert_in_range(e->n, 1, MOST);
    read_words(&at, 16, e->n, e->element);
    read_words(&at, 16, e->n, e->sorted);
    read_words(&at, 10, e->n, e->place);
}

/* Words of an element's size, side by side. */
static void pack(const uint64_t *word, int64_t n, size_t size, unsigned char *out) {
    for (int64_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * size, &word[i], size);
}

static bool is_nan(fsr_dtype dtype, uint64_t bits) {
    const int digits = dtype == FSR_F16 ? 10 : dtype == FSR_F32 ? 23 : 52, size = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t top = UINT64_C(1) << (size - 1), infinity = (top - 1) >> digits << digits;
    return dtype >= FSR_F16 && (bits & (top - 1)) > infinity;
}

static void check(const entry *e, int line) {
    const size_t size = fsr_dtype_size(e->dtype);
    unsigned char in[MOST * 8];
    pack(e->element, e->n, size, in);
    const int *axes = e->axis == FLAT ? NULL : &e->axis;
    fsr_node x = fsr_from_host(subject_g, e->dtype, e->ndim, e->shape, in);
    fsr_node out[] = {fsr_sort(x, axes, 1, 0), fsr_argsort(x, axes, 1, 0)};
    OK(fsr_compute(out, 2));
    assert_int_equal(fsr_node_ndim(out[0]), axes ? e->ndim : 1);
    unsigned char *sorted = subject_read(out[0]);
    int64_t *place = subject_read(out[1]);
    for (int64_t i = 0; i < e->n; i++) {
        uint64_t got = 0;
        memcpy(&got, sorted + (size_t)i * size, size);
        const bool nan = is_nan(e->dtype, e->sorted[i]);
        if (nan ? !is_nan(e->dtype, got) : got != e->sorted[i])
            fail_msg("line %d, element %lld: %llx, NumPy's %llx", line, (long long)i, (unsigned long long)got,
                     (unsigned long long)e->sorted[i]);
        if (place[i] != (int64_t)e->place[i])
            fail_msg("line %d, place %lld: %lld, NumPy's %lld", line, (long long)i, (long long)place[i],
                     (long long)e->place[i]);
    }
    free(sorted);
    free(place);
    subject_count("elements", e->n);
}

static void as_numpy(void **state) {
    (void)state;
    char *line = malloc(LINE);
    entry *e = malloc(sizeof *e);
    FILE *file = fopen("tests/numpy/sort.txt", "r");
    int number = 0;
    assert_non_null(line);
    assert_non_null(e);
    assert_non_null(file);
    while (fgets(line, LINE, file)) {
        read_line(line, e);
        check(e, ++number);
    }
    assert_true(number > 200);
    fclose(file);
    free(line);
    free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(as_numpy)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
