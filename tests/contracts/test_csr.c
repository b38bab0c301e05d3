/* SPDX-License-Identifier: MIT */
/* Sparse matrices by rows against plain loops: from coordinates in any order, products with vectors and matrices,
 * transposed, masked, norms, triangular equations; rows of power-law lengths, empty ones, equal coordinates; what is
 * fused. */
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>

#define G subject_g

enum { ROWS = 211, COLS = 97, K = 3 };

/* Whole numbers, whose sums of products are exact. */
typedef struct matrix {
    int64_t n;
    int32_t *row, *column;
    float *value;
    double dense[ROWS][COLS];
} matrix;

/* Row r has about ROWS / (r + 1) elements, one in seven none; in an order that is none, some coordinates twice. */
static matrix *made(void) {
    matrix *m = calloc(1, sizeof *m);
    const size_t most = (size_t)ROWS * COLS;
    m->row = malloc(most * sizeof *m->row);
    m->column = malloc(most * sizeof *m->column);
    m->value = malloc(most * sizeof *m->value);
    for (int c = 0; c < COLS; c++)
        for (int i = ROWS - 1; i >= 0; i--) {
            const int r = i * 83 % ROWS;
            if (r % 7 == 3 || (c * 31 + r) % COLS > COLS / (r + 1) + 2)
                continue;
            for (int twice = 0; twice <= (r + c) % 5 / 4; twice++) {
                m->row[m->n] = r;
                m->column[m->n] = c;
                m->value[m->n] = (float)((r * 7 + c * 3) % 11 - 5);
                m->dense[r][c] += (double)m->value[m->n++];
            }
        }
    return m;
}

static void freed(matrix *m) {
    free(m->row);
    free(m->column);
    free(m->value);
    free(m);
}

static fsr_csr csr_of(const matrix *m) {
    fsr_csr a;
    fsr_csr_from_coo(&a, fsr_from_host(G, FSR_I32, 1, &m->n, m->row), fsr_from_host(G, FSR_I32, 1, &m->n, m->column),
                     fsr_from_host(G, FSR_F32, 1, &m->n, m->value), ROWS, COLS);
    OK(fsr_node_status(a.values));
    return a;
}

static float x_of(int64_t i) {
    return (float)(i * 37 % 19 - 9);
}

static fsr_node numbers(int64_t rows, int64_t k) {
    float x[ROWS * K];
    for (int64_t i = 0; i < rows * k; i++)
        x[i] = x_of(i);
    return k == 1 ? fsr_from_host(G, FSR_F32, 1, &rows, x) : fsr_from_host(G, FSR_F32, 2, SHAPE(rows, k), x);
}

static void same(fsr_node out, const double *want, int64_t n, const char *what) {
    OK(fsr_node_status(out));
    assert_int_equal(fsr_node_size(out), n);
    float *got = subject_read(out);
    for (int64_t i = 0; i < n; i++)
        if (fabs((double)got[i] - want[i]) > 1e-6 * fabs(want[i]))
            fail_msg("%s: element %lld is %g, not %g", what, (long long)i, (double)got[i], want[i]);
    free(got);
}

static void products(void **state) {
    (void)state;
    matrix *m = made();
    const fsr_csr a = csr_of(m);
    for (int k = 1; k <= K; k += K - 1) {
        double plain[ROWS * K] = {0}, transposed[COLS * K] = {0};
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLS; c++)
                for (int j = 0; j < k; j++) {
                    plain[r * k + j] += m->dense[r][c] * (double)x_of(c * k + j);
                    transposed[c * k + j] += m->dense[r][c] * (double)x_of(r * k + j);
                }
        same(fsr_csr_dot(&a, numbers(COLS, k)), plain, ROWS * k, "dot");
        same(fsr_csr_dot_transposed(&a, numbers(ROWS, k)), transposed, COLS * k, "transposed");
    }
    double norm[ROWS];
    for (int r = 0; r < ROWS; r++) {
        norm[r] = 0;
        for (int64_t i = 0; i < m->n; i++)
            norm[r] += m->row[i] == r ? (double)m->value[i] * (double)m->value[i] : 0;
        norm[r] = sqrt(norm[r]);
    }
    same(fsr_csr_norms(&a), norm, ROWS, "norms");
    same(fsr_csr_to_dense(&a), &m->dense[0][0], ROWS * COLS, "dense");
    freed(m);
}

