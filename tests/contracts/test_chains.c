/* SPDX-License-Identifier: MIT */
/* Functions of functions, which the CPU backend works on in stages, strip by strip: against the reference, fused and
 * not. Around the sizes where lanes, strips and chunks end; in maps, rows, reductions and scans; beside views and
 * filters. The fast tier has every dtype and every size, not each with each. */
#include "tests/support/subject.h"

static const fsr_dtype dtypes[] = {FSR_F16, FSR_F32, FSR_F64, FSR_C64};
static const int64_t sizes[] = {0, 1, 7, 255, 511, 512, 513, 1027, 4097, 9000};
enum { PARTS = 70001 /* elements of a row that several threads share */ };

static bool is_asked(int d, int s) {
    return subject_case(s, (d + s) % COUNT_OF(dtypes) != 0);
}

/* log(1 + e^x), as it is written without log1p. */
static fsr_node softplus(fsr_node x) {
    return fsr_log(fsr_add(fsr_exp(x), fsr_int(x.graph, 1)));
}

static fsr_node leaf(fsr_dtype dtype, int64_t n, int stream) {
    return subject_data(dtype, 1, SHAPE(n), SUBJECT_SMALL, stream);
}

/* Results of several stages, values that skip a stage, a sine whose arguments are asked first. */
static void elements(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int s = 0; s < COUNT_OF(sizes); s++) {
            if (!is_asked(d, s))
                continue;
            fsr_node x = leaf(dtypes[d], sizes[s], 0), y = leaf(dtypes[d], sizes[s], 1), first = softplus(x);
            fsr_node second = fsr_sin(fsr_add(first, y)), third = fsr_exp(fsr_mul(second, x));
            fsr_node out[] = {first, fsr_sub(third, fsr_mul(first, y)), fsr_log(fsr_add(third, fsr_int(subject_g, 9)))};
            subject_verify(out, 3, NULL, "%s[%lld]", fsr_dtype_name(dtypes[d]), (long long)sizes[s]);
        }
}

/* Sines of what a stage finds to be too large for the fast one, and of what it does not, in one array. */
static void far_arguments(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++) {
        fsr_node x = leaf(FSR_F32, sizes[s], 0), at = fsr_arange(subject_g, FSR_F32, sizes[s]);
        fsr_node large = fsr_greater(at, fsr_float(subject_g, 2000));
        fsr_node far = fsr_where(large, fsr_float(subject_g, 1e7), fsr_float(subject_g, 1));
        fsr_node y = fsr_sin(fsr_mul(fsr_exp(x), far));
        fsr_node out[] = {y, fsr_sum(fsr_exp(y), NULL, 0, 0)};
        subject_verify(out, 1, NULL, "[%lld]", (long long)sizes[s]);
        subject_verify(&out[1], 1, NULL, "sum of [%lld]", (long long)sizes[s]);
    }
}

/* The same down columns, of which a few have an angle too large. */
static void far_down_columns(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(70, 300), SUBJECT_SMALL, 0), at = fsr_arange(subject_g, FSR_F32, 300);
    fsr_node far =
        fsr_where(fsr_equal(at, fsr_float(subject_g, 150)), fsr_float(subject_g, 1e9), fsr_float(subject_g, 1));
    fsr_node angle = fsr_mul(x, far), y = fsr_sum(fsr_mul(fsr_sin(angle), fsr_cos(angle)), AXES(0), 1, 0);
    subject_verify(&y, 1, NULL, "down columns");
}

/* The same along rows, which are folded from arrays: of what lanes leave over, and behind edges, in stages. */
static void far_along_rows(void **state) {
    (void)state;
    const int axis = 1;
    for (int64_t n = 75; n <= 1200; n *= 2) {
        fsr_node x = subject_data(FSR_F32, 2, SHAPE(70, n), SUBJECT_SMALL, 0), at = fsr_arange(subject_g, FSR_F32, n);
        fsr_node far =
            fsr_where(fsr_equal(at, fsr_float(subject_g, 70)), fsr_float(subject_g, 1e30), fsr_float(subject_g, 1));
        fsr_node angle = fsr_mul(x, far), rolled = fsr_roll(fsr_exp(angle), &(int64_t){n / 3}, &axis, 1);
        fsr_node sum = fsr_sum(fsr_sin(angle), &axis, 1, 0), most = fsr_max(fsr_cos(fsr_abs(rolled)), &axis, 1, 0);
        subject_verify(&sum, 1, NULL, "sums of rows of %lld", (long long)n);
        subject_verify(&most, 1, NULL, "the largest of rolled rows of %lld", (long long)n);
    }
}

/* What lanes leave over of rows that are rolled. */
static void rests(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int64_t n = 33; n <= 640; n += n < 70 ? 9 : 95) {
            const fsr_node x = subject_data(dtypes[d], 2, SHAPE(9, n), SUBJECT_SMALL, 0);
            const fsr_node y = fsr_mul(fsr_roll(x, &(int64_t){3}, &(int){0}, 1), x);
            const fsr_node out[] = {fsr_sum(y, AXES(1), 1, 0), fsr_sum(fsr_sub(y, x), AXES(1), 1, 0), fsr_abs(y)};
            subject_verify(out, COUNT_OF(out), NULL, "rows of %lld %s", (long long)n, fsr_dtype_name(dtypes[d]));
        }
}

