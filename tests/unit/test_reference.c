/* SPDX-License-Identifier: MIT */
/* The reference against hand-written expectations, node by node; backends played by plain float loops must lie inside
 * its bounds, and what is wrong must lie outside. */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/reference.h"
#include "tests/support/recurrence.h"

enum { MAX_INPUTS = 8 };

/* A graph and the data of its inputs, by name. */
typedef struct fixture {
    fsr_graph_owner *owner;
    fsr_graph *g;
    const char *name[MAX_INPUTS];
    const void *data[MAX_INPUTS];
    int inputs, fetched;
    fsr_status fail;
} fixture;

static int setup(void **state) {
    fixture *f = calloc(1, sizeof *f);
    f->owner = fsr_graph_owner_new(NULL, NULL);
    f->g = fsr_graph_create(f->owner);
    *state = f;
    return f->g == NULL;
}

static int teardown(void **state) {
    fixture *f = *state;
    fsr_graph_owner_free(f->owner);
    free(f);
    return 0;
}

static fsr_status fetch(void *user, const fsr_rec *leaf, int output, void *dst, int64_t bytes) {
    fixture *f = user;
    f->fetched++;
    if (f->fail != FSR_OK)
        return f->fail;
    if (leaf->buffer[output]) {
        memcpy(dst, leaf->buffer[output]->data, (size_t)bytes);
        return FSR_OK;
    }
    for (int i = 0; i < f->inputs; i++)
        if (strcmp(f->name[i], leaf->name) == 0)
            memcpy(dst, f->data[i], (size_t)bytes);
    return FSR_OK;
}

static fsr_node input(fixture *f, const char *name, fsr_dtype dtype, int ndim, const int64_t *shape, const void *data) {
    f->name[f->inputs] = name;
    f->data[f->inputs++] = data;
    return fsr_input(f->g, name, dtype, ndim, shape);
}

static fsr_node vector(fixture *f, const char *name, fsr_dtype dtype, int64_t n, const void *data) {
    return input(f, name, dtype, 1, &n, data);
}

static fsr_ref_array run(fixture *f, fsr_node x) {
    fsr_ref_array out;
    fsr_fault fault = {FSR_OK, NULL};
    assert_string_equal(fsr_node_error(x), "");
    assert_int_equal(fsr_reference_run(f->g, &(fsr_ref){x.id, x.output}, 1, fetch, f, &out, &fault), FSR_OK);
    assert_null(fault.message);
    return out;
}

static double value(const fsr_ref_array *a, int64_t i) {
    return fsr_value_to_double(a->dtype, a->value[i]);
}

/* The node's elements are exactly these, with no tolerance. */
static void expect(fixture *f, fsr_node x, fsr_dtype dtype, int n, const double *want) {
    fsr_ref_array got = run(f, x);
    assert_int_equal(got.dtype, dtype);
    assert_int_equal(fsr_shape_size(&got.shape), n);
    for (int i = 0; i < n; i++) {
        double found = value(&got, i);
        if (!(found == want[i] || (isnan(found) && isnan(want[i]))) || got.bound[i] != 0)
            fail_msg("element %d: %.17g +- %g, want %.17g", i, found, got.bound[i], want[i]);
    }
    fsr_ref_array_free(&got);
}
#define EXPECT(f, x, dtype, ...) \
    expect(f, x, dtype, (int)(sizeof((double[]){__VA_ARGS__}) / sizeof(double)), (double[]){__VA_ARGS__})

/* The node's elements are these within the reference's bounds, which are at most `most`. */
static void expect_near(fixture *f, fsr_node x, int n, const double *want, double most) {
    fsr_ref_array got = run(f, x);
    assert_int_equal(fsr_shape_size(&got.shape), n);
    for (int i = 0; i < n; i++)
        if (!(fabs(value(&got, i) - want[i]) <= got.bound[i] && got.bound[i] <= most))
            fail_msg("element %d: %.17g +- %g, want %.17g +- %g", i, value(&got, i), got.bound[i], want[i], most);
    fsr_ref_array_free(&got);
}

static double *uniform(int64_t n, double low, double high) {
    double *x = malloc((size_t)n * sizeof *x);
    uint64_t s = 1;
    for (int64_t i = 0; i < n; i++) {
        s = s * 6364136223846793005u + 1442695040888963407u;
        x[i] = low + (high - low) * ((double)(s >> 11) * 0x1p-53);
    }
    return x;
}

static float *to_floats(const double *x, int64_t n) {
    float *y = malloc((size_t)n * sizeof *y);
    for (int64_t i = 0; i < n; i++)
        y[i] = (float)x[i];
    return y;
}

/* ---- elementwise ---------------------------------------------------------------------------------- */

static void test_exact_maps(void **state) {
    fixture *f = *state;
    const float a[] = {0.1f, -2.5f, INFINITY, NAN}, b[] = {0.2f, 4, -INFINITY, 1};
    fsr_node x = vector(f, "x", FSR_F32, 4, a), y = vector(f, "y", FSR_F32, 4, b);
    EXPECT(f, fsr_add(x, y), FSR_F32, (double)(0.1f + 0.2f), 1.5, NAN, NAN);
    EXPECT(f, fsr_mul(fsr_sub(x, y), y), FSR_F32, (double)((0.1f - 0.2f) * 0.2f), -26, -INFINITY, NAN);
    EXPECT(f, fsr_less(x, y), FSR_BOOL, 1, 1, 0, 0);
    EXPECT(f, fsr_where(fsr_isnan(x), fsr_float(f->g, 7), fsr_floor(x)), FSR_F32, 0, -3, INFINITY, 7);
    EXPECT(f, fsr_cast(x, FSR_I32), FSR_I32, 0, -2, INT32_MAX, 0);
    EXPECT(f, fsr_maximum(x, fsr_param(f->g, "p", FSR_F32, 0)), FSR_F32, (double)0.1f, 0, INFINITY, NAN);
}

