/* SPDX-License-Identifier: MIT */
/* Operators that are sums of products: what a proof of their error needs to know. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_FORM_H
#define FUSOR_BACKEND_CPU_REFERENCE_FORM_H

#include "graph/program.h"

/* An operator each of whose results is a sum of terms l_q r_s, l_q and r_q of components of the left and the right
 * operand, with constants before them. See form.c. */
typedef struct fsr_ref_form {
    bool fits;
    const fsr_combine *combine;
    int roundings;                 /* at most, of a term l_q r_s, beside those of l_q and r_s */
    int left[FSR_MAX_TUPLE];       /* what an error grows by, in roundings, for each time that an element is */
    int right[FSR_MAX_TUPLE];      /* in the left (right) operand: of the component */
    int products;                  /* roundings that may underflow */
    unsigned needs[FSR_MAX_TUPLE]; /* bit q: the component is q, or depends on q, at any depth */
    bool whole;                    /* its constants are integers */
    long double constant[FSR_MAX_BODY_INSTS]; /* of the instructions that are constants; 0 elsewhere */
    bool sided[FSR_MAX_BODY_INSTS];           /* the instruction reads one operand only */
} fsr_ref_form;

/* fits says whether the rest has a meaning. */
void fsr_ref_form_make(fsr_ref_form *f, const fsr_combine *c);
/* The operator with every minus a plus, on numbers of no sign: out[p] from left and right, and how much that is more
 * where these are more by left_more and right_more. */
typedef struct fsr_ref_major {
    long double most[FSR_MAX_TUPLE], more[FSR_MAX_TUPLE];
} fsr_ref_major;
void fsr_ref_form_major(const fsr_ref_form *f, const fsr_ref_major *left, const fsr_ref_major *right,
                        fsr_ref_major *out);
/* The largest step that reads one operand only, where that is at most `most`. */
long double fsr_ref_form_largest(const fsr_ref_form *f, const long double *most);

#endif
