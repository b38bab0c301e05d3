/* SPDX-License-Identifier: MIT */
/* Which problems LAPACK's integers hold, and what its functions are told of their workspace. */
#include "backend_cpu/run/linalg.h"
#include "fusion/linalg.h"
#include "tests/support/subject.h"
#include <limits.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- functions that fail ------------------------------------------------------------------------------------ */

static const char *failing; /* the one whose info is not 0 */
static int calls;           /* of it */

static void answer(const char *name, int *info) {
    *info = failing && !strcmp(failing, name);
    calls += *info;
}

static void one_getrf(const int *m, const int *n, void *a, const int *lda, int *pivot, int *info) {
    (void)m, (void)n, (void)a, (void)lda, (void)pivot;
    answer("getrf", info);
}

static void one_getrs(const char *form, const int *n, const int *sides_of, const void *a, const int *lda,
                      const int *pivot, void *b, const int *ldb, int *info, size_t length) {
    (void)form, (void)n, (void)sides_of, (void)a, (void)lda, (void)pivot, (void)b, (void)ldb, (void)length;
    answer("getrs", info);
}

static void one_potrf(const char *triangle, const int *n, void *a, const int *lda, int *info, size_t length) {
    (void)triangle, (void)n, (void)a, (void)lda, (void)length;
    answer("potrf", info);
}

static void one_geqrf(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *words,
                      int *info) {
    (void)m, (void)n, (void)a, (void)lda, (void)tau, (void)work, (void)words;
    answer("geqrf", info);
}

static void one_orgqr(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
                      const int *words, int *info) {
    (void)m, (void)n, (void)k, (void)a, (void)lda, (void)tau, (void)work, (void)words;
    answer("orgqr", info);
}

static void one_gesdd(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                      const int *ldu, void *vt, const int *ldvt, void *work, const int *words, int *integers, int *info,
                      size_t length) {
    (void)job, (void)m, (void)n, (void)a, (void)lda, (void)s, (void)u, (void)ldu, (void)vt, (void)ldvt, (void)work;
    (void)words, (void)integers, (void)length;
    answer("gesdd", info);
}

static void one_syevd(const char *job, const char *triangle, const int *n, void *a, const int *lda, void *w, void *work,
                      const int *words, int *integers, const int *nintegers, int *info, size_t length, size_t last) {
    (void)job, (void)triangle, (void)n, (void)a, (void)lda, (void)w, (void)work, (void)words, (void)integers;
    (void)nintegers, (void)length, (void)last;
    answer("syevd", info);
}

static bool solved(fsr_linalg_kind kind) {
    enum { N = 3 };
    double a[N * N] = {4, 1, 0, 1, 4, 1, 0, 1, 4}, b[N * N] = {1, 2, 3}, out[3][N * N];
    fsr_lapack f = {.wide = true,
                    .getrf = one_getrf,
                    .getrs = one_getrs,
                    .potrf = one_potrf,
                    .geqrf = one_geqrf,
                    .orgqr = one_orgqr};
    fsr_linalg l;
    *(void (**)(const char *, const int *, const int *, void *, const int *, void *, void *, const int *, void *,
                const int *, void *, const int *, int *, int *, size_t))(void *)&f.gesdd = one_gesdd;
    *(void (**)(const char *, const char *, const int *, void *, const int *, void *, void *, const int *, int *,
                const int *, int *, size_t, size_t))(void *)&f.syevd = one_syevd;
    fsr_linalg_make(&l, kind, &(fsr_shape){2, {N, N}}, kind == FSR_LINALG_QR ? N : 1);
    const fsr_linalg_one one = {.l = &l,
                                .a = a,
                                .b = b,
                                .out = {out[0], out[1], out[2]},
                                .room = calloc((size_t)fsr_linalg_room(&l), sizeof *a)};
    assert_non_null(one.room);
    const bool is = fsr_lapack_run(&f, &one);
    free(one.room);
    return is;
}

/* Each function that is loaded fails in each problem that calls it, which is then not solved; and the next one is. */
static void functions_fail(void **state) {
    (void)state;
    static const struct {
        const char *name;
        fsr_linalg_kind kind;
    } row[] = {{"getrf", FSR_LINALG_SOLVE},   {"getrs", FSR_LINALG_SOLVE}, {"potrf", FSR_LINALG_CHOLESKY},
               {"geqrf", FSR_LINALG_QR},      {"orgqr", FSR_LINALG_QR},    {"gesdd", FSR_LINALG_SVD},
               {"gesdd", FSR_LINALG_SVDVALS}, {"syevd", FSR_LINALG_EIGH},  {"syevd", FSR_LINALG_EIGVALSH}};
    for (int i = 0; i < COUNT_OF(row); i++) {
        failing = row[i].name;
        calls = 0;
        assert_false(solved(row[i].kind));
        assert_int_equal(calls, 1);
        failing = NULL;
        assert_true(solved(row[i].kind));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(sides), cmocka_unit_test(values_alone),
                                       cmocka_unit_test(workspace), cmocka_unit_test(functions_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
