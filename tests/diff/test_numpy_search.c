/* SPDX-License-Identifier: MIT */
/* Places in sorted arrays and interpolated values against what NumPy 2 gave: tests/numpy/search.txt, which
 * tests/numpy/search.py writes and explains. Each line is one program. */
#include "tests/support/subject.h"
#include "tests/support/table.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct entry {
    char what[16];
    double how;
    fsr_dtype key, needle;
    int64_t nkeys, n, nvalues, nresults;
    unsigned char keys[MOST * 32], needles[MOST * 32], values[MOST * 32];
    uint64_t result[MOST * 4];
} entry;

static void read_line(char *line, entry *e) {
    char key[8], needle[8];
    int used;
    assert_int_equal(sscanf(line, "%15s %lf %7s %7s %n", e->what, &e->how, key, needle, &used), 4);
    char *at = line + used;
    e->key = fsr_dtype_from_name(key);
    e->needle = fsr_dtype_from_name(needle);
    e->nkeys = table_words(&at, 16, fsr_dtype_size(e->key), 4 * MOST, e->keys);
    e->n = table_words(&at, 16, fsr_dtype_size(e->needle), 4 * MOST, e->needles);
    e->nvalues = table_words(&at, 16, 8, 4 * MOST, e->values);
    e->nresults = table_words(&at, e->what[0] == 'i' ? 16 : 10, 8, 4 * MOST, e->result);
}

/* One result of the line's program after the other; false: there are no more. */
static bool recorded(const entry *e, fsr_node keys, fsr_node x, int i, fsr_node *out) {
    const fsr_node none = {0}, turned = fsr_flip(keys, 0);
    if (e->what[0] != 'i') {
        const bool binned = i >= 2;
        *out = binned ? fsr_digitize(x, keys, i == 3)
                      : fsr_searchsorted(e->what[0] == 't' ? turned : keys, x, i ? FSR_RIGHT : FSR_LEFT);
        return i < (e->how != 0 ? 4 : 2);
    }
    fsr_node y = fsr_from_host(subject_g, FSR_F64, 1, &e->nvalues, e->values);
    const bool ends = e->how != 0;
    *out = e->how > 1 ? fsr_interp_period(x, keys, y, e->how)
                      : fsr_interp(x, keys, y, ends ? fsr_float(subject_g, -7.5) : none,
                                   ends ? fsr_float(subject_g, 1e300) : none);
    return i < 1;
}

static bool same(const entry *e, int64_t i, uint64_t got) {
    double want, y;
    if (e->what[0] != 'i')
        return got == e->result[i];
    memcpy(&want, &e->result[i], 8);
    memcpy(&y, &got, 8);
    return isnan(want) ? isnan(y) : got == e->result[i];
}

static void check(const entry *e, int line) {
    fsr_node keys = fsr_from_host(subject_g, e->key, 1, &e->nkeys, e->keys), out[5];
    fsr_node x = fsr_from_host(subject_g, e->needle, 1, &e->n, e->needles);
    int n = 0;
    while (recorded(e, keys, x, n, &out[n]))
        n++;
    assert_int_equal(e->nresults, n * e->n);
    OK(fsr_compute(out, n));
    for (int j = 0; j < n; j++) {
        uint64_t *got = subject_read(out[j]);
        for (int64_t i = 0; i < e->n; i++)
            if (!same(e, j * e->n + i, got[i]))
                fail_msg("line %d, result %d of needle %lld: %llx, NumPy's %llx", line, j, (long long)i,
                         (unsigned long long)got[i], (unsigned long long)e->result[j * e->n + i]);
        free(got);
    }
    subject_count("needles", n * e->n);
}

static void row(char *line, int number, void *user) {
    entry e;
    (void)user;
    if (!subject_case(0, number > 16 && number % 3))
        return;
    read_line(line, &e);
    check(&e, number);
}

static void as_numpy(void **state) {
    (void)state;
    assert_true(table_rows("tests/numpy/search.txt", row, NULL) > 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_CASES(as_numpy)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