/* Rows of a few elements that lie in no order, behind edges, or are the same for all, with angles too large; results
 * that lie elsewhere, and more dimensions. */
static void short_rows(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int64_t n = 2; n <= 31; n += n < 4 ? 1 : 9) {
            const fsr_node x = subject_data(dtypes[d], 3, SHAPE(3, 301, 2 * n), SUBJECT_SMALL, 0);
            const fsr_node y = fsr_slice(x, 2, 1, 2 * n, 2), w = subject_data(dtypes[d], 1, SHAPE(n), SUBJECT_SMALL, 0);
            const fsr_node at = fsr_equal(fsr_arange(subject_g, FSR_F32, 301), fsr_float(subject_g, 70));
            const fsr_node far = fsr_where(at, fsr_float(subject_g, 1e30), fsr_float(subject_g, 1));
            const fsr_node angle = fsr_mul(fsr_mul(y, w), fsr_cast(fsr_reshape(far, 2, SHAPE(301, 1)), dtypes[d]));
            const fsr_node out[] = {
                fsr_exp(fsr_tanh(fsr_mul(y, w))), fsr_sin(angle),
                fsr_pad(fsr_cos(y), (const int64_t[][2]){{1, 0}, {2, 1}, {1, 1}}, FSR_PAD_CONSTANT, 0),
                fsr_exp(fsr_roll(y, &(int64_t){1}, &(int){2}, 1))};
            for (int i = 0; i < COUNT_OF(out); i++)
                subject_verify(&out[i], 1, NULL, "%d of rows of %lld %s", i, (long long)n, fsr_dtype_name(dtypes[d]));
        }
}

/* Angles too large here and there, in what is put together of parts: each part has a loop of its own, which knows where
 * it reads. */
static void far_in_parts(void **state) {
    (void)state;
    for (int d = 1; d <= 2; d++)
        for (int64_t n = 9; n <= 9000; n *= 31) {
            fsr_node at = fsr_arange(subject_g, FSR_I32, n), rest = fsr_mod(at, fsr_int(subject_g, 7));
            fsr_node often = fsr_equal(rest, fsr_int(subject_g, 3));
            fsr_node far = fsr_where(often, fsr_float(subject_g, 1e30), fsr_float(subject_g, 1));
            fsr_node x = fsr_mul(leaf(dtypes[d], n, 0), fsr_cast(far, dtypes[d]));
            fsr_node rolled = fsr_roll(fsr_cos(x), &(int64_t){n / 3}, &(int){0}, 1);
            fsr_node joined = fsr_concat((fsr_node[]){fsr_sin(x), fsr_tan(fsr_flip(x, 0)), x}, 3, 0);
            fsr_node padded = fsr_pad(fsr_sin(x), (const int64_t[][2]){{4, 5}}, FSR_PAD_CONSTANT, 0);
            fsr_node out[] = {rolled, joined, padded};
            OK(fsr_force(x));
            for (int i = 0; i < COUNT_OF(out); i++)
                subject_verify(&out[i], 1, NULL, "%d of %s[%lld]", i, fsr_dtype_name(dtypes[d]), (long long)n);
        }
}

/* What a scan gives cannot be looked at before the scan. */
static void far_of_scans(void **state) {
    (void)state;
    const int64_t shapes[][2] = {{2, 8}, {70, 300}, {300, 70}, {3, 5000}};
    for (int s = 0; s < COUNT_OF(shapes); s++)
        for (int axis = 0; axis < 2; axis++) {
            fsr_node x = subject_data(FSR_F32, 2, shapes[s], SUBJECT_SMALL, s);
            fsr_node steep = fsr_cumsum(fsr_mul(x, fsr_float(subject_g, 1e5)), &axis, 1, 0);
            fsr_node back = fsr_cumsum(x, &axis, 1, FSR_REVERSE);
            fsr_node out[] = {fsr_cos(fsr_rint(steep)), fsr_sin(back)};
            for (int i = 0; i < COUNT_OF(out); i++)
                subject_verify(&out[i], 1, NULL, "%d of case %d along %d", i, s, axis);
        }
}

/* What is the same for a whole strip is computed beside the strips: a function of a literal, of a scalar, of a row. */
static void steady(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(5, 1300), SUBJECT_SMALL, 0);
    fsr_node row = subject_data(FSR_F32, 2, SHAPE(5, 1), SUBJECT_SMALL, 1);
    fsr_node one = fsr_from_host(subject_g, FSR_F32, 0, NULL, &(float){0.75f});
    fsr_node y = fsr_mul(softplus(fsr_mul(x, softplus(row))), fsr_exp(softplus(one)));
    fsr_node out[] = {fsr_add(y, softplus(row)), fsr_sum(fsr_add(fsr_exp(y), row), AXES(1), 1, 0)};
    subject_verify(out, 1, NULL, "map");
    subject_verify(&out[1], 1, NULL, "fold");
}

