/* SPDX-License-Identifier: MIT */
/* Callers' functions on the host: their C texts compiled, one by one, for the reference and the interpreter, which
 * cannot read C. Kernels of the CPU backend contain the text itself and need none of this. */
#ifndef FUSOR_RUNTIME_ROUTINES_H
#define FUSOR_RUNTIME_ROUTINES_H

#include "fusor/context.h"
#include "graph/routine.h"
#include "runtime/fault.h"

/* Compiled texts, each kept until close. Implemented by backend_cpu. */
typedef struct fsr_routines fsr_routines;

/* Copies what it needs of config; looks for no compiler yet. */
fsr_status fsr_routines_open(const fsr_config *config, fsr_routines **out, fsr_fault *fault);
void fsr_routines_close(fsr_routines *r); /* NULL is allowed */
void fsr_routines_leave(fsr_routines *r); /* instead, in a child; NULL is allowed */
/* Compiles f, unless an equal one is there, and sets f->host. Thread-safe. FSR_ERR_COMPILE: the text was rejected; the
 * message names the function and has the compiler's words. FSR_ERR_NO_COMPILER, FSR_ERR_FILE, FSR_ERR_MEMORY. */
fsr_status fsr_routines_add(fsr_routines *r, const fsr_routine *f, fsr_fault *fault);

/* The same with the context's, opened when first needed. context: a graph's, as fsr_graph_context gives it. */
fsr_status fsr_routine_ready(void *context, const fsr_routine *f, fsr_fault *fault);

#endif