static void test_integer_maps(void **state) {
    fixture *f = *state;
    const int32_t a[] = {INT32_MAX, -7, 3};
    const int64_t b[] = {INT64_MAX, INT64_MIN, 9007199254740993};
    const uint8_t flags[] = {0, 200, 1};
    fsr_node x = vector(f, "x", FSR_I32, 3, a), y = vector(f, "y", FSR_I64, 3, b),
             z = vector(f, "z", FSR_BOOL, 3, flags);
    EXPECT(f, fsr_add(x, fsr_int(f->g, 1)), FSR_I32, INT32_MIN, -6, 4);
    EXPECT(f, fsr_where(z, x, fsr_neg(x)), FSR_I32, -INT32_MAX, -7, 3);
    EXPECT(f, fsr_cast(z, FSR_U8), FSR_U8, 0, 1, 1);
    EXPECT(f, fsr_div(x, fsr_int(f->g, 2)), FSR_F64, INT32_MAX / 2.0, -3.5, 1.5);
    fsr_ref_array r = run(f, fsr_sub(y, fsr_int(f->g, 1)));
    assert_true(r.value[0].i64 == INT64_MAX - 1 && r.value[1].i64 == INT64_MAX && r.value[2].i64 == 9007199254740992);
    fsr_ref_array_free(&r);
}

/* A float loop passes; results off by ten bounds do not; the bound is of a few units. */
static void test_exp_chain(void **state) {
    fixture *f = *state;
    enum { N = 100 };
    double *wide = uniform(N, -3, 3);
    float *a = to_floats(wide, N), got[N];
    fsr_node x = vector(f, "x", FSR_F32, N, a);
    fsr_ref_array want = run(f, fsr_exp(fsr_sin(fsr_exp(fsr_mul(x, fsr_float(f->g, 0.3))))));
    for (int i = 0; i < N; i++) {
        got[i] = expf(sinf(expf(a[i] * 0.3f)));
        assert_true(want.bound[i] > 0 && want.bound[i] < 1e-5 * got[i]);
    }
    fsr_verify_report report = {0};
    assert_true(fsr_ref_compare(&want, got, &report));
    assert_true(report.checked == N && report.worst > 0 && report.worst <= 1);
    got[17] += (float)(10 * want.bound[17]);
    assert_false(fsr_ref_compare(&want, got, &report));
    assert_true(report.checked == 2 * N && report.worst_index == 17 && report.worst > 5 && report.worst < 15);
    fsr_ref_array_free(&want);
    free(wide), free(a);
}

static void test_f64_chain(void **state) {
    fixture *f = *state;
    const double a[] = {0.5, 1.25, 30};
    double got[3];
    fsr_node x = vector(f, "x", FSR_F64, 3, a);
    fsr_ref_array want = run(f, fsr_log(fsr_add(fsr_exp(x), fsr_float(f->g, 1))));
    for (int i = 0; i < 3; i++) {
        got[i] = log(exp(a[i]) + 1);
        assert_true(want.bound[i] > 0 && want.bound[i] < 1e-14 * got[i]);
    }
    fsr_verify_report report = {0};
    assert_true(fsr_ref_compare(&want, got, &report));
    fsr_ref_array_free(&want);
}

/* The bound of a product of 27 counts of 0 to 5, 5^27, has more digits than a double. */
static void test_bound_rounded_down(void **state) {
    (void)state;
    fsr_value value = {.i64 = 0};
    double bound = 0x1.9d971e4fe8401p62;
    const int64_t most = 7450580596923828125, more = most + most / 1000;
    const fsr_ref_array want = {
        .dtype = FSR_I64, .shape = {.ndim = 1, .dim = {1}}, .value = &value, .center = &value, .bound = &bound};
    fsr_verify_report report = {0};
    assert_true((long double)bound < (long double)most);
    assert_true(fsr_ref_compare(&want, &most, &report));
    assert_false(fsr_ref_compare(&want, &more, &report));
}

/* What cannot be known accepts everything, what can must be right. */
static void test_unknown(void **state) {
    fixture *f = *state;
    const float a[] = {1, 2};
    fsr_node x = vector(f, "x", FSR_F32, 2, a);
    fsr_node near = fsr_sub(fsr_exp(fsr_log(x)), x);
    fsr_ref_array want = run(f, fsr_div(x, near));
    assert_true(isinf(want.bound[0]) && isinf(want.bound[1]));
    const float anything[] = {NAN, -5}, little[] = {want.value[0].f32, want.value[1].f32 * 1.0001f};
    fsr_verify_report report = {0};
    assert_true(fsr_ref_compare(&want, anything, &report));
    assert_true(report.unknown == 2 && report.apart == 2);
    assert_true(fsr_ref_compare(&want, little, &report));
    assert_true(report.unknown == 4 && report.apart == 2);
    fsr_ref_array_free(&want);
    want = run(f, fsr_less(fsr_exp(fsr_log(x)), x));
    assert_true(want.bound[0] == 1 && want.bound[1] == 1);
    fsr_ref_array_free(&want);
    EXPECT(f, fsr_less(fsr_exp(x), fsr_float(f->g, 5)), FSR_BOOL, 1, 0);
}

