/* SPDX-License-Identifier: MIT */
/* Filters with producers, consumers and counts fused, of every dtype and around the sizes where strips, tiles and parts
 * end. Against the reference, and against a plain loop. */
#include "graph/ops.h"
#include "tests/support/subject.h"
#include <stdlib.h>

static void check(fsr_dtype dtype, int64_t n, subject_values values) {
    fsr_node x = subject_data(dtype, 1, SHAPE(n), values, 0), y = subject_data(dtype, 1, SHAPE(n), values, 1);
    fsr_node mask = fsr_not_equal(fsr_cast(x, FSR_BOOL), fsr_less(x, y)), fill = fsr_int(subject_g, 1);
    fsr_node kept = fsr_filter(x, mask, fill), other = fsr_filter(fsr_maximum(x, y), mask, fill);
    fsr_node out[] = {
        kept,
        other,
        fsr_count_nonzero(mask, NULL, 0, 0),
        fsr_equal(kept, other),
        fsr_max(fsr_filter(y, mask, fill), NULL, 0, 0),
        fsr_filter(fsr_flip(x, 0), mask, fill),
        fsr_filter(x, fsr_slice(fsr_concat((fsr_node[]){mask, mask}, 2, 0), 0, n / 2, n / 2 + n, 1), fill)};
    subject_verify(out, COUNT_OF(out), NULL, "filters of %s[%lld]", fsr_dtype_name(dtype), (long long)n);
}

/* The fast tier has one dtype of each size. */
static subject_tier tier_of(int d) {
    return d == FSR_I8 || d == FSR_F16 || d == FSR_F32 || d == FSR_I64 ? SUBJECT_FAST : SUBJECT_CAPPED;
}

static void dtypes(void **state) {
    (void)state;
    for (int d = 0; d < FSR_DTYPE_COUNT; d++)
        if (fsr_op_defined(FSR_OP_MAXIMUM, (fsr_dtype)d) && d != FSR_BOOL && subject_case(d, tier_of(d)))
            check((fsr_dtype)d, 1000, SUBJECT_SPECIAL);
}

static void sizes(void **state) {
    (void)state;
    static const int64_t sizes[] = {1,   2,    16,   17,   31,    32,    33,    257,   511,   512,
                                    513, 4095, 4096, 4097, 16384, 16385, 32767, 32768, 32769, 98305};
    for (int i = 0; i < COUNT_OF(sizes); i++)
        if (subject_case(i, i % 3 != 2))
            check(FSR_F32, sizes[i], SUBJECT_SMALL);
}

/* What a loop says: the selected ones in order, then the fill. */
static void check_loop(int64_t n, int every) {
    int32_t *x = malloc((size_t)n * sizeof *x);
    unsigned char *chosen = malloc((size_t)n);
    int64_t kept = 0;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (int32_t)(i * 7 + 3);
        chosen[i] = every && x[i] % every == 0;
    }
    fsr_node a = fsr_from_host(subject_g, FSR_I32, 1, SHAPE(n), x);
    fsr_node mask = fsr_from_host(subject_g, FSR_BOOL, 1, SHAPE(n), chosen);
    int32_t *got = subject_read(fsr_filter(a, mask, fsr_int(subject_g, -5)));
    for (int64_t i = 0; i < n; i++)
        if (chosen[i])
            assert_int_equal(got[kept++], x[i]);
    for (int64_t i = kept; i < n; i++)
        assert_int_equal(got[i], -5);
    free(got);
    free(chosen);
    free(x);
}

static void loops(void **state) {
    (void)state;
    static const int64_t sizes[] = {1, 2, 1000, 70000, 262145};
    static const int every[] = {0, 1, 2, 1009};
    for (int i = 0; i < COUNT_OF(sizes); i++)
        for (int j = 0; j < COUNT_OF(every); j++)
            check_loop(sizes[i], every[j]);
}

