/* SPDX-License-Identifier: MIT */
/* Linear algebra by what defines it: a x = b, l l' = a, q r = a, u s v' = a with orthonormal vectors and values in
 * order; batches, dtypes, shapes without elements, matrices that have no solution, functions of rows, and work around
 * the calls. */
#include "tests/support/library_threads.h"
#include "tests/support/subject.h"
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

static const fsr_dtype dtypes[] = {FSR_F32, FSR_F64, FSR_C64, FSR_C128};

/* The fast tier has f64 and c64. */
static bool asked(int d) {
    return subject_case(0, dtypes[d] == FSR_F64 || dtypes[d] == FSR_C64 ? SUBJECT_FAST : SUBJECT_LONG);
}

static double unit(fsr_dtype dtype) {
    return dtype == FSR_F32 || dtype == FSR_C64 ? 0x1p-23 : 0x1p-52;
}

/* Matrices whose elements lie in [-1, 1], complex ones with imaginary parts. */
static fsr_node matrices(fsr_dtype dtype, int ndim, const int64_t *shape, unsigned seed) {
    int64_t n = 2;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    double *x = malloc(sizeof *x * (size_t)(n + 1));
    for (int64_t i = 0; i < n; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (double)(seed >> 8) / (1 << 23) - 1;
    }
    fsr_node out = fsr_cast(fsr_from_host(G, FSR_C128, ndim, shape, x), dtype);
    if (!fsr_node_bytes(out))
        out = fsr_zeros(G, dtype, ndim, shape);
    free(x);
    assert_int_equal(fsr_force(out), FSR_OK);
    return out;
}

/* The elements of x, matrices of m by n. */
typedef struct array {
    double complex *e;
    int64_t count, m, n;
} array;

static array get(fsr_node x) {
    array out = {.m = fsr_node_dim(x, -2), .n = fsr_node_dim(x, -1)};
    if (fsr_node_status(x) || fsr_force(x))
        fail_msg("%s", fsr_error(subject_ctx));
    out.e = subject_read(fsr_cast(x, FSR_C128));
    out.count = out.m && out.n ? fsr_node_size(x) / (out.m * out.n) : 0;
    return out;
}

/* x[i, j] of one of the matrices; of the conjugate transpose. */
static double complex at(const array *x, bool flipped, int64_t k, int64_t i, int64_t j) {
    return flipped ? conj(x->e[(k * x->m + j) * x->n + i]) : x->e[(k * x->m + i) * x->n + j];
}

/* x y, whose factors may be conjugate transposes; matrices of one that has only one belong to all of the other's. */
static array times(const array *x, bool x_flipped, const array *y, bool y_flipped) {
    array out = {
        .count = x->count > y->count ? x->count : y->count, .m = x_flipped ? x->n : x->m, .n = y_flipped ? y->m : y->n};
    const int64_t inner = x_flipped ? x->m : x->n;
    assert_int_equal(inner, y_flipped ? y->n : y->m);
    out.e = calloc((size_t)(out.count * out.m * out.n + 1), sizeof *out.e);
    for (int64_t k = 0; k < out.count; k++)
        for (int64_t i = 0; i < out.m; i++)
            for (int64_t j = 0; j < out.n; j++)
                for (int64_t p = 0; p < inner; p++)
                    out.e[(k * out.m + i) * out.n + j] +=
                        at(x, x_flipped, k % x->count, i, p) * at(y, y_flipped, k % y->count, p, j);
    return out;
}

/* No element of x, which is freed, is farther from y's than `units` units of the largest of these, or of 1. y NULL: the
 * identity. */
static void near(array x, const array *y, fsr_dtype dtype, double units, const char *what) {
    const int64_t each = x.m * x.n;
    double most = 1;
    for (int64_t i = 0; y && i < y->count * each; i++)
        most = cabs(y->e[i]) > most ? cabs(y->e[i]) : most;
    for (int64_t i = 0; i < x.count * each; i++) {
        const double complex want = y ? y->e[i % (y->count * each)] : i % each / x.n == i % x.n;
        if (!(cabs(x.e[i] - want) <= units * unit(dtype) * most))
            fail_msg("%s of %s: element %lld is %g%+gi, not %g%+gi", what, fsr_dtype_name(dtype), (long long)i,
                     creal(x.e[i]), cimag(x.e[i]), creal(want), cimag(want));
    }
    free(x.e);
}

