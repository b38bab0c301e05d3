/* SPDX-License-Identifier: MIT */
/* Elements combined into an array at computed indices, and indices of which several are equal: against plain loops,
 * every operator of every dtype, under each mode, with indices that are all equal, reversed, or outside; and the same
 * bits a hundred times, with threads that take turns at random. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { MANY = 300000, BINS = 61 };

typedef fsr_node (*scatter_fn)(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                               fsr_index_mode mode, int flags);

static double add(double a, double b) {
    return a + b;
}
static double mul(double a, double b) {
    return a * b;
}
static double greatest(double a, double b) {
    return a != a || a > b ? a : b;
}
static double least(double a, double b) {
    return a != a || a < b ? a : b;
}
static double conjunction(double a, double b) {
    return (double)((int64_t)a & (int64_t)b);
}
static double disjunction(double a, double b) {
    return (double)((int64_t)a | (int64_t)b);
}
static double difference(double a, double b) {
    return (double)((int64_t)a ^ (int64_t)b);
}
static double last(double a, double b) {
    (void)a;
    return b;
}

static const struct {
    const char *name;
    scatter_fn scatter;
    double (*op)(double a, double b);
    bool floats;
} ways[] = {
    {"add", fsr_scatter_add_at, add, true},          {"mul", fsr_scatter_mul_at, mul, false},
    {"max", fsr_scatter_max_at, greatest, true},     {"min", fsr_scatter_min_at, least, true},
    {"and", fsr_scatter_and_at, conjunction, false}, {"or", fsr_scatter_or_at, disjunction, false},
    {"xor", fsr_scatter_xor_at, difference, false},  {"put", fsr_scatter_at, last, true},
};

static fsr_node numbers(fsr_dtype dtype, int64_t n, const double *x) {
    return fsr_cast(fsr_from_host(G, FSR_F64, 1, &n, x), dtype);
}

/* n indices into m elements: all equal, reversed, scattered about, counted from the end. */
static void indices(int64_t *at, int64_t n, int64_t m, int way) {
    for (int64_t i = 0; i < n; i++)
        at[i] = way == 0 ? m / 2 : way == 1 ? (n - 1 - i) % m : way == 2 ? (i * 7919 + i / 13) % m : i % m - m;
}

static void compare(fsr_node out, const double *want, int64_t m, const char *what, int dtype, int way) {
    double got[BINS];
    fsr_node wide = fsr_cast(out, FSR_F64);
    OK(fsr_read(wide, got, (size_t)m * sizeof *got));
    for (int64_t j = 0; j < m; j++)
        if (got[j] != want[j] && !(got[j] != got[j] && want[j] != want[j]))
            fail_msg("%s of %s, indices %d: element %lld is %.17g, not %.17g", what, fsr_dtype_name((fsr_dtype)dtype),
                     way, (long long)j, got[j], want[j]);
}

