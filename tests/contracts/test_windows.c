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
    SUBJECT_TEST(elements),
    SUBJECT_TEST(folds_of_windows),
    SUBJECT_TEST(mistakes),
};
SUBJECT_MAIN(tests)
