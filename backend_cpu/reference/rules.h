/* SPDX-License-Identifier: MIT */
/* Ball arithmetic: rules for single ops, and what ball.c, spread.c and ball_op.c share. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_RULES_H
#define FUSOR_BACKEND_CPU_REFERENCE_RULES_H

#include "backend_cpu/reference/ball.h"

#define FSR_BALL_SLACK 1.01
#define FSR_RADIUS_SLACK 0x1p-49 /* the radii are doubles themselves */

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
/* One op on known operands; the result is known. */
fsr_ball fsr_ball_known(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x);
/* What an integer dtype holds. */
void fsr_ball_range(fsr_dtype dtype, long double *low, long double *high);
/* Every number of `from` is one of `to`. */
bool fsr_ball_holds(fsr_dtype to, fsr_dtype from);

/* ---- of spread.c ----------------------------------------------------------------------------- */

/* No less than x. Counter-example to rounding: the greater of 0 +- 1 and 0.001 is then not 1 for certain. */
static inline double fsr_ball_upwards(long double x) {
    const double near = (double)x;
    return (long double)near < x ? nextafter(near, INFINITY) : near;
}

/* The result at the centres, and its largest distance from the results at the corners of the operands' intervals, an
 * end at 0 being a zero of either sign: angle of 1 +- 1, whose lower end is 0 as well as -0, is 0 as well as pi. */
double fsr_ball_corners(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, long double *center);
/* The part of the radius that comes from the operands' radii, not all of which are 0. All of these are finite. Where it
 * is infinite nothing may be known of the centre, which stays as it was. */
double fsr_ball_propagate(fsr_op op, fsr_dtype compute, int arity, const fsr_ball *x, long double *center);
/* The op's own error (for f16 and bf16 that of f32 and the rounding of it) for a result of this magnitude. */
double fsr_ball_error(fsr_op op, fsr_dtype dtype, long double magnitude, long double argument);

#endif