static fsr_node verified(fsr_node x, const char *what) {
    fsr_verify_report report;
    if (fsr_verify(&x, 1, &report))
        fail_msg("%s: %s", what, fsr_error(subject_ctx));
    return x;
}

/* a times what solve gives is b, or its matrices for each of a's. */
static void solves(fsr_node a, fsr_node b, double units, const char *what) {
    const bool vector = fsr_node_ndim(b) == 1;
    fsr_node x = fsr_solve(a, b);
    array left = get(a), right = get(vector ? fsr_expand(b, 1) : b),
          found = get(vector ? fsr_expand(x, fsr_node_ndim(x)) : x);
    near(times(&left, false, &found, false), &right, fsr_node_dtype(x), units, what);
    free(left.e);
    free(right.e);
    free(found.e);
}

/* The inverse times a is the identity. */
static void inverts(fsr_node a, double units) {
    array left = get(fsr_inv(a)), right = get(a);
    near(times(&left, false, &right, false), NULL, fsr_node_dtype(a), units, "inv");
    free(left.e);
    free(right.e);
}

static void equations(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 8, 33, 100};
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int i = 0; asked(d) && i < COUNT_OF(sizes); i++) {
            const int64_t n = sizes[i];
            fsr_node a = matrices(dtypes[d], 2, SHAPE(n, n), 7), b = matrices(dtypes[d], 2, SHAPE(n, 3), 8);
            fsr_node v = matrices(dtypes[d], 1, SHAPE(n), 9);
            solves(a, b, 4000 * (double)n, "solve");
            solves(a, v, 4000 * (double)n, "solve of a vector");
            assert_int_equal(fsr_node_ndim(fsr_solve(a, v)), 1);
            inverts(a, 4000 * (double)n);
            if (n <= 8)
                verified(fsr_solve(a, b), "solve");
        }
}

/* Of three sides or more each has the bits that it has among others, where it is solved by Fusor's own loops. */
static void same_among_others(fsr_node a, fsr_node b, int64_t n) {
    const fsr_node few = fsr_slice(fsr_solve(a, b), 1, 0, 3, 1), alone = fsr_solve(a, fsr_slice(b, 1, 0, 3, 1));
    array x = get(few), y = get(alone);
    for (int64_t k = 0; k < n * 3; k++)
        if (memcmp(&x.e[k], &y.e[k], sizeof *x.e))
            fail_msg("%d rows, %d sides: element %d has other bits", (int)n, (int)fsr_node_dim(b, 1), (int)k);
    free(x.e);
    free(y.e);
}

/* Any number of sides, which vectors take together, and rows, which they take by four. */
static void sides(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 33}, count[] = {1, 2, 3, 4, 5, 8, 9, 17};
    const bool own = SUBJECT_BACKEND == FSR_BACKEND_CPU && !library_is_there();
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int i = 0; asked(d) && i < COUNT_OF(sizes) * COUNT_OF(count); i++) {
            const int64_t n = sizes[i % 8], m = count[i / 8];
            const fsr_node a = matrices(dtypes[d], 2, SHAPE(n, n), 7), b = matrices(dtypes[d], 2, SHAPE(n, m), 8);
            solves(a, b, 4000 * (double)n, "sides");
            if (own && m > 3)
                same_among_others(a, b, n);
        }
}

/* Leading dimensions broadcast, and many right sides of one matrix are one problem. */
static void batches(void **state) {
    (void)state;
    fsr_node a = matrices(FSR_F64, 4, SHAPE(2, 3, 5, 5), 3), b = matrices(FSR_F64, 3, SHAPE(3, 5, 2), 4);
    fsr_node v = matrices(FSR_F64, 1, SHAPE(5), 9), x = fsr_solve(a, b);
    assert_int_equal(fsr_node_ndim(x), 4);
    solves(a, b, 1e5, "batches");
    solves(matrices(FSR_F64, 2, SHAPE(5, 5), 3), b, 1e5, "one matrix");
    assert_int_equal(fsr_node_ndim(fsr_solve(a, v)), 3);
    solves(a, v, 1e5, "a vector");
    inverts(a, 1e5);
    fsr_node many =
        fsr_add(matrices(FSR_F32, 3, SHAPE(500, 6, 6), 5), fsr_mul(fsr_eye(G, FSR_F32, 6, 6, 0), fsr_int(G, 4)));
    solves(many, matrices(FSR_F32, 3, SHAPE(500, 6, 1), 6), 1e3, "many");
}

