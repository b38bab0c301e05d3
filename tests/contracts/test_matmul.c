/* SPDX-License-Identifier: MIT */
/* Products of matrices against their definition in long double with its bound, and against fsr_verify's reference:
 * dtypes, shapes, views, batches, and tensordot and einsum by loops over every label. Where the machine has a library
 * large ones are its; which they are is said by tests/structure/test_matmul.c. */
#include "tests/support/library_threads.h"
#include "tests/support/subject.h"
#include <complex.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g
#define X(dtype, stream, ...) \
    subject_data(dtype, COUNT_OF(SHAPE(__VA_ARGS__)), SHAPE(__VA_ARGS__), SUBJECT_SMALL, stream)

/* ---- the definition ------------------------------------------------------------------------------------------ */

/* An array as numbers, with the letters of its axes. */
typedef struct numbers {
    double complex *x;
    int ndim;
    int64_t stride[256]; /* of each letter */
} numbers;

static numbers numbers_of(fsr_node x, const char *letters, int64_t *extent) {
    numbers n = {subject_read(fsr_cast(x, FSR_C128)), fsr_node_ndim(x), {0}};
    int64_t size = 1;
    for (int d = n.ndim - 1; d >= 0; d--) {
        const unsigned char c = (unsigned char)letters[d];
        const int64_t have = fsr_node_dim(x, d);
        n.stride[c] += have == 1 ? 0 : size;
        extent[c] = have > extent[c] ? have : extent[c];
        size *= have;
    }
    return n;
}

/* The sum over `left` of the products of a's and b's elements at these offsets; *size: of their magnitudes. */
static double complex summed(const numbers *a, const numbers *b, const char *left, const int64_t *extent, int64_t ia,
                             int64_t ib, double *size) {
    double complex sum = 0;
    if (!*left) {
        const double complex p = a->x[ia] * (b ? b->x[ib] : 1);
        *size += cabs(p);
        return p;
    }
    const unsigned char c = (unsigned char)*left;
    for (int64_t i = 0; i < extent[c]; i++)
        sum += summed(a, b, left + 1, extent, ia + i * a->stride[c], ib + (b ? i * b->stride[c] : 0), size);
    return sum;
}

static void expect(fsr_node got, fsr_node x, const char *xs, fsr_node y, const char *ys, const char *out,
                   const char *what) {
    int64_t extent[256] = {0};
    char left[64] = "";
    const bool two = y.graph != NULL;
    if (fsr_node_status(got))
        fail_msg("%s: %s", what, fsr_node_error(got));
    const numbers a = numbers_of(x, xs, extent), b = two ? numbers_of(y, ys, extent) : (numbers){NULL, 0, {0}};
    for (const char *c = xs; *c; c++)
        if (!strchr(out, *c) && !strchr(left, *c))
            strncat(left, c, 1);
    for (const char *c = ys; *c; c++)
        if (!strchr(out, *c) && !strchr(left, *c))
            strncat(left, c, 1);
    double complex *have = subject_read(fsr_cast(got, FSR_C128));
    const fsr_dtype dtype = fsr_node_dtype(got);
    const double unit = dtype == FSR_F64 || dtype == FSR_C128 ? 0x1p-52
                        : dtype == FSR_F16                    ? 0x1p-10
                        : dtype == FSR_BF16                   ? 0x1p-7
                                                              : 0x1p-23;
    int64_t n = 1;
    assert_int_equal(fsr_node_ndim(got), (int)strlen(out));
    for (int d = 0; d < (int)strlen(out); d++) {
        assert_int_equal(fsr_node_dim(got, d), extent[(unsigned char)out[d]]);
        n *= extent[(unsigned char)out[d]];
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t at = i, ia = 0, ib = 0;
        double size = 0;
        for (int d = (int)strlen(out) - 1; d >= 0; d--) {
            const unsigned char c = (unsigned char)out[d];
            ia += at % extent[c] * a.stride[c];
            ib += at % extent[c] * b.stride[c];
            at /= extent[c];
        }
        const double complex want = summed(&a, two ? &b : NULL, left, extent, ia, ib, &size);
        if (cabs(have[i] - want) > 8 * unit * (size + DBL_MIN))
            fail_msg("%s: element %lld is %g%+gi, not %g%+gi", what, (long long)i, creal(have[i]), cimag(have[i]),
                     creal(want), cimag(want));
    }
    free(have);
    free(a.x);
    free(b.x);
}