static void test_compare(void **state) {
    (void)state;
    fsr_value values[4] = {{.f32 = NAN}, {.f32 = INFINITY}, {.f32 = 0}, {.f32 = 1}};
    double bounds[4] = {0, 0, 0, 0.5};
    fsr_ref_array want = {FSR_F32, {1, {4}}, values, values, bounds};
    float got[4] = {NAN, INFINITY, -0.0f, 1.5f};
    fsr_verify_report report = {0};
    assert_true(fsr_ref_compare(&want, got, &report));
    assert_true(report.worst == 1 && report.worst_index == 3 && report.got == 1.5 && report.expected == 1);
    const float bad[4] = {0, FLT_MAX, 0x1p-149f, NAN};
    for (int i = 0; i < 4; i++) {
        float wrong[4] = {NAN, INFINITY, 0, 1};
        wrong[i] = bad[i];
        report = (fsr_verify_report){0};
        assert_false(fsr_ref_compare(&want, wrong, &report));
        assert_true(isinf(report.worst) && report.worst_index == i);
    }
}

/* ---- views ------------------------------------------------------------------------------------------ */

static void test_views(void **state) {
    fixture *f = *state;
    const double a[] = {0, 1, 2, 3, 4, 5};
    fsr_node x = input(f, "x", FSR_F64, 2, (int64_t[]){2, 3}, a);
    fsr_node t = fsr_transpose(x, NULL);
    EXPECT(f, t, FSR_F64, 0, 3, 1, 4, 2, 5);
    EXPECT(f, fsr_reshape(t, 2, (int64_t[]){2, 3}), FSR_F64, 0, 3, 1, 4, 2, 5);
    EXPECT(f, fsr_reshape(x, 1, (int64_t[]){-1}), FSR_F64, 0, 1, 2, 3, 4, 5);
    EXPECT(f, fsr_flip(x, 1), FSR_F64, 2, 1, 0, 5, 4, 3);
    EXPECT(f, fsr_reshape(fsr_flip(x, 0), 1, (int64_t[]){6}), FSR_F64, 3, 4, 5, 0, 1, 2);
    EXPECT(f, fsr_slice(x, 1, FSR_SLICE_END, FSR_SLICE_END, -2), FSR_F64, 2, 0, 5, 3);
    EXPECT(f, fsr_slice(t, 0, 1, 3, 1), FSR_F64, 1, 4, 2, 5);
    fsr_node row = fsr_slice(x, 0, 1, 2, 1);
    EXPECT(f, fsr_broadcast_to(row, 2, (int64_t[]){2, 3}), FSR_F64, 3, 4, 5, 3, 4, 5);
    EXPECT(f, fsr_reshape(fsr_broadcast_to(row, 2, (int64_t[]){2, 3}), 1, (int64_t[]){6}), FSR_F64, 3, 4, 5, 3, 4, 5);
    EXPECT(f, fsr_add(x, fsr_expand(fsr_arange(f->g, FSR_F64, 2), 1)), FSR_F64, 0, 1, 2, 4, 5, 6);
    EXPECT(f, fsr_add(fsr_arange(f->g, FSR_I64, 3), fsr_full(f->g, FSR_I64, 0, NULL, 10)), FSR_I64, 10, 11, 12);
    EXPECT(f, fsr_slice(fsr_arange(f->g, FSR_I32, 10), 0, 2, 9, 3), FSR_I32, 2, 5, 8);
    expect(f, fsr_slice(x, 1, 2, 2, 1), FSR_F64, 0, NULL);
}

/* ---- reductions ------------------------------------------------------------------------------------- */

static void test_reductions(void **state) {
    fixture *f = *state;
    const float a[] = {1, 2, 3, 4, 5, 6};
    const int32_t b[] = {INT32_MAX, 1, 2, -3, 4, 4};
    fsr_node x = input(f, "x", FSR_F32, 2, (int64_t[]){2, 3}, a), y = input(f, "y", FSR_I32, 2, (int64_t[]){2, 3}, b);
    const int one = 1, zero = 0;
    EXPECT(f, fsr_sum(x, NULL, 0, 0), FSR_F32, 21);
    EXPECT(f, fsr_sum(x, &one, 1, FSR_KEEPDIMS), FSR_F32, 6, 15);
    EXPECT(f, fsr_sum(x, &zero, 1, 0), FSR_F32, 5, 7, 9);
    EXPECT(f, fsr_prod(x, &one, 1, 0), FSR_F32, 6, 120);
    EXPECT(f, fsr_max(fsr_transpose(x, NULL), &one, 1, 0), FSR_F32, 4, 5, 6);
    EXPECT(f, fsr_min(x, &zero, 1, 0), FSR_F32, 1, 2, 3);
    EXPECT(f, fsr_mean(x, &one, 1, 0), FSR_F32, 2, 5);
    EXPECT(f, fsr_sum(y, &one, 1, 0), FSR_I64, INT32_MAX + 3.0, 5);
    EXPECT(f, fsr_argmax(y, &one, 1, 0), FSR_I64, 0, 1);
    EXPECT(f, fsr_argmax(x, NULL, 0, 0), FSR_I64, 5);
    EXPECT(f, fsr_any(fsr_greater(x, fsr_int(f->g, 5)), &one, 1, 0), FSR_BOOL, 0, 1);
    EXPECT(f, fsr_all(fsr_greater(x, fsr_int(f->g, 3)), &one, 1, 0), FSR_BOOL, 0, 1);
    expect_near(f, fsr_var(x, &one, 1, 0, 0), 2, (double[]){2.0f / 3, 2.0f / 3}, 1e-5);
    fsr_node none = fsr_slice(x, 1, 0, 0, 1);
    EXPECT(f, fsr_sum(none, &one, 1, 0), FSR_F32, 0, 0);
    EXPECT(f, fsr_prod(none, NULL, 0, 0), FSR_F32, 1);
    EXPECT(f, fsr_mean(none, NULL, 0, 0), FSR_F32, NAN);
}

