/* SPDX-License-Identifier: MIT */
/* Elements by computed indices: gathers and scatters. */
#ifndef FUSOR_INDICES_H
#define FUSOR_INDICES_H

#include "fusor/reduce.h"

FSR_API_BEGIN

/* ---- elements by computed indices ------------------------------------------------------------------ */

/* What becomes of an index outside of an axis of n elements. RAISE: from -n on it counts from the end; any other is
 * reported: the next fsr_read of the graph, fsr_plan_run of the plan with results on the host, or fsr_sync is
 * FSR_ERR_INDEX with the index, the axis, its extent and the recording line; of several the greatest as an unsigned
 * number. Other graphs' readers are not told (docs/contracts.md). Results then have the element at the nearest end
 * there; no other memory is read. FUSOR_BACKEND=reference tells it when it computes. CLIP: the nearest end, 0 for
 * negative ones. WRAP: the remainder by n. DROP: what goes to such a place is not stored; where elements are read it is
 * FSR_ERR_VALUE. */
typedef enum fsr_index_mode { FSR_INDEX_RAISE, FSR_INDEX_CLIP, FSR_INDEX_WRAP, FSR_INDEX_DROP } fsr_index_mode;

/* The elements of x at `indices` along an axis, as NumPy's take: shape x.shape[:axis] + indices.shape +
 * x.shape[axis + 1:]. Indices are of an integer dtype, else FSR_ERR_DTYPE. FSR_ERR_INDEX: the axis has no elements, and
 * some are asked for. Only what is read is computed: an index that no result needs is not looked at. */
fsr_node fsr_take_at(fsr_site at, fsr_node x, fsr_node indices, int axis, fsr_index_mode mode);
#define fsr_take(...) fsr_take_at(FSR_HERE, __VA_ARGS__)
/* result[i, j, k] = x[i, indices[i, j, k], k] for axis 1, and so on. indices has as many dimensions as x; apart from
 * the axis they broadcast together, else FSR_ERR_SHAPE. */
fsr_node fsr_take_along_axis_at(fsr_site at, fsr_node x, fsr_node indices, int axis, fsr_index_mode mode);
#define fsr_take_along_axis(...) fsr_take_along_axis_at(FSR_HERE, __VA_ARGS__)
/* x[a0, a1, ...]: n arrays of indices, which broadcast together, along the first n axes; the other axes follow. */
fsr_node fsr_index_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_index_mode mode);
#define fsr_index(...) fsr_index_at(FSR_HERE, __VA_ARGS__)
/* The part of x of sizes[j] elements along axis j that begins at starts[j], 0-d integers: parameters, or computed on
 * the device; another start neither plans nor compiles anew. A start is moved so that the part lies inside of x, to [0,
 * x.shape[j] - sizes[j]], as XLA does; negative ones do not count from the end. FSR_ERR_VALUE: sizes[j] is negative or
 * larger than the axis. starts and sizes have an entry for each axis of x. */
fsr_node fsr_dynamic_slice_at(fsr_site at, fsr_node x, const fsr_node *starts, const int64_t *sizes);
/* x with y, of x's dimensions and no larger, in it from starts[j] on along axis j, as fsr_dynamic_slice has starts: y
 * lies inside of x, at the nearest place. y is converted to x's dtype. As XLA's dynamic update slice; x stays as it
 * is. */
fsr_node fsr_dynamic_update_at(fsr_site at, fsr_node x, fsr_node y, const fsr_node *starts);
#define fsr_dynamic_update(...) fsr_dynamic_update_at(FSR_HERE, __VA_ARGS__)
#define fsr_dynamic_slice(...) fsr_dynamic_slice_at(FSR_HERE, __VA_ARGS__)

enum { FSR_UNIQUE = 8, FSR_UNORDERED = 32 };

/* x with x[a0, a1, ...] = values, as a value: x stays as it is. Arrays of indices and mode as fsr_index has them, or
 * FSR_INDEX_DROP: what goes outside is not stored, and what is reported is not either. values are converted to x's
 * dtype and broadcast to x[a0, a1, ...]'s shape, else FSR_ERR_SHAPE. Where several lead to one element, the last one in
 * C order wins. flags: 0, or FSR_UNIQUE, the promise that no two indices, as the mode brings them inside, lead to one
 * element, which saves a pass (else which of its values it has is not known, and differs from run to run; nothing else
 * changes). FSR_ERR_INDEX: an axis has no elements, and something goes there. */
fsr_node fsr_scatter_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_index_mode mode,
                        int flags);
#define fsr_scatter(...) fsr_scatter_at(FSR_HERE, __VA_ARGS__)
/* The same where fsr_take_along_axis takes from: result[i, indices[i, j, k], k] = values[i, j, k] for axis 1, and so
 * on. Apart from the axis indices broadcast to x's shape. */
fsr_node fsr_put_along_axis_at(fsr_site at, fsr_node x, fsr_node indices, fsr_node values, int axis,
                               fsr_index_mode mode, int flags);
#define fsr_put_along_axis(...) fsr_put_along_axis_at(FSR_HERE, __VA_ARGS__)