/* ---- matmul -------------------------------------------------------------------------------------------------- */

static void dtypes(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_F32, FSR_F64, FSR_C64, FSR_C128, FSR_F16, FSR_BF16, FSR_I32};
    for (int d = 0; d < COUNT_OF(dtype); d++) {
        fsr_node a = X(dtype[d], 1, 33, 65), b = X(dtype[d], 2, 65, 31), c = fsr_matmul(a, b);
        assert_int_equal(fsr_node_dtype(c), dtype[d]);
        expect(c, a, "ij", b, "jk", "ik", fsr_dtype_name(dtype[d]));
    }
    fsr_node mixed = fsr_matmul(X(FSR_F16, 1, 20, 40), X(FSR_F32, 2, 40, 30));
    assert_int_equal(fsr_node_dtype(mixed), FSR_F32);
    expect(mixed, X(FSR_F16, 1, 20, 40), "ij", X(FSR_F32, 2, 40, 30), "jk", "ik", "f16 and f32");
    fsr_node wraps = fsr_matmul(fsr_full(G, FSR_U8, 2, SHAPE(2, 40), 20), fsr_full(G, FSR_U8, 2, SHAPE(40, 2), 20));
    assert_int_equal(fsr_node_dtype(wraps), FSR_U8);
    assert_true(subject_value(wraps, 3) == 40 * 400 % 256);
    fsr_node truth = fsr_matmul(fsr_full(G, FSR_BOOL, 2, SHAPE(2, 3), 1), fsr_full(G, FSR_BOOL, 2, SHAPE(3, 2), 1));
    assert_true(fsr_node_dtype(truth) == FSR_BOOL && subject_value(truth, 0) == 1);
}

static void shapes(void **state) {
    (void)state;
    fsr_node v = X(FSR_F64, 1, 40), w = X(FSR_F64, 2, 40), m = X(FSR_F64, 3, 40, 25), s = X(FSR_F64, 4, 3, 1, 20, 40);
    expect(fsr_matmul(v, w), v, "j", w, "j", "", "two vectors");
    expect(fsr_matmul(v, m), v, "j", m, "jk", "k", "a row");
    expect(fsr_matmul(s, v), s, "abij", v, "j", "abi", "a column");
    expect(fsr_matmul(s, m), s, "abij", m, "jk", "abik", "many and one");
    fsr_node t = X(FSR_F64, 5, 2, 40, 25);
    expect(fsr_matmul(s, t), s, "abij", t, "bjk", "abik", "batches that broadcast");
    fsr_node turned = fsr_swapaxes(s, 2, 3), mt = fsr_transpose(m, NULL);
    expect(fsr_matmul(mt, turned), mt, "kj", turned, "abji", "abki", "one and many");
}

/* Which a CPU with OpenBLAS multiplies by loops of its own. */
static void few_columns(void **state) {
    (void)state;
    for (int d = 0; d < 2; d++) {
        const fsr_dtype dtype = d ? FSR_F64 : FSR_F32;
        fsr_node x = X(dtype, 1, 720, 100), y = X(dtype, 2, 100, 40), w = X(dtype, 3, 33, 100);
        expect(fsr_matmul(x, y), x, "ij", y, "jk", "ik", "few columns");
        expect(fsr_matmul(x, fsr_transpose(w, NULL)), x, "ij", w, "kj", "ik", "few columns, b turned");
        fsr_node part = fsr_slice(fsr_slice(x, 1, 3, 97, 1), 0, 4, 720, 1), few = fsr_slice(y, 0, 5, 99, 1);
        expect(fsr_matmul(part, few), part, "ij", few, "jk", "ik", "parts with few columns");
        fsr_node many = X(dtype, 4, 2, 530, 130), ones = X(dtype, 5, 2, 130, 20);
        expect(fsr_matmul(many, ones), many, "bij", ones, "bjk", "bik", "batches of few columns");
    }
}