/* x is y, both of one number. */
static void is(fsr_node x, double y, double units) {
    double got;
    assert_int_equal(fsr_node_size(x), 1);
    assert_int_equal(fsr_read(x, &got, sizeof got), FSR_OK);
    if (!(fabs(got - y) <= units * 0x1p-52 * fabs(y)))
        fail_msg("%g, not %g", got, y);
}

/* Pivots whose product leaves the range on its way; a pivot 0 beside an infinite and a negative one. */
static void extremes(void) {
    static const double wide[] = {1e200, 1e200, 1e-200, 1e-200}, singular[] = {0, 0, 0, INFINITY, 0, -1, 0, -1};
    fsr_node d = fsr_mul(fsr_eye(G, FSR_F64, 4, 4, 0), fsr_from_host(G, FSR_F64, 1, SHAPE(4), wide)), sign, size;
    is(fsr_det(d), 1, 4000);
    is(fsr_real(fsr_det(fsr_mul(d, fsr_complex(G, 0, 1)))), 1, 4000);
    fsr_node s = fsr_from_host(G, FSR_F64, 3, SHAPE(2, 2, 2), singular);
    fsr_slogdet(s, &sign, &size);
    double *det = subject_read(fsr_det(s)), *signs = subject_read(sign), *sizes = subject_read(size);
    for (int i = 0; i < 2; i++) {
        assert_true(det[i] == 0 && !signbit(det[i]));
        assert_true(signs[i] == 0 && sizes[i] == -(double)INFINITY);
    }
    free(det);
    free(signs);
    free(sizes);
}

static void determinants(void **state) {
    (void)state;
    static const double turn[] = {0, 2, 0, 0, 0, 3, 4, 0, 0}; /* an even permutation */
    static const double swap[] = {0, 2, 3, 0};
    fsr_node a = fsr_from_host(G, FSR_F64, 2, SHAPE(3, 3), turn), b = fsr_from_host(G, FSR_F64, 2, SHAPE(2, 2), swap);
    fsr_node sign, size;
    is(fsr_det(a), 24, 4);
    is(fsr_det(b), -6, 4);
    is(fsr_det(fsr_zeros(G, FSR_F64, 2, SHAPE(3, 3))), 0, 0);
    is(fsr_det(fsr_zeros(G, FSR_F64, 3, SHAPE(1, 0, 0))), 1, 0);
    extremes();
    fsr_slogdet(b, &sign, &size);
    is(sign, -1, 0);
    is(size, log(6), 4);
    for (int d = 0; d < COUNT_OF(dtypes); d++) {
        if (!asked(d))
            continue;
        array x = get(matrices(dtypes[d], 3, SHAPE(4, 6, 6), 3)), y = get(matrices(dtypes[d], 3, SHAPE(4, 6, 6), 4));
        array product = times(&x, false, &y, false);
        double complex *got[3];
        const double complex *all[] = {x.e, y.e, product.e};
        for (int i = 0; i < 3; i++) {
            fsr_node m = fsr_cast(fsr_from_host(G, FSR_C128, 3, SHAPE(4, 6, 6), all[i]), dtypes[d]);
            got[i] = subject_read(fsr_cast(fsr_det(m), FSR_C128));
        }
        for (int i = 0; i < 4; i++)
            assert_true(cabs(got[0][i] * got[1][i] - got[2][i]) < 1e4 * unit(dtypes[d]) * (1 + cabs(got[2][i])));
        free(x.e);
        free(y.e);
        free(product.e);
        for (int i = 0; i < 3; i++)
            free(got[i]);
    }
}

/* x x' plus the identity. */
static fsr_node positive(fsr_dtype dtype, int64_t count, int64_t n) {
    array x = get(matrices(dtype, 3, SHAPE(count, n, n), 5)), product = times(&x, false, &x, true);
    for (int64_t i = 0; i < count * n; i++)
        product.e[i / n * n * n + i % n * (n + 1)] += 1;
    fsr_node out = fsr_cast(fsr_from_host(G, FSR_C128, 3, SHAPE(count, n, n), product.e), dtype);
    assert_int_equal(fsr_force(out), FSR_OK);
    free(x.e);
    free(product.e);
    return out;
}

