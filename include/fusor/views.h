/* SPDX-License-Identifier: MIT */
/* Views, assignment and joining: the same elements at other places. */
#ifndef FUSOR_VIEWS_H
#define FUSOR_VIEWS_H

#include "fusor/node.h"

FSR_API_BEGIN

/* ---- views: index maps, no copy, no kernel --------------------------------------------------- */

/* The same elements in C order; one extent may be -1 (inferred). */
fsr_node fsr_reshape_at(fsr_site at, fsr_node x, int ndim, const int64_t *shape);
#define fsr_reshape(...) fsr_reshape_at(FSR_HERE, __VA_ARGS__)
/* result.shape[i] = x.shape[perm[i]]; perm NULL: reversed. */
fsr_node fsr_transpose_at(fsr_site at, fsr_node x, const int *perm);
#define fsr_transpose(...) fsr_transpose_at(FSR_HERE_2OF2(__VA_ARGS__), __VA_ARGS__)
/* x repeated to a shape: extents are compared from the last; one of 1, or one that x lacks, is repeated.
 * FSR_ERR_SHAPE: another differs. */
fsr_node fsr_broadcast_to_at(fsr_site at, fsr_node x, int ndim, const int64_t *shape);
#define fsr_broadcast_to(...) fsr_broadcast_to_at(FSR_HERE, __VA_ARGS__)
/* A new axis of extent 1 before position axis (0..ndim, negative counts from the result's end). */
fsr_node fsr_expand_at(fsr_site at, fsr_node x, int axis);
#define fsr_expand(...) fsr_expand_at(FSR_HERE, __VA_ARGS__)
/* Drops an axis of extent 1. */
fsr_node fsr_squeeze_at(fsr_site at, fsr_node x, int axis);
#define fsr_squeeze(...) fsr_squeeze_at(FSR_HERE, __VA_ARGS__)
/* The axis in reverse order. */
fsr_node fsr_flip_at(fsr_site at, fsr_node x, int axis);
#define fsr_flip(...) fsr_flip_at(FSR_HERE, __VA_ARGS__)
/* One dimension, in C order. */
fsr_node fsr_ravel_at(fsr_site at, fsr_node x);
#define fsr_ravel(...) fsr_ravel_at(FSR_HERE, __VA_ARGS__)
/* The two axes change places. */
fsr_node fsr_swapaxes_at(fsr_site at, fsr_node x, int a, int b);
#define fsr_swapaxes(...) fsr_swapaxes_at(FSR_HERE, __VA_ARGS__)
/* Axis source[i] becomes axis destination[i]; the others keep their order. FSR_ERR_AXIS: one is named twice. */
fsr_node fsr_moveaxis_at(fsr_site at, fsr_node x, const int *source, const int *destination, int n);
#define fsr_moveaxis(...) fsr_moveaxis_at(FSR_HERE, __VA_ARGS__)
/* x's elements whose index along axis2 is k more than along axis1, as the last axis of the result; the other axes keep
 * their order before it. FSR_ERR_SHAPE: x has less than two axes. FSR_ERR_AXIS: both are the same. */
fsr_node fsr_diagonal_at(fsr_site at, fsr_node x, int64_t k, int axis1, int axis2);
#define fsr_diagonal(...) fsr_diagonal_at(FSR_HERE, __VA_ARGS__)
/* The sum of that, of the dtype of fsr_sum. */
fsr_node fsr_trace_at(fsr_site at, fsr_node x, int64_t k, int axis1, int axis2);
#define fsr_trace(...) fsr_trace_at(FSR_HERE, __VA_ARGS__)
/* Of a matrix its diagonal k; of a vector the square matrix with that diagonal, else 0. FSR_ERR_SHAPE: another rank. */
fsr_node fsr_diag_at(fsr_site at, fsr_node x, int64_t k);
#define fsr_diag(...) fsr_diag_at(FSR_HERE, __VA_ARGS__)
/* A flag of fsr_meshgrid. */
enum { FSR_XY = 16 };
/* out[0..n): the vectors x[0..n) broadcast to one n-dimensional grid. flags 0: x[i] varies along axis i (NumPy's
 * indexing="ij"); FSR_XY: x[0] along axis 1 and x[1] along axis 0 (NumPy's default). At most FSR_MAX_DIMS of at most
 * one dimension each (FSR_ERR_SHAPE). n < 1: nothing is written. */
