/* SPDX-License-Identifier: MIT */
/* Sums of many floats between offsets, and sparse products of many elements, which a CPU has calls for: lengths of any
 * skew against plain loops, offsets that fall, the same bits with any number of threads, row functions. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { MANY = (1 << 18) + 41, COUNT = 4099, COLS = 1009, FALLING = 90 };

/* How long segment s is, before the last one, which has the rest. */
typedef int64_t (*length_fn)(int64_t s);

static int64_t few(int64_t s) {
    return s * 7919 % 13;
}
static int64_t many(int64_t s) {
    return s * 7919 % 100;
}
static int64_t one_of_most(int64_t s) {
    return s == 77 ? 200003 : s % 3;
}
static int64_t about_a_strip(int64_t s) {
    return s < 100 ? 2046 + s % 5 : s % 2;
}

/* Five of a length, fewer than four elements: four are summed at once. */
static int64_t alike(int64_t s) {
    return s / 5 % 4;
}

static const length_fn lengths[] = {few, many, one_of_most, about_a_strip, alike};

static void fill(int64_t *offset, length_fn length) {
    for (int64_t s = 0, at = 0; s <= COUNT; s++) {
        offset[s] = s == COUNT ? MANY : at;
        at += length(s);
        at = at < MANY ? at : MANY;
    }
}

/* Whole numbers, whose sums are exact in any order. */
static float number(int64_t i) {
    return (float)(i * 7919 % 1013 - 500);
}

static fsr_node numbers(void) {
    float *x = malloc(MANY * sizeof *x);
    for (int64_t i = 0; i < MANY; i++)
        x[i] = number(i);
    fsr_node out = fsr_from_host(G, FSR_F32, 1, SHAPE(MANY), x);
    free(x);
    return out;
}

static void expect(fsr_node sums, const double *want, const char *what, int row) {
    double *got = subject_read(fsr_cast(sums, FSR_F64));
    for (int64_t s = 0; s < COUNT; s++)
        if (got[s] != want[s])
            fail_msg("%s, lengths %d: %.17g of segment %lld, not %.17g", what, row, got[s], (long long)s, want[s]);
    free(got);
}

static void lengths_of_any_skew(void **state) {
    (void)state;
    static int64_t offset[COUNT + 1];
    static double sum[COUNT], product[COUNT];
    for (int l = 0; l < COUNT_OF(lengths); l++) {
        fill(offset, lengths[l]);
        for (int64_t s = 0; s < COUNT; s++) {
            sum[s] = product[s] = 0;
            for (int64_t i = offset[s]; i < offset[s + 1]; i++) {
                sum[s] += (double)number(i);
                product[s] += (double)number(i) * (double)(i * 31 % COLS % 7);
            }
        }
        fsr_node x = numbers(), places = fsr_arange(G, FSR_I64, MANY);
        fsr_node offsets = fsr_from_host(G, FSR_I64, 1, SHAPE(COUNT + 1), offset);
        fsr_node column = fsr_mod(fsr_mul(places, fsr_int(G, 31)), fsr_int(G, COLS));
        fsr_node v = fsr_cast(fsr_mod(fsr_arange(G, FSR_I64, COLS), fsr_int(G, 7)), FSR_F32);
        const fsr_csr a = {offsets, column, x, COUNT, COLS};
        expect(fsr_segment_sum(x, offsets), sum, "f32", l);
        expect(fsr_segment_sum(fsr_cast(x, FSR_F64), offsets), sum, "f64", l);
        expect(fsr_imag(fsr_segment_sum(fsr_complex_of(fsr_neg(x), x), offsets)), sum, "c64", l);
        expect(fsr_csr_dot(&a, v), product, "products", l);
    }
}

/* More long segments than are known by their number. */
static void many_long_ones(void **state) {
    (void)state;
    enum { SEGMENTS = 70, LENGTH = (1 << 14) + 1, ALL = SEGMENTS * LENGTH };
    int64_t offset[SEGMENTS + 1];
    for (int64_t s = 0; s <= SEGMENTS; s++)
        offset[s] = s * LENGTH;
    fsr_node x = fsr_cast(fsr_mod(fsr_arange(G, FSR_I64, ALL), fsr_int(G, 5)), FSR_F32);
    fsr_node sums = fsr_segment_sum(x, fsr_from_host(G, FSR_I64, 1, SHAPE(SEGMENTS + 1), offset));
    for (int64_t s = 0; s < SEGMENTS; s++) {
        double want = 0;
        for (int64_t i = offset[s]; i < offset[s + 1]; i++)
            want += (double)(i % 5);
        assert_true(subject_value(sums, (int)s) == want);
    }
}