static void nothing(void **state) {
    (void)state;
    fsr_node x = fsr_from_host(subject_g, FSR_F32, 1, SHAPE(0), NULL);
    fsr_node out[] = {fsr_filter(x, fsr_less(x, x), fsr_float(subject_g, 2)), fsr_count_nonzero(x, NULL, 0, 0)};
    subject_verify(out, 2, NULL, "an empty filter");
    fsr_node one = fsr_float(subject_g, 3), scalar = fsr_filter(one, fsr_bool(subject_g, true), fsr_int(subject_g, 7));
    assert_int_equal(fsr_node_ndim(scalar), 1);
    assert_true(subject_value(scalar, 0) == 3);
    assert_true(subject_value(fsr_filter(one, fsr_bool(subject_g, false), fsr_int(subject_g, 7)), 0) == 7);
}

/* In C order, also of what is not stored in C order; a mask of numbers is true where they are not 0. */
static void shapes(void **state) {
    (void)state;
    fsr_node x = subject_data(FSR_F32, 2, SHAPE(37, 45), SUBJECT_SMALL, 0);
    fsr_node m = subject_data(FSR_I32, 2, SHAPE(37, 45), SUBJECT_SMALL, 1);
    fsr_node fill = fsr_float(subject_g, -1), t = fsr_transpose(x, NULL);
    fsr_node kept = fsr_filter(t, fsr_transpose(m, NULL), fill);
    fsr_node out[] = {fsr_filter(x, m, fill),
                      kept,
                      fsr_filter(fsr_mul(x, fsr_slice(x, 0, 0, 1, 1)), m, fill),
                      fsr_cumsum(fsr_cast(kept, FSR_F64), AXES(0), 1, 0),
                      fsr_sub(kept, fsr_reshape(x, 1, SHAPE(-1))),
                      fsr_filter(kept, fsr_greater(kept, fsr_float(subject_g, 0)), fsr_float(subject_g, 9)),
                      fsr_sqrt(fsr_abs(fsr_add(kept, fsr_param(subject_g, "p", FSR_F32, 2)))),
                      fsr_cumsum(fsr_reshape(m, 1, SHAPE(-1)), AXES(0), 1, FSR_REVERSE)};
    subject_verify(out, COUNT_OF(out), NULL, "filters of several dimensions");
}

/* Those above 0, doubled, and how many; the places of those below 1 among those that are not. */
static void filter_row(fsr_node *out, const fsr_node *in, void *user) {
    (void)user;
    fsr_node zero = fsr_float(subject_g, 0), mask = fsr_greater(in[0], zero);
    out[0] = fsr_mul(fsr_filter(in[0], mask, fsr_float(subject_g, -1)), fsr_float(subject_g, 2));
    out[1] = fsr_count_nonzero(mask, NULL, 0, 0);
    out[2] = fsr_filter(fsr_arange(subject_g, FSR_I64, fsr_node_dim(in[0], 0)),
                        fsr_less(in[0], fsr_float(subject_g, 1)), fsr_int(subject_g, 7));
}

/* Of rows that lie in memory one behind the other, side by side, and with both before and behind. */
static void rows(void **state) {
    (void)state;
    static const int64_t shapes[][2] = {{1, 1}, {7, 1}, {1, 40}, {5, 31}, {40, 33}, {300, 17}, {3, 5000}, {2, 70000}};
    for (int i = 0; i < COUNT_OF(shapes); i++) {
        const int64_t m = shapes[i][0], n = shapes[i][1];
        const fsr_node x[] = {subject_data(FSR_F32, 2, shapes[i], SUBJECT_SMALL, 0),
                              fsr_transpose(subject_data(FSR_F32, 2, SHAPE(n, m), SUBJECT_SMALL, 1), NULL),
                              fsr_transpose(subject_data(FSR_F32, 3, SHAPE(m, n, 3), SUBJECT_SMALL, 2), AXES(0, 2, 1))};
        for (int k = 0; k < COUNT_OF(x); k++) {
            fsr_node out[3];
            fsr_vectorize(out, 3, &x[k], 1, "(n)->(n),(),(n)", filter_row, NULL);
            subject_verify(out, 3, NULL, "filters of rows %d of [%lld,%lld]", k, (long long)m, (long long)n);
        }
    }
}

static const struct CMUnitTest tests[] = {SUBJECT_CASES(dtypes), SUBJECT_CASES(sizes), SUBJECT_TEST(loops),
                                          SUBJECT_TEST(nothing), SUBJECT_TEST(shapes), SUBJECT_TEST(rows)};
SUBJECT_MAIN(tests)