/* Small whole numbers: whatever is computed with them is exact, of bools and products 0 and 1 as well. */
static void one(int w, int dtype, int64_t n, int way) {
    double x[BINS], y[400], want[BINS];
    int64_t at[400];
    const bool narrow = dtype == FSR_BOOL || ways[w].op == mul;
    const int64_t m = way == 2 ? BINS : 7;
    indices(at, n, m, way);
    for (int64_t j = 0; j < m; j++)
        want[j] = x[j] = narrow ? (double)(j % 2) : (double)(j % 5);
    for (int64_t i = 0; i < n; i++) {
        double *to = &want[at[i] < 0 ? at[i] + m : at[i]];
        y[i] =
            narrow ? (double)(i % 3 == 1) : (double)(i * 5 % 7 % 4) * (ways[w].op == add && n > 60 ? i % 16 == 0 : 1);
        *to = ways[w].op(*to, y[i]);
        *to = dtype == FSR_BOOL ? *to != 0 : *to;
    }
    fsr_node array = numbers((fsr_dtype)dtype, m, x), values = numbers((fsr_dtype)dtype, n, y);
    fsr_node i = fsr_from_host(G, FSR_I64, 1, &n, at);
    fsr_node out = ways[w].scatter(FSR_HERE, array, &i, 1, values, FSR_INDEX_RAISE, 0);
    const bool takes = dtype == FSR_BOOL || ways[w].floats ||
                       !(dtype == FSR_F16 || dtype == FSR_BF16 || dtype == FSR_F32 || dtype == FSR_F64);
    if (dtype >= FSR_C64 && ways[w].op != add && ways[w].op != last)
        assert_int_equal(fsr_node_status(out), FSR_ERR_DTYPE);
    else if (dtype < FSR_C64 && !takes)
        assert_int_equal(fsr_node_status(out), ways[w].op == mul ? FSR_ERR_UNSUPPORTED : FSR_ERR_DTYPE);
    else
        compare(dtype < FSR_C64 ? out : fsr_real(out), want, m, ways[w].name, dtype, way);
}

/* The dtype of the fast tier. */
static int short_of(int w) {
    static const fsr_dtype dtype[] = {FSR_I8, FSR_U64, FSR_F16, FSR_F32, FSR_BOOL, FSR_U16, FSR_I64, FSR_C64};
    return (int)dtype[w];
}

static void every_operator(void **state) {
    (void)state;
    for (int w = 0; w < COUNT_OF(ways); w++)
        for (int dtype = 0; dtype < FSR_DTYPE_COUNT; dtype++)
            if (subject_case(w * FSR_DTYPE_COUNT + dtype, dtype != short_of(w)))
                for (int way = 0; way < 4; way++)
                    one(w, dtype, way == 2 ? 333 : 40, way);
}

/* ---- sums of floats ------------------------------------------------------------------------------------- */

static fsr_node scatter_one(scatter_fn scatter, fsr_node x, fsr_node i, fsr_node values, int flags) {
    return scatter(FSR_HERE, x, &i, 1, values, FSR_INDEX_RAISE, flags);
}

/* Sums of values far apart in size, place by place, within a part in 2^22 or 2^51 of the sum of magnitudes; nothing is
 * lost beside a place of large ones. */
static void sums(void **state) {
    (void)state;
    const int64_t n = 5000, m = 11;
    for (int d = FSR_F32; d <= FSR_F64; d++) {
        double y[5000], size[11], got[11];
        long double sum[11];
        int64_t at[5000];
        for (int64_t j = 0; j < m; j++)
            sum[j] = size[j] = 1;
        for (int64_t i = 0; i < n; i++) {
            at[i] = i * 31 % m;
            y[i] = (float)(sin((double)i) * exp2((double)(at[i] * 18 - 99) + (double)(i % 7)));
            sum[at[i]] += y[i];
            size[at[i]] += fabs(y[i]);
        }
        fsr_node ones = fsr_full(G, (fsr_dtype)d, 1, &m, 1), i = fsr_from_host(G, FSR_I64, 1, &n, at);
        for (int flags = 0; flags <= FSR_UNORDERED; flags += FSR_UNORDERED) {
            fsr_node out = scatter_one(fsr_scatter_add_at, ones, i, numbers((fsr_dtype)d, n, y), flags);
            OK(fsr_read(fsr_cast(out, FSR_F64), got, sizeof got));
            for (int64_t j = 0; j < m; j++)
                if (fabsl(got[j] - sum[j]) > size[j] * (flags ? 0x1p-12 : d == FSR_F32 ? 0x1p-22 : 0x1p-51))
                    fail_msg("%s, flags %d: place %d is %.17g, not %.17g", fsr_dtype_name((fsr_dtype)d), flags, (int)j,
                             got[j], (double)sum[j]);
        }
    }
}