/* The elements in order of rows, each row's as they were given. */
static void forms(void **state) {
    (void)state;
    matrix *m = made();
    const fsr_csr a = csr_of(m);
    double *row = malloc(sizeof *row * (size_t)m->n), *masked = malloc(sizeof *masked * (size_t)m->n);
    int64_t n = 0;
    for (int r = 0; r < ROWS; r++)
        for (int64_t i = 0; i < m->n; i++)
            if (m->row[i] == r) {
                double sum = 0;
                for (int j = 0; j < K; j++)
                    sum += (double)x_of(r * K + j) * (double)x_of(m->column[i] * K + j);
                masked[n] = sum * (double)m->value[i];
                row[n++] = r;
            }
    same(fsr_cast(fsr_csr_rows(&a), FSR_F32), row, m->n, "rows");
    same(fsr_csr_sampled(&a, numbers(ROWS, K), numbers(COLS, K)), masked, m->n, "sampled");
    fsr_node x = numbers(COLS, 1);
    subject_verify((fsr_node[]){fsr_csr_dot(&a, fsr_exp(x)), fsr_tanh(fsr_csr_dot(&a, x))}, 2, NULL,
                   "around a product");
    free(row);
    free(masked);
    freed(m);
}

/* As large as products are that a GPU's library has; what is broken in it reads no memory outside there either. */
static void large_products(void **state) {
    (void)state;
    enum { EACH = 3, MANY = 88001 };
    fsr_node i = fsr_arange(G, FSR_I32, MANY * EACH);
    fsr_csr a = {.offsets = fsr_mul(fsr_arange(G, FSR_I64, MANY + 1), fsr_int(G, EACH)),
                 .columns = fsr_mod(fsr_mul(i, fsr_int(G, 7)), fsr_int(G, MANY / 2)),
                 .values = fsr_cast(fsr_mod(i, fsr_int(G, 13)), FSR_F32),
                 .rows = MANY,
                 .cols = MANY / 2};
    fsr_node x = fsr_sin(fsr_arange(G, FSR_F32, MANY / 2)), y = fsr_tanh(fsr_csr_dot(&a, x));
    subject_verify(&y, 1, NULL, "a large product");
    a.columns = fsr_sub(fsr_mul(a.columns, fsr_int(G, 3)), fsr_int(G, 1000));
    a.offsets = fsr_sub(fsr_flip(a.offsets, 0), fsr_int(G, 5000));
    OK(fsr_force(fsr_csr_dot(&a, x)));
}