/* Flags, strides and copies: what a view shows is multiplied. */
static void views(void **state) {
    (void)state;
    fsr_node x = X(FSR_F32, 1, 48, 64), y = X(FSR_F32, 2, 70, 64), z = X(FSR_F32, 3, 2, 64, 48);
    fsr_node yt = fsr_transpose(y, NULL), xt = fsr_transpose(x, NULL);
    expect(fsr_matmul(x, yt), x, "ij", yt, "jk", "ik", "b turned");
    expect(fsr_matmul(xt, x), xt, "ij", x, "jk", "ik", "a turned");
    expect(fsr_matmul(fsr_matmul(y, xt), x), fsr_matmul(y, xt), "ij", x, "jk", "ik", "of a product");
    fsr_node part = fsr_slice(fsr_slice(x, 0, 3, 40, 1), 1, 8, 60, 1), other = fsr_slice(yt, 0, 5, 57, 1);
    expect(fsr_matmul(part, other), part, "ij", other, "jk", "ik", "parts");
    fsr_node rows = fsr_slice(x, 0, 0, 48, 2), steps = fsr_slice(yt, 1, 0, 70, 3), flipped = fsr_flip(x, 1);
    expect(fsr_matmul(rows, steps), rows, "ij", steps, "jk", "ik", "steps");
    expect(fsr_matmul(flipped, yt), flipped, "ij", yt, "jk", "ik", "a flip");
    fsr_node zt = fsr_swapaxes(z, 1, 2);
    expect(fsr_matmul(zt, z), zt, "bij", z, "bjk", "bik", "batches turned");
    expect(fsr_transpose(fsr_matmul(x, yt), NULL), x, "ij", yt, "jk", "ki", "the result turned");
    fsr_plan_info info;
    fsr_node made = fsr_add(fsr_mul(x, fsr_float(G, 2)), fsr_float(G, 1)),
             out = fsr_exp(fsr_neg(fsr_abs(fsr_matmul(made, yt))));
    OK(fsr_query(&out, 1, &info));
    subject_count("library calls", info.calls);
    assert_true(info.calls == 1 || !getenv("FUSOR_TEST_LIBRARIES"));
    /* Without a library what is made of x may be stored, and nothing else is: a copy of y would be 35,840 bytes
     * more. */
    assert_true(info.kernels == 2 || (info.kernels == 1 && !info.calls));
    assert_true(info.calls || info.bytes_moved <= 4 * (48 * 64 + 70 * 64 + 48 * 70 + 2 * 48 * 64));
    assert_int_equal(subject_verify(&out, 1, NULL, "between fused work"), 0);
}

static void nothing(void **state) {
    (void)state;
    assert_true(subject_value(fsr_matmul(fsr_zeros(G, FSR_F32, 2, SHAPE(3, 0)), fsr_zeros(G, FSR_F32, 2, SHAPE(0, 4))),
                              11) == 0);
    assert_int_equal(
        fsr_node_size(fsr_matmul(fsr_zeros(G, FSR_F32, 2, SHAPE(0, 40)), fsr_zeros(G, FSR_F32, 2, SHAPE(40, 4)))), 0);
}

/* NaN and infinities arrive. */
static void special(void **state) {
    (void)state;
    fsr_node a = X(FSR_F32, 1, 32, 32),
             nan = fsr_where(fsr_greater(a, fsr_float(G, 1.5)), fsr_float(G, (double)NAN), a);
    float *x = subject_read(nan), *c = subject_read(fsr_matmul(nan, X(FSR_F32, 2, 32, 32)));
    for (int i = 0; i < 32; i++) {
        bool any = false;
        for (int j = 0; j < 32; j++)
            any = any || isnan(x[32 * i + j]);
        for (int j = 0; j < 32; j++)
            assert_int_equal(isnan(c[32 * i + j]) != 0, any);
    }
    free(x);
    free(c);
}

/* ---- tensordot, einsum ----------------------------------------------------------------------------------------- */

static void tensordots(void **state) {
    (void)state;
    fsr_node a = X(FSR_F64, 1, 3, 4, 5, 20), b = X(FSR_F64, 2, 20, 4, 6, 7);
    expect(fsr_tensordot(a, b, AXES(3, 1), AXES(0, -3), 2), a, "abcd", b, "dbef", "acef", "two pairs");
    expect(fsr_tensordot(a, b, AXES(1, 3), AXES(1, 0), 2), a, "abcd", b, "dbef", "acef", "another order");
    fsr_node v = X(FSR_F64, 3, 6), w = X(FSR_F64, 4, 5);
    expect(fsr_tensordot(v, w, NULL, NULL, 0), v, "a", w, "b", "ab", "an outer product");
}

