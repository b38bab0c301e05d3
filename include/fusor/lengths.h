/* SPDX-License-Identifier: MIT */
/* Filters, and values with a length that only the device knows. */
#ifndef FUSOR_LENGTHS_H
#define FUSOR_LENGTHS_H

#include "fusor/node.h"

FSR_API_BEGIN

/* ---- filters --------------------------------------------------------------------------------- */

/* NumPy's x[mask], as long as x: the elements where the mask is true, in C order, then the fill value. mask: of x's
 * shape (else FSR_ERR_SHAPE), anything that is not 0 is true; the result is 1-d, of x's dtype and size. fill: 0-d,
 * converted to x's dtype. How many elements were selected is fsr_count_nonzero(mask), computed in the same kernel if
 * it is asked for together. What else is done to x before and to the result after, element by element, and reductions
 * of the result, belong to that kernel too; several arrays filtered by one mask are one kernel. */
fsr_node fsr_filter_at(fsr_site at, fsr_node x, fsr_node mask, fsr_node fill);
#define fsr_filter(...) fsr_filter_at(FSR_HERE, __VA_ARGS__)

/* ---- values with a length that only the device knows ---------------------------------------------- */

/* NumPy's x[mask] has as many elements as the mask holds for: that is known when the program has run. Such a value has
 * one dimension, whose extent (fsr_node_dim) is a capacity: memory for the most elements there can be. Its first
 * elements are there, as many as a count on the device says, which is the value's length; behind them there is
 * anything.
 *
 * What is computed of it sees what is there, without a trip to the host: elementwise functions, casts, fsr_iterate,
 * random numbers, fsr_searchsorted (its keys too), fsr_digitize (its bins too), fsr_interp (its points too),
 * reductions, scans, fsr_slice, fsr_flip and fsr_diff, where limits are clipped to the length and negative ones count
 * from its end; fsr_take and fsr_index of it, whose indices it bounds, and at it; fsr_scatter and its kin of it, to
 * indices of its length; fsr_sort, fsr_argsort, fsr_topk, fsr_argtopk (as many of the first k as there are),
 * fsr_sort_by_key, fsr_lexsort, fsr_rank, fsr_unique and fsr_isin; fsr_kth, medians, quantiles and fsr_mode;
 * fsr_concat; fsr_bincount and fsr_histogram; what is asked of segments of it, or between offsets of such a length.
 * Other functions are FSR_ERR_UNSUPPORTED: fsr_filled gives them an array. Two such values meet only if their length is
 * the same one: of one mask, of one value, of slices that shorten both alike; else FSR_ERR_SHAPE, with the lines where
 * both were counted. With others only single elements meet; no length broadcasts as 1, whatever the count. A reduction
 * that needs an element is FSR_ERR_EMPTY where an index outside is told (fsr_index_mode). Computing a value computes
 * its count.
 *
 * x[mask]: the elements for which the mask, of x's shape (else FSR_ERR_SHAPE), is not 0, in C order, with x's size as
 * capacity. NumPy's compress. One kernel with what is done before and after, which writes what is selected and no
 * more. */
fsr_node fsr_compress_at(fsr_site at, fsr_node mask, fsr_node x);
#define fsr_compress(...) fsr_compress_at(FSR_HERE, __VA_ARGS__)
/* The indices, i64, of the elements of the flattened x that are not 0. NumPy's flatnonzero. */
fsr_node fsr_flatnonzero_at(fsr_site at, fsr_node x);
#define fsr_flatnonzero(...) fsr_flatnonzero_at(FSR_HERE, __VA_ARGS__)
/* out[0]: what the mask selects of x, as fsr_compress gives it; out[1]: the others, in order. Both are poisoned on a
 * mistake. */
void fsr_partition_by_at(fsr_site at, fsr_node *out, fsr_node mask, fsr_node x);
#define fsr_partition_by(...) fsr_partition_by_at(FSR_HERE, __VA_ARGS__)
/* The runs of equal neighbours in the vector x: out[0] the element of each, out[1], i64, how many there are of it. One
 * length for both, with x's extent as capacity. NaN equals nothing. Both are poisoned on a mistake. FSR_ERR_SHAPE. */
void fsr_run_lengths_at(fsr_site at, fsr_node *out, fsr_node x);
#define fsr_run_lengths(...) fsr_run_lengths_at(FSR_HERE, __VA_ARGS__)
/* Element i of the vector x counts[i] times, in order: NumPy's repeat. counts are integers of x's extent, which the
 * device may compute; one below 0 counts as 0. The result has a length, their sum, and room for `capacity` elements:
 * more is told as an index outside is, FSR_ERR_SIZE. FSR_ERR_SHAPE, FSR_ERR_DTYPE; FSR_ERR_VALUE: capacity is
 * negative. */
fsr_node fsr_repeat_counts_at(fsr_site at, fsr_node x, fsr_node counts, int64_t capacity);
#define fsr_repeat_counts(...) fsr_repeat_counts_at(FSR_HERE, __VA_ARGS__)
/* x with x[mask] = y, as a value: x stays as it is. mask: of x's shape, else FSR_ERR_SHAPE. y: one element; or a vector
 * of as many elements as the mask selects, which go there in C order: of the length of fsr_compress of that very mask,
 * else FSR_ERR_SHAPE, or an array, which is looked at when it is computed, and told as an index outside is:
 * FSR_ERR_SHAPE. */
fsr_node fsr_update_mask_at(fsr_site at, fsr_node x, fsr_node mask, fsr_node y);
#define fsr_update_mask(...) fsr_update_mask_at(FSR_HERE, __VA_ARGS__)
/* x, a vector, with a length. of: the count, an integer of no dimensions, computed or a parameter, brought into
 * [0, x's extent]; or a value with a length and x's extent, whose length it then is. FSR_ERR_SHAPE, FSR_ERR_DTYPE. */
fsr_node fsr_live_at(fsr_site at, fsr_node x, fsr_node of);
#define fsr_live(...) fsr_live_at(FSR_HERE, __VA_ARGS__)
/* An array of x's capacity: x's elements, then the fill, 0-d, converted to x's dtype. x itself if it has no such
 * length. */
fsr_node fsr_filled_at(fsr_site at, fsr_node x, fsr_node fill);
#define fsr_filled(...) fsr_filled_at(FSR_HERE, __VA_ARGS__)
/* The count, an i64 of no dimensions, as a value; of an array its first extent. FSR_ERR_SHAPE: x is 0-d. */
fsr_node fsr_live_count_at(fsr_site at, fsr_node x);
#define fsr_live_count(...) fsr_live_count_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
