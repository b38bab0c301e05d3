/* SPDX-License-Identifier: MIT */
/* What is known of a value of a kernel by how it is made: between which numbers it lies. */
#ifndef FUSOR_FUSION_INTERVAL_H
#define FUSOR_FUSION_INTERVAL_H

#include "fusion/loop_ir.h"

typedef struct fsr_interval {
    double low, high; /* it is a number, and not outside of them; low > high: nothing is known */
} fsr_interval;

/* Value v is an operation that has a shorter text for the operand that it is known to have (FSR_OP_TURN,
 * FSR_OP_POSITIVE, FSR_OP_BY_LITERAL). */
bool fsr_value_is_tame(const fsr_kernel *k, int v);
/* Value v is a quotient by an odd whole number (FSR_OP_BY_LITERAL), which has a text for all operands without a
 * branch. */
bool fsr_value_is_by_odd(const fsr_kernel *k, int v);
/* Value v is an operation whose angle (FSR_OP_OF_ANGLE) another operation of the kernel takes too. */
bool fsr_value_shares_angle(const fsr_kernel *k, int v);
/* Value v, an i64, is an integer that fits in an i32, widened. */
bool fsr_value_was_near(const fsr_kernel *k, int v);
/* Value v, a conversion of a float to an integer of at most 32 bits, has an operand that is NaN or a number which, cut
 * off, that dtype has. */
bool fsr_value_fits(const fsr_kernel *k, int v);
/* Value v is a minimum or maximum of floats, the first any, the second a literal that is neither NaN nor a zero: of
 * equal ones either is the result. */
bool fsr_value_is_limited(const fsr_kernel *k, int v);

#endif
