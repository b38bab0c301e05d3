/* SPDX-License-Identifier: MIT */
/* Folds over squares of a picture, and over a few neighbours, whose columns lie beside each other as the rows do: every
 * size around a vector's, pictures that lie in wider ones, several operators at once, more columns than a chunk has. */
#include "tests/support/subject.h"

/* Squares of h by w of the picture without its last rows and columns that are none. */
static fsr_node squares(fsr_node x, int64_t h, int64_t w) {
    const int64_t rows = fsr_node_dim(x, 0) / h, cols = (fsr_node_dim(x, 1) - 1) / w;
    fsr_node y = fsr_slice(fsr_slice(x, 0, 0, rows * h, 1), 1, 1, 1 + cols * w, 1);
    return fsr_reshape(y, 4, SHAPE(rows, h, cols, w));
}

static void sizes(void **state) {
    (void)state;
    static const int64_t side[][2] = {{1, 2}, {2, 2}, {4, 4}, {3, 5}, {8, 8}, {5, 31}, {40, 16}, {2, 32}};
    static const fsr_dtype dtype[] = {FSR_U8, FSR_I16, FSR_F16, FSR_F32, FSR_F64};
    for (int d = 0; d < COUNT_OF(dtype); d++)
        for (int i = 0; i < COUNT_OF(side); i++) {
            const fsr_node x = subject_data(dtype[d], 2, SHAPE(83, 1200), SUBJECT_SMALL, 0);
            const fsr_node y = subject_data(dtype[d], 2, SHAPE(83, 1200), SUBJECT_SMALL, 0);
            const fsr_node s = squares(x, side[i][0], side[i][1]), t = squares(y, side[i][0], side[i][1]);
            const fsr_node f = fsr_sub(fsr_cast(s, FSR_F32), fsr_cast(t, FSR_F32));
            const fsr_node out[] = {fsr_sum(fsr_mul(f, f), AXES(1, 3), 2, 0), fsr_max(s, AXES(1, 3), 2, 0),
                                    fsr_mean(t, AXES(1, 3), 2, 0)};
            subject_verify(out, 3, NULL, "%s, %d by %d", fsr_dtype_name(dtype[d]), (int)side[i][0], (int)side[i][1]);
        }
}

/* What a row or a column has by itself. */
static void weighted(void **state) {
    (void)state;
    const fsr_node x = subject_data(FSR_F32, 2, SHAPE(700, 4), SUBJECT_SMALL, 0);
    const fsr_node column = subject_data(FSR_F32, 1, SHAPE(4), SUBJECT_SMALL, 0);
    const fsr_node row = subject_data(FSR_F32, 2, SHAPE(700, 1), SUBJECT_SMALL, 0);
    const fsr_node all = subject_data(FSR_F32, 0, NULL, SUBJECT_SMALL, 0);
    const fsr_node out[] = {fsr_sum(fsr_mul(x, column), AXES(1), 1, 0), fsr_sum(fsr_mul(x, row), AXES(1), 1, 0),
                            fsr_sum(fsr_mul(x, all), AXES(1), 1, 0), fsr_argmax(x, AXES(1), 1, 0),
                            fsr_max(x, AXES(1), 1, 0)};
    for (int i = 0; i < COUNT_OF(out); i++)
        subject_verify(&out[i], 1, NULL, "weighted %d", i);
    subject_verify(out, COUNT_OF(out), NULL, "all of them");
}

/* What is stored of each element beside the folds of its row, and what is stored elsewhere. */
static void stored(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_U8, FSR_F16, FSR_F32, FSR_F64};
    for (int d = 0; d < COUNT_OF(dtype); d++)
        for (int64_t cols = 2; cols <= 31; cols += cols < 5 ? 1 : 5) {
            const fsr_node x = subject_data(dtype[d], 3, SHAPE(3, 601, cols), SUBJECT_SMALL, 0);
            const fsr_node f = fsr_cast(x, FSR_F32), y = fsr_mul(f, f);
            const fsr_node out[] = {y, fsr_sum(y, AXES(2), 1, 0), fsr_max(f, AXES(2), 1, 0)};
            const fsr_node turned[] = {fsr_transpose(y, AXES(1, 0, 2)), fsr_sum(y, AXES(2), 1, 0)};
            subject_verify(out, COUNT_OF(out), NULL, "%s, rows of %d", fsr_dtype_name(dtype[d]), (int)cols);
            subject_verify(turned, COUNT_OF(turned), NULL, "turned, %s, %d", fsr_dtype_name(dtype[d]), (int)cols);
        }
}

/* Several passes over rows of a few elements, each of which takes what the row has of the pass before, numbers or what
 * is true. */
static void passes(void **state) {
    (void)state;
    static const fsr_dtype dtype[] = {FSR_F16, FSR_F32};
    for (int d = 0; d < COUNT_OF(dtype); d++)
        for (int64_t cols = 2; cols <= 31; cols += cols < 4 ? 1 : 9) {
            const fsr_node x = subject_data(dtype[d], 3, SHAPE(3, 301, cols), SUBJECT_SMALL, 0);
            const fsr_node f = fsr_cast(x, FSR_F32), mean = fsr_mean(f, AXES(2), 1, FSR_KEEPDIMS);
            const fsr_node centred = fsr_sub(f, mean), spread = fsr_sum(fsr_mul(centred, centred), AXES(2), 1, 1);
            const fsr_node any = fsr_greater(mean, fsr_max(centred, AXES(2), 1, FSR_KEEPDIMS));
            const fsr_node out[] = {centred, fsr_div(centred, fsr_exp(spread)), fsr_where(any, f, centred)};
            subject_verify(&out[1], 1, NULL, "%s, rows of %d, one", fsr_dtype_name(dtype[d]), (int)cols);
            subject_verify(out, COUNT_OF(out), NULL, "%s, rows of %d", fsr_dtype_name(dtype[d]), (int)cols);
        }
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(sizes), SUBJECT_TEST(weighted), SUBJECT_TEST(stored),
                                          SUBJECT_TEST(passes)};
SUBJECT_MAIN(tests)
