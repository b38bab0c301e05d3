/* SPDX-License-Identifier: MIT */
/* Functions of complex numbers as C text. */
#ifndef FUSOR_BACKEND_CPU_EMIT_COMPLEX_H
#define FUSOR_BACKEND_CPU_EMIT_COMPLEX_H

#include "fusor/dtype.h"
#include "runtime/text.h"
#include <stdbool.h>
#include <stdint.h>

/* A piece of text under the name of the function in it. What it mentions of others lies before it, in its own table or
 * in one before that. With a text `near` there are three functions: in `near` that of the name, which vectors compute
 * and which is good for arguments of usual size, and the question whether arguments are not, with _far behind the name;
 * in `text` the one for all arguments, with _any. Where the question says no both give the same bits. */
typedef struct fsr_c_complex {
    const char *name;
    const char *question; /* the name with _far; NULL: `text` is good for all, and there is no `near` */
    const char *near;
    const char *text;
} fsr_c_complex;

/* The tables, in the order in which they are printed; each ends with null names. Together they have at most 64. */
extern const fsr_c_complex fsr_c_complex_first[];   /* division, powers, trigonometric and hyperbolic functions */
extern const fsr_c_complex fsr_c_complex_inverse[]; /* inverse functions, powers of 2, log1p and expm1 */
extern const fsr_c_complex fsr_c_complex_turned[];  /* what is another function but for a turn, a scale, or of c64 */

extern const char fsr_c_near_exp[], fsr_c_near_log[], fsr_c_near_log1p[], fsr_c_near_sqrt[], fsr_c_near_sin[],
    fsr_c_near_cos[], fsr_c_near_tanh[], fsr_c_near_sign[], fsr_c_near_expm1[], fsr_c_near_exp2[], fsr_c_near_pow[];

/* The functions of dtype (c64 or c128) that an op's text calls, "fsr_$S_<name>", as a set of bits. */
uint64_t fsr_c_complex_find(const char *text, fsr_dtype dtype);
/* The question of the one of them that is good for near arguments only; NULL: there is none. */
const char *fsr_c_complex_far(const char *text, fsr_dtype dtype);
/* These and what they call. */
uint64_t fsr_c_complex_all(uint64_t set);
/* Makes true the elements of math (FSR_C_MATH_MAX) of what they call of math.h. */
void fsr_c_complex_math(uint64_t set, bool *math);
void fsr_c_complex_put(fsr_text *to, uint64_t set);

#endif
