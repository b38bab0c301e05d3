/* SPDX-License-Identifier: MIT */
/* Reductions and scans of plain values: one row. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_PLAIN_H
#define FUSOR_BACKEND_CPU_REFERENCE_PLAIN_H

#include "graph/program.h"

enum { FSR_REF_PLAIN_LEVELS = 64 };

/* A part of a sum: of the finite values, what rounding took from it, and of the others. */
typedef struct fsr_ref_plain_sum {
    long double sum, lost, odd;
} fsr_ref_plain_sum;

typedef struct fsr_ref_plain {
    const fsr_combine *combine;
    bool scan;
    int64_t n;
    fsr_ref_plain_sum part[2];                            /* built-in float sums: real, imaginary */
    long double product;                                  /* built-in float products */
    fsr_value stack[FSR_REF_PLAIN_LEVELS][FSR_MAX_TUPLE]; /* reductions: level k holds 2^k elements if bit k is set */
    fsr_value carry[FSR_MAX_TUPLE], strip[FSR_MAX_TUPLE]; /* scans: what lies before the strip; the strip so far */
} fsr_ref_plain;

void fsr_ref_plain_start(fsr_ref_plain *p, const fsr_combine *combine, bool scan);
void fsr_ref_plain_push(fsr_ref_plain *p, const fsr_value *x);
/* The fold of what was pushed; of nothing the identity. */
void fsr_ref_plain_get(const fsr_ref_plain *p, fsr_value *out);

#endif
