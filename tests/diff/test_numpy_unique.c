/* SPDX-License-Identifier: MIT */
/* The different elements of an array and which elements others have, against what NumPy 2 gave, bit by bit but for NaN:
 * tests/numpy/unique.txt, which tests/numpy/unique.py writes and explains. */
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 13, MOST = 64, FIELDS = 7, VALUES = 1, FIRST, INVERSE, COUNTS, OTHERS, ISIN };

typedef struct entry {
    fsr_dtype dtype;
    int equal_nan;
    int64_t n[FIELDS];
    uint64_t word[FIELDS][MOST];
} entry;

static void read_line(char *line, entry *e) {
    char name[8];
    assert_int_equal(sscanf(line, "%7s %d", name, &e->equal_nan), 2);
    e->dtype = fsr_dtype_from_name(name);
    char *at = line;
    for (int f = 0; f < FIELDS; f++) {
        at = strchr(at, ':') + 1;
        for (e->n[f] = 0; at += strspn(at, " "), *at && *at != ':' && *at != '\n'; e->n[f]++) {
            assert_true(e->n[f] < MOST);
            e->word[f][e->n[f]] = strtoull(at, &at, f < FIRST || f == OTHERS ? 16 : 10);
        }
    }
}

static fsr_node leaf(const entry *e, int field) {
    const size_t size = fsr_dtype_size(e->dtype);
    unsigned char data[MOST * 8];
    for (int64_t i = 0; i < e->n[field]; i++)
        memcpy(data + (size_t)i * size, &e->word[field][i], size);
    return fsr_from_host(subject_g, e->dtype, 1, &e->n[field], data);
}

static bool is_nan(fsr_dtype dtype, uint64_t bits) {
    const int digits = dtype == FSR_F16 ? 10 : dtype == FSR_F32 ? 23 : 52, size = 8 * (int)fsr_dtype_size(dtype);
    const uint64_t top = UINT64_C(1) << (size - 1), infinity = (top - 1) >> digits << digits;
    return dtype >= FSR_F16 && (bits & (top - 1)) > infinity;
}

static void expect(const entry *e, int field, fsr_node x, int line) {
    const size_t size = fsr_dtype_size(fsr_node_dtype(x));
    unsigned char got[MOST * 8 + 8];
    int64_t there = 0;
    OK(fsr_read_live(x, got, sizeof got, &there));
    if (there != e->n[field])
        fail_msg("line %d, field %d: %lld elements, NumPy's %lld", line, field, (long long)there,
                 (long long)e->n[field]);
    for (int64_t i = 0; i < there; i++) {
        uint64_t bits = 0;
        memcpy(&bits, got + (size_t)i * size, size);
        const bool nan = field == VALUES && is_nan(e->dtype, bits) && is_nan(e->dtype, e->word[field][i]);
        if (bits != e->word[field][i] && !nan)
            fail_msg("line %d, field %d, element %lld: %llx, NumPy's %llx", line, field, (long long)i,
                     (unsigned long long)bits, (unsigned long long)e->word[field][i]);
    }
    subject_count("elements", there);
}

static void check(const entry *e, int line) {
    fsr_node x = leaf(e, 0), out[5];
    fsr_unique(out, x, e->equal_nan);
    out[4] = fsr_isin(x, leaf(e, OTHERS));
    OK(fsr_compute(out, 5));
    for (int f = VALUES; f <= COUNTS; f++)
        expect(e, f, out[f - VALUES], line);
    expect(e, ISIN, out[4], line);
}

static void as_numpy(void **state) {
    (void)state;
    char *line = malloc(LINE);
    entry *e = malloc(sizeof *e);
    FILE *file = fopen("tests/numpy/unique.txt", "r");
    int number = 0;
    assert_non_null(line);
    assert_non_null(e);
    assert_non_null(file);
    while (fgets(line, LINE, file)) {
        read_line(line, e);
        check(e, ++number);
    }
    assert_true(number > 60);
    fclose(file);
    free(line);
    free(e);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(as_numpy)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