/* NaN, infinities, both of them, numbers at the ends of the range, zeros, and a place where nothing goes. */
static void not_numbers(void **state) {
    (void)state;
    static const double y[] = {1,         NAN,      INFINITY, 2,          -INFINITY,  INFINITY,
                               -INFINITY, 3,        0x1p1023, 0x1.fp1023, 0x1p-1074,  0x1p-1074,
                               -0.0,      INFINITY, NAN,      0x1.8p1022, -0x1.8p1022};
    static const int64_t at[] = {0, 0, 1, 1, 2, 3, 3, 3, 4, 4, 5, 5, 6, 8, 8, 9, 9}, n = COUNT_OF(y), m = 10;
    static const double x[] = {1, 1, 1, 1, 0, 0, 5, -0.0, 1, 7};
    const double sum[] = {NAN, INFINITY, -INFINITY, NAN, INFINITY, 0x1p-1073, 5, -0.0, NAN, 7};
    const double top[] = {NAN, INFINITY, 1, INFINITY, 0x1.fp1023, 0x1p-1074, 5, -0.0, NAN, 0x1.8p1022};
    fsr_node array = numbers(FSR_F64, m, x), i = fsr_from_host(G, FSR_I64, 1, &n, at), values = numbers(FSR_F64, n, y);
    compare(scatter_one(fsr_scatter_add_at, array, i, values, 0), sum, m, "add", FSR_F64, 0);
    compare(scatter_one(fsr_scatter_max_at, array, i, values, 0), top, m, "max", FSR_F64, 0);
    fsr_node single[] = {fsr_cast(array, FSR_F32), fsr_cast(values, FSR_F32)};
    fsr_node out = fsr_isnan(scatter_one(fsr_scatter_add_at, single[0], i, single[1], 0));
    compare(out, (const double[]){1, 0, 0, 1, 0, 0, 0, 0, 1, 1}, m, "NaN of add", FSR_F32, 0);
}

/* The powers of two that scale the sums: ldexp from one end of f64's range to the other, rounded once. */
static void scales(void **state) {
    (void)state;
    enum { POWERS = 4500 };
    static const double x[] = {1,         0x1.fffffffffffffp0, -0x1.8000000000001p-30,
                               0x1p-1074, 0x1.fp1023,          -0x1.0000000000001p-1000};
    double got[POWERS];
    fsr_node n = fsr_sub(fsr_arange(G, FSR_I32, POWERS), fsr_int(G, POWERS / 2));
    for (int k = 0; k < COUNT_OF(x); k++) {
        OK(fsr_read(fsr_ldexp(fsr_cast(fsr_float(G, x[k]), FSR_F64), n), got, sizeof got));
        for (int i = 0; i < POWERS; i++)
            if (got[i] != ldexp(x[k], i - POWERS / 2))
                fail_msg("ldexp(%a, %d) is %a", x[k], i - POWERS / 2, got[i]);
    }
}

/* ---- the same bits ---------------------------------------------------------------------------------------- */

/* Every result of one scatter that has an order to depend on. */
static void many(fsr_graph *g, const int32_t *at, const float *y, fsr_node *out) {
    const int64_t n = MANY, m = BINS;
    fsr_node i = fsr_from_host(g, FSR_I32, 1, &n, at), values = fsr_from_host(g, FSR_F32, 1, &n, y);
    fsr_node zeros = fsr_full(g, FSR_F32, 1, &m, -0.0), wide = fsr_cast(zeros, FSR_F64);
    out[0] = scatter_one(fsr_scatter_add_at, zeros, i, values, 0);
    out[1] = scatter_one(fsr_scatter_add_at, wide, i, fsr_div(fsr_cast(values, FSR_F64), fsr_float(g, 3)), 0);
    out[2] = scatter_one(fsr_scatter_max_at, zeros, i, fsr_mul(values, fsr_float(g, -0.0)), 0);
    out[3] = fsr_scatter(zeros, &i, 1, values, FSR_INDEX_RAISE, 0);
    out[4] = scatter_one(fsr_scatter_mul_at, fsr_full(g, FSR_I64, 1, &m, 1), i, fsr_add(i, fsr_int(g, 3)), 0);
}

