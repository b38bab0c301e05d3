/* SPDX-License-Identifier: MIT */
/* Medians and quantiles against what NumPy 2 gave, bit by bit but for NaN and the signs of zeros:
 * tests/numpy/quantiles.txt, which tests/numpy/quantiles.py writes and explains. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 1 << 14, MOST = 64, FLAT = 99 };

typedef struct entry {
    char function[16], method[32];
    fsr_dtype dtype, q_dtype, result;
    bool literal;
    int axis, ndim;
    int64_t shape[FSR_MAX_DIMS], n, nq, nresult;
    uint64_t element[MOST], q[MOST], want[MOST * 5];
} entry;

static int64_t read_words(char **at, uint64_t *out, int most) {
    int64_t n = 0;
    for (;;) {
        char *end;
        const uint64_t word = strtoull(*at, &end, 16);
        if (end == *at)
            return n;
        assert_in_range(n, 0, most - 1);
        out[n++] = word;
        *at = end;
        while (**at == ' ')
            ++*at;
    }
}

static void next_part(char **at) {
    *at = strchr(*at, ':') + 1;
}

static void read_line(char *line, entry *e) {
    char name[8], q_name[8], result[8];
    int used;
    assert_int_equal(sscanf(line, "%15s %31s %7s %d %7s %n", e->function, e->method, name, &e->axis, q_name, &used), 5);
    e->dtype = fsr_dtype_from_name(name);
    e->literal = !strcmp(q_name, "-");
    e->q_dtype = e->literal ? FSR_F64 : fsr_dtype_from_name(q_name);
    e->n = 1;
    char *at = line + used;
    for (e->ndim = 0; *at != ' ' && *at != ':'; at += *at == ',') {
        e->shape[e->ndim] = strtoll(at, &at, 10);
        e->n *= e->shape[e->ndim++];
    }
    next_part(&at);
    assert_int_equal(read_words(&at, e->element, MOST), e->n);
    next_part(&at);
    e->nq = read_words(&at, e->q, MOST);
    next_part(&at);
    assert_int_equal(sscanf(at, "%7s %n", result, &used), 1);
    e->result = fsr_dtype_from_name(result);
    at += used;
    e->nresult = read_words(&at, e->want, MOST * 5);
}

static void pack(const uint64_t *word, int64_t n, size_t size, unsigned char *out) {
    for (int64_t i = 0; i < n; i++)
        memcpy(out + (size_t)i * size, &word[i], size);
}

static fsr_quantile_method method_of(const char *name) {
    static const char *const names[] = {"linear",
                                        "lower",
                                        "higher",
                                        "nearest",
                                        "midpoint",
                                        "inverted_cdf",
                                        "averaged_inverted_cdf",
                                        "closest_observation",
                                        "interpolated_inverted_cdf",
                                        "hazen",
                                        "weibull",
                                        "median_unbiased",
                                        "normal_unbiased"};
    for (int i = 0; i < COUNT_OF(names); i++)
        if (!strcmp(name, names[i]))
            return (fsr_quantile_method)i;
    fail_msg("no method %s", name);
    return FSR_QUANTILE_LINEAR;
}

static fsr_node build(const entry *e, fsr_node x) {
    const int *axes = e->axis == FLAT ? NULL : &e->axis;
    if (!strcmp(e->function, "median"))
        return fsr_median(x, axes, 1, 0);
    if (!strcmp(e->function, "nanmedian"))
        return fsr_nanmedian(x, axes, 1, 0);
    unsigned char bits[MOST * 8];
    double first;
    pack(e->q, e->nq, fsr_dtype_size(e->q_dtype), bits);
    memcpy(&first, bits, sizeof first);
    const fsr_node q = e->literal ? fsr_float(x.graph, first) : fsr_from_host(x.graph, e->q_dtype, 1, &e->nq, bits);
    const fsr_quantile_method method = method_of(e->method);
    return !strcmp(e->function, "quantile")      ? fsr_quantile(x, q, method, axes, 1, 0)
           : !strcmp(e->function, "percentile")  ? fsr_percentile(x, q, method, axes, 1, 0)
           : !strcmp(e->function, "nanquantile") ? fsr_nanquantile(x, q, method, axes, 1, 0)
                                                 : fsr_nanpercentile(x, q, method, axes, 1, 0);
}

static double value_of(fsr_dtype dtype, const void *data, int64_t i) {
    fsr_value v = {.bits = 0};
    memcpy(&v, (const char *)data + (size_t)i * fsr_dtype_size(dtype), fsr_dtype_size(dtype));
    if (dtype == FSR_F16) {
        _Float16 half;
        memcpy(&half, &v, sizeof half);
        return (double)half;
    }
    return dtype == FSR_F32 ? (double)v.f32 : dtype == FSR_F64 ? v.f64 : NAN;
}

static void check(const entry *e, int line) {
    const size_t size = fsr_dtype_size(e->dtype), out_size = fsr_dtype_size(e->result);
    unsigned char in[MOST * 8], want[MOST * 5 * 8];
    pack(e->element, e->n, size, in);
    pack(e->want, e->nresult, out_size, want);
    fsr_node x = fsr_from_host(subject_g, e->dtype, e->ndim, e->shape, in), out = build(e, x);
    if (fsr_node_status(out) || fsr_node_dtype(out) != e->result ||
        fsr_node_bytes(out) / (int64_t)out_size != e->nresult)
        fail_msg("line %d: status %d, %s, not %lld %s", line, (int)fsr_node_status(out),
                 fsr_dtype_name(fsr_node_dtype(out)), (long long)e->nresult, fsr_dtype_name(e->result));
    unsigned char *got = subject_read(out);
    for (int64_t i = 0; i < e->nresult; i++) {
        const double a = value_of(e->result, got, i), b = value_of(e->result, want, i);
        const bool same = !memcmp(got + (size_t)i * out_size, want + (size_t)i * out_size, out_size);
        const bool is_float = e->result >= FSR_F16;
        if (!same && !(is_float && ((isnan(a) && isnan(b)) || (a == 0 && b == 0))))
            fail_msg("line %d, %s %s of %s, element %lld: %.17g, NumPy's %.17g", line, e->function, e->method,
                     fsr_dtype_name(e->dtype), (long long)i, a, b);
    }
    free(got);
    subject_count("elements", e->nresult);
}

/* Every so manieth line. */
static void as_numpy(int every) {
    char *line = malloc(LINE);
    entry *e = malloc(sizeof *e);
    FILE *file = fopen("tests/numpy/quantiles.txt", "r");
    int number = 0;
    assert_non_null(line);
    assert_non_null(e);
    assert_non_null(file);
    while (fgets(line, LINE, file)) {
        if (number++ % every)
            continue;
        read_line(line, e);
        check(e, number);
    }
    assert_true(number > 400);
    fclose(file);
    free(line);
    free(e);
}

static void all_lines(void **state) {
    (void)state;
    as_numpy(1);
}

static void some_lines(void **state) {
    (void)state;
    as_numpy(15);
}

/* All by the reference, which compiles nothing, and some by kernels. */
int main(void) {
    const struct CMUnitTest all[] = {SUBJECT_TEST(all_lines)}, some[] = {SUBJECT_TEST(some_lines)};
    const int failed = subject_main(FSR_BACKEND_REFERENCE, all, COUNT_OF(all));
    return failed ? failed : subject_main(SUBJECT_BACKEND, some, COUNT_OF(some));
}
