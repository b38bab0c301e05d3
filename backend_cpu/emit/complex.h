/* SPDX-License-Identifier: MIT */
/* Functions of complex numbers as C text. */
#ifndef FUSOR_BACKEND_CPU_EMIT_COMPLEX_H
#define FUSOR_BACKEND_CPU_EMIT_COMPLEX_H

#include "fusor/dtype.h"
#include "runtime/text.h"
#include <stdint.h>

/* A piece of text under the name of the function in it. What it mentions of others lies before it, in its own table or
 * in the one before that. */
typedef struct fsr_c_complex {
    const char *name;
    const char *text;
} fsr_c_complex;

/* The tables, in the order in which they are printed; each ends with null names. Together they have at most 64. */
extern const fsr_c_complex fsr_c_complex_first[];   /* division, powers, trigonometric and hyperbolic functions */
extern const fsr_c_complex fsr_c_complex_inverse[]; /* inverse functions, other bases, log1p and expm1 */

/* A function of c64 by way of that of c128. */
#define FSR_C_NARROW(name)                                        \
    "static inline c64 fsr_c64_" name "(c64 a) {\n"               \
    "    const c128 z = fsr_c128_" name "((c128){a.re, a.im});\n" \
    "    return (c64){(f32)z.re, (f32)z.im};\n"                   \
    "}\n"

/* The functions of dtype (c64 or c128) that an op's text calls, "fsr_$S_<name>", as a set of bits. */
uint64_t fsr_c_complex_find(const char *text, fsr_dtype dtype);
/* The functions whose bits are set, and what they need, each once. */
void fsr_c_complex_put(fsr_text *to, uint64_t set);

#endif
