/* SPDX-License-Identifier: MIT */
/* Every reduction and scan x dtype x axes x keepdims x shape against the reference; operators over tuples.
 *
 * The reductions of one array are outputs of one computation (siblings of one kernel); a second round computes each
 * alone. */
#include "tests/support/recurrence.h"
#include "tests/support/subject.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const fsr_dtype dtypes[] = {FSR_BOOL, FSR_U8, FSR_I32, FSR_I64, FSR_F32, FSR_F64};

typedef struct shape {
    int ndim;
    int64_t dim[4];
} shape;

/* Around every extent at which a kernel changes its ways: lanes, warps, blocks, tiles. */
static const shape shapes[] = {
    {0, {0}},         {1, {1}},          {1, {31}},          {1, {32}},     {1, {33}},       {1, {257}},
    {1, {1023}},      {1, {1024}},       {1, {1025}},        {1, {4097}},   {1, {20011}},    {2, {1, 1}},
    {2, {1, 1025}},   {2, {1025, 1}},    {2, {33, 31}},      {2, {31, 33}}, {2, {3, 4097}},  {2, {4097, 3}},
    {2, {2, 20011}},  {2, {1023, 32}},   {2, {5000, 7}},     {2, {7, 129}}, {3, {5, 7, 33}}, {3, {33, 1, 31}},
    {3, {2, 257, 3}}, {3, {1, 1, 1024}}, {4, {3, 4, 5, 33}}, {2, {0, 5}},   {2, {5, 0}},     {3, {3, 0, 4}},
};

static const struct axes {
    const char *name;
    int n; /* -1: every axis */
    int axis[2];
} axes[] = {{"all", -1, {0}}, {"0", 1, {0}}, {"last", 1, {-1}}, {"0 and 1", 2, {0, 1}}, {"1 and last", 2, {1, -1}}};

static bool fits(const struct axes *a, int ndim) {
    return a->n < 0 || (a->n == 1 && ndim >= (a->axis[0] == 0 ? 1 : 2)) ||
           (a->n == 2 && ndim >= (a->axis[1] == 1 ? 2 : 3));
}

/* How many fit: the first ones, as they stand by the dimensions that they ask for. */
static int choices_of(int ndim) {
    int n = 0;
    while (n < COUNT_OF(axes) && fits(&axes[n], ndim))
        n++;
    return n;
}

enum { REDUCTIONS = 9 };
static const char *const reduction_name[REDUCTIONS] = {"sum", "prod", "mean", "var",   "any",
                                                       "all", "min",  "max",  "argmax"};

static fsr_node reduction(int which, fsr_node x, const int *a, int n, int flags) {
    switch (which) {
    case 0: return fsr_sum(x, a, n, flags);
    case 1: return fsr_prod(x, a, n, flags);
    case 2: return fsr_mean(x, a, n, flags);
    case 3: return fsr_var(x, a, n, flags, 1);
    case 4: return fsr_any(x, a, n, flags);
    case 5: return fsr_all(x, a, n, flags);
    case 6: return fsr_min(x, a, n, flags);
    case 7: return fsr_max(x, a, n, flags);
    default: return fsr_argmax(x, a, 1, flags);
    }
}

/* The reductions that x has over these axes. argmax takes one axis or all; with nothing to fold the last three are
 * errors. */
static int all_reductions(fsr_node x, const struct axes *a, int flags, fsr_node *out, const char **name) {
    int n = 0;
    for (int i = 0; i < REDUCTIONS; ++i) {
        if (i == 8 && a->n == 2)
            continue;
        fsr_node y = reduction(i, x, a->n < 0 ? NULL : a->axis, a->n, flags);
        fsr_status status = fsr_node_status(y);
        if (i >= 6 && status == FSR_ERR_EMPTY && fsr_node_size(x) == 0)
            continue;
        if (status)
            fail_msg("%s: %s", reduction_name[i], fsr_node_error(y));
        name[n] = reduction_name[i];
        out[n++] = y;
    }
    return n;
}