/* An offset before the one in front of it ends nothing. */
static void offsets_that_fall(void **state) {
    (void)state;
    const int64_t offset[] = {-5, 10, 4, MANY + 9, 7, 7, 12};
    fsr_node sums = fsr_segment_sum(numbers(), fsr_from_host(G, FSR_I64, 1, SHAPE(COUNT_OF(offset)), offset));
    for (int s = 0; s + 1 < COUNT_OF(offset); s++) {
        double want = 0;
        for (int64_t i = offset[s] < 0 ? 0 : offset[s]; i < offset[s + 1] && i < MANY; i++)
            want += (double)number(i);
        assert_true(subject_value(sums, s) == want);
    }
}

/* Of products nothing lies in front of the furthest offset so far. */
static void products_whose_offsets_fall(void **state) {
    (void)state;
    static int64_t offset[FALLING] = {-5, 10, 4, 300, 7, 7, MANY + 9, 12};
    for (int s = 8; s < FALLING; s++)
        offset[s] = s % 2 ? MANY : 0;
    fsr_node places = fsr_mod(fsr_arange(G, FSR_I64, MANY), fsr_int(G, COLS));
    const fsr_csr a = {fsr_from_host(G, FSR_I64, 1, SHAPE(FALLING), offset), places, numbers(), FALLING - 1, COLS};
    float *got = subject_read(fsr_csr_dot(&a, fsr_full(G, FSR_F32, 1, SHAPE(COLS), 1)));
    for (int64_t s = 0, furthest = 0; s + 1 < FALLING; s++) {
        double want = 0;
        for (; furthest < offset[s + 1] && furthest < MANY; furthest++)
            want += (double)number(furthest);
        assert_true((double)got[s] == want);
    }
    free(got);
}

/* ---- the order that docs/semantics.md promises --------------------------------------------------------------- */

enum { PIECE = 1 << 14, LONG = 257 * PIECE + 3, ORDERED = 10, ORDERED_ROWS = 80 };

static const int64_t ordered[ORDERED] = {0, 1, 3, 4, 5, PIECE - 1, PIECE, PIECE + 1, 2 * PIECE + 1, LONG};

/* Elements whose sum is next to nothing, so that what is left of it is what rounding in the order of adding leaves:
 * each element of a row's first half is there again in its other half, negative, from the end to the middle. */
static void fill_ordered(int64_t *offset, float *x, int32_t *column) {
    uint32_t seed = 5;
    for (int64_t s = 0; s < ORDERED_ROWS; s++)
        offset[s + 1] = offset[s] + (s < ORDERED ? ordered[s] : 0);
    for (int64_t s = 0; s < ORDERED; s++)
        for (int64_t from = offset[s], to = offset[s + 1]; from < to--; from++) {
            const float size = ldexpf((float)(1 + subject_random(&seed) % 99991), (int)(subject_random(&seed) % 60));
            x[from] = subject_random(&seed) % 2 ? size : -size;
            x[to] = from == to ? 0.3f : -x[from];
            column[from] = column[to] = (int32_t)(subject_random(&seed) % COLS);
        }
}