static void hundred_times(void **state) {
    (void)state;
    enum { OUTS = 5 };
    int32_t *at = malloc(MANY * sizeof *at);
    float *y = malloc(MANY * sizeof *y), last_one[BINS], got[BINS];
    unsigned char first[OUTS][BINS * 8], again[BINS * 8];
    fsr_config config = subject_config();
    config.threads = 3;
    fsr_context *ctx = subject_open(&config);
    for (int i = 0; i < MANY; i++) {
        at[i] = (int)((unsigned)i * 2654435761u >> 9) % BINS;
        y[i] = (float)sin(i * 0.7) * (float)(i % 97);
        last_one[at[i]] = y[i];
    }
    const int times = subject_sanitized() ? 3 : 100;
    for (int t = 0; t < times; t++) {
        fsr_graph *g = fsr_graph_new(ctx);
        fsr_node out[OUTS];
        many(g, at, y, out);
        OK(fsr_compute(out, OUTS));
        for (int o = 0; o < OUTS; o++) {
            const size_t bytes = BINS * fsr_dtype_size(fsr_node_dtype(out[o]));
            OK(fsr_read(out[o], t ? again : first[o], bytes));
            if (t)
                assert_memory_equal(again, first[o], bytes);
        }
        fsr_graph_free(g);
    }
    memcpy(got, first[3], sizeof got);
    assert_memory_equal(got, last_one, sizeof got);
    fsr_close(ctx);
    free(at);
    free(y);
}

/* ---- modes, axes, edges ------------------------------------------------------------------------------------- */

static void modes(void **state) {
    (void)state;
    static const int64_t at[] = {-9, -1, 0, 3, 4, 11, INT64_MAX, INT64_MIN, 3}, n = COUNT_OF(at);
    static const double y[] = {1, 2, 4, 8, 16, 32, 64, 128, 256}, x[] = {0, 0, 0, 0};
    const double sum[][4] = {[FSR_INDEX_CLIP] = {135, 0, 0, 8 + 16 + 32 + 64 + 256},
                             [FSR_INDEX_WRAP] = {4 + 16 + 128, 0, 0, 1 + 2 + 8 + 32 + 64 + 256},
                             [FSR_INDEX_DROP] = {4, 0, 0, 2 + 8 + 256}};
    const double put[][4] = {
        [FSR_INDEX_CLIP] = {128, 0, 0, 256}, [FSR_INDEX_WRAP] = {128, 0, 0, 256}, [FSR_INDEX_DROP] = {4, 0, 0, 256}};
    fsr_node i = fsr_from_host(G, FSR_I64, 1, &n, at);
    for (int b = FSR_INDEX_CLIP; b <= FSR_INDEX_DROP; b++)
        for (int d = b == FSR_INDEX_DROP ? FSR_F64 : FSR_I32; d == FSR_I32 || d == FSR_F64; d += FSR_DTYPE_COUNT) {
            fsr_node array = numbers((fsr_dtype)d, 4, x), values = numbers((fsr_dtype)d, n, y);
            compare(fsr_scatter_add(array, &i, 1, values, (fsr_index_mode)b, 0), sum[b], 4, "add", d, b);
            compare(fsr_scatter(array, &i, 1, values, (fsr_index_mode)b, 0), put[b], 4, "put", d, b);
        }
    double back[4];
    fsr_node wrong = fsr_scatter_add_at(fsr_here("here.c", 12), numbers(FSR_F64, 4, x),
                                        (fsr_node[]){fsr_from_host(G, FSR_I64, 1, SHAPE(2), (int64_t[]){4, 1})}, 1,
                                        fsr_float(G, 3), FSR_INDEX_RAISE, 0);
    subject_error(subject_ctx, fsr_read(wrong, back, sizeof back), FSR_ERR_INDEX,
                  "index 4 is out of bounds for axis 0 with size 4|here.c:12");
    OK(fsr_read(wrong, back, sizeof back));
    assert_true(back[0] == 0 && back[1] == 3);
}

