/* SPDX-License-Identifier: MIT */
/* Elementwise functions of two results: two nodes on one operand.
 *
 * Each result is an operation of the table by itself, so it fuses, is checked and is left out if nobody asks for it as
 * any other. Asked for together they are two instructions of one kernel, which loads the operand once; what both
 * compute on the way, the reduction of an angle for one, their functions are inline for the compiler to share.
 * Counter-example to one node of two results: a program that takes the mantissa alone would compute the exponent
 * too. */
#include "primitives/primitives.h"

static void both(fsr_site at, fsr_op one, fsr_op other, fsr_node x, fsr_node *first, fsr_node *second) {
    if (first)
        *first = fsr_map(at, one, &x, 1);
    if (second)
        *second = fsr_map(at, other, &x, 1);
}

void fsr_sincos_at(fsr_site at, fsr_node x, fsr_node *sine, fsr_node *cosine) {
    both(at, FSR_OP_SIN, FSR_OP_COS, x, sine, cosine);
}

void fsr_frexp_at(fsr_site at, fsr_node x, fsr_node *mantissa, fsr_node *exponent) {
    both(at, FSR_OP_FREXP_MANTISSA, FSR_OP_FREXP_EXPONENT, x, mantissa, exponent);
}