/* Element i of a piece in lane i % 4, the last n % 4 in lane 0. */
static double piece_of(const float *x, const int32_t *column, const float *v, int64_t n) {
    double lane[4] = {0, 0, 0, 0};
    for (int64_t i = 0; i < n; i++)
        lane[i < n - n % 4 ? i % 4 : 0] += (double)x[i] * (v ? (double)v[column[i]] : 1.0);
    return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

/* v: NULL: no products. */
static double in_order(const float *x, const int32_t *column, const float *v, int64_t n) {
    double sum = 0;
    for (int64_t at = 0; at < n; at += PIECE)
        sum += piece_of(x + at, column + at, v, n - at < PIECE ? n - at : PIECE);
    return sum;
}

typedef struct in_rows {
    int64_t offset[ORDERED_ROWS + 1];
    float *x, v[COLS];
    int32_t *column;
} in_rows;

static void compare_order(const in_rows *r, int threads) {
    const int64_t n = r->offset[ORDERED_ROWS];
    float sum[ORDERED_ROWS], product[ORDERED_ROWS];
    double wide[ORDERED_ROWS];
    fsr_config config = subject_config();
    config.threads = threads;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node offsets = fsr_from_host(g, FSR_I64, 1, SHAPE(ORDERED_ROWS + 1), r->offset);
    fsr_node x = fsr_from_host(g, FSR_F32, 1, &n, r->x);
    const fsr_csr a = {offsets, fsr_from_host(g, FSR_I32, 1, &n, r->column), x, ORDERED_ROWS, COLS};
    OK(fsr_read(fsr_segment_sum(x, offsets), sum, sizeof sum));
    OK(fsr_read(fsr_segment_sum(fsr_cast(x, FSR_F64), offsets), wide, sizeof wide));
    OK(fsr_read(fsr_csr_dot(&a, fsr_from_host(g, FSR_F32, 1, SHAPE(COLS), r->v)), product, sizeof product));
    fsr_close(ctx);
    for (int s = 0; s < ORDERED_ROWS; s++) {
        const int64_t from = r->offset[s], many = r->offset[s + 1] - from;
        const double plain = in_order(r->x + from, r->column + from, NULL, many);
        const float narrow = (float)plain, times = (float)in_order(r->x + from, r->column + from, r->v, many);
        if (memcmp(&wide[s], &plain, sizeof plain) != 0 || memcmp(&sum[s], &narrow, sizeof narrow) != 0 ||
            memcmp(&product[s], &times, sizeof times) != 0)
            fail_msg("%d threads, %lld elements: %a and %a, not %a; products %a, not %a", threads, (long long)many,
                     wide[s], (double)sum[s], plain, (double)product[s], (double)times);
    }
}

static void order_is_what_is_promised(void **state) {
    (void)state;
    static in_rows r;
    int64_t n = 0;
    for (int s = 0; s < ORDERED; s++)
        n += ordered[s];
    r.x = calloc((size_t)n, sizeof *r.x);
    r.column = calloc((size_t)n, sizeof *r.column);
    fill_ordered(r.offset, r.x, r.column);
    for (int c = 0; c < COLS; c++)
        r.v[c] = 1 + 0.37f * (float)(c % 29);
    compare_order(&r, 1);
    compare_order(&r, 3);
    free(r.x);
    free(r.column);
}

/* Sums of numbers whose last bits hang on their order. */
static void *read_with(int threads, const int64_t *offset) {
    fsr_config config = subject_config();
    config.threads = threads;
    fsr_context *ctx = subject_open(&config);
    fsr_graph *g = fsr_graph_new(ctx);
    fsr_node i = fsr_arange(g, FSR_I64, MANY), x = fsr_sin(fsr_cast(i, FSR_F64));
    fsr_node offsets = fsr_from_host(g, FSR_I64, 1, SHAPE(COUNT + 1), offset), out = fsr_segment_sum(x, offsets);
    double *got = malloc(2 * COUNT * sizeof *got);
    const fsr_csr a = {offsets, fsr_mod(i, fsr_int(g, COLS)), x, COUNT, COLS};
    OK(fsr_read(out, got, COUNT * sizeof *got));
    OK(fsr_read(fsr_csr_dot(&a, fsr_slice(x, 0, 0, COLS, 1)), got + COUNT, COUNT * sizeof *got));
    fsr_close(ctx);
    return got;
}

static void threads_change_no_bit(void **state) {
    (void)state;
    static int64_t offset[COUNT + 1];
    for (int l = 0; l < COUNT_OF(lengths); l++) {
        fill(offset, lengths[l]);
        void *first = read_with(1, offset);
        for (int threads = 2; threads < 6; threads++) {
            void *again = read_with(threads, offset);
            if (memcmp(first, again, 2 * COUNT * sizeof(double)) != 0)
                fail_msg("lengths %d: other bits with %d threads than with 1", l, threads);
            free(again);
        }
        free(first);
    }
}

static void against_the_reference(void **state) {
    (void)state;
    static int64_t offset[COUNT + 1];
    fill(offset, one_of_most);
    fsr_node offsets = fsr_from_host(G, FSR_I64, 1, SHAPE(COUNT + 1), offset);
    fsr_node x = subject_data(FSR_F32, 1, SHAPE(MANY), SUBJECT_SMALL, 0);
    fsr_node out[] = {fsr_segment_sum(x, offsets), fsr_segment_sum(fsr_mul(x, x), fsr_slice(offsets, 0, 1, COUNT, 1))};
    OK(fsr_verify(out, COUNT_OF(out), NULL));
}

/* Rows of offsets in one array: what the call cannot do for many of them its other form does. */
static void sums_at(fsr_node *out, const fsr_node *in, void *user) {
    out[0] = fsr_segment_sum(*(const fsr_node *)user, in[0]);
}

static void row_functions(void **state) {
    (void)state;
    static int64_t offset[2][COUNT + 1];
    static double sum[COUNT];
    fsr_node x = numbers(), out;
    fill(offset[0], few);
    fill(offset[1], many);
    fsr_node offsets = fsr_from_host(G, FSR_I64, 2, SHAPE(2, COUNT + 1), offset);
    fsr_vectorize(&out, 1, &offsets, 1, "(n)->(m)", sums_at, &x);
    for (int l = 0; l < 2; l++) {
        for (int64_t s = 0; s < COUNT; s++) {
            sum[s] = 0;
            for (int64_t i = offset[l][s]; i < offset[l][s + 1]; i++)
                sum[s] += (double)number(i);
        }
        expect(fsr_reshape(fsr_slice(out, 0, l, l + 1, 1), 1, SHAPE(COUNT)), sum, "rows", l);
    }
}

/* A product in which one array is each row's own: */
typedef enum own_array { OWN_OFFSETS, OWN_COLUMNS, OWN_VALUES, OWN_X } own_array;

typedef struct product_at {
    fsr_node array[4];
    own_array own;
} product_at;

static void product_of(fsr_node *out, const fsr_node *in, void *user) {
    const product_at *p = user;
    fsr_node a[4];
    memcpy(a, p->array, sizeof a);
    a[p->own] = in[0];
    const fsr_csr m = {a[OWN_OFFSETS], a[OWN_COLUMNS], a[OWN_VALUES], COUNT, COLS};
    out[0] = fsr_csr_dot(&m, a[OWN_X]);
}

static void products_in_row_functions(void **state) {
    (void)state;
    int64_t offset[COUNT + 1];
    fill(offset, few);
    fsr_node columns = fsr_mod(fsr_arange(G, FSR_I64, MANY), fsr_int(G, COLS));
    product_at p = {
        {fsr_from_host(G, FSR_I64, 1, SHAPE(COUNT + 1), offset), columns, numbers(), fsr_arange(G, FSR_F32, COLS)},
        OWN_OFFSETS};
    for (; p.own <= OWN_X; p.own++) {
        fsr_node out, mine = p.array[p.own], rows = fsr_stack((fsr_node[]){mine, mine}, 2, 0);
        fsr_vectorize(&out, 1, &rows, 1, "(n)->(m)", product_of, &p);
        assert_int_equal(fsr_node_status(out), p.own == OWN_OFFSETS ? FSR_OK : FSR_ERR_UNSUPPORTED);
        if (p.own != OWN_OFFSETS)
            assert_non_null(strstr(fsr_node_error(out), "a loop of the row function, or of an operation in it, takes"));
    }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(lengths_of_any_skew),       SUBJECT_TEST(many_long_ones),
    SUBJECT_TEST(offsets_that_fall),         SUBJECT_TEST(threads_change_no_bit),
    SUBJECT_TEST(against_the_reference),     SUBJECT_TEST(row_functions),
    SUBJECT_TEST(order_is_what_is_promised), SUBJECT_TEST(products_whose_offsets_fall),
    SUBJECT_TEST(products_in_row_functions)};
SUBJECT_MAIN(tests)
