/* SPDX-License-Identifier: MIT */
/* Windows that slide: elements are the source's where NumPy's sliding_window_view has them, through views, folds and
 * maps. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

/* Element i, j; a, b of windows of w by v of the last two axes is x's at i + a, j + b. */
static void elements(void **state) {
    (void)state;
    const int64_t n = 9, m = 7, w = 4, v = 3;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(n, m), SUBJECT_SMALL, 0), at;
    fsr_node both = fsr_sliding_window(x, SHAPE(w, v), NULL, 0),
             turned = fsr_sliding_window(x, SHAPE(v, w), AXES(1, 0), 2);
    assert_int_equal(fsr_node_ndim(both), 4);
    for (int64_t i = 0; i <= n - w; i++)
        for (int64_t j = 0; j <= m - v; j++) {
            at = fsr_slice(fsr_slice(x, 0, i, i + w, 1), 1, j, j + v, 1);
            fsr_node window = fsr_slice(fsr_slice(both, 0, i, i + 1, 1), 1, j, j + 1, 1);
            fsr_node other = fsr_slice(fsr_slice(turned, 0, i, i + 1, 1), 1, j, j + 1, 1);
            float *want = subject_read(at), *got = subject_read(fsr_reshape(window, 2, SHAPE(w, v)));
            float *back = subject_read(fsr_transpose(fsr_reshape(other, 2, SHAPE(v, w)), NULL));
            assert_memory_equal(want, got, (size_t)(w * v) * 4);
            assert_memory_equal(want, back, (size_t)(w * v) * 4);
            free(want);
            free(got);
            free(back);
        }
}

/* Moving sums and extremes, of what is computed too, of views, and as large as the axis, or as 1. */
static void folds_of_windows(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 5, 64, 65};
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(3, 65), SUBJECT_SMALL, 0);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        fsr_node w = fsr_sliding_window(x, &sizes[i], AXES(1), 1),
                 e = fsr_sliding_window(fsr_exp(x), &sizes[i], AXES(-1), 1);
        fsr_node f = fsr_sliding_window(fsr_transpose(fsr_flip(x, 1), NULL), &sizes[i], AXES(0), 1);
        fsr_node out[] = {fsr_sum(w, AXES(2), 1, 0), fsr_max(e, AXES(2), 1, 0), fsr_mul(f, fsr_float(subject_g, 2))};
        subject_verify(out, 3, NULL, "windows of %d", (int)sizes[i]);
    }
    assert_int_equal(fsr_node_bytes(fsr_sliding_window(fsr_slice(x, 0, 0, 0, 1), SHAPE(3), AXES(1), 1)), 0);
}

/* Of several axes, which are folded one after the other: of any size, of one axis and all, of maps with another array's
 * windows, with steps, in any order of axes, along dimensions of both sides; and what is not divided, a window's own
 * weights, or what differs from window to window. */