static void test_special_reductions(void **state) {
    fixture *f = *state;
    const float a[] = {1, NAN, 3, INFINITY, 2, 0, FLT_MAX, FLT_MAX, FLT_MAX, FLT_MAX, -FLT_MAX, 1};
    fsr_node x = input(f, "x", FSR_F32, 2, (int64_t[]){4, 3}, a);
    const int one = 1;
    EXPECT(f, fsr_slice(fsr_sum(x, &one, 1, 0), 0, 0, 3, 1), FSR_F32, NAN, INFINITY, INFINITY);
    EXPECT(f, fsr_max(x, &one, 1, 0), FSR_F32, NAN, INFINITY, (double)FLT_MAX, (double)FLT_MAX);
    EXPECT(f, fsr_argmax(x, &one, 1, 0), FSR_I64, 1, 0, 0, 0);
    fsr_ref_array sum = run(f, fsr_sum(x, &one, 1, 0));
    assert_true(isinf(sum.bound[3])); /* MAX - MAX + 1, or inf, or NaN: the order decides */
    fsr_ref_array_free(&sum);
    fsr_ref_array prod = run(f, fsr_prod(x, &one, 1, 0));
    assert_true(isnan(prod.value[0].f32) && prod.bound[0] == 0);
    assert_true(isnan(prod.value[1].f32) && prod.bound[1] == 0);
    assert_true(prod.value[2].f32 == INFINITY && prod.bound[2] == 0);
    fsr_ref_array_free(&prod);
}

/* 1 / what a fold left: known where the zero's sign is. */
static void test_signs_of_zeros(void **state) {
    fixture *f = *state;
    const float a[] = {-0.0f, -0.0f, 0, -0.0f, -2, 0, -2, -0.0f, 1, -1};
    fsr_node x = input(f, "x", FSR_F32, 2, (int64_t[]){5, 2}, a), one = fsr_full(f->g, FSR_F32, 0, NULL, 1);
    const int axis = 1;
    fsr_ref_array sum = run(f, fsr_div(one, fsr_sum(x, &axis, 1, 0)));
    assert_true(isinf(sum.bound[0]));
    assert_true(sum.value[1].f32 == INFINITY && sum.bound[1] == 0 && sum.value[4].f32 == INFINITY && sum.bound[4] == 0);
    fsr_ref_array prod = run(f, fsr_div(one, fsr_prod(x, &axis, 1, 0)));
    for (int i = 0; i < 4; i++)
        assert_true(prod.bound[i] == 0 && prod.value[i].f32 == (i == 1 || i == 2 ? -INFINITY : INFINITY));
    fsr_ref_array max = run(f, fsr_div(one, fsr_max(x, &axis, 1, 0)));
    assert_true(max.value[0].f32 == -INFINITY && max.bound[0] == 0 && isinf(max.bound[1]) && max.bound[2] == 0);
    fsr_ref_array scan = run(f, fsr_div(one, fsr_cumsum(x, (int[]){1}, 1, 0)));
    assert_true(isinf(scan.bound[0]) && isinf(scan.bound[1]) && scan.bound[2] == 0 && scan.bound[3] == 0);
    fsr_ref_array_free(&sum);
    fsr_ref_array_free(&prod);
    fsr_ref_array_free(&max);
    fsr_ref_array_free(&scan);
}

/* The running least of -0, 0.33, which may be off by its last bit, and infinity: the second step leaves a zero whose
 * sign the ball arithmetic does not know, and the third one took it for +0. */
static void test_zero_of_unknown_sign_goes_on(void **state) {
    fixture *f = *state;
    const float a[] = {-0.0f, 1, 0.3f, 1.1f, INFINITY, 1};
    fsr_node x = input(f, "x", FSR_F32, 2, (int64_t[]){3, 2}, a), one = fsr_full(f->g, FSR_F32, 0, NULL, 1);
    fsr_ref_array least = run(f, fsr_div(one, fsr_cummin(fsr_prod(x, (int[]){1}, 1, 0), (int[]){0}, 1, 0)));
    assert_true(least.value[0].f32 == -INFINITY && least.bound[0] == 0);
    for (int i = 1; i < 3; i++)
        assert_true(isinf(least.bound[i]) || least.value[i].f32 == -INFINITY);
    fsr_ref_array_free(&least);
}