/* Elements in front of the first offset and behind the last are in no row, whatever they are. */
static void outside(void **state) {
    (void)state;
    const int64_t offset[] = {1, 2, 2, 4};
    const int32_t column[] = {0, 1, 0, 2, 1, 2};
    const float value[] = {NAN, 2, 3, 4, INFINITY, 100};
    const fsr_csr a = {fsr_from_host(G, FSR_I64, 1, SHAPE(4), offset), fsr_from_host(G, FSR_I32, 1, SHAPE(6), column),
                       fsr_from_host(G, FSR_F32, 1, SHAPE(6), value), 3, 3};
    fsr_node x = fsr_from_host(G, FSR_F32, 1, SHAPE(3), (float[]){5, 7, 11}), y = fsr_expand(x, 1);
    same(fsr_csr_dot(&a, x), (double[]){14, 0, 59}, 3, "dot");
    same(fsr_csr_dot_transposed(&a, x), (double[]){33, 10, 44}, 3, "transposed");
    same(fsr_csr_dot_transposed(&a, y), (double[]){33, 10, 44}, 3, "transposed, of a matrix");
    same(fsr_csr_to_dense(&a), (double[]){0, 2, 0, 0, 0, 0, 3, 0, 4}, 9, "dense");
    same(fsr_cast(fsr_csr_rows(&a), FSR_F32), (double[]){-1, 0, 2, 2, 3, 3}, 6, "rows");
    same(fsr_csr_sampled(&a, y, y), (double[]){0, 70, 165, 484, 0, 0}, 6, "sampled");
    same(fsr_csr_norms(&a), (double[]){2, 0, 5}, 3, "norms");
    const int64_t before[] = {-1, 2, 4};
    const fsr_csr two = {fsr_from_host(G, FSR_I64, 1, SHAPE(3), before),
                         fsr_mod(fsr_arange(G, FSR_I32, 4), fsr_int(G, 2)),
                         fsr_from_host(G, FSR_F32, 1, SHAPE(4), (float[]){1, 2, 3, 4}), 2, 2};
    same(fsr_csr_to_dense(&two), (double[]){1, 2, 3, 4}, 4, "an offset in front of the first");
    /* a diagonal that stands behind the end is not there */
    const int64_t early[] = {0, 1, 1};
    const fsr_csr t = {fsr_from_host(G, FSR_I64, 1, SHAPE(3), early), fsr_arange(G, FSR_I32, 2),
                       fsr_from_host(G, FSR_F32, 1, SHAPE(2), (float[]){2, 4}), 2, 2};
    fsr_node b = fsr_from_host(G, FSR_F32, 1, SHAPE(2), (float[]){1, 1});
    float *none = subject_read(fsr_csr_solve_triangular(&t, b, 0));
    assert_true(isnan(none[0]) && isnan(none[1]));
    same(fsr_csr_solve_triangular(&t, b, FSR_UNIT_DIAGONAL), (double[]){1, 1}, 2, "a unit triangle");
    free(none);
}

/* ---- triangular equations ---- */

enum { SIDE = 53, MOST_ELEMENTS = SIDE * SIDE };

/* A square matrix with elements on both sides of its diagonal, whose rows' columns fall; one row in five has its
 * diagonal alone. `gone`: a row whose diagonal is not there, -1: none. */
static fsr_csr square(fsr_dtype dtype, int gone, double dense[SIDE][SIDE]) {
    int64_t offset[SIDE + 1] = {0}, n = 0, rows = SIDE + 1;
    int32_t column[MOST_ELEMENTS];
    double value[MOST_ELEMENTS];
    for (int r = 0; r < SIDE; r++) {
        for (int c = SIDE - 1; c >= 0; c--) {
            const bool is = c == r ? r != gone : r % 5 != 2 && (c * 31 + r * 17) % 13 < 3;
            dense[r][c] = !is ? 0 : c == r ? r % 7 - 10.5 : (double)((r * 7 + c * 3) % 11 - 5) / 4;
            if (is) {
                column[n] = c;
                value[n++] = dense[r][c];
            }
        }
        offset[r + 1] = n;
    }
    return (fsr_csr){fsr_from_host(G, FSR_I64, 1, &rows, offset), fsr_from_host(G, FSR_I32, 1, &n, column),
                     fsr_cast(fsr_from_host(G, FSR_F64, 1, &n, value), dtype), SIDE, SIDE};
}

/* What substitution gives, in doubles. */
static void substituted(double dense[SIDE][SIDE], const double *b, int k, int flags, double *x) {
    for (int s = 0; s < k; s++)
        for (int t = 0; t < SIDE; t++) {
            const bool upper = flags & FSR_UPPER;
            const int r = upper ? SIDE - 1 - t : t;
            double sum = b[r * k + s];
            for (int c = 0; c < SIDE; c++)
                sum -= (upper ? c > r : c < r) ? dense[r][c] * x[c * k + s] : 0;
            x[r * k + s] = flags & FSR_UNIT_DIAGONAL ? sum : sum / dense[r][r];
        }
}

