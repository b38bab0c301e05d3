/* SPDX-License-Identifier: MIT */
/* Elements put at computed indices: against plain loops, under each mode, fused with what computes the array, the
 * indices and the values; what was in the array stays elsewhere, and the array itself as it is. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

#define G subject_g

enum { N = 1000, M = 700, ROWS = 40, COLS = 25 };

static float *ramp(int64_t n) {
    float *x = malloc((size_t)n * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float)((i * 7 + 3) % 64) / 4 - 5;
    return x;
}

static fsr_node floats(int ndim, const int64_t *shape, float **keep) {
    int64_t n = 1;
    for (int d = 0; d < ndim; d++)
        n *= shape[d];
    *keep = ramp(n);
    return fsr_from_host(G, FSR_F32, ndim, shape, *keep);
}

static fsr_node integers(int64_t n, const int64_t *x) {
    return fsr_from_host(G, FSR_I64, 1, SHAPE(n), x);
}

static fsr_node put(fsr_node x, fsr_node i, fsr_node values, fsr_index_mode mode) {
    return fsr_scatter(x, &i, 1, values, mode, FSR_UNIQUE);
}

static void same(fsr_node got, const float *want, int64_t n, const char *what) {
    OK(fsr_node_status(got));
    subject_verify(&got, 1, NULL, "%s", what);
    float *x = subject_read(got);
    for (int64_t i = 0; i < n; i++)
        if (x[i] != want[i])
            fail_msg("%s: element %lld is %g, not %g", what, (long long)i, x[i], want[i]);
    free(x);
}

/* Places among N, no two equal; counted from the end now and then; of a mode that allows it some outside. */
static void places(int64_t *at, fsr_index_mode mode) {
    for (int64_t i = 0; i < M; i++) {
        at[i] = i * 7 % N;
        if (mode != FSR_INDEX_CLIP && i % 3 == 1)
            at[i] -= N;
        if (mode == FSR_INDEX_WRAP && i % 5 == 0)
            at[i] += (i - 300) * N;
        if (mode == FSR_INDEX_DROP && i % 4 == 0)
            at[i] = i % 8 ? N + i : i % 16 ? INT64_MIN : -N - 1;
    }
}

static void modes(void **state) {
    (void)state;
    static const fsr_index_mode all[] = {FSR_INDEX_RAISE, FSR_INDEX_CLIP, FSR_INDEX_WRAP, FSR_INDEX_DROP};
    for (int b = 0; b < COUNT_OF(all); b++) {
        int64_t at[M];
        float *x, *y, *want;
        fsr_node array = floats(1, SHAPE(N), &x), values = floats(1, SHAPE(M), &y);
        places(at, all[b]);
        want = ramp(N);
        for (int64_t i = 0; i < M; i++)
            if (all[b] != FSR_INDEX_DROP || i % 4)
                want[i * 7 % N] = y[i];
        same(put(array, integers(M, at), values, all[b]), want, N, "a mode");
        float *still = subject_read(array);
        assert_memory_equal(still, x, N * sizeof *x);
        free(still);
        free(x);
        free(y);
        free(want);
    }
}

