/* SPDX-License-Identifier: MIT */
/* Complex functions against what NumPy 2 answers (tests/numpy/complex.txt), special values above all: parts that are
 * NaN, infinite or zero must be so here, with the same sign.
 *
 * Left open: the sign of a zero or infinity beside a NaN, and of exp(-inf + inf j) and what is made of it, which C's
 * Annex G does not specify; and pow of what is not finite, where NumPy's answer is its C library's. Moduli that are
 * finite may differ by a few units in the last place, or of the least subnormal. */
#include "graph/ops.h"
#include "primitives/primitives.h"
#include "tests/support/subject.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 512 };

/* The lines of one op and dtype. */
typedef struct table {
    fsr_op op;
    fsr_dtype dtype;
    int n, wrong;
    fsr_c128 arg[2][MOST], want[MOST];
} table;

static bool same_part(double want, double got, double slack, bool open) {
    if (isnan(want) || isnan(got))
        return isnan(want) && isnan(got);
    if (isinf(want) || isinf(got))
        return open ? isinf(want) && isinf(got) : want == got;
    if (want == 0 && got == 0)
        return open || signbit(want) == signbit(got);
    return fabs(want - got) <= slack;
}

/* False: it differs, and is printed. */
static bool check_line(const table *t, int i, fsr_c128 got) {
    fsr_c128 want = t->want[i], a = t->arg[0][i], b = t->arg[1][i];
    double size = hypot(want.re, want.im), unit = fsr_dtype_real(t->dtype) == FSR_F32 ? FLT_EPSILON : DBL_EPSILON;
    double slack =
        (t->op == FSR_OP_POW ? 256 : 16) * unit * (isfinite(size) ? size : fabs(isfinite(want.re) ? want.re : want.im));
    slack += 4 * (unit == DBL_EPSILON ? 0x1p-1074 : 0x1p-149);
    bool finite = isfinite(a.re) && isfinite(a.im) && isfinite(b.re) && isfinite(b.im) && isfinite(size);
    bool power = t->op == FSR_OP_EXP || t->op == FSR_OP_EXP2 || t->op == FSR_OP_EXPM1;
    bool open = isnan(want.re) || isnan(want.im) || t->op == FSR_OP_POW || (power && !isfinite(a.im));
    if (t->op == FSR_OP_POW && !finite)
        return true;
    if (!same_part(want.re, got.re, slack, open) || !same_part(want.im, got.im, slack, open))
        print_error("%s of %s (%g,%g), (%g,%g): (%g,%g), NumPy says (%g,%g)\n", fsr_op_get(t->op)->name,
                    fsr_dtype_name(t->dtype), a.re, a.im, b.re, b.im, got.re, got.im, want.re, want.im);
    else
        return true;
    return false;
}

static fsr_node operand(const table *t, int which) {
    size_t size = fsr_dtype_size(t->dtype);
    char *data = calloc((size_t)t->n, size);
    assert_non_null(data);
    for (int i = 0; i < t->n; i++) {
        fsr_value v = fsr_value_from_complex(t->dtype, t->arg[which][i]);
        memcpy(data + (size_t)i * size, &v, size);
    }
    fsr_node x = fsr_from_host(subject_g, t->dtype, 1, SHAPE(t->n), data);
    free(data);
    return x;
}

static void check_table(table *t) {
    if (t->n == 0)
        return;
    fsr_node x[2] = {operand(t, 0), operand(t, 1)};
    fsr_node y = fsr_map(FSR_HERE, t->op, x, fsr_op_get(t->op)->arity);
    fsr_dtype dtype = fsr_node_dtype(y);
    size_t size = fsr_dtype_size(dtype);
    char *got = subject_read(y);
    int wrong = 0;
    for (int i = 0; i < t->n; i++) {
        fsr_value v = {.bits = 0};
        memcpy(&v, got + (size_t)i * size, size);
        wrong += !check_line(t, i, fsr_value_to_complex(dtype, v));
    }
    free(got);
    t->wrong += wrong;
    subject_count("lines of NumPy", t->n);
}

static double number(char **text) {
    char *end;
    double x = strtod(*text, &end);
    assert_true(end > *text);
    *text = end;
    return x;
}

static void read_line(char *text, const char *name, const char *dtype, table *t) {
    fsr_op op = fsr_op_find(name);
    fsr_dtype of = !strcmp(dtype, "c64") ? FSR_C64 : FSR_C128;
    assert_true(op != FSR_OP_COUNT);
    if (t->n && (op != t->op || of != t->dtype)) {
        check_table(t);
        t->n = 0;
    }
    t->op = op;
    t->dtype = of;
    assert_true(t->n < MOST);
    t->arg[1][t->n] = (fsr_c128){0, 0};
    for (int i = 0; i < fsr_op_get(op)->arity; i++) {
        t->arg[i][t->n].re = number(&text);
        t->arg[i][t->n].im = number(&text);
    }
    t->want[t->n].re = number(&text);
    t->want[t->n++].im = number(&text);
}

static void functions_as_numpy(void **state) {
    (void)state;
    char line[400], name[40], dtype[8];
    int used, lines = 0;
    table *t = calloc(1, sizeof *t);
    FILE *file = fopen("tests/numpy/complex.txt", "r");
    assert_true(t && file);
    for (; fgets(line, sizeof line, file); lines++) {
        assert_int_equal(sscanf(line, "%39s %7s%n", name, dtype, &used), 2);
        read_line(line + used, name, dtype, t);
    }
    check_table(t);
    fclose(file);
    int wrong = t->wrong;
    free(t);
    assert_in_range(lines, 13400, 13500);
    assert_int_equal(wrong, 0);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(functions_as_numpy),
};
SUBJECT_MAIN(tests)
