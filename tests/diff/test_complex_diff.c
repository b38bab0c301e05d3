/* SPDX-License-Identifier: MIT */
/* Complex numbers against the reference: functions where they do not cancel, folds, scans, views, operators over
 * tuples, and several of these in one kernel. Every scalar op and cast at edge values is in test_ops_diff and
 * test_casts_diff. */
#include "tests/support/recurrence.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fsr_dtype dtypes[] = {FSR_C64, FSR_C128};
static const int64_t sizes[][2] = {{1, 1}, {3, 31}, {33, 32}, {2, 1025}, {1, 20011}, {4097, 3}, {0, 5}, {5, 0}};

static fsr_node data(fsr_dtype dtype, const int64_t *size, int stream) {
    return subject_data(dtype, 2, size, SUBJECT_SMALL, stream);
}

/* The fast tier has every size, and every third choice of a dtype and an axis. */
static subject_tier tier_of(int d, int s, int axis) {
    return (d + s + axis) % 3 ? SUBJECT_CAPPED : SUBJECT_FAST;
}

static void reductions(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); ++d)
        for (int s = 0; s < COUNT_OF(sizes); ++s)
            for (int axis = -1; axis < 2; ++axis) {
                if (!subject_case(d, tier_of(d, s, axis + 1)))
                    continue;
                fsr_node x = data(dtypes[d], sizes[s], 0);
                const int *axes = axis < 0 ? NULL : &axis;
                fsr_node out[] = {fsr_sum(x, axes, 1, 0), fsr_prod(x, axes, 1, 0),         fsr_mean(x, axes, 1, 0),
                                  fsr_any(x, axes, 1, 0), fsr_var(x, axes, 1, 0, 0),       fsr_std(x, axes, 1, 0, 1),
                                  fsr_all(x, axes, 1, 0), fsr_count_nonzero(x, axes, 1, 0)};
                static const char *const name[] = {"sum", "prod", "mean", "any", "var", "std", "all", "count_nonzero"};
                subject_verify(out, 8, name, "%s, [%lld,%lld], axis %d", fsr_dtype_name(dtypes[d]),
                               (long long)sizes[s][0], (long long)sizes[s][1], axis);
            }
}

static void scans(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); ++d)
        for (int s = 0; s < COUNT_OF(sizes); ++s)
            for (int axis = 0; axis < 2; ++axis) {
                if (!subject_case(d, tier_of(d, s, axis)))
                    continue;
                fsr_node x = data(dtypes[d], sizes[s], 0);
                fsr_node out[] = {fsr_cumsum(x, AXES(axis), 1, 0), fsr_cumsum(x, AXES(axis), 1, FSR_EXCLUSIVE),
                                  fsr_cumprod(x, AXES(axis), 1, 0)};
                static const char *const name[] = {"cumsum", "exclusive cumsum", "cumprod"};
                subject_verify(out, 3, name, "%s, [%lld,%lld], axis %d", fsr_dtype_name(dtypes[d]),
                               (long long)sizes[s][0], (long long)sizes[s][1], axis);
            }
}

static void views(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); ++d) {
        fsr_node x = data(dtypes[d], (const int64_t[]){37, 37}, 0), y = data(dtypes[d], (const int64_t[]){37, 37}, 1);
        fsr_node out[] = {
            fsr_mul(x, fsr_transpose(y, NULL)), fsr_add(fsr_flip(x, 1), fsr_slice(y, 0, 36, FSR_SLICE_END, -1)),
            fsr_sub(x, fsr_slice(y, 1, 3, 4, 1)), fsr_reshape(fsr_conj(fsr_transpose(x, NULL)), 1, SHAPE(-1)),
            fsr_mul(fsr_arange(subject_g, dtypes[d], 37), x)};
        subject_verify(out, COUNT_OF(out), NULL, "views of %s", fsr_dtype_name(dtypes[d]));
    }
}

/* The element of the largest modulus. */
static void larger(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    fsr_node first = fsr_greater_equal(left[1], right[1]);
    out[0] = fsr_where(first, left[0], right[0]);
    out[1] = fsr_where(first, left[1], right[1]);
}