void fsr_meshgrid_at(fsr_site at, fsr_node *out, const fsr_node *x, int n, int flags);
#define fsr_meshgrid(...) fsr_meshgrid_at(FSR_HERE, __VA_ARGS__)
/* An omitted limit of fsr_slice. */
#define FSR_SLICE_END INT64_MIN
/* x[start:stop:step] along one axis with NumPy's rules; FSR_SLICE_END stands for an omitted limit. */
fsr_node fsr_slice_at(fsr_site at, fsr_node x, int axis, int64_t start, int64_t stop, int64_t step);
#define fsr_slice(...) fsr_slice_at(FSR_HERE, __VA_ARGS__)

/* ---- assignment and joining: as values, fused copies ------------------------------------------- */

/* x with the section that `view` shows replaced by y: what x[...] = y leaves in NumPy, as a new value; x stays as it
 * is. view: x itself, or slices (steps, also negative), transposes, flips, expands and squeezes of x. y is converted to
 * x's dtype and broadcast to view's shape. FSR_ERR_VALUE: view is something else, shows an element twice (broadcast),
 * or is a diagonal. FSR_ERR_SHAPE: y does not broadcast to it. */
fsr_node fsr_update_at(fsr_site at, fsr_node x, fsr_node view, fsr_node y);
#define fsr_update(...) fsr_update_at(FSR_HERE, __VA_ARGS__)
/* x[0..n) along an axis; dtypes promote. n >= 1, at least 1-d; extents may differ along axis only (FSR_ERR_SHAPE). */
fsr_node fsr_concat_at(fsr_site at, const fsr_node *x, int n, int axis);
#define fsr_concat(...) fsr_concat_at(FSR_HERE, __VA_ARGS__)
/* The same along a new axis (0..ndim, negative counts from the result's end); all of one shape. */
fsr_node fsr_stack_at(fsr_site at, const fsr_node *x, int n, int axis);
#define fsr_stack(...) fsr_stack_at(FSR_HERE, __VA_ARGS__)
/* out[0..parts): views of equal extent. FSR_ERR_VALUE: the axis does not divide. */
void fsr_split_at(fsr_site at, fsr_node *out, fsr_node x, int parts, int axis);
#define fsr_split(...) fsr_split_at(FSR_HERE, __VA_ARGS__)
/* out[0..n + 1): x[:i0], x[i0:i1], ..., x[in-1:], each with slice's rules. */
void fsr_split_indices_at(fsr_site at, fsr_node *out, fsr_node x, const int64_t *indices, int n, int axis);
#define fsr_split_indices(...) fsr_split_indices_at(FSR_HERE, __VA_ARGS__)
/* Elements move by shift[i] along axes[i] and come in again at the other end; an axis may be named again. axes NULL:
 * along the flattened array, by the sum of the shifts. */
fsr_node fsr_roll_at(fsr_site at, fsr_node x, const int64_t *shift, const int *axes, int n);
#define fsr_roll(...) fsr_roll_at(FSR_HERE_3OF4(__VA_ARGS__), __VA_ARGS__)

/* What is added around an array: a constant, or x seen again: its edge element; mirrored about the edge element;
 * mirrored about the edge; from the other end. */
typedef enum fsr_pad { FSR_PAD_CONSTANT, FSR_PAD_EDGE, FSR_PAD_REFLECT, FSR_PAD_SYMMETRIC, FSR_PAD_WRAP } fsr_pad;
/* width[j]: elements added before and after axis j. value: of FSR_PAD_CONSTANT, converted to x's dtype as a cast does;
 * ignored by the others. FSR_ERR_VALUE: an axis of extent 0 has nothing to extend it with (all but CONSTANT).
 * FSR_ERR_UNSUPPORTED: widths of more than about 60 times the axis (REFLECT, SYMMETRIC, WRAP). */
fsr_node fsr_pad_at(fsr_site at, fsr_node x, const int64_t (*width)[2], fsr_pad mode, double value);
#define fsr_pad(...) fsr_pad_at(FSR_HERE, __VA_ARGS__)
/* Windows of window[i] elements that slide along axes[i] (NULL: every axis, in order): NumPy's sliding_window_view. The
 * axes lose window[i] - 1 elements, and each window has a dimension behind the others. Nothing is copied.
 * FSR_ERR_VALUE: a window is not 1 to the axis' extent. FSR_ERR_AXIS: there is no such axis, or it is named twice.
 * FSR_ERR_SHAPE: the result would have more than FSR_MAX_DIMS dimensions. */
