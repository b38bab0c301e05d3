/* SPDX-License-Identifier: MIT */
/* Segments of an axis, and sparse matrices. */
#ifndef FUSOR_SEGMENTS_H
#define FUSOR_SEGMENTS_H

#include "fusor/reduce.h"

FSR_API_BEGIN

/* ---- segments ----------------------------------------------------------------------------------- */

/* Neighbours along x's first axis, folded segment by segment: segment s of n is elements offsets[s] to offsets[s + 1] -
 * 1. offsets: n + 1 integers, one-dimensional, that do not fall; what is outside of x is cut off, and a segment that
 * would end before it begins is empty. Of offsets that fall neither results nor times are promised; they read no memory
 * outside of x. Offsets may have a length that only the device knows (fsr_flatnonzero): then
 * results for each segment have one too, one less, as fsr_diff of the offsets has it; x then has one dimension
 * (FSR_ERR_UNSUPPORTED). Results have shape [n, ...], the rest x's other axes. Lengths of any skew are much alike in
 * time. What computes x belongs to the kernels that read it.
 *
 *     function          result's dtype     of an empty segment
 *     sum, prod         as fsr_sum         0, 1: NumPy's add.reduceat where no segment is empty
 *     min, max          x's                the greatest, the least value
 *     argmin, argmax    i64, places in x   -1
 *     first, last       x's                0
 *
 * The association of floats follows from the offsets and from sizes: blocks of 32 to 256 elements of the axis, by the
 * segments' average length, each a sum; then running sums of these, of f32 in f64; then what is left at both ends of
 * the segment. Another one on a CPU, where x is 2^18 floats or complex numbers or more in one dimension:
 * fsr_segment_sum then adds each segment in f64, element i of it in lane i % 4, in pieces of 2^14 elements whose sums
 * are added in order. The same bits in every run. FSR_ERR_SHAPE: x has no axis, or offsets no element. FSR_ERR_DTYPE:
 * offsets are no integers; or the operation is not defined for x. Not inside of fsr_vectorize where each row has its
 * own x (FSR_ERR_UNSUPPORTED). */
fsr_node fsr_segment_sum_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_prod_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_min_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_max_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_argmin_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_argmax_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_first_at(fsr_site at, fsr_node x, fsr_node offsets);
fsr_node fsr_segment_last_at(fsr_site at, fsr_node x, fsr_node offsets);
#define fsr_segment_sum(...) fsr_segment_sum_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_prod(...) fsr_segment_prod_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_min(...) fsr_segment_min_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_max(...) fsr_segment_max_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_argmin(...) fsr_segment_argmin_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_argmax(...) fsr_segment_argmax_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_first(...) fsr_segment_first_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_last(...) fsr_segment_last_at(FSR_HERE, __VA_ARGS__)
/* Each segment sorted by itself, along the first axis: x's shape; what lies in no segment stays where it is.
 * fsr_segment_argsort: where in x each element was, i64. Order, NaN and zeros as fsr_sort; stable. flags:
 * FSR_DESCENDING. Two sorts of all elements, whatever the lengths are. fsr_segment_median: the median of each segment,
 * as fsr_median has it; NaN of an empty one. Errors as fsr_segment_sum; FSR_ERR_DTYPE: x is complex. */
fsr_node fsr_segment_sort_at(fsr_site at, fsr_node x, fsr_node offsets, int flags);
fsr_node fsr_segment_argsort_at(fsr_site at, fsr_node x, fsr_node offsets, int flags);
fsr_node fsr_segment_median_at(fsr_site at, fsr_node x, fsr_node offsets);
#define fsr_segment_sort(...) fsr_segment_sort_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_argsort(...) fsr_segment_argsort_at(FSR_HERE, __VA_ARGS__)
#define fsr_segment_median(...) fsr_segment_median_at(FSR_HERE, __VA_ARGS__)
/* Running sums that begin again at each segment, as fsr_cumsum along x's first axis; flags as there. Elements before
 * the first segment and behind the last one are summed as segments are. */
fsr_node fsr_segment_cumsum_at(fsr_site at, fsr_node x, fsr_node offsets, int flags);
#define fsr_segment_cumsum(...) fsr_segment_cumsum_at(FSR_HERE, __VA_ARGS__)
/* The same with a caller's operator on states of op->arity components, at most 3 (FSR_ERR_UNSUPPORTED: more); in and
 * out as fsr_reduce_with and fsr_scan_with have them. The body is called several times during the call, and has to
 * record the same each time. */
void fsr_segment_reduce_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                                fsr_node offsets);
void fsr_segment_scan_with_at(fsr_site at, size_t size, fsr_node *out, const fsr_node *in, const fsr_operator *op,
                              fsr_node offsets, int flags);
#define fsr_segment_reduce_with(...) fsr_segment_reduce_with_at(FSR_HERE, sizeof(fsr_operator), __VA_ARGS__)
#define fsr_segment_scan_with(...) fsr_segment_scan_with_at(FSR_HERE, sizeof(fsr_operator), __VA_ARGS__)
/* Runs of equal neighbours among n keys, one-dimensional, as segments: out[0], i64[n + 1], where each run begins, and n
 * from there on, so that segments behind the last run are empty; out[1], how many runs there are, a 0-d i64. Sorted
 * keys are groups: the sum of each key's values is fsr_segment_sum(values, out[0]), the key fsr_segment_first(keys,
 * out[0]). NaN is a run of its own. */