/* x with what is at x[a0, a1, ...] and every value that goes there combined, as NumPy's add.at(x, (a0, a1, ...),
 * values) and so on: an element with several indices gets all of their values. Arrays of indices, values, mode and
 * errors as fsr_scatter has them. The result has the same bits in every run and whatever the order of the values, but
 * sums of FSR_UNORDERED, and on a CPU sums of f32, f16 and bf16, which have the same bits in every run while the values
 * keep their order. Integers wrap; bools: add and max are or, mul and min are and. NaN stays NaN; of zeros the
 * greatest, or least, that several values give is without sign. Sums of floats (f16 and bf16 in f32, rounded once) are
 * computed in integers: of n values in all each is rounded to 2^(log2 n - 62) of the greatest magnitude that goes to
 * its element, of f64 to the square of that, and the sum is rounded at the end; on a CPU those of f32 and less are
 * added up in f64. flags: 0, or FSR_UNORDERED: floats are added as threads come, in a third of the time or less where
 * integers are summed, and the last bits may differ from run to run.
 * FSR_ERR_UNSUPPORTED: a product of floats without it. FSR_ERR_DTYPE: and, or, xor of floats; of complex numbers all
 * but sums. */
fsr_node fsr_scatter_add_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                            fsr_index_mode mode, int flags);
fsr_node fsr_scatter_mul_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                            fsr_index_mode mode, int flags);
fsr_node fsr_scatter_max_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                            fsr_index_mode mode, int flags);
fsr_node fsr_scatter_min_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                            fsr_index_mode mode, int flags);
fsr_node fsr_scatter_and_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                            fsr_index_mode mode, int flags);
fsr_node fsr_scatter_or_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values, fsr_index_mode mode,
                           int flags);
fsr_node fsr_scatter_xor_at(fsr_site at, fsr_node x, const fsr_node *arrays, int n, fsr_node values,
                            fsr_index_mode mode, int flags);
#define fsr_scatter_add(...) fsr_scatter_add_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_mul(...) fsr_scatter_mul_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_max(...) fsr_scatter_max_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_min(...) fsr_scatter_min_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_and(...) fsr_scatter_and_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_or(...) fsr_scatter_or_at(FSR_HERE, __VA_ARGS__)
#define fsr_scatter_xor(...) fsr_scatter_xor_at(FSR_HERE, __VA_ARGS__)
/* The same by a caller's operator on states of op->arity components, at most 3 (FSR_ERR_UNSUPPORTED: more): out[i] is
 * x[i], whose elements are folded, from left to right, with the values that go there, in C order. x has op->arity
 * arrays of one shape, values as many, each as fsr_scatter has them. The operator must be associative and need not
 * commute; the same bits in every run. It costs a sort of the indices, but where the body is one operation of the above
 * and elements are integers. The body is called several times during the call, and has to record the same each time;
 * errors as fsr_reduce_with has them. */
void fsr_scatter_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *x, const fsr_operator *op,
                         const fsr_node *arrays, int n, const fsr_node *values, fsr_index_mode mode);
#define fsr_scatter_with(...) fsr_scatter_with_at(FSR_HERE, sizeof(fsr_operator), __VA_ARGS__)

/* x with the elements that `indices` number, in C order over all of x, replaced by values in order, which begin again
 * where there are fewer (NumPy's put, as a value); of no values x. Bound and flags as fsr_scatter has them. */
fsr_node fsr_put_at(fsr_site at, fsr_node x, fsr_node indices, fsr_node values, fsr_index_mode mode, int flags);
#define fsr_put(...) fsr_put_at(FSR_HERE, __VA_ARGS__)

/* How often each of 0 to length - 1 is in x, of integers and one dimension: i64[length]; or, with weights of x's shape
 * (a zeroed node: none), the sum of each one's weights, f64, as fsr_scatter_add adds. What else is in x is told,
 * clipped or dropped as mode says; a negative number is outside, and told less `length`. FSR_ERR_VALUE: length is
 * below 1. FSR_ERR_DTYPE, FSR_ERR_SHAPE. */
fsr_node fsr_bincount_at(fsr_site at, fsr_node x, fsr_node weights, int64_t length, fsr_index_mode mode);
#define fsr_bincount(...) fsr_bincount_at(FSR_HERE, __VA_ARGS__)
/* How many elements of x, of real numbers and any shape, are in each of `bins` even bins of [low, high]: i64[bins]; or,
 * with weights, the sum of their weights, of these' dtype. A bin has its lower edge and not its upper one, but the last
 * bin both; edges are NumPy's: linspace, in x's dtype if that is a float, else in f64. What is outside, and NaN, is not
 * counted. FSR_ERR_VALUE: no bins, or a range that is none; of low = high the range is one wide around it. */
fsr_node fsr_histogram_at(fsr_site at, fsr_node x, fsr_node weights, int64_t bins, double low, double high);
#define fsr_histogram(...) fsr_histogram_at(FSR_HERE, __VA_ARGS__)
/* The same of bins between edges, a one-dimensional array of two or more, which do not fall; that is not
 * looked at. */
fsr_node fsr_histogram_edges_at(fsr_site at, fsr_node x, fsr_node weights, fsr_node edges);
#define fsr_histogram_edges(...) fsr_histogram_edges_at(FSR_HERE, __VA_ARGS__)
/* How many pairs of x and y, of one shape, are in each of bins[0] times bins[1] bins, of x in [range[0], range[1]] and
 * of y in [range[2], range[3]], each as fsr_histogram has them: i64[bins[0], bins[1]], or the sums of weights.
 * FSR_ERR_NULL. */
fsr_node fsr_histogram2d_at(fsr_site at, fsr_node x, fsr_node y, fsr_node weights, const int64_t *bins,
                            const double *range);
#define fsr_histogram2d(...) fsr_histogram2d_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
