/* SPDX-License-Identifier: MIT */
/* Products that a library may add up unrounded, and what it adds up. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_TIMES_H
#define FUSOR_BACKEND_CPU_REFERENCE_TIMES_H

#include "backend_cpu/reference/array.h"
#include "backend_cpu/reference/sum.h"

/* x y: the value as rounding gives it, the ball as FSR_BALL_CONTRACTED has it. */
void fsr_ref_times(fsr_dtype dtype, const fsr_ref_element *x, const fsr_ref_element *y, fsr_ball *ball,
                   fsr_value *value);

/* A sum of elements, or of products of two, in whatever order they are added: of the balls as folds have it, part by
 * part; of the values exactly. Zero it but for the dtype to start. */
typedef struct fsr_ref_total {
    fsr_dtype dtype;
    fsr_ref_sum part[2];
    long double value[2];
} fsr_ref_total;

void fsr_ref_total_add(fsr_ref_total *s, const fsr_ball *ball, fsr_value value);
void fsr_ref_total_times(fsr_ref_total *s, const fsr_ref_element *x, const fsr_ref_element *y);
/* Where no element passes through more than `depth` roundings. */
fsr_ref_element fsr_ref_total_get(const fsr_ref_total *s, double depth);

/* Elements of two views of one shape, multiplied whenever they are read. */
typedef struct fsr_ref_factors {
    fsr_shape shape;
    fsr_ref_view view[2];
} fsr_ref_factors;

/* An array of the products, which keeps the views' arrays. NULL: out of memory. */
fsr_ref_data *fsr_ref_products(fsr_dtype dtype, const fsr_shape *shape, const fsr_ref_view *in);
void fsr_ref_factors_free(fsr_ref_factors *f); /* NULL is allowed */
void fsr_ref_factors_read(const fsr_ref_factors *f, fsr_dtype dtype, int64_t at, fsr_ball *ball, fsr_value *value);

#endif
