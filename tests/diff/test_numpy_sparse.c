/* SPDX-License-Identifier: MIT */
/* Equations of sparse triangles against what SciPy gave: tests/numpy/sparse.txt, which tests/numpy/sparse.py writes and
 * explains. Each line in both precisions. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 13, MOST = 512, LISTS = 5 };

typedef struct entry {
    int is_complex, unit;
    char triangle;
    int64_t rows, sides;
    int64_t n[LISTS]; /* numbers, parts apart */
    double list[LISTS][MOST];
} entry;

static void read_line(const char *line, entry *e) {
    long long rows, sides;
    assert_int_equal(sscanf(line, "%d %c %d %lld %lld", &e->is_complex, &e->triangle, &e->unit, &rows, &sides), 5);
    e->rows = rows;
    e->sides = sides;
    for (int i = 0; i < LISTS; i++) {
        char *at = strchr(line, ':') + 1;
        for (e->n[i] = 0;; e->n[i]++) {
            at += strspn(at, " ");
            if (*at == ':' || *at == '\n' || !*at)
                break;
            assert_in_range(e->n[i], 0, MOST - 1);
            e->list[i][e->n[i]] = strtod(at, &at);
        }
        line = at;
    }
}

static fsr_node given(const entry *e, int list, fsr_dtype dtype) {
    const bool numbers = list > 1;
    const int64_t n = e->n[list] / (numbers ? 1 + e->is_complex : 1);
    return fsr_cast(fsr_from_host(subject_g, numbers && e->is_complex ? FSR_C128 : FSR_F64, 1, &n, e->list[list]),
                    dtype);
}

static void check(const entry *e, int line, bool narrow) {
    const fsr_dtype wide = e->is_complex ? FSR_C128 : FSR_F64;
    const fsr_dtype dtype = !narrow ? wide : e->is_complex ? FSR_C64 : FSR_F32;
    const fsr_csr a = {given(e, 0, FSR_I32), given(e, 1, FSR_I64), given(e, 2, dtype), e->rows, e->rows};
    fsr_node b = given(e, 3, dtype);
    if (e->sides)
        b = fsr_reshape(b, 2, SHAPE(e->rows, e->sides));
    const int flags = (e->triangle == 'u' ? FSR_UPPER : 0) | (e->unit ? FSR_UNIT_DIAGONAL : 0);
    double *got = subject_read(fsr_cast(fsr_csr_solve_triangular(&a, b, flags), wide)), most = 1;
    for (int64_t i = 0; i < e->n[4]; i++)
        most = fabs(e->list[4][i]) > most ? fabs(e->list[4][i]) : most;
    for (int64_t i = 0; i < e->n[4]; i++)
        if (!(fabs(got[i] - e->list[4][i]) <= 500 * (narrow ? 0x1p-23 : 0x1p-52) * most))
            fail_msg("line %d, %s: %lld is %.17g, SciPy's %.17g", line, fsr_dtype_name(dtype), (long long)i, got[i],
                     e->list[4][i]);
    free(got);
    subject_count("numbers", e->n[4]);
}

static void as_scipy(void **state) {
    (void)state;
    char *line = malloc(LINE);
    entry *e = malloc(sizeof *e);
    FILE *file = fopen("tests/numpy/sparse.txt", "r");
    int number = 0;
    assert_non_null(line);
    assert_non_null(e);
    assert_non_null(file);
    while (fgets(line, LINE, file)) {
        read_line(line, e);
        number++;
        for (int narrow = 0; narrow < 2; narrow++)
            check(e, number, narrow);
    }
    assert_int_equal(number, 40);
    fclose(file);
    free(line);
    free(e);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(as_scipy)};
SUBJECT_MAIN(tests)