/* Whole rows, two arrays of indices, an axis; what computes them and what reads the result fused; one place for all. */
static void axes(void **state) {
    (void)state;
    const int64_t rows[] = {2, 0, 2, -1}, cols[] = {1, 1, 0, 1};
    fsr_node x = fsr_reshape(fsr_arange(G, FSR_F32, 6), 2, SHAPE(3, 2)),
             i = fsr_from_host(G, FSR_I64, 1, SHAPE(4), rows);
    fsr_node both[] = {i, fsr_from_host(G, FSR_I64, 1, SHAPE(4), cols)};
    fsr_node values = fsr_reshape(fsr_arange(G, FSR_F32, 8), 2, SHAPE(4, 2));
    fsr_node whole = fsr_scatter_add(x, &i, 1, values, FSR_INDEX_RAISE, 0);
    compare(fsr_reshape(whole, 1, SHAPE(6)), (const double[]){2, 4, 2, 3, 14, 18}, 6, "rows", FSR_F32, 0);
    fsr_node pairs = fsr_scatter_add(fsr_mul(x, fsr_int(G, 2)), both, 2, fsr_exp(fsr_float(G, 0)), FSR_INDEX_RAISE, 0);
    compare(fsr_reshape(fsr_neg(pairs), 1, SHAPE(6)), (const double[]){0, -3, -4, -6, -9, -12}, 6, "pairs", FSR_F32, 0);
    fsr_node along = fsr_reshape(fsr_from_host(G, FSR_I64, 1, SHAPE(6), (int64_t[]){1, 1, 0, 0, 1, 0}), 2, SHAPE(3, 2));
    fsr_node put = fsr_put_along_axis(x, along, fsr_slice(values, 0, 0, 3, 1), 1, FSR_INDEX_RAISE, 0);
    compare(fsr_reshape(put, 1, SHAPE(6)), (const double[]){0, 1, 3, 3, 5, 4}, 6, "along", FSR_F32, 0);
    fsr_node five = fsr_int(G, 5),
             total = fsr_scatter_add(fsr_arange(G, FSR_I32, 7), &five, 1,
                                     fsr_sum(fsr_arange(G, FSR_I32, 10), AXES(0), 1, 0), FSR_INDEX_CLIP, 0);
    compare(total, (const double[]){0, 1, 2, 3, 4, 50, 6}, 7, "one place", FSR_I32, 0);
    fsr_node outs[] = {whole, pairs, put, total};
    subject_verify(outs, 4, NULL, "axes");
}

/* ---- a caller's operator ----------------------------------------------------------------------------------- */

/* Linear recurrences: pairs (a, b), then (c, d), are (a c, b c + d); does not commute. */
static void recur(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_mul(left[0], right[0]);
    out[1] = fsr_add(fsr_mul(left[1], right[0]), right[1]);
}

static void longest(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_maximum(left[0], right[0]);
}

static void total(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_add(left[0], right[0]);
}

static const fsr_operator recurrence = {.body = recur, .arity = 2, .identity = {1, 0}};

/* Rows of two columns, at computed rows of which many are equal, some are outside, some count from the end; whole
 * numbers that wrap, so that every association gives the same. */