/* Kernels of one dtype are one part's; those of tuples, which no other test has, are another's. */
static int unit_of(fsr_dtype dtype, bool tuple) {
    for (int d = 0; d < COUNT_OF(dtypes); ++d)
        if (dtypes[d] == dtype)
            return tuple ? d + 3 : d;
    fail_msg("%s is not among the dtypes", fsr_dtype_name(dtype));
    return 0;
}

static void fresh_graph(void) {
    fsr_graph_free(subject_g);
    subject_g = fsr_graph_new(subject_ctx);
}

static void reduce_all(fsr_dtype dtype, const shape *s, const struct axes *a, int flags, subject_values values) {
    fsr_node out[REDUCTIONS], x = subject_data(dtype, s->ndim, s->dim, values, 0);
    const char *name[REDUCTIONS];
    int n = all_reductions(x, a, flags, out, name);
    subject_verify(out, n, name, "%s, %d dimensions %lld, %lld, %lld, axes %s, flags %d", fsr_dtype_name(dtype),
                   s->ndim, (long long)s->dim[0], (long long)s->dim[1], (long long)s->dim[2], a->name, flags);
    fresh_graph();
}

/* The dtype of which the fast tier folds everything. */
static bool is_usual(fsr_dtype dtype) {
    return dtype == FSR_F32;
}

/* Of the choices of axes that a shape has, one for each shape; the shapes of one number of dimensions have different
 * ones. */
static bool is_turn(int d, int s, int a, int choices) {
    return (d + s) % choices == a;
}

/* Every shape of the usual dtype, and of each other dtype a fifth of the shapes, not the same ones; of that the fast
 * tier has each shape with one choice of axes. */
static subject_tier tier_of(int d, int s, int a, int choices) {
    if (!is_usual(dtypes[d]) && (d + s) % 5 != 0)
        return SUBJECT_LONG;
    return is_turn(d, s, a, choices) ? SUBJECT_FAST : SUBJECT_CAPPED;
}

static void reductions_together(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); ++d)
        for (int s = 0; s < COUNT_OF(shapes); ++s)
            for (int a = 0; a < COUNT_OF(axes); ++a)
                if (fits(&axes[a], shapes[s].ndim) && subject_case(d, tier_of(d, s, a, choices_of(shapes[s].ndim))))
                    reduce_all(dtypes[d], &shapes[s], &axes[a], (s + a) % 2 ? FSR_KEEPDIMS : 0, SUBJECT_SMALL);
}

/* NaN, infinities and limits inside of what is folded. */
static void reductions_of_special_values(void **state) {
    (void)state;
    static const int of[] = {2, 5, 9, 14, 16, 17, 22};
    for (int d = 0; d < COUNT_OF(dtypes); ++d)
        for (int s = 0; s < COUNT_OF(of); ++s)
            for (int a = 0; a < 3; ++a)
                if (fits(&axes[a], shapes[of[s]].ndim) &&
                    subject_case(d, tier_of(d, s, a, shapes[of[s]].ndim > 1 ? 3 : 2)))
                    reduce_all(dtypes[d], &shapes[of[s]], &axes[a], 0, SUBJECT_SPECIAL);
}

/* Each is a kernel of its own: one dtype, and of its shapes a third for each reduction; half of that in the fast
 * tier. */
static subject_tier tier_alone(int d, int i, int s, int a) {
    if (!is_usual(dtypes[d]) || (i + s) % 3 != 0)
        return SUBJECT_LONG;
    return (i + a) % 2 ? SUBJECT_CAPPED : SUBJECT_FAST;
}