/* Maps on every side, an array that is computed, one that others read, one that is scattered into again. */
static void fused(void **state) {
    (void)state;
    int64_t at[M];
    float *x, *y, *want = ramp(N);
    fsr_node array = floats(1, SHAPE(N), &x), values = floats(1, SHAPE(M), &y), i;
    places(at, FSR_INDEX_CLIP);
    i = fsr_sub(integers(M, at), fsr_int(G, 3));
    fsr_node doubled = fsr_mul(array, fsr_float(G, 2));
    fsr_node once = put(doubled, fsr_add(i, fsr_int(G, 3)), fsr_neg(values), FSR_INDEX_RAISE);
    for (int k = 0; k < N; k++)
        want[k] *= 2;
    for (int k = 0; k < M; k++)
        want[at[k]] = -y[k];
    same(once, want, N, "maps on both sides");
    fsr_node again = put(once, integers(1, (int64_t[]){5}), fsr_float(G, 9), FSR_INDEX_RAISE);
    fsr_node both = fsr_add(fsr_add(again, once), doubled);
    for (int k = 0; k < N; k++)
        want[k] = (k == 5 ? 9 : want[k]) + want[k] + 2 * x[k];
    same(both, want, N, "several arrays of one");
    fsr_node steps = array;
    for (int k = 0; k < N; k++)
        want[k] = x[k];
    for (int k = 0; k < 20; k++) {
        steps = put(steps, integers(2, (int64_t[]){k, k + 30}),
                    fsr_add(fsr_take(steps, fsr_int(G, k + 1), 0, FSR_INDEX_CLIP), fsr_float(G, k)), FSR_INDEX_RAISE);
        want[k] = want[k + 30] = want[k + 1] + (float)k;
    }
    same(steps, want, N, "one step after the other, each of which reads the last one");
    fsr_node blind = array;
    for (int k = 0; k < N; k++)
        want[k] = k < 20 ? (float)k : x[k];
    for (int k = 0; k < 20; k++)
        blind = put(blind, fsr_int(G, k), fsr_float(G, k), FSR_INDEX_RAISE);
    same(blind, want, N, "one step after the other");
    fsr_node self = put(array, integers(M, at), fsr_take(array, integers(M, at), 0, FSR_INDEX_CLIP), FSR_INDEX_CLIP);
    same(self, x, N, "its own elements");
    fsr_node turned = put(array, fsr_sub(fsr_int(G, N - 1), fsr_arange(G, FSR_I64, N)), array, FSR_INDEX_RAISE);
    for (int k = 0; k < N; k++)
        want[k] = x[N - 1 - k];
    same(turned, want, N, "reversed");
    same(fsr_sum(fsr_reshape(turned, 2, SHAPE(10, 100)), AXES(1), 1, 0), NULL, 0, "and summed");
    free(x);
    free(y);
    free(want);
}

/* A counting sort: places are a running count, and the result is used further. */
static void counted(void **state) {
    (void)state;
    float *x, want[N];
    fsr_node array = floats(1, SHAPE(N), &x), zero = fsr_float(G, 0), low = fsr_less(array, zero);
    fsr_node before = fsr_cumsum(fsr_cast(low, FSR_I64), (int[]){0}, 1, FSR_EXCLUSIVE);
    fsr_node at = fsr_where(low, before, fsr_int(G, -2 * N));
    int n = 0;
    for (int i = 0; i < N; i++)
        want[i] = 100;
    for (int i = 0; i < N; i++)
        if (x[i] < 0)
            want[n++] = 2 * x[i];
    same(put(fsr_full(G, FSR_F32, 1, SHAPE(N), 100), at, fsr_mul(array, fsr_float(G, 2)), FSR_INDEX_DROP), want, N,
         "selected ones");
    free(x);
}

/* Whole rows; elements by two arrays of indices that broadcast together; along an axis; and values that broadcast. */
static void axes(void **state) {
    (void)state;
    float *x, *y, *want = ramp(ROWS * COLS);
    int64_t row[ROWS], col[COLS], one[ROWS];
    for (int i = 0; i < ROWS; i++)
        row[i] = i * 3 % ROWS - (i % 2 ? ROWS : 0), one[i] = i * 11 % COLS;
    for (int j = 0; j < COLS; j++)
        col[j] = j * 4 % COLS;
    fsr_node array = floats(2, SHAPE(ROWS, COLS), &x), values = floats(2, SHAPE(8, COLS), &y);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < COLS; j++)
            want[(i * 3 % ROWS) * COLS + j] = y[i * COLS + j];
    same(put(array, integers(8, row), values, FSR_INDEX_RAISE), want, ROWS * COLS, "rows");
    fsr_node cross[] = {fsr_reshape(integers(8, row), 2, SHAPE(8, 1)), integers(5, col)};
    memcpy(want, x, sizeof(float) * ROWS * COLS);
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 5; j++)
            want[(i * 3 % ROWS) * COLS + j * 4 % COLS] = y[j];
    same(fsr_scatter(array, cross, 2, fsr_slice(fsr_reshape(values, 1, SHAPE(-1)), 0, 0, 5, 1), FSR_INDEX_RAISE,
                     FSR_UNIQUE),
         want, ROWS * COLS, "two arrays");
    memcpy(want, x, sizeof(float) * ROWS * COLS);
    for (int i = 0; i < ROWS; i++)
        want[i * COLS + i * 11 % COLS] = 7;
    fsr_node along = fsr_reshape(integers(ROWS, one), 2, SHAPE(ROWS, 1));
    same(fsr_put_along_axis(array, along, fsr_int(G, 7), 1, FSR_INDEX_CLIP, FSR_UNIQUE), want, ROWS * COLS, "along");
    memcpy(want, x, sizeof(float) * ROWS * COLS);
    for (int j = 0; j < COLS; j++)
        want[(j * 3 % ROWS) * COLS + j] = 8;
    fsr_node down = fsr_transpose(fsr_put_along_axis(fsr_transpose(array, NULL),
                                                     fsr_reshape(integers(COLS, row), 2, SHAPE(COLS, 1)), fsr_int(G, 8),
                                                     1, FSR_INDEX_RAISE, FSR_UNIQUE),
                                  NULL);
    same(down, want, ROWS * COLS, "of a transposed array");
    free(x);
    free(y);
    free(want);
}

