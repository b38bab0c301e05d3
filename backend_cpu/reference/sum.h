/* SPDX-License-Identifier: MIT */
/* Running float sums and products with the error bound of any order of evaluation. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_SUM_H
#define FUSOR_BACKEND_CPU_REFERENCE_SUM_H

#include "backend_cpu/reference/ball.h"

/* Zero it to start. */
typedef struct fsr_ref_sum {
    int64_t n;
    long double sum, lost;          /* the sum of the finite centres, and what rounding took from it */
    long double magnitude;          /* sum of |centre| + radius */
    long double radius;             /* sum of the radii */
    bool unknown, nan, plus, minus; /* there was an unknown, a NaN, an infinity */
    bool above, below;              /* some element may be positive; negative */
    bool fraction;                  /* some element is not a known integer */
    bool positive;                  /* some element is no -0 for certain: then an exact sum of 0 is +0 */
} fsr_ref_sum;

/* A real number, +-radius. */
void fsr_ref_sum_add(fsr_ref_sum *s, long double center, double radius);
/* The sum, where no element passes through more than `depth` roundings. */
fsr_ball fsr_ref_sum_get(const fsr_ref_sum *s, fsr_dtype dtype, double depth);
/* The complex number of two sums, of real and of imaginary parts. */
fsr_ball fsr_ref_sum_complex(fsr_ball re, fsr_ball im);

/* Zero it to start. */
typedef struct fsr_ref_product {
    int64_t n;
    long double center, radius; /* of the product so far, if n > 0 */
    double up, down;            /* sums of the positive and the negative binary logarithms */
    double log;                 /* log2 |centre| */
    bool negative, unknown, nan, infinite, zero, straddle;
    bool unsign; /* a factor is a zero of either sign */
    bool fraction;
} fsr_ref_product;

void fsr_ref_product_add(fsr_ref_product *p, const fsr_ball *x);
fsr_ball fsr_ref_product_get(const fsr_ref_product *p, fsr_dtype dtype);

#endif
