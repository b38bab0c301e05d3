/* SPDX-License-Identifier: MIT */
/* Elements at computed indices: against plain loops over what NumPy's documentation says, fused with what computes the
 * indices, the array and the result; indices outside, reported, clipped, wrapped; slices at run-time offsets, which
 * neither plan nor compile anew. */
#include "primitives/parse.h"
#include "tests/support/subject.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define G subject_g

static float *ramp(int64_t n) {
    float *x = malloc((size_t)n * sizeof *x + 1);
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

/* n indices, in [-of, of) if `inside`, else some far outside. */
static int64_t *numbers(int64_t n, int64_t of, bool inside) {
    int64_t *x = malloc((size_t)n * sizeof *x + 1);
    uint32_t state = 77;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (int64_t)(subject_random(&state) % (uint32_t)(2 * of)) - of;
        if (!inside && i % 5 == 0)
            x[i] = i % 2 ? of + i : -of - 1 - i;
    }
    return x;
}

static int64_t bring(fsr_index_mode mode, int64_t i, int64_t n) {
    if (mode == FSR_INDEX_WRAP)
        return (i % n + n) % n;
    if (mode == FSR_INDEX_RAISE)
        i += i < 0 ? n : 0;
    return i < 0 ? 0 : i < n ? i : n - 1;
}

static void same(const float *got, const float *want, int64_t n, const char *what) {
    for (int64_t i = 0; i < n; i++)
        if (got[i] != want[i])
            fail_msg("%s: element %lld is %g, not %g", what, (long long)i, got[i], want[i]);
}

/* x[a, n, b] taken along axis 1 at indices of shape [p, q]. */
static void along(int64_t a, int64_t n, int64_t b, int64_t p, int64_t q, fsr_index_mode mode, bool inside) {
    float *x, *want = malloc((size_t)(a * p * q * b) * sizeof *want + 1);
    fsr_node array = floats(3, SHAPE(a, n, b), &x);
    int64_t *index = numbers(p * q, n, inside);
    for (int64_t i = 0; i < a; i++)
        for (int64_t j = 0; j < p * q; j++)
            for (int64_t k = 0; k < b; k++)
                want[(i * p * q + j) * b + k] = x[(i * n + bring(mode, index[j], n)) * b + k];
    fsr_node taken = fsr_take(array, fsr_from_host(G, FSR_I64, 2, SHAPE(p, q), index), 1, mode);
    OK(fsr_node_status(taken));
    assert_int_equal(fsr_node_ndim(taken), 4);
    float *got = subject_read(taken);
    same(got, want, a * p * q * b, "take");
    OK(fsr_verify(&taken, 1, NULL));
    free(got);
    free(want);
    free(x);
    free(index);
}

static void shapes(void **state) {
    (void)state;
    for (int mode = 0; mode <= FSR_INDEX_WRAP; mode++) {
        const bool inside = mode == FSR_INDEX_RAISE;
        along(1, 37, 1, 1, 300, (fsr_index_mode)mode, inside);
        along(3, 5, 16, 4, 7, (fsr_index_mode)mode, inside);
        along(2, 9, 3, 1, 1, (fsr_index_mode)mode, inside);
        along(7, 1, 5, 2, 3, (fsr_index_mode)mode, inside);
        along(1, 1000, 4, 100, 11, (fsr_index_mode)mode, inside);
    }
}

/* Every integer dtype of indices, every dtype of elements. */
static void dtypes(void **state) {
    (void)state;
    static const fsr_dtype integers[] = {FSR_I8, FSR_I16, FSR_I32, FSR_I64, FSR_U8, FSR_U16, FSR_U32, FSR_U64};
    float *x;
    fsr_node array = floats(1, SHAPE(33), &x), position = fsr_sub(fsr_int(G, 20), fsr_arange(G, FSR_I64, 20));
    for (int i = 0; i < COUNT_OF(integers); i++) {
        float *got = subject_read(fsr_take(array, fsr_cast(position, integers[i]), 0, FSR_INDEX_RAISE));
        for (int k = 0; k < 20; k++)
            assert_true(got[k] == x[20 - k]);
        free(got);
    }
    for (int dtype = 0; dtype < FSR_DTYPE_COUNT; dtype++) {
        fsr_node typed = fsr_cast(array, (fsr_dtype)dtype), taken = fsr_take(typed, position, 0, FSR_INDEX_RAISE);
        OK(fsr_verify(&taken, 1, NULL));
    }
    free(x);
}

