/* SPDX-License-Identifier: MIT */
/* Linear algebra: equations, determinants, factors, singular values and eigenvalues of matrices. */
#ifndef FUSOR_LINALG_H
#define FUSOR_LINALG_H

#include "fusor/node.h"

FSR_API_BEGIN

/* NumPy's numpy.linalg of the matrices in the last two dimensions, each by itself: f32 of f16, bf16 and f32, complex
 * of complex, f64 of all else; of two operands each by itself, and then what these promote to. Library calls: on a CPU
 * LAPACK out of OpenBLAS where that is there, loaded when first used, else Fusor's own loops; on a GPU cuSOLVER and
 * cuBLAS. FSR_ERR_UNSUPPORTED, when it is computed: there is none. Where NumPy raises LinAlgError, for a matrix that
 * is singular, not positive definite, or whose iteration does not converge, the results of that matrix are NaN (not
 * the zeros of a triangle), and the others are right. Work on arguments and results fuses around the call. What no
 * rule determines, signs and phases of vectors and bases of equal values, is the library's. FSR_ERR_SHAPE: less than
 * two dimensions, or not square. */

/* x with a x = b: b of one dimension is a vector, else matrices of columns [..., n, k], as NumPy 2 has them; leading
 * dimensions broadcast. FSR_ERR_SHAPE also: b is not of n rows, or does not broadcast. */
fsr_node fsr_solve_at(fsr_site at, fsr_node a, fsr_node b);
#define fsr_solve(...) fsr_solve_at(FSR_HERE, __VA_ARGS__)
/* The inverse; the determinant; its sign (or phase) and the logarithm of its magnitude. A singular matrix has the
 * determinant 0, of sign 0 and logarithm -inf. No product on the way to a determinant leaves the dtype's range. */
fsr_node fsr_inv_at(fsr_site at, fsr_node a);
fsr_node fsr_det_at(fsr_site at, fsr_node a);
void fsr_slogdet_at(fsr_site at, fsr_node a, fsr_node *sign, fsr_node *logabs);
#define fsr_inv(...) fsr_inv_at(FSR_HERE, __VA_ARGS__)
#define fsr_det(...) fsr_det_at(FSR_HERE, __VA_ARGS__)
#define fsr_slogdet(...) fsr_slogdet_at(FSR_HERE, __VA_ARGS__)
/* The lower triangle l with l l' = a, of which the lower triangle is read (l' conjugate). */
fsr_node fsr_cholesky_at(fsr_site at, fsr_node a);
#define fsr_cholesky(...) fsr_cholesky_at(FSR_HERE, __VA_ARGS__)
/* Orthonormal columns q and the upper triangle r with q r = a [..., m, n]: min(m, n) columns, or m of them. Addresses
 * of results may be NULL, here and below; what nobody asks for is not computed. */
void fsr_qr_at(fsr_site at, fsr_node a, bool complete, fsr_node *q, fsr_node *r);
#define fsr_qr(...) fsr_qr_at(FSR_HERE, __VA_ARGS__)
/* Singular values s [..., k], k = min(m, n), descending, u [..., m, k] and vt [..., k, n] with u diag(s) vt = a:
 * NumPy's svd with full_matrices=False. svdvals: s alone, for less work. */
void fsr_svd_at(fsr_site at, fsr_node a, fsr_node *u, fsr_node *s, fsr_node *vt);
fsr_node fsr_svdvals_at(fsr_site at, fsr_node a);
#define fsr_svd(...) fsr_svd_at(FSR_HERE, __VA_ARGS__)
#define fsr_svdvals(...) fsr_svdvals_at(FSR_HERE, __VA_ARGS__)
/* Eigenvalues w [..., n], ascending, and eigenvectors, the columns of v, of Hermitian matrices, of which the lower
 * triangle is read. eigvalsh: w alone, for less work. */
void fsr_eigh_at(fsr_site at, fsr_node a, fsr_node *w, fsr_node *v);
fsr_node fsr_eigvalsh_at(fsr_site at, fsr_node a);
#define fsr_eigh(...) fsr_eigh_at(FSR_HERE, __VA_ARGS__)
#define fsr_eigvalsh(...) fsr_eigvalsh_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
