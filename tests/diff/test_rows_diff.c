/* SPDX-License-Identifier: MIT */
/* Several passes over a row: softmax, standardizing, a rescale, over rows from one element to longer than any block
 * holds, along rows and along columns, in one kernel each where the plan allows it. Against the reference; and the same
 * bits again when run again. */
#include "tests/support/subject.h"
#include <stdlib.h>
#include <string.h>

static const int64_t shapes[][2] = {{1, 1},       {3, 31},      {5, 32},     {4, 33},     {7, 257},
                                    {2, 4095},    {3, 4096},    {2, 4097},   {300, 128},  {3, 8192},
                                    {2, 16384},   {3, 16385},   {1, 50000},  {5, 70001},  {2, 200000},
                                    {300, 17000}, {1, 1 << 20}, {33000, 20}, {40000, 33}, {100, 40000}};

static fsr_node softmax(fsr_node x, int axis) {
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, &axis, 1, FSR_KEEPDIMS)));
    return fsr_div(e, fsr_sum(e, &axis, 1, FSR_KEEPDIMS));
}

static fsr_node centred(fsr_node x, int axis) {
    return fsr_sub(x, fsr_mean(x, &axis, 1, FSR_KEEPDIMS));
}

static fsr_node rescaled(fsr_node x, int axis) {
    fsr_node low = fsr_min(x, &axis, 1, FSR_KEEPDIMS), high = fsr_max(x, &axis, 1, FSR_KEEPDIMS);
    return fsr_div(fsr_sub(x, low), fsr_add(fsr_sub(high, low), fsr_float(x.graph, 1)));
}

static fsr_node data(fsr_dtype dtype, const int64_t *shape) {
    return fsr_mul(subject_data(dtype, 2, shape, SUBJECT_SMALL, 0), fsr_float(subject_g, 1));
}

static void check(fsr_dtype dtype, const int64_t *shape, int axis) {
    fsr_node x = data(dtype, shape);
    fsr_node out[] = {softmax(x, axis), centred(x, axis), rescaled(x, axis)};
    for (int i = 0; i < COUNT_OF(out); ++i)
        subject_verify(&out[i], 1, NULL, "row function %d of %s[%lld,%lld] along %d", i, fsr_dtype_name(dtype),
                       (long long)shape[0], (long long)shape[1], axis);
}

/* The reference takes a second for a million elements: the fast tier has none of more than half as many. */
static subject_tier tier_of(int s, int64_t n) {
    if (n > 500000 && s % 3 != 0)
        return SUBJECT_LONG;
    return n > 500000 ? SUBJECT_CAPPED : SUBJECT_FAST;
}

static void along_rows(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(shapes); ++s) {
        const int64_t n = shapes[s][0] * shapes[s][1];
        if (!subject_case(s, tier_of(s, n)))
            continue;
        check(FSR_F32, shapes[s], 1);
        if (n < 300000)
            check(FSR_F64, shapes[s], 1);
        fsr_graph_free(subject_g);
        subject_g = fsr_graph_new(subject_ctx);
    }
}

static void along_columns(void **state) {
    (void)state;
    static const int64_t tall[][2] = {{1, 1}, {31, 3}, {257, 7}, {4097, 2}, {20, 40000}, {50000, 3}, {3, 70001}};
    for (int s = 0; s < COUNT_OF(tall); ++s)
        if (subject_case(s, tier_of(0, tall[s][0] * tall[s][1])))
            check(FSR_F32, tall[s], 0);
}

/* Integers small enough for sums in f32 to be exact: every element counts, none may be folded twice. */
static void exact_sums(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(shapes); ++s) {
        int64_t n = shapes[s][0] * shapes[s][1];
        float *ones = malloc(sizeof *ones * (size_t)n);
        for (int64_t i = 0; i < n; ++i)
            ones[i] = 1;
        int axis = 1;
        fsr_node x = fsr_from_host(subject_g, FSR_F32, 2, shapes[s], ones);
        fsr_node y = fsr_sub(fsr_sum(x, &axis, 1, FSR_KEEPDIMS), x);
        OK(fsr_read(y, ones, sizeof *ones * (size_t)n));
        for (int64_t i = 0; i < n; ++i)
            assert_true(ones[i] == (float)(shapes[s][1] - 1));
        free(ones);
        fsr_graph_free(subject_g);
        subject_g = fsr_graph_new(subject_ctx);
    }
}