static void einsums(void **state) {
    (void)state;
    static const struct {
        const char *text, *a, *b, *out;
        int64_t shape[2][4];
        int ndim[2];
    } c[] = {{"ij,jk->ik", "ij", "jk", "ik", {{20, 30}, {30, 25}}, {2, 2}},
             {"ij,jk", "ij", "jk", "ik", {{20, 30}, {30, 25}}, {2, 2}},
             {"ij,kj->ki", "ij", "kj", "ki", {{20, 30}, {25, 30}}, {2, 2}},
             {"bij,bjk->bik", "bij", "bjk", "bik", {{3, 20, 30}, {3, 30, 25}}, {3, 3}},
             {"ibj,kjb->bik", "ibj", "kjb", "bik", {{20, 3, 30}, {25, 30, 3}}, {3, 3}},
             {"ij,ij->", "ij", "ij", "", {{6, 7}, {6, 7}}, {2, 2}},
             {"i,j->ij", "i", "j", "ij", {{6}, {7}}, {1, 1}},
             {"ijk,k->j", "ijk", "k", "j", {{6, 5, 4}, {4}}, {3, 1}},
             {"abcd,bd->ca", "abcd", "bd", "ca", {{4, 5, 6, 7}, {5, 7}}, {4, 2}},
             {"...ij,...jk->...ik", "bij", "bjk", "bik", {{3, 20, 30}, {3, 30, 25}}, {3, 3}},
             {"i...,...->i...", "iab", "ab", "iab", {{2, 3, 4}, {3, 4}}, {3, 2}},
             {"ii,ij->j", "ii", "ij", "j", {{5, 5}, {5, 4}}, {2, 2}},
             {"aij , jka -> kai", "aij", "jka", "kai", {{3, 20, 30}, {30, 25, 3}}, {3, 3}}};
    for (int i = 0; i < COUNT_OF(c); i++) {
        fsr_node x[2];
        for (int k = 0; k < 2; k++)
            x[k] = subject_data(FSR_F64, c[i].ndim[k], c[i].shape[k], SUBJECT_SMALL, k + 1);
        expect(fsr_einsum(c[i].text, x, 2), x[0], c[i].a, x[1], c[i].b, c[i].out, c[i].text);
    }
    const fsr_node none = {0};
    fsr_node m = X(FSR_F64, 1, 5, 5), t = X(FSR_F64, 2, 3, 4, 3);
    expect(fsr_einsum("ii", &m, 1), m, "ii", none, "", "", "a trace");
    fsr_node five = fsr_zeros(G, FSR_F32, 5, SHAPE(2, 2, 2, 2, 2)),
             ten = fsr_einsum("abcde,fghij", ((fsr_node[]){five, five}), 2);
    assert_int_equal(fsr_node_status(ten), FSR_ERR_SHAPE);
    static const char *const lost[] = {"...i->i", "i...->i", "...ik->", "...kk->k"}; /* NumPy refuses these, too */
    for (int i = 0; i < COUNT_OF(lost); i++) {
        fsr_node cube = X(FSR_F64, 1, 2, 3, 3);
        assert_int_equal(fsr_node_status(fsr_einsum(lost[i], &cube, 1)), FSR_ERR_SHAPE);
    }
    expect(fsr_einsum("...ij->ji", &m, 1), m, "ij", none, "", "ji", "an ellipsis of no axes");
    expect(fsr_einsum("ii->i", &m, 1), m, "ii", none, "", "i", "a diagonal");
    expect(fsr_einsum("ij->ji", &m, 1), m, "ij", none, "", "ji", "a transpose");
    expect(fsr_einsum("iji->j", &t, 1), t, "iji", none, "", "j", "a diagonal summed");
    fsr_node chain[] = {X(FSR_F64, 1, 20, 30), X(FSR_F64, 2, 30, 25), X(FSR_F64, 3, 25, 22)},
             two = fsr_matmul(chain[0], chain[1]);
    expect(fsr_einsum("ij,jk,kl->il", chain, 3), two, "ik", chain[2], "kl", "il", "a chain");
}

static fsr_node square_of(fsr_node x) {
    return fsr_matmul(x, x);
}

/* How many threads the library has is the process's, and others use it too. */
static void the_librarys_threads_are_left(void **state) {
    (void)state;
    library_threads_are_left(square_of);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        SUBJECT_TEST(dtypes),     SUBJECT_TEST(shapes),  SUBJECT_TEST(few_columns),
        SUBJECT_TEST(views),      SUBJECT_TEST(nothing), SUBJECT_TEST(special),
        SUBJECT_TEST(tensordots), SUBJECT_TEST(einsums), SUBJECT_TEST(the_librarys_threads_are_left)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