/* y = f(g(x)[h(i)]) and everything around it is one kernel, also below a reduction and into a scan. */
static void fused(void **state) {
    (void)state;
    float *x;
    fsr_node array = floats(1, SHAPE(500), &x);
    int64_t *index = numbers(400, 400, true);
    fsr_node i = fsr_from_host(G, FSR_I64, 1, SHAPE(400), index);
    fsr_node shifted = fsr_add(i, fsr_int(G, 50)), doubled = fsr_mul(array, fsr_float(G, 2));
    fsr_node y = fsr_sub(fsr_take(doubled, shifted, 0, FSR_INDEX_WRAP), fsr_float(G, 1));
    fsr_node outs[] = {y, fsr_sum(y, NULL, 0, 0), fsr_cumsum(y, AXES(0), 1, 0)};
    fsr_plan *plan;
    fsr_plan_info info;
    OK(fsr_compile(&y, 1, &plan));
    OK(fsr_plan_query(plan, &info));
    assert_int_equal(info.kernels, 1);
    assert_int_equal(info.temporaries, 0);
    fsr_plan_free(plan);
    float *got = subject_read(y);
    for (int k = 0; k < 400; k++)
        assert_true(got[k] == 2 * x[bring(FSR_INDEX_WRAP, index[k] + 50, 500)] - 1);
    OK(fsr_verify(outs, 3, NULL));
    free(got);
    free(index);
    free(x);
}

static fsr_node softmax(fsr_node x) {
    fsr_node e = fsr_exp(fsr_sub(x, fsr_max(x, AXES(1), 1, FSR_KEEPDIMS)));
    return fsr_div(e, fsr_sum(e, AXES(1), 1, FSR_KEEPDIMS));
}

/* Indices that a scan or a reduction gives, arrays that are results of folds, gathers of gathers. */
static void chained(void **state) {
    (void)state;
    float *x;
    fsr_node array = floats(2, SHAPE(40, 25), &x), i = fsr_arange(G, FSR_I64, 40);
    fsr_node running = fsr_cumsum(fsr_mod(i, fsr_int(G, 3)), AXES(0), 1, 0);
    fsr_node sums = fsr_sum(array, AXES(1), 1, 0), best = fsr_argmax(array, AXES(1), 1, FSR_KEEPDIMS);
    fsr_node outs[] = {
        fsr_take(sums, running, 0, FSR_INDEX_RAISE),
        fsr_take(array, running, 0, FSR_INDEX_WRAP),
        fsr_take_along_axis(array, best, 1, FSR_INDEX_RAISE),
        fsr_take(fsr_take(array, fsr_neg(i), 0, FSR_INDEX_WRAP), running, 0, FSR_INDEX_CLIP),
        fsr_take(fsr_transpose(array, NULL), running, 1, FSR_INDEX_RAISE),
        fsr_take(fsr_reshape(array, 1, SHAPE(1000)), fsr_mul(i, fsr_int(G, 25)), 0, FSR_INDEX_RAISE),
        fsr_reshape(fsr_take(array, fsr_reshape(i, 2, SHAPE(8, 5)), 0, FSR_INDEX_RAISE), 1, SHAPE(1000)),
        fsr_sum(fsr_exp(fsr_take(array, running, 0, FSR_INDEX_RAISE)), AXES(0), 1, 0),
        fsr_sum(fsr_exp(fsr_take(array, running, 0, FSR_INDEX_RAISE)), AXES(1), 1, 0),
        softmax(fsr_take(array, running, 0, FSR_INDEX_RAISE)),
        fsr_concat((fsr_node[]){fsr_take(sums, running, 0, FSR_INDEX_RAISE), sums}, 2, 0),
        fsr_take(fsr_concat((fsr_node[]){array, array}, 2, 0), fsr_mul(i, fsr_int(G, 2)), 0, FSR_INDEX_RAISE),
    };
    OK(fsr_sync(subject_ctx));
    for (int k = 0; k < COUNT_OF(outs); k++)
        subject_verify(&outs[k], 1, NULL, "gather %d", k);
    subject_verify(outs, COUNT_OF(outs), NULL, "all gathers");
    OK(fsr_sync(subject_ctx));
    free(x);
}

