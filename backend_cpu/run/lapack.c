/* SPDX-License-Identifier: MIT */
/* LAPACK, whose functions OpenBLAS has beside its own, by their names in Fortran: every parameter is an address, and
 * lengths of texts stand behind the others. Its matrices go by columns: a row-major one is its transpose, as
 * graph/linalg.h has arranged. */
#include "backend_cpu/run/blas.h"
#include "backend_cpu/run/linalg.h"
#include "fusion/linalg.h"
#include "graph/ops.h"
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef void gesdd_real(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                        const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, int *iwork, int *info,
                        size_t);
typedef void gesdd_complex(const char *job, const int *m, const int *n, void *a, const int *lda, void *s, void *u,
                           const int *ldu, void *vt, const int *ldvt, void *work, const int *lwork, void *rwork,
                           int *iwork, int *info, size_t);
typedef void syevd_real(const char *job, const char *triangle, const int *n, void *a, const int *lda, void *w,
                        void *work, const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
typedef void syevd_complex(const char *job, const char *triangle, const int *n, void *a, const int *lda, void *w,
                           void *work, const int *lwork, void *rwork, const int *lrwork, int *iwork, const int *liwork,
                           int *info, size_t, size_t);

bool fsr_lapack_find(fsr_lapack *out, fsr_dtype dtype) {
    const bool complex = fsr_dtype_is_complex(dtype), wide = dtype == FSR_F64 || dtype == FSR_C128;
    const char letter = complex ? wide ? 'z' : 'c' : wide ? 'd' : 's';
    const struct {
        const char *name;
        void *to;
    } wanted[] = {{"getrf", &out->getrf},
                  {"getrs", &out->getrs},
                  {"potrf", &out->potrf},
                  {"geqrf", &out->geqrf},
                  {complex ? "ungqr" : "orgqr", &out->orgqr},
                  {"gesdd", &out->gesdd},
                  {complex ? "heevd" : "syevd", &out->syevd}};
    fsr_blas blas;
    *out = (fsr_lapack){.complex = complex, .wide = wide};
    if (!fsr_blas_find(&blas))
        return false;
    out->threads = blas.threads;
    out->set_threads = blas.set_threads;
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        char name[16];
        snprintf(name, sizeof name, "%c%s_", letter, wanted[i].name);
        if (!(*(void **)wanted[i].to = dlsym(blas.library, name)))
            return false;
    }
    return true;
}

/* A problem, its dtype's sizes, and its room: the copy of the matrix, and what is behind it. */
typedef struct job {
    const fsr_lapack *f;
    const fsr_linalg_one *o;
    size_t element;
    char *copy, *rest;
    int left; /* elements behind the copy */
    int rows, cols;
} job;

/* The next part of the room. */
static void *part(job *j, int elements) {
    void *at = j->rest;
    j->rest += (size_t)elements * j->element;
    j->left -= elements;
    return at;
}

static bool solve(job *j) {
    const int n = j->cols, sides = (int)j->o->l->more;
    int *pivot = part(j, n + 4), info;
    j->f->getrf(&n, &n, j->copy, &n, pivot, &info);
    if (info || !j->o->out[0])
        return info == 0;
    memcpy(j->o->out[0], j->o->b, (size_t)n * (size_t)sides * j->element);
    j->f->getrs("T", &n, &sides, j->copy, &n, pivot, j->o->out[0], &n, &info, 1);
    return info == 0;
}

static bool lu(job *j) {
    const int n = j->cols;
    int *pivot = j->o->out[1] ? j->o->out[1] : part(j, n + 4), info;
    j->f->getrf(&n, &n, j->copy, &n, pivot, &info);
    if (j->o->out[0])
        memcpy(j->o->out[0], j->copy, (size_t)n * (size_t)n * j->element);
    return true;
}

static bool cholesky(job *j) {
    const int n = j->cols;
    int info = 0;
    if (!j->o->out[0])
        return true;
    memcpy(j->o->out[0], j->o->a, (size_t)n * (size_t)n * j->element);
    j->f->potrf("U", &n, j->o->out[0], &n, &info, 1);
    return info == 0;
}

static bool qr(job *j) {
    const int n = j->rows, m = j->cols, k = m < n ? m : n, columns = (int)j->o->l->more;
    int info;
    void *tau = part(j, k), *q = j->o->out[0];
    j->f->geqrf(&m, &n, j->copy, &m, tau, j->rest, &j->left, &info);
    if (j->o->out[1])
        memcpy(j->o->out[1], j->copy, (size_t)m * (size_t)n * j->element);
    if (!q || info)
        return info == 0;
    memcpy(q, j->copy, (size_t)m * (size_t)k * j->element);
    j->f->orgqr(&m, &columns, &k, q, &m, tau, j->rest, &j->left, &info);
    return info == 0;
}