static void folds_of_axes(void **state) {
    (void)state;
    static const int64_t sizes[][2] = {{9, 9}, {3, 17}, {21, 2}, {7, 11}};
    fsr_node x = subject_data(FSR_F32, 3, SHAPE(3, 50, 61), SUBJECT_SMALL, 0);
    fsr_node y = subject_data(FSR_F32, 3, SHAPE(3, 50, 61), SUBJECT_SMALL, 1);
    fsr_node n = subject_data(FSR_I32, 3, SHAPE(30, 40, 35), SUBJECT_SMALL, 2);
    for (int i = 0; i < COUNT_OF(sizes); i++) {
        const fsr_node a = fsr_sliding_window(x, sizes[i], AXES(1, 2), 2),
                       b = fsr_sliding_window(y, sizes[i], AXES(1, 2), 2);
        const fsr_node turned = fsr_sliding_window(fsr_transpose(x, NULL), sizes[i], AXES(1, 0), 2);
        const fsr_node weights = subject_data(FSR_F32, 2, sizes[i], SUBJECT_SMALL, 3);
        const fsr_node stepped = fsr_sliding_window(fsr_slice(fsr_flip(x, 2), 1, 1, 50, 1), sizes[i], AXES(1, 2), 2);
        const fsr_node mean = fsr_mean(a, AXES(3, 4), 2, FSR_KEEPDIMS);
        fsr_node out[] = {mean,
                          fsr_sum(fsr_mul(fsr_mul(a, b), fsr_float(subject_g, 2)), AXES(3, 4), 2, 0),
                          fsr_max(fsr_exp(turned), AXES(3, 4), 2, 0),
                          fsr_sum(fsr_mul(a, weights), AXES(3, 4), 2, 0),
                          fsr_sum(fsr_abs(fsr_sub(a, mean)), AXES(3, 4), 2, 0),
                          fsr_min(stepped, AXES(3, 4), 2, 0),
                          fsr_sum(fsr_slice(a, 2, 0, 40, 2), AXES(3, 4), 2, 0),
                          fsr_sum(a, AXES(0, 3, 4), 3, 0)};
        subject_verify(out, COUNT_OF(out), NULL, "windows of %d by %d", (int)sizes[i][0], (int)sizes[i][1]);
    }
    const fsr_node deep = fsr_sliding_window(n, SHAPE(5, 4, 3), NULL, 0);
    fsr_node out[] = {fsr_sum(deep, AXES(3, 4, 5), 3, 0), fsr_sum(deep, AXES(3, 5), 2, 0),
                      fsr_max(deep, AXES(5, 4), 2, 0)};
    subject_verify(out, COUNT_OF(out), NULL, "windows of three axes");
}

/* A window that is shown again for each filter of a bank, before and behind the filters' dimension. */
static void banks(void **state) {
    (void)state;
    const int64_t taps = 5, side[] = {3, 2};
    const fsr_node x = subject_data(FSR_F32, 1, SHAPE(61), SUBJECT_SMALL, 0);
    const fsr_node h = subject_data(FSR_F32, 2, SHAPE(7, 5), SUBJECT_SMALL, 0);
    const fsr_node y = subject_data(FSR_F32, 2, SHAPE(11, 13), SUBJECT_SMALL, 0);
    const fsr_node w = subject_data(FSR_F32, 3, SHAPE(4, 3, 2), SUBJECT_SMALL, 0);
    const fsr_node line = fsr_sliding_window(x, &taps, AXES(0), 1), square = fsr_sliding_window(y, side, AXES(0, 1), 2);
    const fsr_node out[] = {
        fsr_sum(fsr_mul(fsr_expand(line, 1), h), AXES(2), 1, 0),
        fsr_max(fsr_sub(fsr_expand(line, 0), fsr_expand(h, 1)), AXES(2), 1, 0),
        fsr_sum(fsr_mul(fsr_expand(square, 2), w), AXES(3, 4), 2, 0),
        fsr_min(fsr_mul(fsr_transpose(line, NULL), fsr_slice(fsr_transpose(h, NULL), 1, 2, 3, 1)), AXES(0), 1, 0)};
    for (int i = 0; i < COUNT_OF(out); i++)
        subject_verify(&out[i], 1, NULL, "bank %d", i);
}

static void mistakes(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(3, 5), SUBJECT_SMALL, 0);
    subject_error(subject_ctx, fsr_force(fsr_sliding_window(x, SHAPE(6), AXES(1), 1)), FSR_ERR_VALUE,
                  "sliding_window|a window of 6 along axis 1 of f32[3,5]");
    subject_error(subject_ctx, fsr_force(fsr_sliding_window(x, SHAPE(0), AXES(1), 1)), FSR_ERR_VALUE, "a window of 0");
    subject_error(subject_ctx, fsr_force(fsr_sliding_window(x, SHAPE(2, 2), AXES(1, -1), 2)), FSR_ERR_AXIS,
                  "named twice");
    subject_error(subject_ctx, fsr_force(fsr_sliding_window(x, SHAPE(2), AXES(2), 1)), FSR_ERR_AXIS, "sliding_window");
}

static const struct CMUnitTest tests[] = {
    SUBJECT_TEST(elements), SUBJECT_TEST(folds_of_windows), SUBJECT_TEST(folds_of_axes),
    SUBJECT_TEST(banks),    SUBJECT_TEST(mistakes),
};
SUBJECT_MAIN(tests)