static void reductions_alone(void **state) {
    (void)state;
    static const int of[] = {4, 8, 10, 14, 17, 20, 24, 27, 28};
    for (int d = 0; d < COUNT_OF(dtypes); ++d)
        for (int i = 0; i < REDUCTIONS; ++i)
            for (int s = 0; s < COUNT_OF(of); ++s)
                for (int a = 0; a < 3; ++a) {
                    const shape *at = &shapes[of[s]];
                    if (!fits(&axes[a], at->ndim) || !subject_case(d + i, tier_alone(d, i, s, a)))
                        continue;
                    fsr_node x = subject_data(dtypes[d], at->ndim, at->dim, SUBJECT_SMALL, 0);
                    fsr_node y = reduction(i, x, axes[a].n < 0 ? NULL : axes[a].axis, axes[a].n, 0);
                    if (fsr_node_status(y) != FSR_ERR_EMPTY)
                        subject_verify(&y, 1, NULL, "%s of %s, shape %d, axes %s", reduction_name[i],
                                       fsr_dtype_name(dtypes[d]), of[s], axes[a].name);
                    fresh_graph();
                }
}

static void scans(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); ++d)
        for (int s = 1; s < COUNT_OF(shapes); ++s)
            for (int axis = 0; axis < shapes[s].ndim; ++axis) {
                if (!subject_case(d, tier_of(d, s, axis, shapes[s].ndim)))
                    continue;
                fsr_node x =
                    subject_data(dtypes[d], shapes[s].ndim, shapes[s].dim, s % 3 ? SUBJECT_SMALL : SUBJECT_SPECIAL, 0);
                fsr_node out[] = {fsr_cumsum(x, AXES(axis), 1, 0), fsr_cumsum(x, AXES(axis), 1, FSR_EXCLUSIVE),
                                  fsr_cummax(x, AXES(axis), 1, 0), fsr_cummax(x, AXES(axis), 1, FSR_EXCLUSIVE)};
                static const char *const name[] = {"cumsum", "exclusive cumsum", "cummax", "exclusive cummax"};
                subject_verify(out, 4, name, "%s, shape %d, axis %d", fsr_dtype_name(dtypes[d]), s, axis);
                if (s % 2 == 0) {
                    fsr_node alone = fsr_cumsum(fsr_mul(x, x), AXES(axis), 1, s % 4 ? FSR_EXCLUSIVE : 0);
                    subject_verify(&alone, 1, NULL, "cumsum alone, %s, shape %d, axis %d", fsr_dtype_name(dtypes[d]), s,
                                   axis);
                }
                fresh_graph();
            }
}

/* ---- operators over tuples ------------------------------------------------------------------------------ */

/* The last element that is not 0: not commutative, one component. */
static void last_one(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_where(fsr_equal(right[0], fsr_int(right[0].graph, 0)), left[0], right[0]);
}
static const fsr_operator last_op = {last_one, NULL, 1, {0}, false, {NULL}};

/* The least value and its index; of equal values the first. */
static void least(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    fsr_node wins = fsr_logical_or(fsr_less(right[0], left[0]),
                                   fsr_logical_and(fsr_equal(right[0], left[0]), fsr_less(right[1], left[1])));
    out[0] = fsr_where(wins, right[0], left[0]);
    out[1] = fsr_where(wins, right[1], left[1]);
}
static const fsr_operator least_op = {least, NULL, 2, {INFINITY, 9223372036854775807.}, true, {NULL}};

/* Four components of four dtypes: sum, maximum, any, product. */
static void four(fsr_node *out, const fsr_node *left, const fsr_node *right, void *user) {
    (void)user;
    out[0] = fsr_add(left[0], right[0]);
    out[1] = fsr_maximum(left[1], right[1]);
    out[2] = fsr_logical_or(left[2], right[2]);
    out[3] = fsr_mul(left[3], right[3]);
}
static const fsr_operator four_op = {four, NULL, 4, {0, -INFINITY, 0, 1}, true, {NULL}};

static void tuple_check(fsr_node *out, int n, const char *what, const shape *s, int axis) {
    subject_verify(out, n, NULL, "%s, %d dimensions %lld, %lld, %lld, axis %d", what, s->ndim, (long long)s->dim[0],
                   (long long)s->dim[1], (long long)s->dim[2], axis);
    subject_count("tuple folds", 1);
}

