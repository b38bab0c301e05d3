/* SPDX-License-Identifier: MIT */
/* Reductions and scans against what NumPy 2 answered: tests/numpy/folds.txt, which tests/numpy/folds.py writes and
 * explains. The reference answers all of it. The backend under test, which other suites compare with the reference,
 * answers for f32 and i32: everything that one array and axis list has is computed at once, so that kernels are few,
 * and the compiler does not optimize them.
 *
 * The data are quarters of small integers. What rounds (var, norms, products of many) is compared within a few units of
 * the last place of the result or of the data's square, everything else exactly. */
#include "graph/ops.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINE = 1 << 14, GROUP = 96 };

/* ---- the functions ------------------------------------------------------------------------------------- */

typedef struct over {
    bool all; /* every axis */
    int n, axis[FSR_MAX_DIMS];
    int flags;
} over;

typedef struct function {
    const char *name;
    fsr_node (*reduce)(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
    fsr_node (*numbered)(fsr_site at, fsr_node x, const int *axes, int naxes, int flags, double number);
    fsr_node (*scan)(fsr_site at, fsr_node x, const int *axes, int naxes, int flags);
    double number;
    int flags;   /* of a scan */
    bool rounds; /* floating results need not be exact */
} function;

static const function functions[] = {
    {"sum", .reduce = fsr_sum_at},
    {"prod", .reduce = fsr_prod_at, .rounds = true},
    {"min", .reduce = fsr_min_at},
    {"max", .reduce = fsr_max_at},
    {"mean", .reduce = fsr_mean_at, .rounds = true},
    {"any", .reduce = fsr_any_at},
    {"all", .reduce = fsr_all_at},
    {"var", .numbered = fsr_var_at, .rounds = true},
    {"std", .numbered = fsr_std_at, .rounds = true},
    {"var1", .numbered = fsr_var_at, .number = 1, .rounds = true},
    {"std1", .numbered = fsr_std_at, .number = 1, .rounds = true},
    {"ptp", .reduce = fsr_ptp_at},
    {"count_nonzero", .reduce = fsr_count_nonzero_at},
    {"norm0", .numbered = fsr_norm_at},
    {"norm1", .numbered = fsr_norm_at, .number = 1, .rounds = true},
    {"norm2", .numbered = fsr_norm_at, .number = 2, .rounds = true},
    {"norm3", .numbered = fsr_norm_at, .number = 3, .rounds = true},
    {"norminf", .numbered = fsr_norm_at, .number = HUGE_VAL},
    {"norm-inf", .numbered = fsr_norm_at, .number = -HUGE_VAL},
    {"logsumexp", .reduce = fsr_logsumexp_at, .rounds = true},
    {"argmax", .reduce = fsr_argmax_at},
    {"argmin", .reduce = fsr_argmin_at},
    {"nansum", .reduce = fsr_nansum_at},
    {"nanprod", .reduce = fsr_nanprod_at, .rounds = true},
    {"nanmin", .reduce = fsr_nanmin_at},
    {"nanmax", .reduce = fsr_nanmax_at},
    {"nanmean", .reduce = fsr_nanmean_at, .rounds = true},
    {"nanvar", .numbered = fsr_nanvar_at, .rounds = true},
    {"nanstd", .numbered = fsr_nanstd_at, .rounds = true},
    {"nanvar1", .numbered = fsr_nanvar_at, .number = 1, .rounds = true},
    {"nanargmax", .reduce = fsr_nanargmax_at},
    {"nanargmin", .reduce = fsr_nanargmin_at},
    {"cumsum", .scan = fsr_cumsum_at},
    {"cumsum_x", .scan = fsr_cumsum_at, .flags = FSR_EXCLUSIVE},
    {"cumsum_r", .scan = fsr_cumsum_at, .flags = FSR_REVERSE},
    {"cumsum_rx", .scan = fsr_cumsum_at, .flags = FSR_EXCLUSIVE | FSR_REVERSE},
    {"cumprod", .scan = fsr_cumprod_at, .rounds = true},
    {"cumprod_x", .scan = fsr_cumprod_at, .flags = FSR_EXCLUSIVE, .rounds = true},
    {"cumprod_r", .scan = fsr_cumprod_at, .flags = FSR_REVERSE, .rounds = true},
    {"cumprod_rx", .scan = fsr_cumprod_at, .flags = FSR_EXCLUSIVE | FSR_REVERSE, .rounds = true},
    {"cummax", .scan = fsr_cummax_at},
    {"cummax_x", .scan = fsr_cummax_at, .flags = FSR_EXCLUSIVE},
    {"cummax_r", .scan = fsr_cummax_at, .flags = FSR_REVERSE},
    {"cummax_rx", .scan = fsr_cummax_at, .flags = FSR_EXCLUSIVE | FSR_REVERSE},
    {"cummin", .scan = fsr_cummin_at},
    {"cummin_x", .scan = fsr_cummin_at, .flags = FSR_EXCLUSIVE},
    {"cummin_r", .scan = fsr_cummin_at, .flags = FSR_REVERSE},
    {"cummin_rx", .scan = fsr_cummin_at, .flags = FSR_EXCLUSIVE | FSR_REVERSE},
    {"cumany", .scan = fsr_cumany_at},
    {"cumany_x", .scan = fsr_cumany_at, .flags = FSR_EXCLUSIVE},
    {"cumany_r", .scan = fsr_cumany_at, .flags = FSR_REVERSE},
    {"cumany_rx", .scan = fsr_cumany_at, .flags = FSR_EXCLUSIVE | FSR_REVERSE},
    {"cumall", .scan = fsr_cumall_at},
    {"cumall_x", .scan = fsr_cumall_at, .flags = FSR_EXCLUSIVE},
    {"cumall_r", .scan = fsr_cumall_at, .flags = FSR_REVERSE},
    {"cumall_rx", .scan = fsr_cumall_at, .flags = FSR_EXCLUSIVE | FSR_REVERSE},
};

static fsr_node build(const function *f, fsr_node x, const over *o) {
    const int *axes = o->all ? NULL : o->axis;
    if (f->reduce)
        return f->reduce(FSR_HERE, x, axes, o->n, o->flags);
    if (f->scan)
        return f->scan(FSR_HERE, x, axes, o->n, f->flags);
    return f->numbered(FSR_HERE, x, axes, o->n, o->flags, f->number);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

typedef struct shape {
    int ndim;
    int64_t dim[FSR_MAX_DIMS];
} shape;

/* A case of the group: a node and the text of its values. */
typedef struct expected {
    const function *f;
    fsr_node node;
    char *values;
} expected;

typedef struct reader {
    fsr_context *ctx;
    bool some; /* only f32 and i32 */
    bool skip; /* this array */
    fsr_graph *g;
    fsr_node x;
    char array[200], over_text[80];
    over over;
    shape result;
    int n;
    expected list[GROUP];
    int64_t results;
    int wrong;
} reader;

static fsr_dtype dtype_of(const char *name) {
    for (int i = 0; i < FSR_DTYPE_COUNT; i++)
        if (strcmp(fsr_dtype_name((fsr_dtype)i), name) == 0)
            return (fsr_dtype)i;
    fail_msg("unknown dtype %s", name);
    return FSR_DTYPE_COUNT;
}

static shape read_shape(const char *text) {
    shape s = {0};
    while (*text && *text != '-' && *text != ':') {
        s.dim[s.ndim++] = strtoll(text, (char **)&text, 10);
        text += *text == 'x';
    }
    return s;
}

/* Integers are read as 64 bits, which NumPy's text of an unsigned one may need all of. */
static fsr_value read_value(fsr_dtype dtype, char **text) {
    if (fsr_dtype_is_complex(dtype)) {
        double re = strtod(*text, text), im = strtod(*text, text);
        return fsr_value_from_complex(dtype, (fsr_c128){re, im});
    }
    if (fsr_dtype_is_float(dtype))
        return fsr_value_from_double(dtype, strtod(*text, text));
    bool negative = (*text)[strspn(*text, " ")] == '-';
    return fsr_value_from_int(dtype, negative ? strtoll(*text, text, 10) : (int64_t)strtoull(*text, text, 10));
}

static void read_array(reader *r, char *line) {
    char *dtype_name = strtok(line, " "), *shape_text = strtok(NULL, " "), *text = strtok(NULL, "");
    fsr_dtype dtype = dtype_of(dtype_name);
    r->skip = r->some && dtype != FSR_F32 && dtype != FSR_I32;
    shape s = read_shape(shape_text);
    int64_t n = 1;
    for (int i = 0; i < s.ndim; i++)
        n *= s.dim[i];
    size_t size = fsr_dtype_size(dtype);
    char *data = malloc((size_t)n * size + 1);
    for (int64_t i = 0; i < n; i++) {
        fsr_value v = read_value(dtype, &text);
        memcpy(data + (size_t)i * size, &v, size);
    }
    fsr_graph_free(r->g);
    r->g = fsr_graph_new(r->ctx);
    r->x = fsr_from_host(r->g, dtype, s.ndim, s.dim, data);
    free(data);
    snprintf(r->array, sizeof r->array, "%s %s", dtype_name, shape_text);
}

static void read_over(reader *r, char *line) {
    char *axes = strtok(line, " "), *keepdims = strtok(NULL, " "), *result = strtok(NULL, " ");
    snprintf(r->over_text, sizeof r->over_text, "%s", axes);
    r->over = (over){.all = *axes == '*', .flags = *keepdims == '1' ? FSR_KEEPDIMS : 0};
    while (*axes >= '0' && *axes <= '9') {
        r->over.axis[r->over.n++] = (int)strtol(axes, &axes, 10);
        axes += *axes == ',';
    }
    r->result = read_shape(result);
}

/* ---- comparing ------------------------------------------------------------------------------------------- */

static void complain(reader *r, const function *f, const char *what) {
    if (r->wrong++ < 20)
        print_error("%s: %s of %s over %s: %s\n", fsr_backend_name(r->ctx), f->name, r->array, r->over_text, what);
}

/* Of f16, which NumPy rounds in between, a few units of the result. */
static double distance_allowed(bool rounds, fsr_dtype dtype, double want) {
    if (!rounds || !fsr_dtype_is_inexact(dtype))
        return 0;
    if (dtype == FSR_F16)
        return 4 * 0x1p-10 * (fabs(want) + 0.5);
    return 16 * ldexp(1, 1 - fsr_dtype_digits(dtype)) * (fabs(want) + 64);
}

static bool is_near(bool rounds, fsr_dtype dtype, double a, double b, double size) {
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= distance_allowed(rounds, dtype, size);
}

/* A complex number by its parts, and by the size of both. */
static bool agrees(bool rounds, fsr_dtype dtype, fsr_value got, fsr_value want) {
    fsr_c128 a = fsr_value_to_complex(dtype, got), b = fsr_value_to_complex(dtype, want);
    if (!fsr_dtype_is_complex(dtype))
        return is_near(rounds, dtype, a.re, b.re, b.re);
    if (isnan(b.re) || isnan(b.im))
        return isnan(a.re) || isnan(a.im);
    return is_near(rounds, dtype, a.re, b.re, hypot(b.re, b.im)) &&
           is_near(rounds, dtype, a.im, b.im, hypot(b.re, b.im));
}

static void compare(reader *r, const expected *e) {
    char *text = e->values;
    fsr_dtype dtype = fsr_node_dtype(e->node);
    int64_t n = fsr_node_size(e->node);
    size_t size = fsr_dtype_size(dtype);
    const bool modulus = fsr_dtype_is_complex(fsr_node_dtype(r->x)) && !fsr_dtype_is_complex(dtype);
    const bool rounds = e->f->rounds || modulus;
    char *data = malloc((size_t)n * size + 1), words[200];
    if (fsr_read(e->node, data, (size_t)n * size))
        fail_msg("%s", fsr_error(r->ctx));
    for (int64_t i = 0; i < n; i++) {
        fsr_value got = {.bits = 0}, want = read_value(dtype, &text);
        memcpy(&got, data + (size_t)i * size, size);
        if (fsr_value_equal(got, want) || agrees(rounds, dtype, got, want))
            continue;
        snprintf(words, sizeof words, "element %lld is %.17g, not %.17g", (long long)i, fsr_value_to_double(dtype, got),
                 fsr_value_to_double(dtype, want));
        complain(r, e->f, words);
        break;
    }
    free(data);
}

static void finish_group(reader *r) {
    fsr_node out[GROUP];
    for (int i = 0; i < r->n; i++)
        out[i] = r->list[i].node;
    if (r->n && fsr_compute(out, r->n))
        fail_msg("%s over %s: %s", r->array, r->over_text, fsr_error(r->ctx));
    for (int i = 0; i < r->n; i++) {
        compare(r, &r->list[i]);
        free(r->list[i].values);
    }
    r->n = 0;
}

static bool shape_is(fsr_node x, const shape *s) {
    bool same = fsr_node_ndim(x) == s->ndim;
    for (int i = 0; same && i < s->ndim; i++)
        same = fsr_node_dim(x, i) == s->dim[i];
    return same;
}

static void read_result(reader *r, const char *name, char *line) {
    const function *f = functions;
    while (f < functions + COUNT_OF(functions) && strcmp(f->name, name) != 0)
        f++;
    if (f == functions + COUNT_OF(functions))
        fail_msg("unknown function %s", name);
    char *dtype = strtok(line, " "), *values = strtok(NULL, "");
    fsr_node x = build(f, r->x, &r->over);
    r->results++;
    if (strcmp(dtype, "empty") == 0) {
        if (fsr_node_status(x) != FSR_ERR_EMPTY)
            complain(r, f, "NumPy raises an error");
    } else if (fsr_node_status(x)) {
        complain(r, f, fsr_node_error(x));
    } else if (fsr_node_dtype(x) != dtype_of(dtype) || !shape_is(x, &r->result)) {
        complain(r, f, "another dtype or shape");
    } else {
        r->list[r->n++] = (expected){f, x, strdup(values ? values : "")};
        assert_true(r->n < GROUP);
    }
}

static void read_all(reader *r) {
    FILE *file = fopen("tests/numpy/folds.txt", "r");
    assert_non_null(file);
    static char line[LINE];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        char *rest = line + strcspn(line, " "), *word = line;
        rest += *rest ? 1 : 0;
        if (rest > word)
            rest[-1] = 0;
        bool array = strcmp(word, "array") == 0, axes = strcmp(word, "over") == 0;
        if (array || axes)
            finish_group(r);
        if (array)
            read_array(r, rest);
        else if (axes)
            read_over(r, rest);
        else if (!r->skip)
            read_result(r, word, rest);
    }
    finish_group(r);
    fclose(file);
    fsr_graph_free(r->g);
    subject_count("results of NumPy's", r->results);
    assert_int_equal(r->wrong, 0);
}

/* The configured compiler, which need not be this machine's, but without the optimizing. */
static void write_compiler(const char *dir, const char *own, char *path, size_t size) {
    snprintf(path, size, "%s/cc", dir);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\nexec %s \"$@\" -O0\n", own && *own ? own : "cc");
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, 0700), 0);
}

static void backend(void **state) {
    (void)state;
    char dir[64], path[80];
    fsr_config config = subject_config();
    subject_temporary_dir(dir);
    write_compiler(dir, config.compiler, path, sizeof path);
    config.compiler = path;
    reader r = {.ctx = subject_open(&config), .some = true};
    read_all(&r);
    fsr_close(r.ctx);
    subject_remove_dir(dir);
}

static void reference(void **state) {
    (void)state;
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_REFERENCE;
    reader r = {.ctx = subject_open(&config)};
    read_all(&r);
    fsr_close(r.ctx);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(reference), SUBJECT_TEST(backend)};
SUBJECT_MAIN(tests)
