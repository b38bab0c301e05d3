/* SPDX-License-Identifier: MIT */
/* Values with a length that only the device knows, as builders have them among themselves. */
#ifndef FUSOR_PRIMITIVES_LIVE_H
#define FUSOR_PRIMITIVES_LIVE_H

#include "primitives/primitives.h"

/* What origins are made of: a node, and what of it the length is. */
typedef enum fsr_counted {
    FSR_COUNTS_TRUE,   /* how many elements hold */
    FSR_COUNTS_FALSE,  /* how many do not */
    FSR_COUNTS_ITSELF, /* its value */
    FSR_COUNTS_SUM,    /* its sum */
    FSR_COUNTS_RUNS,   /* its runs of equal elements */
    FSR_COUNTS_KINDS,  /* how many different elements it has, NaN being one */
    FSR_COUNTS_EACH,   /* the same, each NaN being one of its own */
    FSR_COUNTED
} fsr_counted;

/* The length that `count`, i64 of no dimensions, in [0, most], gives; it is told from others by x. */
fsr_length fsr_length_of(fsr_site at, fsr_node x, fsr_counted how, fsr_node count, int64_t most);
/* Its count. */
fsr_node fsr_length_count(fsr_graph *g, const fsr_length *length);
/* x, a record that nobody else has yet, with a length. */
fsr_node fsr_with_length(fsr_node x, const fsr_length *length);
/* x with its capacity as its length, behind which anything may be. */
fsr_node fsr_without_length(fsr_site at, fsr_node x);

/* The length of what is computed of n sound operands element by element: that of those which have one, origin 0 if none
 * has. Others are one element. False, and *poison: they do not meet. */
bool fsr_lengths_meet(fsr_site at, const char *what, const fsr_node *x, int n, fsr_length *out, fsr_node *poison);

/* x's first elements, as many as the length says, then the fill, 0-d and of x's dtype. */
fsr_node fsr_prefix(fsr_site at, fsr_node x, fsr_node fill, const fsr_length *length);
/* The same of a scatter's first indices, whose fill leads nowhere. */
fsr_node fsr_prefix_nowhere(fsr_site at, fsr_node x, fsr_node fill, const fsr_length *length);
/* For a fold by combine: what of in[0..arity) lies behind the length that one of them has becomes the identity, in
 * out. */
void fsr_live_fold_operands(fsr_site at, fsr_node *out, const fsr_node *in, const fsr_combine *combine);
/* How many elements a fold over the axes of mask folds, less `less`, at least 0, in dtype: of a length, or known
 * now. */
fsr_node fsr_folded_count(fsr_site at, fsr_node x, uint32_t mask, fsr_dtype dtype, double less);

/* x; where `number`, i64 of no dimensions, is not 0 that is reported when it is computed. */
fsr_node fsr_told(fsr_site at, fsr_node x, fsr_node number, fsr_says says);
/* out, made of x's elements: where x has a length it is told if that is 0. */
fsr_node fsr_told_empty(fsr_site at, fsr_node out, fsr_node x);

/* x without a length: behind the one that it has stands what is last in the order, ascending or not, of its real
 * numbers. */
fsr_node fsr_order_filled(fsr_site at, fsr_node x, bool descending);

/* What the mask selects of x, by itself or, where both have one length, of what is there; its length is told by
 * origin. */
fsr_node fsr_compressed(fsr_site at, const char *what, fsr_node mask, fsr_node x, fsr_node origin, fsr_counted how);

/* How many elements x, of one dimension, has, i64 of no dimensions: as many as the length says, if that has an
 * origin. */
fsr_node fsr_there(fsr_site at, fsr_node x, const fsr_length *length);
/* Of places in ascending order, with a length: from each to the next one, from the last one to `end`. */
fsr_node fsr_distances(fsr_site at, fsr_node places, fsr_node end);

/* fsr_take and fsr_index where x or the indices have a length. */
fsr_node fsr_live_take(fsr_site at, const char *what, fsr_node x, fsr_node indices, int axis, fsr_index_mode mode);
fsr_node fsr_live_index(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_index_mode mode);
/* Makes the arrays of indices, n of at least 1, and the values, one of which has a length, ones without, of a scatter
 * that has the mode that *mode becomes. False: *poison. */
bool fsr_live_scatter(fsr_site at, const char *what, fsr_node x, fsr_node *arrays, int n, fsr_node *values,
                      fsr_index_mode *mode, fsr_node *poison);
/* One of n nodes has a length. */
bool fsr_any_live(const fsr_node *x, int n);

/* x[start:stop:step] of a value with a length. */
fsr_node fsr_live_slice(fsr_site at, fsr_node x, int64_t start, int64_t stop, int64_t step);

#endif
