/* SPDX-License-Identifier: MIT */
/* Linear algebra against what NumPy 2 gave: tests/numpy/linalg.txt, which tests/numpy/linalg.py writes and explains.
 * Each line in both precisions. */
#include "tests/support/subject.h"
#include "tests/support/table.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 256 };

typedef struct entry {
    char what[16];
    int is_complex;
    int64_t m, n, nright, nresult; /* the last two: numbers, parts apart */
    double a[MOST], right[MOST], result[MOST];
} entry;

/* Numbers up to the next colon or the end. */
static int64_t read_numbers(char **at, double *out) {
    int64_t n = 0;
    for (*at = strchr(*at, ':') + 1;; n++) {
        while (**at == ' ')
            ++*at;
        if (**at == ':' || **at == '\n' || !**at)
            return n;
        assert_in_range(n, 0, MOST - 1);
        out[n] = strtod(*at, at);
    }
}

static void read_line(char *line, entry *e) {
    long long m, n;
    assert_int_equal(sscanf(line, "%15s %d %lld %lld", e->what, &e->is_complex, &m, &n), 4);
    char *at = line;
    e->m = m;
    e->n = n;
    assert_int_equal(read_numbers(&at, e->a), m * n * (1 + e->is_complex));
    e->nright = read_numbers(&at, e->right);
    e->nresult = read_numbers(&at, e->result);
}

/* The line's result. */
static fsr_node recorded(const entry *e, fsr_node a, fsr_node right) {
    const char *what = e->what;
    fsr_node x[3];
    if (strcmp(what, "solve") == 0)
        return fsr_solve(a, right);
    if (strcmp(what, "inv") == 0)
        return fsr_inv(a);
    if (strcmp(what, "det") == 0)
        return fsr_det(a);
    if (strcmp(what, "cholesky") == 0)
        return fsr_cholesky(a);
    if (strcmp(what, "eigvalsh") == 0)
        return fsr_eigvalsh(a);
    if (strcmp(what, "svdvals") == 0)
        return fsr_svdvals(a);
    if (strcmp(what, "slogdet") == 0) {
        fsr_slogdet(a, &x[0], &x[1]);
        return fsr_stack((fsr_node[]){x[0], fsr_cast(x[1], fsr_node_dtype(x[0]))}, 2, 0);
    }
    if (strcmp(what, "w") == 0 || strcmp(what, "v") == 0) {
        fsr_eigh(a, &x[0], &x[1]);
        return what[0] == 'w' ? x[0] : fsr_abs(x[1]);
    }
    if (what[0] == 'q' || what[0] == 'r' || what[0] == 'c') {
        fsr_qr(a, what[0] == 'c', &x[0], &x[1]);
        return x[what[0] != 'q'];
    }
    fsr_svd(a, &x[0], &x[1], &x[2]);
    return what[0] == 's' ? x[1] : fsr_abs(what[0] == 'u' ? x[0] : x[2]);
}

static void check(const entry *e, int line, bool narrow) {
    const fsr_dtype wide = e->is_complex ? FSR_C128 : FSR_F64;
    const fsr_dtype dtype = !narrow ? wide : e->is_complex ? FSR_C64 : FSR_F32;
    const int64_t columns = e->nright / (e->n * (1 + e->is_complex));
    fsr_node a = fsr_from_host(subject_g, wide, 2, SHAPE(e->m, e->n), e->a);
    fsr_node right = fsr_from_host(subject_g, wide, 2, SHAPE(e->n, columns), e->right);
    fsr_node x = recorded(e, fsr_cast(a, dtype), fsr_cast(right, dtype));
    const fsr_dtype its = fsr_node_dtype(x);
    const int parts = fsr_dtype_real(its) != its ? 2 : 1;
    double *got = subject_read(fsr_cast(x, parts == 2 ? FSR_C128 : FSR_F64)), most = 1;
    assert_int_equal(fsr_node_size(x) * parts, e->nresult);
    for (int64_t i = 0; i < e->nresult; i++)
        most = fabs(e->result[i]) > most ? fabs(e->result[i]) : most;
    for (int64_t i = 0; i < e->nresult; i++)
        if (!(fabs(got[i] - e->result[i]) <= 2000 * (narrow ? 0x1p-23 : 0x1p-52) * most))
            fail_msg("line %d, %s of %s: %lld is %.17g, NumPy's %.17g", line, e->what, fsr_dtype_name(dtype),
                     (long long)i, got[i], e->result[i]);
    free(got);
    subject_count("numbers", e->nresult);
}

static void row(char *line, int number, void *user) {
    entry e;
    (void)user;
    read_line(line, &e);
    for (int narrow = 0; narrow < 2; narrow++)
        if (subject_case(0, narrow))
            check(&e, number, narrow);
}

static void as_numpy(void **state) {
    (void)state;
    assert_true(table_rows("tests/numpy/linalg.txt", row, NULL) > 150);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_CASES(as_numpy)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