static void triangles(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_F64, FSR_F32, FSR_C64, FSR_C128};
    double dense[SIDE][SIDE], b[SIDE * K], x[SIDE * K];
    for (int i = 0; i < SIDE * K; i++)
        b[i] = (double)x_of(i);
    for (int d = 0; d < COUNT_OF(dtype); d++)
        for (int form = 0; form < 8; form += d ? 5 : 1) {
            const int flags = (form & 1 ? FSR_UPPER : 0) | (form & 2 ? FSR_UNIT_DIAGONAL : 0), k = form & 4 ? K : 1;
            const bool wide = dtype[d] == FSR_F64 || dtype[d] == FSR_C128;
            const fsr_csr a = square(dtype[d], -1, dense);
            fsr_node side = fsr_cast(fsr_from_host(G, FSR_F64, k == 1 ? 1 : 2, SHAPE(SIDE, k), b), dtype[d]);
            fsr_node out = fsr_csr_solve_triangular(&a, side, flags);
            OK(fsr_node_status(out));
            assert_int_equal(fsr_node_dtype(out), dtype[d]);
            substituted(dense, b, k, flags, x);
            fsr_node sought = fsr_from_host(G, FSR_F64, k == 1 ? 1 : 2, SHAPE(SIDE, k), x);
            double off = 1;
            OK(fsr_read(
                fsr_max(fsr_div(fsr_abs(fsr_sub(out, sought)), fsr_add(fsr_abs(sought), fsr_int(G, 1))), NULL, 0, 0),
                &off, sizeof off));
            if (!(off < (wide ? 1e-11 : 1e-3)))
                fail_msg("%s, flags %d, %d sides: off by %g", fsr_dtype_name(dtype[d]), flags, k, off);
            subject_verify(&out, 1, NULL, "a triangle");
        }
}

/* Work before and behind is in kernels; integers are solved in f64; what is wrong with offsets and columns is put
 * right before the call. */
static void around_triangles(void **state) {
    (void)state;
    double dense[SIDE][SIDE];
    fsr_csr a = square(FSR_F32, -1, dense);
    fsr_node b = fsr_arange(G, FSR_I32, SIDE), x = fsr_csr_solve_triangular(&a, b, 0);
    assert_int_equal(fsr_node_dtype(x), FSR_F64);
    a.values = fsr_mul(a.values, fsr_int(G, 2));
    x = fsr_tanh(fsr_csr_solve_triangular(&a, fsr_sin(fsr_cast(b, FSR_F32)), FSR_UPPER));
    subject_verify(&x, 1, NULL, "around a triangle");
    a.columns = fsr_sub(fsr_mul(a.columns, fsr_int(G, 3)), fsr_int(G, SIDE));
    a.offsets = fsr_sub(fsr_mul(fsr_flip(a.offsets, 0), fsr_int(G, 2)), fsr_int(G, 100));
    OK(fsr_force(fsr_csr_solve_triangular(&a, b, FSR_UNIT_DIAGONAL)));
    OK(fsr_force(fsr_csr_solve_triangular(&a, b, FSR_UPPER)));
}

/* Every element is NaN: of a matrix without an element of the diagonal, with a zero there, with no element at all. */
static void no_solution(void **state) {
    (void)state;
    double dense[SIDE][SIDE], x[SIDE];
    for (int form = 0; form < 4; form++) {
        fsr_csr a = square(FSR_F64, form == 0 ? 40 : -1, dense);
        if (form == 1)
            a.values = fsr_where(fsr_equal(a.values, fsr_float(G, -10.5)), fsr_int(G, 0), a.values);
        if (form >= 2)
            a = (fsr_csr){fsr_zeros(G, FSR_I32, 1, SHAPE(SIDE + 1)), fsr_zeros(G, FSR_I32, 1, SHAPE(0)),
                          fsr_zeros(G, FSR_F64, 1, SHAPE(0)), SIDE, SIDE};
        fsr_node b = fsr_arange(G, FSR_F64, SIDE);
        OK(fsr_read(fsr_csr_solve_triangular(&a, b, form == 3 ? FSR_UNIT_DIAGONAL : 0), x, sizeof x));
        for (int i = 0; i < SIDE; i++)
            assert_true(form == 3 ? x[i] == i : isnan(x[i]));
    }
}