/* One dtype; the fast tier has each shape with one axis or choice of axes. */
static subject_tier tier_of_tuples(fsr_dtype dtype, int s, int a, int choices) {
    if (!is_usual(dtype))
        return SUBJECT_LONG;
    return is_turn(0, s, a, choices) ? SUBJECT_FAST : SUBJECT_CAPPED;
}

static void tuple_scans(void **state) {
    (void)state;
    static const fsr_dtype of[] = {FSR_I32, FSR_I64, FSR_F32, FSR_F64};
    for (int d = 0; d < COUNT_OF(of); ++d)
        for (int s = 1; s < COUNT_OF(shapes); ++s)
            for (int axis = 0; axis < shapes[s].ndim; ++axis) {
                if (!subject_case(unit_of(of[d], true), tier_of_tuples(of[d], s, axis, shapes[s].ndim)))
                    continue;
                fsr_node in[] = {subject_data(of[d], shapes[s].ndim, shapes[s].dim, SUBJECT_SMALL, 0),
                                 subject_data(of[d], shapes[s].ndim, shapes[s].dim, SUBJECT_SMALL, 1)};
                fsr_node out[5];
                if (of[d] >= FSR_F32)
                    in[0] = fsr_mul(in[0], fsr_float(subject_g, 0.5));
                fsr_scan_with(out, in, &linear_recurrence, AXES(axis), 1, 0);
                fsr_scan_with(out + 2, in, &linear_recurrence, AXES(axis), 1, FSR_EXCLUSIVE);
                fsr_scan_with(out + 4, in, &last_op, AXES(axis), 1, 0);
                tuple_check(out, 5, "scan_with", &shapes[s], axis);
                fresh_graph();
            }
}

static void tuple_reductions(void **state) {
    (void)state;
    static const fsr_dtype of[] = {FSR_I32, FSR_I64, FSR_F32, FSR_F64};
    for (int d = 0; d < COUNT_OF(of); ++d)
        for (int s = 1; s < COUNT_OF(shapes); ++s)
            for (int a = 0; a < COUNT_OF(axes); ++a) {
                if (!fits(&axes[a], shapes[s].ndim) ||
                    !subject_case(unit_of(of[d], true), tier_of_tuples(of[d], s, a, choices_of(shapes[s].ndim))))
                    continue;
                const int *axis = axes[a].n < 0 ? NULL : axes[a].axis;
                int flags = a % 2 ? FSR_KEEPDIMS : 0;
                fsr_node x = subject_data(of[d], shapes[s].ndim, shapes[s].dim, SUBJECT_SMALL, 0);
                fsr_node y = subject_data(FSR_I64, shapes[s].ndim, shapes[s].dim, SUBJECT_SMALL, 1);
                fsr_node in[] = {x, y}, out[5];
                fsr_reduce_with(out, in, &least_op, axis, axes[a].n, flags);
                fsr_reduce_with(out + 2, (fsr_node[]){x, x}, &linear_recurrence, axis, axes[a].n, flags);
                fsr_reduce_with(out + 4, in, &last_op, axis, axes[a].n, flags);
                tuple_check(out, 5, "reduce_with", &shapes[s], axis ? axis[0] : -1);
                fresh_graph();
            }
}

static void four_components(void **state) {
    (void)state;
    static const int of[] = {1, 5, 8, 10, 14, 16, 17, 22, 27, 28};
    for (int s = 0; s < COUNT_OF(of); ++s) {
        const shape *at = &shapes[of[s]];
        static const fsr_dtype dtype[] = {FSR_F64, FSR_F32, FSR_BOOL, FSR_I32};
        fsr_node in[4], out[8];
        for (int i = 0; i < 4; ++i)
            in[i] = subject_data(dtype[i], at->ndim, at->dim, SUBJECT_SMALL, i);
        fsr_reduce_with(out, in, &four_op, AXES(0), 1, 0);
        fsr_scan_with(out + 4, in, &four_op, AXES(-1), 1, 0);
        tuple_check(out, 8, "four components", at, 0);
        fresh_graph();
    }
}