/* x[i, j] by arrays that broadcast. */
static void several(void **state) {
    (void)state;
    float *x;
    fsr_node array = floats(3, SHAPE(6, 7, 5), &x);
    int64_t *rows = numbers(4, 6, true), *columns = numbers(3, 7, true);
    fsr_node i = fsr_from_host(G, FSR_I64, 2, SHAPE(4, 1), rows), j = fsr_from_host(G, FSR_I64, 1, SHAPE(3), columns);
    fsr_node y = fsr_index(array, ((fsr_node[]){i, j}), 2, FSR_INDEX_RAISE);
    OK(fsr_node_status(y));
    assert_int_equal(fsr_node_ndim(y), 3);
    float *got = subject_read(y);
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 5; c++)
                assert_true(
                    got[(a * 3 + b) * 5 + c] ==
                    x[(bring(FSR_INDEX_RAISE, rows[a], 6) * 7 + bring(FSR_INDEX_RAISE, columns[b], 7)) * 5 + c]);
    OK(fsr_verify(&y, 1, NULL));
    free(got);
    free(rows);
    free(columns);
    free(x);
}

static void reports(void **state) {
    (void)state;
    float *x, back[3];
    fsr_node array = floats(2, SHAPE(8, 9), &x);
    const int64_t bad[] = {1, 9, -2}, good[] = {1, 8, -9};
    fsr_node i = fsr_from_host(G, FSR_I64, 1, SHAPE(3), bad);
    fsr_node row = fsr_take(array, fsr_from_host(G, FSR_I64, 1, SHAPE(3), good), 1, FSR_INDEX_RAISE);
    fsr_node wrong = fsr_take_at(fsr_here("here.c", 12), array, i, 1, FSR_INDEX_RAISE);
    fsr_node other = fsr_sum(
        fsr_take_at(fsr_here("there.c", 34), array, fsr_sub(i, fsr_int(G, 20)), 0, FSR_INDEX_RAISE), NULL, 0, 0);
    OK(fsr_force(row));
    OK(fsr_sync(subject_ctx));
    OK(fsr_force(wrong));
    subject_error(subject_ctx, fsr_sync(subject_ctx), FSR_ERR_INDEX,
                  "index 9 is out of bounds for axis 1 with size 9|here.c:12");
    OK(fsr_sync(subject_ctx));
    /* The nearest end meanwhile. */
    fsr_node middle = fsr_slice(fsr_slice(wrong, 0, 0, 1, 1), 1, 0, 3, 1);
    OK(fsr_read(middle, back, sizeof back));
    assert_true(back[0] == x[1] && back[1] == x[8] && back[2] == x[7]);
    float sum;
    subject_error(subject_ctx, fsr_read(other, &sum, sizeof sum), FSR_ERR_INDEX,
                  "index -11 is out of bounds for axis 0 with size 8|there.c:34");
    OK(fsr_read(other, &sum, sizeof sum));
    free(x);
}

/* Also of an array of one element, and of one that is all the same. */
static void reports_where_no_address_moves(void **state) {
    (void)state;
    const float one = 3;
    const int64_t bad[] = {0, 5, 0};
    fsr_node i = fsr_from_host(G, FSR_I64, 1, SHAPE(3), bad);
    const fsr_node x[] = {fsr_from_host(G, FSR_F32, 1, SHAPE(1), &one),
                          fsr_broadcast_to(fsr_from_host(G, FSR_F32, 0, NULL, &one), 1, SHAPE(4))};
    for (int k = 0; k < COUNT_OF(x); k++) {
        float sum = 0;
        fsr_node y = fsr_sum(fsr_take_at(fsr_here("one.c", 6), x[k], i, 0, FSR_INDEX_RAISE), NULL, 0, 0);
        subject_error(subject_ctx, fsr_read(y, &sum, sizeof sum), FSR_ERR_INDEX, "index 5 is out of bounds|one.c:6");
        OK(fsr_read(y, &sum, sizeof sum));
        assert_true(sum == 9);
    }
}