/* A matrix without elements: products are zeros, what each element has is nothing. */
static void no_elements(void **state) {
    (void)state;
    fsr_csr a;
    fsr_node i = fsr_arange(G, FSR_I64, 0);
    double back[5], norm[3];
    int64_t row;
    fsr_csr_from_coo(&a, i, i, fsr_arange(G, FSR_F64, 0), 3, 5);
    OK(fsr_read(fsr_csr_dot_transposed(&a, fsr_ones(G, FSR_F64, 1, SHAPE(3))), back, sizeof back));
    OK(fsr_read(fsr_csr_norms(&a), norm, sizeof norm));
    OK(fsr_read(fsr_csr_rows(&a), &row, 0));
    OK(fsr_read(fsr_csr_sampled(&a, fsr_ones(G, FSR_F64, 2, SHAPE(3, 2)), fsr_ones(G, FSR_F64, 2, SHAPE(5, 2))), back,
                0));
    for (int j = 0; j < 5; j++)
        assert_true(back[j] == 0 && norm[j % 3] == 0);
}

static void mistakes(void **state) {
    (void)state;
    fsr_node i = fsr_arange(G, FSR_I64, 4), v = fsr_arange(G, FSR_F32, 4), x = numbers(COLS, 1);
    fsr_csr a, short_one = {i, i, v, 4, 4};
    fsr_csr_from_coo(&a, i, i, fsr_slice(v, 0, 0, 3, 1), 4, 4);
    assert_int_equal(fsr_node_status(a.values), FSR_ERR_SHAPE);
    fsr_csr_from_coo(&a, v, i, v, 4, 4);
    assert_int_equal(fsr_node_status(a.offsets), FSR_ERR_DTYPE);
    fsr_csr_from_coo(&a, i, i, v, 0, 4);
    assert_int_equal(fsr_node_status(a.offsets), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_csr_dot(&short_one, v)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_csr_dot(NULL, v)), FSR_ERR_NULL);
    fsr_csr_from_coo(&a, i, i, v, 4, 4);
    assert_int_equal(fsr_node_status(fsr_csr_dot(&a, x)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_csr_sampled(&a, v, v)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_csr_solve_triangular(&a, x, 0)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_csr_solve_triangular(&a, v, 64)), FSR_ERR_VALUE);
    assert_int_equal(fsr_node_status(fsr_csr_solve_triangular(NULL, v, 0)), FSR_ERR_NULL);
    a.cols = 5;
    assert_int_equal(fsr_node_status(fsr_csr_solve_triangular(&a, v, 0)), FSR_ERR_SHAPE);
    a.cols = 4;
    float back[4];
    fsr_csr_from_coo_at(fsr_here("here.c", 7), &a, i, fsr_add(i, fsr_int(G, 1)), v, 4, 4);
    subject_error(subject_ctx, fsr_read(fsr_csr_dot(&a, v), back, sizeof back), FSR_ERR_INDEX,
                  "index 4 is out of bounds for axis 0 with size 4|here.c:7");
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(products),    SUBJECT_TEST(forms),       SUBJECT_TEST(large_products),
    SUBJECT_TEST(outside),     SUBJECT_TEST(triangles),   SUBJECT_TEST(around_triangles),
    SUBJECT_TEST(no_solution), SUBJECT_TEST(no_elements), SUBJECT_TEST(mistakes)};
SUBJECT_MAIN(tests)
