/* SPDX-License-Identifier: MIT */
/* One problem of linear algebra on a CPU (graph/linalg.h): by plain loops of its dtype, or by LAPACK. */
#ifndef FUSOR_BACKEND_CPU_LINALG_H
#define FUSOR_BACKEND_CPU_LINALG_H

#include "backend_cpu/run/vectors.h"
#include "graph/linalg.h"
#include <stddef.h>

typedef struct fsr_linalg_one {
    const fsr_linalg *l;
    const void *a, *b;             /* b: of SOLVE */
    void *out[FSR_LINALG_RESULTS]; /* NULL: nobody reads it */
    void *room;                    /* fusion/linalg.h says of how many elements */
    fsr_simd simd;                 /* that plain loops may use */
} fsr_linalg_one;

/* False: it was not solved. */
typedef bool fsr_linalg_fn(const fsr_linalg_one *one);

fsr_linalg_fn fsr_linalg_plain_f32, fsr_linalg_plain_f64, fsr_linalg_plain_c64, fsr_linalg_plain_c128;

/* LAPACK's functions for a dtype, out of the BLAS that is loaded. */
typedef struct fsr_lapack {
    bool complex, wide;
    int (*threads)(void); /* of the process */
    void (*set_threads)(int n);
    void (*getrf)(const int *m, const int *n, void *a, const int *lda, int *pivot, int *info);
    void (*getrs)(const char *form, const int *n, const int *sides, const void *a, const int *lda, const int *pivot,
                  void *b, const int *ldb, int *info, size_t);
    void (*potrf)(const char *triangle, const int *n, void *a, const int *lda, int *info, size_t);
    void (*geqrf)(const int *m, const int *n, void *a, const int *lda, void *tau, void *work, const int *lwork,
                  int *info);
    void (*orgqr)(const int *m, const int *n, const int *k, void *a, const int *lda, const void *tau, void *work,
                  const int *lwork, int *info);
    void *gesdd, *syevd; /* real and complex ones have other parameters */
} fsr_lapack;

/* False: there is none, or not with all of these functions. */
bool fsr_lapack_find(fsr_lapack *out, fsr_dtype dtype);
/* Its integers hold the problem's sizes. */
bool fsr_lapack_fits(const fsr_linalg *l);
bool fsr_lapack_run(const fsr_lapack *f, const fsr_linalg_one *one);

#endif