/* Float sums in several orders pass; a dropped element does not. */
static void test_sum_orders(void **state) {
    fixture *f = *state;
    enum { N = 100000, LANES = 64 };
    double *wide = uniform(N, -1, 1);
    float *a = to_floats(wide, N), lane[LANES] = {0}, got = 0, lost;
    for (int i = 0; i < N; i++)
        lane[i % LANES] += a[i];
    for (int i = 0; i < LANES; i++)
        got += lane[i];
    fsr_ref_array want = run(f, fsr_sum(vector(f, "x", FSR_F32, N, a), NULL, 0, 0));
    fsr_verify_report report = {0};
    assert_true(fsr_ref_compare(&want, &got, &report));
    assert_true(want.bound[0] < 540 * 0x1p-24 * N);
    lost = got + 10 * (float)want.bound[0];
    assert_false(fsr_ref_compare(&want, &lost, &report));
    fsr_ref_array_free(&want);
    free(wide), free(a);
}

/* Chan's update in f32, serially and by lanes, inside a bound of 1e-3. */
static void chan(float *s, const float *t) {
    float n = s[0] + t[0], delta = t[1] - s[1], share = n > 0 ? t[0] / n : 0;
    s[2] = s[2] + t[2] + delta * (delta * (s[0] * share));
    s[1] = s[1] + delta * share;
    s[0] = n;
}

static void check_var(fixture *f, const char *name, double low, double high, double most) {
    enum { N = 100000, LANES = 32 };
    double *wide = uniform(N, low, high);
    float *a = to_floats(wide, N), lane[LANES][3] = {{0}}, total[3] = {0};
    for (int i = 0; i < N; i++)
        chan(lane[i % LANES], (float[3]){1, a[i], 0});
    for (int i = 0; i < LANES; i++)
        chan(total, lane[i]);
    float got = total[2] / N;
    fsr_ref_array want = run(f, fsr_var(vector(f, name, FSR_F32, N, a), NULL, 0, 0, 0));
    if (!(want.bound[0] > 0 && want.bound[0] < most * value(&want, 0)))
        fail_msg("var of [%g, %g]: %g +- %g", low, high, value(&want, 0), want.bound[0]);
    fsr_verify_report report = {0};
    if (!fsr_ref_compare(&want, &got, &report))
        fail_msg("var of [%g, %g]: %.9g, want %.9g +- %g", low, high, (double)got, value(&want, 0), want.bound[0]);
    fsr_ref_array_free(&want);
    free(wide), free(a);
}

static void test_var(void **state) {
    fixture *f = *state;
    check_var(f, "x", -1, 1, 1e-3);
    check_var(f, "y", 0, 1, 1e-3);
    check_var(f, "z", 99, 101, 0.05);
}

/* By Chan's update, one element after the other. */
static double var_in_order(const double *a, int n) {
    double s[3] = {0};
    for (int i = 0; i < n; i++) {
        const double delta = a[i] - s[1], share = 1 / (s[0] + 1);
        s[2] += delta * (delta * (s[0] * share));
        s[1] += delta * share;
        s[0] += 1;
    }
    return s[2] / n;
}

/* Of pairs the means are exact, so that a tree of pairs rounds nothing where from left to right a mean's rounding moves
 * the variance. */
static void test_var_of_pairs(void **state) {
    fixture *f = *state;
    static const double mean[] = {254, 1e6, -3e7};
    static const char *const name[] = {"4", "16", "64", "256", "1024"};
    double a[1024];
    for (int k = 0, n = 4; k < 5; k++, n *= 4) {
        fsr_node x = input(f, name[k], FSR_F64, 2, (int64_t[]){n, 1}, a);
        for (int m = 0; m < 3; m++) {
            for (int i = 0; i < n; i++)
                a[i] = mean[m] + i % 2;
            const double got = var_in_order(a, n);
            fsr_ref_array want = run(f, fsr_var(x, (int[]){0}, 1, 0, 0));
            fsr_verify_report report = {0};
            if (!fsr_ref_compare(&want, &got, &report) || want.bound[0] > 1e-5)
                fail_msg("%d at %g: %.17g, want %.17g +- %g", n, mean[m], got, value(&want, 0), want.bound[0]);
            fsr_ref_array_free(&want);
        }
    }
}

/* A tie within the radii: either index. */
static void test_argmax_tie(void **state) {
    fixture *f = *state;
    const float a[] = {1, 5, 5, 2}, b[] = {1, 5, 5.001f, 2};
    fsr_node x = vector(f, "x", FSR_F32, 4, a), y = vector(f, "y", FSR_F32, 4, b);
    fsr_node shift = fsr_arange(f->g, FSR_F32, 4);
    fsr_node noisy = fsr_sub(fsr_exp(fsr_log(fsr_add(x, shift))), shift);
    fsr_ref_array want = run(f, fsr_argmax(noisy, NULL, 0, 0));
    assert_true(want.bound[0] >= 1 && want.bound[0] <= 2);
    int64_t got = 1;
    fsr_verify_report report = {0};
    assert_true(fsr_ref_compare(&want, &got, &report));
    got = 2;
    assert_true(fsr_ref_compare(&want, &got, &report));
    fsr_ref_array_free(&want);
    EXPECT(f, fsr_argmax(fsr_exp(y), NULL, 0, 0), FSR_I64, 2);
    EXPECT(f, fsr_argmax(x, NULL, 0, 0), FSR_I64, 1);
}