static void operators(void **state) {
    (void)state;
    const fsr_operator largest = {larger, NULL, 2, {0, -1}, false, {NULL}};
    for (int d = 0; d < COUNT_OF(dtypes); ++d) {
        fsr_node x = data(dtypes[d], (const int64_t[]){3, 600}, 0), out[4];
        fsr_node in[2] = {fsr_mul(fsr_div(x, fsr_float(subject_g, 4)), fsr_complex(subject_g, 0.25, -0.5)), x};
        fsr_node sized[2] = {x, fsr_abs(x)};
        fsr_scan_with(out, in, &linear_recurrence, AXES(1), 1, 0);
        fsr_reduce_with(out + 2, sized, &largest, AXES(1), 1, 0);
        subject_verify(out, 2, NULL, "recurrence of %s", fsr_dtype_name(dtypes[d]));
        subject_verify(out + 2, 2, NULL, "largest modulus of %s", fsr_dtype_name(dtypes[d]));
    }
}

/* Real and complex operands in one kernel, and a row normalized by what it reduces to. */
static void mixed(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); ++d) {
        fsr_dtype real = fsr_dtype_real(dtypes[d]);
        fsr_node z = data(dtypes[d], (const int64_t[]){17, 300}, 0);
        fsr_node x = subject_data(real, 2, SHAPE(17, 300), SUBJECT_SMALL, 1);
        fsr_node power = fsr_sum(fsr_real(fsr_mul(z, fsr_conj(z))), AXES(1), 1, FSR_KEEPDIMS);
        fsr_node w = fsr_complex_of(x, fsr_mul(x, x));
        fsr_node out[] = {fsr_div(z, fsr_sqrt(power)),
                          fsr_add(fsr_mul(z, x), fsr_complex(subject_g, 0, 1)),
                          fsr_where(fsr_less(x, fsr_float(subject_g, 0)), z, x),
                          fsr_exp(fsr_mul(w, fsr_complex(subject_g, 0, 2))),
                          fsr_cast(fsr_add(z, w), FSR_I32),
                          fsr_mul(fsr_complex_of(fsr_add(fsr_mul(x, x), x), fsr_sub(fsr_mul(x, x), x)), z),
                          fsr_equal(fsr_imag(z), fsr_imag(fsr_conj(z)))};
        subject_verify(out, COUNT_OF(out), NULL, "mixed with %s", fsr_dtype_name(dtypes[d]));
    }
}

/* An element has the same bits whatever stands beside it: an infinity among its neighbours makes a CPU take other
 * functions than vectors compute. The far ones are computed by themselves, or the near ones would take those too. */
static void neighbours(void **state) {
    (void)state;
    enum { N = 3000, EVERY = 700, FUNCTIONS = 16 };
    for (int d = 0; d < COUNT_OF(dtypes); ++d) {
        const int64_t size = N;
        fsr_node z = subject_data(dtypes[d], 1, &size, SUBJECT_SMALL, 0), w = fsr_div(z, fsr_complex(subject_g, 7, 1));
        fsr_node at =
            fsr_equal(fsr_mod(fsr_arange(subject_g, FSR_I32, N), fsr_int(subject_g, EVERY)), fsr_int(subject_g, 3));
        fsr_node none = fsr_complex(subject_g, 0, 0), far = fsr_complex(subject_g, INFINITY, 1), out[2][FUNCTIONS];
        for (int i = 0; i < 2; ++i) {
            fsr_node x = i ? fsr_where(at, far, z) : z;
            fsr_node all[FUNCTIONS] = {fsr_exp(x),   fsr_log(x),   fsr_sqrt(x), fsr_sin(x),   fsr_cos(x),  fsr_tan(x),
                                       fsr_sinh(x),  fsr_cosh(x),  fsr_tanh(x), fsr_exp2(x),  fsr_log2(x), fsr_log10(x),
                                       fsr_expm1(x), fsr_log1p(x), fsr_sign(x), fsr_pow(x, w)};
            for (int f = 0; f < FUNCTIONS; ++f) {
                out[i][f] = fsr_where(at, none, all[f]);
                assert_int_equal(fsr_force(out[i][f]), FSR_OK);
            }
        }
        static char got[2][N * 16];
        for (int f = 0; f < FUNCTIONS; ++f) {
            const size_t bytes = (size_t)fsr_node_bytes(out[0][f]);
            for (int i = 0; i < 2; ++i)
                assert_int_equal(fsr_read(out[i][f], got[i], bytes), FSR_OK);
            if (memcmp(got[0], got[1], bytes))
                fail_msg("function %d of %s: an infinity changes its neighbours", f, fsr_dtype_name(dtypes[d]));
        }
    }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(reductions), SUBJECT_CASES(scans), SUBJECT_TEST(views),
    SUBJECT_TEST(operators),   SUBJECT_TEST(mixed),  SUBJECT_TEST(neighbours),
};
SUBJECT_MAIN(tests)