fsr_node fsr_sliding_window_at(fsr_site at, fsr_node x, const int64_t *window, const int *axes, int naxes);
#define fsr_sliding_window(...) fsr_sliding_window_at(FSR_HERE_3OF4(__VA_ARGS__), __VA_ARGS__)
/* x, reps[j] times along axis j; reps of fewer entries than x has axes belong to its last ones, x of fewer axes gets
 * new ones in front. */
fsr_node fsr_tile_at(fsr_site at, fsr_node x, int n, const int64_t *reps);
#define fsr_tile(...) fsr_tile_at(FSR_HERE, __VA_ARGS__)
/* Every element `count` times along an axis; axis NULL: of the flattened array. */
fsr_node fsr_repeat_at(fsr_site at, fsr_node x, int64_t count, const int *axis);
#define fsr_repeat(...) fsr_repeat_at(FSR_HERE_3OF3(__VA_ARGS__), __VA_ARGS__)
/* The n-th difference of neighbours along an axis (of bools: whether they differ). n 0: x. */
fsr_node fsr_diff_at(fsr_site at, fsr_node x, int n, int axis);
#define fsr_diff(...) fsr_diff_at(FSR_HERE, __VA_ARGS__)
/* The slope along one axis, at points `spacing` apart: inside (x[i + 1] - x[i - 1]) / (2 spacing), at both ends
 * differences of the order edge_order, 1 or 2 (else FSR_ERR_VALUE). Integers give f64. FSR_ERR_SHAPE: less than
 * edge_order + 1 elements. FSR_ERR_DTYPE: bool. */
fsr_node fsr_gradient_at(fsr_site at, fsr_node x, double spacing, int axis, int edge_order);
#define fsr_gradient(...) fsr_gradient_at(FSR_HERE, __VA_ARGS__)
/* out[0..naxes): that along each of axes[0..naxes), NumPy's gradient of several axes. axes NULL: every axis in order,
 * and naxes is x's number of dimensions. spacing[i] belongs to axes[i]; NULL: 1 for all. All are poisoned on a mistake.
 * FSR_ERR_AXIS: an axis is named twice, or axes is NULL and naxes another number. naxes < 1: nothing is written. */
void fsr_gradients_at(fsr_site at, fsr_node *out, fsr_node x, const double *spacing, const int *axes, int naxes,
                      int edge_order);
#define fsr_gradients(...) fsr_gradients_at(FSR_HERE_4OF6(__VA_ARGS__), __VA_ARGS__)
/* to_begin, the differences of neighbours of the flattened x, to_end; these are converted to x's dtype, or none where
 * they are null nodes. FSR_ERR_DTYPE: bool. */
fsr_node fsr_ediff1d_at(fsr_site at, fsr_node x, fsr_node to_begin, fsr_node to_end);
#define fsr_ediff1d(...) fsr_ediff1d_at(FSR_HERE, __VA_ARGS__)
/* How far two sequences of n and m elements, n >= m, are moved over each other: wherever one element of each meets, n +
 * m - 1 results; the n of these in the middle; where all of the shorter one is covered, n - m + 1. */
typedef enum fsr_overlap { FSR_FULL, FSR_SAME, FSR_VALID } fsr_overlap;
/* The sum of a[j - k] v[k], and, of v conjugated, of a[j + k] v[k], over k, for each place j: NumPy's convolve and
 * correlate. One pass over the longer sequence where the shorter one has up to about 20 elements, three up to 64, which
 * is the most (FSR_ERR_UNSUPPORTED: longer ones are work for a Fourier transform). dtypes promote; nothing is converted
 * to a wider one. FSR_ERR_SHAPE: more than one dimension (0-d counts as one element). FSR_ERR_EMPTY: no element.
 * FSR_ERR_VALUE: overlap is none. */
fsr_node fsr_convolve_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap);
fsr_node fsr_correlate_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap);
#define fsr_convolve(...) fsr_convolve_at(FSR_HERE, __VA_ARGS__)
#define fsr_correlate(...) fsr_correlate_at(FSR_HERE, __VA_ARGS__)
/* The same full, centred or whole overlap by Fourier transforms, of two arrays of one dimension and any length: in time
 * n log n, and within a few units of the sum of magnitudes. f32 of f32 and narrower, f64 of wider and of integers,
 * complex of complex ones. FSR_ERR_SHAPE: an array is not of one dimension, or empty. */
fsr_node fsr_fftconvolve_at(fsr_site at, fsr_node a, fsr_node v, fsr_overlap overlap);
#define fsr_fftconvolve(...) fsr_fftconvolve_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
