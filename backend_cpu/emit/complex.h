/* SPDX-License-Identifier: MIT */
/* Functions of complex numbers as C text. */
#ifndef FUSOR_BACKEND_CPU_EMIT_COMPLEX_H
#define FUSOR_BACKEND_CPU_EMIT_COMPLEX_H

#include "fusor/dtype.h"
#include "runtime/text.h"

/* The functions of dtype (c64 or c128) that an op's text calls, "fsr_$S_<name>", as a set of bits. */
unsigned fsr_c_complex_find(const char *text, fsr_dtype dtype);
/* The functions whose bits are set, and what they need, each once. */
void fsr_c_complex_put(fsr_text *to, unsigned set);

#endif
