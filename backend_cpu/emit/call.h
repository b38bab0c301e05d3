/* SPDX-License-Identifier: MIT */
/* Callers' functions (graph/routine.h) as C text. */
#ifndef FUSOR_BACKEND_CPU_EMIT_CALL_H
#define FUSOR_BACKEND_CPU_EMIT_CALL_H

#include "graph/routine.h"
#include "runtime/text.h"

/* Their prototypes: needs the prelude's types. */
void fsr_c_declare(fsr_text *to, const fsr_routine *const *f, int n);
/* What they are, to stand at the end of a source. */
void fsr_c_define(fsr_text *to, const fsr_routine *const *f, int n);
/* A source of one function alone, malloc'ed, that exports it as FSR_C_HOST: an fsr_routine_host. NULL: out of
 * memory. */
char *fsr_c_routine_source(const fsr_routine *f);
#define FSR_C_HOST "fsr_host"

#endif
