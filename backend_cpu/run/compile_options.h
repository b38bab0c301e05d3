/* SPDX-License-Identifier: MIT */
/* What a C compiler is told, and what that depends on. */
#ifndef FUSOR_BACKEND_CPU_COMPILE_OPTIONS_H
#define FUSOR_BACKEND_CPU_COMPILE_OPTIONS_H

#include "backend_cpu/run/driver.h"
#include "backend_cpu/run/isa.h"
#include <stdbool.h>

enum { FSR_MOST_OPTIONS = 24 };
/* How far a compiler optimizes: as asked; and of a source that it has crashed over, carefully, and then hardly. */
typedef enum fsr_effort { FSR_EFFORT_USUAL, FSR_EFFORT_CAREFUL, FSR_EFFORT_LEAST, FSR_EFFORTS } fsr_effort;

/* The options in order, at most FSR_MOST_OPTIONS. Returns their number. */
int fsr_c_list_options(const fsr_isa *isa, const fsr_c_driver *d, bool contraction, fsr_effort effort,
                       const char **out);
/* What follows the source's name; whole: with all libraries, whatever the source declares. Returns the number of words,
 * at most 3. */
int fsr_c_list_libraries(const fsr_c_driver *d, const char *source, bool whole, const char **out);
/* The first processor's identity and feature flags, and the kernel's name of the architecture, malloc'ed. NULL if they
 * cannot be read, or memory is out: a name without the flags would fit machines that differ. */
char *fsr_c_describe_machine(void);

#endif