/* Above, or below the diagonal there are zeros. */
static void triangular(const array *x, bool lower) {
    for (int64_t i = 0; i < x->count * x->m * x->n; i++) {
        const int64_t r = i / x->n % x->m, c = i % x->n;
        assert_true((lower ? c <= r : c >= r) || x->e[i] == 0);
    }
}

static void cholesky(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 5, 40};
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int i = 0; asked(d) && i < COUNT_OF(sizes); i++) {
            const int64_t n = sizes[i];
            fsr_node a = positive(dtypes[d], 3, n), one = fsr_reshape(fsr_slice(a, 0, 1, 2, 1), 2, SHAPE(n, n));
            array want = get(a), l = get(fsr_cholesky(a)), of_lower = get(fsr_cholesky(fsr_tril(a, 0)));
            near(times(&l, false, &l, true), &want, dtypes[d], 20 * (double)n, "cholesky");
            near(of_lower, &l, dtypes[d], 0, "the lower triangle alone");
            triangular(&l, true);
            want.e += n * n;
            want.count = 1;
            array single = get(fsr_cholesky(one));
            near(times(&single, false, &single, true), &want, dtypes[d], 20 * (double)n, "one matrix");
            if (n <= 5)
                verified(fsr_cholesky(a), "cholesky");
            free(want.e - n * n);
            free(single.e);
            free(l.e);
        }
}

static void qr(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {4, 4}, {7, 3}, {3, 7}, {40, 20}};
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int i = 0; asked(d) && i < COUNT_OF(sizes); i++)
            for (int complete = 0; complete < 2; complete++) {
                const int64_t m = sizes[i][0], n = sizes[i][1];
                fsr_node a = matrices(dtypes[d], 3, SHAPE(2, m, n), 6), q, r, again;
                fsr_qr(a, complete, &q, &r);
                fsr_qr(a, complete, NULL, &again);
                array want = get(a), left = get(q), right = get(r);
                near(times(&left, false, &right, false), &want, dtypes[d], 50 * (double)(m + n), "qr");
                near(times(&left, true, &left, false), NULL, dtypes[d], 50 * (double)m, "q");
                near(get(again), &right, dtypes[d], 0, "r alone");
                triangular(&right, false);
                assert_int_equal(left.n, complete || m < n ? m : n);
                if (m + n <= 10 && !complete) {
                    verified(q, "q");
                    verified(r, "r");
                }
                free(want.e);
                free(left.e);
                free(right.e);
            }
}

static void svd_of(fsr_node a, double units, const char *what) {
    fsr_node u, s, vt;
    const fsr_dtype dtype = fsr_node_dtype(a);
    fsr_svd(a, &u, &s, &vt);
    array want = get(a), left = get(u), right = get(vt), values = get(fsr_expand(s, -2)),
          alone = get(fsr_expand(fsr_svdvals(a), -2));
    near(times(&left, true, &left, false), NULL, dtype, units, what);
    near(times(&right, false, &right, true), NULL, dtype, units, what);
    near(alone, &values, dtype, units, "values alone");
    for (int64_t i = 0; i < values.count * values.n; i++)
        assert_true(creal(values.e[i]) >= 0 && (i % values.n == 0 || creal(values.e[i]) <= creal(values.e[i - 1])));
    for (int64_t i = 0; i < left.count * left.m * left.n; i++)
        left.e[i] *= values.e[i / (left.m * left.n) * left.n + i % left.n];
    near(times(&left, false, &right, false), &want, dtype, units, what);
    free(want.e);
    free(left.e);
    free(right.e);
    free(values.e);
}

static void svd(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{1, 1}, {1, 4}, {5, 5}, {7, 3}, {3, 7}, {40, 30}};
    for (int d = 0; d < COUNT_OF(dtypes); d++) {
        if (!asked(d))
            continue;
        for (int i = 0; i < COUNT_OF(sizes); i++) {
            const int64_t m = sizes[i][0], n = sizes[i][1];
            fsr_node a = matrices(dtypes[d], 3, SHAPE(2, m, n), 6), u, s, vt;
            svd_of(a, 50 * (double)(m + n), "svd");
            fsr_svd(a, &u, &s, &vt);
            if (m + n <= 10 && m > 1) {
                verified(u, "u");
                verified(s, "s");
                verified(vt, "vt");
            }
        }
        array x = get(matrices(dtypes[d], 2, SHAPE(6, 2), 3)), y = get(matrices(dtypes[d], 2, SHAPE(2, 5), 4));
        array product = times(&x, false, &y, false);
        svd_of(fsr_cast(fsr_from_host(G, FSR_C128, 2, SHAPE(6, 5), product.e), dtypes[d]), 1000, "of rank two");
        svd_of(fsr_zeros(G, dtypes[d], 2, SHAPE(4, 3)), 100, "of zeros");
        free(x.e);
        free(y.e);
        free(product.e);
    }
}