/* ---- scans ------------------------------------------------------------------------------------------ */

static void test_scans(void **state) {
    fixture *f = *state;
    const float a[] = {1, 2, 3, 4, 3, 6};
    fsr_node x = input(f, "x", FSR_F32, 2, (int64_t[]){2, 3}, a);
    EXPECT(f, fsr_cumsum(x, (int[]){1}, 1, 0), FSR_F32, 1, 3, 6, 4, 7, 13);
    EXPECT(f, fsr_cumsum(x, (int[]){0}, 1, 0), FSR_F32, 1, 2, 3, 5, 5, 9);
    EXPECT(f, fsr_cumsum(x, (int[]){1}, 1, FSR_EXCLUSIVE), FSR_F32, 0, 1, 3, 0, 4, 7);
    EXPECT(f, fsr_cummax(x, (int[]){1}, 1, 0), FSR_F32, 1, 2, 3, 4, 4, 6);
    EXPECT(f, fsr_cummax(fsr_flip(x, 1), (int[]){1}, 1, FSR_EXCLUSIVE), FSR_F32, -INFINITY, 3, 3, -INFINITY, 6, 6);
    EXPECT(f, fsr_cumsum(fsr_cast(fsr_greater(x, fsr_int(f->g, 2)), FSR_I32), (int[]){1}, 1, 0), FSR_I64, 0, 0, 1, 1, 2,
           3);
}

/* (1, 0) is not neutral for (inf, d): a backend that starts from it has 0 * inf + d. */
static void test_odd_identity(void **state) {
    fixture *f = *state;
    const float a[] = {INFINITY, 0.5f, 1}, b[] = {1, 1, 2};
    fsr_node in[2] = {vector(f, "a", FSR_F32, 3, a), vector(f, "b", FSR_F32, 3, b)}, out[2];
    fsr_scan_with(out, in, &linear_recurrence, (int[]){0}, 1, 0);
    fsr_ref_array scan = run(f, out[1]);
    assert_true(isinf(scan.bound[0]) && isinf(scan.bound[2]));
    fsr_ref_array_free(&scan);
    fsr_reduce_with(out, in, &linear_recurrence, &(int){0}, 1, 0);
    fsr_ref_array whole = run(f, out[1]), product = run(f, out[0]);
    assert_true(isinf(whole.bound[0]));
    fsr_ref_array_free(&whole);
    fsr_ref_array_free(&product);
}

/* A coefficient of which nothing is known may be NaN, and the identity's 0 times that: no later component is known. */
static void test_unknown_coefficient(void **state) {
    fixture *f = *state;
    const float zero[] = {0, 0, 0}, one[] = {1, 1, 1}, b[] = {-2, 1, 2};
    fsr_node z = vector(f, "z", FSR_F32, 3, zero),
             nothing = fsr_sin(fsr_div(vector(f, "o", FSR_F32, 3, one), fsr_sin(z)));
    fsr_node in[2] = {nothing, vector(f, "b", FSR_F32, 3, b)}, out[2];
    fsr_ref_array coefficient = run(f, nothing);
    assert_true(isinf(coefficient.bound[0]));
    fsr_ref_array_free(&coefficient);
    fsr_scan_with(out, in, &linear_recurrence, (int[]){0}, 1, 0);
    fsr_ref_array scan = run(f, out[1]);
    assert_true(isinf(scan.bound[0]) && isinf(scan.bound[2]));
    fsr_ref_array_free(&scan);
}

/* Finite from left to right; a tree multiplies the large coefficients first, and a decaying one loses nothing. */
static void test_overflow_of_another_order(void **state) {
    fixture *f = *state;
    const double a[] = {1e-300, 1e200, 1e200, 1}, decay[] = {1e-300, 1e-200, 1e-200, 1}, b[] = {1e-300, 0, 0, 1};
    for (int grows = 0; grows < 2; grows++) {
        fsr_node in[2] = {vector(f, "a", FSR_F64, 4, grows ? a : decay), vector(f, "b", FSR_F64, 4, b)}, out[2];
        fsr_scan_with(out, in, &linear_recurrence, (int[]){0}, 1, 0);
        fsr_ref_array scan = run(f, out[1]);
        assert_int_equal(isinf(scan.bound[3]) != 0, grows);
        fsr_ref_array_free(&scan);
    }
}

/* Factors that may be 0 or 1: a step that moves one of them alone changes nothing, both do. */
static void test_product_of_unknowns(void **state) {
    fixture *f = *state;
    const float x[] = {1, 2, 3, 4, 5};
    fsr_node e = fsr_exp(vector(f, "x", FSR_F32, 5, x)), flag = fsr_cast(fsr_less(e, e), FSR_F32), out[2];
    fsr_scan_with(out, (fsr_node[]){flag, flag}, &linear_recurrence, (int[]){0}, 1, 0);
    fsr_ref_array product = run(f, out[0]);
    for (int i = 0; i < 5; i++)
        assert_true(fabs(1 - value(&product, i)) <= product.bound[i]);
    fsr_ref_array_free(&product);
    fsr_reduce_with(out, (fsr_node[]){flag, flag}, &linear_recurrence, NULL, 0, 0);
    product = run(f, out[0]);
    assert_true(fabs(1 - value(&product, 0)) <= product.bound[0]);
    fsr_ref_array_free(&product);
}

