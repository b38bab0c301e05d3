/* SPDX-License-Identifier: MIT */
/* Folds by operators that are sums of products (form.h), with a bound that holds for every tree: one row. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_MAJORANT_H
#define FUSOR_BACKEND_CPU_REFERENCE_MAJORANT_H

#include "backend_cpu/reference/ball.h"
#include "backend_cpu/reference/form.h"

typedef struct fsr_ref_majorant {
    const fsr_ref_form *form;
    int64_t n;
    fsr_ball first[FSR_MAX_TUPLE];
    long double center[FSR_MAX_TUPLE];
    fsr_ref_major sum;                  /* of the products' magnitudes; `more` is what inputs and joins may add */
    long double run[FSR_MAX_TUPLE];     /* the largest that a part of the row ending here may be */
    long double largest[FSR_MAX_TUPLE]; /* the largest that any part of the row may be */
    bool nan, murky;                    /* a NaN was folded; an infinity, or what the identity makes NaN */
    bool fraction;                      /* some element is not a known integer */
} fsr_ref_majorant;

void fsr_ref_majorant_start(fsr_ref_majorant *m, const fsr_ref_form *form);
void fsr_ref_majorant_push(fsr_ref_majorant *m, const fsr_ball *x);
/* The fold of what was pushed, n > 0, over any tree in which no element is the left operand more than `left` times and
 * the right one more than `right` times, but for folds with the identity, which count for nothing. */
void fsr_ref_majorant_get(const fsr_ref_majorant *m, double left, double right, fsr_ball *out);

#endif