static void recurrences(void **state) {
    (void)state;
    enum { ROWS = 7, COUNT = 500 };
    static const fsr_index_mode mode[] = {FSR_INDEX_DROP, FSR_INDEX_CLIP, FSR_INDEX_WRAP};
    int32_t a[COUNT][2], b[COUNT][2], at[COUNT];
    for (int i = 0; i < COUNT; i++) {
        at[i] = i * 37 % 19 - 9;
        for (int c = 0; c < 2; c++) {
            a[i][c] = i % 5 * 2 + c - 3;
            b[i][c] = i * 7 + c;
        }
    }
    fsr_node index = fsr_from_host(G, FSR_I32, 1, SHAPE(COUNT), at), out[2];
    fsr_node value[] = {fsr_from_host(G, FSR_I32, 2, SHAPE(COUNT, 2), a),
                        fsr_from_host(G, FSR_I32, 2, SHAPE(COUNT, 2), b)};
    fsr_node x[] = {fsr_full(G, FSR_I32, 2, SHAPE(ROWS, 2), 3), fsr_full(G, FSR_I32, 2, SHAPE(ROWS, 2), 5)};
    for (int k = 0; k < COUNT_OF(mode); k++) {
        uint32_t want[2][ROWS][2];
        for (int i = 0; i < ROWS * 2; i++) {
            want[0][i / 2][i % 2] = 3;
            want[1][i / 2][i % 2] = 5;
        }
        for (int i = 0; i < COUNT; i++) {
            int row = at[i];
            if (mode[k] == FSR_INDEX_DROP && (row < -ROWS || row >= ROWS))
                continue;
            row = mode[k] == FSR_INDEX_DROP   ? (row + ROWS) % ROWS
                  : mode[k] == FSR_INDEX_CLIP ? (row < 0       ? 0
                                                 : row >= ROWS ? ROWS - 1
                                                               : row)
                                              : ((row % ROWS) + ROWS) % ROWS;
            for (int c = 0; c < 2; c++) {
                want[1][row][c] = want[1][row][c] * (uint32_t)a[i][c] + (uint32_t)b[i][c];
                want[0][row][c] *= (uint32_t)a[i][c];
            }
        }
        fsr_scatter_with(out, x, &recurrence, &index, 1, value, mode[k]);
        for (int c = 0; c < 2; c++) {
            uint32_t *got = subject_read(out[c]);
            assert_memory_equal(got, want[c], sizeof want[c]);
            free(got);
        }
        subject_verify(out, 2, NULL, "mode %d", (int)mode[k]);
    }
}

/* What computes values and indices, two arrays of indices, one value for all; what is outside is told, and stored
 * nowhere; mistakes. */
