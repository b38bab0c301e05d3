/* SPDX-License-Identifier: MIT */
/* The different elements of an array and which elements others have, against what NumPy 2 gave, bit by bit but for NaN:
 * tests/numpy/unique.txt, which tests/numpy/unique.py writes and explains. */
#include "tests/support/subject.h"
#include "tests/support/table.h"
#include <stdio.h>
#include <string.h>

enum { MOST = 64, FIELDS = 7, VALUES = 1, FIRST, INVERSE, COUNTS, OTHERS, ISIN };

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
    for (int f = 0; f < FIELDS; f++)
        e->n[f] = table_words(&at, f < FIRST || f == OTHERS ? 16 : 10, 8, MOST, e->word[f]);
}

static fsr_node leaf(const entry *e, int field) {
    const size_t size = fsr_dtype_size(e->dtype);
    unsigned char data[MOST * 8];
    for (int64_t i = 0; i < e->n[field]; i++)
        memcpy(data + (size_t)i * size, &e->word[field][i], size);
    return fsr_from_host(subject_g, e->dtype, 1, &e->n[field], data);
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
        const uint64_t bits = table_word(got, i, size);
        const bool nan = field == VALUES && table_is_nan(e->dtype, bits) && table_is_nan(e->dtype, e->word[field][i]);
        if (bits != e->word[field][i] && !nan)
            fail_msg("line %d, field %d, element %lld: %llx, NumPy's %llx", line, field, (long long)i,
                     (unsigned long long)bits, (unsigned long long)e->word[field][i]);
    }
    subject_count("elements", there);
}

static void check(char *text, int line, void *user) {
    entry own, *e = &own;
    (void)user;
    read_line(text, e);
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
    assert_true(table_rows("tests/numpy/unique.txt", check, NULL) > 60);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(as_numpy)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
