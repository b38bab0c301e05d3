/* SPDX-License-Identifier: MIT */
/* Sums of many floats between offsets, and sparse products of many elements, which a CPU has calls for: lengths of any
 * skew against plain loops, offsets that fall, the same bits with any number of threads, row functions. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { MANY = (1 << 18) + 41, COUNT = 4099, COLS = 1009 };

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

static const length_fn lengths[] = {few, many, one_of_most, about_a_strip};

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

static const struct CMUnitTest tests[] = {SUBJECT_TEST(lengths_of_any_skew),   SUBJECT_TEST(offsets_that_fall),
                                          SUBJECT_TEST(threads_change_no_bit), SUBJECT_TEST(against_the_reference),
                                          SUBJECT_TEST(row_functions),         SUBJECT_TEST(products_in_row_functions)};
SUBJECT_MAIN(tests)