/* The same bits from every run. */
static void repeated(void **state) {
    (void)state;
    static const int64_t shape[] = {5, 70001};
    size_t bytes = sizeof(float) * 5 * 70001;
    float *first = malloc(bytes), *again = malloc(bytes);
    fsr_node x = data(FSR_F32, shape);
    OK(fsr_read(softmax(x, 1), first, bytes));
    for (int run = 0; run < 100; ++run) {
        OK(fsr_read(softmax(x, 1), again, bytes));
        assert_memory_equal(first, again, bytes);
    }
    free(first);
    free(again);
}

/* Points of a few channels, of which others are made, as many as loops of a constant length leave something over of, or
 * nothing: sums of products, one of two dimensions, and passes over what was folded. */
static void few_columns(void **state) {
    (void)state;
    static const int64_t beside[] = {1, 7, 8, 9, 12, 16, 17, 24, 31, 32, 33, 40, 63, 64, 65};
    for (int i = 0; i < COUNT_OF(beside); ++i)
        for (int64_t c = 1; c <= 17; c += i % 2 ? 5 : 4) {
            const int64_t m = beside[i];
            const int axes[] = {1, 2}, channels = 1;
            fsr_node x = data(FSR_F32, SHAPE(23, c)), w = data(FSR_F32, SHAPE(c, m)), b = data(FSR_F64, SHAPE(23, m));
            fsr_node all = fsr_mul(fsr_expand(x, 2), w);
            fsr_node out[] = {fsr_add(fsr_sum(all, &channels, 1, 0), b), fsr_max(all, &channels, 1, 0), centred(all, 1),
                              fsr_sum(fsr_reshape(all, 4, SHAPE(23, 1, c, m)), axes, 2, 0)};
            for (int k = 0; k < COUNT_OF(out); ++k)
                subject_verify(&out[k], 1, NULL, "fold %d of %lld columns, %lld beside each other", k, (long long)c,
                               (long long)m);
            subject_verify(out, COUNT_OF(out), NULL, "folds of %lld columns, %lld beside each other", (long long)c,
                           (long long)m);
        }
}

/* Short rows whose elements lie beside each other, and some of what they take otherwise: shifted, turned, behind edges,
 * of computed places; scans beside reductions, one behind the other, and functions behind both. */
static void short_rows(void **state) {
    (void)state;
    static const int64_t cols[] = {2, 3, 5, 8, 13, 16, 20, 31, 32, 63, 64};
    const int axis = 1;
    for (int i = 0; i < COUNT_OF(cols); ++i) {
        const int64_t one = 1;
        fsr_node x = data(FSR_F32, SHAPE(133, cols[i])), y = data(FSR_F32, SHAPE(133, cols[i]));
        fsr_node rolled = fsr_roll(y, &one, &axis, 1), turned = fsr_flip(y, 1);
        fsr_node at = fsr_cast(fsr_abs(x), FSR_I32), taken = fsr_take_along_axis(x, at, 1, FSR_INDEX_CLIP);
        fsr_node sum = fsr_sum(fsr_mul(taken, y), &axis, 1, FSR_KEEPDIMS);
        fsr_node running = fsr_cumsum(fsr_exp(fsr_neg(fsr_abs(x))), &axis, 1, 0);
        fsr_node inside = fsr_update(x, fsr_slice(x, 1, 1, cols[i], 1), fsr_exp(fsr_slice(y, 1, 1, cols[i], 1)));
        fsr_node edged = fsr_pad(fsr_exp(fsr_neg(fsr_abs(fsr_sub(inside, y)))), ((int64_t[][2]){{1, 1}, {1, 1}}),
                                 FSR_PAD_CONSTANT, 0.5);
        fsr_node out[] = {fsr_mul(turned, sum),
                          fsr_mul(rolled, sum),
                          fsr_cumsum(fsr_mul(turned, sum), &axis, 1, 0),
                          fsr_sum(fsr_exp(fsr_add(rolled, x)), &axis, 1, 0),
                          fsr_sum(fsr_sin(fsr_add(turned, x)), &axis, 1, 0),
                          fsr_sin(running),
                          fsr_cumsum(fsr_div(running, fsr_float(subject_g, 64)), &axis, 1, 0),
                          fsr_max(fsr_mul(running, x), &axis, 1, 0),
                          fsr_sum(fsr_mul(inside, x), &axis, 1, 0),
                          inside,
                          fsr_cumsum(fsr_mul(taken, y), &axis, 1, 0),
                          fsr_mul(fsr_cumsum(fsr_exp(fsr_neg(fsr_abs(taken))), &axis, 1, 0), fsr_sin(taken)),
                          fsr_cumsum(fsr_mul(fsr_cumsum(taken, &axis, 1, 0), turned), &axis, 1, 0),
                          edged,
                          fsr_add(fsr_slice(edged, 0, 1, 134, 1), fsr_slice(edged, 0, 0, 133, 1))};
        for (int k = 0; k < COUNT_OF(out); ++k)
            subject_verify(&out[k], 1, NULL, "output %d of rows of %lld", k, (long long)cols[i]);
        subject_verify(out, COUNT_OF(out), NULL, "outputs of rows of %lld", (long long)cols[i]);
    }
}