static void put_row(fsr_node *out, const fsr_node *in, void *user) {
    const fsr_node zeros = fsr_full(in[0].graph, FSR_F32, 1, SHAPE(COLS), 0);
    out[0] = fsr_put_along_axis(user ? zeros : in[0], in[1], fsr_neg(in[0]), 0, FSR_INDEX_WRAP, FSR_UNIQUE);
}

/* Each row by itself, into itself or into an array that is the same for all. */
static void rows(void **state) {
    (void)state;
    float *x, *want = ramp(ROWS * COLS);
    int64_t at[ROWS * COLS];
    fsr_node out;
    for (int i = 0; i < ROWS * COLS; i++)
        at[i] = i % COLS * 4 + i / COLS;
    fsr_node in[] = {floats(2, SHAPE(ROWS, COLS), &x), fsr_reshape(integers(ROWS * COLS, at), 2, SHAPE(ROWS, COLS))};
    for (int i = 0; i < ROWS * COLS; i++)
        want[i / COLS * COLS + at[i] % COLS] = -x[i];
    for (int zeros = 0; zeros < 2; zeros++) {
        fsr_vectorize(&out, 1, in, 2, "(n),(n)->(n)", put_row, zeros ? (void *)in : NULL);
        same(out, want, ROWS * COLS, "rows");
    }
    free(x);
    free(want);
}

static void every_width(void **state) {
    (void)state;
    fsr_node i = fsr_sub(fsr_int(G, 62), fsr_mul(fsr_arange(G, FSR_I64, 30), fsr_int(G, 2)));
    for (int d = 0; d < FSR_DTYPE_COUNT; d++) {
        fsr_node x = fsr_cast(fsr_arange(G, FSR_I32, 64), (fsr_dtype)d);
        fsr_node out = put(x, i, fsr_slice(x, 0, 3, 33, 1), FSR_INDEX_RAISE);
        subject_verify(&out, 1, NULL, "dtype %d", d);
    }
}

/* Nothing at all; one element; an index outside is told, and what is there stays. */
static void edges(void **state) {
    (void)state;
    float *x, back[4];
    fsr_node array = floats(1, SHAPE(4), &x), none = fsr_slice(array, 0, 2, 2, 1);
    fsr_node nowhere = fsr_cast(none, FSR_I64);
    same(put(array, nowhere, none, FSR_INDEX_RAISE), x, 4, "nothing");
    same(put(fsr_slice(array, 0, 1, 2, 1), integers(1, (int64_t[]){-1}), fsr_float(G, 3), FSR_INDEX_RAISE),
         (float[]){3}, 1, "one");
    same(put(fsr_slice(array, 0, 1, 2, 1), integers(2, (int64_t[]){3, -7}), fsr_slice(array, 0, 2, 4, 1),
             FSR_INDEX_DROP),
         x + 1, 1, "nowhere in one");
    const fsr_node zero = integers(1, (int64_t[]){0});
    assert_int_equal(fsr_node_status(put(none, zero, fsr_float(G, 3), FSR_INDEX_CLIP)), FSR_ERR_INDEX);
    fsr_node wrong = fsr_scatter_at(fsr_here("here.c", 12), array, (fsr_node[]){integers(2, (int64_t[]){4, 1})}, 1,
                                    fsr_float(G, 3), FSR_INDEX_RAISE, FSR_UNIQUE);
    subject_error(subject_ctx, fsr_read(wrong, back, sizeof back), FSR_ERR_INDEX,
                  "index 4 is out of bounds for axis 0 with size 4|here.c:12");
    OK(fsr_read(wrong, back, sizeof back));
    assert_true(back[0] == x[0] && back[1] == 3 && back[2] == x[2] && back[3] == x[3]);
    free(x);
}

static const struct CMUnitTest tests[] = {SUBJECT_TEST(modes), SUBJECT_TEST(fused), SUBJECT_TEST(counted),
                                          SUBJECT_TEST(axes),  SUBJECT_TEST(rows),  SUBJECT_TEST(every_width),
                                          SUBJECT_TEST(edges)};
SUBJECT_MAIN(tests)
