/* The C emitter: one kernel of loop IR as one C source.
 *
 * Emit decides nothing: which instructions a loop evaluates, what is kept, how folds associate all stand in the kernel
 * and its schedule. The source includes nothing and declares the libm functions it calls. It exports one function,
 *     void <kernel name>(void *const *a, const i64 *n, const scalar *s, void *work)
 * with the arrays, integers, scalars and workspace of an fsr_launch. */
#ifndef FUSOR_BACKEND_CPU_EMIT_C_H
#define FUSOR_BACKEND_CPU_EMIT_C_H

#include "fusion/loop_ir.h"
#include "runtime/fault.h"

/* Changes whenever the same kernel would be printed differently; part of the disk cache's key. */
#define FSR_EMIT_C_VERSION 2

/* *source is malloc'ed. The kernel must have passed fsr_kernel_verify. FSR_ERR_MEMORY, FSR_ERR_INTERNAL. */
fsr_status fsr_cpu_source(const fsr_kernel *k, char **source, fsr_fault *fault);

#endif
