/* SPDX-License-Identifier: MIT */
/* Element by element: what the table of scalar operations (fusor/ops.h) does not have. */
#ifndef FUSOR_ELEMENTWISE_H
#define FUSOR_ELEMENTWISE_H

#include "fusor/node.h"

FSR_API_BEGIN

/* ---- elementwise: fusor/ops.h, generated from the table of scalar ops, has fsr_add, fsr_exp, ... */

/* Conversion; float to int truncates towards zero and saturates, NaN is 0; to bool is x != 0; complex to real takes the
 * real part. */
fsr_node fsr_cast_at(fsr_site at, fsr_node x, fsr_dtype dtype);
#define fsr_cast(...) fsr_cast_at(FSR_HERE, __VA_ARGS__)

/* fsr_sin and fsr_cos of x, in one kernel where both are asked for. Either address may be NULL; a mistake poisons
 * both. */
void fsr_sincos_at(fsr_site at, fsr_node x, fsr_node *sine, fsr_node *cosine);
#define fsr_sincos(...) fsr_sincos_at(FSR_HERE, __VA_ARGS__)
/* m = fsr_frexp_mantissa and e = fsr_frexp_exponent, i32, with x = m * 2**e; as fsr_sincos. */
void fsr_frexp_at(fsr_site at, fsr_node x, fsr_node *mantissa, fsr_node *exponent);
#define fsr_frexp(...) fsr_frexp_at(FSR_HERE, __VA_ARGS__)

/* fsr_floor_divide(a, b) and fsr_mod(a, b); as fsr_sincos. */
void fsr_divmod_at(fsr_site at, fsr_node a, fsr_node b, fsr_node *quotient, fsr_node *remainder);
#define fsr_divmod(...) fsr_divmod_at(FSR_HERE, __VA_ARGS__)
/* What stands behind and before the point, both with x's sign, as floats (bool and integers as fsr_exp takes them); of
 * infinity 0 and infinity. As fsr_sincos. FSR_ERR_DTYPE: complex. */
void fsr_modf_at(fsr_site at, fsr_node x, fsr_node *fraction, fsr_node *whole);
#define fsr_modf(...) fsr_modf_at(FSR_HERE, __VA_ARGS__)
/* x rounded to so many decimals, halfway to the even one: fsr_round of x times a power of ten, divided by it again;
 * decimals below 0: to tens, hundreds, ... Complex numbers part by part. Integers keep their dtype and wrap.
 * FSR_ERR_DTYPE: bool, but for 0 decimals. */
fsr_node fsr_around_at(fsr_site at, fsr_node x, int decimals);
#define fsr_around(...) fsr_around_at(FSR_HERE, __VA_ARGS__)
/* x with NaN, infinity and -infinity replaced; NULL: by the largest, by the lowest number of the dtype. Complex numbers
 * part by part; bool and integers stay as they are. */
fsr_node fsr_nan_to_num_at(fsr_site at, fsr_node x, double nan, const double *posinf, const double *neginf);
#define fsr_nan_to_num(...) fsr_nan_to_num_at(FSR_HERE, __VA_ARGS__)
/* Whether |a - b| <= atol + rtol |b| and b is finite, or a == b, or, with equal_nan, both are NaN. Bool. NumPy's
 * tolerances, if none are given there, are 1e-5 and 1e-8. b counts as a float (integers as f64). */
fsr_node fsr_isclose_at(fsr_site at, fsr_node a, fsr_node b, double rtol, double atol, bool equal_nan);
#define fsr_isclose(...) fsr_isclose_at(FSR_HERE, __VA_ARGS__)
/* Whether all elements are: fsr_all of it, 0-d. */
fsr_node fsr_allclose_at(fsr_site at, fsr_node a, fsr_node b, double rtol, double atol, bool equal_nan);
#define fsr_allclose(...) fsr_allclose_at(FSR_HERE, __VA_ARGS__)
/* sin(pi x) / (pi x), of 0 1. */
fsr_node fsr_sinc_at(fsr_site at, fsr_node x);
#define fsr_sinc(...) fsr_sinc_at(FSR_HERE, __VA_ARGS__)

FSR_API_END

#endif
