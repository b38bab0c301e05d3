/* SPDX-License-Identifier: MIT */
/* The conditions of guards: whatever normal form they are brought to, and whatever dimensions are merged, they must
 * hold at the same points as the condition that was asked for. Every point of small domains is asked. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fusion/box.h"

enum { SYMBOL = 2 }; /* what every computed value is */

static int64_t value(const fsr_affine *a, const int64_t *index, int ndim) {
    int64_t sum = a->offset;
    for (int t = 0; t < a->nterms; t++)
        sum += a->factor[t] * SYMBOL;
    for (int i = 0; i < ndim; i++)
        sum += a->coef[i] * index[i];
    return sum;
}

/* At a point: (offset + coef * index) / over is whole and in [0, n). */
static bool wanted(const fsr_affine *a, int64_t n, const int64_t *index, int ndim) {
    int64_t over = a->over ? a->over : 1, sum = value(a, index, ndim);
    return sum % over == 0 && sum / over >= 0 && sum / over < n;
}

static bool holds(const fsr_box *box, const int64_t *index, int ndim) {
    int64_t at = value(&box->at, index, ndim);
    return at >= 0 && at < box->extent && at % box->step == 0;
}

static void check(const fsr_affine *a, int64_t n, const fsr_domain *d, fsr_truth truth, const fsr_box *box) {
    int64_t index[2] = {0, 0}, hits = 0, points = 0;
    for (index[0] = 0; index[0] < d->extent[0]; index[0]++)
        for (index[1] = 0; index[1] < (d->ndim > 1 ? d->extent[1] : 1); index[1]++) {
            bool want = wanted(a, n, index, d->ndim);
            hits += want;
            points++;
            if (truth == FSR_SOMETIMES)
                assert_int_equal(holds(box, index, d->ndim), want);
        }
    if (truth == FSR_ALWAYS)
        assert_int_equal(hits, points);
    if (truth == FSR_NEVER)
        assert_int_equal(hits, 0);
}

/* One dimension: the box is in normal form, i - low. */
static void single(void **state) {
    (void)state;
    for (int64_t coef = -7; coef <= 7; coef++)
        for (int64_t offset = -12; offset <= 12; offset++)
            for (int64_t over = 0; over <= 6; over++)
                for (int64_t n = 0; n <= 6; n += 2) {
                    if (over == 1)
                        continue;
                    fsr_domain d = {.ndim = 1, .nparallel = 1, .extent = {13}};
                    fsr_affine a = {.offset = offset, .coef = {coef}, .over = over};
                    fsr_box box;
                    fsr_truth truth = fsr_box_make(&box, &a, n, &d);
                    check(&a, n, &d, truth, &box);
                    if (truth == FSR_SOMETIMES)
                        assert_true(box.at.coef[0] == 1 && box.at.offset <= 0 && box.extent - box.at.offset <= 13);
                }
}

/* Two dimensions, and one of them once merged. */
static void several(void **state) {
    (void)state;
    const fsr_domain d = {.ndim = 2, .nparallel = 2, .extent = {5, 4}};
    for (int64_t outer = -5; outer <= 8; outer++)
        for (int64_t inner = -2; inner <= 3; inner++)
            for (int64_t offset = -9; offset <= 9; offset++)
                for (int64_t over = 0; over <= 4; over += 2) {
                    fsr_affine a = {.offset = offset, .coef = {outer, inner}, .over = over};
                    fsr_box box;
                    fsr_truth truth = fsr_box_make(&box, &a, 3, &d);
                    check(&a, 3, &d, truth, &box);
                    if (truth != FSR_SOMETIMES || !fsr_box_mergeable(&box, 0, 4))
                        continue;
                    fsr_box_merge(&box, 0, 4);
                    for (int64_t i = 0; i < 20; i++)
                        assert_int_equal(holds(&box, &i, 1), wanted(&a, 3, (int64_t[]){i / 4, i % 4}, 2));
                }
}

/* Rows [1, 3) of 5 are a run of the flat index. */
static void rows_merge(void **state) {
    (void)state;
    const fsr_domain d = {.ndim = 2, .nparallel = 2, .extent = {5, 4}};
    fsr_affine a = {.offset = -1, .coef = {1, 0}};
    fsr_box box;
    assert_int_equal(fsr_box_make(&box, &a, 2, &d), FSR_SOMETIMES);
    assert_true(fsr_box_mergeable(&box, 0, 4));
    fsr_box_merge(&box, 0, 4);
    assert_int_equal(box.at.offset, -4);
    assert_int_equal(box.extent, 8);
    assert_int_equal(box.at.coef[0], 1);
    assert_int_equal(fsr_box_make(&box, &(fsr_affine){.coef = {0, 1}}, 2, &d), FSR_SOMETIMES);
    assert_false(fsr_box_mergeable(&box, 0, 4));
}

/* A run that begins where a value says: it goes along the dimension, whichever way it was asked for, and rows of it are
 * a run of the flat index. */
static void moved(void **state) {
    (void)state;
    const fsr_domain d = {.ndim = 2, .nparallel = 2, .extent = {7, 4}};
    for (int64_t way = -1; way <= 1; way += 2)
        for (int64_t offset = -3; offset <= 9; offset++) {
            fsr_affine a = {.offset = offset, .coef = {way}, .nterms = 1, .value = {5}, .factor = {-1}};
            fsr_box box;
            assert_int_equal(fsr_box_make(&box, &a, 3, &d), FSR_SOMETIMES);
            check(&a, 3, &d, FSR_SOMETIMES, &box);
            assert_int_equal(box.at.coef[0], 1);
            assert_true(fsr_box_mergeable(&box, 0, 4));
            fsr_box_merge(&box, 0, 4);
            for (int64_t i = 0; i < 28; i++)
                assert_int_equal(holds(&box, &i, 1), wanted(&a, 3, (int64_t[]){i / 4, i % 4}, 2));
        }
}

/* Bounds of 2^62: the congruence must not overflow. */
static void large(void **state) {
    (void)state;
    const fsr_domain d = {.ndim = 1, .nparallel = 1, .extent = {(int64_t)1 << 62}};
    fsr_affine a = {.offset = -3, .coef = {1000003}, .over = ((int64_t)1 << 31) - 1};
    fsr_box box;
    assert_int_equal(fsr_box_make(&box, &a, (int64_t)1 << 31, &d), FSR_SOMETIMES);
    int64_t i = -box.at.offset;
    assert_int_equal((int64_t)(((__int128)i * 1000003 - 3) % a.over), 0);
}

/* (i - start) / step, and back into an address. */
static void into(void **state) {
    (void)state;
    fsr_affine i = {.coef = {1}}, out, again;
    fsr_affine_into(&out, &i, 9, -3);
    assert_int_equal(out.offset, 9);
    assert_int_equal(out.coef[0], -1);
    assert_int_equal(out.over, 3);
    fsr_affine_into(&again, &out, 1, 2);
    assert_int_equal(again.over, 6);
    assert_int_equal(again.offset, 6);
    fsr_affine_into(&out, &(fsr_affine){.offset = 6, .coef = {4}}, 0, 2);
    assert_int_equal(out.over, 0);
    assert_int_equal(out.offset, 3);
    assert_int_equal(out.coef[0], 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(single),     cmocka_unit_test(several),
                                       cmocka_unit_test(rows_merge), cmocka_unit_test(moved),
                                       cmocka_unit_test(large),      cmocka_unit_test(into)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