static void eigh(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 5, 40};
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int i = 0; asked(d) && i < COUNT_OF(sizes); i++) {
            const int64_t n = sizes[i];
            fsr_node a = positive(dtypes[d], 2, n), w, v;
            fsr_eigh(fsr_tril(a, 0), &w, &v);
            array whole = get(a), vectors = get(v), values = get(fsr_expand(w, -2)),
                  alone = get(fsr_expand(fsr_eigvalsh(a), -2)), product = times(&whole, false, &vectors, false);
            near(times(&vectors, true, &vectors, false), NULL, dtypes[d], 100 * (double)n, "vectors");
            near(alone, &values, dtypes[d], 100 * (double)n, "values alone");
            for (int64_t e = 0; e < values.count * n; e++)
                assert_true(e % n == 0 || creal(values.e[e]) >= creal(values.e[e - 1]));
            for (int64_t e = 0; e < vectors.count * n * n; e++)
                vectors.e[e] *= values.e[e / (n * n) * n + e % n];
            near(product, &vectors, dtypes[d], 100 * (double)n, "eigh");
            if (n <= 5) {
                verified(w, "w");
                verified(v, "v");
            }
            free(whole.e);
            free(vectors.e);
            free(values.e);
        }
}

/* NaN where there is no solution; the other matrices have theirs. */
static void no_solution(void **state) {
    (void)state;
    static const double a[] = {1, 2, 2, 4, 2, 1, 1, 2, 0, 0, 0, 0}, b[] = {1, 1};
    fsr_node x = fsr_from_host(G, FSR_F64, 3, SHAPE(3, 2, 2), a), v = fsr_from_host(G, FSR_F64, 1, SHAPE(2), b);
    fsr_node s = fsr_solve(x, v), l = fsr_cholesky(fsr_sub(x, fsr_float(G, 0.5)));
    double *solution = subject_read(s), *factor = subject_read(l);
    for (int i = 0; i < 6; i++)
        assert_true(i / 2 == 1 ? fabs(solution[i] - 1 / 3.0) < 1e-12 : isnan(solution[i]));
    for (int i = 0; i < 12; i++)
        assert_true(i % 4 == 1 ? factor[i] == 0 : i / 4 == 1 ? isfinite(factor[i]) : isnan(factor[i]));
    free(solution);
    free(factor);
    if (SUBJECT_BACKEND != FSR_BACKEND_CPU) /* elsewhere what is not finite is the library's own */
        return;
    static const double bad[] = {1, NAN, NAN, 2, 1, INFINITY, INFINITY, 1, 3, 0, 0, 4};
    fsr_node y = fsr_from_host(G, FSR_F64, 3, SHAPE(3, 2, 2), bad), w, u;
    fsr_eigh(y, &w, NULL);
    fsr_svd(y, &u, NULL, NULL);
    double *values = subject_read(fsr_stack((fsr_node[]){w, fsr_svdvals(y)}, 2, 0)), *vectors = subject_read(u);
    for (int i = 0; i < 12; i++)
        assert_true(i % 6 < 4 ? isnan(values[i]) : isfinite(values[i]));
    for (int i = 0; i < 12; i++)
        assert_true(i < 8 ? isnan(vectors[i]) : isfinite(vectors[i]));
    free(values);
    free(vectors);
}