/* Diagonals join rows, so that one dimension may stand for many computed indices: too many are stored in between. */
static void many_computed_indices(void **state) {
    (void)state;
    float *data;
    fsr_node x = floats(2, SHAPE(20, 20), &data), y = x;
    const int64_t one = 1;
    int64_t offset = 0;
    for (int k = 0; k < 2; k++, offset++) {
        const fsr_node at[2] = {fsr_from_host(G, FSR_I64, 0, NULL, &one), fsr_from_host(G, FSR_I64, 0, NULL, &one)};
        y = fsr_dynamic_slice(y, at, SHAPE(18 - 2 * k, 18 - 2 * k));
    }
    y = fsr_diagonal(y, 0, 0, 1);
    for (int k = 0; k < 6; k++, offset++) {
        const fsr_node at = fsr_from_host(G, FSR_I64, 0, NULL, &one);
        y = fsr_dynamic_slice(y, &at, SHAPE(14 - k));
    }
    OK(fsr_node_status(y));
    float *got = subject_read(y);
    for (int64_t k = 0; k < fsr_node_size(y); k++)
        assert_true(got[k] == data[(offset + k) * 21]);
    free(got);
    free(data);
}

/* A plan reports as its recording says, each time it runs, also when nobody reads for long. */
static void plans_report(void **state) {
    (void)state;
    fsr_node x = fsr_input(G, "x", FSR_F32, 1, SHAPE(4)), i = fsr_input(G, "i", FSR_I64, 1, SHAPE(2));
    fsr_node y = fsr_take_at(fsr_here("plan.c", 5), x, i, 0, FSR_INDEX_RAISE);
    const float data[] = {1, 2, 3, 4};
    int64_t index[] = {3, -4};
    float got[2];
    fsr_plan *plan;
    OK(fsr_compile(&y, 1, &plan));
    const fsr_arg in[] = {{"x", (void *)data, sizeof data, FSR_HOST}, {"i", index, sizeof index, FSR_HOST}};
    const fsr_arg out = {"y", got, sizeof got, FSR_HOST};
    OK(fsr_plan_run(plan, in, 2, &out, 1, NULL));
    assert_true(got[0] == 4 && got[1] == 1);
    index[1] = -5;
    subject_error(subject_ctx, fsr_plan_run(plan, in, 2, &out, 1, NULL), FSR_ERR_INDEX, "index -5|size 4|plan.c:5");
    index[1] = 0;
    OK(fsr_plan_run(plan, in, 2, &out, 1, NULL));
    fsr_plan_free(plan);
    float *data4 = ramp(4);
    fsr_node array = fsr_from_host(G, FSR_F32, 1, SHAPE(4), data4);
    for (int64_t k = 0; k < 200; k++)
        OK(fsr_force(
            fsr_take(array, fsr_add(fsr_arange(G, FSR_I64, 2), fsr_int(G, k == 7 ? 100 : 1)), 0, FSR_INDEX_RAISE)));
    subject_error(subject_ctx, fsr_sync(subject_ctx), FSR_ERR_INDEX, "index 101");
    OK(fsr_sync(subject_ctx));
    free(data4);
}

/* Only indices that exist are looked at: not what a guard skips, nor what lies behind the last element. */
static void no_false_reports(void **state) {
    (void)state;
    float *x;
    for (int64_t n = 1; n < 70; n += 17) {
        fsr_node array = floats(1, SHAPE(n + 5), &x);
        fsr_node i = fsr_add(fsr_arange(G, FSR_I64, n), fsr_int(G, 5));
        fsr_node y = fsr_concat((fsr_node[]){fsr_take(array, i, 0, FSR_INDEX_RAISE), array}, 2, 0);
        fsr_node outs[] = {y, fsr_sum(fsr_take(array, i, 0, FSR_INDEX_RAISE), NULL, 0, 0),
                           fsr_take(array, fsr_add(fsr_mul(i, fsr_int(G, 0)), fsr_int(G, 5)), 0, FSR_INDEX_RAISE)};
        OK(fsr_compute(outs, 3));
        OK(fsr_sync(subject_ctx));
        free(x);
    }
}

