/* SPDX-License-Identifier: MIT */
/* Assignment to sections, concatenation and rolls with producers and consumers fused, of every dtype and around the
 * sizes where vectors and tiles end. Against the reference. */
#include "graph/ops.h"
#include "tests/support/subject.h"

enum { MAX_CASES = 16 };

static fsr_node data(fsr_dtype dtype, int64_t rows, int64_t cols, int stream) {
    return subject_data(dtype, 2, SHAPE(rows, cols), SUBJECT_SPECIAL, stream);
}

static int pasted(fsr_dtype dtype, int64_t rows, int64_t cols, fsr_node *out) {
    fsr_node x = data(dtype, rows, cols, 0), y = data(dtype, rows, cols, 1);
    fsr_node even = fsr_slice(x, 1, FSR_SLICE_END, FSR_SLICE_END, 2);
    fsr_node back = fsr_slice(fsr_slice(x, 0, FSR_SLICE_END, FSR_SLICE_END, -3), 1, 1, FSR_SLICE_END, 1);
    fsr_node first = fsr_slice(x, 0, 0, 1, 1), step = fsr_slice(y, 1, FSR_SLICE_END, FSR_SLICE_END, 2);
    fsr_node twice = fsr_update(x, even, step);
    int n = 0;
    out[n++] = twice;
    out[n++] = fsr_update(x, back, fsr_slice(fsr_slice(y, 0, FSR_SLICE_END, FSR_SLICE_END, 3), 1, 0, -1, 1));
    out[n++] = fsr_update(x, first, fsr_slice(y, 0, rows - 1, rows, 1));
    out[n++] = fsr_update(twice, fsr_slice(twice, 0, 1, FSR_SLICE_END, 2), fsr_slice(y, 0, 0, rows / 2, 1));
    fsr_node third = fsr_slice(twice, 1, 1, FSR_SLICE_END, 3), more = fsr_slice(y, 1, 1, FSR_SLICE_END, 3);
    out[n++] = fsr_equal(fsr_update(twice, third, more), y); /* some elements are in both sections */
    out[n++] = fsr_transpose(fsr_update(x, fsr_flip(x, 0), y), NULL);
    out[n++] = fsr_equal(fsr_update(x, even, fsr_int(subject_g, 1)), y);
    out[n++] = fsr_concat((fsr_node[]){x, fsr_transpose(fsr_transpose(y, NULL), NULL), even}, 3, 1);
    out[n++] = fsr_concat((fsr_node[]){fsr_flip(x, 0), y, first}, 3, 0);
    out[n++] = fsr_stack((fsr_node[]){x, y}, 2, -1);
    out[n++] = fsr_roll(x, SHAPE(cols / 2 + 3), NULL, 1);
    out[n++] = fsr_roll(x, SHAPE(-1, 2), AXES(0, 1), 2);
    out[n++] = fsr_max(fsr_concat((fsr_node[]){x, y}, 2, 1), AXES(1), 1, 0);
    out[n++] = fsr_max(fsr_ravel(fsr_concat((fsr_node[]){x, fsr_tile(y, 2, SHAPE(1, 2))}, 2, 1)), NULL, 0, 0);
    out[n++] = fsr_max(fsr_concat((fsr_node[]){x, y}, 2, 0), AXES(0), 1, 0);
    out[n++] = fsr_cummax(fsr_concat((fsr_node[]){x, y}, 2, 1), AXES(1), 1, 0);
    return n;
}

static void check(fsr_dtype dtype, int64_t rows, int64_t cols, int most) {
    fsr_node out[MAX_CASES];
    int n = pasted(dtype, rows, cols, out);
    n = n < most ? n : most;
    subject_verify(out, n, NULL, "pastes of %s[%lld,%lld]", fsr_dtype_name(dtype), (long long)rows, (long long)cols);
}

/* The fast tier has every other dtype, and so each width. */
static void dtypes(void **state) {
    (void)state;
    for (int d = 0; d < FSR_DTYPE_COUNT; d++)
        if (fsr_op_defined(FSR_OP_MAXIMUM, (fsr_dtype)d) && subject_case(d, d % 2 ? SUBJECT_FAST : SUBJECT_CAPPED))
            check((fsr_dtype)d, 5, 12, d == FSR_F32 ? MAX_CASES : 3);
}

