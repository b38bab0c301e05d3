/* SPDX-License-Identifier: MIT */
/* Problems of linear algebra in long double, complex throughout. Shared by linalg.c and spectrum.c. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_LINALG_H
#define FUSOR_BACKEND_CPU_REFERENCE_LINALG_H

#include "backend_cpu/reference/library.h"
#include "graph/linalg.h"
#include <complex.h>

typedef long double complex fsr_ref_number;

/* One matrix, row after row, its results, and what is known of them. */
typedef struct fsr_ref_problem {
    fsr_linalg l;
    fsr_dtype dtype;
    fsr_ref_number *a, *b; /* b: of SOLVE */
    double error, b_error; /* how far the matrices may be from what a backend has computed with, as norms */
    bool known;            /* nothing in them is unknown or not finite */
    bool solved;
    fsr_ref_number *out[FSR_LINALG_RESULTS];
    double *radius[FSR_LINALG_RESULTS]; /* INFINITY: nobody knows */
    bool *either[FSR_LINALG_RESULTS];   /* of either sign, or phase: anything of this magnitude */
} fsr_ref_problem;

/* Fill out, radius and either, which are 0; false: out of memory. */
bool fsr_ref_svd(fsr_ref_problem *x);
bool fsr_ref_eigh(fsr_ref_problem *x);
/* The root of the sum of squares. */
double fsr_ref_norm(const fsr_ref_number *x, int64_t n);
/* How far roundings alone take an m by n problem's matrix of this norm. */
double fsr_ref_backward(fsr_dtype dtype, int64_t m, int64_t n, double norm);

#endif