/* u and v' of the transpose are v' and u of the matrix. */
static bool svd(job *j) {
    const fsr_linalg_one *o = j->o;
    const bool values = o->l->kind == FSR_LINALG_SVDVALS;
    const int m = j->rows, n = j->cols, k = m;
    const char *want = values ? "N" : "S";
    int info;
    void *s = values ? o->out[0] : o->out[1];
    s = s ? s : part(j, k);
    void *u = values ? j->rest : o->out[0] ? o->out[0] : part(j, m * k);
    void *vt = values ? j->rest : o->out[2] ? o->out[2] : part(j, k * n);
    int *integers = part(j, 8 * k);
    if (!j->f->complex) {
        ((gesdd_real *)j->f->gesdd)(want, &n, &m, j->copy, &n, s, vt, &n, u, &k, j->rest, &j->left, integers, &info, 1);
    } else {
        const int five = 5 * k * k + 5 * k, two = 2 * n * k + 2 * k * k + k, reals = five > two ? five : two;
        void *room = part(j, reals / 2 + 8);
        ((gesdd_complex *)j->f->gesdd)(want, &n, &m, j->copy, &n, s, vt, &n, u, &k, j->rest, &j->left, room, integers,
                                       &info, 1);
    }
    return info == 0;
}

static bool eigh(job *j) {
    const fsr_linalg_one *o = j->o;
    const bool vectors = o->l->kind == FSR_LINALG_EIGH;
    const char *want = vectors ? "V" : "N";
    const int n = j->cols, nint = 5 * n + 3;
    int info, *integers = part(j, nint + 1);
    void *w = o->out[0] ? o->out[0] : part(j, n);
    if (!j->f->complex) {
        ((syevd_real *)j->f->syevd)(want, "U", &n, j->copy, &n, w, j->rest, &j->left, integers, &nint, &info, 1, 1);
    } else {
        const int reals = 2 * n * n + 5 * n + 1;
        void *room = part(j, reals / 2 + 1);
        ((syevd_complex *)j->f->syevd)(want, "U", &n, j->copy, &n, w, j->rest, &j->left, room, &reals, integers, &nint,
                                       &info, 1, 1);
    }
    if (vectors && o->out[1])
        memcpy(o->out[1], j->copy, (size_t)n * (size_t)n * j->element);
    return info == 0;
}

/* The iterations of LAPACK need not end on what is not finite. Of Hermitian matrices the lower triangle is asked. */
static bool is_finite(const job *j, bool lower) {
    for (int i = 0; i < j->rows; i++) {
        const char *row = j->copy + (size_t)i * (size_t)j->cols * j->element;
        const int parts = (lower ? i + 1 : j->cols) << j->f->complex;
        for (int k = 0; k < parts; k++)
            if (j->f->wide ? !isfinite(((const double *)(const void *)row)[k])
                           : !isfinite(((const float *)(const void *)row)[k]))
                return false;
    }
    return true;
}

bool fsr_lapack_fits(const fsr_linalg *l) {
    return fsr_linalg_room(l) < INT_MAX / 2 && l->slot < INT_MAX / 2 && l->more < INT_MAX / 8;
}

bool fsr_lapack_run(const fsr_lapack *f, const fsr_linalg_one *one) {
    static bool (*const run[FSR_LINALG_KINDS])(job *) = {
        [FSR_LINALG_SOLVE] = solve, [FSR_LINALG_LU] = lu,        [FSR_LINALG_CHOLESKY] = cholesky,
        [FSR_LINALG_QR] = qr,       [FSR_LINALG_SVD] = svd,      [FSR_LINALG_SVDVALS] = svd,
        [FSR_LINALG_EIGH] = eigh,   [FSR_LINALG_EIGVALSH] = eigh};
    const fsr_linalg *l = one->l;
    const size_t element = (size_t)(f->wide ? 8 : 4) << f->complex, all = (size_t)(l->rows * l->cols);
    job j = {.f = f,
             .o = one,
             .element = element,
             .copy = one->room,
             .rest = (char *)one->room + all * element,
             .left = (int)(fsr_linalg_room(l) - (int64_t)all),
             .rows = (int)l->rows,
             .cols = (int)l->cols};
    if (l->kind != FSR_LINALG_CHOLESKY)
        memcpy(j.copy, one->a, all * element);
    if (l->kind >= FSR_LINALG_SVD && !is_finite(&j, l->kind >= FSR_LINALG_EIGH))
        return false;
    return run[l->kind](&j);
}
