/* SPDX-License-Identifier: MIT */
/* The instruction set that generated C is compiled for. */
#ifndef FUSOR_BACKEND_CPU_ISA_H
#define FUSOR_BACKEND_CPU_ISA_H

#include "fusor/context.h"
#include "runtime/fault.h"

typedef struct fsr_isa {
    fsr_isa_kind kind;
    const char *name;     /* the knob's word */
    const char *option;   /* of the compiler; NULL: none */
    const char *features; /* what a machine must have, as /proc/cpuinfo names it, between spaces */
} fsr_isa;

/* The level that was asked for, or native if this machine has less than that. *out lives forever. FSR_ERR_VALUE: a
 * level of another architecture. */
fsr_status fsr_isa_choose(fsr_isa_kind asked, const fsr_isa **out, fsr_fault *fault);

/* The name of what this machine then uses: of native the highest level that it reaches. */
const char *fsr_isa_level(const fsr_isa *isa);

#endif