static void shapes(void **state) {
    (void)state;
    fsr_node a = matrices(FSR_F32, 2, SHAPE(3, 3), 1), wide = matrices(FSR_F32, 2, SHAPE(2, 3), 1), q, r, s, u, vt;
    assert_int_equal(fsr_node_status(fsr_solve(wide, a)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_solve(a, wide)), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_solve(a, fsr_float(G, 1))), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_det(fsr_arange(G, FSR_F32, 3))), FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_status(fsr_cholesky(wide)), FSR_ERR_SHAPE);
    assert_int_equal(
        fsr_node_status(fsr_solve(matrices(FSR_F32, 3, SHAPE(2, 3, 3), 1), matrices(FSR_F32, 3, SHAPE(4, 3, 1), 1))),
        FSR_ERR_SHAPE);
    assert_int_equal(fsr_node_dtype(fsr_solve(fsr_cast(a, FSR_F16), fsr_cast(a, FSR_F16))), FSR_F32);
    assert_int_equal(fsr_node_dtype(fsr_inv(fsr_cast(a, FSR_I32))), FSR_F64);
    assert_int_equal(fsr_node_dtype(fsr_solve(a, fsr_cast(a, FSR_I8))), FSR_F64);
    assert_int_equal(fsr_node_dtype(fsr_solve(fsr_cast(a, FSR_BOOL), a)), FSR_F64);
    assert_int_equal(fsr_node_dtype(fsr_solve(fsr_cast(a, FSR_C64), fsr_cast(a, FSR_U16))), FSR_C128);
    assert_int_equal(fsr_node_dtype(fsr_solve(a, matrices(FSR_C128, 1, SHAPE(3), 1))), FSR_C128);
    assert_int_equal(fsr_node_dtype(fsr_svdvals(matrices(FSR_C64, 2, SHAPE(3, 3), 1))), FSR_F32);
    fsr_node none = fsr_zeros(G, FSR_F64, 3, SHAPE(2, 0, 3));
    fsr_svd(none, &u, &s, &vt);
    assert_int_equal(fsr_node_dim(u, 2), 0);
    assert_int_equal(fsr_node_dim(vt, 2), 3);
    fsr_qr(fsr_zeros(G, FSR_F64, 2, SHAPE(3, 0)), true, &q, &r);
    near(get(q), NULL, FSR_F64, 0, "q of nothing");
    assert_int_equal(fsr_node_size(fsr_inv(fsr_zeros(G, FSR_F32, 2, SHAPE(0, 0)))), 0);
    assert_int_equal(
        fsr_node_size(fsr_solve(fsr_zeros(G, FSR_F32, 2, SHAPE(0, 0)), fsr_zeros(G, FSR_F32, 2, SHAPE(0, 4)))), 0);
    assert_int_equal(fsr_node_size(fsr_solve(a, fsr_zeros(G, FSR_F32, 2, SHAPE(3, 0)))), 0);
}

static void row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_solve(fsr_mul(in[0], in[0]), in[1]);
}

static void in_a_function_of_rows(void **state) {
    (void)state;
    fsr_node in[] = {matrices(FSR_F64, 3, SHAPE(4, 3, 3), 5), matrices(FSR_F64, 1, SHAPE(3), 6)}, y;
    fsr_vectorize(&y, 1, in, 2, "(n,n),(n)->(n)", row, NULL);
    array want = get(fsr_solve(fsr_mul(in[0], in[0]), in[1]));
    near(get(y), &want, FSR_F64, 0, "rows");
    free(want.e);
}

/* What computes the matrix is one kernel, what is done with the solution another. */
static void around(void **state) {
    (void)state;
    fsr_plan_info info;
    fsr_node a = matrices(FSR_F64, 2, SHAPE(20, 20), 5), b = matrices(FSR_F64, 1, SHAPE(20), 6);
    fsr_node y = fsr_exp(fsr_solve(fsr_add(fsr_mul(a, a), fsr_eye(G, FSR_F64, 20, 20, 0)), b));
    assert_int_equal(fsr_query(&y, 1, &info), FSR_OK);
    assert_int_equal(info.calls, 1);
    assert_true(info.kernels <= 3);
    verified(y, "around");
}

static fsr_node own_solution(fsr_node x) {
    return fsr_solve(x, x);
}

/* How many threads the library has is the process's, and others use it too. */
static void the_librarys_threads_are_left(void **state) {
    (void)state;
    library_threads_are_left(own_solution);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_CASES(equations),
                                       SUBJECT_CASES(sides),
                                       SUBJECT_TEST(batches),
                                       SUBJECT_CASES(determinants),
                                       SUBJECT_CASES(cholesky),
                                       SUBJECT_CASES(qr),
                                       SUBJECT_CASES(svd),
                                       SUBJECT_CASES(eigh),
                                       SUBJECT_TEST(no_solution),
                                       SUBJECT_TEST(shapes),
                                       SUBJECT_TEST(in_a_function_of_rows),
                                       SUBJECT_TEST(around),
                                       SUBJECT_TEST(the_librarys_threads_are_left)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
