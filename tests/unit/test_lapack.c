/* SPDX-License-Identifier: MIT */
/* Which problems LAPACK's integers hold, and what its functions are told of their workspace. */
#include "backend_cpu/run/linalg.h"
#include "fusion/linalg.h"
#include "tests/support/subject.h"
#include <limits.h>
#include <stdlib.h>

static bool fits(fsr_linalg_kind kind, int64_t rows, int64_t cols, int64_t more) {
    const fsr_shape shape = {2, {rows, cols}};
    fsr_linalg l;
    fsr_linalg_make(&l, kind, &shape, more);
    return fsr_lapack_fits(&l);
}

/* The last side that is one, and the next. */
static void sides(void **state) {
    (void)state;
    assert_true(fits(FSR_LINALG_SVD, 23150, 23150, 0) && !fits(FSR_LINALG_SVD, 23151, 23151, 0));
    assert_true(fits(FSR_LINALG_SVDVALS, 1 << 20, 1 << 20, 0)); /* a row or column at a time */
    assert_true(fits(FSR_LINALG_EIGH, 32728, 32728, 0) && !fits(FSR_LINALG_EIGH, 32729, 32729, 0));
    assert_true(fits(FSR_LINALG_SOLVE, 60000, 60000, 60000) && fits(FSR_LINALG_LU, 60000, 60000, 0));
    assert_true(fits(FSR_LINALG_CHOLESKY, 60000, 60000, 0) && fits(FSR_LINALG_QR, 60000, 50000, 50000));
    assert_true(fits(FSR_LINALG_SVD, 10, 1 << 23, 0) && !fits(FSR_LINALG_SVD, 10, 1 << 25, 0));
    assert_false(fits(FSR_LINALG_SOLVE, 4, 4, (int64_t)1 << 40));
}

/* Values alone need no square besides the matrix' copy. */
static void values_alone(void **state) {
    (void)state;
    fsr_linalg l;
    fsr_linalg_make(&l, FSR_LINALG_SVDVALS, &(fsr_shape){2, {500, 700}}, 0);
    assert_int_equal(fsr_linalg_room(&l), 500 * 700 + 80 * 1200 + 64);
}

/* Of the last call. */
static struct {
    const char *work;
    int words;
} told;

static void geqrf(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *words,
                  int *info) {
    (void)m, (void)n, (void)a, (void)lda, (void)tau;
    told.work = work;
    told.words = *words;
    *info = 0;
}

/* The workspace lies in the room, which is as long as it says. */
static void workspace(void **state) {
    (void)state;
    const fsr_shape shape = {2, {7, 90}};
    fsr_linalg l;
    fsr_linalg_make(&l, FSR_LINALG_QR, &shape, 7);
    const int64_t room = fsr_linalg_room(&l);
    double a[7 * 90] = {0};
    const fsr_lapack f = {.wide = true, .geqrf = geqrf};
    const fsr_linalg_one one = {.l = &l, .a = a, .room = malloc((size_t)room * sizeof *a)};
    assert_non_null(one.room);
    assert_true(fsr_lapack_run(&f, &one));
    assert_true(told.work - (const char *)one.room == (7 * 90 + 7) * 8);
    assert_int_equal(told.words, room - 7 * 90 - 7);
    assert_true(told.words >= 90 * 64);
    free(one.room);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides), cmocka_unit_test(values_alone),
                                       cmocka_unit_test(workspace)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