static void slices(void **state) {
    (void)state;
    float *x;
    fsr_node array = floats(2, SHAPE(20, 30), &x);
    int64_t built = -1, compiled = -1;
    for (int64_t start = -3; start < 25; start += 4) {
        fsr_node from = fsr_param(G, "from", FSR_I64, (double)start);
        fsr_node last = fsr_reshape(fsr_from_host(G, FSR_I32, 1, SHAPE(1), &(int32_t){(int32_t)start + 2}), 0, NULL);
        fsr_node y = fsr_mul(fsr_dynamic_slice(array, ((fsr_node[]){from, last}), SHAPE(6, 11)), fsr_float(G, 3));
        OK(fsr_node_status(y));
        float *got = subject_read(y);
        const int64_t row = start < 0    ? 0
                            : start > 14 ? 14
                                         : start,
                      column = start + 2 < 0    ? 0
                               : start + 2 > 19 ? 19
                                                : start + 2;
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < 11; j++)
                assert_true(got[i * 11 + j] == 3 * x[(row + i) * 30 + column + j]);
        free(got);
        const fsr_stats now = subject_stats();
        if (built < 0)
            built = now.plans_built, compiled = now.compilations;
        assert_int_equal(now.plans_built, built);
        assert_int_equal(now.compilations, compiled);
        OK(fsr_verify(&y, 1, NULL));
    }
    free(x);
}

/* x with y in it at a run-time offset: starts far outside, from parameters and from the device, fused on both sides. */
static void updates(void **state) {
    (void)state;
    float *x, *y;
    fsr_node array = floats(2, SHAPE(20, 30), &x), part = floats(2, SHAPE(6, 11), &y);
    for (int64_t start = -3; start < 25; start += 4) {
        fsr_node from = fsr_param(G, "from", FSR_I64, (double)start);
        fsr_node last = fsr_reshape(fsr_from_host(G, FSR_I32, 1, SHAPE(1), &(int32_t){(int32_t)start + 2}), 0, NULL);
        fsr_node with = fsr_dynamic_update(fsr_neg(array), fsr_mul(part, fsr_float(G, 3)), ((fsr_node[]){from, last}));
        fsr_node sum = fsr_add(with, fsr_float(G, 1));
        OK(fsr_node_status(sum));
        const fsr_stats before = subject_stats();
        float *got = subject_read(sum);
        const fsr_stats now = subject_stats();
        const int64_t row = start < 0    ? 0
                            : start > 14 ? 14
                                         : start,
                      column = start + 2 < 0    ? 0
                               : start + 2 > 19 ? 19
                                                : start + 2;
        for (int i = 0; i < 20; i++)
            for (int j = 0; j < 30; j++) {
                const bool in = i >= row && i < row + 6 && j >= column && j < column + 11;
                assert_true(got[i * 30 + j] == (in ? 3 * y[(i - row) * 11 + j - column] : -x[i * 30 + j]) + 1);
            }
        free(got);
        if (start > -3) {
            assert_int_equal(now.plans_built, before.plans_built);
            assert_int_equal(now.compilations, before.compilations);
        }
        fsr_node outs[] = {sum, fsr_sum(with, AXES(1), 1, 0), fsr_cumsum(with, AXES(1), 1, 0),
                           fsr_dynamic_update(with, fsr_dynamic_slice(with, ((fsr_node[]){last, from}), SHAPE(3, 30)),
                                              ((fsr_node[]){from, last})),
                           fsr_take(with, fsr_arange(G, FSR_I64, 9), 0, FSR_INDEX_WRAP)};
        subject_verify(outs, COUNT_OF(outs), NULL, "start %d", (int)start);
    }
    free(x);
    free(y);
}

/* Rows of a function: each takes from its own row. */
static void take_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_mul(fsr_take(in[0], in[1], 0, FSR_INDEX_RAISE), fsr_float(in[0].graph, 2));
}

static void vectorized(void **state) {
    (void)state;
    float *x;
    fsr_node array = floats(2, SHAPE(5, 9), &x), y;
    int64_t *index = numbers(20, 9, true);
    fsr_node in[] = {array, fsr_from_host(G, FSR_I64, 2, SHAPE(5, 4), index)};
    fsr_vectorize(&y, 1, in, 2, "(n),(m)->(m)", take_row, NULL);
    OK(fsr_node_status(y));
    float *got = subject_read(y);
    for (int r = 0; r < 5; r++)
        for (int k = 0; k < 4; k++)
            assert_true(got[r * 4 + k] == 2 * x[r * 9 + bring(FSR_INDEX_RAISE, index[r * 4 + k], 9)]);
    free(got);
    free(index);
    free(x);
}