static void test_recurrence(void **state) {
    fixture *f = *state;
    enum { N = 20000 };
    double *wa = uniform(N, 0.2, 0.95), *wb = uniform(N, -1, 1);
    float *a = to_floats(wa, N), *b = to_floats(wb, N), *got = malloc(N * sizeof *got), y = 0;
    for (int i = 0; i < N; i++)
        got[i] = y = y * a[i] + b[i];
    fsr_node in[2] = {vector(f, "a", FSR_F32, N, a), vector(f, "b", FSR_F32, N, b)}, out[2], folded[2];
    fsr_scan_with(out, in, &linear_recurrence, (int[]){0}, 1, 0);
    fsr_ref_array want = run(f, out[1]);
    for (int i = 0; i < N; i++)
        assert_true(want.bound[i] < 1e-4);
    fsr_verify_report report = {0};
    assert_true(fsr_ref_compare(&want, got, &report));
    fsr_ref_array_free(&want);
    fsr_reduce_with(folded, in, &linear_recurrence, NULL, 0, 0);
    want = run(f, folded[1]);
    assert_true(fabs(value(&want, 0) - (double)got[N - 1]) <= want.bound[0] && want.bound[0] < 1e-3);
    fsr_ref_array_free(&want);
    free(wa), free(wb), free(a), free(b), free(got);
}

/* Sum that skips NaN, beside a plain sum. */
static void skipping(fsr_node *out, const fsr_node *l, const fsr_node *r, void *user) {
    (void)user;
    out[0] = fsr_where(fsr_isnan(r[0]), l[0], fsr_where(fsr_isnan(l[0]), r[0], fsr_add(l[0], r[0])));
    out[1] = fsr_add(r[1], l[1]);
}

/* Neighbours cancel in our tree, not in a backend's two lanes. */
static void test_cancellation(void **state) {
    fixture *f = *state;
    enum { N = 16 };
    float a[N], lane[2] = {0};
    for (int i = 0; i < N; i++) {
        a[i] = (1000.1f + 0.7f * (float)i) * (i % 2 ? -1.0f : 1.0f);
        lane[i % 2] += a[i];
    }
    const float got = lane[0] + lane[1];
    const fsr_operator op = {skipping, NULL, 2, {0, 0}, true, {NULL}};
    fsr_node x = vector(f, "x", FSR_F32, N, a), in[2] = {x, x}, out[2];
    fsr_reduce_with(out, in, &op, NULL, 0, 0);
    for (int i = 0; i < 2; i++) {
        fsr_ref_array want = run(f, out[i]);
        fsr_verify_report report = {0};
        assert_true(fsr_ref_compare(&want, &got, &report));
        assert_true(report.worst_error > 1e-5 && want.bound[0] < 0.02);
        fsr_ref_array_free(&want);
    }
    a[3] = NAN;
    fsr_ref_array want = run(f, out[0]);
    assert_true(want.bound[0] < 0.02 && fabs(value(&want, 0) - 996.6) < 1);
    fsr_ref_array_free(&want);
    EXPECT(f, out[1], FSR_F32, NAN);
}

/* ---- the run itself ----------------------------------------------------------------------------------- */

static void test_long_chain(void **state) {
    fixture *f = *state;
    const double a[] = {0.5, -1};
    fsr_node x = vector(f, "x", FSR_F64, 2, a), y = x;
    for (int i = 0; i < 1000000; i++)
        y = i % 2 ? fsr_sub(y, x) : fsr_add(y, x);
    EXPECT(f, y, FSR_F64, 0.5, -1);
    EXPECT(f, fsr_add(y, y), FSR_F64, 1, -2);
}

static void keep(fsr_buffer *buffer) {
    (void)buffer;
}

/* Nothing behind a computed node is evaluated; a result asked for twice is there twice. */
static void test_leaves(void **state) {
    fixture *f = *state;
    const float a[] = {1, 2}, stored[] = {10, 20};
    fsr_buffer buffer = {.refs = 2, .bytes = sizeof stored, .data = (void *)stored, .release = keep};
    fsr_node x = vector(f, "x", FSR_F32, 2, a), y = fsr_neg(x);
    fsr_node_rec(y)->buffer[0] = &buffer;
    EXPECT(f, fsr_add(y, y), FSR_F32, 20, 40);
    assert_int_equal(f->fetched, 1);
    fsr_ref_array out[3];
    fsr_fault fault = {FSR_OK, NULL};
    fsr_ref outs[3] = {{y.id, 0}, {x.id, 0}, {y.id, 0}};
    assert_int_equal(fsr_reference_run(f->g, outs, 3, fetch, f, out, &fault), FSR_OK);
    assert_true(out[0].value[1].f32 == 20 && out[1].value[1].f32 == 2 && out[2].value[1].f32 == 20);
    for (int i = 0; i < 3; i++)
        fsr_ref_array_free(&out[i]);
    fsr_node_rec(y)->buffer[0] = NULL;
}