/* From the end of the axis: the same kernels with loads and stores that run backwards. The fast tier has a third of the
 * shapes and axes of one dtype. */
static subject_tier tier_from_the_end(fsr_dtype dtype, int s, int axis) {
    if (!is_usual(dtype))
        return SUBJECT_LONG;
    return (s + axis) % 3 ? SUBJECT_CAPPED : SUBJECT_FAST;
}

static void scans_from_the_end(void **state) {
    (void)state;
    static const fsr_dtype of[] = {FSR_F32, FSR_I64};
    for (int d = 0; d < COUNT_OF(of); ++d)
        for (int s = 1; s < COUNT_OF(shapes); s += 2)
            for (int axis = 0; axis < shapes[s].ndim; ++axis) {
                const shape *at = &shapes[s];
                if (!subject_case(unit_of(of[d], true) + axis, tier_from_the_end(of[d], s, axis)))
                    continue;
                fsr_node x = subject_data(of[d], at->ndim, at->dim, s % 3 ? SUBJECT_SMALL : SUBJECT_SPECIAL, 0);
                fsr_node y = subject_data(of[d], at->ndim, at->dim, SUBJECT_SMALL, 1);
                if (of[d] == FSR_F32)
                    y = fsr_mul(y, fsr_float(subject_g, 0.5));
                fsr_node out[10] = {fsr_cumsum(x, AXES(axis), 1, FSR_REVERSE),
                                    fsr_cumsum(x, AXES(axis), 1, FSR_REVERSE | FSR_EXCLUSIVE),
                                    fsr_cummin(x, AXES(axis), 1, FSR_REVERSE),
                                    fsr_cumany(x, AXES(axis), 1, FSR_REVERSE | FSR_EXCLUSIVE),
                                    fsr_cumall(x, AXES(axis), 1, FSR_REVERSE),
                                    fsr_cumprod(y, AXES(axis), 1, FSR_REVERSE),
                                    fsr_sum(x, &axis, 1, 0),
                                    fsr_argmin(x, &axis, 1, FSR_KEEPDIMS)};
                fsr_scan_with(out + 8, (fsr_node[]){y, x}, &linear_recurrence, AXES(axis), 1, FSR_REVERSE);
                tuple_check(out, at->dim[axis] ? 10 : 6, "from the end", at, axis);
                fresh_graph();
            }
}

/* One of a tuple's results alone: the others are still folded. */
static void one_of_a_tuple(void **state) {
    (void)state;
    for (int k = 0; k < 2; ++k) {
        fsr_node x = subject_data(FSR_F64, 2, SHAPE(33, 1025), SUBJECT_SMALL, k), out[2];
        fsr_scan_with(out, (fsr_node[]){fsr_mul(x, fsr_float(subject_g, 0.5)), x}, &linear_recurrence, AXES(1), 1, 0);
        subject_verify(&out[k], 1, NULL, "result %d of a scan", k);
        fsr_reduce_with(out, (fsr_node[]){x, fsr_cast(x, FSR_I64)}, &least_op, AXES(1), 1, 0);
        subject_verify(&out[k], 1, NULL, "result %d of a reduction", k);
    }
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(reductions_together), SUBJECT_CASES(reductions_of_special_values),
    SUBJECT_CASES(reductions_alone),    SUBJECT_CASES(scans),
    SUBJECT_CASES(tuple_scans),         SUBJECT_CASES(tuple_reductions),
    SUBJECT_TEST(four_components),      SUBJECT_TEST(one_of_a_tuple),
    SUBJECT_CASES(scans_from_the_end),
};
SUBJECT_MAIN(tests)