static void operators(void **state) {
    (void)state;
    const fsr_operator op = {.body = longest, .arity = 1, .identity = {-INFINITY}, .commutative = true},
                       wide = {.body = longest, .arity = 4};
    fsr_node x = fsr_arange(G, FSR_F32, 12), m = fsr_reshape(x, 2, SHAPE(3, 4)), i = fsr_arange(G, FSR_I64, 100), out;
    fsr_node at[] = {fsr_mod(i, fsr_int(G, 3)), fsr_floor_divide(i, fsr_int(G, 25))};
    fsr_node computed = fsr_mul(fsr_sin(fsr_cast(i, FSR_F32)), fsr_float(G, 20));
    fsr_scatter_with(&out, &m, &op, at, 2, &computed, FSR_INDEX_RAISE);
    fsr_plan_info info;
    OK(fsr_query(&out, 1, &info));
    assert_true(info.calls > 0);
    fsr_node other = fsr_scatter_max(m, at, 2, computed, FSR_INDEX_RAISE, 0),
             same = fsr_all(fsr_equal(out, other), NULL, 0, 0);
    assert_true(subject_value(same, 0) == 1);
    /* One operation of integers is what a store combines by; others sort. */
    const fsr_operator sum = {.body = total, .arity = 1, .commutative = true};
    fsr_node whole = fsr_cast(m, FSR_I16), more = fsr_cast(computed, FSR_I16);
    fsr_scatter_with(&out, &whole, &sum, at, 2, &more, FSR_INDEX_RAISE);
    OK(fsr_query(&out, 1, &info));
    assert_int_equal(info.calls, 0);
    same = fsr_all(fsr_equal(out, fsr_scatter_add(whole, at, 2, more, FSR_INDEX_RAISE, 0)), NULL, 0, 0);
    assert_true(subject_value(same, 0) == 1);
    fsr_node five = fsr_float(G, 5), three = fsr_int(G, 3), thirteen = fsr_int(G, 13), none = fsr_slice(i, 0, 1, 1, 1);
    fsr_scatter_with(&out, &x, &op, &three, 1, &five, FSR_INDEX_RAISE);
    assert_true(subject_value(out, 3) == 5 && subject_value(out, 4) == 4 && subject_value(out, 5) == 5);
    fsr_scatter_with(&out, &x, &op, &none, 1, &five, FSR_INDEX_RAISE);
    assert_true(subject_value(out, 11) == 11);
    fsr_scatter_with(&out, &x, &op, &thirteen, 1, &five, FSR_INDEX_RAISE);
    float got[12];
    subject_error(subject_ctx, fsr_read(out, got, sizeof got), FSR_ERR_INDEX, "13");
    fsr_node outs[4], xs[] = {x, x, x, x}, ms[] = {x, m};
    fsr_scatter_with(outs, xs, &wide, &three, 1, xs, FSR_INDEX_RAISE);
    assert_int_equal(fsr_node_status(outs[0]), FSR_ERR_UNSUPPORTED);
    fsr_scatter_with(outs, ms, &recurrence, &three, 1, (fsr_node[]){five, five}, FSR_INDEX_RAISE);
    assert_int_equal(fsr_node_status(outs[1]), FSR_ERR_SHAPE);
    fsr_scatter_with(&out, &x, &op, &five, 1, &five, FSR_INDEX_RAISE);
    assert_int_equal(fsr_node_status(out), FSR_ERR_DTYPE);
    fsr_scatter_with(&out, &x, NULL, &three, 1, &five, FSR_INDEX_RAISE);
    assert_int_equal(fsr_node_status(out), FSR_ERR_NULL);
    fsr_scatter_with(&out, &x, &op, &three, 1, &five, (fsr_index_mode)7);
    assert_int_equal(fsr_node_status(out), FSR_ERR_VALUE);
}

static void edges(void **state) {
    (void)state;
    fsr_node x = numbers(FSR_F32, 3, (const double[]){1, 2, 3}), none = fsr_slice(x, 0, 1, 1, 1);
    fsr_node nowhere = fsr_cast(none, FSR_I64), zero = fsr_int(G, 0);
    compare(fsr_scatter_add(x, &nowhere, 1, none, FSR_INDEX_RAISE, 0), (const double[]){1, 2, 3}, 3, "none", FSR_F32,
            0);
    assert_int_equal(fsr_node_status(fsr_scatter_add(none, &zero, 1, x, FSR_INDEX_RAISE, 0)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_scatter_max(none, &zero, 1, zero, FSR_INDEX_RAISE, 0)), FSR_ERR_INDEX);
    assert_int_equal(fsr_node_status(fsr_scatter_max(x, &zero, 1, zero, FSR_INDEX_RAISE, FSR_UNIQUE)), FSR_ERR_VALUE);
    compare(fsr_scatter_min(fsr_slice(x, 0, 1, 2, 1), &zero, 1, zero, FSR_INDEX_RAISE, 0), (const double[]){0}, 1,
            "one", FSR_F32, 0);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(every_operator), SUBJECT_TEST(sums),  SUBJECT_TEST(not_numbers), SUBJECT_TEST(scales),
    SUBJECT_TEST(hundred_times),   SUBJECT_TEST(modes), SUBJECT_TEST(axes),        SUBJECT_TEST(recurrences),
    SUBJECT_TEST(operators),       SUBJECT_TEST(edges)};
SUBJECT_MAIN(tests)