/* Results that take the place of what they are computed from. */
static void in_place(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++) {
        fsr_node x = leaf(FSR_F32, sizes[s], 0);
        fsr_node t = fsr_hint_set(fsr_mul(x, fsr_float(subject_g, 0.5)), FSR_HINT_MATERIALIZE);
        fsr_node out = fsr_sub(fsr_exp(softplus(t)), t);
        subject_verify(&out, 1, NULL, "[%lld]", (long long)sizes[s]);
    }
}

/* Long ones, and one of a literal, of indices, under the guards of a pad. */
static void shapes(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++) {
        fsr_node x = leaf(FSR_F32, sizes[s], 0), deep = x, at = fsr_arange(subject_g, FSR_F32, sizes[s]);
        for (int i = 0; i < 20; i++)
            deep = fsr_sin(fsr_exp(deep));
        fsr_node pad = fsr_pad(softplus(x), (const int64_t[][2]){{2, 3}}, FSR_PAD_CONSTANT, 0.5);
        fsr_node out[] = {deep, softplus(fsr_add(at, fsr_exp(fsr_float(subject_g, 0.25)))), pad,
                          softplus(fsr_flip(softplus(x), 0))};
        subject_verify(out, COUNT_OF(out), NULL, "[%lld]", (long long)sizes[s]);
    }
}

/* Over all, along rows and along columns; the functions' results stored as well, and a second reduction of them. */
static void folds(void **state) {
    (void)state;
    for (int d = 0; d < COUNT_OF(dtypes); d++)
        for (int s = 0; s < COUNT_OF(sizes); s++) {
            if (!is_asked(d, s))
                continue;
            fsr_node x = subject_data(dtypes[d], 2, SHAPE(3, sizes[s]), SUBJECT_SMALL, 2), y = softplus(x);
            fsr_node mean = fsr_mean(y, AXES(1), 1, FSR_KEEPDIMS), sum = fsr_sum(fsr_sin(y), NULL, 0, 0);
            fsr_node out[] = {sum, y, fsr_exp(softplus(fsr_sub(y, mean))), fsr_sum(fsr_exp(y), AXES(0), 1, 0),
                              fsr_sum(x, AXES(1), 1, 0)};
            subject_verify(out, COUNT_OF(out), NULL, "%s[3, %lld]", fsr_dtype_name(dtypes[d]), (long long)sizes[s]);
            subject_verify(&sum, 1, NULL, "sum of %s[3, %lld]", fsr_dtype_name(dtypes[d]), (long long)sizes[s]);
        }
}

/* The planes' axes reduced around the middle one; columns beside rows. */
static void axes(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 3, SHAPE(5, 6, 70), SUBJECT_SMALL, 1), y = softplus(fsr_sin(x));
    fsr_node out[] = {fsr_sum(y, AXES(0, 2), 2, 0), fsr_sum(y, AXES(0, 1), 2, 0), fsr_transpose(y, NULL)};
    subject_verify(out, COUNT_OF(out), NULL, "planes");
    fsr_node narrow = fsr_transpose(subject_data(FSR_F16, 2, SHAPE(700, 33), SUBJECT_SMALL, 1), NULL);
    fsr_node sums = fsr_sum(fsr_exp(softplus(narrow)), AXES(1), 1, 0);
    subject_verify(&sums, 1, NULL, "strided");
}

static void scan_of(int64_t n) {
    fsr_node x = leaf(FSR_F32, n, 0), y = softplus(x), sum = fsr_cumsum(y, AXES(0), 1, 0);
    fsr_node out[] = {fsr_exp(fsr_neg(fsr_log(fsr_add(sum, fsr_int(subject_g, 1))))),
                      fsr_filter(y, fsr_greater(fsr_sin(y), fsr_float(subject_g, 0.75)), fsr_int(subject_g, 0)),
                      fsr_sum(fsr_exp(y), NULL, 0, 0)};
    for (int i = 0; i < COUNT_OF(out); i++)
        subject_verify(&out[i], 1, NULL, "%d of [%lld]", i, (long long)n);
    subject_verify(out, COUNT_OF(out), NULL, "[%lld]", (long long)n);
}

static void scans(void **state) {
    (void)state;
    for (int s = 0; s < COUNT_OF(sizes); s++)
        if (is_asked(0, s))
            scan_of(sizes[s]);
    if (subject_case(0, false))
        scan_of(PARTS);
}

static const struct CMUnitTest tests[] = {
    SUBJECT_CASES(elements), SUBJECT_TEST(far_arguments), SUBJECT_TEST(far_down_columns), SUBJECT_TEST(far_along_rows),
    SUBJECT_TEST(rests),     SUBJECT_TEST(short_rows),    SUBJECT_TEST(far_in_parts),     SUBJECT_TEST(far_of_scans),
    SUBJECT_TEST(steady),    SUBJECT_TEST(in_place),      SUBJECT_TEST(shapes),           SUBJECT_CASES(folds),
    SUBJECT_TEST(axes),      SUBJECT_CASES(scans)};
SUBJECT_MAIN(tests)