/* The fast tier has one of each kind of size: an element, less than a vector, whole ones, one more, a strip. */
static void sizes(void **state) {
    (void)state;
    static const int64_t shape[][2] = {{1, 1}, {2, 1}, {1, 2}, {3, 4}, {4, 31}, {7, 32}, {2, 257}, {65, 33}, {4, 4096}};
    for (int i = 0; i < COUNT_OF(shape); i++)
        if (subject_case(i, i % 2 || i == 0 || i == COUNT_OF(shape) - 1 ? SUBJECT_FAST : SUBJECT_CAPPED))
            check(FSR_F32, shape[i][0], shape[i][1], MAX_CASES);
}

/* A chain longer than what one kernel guards: cut into several, and right. */
static void long_chain(void **state) {
    (void)state;
    fsr_node x[70], sum = data(FSR_F32, 2, 9, 3);
    for (int i = 0; i < COUNT_OF(x); i++)
        x[i] = data(FSR_F32, 2, 1 + i % 3, i % 3);
    for (int i = 0; i < 60; i++)
        sum = fsr_update(sum, fsr_slice(sum, 1, i % 8, i % 8 + 2, 1), fsr_float(subject_g, i));
    fsr_node out[] = {fsr_concat(x, COUNT_OF(x), 1), sum};
    subject_verify(out, 2, NULL, "long chains");
}

/* Padded again, of rows of a few elements: all places of a row are one point's, several of which one guard asks for, in
 * another order than they have in memory. */
static void padded_twice(void **state) {
    (void)state;
    static const int64_t one[][2] = {{1, 1}, {1, 1}}, rows[] = {18, 133, 1000};
    static const fsr_dtype dtype[] = {FSR_F32, FSR_F64};
    for (int i = 0; i < COUNT_OF(rows); i++)
        for (int64_t cols = 2; cols <= 8; cols++)
            for (int d = 0; d < COUNT_OF(dtype); d++) {
                fsr_node x = data(dtype[d], rows[i], cols, d), y = fsr_sub(x, fsr_mean(x, AXES(0), 1, FSR_KEEPDIMS));
                fsr_node framed = fsr_pad(y, one, FSR_PAD_CONSTANT, 0);
                fsr_node later = fsr_slice(fsr_slice(framed, 0, 2, FSR_SLICE_END, 1), 1, 1, cols + 1, 1);
                fsr_node out[] = {fsr_pad(later, one, FSR_PAD_WRAP, 0), fsr_pad(later, one, FSR_PAD_EDGE, 0),
                                  fsr_pad(later, one, FSR_PAD_REFLECT, 0)};
                for (int k = 0; k < COUNT_OF(out); k++)
                    subject_verify(&out[k], 1, NULL, "%s[%lld,%lld] padded twice, %d", fsr_dtype_name(dtype[d]),
                                   (long long)rows[i], (long long)cols, k);
            }
}

/* Elements at computed places of two arrays beside each other, of which one may have none, stored, computed with and
 * folded; of every kind of element, from rows of a few elements to long ones. */
static void chosen_places(void **state) {
    (void)state;
    static const fsr_dtype of[] = {FSR_F32, FSR_F64, FSR_BOOL, FSR_U8, FSR_I64, FSR_F16, FSR_BF16, FSR_C64, FSR_C128};
    static const int64_t sizes[][3] = {{40, 1000, 600}, {300, 9, 5}, {20, 700, 0}, {20, 0, 90}};
    for (int d = 0; d < COUNT_OF(of); ++d)
        for (int s = 0; s < COUNT_OF(sizes); ++s) {
            const int64_t rows = sizes[s][0], left = sizes[s][1], right = sizes[s][2], n = left + right;
            fsr_node a = data(of[d], rows, left, 0), b = data(of[d], rows, right, 1), z = data(of[d], rows, n, 2);
            fsr_node at = fsr_cast(fsr_mul(fsr_abs(subject_data(FSR_F32, 2, SHAPE(rows, n), SUBJECT_SMALL, 3)),
                                           fsr_float(subject_g, (double)n / 4)),
                                   FSR_I32);
            fsr_node taken = fsr_take_along_axis(fsr_concat((fsr_node[]){a, b}, 2, 1), at, 1, FSR_INDEX_CLIP);
            fsr_node out[] = {taken, fsr_any(taken, AXES(1), 1, 0), fsr_where(fsr_equal(taken, z), z, taken)};
            subject_verify(out, COUNT_OF(out), NULL, "%lld rows of %lld and %lld", (long long)rows, (long long)left,
                           (long long)right);
        }
}

static const struct CMUnitTest tests[] = {SUBJECT_CASES(dtypes), SUBJECT_CASES(sizes), SUBJECT_TEST(long_chain),
                                          SUBJECT_TEST(padded_twice), SUBJECT_TEST(chosen_places)};
SUBJECT_MAIN(tests)
