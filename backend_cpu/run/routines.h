/* SPDX-License-Identifier: MIT */
/* Whose fault it is that a kernel with callers' functions was rejected. */
#ifndef FUSOR_BACKEND_CPU_ROUTINES_H
#define FUSOR_BACKEND_CPU_ROUTINES_H

#include "backend_cpu/run/compile.h"
#include "fusion/loop_ir.h"

/* Compiles each of the kernel's functions alone; the first that fails replaces *fault, which says why the kernel
 * failed, by a message with its name. Returns the fault's status. */
fsr_status fsr_routines_blame(fsr_c_compiler *c, const fsr_kernel *k, fsr_fault *fault);

#endif
