/* SPDX-License-Identifier: MIT */
/* Ball arithmetic's rules for single ops; backend_cpu/reference/ball.c uses them. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_RULES_H
#define FUSOR_BACKEND_CPU_REFERENCE_RULES_H

#include "backend_cpu/reference/ball.h"

/* The op says nothing about operands of this dtype that are not known. */
bool fsr_ball_needs_known(fsr_op op, fsr_dtype compute);
/* What the op gives at the centres, and the part of its radius that comes from the operands' (finite, not all 0; the
 * centres are finite). */
double fsr_ball_carry(fsr_op op, fsr_dtype compute, const fsr_ball *x, long double *center);
/* frexp's exponent. */
fsr_ball fsr_ball_exponent(fsr_ball x);
/* Absolute error that an inexact op may have beside its units in the last place: near the zeros of sine and tangent of
 * more than 1 and of lgamma below 0, where these mean nothing. */
double fsr_ball_own(fsr_op op, fsr_dtype dtype, long double argument);

/* ---- of ball.c ------------------------------------------------------------------------------- */

/* The REF column on wide operands. */
long double fsr_ball_wide(fsr_op op, fsr_dtype compute, const long double *x);
/* The result at the centres, and its largest distance from the results at the corners of the operands' intervals. */
double fsr_ball_corners(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, long double *center);

#endif
