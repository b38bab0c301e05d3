/* SPDX-License-Identifier: MIT */
/* Sums of products of arrays with labelled dimensions: what matmul, tensordot and einsum are.
 *
 * Each is a sum over some dimensions of the product of two arrays, which are brought to common dimensions by views:
 * labels say which dimension of an array is which of the product's. Small ones stay that, and fuse; of large ones a
 * plan makes a call where the machine has a library (fusion/contract.c), to which views are strides and no copies. Sums
 * of f16 and bf16 are f32 until the result. What only one of two arrays has, and the result has not, is summed before;
 * what is the same label twice in one array is its diagonal. Counter-example to an einsum of three arrays as one sum of
 * products: ij,jk,kl->il of 1000 by 1000 matrices is 10^12 products that way, 2 * 10^9 two by two. */
#ifndef FUSOR_PRIMITIVES_PRODUCT_H
#define FUSOR_PRIMITIVES_PRODUCT_H

#include "primitives/primitives.h"

enum { FSR_LABEL_BROADCAST = 256 }; /* labels from here on are those of an ellipsis, from the right */

/* An array whose dimension i has the label label[i]. */
typedef struct fsr_term {
    fsr_node x;
    int n;
    int label[FSR_MAX_DIMS];
} fsr_term;

typedef struct fsr_product {
    fsr_graph *g;
    fsr_site at;
    const char *what; /* the builder's name */
    fsr_node poison;  /* once one of these functions has said false */
} fsr_product;

/* The dimension of that label, or -1. */
int fsr_term_find(const fsr_term *t, int label);
/* Both leave the poison: false, always; whether x is none. */
bool fsr_product_fail(fsr_product *p, fsr_status status, const char *why);
bool fsr_product_sound(fsr_product *p, fsr_node x);
/* Takes the arrays as terms without labels, in the dtype that is computed in; *dtype: the result's. */
bool fsr_product_take(fsr_product *p, const fsr_node *x, int n, fsr_term *t, fsr_dtype *dtype);
/* Sums what neither `other` nor `out` has. */
bool fsr_product_reduce(fsr_product *p, fsr_term *t, const fsr_term *other, const fsr_term *out);
/* The term with the dimensions of `all`, in that order; what it lacks has extent 1. */
bool fsr_product_spread(fsr_product *p, fsr_term *t, const fsr_term *all);
/* out->x, of out's labels: the product of both, summed over what out has not. */
bool fsr_product_multiply(fsr_product *p, fsr_term *a, fsr_term *b, fsr_term *out);

#endif
