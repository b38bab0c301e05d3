/* SPDX-License-Identifier: MIT */
/* A number with an error radius, and the scalar ops on it. */
#ifndef FUSOR_BACKEND_CPU_REFERENCE_BALL_H
#define FUSOR_BACKEND_CPU_REFERENCE_BALL_H

#include "graph/ops.h"
#include "graph/region.h"
#include <math.h>

/* A correct backend's value lies in [center - radius, center + radius]; a complex one in the disk around (center,
 * imag).
 *   radius 0         the value is `center`, which the dtype can represent (also NaN and the infinities);
 *   radius -0.0      the value is a zero, of either sign; of a complex number: parts that are 0 have either sign;
 *   radius INFINITY  unknown, NaN included;
 *   otherwise        center is finite. A bool that is unknown has radius 1. */
typedef struct fsr_ball {
    long double center;
    double radius;
    long double imag; /* 0 for real numbers */
} fsr_ball;

/* Part by part: a long double is stored in two pieces, and whoever copies all 16 bytes of it at once waits for them. */
static inline void fsr_balls_copy(fsr_ball *to, const fsr_ball *from, int n) {
    for (int i = 0; i < n; i++) {
        to[i].center = from[i].center;
        to[i].radius = from[i].radius;
        to[i].imag = from[i].imag;
    }
}

static inline fsr_ball fsr_ball_real(long double center, double radius) {
    return (fsr_ball){center, radius, 0};
}

/* STRICT: an exact op on known operands is known. CONTRACTED: but a product, which may be kept unrounded: where
 * rounding makes an infinity of finite numbers nothing is known, since what is added to it may bring it back. FOLD: a
 * step of some tree; operands known here are rounded values in another tree, so every rounding counts. Small integers
 * (counts) stay known in all of them. */
typedef enum fsr_ball_mode { FSR_BALL_STRICT, FSR_BALL_CONTRACTED, FSR_BALL_FOLD } fsr_ball_mode;

/* Both parts are finite. */
static inline bool fsr_ball_finite(fsr_ball x) {
    return isfinite(x.center) && isfinite(x.imag);
}
/* value, a real number, lies in the ball. */
static inline bool fsr_ball_may_be(fsr_ball x, long double value) {
    return fabsl(x.center - value) <= x.radius;
}
fsr_ball fsr_ball_from_value(fsr_dtype dtype, fsr_value value);
/* The ends of what a real number of the dtype may be: of an unsigned 0 +- 1 they are 0 and 1. */
void fsr_ball_ends(fsr_dtype dtype, fsr_ball x, long double *low, long double *high);
/* x, which the dtype holds up to rounding, as a value. */
fsr_value fsr_ball_value(fsr_dtype dtype, long double x);
fsr_ball fsr_ball_unknown(fsr_dtype dtype);
/* The centre, a complex one too, rounded to dtype. */
static inline fsr_value fsr_ball_center_value(fsr_dtype dtype, const fsr_ball *x) {
    if (fsr_dtype_is_complex(dtype))
        return fsr_value_from_complex(dtype, (fsr_c128){(double)x->center, (double)x->imag});
    return fsr_ball_value(dtype, x->center);
}
/* The centre rounded to dtype; bound receives the radius around that. */
fsr_value fsr_ball_round(fsr_dtype dtype, const fsr_ball *x, double *bound);
/* The ball of a result computed wide: an overflow for certain becomes an infinity, a possible one (for integers:
 * wrapping) unknown. */
fsr_ball fsr_ball_settle(fsr_dtype dtype, long double center, double radius);
/* The op on operands of dtype `compute` (see fsr_op_eval). */
fsr_ball fsr_ball_op(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x, fsr_ball_mode mode);
/* The element of a table at known indices: what a LOAD of a body takes. */
typedef struct fsr_ball_tables {
    fsr_ball (*take)(const void *user, const fsr_inst *load, const int64_t *index);
    const void *user;
} fsr_ball_tables;
/* Instructions [from, to) of a region: value[i] is instruction i's. tables: NULL if it has none. */
void fsr_ball_region(const fsr_region *r, int from, int to, const fsr_ball *argument, fsr_ball_mode mode,
                     const fsr_ball_tables *tables, fsr_ball *value);
/* Of known operands the centre of the op's ball, where its radius is finite, rounds to the op's value. */
bool fsr_ball_gives_value(fsr_op op, fsr_dtype compute, fsr_dtype result);
/* The op's result for wide operands, itself not rounded. */
long double fsr_ball_center(fsr_op op, fsr_dtype compute, fsr_dtype result, const long double *x);
/* The op's result is one of its operands, or follows from them without rounding. */
bool fsr_ball_selects(fsr_op op);

/* The same where compute or result is complex (complex.c). */
fsr_ball fsr_ball_complex(fsr_op op, fsr_dtype compute, fsr_dtype result, const fsr_ball *x, fsr_ball_mode mode);
/* As fsr_ball_settle. A part that may overflow makes it unknown. */
fsr_ball fsr_ball_settle_complex(fsr_dtype dtype, long double re, long double im, double radius);

/* x; a known zero loses its sign. */
static inline fsr_ball fsr_ball_unsign(fsr_ball x) {
    if (x.center == 0 && x.imag == 0 && x.radius == 0)
        return fsr_ball_real(0, -0.0);
    return x;
}
/* x is a zero of either sign. */
static inline bool fsr_ball_unsigned(fsr_ball x) {
    return x.radius == 0 && signbit(x.radius);
}

/* Half a unit in the last place of 1: the largest relative rounding error. */
double fsr_ball_unit(fsr_dtype dtype);
/* The unit in the last place of x. */
double fsr_ball_ulp(fsr_dtype dtype, long double x);
/* What rounds to infinity, in magnitude. */
long double fsr_ball_limit(fsr_dtype dtype);
/* Integers up to this magnitude are exact: 2^24, 2^53. */
long double fsr_ball_integers(fsr_dtype dtype);

#endif