/* Short rows gathered from a large array, some of which ask for later rows' places: of a row and of an element, of
 * fewer rows than lie between, of several planes, at places that lie apart in rows twice as long, and with functions
 * behind them, for which rows are taken together; and at places that raise, two of them in a row. */
static void gathered_rows(void **state) {
    (void)state;
    static const int64_t rows[] = {7, 700};
    static const fsr_index_mode mode[] = {FSR_INDEX_CLIP, FSR_INDEX_WRAP};
    for (int i = 0; i < COUNT_OF(rows); ++i)
        for (int64_t c = 3; c <= 17; c += 14) {
            const int64_t n = rows[i], far = ((int64_t)9 << 20) / 4 / c;
            fsr_node x = data(FSR_F32, SHAPE(far, c)), y = data(FSR_F32, SHAPE(n, c));
            fsr_node z = fsr_reshape(fsr_slice(y, 1, 0, 1, 1), 1, SHAPE(n));
            fsr_node big = fsr_float(subject_g, (double)far / 3);
            fsr_node each = fsr_cast(fsr_mul(fsr_abs(y), big), FSR_I32), row = fsr_cast(fsr_mul(z, big), FSR_I64);
            fsr_node turned = fsr_reshape(each, 2, SHAPE(c, n)), z2 = fsr_reshape(z, 2, SHAPE(n, 1));
            fsr_node taken = fsr_mul(fsr_index(x, &row, 1, mode[i % 2]), y),
                     along = fsr_take_along_axis(x, each, 0, mode[i % 2]);
            fsr_node wide = data(FSR_F32, SHAPE(n, 2 * c)), half = fsr_slice(wide, 1, c, 2 * c, 1);
            fsr_node apart = fsr_take_along_axis(x, fsr_cast(fsr_mul(half, big), FSR_I32), 0, FSR_INDEX_CLIP);
            fsr_node out[] = {fsr_mul(along, y),
                              taken,
                              fsr_index(x, &turned, 1, FSR_INDEX_CLIP),
                              fsr_exp(fsr_neg(fsr_abs(taken))),
                              fsr_mul(fsr_sin(fsr_add(along, taken)), z2),
                              fsr_sub(apart, half),
                              fsr_mul(fsr_take_along_axis(x, each, 0, FSR_INDEX_RAISE), along),
                              fsr_take_along_axis(along, fsr_cast(fsr_abs(y), FSR_I32), 1, FSR_INDEX_CLIP)};
            for (int k = 0; k < COUNT_OF(out); ++k)
                subject_verify(&out[k], 1, NULL, "%lld rows of %lld, output %d", (long long)n, (long long)c, k);
        }
}

/* Elements of other rows of their column, by panels, the last one of which is no whole one; of planes of them, and of
 * two tables at once. */
static void panels(void **state) {
    (void)state;
    static const int64_t tables[][3] = {{64, 8192, 1}, {64, 8500, 1}, {600, 513, 1}, {300, 1100, 4}};
    for (int s = 0; s < COUNT_OF(tables); ++s) {
        const int64_t rows = tables[s][0], cols = tables[s][1], planes = tables[s][2];
        fsr_node x = data(FSR_F32, SHAPE(planes, rows, cols)), y = data(FSR_F32, SHAPE(planes, rows, cols));
        fsr_node at = fsr_cast(fsr_mul(fsr_abs(y), fsr_float(subject_g, (double)rows / 3)), FSR_I32);
        fsr_node taken = fsr_take_along_axis(x, at, 1, FSR_INDEX_CLIP);
        fsr_node out[] = {fsr_add(fsr_mul(taken, y), x), fsr_sub(fsr_take_along_axis(y, at, 1, FSR_INDEX_WRAP), taken),
                          fsr_exp(fsr_neg(fsr_abs(fsr_take_along_axis(x, at, 1, FSR_INDEX_RAISE))))};
        for (int k = 0; k < COUNT_OF(out); ++k)
            subject_verify(&out[k], 1, NULL, "%lld by %lld, output %d", (long long)rows, (long long)cols, k);
    }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(along_rows), SUBJECT_CASES(along_columns), SUBJECT_TEST(exact_sums), SUBJECT_TEST(few_columns),
    SUBJECT_TEST(short_rows),  SUBJECT_TEST(gathered_rows),  SUBJECT_TEST(panels),     SUBJECT_TEST(repeated),
};
SUBJECT_MAIN(tests)
