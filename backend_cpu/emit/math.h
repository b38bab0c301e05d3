/* SPDX-License-Identifier: MIT */
/* Elementary functions as C text: branch-free scalar code that compilers turn into vectors. */
#ifndef FUSOR_BACKEND_CPU_EMIT_MATH_H
#define FUSOR_BACKEND_CPU_EMIT_MATH_H

#include "runtime/text.h"
#include <stdbool.h>

#define FSR_C_MATH_MAX 160 /* functions and their parts */

/* A piece of text. What it mentions of others lies before it, in its own table or in one before that. */
typedef struct fsr_c_math {
    const char *names; /* of the function; or of what a part of others defines, with spaces between */
    const char *limit; /* see fsr_c_math_limit */
    const char *text;
} fsr_c_math;

/* The tables, in the order in which they are printed; each ends with null names. */
extern const fsr_c_math fsr_c_math_elementary[]; /* exponentials, logarithms, angles, powers */
extern const fsr_c_math fsr_c_math_parts[];      /* division with a floor, parts of floats, integer powers */
extern const fsr_c_math fsr_c_math_exp[];        /* exponentials, logarithms, hyperbolic functions */
extern const fsr_c_math fsr_c_math_angle[];      /* tangent, inverse trigonometric functions, hypotenuse */
extern const fsr_c_math fsr_c_math_special[];    /* roots, error and gamma functions */
extern const fsr_c_math fsr_c_math_random[];     /* random words, half turns */

/* The number of a function "fsr_exp", "fsr_expf", ...; -1: there is none. Less than FSR_C_MATH_MAX. */
int fsr_c_math_find(const char *name);
/* The largest |argument| for which the function is good, as a C constant, or the name of a function of its arguments
 * that says that it is not; NULL: good for all. Where there is one, a function of the same name with _any behind it is
 * good for all, and gives the same bits within the limit. */
const char *fsr_c_math_limit(int number);
/* Makes true the elements of set (FSR_C_MATH_MAX) of the functions that the text calls. */
void fsr_c_math_mark(const char *text, bool *set);
/* The functions whose element of set (FSR_C_MATH_MAX) is true, and what they need, each once. */
void fsr_c_math_put(fsr_text *to, const bool *set);

#endif
