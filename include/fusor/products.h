/* SPDX-License-Identifier: MIT */
/* Fourier transforms, products of matrices, polynomials and their like. */
#ifndef FUSOR_PRODUCTS_H
#define FUSOR_PRODUCTS_H

#include "fusor/node.h"

FSR_API_BEGIN

/* ---- Fourier transforms ------------------------------------------------------------------------------ */

/* NumPy's transforms of whole rows along an axis (zeros behind them are fsr_pad's), the inverse ones divided by n: c64
 * of f16, bf16, f32 and c64, c128 of all else. Library calls: on a CPU by Fusor's own, in time n log n for every n; on
 * a GPU by cuFFT, loaded when first used. FSR_ERR_UNSUPPORTED, when it is computed: there is none. Work on x and on the
 * result fuses around them. FSR_ERR_AXIS. FSR_ERR_SHAPE: there is no element along the axis. */
fsr_node fsr_fft_at(fsr_site at, fsr_node x, int axis);
fsr_node fsr_ifft_at(fsr_site at, fsr_node x, int axis);
#define fsr_fft(...) fsr_fft_at(FSR_HERE, __VA_ARGS__)
#define fsr_ifft(...) fsr_ifft_at(FSR_HERE, __VA_ARGS__)
/* Of real x, n along the axis, the first n / 2 + 1 elements, of which the others are conjugates. FSR_ERR_DTYPE: x is
 * complex. */
fsr_node fsr_rfft_at(fsr_site at, fsr_node x, int axis);
#define fsr_rfft(...) fsr_rfft_at(FSR_HERE, __VA_ARGS__)
/* The real array of n elements along the axis of which x is the rfft: f32 or f64. Imaginary parts where such an array
 * has none are not looked at. FSR_ERR_VALUE: x has not n / 2 + 1 elements there. */
fsr_node fsr_irfft_at(fsr_site at, fsr_node x, int64_t n, int axis);
#define fsr_irfft(...) fsr_irfft_at(FSR_HERE, __VA_ARGS__)
/* fft and ifft along each of several axes (NULL: all). */
fsr_node fsr_fftn_at(fsr_site at, fsr_node x, const int *axes, int naxes);
fsr_node fsr_ifftn_at(fsr_site at, fsr_node x, const int *axes, int naxes);
#define fsr_fftn(...) fsr_fftn_at(FSR_HERE_2OF3(__VA_ARGS__), __VA_ARGS__)
#define fsr_ifftn(...) fsr_ifftn_at(FSR_HERE_2OF3(__VA_ARGS__), __VA_ARGS__)
/* All products of the elements of the flattened a and b, as a matrix. */
fsr_node fsr_outer_at(fsr_site at, fsr_node a, fsr_node b);
#define fsr_outer(...) fsr_outer_at(FSR_HERE, __VA_ARGS__)
/* Blocks of b, each times an element of a. FSR_ERR_UNSUPPORTED: more than 4 dimensions. */
fsr_node fsr_kron_at(fsr_site at, fsr_node a, fsr_node b);
#define fsr_kron(...) fsr_kron_at(FSR_HERE, __VA_ARGS__)
/* The vector product along an axis, of both and of the result, that has 3 elements (else FSR_ERR_SHAPE). */
fsr_node fsr_cross_at(fsr_site at, fsr_node a, fsr_node b, int axis);
#define fsr_cross(...) fsr_cross_at(FSR_HERE, __VA_ARGS__)
/* The sum of conj(a) b along an axis of both, in the dtype of the product. FSR_ERR_SHAPE: their extents differ. */
fsr_node fsr_vecdot_at(fsr_site at, fsr_node a, fsr_node b, int axis);
#define fsr_vecdot(...) fsr_vecdot_at(FSR_HERE, __VA_ARGS__)
/* The matrix product, NumPy's a @ b: of a's last axis with b's last but one, or only one; axes before these broadcast,
 * an array of one dimension is a row as a and a column as b, which the result does not have. In the dtype that a and b
 * promote to: integers wrap, bools are any of ands, f16 and bf16 are summed in f32. Products of floats and complex
 * numbers that are large enough (sides of 4 and more, 16 summed elements, 8192 products) are a library's where there is
 * one, cuBLAS, OpenBLAS: then transposed views, slices of columns or rows, and batches are not copied. Else they are
 * loops as any other, and fuse. The order of the additions is the library's, the same in every run on one machine.
 * FSR_ERR_SHAPE: the extents do not fit, or an operand has no dimension. FSR_ERR_UNSUPPORTED: more than 8 dimensions
 * together with the summed one (so for the other two). */
fsr_node fsr_matmul_at(fsr_site at, fsr_node a, fsr_node b);
#define fsr_matmul(...) fsr_matmul_at(FSR_HERE, __VA_ARGS__)
/* The sum over n pairs of axes, axes_a[i] of a with axes_b[i] of b; the result has a's other axes, then b's.
 * FSR_ERR_AXIS: an axis is not there, or comes twice, or n is negative or too many. FSR_ERR_SHAPE: extents differ, or
 * the result has more than 8 dimensions. FSR_ERR_NULL: axes are null and n is not 0. */
fsr_node fsr_tensordot_at(fsr_site at, fsr_node a, fsr_node b, const int *axes_a, const int *axes_b, int n);
#define fsr_tensordot(...) fsr_tensordot_at(FSR_HERE, __VA_ARGS__)
/* NumPy's einsum of n arrays, 1 to 16: "ij,jk->ik" and the like. Letters name axes; what the result, behind "->", does
 * not name is summed; without "->" the result has what comes once, in order; "..." stands for the axes before or
 * between that broadcast, and stands in the result as well if there are any; a letter twice in an array is its
 * diagonal. Two by two from the left, each as fsr_matmul where it is one. FSR_ERR_VALUE: the subscripts cannot be read,
 * or are of another number of arrays. FSR_ERR_SHAPE: they do not fit the arrays. FSR_ERR_UNSUPPORTED: a product of two
 * of them has more than 8 dimensions. FSR_ERR_NULL: subscripts is null. With no graph to record in (x is null or n < 1)
 * the null node. */
fsr_node fsr_einsum_at(fsr_site at, const char *subscripts, const fsr_node *x, int n);
#define fsr_einsum(...) fsr_einsum_at(FSR_HERE, __VA_ARGS__)
/* The powers n - 1 to 0 of each element of the vector x, or with increasing 0 to n - 1, as a row each; integers of less
 * than 64 bits give i64. FSR_ERR_SHAPE: x is no vector. FSR_ERR_VALUE: n is negative. */
fsr_node fsr_vander_at(fsr_site at, fsr_node x, int64_t n, bool increasing);
#define fsr_vander(...) fsr_vander_at(FSR_HERE, __VA_ARGS__)
/* x where column - row >= k, else 0: over the last two axes. A vector of n is broadcast to n rows first.
 * FSR_ERR_SHAPE: x is 0-d. */
fsr_node fsr_triu_at(fsr_site at, fsr_node x, int64_t k);
#define fsr_triu(...) fsr_triu_at(FSR_HERE, __VA_ARGS__)
/* x where column - row <= k, else 0; as fsr_triu. */
fsr_node fsr_tril_at(fsr_site at, fsr_node x, int64_t k);
#define fsr_tril(...) fsr_tril_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
