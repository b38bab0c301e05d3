/* SPDX-License-Identifier: MIT */
/* Folds by operators whose error no proof covers: one row in ball arithmetic, along one tree, a reduction along two. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_ESTIMATE_H
#define FUSOR_BACKEND_CPU_REFERENCE_ESTIMATE_H

#include "backend_cpu/reference/ball.h"
#include "graph/program.h"

enum { FSR_REF_ESTIMATE_LEVELS = 64 };

typedef struct fsr_ref_estimate {
    const fsr_combine *combine;
    bool scan;
    int64_t n;
    fsr_ball state[FSR_MAX_TUPLE];                          /* scans; of a reduction the block that is not whole */
    fsr_ball blocks[FSR_MAX_TUPLE];                         /* of a reduction those before it, from left to right */
    fsr_ball stack[FSR_REF_ESTIMATE_LEVELS][FSR_MAX_TUPLE]; /* reductions: level k holds 2^k elements if bit k is set */
    long double largest[FSR_MAX_TUPLE];
    long double prefix[FSR_MAX_TUPLE]; /* the fold from left to right */
    long double least[FSR_MAX_TUPLE];  /* of its magnitudes that are not 0, and 1 */
    double spread;                     /* of complex elements, sum of |log2 |x|| */
    bool beyond;                       /* some order may leave a component's range */
    bool nan;                          /* a NaN was folded */
    bool odd[FSR_MAX_TUPLE];           /* the identity made some state infinite or NaN */
    bool first_odd[FSR_MAX_TUPLE];     /* it changed the first element */
} fsr_ref_estimate;

void fsr_ref_estimate_start(fsr_ref_estimate *e, const fsr_combine *combine, bool scan);
void fsr_ref_estimate_push(fsr_ref_estimate *e, const fsr_ball *x);
/* The fold of what was pushed, n > 0. depth: roundings that an element of a reduction may pass through. */
void fsr_ref_estimate_get(const fsr_ref_estimate *e, double depth, fsr_ball *out);

#endif
