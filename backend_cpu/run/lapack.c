/* SPDX-License-Identifier: MIT */
/* LAPACK, whose functions OpenBLAS has beside its own, by their names in Fortran: every parameter is an address, and
 * lengths of texts stand behind the others. Its matrices go by columns: a row-major one is its transpose, as
 * graph/linalg.h has arranged. */
#include "backend_cpu/run/blas.h"
#include "backend_cpu/run/linalg.h"
#include "fusion/linalg.h"
#include "graph/ops.h"
#include "graph/size.h"
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
    int64_t left; /* elements behind the copy */
    int rows, cols;
} job;

/* The next part of the room. */
static void *part(job *j, int64_t elements) {
    void *at = j->rest;
    j->rest += (size_t)elements * j->element;
    j->left -= elements;
    return at;
}

/* What is left of it, as far as LAPACK's integers can say so: more than the least is for speed alone. */
static int room_left(const job *j) {
    return j->left < INT_MAX ? (int)j->left : INT_MAX;
}

static bool solve(job *j) {
    const int n = j->cols, sides = (int)j->o->l->more;
    int *pivot = part(j, (int64_t)n + 4), info;
    j->f->getrf(&n, &n, j->copy, &n, pivot, &info);
    if (info || !j->o->out[0])
        return info == 0;
    memcpy(j->o->out[0], j->o->b, (size_t)n * (size_t)sides * j->element);
    j->f->getrs("T", &n, &sides, j->copy, &n, pivot, j->o->out[0], &n, &info, 1);
    return info == 0;
}

static bool lu(job *j) {
    const int n = j->cols;
    int *pivot = j->o->out[1] ? j->o->out[1] : part(j, (int64_t)n + 4), info;
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
    void *tau = part(j, k), *q = j->o->out[0];
    const int left = room_left(j);
    int info;
    j->f->geqrf(&m, &n, j->copy, &m, tau, j->rest, &left, &info);
    if (j->o->out[1])
        memcpy(j->o->out[1], j->copy, (size_t)m * (size_t)n * j->element);
    if (!q || info)
        return info == 0;
    memcpy(q, j->copy, (size_t)m * (size_t)k * j->element);
    j->f->orgqr(&m, &columns, &k, q, &m, tau, j->rest, &left, &info);
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
    void *u = values ? j->rest : o->out[0] ? o->out[0] : part(j, (int64_t)m * k);
    void *vt = values ? j->rest : o->out[2] ? o->out[2] : part(j, (int64_t)k * n);
    int *integers = part(j, 8 * (int64_t)k);
    if (!j->f->complex) {
        const int left = room_left(j);
        ((gesdd_real *)j->f->gesdd)(want, &n, &m, j->copy, &n, s, vt, &n, u, &k, j->rest, &left, integers, &info, 1);
    } else {
        const int64_t square = (int64_t)k * k, five = 5 * square + 5 * k, two = 2 * (int64_t)n * k + 2 * square + k;
        void *room = part(j, (values ? 7 * (int64_t)k : five > two ? five : two) / 2 + 8);
        const int left = room_left(j);
        ((gesdd_complex *)j->f->gesdd)(want, &n, &m, j->copy, &n, s, vt, &n, u, &k, j->rest, &left, room, integers,
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
        const int left = room_left(j);
        ((syevd_real *)j->f->syevd)(want, "U", &n, j->copy, &n, w, j->rest, &left, integers, &nint, &info, 1, 1);
    } else {
        const int reals = 2 * n * n + 5 * n + 1;
        void *room = part(j, reals / 2 + 1);
        const int left = room_left(j);
        ((syevd_complex *)j->f->syevd)(want, "U", &n, j->copy, &n, w, j->rest, &left, room, &reals, integers, &nint,
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

/* Elements that LAPACK asks for, which it counts in its own integers: 4 k^2 for singular vectors, 2 n^2 for
 * eigenvalues, and for blocks 80 of each row and column. So singular vectors of square matrices end at sides of 23,150,
 * eigenvalues at 32,728, and what needs no square at INT_MAX / 128. */
static int64_t asked(const fsr_linalg *l) {
    const int64_t square = fsr_size_mul(l->rows, l->rows), blocks = fsr_size_mul(80, fsr_size_add(l->rows, l->cols));
    const bool eigen = l->kind == FSR_LINALG_EIGH || l->kind == FSR_LINALG_EIGVALSH;
    return fsr_size_add(fsr_size_mul(l->kind == FSR_LINALG_SVD ? 4 : eigen ? 2 : 0, square), fsr_size_add(blocks, 64));
}

bool fsr_lapack_fits(const fsr_linalg *l) {
    enum { MOST_SIDE = INT_MAX / 128 };
    return l->rows <= MOST_SIDE && l->cols <= MOST_SIDE && l->more <= MOST_SIDE && asked(l) <= INT_MAX;
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
             .left = fsr_linalg_room(l) - (int64_t)all,
             .rows = (int)l->rows,
             .cols = (int)l->cols};
    if (l->kind != FSR_LINALG_CHOLESKY)
        memcpy(j.copy, one->a, all * element);
    if (l->kind >= FSR_LINALG_SVD && !is_finite(&j, l->kind >= FSR_LINALG_EIGH))
        return false;
    return run[l->kind](&j);
}