/* The axis that is told is the one that the function's body named, however many dimensions lead. */
static void take_second(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    out[0] = fsr_take_at(fsr_here("body.c", 8), in[0], in[1], 1, FSR_INDEX_RAISE);
}

static void take_nested(fsr_node *out, const fsr_node *in, void *user) {
    fsr_vectorize(out, 1, in, 2, "(n,m),(k)->(n,k)", take_second, user);
}

static void reports_of_rows(void **state) {
    (void)state;
    const char *const words = "index 7 is out of bounds for axis 1 with size 5 (body.c:8)";
    const int64_t index[] = {0, 7, -5};
    float got[2 * 3 * 4 * 3];
    fsr_config config = subject_config();
    config.backend = FSR_BACKEND_REFERENCE;
    fsr_context *contexts[] = {subject_ctx, subject_open(&config)};
    for (int c = 0; c < 2; c++) {
        fsr_graph *g = fsr_graph_new(contexts[c]);
        fsr_node x = fsr_ones(g, FSR_F32, 4, SHAPE(2, 3, 4, 5)), y;
        fsr_node in[] = {x, fsr_from_host(g, FSR_I64, 1, SHAPE(3), index)};
        fsr_vectorize(&y, 1, in, 2, "(n,m),(k)->(n,k)", take_second, NULL);
        subject_error(contexts[c], fsr_read(y, got, sizeof got), FSR_ERR_INDEX, words);
        fsr_vectorize(&y, 1, in, 2, "(j,n,m),(k)->(j,n,k)", take_nested, NULL);
        subject_error(contexts[c], fsr_read(y, got, sizeof got), FSR_ERR_INDEX, words);
        fsr_graph_free(g);
    }
    fsr_close(contexts[1]);
}

/* Where an index is added to a dimension's own, what is told is how many of them there may be. */
static void reports_of_starts(void **state) {
    (void)state;
    const char text[] = "%0 = input f32[8] \"x\"\n"
                        "%1 = input i64[5] \"i\"\n"
                        "%2 = gather f32[5] %0, %1 axes=0 affine [d0] mode=raise\n"
                        "return %2\n";
    const float x[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int64_t index[5] = {3, 0, 3, -4, 3};
    float got[5];
    fsr_node y;
    fsr_plan *plan;
    int n;
    OK(fsr_graph_parse(G, text, &y, 1, &n, NULL));
    OK(fsr_compile(&y, 1, &plan));
    const fsr_arg in[] = {{"x", (void *)x, sizeof x, FSR_HOST}, {"i", index, sizeof index, FSR_HOST}};
    const fsr_arg out = {"y", got, sizeof got, FSR_HOST};
    OK(fsr_plan_run(plan, in, 2, &out, 1, NULL));
    assert_true(got[0] == 4 && got[1] == 2 && got[2] == 6 && got[3] == 4 && got[4] == 8);
    index[1] = 4;
    subject_error(subject_ctx, fsr_plan_run(plan, in, 2, &out, 1, NULL), FSR_ERR_INDEX,
                  "index 4 is out of bounds for axis 0 with size 4");
    fsr_plan_free(plan);
}

int main(void) {
    const struct CMUnitTest tests[] = {SUBJECT_TEST(shapes),
                                       SUBJECT_TEST(dtypes),
                                       SUBJECT_TEST(fused),
                                       SUBJECT_TEST(chained),
                                       SUBJECT_TEST(several),
                                       SUBJECT_TEST(reports),
                                       SUBJECT_TEST(reports_where_no_address_moves),
                                       SUBJECT_TEST(many_computed_indices),
                                       SUBJECT_TEST(plans_report),
                                       SUBJECT_TEST(no_false_reports),
                                       SUBJECT_TEST(slices),
                                       SUBJECT_TEST(updates),
                                       SUBJECT_TEST(vectorized),
                                       SUBJECT_TEST(reports_of_rows),
                                       SUBJECT_TEST(reports_of_starts)};
    return subject_main(SUBJECT_BACKEND, tests, COUNT_OF(tests));
}