static void test_errors(void **state) {
    fixture *f = *state;
    const float a[] = {1, 2};
    fsr_node x = vector(f, "x", FSR_F32, 2, a), bad = fsr_sum(x, &(int){3}, 1, 0);
    fsr_ref_array out;
    fsr_fault fault = {FSR_OK, NULL};
    assert_int_equal(fsr_reference_run(f->g, &(fsr_ref){bad.id, 0}, 1, fetch, f, &out, &fault), FSR_ERR_AXIS);
    assert_string_equal(fault.message, fsr_node_error(bad));
    assert_null(out.value);
    fsr_fault_clear(&fault);
    f->fail = FSR_ERR_UNBOUND;
    x = fsr_exp(x);
    assert_int_equal(fsr_reference_run(f->g, &(fsr_ref){x.id, 0}, 1, fetch, f, &out, &fault), FSR_ERR_UNBOUND);
    assert_null(out.value);
    fsr_fault_clear(&fault);
}

/* a * b + c in one rounding is inside the contracted bound, outside the strict one. */
static void test_contraction(void **state) {
    fixture *f = *state;
    const float a = 1.1f, b = 1.3f, c = -1.43f;
    fsr_node x = vector(f, "x", FSR_F32, 1, &a), y = vector(f, "y", FSR_F32, 1, &b), z = vector(f, "z", FSR_F32, 1, &c);
    fsr_node r = fsr_add(fsr_mul(x, y), z);
    float fused = fmaf(a, b, c);
    fsr_verify_report report = {0};
    fsr_fault fault = {FSR_OK, NULL};
    fsr_ref_array want = run(f, r);
    assert_false(fsr_ref_compare(&want, &fused, &report));
    fsr_ref_array_free(&want);
    assert_int_equal(fsr_reference_run_contracted(f->g, &(fsr_ref){r.id, 0}, 1, fetch, f, &want, &fault), FSR_OK);
    report = (fsr_verify_report){0};
    assert_true(fsr_ref_compare(&want, &fused, &report));
    assert_true(want.bound[0] < 1e-6);
    fsr_ref_array_free(&want);
}

static void grow(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)user;
    out[0] = fsr_add(fsr_mul(state[0], state[0]), arg[0]);
}
static void is_below_two(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_less(state[0], fsr_float(state[0].graph, 2));
}
static void exp_is_below(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_less(fsr_exp(state[0]), fsr_float(state[0].graph, 1));
}
static void log_of(fsr_node *out, const fsr_node *state, const fsr_node *arg, void *user) {
    (void)arg, (void)user;
    out[0] = fsr_log(fsr_exp(state[0]));
}

/* Exact operations leave nothing open; a rounded state has a bound; a condition that is not decided takes all from its
 * element, and from no other. */
static void test_loops(void **state) {
    fixture *f = *state;
    const float data[] = {0, 0.5f, 1, -3, 3}, near[] = {-1, 0, 0x1p-100f, 1};
    fsr_node x = vector(f, "x", FSR_F32, 5, data), y = vector(f, "y", FSR_F32, 4, near), out[2];
    fsr_loop loop = {.body = grow, .condition = is_below_two, .nstate = 1, .narg = 1};
    fsr_node c = fsr_full(f->g, FSR_F32, 0, NULL, 1);
    fsr_iterate(out, &loop, &x, &c, 2);
    EXPECT(f, out[0], FSR_F32, 2, 2.5625, 2, 10, 3);
    EXPECT(f, out[1], FSR_I32, 2, 2, 1, 1, 0);
    fsr_iterate(out, &loop, &x, &c, 0);
    EXPECT(f, out[0], FSR_F32, 0, 0.5, 1, -3, 3);
    EXPECT(f, out[1], FSR_I32, 0, 0, 0, 0, 0);
    loop = (fsr_loop){.body = log_of, .nstate = 1};
    fsr_iterate(out, &loop, &x, NULL, 3);
    expect_near(f, out[0], 5, (const double[]){0, 0.5, 1, -3, 3}, 1e-5);
    EXPECT(f, out[1], FSR_I32, 3, 3, 3, 3, 3);
    loop = (fsr_loop){.body = log_of, .condition = exp_is_below, .nstate = 1};
    fsr_iterate(out, &loop, &y, NULL, 3);
    fsr_ref_array end = run(f, out[0]), count = run(f, out[1]);
    assert_true(value(&count, 0) == 3 && count.bound[0] == 0 && end.bound[0] < 1e-5);
    assert_true(isinf(end.bound[1]) && isinf(count.bound[1]) && isinf(end.bound[2]) && isinf(count.bound[2]));
    assert_true(value(&count, 3) == 0 && count.bound[3] == 0 && value(&end, 3) == 1 && end.bound[3] == 0);
    fsr_ref_array_free(&end);
    fsr_ref_array_free(&count);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_exact_maps),
        TEST(test_integer_maps),
        TEST(test_exp_chain),
        TEST(test_f64_chain),
        TEST(test_bound_rounded_down),
        TEST(test_unknown),
        TEST(test_compare),
        TEST(test_views),
        TEST(test_reductions),
        TEST(test_special_reductions),
        TEST(test_signs_of_zeros),
        TEST(test_zero_of_unknown_sign_goes_on),
        TEST(test_sum_orders),
        TEST(test_var),
        TEST(test_var_of_pairs),
        TEST(test_argmax_tie),
        TEST(test_scans),
        TEST(test_overflow_of_another_order),
        TEST(test_product_of_unknowns),
        TEST(test_recurrence),
        TEST(test_odd_identity),
        TEST(test_unknown_coefficient),
        TEST(test_long_chain),
        TEST(test_loops),
        TEST(test_leaves),
        TEST(test_errors),
        TEST(test_contraction),
        TEST(test_cancellation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
