/* SPDX-License-Identifier: MIT */
/* From C text to a loaded function: the system's compiler, the disk cache, dlopen. */
#ifndef FUSOR_BACKEND_CPU_COMPILE_H
#define FUSOR_BACKEND_CPU_COMPILE_H

#include "backend_cpu/run/isa.h"
#include "fusor/context.h"
#include "runtime/fault.h"
#include <stdbool.h>

typedef struct fsr_c_compiler fsr_c_compiler;

/* A copy of a knob's text; of NULL and "" it is NULL. False: out of memory. */
bool fsr_copy_setting(const char *from, char **to);

/* Copies what it needs of config. The compiler itself is looked for when it is first needed. A disk cache that cannot
 * be used is a warning in *warning (malloc'ed, else NULL), not an error. FSR_ERR_MEMORY; FSR_ERR_VALUE: config->isa is
 * a level of another architecture. */
fsr_status fsr_c_compiler_new(const fsr_config *config, fsr_c_compiler **out, char **warning, fsr_fault *fault);
void fsr_c_compiler_free(fsr_c_compiler *c);  /* NULL is allowed */
void fsr_c_compiler_leave(fsr_c_compiler *c); /* instead, in a child of fork: closes its descriptors */
/* What it compiles for. */
const fsr_isa *fsr_c_compiler_isa(const fsr_c_compiler *c);
/* The first line of what the compiler says of its version; empty: none was needed yet, or found. */
void fsr_c_compiler_name(fsr_c_compiler *c, char *out, size_t size);

/* The function `name` of a source, compiled or found on disk. *handle is dlopen's, closed by the caller. dump (may be
 * NULL) is the path where the source also stands, for the message. Thread-safe. FSR_ERR_NO_COMPILER, FSR_ERR_COMPILE,
 * FSR_ERR_FILE, FSR_ERR_MEMORY. */
fsr_status fsr_c_compile(fsr_c_compiler *c, const char *name, const char *source, bool contraction, const char *dump,
                         void **handle, void **function, bool *from_disk, fsr_fault *fault);

/* True if a source of one line compiles, loads and runs right now (or memory is out, which tells nothing): what the
 * compiler refused is then the source's fault. */
bool fsr_c_compiler_works(fsr_c_compiler *c);

#endif