void fsr_runs_at(fsr_site at, fsr_node *out, fsr_node keys);
#define fsr_runs(...) fsr_runs_at(FSR_HERE, __VA_ARGS__)

/* ---- sparse matrices ---------------------------------------------------------------------------- */

/* A matrix by rows (CSR): of row r elements offsets[r] to offsets[r + 1] - 1 of columns and values, all
 * one-dimensional, offsets and columns integers. Three nodes and a shape, which a program may fill itself; copied by
 * assignment, nothing is owned. Frozen (docs/abi.md). Offsets do not fall, from 0 to the number of values; columns are
 * inside, in any order, and the values of equal ones are added. What breaks that reads no memory outside: what is
 * outside is the nearest that is not. */
typedef struct fsr_csr {
    fsr_node offsets, columns, values;
    int64_t rows, cols;
} fsr_csr;

/* The matrix of elements at coordinates, in any order: row, column, integers, and values, vectors of one length; each
 * row keeps their order, equal coordinates stay two. Rows and columns outside are told (FSR_ERR_INDEX, as
 * FSR_INDEX_RAISE has it; a negative row is outside, and told less `rows`); negative columns count from the end. *out
 * receives poisons on a mistake: FSR_ERR_DTYPE, FSR_ERR_SHAPE; FSR_ERR_VALUE: rows or cols is below 1. */
void fsr_csr_from_coo_at(fsr_site at, fsr_csr *out, fsr_node row, fsr_node column, fsr_node values, int64_t rows,
                         int64_t cols);
/* The row of each element, i64; of one in front of offsets[0] -1, of one behind the last offset `rows`: it is in no
 * row, and the matrix is without it, as of all that follow; fsr_csr_sampled has 0 for it. Of all that follow
 * FSR_ERR_NULL: the matrix is null; FSR_ERR_SHAPE, FSR_ERR_DTYPE: it is none, or an operand does not fit it. */
fsr_node fsr_csr_rows_at(fsr_site at, const fsr_csr *a);
/* [rows, cols], of the values' dtype. */
fsr_node fsr_csr_to_dense_at(fsr_site at, const fsr_csr *a);
/* The product with x, [cols] or [cols, k]: [rows] or [rows, k], summed as fsr_segment_sum does. Values and x are of any
 * dtypes, which promote; what computes them, and what is done to the result, element by element, is in the product's
 * kernels. With a vector, of 2^18 floats or complex numbers or more in 64 rows or more, it is on a CPU a loop over the
 * rows' elements, which are added as fsr_segment_sum's: a kernel in every run then makes offsets and columns safe, some
 * 4 bytes an element. Inside of fsr_vectorize each row may have its own offsets, and nothing else of its
 * own: columns, values or x are FSR_ERR_UNSUPPORTED. */
fsr_node fsr_csr_dot_at(fsr_site at, const fsr_csr *a, fsr_node x);
/* The transposed matrix' product with x, [rows] or [rows, k]: [cols] or [cols, k], summed as fsr_scatter_add does: the
 * same bits in every run. */
fsr_node fsr_csr_dot_transposed_at(fsr_site at, const fsr_csr *a, fsr_node x);
/* Of x, [rows, k], times y transposed, [cols, k], the elements where the matrix has values, times these: [values]. The
 * product's other elements are not computed. */
fsr_node fsr_csr_sampled_at(fsr_site at, const fsr_csr *a, fsr_node x, fsr_node y);
/* The root of the sum of each row's squared magnitudes, in the dtype of fsr_norm. */
fsr_node fsr_csr_norms_at(fsr_site at, const fsr_csr *a);
/* Of triangular equations. */
enum { FSR_UPPER = 8, FSR_UNIT_DIAGONAL = 16 };
/* x with a x = b, a square matrix of which one triangle is read, the lower one, or with FSR_UPPER the upper one; b is
 * [rows] or [rows, k], and x like it. With FSR_UNIT_DIAGONAL the diagonal is not read, it is 1. Values and b are
 * converted as fsr_solve converts its operands. No coordinate of the triangle stands twice. Where the
 * diagonal has a 0, or not every element, all of x is NaN. A library call: on a CPU plain loops; on a GPU cuSPARSE,
 * loaded when first used (FSR_ERR_UNSUPPORTED, when it is computed: there is none). FSR_ERR_SHAPE also: it is not
 * square. FSR_ERR_VALUE: other flags. Not inside of fsr_vectorize where rows have their own operands
 * (FSR_ERR_UNSUPPORTED). The transposed matrix' rows are fsr_csr_from_coo's of the columns, fsr_csr_rows and the
 * values. */
fsr_node fsr_csr_solve_triangular_at(fsr_site at, const fsr_csr *a, fsr_node b, int flags);
#define fsr_csr_from_coo(...) fsr_csr_from_coo_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_rows(...) fsr_csr_rows_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_to_dense(...) fsr_csr_to_dense_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_dot(...) fsr_csr_dot_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_dot_transposed(...) fsr_csr_dot_transposed_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_sampled(...) fsr_csr_sampled_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_norms(...) fsr_csr_norms_at(FSR_HERE, __VA_ARGS__)
#define fsr_csr_solve_triangular(...) fsr_csr_solve_triangular_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
