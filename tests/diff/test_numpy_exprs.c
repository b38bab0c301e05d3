/* SPDX-License-Identifier: MIT */
/* Expressions that are Python's as well against what NumPy 2 made of the same text: tests/numpy/exprs.txt, which
 * tests/numpy/exprs.py writes and explains. Some dozen lines are computed at once. */
#include "fusor/expr.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 14, MOST = 512, GROUP = 24, NAMES = 7 };

typedef struct entry {
    char text[160], dtype[16], shape[64];
    fsr_node node;
    bool error;
    int64_t n;
    double want[MOST];
} entry;

static fsr_name names[NAMES];

/* The names of exprs.py. */
static void make_names(void) {
    static const double x[12] = {2, -3, 0, 7, 1, 4, -1, 5, 0, 3, 8, -2}, v[5] = {3, -1, 2, 0, 5};
    static const int32_t n[4] = {3, -2, 7, 1};
    static const int64_t a[2] = {1, -2}, b[2] = {0, -1}, s = 1;
    static const int64_t of_y[4] = {2, 3, 4, 2}, of_x[2] = {3, 4}, of_b[2] = {2, 1}, two = 2, four = 4, five = 5;
    const fsr_name all[NAMES] = {{"x", fsr_from_host(subject_g, FSR_F64, 2, of_x, x)},
                                 {"y", fsr_reshape(fsr_arange(subject_g, FSR_F64, 48), 4, of_y)},
                                 {"v", fsr_from_host(subject_g, FSR_F64, 1, &five, v)},
                                 {"n", fsr_from_host(subject_g, FSR_I32, 1, &four, n)},
                                 {"a", fsr_from_host(subject_g, FSR_I64, 1, &two, a)},
                                 {"b", fsr_from_host(subject_g, FSR_I64, 2, of_b, b)},
                                 {"s", fsr_from_host(subject_g, FSR_I64, 0, NULL, &s)}};
    memcpy(names, all, sizeof all);
}

/* The words up to the next bar, which becomes their end. */
static char *field(char **at) {
    char *begin = *at, *bar = strstr(begin, " | ");
    *at = bar ? bar + 3 : begin + strlen(begin);
    if (bar)
        *bar = 0;
    return begin;
}

static void read_entry(char *line, entry *e) {
    char *at = line;
    line[strcspn(line, "\n")] = 0;
    snprintf(e->text, sizeof e->text, "%.150s", field(&at));
    snprintf(e->dtype, sizeof e->dtype, "%.15s", field(&at));
    snprintf(e->shape, sizeof e->shape, "%.60s", field(&at));
    e->error = !strcmp(e->dtype, "error");
    for (e->n = 0; *at && e->n < MOST; e->n++) {
        char *end;
        e->want[e->n] = strtod(at, &end);
        if (end == at)
            break;
        at = end + strspn(end, " ");
    }
    e->node = fsr_expr(subject_g, e->text, names, NAMES);
}

/* "2,3", "-" of no dimension. */
static void say_shape(fsr_node x, char *out, size_t size) {
    size_t used = 0;
    snprintf(out, size, "-");
    for (int d = 0; d < fsr_node_ndim(x); d++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld", d ? "," : "", (long long)fsr_node_dim(x, d));
}

/* NumPy's name of the dtype. */
static const char *numpy_dtype(fsr_node x) {
    switch (fsr_node_dtype(x)) {
    case FSR_BOOL: return "bool";
    case FSR_I16: return "int16";
    case FSR_I32: return "int32";
    case FSR_I64: return "int64";
    case FSR_F32: return "float32";
    case FSR_F64: return "float64";
    default: return "another";
    }
}

static void check(const entry *e, fsr_node wide) {
    char shape[64];
    double got[MOST];
    say_shape(e->node, shape, sizeof shape);
    if (strcmp(numpy_dtype(e->node), e->dtype) || strcmp(shape, e->shape))
        fail_msg("%s: %s[%s], NumPy %s[%s]", e->text, numpy_dtype(e->node), shape, e->dtype, e->shape);
    assert_int_equal(fsr_node_size(e->node), e->n);
    if (fsr_read(wide, got, sizeof *got * (size_t)e->n))
        fail_msg("%s: %s", e->text, fsr_error(subject_ctx));
    for (int64_t i = 0; i < e->n; i++)
        if (got[i] != e->want[i] && !(fabs(got[i] - e->want[i]) <= 1e-13 * fabs(e->want[i])))
            fail_msg("%s: element %lld is %.17g, NumPy %.17g", e->text, (long long)i, got[i], e->want[i]);
}

/* What is an error in NumPy is one when it is recorded, or, of an index, when it is read. */
static void check_error(const entry *e) {
    double got[MOST];
    fsr_status status = fsr_node_status(e->node);
    if (!status && fsr_node_size(e->node) <= MOST)
        status = fsr_read(e->node, got, (size_t)fsr_node_bytes(e->node));
    if (status != FSR_ERR_VALUE && status != FSR_ERR_AXIS && status != FSR_ERR_INDEX && status != FSR_ERR_SHAPE)
        fail_msg("%s: %s, NumPy an error", e->text, fsr_status_name(status));
}

static void check_group(const entry *group, int n) {
    fsr_node wide[GROUP] = {{0}}, outs[GROUP] = {{0}};
    int good = 0;
    for (int i = 0; i < n; i++) {
        if (group[i].error)
            continue;
        if (fsr_node_status(group[i].node))
            fail_msg("%s: %s", group[i].text, fsr_node_error(group[i].node));
        wide[i] = outs[good++] = fsr_cast(group[i].node, FSR_F64);
    }
    OK(fsr_compute(outs, good));
    for (int i = 0; i < n; i++)
        if (group[i].error)
            check_error(&group[i]);
        else
            check(&group[i], wide[i]);
    subject_count("lines", n);
}

/* Lines of one group are one computation; the fast tier has every other group. */
static bool takes(int unit) {
    return subject_case(unit, unit % 2 ? SUBJECT_LONG : SUBJECT_FAST);
}

static void lines(void **state) {
    (void)state;
    FILE *file = fopen("tests/numpy/exprs.txt", "r");
    char *line = malloc(LINE);
    entry *group = calloc(GROUP, sizeof *group);
    int n = 0, unit = 0;
    assert_non_null(file);
    make_names();
    while (fgets(line, LINE, file)) {
        read_entry(line, &group[n++]);
        if (n < GROUP)
            continue;
        if (takes(unit++))
            check_group(group, n);
        n = 0;
    }
    if (n && takes(unit))
        check_group(group, n);
    fclose(file);
    free(line);
    free(group);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_CASES(lines)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
